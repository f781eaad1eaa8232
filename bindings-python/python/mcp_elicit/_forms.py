"""Forms, of the native part; `_forms.pyi` says what they are."""

from mcp_elicit._native import (  # noqa: F401 - the names of their stub
    Answer,
    Choice,
    Coerced,
    Downgraded,
    Field,
    Form,
    FormBuilder,
    Normalized,
    Note,
)
