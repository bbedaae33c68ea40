"""Template of the package that `planoracle benchmark new` writes."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template

from planoracle.analysis.console import output_file
from planoracle.instances.errors import InputError
from planoracle.instances.protocol import registry

_FILES = Path(__file__).parent / "files"
_NAME = re.compile("[a-z][a-z0-9]*(_[a-z0-9]+)*")
_MAX_LENGTH = 50


def write(name: str, folder: Path | None = None) -> list[Path]:
    """Write the package of a new benchmark to a new folder, and return its files.

    Parameters
    ----------
    name
        Name of the benchmark; the package is called ``planoracle_NAME``.
    folder
        Default: a folder in the current one with the name of the benchmark.

    Raises
    ------
    InputError
        For an invalid or used name, and a folder that exists or cannot be created.
    """
    if not _NAME.fullmatch(name) or len(name) > _MAX_LENGTH:
        message = f"must be lower-case letters and digits, with words joined by _, at most {_MAX_LENGTH} characters"
        raise InputError(message, field="benchmark", value=name)
    if registry.find(name, former=True) is not None:
        raise InputError("is the name of another benchmark", field="benchmark", value=name)
    place = Path(name) if folder is None else folder
    words = {"name": name, "package": f"planoracle_{name}", "title": name.replace("_", " ").capitalize()}
    try:
        place.mkdir(parents=True)
        sources = sorted(path for path in _FILES.rglob("*.txt") if path.is_file())
        return [_write_file(source, place, words) for source in sources]
    except FileExistsError:
        raise InputError("exists already; choose another folder", source=str(place)) from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be written: {getattr(error, 'strerror', error)}", source=str(place)) from None


def _write_file(source: Path, place: Path, words: dict[str, str]) -> Path:
    """Write one file; files of the folder ``package`` go to the folder of the new package."""
    *folders, name = source.relative_to(_FILES).with_suffix("").parts
    if folders and folders[0] == "package":
        folders[0] = words["package"]
    target = place.joinpath(*folders, name)
    target.parent.mkdir(exist_ok=True)
    template = Template(source.read_text(encoding="utf-8"))
    text = template.substitute(words)
    with output_file(target) as stream:
        stream.write(text)
    return target
