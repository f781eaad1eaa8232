"""`Engine`: how it is configured, what it takes, its hooks, threads."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from mcp_elicit import (
    Call,
    ConfigError,
    ElicitError,
    Engine,
    Event,
    Limits,
    NotACallError,
    Outcome,
    Principal,
    RequestError,
    keygen,
)
from support import KEY, TARGET, USER, Bench, Clock, accept, answered, printed, request, text

SECRET = bytes.fromhex(KEY)
OTHER = "f0e1d2c3b4a5968778695a4b3c2d1e0f" * 2


def deploy(call: Call) -> dict[str, Any]:
    target = call.elicit_form("target", "Which environment?", TARGET)
    return text(target.content["environment"] if target.action == "accept" else target.action)


class TestKeys:
    @pytest.mark.parametrize(
        "keys",
        [KEY, f"{KEY},{OTHER}", [KEY], (KEY, OTHER), [SECRET], [SECRET, bytes(range(1, 33))]],
    )
    def test_every_spelling_of_the_same_key_opens_its_state(self, keys: Any) -> None:
        asked = Bench(keys=KEY).engine.run(request(), deploy, principal=USER)
        again = answered(asked, target=accept(environment="dev"))
        reply = Bench(keys=keys).engine.run(again, deploy, principal=USER)
        assert reply.kind == "complete"

    def test_an_old_key_still_opens_and_the_new_one_seals(self) -> None:
        asked = Bench(keys=[KEY]).engine.run(request(), deploy, principal=USER)
        both = Bench(keys=[OTHER, KEY]).engine
        reasked = both.run(answered(asked), deploy, principal=USER)
        again = answered(reasked, target=accept(environment="dev"))
        assert Bench(keys=[OTHER]).engine.run(again, deploy, principal=USER).kind == "complete"
        assert Bench(keys=[KEY]).engine.run(again, deploy, principal=USER).kind == "error"

    @pytest.mark.parametrize("keys", [[], [""], "", "short", [b"short"], [b"\0" * 32], "é" * 64])
    def test_weak_keys_are_refused(self, keys: Any) -> None:
        with pytest.raises(ConfigError) as refused:
            Engine(keys=keys, audience="deployer")
        assert refused.value.kind == "config"

    @pytest.mark.parametrize("keys", [SECRET, 7, [SECRET, KEY], [7], [None], {"a": 1}.items()])
    def test_what_is_no_list_of_keys_is_a_type_error(self, keys: Any) -> None:
        with pytest.raises(TypeError, match="keys are"):
            Engine(keys=keys, audience="deployer")

    def test_an_engine_without_keys_is_asked_for_by_name(self) -> None:
        with pytest.raises(ConfigError):
            Engine(audience="deployer")
        heard: list[Event] = []
        Engine(audience="deployer", ephemeral=True, log=heard.append)
        assert [(event.level, event.name) for event in heard] == [("warning", "ephemeral_keys")]
        with pytest.raises(ConfigError):
            Engine(audience="deployer", ephemeral=True, keys=KEY)

    def test_from_env(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("MCP_ELICIT_KEYS", raising=False)
        with pytest.raises(ConfigError):
            Engine.from_env(audience="deployer")
        monkeypatch.setenv("MCP_ELICIT_KEYS", f"{OTHER},{KEY}")
        clock = Clock()
        engine = Engine.from_env(audience="deployer", clock=clock, limits=Limits(reasks=1))
        assert (engine.audience, engine.limits) == ("deployer", Limits(reasks=1))
        asked = Bench(keys=KEY).engine.run(request(), deploy, principal=USER)
        again = answered(asked, target=accept(environment="dev"))
        assert engine.run(again, deploy, principal=USER).kind == "complete"

    def test_keygen_makes_a_key_that_is_taken(self) -> None:
        made = {keygen() for _ in range(3)}
        assert len(made) == 3
        assert Engine(keys=sorted(made), audience="deployer").audience == "deployer"


class TestConfiguration:
    @pytest.mark.parametrize("audience", ["", "x" * 257])
    def test_an_audience_is_needed(self, audience: str) -> None:
        with pytest.raises(ConfigError):
            Engine(keys=KEY, audience=audience)

    def test_limits(self) -> None:
        limits = Limits(round_ttl_ms=5, depth=9)
        assert (limits.round_ttl_ms, limits.depth, limits.reasks) == (5, 9, Limits().reasks)
        assert limits == Limits(depth=9, round_ttl_ms=5) != Limits()
        assert Engine(keys=KEY, audience="x", limits=limits).limits == limits
        assert "round_ttl_ms=5" in repr(limits)
        with pytest.raises(ConfigError):
            Engine(keys=KEY, audience="x", limits=Limits(depth=0))
        for number in (-1, 1 << 16, 1 << 80, -(1 << 80)):
            with pytest.raises(ConfigError, match="reasks"):
                Limits(reasks=number)
        for name in ("round_ttl_ms", "flow_ttl_ms"):
            for life in (0, -1, 1 << 63, 1 << 80, 366 * 24 * 3_600_000 + 1):
                with pytest.raises(ConfigError, match=name):
                    Engine(keys=KEY, audience="x", limits=Limits(**{name: life}))
            for no_number in (float("nan"), float("inf"), -float("inf"), 0.0):
                with pytest.raises(TypeError, match=name):
                    Limits(**{name: no_number})  # type: ignore[arg-type]
        for wrong in (True, 1.0, "1", b"1"):
            with pytest.raises(TypeError, match="reasks"):
                Limits(reasks=wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            Limits(5)  # type: ignore[call-arg]

    def test_server_info_is_in_every_result(self) -> None:
        bench = Bench(server_info={"name": "deployer", "version": "1"})
        asked = bench.engine.run(request(), deploy, principal=USER)
        again = answered(asked, target=accept(environment="dev"))
        for reply in (asked, bench.engine.run(again, deploy, principal=USER)):
            meta = reply.dict["result"]["_meta"]
            info = {"name": "deployer", "version": "1"}
            assert meta == {"io.modelcontextprotocol/serverInfo": info}
        with pytest.raises(ConfigError):
            Bench(server_info={"name": "deployer"})

    @pytest.mark.parametrize("hook", ["clock", "random", "log"])
    def test_a_hook_is_a_callable(self, hook: str) -> None:
        with pytest.raises(TypeError, match=hook):
            Engine(keys=KEY, audience="x", **{hook: 7})  # type: ignore[arg-type]


class TestPrincipal:
    def test_there_is_no_default(self) -> None:
        engine: Any = Bench().engine
        for entry, given in (
            (engine.run, (request(), deploy)),
            (engine.arun, (request(), deploy)),
            (engine.open, (request(),)),
            (engine.open_params, ("tools/call", {})),
        ):
            with pytest.raises(TypeError, match="principal"):
                entry(*given)

    @pytest.mark.parametrize("given", [("", "a", "b"), ("a", "", "b"), ("a", "b", "")])
    def test_no_part_is_empty(self, given: tuple[str, str, str]) -> None:
        with pytest.raises(ElicitError) as refused:
            Principal(*given)
        assert refused.value.kind == "invalid_argument"

    @pytest.mark.parametrize("who", [USER, Principal.single_user(), Principal.none()])
    def test_goes_to_the_workers_of_a_pool(self, who: Principal) -> None:
        assert pickle.loads(pickle.dumps(who)) == copy.deepcopy(who) == who  # noqa: S301

    def test_equal_where_all_parts_are(self) -> None:
        assert Principal("https://login.example", "alice", "client-1") == USER
        assert len({USER, Principal.none(), Principal.single_user(), Principal.none()}) == 3
        assert (USER.kind, USER.issuer, USER.subject, USER.client) == (
            "user",
            "https://login.example",
            "alice",
            "client-1",
        )
        assert (Principal.none().kind, Principal.none().subject) == ("none", None)

    def test_repr_does_not_say_who(self) -> None:
        assert "alice" not in repr(USER)


class TestRequests:
    @pytest.mark.parametrize(
        "spell",
        [
            lambda message: message,
            printed,
            lambda message: printed(message).encode(),
            lambda message: bytearray(printed(message).encode()),
            lambda message: json.dumps(message, indent=2),
        ],
    )
    def test_bytes_text_and_dict_are_one(self, spell: Any) -> None:
        message = request({"text": "zwölf \U0001f600 \0 \n \"'\\", "n": [1, -2, 1.5, None, True]})
        call = Bench().engine.open(spell(message), principal=USER)
        assert call.arguments == message["params"]["arguments"]
        assert (call.method, call.target, call.round) == ("tools/call", "deploy", 1)

    @pytest.mark.parametrize("message", [7, None, [request()], object(), memoryview(b"{}")])
    def test_what_is_no_message_is_a_type_error(self, message: Any) -> None:
        engine = Bench().engine
        with pytest.raises(TypeError, match="a message is bytes, str or dict"):
            engine.open(message, principal=USER)
        with pytest.raises(TypeError, match="a message is bytes, str or dict"):
            engine.check(message)

    def test_a_text_that_is_no_utf8_is_a_parse_error(self) -> None:
        reply = Bench().engine.run("\ud800{}", deploy, principal=USER)
        assert (reply.error_kind, reply.status) == ("parse_error", 400)

    def test_a_lone_surrogate_in_a_dict_is_an_invalid_request(self) -> None:
        reply = Bench().engine.run(request({"a": "\ud800"}), deploy, principal=USER)
        assert (reply.error_kind, reply.dict["id"]) == ("invalid_request", 1)

    @pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
    def test_what_json_has_no_number_for_is_a_parse_error(self, number: float) -> None:
        reply = Bench().engine.run(request({"a": number}), deploy, principal=USER)
        assert reply.error_kind == "parse_error"

    def test_too_deep_a_dict_is_an_invalid_request(self) -> None:
        deep: Any = 1
        for _ in range(50_000):
            deep = [deep]
        reply = Bench().engine.run(request({"a": deep}), deploy, principal=USER)
        assert reply.error_kind == "invalid_request"

    @pytest.mark.parametrize("wrong", [{1: 2}, {"a": {2, 3}}, {"a": object()}, {"a": b"bytes"}])
    def test_a_dict_that_is_no_json_is_a_type_error(self, wrong: Any) -> None:
        with pytest.raises(TypeError):
            Bench().engine.open(request(wrong), principal=USER)

    def test_a_request_over_the_limit_is_refused(self) -> None:
        message = request({"a": "x" * (5 << 20)})
        reply = Bench().engine.run(message, deploy, principal=USER)
        assert reply.kind == "error"
        assert reply.status >= 400

    def test_four_mebibytes_of_arguments(self) -> None:
        arguments = {"a": ["\u20ac" * 1000] * 1300}
        call = Bench().engine.open(request(arguments), principal=USER)
        assert call.arguments == arguments

    def test_other_methods_are_not_a_call(self) -> None:
        message = {**request(), "method": "tools/list"}
        engine = Bench().engine
        with pytest.raises(NotACallError) as refused:
            engine.run(message, deploy, principal=USER)
        assert (refused.value.kind, refused.value.reply) == ("not_a_call", None)
        assert (engine.check(message).method, engine.check(message).id) == ("tools/list", 1)

    def test_the_error_of_open_has_a_wire_form(self) -> None:
        message = request()
        del message["params"]["_meta"]
        with pytest.raises(RequestError) as refused:
            Bench().engine.open(message, principal=USER)
        reply = refused.value.reply
        assert (reply.status, reply.dict["error"]["code"]) == (400, -32602)
        assert reply.body == Bench().engine.run(message, deploy, principal=USER).body

    def test_an_envelope(self) -> None:
        message = {**request(), "id": "a\u20ac", "method": "server/discover"}
        envelope = Bench().engine.check(message)
        assert (envelope.method, envelope.id) == ("server/discover", "a\u20ac")
        assert envelope.params == message["params"]
        assert envelope.can_elicit("url")
        assert envelope.client_info is None
        told = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
        assert Bench().engine.check(told).id is None


class TestHeaders:
    NAMES = (
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "deploy"),
    )

    @pytest.mark.parametrize(
        "headers",
        [
            dict(NAMES),
            list(NAMES),
            tuple(NAMES),
            iter(NAMES),
            [[name, value] for name, value in NAMES],
            [(name.lower().encode(), value.encode()) for name, value in NAMES],
            [*NAMES, ("host", b"\xff"), (b"\xff", "x"), ("\ud800", "\ud800")],
            SimpleNamespace(items=lambda: TestHeaders.NAMES),
        ],
    )
    def test_every_shape_that_frameworks_have(self, headers: Any) -> None:
        call = Bench().engine.open(request(), principal=USER, headers=headers)
        assert call.target == "deploy"

    @pytest.mark.parametrize(
        "headers", [{}, [], [*NAMES[:2]], dict([*NAMES[:2], ("mcp-name", "x")])]
    )
    def test_missing_or_other_headers_do_not_match(self, headers: Any) -> None:
        with pytest.raises(RequestError) as refused:
            Bench().engine.open(request(), principal=USER, headers=headers)
        assert (refused.value.kind, refused.value.code) == ("header_mismatch", -32020)

    def test_a_value_that_no_header_can_hold_does_not_match(self) -> None:
        for value in ("deploy\ud800", "dépl\u00f4y", b"deploy\xff"):
            headers: Any = [*self.NAMES[:2], ("Mcp-Name", value)]
            with pytest.raises(RequestError):
                Bench().engine.open(request(), principal=USER, headers=headers)

    @pytest.mark.parametrize(
        "headers", [7, "text", b"bytes", [7], [("one",)], [("a", "b", "c")], ["ab"], [(1, 2)]]
    )
    def test_what_is_no_header_is_a_type_error(self, headers: Any) -> None:
        with pytest.raises(TypeError):
            Bench().engine.open(request(), principal=USER, headers=headers)

    @pytest.mark.parametrize("path", ["region", ["region"]])
    def test_param_headers(self, path: Any) -> None:
        message = request({"region": "us-west1"})
        mirrored = [*self.NAMES, ("Mcp-Param-Region", "us-west1")]
        declared = {"Region": path}
        engine = Bench().engine
        call = engine.open(message, principal=USER, headers=mirrored, param_headers=declared)
        assert call.arguments == {"region": "us-west1"}
        with pytest.raises(RequestError):
            engine.open(message, principal=USER, headers=self.NAMES, param_headers=declared)

    @pytest.mark.parametrize("declared", [7, {7: "a"}, {"a": 7}, {"a": [7]}, [("a", "b")]])
    def test_what_declares_no_header_is_a_type_error(self, declared: Any) -> None:
        with pytest.raises(TypeError):
            Bench().engine.open(request(), principal=USER, param_headers=declared)


class BrokenError(Exception):
    pass


def fail(*_: object) -> Any:
    raise BrokenError


class TestHooks:
    def test_a_clock_that_raises_fails_the_call_with_it(self) -> None:
        engine = Engine(keys=KEY, audience="x", clock=fail)
        with pytest.raises(BrokenError):
            engine.run(request(), deploy, principal=USER)

    @pytest.mark.parametrize("now", [1.5, -1, 1 << 64, "1", None])
    def test_a_clock_gives_milliseconds(self, now: Any) -> None:
        engine = Engine(keys=KEY, audience="x", clock=lambda: now)
        with pytest.raises((TypeError, OverflowError)):
            engine.run(request(), deploy, principal=USER)

    @pytest.mark.parametrize("given", [b"", b"x" * 999, "x" * 16, None, 7])
    def test_a_random_source_gives_as_many_bytes_as_were_wanted(self, given: Any) -> None:
        engine = Engine(keys=KEY, audience="x", random=lambda _: given)
        with pytest.raises((TypeError, ValueError)):
            engine.run(request(), deploy, principal=USER)

    def test_a_random_source_that_raises_fails_the_call_with_it(self) -> None:
        with pytest.raises(BrokenError):
            Engine(ephemeral=True, audience="x", random=fail)
        with pytest.raises(BrokenError):
            Engine(keys=KEY, audience="x", random=fail).run(request(), deploy, principal=USER)

    def test_a_log_that_raises_is_reported_and_breaks_nothing(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        reported: list[Any] = []
        monkeypatch.setattr(sys, "unraisablehook", reported.append)
        engine = Engine(ephemeral=True, audience="x", log=fail)
        reply = engine.run(request(requestState="me1.x"), deploy, principal=USER)
        assert reply.error_kind == "invalid_state"
        assert [type(entry.exc_value) for entry in reported] == [BrokenError, BrokenError]
        assert [entry.object for entry in reported] == [fail, fail]

    def test_a_log_that_calls_back_into_its_call_is_told_so(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        reported: list[Any] = []
        monkeypatch.setattr(sys, "unraisablehook", reported.append)
        calls: list[Call] = []

        def meddle(_: Event) -> None:
            calls[0].suspend()

        def handler(call: Call) -> dict[str, Any]:
            calls.append(call)
            call.elicit_form("target", "Which environment?", TARGET)
            return text("finished by mistake")

        engine = Engine(keys=KEY, audience="x", log=meddle)
        assert engine.run(request(), handler, principal=USER).kind == "input_required"
        assert [entry.exc_value.kind for entry in reported] == ["invalid_argument"]

    def test_a_log_may_use_other_calls_whose_errors_are_its_own(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        reported: list[Any] = []
        monkeypatch.setattr(sys, "unraisablehook", reported.append)
        broken = Engine(keys=KEY, audience="x", clock=fail)

        def nested(_: Event) -> None:
            broken.run(request(), deploy, principal=USER)

        engine = Engine(keys=KEY, audience="x", log=nested)
        reply = engine.run(request(requestState="me1.x"), deploy, principal=USER)
        assert reply.error_kind == "invalid_state"
        assert [type(entry.exc_value) for entry in reported] == [BrokenError]


def test_many_threads_share_an_engine() -> None:
    engine = Engine(keys=KEY, audience="x")

    def flow(number: int) -> str:
        user = Principal("https://login.example", f"user-{number}", "client")
        asked = engine.run(request({"n": number}), deploy, principal=user)
        again = request(
            {"n": number},
            inputResponses={"target": accept(environment="dev")},
            requestState=asked.dict["result"]["requestState"],
        )
        other = engine.run(again, deploy, principal=USER)
        assert other.error_kind == "invalid_state"
        return str(engine.run(again, deploy, principal=user).dict["result"]["content"][0]["text"])

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(flow, range(400))) == {"dev"}


def test_outcome_is_generic_at_run_time() -> None:
    alias: Any = Outcome[dict[str, Any]]
    assert (alias.__origin__, alias.__args__) == (Outcome, (dict[str, Any],))
