"""Graph of the dependencies between actions, drawn layer by layer (after Sugiyama)."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain, pairwise
from statistics import fmean
from typing import Any, NamedTuple

import networkx as nx
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Patch, Rectangle
from matplotlib.transforms import Bbox

from planoracle.analysis.figures.bar_colours import palette, task_colour
from planoracle.analysis.figures.labels import FittedText, KeyEntry, draw_key, in_words, step_numbers
from planoracle.analysis.figures.style import (
    bare,
    clock,
    is_narrow,
    legend_below,
    new_axes,
    plain,
    points,
    shade,
)
from planoracle.analysis.figures.style import title as write_title
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.schedule import Piece, Schedule

# A box in units of its cell, narrower in a column, where labels of arrows need more of it.
_WIDE, _IN_COLUMN = 0.74, 0.56
_HIGH = 0.72
# Maximum number of actions with which arrows are labelled.
_LABELLED = 60
_WINDOW = "#a8481a"


def dependency_graph(instance: Instance, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw the dependencies of actions: a box per action, an arrow per time lag, layer by layer.

    A box has the name and duration of the action, or a number if it is too small; a key below a new figure explains
    the numbers. Boxes have the colour of their task; unattended actions are hatched. Dashed arrows have a maximum
    lag; dotted arrows hold in one mode only.

    Parameters
    ----------
    ax
        Where to draw; without it, on a new figure of fitting size.
    title
        By default the name of the instance; ``""`` for none.
    """
    graph = instance.to_networkx()
    places, bends, columns, lanes = place(instance, graph)
    inches_wide = min(max(7.0, 1.45 * columns), 24.0)
    inches_high = min(max(2.5, 0.9 + 0.52 * lanes), 40.0)
    target = new_axes(ax, inches_wide, inches_high)
    colours, numbers = palette(instance), _numbers(instance)
    target.set_xlim(-0.55, columns - 0.45)
    target.set_ylim(lanes - 0.4, -0.6)
    with rc_context({"hatch.linewidth": 0.4}):
        for before, after, lag in graph.edges(data=True):
            path = [places[before], *bends.get((before, after), ()), places[after]]
            _draw_arrow(target, instance, path, lag, labelled=len(instance.actions) <= _LABELLED)
        for action in instance.actions:
            number = numbers[action.id] if ax is None else action.id.rpartition("/")[2]
            _draw_box(target, instance, action, number, places[action.id], task_colour(colours, action.task))
        handles: list[Patch | Line2D] = [Patch(label=plain(task), **shade(colour)) for task, colour in colours.items()]
        if instance.agents and any(not action.attended for action in instance.actions):
            handles.append(Patch(label="unattended", **shade("#808080", "////")))
        for words, look in _looks(graph):
            handles.append(Line2D([], [], label=words, **look))
        target.set_xticks([])
        target.set_yticks([])
        bare(target)
        target.spines[["left", "bottom"]].set_visible(False)
        height = legend_below(target, handles, drop=0.08)
    write_title(target, instance.name if title is None else title)
    if ax is None:
        by_task = sorted(instance.actions, key=lambda action: instance.tasks.index(action.task))
        entries = {action.id: KeyEntry.of(action, numbers[action.id], _label(action, 120)) for action in by_task}
        draw_key(target, entries, min(0.7 + 0.52 * lanes, 40.0), height, 0.08)
    return target


def _numbers(instance: Instance) -> dict[str, str]:
    """Return a number for each action, as in charts of schedules."""
    pieces = (Piece(action.id, place, 1, None) for place, action in enumerate(instance.actions))
    return step_numbers(instance, [Schedule(tuple(pieces))])


def _label(action: Action, limit: int = 60) -> str:
    """Return the name of an action with all objects that its modes use; a mere number follows the task."""
    number_of_modes = max(1, len(action.modes))
    first, *alternatives = (in_words(action, mode, limit) for mode in range(number_of_modes))
    more = [action.modes[mode].name for mode, words in enumerate(alternatives, 1) if words != first]
    name = f"{action.task}/{first}" if first.isdecimal() else first
    return plain(" or ".join([name, *more]), limit)


_ARROW: dict[str, Any] = {"color": "0.35", "lw": 0.8, "ls": "-"}
_DASHED: dict[str, Any] = {"color": _WINDOW, "lw": 1.2, "ls": (0, (4, 2))}
_DOTTED: dict[str, Any] = {"color": "0.35", "lw": 1.0, "ls": (0, (1, 1.5))}


