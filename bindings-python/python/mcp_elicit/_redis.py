"""A store in Redis, or what speaks its protocol, by the redis-py client that the user has.

Owns the same keys, values and scripts as `core/src/store/redis.rs`, so that all languages share one
server: one round trip and one key an operation; what must be atomic is a script of a few lines.
"""

from __future__ import annotations

import errno
import time
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from mcp_elicit._native import _invalid, _store_key, _time_limit

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from typing_extensions import Self

# What is there already, byte for byte, counts as put: a connection broke after the first try. No
# two callers put the same bytes, since each value is sealed with randomness of its own.
_PUT_IF_ABSENT: Final = """local found = redis.call('GET', KEYS[1])
if found and found ~= ARGV[1] then return found end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1"""

_COMPARE_AND_SET: Final = """local found = redis.call('GET', KEYS[1])
if found ~= ARGV[1] and found ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1"""

_COMPARE_AND_DELETE: Final = """if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
return 1"""

# Longest expiry that is sent: ten years.
_LONGEST_MS: Final = 3650 * 24 * 3_600_000

# Connections at most; who needs another waits for one, inside the time limit.
_MOST: Final = 64

# What a pool's connections are made with and belongs to that pool alone.
_OF_THE_POOL: Final = ("maint_", "orig_", "oss_", "himport_")


class RedisStore:
    """A store in Redis, shared by a fleet of any of our languages.

    `client` is a `redis.Redis` or a `redis.asyncio.Redis` of redis-py 6 or later. The store takes
    address, credentials and TLS from it (`redis://` and `rediss://` are the client's) and uses
    connections of its own: at most 64, without hidden repetitions, with `time_limit_ms` (2 seconds)
    for each wait. Other clients of redis-py, such as a cluster's, are used as they are: give them
    `socket_timeout` and few retries. An operation whose connection broke is sent once more.

    With an asyncio client claims are awaited: `arun`, `aclaim`. With the other they block only
    their caller; under `arun` they run on threads of the store's own.

    Shared by threads. Servers that evict (`maxmemory-policy` other than `noeviction`) can lose
    claims. Raises `ElicitError` (invalid_argument).
    """

    def __new__(cls, client: Any, *, time_limit_ms: int | None = None) -> Self:  # noqa: ARG004
        """The kind of store that the client is for."""
        execute = getattr(client, "execute_command", None)
        if not callable(execute):
            raise _invalid("RedisStore takes a client of redis-py: redis.Redis(...)")
        return super().__new__(_Awaiting if iscoroutinefunction(execute) else _Blocking)  # type: ignore[return-value]

    def __init__(self, client: Any, *, time_limit_ms: int | None = None) -> None:
        from redis import exceptions  # the user has it: there is a client

        self._limit_ms = _time_limit(time_limit_ms)
        self._given = client
        self._broken: type[Exception] = exceptions.ConnectionError
        self._late: type[Exception] = exceptions.TimeoutError
        self._full: type[Exception] = exceptions.OutOfMemoryError

    @property
    def time_limit_ms(self) -> int:
        """How long an operation waits for the server, in milliseconds."""
        return self._limit_ms

    def get(self, key: str, /) -> Any:
        """The value under a key, or None."""
        return self._run("GET", _store_key(key))

    def put_if_absent(self, key: str, value: bytes, ttl_ms: int, /) -> Any:
        """Puts a value where there is none, and gives None; otherwise gives what is there."""
        return self._run("EVAL", _PUT_IF_ABSENT, 1, _store_key(key), value, _life(ttl_ms))

    def compare_and_set(self, key: str, expected: bytes, value: bytes, ttl_ms: int, /) -> Any:
        """Puts a value in place of another; whether that one was there."""
        return self._run(
            "EVAL", _COMPARE_AND_SET, 1, _store_key(key), expected, value, _life(ttl_ms)
        )

    def compare_and_delete(self, key: str, expected: bytes, /) -> Any:
        """Deletes a value; whether it was there."""
        return self._run("EVAL", _COMPARE_AND_DELETE, 1, _store_key(key), expected)

    def close(self) -> None:
        """Closes the store's own connections; the client stays as it is."""
        raise _invalid("this store has a client of asyncio: await store.aclose()")

    async def aclose(self) -> None:
        """`close`; with an asyncio client, of the connections that this event loop has."""
        self.close()

    def _run(self, *command: Any) -> Any:
        raise NotImplementedError

    def _own(self) -> Any:
        """The client with connections of our own; the given one where it is of another kind."""
        import redis
        from redis import asyncio
        from redis.backoff import NoBackoff

        pool: Any = getattr(self._given, "connection_pool", None)
        seconds = self._limit_ms / 1000
        kinds: tuple[tuple[Any, Any, Any], ...] = (
            (redis, redis.Redis, redis.retry.Retry),
            (asyncio, asyncio.Redis, asyncio.retry.Retry),
        )
        for module, client, retry in kinds:
            if type(pool) not in (module.ConnectionPool, module.BlockingConnectionPool):
                continue
            connection = {
                name: value
                for name, value in pool.connection_kwargs.items()
                if not name.startswith(_OF_THE_POOL)
            }
            connection.update(
                socket_timeout=seconds,
                socket_connect_timeout=seconds,
                retry=retry(NoBackoff(), 0),
                retry_on_error=[],
                decode_responses=False,
            )
            own = module.BlockingConnectionPool(
                max_connections=min(pool.max_connections, _MOST),
                timeout=seconds,
                connection_class=pool.connection_class,
                **connection,
            )
            return client.from_pool(own)
        return self._given

    def _failed(self, raised: Exception) -> Exception:
        """What an operation raises in place of what the client raised."""
        if isinstance(raised, self._late):
            return TimeoutError()
        if isinstance(raised, self._full):
            return OSError(errno.ENOSPC, "the server takes no more")
        return raised

    def _may_repeat(self, raised: Exception, started: float) -> bool:
        """Whether a connection broke, and there is time to send the operation once more."""
        in_time = time.monotonic() - started < self._limit_ms / 1000
        return in_time and isinstance(raised, self._broken) and not isinstance(raised, self._late)

    def __repr__(self) -> str:
        return f"<RedisStore, time limit {self._limit_ms} ms>"


