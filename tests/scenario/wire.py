"""What must have crossed the wire in each step of the scenario.

The clients print every message; this module reads those lines and checks them, so that a client
that judges its own steps too kindly is found out. Numbers are those of the scenario in README.md.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

JsonObject = dict[str, Any]


class Miss(Exception):
    """What was expected and did not come."""


@dataclass
class Reply:
    """One message that the server sent; `status` is None over stdio."""

    status: int | None
    body: JsonObject

    @property
    def result(self) -> JsonObject:
        """The result, or an empty object."""
        found = self.body.get("result")
        return found if isinstance(found, dict) else {}


@dataclass
class Step:
    """One step as the client printed it: the tool calls it sent and their replies."""

    title: str
    calls: list[JsonObject] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    verdict: str | None = None


def read(output: str) -> list[Step]:
    """The steps in what a client printed. Messages that are not about a tool call are left out."""
    steps: list[Step] = []
    open_ids: list[Any] = []
    for line in output.splitlines():
        if started := re.match(r"# step \d+: (.*)$", line):
            steps.append(Step(started[1]))
            open_ids = []
        elif not steps:
            continue
        elif line.startswith("-> {"):
            message = json.loads(line[3:])
            if message.get("method") == "tools/call":
                steps[-1].calls.append(message)
                open_ids.append(message.get("id"))
        elif received := re.match(r"<- (?:HTTP (\d+) )?(\{.*\})$", line):
            message = json.loads(received[2])
            if message.get("id") in open_ids:
                open_ids.remove(message["id"])
                status = int(received[1]) if received[1] else None
                steps[-1].replies.append(Reply(status, message))
        elif re.match(r"(not )?ok \d+ ", line):
            steps[-1].verdict = line
    return steps


def want(holds: bool, rule: str) -> None:
    """Raises if a rule does not hold."""
    if not holds:
        raise Miss(rule)


def status_is(reply: Reply, status: int) -> None:
    """The HTTP status; over stdio there is none."""
    want(reply.status in (None, status), f"HTTP {status}, not {reply.status}")


def question(reply: Reply, key: str, mode: str) -> JsonObject:
    """The parameters of the one question of a reply, which must be an input_required with state."""
    status_is(reply, 200)
    want(reply.result.get("resultType") == "input_required", "resultType is input_required")
    requests = reply.result.get("inputRequests")
    if not isinstance(requests, dict) or list(requests) != [key]:
        raise Miss(f"one request, under {key!r}")
    request: JsonObject = requests[key]
    want(request.get("method") == "elicitation/create", "the request is elicitation/create")
    params: JsonObject = request.get("params", {})
    want(params.get("mode", "form") == mode, f"mode is {mode}")
    state = reply.result.get("requestState")
    want(isinstance(state, str) and state.startswith("me1."), "the state is a sealed token")
    return params


def complete(reply: Reply) -> None:
    """A complete result."""
    status_is(reply, 200)
    want(reply.result.get("resultType") == "complete", "resultType is complete")


def flow_of(link: str) -> str:
    """The flow id in a link of the example servers."""
    parts = urlsplit(link)
    flows = parse_qs(parts.query).get("flow", [])
    want(parts.scheme == "http" and parts.path == "/connect", "the link leads to /connect")
    want(
        len(flows) == 1 and re.fullmatch(r"[\w-]{22}", flows[0]) is not None,
        "the link has a flow id",
    )
    return flows[0]


def unreadable(state: str, secrets: list[str]) -> None:
    """None of these can be read in a state, neither in its text nor in its bytes."""
    body = state.split(".", 1)[1]
    data = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
    for secret in secrets:
        raw = base64.urlsafe_b64decode(secret + "==") if len(secret) == 22 else secret.encode()
        hidden = secret not in state and secret.encode() not in data and raw not in data
        want(hidden, f"{secret!r} cannot be read in the state")


def carried(step: Step) -> None:
    """Every retry carries the state of the reply before it, the first request none."""
    want("requestState" not in step.calls[0]["params"], "the first request carries no state")
    for call, before in zip(step.calls[1:], step.replies, strict=False):
        want(
            call["params"].get("requestState") == before.result.get("requestState"),
            "a retry carries the last state",
        )


def sign_in(step: Step, wanted: JsonObject) -> None:
    """Items 1 to 3: the link, the same link again, the result."""
    want(len(step.replies) == 3, f"three replies, not {len(step.replies)}")
    links = [question(reply, "login", "url").get("url", "") for reply in step.replies[:2]]
    want(links[0] == links[1], "the same link again")
    for reply in step.replies[:2]:
        secrets = [flow_of(links[0]), "/connect", *([wanted["user"]] if "user" in wanted else [])]
        unreadable(reply.result["requestState"], secrets)
    states = [reply.result["requestState"] for reply in step.replies[:2]]
    want(states[0] != states[1], "every state is sealed anew")
    complete(step.replies[2])


def no_question(step: Step, _wanted: JsonObject) -> None:
    """No question for somebody who is signed in."""
    want(len(step.replies) == 1, "one reply")
    complete(step.replies[0])


def declined_link(step: Step, _wanted: JsonObject) -> None:
    """Item 4: decline and cancel end the flow."""
    want(len(step.replies) == 2, "two replies")
    flow_of(question(step.replies[0], "login", "url").get("url", ""))
    complete(step.replies[1])


def other_user(step: Step, _wanted: JsonObject) -> None:
    """A sign-in by another user leaves the question open, with the same link."""
    want(len(step.replies) == 3, "three replies")
    links = [question(reply, "login", "url").get("url") for reply in step.replies[:2]]
    want(links[0] == links[1], "the same link again")
    complete(step.replies[2])


def missing_url(step: Step, _wanted: JsonObject) -> None:
    """Item 5: what the client lacks, exactly."""
    want(len(step.replies) == 1, "one reply")
    reply = step.replies[0]
    error = reply.body.get("error", {})
    status_is(reply, 400)
    want(error.get("code") == -32021, "code -32021")
    want(
        error.get("data") == {"requiredCapabilities": {"elicitation": {"url": {}}}},
        "data names the capability",
    )


def deploy_form(params: JsonObject) -> None:
    """The form of `deploy`."""
    schema = params.get("requestedSchema", {})
    want(schema.get("type") == "object", "the schema is an object's")
    fields = schema.get("properties", {})
    want(list(fields) == ["environment", "notify"], "two fields, in their order")
    environment, notify = fields["environment"], fields["notify"]
    want(environment.get("enum") == ["dev", "staging", "prod"], "environment is one of three")
    want(environment.get("title") == "Environment", "environment has its title")
    want(
        notify.get("type") == "boolean" and notify.get("default") is False,
        "notify is a boolean, default false",
    )
    want(schema.get("required") == ["environment"], "environment alone is required")


def form(step: Step, _wanted: JsonObject) -> None:
    """Item 6: the form and its answer."""
    want(len(step.replies) == 2, "two replies")
    params = question(step.replies[0], "target", "form")
    want(params.get("message") == "Which environment?", "the message as it was asked")
    deploy_form(params)
    complete(step.replies[1])


def form_again(step: Step, _wanted: JsonObject) -> None:
    """Item 6: a wrong answer asks again and says why."""
    want(len(step.replies) == 3, "three replies")
    first, second = (question(reply, "target", "form")["message"] for reply in step.replies[:2])
    want(first == "Which environment?", "the message as it was asked")
    want(second != first and first in second, "asked again with the reason beside the question")
    want("moon" not in second, "the wrong value is not repeated")
    complete(step.replies[2])


def asked(reply: Reply, requests: JsonObject, filled: JsonObject | None) -> None:
    """A reply that asks exactly this, with these values filled in; `requests` as in README.md."""
    status_is(reply, 200)
    result = reply.result
    want(result.get("resultType") == "input_required", "resultType is input_required")
    want(str(result.get("requestState")).startswith("me1."), "the state is a sealed token")
    came = result.get("inputRequests", {})
    want(list(came) == list(requests), f"the questions {list(requests)}, not {list(came)}")
    want(bool(requests) == ("inputRequests" in result), "inputRequests stands where there are any")
    for key, wanted in requests.items():
        method = wanted if isinstance(wanted, str) else "elicitation/create"
        want(came[key].get("method") == method, f"the request {key} is {method}")
        if not isinstance(wanted, str):
            fields = came[key]["params"]["requestedSchema"]["properties"]
            want(list(fields) == wanted, f"the form asks for {wanted}, not {list(fields)}")
            defaults = {name: it["default"] for name, it in fields.items() if "default" in it}
            want(filled in (None, defaults), f"{filled} is filled in, not {defaults}")


def policy(step: Step, wanted: JsonObject) -> None:
    """What a policy makes of a question: what was asked, and the kind of the last reply."""
    asks = wanted.get("asks", [])
    want(len(step.replies) == len(asks) + 1, f"{len(asks) + 1} replies, not {len(step.replies)}")
    filled = wanted.get("filled", [None] * len(asks))
    for reply, requests, values in zip(step.replies, asks, filled, strict=False):
        asked(reply, requests, values)
    last = step.replies[-1]
    error = wanted["expect"].get("error")
    if error is None:
        complete(last)
        is_error = last.result.get("isError", False)
        want(is_error == ("toolError" in wanted["expect"]), "isError as expected")
    else:
        status_is(last, 400)
        came = last.body.get("error", {})
        want(came.get("code") == error["code"], f"code {error['code']}")
        want(came.get("data") == error["data"], "data names the capability")


CHECKS: dict[str, Callable[[Step, JsonObject], None]] = {
    "sign-in": sign_in,
    "no-question": no_question,
    "declined-link": declined_link,
    "other-user": other_user,
    "missing-url": missing_url,
    "form": form,
    "form-again": form_again,
    "policy": policy,
}


def judge(script: list[JsonObject], output: str) -> list[tuple[str, str | None]]:
    """For each step of a script its name and what is wrong with it, or None."""
    steps = read(output)
    verdicts: list[tuple[str, str | None]] = []
    for number, wanted in enumerate(script):
        name = wanted["name"]
        try:
            want(number < len(steps), "the client did not come to this step")
            step = steps[number]
            want(step.title == name, f"the client printed the step {step.title!r} here")
            want(step.verdict is not None, "the client gave no verdict")
            want(str(step.verdict).startswith("ok "), str(step.verdict))
            want(
                len(step.calls) == wanted["rounds"],
                f"{wanted['rounds']} calls, not {len(step.calls)}",
            )
            want(len(step.replies) == len(step.calls), "a reply to each call")
            carried(step)
            CHECKS[wanted["item"]](step, wanted)
        except Miss as miss:
            verdicts.append((name, str(miss)))
        else:
            verdicts.append((name, None))
    return verdicts
