"""One suite for every store: those that come with the package, Redis by both clients, one's own."""

from __future__ import annotations

import asyncio
import datetime
import inspect
import ipaddress
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
import redis.asyncio
from claim_support import World
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from mcp_elicit import ConfigError, ElicitError, Engine, MemoryStore, RedisStore, SqliteStore
from mcp_elicit.types import AsyncStore, Store
from store_support import HOUR, Own, OwnAsync, RedisServer, free_port, proxy
from support import KEY, USER, request

RACES = 20


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    made = RedisServer()
    made.start()
    yield made
    made.kill()


class Waited:
    """A store whose methods await, for tests that do not: each operation runs a loop of its own."""

    def __init__(self, store: Any) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        async def awaited(*arguments: Any) -> Any:
            try:
                return await getattr(self._store, name)(*arguments)
            finally:
                if isinstance(self._store, RedisStore):
                    await self._store.aclose()

        return lambda *arguments: asyncio.run(awaited(*arguments))


Makers = dict[str, Callable[[Path, Any], Any]]
MAKERS: Makers = {
    "memory": lambda _folder, _request: MemoryStore(),
    "sqlite": lambda folder, _request: SqliteStore(folder / "store.db"),
    "redis": lambda _folder, request: RedisStore(request.getfixturevalue("server").client()),
    "redis asyncio": lambda _folder, request: Waited(
        RedisStore(redis.asyncio.from_url(request.getfixturevalue("server").url))
    ),
    "redis that decodes": lambda _folder, request: RedisStore(
        redis.Redis.from_url(request.getfixturevalue("server").url, decode_responses=True)
    ),
    "own": lambda _folder, _request: Own(),
    "own async": lambda _folder, _request: Waited(OwnAsync()),
}


@pytest.fixture(params=list(MAKERS))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if "redis" in request.param:
        request.getfixturevalue("server").run("FLUSHDB")
    return MAKERS[request.param](tmp_path, request)


