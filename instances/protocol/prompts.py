"""Prompts of settings: bundled prompt files, files that users edited, and the messages made of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property, partial
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files.strict_json import read_bytes
from planoracle.instances.model.cache import digest
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyBenchmark
from planoracle.instances.protocol.setting_files import SUFFIX, read_setting, version_of, with_live_texts
from planoracle.instances.protocol.settings import SHARED, Setting
from planoracle.instances.text import one_of

FOLDER = "prompts"

#: Fields of a setting that are no part of its digest: names, functions, and texts that the digest has by themselves.
_OUTSIDE_DIGEST = frozenset(
    (
        *("name", "title", "version", "package", "document", "texts"),
        *("is_unrelated", "words", "task_words", "config"),
    )
)
_HEAD = re.compile(r"version:[ \t]{0,9}([^\n]{0,99})(?:\n|$)")
_PLACE = re.compile(r"\{\{([^{}\n]{0,99})\}\}")


class Prompt(NamedTuple):
    """Prompt file: its text without the line of its version, which is ``None`` for examples.

    ``is_edited``: the file is the user's, in place of the bundled one.
    """

    text: str
    version: int | None
    source: str
    is_edited: bool = False

    @property
    def version_text(self) -> str:
        """Version in words after a space; ``""`` for a bundled example."""
        owner = " of your own" if self.is_edited else ""
        return owner if self.version is None else f"{owner} {self.version}"


@dataclass(frozen=True)
class PromptSet:
    """Setting with the texts of its prompts.

    Attributes
    ----------
    benchmark
        Name of the benchmark.
    prompts
        Prompts by the name of the file, without the suffix ``.md``; examples by their whole name.
    """

    setting: Setting
    benchmark: str
    prompts: Mapping[str, Prompt]

    @property
    def name(self) -> str:
        """Name of the setting."""
        return self.setting.name

    @cached_property
    def digest(self) -> str:
        """Digest in 16 hexadecimal digits of all that a model is asked."""
        names = [field.name for field in fields(self.setting) if field.name not in _OUTSIDE_DIGEST]
        included = {name: getattr(self.setting, name) for name in names}
        texts = {name: prompt.text for name, prompt in self.prompts.items()}
        return digest(texts, included, self.setting.config._asdict())[:16]

    @property
    def versions(self) -> str:
        """Versions of its prompts in words."""
        versions = [f"{name}{prompt.version_text}" for name, prompt in self.prompts.items()]
        return ", ".join(versions)

    def record(self) -> dict[str, object]:
        """Return the record that is stored with a run."""
        versions = {name: prompt.version for name, prompt in self.prompts.items()}
        setting = self.setting
        changed = [name for name, prompt in self.prompts.items() if prompt.is_edited]
        return {
            "setting": self.name,
            "version": setting.version,
            "digest": self.digest,
            "prompts": versions,
            "changed": changed,
            "sampling": setting.sampling._asdict(),
            "manner": setting.config._asdict(),
            "history": setting.history,
        }

    def fill(self, name: str, values: Mapping[str, Callable[[], str]]) -> str:
        """Return the text of a prompt with its names replaced; raises `InputError` for an unknown name."""
        return fill_prompt(self.prompts[name], values)


def load_prompts(benchmark: AnyBenchmark | str, name: str = "", folder: Path | None = None) -> PromptSet:
    """Return a setting of a benchmark with its prompts.

    Parameters
    ----------
    name
        Name of the setting, also with a version (``closed@1``), or path of a setting file; ``closed`` by default.
    folder
        The user's prompts: ``PROMPT.md`` in it, or in a folder of the benchmark's name in it, replaces a bundled one.

    Raises
    ------
    UnknownNameError
        If there is no such setting.
    InputError
        For a file that replaces no bundled one, or contains an unknown name, and for an invalid setting file.
    """
    owner = registry.get(benchmark) if isinstance(benchmark, str) else benchmark
    setting = load_setting(owner, name)
    edited = {} if folder is None else _user_prompts(folder, owner, setting)
    prompts = {}
    for file in _files_of(setting):
        prompt = edited.get(file) or _own_text(setting, file, name) or _bundled_text(setting, file, name)
        prompts[file.removesuffix(".md")] = prompt
        if file.endswith(".md"):
            _check(prompt, setting)
    return PromptSet(setting, owner.name, prompts)


def load_setting(benchmark: AnyBenchmark, name: str = "") -> Setting:
    """Return a setting of a benchmark by name, or from a user's file, see `load_prompts`."""
    if is_setting_file(name):
        setting = read_setting(Path(name), benchmark.prompt_package, partial(_named, benchmark))
        return with_live_texts(setting, benchmark.live)
    return _named(benchmark, name or "closed")


def is_setting_file(name: str) -> bool:
    """Return True if the name of a setting is the path of a file."""
    return name.endswith(SUFFIX)


