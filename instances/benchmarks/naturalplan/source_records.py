"""Fields of records and of JSON objects, and the parts of texts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from planoracle.instances.errors import InputError

#: Longest text of a task and of a reference plan, in characters.
MAX_TEXT = 200_000
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+")
_LIST_SEPARATOR = re.compile(r"\s*,\s+|\s+(?:and|or)\s+")


def text_field(record: Mapping[str, Any], field: str) -> str:
    """Return a text of a record; raises `InputError` for any other value."""
    value = record.get(field)
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_TEXT:
        raise InputError(f"must be text of at most {MAX_TEXT} characters", field=field, value=value)
    return value


def task_text(record: Mapping[str, Any]) -> str:
    """Return the task of a record, which is the last one of a prompt with examples.

    >>> task_text({"prompt_5shot": "TASK: one SOLUTION: a TASK: two SOLUTION: "})
    'two'
    """
    field = "prompt_0shot" if "prompt_0shot" in record else "prompt_5shot"
    prompt = text_field(record, field)
    last_task = prompt.rpartition("TASK:")[2]
    return last_task.partition("SOLUTION:")[0].strip()


def fields_of(value: Mapping[str, object]) -> dict[str, object]:
    """Return the fields of a JSON object by names in lower case with underscores.

    >>> fields_of({"Start Time": "9:30"})
    {'start_time': '9:30'}
    """
    return {str(name).lower().replace(" ", "_"): entry for name, entry in value.items()}


def check_number(record: Mapping[str, Any], field: str, number: float) -> None:
    """Raise `InputError` if a field of a record, where it has it, is not the number that its text states."""
    if field not in record:
        return
    value = record[field]
    try:
        is_equal = float(value) == number
    except (TypeError, ValueError):
        is_equal = False
    if not is_equal:
        raise InputError(f"must be {number:g}, as in the text", field=field, value=value)


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text, without line breaks.

    >>> sentences_of("Ann can not meet on Monday. Tuesday before 9:30.")
    ['Ann can not meet on Monday.', 'Tuesday before 9:30.']
    """
    return [" ".join(part.split()) for part in _SENTENCE_END.split(text.strip()) if part.strip()]


def parts_of(text: str) -> tuple[str, ...]:
    """Return the parts of an enumeration.

    >>> parts_of("Ann, Bob and Eve")
    ('Ann', 'Bob', 'Eve')
    """
    return tuple(_LIST_SEPARATOR.split(text.strip()))


def unknown_sentence(sentence: str) -> InputError:
    """Return the error for a sentence of a task that states something unknown."""
    return InputError("is a sentence that this reader does not know", field="prompt_0shot", value=sentence)
