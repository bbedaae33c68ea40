"""The folder of a run: what stands where in it, and what it says of itself.

``run.json`` holds all that decides about the run, ``results.jsonl`` is the journal of what is done, and of the rest
everybody can make use: ``submissions/AGENT.jsonl``, ``transcripts/AGENT/PROBLEM/SAMPLE.jsonl``, ``problems/``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from planoracle.analysis.output_files import output_file
from planoracle.instances.errors import InputError, together
from planoracle.instances.visible import to_json

__all__ = ["FORMAT", "NAME", "PROBLEMS", "SUBMISSIONS", "VERSION", "Folder", "described", "file_name", "problems_in"]

#: What ``run.json`` is, and of which version; that grows when a field changes its meaning or goes away.
FORMAT: Final = "planoracle/live"
VERSION: Final = 1
#: Names in the folder.
NAME, SUBMISSIONS, TRANSCRIPTS, PROBLEMS = "run.json", "submissions", "transcripts", "problems"

# Of a description: what decides about single episodes and must stay, and what may grow.
_FIXED = "settings"
_GROWING = ("agents", "benchmarks", "problems")
# What is said where a run cannot go on: of what must stay as it is, and of what may grow.
_SAME = "go on with that, or name another folder"
_MORE = "go on with all that it has, and more if you like, or name another folder"
# Bytes of a part of a path that every file system takes, with some to spare.
_LONGEST = 150
# What a name may hold and be readable.
_SAFE = " +,=@~()"


def file_name(text: str) -> str:
    """Return a name for a file or folder that no other text has, whatever the text holds.

    Examples
    --------
    >>> file_name("openai:meta/llama-3"), file_name(".."), len(file_name("x" * 999))
    ('openai%3Ameta%2Fllama-3', '%2E.', 150)
    """
    name = quote(text, safe=_SAFE, errors="backslashreplace")
    if name.startswith("."):  # hidden, or another folder
        name = f"%2E{name[1:]}"
    if len(name) > _LONGEST:
        name = f"{name[: _LONGEST - 33]}-{blake2b(text.encode(errors='backslashreplace'), digest_size=16).hexdigest()}"
    return name or "%"


def described(folder: Path) -> dict[str, Any] | None:
    """Return what the folder of a run says of itself, ``None`` if it is no such folder.

    Raises
    ------
    InputError
        If it cannot be read, or is of another version.
    """
    from planoracle.instances.reading import load_json, read_bytes

    path = folder / NAME
    if not path.is_file():
        return None
    try:
        document = load_json(read_bytes(path), str(path))
    except InputError:  # of somebody else
        return None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        return None
    if document.get("version") != VERSION:
        raise InputError(f"must be {VERSION}", source=str(path), field="version", value=document.get("version"))
    for group in _GROWING:
        found = document.get(group)
        if not isinstance(found, list) or not all(isinstance(one, dict) and "name" in one for one in found):
            raise InputError("must be a list of objects with a name", source=str(path), field=group, value=found)
    samples, settings = document.get("samples"), document.get(_FIXED)
    if not isinstance(samples, int) or isinstance(samples, bool) or samples < 1:
        raise InputError("must be a number from 1", source=str(path), field="samples", value=samples)
    rules = settings.get("rules") if isinstance(settings, dict) else None
    if (
        not isinstance(rules, dict)
        or not isinstance(rules.get("profile"), str)
        or not isinstance(rules.get("set"), dict)
    ):
        raise InputError(
            "must say by which rules (profile, set)", source=str(path), field=f"{_FIXED}.rules", value=rules
        )
    return document


@dataclass(frozen=True)
class Folder:
    """The folder of a run that is going on."""

    path: Path

    def begin(self, document: Mapping[str, Any], *, used: bool) -> None:
        """Say what the run is; a run that was begun before must be the same, or a part of this one.

        Parameters
        ----------
        document
            ``settings``; ``agents``, ``benchmarks`` and ``problems``, lists of objects with a ``name``; ``samples``.
        used
            Whether the journal holds results.

        Raises
        ------
        InputError
            Naming everything in which the former run differs.
        """
        said = {"format": FORMAT, "version": VERSION, **document}
        former = described(self.path)
        if former is None:
            if used or (self.path / NAME).exists():
                raise InputError("holds other results; name another folder", source=str(self.path))
        elif fault := together(_differences(former, json.loads(to_json(said)), str(self.path / NAME))):
            raise fault
        text = to_json(said, indent=1) + "\n"
        if former is None or (self.path / NAME).read_text(encoding="utf-8") != text:
            self._write(self.path / NAME, text)

    def transcript(self, agent: str, instance: str, sample: int) -> str:
        """Return where a transcript stands, seen from the folder."""
        return "/".join((TRANSCRIPTS, file_name(agent), *map(file_name, instance.split("/")), f"{sample}.jsonl"))

    def holds(self, place: str, check: str) -> bool:
        """Whether a file has the content that a digest of `write` stands for."""
        try:
            return _digest((self.path / place).read_bytes()) == check
        except OSError:
            return False

    def write(self, place: str, text: str) -> str:
        """Write a file so that nobody ever sees half of it; return a digest of its content."""
        self._write(self.path / place, text)
        return _digest(text.encode())

    def write_submissions(self, rows: Mapping[str, Iterable[str]]) -> None:
        """Write the submissions of all agents, each as JSON."""
        for agent, lines in rows.items():
            self.write(f"{SUBMISSIONS}/{file_name(agent)}.jsonl", "".join(f"{line}\n" for line in lines))

    def _write(self, path: Path, text: str) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with output_file(path) as stream:
                stream.write(text)
        except OSError as error:
            from planoracle.analysis.batch.errors import StorageError

            raise StorageError(f"{path}: cannot be written: {error.strerror}") from None


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _differences(former: Mapping[str, Any], now: Mapping[str, Any], source: str) -> Iterable[InputError]:
    """Yield what a run that was begun before has, and this one has not."""
    unlike = list(_unlike(former[_FIXED], now[_FIXED], _FIXED))
    for group in _GROWING:
        known = {one["name"]: one for one in now[group]}
        lost = [one["name"] for one in former[group] if one["name"] not in known]
        if lost:
            more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
            said = f"the run in this folder has {', '.join(lost[:3])}{more} as well; {_MORE}"
            yield InputError(said, source=source, field=group)
        if group == "benchmarks" and any(field == f"{_FIXED}.setting" for field, *_ in unlike):
            continue  # another setting, other prompts
        for one in former[group]:
            unlike += _unlike(one, known.get(one["name"], one), f"{group}.{one['name']}")
    for field, before, after in unlike:
        said = f"the run in this folder was begun with {json.dumps(before)}; {_SAME}"
        yield InputError(said, source=source, field=field, value=after)
    if former["samples"] > now["samples"]:
        said = f"the run in this folder has {former['samples']}; {_MORE}"
        yield InputError(said, source=source, field="samples", value=now["samples"])


def _unlike(before: Any, after: Any, field: str) -> Iterable[tuple[str, Any, Any]]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys((*before, *after)):
            yield from _unlike(before.get(key), after.get(key), f"{field}.{key}")
    elif before != after:
        yield field, before, after


def problems_in(paths: Iterable[str | Path]) -> list[str]:
    """Return the folders in which runs among some paths keep problems that have no name of their own."""
    return [str(Path(path, PROBLEMS)) for path in paths if Path(path, NAME).is_file() and Path(path, PROBLEMS).is_dir()]
