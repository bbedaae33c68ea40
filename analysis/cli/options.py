"""Options that many verbs have and none of them knows of."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any

__all__ = ["with_options"]


def with_options(
    verb: Callable[..., Any],
    options: Mapping[str, tuple[Any, Any]],
    context: Callable[..., AbstractContextManager[None]],
) -> Callable[..., Any]:
    """Return a verb with more options.

    Parameters
    ----------
    options
        Annotation and default of each, by name.
    context
        Is called with their values; the verb runs in what it returns.
    """
    signature = inspect.signature(verb, eval_str=True)

    @wraps(verb)
    def called(*args: Any, **named: Any) -> Any:
        own = {name: named.pop(name, default) for name, (_, default) in options.items()}
        with context(**own):
            return verb(*args, **named)

    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in options.items()
    ]
    called.__signature__ = signature.replace(parameters=[*signature.parameters.values(), *more])  # type: ignore[attr-defined]
    called.__annotations__ = {one.name: one.annotation for one in called.__signature__.parameters.values()}  # type: ignore[attr-defined]
    return called