def _look(lag: dict[str, Any]) -> dict[str, Any]:
    if lag["maximum"] is not None:
        return _DASHED
    return _DOTTED if "mode" in lag else _ARROW


def _looks(graph: nx.DiGraph[str]) -> list[tuple[str, dict[str, Any]]]:
    present = [_look(lag) for _, _, lag in graph.edges(data=True)]
    words = (
        ("precedence", _ARROW),
        ("precedence with a maximum lag", _DASHED),
        ("precedence in one mode only", _DOTTED),
    )
    return [(text, look) for text, look in words if look in present]


def _draw_arrow(ax: Axes, instance: Instance, path: list[Point], lag: dict[str, Any], *, labelled: bool) -> None:
    corners = _line(path)
    look = _look(lag)
    for start, end in pairwise(corners[:-1]):
        ax.plot(*zip(start, end, strict=True), zorder=1, solid_capstyle="round", **look)
    style = "-|>" if lag["minimum"] is not None else "-"
    arrow: dict[str, Any] = {"mutation_scale": 7, "shrinkA": 0, "shrinkB": 0, "zorder": 1, **look}
    ax.add_patch(FancyArrowPatch(corners[-2], corners[-1], arrowstyle=style, **arrow))
    words = _bounds(instance, lag)
    if labelled and words:
        # The label stands at the last segment of its arrow.
        (a, b), (c, d) = corners[-2:]
        middle = (a + 0.45 * (c - a), b + 0.45 * (d - b))
        options: dict[str, Any] = {
            "fontsize": points(6),
            "ha": "center",
            "va": "bottom",
            "color": _WINDOW,
            "zorder": 2.5,
        }
        ax.annotate(words, middle, (0, 1.5), textcoords="offset points", **options)


def _line(path: list[Point]) -> list[Point]:
    """Return the corners of an arrow from box to box; in the layers between it is level."""
    (x, y), (u, v) = path[0], path[-1]
    half = _width() / 2
    if u <= x:  # not a later layer: from above or below
        side = _HIGH / 2 if v > y else -_HIGH / 2
        return [(x, y + side), (u, v - side)]
    corners = [(x + half, y)]
    for bend_x, bend_y in path[1:-1]:
        corners += [(bend_x - half, bend_y), (bend_x + half, bend_y)]
    return [*corners, (u - half, v)]


def _bounds(instance: Instance, lag: dict[str, Any]) -> str:
    """Return the bounds of a lag as text, without trivial ones."""
    minimum = f"≥{_short(instance, lag['minimum'])}" if lag["minimum"] else ""
    maximum = "" if lag["maximum"] is None else f"≤{_short(instance, lag['maximum'])}"
    return "\n".join(filter(None, (minimum, maximum)))


def _short(instance: Instance, ticks: int) -> str:
    if instance.unit != "second":
        return str(ticks)
    return f"{ticks // 60}′" if ticks % 60 == 0 else clock(ticks, "second").removeprefix("00:")


def _width() -> float:
    return _IN_COLUMN if is_narrow() else _WIDE


def _draw_box(ax: Axes, instance: Instance, action: Action, number: str, at: Point, colour: str) -> None:
    x, y = at
    half, half_height = _width() / 2, _HIGH / 2
    look = shade(colour, None if action.attended or not instance.agents else "////")
    corner = (x - half, y - half_height)
    ax.add_patch(Rectangle(corner, 2 * half, _HIGH, zorder=2, label=action.id, **look))
    length = _short(instance, action.duration)
    name = _label(action)
    brief = plain(number, 12)
    wordings = [f"{text}\n{length}" for text in (name, _on_two_lines(name), plain(number, 18))]
    wordings += [f"{brief} · {length}", brief]
    box = Bbox.from_extents(x - half, y - half_height, x + half, y + half_height)
    text = FittedText(box, wordings, look, size=6.5, complete=2)
    text.set_label(action.id)
    ax.add_artist(text)


def _on_two_lines(name: str) -> str:
    """Break a name at the blank that is nearest to its middle."""
    words = name.split()

    def distance_from_middle(count: int) -> float:
        return abs(len(" ".join(words[:count])) - len(name) / 2)

    count = min(range(1, len(words)), key=distance_from_middle, default=0)
    return f"{' '.join(words[:count])}\n{' '.join(words[count:])}" if count else name


