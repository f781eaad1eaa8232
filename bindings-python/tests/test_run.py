"""`run` and `arun`: whatever a handler does, the reply is right, and nothing is hidden."""

from __future__ import annotations

import asyncio
import contextlib
import traceback
from collections.abc import Awaitable, Callable, Generator
from typing import Any

import anyio
import pytest
from mcp_elicit import Call, ElicitError, Outcome, Principal, Reply, SchemaError, Suspended
from support import SCHEMA, TARGET, USER, Bench, accept, answered, request, text

Handler = Callable[[Call], Any]
TaskGroup: Any = getattr(asyncio, "TaskGroup", None)
needs_task_group = pytest.mark.skipif(TaskGroup is None, reason="Python 3.10 has no TaskGroup")


def ask(call: Call, key: str = "target") -> Outcome:
    return call.elicit_form(key, "Which environment?", TARGET)


def run(bench: Bench, message: Any, handler: Handler) -> Reply:
    return bench.engine.run(message, handler, principal=USER)


def arun(bench: Bench, message: Any, handler: Handler) -> Reply:
    """`arun` with the handler made a coroutine function, driven by hand: no loop is needed."""

    async def awaited(call: Call) -> Any:
        return handler(call)

    reply: Reply = drive(bench.engine.arun(message, awaited, principal=USER))
    return reply


def arun_sync(bench: Bench, message: Any, handler: Handler) -> Reply:
    reply: Reply = drive(bench.engine.arun(message, handler, principal=USER))
    return reply


def drive(awaitable: Awaitable[Any]) -> Any:
    """The least event loop that there can be."""
    generator: Generator[Any, Any, Any] = awaitable.__await__()
    while True:
        try:
            next(generator)
        except StopIteration as stop:
            return stop.value


ways = pytest.mark.parametrize("way", [run, arun, arun_sync])
Way = Callable[[Bench, Any, Handler], Reply]


class OwnError(Exception):
    pass


