"""Build backend: setuptools, also for trees without the symbolic links to the packages.

On such trees an editable install uses ``.namespace/planoracle/__init__.py``, and a wheel is built in a copy with the
package folders in place.
"""

from __future__ import annotations

import os
import shutil
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403

_PACKAGE = Path(".namespace", "planoracle")
_FOLDERS = ("instances", "heuristics", "solver", "analysis")
_FILES = ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in")


def build_wheel(
    wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    """Build a wheel, in a copy of the tree if links are missing."""
    wheel_directory = os.path.abspath(wheel_directory)
    if all((_PACKAGE / name).is_dir() for name in _FOLDERS):
        return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
    with TemporaryDirectory() as scratch:
        package = Path(scratch, _PACKAGE)
        package.mkdir(parents=True)
        for name in ("__init__.py", "plugin.py", "py.typed"):
            shutil.copy(_PACKAGE / name, package)
        for name in _FOLDERS:
            shutil.copytree(name, package / name)
        for name in _FILES:
            shutil.copy(name, scratch)
        with chdir(scratch):
            return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