#: Layer and height; heights grow downwards, boxes are one apart.
Point = tuple[float, float]

_SWEEPS = 8
_GROUP_GAP = 0.2
# Room for a bend, half that of a box.
_BEND = 0.5
# Columns for actions without dependencies.
_LOOSE = 6


class GraphLayout(NamedTuple):
    """Places of the actions, bends of arrows across layers, and numbers of layers and lanes."""

    places: dict[str, Point]
    bends: dict[tuple[str, str], list[Point]]
    columns: int
    lanes: float


#: An action, or an edge where it passes a layer.
_Spot = tuple[int, str | tuple[str, str]]


def place(instance: Instance, graph: nx.DiGraph[str]) -> GraphLayout:
    """Place the actions of an instance; connected components are placed one below the other.

    Parameters
    ----------
    graph
        Its dependencies: nodes are ids of actions.
    """
    layers = _layers(instance)
    places: dict[str, Point] = {}
    bends: dict[tuple[str, str], list[Point]] = defaultdict(list)
    top = 0.0
    groups = (group for group in nx.weakly_connected_components(graph) if len(group) > 1)
    ordered_groups = [sorted(group, key=instance.index.__getitem__) for group in groups]
    for group in sorted(ordered_groups, key=lambda group: instance.index[group[0]]):
        heights = _heights(group, graph, layers)
        for (layer, key), y in sorted(heights.items(), key=_layer_of):
            if isinstance(key, str):
                places[key] = float(layer), top + y
            else:
                bends[key].append((float(layer), top + y))
        top += max(heights.values()) + 1 + _GROUP_GAP
    columns = 1 + max((int(x) for x, _ in places.values()), default=0)
    loose = [action.id for action in instance.actions if action.id not in places]
    columns = max(columns, min(_LOOSE, len(loose)))
    for i, name in enumerate(loose):
        places[name] = float(i % columns), top + i // columns
    all_points = chain(places.values(), *bends.values())
    lanes = 1 + max(y for _, y in all_points)
    return GraphLayout(places, bends, columns, lanes)


def _layer_of(spot_and_height: tuple[_Spot, float]) -> int:
    (layer, _), _ = spot_and_height
    return layer


def _layers(instance: Instance) -> dict[str, int]:
    """Return for every action the number of actions in the longest chain before it."""
    order = nx.DiGraph([(lag.before, lag.after) for lag in instance.lags if lag.orders])
    layers = dict.fromkeys(instance.by_id, 0)
    for layer, names in enumerate(nx.topological_generations(order)):
        layers.update(dict.fromkeys(names, layer))
    return layers


def _heights(members: list[str], graph: nx.DiGraph[str], layers: dict[str, int]) -> dict[_Spot, float]:
    """Return the height of every box and bend.

    Each layer is ordered by the mean heights of its neighbours, and centred on them.
    """
    rows: dict[int, list[_Spot]] = defaultdict(list)
    joined: dict[_Spot, list[_Spot]] = defaultdict(list)
    for name in members:
        rows[layers[name]].append((layers[name], name))
    for before, after in graph.subgraph(members).edges:
        first_layer, last_layer = layers[before], layers[after]
        bends: list[_Spot] = [(layer, (before, after)) for layer in range(first_layer + 1, last_layer)]
        for bend in bends:
            rows[bend[0]].append(bend)
        for start, end in pairwise([(first_layer, before), *bends, (last_layer, after)]):
            joined[start].append(end)
            joined[end].append(start)
    heights: dict[_Spot, float] = {}
    for sweep in range(_SWEEPS):
        for layer in sorted(rows, reverse=sweep % 2 == 1):
            row = rows[layer]
            means = {spot: _mean_height(joined[spot], heights) for spot in row}
            row.sort(key=means.__getitem__)
            room = [1.0 if isinstance(key, str) else _BEND for _, key in row]
            first = fmean(means.values()) - sum(room) / 2
            for i, spot in enumerate(row):
                heights[spot] = first + sum(room[:i]) + room[i] / 2
    top = min(heights.values())
    return {spot: height - top for spot, height in heights.items()}


def _mean_height(spots: list[_Spot], heights: dict[_Spot, float]) -> float:
    """Return the mean height of the spots that have one, 0 if none has."""
    return fmean([heights[spot] for spot in spots if spot in heights] or [0.0])
