"""Names of problems: bundled problems, sets, local data, problem files, variants and more agents."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache, partial
from os import scandir
from os.path import exists, isdir, join
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from planoracle.instances.errors import InputError, InputNote, UnknownNameError
from planoracle.instances.files import task_table
from planoracle.instances.files.strict_json import Document, load_document, load_json, read_bytes
from planoracle.instances.files.unsupported_formats import unknown_document, unknown_text, unsupported_file
from planoracle.instances.model.agents import split_agent_suffix
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.problem import GENERAL, Problem, of_kind
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.capabilities import Catalog
from planoracle.instances.text import did_you_mean, did_you_mean_file

if TYPE_CHECKING:
    from planoracle.instances.protocol.benchmark import AnyBenchmark


# Longest prefix or glob in characters: matching takes quadratic time, and no name of a set is half as long.
_LONGEST = 500
# Longest name or path in characters.
_LONGEST_NAME = 4096
# Messages about names without a match.
_NO_MATCH = "no problem, set or file has this name"
_NO_PROBLEM = "no problem has this name"
_NO_PROBLEM_FILES = "the folder contains no problem files"
_NO_FILES = "files are accepted only from folders given with --instances, or with --trust-paths"
# Endings and names of files in a folder of problems that hold no problem.
_HARMLESS_ENDINGS = frozenset(
    (
        *(".md", ".rst", ".pdf", ".html", ".tex", ".bib", ".doc", ".docx"),
        *(".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".eps", ".bmp", ".tif", ".tiff", ".ico"),
        *(".db", ".bak", ".tmp", ".swp"),
        *(".py", ".ipynb", ".sh", ".log", ".err", ".toml", ".yaml", ".yml", ".cfg", ".ini"),
    )
)
_DOCUMENT = re.compile(
    r"(?i)(?:read[_-]?me|licen[cs]e|copying|notice|authors|changelog|citation|attribution|makefile)(?:[-_.].*)?"
)
# Name of a file or folder, or of a problem in a file, and the label of a variant.
_VARIANT = re.compile(r"(.+)@([^@~#/\\]+)", re.DOTALL)
# Number of files that a note names.
_LISTED = 10
# Endings of files with one problem per line.
_LINES = (".jsonl", ".ndjson")


def _benchmark(name: str) -> AnyBenchmark | None:
    """Return the benchmark of a name: the first component, before a variant."""
    first_component = name.partition("/")[0]
    return registry.find(first_component.partition("@")[0])


def _catalog(name: str) -> Catalog | None:
    """Return the catalog of the benchmark of a name, ``None`` if there is none."""
    benchmark = _benchmark(name)
    return None if benchmark is None else benchmark.catalog


def bundled() -> tuple[str, ...]:
    """Return the names of all bundled problems and of those in local copies of data, in a fixed order.

    Tasks of TimeArena and AsyncTool can also be combined by name (``timearena/lab1+lab2``).
    """
    return _bundled(registry.names(), registry.data_folders())


@lru_cache(maxsize=8)
def _bundled(benchmarks: tuple[str, ...], data_folders: object) -> tuple[str, ...]:
    names: list[str] = []
    for benchmark in benchmarks:
        catalog = registry.get(benchmark).catalog
        if catalog is not None:
            names += catalog.names()
    return tuple(names)


def names_of(benchmark: AnyBenchmark) -> Iterator[str]:
    """Yield the names of the bundled problems of a benchmark, also those in another one's catalog."""
    catalog = benchmark.catalog or registry.get(benchmark.rules.name).catalog
    if catalog is None:
        return
    for name in catalog.names():
        if catalog.load(name).benchmark == benchmark.name:
            yield name


def _names(pattern: str) -> tuple[str, ...]:
    """Return the bundled names that can match a pattern: all, unless it begins with a benchmark."""
    catalog = _catalog(pattern)
    return bundled() if catalog is None else catalog.names()


def _split(name: str) -> tuple[str, str]:
    """Split a name into the name of the original problem and its agent suffix, which may be empty."""
    return split_agent_suffix(name) or (name, "")


