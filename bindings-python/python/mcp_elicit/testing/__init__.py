"""A host to test servers with: it plays the client, and the person from a script.

One line tests a tool:

    def test_deploy():
        host = Host(engine, deploy).answer("target", accept({"environment": "dev"}))
        assert host.call("deploy", {"app": "web"}).text == "Deployed to dev."

The server may be an engine and its handler, any callable (`Host.callable`), an ASGI app in this
process (`Host.asgi`), a URL (`Host.url`), or a command that speaks stdio (`Host.command`); it need
not be made with this library. Every message is recorded (`Flow.messages`), and `Host.attack_all`
does with a recorded flow what a foul client could do.
"""

from mcp_elicit.testing._answers import Answer, Decision, accept, cancel, decline, never, result
from mcp_elicit.testing._clock import Clock
from mcp_elicit.testing._flow import Attacked, Flow, FlowError, Message, PeerError, Question
from mcp_elicit.testing._host import AttackName, Host
from mcp_elicit.testing._request import Request, Response

__all__ = [
    "Answer",
    "AttackName",
    "Attacked",
    "Clock",
    "Decision",
    "Flow",
    "FlowError",
    "Host",
    "Message",
    "PeerError",
    "Question",
    "Request",
    "Response",
    "accept",
    "cancel",
    "decline",
    "never",
    "result",
]
