"""The client side: tests/vectors/host.json, through the native part of the test host."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp_elicit import ElicitError
from mcp_elicit.testing._play import Play
from support import joined, printed, vectors

VECTORS = vectors("host.json")


def named(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in cases]


def play_of(case: dict[str, Any]) -> Play:
    """A play that decides on every answer when it is asked for."""
    return Play(
        case["method"],
        case["params"],
        first_id=case.get("first_id", 1),
        client_info=case.get("client_info", "null"),
        capabilities=case.get("capabilities", {}),
        http=case.get("http", False),
        param_headers=[(name, path) for name, path in case.get("param_headers", [])],
        first_round_only=False,
        rounds=case.get("rounds"),
        answers=[],
        otherwise=[0],
    )


def fault(error: ElicitError | None) -> dict[str, Any]:
    assert error is not None
    assert error.kind == "invalid_reply"
    (found,) = error.faults
    assert found.message
    return {"path": found.path, "rule": found.rule}


def turn(play: Play, written: dict[str, Any]) -> dict[str, Any]:
    """What the play needs or how it ended, in the words of the vectors."""
    step = play.step()
    if step is not None and step[0] == "send":
        _, number, body, headers = step
        sent: dict[str, Any] = {"id": number, "body": body.decode()}
        if headers:
            sent["headers"] = [list(header) for header in headers]
        return {"send": sent}
    if step is not None:
        # Questions are decided on one by one, so those of the round are looked up.
        this_round = step[2]["round"]
        asked = [each for each in play.questions if each["round"] == this_round]
        assert asked[0] == step[2]
        for question in asked:
            question["request"] = printed(question["request"])
            if question["schema"] is not None:
                question["schema"] = printed(question["schema"])
        return {"ask": [{k: v for k, v in each.items() if v is not None} for each in asked]}
    if play.end == "complete":
        # Python's own numbers cannot show every spelling of one.
        assert play.result == json.loads(written["done"])
        return {"done": written["done"]}
    if play.end == "error":
        assert play.error is not None
        code, message, data = play.error
        whole = json.loads(written["failed"])
        assert (code, message, data) == (whole["code"], whole["message"], whole.get("data"))
        return {"failed": written["failed"]}
    if play.end == "abandoned":
        return {"abandoned": True}
    assert play.end == "failed"
    return {"broken": fault(play.why_not)}


@pytest.mark.parametrize("case", named(VECTORS["drivers"]))
def test_the_driver_does_as_written(case: dict[str, Any]) -> None:
    play = play_of(case)
    assert turn(play, case["start"]) == case["start"]
    for step in case["steps"]:
        if "receive" in step:
            is_reply = play.receive(joined(step["receive"]))
            assert is_reply == (step.get("heard", "reply") == "reply")
        else:
            given = step.get("answer", step.get("answerText"))
            while (wanted := play.step()) is not None and wanted[0] == "decide":
                response = given.get(wanted[2]["key"], "never")
                if isinstance(response, dict):
                    response = printed(response)
                play.decide(None if response == "never" else response)
        assert turn(play, step["turn"]) == step["turn"]


@pytest.mark.parametrize("case", named(VECTORS["refused"]))
def test_parts_that_no_driver_can_be_made_of(case: dict[str, Any]) -> None:
    with pytest.raises(ElicitError) as raised:
        play_of(case)
    assert raised.value.kind == "invalid_argument"


WITHOUT_MESSAGES = [
    case for case in VECTORS["http"] if not case["messages"] and "limit" not in case
]


@pytest.mark.parametrize("case", named(WITHOUT_MESSAGES))
def test_responses_without_a_message(case: dict[str, Any]) -> None:
    play = play_of({"method": "tools/list", "params": "{}"})
    play.begin_response(case["status"], case["content_type"])
    for piece in case["pieces"]:
        assert not play.push(joined(piece))
    play.finish()
    if "broken" in case["end"]:
        assert fault(play.why_not) == case["end"]["broken"]
    else:
        text = case["end"]["message"]
        assert [message[1] for message in play.messages if not message[0]] == [text]
