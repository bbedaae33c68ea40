"""Prompts of settings: bundled prompt files, files that users edited, and the messages made of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files.strict_json import read_bytes
from planoracle.instances.model.cache import digest
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyBenchmark
from planoracle.instances.protocol.settings import SHARED, Setting
from planoracle.instances.text import one_of

if TYPE_CHECKING:
    pass


FOLDER = "prompts"

_HEAD = re.compile(r"version:[ \t]{0,9}([^\n]{0,99})(?:\n|$)")
_PLACE = re.compile(r"\{\{([^{}\n]{0,99})\}\}")


class Prompt(NamedTuple):
    """One file: its text without the line of its version, ``None`` if a user's says none, and of examples.

    ``own``: it is a user's, in place of ours.
    """

    text: str
    version: int | None
    source: str
    own: bool = False

    @property
    def told(self) -> str:
        """The version in words, behind a blank; ``""`` for an example of ours."""
        return "".join([" of your own"] * self.own + ([] if self.version is None else [f" {self.version}"]))


@dataclass(frozen=True)
class PromptSet:
    """A setting with the texts of its prompts.

    Attributes
    ----------
    benchmark
        By name.
    prompts
        By the name of the file, without the ``.md`` behind it; files of examples have their whole name.
    """

    setting: Setting
    benchmark: str
    prompts: Mapping[str, Prompt]

    @property
    def name(self) -> str:
        """That of the setting."""
        return self.setting.name

    @cached_property
    def digest(self) -> str:
        """Sixteen hexadecimal digits, equal for what asks a model in the same way."""
        told = ("name", "title", "package", "apart", "words", "manner")
        held = {one.name: getattr(self.setting, one.name) for one in fields(self.setting) if one.name not in told}
        texts = {name: prompt.text for name, prompt in self.prompts.items()}
        return digest(texts, held, self.setting.manner._asdict())[:16]

    @property
    def versions(self) -> str:
        """The versions of its prompts in words."""
        return ", ".join(f"{name}{one.told}" for name, one in self.prompts.items())

    def record(self) -> dict[str, object]:
        """Return what is stored with a run, for JSON."""
        return {
            "setting": self.name,
            "digest": self.digest,
            "prompts": {name: one.version for name, one in self.prompts.items()},
            "changed": [name for name, one in self.prompts.items() if one.own],
            "sampling": self.setting.sampling._asdict(),
            "manner": self.setting.manner._asdict(),
        }

    def fill(self, name: str, values: Mapping[str, Callable[[], str]]) -> str:
        """Return the text of a prompt with what is to stand in its places; raises `InputError`."""
        return filled(self.prompts[name], values)


def prompted(benchmark: AnyBenchmark | str, name: str = "", folder: Path | None = None) -> PromptSet:
    """Return a setting of a benchmark with its prompts.

    Parameters
    ----------
    name
        Of the setting; ``closed`` if it is not given.
    folder
        A user's: ``PROMPT.md`` in it, or in a folder in it that is called like the benchmark, stands for ours.

    Raises
    ------
    UnknownNameError
        If there is no such setting.
    InputError
        For a file of the user's that stands for none of ours, or asks for what there is not.
    """
    found = registry.get(benchmark) if isinstance(benchmark, str) else benchmark
    setting = found.settings.get(name or "closed")
    if setting is None:
        raise UnknownNameError(one_of(name, found.settings, f"settings of {found.name}"), field="setting", value=name)
    own = {} if folder is None else _own(folder, found)
    prompts = {}
    for file in (*(f"{one}.md" for one in setting.files), *_documents(setting)):
        prompt = own.get(file) or bundled(setting.package, file)
        prompts[file.removesuffix(".md")] = prompt
        if file.endswith(".md"):
            _check(prompt, setting)
    return PromptSet(setting, found.name, prompts)


def bundled(package: str, file: str) -> Prompt:
    """Return a prompt that ships, that of the package or one for all rooms; raises `InputError` if there is none."""
    path = files(package) / FOLDER / file
    if not path.is_file():
        path = files(SHARED) / FOLDER / file
    if not path.is_file():
        raise InputError("there is no such prompt", source=package, field="prompt", value=file)
    return _parsed(path.read_text(encoding="utf-8"), file, own=False)


def filled(prompt: Prompt, values: Mapping[str, Callable[[], str]]) -> str:
    r"""Return the text of a prompt, each ``{{name}}`` replaced; what is put in is not looked at again.

    A paragraph in which a place stays empty is left out.

    Examples
    --------
    >>> text = "{{work}}, please.\n\nYou know: {{advice}}\n\nBegin."
    >>> filled(Prompt(text, 1, "task.md"), {"work": lambda: "Wash the {{cup}}", "advice": str})
    'Wash the {{cup}}, please.\n\nBegin.'
    """
    found = []
    for paragraph in re.split(r"\n{2,}", prompt.text):
        empty = False

        def value(match: re.Match[str]) -> str:
            nonlocal empty
            name = match[1].strip()
            if name not in values:
                raise InputError("cannot be known here", source=prompt.source, field="{{" + name + "}}")
            text = values[name]()
            empty = empty or not text.strip()
            return text

        text = _PLACE.sub(value, paragraph)
        found += [] if empty else [text]
    return "\n\n".join(found)


def _check(prompt: Prompt, setting: Setting) -> None:
    for match in _PLACE.finditer(prompt.text):
        if match[1].strip() not in setting.names:
            message = one_of(match[1].strip(), setting.names, "names for a place in a prompt")
            raise InputError(message, source=prompt.source, field="{{...}}", value=match[0])


def _documents(setting: Setting) -> Iterator[str]:
    return (example for example in setting.examples if example.endswith(".json"))


def _parsed(text: str, source: str, *, own: bool) -> Prompt:
    head = None if source.endswith(".json") else _HEAD.match(text)
    if head is None:
        return Prompt(text.strip(), None, source, own)
    if not re.fullmatch("[1-9][0-9]{0,8}", head[1].strip()):
        raise InputError("must be a whole number from 1", source=source, field="version", value=head[1], line=1)
    return Prompt(text[head.end() :].strip(), int(head[1]), source, own)


def _own(folder: Path, benchmark: AnyBenchmark) -> dict[str, Prompt]:
    """Return a user's files for a benchmark by name, those in the folder of its name before the others."""
    if not folder.is_dir():
        raise InputError("is no folder with prompts", field="prompts", value=str(folder))
    ours, others = _names(benchmark.settings.values()), set()
    found = {}
    for name in registry.names():
        others |= _names(registry.get(name).settings.values())
    for place, known in ((folder, others | ours), (folder / benchmark.name, ours)):
        for path in sorted((*place.glob("*.md"), *place.glob("*.json"))):
            if path.name not in known:
                message = one_of(path.name, sorted(known), "prompts")
                raise InputError(f"{message}; none of ours", source=str(path), field="prompts")
            try:
                text = read_bytes(path).decode()
            except UnicodeDecodeError:
                raise InputError("must be text in UTF-8", source=str(path), field="prompts") from None
            found[path.name] = _parsed(text, str(path), own=True)
    return found


def _names(settings: Iterable[Setting]) -> set[str]:
    return {name for one in settings for name in (*(f"{file}.md" for file in one.files), *_documents(one))}
