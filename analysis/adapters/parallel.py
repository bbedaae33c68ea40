"""Problems in which several players take part, all at once, as parallel environments of PettingZoo."""

from __future__ import annotations

from typing import Any, ClassVar

from gymnasium import spaces
from pettingzoo import ParallelEnv

from planoracle.analysis.adapters.actions import Actions
from planoracle.analysis.adapters.gym_environment import CUT, begun, checked, refuse, stop
from planoracle.analysis.adapters.gym_spaces import Seen, plain
from planoracle.instances.environment import Command, Reward
from planoracle.instances.errors import InputError
from planoracle.instances.manner import Manner
from planoracle.instances.problem import Problem


class ParallelLive(ParallelEnv[str, dict[str, Any], int]):  # type: ignore[misc]  # it has no types
    """One problem whose players act at the same time, to be done again and again.

    The players are agents that all get the reward of the whole round. What a player may do is found as if those before
    it in the round did nothing; whoever's action has become impossible by then, or is not legal, does nothing.

    Parameters
    ----------
    instance
        Name, file or problem with several players that take turns.
    reward, observation, profile, feedback, limit, places
        As in `planoracle.analysis.adapters.gym_environment.LiveEnv`; ``limit`` in rounds.

    Raises
    ------
    InputError
        For a problem in which nobody takes turns, or an option that there is not.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "planoracle_v0", "render_modes": ["ansi"]}

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
        self.run = begun(None, instance, profile, reward, Manner(feedback=feedback))
        if self.run.observation.player is None:
            raise InputError("must have several players that take turns", field="instance", value=self.run.problem.name)
        self.possible_agents = list(self.run.problem.agents)
        self.agents: list[str] = []
        self.render_mode = render_mode
        self._actions = Actions(self.run, places=places)
        self._seen = Seen(observation, self._actions)
        self._limit = limit
        self._rounds = 0
        self._legal: dict[str, dict[int, Command]] = {}
        self._space: spaces.Space[int] = spaces.Discrete(self._actions.count)  # type: ignore[assignment]

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
        self.run.reset(seed)
        self.agents = list(self.possible_agents)
        self._rounds = 0
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
        numbers = {player: checked(action, self._space) for player, action in actions.items()}
        chosen = {player: self._legal[player].get(number) for player, number in numbers.items()}
        said = {player: "" if command is None else command.text for player, command in chosen.items()}
        worth = sum(refuse(self.run) for command in chosen.values() if command is None)
        after = self.run.step({player: said.get(player, "") for player in acting})
        worth += float(after.reward)
        self._rounds += 1
        if self._limit is not None and self._rounds >= self._limit:
            worth += stop(self.run)
        over = self.run.state.over
        seen, info = self._told(dict(after.info))
        if over is not None:
            self.agents = []
        return (
            seen,
            dict.fromkeys(acting, worth),
            dict.fromkeys(acting, over is not None and over not in CUT),
            dict.fromkeys(acting, over in CUT),
            info,
        )

    def render(self) -> str | None:
        """Return what was told last, with render mode ``ansi``."""
        return plain(self.run.observation.text) if self.render_mode == "ansi" else None

    def commands(self, agent: str) -> dict[int, Command]:
        """Return the legal commands of a player by their actions."""
        return dict(self._legal[agent])

    def submission(self) -> dict[str, object]:
        """Return the run so far, as ``planoracle grade`` reads it."""
        return self.run.submission()

    def _told(self, info: dict[str, Any]) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        self._legal = self._allowed()
        seen = {player: self._seen.of(self.run, self._legal[player]) for player in self.agents}
        now = self.run.observation
        told = {"reward": info, "clock": now.clock, "over": self.run.state.over or ""}
        return seen, {player: {**told, "action_mask": seen[player]["action_mask"]} for player in self.agents}

    def _allowed(self) -> dict[str, dict[int, Command]]:
        """Return what each player may do in this round, by number; nothing at all, where that is all there is."""
        trial = self.run.fork()
        trial.reward = None
        nothing = {0: Command("", "wait")}
        found = dict.fromkeys(self.possible_agents, nothing)
        for _ in self.possible_agents:
            player = trial.observation.player
            if trial.done or player is None:
                break
            found[player] = dict(self._actions.legal(trial)) or nothing
            still = next((one.text for one in found[player].values() if one.kind == "wait"), None)
            if still is None:
                break
            trial.step(still)
        return found
