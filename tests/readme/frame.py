"""What stands around the Python example of README.md: one request in, one reply out."""

import json
import sys
from pathlib import Path

from mcp_elicit import Engine, Form, Principal

FORM = Path("form.json").read_text(encoding="utf-8")
request = sys.stdin.buffer.read()
headers = None
issuer, subject, client = "https://login.example", "ada", "desktop"


def text(words: str) -> dict[str, object]:
    return {"content": [{"type": "text", "text": words}]}


# README
sys.stdout.write(json.dumps({"status": reply.status, "body": json.loads(reply.body)}))
