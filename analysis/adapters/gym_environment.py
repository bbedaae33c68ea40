"""Live runs as environments of Gymnasium, and as parallel environments of PettingZoo where players take turns."""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar
from zlib import crc32

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.capabilities import ActionSpace
from planoracle.instances.protocol.environment import AnyEnvironment, LegalCommand, Reward, RunConfig
from planoracle.instances.text import visible


class Actions:
    """Numbers for the commands of a problem.

    Parameters
    ----------
    ways
        Numbers for each thing that can be done, where commands say when or how long; of more ways some are left out,
        evenly.
    places
        Numbers where it is not known beforehand what there can be to do; what is legal beyond is left out.

    Attributes
    ----------
    count
        How many numbers there are.
    names, name_of
        See `planoracle.instances.protocol.capabilities.ActionSpace`; no names where they are not known.
    ways
        How many numbers each of these has.

    Examples
    --------
    >>> from planoracle import environment, load
    >>> run = environment(load("timearena/household1"))
    >>> actions = Actions(run)
    >>> actions.count, {number: command.text for number, command in actions.legal(run).items()}
    (9, {1: 'activate kettle', 4: 'wash teapot', 7: 'wash cup', 8: 'wait'})
    """

    def __init__(self, environment: AnyEnvironment, ways: int = 8, places: int = 128) -> None:
        for field, value in (("ways", ways), ("places", places)):
            if not isinstance(value, int) or not 1 <= value <= 10_000:
                raise InputError("must be a whole number from 1 to 10000", field=field, value=value)
        known = environment.benchmark.repertoire(environment.problem) or ActionSpace(())
        self.names, self.name_of = known.names, known.name_of
        self.ways = ways if known.timed else 1
        self.count = len(self.names) * self.ways if self.names else places
        self._first = {name: number * self.ways for number, name in enumerate(self.names)}

    def legal(self, environment: AnyEnvironment) -> Mapping[int, LegalCommand]:
        """Return what is legal now, by number, in their order."""
        commands = environment.legal()
        if not self.names:
            return dict(zip(range(self.count), commands, strict=False))
        same: dict[str, list[LegalCommand]] = {}
        for command in commands:
            same.setdefault(self.name_of(command.text), []).append(command)
        found: dict[int, LegalCommand] = {}
        for name, ways in same.items():
            count = min(len(ways), self.ways)
            found.update((self._first[name] + way, ways[way * len(ways) // count]) for way in range(count))
        return dict(sorted(found.items()))

    def place(self, command: str) -> int | None:
        """Return which of the `names` a command has, ``None`` if it is none."""
        first = self._first.get(self.name_of(command))
        return None if first is None else first // self.ways


#: Forms of observations.
FORMS = ("text", "structured")
#: Longest text of an observation, in characters.
LONGEST = 50_000
_LETTERS = "".join(sorted(string.printable.strip() + " \n"))


def plain(text: str) -> str:
    r"""Return a text in ASCII, what it cannot show escaped, cut where it is too long.

    >>> plain("crème\x1b")
    'cr\\xe8me\\x1b'
    """
    return visible(text, keep="\n").encode("ascii", "backslashreplace").decode()[:LONGEST]


class ObservationForm:
    """Observations of one form.

    Parameters
    ----------
    form
        ``text``: what the agent is told. ``structured``: the ``clock`` in ticks and, of everything that there can be
        to do, how often it was done (``count``), how many ticks that took up (``spent``), and how many ticks ago it was
        begun last (``since``, -1: never); where that is not known beforehand, the legal commands as numbers
        (``command``, the CRC-32 of their texts, 0: none). Both have the ``action_mask``, 1 for legal actions.
    """

    def __init__(self, form: str, actions: Actions) -> None:
        if form not in FORMS:
            raise InputError(f"must be one of {', '.join(FORMS)}", field="observation", value=form)
        self.form = form
        self._actions = actions
        own: dict[str, spaces.Space[Any]]
        if form == "text":
            own = {"text": spaces.Text(LONGEST, min_length=0, charset=_LETTERS)}
        elif actions.names:
            shape = (len(actions.names),)
            ticks = spaces.Box(0, np.iinfo(np.int64).max, shape, np.int64)
            since = spaces.Box(-1, np.iinfo(np.int64).max, shape, np.int64)
            own = {"count": ticks, "spent": ticks, "since": since}
        else:
            own = {"command": spaces.Box(0, 2**32 - 1, (actions.count,), np.int64)}
        if form == "structured":
            own["clock"] = spaces.Box(0, np.iinfo(np.int64).max, (1,), np.int64)
        self.space = spaces.Dict({**own, "action_mask": spaces.Box(0, 1, (actions.count,), np.int8)})

    def of(self, environment: AnyEnvironment, legal: Any, text: str | None = None) -> dict[str, Any]:
        """Return what is seen of a run, given what is legal by number, and the text where it is not the run's own."""
        mask = np.zeros(self._actions.count, np.int8)
        mask[list(legal)] = 1
        seen = environment.observation
        if self.form == "text":
            return {"text": plain(seen.text if text is None else text), "action_mask": mask}
        found: dict[str, Any] = {"clock": np.array([seen.clock], np.int64), "action_mask": mask}
        if self._actions.names:
            return found | self._done(environment, seen.clock)
        codes = np.zeros(self._actions.count, np.int64)
        for number, command in legal.items():
            codes[number] = crc32(command.text.encode())
        return found | {"command": codes}

    def _done(self, environment: AnyEnvironment, clock: int) -> dict[str, Any]:
        count, spent = (np.zeros(len(self._actions.names), np.int64) for _ in range(2))
        since = np.full(len(self._actions.names), -1, np.int64)
        for turn in environment.turns:
            for one in turn.outcomes:
                at = self._actions.place(one.command) if one.kind != "lost" else None
                if at is not None:
                    count[at] += 1
                    spent[at] += one.end - one.start
                    since[at] = max(0, clock - one.start)
        return {"count": count, "spent": spent, "since": since}


# Why a run is over that has had all its steps.
_STOPPED = "stopped"
#: Reasons why a run is over that are no part of the problem.
CUT = frozenset({"message_limit", "action_limit", _STOPPED})


def begun(
    benchmark: str | None,
    instance: str | Problem | None,
    profile: str,
    reward: str | Reward | None,
    manner: RunConfig,
) -> AnyEnvironment:
    """Return the live run of a problem, by default of the first one of its benchmark; raises `InputError`."""
    if instance is None and benchmark is not None:
        instance = next(catalog.names_of(registry.get(benchmark)), None)
    if instance is None:
        raise InputError("must be the name or file of a problem, or the problem itself", field="instance")
    problem = catalog.single(instance) if isinstance(instance, str) else instance
    if benchmark is not None and problem.benchmark != benchmark:
        said = f"must be a problem of {benchmark}, not {problem.benchmark}"
        raise InputError(said, field="instance", value=problem.name)
    of = registry.of(problem)
    worth: Reward | None
    if isinstance(reward, str):
        from planoracle.analysis.grading.rewards import reward as reward_of  # which brings the solvers

        worth = reward_of(reward)
    else:
        worth = reward
    return of.environment(problem, of.profile(profile), manner, worth)


class _Live:
    """Run of a problem that is done again and again, by numbers for its commands.

    Parameters
    ----------
    limit
        Steps after which a run is cut off; ``None``: none.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "planoracle_v0", "render_modes": ["ansi"]}

    def __init__(
        self, run: AnyEnvironment, observation: str, limit: int | None, ways: int, places: int, render_mode: str | None
    ) -> None:
        self.run = run
        self.actions = Actions(run, ways, places)
        self.render_mode = render_mode
        self._seen = ObservationForm(observation, self.actions)
        self._space: spaces.Space[int] = spaces.Discrete(self.actions.count)  # type: ignore[assignment]
        self._limit = limit
        self._steps = 0

    def render(self) -> str | None:
        """Return what was told last, with render mode ``ansi``."""
        return plain(self.run.observation.text) if self.render_mode == "ansi" else None

    def submission(self) -> dict[str, object]:
        """Return the run so far, as ``planoracle grade`` reads it."""
        return self.run.submission()

    def _begin(self, seed: int | None) -> None:
        self.run.reset(seed)
        self._steps = 0

    def _checked(self, action: object) -> int:
        """Return an action of the space as a number; raises `InputError` for any other."""
        if not self._space.contains(action):
            raise InputError(f"must be an action of {self._space}", field="action", value=action)
        return int(action)  # type: ignore[call-overload,no-any-return]

    def _refused(self) -> float:
        """Return what an action is worth that is not legal."""
        if self.run.reward is None or self.run.done:
            return 0.0
        worth, memo = self.run.reward.refused(self.run.state.memo)
        if memo is not self.run.state.memo:
            self.run.restore(replace(self.run.state, memo=memo))
        return worth

    def _ended(self, worth: float) -> tuple[float, bool, bool]:
        """Count a step, end a run that has had all its steps; return its worth, and whether it ended or was cut off."""
        self._steps += 1
        if self._limit is not None and self._steps >= self._limit and not self.run.done:
            worth += float(self.run.stop(_STOPPED).reward)
        over = self.run.state.over
        return worth, over is not None and over not in CUT, over in CUT


class LiveEnv(_Live, gymnasium.Env[dict[str, Any], int]):
    """One problem, to be done again and again.

    An action is a number, see `Actions`; ``action_mask`` in observation and info has 1 for those that are legal. One
    that is not legal changes nothing and, with the reward ``regret``, costs a tick; info then says so. One outside the
    action space raises `InputError`.

    Parameters
    ----------
    benchmark
        Whose problem it must be, if that matters.
    instance
        Name, file or problem; by default the first one of the benchmark.
    reward
        ``regret``, ``score``, ``success``, see `planoracle.analysis.grading.rewards`; ``None``: steps are worth
        nothing.
    observation
        See `ObservationForm`.
    profile, feedback
        Rules, and how much is told, see `planoracle.instances.protocol.environment.RunConfig`.
    limit
        Steps after which a run is cut off; ``None``: none.
    ways, places
        See `Actions`.

    Raises
    ------
    InputError
        For a problem or an option that there is not.
    """

    def __init__(
        self,
        benchmark: str | None = None,
        instance: str | Problem | None = None,
        reward: str | Reward | None = "regret",
        observation: str = "text",
        profile: str = "paper",
        feedback: str = "detailed",
        limit: int | None = 1000,
        ways: int = 8,
        places: int = 128,
        render_mode: str | None = None,
    ) -> None:
        run = begun(benchmark, instance, profile, reward, RunConfig(feedback=feedback))
        super().__init__(run, observation, limit, ways, places, render_mode)
        self._legal = self.actions.legal(self.run)
        self.observation_space: spaces.Space[dict[str, Any]] = self._seen.space
        self.action_space: spaces.Space[int] = self._space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin anew; nothing in these problems is left to chance."""
        super().reset(seed=seed)
        self._begin(seed)
        return self._told({})

    def step(self, action: int) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Carry out an action."""
        command = self._legal.get(self._checked(action))
        info: dict[str, Any] = {}
        if command is None:
            worth = self._refused()
        else:
            after = self.run.step(command.text)
            worth, info = float(after.reward), dict(after.info)
        worth, ended, cut = self._ended(worth)
        seen, told = self._told({"reward": info, "legal": command is not None})
        return seen, worth, ended, cut, told

    def commands(self) -> dict[int, LegalCommand]:
        """Return the legal commands by their actions."""
        return dict(self._legal)

    def action_masks(self) -> Any:
        """Return the mask alone, under the name by which learners that mask actions ask for it."""
        return self._seen.of(self.run, self._legal, "")["action_mask"].astype(bool)

    def _told(self, info: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        self._legal = self.actions.legal(self.run)
        seen = self._seen.of(self.run, self._legal)
        now = self.run.observation
        over = self.run.state.over or ""
        return seen, {**info, "action_mask": seen["action_mask"], "clock": now.clock, "over": over}


class ParallelLive(_Live, ParallelEnv[str, dict[str, Any], int]):  # type: ignore[misc]  # it has no types
    """One problem whose players act at the same time, to be done again and again.

    The players are agents that all get the reward of the whole round. What a player may do is found as if those before
    it in the round did nothing; whoever's action has become impossible by then, or is not legal, does nothing.

    Parameters
    ----------
    instance
        Name, file or problem with several players that take turns.
    reward, observation, profile, feedback, limit, places
        As in `LiveEnv`; ``limit`` in rounds.

    Raises
    ------
    InputError
        For a problem in which nobody takes turns, or an option that there is not.
    """

    def __init__(
        self,
        instance: str | Problem,
        reward: str | Reward | None = "score",
        observation: str = "text",
        profile: str = "paper",
        feedback: str = "terse",
        limit: int | None = 1000,
        places: int = 128,
        render_mode: str | None = None,
    ) -> None:
        run = begun(None, instance, profile, reward, RunConfig(feedback=feedback))
        super().__init__(run, observation, limit, 8, places, render_mode)
        if self.run.observation.player is None:
            raise InputError("must have several players that take turns", field="instance", value=self.run.problem.name)
        self.possible_agents = list(self.run.problem.agents)
        self.agents: list[str] = []
        self._legal: dict[str, dict[int, LegalCommand]] = {}

    def observation_space(self, agent: str) -> spaces.Space[dict[str, Any]]:
        """Return what a player sees: the same for all, and the same object each time."""
        return self._seen.space

    def action_space(self, agent: str) -> spaces.Space[int]:
        """Return what a player can do, likewise."""
        return self._space

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        """Begin anew; nothing in these problems is left to chance."""
        self._begin(seed)
        self.agents = list(self.possible_agents)
        return self._told({})

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, dict[str, Any]],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Let all players act."""
        acting = self.agents
        for player in actions.keys() - acting:
            raise InputError(f"must be one of {', '.join(acting)}", field="agent", value=player)
        numbers = {player: self._checked(action) for player, action in actions.items()}
        chosen = {player: self._legal[player].get(number) for player, number in numbers.items()}
        said = {player: "" if command is None else command.text for player, command in chosen.items()}
        worth = sum(self._refused() for command in chosen.values() if command is None)
        after = self.run.step({player: said.get(player, "") for player in acting})
        worth, ended, cut = self._ended(worth + float(after.reward))
        seen, info = self._told(dict(after.info))
        if ended or cut:
            self.agents = []
        return seen, dict.fromkeys(acting, worth), dict.fromkeys(acting, ended), dict.fromkeys(acting, cut), info

    def commands(self, agent: str) -> dict[int, LegalCommand]:
        """Return the legal commands of a player by their actions."""
        return dict(self._legal[agent])

    def _told(self, info: dict[str, Any]) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        self._legal = self._allowed()
        seen = {player: self._seen.of(self.run, self._legal[player]) for player in self.agents}
        now = self.run.observation
        told = {"reward": info, "clock": now.clock, "over": self.run.state.over or ""}
        return seen, {player: {**told, "action_mask": seen[player]["action_mask"]} for player in self.agents}

    def _allowed(self) -> dict[str, dict[int, LegalCommand]]:
        """Return what each player may do in this round, by number; nothing at all, where that is all there is."""
        trial = self.run.fork()
        trial.reward = None
        nothing = {0: LegalCommand("", "wait")}
        found = dict.fromkeys(self.possible_agents, nothing)
        for _ in self.possible_agents:
            player = trial.observation.player
            if trial.done or player is None:
                break
            found[player] = dict(self.actions.legal(trial)) or nothing
            still = next((one.text for one in found[player].values() if one.kind == "wait"), None)
            if still is None:
                break
            trial.step(still)
        return found
