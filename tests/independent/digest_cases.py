"""The cases of tests/vectors/digest.json: requests that are the same, that differ, and faults."""

from __future__ import annotations

from typing import Any

import open_state as state

#: Each group is one request in several spellings.
GROUPS: list[list[str | None]] = [
    [None, "null", "{}", " {\t\r\n} "],
    ['{"a":1}', ' { "a" : 1 } ', '{"\\u0061":1.0}', '{"a":1e0}', '{"a":10E-1}', '{"a":0.01e+2}'],
    ['{"a":1,"b":[true,null]}', '{"b":[true,null],"a":1}', '\n{"b" : [ true , null ],"a":1.00}'],
    ['{"b":{"d":1,"c":2},"a":0}', '{"a":-0,"b":{"c":2.0,"d":1}}', '{"a":0e7,"b":{"d":1,"c":2}}'],
    ['{"a":0}', '{"a":-0}', '{"a":0.000}', '{"a":-0.0E-5}', '{"a":0e99999999999999999999}'],
    ['{"a":-1}', '{"a":-1.0}', '{"a":-0.1e1}'],
    ['{"a":100}', '{"a":1e2}', '{"a":1E+2}', '{"a":100.0}', '{"a":0.1e3}', '{"a":1e002}'],
    ['{"a":12.5}', '{"a":12.50}', '{"a":125e-1}', '{"a":1.25e1}', '{"a":0.125e2}'],
    ['{"a":0.000000000000000000001}', '{"a":1e-21}'],
    ['{"a":9007199254740992}', '{"a":9007199254740992.0}', '{"a":9.007199254740992e15}'],
    ['{"a":9007199254740993}'],
    ['{"a":0.1}', '{"a":1e-1}'],
    ['{"a":0.1000000000000000055511151231257827}'],
    ['{"a":1e9999}', '{"a":10e9998}', '{"a":0.1e10000}'],
    ['{"a":1e-9999}', '{"a":0.1e-9998}'],
    ['{"a":"1"}'],
    ['{"a":true}'],
    ['{"a":false}'],
    ['{"a":null}'],
    ['{"a":""}'],
    ['{"a":[]}', '{"a":[ ]}'],
    ['{"a":{}}', '{"a":{ }}'],
    ['{"a":[1,2]}', '{"a":[1.0,2.0]}'],
    ['{"a":[2,1]}'],
    ['{"a":[[1],2]}'],
    ['{"a":[{"b":1}]}'],
    ['{"a":"é"}', '{"a":"\\u00e9"}', '{"a":"\\u00E9"}'],
    ['{"a":"e\u0301"}', '{"a":"e\\u0301"}'],
    ['{"a":"/"}', '{"a":"\\/"}', '{"a":"\\u002f"}'],
    ['{"a":"😀"}', '{"a":"\\ud83d\\ude00"}', '{"a":"\\uD83D\\uDE00"}'],
    ['{"a":"\\b\\t\\n\\f\\r\\"\\\\"}', '{"a":"\\u0008\\u0009\\u000a\\u000c\\u000d\\u0022\\u005c"}'],
    ['{"a":"\\u0000\\u001f"}', '{"a":"\\u0000\\u001F"}'],
    ['{"a":"\x7f\u0080\u2028"}', '{"a":"\\u007f\\u0080\\u2028"}'],
    # UTF-16 puts the key outside of the first plane before the one at its end, UTF-8 after it.
    ['{"\ufb33":1,"😂":2}', '{"😂":2,"\ufb33":1}', '{"\\ufb33":1,"\\ud83d\\ude02":2}'],
    ['{"":1,"a":2,"A":3,"aa":4,"\\n":5}', '{"aa":4,"A":3,"\\u000a":5,"a":2,"":1}'],
    ['{"10":1,"9":2,"1":3}', '{"1":3,"9":2,"10":1}'],
    ['{"__proto__":1,"constructor":2}', '{"constructor":2,"__proto__":1}'],
]

#: Requests without arguments, all different.
TARGETS = [
    ("tools/call", "deploy"),
    ("tools/call", "Deploy"),
    ("tools/call", "deploy "),
    ("prompts/get", "deploy"),
    ("resources/read", "deploy"),
    ("resources/read", "file:///a%20b"),
    ("resources/read", "file:///a b"),
    ("tools/call", ""),
    ("tools/calld", "eploy"),
    ("tools/call", "déploy\u0000✓"),
]

#: Arguments that have no digest: where, and which rule.
FAULTS: list[tuple[Any, str | None, str]] = [
    ('{"a":1e10000}', "/params/arguments/a", "exponent"),
    ('{"a":[0,{"b/~":-10e9999}]}', "/params/arguments/a/1/b~1~0", "exponent"),
    ('{"z":1e-10000,"a":[1]}', "/params/arguments/z", "exponent"),
    ('{"a":1.5e99999999999999999999999}', "/params/arguments/a", "exponent"),
    (['{"a":1', {"repeat": "0", "times": 10000}, "}"], "/params/arguments/a", "exponent"),
    (['{"a":0.', {"repeat": "0", "times": 9999}, "1}"], "/params/arguments/a", "exponent"),
    ('{"a":"\\ud800"}', None, "lone_surrogate"),
    ('{"a":"\\udc00\\ud800"}', None, "lone_surrogate"),
    ('{"\\ud83d":1}', None, "lone_surrogate"),
    ('{"a":1,"a":1}', None, "repeated_key"),
    ('{"a":1,"\\u0061":2}', None, "repeated_key"),
    ('{"b":[{"":1,"":1}]}', None, "repeated_key"),
    (
        ['{"a":', {"repeat": "[", "times": 64}, {"repeat": "]", "times": 64}, "}"],
        None,
        "depth",
    ),
    ([{"repeat": '[{"a":', "times": 1_000_000}], None, "depth"),
    ('{"a":01}', None, "syntax"),
    ('{"a":+1}', None, "syntax"),
    ('{"a":.5}', None, "syntax"),
    ('{"a":NaN}', None, "syntax"),
    ('{"a":1,}', None, "syntax"),
]

ASKS = [
    ("form", "Which environment?", '{"type":"object","properties":{}}'),
    ("form", "Which environment? ", '{"type":"object","properties":{}}'),
    ("form", "Which environment?", '{"type":"object","properties":{ }}'),
    ("url", "Sign in to the billing account to read your invoices.", ""),
    ("url", "", ""),
    ("sampling", "✓", "{}"),
    ("roots", "", ""),
]


def digests() -> dict[str, Any]:
    """The whole of digest.json."""
    same = [
        {
            "method": "tools/call",
            "target": "deploy",
            "arguments": group,
            "digest": one(
                state.request_digest("tools/call", "deploy", text).hex() for text in group
            ),
        }
        for group in GROUPS
    ]
    same += [
        {
            "method": method,
            "target": target,
            "arguments": [None],
            "digest": state.request_digest(method, target, None).hex(),
        }
        # The first of them stands among the groups.
        for method, target in TARGETS[1:]
    ]
    asks = [
        {
            "kind": kind,
            "message": message,
            "body": body,
            "digest": state.ask_digest(kind, message, body.encode()).hex(),
        }
        for kind, message, body in ASKS
    ]
    faults = [{"arguments": text, "path": path, "rule": rule} for text, path, rule in FAULTS]
    return {"requests": same, "faults": faults, "asks": asks}


def one(digests: Any) -> str:
    """The digest that all of these are."""
    (digest,) = set(digests)
    return str(digest)
