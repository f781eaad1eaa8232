"""What stands around the Python example of README.md: one request in, one reply out."""

import json
import sys
from dataclasses import dataclass
from typing import Literal

from mcp_elicit import Engine, Principal

request = sys.stdin.buffer.read()
headers = None
issuer, subject, client = "https://login.example", "ada", "desktop"


def text(words: str) -> dict[str, object]:
    return {"content": [{"type": "text", "text": words}]}


# README
sys.stdout.write(json.dumps({"status": reply.status, "body": json.loads(reply.body)}))