def split_variant(name: str) -> tuple[str, str] | None:
    """Split a name into the original problem and the label of a variant; ``None`` without a label.

    >>> split_variant("mine.json#soup@42"), split_variant("mine.json")
    (('mine.json#soup', '42'), None)
    """
    match = _VARIANT.fullmatch(name) if len(name) <= _LONGEST_NAME else None
    return None if match is None else (match[1], match[2])


def names_problem(name: str) -> bool:
    """Return whether a name stands for one problem, bundled or combined, with any number of agents.

    >>> names_problem("timearena/lab1+lab2~3"), names_problem("timearena/lab1+lab2~none")
    (True, False)
    """
    catalog = _catalog(name)
    return catalog is not None and catalog.covers(_split(name)[0])


def real_name(name: str) -> str:
    """Return the name of a problem that is written in any case; other texts are returned unchanged.

    >>> real_name("TimeArena/Lab1+lab2~3"), real_name("recipe2plan/TIMED/vada_leche-asada"), real_name("Soup")
    ('timearena/lab1+lab2~3', 'recipe2plan/timed/Vada_Leche-Asada', 'Soup')
    """
    base, agents = _split(name)
    lower = base.lower()
    if names_problem(name) or _catalog(lower) is None:
        return name
    if names_problem(lower):
        return lower + agents
    members = _members(lower)
    member = next((member for member in members if member.lower() == lower), None)
    return name if member is None else member + agents


def published_name(name: str) -> str:
    """Return the problem that the authors of a benchmark call so, ``""`` if there is none."""
    if _benchmark(name) is not None:
        return ""
    for benchmark in registry.names():
        of_authors = getattr(registry.get(benchmark).catalog, "published_name", None)
        match = "" if of_authors is None else of_authors(name)
        if match:
            return str(match)
    return ""


def expand(patterns: Iterable[str]) -> list[str]:
    """Turn names, prefixes, globs and paths into a list of names and paths, without repetition.

    A prefix stands for everything below it (``recipe2plan/timed``); a glob for all names it matches
    (``recipe2plan/*/Cobbler_*``); a folder for the problem files in it. A path of a file stays as it
    is. With ``~3`` at the end these are the same problems with three agents. With ``@7`` a file or folder stands for
    variants of its problems. Names may be written in any case.

    Raises
    ------
    UnknownNameError
        For a pattern without a match; names similar ones.

    Examples
    --------
    >>> len(expand(["recipe2plan"])), expand(["*/timed/Vada_D*"])
    (130, ['recipe2plan/timed/Vada_Daikon-Radish'])
    >>> len(expand(["timearena"])), len(expand(["timearena/lab/2"])), expand(["timearena/cooking3+lab2"])
    (90, 10, ['timearena/cooking3+lab2'])
    >>> len(expand(["asynctool"])), expand(["*/timed/Vada_D*~2"])
    (120, ['recipe2plan/timed/Vada_Daikon-Radish~2'])
    >>> expand(["Recipe2Plan/timed/vada_d*", "TimeArena/Household1"])
    ['recipe2plan/timed/Vada_Daikon-Radish', 'timearena/household1']
    """
    names: dict[str, None] = {}
    empty_folders: set[str] = set()
    for pattern in patterns:
        if len(pattern) > _LONGEST_NAME:
            raise UnknownNameError(_NO_MATCH, field="name", value=pattern)
        if names_problem(pattern) or local_path(pattern) != pattern:
            names.setdefault(pattern)
            continue
        base, agents = _split(pattern)
        if agents and _path(pattern) is None:
            names.update(dict.fromkeys(name + agents for name in expand([base])))
            continue
        variant = split_variant(pattern)
        if variant is not None and not exists(pattern) and isdir(variant[0]):
            names.update(dict.fromkeys(f"{path}@{variant[1]}" for path in expand([variant[0]])))
            continue
        # A file needs no look through all names, which would load all benchmarks.
        is_path = _catalog(pattern) is None and is_file(pattern)
        members = [] if is_path else _members(pattern)
        if members and pattern:
            names.update(dict.fromkeys(members))
        elif is_file(pattern):
            names.setdefault(pattern)
        elif pattern and isdir(pattern):
            paths = _files_in(pattern)
            if not paths:  # an error when it is read, after the problems of other names
                empty_folders.add(pattern)
            names.update(dict.fromkeys(paths or [pattern]))
        elif (real := real_name(pattern)) != pattern or (real := published_name(pattern)):
            names.setdefault(real)
        elif pattern and (members := _members(pattern.lower())):
            names.update(dict.fromkeys(members))
        else:
            raise _no_match(pattern, _NO_MATCH)
    if empty_folders and empty_folders == names.keys():
        raise UnknownNameError(_NO_PROBLEM_FILES, value=min(empty_folders))
    return [local_path(name) for name in names]


