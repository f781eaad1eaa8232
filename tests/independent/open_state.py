"""An implementation of core/docs/state-token.md that shares no code with the library.

Opens and verifies sealed states, and digests requests. Written from the document alone, so that
where it and the library agree, the document is right; it is an example of how to write another.
Needs `cryptography` for AES and GCM, else the standard library.

    python3 open_state.py KEYS TOKEN      prints the claims of a token; KEYS as in MCP_ELICIT_KEYS
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

REQUEST_STATE = 1


class RefusedError(Exception):
    """A token was refused; the argument is the cause, by the name that the log hook hears."""


# Keys


def read_keys(text: str) -> list[bytes]:
    """The secrets in a text such as MCP_ELICIT_KEYS holds."""
    secrets = []
    for item in text.split(","):
        item = item.strip()
        if len(item) >= 64 and re.fullmatch("[0-9a-fA-F]+", item):
            secret = bytes.fromhex(item)
        else:
            secret = from_base64url(item)
        if len(secret) < 32 or len(set(secret)) < 2 or secret in secrets:
            raise ValueError("a key is weak")
        secrets.append(secret)
    return secrets


def from_base64url(text: str) -> bytes:
    """The bytes of the one base64url text that stands for them; ValueError for any other."""
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text) or len(text) % 4 == 1:
        raise ValueError("not base64url")
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if to_base64url(data) != text:
        raise ValueError("bits to spare are not 0")
    return data


def to_base64url(data: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


def derive(secret: bytes, label: str, length: int = 32) -> bytes:
    """HKDF-SHA256; every output here fits into its first block."""
    extracted = hmac.digest(b"mcp-elicit/1", secret, "sha256")
    return hmac.digest(extracted, label.encode() + b"\x01", "sha256")[:length]


def key_id(secret: bytes) -> bytes:
    """The fingerprint that a token names its key by."""
    return derive(secret, "key-id", 4)


def aes_block(key: bytes, block: bytes) -> bytes:
    """One block of AES-256."""
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()  # noqa: S305
    return encryptor.update(block) + encryptor.finalize()


def xaes(key: bytes, nonce: bytes) -> tuple[AESGCM, bytes]:
    """XAES-256-GCM: the AES-256-GCM cipher and the nonce that a message is sealed with."""
    mask = int.from_bytes(aes_block(key, bytes(16)), "big") << 1
    mask = mask & (1 << 128) - 1 ^ (mask >> 128) * 0x87
    subkey = b""
    for counter in (1, 2):
        message = struct.pack(">HBB", counter, ord("X"), 0) + nonce[:12]
        subkey += aes_block(key, (int.from_bytes(message, "big") ^ mask).to_bytes(16, "big"))
    return AESGCM(subkey), nonce[12:]


# Principals and requests


def length_prefixed(*fields: bytes) -> bytes:
    """Each field after its length, as everything that is hashed here."""
    return b"".join(struct.pack(">Q", len(field)) + field for field in fields)


def principal_tag(secret: bytes, principal: Any) -> bytes:
    """The tag of "none", "single_user", or a list of issuer, subject and client."""
    if principal == "none":
        message = b"\x00"
    elif principal == "single_user":
        message = b"\x01"
    else:
        message = b"\x02" + length_prefixed(*(part.encode() for part in principal))
    return hmac.digest(derive(secret, "principal-tag"), message, "sha256")[:16]


class Number(str):
    """A number as it is written."""

    def canonical(self) -> str:
        """Sign, digits without outer zeros, exponent of ten."""
        match = re.fullmatch(r"(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?", self)
        if match is None:
            raise ValueError("syntax")
        sign, whole, fraction, exponent = match.groups(default="")
        digits = (whole + fraction).lstrip("0")
        if not digits:
            return "0"
        power = int(exponent or "0") - len(fraction) + len(digits) - len(digits.rstrip("0"))
        if abs(power) > 9999:
            raise ValueError("exponent")
        return f"{sign}{digits.rstrip('0')}e{power}"


def read_json(text: str) -> Any:
    """JSON with its numbers as they are written; no key twice in an object, no lone surrogate."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) < len(pairs):
            raise ValueError("repeated_key")
        return dict(pairs)

    def no_constant(_: str) -> Any:
        raise ValueError("syntax")

    return json.loads(
        text,
        object_pairs_hook=members,
        parse_int=Number,
        parse_float=Number,
        parse_constant=no_constant,
    )


