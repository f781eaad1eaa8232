"""Claims: an effect happens at most once a flow, whatever store, process or network fails.

mrtr, server requirement 5, warning: "Servers for which a given `requestState` must be consumed at
most once MUST enforce that invariant server-side".
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from claim_support import PAID, World, sure
from mcp_elicit import (
    Call,
    Claimed,
    ConfigError,
    ElicitError,
    Limits,
    MemoryStore,
    Reply,
    RequestError,
)
from store_support import Own, OwnAsync
from support import USER


def ways(call: Call) -> list[Callable[..., Claimed]]:
    """To claim, in the thread and awaited."""

    def awaited(**options: Any) -> Claimed:
        return asyncio.run(call.aclaim(**options))

    return [call.claim, awaited]


class TestOutcomes:
    def test_the_first_claim_of_a_flow_wins_and_a_later_one_finds_it_done(self) -> None:
        world = World(MemoryStore())
        message = world.begin()
        winner, status = world.claim(message)
        assert (status, winner.has_claim) == ("won", True)
        assert winner.claim().status == "won", "the same answer in the same call"
        assert world.claim(message)[1] == "in_progress"
        winner.complete(PAID)
        assert not winner.has_claim
        assert world.claim(message)[1] == "already"
        assert world.claim(world.begin())[1] == "won", "another flow"

    @pytest.mark.parametrize("by_option", [True, False])
    def test_a_remembered_result_is_given_again(self, by_option: bool) -> None:
        world = World(MemoryStore())
        message = world.begin()
        winner, _ = world.claim(message, remember=by_option)
        first = winner.complete(PAID, remember=not by_option)
        claimed = world.open(message).claim()
        assert (claimed.status, claimed.result) == ("recorded", PAID)
        assert json.loads(claimed.result_json or "") == PAID

        def handler(call: Call) -> Any:
            sure(call)
            match call.claim():
                case Claimed("recorded", result):
                    return result

        again = world.engine.run(message, handler, principal=USER)
        assert again.body == first.body

    def test_a_winner_that_died_leaves_an_unknown_outcome_and_is_not_freed(self) -> None:
        world = World(MemoryStore())
        message = world.begin()
        world.claim(message)
        world.clock.now += 4_999
        assert world.claim(message, wait_ms=5_000)[1] == "in_progress"
        world.clock.now += 1
        assert world.claim(message, wait_ms=5_000)[1] == "unknown"
        assert world.claim(message, wait_ms=5_000)[1] == "unknown", "for ever"

    def test_the_wait_is_the_limit_of_the_engine(self) -> None:
        world = World(MemoryStore(), limits=Limits(claim_wait_ms=7))
        assert world.engine.limits.claim_wait_ms == 7
        message = world.begin()
        world.claim(message)
        world.clock.now += 7
        assert world.claim(message)[1] == "unknown"
        with pytest.raises(ConfigError):
            World(MemoryStore(), limits=Limits(claim_wait_ms=5, flow_ttl_ms=5))

    def test_a_lease_frees_the_claim_of_a_winner_that_died(self) -> None:
        world = World(MemoryStore())
        message = world.begin()
        late, _ = world.claim(message, lease_ms=5_000)
        world.clock.now += 5_000
        second, status = world.claim(message, lease_ms=5_000)
        assert status == "won"
        # The first comes to its end after all: its result goes out, the record is not its own.
        assert late.complete(PAID, remember=True).kind == "complete"
        assert world.log == ["claim_not_finished"]
        second.complete(PAID)
        assert world.claim(message)[1] == "already"

    def test_a_claim_given_back_can_be_won_again(self) -> None:
        world = World(MemoryStore())
        message = world.begin()
        winner, _ = world.claim(message)
        winner.release_claim()
        assert not winner.has_claim
        winner.release_claim()
        assert world.claim(message)[1] == "won"

    def test_of_many_threads_one_wins(self) -> None:
        world = World(MemoryStore())
        for _ in range(20):
            message = world.begin()
            won: list[str] = []
            threads = [
                threading.Thread(
                    target=lambda m, w: w.append(world.claim(m)[1]), args=(message, won)
                )
                for _ in range(8)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert (won.count("won"), won.count("in_progress")) == (1, 7)

    def test_the_idempotency_key_is_the_flows(self) -> None:
        world = World(MemoryStore())
        message = world.begin()
        key = world.open(message).idempotency_key
        assert len(key) == 43
        assert world.open(message).idempotency_key == key
        assert world.open(world.begin()).idempotency_key != key
        assert world.open(message).flow_id not in key

    @pytest.mark.parametrize("name", ["wait_ms", "lease_ms"])
    @pytest.mark.parametrize("value", [-1, 2**64, 1.5, "1", True, float("nan"), float("inf")])
    def test_a_time_that_is_none(self, name: str, value: Any) -> None:
        world = World(MemoryStore())
        call = world.open(world.begin())
        for claim in ways(call):
            with pytest.raises(ElicitError) as caught:
                claim(**{name: value})
            assert caught.value.kind == "invalid_argument"
        assert world.claim(world.begin())[1] == "won"

    def test_a_wait_as_long_as_a_flow_and_a_flow_past_its_deadline(self) -> None:
        world = World(MemoryStore())
        call = world.open(world.begin())
        with pytest.raises(ElicitError) as caught:
            call.claim(wait_ms=3_600_000)
        assert caught.value.kind == "invalid_argument"
        world.clock.now += 3_600_000
        with pytest.raises(ElicitError) as caught:
            call.claim()
        assert caught.value.kind == "limit"

    def test_an_engine_without_a_store(self) -> None:
        world = World(None)
        call = world.open(world.begin())
        for claim in ways(call):
            with pytest.raises(ConfigError, match=r"no store.*as `store`.*SqliteStore"):
                claim()
        asyncio.run(call.arelease_claim())
        assert asyncio.run(call.acomplete(PAID)).kind == "complete"


STORES: dict[str, Callable[[], Any]] = {
    "memory": MemoryStore,
    "own": Own,
    "own async": OwnAsync,
}


@pytest.mark.parametrize("make", STORES.values(), ids=STORES)
class TestAwaited:
    """`arun` with any store: the same outcomes."""

    def test_a_flow_that_is_paid_once(self, make: Callable[[], Any]) -> None:
        world = World(make())
        message = world.begin()
        paid: list[str] = []

        async def pay(call: Call) -> Any:
            sure(call)
            claimed = await call.aclaim(remember=True)
            if claimed.status == "recorded":
                return claimed.result
            assert claimed.status == "won"
            paid.append(call.idempotency_key)
            return PAID

        async def both() -> list[Reply]:
            return [await world.engine.arun(message, pay, principal=USER) for _ in range(2)]

        first, second = asyncio.run(both())
        assert first.body == second.body
        assert first.dict["result"]["content"] == PAID["content"]
        assert len(paid) == 1
        assert world.log == []

    def test_of_many_tasks_one_wins(self, make: Callable[[], Any]) -> None:
        world = World(make())
        message = world.begin()

        async def claim() -> str:
            return (await world.open(message).aclaim()).status

        async def many() -> list[str]:
            return await asyncio.gather(*(claim() for _ in range(32)))

        statuses = asyncio.run(many())
        assert (statuses.count("won"), statuses.count("in_progress")) == (1, 31)

    def test_tasks_of_one_call_get_one_answer(self, make: Callable[[], Any]) -> None:
        world = World(make())
        call = world.open(world.begin())

        async def many() -> list[Claimed]:
            return await asyncio.gather(*(call.aclaim() for _ in range(8)))

        assert {claimed.status for claimed in asyncio.run(many())} == {"won"}

    def test_complete_and_release(self, make: Callable[[], Any]) -> None:
        world = World(make())
        message = world.begin()

        async def play() -> list[str]:
            statuses: list[str] = []
            first = world.open(message)
            statuses.append((await first.aclaim()).status)
            await first.arelease_claim()
            second = world.open(message)
            statuses.append((await second.aclaim()).status)
            reply = await second.acomplete(PAID, remember=True)
            assert reply.kind == "complete"
            third = await world.open(message).aclaim()
            statuses.append(third.status)
            assert third.result == PAID
            return statuses

        assert asyncio.run(play()) == ["won", "won", "recorded"]


@pytest.mark.parametrize("make", STORES.values(), ids=STORES)
def test_another_loop_than_asyncio_s(make: Callable[[], Any]) -> None:
    world = World(make())
    call = world.open(world.begin())
    assert drive(call.aclaim()).status == "won"
    assert drive(call.acomplete(PAID)).kind == "complete"


def drive(awaitable: Awaitable[Any]) -> Any:
    """The least event loop that there can be."""
    generator = awaitable.__await__()
    while True:
        try:
            next(generator)
        except StopIteration as stop:
            return stop.value


class TestWrongWay:
    def test_a_store_that_awaits_in_run(self) -> None:
        world = World(OwnAsync())
        message = world.begin()

        def pay(call: Call) -> Any:
            sure(call)
            call.claim()
            raise AssertionError("not reached")

        with pytest.raises(ConfigError, match=r"arun.*aclaim"):
            world.engine.run(message, pay, principal=USER)
        call = world.open(message)
        assert asyncio.run(call.aclaim()).status == "won", "nothing was claimed"
        with pytest.raises(ConfigError, match="acomplete"):
            call.complete(PAID)
        with pytest.raises(ConfigError, match="arun"):
            call.release_claim()
        assert call.has_claim
        assert asyncio.run(call.acomplete(PAID)).kind == "complete"

    def test_a_method_that_returns_what_awaits(self) -> None:
        class Hidden(OwnAsync):
            def put_if_absent(self, key: str, value: bytes, ttl_ms: int) -> Any:
                return super().put_if_absent(key, value, ttl_ms)

        world = World(Hidden())
        call = world.open(world.begin())
        with pytest.raises(ConfigError, match="aclaim"):
            call.claim()
        assert asyncio.run(call.aclaim()).status == "won"

    @pytest.mark.parametrize("store", [7, "redis://127.0.0.1", object(), {}])
    def test_a_store_that_is_none(self, store: Any) -> None:
        with pytest.raises(ConfigError):
            World(store)

    @pytest.mark.parametrize("limit", [0, -1, 1.5, "1", 2**70, True])
    def test_a_time_limit_that_is_none(self, limit: Any) -> None:
        store: Any = Own()
        store.time_limit_ms = limit
        with pytest.raises(ElicitError) as caught:
            World(store)
        assert caught.value.kind == "invalid_argument"

    @pytest.mark.parametrize(
        "given",
        [
            7,
            "text",
            [],
            {},
            object(),
            memoryview(b"x"),
            True,
            1.5,
            bytes(17 << 20),
            b"rubbish",
            b"",
        ],
        ids=lambda it: type(it).__name__,
    )
    def test_a_store_that_gives_something_else(self, given: Any) -> None:
        class Strange(Own):
            def put_if_absent(self, *_: Any) -> Any:
                return given

            def compare_and_set(self, *_: Any) -> Any:
                return given

        world = World(Strange())
        call = world.open(world.begin())
        for claim in ways(call):
            with pytest.raises(RequestError) as caught:
                claim()
            assert (caught.value.kind, caught.value.is_retryable) == ("store", True)
            assert not call.has_claim

    def test_a_store_that_is_no_bool_at_the_end_is_logged_and_the_result_goes_out(self) -> None:
        class Strange(Own):
            def compare_and_set(self, *_: Any) -> Any:
                return 1

        for awaits in (False, True):
            world = World(Strange())
            call, _ = world.claim(world.begin())
            reply = asyncio.run(call.acomplete(PAID)) if awaits else call.complete(PAID)
            assert reply.kind == "complete"
            assert world.log == ["store_failed", "claim_not_finished"]
