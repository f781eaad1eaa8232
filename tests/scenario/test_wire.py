"""The judge of the scenario finds what it is there for."""

from __future__ import annotations

import base64
import copy
import json
import secrets
import unittest
from typing import Any

import wire

FLOW = base64.urlsafe_b64encode(bytes(range(16))).decode().rstrip("=")


def sealed(content: bytes = b"") -> str:
    """A text that looks like a state."""
    return "me1." + base64.urlsafe_b64encode(secrets.token_bytes(64) + content).decode().rstrip("=")


def asks_login(link: str, state: str) -> dict[str, Any]:
    """The result of list_invoices that asks to sign in."""
    params = {"mode": "url", "message": "Sign in.", "url": link}
    requests = {"login": {"method": "elicitation/create", "params": params}}
    return {"resultType": "input_required", "inputRequests": requests, "requestState": state}


class SignIn(unittest.TestCase):
    """The first step of the scenario, right and wrong."""

    def setUp(self) -> None:
        link = f"http://127.0.0.1:1/connect?flow={FLOW}"
        states = [sealed(), sealed()]
        self.results: list[dict[str, Any]] = [
            asks_login(link, states[0]),
            asks_login(link, states[1]),
            {"resultType": "complete", "content": [{"type": "text", "text": "2 open invoices."}]},
        ]
        self.calls: list[dict[str, Any]] = [
            {},
            {"requestState": states[0]},
            {"requestState": states[1]},
        ]
        self.script = [{"name": "sign in", "item": "sign-in", "user": "ada", "rounds": 3}]
        self.verdict = "ok 1 sign in"
        self.status = 200

    def judge(self) -> str | None:
        """What is wrong with the transcript."""
        lines = ["# step 1: sign in", '-> {"method":"tools/list","id":0}', '<- HTTP 200 {"id":0}']
        for number, (params, result) in enumerate(zip(self.calls, self.results, strict=True), 1):
            call = {"id": number, "method": "tools/call", "params": params}
            lines.append("-> " + json.dumps(call))
            lines.append(f"<- HTTP {self.status} " + json.dumps({"id": number, "result": result}))
        lines += [self.verdict, "1 passed, 0 failed"]
        [(_, miss)] = wire.judge(self.script, "\n".join(lines))
        return miss

    def test_a_good_transcript_passes(self) -> None:
        self.assertIsNone(self.judge())

    def test_a_verdict_of_the_client_counts(self) -> None:
        self.verdict = "not ok 1 sign in: no"
        self.assertIsNotNone(self.judge())
        self.verdict = ""
        self.assertIsNotNone(self.judge())

    def test_the_number_of_rounds_counts(self) -> None:
        self.script[0]["rounds"] = 2
        self.assertIsNotNone(self.judge())

    def test_the_status_counts(self) -> None:
        self.status = 500
        self.assertIsNotNone(self.judge())

    def test_another_link_is_found(self) -> None:
        other = copy.deepcopy(self.results[1])
        other["inputRequests"]["login"]["params"]["url"] += "A"
        self.results[1] = other
        self.assertIsNotNone(self.judge())

    def test_a_state_that_can_be_read_is_found(self) -> None:
        for content in [b"ada", FLOW.encode(), bytes(range(16)), b"/connect"]:
            self.results[0]["requestState"] = state = sealed(content)
            self.calls[1]["requestState"] = state
            self.assertIn("cannot be read", str(self.judge()), content)

    def test_a_retry_without_its_state_is_found(self) -> None:
        self.calls[1] = {}
        self.assertEqual(self.judge(), "a retry carries the last state")

    def test_a_step_that_never_came_is_found(self) -> None:
        self.script.append({"name": "another", "item": "form", "rounds": 2})
        lines = "# step 1: sign in\nok 1 sign in\n"
        misses = [miss for _, miss in wire.judge(self.script, lines)]
        self.assertNotIn(None, misses)


class Policies(unittest.TestCase):
    """A step of policies.json, right and wrong."""

    def setUp(self) -> None:
        states = [sealed(), sealed()]
        fields: list[dict[str, Any]] = [{"a": {}, "b": {"default": False}}, {"a": {"default": 1}}]
        self.bodies: list[dict[str, Any]] = [
            {
                "result": {
                    "resultType": "input_required",
                    "inputRequests": {
                        "target": {
                            "method": "elicitation/create",
                            "params": {"requestedSchema": {"properties": properties}},
                        }
                    },
                    "requestState": state,
                }
            }
            for properties, state in zip(fields, states, strict=True)
        ]
        self.bodies.append({"result": {"resultType": "complete", "content": []}})
        self.script: dict[str, Any] = {
            "name": "policy",
            "item": "policy",
            "asks": [{"target": ["a", "b"]}, {"target": ["a"]}],
            "filled": [{"b": False}, {"a": 1}],
            "expect": {"text": ""},
            "rounds": 3,
        }
        self.calls = [{}, {"requestState": states[0]}, {"requestState": states[1]}]
        self.status = 200

    def judge(self) -> str | None:
        """What is wrong with the transcript."""
        lines = ["# step 1: policy"]
        for number, (params, body) in enumerate(zip(self.calls, self.bodies, strict=True), 1):
            call = {"id": number, "method": "tools/call", "params": params}
            last = number == len(self.bodies)
            lines.append("-> " + json.dumps(call))
            lines.append(
                f"<- HTTP {self.status if last else 200} {json.dumps({'id': number, **body})}"
            )
        [(_, miss)] = wire.judge([self.script], "\n".join([*lines, "ok 1 policy"]))
        return miss

    def test_a_good_transcript_passes(self) -> None:
        self.assertIsNone(self.judge())
        del self.script["filled"]
        self.assertIsNone(self.judge())

    def test_other_questions_fields_and_values_are_found(self) -> None:
        wrong: list[list[dict[str, Any]]] = [
            [{"other": ["a", "b"]}, {}],
            [{}, {}],
            [{"target": ["a"]}, {"target": ["a"]}],
        ]
        for asks in wrong:
            self.script["asks"] = asks
            self.assertIsNotNone(self.judge(), asks)
        self.setUp()
        self.script["asks"] = [{"target": "roots/list"}, {"target": ["a"]}]
        self.assertIsNotNone(self.judge())
        self.setUp()
        self.script["filled"] = [{"b": False}, {}]
        self.assertIsNotNone(self.judge())

    def test_a_round_more_than_was_asked_is_found(self) -> None:
        self.script["asks"].pop()
        self.assertIsNotNone(self.judge())

    def test_the_kind_of_the_end_counts(self) -> None:
        self.script["expect"] = {"toolError": ""}
        self.assertIsNotNone(self.judge())
        self.bodies[-1]["result"]["isError"] = True
        self.assertIsNone(self.judge())
        self.script["expect"] = {"error": {"code": -32021, "data": {"a": 1}}}
        self.assertIsNotNone(self.judge())
        self.bodies[-1] = {"error": {"code": -32021, "data": {"a": 1}}}
        self.assertIsNotNone(self.judge())  # HTTP 200
        self.status = 400
        self.assertIsNone(self.judge())


if __name__ == "__main__":
    unittest.main()
