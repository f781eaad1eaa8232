"""Records of claims, from tests/vectors/records.json: the same that every language runs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from mcp_elicit import Call, Claimed, ElicitError, Engine, Limits, MemoryStore, Principal
from support import Counter, vectors

VECTORS = vectors("records.json")
HOUR = 3_600_000


def opened(case: dict[str, Any], store: MemoryStore) -> Call:
    config = VECTORS["engine"]
    engine = Engine(
        keys=[bytes.fromhex(VECTORS["keys"][name]) for name in case.get("keys", config["keys"])],
        audience=config["audience"],
        limits=Limits(claim_wait_ms=config["claim_wait_ms"]),
        clock=lambda: int(config["now_ms"]),
        random=Counter(),
        store=store,
    )
    return engine.open(VECTORS["request"], principal=Principal(*config["principal"]))


def blocking(call: Call) -> Claimed:
    return call.claim()


def awaited(call: Call) -> Claimed:
    return asyncio.run(call.aclaim())


ways = pytest.mark.parametrize("claim", [blocking, awaited])


@ways
@pytest.mark.parametrize("case", VECTORS["found"], ids=lambda case: str(case["name"]))
def test_what_is_found(case: dict[str, Any], claim: Callable[[Call], Claimed]) -> None:
    store, key, value = MemoryStore(), VECTORS["store_key"], bytes.fromhex(case["value"])
    assert store.put_if_absent(key, value, HOUR) is None
    call = opened(case, store)
    assert call.idempotency_key == VECTORS["idempotency_key"]
    try:
        claimed = claim(call)
    except ElicitError as error:
        assert error.kind == case["outcome"]  # noqa: PT017 - or it is no error
    else:
        assert claimed.status == case["outcome"]
        assert claimed.result_json == case.get("result")
        if claimed.result_json is not None:
            assert claimed.result == json.loads(claimed.result_json)
    assert store.get(key) == value, "it stays as it is"


@ways
@pytest.mark.parametrize("case", VECTORS["taken"], ids=lambda case: str(case["name"]))
def test_what_is_put(case: dict[str, Any], claim: Callable[[Call], Claimed]) -> None:
    store, key = MemoryStore(), VECTORS["store_key"]
    call = opened(case, store)
    assert claim(call).status == "won"
    assert store.get(key) == bytes.fromhex(case["claimed"])
    if claim is blocking:
        call.complete(VECTORS["result"], remember=case["remember"])
    else:
        asyncio.run(call.acomplete(VECTORS["result"], remember=case["remember"]))
    assert store.get(key) == bytes.fromhex(case["after"])


def test_how_long_it_is_kept() -> None:
    lives: list[int] = []

    class Kept:
        def __init__(self) -> None:
            self.get = self.compare_and_delete = lambda *_: None

        def put_if_absent(self, _key: str, _value: bytes, ttl_ms: int) -> None:
            lives.append(ttl_ms)

        def compare_and_set(self, _key: str, _old: bytes, _new: bytes, ttl_ms: int) -> bool:
            lives.append(ttl_ms)
            return True

    kept: Any = Kept()
    call = opened({}, kept)
    assert call.claim().status == "won"
    call.complete(VECTORS["result"])
    assert lives == [VECTORS["ttl_ms"]] * 2
