"""Claims in tools of the official SDK: paid once, and the first result for whoever lost it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer
from mcp_elicit import ElicitError, Engine, MemoryStore
from mcp_elicit.adapters.mcp import Ask, elicits
from mcp_types import CallToolResult, InputRequiredResult
from store_support import Own, OwnAsync
from support import KEY, SCHEMA
from support_mcp import ACCEPT, ONE, Asker, one_round, open_state, runs, says


class Shop:
    """Two workers of a service whose tools pay, with one store between them."""

    def __init__(self, store: Any) -> None:
        self.paid: list[str] = []
        self.log: list[str] = []
        self.workers = [self._worker(store) for _ in range(2)]

    def _worker(self, store: Any) -> MCPServer:
        engine = Engine(
            keys=KEY,
            audience="shop",
            store=store,
            log=lambda event: self.log.append(event.name),
        )
        server = MCPServer("shop", log_level="CRITICAL")
        asking = elicits(engine, principal=ONE)

        @server.tool()
        @asking
        async def pay(cents: int, ask: Ask) -> dict[str, int]:
            """Pays, after asking, at most once."""
            assert (await ask.form("sure", "Pay?", SCHEMA)).action == "accept"
            claimed = await ask.claim(remember=True)
            if claimed.status == "recorded":
                return ask.recorded(claimed)
            if claimed.status == "in_progress":
                ask.retry_later()
            assert claimed.status == "won"
            await asyncio.sleep(0)
            self.paid.append(ask.idempotency_key)
            return {"cents": cents, "payments": len(self.paid)}

        @server.tool()
        @asking
        async def fail(ask: Ask) -> str:
            """Fails before the effect, and says so."""
            assert (await ask.form("sure", "Pay?", SCHEMA)).action == "accept"
            claimed = await ask.claim()
            with pytest.raises(ValueError, match="won"):
                ask.recorded(claimed)
            await ask.release_claim()
            raise ValueError

        @server.tool()
        @asking
        async def swallow(ask: Ask) -> str:
            """Asks once more after its claim, and does not wait for the answer."""
            assert (await ask.form("sure", "Pay?", SCHEMA)).action == "accept"
            claimed = await ask.claim()
            ask.form("more", "More?", SCHEMA)
            return claimed.status

        return server


async def begun(shop: Shop, tool: str, arguments: dict[str, Any]) -> str:
    return open_state(await one_round(shop.workers[0], tool, arguments))


ANSWERS: dict[str, Any] = {"sure": ACCEPT}


@pytest.mark.parametrize("store", [MemoryStore, Own, OwnAsync])
def test_a_request_that_is_sent_twice_pays_once(store: Any) -> None:
    @runs
    async def test() -> None:
        shop = Shop(store())
        state = await begun(shop, "pay", {"cents": 7})
        first, second = [
            await one_round(worker, "pay", {"cents": 7}, answers=ANSWERS, state=state)
            for worker in shop.workers
        ]
        assert isinstance(first, CallToolResult)
        assert isinstance(second, CallToolResult)
        assert first.structured_content == {"cents": 7, "payments": 1}
        assert first == second
        assert len(shop.paid) == 1
        assert shop.log == []

    test()


@runs
async def test_two_at_once_pay_once() -> None:
    shop = Shop(OwnAsync())
    state = await begun(shop, "pay", {"cents": 7})
    replies = await asyncio.gather(
        *(
            one_round(worker, "pay", {"cents": 7}, answers=ANSWERS, state=state)
            for worker in shop.workers * 4
        )
    )
    complete = [reply for reply in replies if isinstance(reply, CallToolResult)]
    assert len(shop.paid) == 1
    assert complete
    assert all(reply == complete[0] for reply in complete)
    for reply in replies:
        if isinstance(reply, InputRequiredResult):  # come back later, which a client does
            again = await one_round(shop.workers[0], "pay", {"cents": 7}, state=reply.request_state)
            assert again == complete[0]


@runs
async def test_a_whole_flow_with_the_sdk_s_client() -> None:
    shop = Shop(MemoryStore())
    async with Asker(ANSWERS).client(shop.workers[0]) as client:
        result = await client.call_tool("pay", {"cents": 7})
    assert result.structured_content == {"cents": 7, "payments": 1}


@runs
async def test_a_claim_given_back_is_won_again() -> None:
    shop = Shop(MemoryStore())
    state = await begun(shop, "fail", {})
    for worker in shop.workers:
        failed = await one_round(worker, "fail", answers=ANSWERS, state=state)
        assert isinstance(failed, CallToolResult)
        assert failed.is_error


@runs
async def test_a_question_after_the_claim_is_asked_and_the_claim_stays() -> None:
    shop = Shop(MemoryStore())
    state = await begun(shop, "swallow", {})
    asked = await one_round(shop.workers[0], "swallow", answers=ANSWERS, state=state)
    assert isinstance(asked, InputRequiredResult)
    assert asked.input_requests is not None
    assert list(asked.input_requests) == ["more"]
    assert shop.log == ["question_left_open", "claim_left_open"]
    last = await one_round(
        shop.workers[1], "swallow", answers={"more": ACCEPT}, state=asked.request_state
    )
    assert says(last) == "in_progress"


@runs
async def test_a_store_that_fails_is_an_error_and_nothing_is_paid() -> None:
    def down(_: str) -> None:
        raise ConnectionError

    store = Own(down)
    shop = Shop(store)
    state = await begun(shop, "pay", {"cents": 7})
    with pytest.raises(Exception, match="the store is not available") as caught:
        await one_round(shop.workers[0], "pay", {"cents": 7}, answers=ANSWERS, state=state)
    assert not isinstance(caught.value, ElicitError)
    assert shop.paid == []
    store.before = lambda _: None
    paid = await one_round(shop.workers[0], "pay", {"cents": 7}, answers=ANSWERS, state=state)
    assert isinstance(paid, CallToolResult)
    assert not paid.is_error
    assert len(shop.paid) == 1