class _Blocking(RedisStore):
    """By a client that blocks."""

    def __init__(self, client: Any, *, time_limit_ms: int | None = None) -> None:
        super().__init__(client, time_limit_ms=time_limit_ms)
        self._client = self._own()

    def close(self) -> None:
        if self._client is not self._given:
            self._client.close()

    def _run(self, *command: Any) -> Any:
        started = time.monotonic()
        try:
            try:
                return _answer(command, self._client.execute_command(*command, NEVER_DECODE=True))
            except Exception as raised:
                if not self._may_repeat(raised, started):
                    raise
            return _answer(command, self._client.execute_command(*command, NEVER_DECODE=True))
        except Exception as raised:
            failed = self._failed(raised)
            raise failed from (None if failed is raised else raised)


class _Awaiting(RedisStore):
    """By a client of asyncio. Its connections belong to an event loop, so each has its own."""

    def __init__(self, client: Any, *, time_limit_ms: int | None = None) -> None:
        super().__init__(client, time_limit_ms=time_limit_ms)
        self._clients: WeakKeyDictionary[AbstractEventLoop, Any] = WeakKeyDictionary()

    async def aclose(self) -> None:
        from asyncio import get_running_loop

        client = self._clients.pop(get_running_loop(), self._given)
        if client is not self._given:
            await client.aclose()

    async def get(self, key: str, /) -> Any:
        return await super().get(key)

    async def put_if_absent(self, key: str, value: bytes, ttl_ms: int, /) -> Any:
        return await super().put_if_absent(key, value, ttl_ms)

    async def compare_and_set(self, key: str, expected: bytes, value: bytes, ttl_ms: int, /) -> Any:
        return await super().compare_and_set(key, expected, value, ttl_ms)

    async def compare_and_delete(self, key: str, expected: bytes, /) -> Any:
        return await super().compare_and_delete(key, expected)

    def _here(self) -> Any:
        from asyncio import get_running_loop

        loop = get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            client = self._clients[loop] = self._own()
        return client

    async def _run(self, *command: Any) -> Any:
        started = time.monotonic()
        client = self._here()
        try:
            try:
                return _answer(command, await client.execute_command(*command, NEVER_DECODE=True))
            except Exception as raised:
                if not self._may_repeat(raised, started):
                    raise
            return _answer(command, await client.execute_command(*command, NEVER_DECODE=True))
        except Exception as raised:
            failed = self._failed(raised)
            raise failed from (None if failed is raised else raised)


def _life(ttl_ms: int) -> int:
    return min(max(ttl_ms, 1), _LONGEST_MS)


def _answer(command: tuple[Any, ...], value: Any) -> Any:
    """What a script's answer means to a store. What is strange stays as it is, to be refused."""
    if command[0] == "GET" or isinstance(value, bytes):
        return value
    if command[1] is _PUT_IF_ABSENT:
        return None if value == 1 else value
    return value == 1 if value in (0, 1) else value