@ways
class TestEnds:
    def test_reading_a_pending_outcome_suspends(self, way: Way) -> None:
        after: list[str] = []

        def handler(call: Call) -> dict[str, Any]:
            target = ask(call)
            assert target.is_pending
            try:
                after.append(target.action)
            except Exception:
                after.append("caught")
            finally:
                after.append("finally")
            return text("unreachable")

        bench = Bench()
        reply = way(bench, request(), handler)
        assert (reply.kind, reply.status) == ("input_required", 200)
        assert list(reply.dict["result"]["inputRequests"]) == ["target"]
        assert after == ["finally"]
        assert bench.log == []

    @pytest.mark.parametrize("name", ["action", "content", "content_json", "source", "faults"])
    def test_every_reading_suspends(self, way: Way, name: str) -> None:
        reply = way(Bench(), request(), lambda call: getattr(ask(call), name))
        assert reply.kind == "input_required"

    def test_matching_suspends(self, way: Way) -> None:
        def handler(call: Call) -> dict[str, Any]:
            match ask(call):
                case Outcome(action="accept", content=content):
                    return text(content["environment"])
                case Outcome("decline"):
                    return text("declined")
                case _:
                    return text("other")

        bench = Bench()
        asked = way(bench, request(), handler)
        for answer, words in (
            (accept(environment="dev"), "dev"),
            ({"action": "decline"}, "declined"),
            ({"action": "cancel"}, "other"),
        ):
            reply = way(bench, answered(asked, target=answer), handler)
            assert reply.dict["result"] == {"resultType": "complete", **text(words)}

    def test_a_swallowed_suspension_still_asks(self, way: Way) -> None:
        def handler(call: Call) -> dict[str, Any]:
            try:
                return text(ask(call).action)
            except BaseException:
                return text("finished by mistake")

        bench = Bench()
        assert way(bench, request(), handler).kind == "input_required"
        assert bench.logged == [("suspension_swallowed", "result")]

    @pytest.mark.parametrize("returned", [None, 7, object(), float("nan"), {"a": object()}])
    def test_a_swallowed_suspension_still_asks_whatever_is_returned(
        self, way: Way, returned: object
    ) -> None:
        def handler(call: Call) -> Any:
            with contextlib.suppress(BaseException):
                assert ask(call).action
            return returned

        bench = Bench()
        assert way(bench, request(), handler).kind == "input_required"
        assert bench.logged == [("suspension_swallowed", "result")]

    def test_another_exception_in_its_place_still_asks(self, way: Way) -> None:
        def handler(call: Call) -> dict[str, Any]:
            try:
                return text(ask(call).action)
            except BaseException as caught:
                raise OwnError from caught

        bench = Bench()
        assert way(bench, request(), handler).kind == "input_required"
        assert bench.logged == [("suspension_swallowed", "exception")]

    def test_a_question_left_open_is_asked(self, way: Way) -> None:
        def handler(call: Call) -> dict[str, Any]:
            ask(call)
            return text("finished by mistake")

        bench = Bench()
        assert way(bench, request(), handler).kind == "input_required"
        assert bench.logged == [("question_left_open", "result")]

    def test_several_questions_go_out_together(self, way: Way) -> None:
        def handler(call: Call) -> dict[str, Any]:
            first, second = ask(call, "first"), ask(call, "second")
            return text(f"{first.action} {second.action}")

        bench = Bench()
        asked = way(bench, request(), handler)
        assert list(asked.dict["result"]["inputRequests"]) == ["first", "second"]
        again = answered(asked, first=accept(environment="dev"), second={"action": "decline"})
        assert way(bench, again, handler).dict["result"]["content"][0]["text"] == "accept decline"

    def test_its_own_exception_goes_on_as_it_is(self, way: Way) -> None:
        own = OwnError("words")

        def handler(call: Call) -> dict[str, Any]:
            assert ask(call).is_pending  # asked, not read: nothing is hidden
            raise own

        with pytest.raises(OwnError) as raised:
            way(Bench(), request(), handler)
        assert raised.value is own
        assert "handler" in [frame.name for frame in traceback.extract_tb(own.__traceback__)]

    @pytest.mark.parametrize("ending", [KeyboardInterrupt, SystemExit, GeneratorExit])
    def test_what_ends_the_program_is_not_answered(
        self, way: Way, ending: type[BaseException]
    ) -> None:
        def handler(call: Call) -> dict[str, Any]:
            with contextlib.suppress(BaseException):
                assert ask(call).action
            raise ending

        with pytest.raises(ending):
            way(Bench(), request(), handler)

    def test_an_error_of_the_application_is_a_reply(self, way: Way) -> None:
        def handler(_: Call) -> dict[str, Any]:
            raise ElicitError("No such account", code=4004, data={"account": "acme"})

        reply = way(Bench(), request(), handler)
        error = {"code": 4004, "message": "No such account", "data": {"account": "acme"}}
        assert (reply.kind, reply.error_kind, reply.status) == ("error", "application", 200)
        assert reply.dict == {"jsonrpc": "2.0", "id": 1, "error": error}

    def test_fail_is_a_reply_too(self, way: Way) -> None:
        reply = way(Bench(), request(), lambda call: call.fail(4004, "No such account"))
        assert reply.dict["error"] == {"code": 4004, "message": "No such account"}

    def test_a_code_of_the_protocols_own_is_the_servers_fault(self, way: Way) -> None:
        def handler(_: Call) -> dict[str, Any]:
            raise ElicitError("no", code=-32021)

        with pytest.raises(ElicitError) as raised:
            way(Bench(), request(), handler)
        assert raised.value.kind == "invalid_result"
        assert raised.value.reply is not None
        assert raised.value.reply.dict["error"] == {"code": -32603, "message": "Internal error"}

    def test_a_question_that_cannot_be_asked_is_the_servers_fault(self, way: Way) -> None:
        def handler(call: Call) -> dict[str, Any]:
            return text(call.elicit_form("target", "Which?", {"type": "array"}).action)

        with pytest.raises(SchemaError) as raised:
            way(Bench(), request(), handler)
        names = [frame.name for frame in traceback.extract_tb(raised.value.__traceback__)]
        assert "handler" in names  # the very exception that was raised there

    def test_a_result_of_its_own_making(self, way: Way) -> None:
        results: list[Any] = [text("done"), '{"content":[{"type":"text","text":"done"}]}']
        for result in results:
            reply = way(Bench(), request(), lambda _: result)  # noqa: B023 - it is run at once
            assert reply.dict["result"] == {"resultType": "complete", **text("done")}
        reply = way(Bench(), request(), lambda call: call.complete(text("done")))
        assert reply.dict["result"] == {"resultType": "complete", **text("done")}

    @pytest.mark.parametrize("result", [None, 7, [], b"{}", object()])
    def test_what_is_no_result_is_a_type_error(self, way: Way, result: Any) -> None:
        with pytest.raises(TypeError, match="a handler returns"):
            way(Bench(), request(), lambda _: result)

    @pytest.mark.parametrize(
        ("result", "kind"),
        [
            ({"resultType": "task"}, "invalid_result"),
            ("[]", "invalid_result"),
            ("{", "invalid_argument"),
            ({"a": float("nan")}, "invalid_argument"),
            ({"a": "\ud800"}, "invalid_argument"),
        ],
    )
    def test_a_result_that_cannot_be_sent(self, way: Way, result: Any, kind: str) -> None:
        with pytest.raises(ElicitError) as raised:
            way(Bench(), request(), lambda _: result)
        assert raised.value.kind == kind

    def test_a_reply_of_another_call_is_refused(self, way: Way) -> None:
        bench = Bench()
        other = bench.engine.open(request(), principal=USER).complete(text("done"))
        with pytest.raises(ElicitError) as raised:
            way(bench, request(), lambda _: other)
        assert raised.value.kind == "invalid_result"

    def test_a_call_is_finished_once(self, way: Way) -> None:
        def handler(call: Call) -> dict[str, Any]:
            call.complete(text("done"))
            return text("again")

        with pytest.raises(ElicitError) as raised:
            way(Bench(), request(), handler)
        assert raised.value.kind == "finished"

    def test_a_suspension_of_another_call_is_not_answered_here(self, way: Way) -> None:
        bench = Bench()
        stray = ask(bench.engine.open(request(), principal=USER))
        with pytest.raises(ElicitError) as raised:
            way(bench, request(), lambda _: text(stray.action))
        assert raised.value.kind == "nothing_asked"

    def test_a_missing_capability_is_a_reply(self, way: Way) -> None:
        reply = way(Bench(), request(capabilities={}), lambda call: text(ask(call).action))
        assert (reply.error_kind, reply.status) == ("missing_capability", 400)
        assert reply.dict["error"]["data"] == {
            "requiredCapabilities": {"elicitation": {"form": {}}}
        }

    def test_unicode_everywhere(self, way: Way) -> None:
        words = 'zwölf \U0001f600 \u2028 \0 \x7f " \\ \r\n </script>'
        schema = {
            "type": "object",
            "properties": {words: {"type": "string", "title": words}},
        }

        def handler(call: Call) -> dict[str, Any]:
            answer = call.elicit_form("schlüssel", words, schema)
            return {"content": [], "structuredContent": {words: answer.content}}

        bench = Bench()
        asked = way(bench, request({words: words}), handler)
        assert b"\n" not in asked.body
        sent = asked.dict["result"]["inputRequests"]["schlüssel"]["params"]
        assert (sent["message"], sent["requestedSchema"]) == (words, schema)
        state = asked.dict["result"]["requestState"]
        answers = {"schlüssel": {"action": "accept", "content": {words: words}}}
        again = request({words: words}, inputResponses=answers, requestState=state)
        reply = way(bench, again, handler)
        assert reply.dict["result"]["structuredContent"] == {words: {words: words}}
        assert reply.text.encode() == reply.body


