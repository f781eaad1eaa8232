"""The records of claims, as core/docs/state-token.md says they stand in a store.

Beside `open_state`, and like it without any code of the library.
"""

from __future__ import annotations

import hashlib
import struct
from typing import Any

import open_state as state
from cryptography.exceptions import InvalidTag

RECORD = 6
STATES = {"claimed": 1, "finished": 2, "recorded": 3}


def name_of_flow(what: str, audience: str, flow_id: str) -> str:
    """A name for something of a flow: `claim`, or `idempotency-key`."""
    fields = state.length_prefixed(what.encode(), audience.encode(), bytes.fromhex(flow_id))
    return state.to_base64url(hashlib.sha256(b"mcp-elicit/1 " + fields).digest())


def store_key(audience: str, flow_id: str) -> str:
    """Where the record of a flow's claim stands."""
    return "mcp-elicit:claim:" + name_of_flow("claim", audience, flow_id)


def associated_data(name: bytes, place: str) -> bytes:
    """What is authenticated beside a record."""
    return state.associated_data("me1.", name, RECORD) + state.length_prefixed(place.encode())


def encode(record: dict[str, Any]) -> bytes:
    """Version, time, state, and the result's text where there is one."""
    head = struct.pack(">BQB", 1, record["time_ms"], STATES[record["state"]])
    return head + str(record.get("result", "")).encode()


def decode(plain: bytes) -> dict[str, Any]:
    """What `encode` took; ValueError for any other bytes."""
    if len(plain) < 10 or plain[0] != 1:
        raise ValueError("not a record")
    _, time_ms, code = struct.unpack(">BQB", plain[:10])
    names = {number: name for name, number in STATES.items()}
    if code not in names:
        raise ValueError("not a state")
    record = {"time_ms": time_ms, "state": names[code]}
    if code == STATES["recorded"]:
        record["result"] = plain[10:].decode()
        state.read_json(record["result"])
    elif len(plain) > 10:
        raise ValueError("bytes left over")
    return record


def seal(record: bytes, secret: bytes, place: str, nonce: bytes) -> bytes:
    """An encoded record as it stands under `place`."""
    name = state.key_id(secret)
    cipher, short_nonce = state.xaes(state.derive(secret, "recorded-result"), nonce)
    return name + nonce + cipher.encrypt(short_nonce, record, associated_data(name, place))


def open_record(secrets: list[bytes], value: bytes, place: str) -> dict[str, Any] | None:
    """The record that stands under `place`; None for what is none of ours."""
    name, nonce, sealed = value[:4], value[4:28], value[28:]
    if len(sealed) < 16:
        return None
    for secret in secrets:
        if state.key_id(secret) != name:
            continue
        cipher, short_nonce = state.xaes(state.derive(secret, "recorded-result"), nonce)
        try:
            plain = cipher.decrypt(short_nonce, sealed, associated_data(name, place))
        except InvalidTag:
            continue
        try:
            return decode(plain)
        except ValueError:
            return None
    return None
