"""Places of submissions, and the names of problems and models in file paths."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple, Self

from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files.catalog import names_problem, real_name


class SourceLine(NamedTuple):
    """Place of a submission in its file.

    Attributes
    ----------
    line
        Line of JSON lines or CSV from 1, else number of the entry in its file.
    source
        Path of the file relative to its folder, or as stated if there are several files; ``None`` for a single file.

    Examples
    --------
    >>> str(SourceLine(3)), str(SourceLine(3, "a/runs.jsonl"))
    ('line 3', 'a/runs.jsonl, line 3')
    """

    line: int
    source: str | None = None

    def __str__(self) -> str:
        return f"line {self.line}" if self.source is None else f"{self.source}, line {self.line}"


def as_place(position: SourceLine | int) -> SourceLine:
    """Return a place; a number is a line of a single file."""
    return position if isinstance(position, SourceLine) else SourceLine(position)


class Hints(NamedTuple):
    """Names in the path of a file, for submissions that lack them.

    ``instance`` is the name of a problem, ``sample`` a text.
    """

    id: str | None = None
    instance: str | None = None
    model: str | None = None
    sample: str | None = None


#: Hints of a path without names.
NO_HINTS = Hints()


class EntryError(InputError):
    """Error in an entry; ``about`` is the part of its record that could be read."""

    def __init__(self, error: InputError, about: object) -> None:
        value = {"value": error.value} if error.has_value else {}
        super().__init__(error.message, source=error.source, field=error.field, line=error.line, **value)
        self._error = error
        self.about: dict[str, Any] = about if isinstance(about, dict) else {}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._error, self.about)

    def at(self, source: str, field: str | None = None, line: int | None = None) -> Self:
        """Return the error with another place, see `InputError.at`."""
        return type(self)(self._error.at(source, field, line), self.about)


#: Endings of files of submissions, and of texts of single plans.
DATA = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".eval")
TEXT = (".txt", ".md", ".text", ".out", ".log", "")
_PACKED = (".gz", ".gzip", ".zst", ".zstd")
_FIELDS = {"id": r"[^/]+?", "instance": r".+", "model": r".+?", "sample": r"[^/]+?"}
_PART = re.compile(r"\{(\w*)(?::([^{}]*))?\}|\*\*/?|\*|[^{*]+|\{")
# Layouts of paths that name a problem, as patterns.
_INSTANCE, _NUMBER = r"(?P<instance>.+)", r"(?P<sample>\d{1,9})"
_LAYOUTS = {
    "{instance}": _INSTANCE,
    "{instance}_{sample}": f"{_INSTANCE}_{_NUMBER}",
    "{model}/{instance}": f"(?P<model>[^/]+)/{_INSTANCE}",
    "{model}/{instance}_{sample}": f"(?P<model>[^/]+)/{_INSTANCE}_{_NUMBER}",
    "{model}/{sample}/{instance}": f"(?P<model>[^/]+)/(?i:(?:sample|epoch|run|seed)[-_]?)?{_NUMBER}/{_INSTANCE}",
}


def stem(name: str) -> tuple[str, str]:
    """Return the name of a file without its ending, and the ending without ``.gz``.

    Examples
    --------
    >>> stem("gpt-4.1.jsonl.gz"), stem("gpt-4.1"), stem("figure.png")
    (('gpt-4.1', '.jsonl'), ('gpt-4.1', ''), ('figure.png', '.png'))
    """
    for packed in _PACKED:
        name = name.removesuffix(packed)
    for end in (*DATA, *TEXT[:-1]):
        if name.lower().endswith(end) and len(name) > len(end):
            return name[: -len(end)], end
    unknown_end = re.search(r"\.[A-Za-z][A-Za-z0-9]{0,9}$", name)
    return name, unknown_end.group().lower() if unknown_end else ""


def without_ending(path: str) -> str:
    """Return a path without its ending, also an unknown one.

    >>> without_ending("gpt/soup.plan"), without_ending("soup.json.gz")
    ('gpt/soup', 'soup')
    """
    name, end = stem(path)
    return name[: -len(end)] if end and name.lower().endswith(end) else name


def problem_name(text: str) -> str | None:
    """Return the problem name that a text stands for, ``None`` if there is none.

    Examples
    --------
    >>> problem_name("timearena__lab1+lab2"), problem_name("timearena/household1"), problem_name("household1")
    ('timearena/lab1+lab2', 'timearena/household1', None)
    """
    return next((name for name in map(real_name, (text, text.replace("__", "/"))) if names_problem(name)), None)


def nameless_error(source: str) -> InputError:
    """Return the error for a text whose path names no problem."""
    return InputError(
        "is a text file, but its path names no problem; rename it to MODEL/BENCHMARK__PROBLEM.txt, or use --pattern",
        source=source,
    )


def layout_of(
    path: str, folder: str = "", *, deep: bool = False, find: Callable[[str], str | None] = problem_name
) -> tuple[str, Hints] | None:
    """Return the layout of a path, written as a pattern, and the names in it; ``None`` if it is not read.

    The layouts are ``MODEL/PROBLEM.*``, ``MODEL/PROBLEM_SAMPLE.*``, ``MODEL/SAMPLE/PROBLEM.*``, ``PROBLEM.*``, one
    file per model, and one file for all.

    Parameters
    ----------
    folder
        Name of the folder, used as model if the path names a problem and no model.
    deep
        True if folders before a model are skipped, as for a single file.
    find
        Returns the problem that a text names, ``None`` without one.

    Examples
    --------
    >>> layout_of("gpt/2/timearena__lab1.txt")[1]
    Hints(id='gpt/2/timearena__lab1', instance='timearena/lab1', model='gpt', sample='2')
    >>> layout_of("llama.csv")
    ('{model}.csv', Hints(id=None, instance=None, model='llama', sample=None))
    >>> layout_of("figure.png")
    """
    name, end = stem(path)
    parts = name.split("/")
    starts = range(len(parts) if deep else 1)
    if end not in (*DATA, *TEXT):
        starts = range(0)
    for start in starts:
        for pattern, rule in _LAYOUTS.items():
            match = re.fullmatch(rule, "/".join(parts[start:]), re.DOTALL)
            instance = match and find(match["instance"])
            if match and instance:
                names = {"model": folder or None} | match.groupdict() | {"instance": instance}
                return pattern + end, Hints(name, **names)
    if end not in DATA:
        return None
    if deep or len(parts) == 1:
        return f"{{model}}{end}", Hints(model=parts[-1])
    return f"**/*{end}", NO_HINTS


def texts_of_instance(path: str) -> list[str]:
    """Return the parts of a path that may name the problem, for messages.

    >>> texts_of_instance("gpt/soup_2.plan")
    ['gpt/soup_2', 'gpt/soup', 'soup_2', 'soup']
    """
    name = without_ending(path)
    matches = [re.fullmatch(rule, name, re.DOTALL) for rule in _LAYOUTS.values()]
    texts = [match["instance"] for match in matches if match is not None]
    return list(dict.fromkeys([*texts, name.rpartition("/")[2]]))


def match_pattern(
    pattern: str, folder: str = "", find: Callable[[str], str | None] = problem_name
) -> Callable[[str], tuple[str, Hints] | None]:
    """Return a function like `layout_of` for the paths that match a pattern.

    ``{instance}`` may span folders.

    Parameters
    ----------
    pattern
        A path with ``{model}``, ``{instance}``, ``{sample}``, ``{id}``, ``*`` (anything in a name) and ``**``.
        ``{instance:SET}`` is a problem of that set.
    folder
        Name of the folder of the paths; a pattern may begin with it.
    find
        Returns the problem that a text names, ``None`` without one; such a text is the name of the problem itself.

    Raises
    ------
    UnknownNameError
        For an unknown or repeated field in braces.

    Examples
    --------
    >>> match_pattern("{model}/{instance}_{sample}.txt")("gpt/timearena/lab1_2.txt")[1]
    Hints(id='gpt/timearena/lab1_2', instance='timearena/lab1', model='gpt', sample='2')
    >>> match_pattern("{instance:recipe2plan/timed}.txt")("Cobbler_Pancakes.txt")[1].instance
    'recipe2plan/timed/Cobbler_Pancakes'
    """
    parts = list(_PART.finditer(pattern.removeprefix(f"{folder}/") if folder else pattern))
    fields = [part[1] for part in parts if part[0].startswith("{")]
    sets = {part[1]: part[2] for part in parts if part[2] is not None}
    if not {*fields} <= _FIELDS.keys() or len({*fields}) < len(fields) or sets.keys() - {"instance"}:
        accepted = f"may contain {', '.join(f'{{{name}}}' for name in _FIELDS)}, each once"
        raise UnknownNameError(accepted, field="--pattern", value=pattern)
    rule = re.compile("".join(map(_rule, parts)), re.DOTALL)

    def layout(path: str) -> tuple[str, Hints] | None:
        match = rule.fullmatch(path)
        if match is None:
            return None
        names = match.groupdict()
        if "instance" in names:
            instance = f"{sets['instance']}/{names['instance']}" if sets.get("instance") else names["instance"]
            names["instance"] = find(instance) or instance
        return pattern, Hints(**{"id": stem(path)[0]} | names)

    return layout


def _rule(part: re.Match[str]) -> str:
    if part[1]:
        return f"(?P<{part[1]}>{_FIELDS[part[1]]})"
    return {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}.get(part[0]) or re.escape(part[0])