def test_an_async_handler_needs_arun() -> None:
    async def handler(_: Call) -> dict[str, Any]:
        return text("done")

    with (
        pytest.warns(RuntimeWarning, match="never awaited"),
        pytest.raises(TypeError, match="arun"),
    ):
        Bench().engine.run(request(), handler, principal=USER)  # type: ignore[arg-type]


class TestTasks:
    """A handler that asks from tasks of its own, under the loops that there are."""

    async def _gather(self, call: Call) -> dict[str, Any]:
        async def one(key: str) -> str:
            outcome = ask(call, key)
            await asyncio.sleep(0)  # all are asked before one is read
            return outcome.action

        return text(" ".join(await asyncio.gather(one("first"), one("second"))))

    async def _task_group(self, call: Call) -> dict[str, Any]:
        actions: dict[str, str] = {}

        async def one(key: str) -> None:
            outcome = ask(call, key)
            await anyio.lowlevel.checkpoint()
            actions[key] = outcome.action

        async with anyio.create_task_group() as group:
            group.start_soon(one, "first")
            group.start_soon(one, "second")
        return text(" ".join(actions.values()))

    @pytest.mark.parametrize("name", ["_gather", "_task_group"])
    def test_questions_of_several_tasks_go_out_together(self, name: str) -> None:
        bench = Bench()
        handler = getattr(self, name)

        async def play() -> Reply:
            asked = await bench.engine.arun(request(), handler, principal=USER)
            assert sorted(asked.dict["result"]["inputRequests"]) == ["first", "second"]
            again = answered(asked, first=accept(environment="dev"), second={"action": "cancel"})
            return await bench.engine.arun(again, handler, principal=USER)

        reply = asyncio.run(play())
        assert sorted(reply.dict["result"]["content"][0]["text"].split()) == ["accept", "cancel"]
        assert bench.log == []

    @needs_task_group
    @pytest.mark.parametrize("beside", [None, OwnError])
    def test_a_task_group_wraps_the_suspension(self, beside: type[Exception] | None) -> None:
        async def handler(call: Call) -> dict[str, Any]:
            async def suspend() -> None:
                try:
                    assert ask(call).action
                finally:
                    await asyncio.sleep(0)

            async def fail() -> None:
                if beside:
                    raise beside

            async with TaskGroup() as group:
                group.create_task(suspend())
                group.create_task(fail())
            return text("unreachable")

        bench = Bench()
        reply = asyncio.run(bench.engine.arun(request(), handler, principal=USER))
        assert reply.kind == "input_required"
        # What was raised beside it is hidden by the reply, and told.
        assert bench.logged == ([("suspension_swallowed", "exception")] if beside else [])

    @needs_task_group
    def test_a_group_without_a_suspension_goes_on_as_it_is(self) -> None:
        async def fail() -> None:
            raise OwnError

        async def handler(_: Call) -> dict[str, Any]:
            async with TaskGroup() as group:
                group.create_task(fail())
            return text("done")

        with pytest.raises(Exception) as raised:  # noqa: PT011 - an ExceptionGroup
            asyncio.run(Bench().engine.arun(request(), handler, principal=USER))
        group: Any = raised.value
        assert [type(inner) for inner in group.exceptions] == [OwnError]

    def test_an_exception_that_pretends_to_be_a_group_of_itself(self) -> None:
        class LoopError(Exception):
            @property
            def exceptions(self) -> tuple[Exception, ...]:
                return (self, self)

        class DeepError(Exception):
            exceptions: Any = ()

        deep = DeepError()
        for _ in range(10_000):
            outer = DeepError()
            outer.exceptions = (deep,)
            deep = outer
        for wrong in (LoopError(), deep):

            def handler(_: Call) -> Any:
                raise wrong  # noqa: B023 - it is run at once

            with pytest.raises(type(wrong)):
                run(Bench(), request(), handler)

    def test_a_cancellation_passes_through(self) -> None:
        async def handler(call: Call) -> dict[str, Any]:
            with contextlib.suppress(Suspended):
                assert ask(call).action
            await asyncio.sleep(60)
            return text("done")

        async def play() -> None:
            task = asyncio.ensure_future(
                Bench().engine.arun(request(), handler, principal=USER),
            )
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            task.cancel()
            await task

        with pytest.raises(asyncio.CancelledError):
            asyncio.run(play())

    def test_arun_is_lazy_like_any_coroutine(self) -> None:
        called: list[Call] = []
        coroutine = Bench().engine.arun(request(), called.append, principal=USER)  # type: ignore[arg-type]
        coroutine.close()
        assert called == []


def test_a_handler_may_run_another_call() -> None:
    bench = Bench()

    def outer(call: Call) -> dict[str, Any]:
        inner = bench.engine.run(
            request(), lambda c: text(ask(c).action), principal=Principal.none()
        )
        return text(f"{inner.kind} {call.round}")

    reply = run(bench, request(), outer)
    assert reply.dict["result"]["content"][0]["text"] == "input_required 1"


def test_the_schema_as_dict_and_as_form_are_one_question() -> None:
    bench = Bench()
    asked = run(bench, request(), lambda call: text(ask(call).action))

    def handler(call: Call) -> dict[str, Any]:
        return text(call.elicit_form("target", "Which environment?", SCHEMA).action)

    reply = run(bench, answered(asked, target=accept(environment="dev")), handler)
    assert reply.dict["result"]["content"][0]["text"] == "accept"
