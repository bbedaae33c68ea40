"""Files and folders that are not read: harmless ones, and those that could hold submissions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from planoracle.analysis.intake.byte_streams import decompress
from planoracle.analysis.intake.folders import Listing, open_file
from planoracle.analysis.intake.path_names import (
    DATA,
    TEXT,
    EntryError,
    nameless_error,
    stem,
    texts_of_instance,
    without_ending,
)
from planoracle.analysis.intake.problem_names import NameResolver, fit_of
from planoracle.analysis.intake.record_fields import INSTANCE_FIELDS, plan_fields
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.protocol import registry

# Texts about a folder, with or without an ending.
_DOCUMENT = re.compile(
    r"(?i)(?:read[_-]?me|(?:un)?licen[cs]e|copying|notice|authors|contribut\w+|changelog|citation|code_of_conduct|"
    r"notes?|todo|attribution|sources?|makefile|dockerfile|requirements)(?:[-_. ].*)?"
)
_DOCUMENT_ENDINGS = (*TEXT, ".rst", ".cff", ".html", ".pdf")
_LOG = re.compile(r"(?i)(?:slurm|nohup|stdout|stderr|log)(?:[-_.]?\w+)*\.(?:out|txt)")
_LOG_ENDINGS = (".log", ".err", ".stderr", ".stdout")
_MEDIA = (
    *(".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp", ".tif", ".tiff", ".ico", ".pdf", ".eps", ".ps"),
    *(".mp4", ".mov", ".webm", ".avi", ".wav", ".mp3"),
)
_CODE = (
    *(".py", ".pyc", ".ipynb", ".sh", ".bash", ".zsh", ".bat", ".js", ".ts", ".css", ".html", ".htm", ".tex", ".bib"),
    *(".sty", ".rst", ".cff", ".lock", ".cfg", ".ini", ".sqlite", ".db"),
)
_SETTINGS = (".yaml", ".yml", ".toml", ".xml")
_SPREADSHEET = "is a spreadsheet; save it as CSV"
_ARCHIVE = "is an archive or compressed; unpack it"
_TABLE = "is a table in a format that is not read; write CSV, Parquet or JSON lines"
_DOCUMENT_OF_WORDS = "is a document of a word processor; save it as text"
# Endings of files that could hold submissions, with the reason why they are not read.
_REASONS = {
    **dict.fromkeys((".xlsx", ".xls", ".ods"), _SPREADSHEET),
    **dict.fromkeys((".zip", ".tar", ".tgz", ".7z", ".rar", ".bz2", ".xz", ".lz4"), _ARCHIVE),
    **dict.fromkeys((".feather", ".arrow", ".avro", ".orc", ".pkl", ".pickle", ".h5", ".hdf5"), _TABLE),
    **dict.fromkeys((".docx", ".doc", ".odt", ".rtf"), _DOCUMENT_OF_WORDS),
}
# Names of folders that hold no outputs of a model.
_OTHER_FOLDERS = frozenset(
    (
        *("figures", "figs", "plots", "charts", "images", "img", "pictures", "media", "assets", "screenshots"),
        *("logs", "log", "docs", "doc", "scripts", "src", "code"),
    )
)
# Formats of problem files.
_PROBLEM = re.compile(rb'\s*\{[^{}\[\]]*"format"\s*:\s*"planoracle/(?:instance|kitchen|floor|asynctool)"')
_KEY = re.compile(rb'"([^"\\\n]{1,200})"\s{0,20}:|^[ -]{0,40}([A-Za-z_]\w{0,40}):', re.MULTILINE)
_CONTROL_CHARACTERS = re.compile(rb"[\x00-\x08\x0e-\x1a]")
_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")
# Columns of rows that have a result or an error instead of a plan.
_RESULTS = ("scored", "error", "status", "makespan")
# Least number of rows of a file without plans.
_MIN_ROWS = 3
# Bytes of a file that are inspected.
_HEAD = 2**16


def is_problem_file(path: str) -> bool:
    """Return True for a JSON file of problems, in our own formats or in lines of a benchmark's."""
    if stem(path)[1] not in (".json", ".jsonl", ".ndjson"):
        return False
    try:
        head = _head(path, path)
        if _holds_submissions(head):
            return False
        return _PROBLEM.match(head) is not None or _begins_with_problem(head)
    except InputError:  # reported when the file is read
        return False


