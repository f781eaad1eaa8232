"""The native part of the test host, by the name that its stub has."""

from mcp_elicit import _native

Play = _native._Play  # noqa: SLF001 - of the same package