def _named(benchmark: AnyBenchmark, name: str) -> Setting:
    setting = version_of({**benchmark.setting_versions, **benchmark.settings}, name)
    if setting is None:
        message = one_of(name, benchmark.settings, f"settings of {benchmark.name}")
        message = message.replace("must be", f"must be a file *{SUFFIX} or", 1)
        raise UnknownNameError(message, field="setting", value=name)
    return setting


def _own_text(setting: Setting, file: str, source: str) -> Prompt | None:
    """Return a text of the setting's file, ``None`` if it has none of this name."""
    name = file.removesuffix(".md")
    if name not in setting.texts:
        return None
    place = f"{source}: texts.{name}"
    return Prompt(setting.texts[name].strip(), setting.version, place, is_edited=is_setting_file(source))


def _bundled_text(setting: Setting, file: str, source: str) -> Prompt:
    """Return a bundled prompt that a setting names; raises `InputError` if there is none."""
    try:
        return bundled_prompt(setting.package, file)
    except InputError:
        if not is_setting_file(source):
            raise
        name = file.removesuffix(".md")
        field = setting.files.get(name, "example.problems")
        message = "must be a text of this file (table texts), or a bundled prompt; --show-prompts of a set lists these"
        if file.endswith(".json"):
            message = "must be a bundled example, or the name of a problem"
        raise InputError(message, source=source, field=field, value=name) from None


def bundled_prompt(package: str, file: str) -> Prompt:
    """Return a bundled prompt of a package or of all benchmarks; raises `InputError` if there is none."""
    path = files(package) / FOLDER / file
    if not path.is_file():
        path = files(SHARED) / FOLDER / file
    if not path.is_file():
        raise InputError("the package has no such prompt", source=package, field="prompt", value=file)
    return _parse(path.read_text(encoding="utf-8"), file, is_edited=False)


def fill_prompt(prompt: Prompt, values: Mapping[str, Callable[[], str]]) -> str:
    r"""Return the text of a prompt, each ``{{name}}`` replaced once.

    A paragraph with an empty replacement is left out.

    Examples
    --------
    >>> text = "{{work}}, please.\n\nYou know: {{advice}}\n\nBegin."
    >>> fill_prompt(Prompt(text, 1, "task.md"), {"work": lambda: "Wash the {{cup}}", "advice": str})
    'Wash the {{cup}}, please.\n\nBegin.'
    """
    paragraphs = []
    for paragraph in re.split(r"\n{2,}", prompt.text):
        empty = False

        def value(match: re.Match[str]) -> str:
            nonlocal empty
            name = match[1].strip()
            if name not in values:
                raise InputError("this placeholder has no value here", source=prompt.source, field="{{" + name + "}}")
            text = values[name]()
            empty = empty or not text.strip()
            return text

        text = _PLACE.sub(value, paragraph)
        paragraphs += [] if empty else [text]
    return "\n\n".join(paragraphs)


def _check(prompt: Prompt, setting: Setting) -> None:
    for match in _PLACE.finditer(prompt.text):
        if match[1].strip() not in setting.names:
            message = one_of(match[1].strip(), setting.names, "placeholders")
            raise InputError(message, source=prompt.source, field="{{...}}", value=match[0])


def _files_of(setting: Setting) -> Iterator[str]:
    """Yield the files of a setting: its prompts, and examples that are documents."""
    for name in setting.files:
        yield f"{name}.md"
    for example in setting.examples:
        if example.endswith(".json"):
            yield example


def _parse(text: str, source: str, *, is_edited: bool) -> Prompt:
    head = None if source.endswith(".json") else _HEAD.match(text)
    if head is None:
        return Prompt(text.strip(), None, source, is_edited)
    if not re.fullmatch("[1-9][0-9]{0,8}", head[1].strip()):
        raise InputError("must be a whole number, at least 1", source=source, field="version", value=head[1], line=1)
    body = text[head.end() :].strip()
    return Prompt(body, int(head[1]), source, is_edited)


def _user_prompts(folder: Path, benchmark: AnyBenchmark, setting: Setting) -> dict[str, Prompt]:
    """Return a user's files for a benchmark by name; the folder of its name has precedence."""
    if not folder.is_dir():
        raise InputError("must be a folder with prompts", field="prompts", value=str(folder))
    names_of_benchmark = _names((setting, *benchmark.setting_versions.values()))
    all_names = set(names_of_benchmark)
    for name in registry.names():
        all_names |= _names(registry.get(name).setting_versions.values())
    prompts = {}
    for place, names in ((folder, all_names), (folder / benchmark.name, names_of_benchmark)):
        for path in sorted((*place.glob("*.md"), *place.glob("*.json"))):
            if path.name not in names:
                message = one_of(path.name, sorted(names), "prompts")
                raise InputError(f"replaces no bundled prompt; {message}", source=str(path), field="prompts")
            try:
                text = read_bytes(path).decode()
            except UnicodeDecodeError:
                raise InputError("is not UTF-8", source=str(path), field="prompts") from None
            prompts[path.name] = _parse(text, str(path), is_edited=True)
    return prompts


def _names(settings: Iterable[Setting]) -> set[str]:
    return set(chain.from_iterable(map(_files_of, settings)))
