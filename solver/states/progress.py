"""States of a run in the units of the CP-SAT model: fixed segments of actions and their positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from planoracle.instances.errors import InputError
from planoracle.instances.model.agents import interchangeable
from planoracle.instances.model.features import Feature, features_of
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.state import PartialSchedule
from planoracle.solver.exact.segments import version_groups

# Ticks longer than any time between events.
_FOREVER = 10**18


class FixedPiece(NamedTuple):
    """A fixed piece: position of its action, times in steps of the model."""

    action: int
    start: int
    end: int
    mode: int
    agent: str | None


Key = tuple[int, tuple[FixedPiece, ...]]


@dataclass(frozen=True, slots=True)
class Progress:
    """A state in steps of the model.

    Attributes
    ----------
    starts
        Starts of the fixed segments, in order, by position of the action; only actions that have been started.
    modes
        Their modes.
    first
        Number of the first segment of an action in the mode that it has been started in.
    agents
        Agents of fixed segments, by action and number of the segment.
    begins
        Fixed segments, likewise, with which a piece begins.
    pieces
        Fixed pieces.
    cuttable
        Fixed pieces that a start of another action would cut if they were open: first agent of the crew, and piece.
    clock, latest
        Earliest time of further starts; latest time of the state.
    cut
        Ticks removed from the state: idle time that does not affect the rest.
    """

    starts: dict[int, list[int]]
    modes: dict[int, int]
    first: dict[int, int]
    agents: dict[tuple[int, int], str | None]
    begins: set[tuple[int, int]]
    pieces: list[FixedPiece]
    cuttable: list[tuple[str, FixedPiece]]
    clock: int
    latest: int
    cut: int

    @property
    def key(self) -> Key:
        """Data on which the value of the state depends, except for the removed time."""
        return self.clock, tuple(sorted(self.pieces, key=lambda piece: piece[:2]))

    def next(self, i: int) -> int:
        """Return the number of the segment of an action after the fixed ones; 0 if none is fixed."""
        return self.first[i] + len(self.starts[i]) if i in self.starts else 0

    def is_fixed(self, i: int, k: int) -> bool:
        """Return whether a segment of the model is fixed."""
        return i in self.starts and self.first[i] <= k < self.next(i)

    def goes_on(self, i: int, k: int) -> bool:
        """Return whether a segment of a started action belongs to the same piece as the one before it."""
        return k < self.next(i) and (i, k) not in self.begins


class Translator:
    """Translator of states of one instance.

    Parameters
    ----------
    step
        Ticks per step of the model.
    """

    def __init__(self, instance: Instance, step: int) -> None:
        self.instance = instance
        self.step = step
        #: Ticks of one segment, and number of the first one in the model, by action and mode.
        self.sizes = [self._sizes(action) for action in instance.actions]
        self.first = [self._first_segments(action) for action in instance.actions]
        #: First agent of each agent's crew.
        self.head_of: dict[str, str] = {}
        for crew in interchangeable(instance):
            self.head_of.update(dict.fromkeys(crew, crew[0]))
        # A negative maximum lag keeps its actions apart like a minimum lag, and a negative minimum lag together.
        lags = [max(abs(lag.minimum or 0), abs(lag.maximum or 0)) for lag in instance.lags]
        reach = max(lags, default=0) + max(action.release for action in instance.actions)
        # Idle time after which earlier events no longer matter; with windows and calendars, times do not shift.
        self._memory = (-(-reach // step) + 1) * step
        if features_of(instance) & {Feature.WINDOWS, Feature.CALENDARS}:
            self._memory = _FOREVER

    def _sizes(self, action: Action) -> list[int]:
        """Return the ticks of one segment of an action in each mode."""
        sizes = []
        for variant in self.instance.variants[action.id]:
            is_cut = action.interruptible and variant.duration > self.step
            sizes.append(self.step if is_cut else variant.duration)
        return sizes

    def _first_segments(self, action: Action) -> list[int]:
        """Return the number of the first segment of an action in each mode, after those of earlier modes."""
        first = [0] * len(action.modes)
        number = 0
        for group in version_groups(self.instance, action):
            for mode in group.modes:
                first[mode] = number
            is_cut = action.interruptible and group.duration > self.step
            number += group.duration // self.step if is_cut else 1
        return first

    def is_cuttable(self, piece: FixedPiece) -> bool:
        """Return whether a start inside a fixed piece would cut the piece if it were open."""
        action = self.instance.actions[piece.action]
        variant = self.instance.variants[action.id][piece.mode]
        return action.interruptible and variant.attended > 0

    def progress(self, state: PartialSchedule) -> Progress:
        """Translate a state; raises `InputError` if its times do not fit the step or the actions."""
        index, step = self.instance.index, self.step
        starts: dict[int, list[int]] = {}
        modes: dict[int, int] = {}
        first: dict[int, int] = {}
        agents: dict[tuple[int, int], str | None] = {}
        begins: set[tuple[int, int]] = set()
        pieces: list[FixedPiece] = []
        cut = end = 0
        for piece in sorted(state.pieces, key=lambda piece: piece.start):
            cut += max(0, piece.start - cut - end - self._memory)
            start, i = piece.start - cut, index[piece.action]
            end = max(end, start + piece.duration)
            size = self.sizes[i][piece.mode]
            segments, remainder = divmod(piece.duration, size) if size else (1, piece.duration)
            if start % step or remainder:
                raise InputError(
                    f"must start and end at a multiple of {step}",
                    field=f"state.pieces[{piece.action}]",
                    value=piece,
                )
            if not segments:  # a command of no length changes nothing
                continue
            fixed = starts.setdefault(i, [])
            modes[i] = piece.mode
            first[i] = self.first[i][piece.mode]
            begins.add((i, first[i] + len(fixed)))
            pieces.append(FixedPiece(i, start // step, (start + piece.duration) // step, piece.mode, piece.agent))
            for k in range(segments):
                agents[i, first[i] + len(fixed)] = piece.agent
                fixed.append((start + k * size) // step)
        cut += max(0, state.clock - cut - end - self._memory)
        if (state.clock - cut) % step:
            raise InputError(f"must be a multiple of {step}", field="state.clock", value=state.clock)
        clock = (state.clock - cut) // step
        cuttable = []
        for fixed_piece in pieces:
            agent, earliest_cut = fixed_piece.agent, max(clock, fixed_piece.start + 1)
            if agent is not None and self.is_cuttable(fixed_piece) and fixed_piece.end > earliest_cut:
                cuttable.append((self.head_of[agent], fixed_piece))
        latest = max(clock, -(-end // step))
        return Progress(starts, modes, first, agents, begins, pieces, cuttable, clock, latest, cut)
