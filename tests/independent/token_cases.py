"""The cases of tests/vectors/tokens.json: tokens that open, and what is refused, and why."""

from __future__ import annotations

from typing import Any

import open_state as state
import seal_state
from seal_state import encode_claims, encode_entry, sized

KEYS = {
    "one": bytes(range(32)).hex(),
    "two": bytes(range(32, 64)).hex(),
    "three": bytes(range(255, 191, -1)).hex(),
}
NOW = 1_800_000_000_000
ALICE = ["https://login.example", "alice", "demo-client"]
DEPLOY = {"method": "tools/call", "target": "deploy", "arguments": '{"app":"shop"}'}
CONTEXT: dict[str, Any] = {
    "keys": ["one"],
    "max_len": 65536,
    "now_ms": NOW + 5000,
    "clock_skew_ms": 60_000,
    "question_rounds": 16,
    "audience": "deployer",
    "principal": ALICE,
    "request": DEPLOY,
}


def seal(data: bytes, key: str = "one", nonce: bytes = bytes(range(24)), **changes: Any) -> str:
    """The me1 token of encoded claims under a key of KEYS."""
    return seal_state.encrypt(data, bytes.fromhex(KEYS[key]), nonce, **changes)


def sign(data: bytes, key: str = "one", **changes: Any) -> str:
    """The ms1 token of encoded claims under a key of KEYS."""
    return seal_state.sign(data, bytes.fromhex(KEYS[key]), **changes)


def claims(**changes: Any) -> dict[str, Any]:
    """Claims that hold in CONTEXT, but for the changes."""
    context = {**CONTEXT, **changes.pop("sealed_for", {})}
    request = context["request"]
    digest = state.request_digest(request["method"], request["target"], request["arguments"])
    key = bytes.fromhex(KEYS[context["keys"][0]])
    return {
        "flow_id": bytes(range(16, 32)).hex(),
        "round": 1,
        "question_rounds": 1,
        "issued_ms": NOW,
        "expires_ms": NOW + 600_000,
        "deadline_ms": NOW + 3_600_000,
        "principal_tag": state.principal_tag(key, context["principal"]).hex(),
        "request_digest": digest.hex(),
        "audience": context["audience"],
        "app_data": None,
        "entries": [],
        **changes,
    }


def ask(key: str, kind: str = "form", **changes: Any) -> dict[str, Any]:
    """An open question, but for the changes."""
    body = b'{"type":"object","properties":{}}' if kind == "form" else b""
    return {
        "ask": key,
        "kind": kind,
        "digest": state.ask_digest(kind, "Which environment?", body).hex(),
        "reasks": 0,
        "state": "open",
        "kept": None,
        "link": None,
        **changes,
    }


OPEN = [ask("target")]
EVERYTHING = [
    ask("target", state="accept", source="user", content='{"environment":"staging"}'),
    {"step": "price", "readable": True, "result": '{"amount":12.50,"currency":"EUR"}'},
    ask("login", "url", link="https://login.example/connect?flow=1"),
    ask("granted", "url", state="accept", source="grant", content=None),
    ask("argument", state="accept", source="argument", content="{}"),
    ask("default", state="accept", source="default", content='{"n":9007199254740993}'),
    ask("sampled", "sampling", state="decline"),
    ask("roots", "roots", state="cancel"),
    ask("given up", state="invalid", reasks=3, kept='{"environment":"moon"}'),
    ask("early", state="received", response='{"action":"accept","content":{"name":"Zoë"}}'),
    ask(
        "turn", "sampling", state="answer", content='{"role":"assistant","content":[],"model":"m"}'
    ),
    ask("again", reasks=65535, kept="{}", link=""),
    {"step": "", "readable": True, "result": ""},
    ask("schlüssel 🔑 \u0000"),
]
NUMBERS = {
    "round": 2**32 - 1,
    "question_rounds": 2**16 - 1,
    "issued_ms": 0,
    "expires_ms": 2**64 - 1,
    "deadline_ms": 2**64 - 1,
}


