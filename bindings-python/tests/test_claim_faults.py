"""Claims where the store fails: a typed, retryable error, no effect, nothing claimed twice.

Also what a store may not do to its caller: block an event loop, hold up a cancelled task, or the
end of the program.
"""

from __future__ import annotations

import asyncio
import errno
import json
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
import redis.asyncio
from claim_support import PAID, World, sure
from mcp_elicit import (
    Call,
    ElicitError,
    MemoryStore,
    RedisStore,
    Reply,
    RequestError,
    SqliteStore,
)
from store_support import Own, OwnAsync, RedisServer, proxy
from support import KEY, USER


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    made = RedisServer()
    made.start()
    yield made
    made.kill()


class Shop:
    """A tool that pays, and what it paid."""

    def __init__(self, store: Any) -> None:
        self.world = World(store)
        self.paid: list[str] = []
        self.errors: list[ElicitError] = []

    def pay(self, message: dict[str, Any]) -> Reply:
        """By `run`."""

        def handler(call: Call) -> Any:
            sure(call)
            try:
                claimed = call.claim(remember=True)
            except ElicitError as error:
                self.errors.append(error)
                raise
            return self._effect(call, claimed)

        return self.world.engine.run(message, handler, principal=USER)

    async def apay(self, message: dict[str, Any]) -> Reply:
        """By `arun`."""

        async def handler(call: Call) -> Any:
            sure(call)
            try:
                claimed = await call.aclaim(remember=True)
            except ElicitError as error:
                self.errors.append(error)
                raise
            return self._effect(call, claimed)

        return await self.world.engine.arun(message, handler, principal=USER)

    def _effect(self, call: Call, claimed: Any) -> Any:
        if claimed.status == "recorded":
            return claimed.result
        if claimed.status != "won":
            return call.retry_later()
        self.paid.append(call.idempotency_key)
        return PAID


def failed(shop: Shop, reply: Reply) -> ElicitError:
    """The error that the tool got, which is also the reply; nothing was paid."""
    assert (reply.kind, reply.error_kind, reply.status) == ("error", "store", 200)
    assert reply.dict["error"]["code"] == -32603
    assert shop.paid == []
    assert shop.world.log == ["store_failed"]
    (error,) = shop.errors
    assert isinstance(error, RequestError)
    assert (error.kind, error.is_retryable) == ("store", True)
    return error


class SecretError(Exception):
    pass


RAISED: dict[str, tuple[BaseException, str]] = {
    "any": (SecretError("redis://:password@host"), "SecretError"),
    "broken": (ConnectionResetError("password"), "ConnectionResetError"),
    "late": (TimeoutError("password"), "did not answer in time"),
    "full": (OSError(errno.ENOSPC, "password"), "is full"),
    "ours": (ElicitError("password", code=7), "ElicitError"),
}
raises = pytest.mark.parametrize(("raised", "said"), RAISED.values(), ids=RAISED)


