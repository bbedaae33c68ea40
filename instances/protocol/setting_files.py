"""Setting files: reader of bundled prompt settings and of those of users.

A file is a TOML document with the fields `FIELDS`, and the tables `QUESTION`, `EXAMPLE` and `CRITIC`. Fields that it
lacks are those of the setting that it ``extends``, or have defaults.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import Any, Final

from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files.strict_json import read_bytes
from planoracle.instances.protocol.environment import WORDINGS, RunConfig
from planoracle.instances.protocol.settings import (
    CRITIC_GOALS,
    HISTORIES,
    SHARED,
    Ask,
    Critic,
    Sampling,
    Setting,
    distinct,
)
from planoracle.instances.text import one_of

FORMAT: Final = "planoracle/setting"
#: Ending of a setting file.
SUFFIX: Final = ".toml"
_FOLDER: Final = "settings"

#: Function that returns what a value must be, ``""`` for a valid one.
Check = Callable[[object], str]


def _is_text(value: object) -> str:
    return "" if isinstance(value, str) else "must be text"


def _is_table(value: object) -> str:
    return "" if isinstance(value, dict) else "must be a table"


def _is_boolean(value: object) -> str:
    return "" if isinstance(value, bool) else "must be true or false"


def _is_whole(value: object) -> str:
    is_valid = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 10**9
    return "" if is_valid else "must be a whole number, at least 1"


def _is_temperature(value: object) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    is_valid = is_number and isfinite(value) and value >= 0  # type: ignore[arg-type,operator]
    return "" if is_valid else "must be a number, at least 0"


def _is_name(value: object) -> str:
    is_valid = isinstance(value, str) and value.isidentifier()
    return "" if is_valid else "must be a name of letters, digits and underscores"


def _are_texts(value: object) -> str:
    is_valid = isinstance(value, list) and all(isinstance(text, str) for text in value)
    return "" if is_valid else "must be a list of texts"


def _are_tables(value: object) -> str:
    is_valid = isinstance(value, list) and all(isinstance(entry, dict) for entry in value)
    return "" if is_valid else "must be a list of tables"


def _choice(*values: object) -> Check:
    """Return the check of a value that is one of some values."""

    def check(value: object) -> str:
        is_valid = value in values and not isinstance(value, bool)
        return "" if is_valid else one_of(value, map(str, values))

    return check


#: Fields of a file, and their checks.
FIELDS: Mapping[str, Check] = {
    "format": _choice(FORMAT),
    "version": _is_whole,
    "title": _is_text,
    "extends": _is_text,
    "loop": _choice("closed", "open"),
    "feedback": _choice("terse", "detailed"),
    "max_messages": _is_whole,
    "wording": _choice(*WORDINGS),
    "history": _choice(*HISTORIES),
    "temperature": _is_temperature,
    "max_tokens": _is_whole,
    "system": _is_text,
    "task": _is_text,
    "turn": _is_text,
    "form": _is_text,
    "questions": _are_tables,
    "example": _is_table,
    "critic": _is_table,
    "texts": _is_table,
}
#: Fields of an entry of ``questions``.
QUESTION: Mapping[str, Check] = {
    "name": _is_name,
    "text": _is_text,
    "example": _is_text,
    "each_task": _is_boolean,
    "temperature": _is_temperature,
    "max_tokens": _is_whole,
}
#: Fields of ``example``.
EXAMPLE: Mapping[str, Check] = {
    "problems": _are_texts,
    "text": _is_text,
    "shows": _choice("plan", "dialogue", "steps"),
}
#: Fields of ``critic``.
CRITIC: Mapping[str, Check] = {"rounds": _is_whole, "goal": _choice(*CRITIC_GOALS), "text": _is_text}
#: Fields of a file that are fields of `Setting` with the same meaning.
_PLAIN: Final = ("version", "title", "history", "system", "task", "turn", "form")


@cache
def bundled_settings(package: str) -> Mapping[str, Setting]:
    """Return the settings of a package by name; earlier versions end in ``@VERSION``."""
    folder = files(package) / _FOLDER
    if not folder.is_dir():
        return {}
    texts = {}
    for path in folder.iterdir():
        if path.name.endswith(SUFFIX):
            texts[path.name.removesuffix(SUFFIX)] = path.read_text(encoding="utf-8")
    settings: dict[str, Setting] = {}

    def named(name: str) -> Setting:
        if name not in settings and name in texts:
            settings[name] = parse_setting(texts[name], name, package, f"{name}{SUFFIX}", named)
        return settings[name] if name in settings else _shared(name, package)

    return {name: named(name) for name in sorted(texts)}


def _shared(name: str, package: str) -> Setting:
    shared = {} if package == SHARED else bundled_settings(SHARED)
    if name not in shared:
        raise UnknownNameError("there is no such setting", field="extends", value=name)
    return replace(shared[name], package=package)


def with_live_texts(setting: Setting, live: Any) -> Setting:
    """Return a setting with the words of the part ``live`` of a benchmark.

    They are its ``WORDS`` and ``TASK_WORDS``, and its function ``is_unrelated``, as far as it has them.
    """
    return replace(
        setting,
        words={**getattr(live, "WORDS", {}), **setting.words},
        task_words={**getattr(live, "TASK_WORDS", {}), **setting.task_words},
        is_unrelated=getattr(live, "is_unrelated", distinct),
    )


def read_setting(path: Path, package: str, named: Callable[[str], Setting]) -> Setting:
    """Read a user's setting file; raises `InputError`.

    Parameters
    ----------
    package
        Package with the prompts that the file may name.
    named
        Function that returns a bundled setting by name, or raises `UnknownNameError`.
    """
    source = str(path)
    try:
        text = read_bytes(path).decode()
    except UnicodeDecodeError:
        raise InputError("is not UTF-8", source=source) from None
    return parse_setting(text, path.name.removesuffix(SUFFIX), package, source, named)


def parse_setting(text: str, name: str, package: str, source: str, named: Callable[[str], Setting]) -> Setting:
    """Parse a setting file, see `read_setting`; ``source`` names it in messages."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is not TOML: {error}", source=source) from None
    try:
        _check_fields(document, FIELDS, "", required=("format",))
        base = Setting(name, "", package, "task", "system")
        if "extends" in document:
            base = _base(document["extends"], named)
        setting = replace(base, name=name, package=package, document=text, **_fields(document, base))
        _check_loop(setting)
    except InputError as error:
        raise error.at(source) from None
    return setting


