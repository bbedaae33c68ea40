"""Certificates that ship with a benchmark: one compressed file in its ``data``, a certificate in every line.

They are documents as `planoracle.solver.proofs.checker` reads them, each with ``of``, see
`planoracle.instances.protocol.bundled_optima.key_of`. Nothing of them is believed before it was checked.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

FILE = "proofs.jsonl.gz"

#: Certificates by what they are of: profiles may make several problems of one.
Proofs: TypeAlias = Mapping[str, dict[str, Any]]


@cache
def read(package: str) -> Proofs:
    """Return the certificates that ship in a package, none if it has no such file."""
    path = files(package) / "data" / FILE
    found: dict[str, dict[str, Any]] = {}
    for line in gzip.decompress(path.read_bytes()).splitlines() if path.is_file() else ():
        row = json.loads(line)
        found |= dict.fromkeys(row["of"].split(), row["certificate"])
    return found


def written(found: Proofs) -> bytes:
    """Return the bytes of a file: the same for the same certificates, at any time."""
    keys: dict[str, list[str]] = {}
    for key, proof in found.items():
        keys.setdefault(json.dumps(proof, separators=(",", ":")), []).append(key)
    lines = sorted((json.loads(text)["instance"], " ".join(sorted(of)), text) for text, of in keys.items())
    text = "".join(f'{{"of":"{of}","certificate":{text}}}\n' for _, of, text in lines)
    return gzip.compress(text.encode(), mtime=0)
