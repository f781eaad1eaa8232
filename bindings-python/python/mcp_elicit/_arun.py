"""`Engine.arun` and `Call.astep`: what awaits. Only with `await`, so that any loop will do."""

from __future__ import annotations

from inspect import isawaitable
from typing import TYPE_CHECKING

from mcp_elicit._claim import finish
from mcp_elicit._native import Reply

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from mcp_elicit._native import Call, Engine, Principal
    from mcp_elicit.types import AsyncHandler, Headers, Message, ParamHeaders


async def arun(
    engine: Engine,
    request: Message,
    handler: AsyncHandler,
    principal: Principal,
    headers: Headers | None,
    param_headers: ParamHeaders | None,
) -> Reply:
    """Does what `Engine.run` does, for a handler that may await."""
    call = engine._begin(request, principal, headers, param_headers)  # noqa: SLF001
    if isinstance(call, Reply):
        return call
    try:
        result = handler(call)
        if isawaitable(result):
            result = await result
    except BaseException as raised:
        reply = call._settle_raised(raised)  # noqa: SLF001
        if reply is None:
            raise
        return reply
    return await finish(call, call._settle_start(result))  # noqa: SLF001


async def astep(call: Call, key: str, work: Callable[[], Awaitable[Any]], readable: bool) -> Any:
    """Does what `Call.step` does, for work that awaits."""
    recorded = call._step_result(key)  # noqa: SLF001
    if recorded is not None:
        return recorded[0]
    return call._record_step(key, await work(), readable)  # noqa: SLF001