class TestRaised:
    """Whatever a method raises."""

    @raises
    def test_blocking(self, raised: BaseException, said: str) -> None:
        def fail(_: str) -> None:
            raise raised

        shop = Shop(Own(fail))
        error = failed(shop, shop.pay(shop.world.begin()))
        assert said in str(error)
        assert "password" not in str(error)
        assert error.__cause__ is raised

    @raises
    @pytest.mark.parametrize("kind", [Own, OwnAsync])
    def test_awaited(self, raised: BaseException, said: str, kind: Any) -> None:
        def fail(_: str) -> None:
            raise raised

        async def afail(_: str) -> None:
            raise raised

        shop = Shop(kind(fail if kind is Own else afail))
        error = failed(shop, asyncio.run(shop.apay(shop.world.begin())))
        assert said in str(error)
        assert "password" not in str(error)
        # Some of them asyncio makes anew.
        assert (type(error.__cause__), str(error.__cause__)) == (type(raised), str(raised))

    @pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit, GeneratorExit])
    def test_what_ends_the_program_goes_on_its_way(self, end: type[BaseException]) -> None:
        def stop(_: str) -> None:
            raise end

        shop = Shop(Own(stop))
        with pytest.raises(end):
            shop.pay(shop.world.begin())
        assert shop.paid == []

    def test_a_failed_claim_does_not_stand_in_the_way_of_the_next(self) -> None:
        failing = {"put_if_absent"}

        def fail(name: str) -> None:
            if name in failing:
                raise OSError

        shop = Shop(Own(fail))
        message = shop.world.begin()
        failed(shop, shop.pay(message))
        failing.clear()
        assert shop.pay(message).kind == "complete"
        assert len(shop.paid) == 1

    def test_a_store_that_fails_after_the_effect_does_not_hold_the_result_back(self) -> None:
        def fail(name: str) -> None:
            if name == "compare_and_set":
                raise ConnectionError

        for awaits in (False, True):
            shop = Shop(Own(fail))
            message = shop.world.begin()
            reply = asyncio.run(shop.apay(message)) if awaits else shop.pay(message)
            assert reply.kind == "complete"
            assert shop.world.log == ["store_failed", "claim_not_finished"]
            # Later calls do not know whether it was done, and do not do it again.
            assert shop.pay(message).kind == "input_required"
            assert len(shop.paid) == 1

    def test_what_was_raised_then_leads_to_no_other_error(self) -> None:
        def fail(name: str) -> None:
            if name == "compare_and_set":
                raise ConnectionError

        world = World(Own(fail))
        for awaits in (False, True):
            call, _ = world.claim(world.begin())
            reply = asyncio.run(call.acomplete(PAID)) if awaits else call.complete(PAID)
            assert reply.kind == "complete"
            full = World(MemoryStore(16))
            with pytest.raises(RequestError) as caught:
                full.claim(full.begin())
            assert caught.value.__cause__ is None

    def test_a_claim_that_cannot_be_given_back_stays(self) -> None:
        failing = {"compare_and_delete"}

        def fail(name: str) -> None:
            if name in failing:
                raise ConnectionError

        world = World(Own(fail))
        call, _ = world.claim(world.begin())
        with pytest.raises(RequestError):
            call.release_claim()
        with pytest.raises(RequestError):
            asyncio.run(call.arelease_claim())
        assert call.has_claim
        failing.clear()
        asyncio.run(call.arelease_claim())
        assert not call.has_claim

    def test_a_put_whose_answer_was_lost_is_found_by_its_own_call(self) -> None:
        class Lossy(Own):
            lost = False

            def put_if_absent(self, key: str, value: bytes, ttl_ms: int) -> bytes | None:
                found = super().put_if_absent(key, value, ttl_ms)
                if not self.lost:
                    self.lost = True
                    raise ConnectionResetError
                return found

        for claim in ("claim", "aclaim"):
            world = World(Lossy())
            message = world.begin()
            call = world.open(message)
            with pytest.raises(RequestError):
                settle(getattr(call, claim)())
            assert world.claim(message)[1] == "in_progress", "another call's"
            assert settle(getattr(call, claim)()).status == "won"


def settle(value: Any) -> Any:
    """What a method gave, awaited where it awaits."""

    async def awaited(it: Awaitable[Any]) -> Any:
        return await it

    return asyncio.run(awaited(value)) if isinstance(value, Awaitable) else value


