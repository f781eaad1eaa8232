"""Makes every entry of a build with the feature panic-probe panic once. Run by test_panics.py.

Each must raise an `ElicitError` of kind `internal`: no `PanicException`, which `except Exception`
lets pass, and no end of the interpreter. What is exported and stands in neither list below fails:
it must be put into one.
"""

from __future__ import annotations

import asyncio
import enum
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mcp_elicit
from mcp_elicit import ElicitError
from mcp_elicit import _native as the_native
from support import KEY, SCHEMA, TARGET, USER, Bench, accept, answered, request, text

#: For stores; gone when this ends.
FOLDER = tempfile.TemporaryDirectory()

_native: Any = the_native  # the stub knows nothing of _panic_next

#: These give what is stored, or pass on to what is probed; there is nothing in them to go wrong.
PLAIN = {
    "Call": {
        "_driver",
        "_settle",
        "_settle_raised",
        "aclaim",
        "acomplete",
        "arelease_claim",
        "astep",
    },
    "Claimed": {"result_json", "status"},
    "Choice": {"value", "title", "label"},
    "Coerced": {"value_json", "is_absent", "fault"},
    "Downgraded": {"form"},
    "Engine": {"arun", "audience", "limits"},
    "Answer": {"content_json", "dropped", "faults"},
    "ErrorInfo": {"kind", "code", "http_status", "message", "is_for_peer", "is_retryable"},
    "Event": {"level", "name", "reason", "message", "flow_id"},
    "Fault": {"path", "rule", "message"},
    "Field": {
        *("name", "title", "label", "description", "kind", "is_required", "is_sensitive"),
        *("choices", "min_length", "max_length", "format", "patterns", "min_items", "max_items"),
    },
    "Form": {"_with_reader", "messages"},
    "Limits": set(mcp_elicit.Limits().__repr__().replace("=", " ").replace("(", " ").split()),
    "MemoryStore": {"capacity"},
    "Need": {"name"},
    "SqliteStore": {"time_limit_ms"},
    "Normalized": {"form"},
    "Note": {"path", "fate", "message"},
    "Outcome": {"is_pending", "action", "source", "reason", "content_json"},
    "Principal": {"kind", "issuer", "subject", "client", "none", "single_user"},
    "Reply": {"body", "text", "status", "headers", "kind", "error_kind"},
    "_Play": {"end", "is_tool_error", "rounds"},
}


class Color(enum.Enum):
    RED = "red"


def outcome(*, answer: Any = None) -> Any:
    bench = Bench()
    call = bench.engine.open(request(), principal=USER)
    asked = call.elicit_form("target", "Which?", TARGET)
    if answer is None:
        return asked
    call = bench.engine.open(answered(call.suspend(), target=answer), principal=USER)
    return call.elicit_form("target", "Which?", TARGET)


def call() -> Any:
    opened = Bench().engine.open(request({"a": 1}), principal=USER)
    opened.elicit_form("target", "Which?", TARGET)
    return opened


def claiming() -> Any:
    """A call of an engine with a store."""
    store = mcp_elicit.MemoryStore()
    engine = mcp_elicit.Engine(keys=KEY, audience="x", store=store)
    return engine.open(request(), principal=USER)


def claimed() -> Any:
    """A claim that this call has not won."""
    first = claiming()
    first.claim(remember=True)
    return first.claim()


def need() -> Any:
    """A call, and the first thing that its claim needs."""
    call = claiming()
    return call, _native._claim_start(call, None, None, False)


def won() -> Any:
    call = claiming()
    call.claim()
    return call


def finishing() -> Any:
    call = won()
    return call, _native._complete_start(call, text("paid"), False)


def releasing() -> Any:
    call = won()
    return call, _native._release_start(call)


def sqlite() -> Any:
    return mcp_elicit.SqliteStore(Path(FOLDER.name) / "claims.db")


def operations(kind: type, make: Callable[[], Any]) -> dict[str, Any]:
    """Probes of the operations of a store."""
    life, none = 1, b""
    return {
        f"{kind.__name__}.get": (make, lambda it: it.get("a")),
        f"{kind.__name__}.put_if_absent": (make, lambda it: it.put_if_absent("a", none, life)),
        f"{kind.__name__}.compare_and_set": (
            make,
            lambda it: it.compare_and_set("a", none, none, life),
        ),
        f"{kind.__name__}.compare_and_delete": (
            make,
            lambda it: it.compare_and_delete("a", none),
        ),
    }


