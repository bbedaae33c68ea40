"""Bundled optima and certificates of a benchmark: two files in the folder of its bundled data.

``optima.json`` has the entries of each problem, as the solver's kinds pack them; ``proofs.jsonl.gz`` has a certificate
in each line, as `planoracle.solver.proofs.checker` reads it. Both have ``of``: keys of the problem and its rules, see
`key_of`, so that entries of a changed problem are not found. Plans are replayed and certificates checked before use.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import UserDict
from collections.abc import Mapping
from dataclasses import fields
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, TypeAlias

from planoracle.instances.model.cache import digest, fingerprint
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol.profiles import Rules

OPTIMA_FILE = "optima.json"
PROOFS_FILE = "proofs.jsonl.gz"

Entry: TypeAlias = dict[str, Any]
#: Entries of a benchmark by the name of the problem; profiles with the same optimum share one.
Entries: TypeAlias = Mapping[str, list[Entry]]
#: Certificates by key; profiles may make several problems of one.
Proofs: TypeAlias = Mapping[str, dict[str, Any]]


def data_of(module: str, benchmark: str) -> Traversable | None:
    """Return the folder with the bundled data of a benchmark, ``None`` if its class is in no package.

    It is ``data/BENCHMARK`` in the package of the class, or ``data`` if the package has no such folder.
    """
    package_name = getattr(sys.modules.get(module), "__package__", "")
    package = sys.modules.get(str(package_name))
    if package is None or not hasattr(package, "__path__"):
        return None
    data = files(package) / "data"
    folder = data / benchmark
    return folder if folder.is_dir() else data


def data_file(folder: Traversable | None, name: str) -> Traversable | None:
    """Return a file in a folder of bundled data, ``None`` if there is none."""
    path = None if folder is None else folder / name
    return path if path is not None and path.is_file() else None


def read_optima(folder: Traversable | None) -> Entries:
    """Return the entries in a folder of bundled data, none if it has no such file."""
    path = data_file(folder, OPTIMA_FILE)
    if path is None:
        return {}
    entries: Entries = json.loads(path.read_bytes())["optima"]
    return entries


def optima_text(entries: Entries, versions: Mapping[str, str]) -> str:
    """Return the text of the file of optima; ``versions`` are those of planoracle and its solver."""
    head = json.dumps({"format": "planoracle/optima", "version": 1, "versions": dict(versions)})
    lines = []
    for name, entries_of_problem in sorted(entries.items()):
        texts = [json.dumps(entry, separators=(",", ":")) for entry in _merge_equal(entries_of_problem)]
        if texts:
            text = ",\n".join(texts)
            lines.append(f"{json.dumps(name)}: [\n{text}\n]")
    rows = ",".join(lines)
    return f'{head[:-1]}, "optima": {{\n{rows}\n}}}}\n'


def _merge_equal(entries: list[Entry]) -> list[Entry]:
    """Merge entries that differ in their keys only."""
    merged: list[Entry] = []
    for entry in entries:
        without_keys = entry | {"of": ""}
        equal_entries = (earlier for earlier in merged if earlier | {"of": ""} == without_keys)
        same = next(equal_entries, None)
        if same is None:
            merged.append(dict(entry))
        elif entry["of"] not in same["of"].split():
            same["of"] += f" {entry['of']}"
    return merged


def by_key(entries: list[Entry]) -> dict[str, Entry]:
    """Return the entries of a problem by their keys."""
    entry_by_key: dict[str, Entry] = {}
    for entry in entries:
        for key in entry["of"].split():
            entry_by_key[key] = entry | {"of": key}
    return entry_by_key


def key_of(problem: Problem, rules: Rules | None) -> str:
    """Return the key of an entry: a digest of the problem and of the rules that differ from the defaults.

    Defaults do not count, so that a rule that is added later changes no key.
    """
    if rules is None:
        return digest(fingerprint(problem), None)[:16]
    defaults = type(rules)()
    changed = {}
    for field in fields(rules):
        value = getattr(rules, field.name)
        if value != getattr(defaults, field.name):
            changed[field.name] = value
    return digest(fingerprint(problem), changed)[:16]


class StoredProofs(UserDict[str, Any]):
    """Certificates by key, each parsed when it is taken.

    A file has thousands of certificates, of which most commands need one, or only which there are.

    Parameters
    ----------
    lines
        Lines of a file of certificates.

    Examples
    --------
    >>> proofs = StoredProofs([b'{"of":"1f 2e","certificate":{"bound":7}}'])
    >>> list(proofs), "2e" in proofs, proofs["2e"]
    (['1f', '2e'], True, {'bound': 7})
    """

    def __init__(self, lines: list[bytes]) -> None:
        super().__init__()
        for line in lines:
            head, separator, _ = line.partition(b',"certificate":')
            row = json.loads(head + b"}" if separator else line)
            self.data |= dict.fromkeys(row["of"].split(), line)

    def __getitem__(self, key: str) -> dict[str, Any]:
        """Return the certificate of a key."""
        entry = self.data[key]
        if isinstance(entry, bytes):
            entry = self.data[key] = json.loads(entry)["certificate"]
        certificate: dict[str, Any] = entry
        return certificate


def read_proofs(folder: Traversable | None) -> Proofs:
    """Return the certificates in a folder of bundled data, none if it has no such file."""
    path = data_file(folder, PROOFS_FILE)
    return StoredProofs(gzip.decompress(path.read_bytes()).splitlines() if path else [])


def proofs_bytes(proofs: Proofs) -> bytes:
    """Return the bytes of the file of certificates, which depend on the certificates only."""
    keys_by_certificate: dict[str, list[str]] = {}
    for key, proof in proofs.items():
        certificate = json.dumps(proof, separators=(",", ":"))
        keys_by_certificate.setdefault(certificate, []).append(key)
    rows = []
    for certificate, keys in keys_by_certificate.items():
        instance = json.loads(certificate)["instance"]
        rows.append((instance, " ".join(sorted(keys)), certificate))
    rows.sort()
    lines = [f'{{"of":"{keys}","certificate":{certificate}}}\n' for _, keys, certificate in rows]
    return gzip.compress("".join(lines).encode(), mtime=0)
