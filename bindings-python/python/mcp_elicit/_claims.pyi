# Claims and stores of the native part. What they do at run time is in ../../src.
# Import from mcp_elicit.
from os import PathLike
from typing import Any, final

from mcp_elicit._native import Call, Reply
from mcp_elicit.errors import ElicitError
from mcp_elicit.types import ClaimStatus, Json

@final
class Claimed:
    """What became of a claim: one class, told apart by `status`."""

    __match_args__ = ("status", "result")

    @property
    def status(self) -> ClaimStatus:
        """What happened.

        won: this call is the first, do it now. already: it was done by an earlier call, which left
        no result. recorded: it was done by an earlier call, whose `result` this is: return it.
        in_progress: another call is at it; come back later (`retry_later`), or say so. unknown:
        another call was at it and did not come to an end: find out whether it was done, for example
        from the provider by `idempotency_key`, or say so.
        """

    @property
    def result(self) -> dict[str, Any] | None:
        """The recorded result; None unless `recorded`."""

    @property
    def result_json(self) -> str | None:
        """The same as JSON, with every digit as it was given."""

@final
class MemoryStore:
    """A store in this process, for one instance and for tests. Shared by threads, gone with it.

    What has expired makes room for what comes; where nothing has, `ElicitError` (store).
    """

    def __new__(cls, capacity: int | None = None) -> MemoryStore:
        """A store of about `capacity` bytes at most, keys and values counted; usually 64 MiB.

        A value can be as large as a sixteenth of it. Raises `ElicitError` (invalid_argument).
        """

    @property
    def capacity(self) -> int:
        """Bytes that it holds at most."""

    def get(self, key: str, /) -> bytes | None:
        """See `mcp_elicit.types.Store`."""

    def put_if_absent(self, key: str, value: bytes, ttl_ms: int, /) -> bytes | None:
        """See `mcp_elicit.types.Store`."""

    def compare_and_set(self, key: str, expected: bytes, value: bytes, ttl_ms: int, /) -> bool:
        """See `mcp_elicit.types.Store`."""

    def compare_and_delete(self, key: str, expected: bytes, /) -> bool:
        """See `mcp_elicit.types.Store`."""

@final
class SqliteStore:
    """A store in a SQLite file, shared by the threads and processes of one machine.

    Every write is on disk before it is answered: what was claimed stays claimed through a crash.
    Blocks only its caller, and under `arun` nobody: it has a thread of its own. The file must not
    lie on a network drive, nor be opened by another SQLite in the same process, such as the module
    `sqlite3`: closing it would drop our locks. After a fork open it again in the child. Expiry is
    wall time.
    """

    def __new__(cls, path: str | PathLike[str], *, time_limit_ms: int | None = None) -> SqliteStore:
        """Opens or makes the file.

        `time_limit_ms`: how long an operation waits for other processes; usually 2 seconds. Raises
        `ElicitError`: store where the file cannot be opened or is none of SQLite's,
        invalid_argument.
        """

    @property
    def time_limit_ms(self) -> int:
        """How long an operation waits for other processes, in milliseconds."""

    def get(self, key: str, /) -> bytes | None:
        """See `mcp_elicit.types.Store`."""

    def put_if_absent(self, key: str, value: bytes, ttl_ms: int, /) -> bytes | None:
        """See `mcp_elicit.types.Store`."""

    def compare_and_set(self, key: str, expected: bytes, value: bytes, ttl_ms: int, /) -> bool:
        """See `mcp_elicit.types.Store`."""

    def compare_and_delete(self, key: str, expected: bytes, /) -> bool:
        """See `mcp_elicit.types.Store`."""

@final
class Need:
    """An operation that a claim needs of the store. For what drives claims, inside this package."""

    @property
    def name(self) -> str:
        """The method of the store."""

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What to call it with."""

def _claim_start(
    call: Call, wait_ms: int | None, lease_ms: int | None, remember: bool
) -> Need | Claimed: ...
def _claim_next(call: Call, need: Need, returned: Any) -> Need | Claimed: ...
def _complete_start(call: Call, result: Json, remember: bool) -> Need | Reply: ...
def _complete_end(call: Call, need: Need, returned: Any) -> Reply: ...
def _release_start(call: Call) -> Need | None: ...
def _release_end(call: Call, need: Need, returned: Any) -> None: ...
def _store_failed(call: Call, raised: Exception) -> ElicitError: ...
def _invalid(message: str) -> ElicitError: ...
def _store_key(given: str, /) -> str: ...
def _time_limit(given: int | None) -> int: ...