def local_path(name: str) -> str:
    """Return the file that a name stands for in a local copy of a benchmark's data, else the name."""
    benchmark = _benchmark(name)
    if benchmark is None:
        return name
    folder = registry.data_folder(benchmark.name)
    return name if folder is None else benchmark.file_of(name, folder) or name


def _members(pattern: str) -> list[str]:
    """Return the problems that a prefix or a glob stands for."""
    catalog = _catalog(pattern)
    members = list(getattr(catalog, "members", lambda name: ())(pattern))
    if members or len(pattern) > _LONGEST:
        return members
    lower = pattern.lower()
    prefix = lower.rstrip("/") + "/"
    for name in _names(pattern):
        lower_name = name.lower()
        if lower_name.startswith(prefix) or fnmatchcase(lower_name, lower):
            members.append(name)
    return members


def completions(start: str) -> list[str]:
    """Return the names of benchmarks, sets and problems that begin with a text, up to the next ``/``.

    >>> completions("recipe2plan/t"), completions("recipe2plan/timed/Vada_D")
    (['recipe2plan/timed'], ['recipe2plan/timed/Vada_Daikon-Radish'])
    """
    if "/" not in start:
        matching = [name for name in registry.names() if name.startswith(start)]
        return [name for name in matching if _catalog(name) is not None]
    catalog = _catalog(start)
    matches: dict[str, None] = {}
    for name in () if catalog is None else catalog.names():
        if name.startswith(start):
            next_part = name[len(start) :].partition("/")[0]
            matches.setdefault(start + next_part)
    return list(matches)


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the label and the members of the bundled set of a name, ``("", ())`` without a set."""
    base, agents = _split(name)
    catalog = _catalog(base)
    if catalog is None:
        return "", ()
    label, members = catalog.set_of(base)
    if not label:
        return "", ()
    return label + agents, tuple(member + agents for member in members)


def short_name(name: str) -> str:
    """Return what the name of a problem adds to that of its set, else its last part.

    >>> short_name("recipe2plan/timed/Vada_Daikon-Radish"), short_name("timearena/cooking1+cooking2")
    ('Vada_Daikon-Radish', 'cooking1+cooking2')
    """
    label = set_of(name)[0].partition("~")[0]
    part = name.removeprefix(f"{label}/")
    return name.rpartition("/")[2] if part == name else part


def note(name: str) -> str:
    """Return a note on a problem that has a benchmark's name but is not from its authors, else ``""``.

    >>> note("asynctool/files_1").partition(";")[0], note("timearena/lab1")
    ("asynctool: AsyncTool's data are not released", '')
    """
    benchmark = registry.find(name.partition("/")[0])
    return benchmark.note(name) if benchmark is not None and names_problem(name) else ""


def addressed(name: str, record: Mapping[str, Any]) -> str:
    """Return the real name of the problem of a submission; further fields may complete it.

    Raises
    ------
    InputError
        Naming the invalid field.
    """
    name = real_name(name)
    benchmark = registry.find(name.partition("/")[0])
    return name if benchmark is None else benchmark.addressed_name(name, record)


def is_file(name: str) -> bool:
    """Return whether a name is that of a file or of a problem in it, such as ``path#name@7~3``."""
    return _file_of(name) is not None


def file_path(name: str) -> str:
    """Return the path of the file of a name such as ``path#name@7~3``, else the name."""
    return _file_of(name) or name


def _file_of(name: str) -> str | None:
    """Return the path of the file of a name, also of a variant and with agents; ``None`` without a file."""
    base, _ = _split(name)
    original = split_variant(base)
    return _path(name) or _path(base) or (None if original is None else _path(original[0]))


