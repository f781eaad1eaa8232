"""Ask the user, from any MCP server.

The human half of the Model Context Protocol, revision 2026-07-28: forms and links, multi
round-trip requests, sealed state. Owns no socket, no thread and no event loop: a server that
exists already hands in the JSON of a request and gets back the JSON of a reply.

    engine = Engine.from_env(audience="deployer")  # MCP_ELICIT_KEYS

    def deploy(call: Call) -> dict:
        target = call.elicit_form("target", "Which environment?", TARGET)
        if target.action != "accept":  # reading it while nobody has answered ends this run
            return {"content": [{"type": "text", "text": "Nothing was deployed."}]}
        ...

    user = Principal(issuer, subject, client)  # from verified credentials
    reply = engine.run(request, deploy, principal=user, headers=headers)

The handler runs again on every round; answered questions return at once.
"""

from mcp_elicit._native import (
    PROTOCOL_VERSION,
    Answer,
    Call,
    Choice,
    Claimed,
    Coerced,
    Downgraded,
    Engine,
    Envelope,
    Event,
    Fault,
    Field,
    Form,
    FormBuilder,
    Limits,
    MemoryStore,
    Normalized,
    Note,
    Outcome,
    Principal,
    Reply,
    SqliteStore,
    __version__,
    keygen,
)
from mcp_elicit._redis import RedisStore
from mcp_elicit.errors import (
    ConfigError,
    ElicitError,
    NotACallError,
    RequestError,
    SchemaError,
    Suspended,
)

__all__ = [
    "PROTOCOL_VERSION",
    "Answer",
    "Call",
    "Choice",
    "Claimed",
    "Coerced",
    "ConfigError",
    "Downgraded",
    "ElicitError",
    "Engine",
    "Envelope",
    "Event",
    "Fault",
    "Field",
    "Form",
    "FormBuilder",
    "Limits",
    "MemoryStore",
    "Normalized",
    "NotACallError",
    "Note",
    "Outcome",
    "Principal",
    "RedisStore",
    "Reply",
    "RequestError",
    "SchemaError",
    "SqliteStore",
    "Suspended",
    "__version__",
    "keygen",
]