def play() -> Any:
    """A flow of a test host, at its first message."""
    return _native._Play(
        "tools/call",
        {"name": "deploy"},
        first_id=1,
        client_info=None,
        capabilities=None,
        http=True,
        param_headers=[],
        first_round_only=False,
        rounds=None,
        answers=[],
        otherwise=None,
    )


def played() -> Any:
    """The same after its first round."""
    flow = play()
    flow.receive(call().suspend().body)
    return flow


def probes() -> dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]]:
    """By name: what is made first, and the entry that must panic."""
    created = {"mode": "form", "message": "Which?", "requestedSchema": SCHEMA}
    url = "https://a.example/"

    def fresh() -> Any:
        return Bench().engine.open(request(), principal=USER)

    def engine() -> Any:
        return Bench().engine

    def envelope() -> Any:
        return engine().check(request())

    def handler(_: Any) -> Any:
        return text("done")

    def info() -> Any:
        return ElicitError("no", code=7, data={})._error

    def drive(coroutine: Any) -> Any:
        return asyncio.run(coroutine)

    def settle(ending: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Panics where the end of a handler is told, after its call was opened well."""

        def run(engine: Any) -> Any:
            def handler(call: Any) -> Any:
                _native._panic_next()
                return ending(call)

            return engine.run(request(), handler, principal=USER)

        return run

    def fail(_: Any) -> Any:
        raise ValueError

    async def work() -> int:
        return 1

    return {
        "Call.arguments": (call, lambda it: it.arguments),
        "Call.arguments_json": (call, lambda it: it.arguments_json),
        "Call.can_elicit": (call, lambda it: it.can_elicit("form")),
        "Call.client_info": (call, lambda it: it.client_info),
        "Call.complete": (fresh, lambda it: it.complete(text("done"))),
        "Call.claim": (claiming, lambda it: it.claim()),
        "Call.release_claim": (claiming, lambda it: it.release_claim()),
        "Call.has_claim": (fresh, lambda it: it.has_claim),
        "Call.idempotency_key": (fresh, lambda it: it.idempotency_key),
        "Call._settle_start": (fresh, lambda it: it._settle_start(text("done"))),
        "aclaim": (claiming, lambda it: drive(it.aclaim())),
        "acomplete": (fresh, lambda it: drive(it.acomplete(text("done")))),
        "arelease_claim": (claiming, lambda it: drive(it.arelease_claim())),
        "Claimed.result": (claimed, lambda it: it.result),
        "Need.arguments": (lambda: need()[1], lambda it: it.arguments),
        "_claim_start": (claiming, lambda it: _native._claim_start(it, None, None, False)),
        "_claim_next": (need, lambda it: _native._claim_next(*it, None)),
        "_complete_start": (won, lambda it: _native._complete_start(it, text("paid"), False)),
        "_complete_end": (finishing, lambda it: _native._complete_end(*it, True)),
        "_release_start": (won, lambda it: _native._release_start(it)),
        "_release_end": (releasing, lambda it: _native._release_end(*it, True)),
        "_store_failed": (claiming, lambda it: _native._store_failed(it, ValueError())),
        "_store_key": (lambda: None, lambda _: _native._store_key("a")),
        "_error_info": (
            lambda: None,
            lambda _: _native._error_info("internal", 1, "no", None, None, False, []),
        ),
        "ErrorInfo, pickled": (info, lambda it: it.__reduce__()),
        "_time_limit": (lambda: None, lambda _: _native._time_limit(1)),
        "MemoryStore": (lambda: None, lambda _: mcp_elicit.MemoryStore(1)),
        "SqliteStore": (lambda: None, lambda _: sqlite()),
        **operations(mcp_elicit.MemoryStore, mcp_elicit.MemoryStore),
        **operations(mcp_elicit.SqliteStore, sqlite),
        "Call._record_step": (fresh, lambda it: it._record_step("a", 1, False)),
        "Call._step_result": (fresh, lambda it: it._step_result("a")),
        "Call.app_data": (fresh, lambda it: it.app_data),
        "Call.app_data, set": (fresh, lambda it: setattr(it, "app_data", b"")),
        "Call.client_capabilities": (fresh, lambda it: it.client_capabilities),
        "Call.create_message": (fresh, lambda it: it.create_message("a", {})),
        "Call.list_roots": (fresh, lambda it: it.list_roots("a")),
        "Call.protocol_version": (fresh, lambda it: it.protocol_version),
        "Call.retry_later": (fresh, lambda it: it.retry_later()),
        "Call._end_to_retry": (fresh, lambda it: it._end_to_retry()),
        "Call.step": (fresh, lambda it: it.step("a", lambda: 1)),
        "Call.elicit": (fresh, lambda it: it.elicit("a", created)),
        "Call.elicit_form": (fresh, lambda it: it.elicit_form("a", "Which?", TARGET)),
        "Call.elicit_url": (fresh, lambda it: it.elicit_url("a", "Go.", url, False)),
        "Call.fail": (fresh, lambda it: it.fail(7, "no")),
        "Call.flow_id": (call, lambda it: it.flow_id),
        "Call.is_pending": (call, lambda it: it.is_pending),
        "Call.method": (call, lambda it: it.method),
        "Call.principal": (call, lambda it: it.principal),
        "Call.round": (call, lambda it: it.round),
        "Call.suspend": (call, lambda it: it.suspend()),
        "Call.target": (call, lambda it: it.target),
        "Engine": (lambda: None, lambda _: mcp_elicit.Engine(keys=KEY, audience="x")),
        "Engine.from_env": (lambda: None, lambda _: mcp_elicit.Engine.from_env(audience="x")),
        "Engine._begin": (engine, lambda it: it._begin(request(), USER, None, None)),
        "Engine.check": (engine, lambda it: it.check(request())),
        "Engine.open": (engine, lambda it: it.open(request(), principal=USER)),
        "Engine.open_params": (engine, lambda it: it.open_params("a", {}, principal=USER)),
        "Engine.run": (engine, lambda it: it.run(request(), handler, principal=USER)),
        "run, at its end": (engine, lambda it: settle(lambda _: text("done"))(it)),
        "run, after an exception": (engine, lambda it: settle(fail)(it)),
        "astep": (fresh, lambda it: drive(it.astep("a", work))),
        "arun": (engine, lambda it: drive(it.arun(request(), handler, principal=USER))),
        "Envelope.can_elicit": (envelope, lambda it: it.can_elicit("form")),
        "Envelope.client_info": (envelope, lambda it: it.client_info),
        "Envelope.id": (envelope, lambda it: it.id),
        "Envelope.id_json": (envelope, lambda it: it.id_json),
        "Envelope.method": (envelope, lambda it: it.method),
        "Envelope.params": (envelope, lambda it: it.params),
        "ErrorInfo": (lambda: None, lambda _: ElicitError("no", code=7)),
        "ErrorInfo.data": (info, lambda it: it.data),
        "ErrorInfo.faults": (info, lambda it: it.faults),
        "ErrorInfo.reply": (info, lambda it: it.reply),
        "Form": (lambda: None, lambda _: mcp_elicit.Form(SCHEMA)),
        "Form._printed": (lambda: None, lambda _: _native.Form._printed(SCHEMA, None, None)),
        "Form.builder": (lambda: None, lambda _: mcp_elicit.Form.builder()),
        "Form.coerce": (lambda: TARGET, lambda it: it.coerce({})),
        "Form.defaults": (lambda: TARGET, lambda it: it.defaults()),
        "Form.downgrade": (lambda: TARGET, lambda it: it.downgrade("2025-06-18")),
        "Form.explain": (lambda: None, lambda _: mcp_elicit.Form.explain(SCHEMA)),
        "Form.field": (lambda: TARGET, lambda it: it.field("environment")),
        "Form.fields": (lambda: TARGET, lambda it: it.fields),
        "Form.for_type": (lambda: TARGET, lambda it: it.for_type({})),
        "Form.message_warning": (lambda: TARGET, lambda it: it.message_warning("Which?")),
        "Form.normalize": (lambda: None, lambda _: mcp_elicit.Form.normalize(SCHEMA)),
        "Form.of": (lambda: None, lambda _: mcp_elicit.Form.of(Color)),
        "Form.report": (lambda: TARGET, lambda it: it.report),
        "Form.wire_again": (lambda: TARGET, lambda it: it.wire_again({}, [])),
        "Form.wire_with_defaults": (lambda: TARGET, lambda it: it.wire_with_defaults({})),
        "Form.with_defaults": (lambda: TARGET, lambda it: it.with_defaults({})),
        "FormBuilder.boolean": (mcp_elicit.Form.builder, lambda it: it.boolean("a")),
        "FormBuilder.build": (mcp_elicit.Form.builder, lambda it: it.build()),
        "FormBuilder.choice": (mcp_elicit.Form.builder, lambda it: it.choice("a", ["b"])),
        "FormBuilder.choices": (mcp_elicit.Form.builder, lambda it: it.choices("a", ["b"])),
        "FormBuilder.integer": (mcp_elicit.Form.builder, lambda it: it.integer("a")),
        "FormBuilder.number": (mcp_elicit.Form.builder, lambda it: it.number("a")),
        "FormBuilder.string": (mcp_elicit.Form.builder, lambda it: it.string("a")),
        "Field.coerce": (lambda: TARGET.fields[0], lambda it: it.coerce("dev")),
        "Field.default_value": (lambda: TARGET.fields[0], lambda it: it.default_value),
        "Field.maximum": (lambda: TARGET.fields[0], lambda it: it.maximum),
        "Field.minimum": (lambda: TARGET.fields[0], lambda it: it.minimum),
        "Field.print": (lambda: TARGET.fields[0], lambda it: it.print("dev")),
        "Coerced.value": (lambda: TARGET.fields[0].coerce("dev"), lambda it: it.value),
        "Downgraded.lost": (lambda: TARGET.downgrade("2025-06-18"), lambda it: it.lost),
        "Normalized.faults": (lambda: mcp_elicit.Form.explain(SCHEMA), lambda it: it.faults),
        "Normalized.notes": (lambda: mcp_elicit.Form.explain(SCHEMA), lambda it: it.notes),
        "Form.source": (lambda: TARGET, lambda it: it.source),
        "Form.validate": (lambda: TARGET, lambda it: it.validate({})),
        "Form.warnings": (lambda: TARGET, lambda it: it.warnings),
        "Form.wire": (lambda: TARGET, lambda it: it.wire),
        "Answer.content": (lambda: TARGET.validate({}), lambda it: it.content),
        "Outcome.content": (
            lambda: outcome(answer=accept(environment="dev")),
            lambda it: it.content,
        ),
        "Outcome.faults": (lambda: outcome(answer={"action": "cancel"}), lambda it: it.faults),
        "Principal": (lambda: None, lambda _: mcp_elicit.Principal("a", "b", "c")),
        "Reply.dict": (lambda: call().suspend(), lambda it: it.dict),
        "keygen": (lambda: None, lambda _: mcp_elicit.keygen()),
        "_Play": (lambda: None, lambda _: play()),
        "_Play.attack": (played, lambda it: it.attack("replay", None, 2)),
        "_Play.begin_response": (play, lambda it: it.begin_response(200, None)),
        "_Play.decide": (play, lambda it: it.decide(None)),
        "_Play.error": (played, lambda it: it.error),
        "_Play.finish": (play, lambda it: it.finish()),
        "_Play.give_up": (play, lambda it: it.give_up("why")),
        "_Play.held": (played, lambda it: it.held("replay", None)),
        "_Play.messages": (played, lambda it: it.messages),
        "_Play.push": (play, lambda it: it.push(b"")),
        "_Play.questions": (played, lambda it: it.questions),
        "_Play.receive": (play, lambda it: it.receive(b"{}")),
        "_Play.result": (played, lambda it: it.result),
        "_Play.step": (play, lambda it: it.step()),
        "_Play.text": (played, lambda it: it.text()),
        "_Play.transcript": (played, lambda it: it.transcript),
        "_Play.usual_attacks": (played, lambda it: it.usual_attacks()),
        "_Play.why_not": (played, lambda it: it.why_not),
    }


def exported() -> set[str]:
    """Everything that can be called or read, but for what `object` has."""
    names = {"keygen"}
    for cls_name in _native.__all__:
        cls = getattr(_native, cls_name)
        if isinstance(cls, type):
            members = {name for name in vars(cls) if not name.startswith("__")}
            members -= PLAIN.get(cls_name, set())
            names |= {f"{cls_name}.{name}" for name in members}
    return names


def main() -> int:
    """Runs every probe; how many failed."""
    failed = 0
    known = probes()
    for name in sorted(exported() - set(known)):
        failed += 1
        print(f"not ok {name}: neither probed nor plain")
    for name, (make, entry) in known.items():
        made = make()
        _native._panic_next()
        try:
            entry(made)
        except ElicitError as error:
            if error.kind == "internal":
                continue
            print(f"not ok {name}: {error!r}")
        except BaseException as error:
            print(f"not ok {name}: {error!r}")
        else:
            print(f"not ok {name}: nothing was raised")
        failed += 1
    print(f"{len(known)} probes, {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
