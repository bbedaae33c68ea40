"""Figure of a plan in a kitchen: contents of stations and actions of players over the steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from itertools import chain
from typing import Any, NamedTuple, cast

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.transforms import Bbox

from planoracle.analysis.figures.labels import settled_texts, write_key
from planoracle.analysis.figures.style import FittedText, is_narrow, legend_below, new_axes, plain, points, scale
from planoracle.analysis.figures.style import title as write_title
from planoracle.instances.benchmarks.kitchens.descriptions import ObjectView, look
from planoracle.instances.benchmarks.kitchens.kitchen import split_name
from planoracle.instances.benchmarks.kitchens.simulation import StepRecord
from planoracle.instances.errors import InputError

#: Colours of players.
PLAYERS = ("#202020", "#0072b2", "#a8481a", "#6a6a6a")
#: How what only one of two plans has is framed.
EXTRA: dict[str, Any] = {"facecolor": "none", "edgecolor": "#d55e00", "lw": 1.6, "zorder": 4.5}
#: Most actions that are drawn.
MAX_STEPS = 400

# Okabe and Ito's colours, then lighter ones; each kind of thing has one, and its name is written on it.
_PALETTE = (
    *("#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"),
    *("#f5dba6", "#bbe1f6", "#8fd4bd", "#fafad0", "#8fbedb", "#f0b48a", "#e8c6d8"),
)
_REFUSED = "#c1121f"
# Title, axis and legend; name of the lower of two plans; in inches.
_AROUND, _HEADING = 1.15, 0.6
_TILE_INCHES, _TRACK, _GAP = 0.2, 0.85, 0.3  # height of a thing; of a player's track and the room between rows in tiles
_VERBS = {
    "pick-up-item": "take",
    "pick-up-container": "take",
    "place-item": "put",
    "place-container": "put",
    "fill-pot": "fill",
    "boil-water": "boil",
    "add-to": "add",
    "fill-bowl": "pour",
    "unstack": "lift",
}


def picture(run: StepRecord, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw a run with a row per station and player's hands, and a column per legal action.

    Things are bars, stacked as they lie; pale while raw, full once cut, cooked, fried or boiling, hatched while that
    is under way. A player's track runs through the rows of the stations where it stands; on it is written what it
    does, and a cross is an action refused. A column shows what is there before its action.

    Parameters
    ----------
    ax
        Where to draw; without it, on a new figure of fitting size.
    title
        By default the name of the kitchen, the steps and how the run ended; ``""`` for none.

    Raises
    ------
    InputError
        If there are more actions than `MAX_STEPS`.
    """
    moments = _moments_within_limit(run)
    target = new_axes(ax, _width(moments), 3)
    kinds, verbs = _kinds(moments), _verbs(moments)
    legend = _draw(target, run, moments, len(moments), kinds, verbs)
    write_title(target, f"{run.rules.kitchen.name}: {_outcome(run)}" if title is None else title, limit=110)
    if ax is None:
        _set_height([target], kinds, verbs, legend)
    return target


def picture_pair(upper: StepRecord, lower: StepRecord, *, names: tuple[str, str]) -> Axes:
    """Draw two runs in one kitchen one above the other; return the lower axes.

    What somebody does in one of them only, or does there oftener, has a frame.

    Parameters
    ----------
    names
        What the runs are called.

    Raises
    ------
    InputError
        If there are more actions than `MAX_STEPS`.
    """
    moments = [_moments_within_limit(run) for run in (upper, lower)]
    columns = max(map(len, moments))
    figure = cast(Figure, new_axes(None, max(map(_width, moments)), 3).figure)
    figure.clear()
    axes = figure.subplots(2, 1)
    kinds, verbs = _kinds(chain(*moments)), _verbs(chain(*moments))
    marked = _extra(moments[0], moments[1]), _extra(moments[1], moments[0])
    legend = 0.0
    for ax, run, own, extra, name in zip(axes, (upper, lower), moments, marked, names, strict=True):
        legend = _draw(ax, run, own, columns, kinds, verbs, marked=extra, paired=any(marked), last=ax is axes[-1])
        ax.text(0, 1.0, f"{plain(name)}: {_outcome(run)}", transform=ax.transAxes, va="bottom", fontsize=points(8.5))
    axes[0].get_subplotspec().get_gridspec().set_height_ratios([ax.get_ylim()[0] for ax in axes])
    write_title(axes[0], upper.rules.kitchen.name, pad=16, limit=110)
    _set_height(axes, kinds, verbs, legend, _HEADING)
    return cast(Axes, axes[-1])


