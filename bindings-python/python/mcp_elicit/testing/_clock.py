"""A clock that a test sets."""

from __future__ import annotations

__all__ = ["Clock"]


class Clock:
    """A clock that stands still until a test moves it.

    Give it to the engine (`Engine(clock=clock, ...)`) and to the host (`host.clock(clock)`), so
    that the host can come back too late.
    """

    def __init__(self, now_ms: int = 1_767_225_600_000) -> None:
        """`now_ms`: milliseconds since 1970-01-01T00:00:00Z; else 2026-01-01T00:00:00Z."""
        self.now_ms = now_ms

    def __call__(self) -> int:
        """The time, as `Engine` wants it."""
        return self.now_ms

    def advance(self, by_ms: int) -> None:
        """Moves it on."""
        self.now_ms += by_ms
