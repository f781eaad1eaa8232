"""`Call.aclaim` and what belongs to it: the core's sequences, with a store that is awaited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_elicit._native import (
    Need,
    Reply,
    _claim_next,
    _claim_start,
    _complete_end,
    _complete_start,
    _release_end,
    _release_start,
    _store_failed,
)

if TYPE_CHECKING:
    from mcp_elicit._native import Call, Claimed
    from mcp_elicit.types import Json


async def aclaim(call: Call, wait_ms: int | None, lease_ms: int | None, remember: bool) -> Claimed:
    """Does what `Call.claim` does."""
    driver = call._driver  # noqa: SLF001
    if driver is None:
        # The core says what is missing.
        return call.claim(wait_ms=wait_ms, lease_ms=lease_ms, remember=remember)
    stands = _claim_start(call, wait_ms, lease_ms, remember)
    while isinstance(stands, Need):
        try:
            returned = await driver.execute(stands)
        except Exception as raised:
            raise _store_failed(call, raised) from raised
        stands = _claim_next(call, stands, returned)
    return stands


async def acomplete(call: Call, result: Json, remember: bool) -> Reply:
    """Does what `Call.complete` does."""
    return await finish(call, _complete_start(call, result, remember))


async def finish(call: Call, stands: Need | Reply) -> Reply:
    """The reply, when the record of a claim is finished or could not be.

    The effect has happened: a client that goes away meanwhile does not keep the record from being
    finished.
    """
    if isinstance(stands, Reply):
        return stands
    returned: Any
    try:
        returned = await call._driver.execute(stands, keep=True)  # type: ignore[union-attr] # noqa: SLF001
    except Exception as raised:
        returned = raised
    return _complete_end(call, stands, returned)


async def arelease_claim(call: Call) -> None:
    """Does what `Call.release_claim` does."""
    need = _release_start(call)
    if need is None:
        return
    try:
        returned = await call._driver.execute(need, keep=True)  # type: ignore[union-attr] # noqa: SLF001
    except Exception as raised:
        raise _store_failed(call, raised) from raised
    _release_end(call, need, returned)
