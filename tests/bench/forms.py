"""Measures pydantic on the answer of bench forms: from bytes to a checked model.

Prints `name median_ns`. Run by scripts/bench_forms.sh.
"""

import statistics
import sys
import time
from typing import Annotated, Literal

from pydantic import BaseModel, Field

ANSWER = (
    b'{"name":"Alice Example","email":"alice@example.com","age":34,'
    b'"environment":"staging","notify":true}'
)


class Form(BaseModel):
    """The form of five fields, as the other benches ask it."""

    name: Annotated[str, Field(min_length=1, max_length=50)]
    # By a pattern: the checks behind EmailStr are written in Python.
    email: Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+\.[a-z]+$")]
    environment: Literal["dev", "staging", "prod"]
    age: Annotated[int, Field(ge=0, le=150)] | None = None
    notify: bool | None = None


def main() -> None:
    """Measures and prints."""
    batch = 500
    times = []
    for _ in range(101):
        start = time.perf_counter_ns()
        for _ in range(batch):
            Form.model_validate_json(ANSWER)
        times.append((time.perf_counter_ns() - start) / batch)
    sys.stdout.write(f"pydantic_validate_bytes {statistics.median(times):.0f}\n")


main()
