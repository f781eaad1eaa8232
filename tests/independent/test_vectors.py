"""Opens every vector with an implementation that shares no code with the library.

    python3 -m unittest discover --start-directory tests/independent

Proves that core/docs/state-token.md says enough to write another implementation. The vectors of
the library's own tests are the same files.
"""

from __future__ import annotations

import hashlib
import json
import unittest
from collections.abc import Iterator
from typing import Any

import digest_cases
import make_vectors
import open_record
import open_state as state
import token_cases


def read(name: str) -> Any:
    """A file of vectors."""
    return json.loads((make_vectors.VECTORS / name).read_text())


class Tokens(unittest.TestCase):
    """tests/vectors/tokens.json."""

    def test_every_token_opens_to_its_claims(self) -> None:
        vectors = read("tokens.json")["opens"]
        self.assertGreater(len(vectors), 10)
        for vector in vectors:
            with self.subTest(vector["name"]):
                self.assertEqual(token_cases.outcome(vector), vector["claims"])

    def test_every_token_of_every_version_opens(self) -> None:
        kept = sorted(make_vectors.VECTORS.glob("tokens-*.json"))
        self.assertTrue(kept)
        for path in kept:
            for vector in read(path.name)["opens"]:
                with self.subTest(path.name, vector=vector["name"]):
                    self.assertEqual(token_cases.outcome(vector), vector["claims"])

    def test_every_refusal_has_its_cause(self) -> None:
        vectors = read("tokens.json")["refused"]
        self.assertGreater(len(vectors), 100)
        for vector in vectors:
            with self.subTest(vector["name"]):
                self.assertEqual(token_cases.outcome(vector), vector["refusal"])

    def test_no_changed_character_opens(self) -> None:
        vector = read("tokens.json")["opens"][0]
        token = vector["token"]
        for at in range(len(token)):
            for other in "A", "_", "=", "+", " ":
                if token[at] != other:
                    changed = {**vector, "token": token[:at] + other + token[at + 1 :]}
                    self.assertIsInstance(token_cases.outcome(changed), str)

    def test_each_name_stands_once(self) -> None:
        for name, vectors in read("tokens.json").items():
            if isinstance(vectors, list):
                names = [vector["name"] for vector in vectors]
                self.assertEqual(len(names), len(set(names)), name)


class Records(unittest.TestCase):
    """tests/vectors/records.json."""

    def test_every_record_is_read_or_refused(self) -> None:
        vectors = read("records.json")
        states = {"in_progress": "claimed", "unknown": "claimed", "already": "finished"}
        self.assertGreater(len(vectors["found"]), 15)
        for vector in vectors["found"]:
            with self.subTest(vector["name"]):
                names = vector.get("keys", vectors["engine"]["keys"])
                keys = [bytes.fromhex(vectors["keys"][name]) for name in names]
                value = bytes.fromhex(vector["value"])
                record = open_record.open_record(keys, value, vectors["store_key"])
                if vector["outcome"] == "store":
                    self.assertIsNone(record)
                else:
                    assert record is not None
                    outcome = vector["outcome"]
                    self.assertEqual(record["state"], states.get(outcome, outcome))
                    self.assertEqual(record.get("result"), vector.get("result"))

    def test_each_name_stands_once(self) -> None:
        names = [vector["name"] for vector in read("records.json")["found"]]
        self.assertEqual(len(names), len(set(names)))


class Digests(unittest.TestCase):
    """tests/vectors/digest.json."""

    def test_spellings_of_one_request_have_one_digest(self) -> None:
        seen: set[str] = set()
        for group in read("digest.json")["requests"]:
            with self.subTest(group["arguments"][0]):
                for text in group["arguments"]:
                    digest = state.request_digest(group["method"], group["target"], text)
                    self.assertEqual(digest.hex(), group["digest"])
                self.assertNotIn(group["digest"], seen)
                seen.add(group["digest"])

    def test_what_is_at_fault_has_no_digest(self) -> None:
        for fault in read("digest.json")["faults"]:
            # How deep arguments may nest is the reader's limit, not the format's.
            if fault["rule"] != "depth":
                arguments = token_cases.joined(fault["arguments"])
                with self.subTest(arguments[:60]), self.assertRaises(ValueError):
                    state.request_digest("tools/call", "deploy", arguments)

    def test_questions(self) -> None:
        for ask in read("digest.json")["asks"]:
            digest = state.ask_digest(ask["kind"], ask["message"], ask["body"].encode())
            self.assertEqual(digest.hex(), ask["digest"])


class Files(unittest.TestCase):
    """The files are those that `make_vectors` makes."""

    def test_the_files_are_what_is_made(self) -> None:
        for path, text in make_vectors.files().items():
            self.assertEqual(path.read_text(), text, f"{path.name}: run make_vectors.py")

    def test_no_group_stands_twice(self) -> None:
        spellings = [text for group in digest_cases.GROUPS for text in group]
        self.assertEqual(len(spellings), len(set(spellings)))


class Cipher(unittest.TestCase):
    """XAES-256-GCM against what C2SP has published."""

    def test_the_two_vectors(self) -> None:
        for key, ad, sealed in (
            (1, b"", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"),
            (
                3,
                b"c2sp.org/XAES-256-GCM",
                "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d",
            ),
        ):
            cipher, nonce = state.xaes(bytes([key]) * 32, b"ABCDEFGHIJKLMNOPQRSTUVWX")
            self.assertEqual(cipher.encrypt(nonce, b"XAES-256-GCM", ad).hex(), sealed)

    def test_ten_thousand_random_messages(self) -> None:
        drawn, hashed = stream(), hashlib.shake_128()
        for _ in range(10_000):
            key, nonce = take(drawn, 32), take(drawn, 24)
            plain, ad = (take(drawn, take(drawn, 1)[0]) for _ in range(2))
            cipher, short_nonce = state.xaes(key, nonce)
            hashed.update(cipher.encrypt(short_nonce, plain, ad))
        wanted = "e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939"
        self.assertEqual(hashed.hexdigest(32), wanted)


def stream() -> Iterator[int]:
    """SHAKE-128 of nothing, without end."""
    length = 1 << 23
    yield from hashlib.shake_128(b"").digest(length)


def take(drawn: Iterator[int], length: int) -> bytes:
    """The next bytes of a stream."""
    return bytes(next(drawn) for _ in range(length))


if __name__ == "__main__":
    unittest.main()
