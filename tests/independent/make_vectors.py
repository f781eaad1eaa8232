"""Makes tests/vectors/tokens.json, digest.json and records.json, the same on every run.

    python3 make_vectors.py            writes them
    python3 make_vectors.py --check    says whether they are what would be written
    python3 make_vectors.py --freeze 0.1
                                       keeps what that version seals, for ever: tokens-0.1.json and
                                       records-0.1.json, which are never written again

They are made without the library, so that its tests against them show that it keeps to
core/docs/state-token.md.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import digest_cases
import record_cases
import token_cases

VECTORS = Path(__file__).resolve().parents[1] / "vectors"


def files() -> dict[Path, str]:
    """Each file and its text."""
    tokens = {
        "keys": token_cases.KEYS,
        "context": token_cases.CONTEXT,
        "opens": token_cases.opens(),
        "refused": token_cases.refused(),
    }
    contents = {
        "tokens.json": tokens,
        "digest.json": digest_cases.digests(),
        "records.json": record_cases.records(),
    }
    return {
        VECTORS / name: json.dumps(content, indent=1, ensure_ascii=True) + "\n"
        for name, content in contents.items()
    }


def freeze(version: str) -> None:
    """Keeps what must open in every version from this one on."""
    tokens, records = (
        json.loads((VECTORS / name).read_text()) for name in ("tokens.json", "records.json")
    )
    del tokens["refused"], records["taken"], records["result"], records["ttl_ms"]
    records["found"] = [case for case in records["found"] if case["outcome"] != "store"]
    for name, content in (("tokens", tokens), ("records", records)):
        path = VECTORS / f"{name}-{version}.json"
        with path.open("x") as file:
            file.write(json.dumps(content, indent=1, ensure_ascii=True) + "\n")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--freeze":
        freeze(sys.argv[2])
    elif sys.argv[1:] == ["--check"]:
        stale = [str(path) for path, text in files().items() if path.read_text() != text]
        if stale:
            sys.exit(f"not what would be written: {', '.join(stale)}")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        for path, text in files().items():
            path.write_text(text)
            print(path.name, len(text), "bytes")
