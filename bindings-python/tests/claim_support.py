"""What the tests of claims share: an engine with a store, and flows that are ready to claim."""

from __future__ import annotations

import time
from typing import Any

from mcp_elicit import Call, Engine
from support import KEY, USER, Clock, accept, request, text

SURE = {"type": "object", "properties": {"note": {"type": "string", "title": "Note"}}}


class World:
    """An engine with a store, its clock, and what it logged."""

    def __init__(self, store: Any, **options: Any) -> None:
        self.store = store
        self.clock = Clock(int(time.time() * 1000))
        self.log: list[str] = []
        self.engine = Engine(
            keys=KEY,
            audience="payments",
            store=store,
            clock=self.clock,
            log=lambda event: self.log.append(event.name),
            **options,
        )

    def begin(self) -> dict[str, Any]:
        """The request of the second round of a new flow, in which the person has said yes."""
        asked = self.engine.run(request(name="pay"), sure, principal=USER)
        state = asked.dict["result"]["requestState"]
        return request(name="pay", inputResponses={"sure": accept()}, requestState=state)

    def open(self, message: dict[str, Any]) -> Call:
        call = self.engine.open(message, principal=USER)
        sure(call)
        return call

    def claim(self, message: dict[str, Any], **options: Any) -> tuple[Call, str]:
        call = self.open(message)
        return call, call.claim(**options).status


def sure(call: Call) -> dict[str, Any]:
    assert call.elicit_form("sure", "Pay?", SURE).action == "accept"
    return text("not reached in the first round")


PAID = text("Paid.")
