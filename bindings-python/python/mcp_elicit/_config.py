"""What an engine is configured with, of the native part; `_config.pyi` says what it is."""

from mcp_elicit._native import Event, Limits, Principal  # noqa: F401 - the names of their stub