class Gate:
    """A store's methods wait at it until it is opened; each way of waiting has its own."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.waiting = 0
        self._lock = threading.Lock()

    def blocks(self, _: str) -> None:
        with self._lock:
            self.waiting += 1
        assert self.open.wait(60)

    async def awaits(self, _: str) -> None:
        self.waiting += 1
        while not self.open.is_set():  # noqa: ASYNC110 - it is a thread's event
            await asyncio.sleep(0.005)


class TestTime:
    @pytest.mark.parametrize("kind", [Own, OwnAsync])
    def test_a_slow_store_is_a_time_out_within_its_limit(self, kind: Any) -> None:
        gate = Gate()
        store = kind(gate.blocks if kind is Own else gate.awaits)
        store.time_limit_ms = 50
        shop = Shop(store)
        # It ends although nobody opens the gate.
        error = failed(shop, asyncio.run(shop.apay(shop.world.begin())))
        assert "in time" in str(error)
        gate.open.set()

    def test_a_store_that_holds_on_when_it_is_cancelled_is_left_behind(self) -> None:
        gate = Gate()

        async def stubborn(_: str) -> None:
            while not gate.open.is_set():
                try:
                    await asyncio.sleep(0.005)
                except asyncio.CancelledError:
                    continue

        store: Any = OwnAsync(stubborn)
        store.time_limit_ms = 50
        shop = Shop(store)
        message = shop.world.begin()

        async def pay() -> Reply:
            reply = await shop.apay(message)
            gate.open.set()
            return reply

        failed(shop, asyncio.run(pay()))

    @pytest.mark.parametrize("kind", [Own, OwnAsync])
    def test_with_64_slow_calls_in_flight_the_loop_and_its_threads_go_on(
        self, kind: Any, tmp_path: Path
    ) -> None:
        """Order alone is asserted: timers and a file are done while every call still waits."""
        gate = Gate()
        store = kind(gate.blocks if kind is Own else gate.awaits)
        store.time_limit_ms = 60_000
        shop = Shop(store)
        messages = [shop.world.begin() for _ in range(64)]
        file = tmp_path / "unrelated"
        file.write_text("read")
        order: list[str] = []

        async def calls() -> list[Reply]:
            replies = await asyncio.gather(*(shop.apay(message) for message in messages))
            order.append("calls")
            return replies

        async def unrelated() -> None:
            while gate.waiting < 32:  # noqa: ASYNC110 - threads of the store's
                await asyncio.sleep(0.005)
            for _ in range(10):
                await asyncio.sleep(0.001)
            order.append("timer")
            assert await asyncio.to_thread(file.read_text) == "read"
            order.append("file")
            gate.open.set()

        async def both() -> list[Reply]:
            replies, _ = await asyncio.gather(calls(), unrelated())
            return replies

        replies = asyncio.run(both())
        assert order == ["timer", "file", "calls"]
        assert {reply.kind for reply in replies} == {"complete"}
        assert len(set(shop.paid)) == 64

    @pytest.mark.parametrize("kind", [Own, OwnAsync])
    def test_a_cancelled_call_ends_at_once_and_nothing_is_paid(self, kind: Any) -> None:
        gate = Gate()
        store = kind(gate.blocks if kind is Own else gate.awaits)
        store.time_limit_ms = 60_000
        shop = Shop(store)
        message = shop.world.begin()

        async def cancelled() -> None:
            task = asyncio.create_task(shop.apay(message))
            while not gate.waiting:  # noqa: ASYNC110 - a thread of the store's
                await asyncio.sleep(0.005)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert not gate.open.is_set()

        asyncio.run(cancelled())
        assert shop.paid == []
        gate.open.set()

    def test_a_client_that_goes_away_does_not_keep_the_record_from_being_finished(self) -> None:
        finishing, go_on = asyncio.Event(), asyncio.Event()

        async def slow(name: str) -> None:
            if name == "compare_and_set":
                finishing.set()
                await go_on.wait()

        shop = Shop(OwnAsync(slow))
        message = shop.world.begin()

        async def play() -> Reply:
            task = asyncio.create_task(shop.apay(message))
            await finishing.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            go_on.set()
            while True:
                reply = await shop.apay(message)
                if reply.kind == "complete":
                    return reply

        assert asyncio.run(play()).dict["result"]["content"] == PAID["content"]
        assert len(shop.paid) == 1

    def test_a_store_that_hangs_does_not_hold_up_the_end_of_the_program(self) -> None:
        code = (
            "import asyncio, threading\n"
            "from claim_support import World, PAID\n"
            "from store_support import Own\n"
            "store = Own(lambda _: threading.Event().wait())\n"
            "store.time_limit_ms = 20\n"
            "world = World(store)\n"
            "call = world.open(world.begin())\n"
            "try:\n    asyncio.run(call.aclaim())\n"
            "except Exception as error:\n    print(error.kind)\n"
        )
        folder = Path(__file__).parent
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=60
        )
        assert (done.returncode, done.stdout) == (0, "store\n"), done.stderr


class TestRedis:
    """Claims over a network that fails."""

    @pytest.fixture(params=["sync", "asyncio", "sync, awaited"])
    def way(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    @pytest.fixture
    def shop(self, way: str) -> Callable[[int], Shop]:
        def make(port: int, **options: Any) -> Shop:
            module: Any = redis.asyncio if way == "asyncio" else redis
            return Shop(RedisStore(module.Redis(port=port), **options))

        return make

    def pay(self, shop: Shop, way: str, message: dict[str, Any]) -> Reply:
        if way == "sync":
            return shop.pay(message)

        async def pay() -> Reply:
            try:
                return await shop.apay(message)
            finally:
                if way == "asyncio":
                    await shop.world.store.aclose()

        return asyncio.run(pay())

    def test_paid_once_and_recorded(self, shop: Any, way: str, server: RedisServer) -> None:
        made = shop(server.port)
        message = made.world.begin()
        first, second = [self.pay(made, way, message) for _ in range(2)]
        assert first.body == second.body
        assert len(made.paid) == 1
        assert made.world.log == []

    @pytest.mark.parametrize("cut", ["connect", "request", "answer"])
    def test_a_connection_cut_at_any_step_pays_once(
        self, shop: Any, way: str, cut: str, server: RedisServer
    ) -> None:
        with proxy(server, cut, "pass") as between:
            made = shop(between.port)
            message = made.world.begin()
            assert self.pay(made, way, message).kind == "complete"
            assert self.pay(made, way, message).kind == "complete"
            assert len(made.paid) == 1

    @pytest.mark.parametrize("cut", ["connect", "request", "answer", "silence"])
    def test_a_network_that_stays_broken_pays_nothing(
        self, shop: Any, way: str, cut: str, server: RedisServer
    ) -> None:
        with proxy(server, cut) as between:
            made = shop(between.port, time_limit_ms=200)
            error = failed(made, self.pay(made, way, made.world.begin()))
            assert str(between.port) not in str(error)

    def test_a_killed_server_pays_nothing_and_is_found_again(self, shop: Any, way: str) -> None:
        server = RedisServer()
        server.start()
        try:
            made = shop(server.port)
            message = made.world.begin()
            assert self.pay(made, way, message).kind == "complete"
            assert len(made.paid) == 1
            made.paid.clear()
            server.kill()
            message = made.world.begin()
            failed(made, self.pay(made, way, message))
            server.start()
            assert self.pay(made, way, message).kind == "complete"
            assert len(made.paid) == 1
        finally:
            server.kill()


CLAIMS = """
import json, sys
from claim_support import PAID, World
from mcp_elicit import RedisStore, SqliteStore
import redis
kind, place = sys.argv[1:]
world = World(RedisStore(redis.from_url(place)) if kind == "redis" else SqliteStore(place))
print("ready", flush=True)
for line in sys.stdin:
    call = world.open(json.loads(line))
    claimed = call.claim(remember=True)
    print(claimed.status, flush=True)
    if claimed.status == "won":
        call.complete(PAID)
