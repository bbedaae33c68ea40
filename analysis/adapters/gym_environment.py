"""A live run as an environment of Gymnasium."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium
from gymnasium import spaces

from planoracle.analysis.adapters.actions import Actions
from planoracle.analysis.adapters.gym_spaces import Seen, plain
from planoracle.instances import catalogue, registry
from planoracle.instances.environment import AnyEnvironment, Command, Reward
from planoracle.instances.errors import InputError
from planoracle.instances.manner import Manner
from planoracle.instances.problem import Problem

# Why a run is over that has had all its steps.
_STOPPED = "stopped"
#: Reasons why a run is over that are no part of the problem.
CUT = frozenset({"message_limit", "action_limit", _STOPPED})


def begun(
    benchmark: str | None,
    instance: str | Problem | None,
    profile: str,
    reward: str | Reward | None,
    manner: Manner,
) -> AnyEnvironment:
    """Return the live run of a problem, by default of the first one of its benchmark; raises `InputError`."""
    if instance is None and benchmark is not None:
        instance = next(catalogue.names_of(registry.get(benchmark)), None)
    if instance is None:
        raise InputError("must be the name or file of a problem, or the problem itself", field="instance")
    problem = catalogue.single(instance) if isinstance(instance, str) else instance
    if benchmark is not None and problem.benchmark != benchmark:
        said = f"must be a problem of {benchmark}, not {problem.benchmark}"
        raise InputError(said, field="instance", value=problem.name)
    of = registry.of(problem)
    worth: Reward | None
    if isinstance(reward, str):
        from planoracle.analysis.rewards import reward as reward_of  # which brings the solvers

        worth = reward_of(reward)
    else:
        worth = reward
    return of.environment(problem, of.profile(profile), manner, worth)


def checked(action: object, space: spaces.Space[int]) -> int:
    """Return an action of a space as a number; raises `InputError` for any other."""
    if not space.contains(action):
        raise InputError(f"must be an action of {space}", field="action", value=action)
    return int(action)  # type: ignore[call-overload,no-any-return]


def refuse(run: AnyEnvironment) -> float:
    """Return what an action is worth that is not legal in a run."""
    if run.reward is None or run.done:
        return 0.0
    worth, memo = run.reward.refused(run.state.memo)
    if memo is not run.state.memo:
        run.restore(replace(run.state, memo=memo))
    return worth


def stop(run: AnyEnvironment) -> float:
    """End a run that has had all its steps, and return what that is worth."""
    return 0.0 if run.done else float(run.stop(_STOPPED).reward)


class LiveEnv(gymnasium.Env[dict[str, Any], int]):
    """One problem, to be done again and again.

    An action is a number, see `planoracle.analysis.adapters.actions.Actions`; ``action_mask`` in observation and info
    has 1 for those that are legal. One that is not legal changes nothing and, with the reward ``regret``, costs a tick;
    info then says so. One outside the action space raises `InputError`.

    Parameters
    ----------
    benchmark
        Whose problem it must be, if that matters.
    instance
        Name, file or problem; by default the first one of the benchmark.
    reward
        ``regret``, ``score``, ``success``, see `planoracle.analysis.rewards`; ``None``: steps are worth nothing.
    observation
        See `planoracle.analysis.adapters.gym_spaces.Seen`.
    profile, feedback
        Rules, and how much is told, see `planoracle.instances.manner.Manner`.
    limit
        Steps after which a run is cut off; ``None``: none.
    ways, places
        See `Actions`.

    Raises
    ------
    InputError
        For a problem or an option that there is not.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012  # as the base class has it

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
        self.run = begun(benchmark, instance, profile, reward, Manner(feedback=feedback))
        self.actions = Actions(self.run, ways, places)
        self._seen = Seen(observation, self.actions)
        self._limit = limit
        self._steps = 0
        self._legal = self.actions.legal(self.run)
        self.render_mode = render_mode
        self.observation_space: spaces.Space[dict[str, Any]] = self._seen.space
        self.action_space: spaces.Space[int] = spaces.Discrete(self.actions.count)  # type: ignore[assignment]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin anew; nothing in these problems is left to chance."""
        super().reset(seed=seed)
        self.run.reset(seed)
        self._steps = 0
        return self._told({})

    def step(self, action: int) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Carry out an action."""
        command = self._legal.get(checked(action, self.action_space))
        self._steps += 1
        info: dict[str, Any] = {}
        if command is None:
            worth = refuse(self.run)
        else:
            after = self.run.step(command.text)
            worth, info = float(after.reward), dict(after.info)
        if self._limit is not None and self._steps >= self._limit:
            worth += stop(self.run)
        over = self.run.state.over
        seen, told = self._told({"reward": info, "legal": command is not None})
        return seen, worth, over is not None and over not in CUT, over in CUT, told

    def render(self) -> str | None:
        """Return what the agent was told last, with render mode ``ansi``."""
        return plain(self.run.observation.text) if self.render_mode == "ansi" else None

    def commands(self) -> dict[int, Command]:
        """Return the legal commands by their actions."""
        return dict(self._legal)

    def submission(self) -> dict[str, object]:
        """Return the run so far, as ``planoracle grade`` reads it."""
        return self.run.submission()

    def action_masks(self) -> Any:
        """Return the mask alone, under the name by which learners that mask actions ask for it."""
        return self._seen.of(self.run, self._legal, "")["action_mask"].astype(bool)

    def _told(self, info: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        self._legal = self.actions.legal(self.run)
        seen = self._seen.of(self.run, self._legal)
        now = self.run.observation
        over = self.run.state.over or ""
        return seen, {**info, "action_mask": seen["action_mask"], "clock": now.clock, "over": over}