def _set_height(
    axes: Sequence[Axes], kinds: dict[str, Short], verbs: dict[str, str], legend: float, between: float = 0.0
) -> None:
    """Make a figure high enough for its rows, and what is around, between and below them."""
    figure = cast(Figure, axes[0].figure)
    height = _AROUND + between + legend + _TILE_INCHES * sum(ax.get_ylim()[0] for ax in axes)
    figure.set_figheight(height)
    figure.set_figheight(height + explain_letters(axes[-1], kinds, verbs, legend))


def _moments_within_limit(run: StepRecord) -> list[_Moment]:
    moments = _moments(run)
    if len(moments) - 1 > MAX_STEPS:
        raise InputError(f"is too long to draw, more than {MAX_STEPS} actions", field="plan", value=len(moments) - 1)
    return moments


def _width(moments: list[_Moment]) -> float:
    return min(max(8.0, 1.6 + 0.27 * len(moments)), 26.0)


def _outcome(run: StepRecord) -> str:
    ends = {"completed": "goal reached", "limit": "stopped at the limit", "exhausted": "goal not reached"}
    return f"{run.steps_taken} steps, {ends[run.end]}"


def _extra(one: list[_Moment], other: list[_Moment]) -> set[int]:
    """Return the places of the deeds of one run that the other one lacks; of equal ones the last."""
    counts = Counter(moment.deed for moment in other)
    extra = set()
    for at, moment in enumerate(one):
        if moment.verb and counts[moment.deed] <= 0:
            extra.add(at)
        counts[moment.deed] -= 1
    return extra


def _draw(
    ax: Axes,
    run: StepRecord,
    moments: list[_Moment],
    columns: int,
    kinds: dict[str, Short],
    verbs: dict[str, str],
    *,
    marked: Set[int] = frozenset(),
    paired: bool = False,
    last: bool = True,
) -> float:
    """Draw a run; return the height of the legend, which only the last of several has."""
    views = [moment.view for moment in moments]
    players = run.rules.kitchen.players
    rows = [*views[0].layout.stations, *(f"{player} holds" for player in players)]
    levels = dict.fromkeys(rows, 1)
    for view in views:
        for row, things in _contents(view).items():
            levels[row] = max(levels[row], len(things))
    bottoms = _draw_rows(ax, rows, levels, columns, set(views[0].layout.stations), len(players))
    with rc_context({"hatch.linewidth": 0.6}):
        _draw_things(ax, views, bottoms, kinds)
        for number, player in enumerate(players):
            _draw_track(ax, moments, player, number, bottoms, verbs, marked)
        _draw_refusals(ax, moments, players, bottoms)
        draw_steps(ax, len(moments) - 1, columns, run.success, last=last)
        return draw_legend(ax, players, kinds, paired=paired) if last else 0.0


class _Moment(NamedTuple):
    """State before a legal action, the action and its player, and the number of refused actions before it.

    Walks have no verb.
    """

    view: ObjectView
    player: str
    verb: str
    refused: int
    deed: int | None = None


def _moments(run: StepRecord) -> list[_Moment]:
    """Return a moment per legal action, and the last."""
    actions = run.rules.kitchen.domain.actions
    moments = []
    refused = 0
    for step, state in zip(run.steps, run.states, strict=False):
        if step.deed is None:
            refused += 1
            continue
        deed = run.rules.deeds[step.deed]
        name = actions[deed.position].name
        moves = any(each.predicate == "loc" for each in actions[deed.position].changes)
        moments.append(
            _Moment(look(run.rules, state), deed.player, "" if moves else _VERBS.get(name, name), refused, step.deed)
        )
        refused = 0
    moments.append(_Moment(look(run.rules, run.states[-1]), run.rules.player(run.states[-1]), "", refused))
    return moments


def _contents(view: ObjectView) -> dict[str, list[str]]:
    hands = {f"{player} holds": [thing] if thing else [] for player, (_, thing) in view.layout.players.items()}
    return {**view.layout.stations, **hands}


class _Look(NamedTuple):
    """Appearance of an object: labels, kind, and whether it is prepared or being prepared."""

    wordings: tuple[str, ...]
    kind: str
    is_prepared: bool
    busy: bool


def _look(view: ObjectView, thing: str) -> _Look:
    meals = view.layout.containers.get(thing, [])
    states = [*view.states.get(thing, ()), *(word for meal in meals for word in view.states.get(meal, ()))]
    parts = [part for meal in meals for part in view.added.get(meal, ())]
    busy = any(timer.thing in (thing, *meals) and not timer.paused for timer in view.timers)
    soup = [*([split_name(meals[0])[0]] if meals else []), *parts]
    words = " ".join([*states, thing]) + (f": {', '.join(soup)}" if soup else "")
    short = f"{thing}+{len(soup)}" if soup else thing
    return _Look((words, short, thing), split_name(thing)[0], bool(states), busy)