def opens() -> list[dict[str, Any]]:
    """Tokens that open and hold."""
    prompt = {"method": "prompts/get", "target": "plan", "arguments": None}
    resource = {"method": "resources/read", "target": "file:///a?b#c", "arguments": None}
    spelled = {**DEPLOY, "arguments": ' { "\\u0061pp" : "sh\\u006fp" } '}
    cases: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("a question is open", {}, {"entries": OPEN}),
        ("nothing but the fixed fields", {}, {}),
        ("every state and source", {}, {"entries": EVERYTHING, "round": 7, "question_rounds": 5}),
        ("the largest numbers", {"question_rounds": 65535}, NUMBERS),
        ("application data", {}, {"app_data": bytes(range(256)).hex()}),
        ("application data of no bytes", {}, {"app_data": ""}),
        ("the single user", {"principal": "single_user"}, {"entries": OPEN}),
        ("no principal", {"principal": "none"}, {"entries": OPEN}),
        ("a principal of other letters", {"principal": ["ï", "ß", "✓"]}, {}),
        ("a prompt without arguments", {"request": prompt}, {}),
        ("a resource", {"request": resource}, {}),
        ("an audience of other letters", {"audience": "billing ✓"}, {}),
        ("the second key of the ring", {"keys": ["two", "one"], "sealed_by": "one"}, {}),
        ("the third key of the ring", {"keys": ["three", "two", "one"], "sealed_by": "one"}, {}),
        ("a key of 64 bytes", {"keys": ["three"]}, {}),
        ("the last millisecond", {"now_ms": NOW + 599_999}, {}),
        ("issued ahead of our clock, within the skew", {"now_ms": NOW - 60_000}, {}),
        ("as many rounds as are allowed", {"question_rounds": 1}, {}),
        ("the same arguments in another spelling", {"request": spelled}, {}),
        ("signed: a question is open", {"format": "ms1"}, {"entries": OPEN}),
        ("signed: nothing but the fixed fields", {"format": "ms1"}, {}),
        ("signed: every state and source", {"format": "ms1"}, {"entries": EVERYTHING}),
        ("signed: application data", {"format": "ms1"}, {"app_data": "00ff"}),
        ("signed: the single user", {"format": "ms1", "principal": "single_user"}, {}),
        (
            "signed: the second key of the ring",
            {"format": "ms1", "keys": ["two", "one"], "sealed_by": "one"},
            {},
        ),
        (
            "a result that the client must not read",
            {},
            {"entries": [{"step": "cost", "readable": False, "result": "[7]"}]},
        ),
    ]
    vectors = []
    for number, (name, changes, claimed) in enumerate(cases):
        changes = dict(changes)
        key = changes.pop("sealed_by", changes.get("keys", ["one"])[0])
        signed = changes.pop("format", "me1") == "ms1"
        nonce = bytes(number * 24 + at & 255 for at in range(24))
        made = claims(sealed_for={**changes, "keys": [key]}, **claimed)
        data = encode_claims(made)
        token = sign(data, key) if signed else seal(data, key, nonce)
        vectors.append(
            {
                "name": name,
                "with": {**changes, "max_len": len(token)},
                "nonce": None if signed else nonce.hex(),
                "claims": made,
                "token": token,
            }
        )
    return vectors


def refused() -> list[dict[str, Any]]:
    """What is refused, and why."""
    good = encode_claims(claims(entries=OPEN))
    token = seal(good)
    vectors: list[dict[str, Any]] = []

    def refuse(refusal: str, name: str, text: Any, **changes: Any) -> None:
        vectors.append({"name": name, "with": changes, "token": text, "refusal": refusal})

    texts(refuse, token)
    signed(refuse, good)
    kinds_and_keys(refuse, good)
    malformed_claims(refuse, good)
    contexts(refuse, token)
    return vectors


def changed(text: str, at: int) -> str:
    """The text with one other character of the alphabet."""
    return text[:at] + ("B" if text[at] == "A" else "A") + text[at + 1 :]