class TestEveryStore:
    def test_a_value_is_put_once(self, store: Any) -> None:
        assert store.get("a") is None
        assert store.put_if_absent("a", b"one", HOUR) is None
        assert store.get("a") == b"one"
        assert store.put_if_absent("a", b"two", HOUR) == b"one"
        assert store.get("b") is None

    def test_a_value_is_replaced_where_it_is_the_expected_one(self, store: Any) -> None:
        store.put_if_absent("a", b"one", HOUR)
        assert store.compare_and_set("a", b"two", b"three", HOUR) is False
        assert store.compare_and_set("b", b"", b"three", HOUR) is False
        assert store.compare_and_set("a", b"one", b"", HOUR) is True
        assert store.get("a") == b""
        assert store.compare_and_set("a", b"", b"\x00\xff\r\n", HOUR) is True
        assert store.get("a") == b"\x00\xff\r\n"

    def test_a_value_is_deleted_where_it_is_the_expected_one(self, store: Any) -> None:
        store.put_if_absent("a", b"\x00\xff\r\n", HOUR)
        assert store.compare_and_delete("a", b"other") is False
        assert store.compare_and_delete("a", b"\x00\xff\r\n") is True
        assert store.compare_and_delete("a", b"\x00\xff\r\n") is False
        assert store.get("a") is None

    def test_what_has_expired_is_not_there(self, store: Any) -> None:
        assert store.put_if_absent("short", b"x", 300) is None
        assert store.put_if_absent("longer", b"x", 300) is None
        assert store.compare_and_set("longer", b"x", b"y", HOUR) is True
        time.sleep(0.4)
        assert store.get("short") is None
        assert store.compare_and_set("short", b"x", b"y", HOUR) is False
        assert store.compare_and_delete("short", b"x") is False
        assert store.put_if_absent("short", b"again", HOUR) is None
        assert store.get("short") == b"again"
        assert store.get("longer") == b"y"

    def test_large_values_and_long_lives(self, store: Any) -> None:
        large = bytes(range(256)) * 400
        assert store.put_if_absent("large", large, HOUR) is None
        assert store.get("large") == large
        assert store.put_if_absent("for-ever", b"x", 2**64 - 1) is None
        assert store.get("for-ever") == b"x"

    def test_of_many_threads_one_puts(self, store: Any) -> None:
        for at in range(RACES):
            found: list[Any] = []
            start = threading.Barrier(4)

            def put(key: str, mine: int, start: threading.Barrier, found: list[Any]) -> None:
                start.wait()
                found.append(store.put_if_absent(key, bytes([mine]), HOUR))

            threads = [
                threading.Thread(target=put, args=(f"race-{at}", mine, start, found))
                for mine in range(4)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len(found) == 4
            assert found.count(None) == 1
            assert {store.get(f"race-{at}")} == set(found) - {None}


PUTS = """
import sys, redis
from mcp_elicit import RedisStore, SqliteStore
kind, place, mine = sys.argv[1:]
store = RedisStore(redis.from_url(place)) if kind == "redis" else SqliteStore(place)
print("ready", flush=True)
sys.stdin.readline()
for at in range(200):
    print(int(store.put_if_absent(f"race-{at}", mine.encode(), 3600000) is None), end="")
"""


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_of_two_processes_one_puts(kind: str, request: Any, tmp_path: Path) -> None:
    place = str(tmp_path / "store.db")
    if kind == "redis":
        server = request.getfixturevalue("server")
        server.run("FLUSHDB")
        place = server.url
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PUTS, kind, place, str(mine)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for mine in range(2)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    outputs = []
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        outputs.append(process.communicate()[0])
        assert process.returncode == 0
    assert [len(output) for output in outputs] == [200, 200]
    assert all({a, b} == {"0", "1"} for a, b in zip(*outputs, strict=True))


def test_the_package_alone_imports_no_redis() -> None:
    code = "import sys, mcp_elicit; sys.exit('redis' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_protocols_are_those_of_the_types() -> None:
    blocking: list[Store] = [MemoryStore(), Own(), RedisStore(redis.Redis())]
    awaiting: list[AsyncStore] = [OwnAsync(), RedisStore(redis.asyncio.Redis())]
    names = ("get", "put_if_absent", "compare_and_set", "compare_and_delete")
    assert all(callable(getattr(store, name)) for store in (*blocking, *awaiting) for name in names)


class TestMemory:
    def test_it_is_bounded_and_makes_room_of_what_expired(self) -> None:
        store = MemoryStore(16 * 1000)
        refused: list[ElicitError] = []
        for at in range(100):
            try:
                store.put_if_absent(f"key-{at}", bytes(500), 300)
            except ElicitError as error:
                refused.append(error)
        assert {(error.kind, error.is_retryable) for error in refused} == {("store", True)}
        assert len(refused) >= 100 - 16
        time.sleep(0.4)
        for at in range(16):
            assert store.put_if_absent(f"new-{at}", bytes(10), HOUR) is None

    @pytest.mark.parametrize("capacity", [0, -1, 2**64, 1.5, "1", True, float("nan")])
    def test_a_capacity_that_is_none(self, capacity: Any) -> None:
        with pytest.raises(ElicitError) as caught:
            MemoryStore(capacity)
        assert caught.value.kind == "invalid_argument"

    def test_it_says_its_capacity(self) -> None:
        assert MemoryStore().capacity == 64 << 20
        assert MemoryStore(capacity=1000).capacity == 1000


class TestSqlite:
    def test_a_file_that_is_none(self, tmp_path: Path) -> None:
        (tmp_path / "text").write_text("no database" * 100)
        for path in (tmp_path, tmp_path / "no" / "folder", tmp_path / "text", "a\0b"):
            with pytest.raises(ElicitError) as caught:
                SqliteStore(path)
            assert caught.value.kind == "store"
            assert str(tmp_path) not in str(caught.value)

    @pytest.mark.parametrize("limit", [0, -1, 3_600_001, 2**64, 1.5, "1", True])
    def test_a_time_limit_that_is_none(self, limit: Any, tmp_path: Path) -> None:
        with pytest.raises(ElicitError) as caught:
            SqliteStore(tmp_path / "store.db", time_limit_ms=limit)
        assert caught.value.kind == "invalid_argument"

    @pytest.mark.parametrize("path", [7, None, object()])
    def test_a_path_that_is_none(self, path: Any) -> None:
        with pytest.raises(ElicitError) as caught:
            SqliteStore(path)
        assert caught.value.kind == "invalid_argument"

    def test_it_outlives_the_process_that_is_killed(self, tmp_path: Path) -> None:
        path = tmp_path / "store.db"
        put = (
            "import os, sys, signal; from mcp_elicit import SqliteStore\n"
            "SqliteStore(sys.argv[1]).put_if_absent('a', b'x', 3600000)\n"
            "os.kill(os.getpid(), signal.SIGKILL)"
        )
        killed = subprocess.run([sys.executable, "-c", put, str(path)], check=False)
        assert killed.returncode == -9
        assert SqliteStore(path).get("a") == b"x"

    def test_another_process_that_keeps_it_locked_is_a_time_out(self, tmp_path: Path) -> None:
        path = tmp_path / "store.db"
        store = SqliteStore(path, time_limit_ms=50)
        assert store.time_limit_ms == 50
        lock = (
            "import sqlite3, sys\n"
            "it = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
            "it.execute('BEGIN IMMEDIATE')\n"
            "print('locked', flush=True); sys.stdin.readline()"
        )
        with subprocess.Popen(
            [sys.executable, "-c", lock, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as other:
            assert other.stdout is not None
            assert other.stdout.readline() == b"locked\n"
            with pytest.raises(ElicitError) as caught:
                store.put_if_absent("a", b"x", HOUR)
            assert (caught.value.kind, caught.value.is_retryable) == ("store", True)
            other.communicate(b"\n")
        assert store.put_if_absent("a", b"x", HOUR) is None

    @pytest.mark.parametrize("path", ["", ":memory:", "a\0b"])
    def test_a_path_is_that_of_a_file(self, path: str) -> None:
        with pytest.raises(ElicitError) as refused:
            SqliteStore(path)
        assert refused.value.kind == "store"

    def test_what_it_says_is_heard_where_it_is_awaited(self, tmp_path: Path) -> None:
        path = tmp_path / "store.db"
        engine = Engine(keys=[KEY], audience="deployer", store=SqliteStore(path))
        path.unlink()

        async def handler(call: Any) -> Any:
            return {"content": [{"type": "text", "text": (await call.aclaim()).status}]}

        reply = asyncio.run(engine.arun(request(), handler, principal=USER))
        assert b"the file was deleted or replaced" in reply.body

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
    @pytest.mark.filterwarnings("ignore::DeprecationWarning")  # about forks and threads
    def test_a_child_that_forked_is_refused(self, tmp_path: Path) -> None:
        store = SqliteStore(tmp_path / "store.db")
        child = os.fork()
        if child == 0:
            code = 1
            try:
                store.get("a")
            except ElicitError as error:
                code = 0 if error.kind == "store" else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert store.get("a") is None


@pytest.mark.parametrize(
    "make",
    [
        lambda _: MemoryStore(),
        lambda folder: SqliteStore(folder / "claims.db"),
        lambda _: RedisStore(redis.Redis()),
    ],
)
@pytest.mark.parametrize(
    "key", ["", " ", "a b", "a/b", "é", "a\0", "k" * 129, "\ud800", 7, None, b"a"]
)
def test_a_key_that_is_none(make: Callable[[Path], Any], key: Any, tmp_path: Path) -> None:
    store = make(tmp_path)
    operations: list[Callable[[], Any]] = [
        lambda: store.get(key),
        lambda: store.put_if_absent(key, b"x", 1000),
        lambda: store.compare_and_set(key, b"x", b"y", 1000),
        lambda: store.compare_and_delete(key, b"x"),
    ]
    for operation in operations:
        with pytest.raises(ElicitError, match="a key is a str of 1 to 128") as caught:
            operation()
        assert caught.value.kind == "invalid_argument"


@pytest.mark.parametrize("kind", [MemoryStore, SqliteStore, RedisStore, Own])
def test_the_class_of_a_store_in_place_of_one(kind: Any) -> None:
    with pytest.raises(ConfigError, match=rf"not the class {kind.__name__}: give {kind.__name__}"):
        Engine(keys=KEY, audience="a", store=kind)


@pytest.mark.parametrize("ttl_ms", [-1, 2**64, 1.5, None])
def test_a_life_that_is_none(ttl_ms: Any) -> None:
    with pytest.raises(ElicitError) as caught:
        MemoryStore().put_if_absent("a", b"x", ttl_ms)
    assert caught.value.kind == "invalid_argument"


Run = Callable[..., Any]


class TestRedis:
    """The server gone, and a network that fails at each step."""

    @pytest.fixture
    def loop(self) -> Iterator[asyncio.AbstractEventLoop]:
        loop = asyncio.new_event_loop()
        yield loop
        loop.close()

    @pytest.fixture(params=["sync", "asyncio"])
    def make(
        self, request: pytest.FixtureRequest, loop: asyncio.AbstractEventLoop
    ) -> Iterator[Callable[..., Any]]:
        made: list[RedisStore] = []

        def make(port: int, **options: Any) -> RedisStore:
            module: Any = redis.asyncio if request.param == "asyncio" else redis
            made.append(RedisStore(module.Redis(port=port), **options))
            return made[-1]

        yield make
        for store in made:
            loop.run_until_complete(store.aclose())

    @pytest.fixture
    def run(self, loop: asyncio.AbstractEventLoop) -> Run:
        def run(store: Any, name: str, *arguments: Any) -> Any:
            returned = getattr(store, name)(*arguments)
            return loop.run_until_complete(returned) if inspect.isawaitable(returned) else returned

        return run

    def test_it_is_one_class_for_both(self, make: Any) -> None:
        store = make(1)
        assert isinstance(store, RedisStore)
        assert store.time_limit_ms == 2_000
        assert make(1, time_limit_ms=7).time_limit_ms == 7
        assert repr(store) == "<RedisStore, time limit 2000 ms>"

    @pytest.mark.parametrize("client", [None, "redis://127.0.0.1", object()])
    def test_a_client_that_is_none(self, client: Any) -> None:
        with pytest.raises(ElicitError) as caught:
            RedisStore(client)
        assert caught.value.kind == "invalid_argument"

    @pytest.mark.parametrize("limit", [0, -1, 1.5, "1", 2**70])
    def test_a_time_limit_that_is_none(self, make: Any, limit: Any) -> None:
        with pytest.raises(ElicitError) as caught:
            make(1, time_limit_ms=limit)
        assert caught.value.kind == "invalid_argument"

    def test_a_killed_server_fails_and_is_found_again(self, make: Any, run: Run) -> None:
        server = RedisServer()
        server.start()
        try:
            store = make(server.port)
            assert run(store, "put_if_absent", "a", b"x", HOUR) is None
            server.kill()
            with pytest.raises(redis.ConnectionError):
                run(store, "put_if_absent", "b", b"x", HOUR)
            server.start()
            assert run(store, "put_if_absent", "b", b"x", HOUR) is None
        finally:
            server.kill()

    def test_a_connection_that_breaks_is_replaced_once(
        self, make: Any, run: Run, server: RedisServer
    ) -> None:
        server.run("FLUSHDB")
        for way in ("connect", "request", "answer"):
            with proxy(server, way, "pass") as between:
                store = make(between.port)
                assert run(store, "put_if_absent", way, b"mine", HOUR) is None
            with proxy(server, way, "pass") as between:
                store = make(between.port)
                assert run(store, "compare_and_set", way, b"mine", b"done", HOUR) is True
            assert server.run("GET", way) == b"done"
        for way in ("connect", "request", "answer"):
            with proxy(server, way) as between, pytest.raises(redis.ConnectionError):
                run(make(between.port), "put_if_absent", "never", b"x", HOUR)
            assert between.operations == (0 if way == "connect" else 2)

    def test_silence_is_a_time_out(self, make: Any, run: Run, server: RedisServer) -> None:
        with proxy(server, "silence", "pass") as between:
            store = make(between.port, time_limit_ms=200)
            with pytest.raises(TimeoutError):
                run(store, "put_if_absent", "silent", b"x", HOUR)
            assert between.operations == 1, "it may have got through: it is not sent again"
            assert run(store, "get", "silent") is None

    def test_a_full_server_is_full(self, make: Any, run: Run) -> None:
        server = RedisServer()
        server.start()
        try:
            server.run("CONFIG", "SET", "maxmemory", 1)
            with pytest.raises(OSError, match="takes no more"):
                run(make(server.port), "put_if_absent", "a", bytes(1000), HOUR)
        finally:
            server.kill()

    def test_one_round_trip_an_operation(self, make: Any, run: Run, server: RedisServer) -> None:
        server.run("FLUSHDB")
        with proxy(server, "pass") as between:
            store = make(between.port)
            run(store, "put_if_absent", "a", b"x", HOUR)
            run(store, "get", "a")
            run(store, "compare_and_set", "a", b"x", b"y", HOUR)
            run(store, "compare_and_delete", "a", b"y")
            assert between.operations == 4


def certificate(folder: Path) -> tuple[str, str]:
    """A certificate for this machine that vouches for itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.timezone.utc)
    host = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([host]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    paths = folder / "certificate.pem", folder / "key.pem"
    paths[0].write_bytes(made.public_bytes(pem))
    paths[1].write_bytes(private)
    return str(paths[0]), str(paths[1])


class TestRediss:
    """TLS and credentials are the client's; the store's own connections have them too."""

    @pytest.fixture
    def secure(self, tmp_path: Path) -> Iterator[tuple[RedisServer, str]]:
        cert, key = certificate(tmp_path)
        port = str(free_port())
        server = RedisServer(
            *("--port", "0", "--tls-port", port, "--tls-auth-clients", "no"),
            *("--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", cert),
            *("--requirepass", "the-password"),
            port=int(port),
            password="the-password",  # noqa: S106
            ssl=True,
            ssl_ca_certs=cert,
        )
        server.port = int(port)
        server.start()
        yield server, cert
        server.kill()

    def url(self, server: RedisServer, password: str) -> str:
        return f"rediss://:{password}@127.0.0.1:{server.port}/0"

    def test_blocking(self, secure: tuple[RedisServer, str]) -> None:
        server, cert = secure
        url = self.url(server, "the-password")
        store = RedisStore(redis.from_url(url, ssl_ca_certs=cert))
        assert store.put_if_absent("a", b"x", HOUR) is None
        assert store.get("a") == b"x"
        store.close()
        for client in (redis.from_url(url), redis.Redis(port=server.port)):
            store = RedisStore(client, time_limit_ms=1000)  # no trust; no TLS
            with pytest.raises((redis.RedisError, TimeoutError)):
                store.get("a")
            store.close()

    def test_awaited(self, secure: tuple[RedisServer, str]) -> None:
        server, cert = secure

        async def play() -> None:
            client = redis.asyncio.from_url(self.url(server, "the-password"), ssl_ca_certs=cert)
            store = RedisStore(client)
            assert await store.put_if_absent("a", b"x", HOUR) is None
            assert await store.get("a") == b"x"
            await store.aclose()

        asyncio.run(play())

    def test_another_password(self, secure: tuple[RedisServer, str]) -> None:
        server, cert = secure
        store = RedisStore(redis.from_url(self.url(server, "wrong"), ssl_ca_certs=cert))
        world = World(store)
        with pytest.raises(ElicitError) as caught:
            world.claim(world.begin())
        assert caught.value.kind == "store"
        assert "wrong" not in str(caught.value)
        store.close()
