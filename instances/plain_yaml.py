"""YAML as plain data: what JSON can say, in another spelling. Needs PyYAML.

Words are words (``no``, ``on``, ``1:30`` and dates as well, which YAML 1.1 takes for something else), keys are texts
and stand once, tags are not known, and what aliases unfold to counts in full.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import yaml

from planoracle.instances.errors import InputError
from planoracle.instances.lines import Place
from planoracle.instances.reading import MAX_CONTAINERS

__all__ = ["load"]

_TAG = "tag:yaml.org,2002:"
_PLAIN = {_TAG + name for name in ("map", "seq", "str", "int", "float", "bool", "null")}


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Knows the numbers and words of JSON only."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}


for _name, _pattern, _first in (
    ("null", r"null|~|", ["n", "~", ""]),
    ("bool", r"true|false", ["t", "f"]),
    ("int", r"[-+]?(0|[1-9][0-9]*)", list("-+0123456789")),
    ("float", r"[-+]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?", list("-+0123456789")),
):
    _Loader.add_implicit_resolver(_TAG + _name, re.compile(rf"^(?:{_pattern})$"), _first)


def load(text: str) -> tuple[Any, Callable[[Iterable[Place]], dict[Place, int]]]:
    r"""Return what a text says, and a function that finds the lines of values.

    Raises
    ------
    InputError
        For what is no YAML, or more than plain data, with the line.

    Examples
    --------
    >>> load("tasks:\n- name: no\n  ends: 1:30")[0]
    {'tasks': [{'name': 'no', 'ends': '1:30'}]}
    """
    loader = None
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        if root is None:
            return None, lambda _: {}
        _check(root)
        value = loader.construct_document(root)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = None if mark is None else mark.line + 1
        raise InputError(f"is not YAML: {error.problem or error.context}", line=where) from None
    except yaml.YAMLError as error:
        raise InputError(f"is not YAML: {error}".partition("\n")[0]) from None
    finally:
        if loader is not None:
            loader.dispose()
    return value, lambda places: {place: line for place in places if (line := _line(root, place)) is not None}


def _check(root: yaml.Node) -> None:
    """Refuse what JSON cannot say, and what unfolds to more lists and objects than are read."""
    sizes: dict[int, int] = {}  # lists and objects that each node unfolds to; 0 while that is being found out
    stack = [(root, False)]
    while stack:
        node, seen = stack.pop()
        if id(node) in sizes and not seen:
            if not sizes[id(node)]:
                raise InputError("holds a part of itself", line=node.start_mark.line + 1)
            continue
        below = _below(node)
        if not seen:
            _check_node(node)
            sizes[id(node)] = 0
            stack.append((node, True))
            stack += [(child, False) for child in below]
            continue
        sizes[id(node)] = 1 + sum(sizes[id(child)] for child in below)
        if sizes[id(node)] > MAX_CONTAINERS:
            message = f"unfolds to more than {MAX_CONTAINERS} values"
            raise InputError(message, line=node.start_mark.line + 1)


def _below(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [child for pair in node.value for child in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _check_node(node: yaml.Node) -> None:
    line = node.start_mark.line + 1
    if node.tag not in _PLAIN:
        raise InputError("has a tag; only plain data are read", line=line, value=node.tag)
    if isinstance(node, yaml.MappingNode):
        keys = set()
        for key, _ in node.value:
            where = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode) or key.tag != f"{_TAG}str":
                raise InputError("keys must be text; put it in quotes", line=where, value=key.value)
            if key.value in keys:
                raise InputError("key is given twice", field=key.value, line=where)
            keys.add(key.value)


def _line(node: yaml.Node, place: Place) -> int | None:
    line = None
    for step in place:
        if isinstance(node, yaml.MappingNode):
            key, node = next((key, value) for key, value in node.value if key.value == step)
            line = key.start_mark.line + 1
        else:
            node = node.value[step]
            line = node.start_mark.line + 1
    return line
