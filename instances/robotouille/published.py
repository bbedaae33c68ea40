"""Published numbers of steps: the horizon lengths of the paper's Table 3, one for all kitchens of a task."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from planoracle.instances.reading import load_json


@cache
def published() -> dict[str, int]:
    """Return the published numbers of steps by task."""
    path = files(__package__) / "data" / "published.json"
    rows = (row for row in load_json(path.read_bytes(), path.name)["figures"] if row["ours"][0] == "optimum")
    return {row["ours"][1].rpartition("/")[2]: row["paper"] for row in rows}


def published_steps(name: str) -> int | None:
    """Return the number published for the task of a kitchen's name, ``None`` if there is none.

    It was made for the released kitchen of the task; its variants may need more or fewer steps. Ours have none.

    >>> published_steps("3_burger"), published_steps("asynchronous__5_potato_soup__42")
    (10, 19)
    >>> published_steps("robotouille/synchronous/3_burger@42"), published_steps("kitchens/synchronous/3_burger")
    (10, None)
    """
    if name.startswith("kitchens/"):
        return None
    parts = name.rpartition("/")[2].partition("@")[0].split("__")
    return next((published()[part] for part in parts if part in published()), None)
