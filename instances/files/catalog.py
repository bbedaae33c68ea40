"""Names of problems: bundled ones, sets of them, and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from os import scandir
from os.path import exists, isdir, join
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.model.agents import split_crew
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.problem import GENERAL, Problem, of_kind
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.capabilities import Catalog
from planoracle.instances.text import did_you_mean, files_like

if TYPE_CHECKING:
    from planoracle.instances.files.strict_json import Document
    from planoracle.instances.protocol.benchmark import AnyBenchmark


# Longest prefix or glob: reading one takes quadratic time, and no name of a set is half as long.
_LONGEST = 500
# How names of files end that hold a problem a line, and that hold problems as a whole.
_LINES = (".jsonl", ".ndjson")
_WHOLE = (".json",)


def _benchmark(name: str) -> AnyBenchmark | None:
    """Return the benchmark of a name: the first component, before a variant."""
    return registry.find(name.partition("/")[0].partition("@")[0])


def _shelf(name: str) -> Catalog | None:
    benchmark = _benchmark(name)
    return None if benchmark is None else benchmark.shelf


def bundled() -> tuple[str, ...]:
    """Names of all bundled problems, and of those in copies that the user has told of, in their fixed order.

    Tasks of TimeArena and AsyncTool can also be combined by name (``timearena/lab1+lab2``).
    """
    return _bundled(registry.data_folders())


def names_of(benchmark: AnyBenchmark) -> Iterator[str]:
    """Yield the names of the bundled problems of a benchmark, also where they are among those of another one."""
    shelf = benchmark.shelf or registry.get(benchmark.rules_as or benchmark.name).shelf
    for name in () if shelf is None else shelf.names():
        if shelf is not None and shelf.load(name).benchmark == benchmark.name:
            yield name


@lru_cache(maxsize=8)
def _bundled(given: object) -> tuple[str, ...]:
    shelves = (registry.get(benchmark).shelf for benchmark in registry.names())
    return tuple(name for shelf in shelves if shelf is not None for name in shelf.names())


def _names(pattern: str) -> tuple[str, ...]:
    """Return the bundled names among which those of a pattern are: all, unless it begins with a benchmark."""
    shelf = _shelf(pattern)
    return bundled() if shelf is None else shelf.names()


def names_problem(name: str) -> bool:
    """Whether a name stands for one problem, bundled or combined from bundled tasks, perhaps with more agents.

    >>> names_problem("timearena/lab1+lab2~3"), names_problem("timearena/lab1+lab2~none")
    (True, False)
    """
    crew = split_crew(name)
    shelf = _shelf(name)
    return shelf is not None and shelf.covers(name if crew is None else crew[0])


def expand(patterns: Iterable[str]) -> list[str]:
    """Turn names, prefixes, globs and paths into a list of names and paths, without repetition.

    A prefix stands for everything below it (``recipe2plan/timed``); a glob for all names it matches
    (``recipe2plan/*/Cobbler_*``); a path is kept as it is, a folder stands for the ``.json`` and ``.jsonl`` files in
    it. With ``~3`` at the end it is the same problems with three agents.

    Raises
    ------
    UnknownNameError
        For a pattern that stands for nothing; names similar ones.

    Examples
    --------
    >>> len(expand(["recipe2plan"])), expand(["*/timed/Vada_D*"])
    (130, ['recipe2plan/timed/Vada_Daikon-Radish'])
    >>> len(expand(["timearena"])), len(expand(["timearena/lab/2"])), expand(["timearena/cooking3+lab2"])
    (90, 10, ['timearena/cooking3+lab2'])
    >>> len(expand(["asynctool"])), expand(["*/timed/Vada_D*~2"])
    (100, ['recipe2plan/timed/Vada_Daikon-Radish~2'])
    """
    found: dict[str, None] = {}
    for pattern in patterns:
        if len(pattern) > 4096:  # longer than any name or path; matching is quadratic
            raise UnknownNameError("names no problem, set or file", field="name", value=pattern)
        if names_problem(pattern) or placed(pattern) != pattern:
            found.setdefault(pattern)
            continue
        crew = split_crew(pattern)
        if crew is not None and _path(pattern) is None:
            found.update(dict.fromkeys(name + crew[1] for name in expand([crew[0]])))
            continue
        shelf = _shelf(pattern)
        if shelf is None and is_file(pattern):  # without looking through all names, which would load all benchmarks
            found.setdefault(pattern)
            continue
        below = _members(pattern)
        if below and pattern:
            found.update(dict.fromkeys(below))
        elif is_file(pattern):
            found.setdefault(pattern)
        elif pattern and isdir(pattern):
            found.update(dict.fromkeys(_files_in(pattern)))
        else:
            raise _unknown(pattern, "names no problem, set or file")
    return [placed(name) for name in found]


def copied(name: str) -> bool:
    """Return whether a name is one of a benchmark of whose data the user has a copy."""
    benchmark = _benchmark(name)
    return benchmark is not None and bool(benchmark.data) and registry.data_folder(benchmark.name) is not None


def placed(name: str) -> str:
    """Return the file that a name means in the user's copy of a benchmark's data, or the name itself."""
    benchmark = _benchmark(name)
    folder = None if benchmark is None else registry.data_folder(benchmark.name)
    return name if benchmark is None or folder is None else benchmark.file_of(name, folder) or name


def _members(pattern: str) -> list[str]:
    """Return the problems that a prefix or a glob stands for."""
    shelf = _shelf(pattern)
    prefix = pattern.rstrip("/") + "/"
    below = list(() if shelf is None else shelf.members(pattern))
    if below or len(pattern) > _LONGEST:
        return below
    return [name for name in _names(pattern) if name.startswith(prefix) or fnmatchcase(name, pattern)]


def begun(start: str) -> list[str]:
    """Return the names of benchmarks, sets and problems that begin so, up to the next ``/``.

    >>> begun("recipe2plan/t"), begun("recipe2plan/timed/Vada_D")
    (['recipe2plan/timed'], ['recipe2plan/timed/Vada_Daikon-Radish'])
    """
    if "/" not in start:
        return [name for name in registry.names() if name.startswith(start) and registry.get(name).shelf is not None]
    shelf = _shelf(start)
    found = () if shelf is None else (name for name in shelf.names() if name.startswith(start))
    return list(dict.fromkeys(start + name[len(start) :].partition("/")[0] for name in found))


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the label and the members of the bundled set that a name belongs to, ``("", ())`` if to none."""
    crew = split_crew(name)
    if crew is not None:
        label, members = set_of(crew[0])
        return (label + crew[1], tuple(one + crew[1] for one in members)) if label else ("", ())
    shelf = _shelf(name)
    return ("", ()) if shelf is None else shelf.set_of(name)


def note(name: str) -> str:
    """Return what is to be said of a problem with a bundled name that is not the benchmark's, ``""`` if nothing.

    >>> note("asynctool/files_1").partition(";")[0], note("timearena/lab1")
    ("asynctool: AsyncTool's data are not released", '')
    """
    return _note(registry.data_folders(), name)


@lru_cache(maxsize=4096)
def _note(given: object, name: str) -> str:
    benchmark = registry.find(name.partition("/")[0])
    return benchmark.note(name) if benchmark is not None and names_problem(name) else ""


def addressed(name: str, record: Mapping[str, Any]) -> str:
    """Return the name of the problem that a submission is for, where not only its ``instance`` says so.

    Raises
    ------
    InputError
        Naming the field that is not what it should be.
    """
    benchmark = registry.find(name.partition("/")[0])
    return name if benchmark is None else benchmark.addressed(name, record)


def is_file(name: str) -> bool:
    """Return whether a name is the path of a file, or of one problem in it (``path#name``)."""
    crew = split_crew(name)
    return _path(name) is not None or (crew is not None and _path(crew[0]) is not None)


def file_path(name: str) -> str:
    """Return the path of the file that a name is or points into (``path#name``, ``path~3``), else the name."""
    crew = split_crew(name)
    return _path(name) or (crew and _path(crew[0])) or name


def _path(name: str) -> str | None:
    """Return the path of the file that a name is or points into, ``None`` if there is no such file."""
    return next((path for path in (name, name.rpartition("#")[0]) if path and _exists(path)), None)


def _exists(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):  # too long, or with a NUL
        return False


def _files_in(folder: str) -> list[str]:
    """Return the paths of the files in a folder that can hold problems; links are not followed."""
    with scandir(folder) as entries:
        names = [one.name for one in entries if one.is_file(follow_symlinks=False) and not one.name.startswith(".")]
    found = [join(folder, name) for name in sorted(names) if name.endswith((*_WHOLE, *_LINES))]
    if not found:
        raise UnknownNameError(f"is a folder without {', '.join((*_WHOLE, *_LINES))} files", value=folder)
    return found


def _unknown(name: str, message: str) -> UnknownNameError:
    """Return what is said of a name that stands for nothing, be it that of a file, a folder or a problem."""
    path = name if exists(name) else name.rpartition("#")[0] or name
    if isdir(path):
        return UnknownNameError(f"{message}: {path} is a folder; name the files in it")
    if exists(path):
        return UnknownNameError(f"{message}: {path} is no regular file")
    if _shelf(name) is None and _looks_like_a_file(path):
        folder = str(PurePath(path).parent)
        if not isdir(folder):
            return UnknownNameError(f"{message}: there is no file {path}, and no folder {folder}")
        close = files_like(path)
        meant = f"; did you mean {' or '.join(close)}?" if close else ""
        return UnknownNameError(f"{message}: there is no file {path}{meant}")
    return _no_name(name, message)


def unknown(name: str) -> UnknownNameError:
    """Return what is said of a name in a submission that stands for nothing, or for a file that it may not name.

    Nobody learns from it what files there are.

    >>> str(unknown("/etc/passwd")).partition(" (")[0]
    'names no problem; a file can be named only if --instances DIR holds it, or with --trust-paths'
    """
    shelf, path = _shelf(name), name.rpartition("#")[0] or name
    if shelf is not None and not shelf.covers(name) and (many := len(_members(name))):
        return UnknownNameError(f"names no problem, but {many} of them{_hint(name)}", value=name)
    found = _no_name(name, "names no problem")
    if _looks_like_a_file(path) or (found.message == "names no problem" and ("/" in name or "\\" in name)):
        said = "names no problem; a file can be named only if --instances DIR holds it, or with --trust-paths"
        return UnknownNameError(said, value=name)
    return found


def _no_name(name: str, message: str) -> UnknownNameError:
    """Return what is said of a name that is like no bundled one, or like some."""
    if text := _hint(name):
        return UnknownNameError(f"{message}{text}", value=name)
    names = _names(name)
    sets = sorted({one.rpartition("/")[0] for one in names})
    meant = did_you_mean(name, [*names, *sets, *registry.names()])
    if not meant and _shelf(name) is not None:
        meant = f"; there are {', '.join(sets[:6])}"
    return UnknownNameError(message + meant, value=name)


def _hint(name: str) -> str:
    """Return what a benchmark has to say of a name that stands for no problem."""
    hint = getattr(_shelf(name), "hint", None)
    return "" if hint is None else str(hint(name))


def _looks_like_a_file(path: str) -> bool:
    """Whether a name that stands for nothing was probably meant as that of a file."""
    parts = PurePath(path)
    return parts.is_absolute() or path.startswith((".", "~")) or (parts.suffix[1:].isalpha() and len(parts.suffix) < 8)


def problem(name: str) -> Problem:
    """Return one problem by its name; raises `UnknownNameError`, and `InputError` if it cannot have these agents."""
    crew = split_crew(name)
    if crew is not None:
        return _with_crew(problem(crew[0]), crew[1])
    shelf = _shelf(name)
    if shelf is None or not shelf.covers(name):
        raise unknown(name) if shelf is not None and _members(name) else _unknown(name, "names no problem")
    found: Problem = shelf.load(name)
    return found


def _with_crew(found: Problem, crew: str) -> Problem:
    return registry.of(found).with_agents(found, crew)


def load(name: str) -> Instance:
    """Return one scheduling problem by its name; raises `UnknownNameError`, and `InputError` for another kind."""
    return of_kind(problem(name), Instance)


def read(name_or_path: str) -> list[Instance]:
    """Return what `read_problems` does, if it is scheduling problems; raises `InputError` for another kind."""
    return [of_kind(found, Instance) for found in read_problems(name_or_path)]


def read_problems(name_or_path: str) -> list[Problem]:
    """Return the problem of a name, or all problems of a file, its format recognised from its content.

    With ``path#name`` only the one of that name in the file.

    Raises
    ------
    InputError
        For an unknown name, or naming file, field and value of the first fault.
    """
    found = []
    for one in read_each(name_or_path):
        if isinstance(one, InputError):
            raise one
        found.append(one)
    return found


def single(name_or_path: str) -> Problem:
    """Return the one problem of a name or file; raises `InputError` if that is none, or several."""
    found = read_problems(name_or_path) if is_file(placed(name_or_path)) else [problem(name_or_path)]
    if len(found) != 1:
        raise InputError("must name a single problem", field="instance", value=name_or_path)
    return found[0]


def read_each(name_or_path: str) -> list[Problem | InputError]:
    """Return what `read_problems` does; in a file of lines, what is wrong with a line stands in its place.

    Raises
    ------
    InputError
        If nothing can be read.
    """
    name_or_path = placed(name_or_path)
    if names_problem(name_or_path):
        return [problem(name_or_path)]
    crew = split_crew(name_or_path)
    if crew is not None and _path(name_or_path) is None:
        return [_with_crew(one, crew[1]) for one in read_problems(crew[0])]
    path = _path(name_or_path) or name_or_path
    found = _read(path)
    if path == name_or_path:
        return found
    wanted = name_or_path.removeprefix(f"{path}#")
    chosen: list[Problem | InputError] = [one for one in found if getattr(one, "name", None) == wanted]
    if not chosen and crew is not None:
        return [_with_crew(one, crew[1]) for one in read_problems(crew[0])]
    if not chosen:
        others = [one.name for one in found if not isinstance(one, InputError)]
        raise UnknownNameError(f"is no problem of the file{did_you_mean(wanted, others)}", value=name_or_path)
    return chosen


def _read(path: str) -> list[Problem | InputError]:
    from planoracle.instances.files.strict_json import load_document, read_bytes

    benchmarks = [registry.get(name) for name in registry.names()]
    data = read_bytes(path)
    for benchmark in benchmarks:
        if found := benchmark.read_data(data, path):
            return list(found)
    lines = [(number, line) for number, line in enumerate(data.splitlines(), 1) if line.strip()]
    objects = len(lines) > 1 and all(line.lstrip().startswith(b"{") for _, line in lines[:2])
    # An object on the next line, in the middle of a document, follows one of these.
    if path.endswith(_LINES) or (objects and not lines[0][1].rstrip().endswith((b"[", b",", b":"))):
        return [one for number, line in lines for one in read_line(line, f"{path}: line {number}")]
    return list(_of_document(load_document(data, path), path))


def read_line(line: bytes, source: str) -> list[Problem | InputError]:
    """Return the problems of a line that is a document, or a name; or what is wrong with it."""
    from planoracle.instances.files.strict_json import Document, load_json

    try:
        if line.lstrip().startswith(b"{"):
            return list(_of_document(Document(load_json(line.strip(), source), lambda places: {}), source))
        return [problem(line.decode().strip())]
    except UnicodeDecodeError as error:
        return [InputError(f"is not UTF-8 ({error.reason} at byte {error.start})", source=source)]
    except InputError as error:
        return [error if error.source else error.at(source)]


def _of_document(document: Document, path: str) -> list[Problem]:
    benchmarks = [registry.get(name) for name in registry.names()]
    for benchmark in benchmarks:
        if benchmark.recognises(document.value):
            return _understood(benchmark, document, path)
    if isinstance(document.value, dict) and "format" in document.value:
        return _understood(registry.get(GENERAL), document, path)  # which says what is wrong with it
    raise InputError(
        'is neither of our formats (an object with "format": "planoracle/...") nor in one that a benchmark knows '
        f"({', '.join(registry.names())}; see .docs/problem_files.md)",
        source=path,
    )


def _understood(benchmark: AnyBenchmark, document: Document, path: str) -> list[Problem]:
    try:
        return benchmark.read(document.value, path)
    except InputError as error:
        raise document.located(error, path) from None
