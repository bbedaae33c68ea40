"""Names in docstrings that the site does not describe: they must exist, and stay without a link."""

from __future__ import annotations

import builtins
import importlib
import re
import sys

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.logging import get_node_location

_DOCSTRING = re.compile(r"docstring of ([\w.]+)")


def resolve_undescribed(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.TextElement
) -> nodes.TextElement | None:
    """Return the text of a reference without a link if its name exists, ``None`` if it does not.

    A missing name is a warning of Sphinx. Types in signatures are checked by mypy.
    """
    if node.get("refdomain") != "py":
        return None
    if node["reftype"] == "class":
        return content
    docstring = _DOCSTRING.search(get_node_location(node) or "")
    place = docstring[1] if docstring else node.get("py:module") or ""
    return content if exists(node["reftarget"], place) else None


def exists(name: str, place: str = "") -> bool:
    """Return whether a name can be imported, or is defined around a place: a module, class or function.

    >>> exists("planoracle.solve"), exists("planoracle.solved"), exists("parent", "pathlib.Path.name")
    (True, False, True)
    """
    is_importable = len(_objects(name)) == len(name.split("."))
    scopes = _objects(place)
    modules = [sys.modules.get(getattr(scope, "__module__", None) or "") for scope in scopes]
    return is_importable or any(_has(scope, name) for scope in (builtins, *scopes, *modules))


def _objects(path: str) -> list[object]:
    """Return the modules, classes and functions on a path, up to the first that does not exist."""
    objects: list[object] = []
    parts = path.split(".")
    for number, part in enumerate(parts, 1):
        if objects and hasattr(objects[-1], part):
            objects.append(getattr(objects[-1], part))
            continue
        try:
            objects.append(importlib.import_module(".".join(parts[:number])))
        except (ImportError, ValueError):
            break
    return objects


def _has(scope: object, name: str) -> bool:
    """Return whether an object has an attribute under a nested name, or a field that only subclasses set."""
    for part in name.split("."):
        if not hasattr(scope, part):
            return part in getattr(scope, "__annotations__", {})
        scope = getattr(scope, part)
    return True