def _path(name: str) -> str | None:
    """Return the path of the file of a name (``path`` or ``path#name``), ``None`` without a file."""
    paths = (name, name.rpartition("#")[0])
    return next((path for path in paths if path and _exists(path)), None)


def _exists(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):  # too long, or with a NUL
        return False


def _files_in(folder: str) -> list[str]:
    """Return the paths of the files in a folder that may hold problems; links are not followed.

    A note names the other files and the folders in it.
    """
    with scandir(folder) as entries:
        visible = [entry for entry in entries if not entry.name.startswith(".")]
    visible.sort(key=lambda entry: entry.name)
    paths: list[str] = []
    unread: list[str] = []
    for entry in visible:
        if entry.is_file(follow_symlinks=False) and not _is_harmless(entry.name):
            paths.append(join(folder, entry.name))
        else:
            is_folder = entry.is_dir(follow_symlinks=False)
            unread.append(f"{entry.name}/" if is_folder else entry.name)
    if unread and paths:
        listed = ", ".join(unread[:_LISTED])
        if len(unread) > _LISTED:
            listed += f" and {len(unread) - _LISTED} more"
        warnings.warn(InputNote(f"{folder}: not read: {listed}"), stacklevel=2)
    return paths


def _is_harmless(name: str) -> bool:
    """Return whether a file certainly holds no problem, by its name."""
    if name.startswith("~$") or name.endswith("~"):  # of a program in which another file is open
        return True
    ending = PurePath(name).suffix.lower()
    return ending in _HARMLESS_ENDINGS or _DOCUMENT.fullmatch(name) is not None


def _no_match(name: str, message: str) -> UnknownNameError:
    """Return the error for a name without a match, be it meant as a file, a folder or a problem."""
    path = name if exists(name) else name.rpartition("#")[0] or name
    original = split_variant(path)
    if original is not None and not exists(path) and _looks_like_a_file(original[0]):
        path = original[0]
    if isdir(path):
        return UnknownNameError(f"{message}: {path} is a folder; name a file in it")
    if exists(path):
        return UnknownNameError(f"{message}: {path} is not a regular file")
    if _catalog(name) is None and _looks_like_a_file(path):
        folder = str(PurePath(path).parent)
        if not isdir(folder):
            return UnknownNameError(f"{message}: neither file {path} nor folder {folder} exists")
        return UnknownNameError(f"{message}: file {path} does not exist{did_you_mean_file(path)}")
    return _no_name(name, message)


def unknown_name_error(name: str) -> UnknownNameError:
    """Return the error for a name in a submission without a match, or of a file that it may not name.

    The message does not reveal which files exist.

    >>> str(unknown_name_error("/etc/passwd")).partition(" (")[0]
    'no problem has this name; files are accepted only from folders given with --instances, or with --trust-paths'
    """
    catalog = _catalog(name)
    path = name.rpartition("#")[0] or name
    if catalog is not None and not catalog.covers(name) and (count := len(_members(name))):
        message = f"this name stands for a set of {count} problems; name one of them{_hint(name)}"
        return UnknownNameError(message, value=name)
    error = _no_name(name, _NO_PROBLEM)
    if _looks_like_a_file(path) or (error.message == _NO_PROBLEM and ("/" in name or "\\" in name)):
        return UnknownNameError(f"{_NO_PROBLEM}; {_NO_FILES}", value=name)
    return error


def _no_name(name: str, message: str) -> UnknownNameError:
    """Return the error for a name that is no bundled one, with the hint of its benchmark or similar names."""
    if text := _hint(name):
        return UnknownNameError(f"{message}{text}", value=name)
    names = _names(name)
    sets = sorted({bundled_name.rpartition("/")[0] for bundled_name in names})
    advice = did_you_mean(name, [*names, *sets, *registry.names()])
    if not advice and _catalog(name) is not None:
        benchmark = name.partition("/")[0].partition("@")[0]
        advice = f"; planoracle instances {benchmark} lists all names"
        if len(sets) > 1:
            advice += f", in the sets {', '.join(sets[:6])}"
    return UnknownNameError(message + advice, value=name)