def _begins_with_problem(head: bytes) -> bool:
    """Return True if the first line is a problem of a benchmark."""
    line = head.partition(b"\n")[0].strip()
    if not line.startswith(b"{") or not line.endswith(b"}"):
        return False
    document = load_json(line, "")
    return any(benchmark.recognises(document) for benchmark in map(registry.get, registry.names()))


def planless_error(path: str) -> InputError | None:
    """Return the error for a file of JSON lines none of whose first rows has a field for a plan.

    Such a file, of prompts or settings, has one error instead of one per row.
    """
    if stem(path)[1] not in (".jsonl", ".ndjson"):
        return None
    try:
        head = _head(path, path)
        rows = [load_json(line, path) for line in head.split(b"\n")[:-1] if line.strip()]
    except InputError:  # reported when the file is read
        return None
    if len(rows) < _MIN_ROWS or not all(isinstance(row, dict) for row in rows):
        return None
    columns = set().union(*rows)
    if not columns.isdisjoint((*plan_fields(), *_RESULTS)):
        return None
    names = ", ".join(sorted(columns)[:20])
    return InputError(f"holds no plans; the columns are {names} (--map plan=COLUMN selects one of them)", field="plan")


class UnreadFiles:
    """Files and folders of a folder that are not read.

    Parameters
    ----------
    listing
        Content of the folder.
    covered
        Files that are read, or known to hold no submissions.
    root
        Path of the folder.
    names
        Names of problems.
    pattern
        Value of ``--pattern``.

    Attributes
    ----------
    errors
        Errors of what could hold submissions, by path in the folder, each with identity and model.
    ignored
        Files that hold no submissions.
    """

    def __init__(
        self, listing: Listing, covered: Collection[str], root: str, names: NameResolver, pattern: str | None
    ) -> None:
        self.errors: dict[str, EntryError] = {}
        self.ignored: list[str] = []
        self._pattern = pattern
        for path, fault in listing.files:
            if fault is not None or path in covered:
                continue
            error = _unread_error(path, f"{root}/{path}", names, pattern)
            if error is None:
                self.ignored.append(path)
            else:
                self._add(path, error, path.rpartition("/")[0])

    def add_lost_folders(self, listing: Listing, read: Collection[str], problem_files: Collection[str]) -> None:
        """Add an error for each folder without submissions."""
        faulty = [path for path, error in listing.files if error is not None]
        covered = [*read, *problem_files, *self.errors, *faulty]
        for folder, error in _lost_folders(listing.folders, covered, self.ignored):
            self._add(folder, error, folder)

    def _add(self, path: str, error: InputError, folder: str) -> None:
        model = folder.partition("/")[0] if self._pattern is None and folder else None
        self.errors[path] = EntryError(error, {"id": without_ending(path), "model": model})


def _unread_error(path: str, full_path: str, names: NameResolver, pattern: str | None) -> InputError | None:
    """Return the error for a file that is not read, or ``None`` if it holds no submissions."""
    name, end = path.rpartition("/")[2], _ending(path)
    if end in _REASONS:
        return InputError(_REASONS[end])
    if end in _MEDIA or end in _CODE or (end in _DOCUMENT_ENDINGS and _DOCUMENT.fullmatch(name)):
        return None
    try:
        head = _head(full_path, "")
    except InputError as error:
        return error
    if _could_hold_submissions(path, head, names):
        return _reason(path, head, names, pattern)
    return None


def _could_hold_submissions(path: str, head: bytes, names: NameResolver) -> bool:
    """Return True if a file could hold submissions, by its ending or its beginning."""
    name, end = path.rpartition("/")[2], _ending(path)
    if end in _LOG_ENDINGS or _LOG.fullmatch(name):
        return head.lstrip().startswith(b"{") and _holds_submissions(head)
    if end in _SETTINGS:
        return _fits(path, names) or _holds_submissions(head)
    if end == ".json":
        return _fits(path, names) or not head.lstrip().startswith(b"{") or _holds_plan_or_problem(head, names)
    if end in (*DATA, *TEXT[:-1]):
        return True
    return bool(head) and not _is_binary(head)


