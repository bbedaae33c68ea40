"""Compiling numeric functions, and where their code is kept for the next process; needs the extra ``fast``."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final, TypeVar, cast

from planoracle.instances.errors import SetupWarning

__all__ = ["compiler", "compiles", "installed", "kept_in", "parts"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


#: Types of what is annotated so.
_TYPES: Final = {
    "int": "int64",
    "bool": "boolean",
    "None": "void",
    "tuple[int, int]": "UniTuple(int64, 2)",
    "tuple[int, int, int, int, int]": "UniTuple(int64, 5)",
}


def installed() -> bool:
    """Whether the extra ``fast`` is there; quick to say, and so no word on whether it works."""
    return find_spec("numba") is not None


@cache
def compiles() -> bool:
    """Whether the extra ``fast`` can be imported, which is done; what is there and broken is told as a warning."""
    if not installed():
        return False
    try:
        import numba  # noqa: F401
    except Exception as error:  # a broken library fails in any way, often for another release of numpy
        warnings.warn(f"numba is done without, as it cannot be imported: {error}", SetupWarning, stacklevel=2)
        return False
    return True


def parts() -> dict[str, Path]:
    """Return the folders of sources that are compiled as one, see `compiler`."""
    solver = Path(__file__).parent
    return {"floors": solver / "floors", "kitchens": solver / "kitchens" / "compiled"}


def kept_in(sources: Path) -> Path | None:
    """Return the folder in which the code compiled of sources is kept, ``None`` if none can be; needs numba."""
    from importlib.metadata import version

    from platformdirs import user_cache_dir

    seal = sha256(version("numba").encode())
    for source in sorted(sources.rglob("*.py")):
        seal.update(source.read_bytes())
    folder = Path(user_cache_dir("planoracle", appauthor=False)) / "compiled" / seal.hexdigest()[:16]
    return folder if _writable(folder) else None


def compiler(sources: Path, types: Mapping[str, str]) -> Callable[[_Function], _Function]:
    """Return what compiles a function, and keeps the code if there is a place for it.

    A function whose types are known is compiled at once, others when they are first called.

    Parameters
    ----------
    sources
        Folder of all modules whose functions call each other: the code is kept for these very sources, as numba
        itself looks at single files.
    types
        By name of the parameters that are annotated with ``Any``, numba's type.
    """
    import numba
    from numba import config

    folder = kept_in(sources)
    settings: Any = config

    def compiled(function: _Function) -> _Function:
        before, settings.CACHE_DIR = settings.CACHE_DIR, str(folder or "")
        try:
            return cast("_Function", numba.njit(_signature(function, types), cache=folder is not None)(function))
        finally:
            settings.CACHE_DIR = before

    return compiled


def _signature(function: Callable[..., Any], types: Mapping[str, str]) -> str | None:
    """Return the types of a function, ``None`` if they are not all known: then it is compiled for what comes."""
    notes = dict(function.__annotations__)
    result = _TYPES.get(notes.pop("return", ""))
    known = [types.get(name) if note == "Any" else _TYPES.get(note) for name, note in notes.items()]
    return None if result is None or None in known else f"{result}({', '.join(filter(None, known))})"


def _writable(folder: Path) -> bool:
    """Whether code can be kept there; else numba would keep it next to the sources."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
