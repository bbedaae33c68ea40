"""Which columns of a table a terminal has room for, how wide they are, and how names are shortened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

__all__ = ["Fitted", "fit", "in_words", "shorten"]

# Columns of names, which are shortened and not broken, whatever is in them.
_NAMES = frozenset({"id", "instance", "problem", "model", "set", "method", "heuristic", "file"})

# Cells between columns, and at the left edge, where there is room for all and where there is not.
_ROOMY, _TIGHT = (3, 4), (2, 0)
# However much room there is: one long text would make every line as long.
_WIDEST = 500
# Names keep so many cells, texts in words so many: room for what tells them apart.
_LEAST_NAME, _LEAST_TEXT = 26, 16


class Fitted(NamedTuple):
    """The columns that are shown, each with its width; whether they stand close; what is left out."""

    widths: dict[str, int]
    tight: bool
    left_out: tuple[str, ...]


class _Column(NamedTuple):
    """A column's width in one line, with its heading in as many lines as it takes, and at the least."""

    whole: int
    cells: int
    least: int


def fit(
    cells: Mapping[str, Sequence[str]],
    headings: Mapping[str, str],
    width: int | None,
    least: Sequence[str] = (),
    measure: Callable[[str], int] = len,
) -> Fitted:
    """Choose columns and widths.

    Parameters
    ----------
    cells, headings
        Texts by column, in the order of the columns; the first one is never left out.
    width
        Cells that there are, ``None`` for no limit but that of a column, 500.
    least
        What is left out first, the least important first; then what stands at the right end.
    measure
        Returns how many cells of the terminal a text takes.

    Examples
    --------
    >>> cells = {"instance": ["kitchen/breakfast/porridge-and-tea"], "makespan": ["4080"], "seconds": ["0.012"]}
    >>> fit(cells, {name: name for name in cells}, 40, ["seconds"])
    Fitted(widths={'instance': 30, 'makespan': 8}, tight=True, left_out=('seconds',))
    """
    columns = {name: _measured(texts, headings[name], in_words(name, texts), measure) for name, texts in cells.items()}
    whole = {name: column.whole for name, column in columns.items()}
    if width is None or _total(whole.values(), _ROOMY) <= width:
        return Fitted(whole, False, ())
    order = [name for name in dict.fromkeys(least) if name in columns]
    order += [name for name in reversed(columns) if name not in order]
    order = [name for name in order if name != next(iter(columns))]
    kept = dict.fromkeys(columns)

    def fits() -> bool:
        return _total((columns[name].least for name in kept), _TIGHT) <= width

    left_out = []
    while order and not fits():
        left_out.append(order.pop(0))
        del kept[left_out[-1]]
    for name in reversed(left_out[:-1]):  # what is small may fit once something large has gone
        kept[name] = None
        if fits():
            left_out.remove(name)
        else:
            del kept[name]
    widths = {name: columns[name].least for name in columns if name in kept}
    spare = width - _total(widths.values(), _TIGHT)
    for enough in ("cells", "whole"):
        for name in sorted(widths, key=lambda name: columns[name].cells):
            more = max(0, min(spare, getattr(columns[name], enough) - widths[name]))
            widths[name] += more
            spare -= more
    return Fitted(widths, True, tuple(name for name in columns if name in left_out))


def _total(widths: Iterable[int], between: tuple[int, int]) -> int:
    found = list(widths)
    return sum(found) + between[0] * (len(found) - 1) + between[1]


def in_words(name: str, texts: Sequence[str]) -> bool:
    """Whether a column holds texts that can be broken between words."""
    return name not in _NAMES and any(" " in text for text in texts)


def _measured(texts: Sequence[str], heading: str, words: bool, measure: Callable[[str], int]) -> _Column:
    cells = min(max(map(measure, texts), default=0), _WIDEST)
    word = min(max(map(measure, heading.split()), default=0), _WIDEST)
    if words:
        longest = max(measure(part) for text in texts for part in text.split())
        least = max(_LEAST_TEXT, min(longest, _LEAST_NAME))
    else:
        least = _LEAST_NAME
    return _Column(max(cells, min(measure(heading), _WIDEST)), max(cells, word), max(min(cells, least), word))


def shorten(texts: Sequence[str], width: int, mark: str = "…", measure: Callable[[str], int] = len) -> list[str]:
    """Return names in so many cells: their ends, or whatever part of them still tells them apart.

    Examples
    --------
    >>> shorten(["kitchen/breakfast/porridge-and-tea", "short"], 22)
    ['…/porridge-and-tea', 'short']
    >>> shorten(["kitchen/breakfast/7-porridge-and-tea"], 16)
    ['7-porri…-and-tea']
    >>> shorten(["a/same-long-ending", "b/same-long-ending"], 9)
    ['a/sa…ding', 'b/sa…ding']
    """
    long = {text for text in texts if measure(text) > width}
    if not long:
        return list(texts)
    room = max(1, width - measure(mark))
    others = {text for text in texts if text not in long}

    def last(text: str) -> str:
        """Return the last part of a path, and as much before it as there is room for."""
        name = text.rpartition("/")[2]
        if measure(name) >= width and name != text:
            return name if measure(name) == width else middle(name)
        end = _end(text, room, measure)
        slash = end.find("/", 0, len(end) // 3)
        return mark + (end if slash < 0 else end[slash:])

    def middle(text: str) -> str:
        return _start(text, room // 2, measure) + mark + _end(text, room - room // 2, measure)

    for way in (last, middle, lambda text: _start(text, room, measure) + mark):
        made = {text: way(text) for text in long}
        if len(others.union(made.values())) == len(others) + len(long):
            break
    else:
        made = {text: last(text) for text in long}
    return [made.get(text, text) for text in texts]


def _start(text: str, room: int, measure: Callable[[str], int]) -> str:
    return next((text[:end] for end in range(min(len(text), room), 0, -1) if measure(text[:end]) <= room), "")


def _end(text: str, room: int, measure: Callable[[str], int]) -> str:
    return next((text[-many:] for many in range(min(len(text), room), 0, -1) if measure(text[-many:]) <= room), "")
