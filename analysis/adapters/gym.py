"""Gymnasium environments, registered on import as ``planoracle/TITLE-v0``.

>>> import gymnasium
>>> import planoracle.analysis.adapters.gym
>>> run = gymnasium.make("planoracle/TimeArena-v0", instance="timearena/household1", reward=None)
>>> observation, info = run.reset(seed=0)
>>> [command.text for command in run.unwrapped.commands().values()]
['activate kettle', 'wash teapot', 'wash cup', 'wait']
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from planoracle.analysis.adapters import need
from planoracle.analysis.grading.rewards import step_reward
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import AnyEnvironment, Reward, RunConfig
from planoracle.instances.protocol.simulator import LegalCommand

try:
    import gymnasium
    from gymnasium import spaces

    from planoracle.analysis.adapters.gym_spaces import Actions, ObservationForm, plain
except ImportError:
    need("gymnasium", "gym")
    raise

# Reason for the end of a run that has had all its steps.
_STOPPED = "stopped"
#: Ends of runs that are reported as truncation, because the problem does not define them.
CUT = frozenset({"message_limit", "action_limit", _STOPPED})


def new_run(
    benchmark: str | None,
    instance: str | Problem | None,
    profile: str,
    reward: str | Reward | None,
    config: RunConfig,
) -> AnyEnvironment:
    """Return a live run of a problem, by default of the first problem of the benchmark."""
    if instance is None and benchmark is not None:
        instance = next(catalog.names_of(registry.get(benchmark)), None)
    if instance is None:
        raise InputError("must be the name or file of a problem, or the problem itself", field="instance")
    problem = catalog.single(instance) if isinstance(instance, str) else instance
    if benchmark is not None and problem.benchmark != benchmark:
        message = f"must be a problem of {benchmark}, not {problem.benchmark}"
        raise InputError(message, field="instance", value=problem.name)
    of = registry.of(problem)
    worth = step_reward(reward) if isinstance(reward, str) else reward
    return of.environment(problem, of.rules.profile(profile), config, worth)


class LiveEnv(gymnasium.Env[dict[str, Any], int]):
    """Gymnasium environment of one problem.

    An action is a number, see `Actions`; ``action_mask`` in observation and info is 1 for legal actions. An illegal
    action changes nothing and, with the reward ``regret``, costs a tick; info then has ``legal`` False. A number
    outside the action space raises `InputError`.

    Parameters
    ----------
    benchmark
        Benchmark that the problem must belong to; ``None``: any.
    instance
        Name, file or problem; by default the first one of the benchmark.
    reward
        ``regret``, ``score``, ``success``, see `planoracle.analysis.grading.rewards`; ``None``: always 0.
    observation
        See `ObservationForm`.
    profile, feedback
        Rule profile; detail of the feedback, see `planoracle.instances.protocol.environment.RunConfig`.
    limit
        Steps after which a run is truncated; ``None``: unlimited.
    ways, places
        See `Actions`.

    Raises
    ------
    InputError
        For an unknown problem or option.
    """

    metadata = {"name": "planoracle_v0", "render_modes": ["ansi"]}  # noqa: RUF012 - as in the class that it extends

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
        self.run = new_run(benchmark, instance, profile, reward, RunConfig(feedback=feedback))
        self.actions = Actions(self.run, ways, places)
        self.render_mode = render_mode
        self._seen = ObservationForm(observation, self.actions)
        self._limit = limit
        self._steps = 0
        self._legal = self.actions.legal(self.run)
        self.observation_space: spaces.Space[dict[str, Any]] = self._seen.space
        self.action_space: spaces.Space[int] = spaces.Discrete(self.actions.count)  # type: ignore[assignment]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start the run again; the seed has no effect, since the problems are deterministic."""
        super().reset(seed=seed)
        self.run.reset(seed)
        self._steps = 0
        return self._observe({})

    def step(self, action: int) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Execute an action."""
        command = self._legal.get(self._number_of(action))
        info: dict[str, Any] = {}
        if command is None:
            worth = self._refuse()
        else:
            after = self.run.step(command.text)
            worth, info = float(after.reward), dict(after.info)
        worth, ended, cut = self._count_step(worth)
        seen, info = self._observe({"reward": info, "legal": command is not None})
        return seen, worth, ended, cut, info

    def render(self) -> str | None:
        """Return the text of the last observation in render mode ``ansi``, else ``None``."""
        return plain(self.run.observation.text) if self.render_mode == "ansi" else None

    def submission(self) -> dict[str, object]:
        """Return the run so far as a submission for ``planoracle grade``."""
        return self.run.submission()

    def _number_of(self, action: object) -> int:
        """Return an action as a number; raises `InputError` outside the action space."""
        if not self.action_space.contains(action):
            raise InputError(f"must be an action of {self.action_space}", field="action", value=action)
        return int(action)  # type: ignore[call-overload,no-any-return]

    def _refuse(self) -> float:
        """Return the reward of an illegal action."""
        if self.run.reward is None or self.run.done:
            return 0.0
        worth, memo = self.run.reward.refused(self.run.state.memo)
        if memo is not self.run.state.memo:
            self.run.restore(replace(self.run.state, memo=memo))
        return worth

    def _count_step(self, worth: float) -> tuple[float, bool, bool]:
        """Count a step and stop the run at the limit; return reward, terminated and truncated."""
        self._steps += 1
        if self._limit is not None and self._steps >= self._limit and not self.run.done:
            worth += float(self.run.stop(_STOPPED).reward)
        over = self.run.state.over
        return worth, over is not None and over not in CUT, over in CUT

    def commands(self) -> dict[int, LegalCommand]:
        """Return the legal commands by action."""
        return dict(self._legal)

    def action_masks(self) -> Any:
        """Return the action mask; learners with masked actions expect a method of this name."""
        return self._seen.of(self.run, self._legal, "")["action_mask"].astype(bool)

    def _observe(self, info: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        self._legal = self.actions.legal(self.run)
        seen = self._seen.of(self.run, self._legal)
        now = self.run.observation
        over = self.run.state.over or ""
        return seen, {**info, "action_mask": seen["action_mask"], "clock": now.clock, "over": over}


def _register() -> dict[str, str]:
    """Register all benchmarks; return the ids by benchmark."""
    ids = {}
    for name in registry.names():
        words = re.findall("[A-Za-z0-9]+", registry.get(name).title)
        ids[name] = f"planoracle/{''.join(word[0].upper() + word[1:] for word in words)}-v0"
        if ids[name] not in gymnasium.registry:
            gymnasium.register(ids[name], entry_point=f"{__name__}:LiveEnv", kwargs={"benchmark": name})
    return ids


#: Ids of the environments by benchmark.
IDS = _register()
