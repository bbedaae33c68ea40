"""What paths say: by a pattern that is given, or by one that is guessed from all paths and the known names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from planoracle.analysis.intake.formats import DATA, TEXT, stem
from planoracle.analysis.intake.names import BEHIND, NUMBERED, candidates, known
from planoracle.analysis.intake.places import Hints
from planoracle.instances import registry
from planoracle.instances.errors import UnknownNameError

__all__ = ["Guess", "guess", "matched"]

_FIELDS = {"id": r"[^/]+?", "instance": r".+", "model": r".+?", "sample": r"[^/]+?", "epoch": r"[^/]+?"}
_PART = re.compile(r"\{(\w*)(?::([^{}]*))?\}|\*\*/?|\*|[^{*]+|\{")
# How samples are numbered in names, alone.
_SAMPLE = re.compile(rf"{NUMBERED}?[-_. ]?(\d{{1,9}})", re.IGNORECASE)
_PARTS = re.compile(r"(?:part|shard|chunk|batch|page)[-_. ]?\d*", re.IGNORECASE)
# Names of folders and files that are no names of models.
_GENERAL = {
    *("outputs", "output", "results", "result", "runs", "run", "plans", "plan", "logs", "log", "responses", "response"),
    *("completions", "completion", "predictions", "generations", "submissions", "submission", "grades", "data", "txt"),
    *("json", "jsonl", "answers", "answer", "eval", "evals", "samples", "messages"),
}


def matched(pattern: str, paths: Iterable[str], folder: str = "") -> dict[str, Hints]:
    """Return what a pattern says of the paths that it fits; ``{instance}`` may span folders.

    Parameters
    ----------
    pattern
        A path with ``{model}``, ``{instance}``, ``{sample}``, ``{id}``, ``*`` (anything in a name) and ``**``.
        ``{instance:SET}`` takes names for those of problems of a set.
    folder
        Name of the folder in which the paths are; a pattern may begin with it.

    Raises
    ------
    UnknownNameError
        For another field in braces, or one that is there twice.

    Examples
    --------
    >>> matched("{model}/{instance}_{sample}.txt", ["gpt/timearena/lab1_2.txt", "README.txt"])
    {'gpt/timearena/lab1_2.txt': Hints(id='gpt/timearena/lab1_2', instance='timearena/lab1', model='gpt', sample='2')}
    >>> matched("{instance:recipe2plan/timed}.txt", ["Cobbler_Pancakes.txt"])["Cobbler_Pancakes.txt"].instance
    'recipe2plan/timed/Cobbler_Pancakes'
    """
    inner = pattern.removeprefix(f"{folder}/") if folder else pattern
    rule = re.compile("".join(map(_rule, _PART.finditer(inner))), re.DOTALL) if _sound(inner) else None
    assert rule is not None
    within = next((part[2] for part in _PART.finditer(inner) if part[2]), "")
    found = {}
    for path in paths:
        match = rule.fullmatch(path)
        if match is not None:
            said = {name: value for name, value in match.groupdict().items() if value}
            said["sample"] = said.pop("epoch", None) or said.get("sample")
            if "instance" in said:
                whole = f"{within}/{said['instance']}" if within else said["instance"]
                said["instance"] = known(whole) or whole
            found[path] = Hints(**{"id": stem(path)[0]} | said)
    return found


def _sound(pattern: str) -> bool:
    names = [match[1] for match in _PART.finditer(pattern) if match[0].startswith("{")]
    wrong = [name for name in names if name not in _FIELDS or names.count(name) > 1]
    within = [match[1] for match in _PART.finditer(pattern) if match[2] is not None]
    if wrong or ("epoch" in names and "sample" in names) or within not in ([], ["instance"]):
        said = f"may hold {', '.join(f'{{{name}}}' for name in _FIELDS)}, each once"
        raise UnknownNameError(said, field="--pattern", value=pattern)
    return True


def _rule(part: re.Match[str]) -> str:
    if part[1]:
        return f"(?P<{part[1]}>{_FIELDS[part[1]]})"
    return {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}.get(part[0]) or re.escape(part[0])


@dataclass(slots=True)
class Guess:
    """What paths say.

    Attributes
    ----------
    hints
        Of the paths that are read.
    patterns
        How often which pattern was found.
    aside
        Paths that are left aside: neither do their names end like those of data, nor do they name a problem.
    unknown
        Texts that do not say for which problem they are, with the problems that their names fit: several, or none
        where others in the same place name one.
    """

    hints: dict[str, Hints] = field(default_factory=dict)
    patterns: dict[str, int] = field(default_factory=dict)
    aside: list[str] = field(default_factory=list)
    unknown: dict[str, tuple[str, ...]] = field(default_factory=dict)


class _Found(NamedTuple):
    """A path in parts, with those from ``start`` to ``stop`` the name of a problem."""

    path: str
    parts: tuple[str, ...]
    end: str
    start: int = 0
    stop: int = 0
    instance: str | None = None
    sample: str | None = None
    fits: tuple[str, ...] = ()


def guess(paths: Sequence[str], folder: str) -> Guess:
    """Guess from the paths in a folder, and its name, what they say.

    Examples
    --------
    >>> found = guess(["gpt/timearena__lab1.txt", "gpt/timearena__lab2.txt", "llama.csv", "figure.png"], "runs")
    >>> found.patterns, found.aside
    ({'{model}/{instance}.txt': 2, '{model}.csv': 1}, ['figure.png'])
    >>> found.hints["llama.csv"].model, found.hints["gpt/timearena__lab2.txt"].instance
    ('llama', 'timearena/lab2')
    """
    done = Guess()
    groups: dict[tuple[object, ...], list[_Found]] = defaultdict(list)
    for path in paths:
        one = _looked_at(path)
        kind = "data" if one.end in DATA else "text" if one.end in TEXT else None
        if kind == "text" and one.fits:
            done.unknown[path] = one.fits
        elif kind is None or (one.instance is None and kind == "text"):
            done.aside.append(path)
        else:
            groups[kind, len(one.parts), one.start, one.stop, one.sample is None].append(one)
    for group in groups.values():
        _fill(done, group, folder)
    depths = {path.count("/") for path, hints in done.hints.items() if stem(path)[1] in TEXT and hints.instance}
    done.unknown |= {path: () for path in done.aside if stem(path)[1] == ".txt" and path.count("/") in depths}
    done.aside = [path for path in done.aside if path not in done.unknown]
    return done


def _looked_at(path: str) -> _Found:
    name, end = stem(path)
    parts = tuple(name.split("/"))
    found = _Found(path, parts, end)
    if end not in DATA and end not in TEXT:
        return found
    count = len(parts)
    spans = sorted(((i, j) for i in range(count) for j in range(i + 1, count + 1)), key=lambda s: (s[0] - s[1], -s[1]))
    for start, stop in spans:
        here = parts[start:stop]
        instance = known("/".join(here))
        if instance is not None:
            return found._replace(start=start, stop=stop, instance=instance)
        behind = BEHIND.fullmatch(here[-1]) if stop == count else None
        if behind is not None:
            instance = known("/".join((*here[:-1], behind[1])))
            if instance is not None:
                return found._replace(start=start, stop=stop, instance=instance, sample=behind[2])
    return found._replace(fits=candidates(parts[-1]))


def _fill(done: Guess, group: list[_Found], folder: str) -> None:
    """Say what the parts are that name no problem, of paths of one form."""
    first = group[0]
    others = [i for i in range(len(first.parts)) if not first.start <= i < first.stop]
    values = {i: {one.parts[i] for one in group} for i in others}
    last = len(first.parts) - 1
    samples = [i for i in others if first.sample is None and _numbers(values[i]) and first.instance is not None][-1:]
    named = [i for i in others if i not in samples and not all(map(_is_no_model, values[i]))]
    varied = [i for i in named if len(values[i]) > 1]
    if first.instance is None:  # folders come before names of files
        varied = [i for i in varied if i != last] or varied
    models = varied or [i for i in named if i != last][-1:] or [i for i in named if first.instance is None]
    for one in group:
        model = "/".join(one.parts[i] for i in models) or folder or None
        sample = _SAMPLE.fullmatch(one.parts[samples[0]]) if samples else None
        made = stem(one.path)[0] if one.instance is not None else None
        done.hints[one.path] = Hints(made, one.instance, model, sample[1] if sample else one.sample)
        shown = _shown(one, models, samples) if models else f"{{model}}/{_shown(one, models, samples)}"
        done.patterns[shown] = done.patterns.get(shown, 0) + 1


def _numbers(values: set[str]) -> bool:
    """Whether names number samples: with a word, or several numbers."""
    found = [_SAMPLE.fullmatch(value) for value in values]
    return all(found) and (len(values) > 1 or not next(iter(values)).isdecimal())


def _is_no_model(name: str) -> bool:
    if name.lower() in _GENERAL or _PARTS.fullmatch(name) or _SAMPLE.fullmatch(name):
        return True
    return name.isidentifier() and registry.find(name) is not None


def _shown(one: _Found, models: Sequence[int], samples: Sequence[int]) -> str:
    parts: list[str] = []
    for i, part in enumerate(one.parts):
        if one.start <= i < one.stop:
            if i == one.start:
                parts.append("{instance}" + ("_{sample}" if one.sample is not None else ""))
        elif i in models:
            if i == models[0] or parts[-1] != "{model}":
                parts.append("{model}")
        elif i in samples:
            parts.append("{sample}")
        else:
            parts.append(part)
    return "/".join(parts) + one.end