def canonical(value: Any) -> str:
    """RFC 8785 but for its numbers."""
    if isinstance(value, Number):
        return value.canonical()
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{quoted(key)}:{canonical(value[key])}" for key in keys) + "}"
    return {None: "null", True: "true", False: "false"}[value]


def quoted(text: str) -> str:
    """A text in quotes with no escape that it does not need."""
    text.encode()  # Half of a surrogate pair has no UTF-8.
    return json.dumps(text, ensure_ascii=False)


def request_digest(method: str, target: str, arguments: str | None) -> bytes:
    """The digest of a request, its arguments as JSON."""
    value = None if arguments is None else read_json(arguments)
    text = canonical({} if value is None else value)
    fields = ("mcp-elicit/1 request", method, target, text)
    return hashlib.sha256(length_prefixed(*(field.encode() for field in fields))).digest()


def ask_digest(kind: str, message: str, body: bytes) -> bytes:
    """The digest of a question as it is worded."""
    fields = (b"mcp-elicit/1 ask", bytes([KINDS[kind]]), message.encode(), body)
    return hashlib.sha256(length_prefixed(*fields)).digest()[:16]


# Claims

KINDS = {"form": 1, "url": 2, "sampling": 3, "roots": 4}
STATES = {
    "open": 0,
    "accept": 1,
    "decline": 2,
    "cancel": 3,
    "invalid": 4,
    "received": 5,
    "answer": 7,
}
SOURCES = {"user": 1, "argument": 2, "default": 3, "grant": 4}


class Reader:
    """Takes an encoding apart from front to back."""

    def __init__(self, data: bytes) -> None:
        self.rest = data

    def take(self, length: int) -> bytes:
        """The next bytes."""
        if length > len(self.rest):
            raise RefusedError("malformed")
        taken, self.rest = self.rest[:length], self.rest[length:]
        return taken

    def integer(self, length: int) -> int:
        """An unsigned integer, high byte first."""
        return int.from_bytes(self.take(length), "big")

    def bytes(self) -> bytes:
        """Bytes after their length."""
        return self.take(self.integer(4))

    def text(self) -> str:
        """A text after its length."""
        try:
            return self.bytes().decode()
        except UnicodeDecodeError:
            raise RefusedError("malformed") from None

    def code(self, names: dict[str, int]) -> str:
        """A byte that stands for one of the names."""
        code = self.integer(1)
        for name, value in names.items():
            if value == code:
                return name
        raise RefusedError("malformed")

    def flag(self) -> bool:
        """A byte that is 0 or 1."""
        return self.code({"no": 0, "yes": 1}) == "yes"

    def optional(self, read: Callable[[], Any]) -> Any:
        """What `read` reads, where it is there."""
        return read() if self.flag() else None


def decode_claims(data: bytes) -> dict[str, Any]:
    """The claims in an encoding; bytes are written as hex."""
    reader = Reader(data)
    if reader.take(2) != bytes([1, REQUEST_STATE]):
        raise RefusedError("malformed")
    claims: dict[str, Any] = {
        "flow_id": reader.take(16).hex(),
        "round": reader.integer(4),
        "question_rounds": reader.integer(2),
        "issued_ms": reader.integer(8),
        "expires_ms": reader.integer(8),
        "deadline_ms": reader.integer(8),
        "principal_tag": reader.take(16).hex(),
        "request_digest": reader.take(32).hex(),
        "audience": reader.text(),
        "app_data": reader.optional(lambda: reader.bytes().hex()),
        "entries": [],
    }
    for _ in range(reader.integer(4)):
        claims["entries"].append(decode_entry(reader))
    if reader.rest:
        raise RefusedError("malformed")
    return claims