def _base(name: str, named: Callable[[str], Setting]) -> Setting:
    try:
        return named(name)
    except UnknownNameError as error:
        raise InputError(error.message, field="extends", value=name) from None


def _check_loop(setting: Setting) -> None:
    if setting.critic is not None and setting.config.loop != "open":
        raise InputError('needs loop = "open"', field="critic")
    if setting.history != "full" and not setting.turn:
        message = 'without all earlier messages, the state must be in the text named here; "full" needs none'
        raise InputError(message, field="turn", value=setting.turn)


def _check_fields(
    table: Mapping[str, object], checks: Mapping[str, Check], path: str, required: Sequence[str] = ()
) -> None:
    """Raise `InputError` for a missing, unknown or invalid field of a table at ``path``."""
    for name in required:
        if name not in table:
            raise InputError("is missing", field=f"{path}{name}")
    for name, value in table.items():
        if name not in checks:
            message = f"unknown key; {one_of(name, checks, 'keys')}"
            raise InputError(message, field=f"{path}{name}", value=value)
        message = checks[name](value)
        if message:
            raise InputError(message, field=f"{path}{name}", value=value)


def _fields(document: Mapping[str, Any], base: Setting) -> dict[str, Any]:
    """Return the fields of a setting that a file replaces."""
    fields: dict[str, Any] = {name: document[name] for name in _PLAIN if name in document}
    config = base.config
    fields["config"] = RunConfig(
        loop=document.get("loop", config.loop),
        feedback=document.get("feedback", config.feedback),
        limit=document.get("max_messages", config.limit),
        bounded=config.bounded,
        wording=document.get("wording", config.wording),
    )
    fields["sampling"] = _sampling(document, base.sampling)
    if "questions" in document:
        questions = enumerate(document["questions"])
        fields["asks"] = tuple(_question(entry, f"questions[{position}].") for position, entry in questions)
    if "example" in document:
        fields |= _example(document["example"], base)
    if "critic" in document:
        fields["critic"] = _critic(document["critic"])
    if "texts" in document:
        fields["texts"] = {**base.texts, **_texts(document["texts"])}
    return fields


def _sampling(table: Mapping[str, Any], base: Sampling) -> Sampling:
    return Sampling(table.get("temperature", base.temperature), table.get("max_tokens", base.max_tokens))


def _question(entry: Mapping[str, Any], path: str) -> Ask:
    _check_fields(entry, QUESTION, path, required=("name", "text"))
    sampling = _sampling(entry, Sampling())
    return Ask(entry["name"], entry["text"], sampling, entry.get("example", ""), entry.get("each_task", False))


def _example(table: Mapping[str, Any], base: Setting) -> dict[str, Any]:
    _check_fields(table, EXAMPLE, "example.")
    return {
        "examples": tuple(table.get("problems", base.examples)),
        "example": table.get("text", base.example),
        "shows": table.get("shows", base.shows),
    }


def _critic(table: Mapping[str, Any]) -> Critic:
    _check_fields(table, CRITIC, "critic.", required=tuple(CRITIC))
    return Critic(table["rounds"], table["goal"], table["text"])


def _texts(table: Mapping[str, Any]) -> Mapping[str, str]:
    for name, text in table.items():
        message = _is_text(text)
        if message:
            raise InputError(message, field=f"texts.{name}", value=text)
    return table


def version_of(settings: Mapping[str, Setting], name: str) -> Setting | None:
    """Return a setting by name or by ``NAME@VERSION``, ``None`` if there is none.

    Raises
    ------
    UnknownNameError
        For a version that a setting does not have.
    """
    if name in settings:
        return settings[name]
    plain, _, version = name.rpartition("@")
    if plain not in settings:
        return None
    if version == str(settings[plain].version):
        return settings[plain]
    versions = [earlier for earlier in settings if earlier.startswith(f"{plain}@")]
    current = f"{plain}@{settings[plain].version}"
    raise UnknownNameError(one_of(name, [*versions, current]), field="setting", value=name)
