"""The cases of tests/vectors/records.json: records of claims, and what they mean to a claim."""

from __future__ import annotations

from typing import Any

import open_record
import token_cases
from seal_state import encode_claims
from token_cases import KEYS, NOW

FLOW = bytes(range(16, 32)).hex()
AUDIENCE = token_cases.CONTEXT["audience"]
PLACE = open_record.store_key(AUDIENCE, FLOW)
OTHER_PLACE = open_record.store_key(AUDIENCE, bytes(range(16)).hex())
RESULT = '{"content":[{"type":"text","text":"Paid 12.50 \\u20ac."}],"_meta":{"n":9007199254740993}}'
NONCE = bytes(range(64, 88))
WAIT_MS = 60_000


def request() -> dict[str, Any]:
    """A round that asks nothing more: its flow can claim."""
    token = token_cases.seal(encode_claims(token_cases.claims(flow_id=FLOW)))
    params = {
        "name": token_cases.DEPLOY["target"],
        "arguments": {"app": "shop"},
        "requestState": token,
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        },
    }
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def record(state: str, age_ms: int = 0, **members: Any) -> bytes:
    """An encoded record, made so long before the claim that finds it."""
    now = token_cases.CONTEXT["now_ms"]
    return open_record.encode({"time_ms": now - age_ms, "state": state, **members})


def sealed(plain: bytes, key: str = "one", place: str = PLACE) -> str:
    """A record as it stands in a store."""
    return open_record.seal(plain, bytes.fromhex(KEYS[key]), place, NONCE).hex()


def found() -> list[dict[str, Any]]:
    """What a claim makes of what it finds."""
    recorded = record("recorded", result=RESULT)
    good = sealed(recorded)
    cases: list[tuple[str, str, str, dict[str, Any]]] = [
        ("another is at it", sealed(record("claimed")), "in_progress", {}),
        ("just before the wait is over", sealed(record("claimed", WAIT_MS - 1)), "in_progress", {}),
        ("the wait is over", sealed(record("claimed", WAIT_MS)), "unknown", {}),
        ("a clock ahead of ours", sealed(record("claimed", -30_000)), "in_progress", {}),
        ("done", sealed(record("finished")), "already", {}),
        ("done long ago", sealed(record("finished", 3_000_000)), "already", {}),
        ("done, with its result", good, "recorded", {"result": RESULT}),
        (
            "sealed with another key of the ring",
            sealed(recorded, "two"),
            "recorded",
            {"result": RESULT, "keys": ["one", "two"]},
        ),
        ("sealed with a key that the ring has not", sealed(recorded, "two"), "store", {}),
        ("of another flow", sealed(recorded, place=OTHER_PLACE), "store", {}),
        ("one bit is another", good[:-1] + f"{int(good[-1], 16) ^ 1:x}", "store", {}),
        ("one byte less", good[:-2], "store", {}),
        ("one byte more", good + "00", "store", {}),
        ("nothing", "", "store", {}),
        ("no key id even", "00ff", "store", {}),
        ("another version", sealed(b"\x02" + recorded[1:]), "store", {}),
        ("an unknown state", sealed(recorded[:9] + b"\x04"), "store", {}),
        ("no state", sealed(recorded[:9]), "store", {}),
        ("a result where there is none", sealed(record("finished", result="{}")), "store", {}),
        ("a result that is no JSON", sealed(record("recorded", result="{")), "store", {}),
    ]
    return [
        {"name": name, "value": value, "outcome": outcome, **members}
        for name, value, outcome, members in cases
    ]


def taken() -> list[dict[str, Any]]:
    """What a claim and its end put into the store, with random bytes that count from 0."""
    now = token_cases.CONTEXT["now_ms"]
    secret = bytes.fromhex(KEYS["one"])

    def put(state: str, first: int, **members: Any) -> str:
        plain = open_record.encode({"time_ms": now, "state": state, **members})
        return open_record.seal(plain, secret, PLACE, bytes(range(first, first + 24))).hex()

    claimed = put("claimed", 0)
    return [
        {"name": "finished", "remember": False, "claimed": claimed, "after": put("finished", 24)},
        {
            "name": "recorded",
            "remember": True,
            "claimed": claimed,
            "after": put("recorded", 24, result=RESULT),
        },
    ]


def records() -> dict[str, Any]:
    """The file."""
    return {
        "keys": KEYS,
        "engine": {
            "keys": ["one"],
            "audience": AUDIENCE,
            "now_ms": token_cases.CONTEXT["now_ms"],
            "principal": token_cases.CONTEXT["principal"],
            "claim_wait_ms": WAIT_MS,
        },
        "request": request(),
        "result": RESULT,
        "store_key": PLACE,
        "idempotency_key": open_record.name_of_flow("idempotency-key", AUDIENCE, FLOW),
        "ttl_ms": NOW + 3_600_000 - token_cases.CONTEXT["now_ms"] + 2 * 60_000,
        "found": found(),
        "taken": taken(),
    }