def _lost_folders(
    folders: Iterable[str], covered: Collection[str], ignored: Iterable[str]
) -> Iterator[tuple[str, InputError]]:
    """Yield the folders without submissions, the outermost ones, each with an error.

    Folders of logs, figures and code by their names, and inner folders with pictures only, are no folders of models.

    Parameters
    ----------
    folders
        All folders.
    covered
        Files that are read or reported.
    ignored
        Files that hold no submissions.
    """
    covered_folders = {*covered}  # among them folders that cannot be read
    for path in covered:
        covered_folders.update(_parents(path))
    files_of_folder: defaultdict[str, list[str]] = defaultdict(list)
    for path in ignored:
        for parent in _parents(path):
            files_of_folder[parent].append(path)
    lost: set[str] = set()
    for folder in sorted(folders):
        if folder in covered_folders or not lost.isdisjoint(_parents(folder)):
            continue
        files = files_of_folder[folder]
        has_pictures_only = "/" in folder and bool(files) and all(_ending(path) in _MEDIA for path in files)
        if has_pictures_only or not _OTHER_FOLDERS.isdisjoint(folder.lower().split("/")):
            continue
        lost.add(folder)
        visible_files = ", ".join(path.removeprefix(f"{folder}/") for path in files[:3])
        content = f"only {visible_files}" if files else "no files"
        yield folder, InputError(f"the folder has no file that can be graded ({content})")


def _parents(path: str) -> list[str]:
    """Return the folders above a path, the outermost first."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _ending(path: str) -> str:
    end = stem(path)[1]
    last = path.lower().rpartition(".")[2]
    return ".7z" if not end and last == "7z" else end


def _head(path: str, source: str) -> bytes:
    """Return the beginning of a file, decompressed; raises `InputError`."""
    with open_file(path, source) as stream:
        return decompress(stream, source).read(_HEAD)


def _is_binary(head: bytes) -> bool:
    return not head.startswith(_BYTE_ORDER_MARKS) and _CONTROL_CHARACTERS.search(head) is not None


def _keys(head: bytes) -> set[str]:
    """Return the keys in the beginning of a text in JSON or YAML."""
    keys = (match[1] or match[2] for match in _KEY.finditer(head))
    return {key.decode(errors="replace") for key in keys}


def _holds_submissions(head: bytes) -> bool:
    """Return True for fields of a problem and of a plan."""
    keys = _keys(head)
    return not keys.isdisjoint(INSTANCE_FIELDS) and not keys.isdisjoint(plan_fields())


def _holds_plan_or_problem(head: bytes, names: NameResolver) -> bool:
    """Return True for a field of a problem or of a plan, and for the name of a problem as a key."""
    keys = _keys(head)
    if not keys.isdisjoint((*INSTANCE_FIELDS, *plan_fields())):
        return True
    return any(names.find(key) is not None for key in keys)


def _fits(path: str, names: NameResolver) -> bool:
    texts = texts_of_instance(path)
    return any(names.find_full(text) is not None or names.candidates(text) for text in texts)


def _reason(path: str, head: bytes, names: NameResolver, pattern: str | None) -> InputError:
    """Return the error for a file that could hold submissions."""
    end = stem(path)[1]
    if pattern is not None:
        message = "is not read: does not match --pattern; grade files of another layout by a command of their own"
        return InputError(message, value=pattern)
    if head.lstrip()[:1] in (b"{", b"["):
        return InputError("is not read: holds JSON; rename it to .jsonl or .json")
    if end not in TEXT:
        return InputError(
            f"is not read: unknown ending {end}; rename it to .txt (a plan), .jsonl or .csv, or use --pattern"
        )
    texts = texts_of_instance(path)
    for text in texts:
        candidates = names.candidates(text)
        if len(candidates) > 1:
            accepted = f"rename it, or use --pattern '{{model}}/{{instance:SET}}{end}'"
            return InputError(f"its name {fit_of(candidates)}; {accepted}")
    if names.find(texts[-1]) is not None:
        return InputError("is not read: names a problem, but its folders match no layout; use --pattern")
    return nameless_error("")