def _hint(name: str) -> str:
    """Return the hint of a benchmark on a name that stands for no problem."""
    hint = getattr(_catalog(name), "hint", None)
    return "" if hint is None else str(hint(name))


def _looks_like_a_file(path: str) -> bool:
    """Return whether a name without a match was probably meant as the name of a file."""
    parts = PurePath(path)
    if parts.is_absolute() or path.startswith((".", "~")):
        return True
    return parts.suffix[1:].isalpha() and len(parts.suffix) < 8


def problem(name: str) -> Problem:
    """Return the problem of a name.

    Raises
    ------
    UnknownNameError, InputError
        If no problem has this name, or the problem cannot have these agents.
    """
    base, agents = _split(name)
    if agents:
        return _with_agents(problem(base), agents)
    catalog = _catalog(name)
    if catalog is None or not catalog.covers(name):
        if (real := real_name(name)) != name or (catalog is None and (real := published_name(name))):
            return problem(real)
        if catalog is not None and _members(name):
            raise unknown_name_error(name)
        raise _no_match(name, _NO_PROBLEM)
    loaded: Problem = catalog.load(name)
    return loaded


def _with_agents(original: Problem, agents: str) -> Problem:
    return registry.of(original).with_agents(original, agents)


def variant_of(original: Problem, label: str) -> Problem:
    """Return a variant of the problem of a file; raises `InputError` if there is none."""
    return registry.of(original).variant(original, label)


def _derivation(name: str) -> tuple[str, Callable[[Problem], Problem]] | None:
    """Return the original of a name with agents or a variant, and the function that derives its problem."""
    base, agents = _split(name)
    if agents:
        return base, partial(_with_agents, agents=agents)
    original = split_variant(name)
    if original is None or _path(original[0]) is None:
        return None
    return original[0], partial(variant_of, label=original[1])


class DerivedName(NamedTuple):
    """Name of a problem: its original, the label of a variant and an agent suffix, which may be empty.

    >>> DerivedName.of("soup@42~2", {"soup"}), DerivedName.of("soup@42", {"soup@42"}), DerivedName.of("soup", ())
    (DerivedName(original='soup', label='42', agents='~2'), DerivedName(original='soup@42', label='', agents=''), None)
    """

    original: str
    label: str
    agents: str

    @classmethod
    def of(cls, name: str, known_names: Collection[str]) -> DerivedName | None:
        """Split a name whose original is a known one; ``None`` if it is not known."""
        if name in known_names:
            return cls(name, "", "")
        base, agents = _split(name)
        if base in known_names:
            return cls(base, "", agents)
        variant = split_variant(base)
        if variant is None or variant[0] not in known_names:
            return None
        return cls(*variant, agents)

    def derive(self, original: Problem) -> Problem:
        """Return the problem; raises `InputError` if there is no such variant, or it cannot have these agents."""
        problem = variant_of(original, self.label) if self.label else original
        return _with_agents(problem, self.agents) if self.agents else problem


def load(name: str) -> Instance:
    """Return the scheduling problem of a name; raises `InputError`, also for a problem of another kind."""
    return of_kind(problem(name), Instance)


def read_problems(name_or_path: str) -> list[Problem]:
    """Return the problem of a name, or all problems of a file, its format recognised from its content.

    With ``path#name`` only the problem of that name in the file.

    Raises
    ------
    InputError
        For an unknown name, or naming file, field and value of the first fault.
    """
    problems = []
    for entry in read_each(name_or_path):
        if isinstance(entry, InputError):
            raise entry
        problems.append(entry)
    return problems


def single(name_or_path: str) -> Problem:
    """Return the only problem of a name or file; raises `InputError` for none or several."""
    is_path = is_file(local_path(name_or_path))
    problems = read_problems(name_or_path) if is_path else [problem(name_or_path)]
    if len(problems) != 1:
        raise InputError(f"contains {len(problems)} problems; name one: {name_or_path}#NAME", source=name_or_path)
    return problems[0]


