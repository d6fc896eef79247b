"""Why does something not fit a recording? The model's complaint as a sentence for a person, with the limit."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from schema.fit import is_key


def misfit(error: ValidationError) -> str:
    """What a recording does not take, where, and how much it would take; of several faults the first."""
    first, *others = error.errors(include_url=False)
    where = ".".join(part for part in map(str, first["loc"]) if is_key(part))
    more = f" (and {len(others)} more)" if others else ""
    return f"it cannot be recorded: {f'{where}: ' if where else ''}{_what(first)}{more}"


def _what(fault: Any) -> str:
    given, limits = fault.get("input"), fault.get("ctx", {})
    match fault["type"]:
        case "string_too_long":
            return f"has {len(given):,} characters; a recording has room for {limits['max_length']:,}"
        case "too_long":
            return f"has {limits['actual_length']:,} entries; a recording has room for {limits['max_length']:,}"
        case "too_short":
            return f"has {limits['actual_length']:,} entries; a recording has at least {limits['min_length']:,}"
        case "less_than_equal":
            return f"is {given:,}; a recording takes {limits['le']:,} at most"
        case "greater_than_equal":
            return f"is {given:,}; a recording takes {limits['ge']:,} at least"
        case "string_pattern_mismatch":
            return f"is {given[:40]!r}; a recording takes names of the form {limits['pattern']}"
        case "finite_number":
            return f"is {given}, which is no finite number"
        case "value_error":  # raised by the models themselves, in words for a person
            return str(limits["error"])
        case _:
            return f"is {str(given)[:40]!r} of type {type(given).__name__}, which a recording does not take there"