def texts(refuse: Any, token: str) -> None:
    """Changes to the text of a token."""
    refuse("malformed", "no text", "")
    refuse("malformed", "a prefix alone", "me1.")
    for prefix in ("", "me1", "ME1.", "me2.", "me1:", "v1.", "me1.me1."):
        refuse("malformed", f"prefix {prefix!r}", prefix + token[4:])
    refuse("unknown_key", "a character of the key id", changed(token, 4))
    refuse("forged", "a character of the nonce", changed(token, 12))
    refuse("forged", "the last character of the nonce", changed(token, 40))
    refuse("forged", "the first character of the ciphertext", changed(token, 42))
    refuse("forged", "a character of the ciphertext", changed(token, len(token) // 2))
    refuse("forged", "a character of the tag", changed(token, len(token) - 4))
    refuse("malformed", "the first character less", token[1:])
    refuse("malformed", "too short for key id, nonce and tag", "me1." + "A" * 58)
    for less in (1, 2, 3, 4, 100):
        cut = token[: len(token) - less]
        refuse("forged" if is_base64url(cut) else "malformed", f"{less} characters less", cut)
    for added in ("A", "AA", "AAA", "AAAA", "_", "-"):
        more = token + added
        refuse("forged" if is_base64url(more) else "malformed", f"{added!r} at the end", more)
    for added in (" ", "\n", "\t", "\u0000", "\u00a0", "\ufeff", "=", "==", "%3D", ".", "é"):
        refuse("malformed", f"{added!r} at the end", token + added)
        refuse("malformed", f"{added!r} at the start", added + token)
        refuse("malformed", f"{added!r} after the prefix", token[:4] + added + token[4:])
        refuse("malformed", f"{added!r} inside", token[:50] + added + token[50:])
    refuse("malformed", "the token twice", token + token)
    refuse("too_large", "one character longer than the limit", token, max_len=len(token) - 1)
    refuse("too_large", "too large before malformed", "!" * 101, max_len=100)
    refuse("too_large", "5 MB", ["me1.", {"repeat": "A", "times": 5_000_000}])
    alphabets(refuse)


def signed(refuse: Any, good: bytes) -> None:
    """Changes to a signed token, and one format under the name of the other."""
    token = sign(good)
    refuse("malformed", "signed: a prefix alone", "ms1.")
    refuse("malformed", "signed: too short for key id and signature", "ms1." + "A" * 47)
    refuse("unknown_key", "signed: of zeros", "ms1." + "A" * 48)
    refuse("unknown_key", "signed: a character of the key id", changed(token, 4))
    refuse("forged", "signed: the first character of the claims", changed(token, 10))
    refuse("forged", "signed: a character of the claims", changed(token, len(token) // 2))
    refuse("forged", "signed: a character of the signature", changed(token, len(token) - 4))
    less = token[:-4]
    refuse("forged" if is_base64url(less) else "malformed", "signed: 4 characters less", less)
    refuse("malformed", "signed: '=' at the end", token + "=")
    refuse("malformed", "signed: space at the end", token + " ")
    refuse("unknown_key", "signed: a key that is not in the ring", sign(good, "two"))
    one, two = (state.from_base64url(sign(good, key)[4:]) for key in ("one", "two"))
    swapped = "ms1." + state.to_base64url(two[:4] + one[4:])
    refuse("forged", "signed: with the id of another key", swapped, keys=["one", "two"])
    for kind in (0, 2, 7):
        refuse("forged", f"signed: kind {kind} in what is signed", sign(good, kind=kind))
    for label in ("request-state/encrypted", "principal-tag", "connect-link", "key-id"):
        refuse("forged", f"signed: with the subkey {label}", sign(good, label=label))
    refuse("malformed", "signed: claims of version 2", sign(b"\x02" + good[1:]))
    refuse("malformed", "signed: one byte less", sign(good[:-1]))
    refuse("malformed", "signed: no claims", sign(b""))
    refuse("forged", "signed: under the name of the other format", "me1." + token[4:])
    refuse("forged", "encrypted: under the name of the other format", "ms1." + seal(good)[4:])
    refuse("other_audience", "signed: another audience", token, audience="deployer2")
    refuse("other_principal", "signed: no principal", token, principal="none")
    refuse("other_request", "signed: another tool", token, request={**DEPLOY, "target": "x"})
    refuse("expired", "signed: at the moment it expires", token, now_ms=NOW + 600_000)


def alphabets(refuse: Any) -> None:
    """Other ways to write the same bytes."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for app_data in ("", "00", "0000"):
        text = seal(encode_claims(claims(entries=OPEN, app_data=app_data)))
        padding = "=" * (-(len(text) - 4) % 4)
        if padding:
            refuse("malformed", f"padded with {padding!r}", text + padding)
            spare = text[:-1] + alphabet[alphabet.index(text[-1]) + 1]
            refuse("malformed", f"{2 * len(padding)} bits to spare, not 0", spare)
    for first in range(256):
        text = seal(encode_claims(claims(entries=OPEN)), nonce=bytes([first]) * 24)
        if "-" in text and "_" in text:
            refuse("malformed", "'+' for '-'", text.replace("-", "+"))
            refuse("malformed", "'/' for '_'", text.replace("_", "/"))
            break


def is_base64url(token: str) -> bool:
    """Whether what follows the prefix is still a text of its own."""
    try:
        return bool(state.from_base64url(token[4:]))
    except ValueError:
        return False


def kinds_and_keys(refuse: Any, good: bytes) -> None:
    """Tokens of other kinds, and of other keys."""
    for kind in (0, 2, 3, 4, 5, 6, 7, 255):
        refuse("forged", f"kind {kind} in the associated data", seal(good, kind=kind))
    for label in [
        "key-id",
        "request-state/signed",
        "connect-link",
        "callback-state",
        "grant",
        "receipt",
        "recorded-result",
        "task",
        "principal-tag",
    ]:
        refuse("forged", f"sealed with the subkey {label}", seal(good, label=label))
    refuse("unknown_key", "a key that is not in the ring", seal(good, "two"))
    ring = ["one", "two", "three"]
    one, two = (state.from_base64url(seal(good, key)[4:]) for key in ("one", "two"))
    for name, swapped in (("one", two[:4] + one[4:]), ("two", one[:4] + two[4:])):
        text = "me1." + state.to_base64url(swapped)
        refuse("forged", f"sealed by {name}, with the id of another key", text, keys=ring)


def malformed_claims(refuse: Any, good: bytes) -> None:
    """What one of our keys has sealed and is no encoding of claims."""

    def malformed(name: str, data: bytes) -> None:
        refuse("malformed", f"claims: {name}", seal(data))

    malformed("no bytes", b"")
    for version in (0, 2, 255):
        malformed(f"version {version}", bytes([version]) + good[1:])
    for kind in (0, 2, 7):
        malformed(f"kind {kind}", good[:1] + bytes([kind]) + good[2:])
    malformed("one byte less", good[:-1])
    malformed("one byte more", good + b"\x00")
    for length in (1, 2, 17, 95, 96, 99, 101):
        malformed(f"the first {length} bytes", good[:length])
    fixed, none = good[:96], b"\x00"
    empty = fixed + sized("deployer") + none
    malformed("an audience longer than what is left", fixed + b"\x00\x00\x00\x09deployer")
    malformed("an audience of 4 GiB", fixed + b"\xff\xff\xff\xffdeployer" + none + bytes(4))
    malformed("an audience that is not UTF-8", fixed + sized(b"deploye\xff") + none + bytes(4))
    malformed("half of a surrogate pair in UTF-8", fixed + sized(b"\xed\xa0\x80") + none + bytes(4))
    malformed("application data with flag 2", fixed + sized("deployer") + b"\x02" + bytes(8))
    malformed("more entries than bytes", empty + b"\xff\xff\xff\xff")
    malformed("one entry less than counted", empty + b"\x00\x00\x00\x02" + good[len(empty) + 4 :])
    malformed("one entry more than counted", empty + bytes(4) + good[len(empty) + 4 :])
    one = empty + b"\x00\x00\x00\x01"
    question = encode_entry(ask("target"))
    head, tail = question[:30], question[31:]
    for code in (0, 3, 255):
        malformed(f"entry of type {code}", one + bytes([code]) + question[1:])
    for code in (0, 5, 255):
        malformed(f"question of kind {code}", one + question[:1] + bytes([code]) + question[2:])
    for code in (6, 7, 255):
        malformed(f"question in state {code}", one + head + bytes([code]) + tail)
    for code in (0, 5, 255):
        malformed(f"accepted from source {code}", one + head + bytes([1, code]) + none + tail)
    malformed("kept answer with flag 2", one + question[:31] + b"\x02" + question[32:])
    malformed("a key that is not UTF-8", one + question.replace(b"target", b"t\xc0\x80get"))
    step = encode_entry({"step": "price", "readable": True, "result": "1"})
    malformed("a step that is readable to degree 2", one + step[:1] + b"\x02" + step[2:])


def shown(principal: Any) -> str:
    """A principal, for a name."""
    return principal if isinstance(principal, str) else str(principal[1])


def contexts(refuse: Any, token: str) -> None:
    """A good token, presented where it does not count."""
    refuse("other_audience", "another audience", token, audience="deployer2")
    refuse("other_audience", "an audience in other case", token, audience="Deployer")
    for name, principal in (
        ("another user", ["https://login.example", "bob", "demo-client"]),
        ("another issuer", ["https://login.example/", "alice", "demo-client"]),
        ("another client", ["https://login.example", "alice", "demo-client2"]),
        ("cut elsewhere", ["https://login.example", "alicedemo", "-client"]),
        ("nobody", "none"),
        ("the single user", "single_user"),
    ):
        refuse("other_principal", f"principal: {name}", token, principal=principal)
    for sealed_for, presented in (
        ("none", "single_user"),
        ("single_user", "none"),
        ("none", ALICE),
        ("single_user", ALICE),
    ):
        made = seal(encode_claims(claims(sealed_for={"principal": sealed_for}, entries=OPEN)))
        name = f"principal: sealed for {sealed_for}, presented by {shown(presented)}"
        refuse("other_principal", name, made, principal=presented)
    for name, change in (
        ("another tool", {"target": "deploy2"}),
        ("a prompt of that name", {"method": "prompts/get"}),
        ("a resource of that name", {"method": "resources/read"}),
        ("another argument", {"arguments": '{"app":"shop2"}'}),
        ("one argument more", {"arguments": '{"app":"shop","force":true}'}),
        ("no arguments", {"arguments": None}),
        ("null for a text", {"arguments": '{"app":null}'}),
    ):
        refuse("other_request", f"request: {name}", token, request={**DEPLOY, **change})
    refuse("expired", "at the moment it expires", token, now_ms=NOW + 600_000)
    refuse("deadline_passed", "at the deadline", token, now_ms=NOW + 3_600_000)
    short = {"expires_ms": NOW + 600_000, "deadline_ms": NOW + 600_000}
    refuse(
        "deadline_passed",
        "both at once",
        seal(encode_claims(claims(**short))),
        now_ms=NOW + 600_000,
    )
    refuse("not_yet_valid", "issued ahead of the skew", token, now_ms=NOW - 60_001)
    refuse("not_yet_valid", "no skew allowed", token, now_ms=NOW - 1, clock_skew_ms=0)
    late = seal(encode_claims(claims(question_rounds=17)))
    refuse("too_many_rounds", "more rounds than are allowed", late)
    refuse("other_audience", "audience before expiry", token, audience="x", now_ms=NOW + 700_000)
    late_ms = NOW + 700_000
    refuse("other_principal", "principal before expiry", token, principal="none", now_ms=late_ms)


def joined(text: Any) -> str:
    """A text, or its parts: see tests/vectors/README.md."""
    if isinstance(text, str):
        return text
    return "".join(
        part if isinstance(part, str) else str(part["repeat"]) * int(part["times"]) for part in text
    )


def outcome(vector: dict[str, Any]) -> Any:
    """The claims of a vector's token, or why it is refused."""
    context = {**CONTEXT, **vector["with"]}
    secrets = [bytes.fromhex(KEYS[key]) for key in context["keys"]]
    try:
        opened = state.open_state(secrets, joined(vector["token"]), context["max_len"])
        return state.verify(opened, context)
    except state.RefusedError as refusal:
        return str(refusal)