"""


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_of_two_processes_one_wins_each_flow(kind: str, request: Any, tmp_path: Path) -> None:
    place = str(tmp_path / "claims.db")
    if kind == "redis":
        place = request.getfixturevalue("server").url
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", CLAIMS, kind, place],
            cwd=Path(__file__).parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    world = World(None)
    flows = "".join(json.dumps(world.begin()) + "\n" for _ in range(50))
    outputs: list[list[str]] = [[], []]

    def play(at: int) -> None:
        outputs[at] = processes[at].communicate(flows)[0].split()

    threads = [threading.Thread(target=play, args=(at,)) for at in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.returncode for process in processes] == [0, 0]
    for pair in zip(*outputs, strict=True):
        assert sorted(pair) in (["in_progress", "won"], ["recorded", "won"])
    assert len(outputs[0]) == 50


def test_the_winner_of_a_sqlite_claim_that_is_killed_is_unknown_and_stays_so(
    tmp_path: Path,
) -> None:
    world = World(SqliteStore(tmp_path / "claims.db"))
    message = world.begin()
    code = (
        "import json, os, signal, sys\n"
        "from claim_support import World\n"
        "from mcp_elicit import SqliteStore\n"
        "call = World(SqliteStore(sys.argv[1])).open(json.loads(sys.argv[2]))\n"
        "assert call.claim().status == 'won'\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "claims.db"), json.dumps(message)],
        cwd=Path(__file__).parent,
        check=False,
    )
    assert killed.returncode == -9
    assert world.claim(message)[1] == "in_progress"
    world.clock.now += 60_000 + int(time.time() * 1000) - world.clock.now
    assert world.claim(message)[1] == "unknown"
    world.clock.now += 100_000
    assert world.claim(message)[1] == "unknown"


def test_keys_are_of_the_core_and_values_are_sealed() -> None:
    store = Own()
    world = World(store)
    call, _ = world.claim(world.begin(), remember=True)
    call.complete(PAID)
    assert store.asked == ["put_if_absent", "compare_and_set"]
    ((key, value),) = store.put.items()
    assert key.startswith("mcp-elicit:claim:")
    assert len(key) == 60
    assert b"Paid" not in value
    assert KEY.encode() not in value