def _draw_rows(
    ax: Axes, rows: list[str], levels: dict[str, int], columns: int, stations: set[str], players: int
) -> dict[str, float]:
    """Draw what separates the rows; return where the lowest thing of each has its lower edge."""
    bottoms, top = {}, 0.0
    for number, row in enumerate(rows):
        height = levels[row] + _GAP + (_TRACK * players if row in stations else 0.0)
        bottoms[row] = top + _GAP / 2 + levels[row]
        if number % 2 == 0:
            ax.axhspan(top, top + height, color="0.965", lw=0, zorder=0)
        top += height
    ax.set_ylim(top, 0)
    ax.set_xlim(0, columns)
    ax.set_yticks(
        [bottoms[row] - levels[row] / 2 for row in rows], [plain(row, 24) for row in rows], fontsize=points(8.5)
    )
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right"]].set_visible(False)
    return bottoms


def _kinds(moments: Iterable[_Moment]) -> dict[str, Short]:
    views = [moment.view for moment in moments]
    kinds = {split_name(thing)[0] for view in views for things in _contents(view).values() for thing in things}
    letters = initials(kinds)
    return {kind: Short(letters[kind], _PALETTE[i % len(_PALETTE)]) for i, kind in enumerate(sorted(kinds))}


def _verbs(moments: Iterable[_Moment]) -> dict[str, str]:
    return initials({moment.verb for moment in moments if moment.verb})


def _draw_things(ax: Axes, views: list[ObjectView], bottoms: dict[str, float], kinds: dict[str, Short]) -> None:
    """Draw a bar for as long as a thing stays where and as it is."""
    open_: dict[tuple[str, int, str, _Look], int] = {}
    for at in range(len(views) + 1):
        now: set[tuple[str, int, str, _Look]] = set()
        if at < len(views):
            for row, things in _contents(views[at]).items():
                now |= {(row, level, thing, _look(views[at], thing)) for level, thing in enumerate(things)}
        for key in sorted(set(open_) - now):
            row, level, thing, seen = key
            start, y = open_.pop(key), bottoms[row] - level - 1
            face = np.array(to_rgb(kinds[seen.kind].colour))
            if not seen.is_prepared:
                face = 0.65 + 0.35 * face
            look_: dict[str, Any] = {
                "facecolor": face,
                "edgecolor": "0.35",
                "lw": 0.6,
                "hatch": "////" if seen.busy else None,
            }
            ax.add_patch(Rectangle((start, y), at - start, 0.94, label=thing, zorder=2, **look_))
            box, wordings = Bbox.from_extents(start, y, at, y + 0.94), [plain(words, 60) for words in seen.wordings]
            number = f"{kinds[seen.kind].letters}{split_name(thing)[1]}"
            ax.add_artist(FittedText(box, wordings, look_, size=6.5, number=number))
        for key in now:
            open_.setdefault(key, at)


def _track(player: int, bottom: float) -> float:
    """Return the middle of a player's track below the things of a row."""
    return bottom + _TRACK * (player + 0.5)


def _draw_track(
    ax: Axes,
    moments: list[_Moment],
    player: str,
    number: int,
    bottoms: dict[str, float],
    brief: dict[str, str],
    marked: Set[int],
) -> None:
    """Draw where a player is and what it does."""
    colour = PLAYERS[number % len(PLAYERS)]
    half = 0.42 * _TRACK
    places = [moment.view.layout.players[player][0] for moment in moments]
    for at, place in enumerate(places):
        if place is None:
            continue
        y = _track(number, bottoms[place])
        going = at + 1 < len(places) and places[at + 1] != place
        follows = places[at + 1] if going else None
        if follows is not None:
            ax.plot([at, at + 1], [y, _track(number, bottoms[follows])], color=colour, lw=1.3, alpha=0.75, zorder=3)
            continue
        face = np.array(to_rgb(colour))
        ax.add_patch(Rectangle((at, y - half), 1, 2 * half, facecolor=face, lw=0, zorder=3, label=player))
        if at in marked and moments[at].player == player:
            ax.add_patch(Rectangle((at, y - half), 1, 2 * half, label="extra", **EXTRA))
        verb = moments[at].verb if moments[at].player == player else ""
        if verb:
            box = Bbox.from_extents(at, y - half, at + 1, y + half)
            ax.add_artist(FittedText(box, [verb], {"facecolor": face, "hatch": None}, size=6, number=brief[verb]))