def read_each(name_or_path: str) -> list[Problem | InputError]:
    """Return the problems of a name or file; in a file of lines, invalid lines give errors.

    Raises
    ------
    InputError
        If nothing can be read.
    """
    name_or_path = local_path(name_or_path)
    if names_problem(name_or_path):
        return [problem(name_or_path)]
    derivation = _derivation(name_or_path)
    path = _path(name_or_path)
    if path is None and derivation is not None:
        return _derived_problems(*derivation)
    entries = _read(path or name_or_path)
    if path in (None, name_or_path):
        return entries
    name = name_or_path.removeprefix(f"{path}#")
    selected: list[Problem | InputError] = [entry for entry in entries if getattr(entry, "name", None) == name]
    if not selected and derivation is not None:
        return _derived_problems(*derivation)
    if not selected:
        names = [entry.name for entry in entries if not isinstance(entry, InputError)]
        message = f"the file contains no problem of this name{did_you_mean(name, names)}"
        raise UnknownNameError(message, value=name_or_path)
    return selected


def _derived_problems(name: str, derive: Callable[[Problem], Problem]) -> list[Problem | InputError]:
    """Return what is derived from the problems of a name; an error names their file."""
    originals = read_problems(name)
    try:
        return [derive(original) for original in originals]
    except InputError as error:
        raise error if error.source else error.at(file_path(name)) from None


def _read(path: str) -> list[Problem | InputError]:
    """Return the problems of a file, or the errors of its lines."""
    if isdir(path) and not _files_in(path):
        raise InputError(f"cannot be read: {_NO_PROBLEM_FILES}", source=path)
    data = read_bytes(path)
    unsupported = unsupported_file(path)
    if unsupported is not None:
        raise unsupported
    for benchmark in map(registry.get, registry.names()):
        if problems := benchmark.read_data(data, path):
            return list(problems)
    if path.lower().endswith(task_table.ENDINGS):
        return [task_table.read_table(data, path)]
    numbered_lines = enumerate(data.splitlines(), 1)
    lines = [(number, line) for number, line in numbered_lines if line.strip()]
    if path.endswith(_LINES) or _has_line_objects([line for _, line in lines[:2]]):
        entries: list[Problem | InputError] = []
        for number, line in lines:
            entries += read_line(line, f"{path}, line {number}")
        return entries
    unknown = unknown_text(data, path)
    if unknown is not None:
        raise unknown
    return list(_problems_of(load_document(data, path), path))


def _has_line_objects(first_lines: list[bytes]) -> bool:
    """Return whether the first two lines of a file are an object each, and not the middle of a document."""
    if len(first_lines) < 2 or not all(line.lstrip().startswith(b"{") for line in first_lines):
        return False
    # In the middle of a document, an object on the next line follows one of these.
    return not first_lines[0].rstrip().endswith((b"[", b",", b":"))


def read_line(line: bytes, source: str) -> list[Problem | InputError]:
    """Return the problems of a line that is a document or a name, or the error of the line."""
    try:
        if line.lstrip().startswith(b"{"):
            document = Document(load_json(line.strip(), source), lambda places: {})
            return list(_problems_of(document, source))
        return [problem(line.decode().strip())]
    except UnicodeDecodeError as error:
        message = f"is not UTF-8 ({error.reason} at byte {error.start})"
        return [InputError(message, source=source)]
    except InputError as error:
        return [error if error.source else error.at(source)]


def _problems_of(document: Document, path: str) -> list[Problem]:
    """Return the problems of a document, by the benchmark that recognises it."""
    benchmarks = map(registry.get, registry.names())
    benchmark = next((benchmark for benchmark in benchmarks if benchmark.recognises(document.value)), None)
    if benchmark is None and isinstance(document.value, dict) and "format" in document.value:
        benchmark = registry.get(GENERAL)  # names the faults of the document
    if benchmark is None:
        reason = unknown_document(document.value)
        if reason is not None:
            raise InputError(reason, source=path)
        raise InputError(
            'unknown format; accepted are JSON objects with "format": "planoracle/..." and the formats of the '
            f"benchmarks {', '.join(registry.names())} (see .docs/problem_files.md)",
            source=path,
        )
    try:
        return benchmark.read(document.value, path)
    except InputError as error:
        raise document.located(error, path) from None