def decode_entry(reader: Reader) -> dict[str, Any]:
    """One ask or step."""
    if reader.code({"ask": 1, "step": 2}) == "step":
        readable = reader.flag()
        return {"step": reader.text(), "readable": readable, "result": reader.text()}
    kind = reader.code(KINDS)
    digest, reasks = reader.take(16).hex(), reader.integer(2)
    ask: dict[str, Any] = {"ask": reader.text(), "kind": kind, "digest": digest, "reasks": reasks}
    ask["state"] = reader.code(STATES)
    if ask["state"] == "accept":
        ask["source"] = reader.code(SOURCES)
        ask["content"] = reader.optional(reader.text)
    elif ask["state"] == "received":
        ask["response"] = reader.text()
    elif ask["state"] == "answer":
        ask["content"] = reader.text()
    ask["kept"] = reader.optional(reader.text)
    ask["link"] = reader.optional(reader.text)
    return ask


# Tokens


@dataclass
class Opened:
    """A state and the key that has sealed it."""

    claims: dict[str, Any]
    secret: bytes


def open_state(secrets: list[bytes], token: str, max_len: int = 65536) -> Opened:
    """Opens a token; the claims that come out need `verify`."""
    if len(token.encode()) > max_len:
        raise RefusedError("too_large")
    if token[:4] not in ("me1.", "ms1."):
        raise RefusedError("malformed")
    try:
        sealed = from_base64url(token[4:])
    except ValueError:
        raise RefusedError("malformed") from None
    if len(sealed) < (4 + 24 + 16 if token[:4] == "me1." else 4 + 32):
        raise RefusedError("malformed")
    name, body = sealed[:4], sealed[4:]
    known = [secret for secret in secrets if key_id(secret) == name]
    unseal = decrypt if token[:4] == "me1." else check
    for secret in known:
        data = unseal(secret, body, associated_data(token[:4], name))
        if data is not None:
            return Opened(decode_claims(data), secret)
    raise RefusedError("forged" if known else "unknown_key")


def associated_data(prefix: str, name: bytes, kind: int = REQUEST_STATE) -> bytes:
    """What is authenticated beside the claims."""
    return prefix.encode() + bytes([kind]) + name


def decrypt(secret: bytes, body: bytes, ad: bytes) -> bytes | None:
    """The plaintext of an me1 token, where this secret has sealed it."""
    cipher, nonce = xaes(derive(secret, "request-state/encrypted"), body[:24])
    try:
        return cipher.decrypt(nonce, body[24:], ad)
    except InvalidTag:
        return None


def check(secret: bytes, body: bytes, ad: bytes) -> bytes | None:
    """The claims of an ms1 token, where this secret has signed them."""
    data, signature = body[:-32], body[-32:]
    wanted = hmac.digest(derive(secret, "request-state/signed"), ad + data, "sha256")
    return data if hmac.compare_digest(signature, wanted) else None


def verify(opened: Opened, context: dict[str, Any]) -> dict[str, Any]:
    """The claims, where they hold in a context as tests/vectors/tokens.json writes it."""
    claims, now, request = opened.claims, context["now_ms"], context["request"]
    digest = request_digest(request["method"], request["target"], request["arguments"])
    if claims["audience"] != context["audience"]:
        raise RefusedError("other_audience")
    tag = principal_tag(opened.secret, context["principal"])
    if not hmac.compare_digest(bytes.fromhex(claims["principal_tag"]), tag):
        raise RefusedError("other_principal")
    if claims["request_digest"] != digest.hex():
        raise RefusedError("other_request")
    if claims["issued_ms"] > now + context["clock_skew_ms"]:
        raise RefusedError("not_yet_valid")
    if now >= claims["deadline_ms"]:
        raise RefusedError("deadline_passed")
    if now >= claims["expires_ms"]:
        raise RefusedError("expired")
    if claims["question_rounds"] > context["question_rounds"]:
        raise RefusedError("too_many_rounds")
    return claims


if __name__ == "__main__":
    _, keys, presented = sys.argv
    try:
        print(json.dumps(open_state(read_keys(keys), presented).claims, indent=1))
    except RefusedError as refused:
        sys.exit(f"refused: {refused}")