def _draw_refusals(ax: Axes, moments: list[_Moment], players: tuple[str, ...], bottoms: dict[str, float]) -> None:
    for at, moment in enumerate(moments):
        place = moment.view.layout.players[moment.player][0]
        if moment.refused and place is not None:
            y = _track(players.index(moment.player), bottoms[place])
            ax.plot(at, y, "X", color=_REFUSED, markeredgecolor="white", markersize=8, zorder=5, label="refused")
            if moment.refused > 1:
                ax.annotate(
                    f"{moment.refused}", (at, y), (0, 4), textcoords="offset points", fontsize=points(7), ha="center"
                )


class Short(NamedTuple):
    """Abbreviation of a kind of object, used where its name does not fit."""

    letters: str
    colour: str


def initials(kinds: Iterable[str]) -> dict[str, str]:
    """Return a letter or two for each kind of thing or verb, none for two of them.

    >>> initials(["bread", "cheese", "chicken"])
    {'bread': 'b', 'cheese': 'c', 'chicken': 'ch'}
    """
    short_names: dict[str, str] = {}
    for kind in sorted(kinds):
        tried = (kind[:1], *(f"{kind[0]}{letter}" for letter in kind[1:]))
        short_names[kind] = next((letters for letters in tried if letters not in short_names.values()), kind)
    return short_names


def draw_steps(ax: Axes, steps: int, columns: int, success: bool, *, last: bool) -> None:
    """Write numbers below the columns and mark the end."""
    room = 3.4 * ax.figure.bbox.width / ax.figure.dpi / scale()
    every = next(step for step in (1, 5, 10, 20, 50, 100) if columns / step <= room or step == 100)
    numbers = [number for number in range(1, steps + 1) if number % every == 0 or number in (1, steps)]
    if len(numbers) > 1 and every > 1 and numbers[-1] - numbers[-2] < 0.6 * every:
        del numbers[-2]
    end = ["end"] if every == 1 else []
    places = [number - 0.5 for number in numbers] + [steps + 0.5] * len(end)
    ax.set_xticks(places, [*map(str, numbers), *end], fontsize=points(7.5))
    ax.set_xticks(range(columns + 1), minor=True)
    ax.tick_params(axis="x", which="both", length=0)
    ax.grid(axis="x", which="minor", color="0.88", lw=0.5)
    ax.set_axisbelow(True)
    ax.axvline(steps, color="black", lw=1.2, ls="-" if success else (0, (3, 2)), zorder=3.5)
    if last:
        ax.set_xlabel("action", fontsize=points(8.5))


def draw_legend(ax: Axes, players: tuple[str, ...], kinds: dict[str, Short], *, paired: bool) -> float:
    """Draw a legend of looks, and of colours in narrow figures; return its height in inches."""
    handles: list[Patch | Line2D] = [
        Patch(facecolor="0.92", edgecolor="0.35", label="raw"),
        Patch(facecolor="0.92", edgecolor="0.35", hatch="////", label="under way"),
        Patch(facecolor="0.72", edgecolor="0.35", label="cut, cooked, fried or boiling (in full colour)"),
        *(Patch(facecolor=PLAYERS[i % len(PLAYERS)], label=plain(name)) for i, name in enumerate(players)),
    ]
    if paired:
        handles.append(Patch(label="not in the other plan", **EXTRA))
    if is_narrow():
        handles += [Patch(facecolor=one.colour, edgecolor="0.35", label=plain(kind)) for kind, one in kinds.items()]
    return legend_below(ax, handles, drop=0.42)


def explain_letters(ax: Axes, kinds: dict[str, Short], verbs: dict[str, str], below: float) -> float:
    """Write a key to the letters on the bars of a figure of its final size; return inches that this takes.

    Parameters
    ----------
    below
        Inches that the legend takes.
    """
    written = {text.get_text() for text in settled_texts(ax)}
    things = [(text, text.rstrip("0123456789")) for text in sorted(written) if text[-1:].isdecimal()]
    kind_of = {one.letters: kind for kind, one in kinds.items()}
    entries = [
        [f"{letters} {verb}" for verb, letters in verbs.items() if letters in written and letters != verb],
        [f"{text} {plain(kind_of[start])}{text[len(start) :]}" for text, start in things if start in kind_of],
    ]
    present = [one for one in entries if one]
    return write_key(ax, present, 0.42 + below) if present else 0.0
