"""Claims and stores of the native part; `_claims.pyi` says what they are."""

from mcp_elicit._native import (  # noqa: F401 - by the names that their stub has
    Claimed,
    MemoryStore,
    Need,
    SqliteStore,
    _claim_next,
    _claim_start,
    _complete_end,
    _complete_start,
    _invalid,
    _release_end,
    _release_start,
    _store_failed,
    _store_key,
    _time_limit,
)
