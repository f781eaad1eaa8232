"""The sealing half of core/docs/state-token.md, beside `open_state`, for making vectors."""

from __future__ import annotations

import hmac
import struct
from typing import Any

import open_state as state


def encode_claims(claims: dict[str, Any]) -> bytes:
    """The encoding of claims as `open_state.decode_claims` gives them."""
    return b"".join(
        [
            bytes([1, state.REQUEST_STATE]),
            bytes.fromhex(claims["flow_id"]),
            struct.pack(">IH", claims["round"], claims["question_rounds"]),
            struct.pack(">3Q", claims["issued_ms"], claims["expires_ms"], claims["deadline_ms"]),
            bytes.fromhex(claims["principal_tag"]),
            bytes.fromhex(claims["request_digest"]),
            sized(claims["audience"]),
            optional(None if claims["app_data"] is None else bytes.fromhex(claims["app_data"])),
            struct.pack(">I", len(claims["entries"])),
            *map(encode_entry, claims["entries"]),
        ]
    )


def encode_entry(entry: dict[str, Any]) -> bytes:
    """One ask or step."""
    if "step" in entry:
        return bytes([2, entry["readable"]]) + sized(entry["step"]) + sized(entry["result"])
    out = bytes([1, state.KINDS[entry["kind"]]]) + bytes.fromhex(entry["digest"])
    out += struct.pack(">H", entry["reasks"]) + sized(entry["ask"])
    out += bytes([state.STATES[entry["state"]]])
    if entry["state"] == "accept":
        out += bytes([state.SOURCES[entry["source"]]]) + optional(entry["content"])
    elif entry["state"] == "received":
        out += sized(entry["response"])
    elif entry["state"] == "answer":
        out += sized(entry["content"])
    return out + optional(entry["kept"]) + optional(entry["link"])


def sized(value: str | bytes) -> bytes:
    """Bytes after their length."""
    data = value.encode() if isinstance(value, str) else value
    return struct.pack(">I", len(data)) + data


def optional(value: str | bytes | None) -> bytes:
    """Bytes that may be absent."""
    return b"\x00" if value is None else b"\x01" + sized(value)


def encrypt(
    data: bytes,
    secret: bytes,
    nonce: bytes,
    label: str = "request-state/encrypted",
    kind: int = state.REQUEST_STATE,
) -> str:
    """The me1 token of encoded claims; other labels and kinds are of no use but to be refused."""
    name = state.key_id(secret)
    cipher, short_nonce = state.xaes(state.derive(secret, label), nonce)
    body = cipher.encrypt(short_nonce, data, state.associated_data("me1.", name, kind))
    return "me1." + state.to_base64url(name + nonce + body)


def sign(
    data: bytes,
    secret: bytes,
    label: str = "request-state/signed",
    kind: int = state.REQUEST_STATE,
) -> str:
    """The ms1 token of encoded claims; other labels and kinds are of no use but to be refused."""
    name = state.key_id(secret)
    message = state.associated_data("ms1.", name, kind) + data
    signature = hmac.digest(state.derive(secret, label), message, "sha256")
    return "ms1." + state.to_base64url(name + data + signature)
