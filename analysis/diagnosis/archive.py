"""Archive of proofs: a folder with problems, proofs, their stand-alone checkers and an index.

Each problem has two files, as the checkers read them. An interrupted archive is continued: problems whose files are
complete and whose content has not changed are skipped.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import process_time
from typing import Any, Final

from planoracle.analysis.console import escape_formulas, output_file
from planoracle.analysis.diagnosis.explain import explain
from planoracle.analysis.verification.verify import verify
from planoracle.instances.errors import PlanoracleError, StorageError
from planoracle.instances.files.instance_file import to_document
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Limit, Status
from planoracle.instances.model.problem import Problem, of_kind
from planoracle.instances.protocol import registry
from planoracle.instances.text import to_json
from planoracle.solver import proofs
from planoracle.solver.kinds.registry import kind_of
from planoracle.solver.proofs import checker, drcp_checker
from planoracle.solver.result import CERTIFICATE, DRCP
from planoracle.solver.solve import bundled_proof

#: Name of the index of an archive.
INDEX: Final = "index.csv"
#: Columns of the index. Times are seconds of processor time, ``bytes`` is the size of the proof.
COLUMNS: Final = (
    *("instance", "status", "bound", "makespan", "kind", "grade", "bytes", "proof_seconds", "check_seconds"),
    *("checker", "problem", "proof", "sha256", "problem_sha256", "reason"),
)
#: Stand-alone checkers by format of the proof: the script, and modules that it needs beside it.
CHECKERS: Final[Mapping[str, tuple[str, ...]]] = {
    checker.FORMAT: ("checker.py",),
    drcp_checker.FORMAT: ("drcp_checker.py", "checker.py"),
}

# Characters of names of files, and largest number of them.
_UNSAFE, _MAX_NAME = re.compile(r"[^A-Za-z0-9_+~.-]+"), 100


@dataclass(frozen=True, slots=True)
class ArchivedProof:
    """Row of the index, and the contents of the files of a problem.

    Attributes
    ----------
    row
        Cells by column; only the instance and its hash if the problem was skipped.
    problem, proof
        Contents; ``None`` if there is none.
    """

    row: dict[str, Any]
    problem: bytes
    proof: bytes | None = None


def prove(problem: Problem, complete: Set[str], **limits: Limit) -> ArchivedProof:
    """Return the proof of a problem, checked as it is archived; skip problems with ``complete`` hashes.

    Parameters
    ----------
    limits
        ``time_limit`` of `planoracle.analysis.diagnosis.explain.explain`.
    """
    content = _content(_problem_document(problem))
    row: dict[str, Any] = {"instance": problem.name, "problem_sha256": sha256(content).hexdigest()}
    if row["problem_sha256"] in complete:
        return ArchivedProof(row, content)
    begin = _processor_time()
    try:
        explanation = explain(problem, **limits)
        row["proof_seconds"] = _processor_time() - begin
        status = explanation.status
        row |= {"status": str(status), "makespan": explanation.makespan, "kind": explanation.kind}
        row["grade"] = explanation.proof_grade or ""
        document = explanation.document
        has_proof = explanation.proof_grade in (CERTIFICATE, DRCP)
        bundled = None if has_proof else _bundled_proof(problem)
        if bundled is not None:
            document = bundled
            row["kind"] = "bundled proof"
        if document is None:
            return ArchivedProof(row, content)
        return ArchivedProof(row | _checked(document, problem, status), content, _content(document))
    except PlanoracleError as error:
        return ArchivedProof(row | {"status": "error", "reason": str(error)}, content)


def _problem_document(problem: Problem) -> dict[str, Any]:
    """Return a problem as checkers read it, or else in the format of its benchmark."""
    if kind_of(problem).has_interval_model:
        return to_document(of_kind(problem, Instance))
    return registry.of(problem).document(problem)


def _bundled_proof(problem: Problem) -> dict[str, Any] | None:
    return bundled_proof(problem) if kind_of(problem).has_interval_model else None


def _checked(document: dict[str, Any], problem: Problem, status: Status) -> dict[str, Any]:
    """Return the cells of a proof, which may settle what the search has not."""
    begin = _processor_time()
    verdict = verify(document, problem)
    seconds = _processor_time() - begin
    if verdict.holds is False:
        return {"status": "error", "reason": f"the proof does not hold: {verdict.reason}"}
    form = document["format"]
    cells: dict[str, Any] = {"bound": verdict.bound, "check_seconds": seconds}
    if form not in CHECKERS:
        return cells
    cells["checker"] = CHECKERS[form][0]
    if status == Status.infeasible:
        cells["grade"] = form.rpartition("/")[2]
    elif verdict.bound == verdict.makespan:
        cells |= {"status": Status.optimal, "makespan": verdict.makespan, "grade": form.rpartition("/")[2]}
    return cells


def _content(document: dict[str, Any]) -> bytes:
    return f"{to_json(document)}\n".encode()


def _processor_time() -> float:
    """Return the processor time of this process and its finished children, in seconds."""
    times = os.times()
    return process_time() + times.children_user + times.children_system


class Archive:
    """Folder of problems and proofs, with an index of both.

    Parameters
    ----------
    folder
        It is created if it is missing.

    Raises
    ------
    StorageError
        If the folder cannot be read or written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with _storage_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            rows = [row for row in self._read_index() if self._is_complete(row)]
        self._rows = {row["problem_sha256"]: row for row in rows}
        self._failures: list[dict[str, Any]] = []
        self._hashes: dict[str, str] = {}  # of problems of this run, by stem of their files

    @property
    def complete(self) -> frozenset[str]:
        """Hashes of the problems that need no work."""
        return frozenset(self._rows)

    def add(self, archived: ArchivedProof) -> dict[str, Any]:
        """Store a proof; return its row of the index."""
        digest = archived.row["problem_sha256"]
        stem = self._stem(archived.row["instance"], digest)
        if digest in self._rows:
            return self._rows[digest]
        row = dict.fromkeys(COLUMNS, "") | archived.row | {"problem": f"{stem}.problem.json"}
        with _storage_errors(self.folder):
            self._write(row["problem"], archived.problem)
            if archived.proof is not None:
                row |= {"proof": f"{stem}.proof.json", "bytes": len(archived.proof)}
                row["sha256"] = sha256(archived.proof).hexdigest()
                self._write(row["proof"], archived.proof)
            row = {column: _cell(row[column]) for column in COLUMNS}
            former = [key for key, entry in self._rows.items() if entry["problem"] == row["problem"]]
            for key in former:  # the problem has changed
                del self._rows[key]
            self._rows[digest] = row
            self._write_index()
        return row

    def add_failure(self, name: str, error: Exception) -> None:
        """Add a file that cannot be read to the index."""
        cells = {"instance": name, "status": "error", "reason": str(error)}
        self._failures.append({column: _cell(cells.get(column)) for column in COLUMNS})
        with _storage_errors(self.folder):
            self._write_index()

    def _stem(self, instance: str, digest: str) -> str:
        """Return the beginning of the names of a problem's files, which no other problem of this run has."""
        stem = _UNSAFE.sub("_", instance)[:_MAX_NAME].lstrip(".-") or "problem"
        if self._hashes.setdefault(stem.lower(), digest) != digest:
            stem = f"{stem}-{digest[:12]}"
        return stem

    def _is_complete(self, row: Mapping[str, str]) -> bool:
        """Return whether the files of a row exist with the content that it names."""
        if row.keys() != {*COLUMNS} or row["reason"]:
            return False
        files = [(row["problem"], row["problem_sha256"])]
        if row["proof"]:
            files.append((row["proof"], row["sha256"]))
        return all(self._has_content(*file) for file in files)

    def _has_content(self, name: str, digest: str) -> bool:
        path = self.folder / name
        is_member = Path(name).name == name and path.is_file()
        return is_member and sha256(path.read_bytes()).hexdigest() == digest

    def _read_index(self) -> Iterator[dict[str, str]]:
        path = self.folder / INDEX
        if path.exists():
            with path.open(encoding="utf-8", newline="", errors="replace") as stream:
                yield from csv.DictReader(stream)

    def _write_index(self) -> None:
        rows = [*self._rows.values(), *self._failures]
        used = {row["checker"] for row in rows}
        for files in CHECKERS.values():
            for name in files if files[0] in used else ():
                self._write(name, (Path(proofs.__path__[0]) / name).read_bytes())
        with output_file(self.folder / INDEX) as stream:
            writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)

    def _write(self, name: str, content: bytes) -> None:
        path = self.folder / name
        if not path.exists() or path.read_bytes() != content:
            with output_file(path) as stream:
                stream.buffer.write(content)


def _cell(value: Any) -> str:
    """Return a cell in which no spreadsheet finds a formula; seconds have milliseconds."""
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else escape_formulas(str(value))


@contextmanager
def _storage_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(f"{folder}: cannot be used: {error.strerror}") from None
