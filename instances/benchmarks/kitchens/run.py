"""Runs in kitchens: every action is a decision."""

from __future__ import annotations

from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.benchmarks.kitchens.rules import Profile
from planoracle.instances.benchmarks.kitchens.simulation import KitchenSimulator, as_replay
from planoracle.instances.protocol.plan import Plan
from planoracle.instances.protocol.run import Run
from planoracle.instances.protocol.simulator import Step, fold


class KitchenRun(Run[Kitchen, list[str], Profile]):
    """A run in a kitchen; a refused action changes nothing and takes no time.

    Attributes
    ----------
    record
        What became of every action, and the states before them.
    """

    def __init__(self, problem: Kitchen, plan: Plan[list[str]], rules: Profile) -> None:
        rules_of_run = KitchenSimulator(problem, rules, plan.limit)
        state, self._steps = fold(rules_of_run, plan.commands)
        self.record = rules_of_run.record(state)
        super().__init__(problem, plan, rules, as_replay(self.record))

    @property
    def steps(self) -> list[Step]:
        """All actions that the run reached."""
        return self._steps

    @property
    def makespan(self) -> int | None:
        """Legal actions of a run that is a success, those of all players; else ``None``."""
        return len(self.legal) if self.success else None

    def in_time(self, ticks: int) -> bool:
        """Return whether so many legal actions keep the limit, which counts rounds with joint moves."""
        players = len(self.problem.players) if self.rules.moves == "joint" else 1
        return super().in_time(-(-ticks // players))

    @property
    def legal(self) -> list[str]:
        """The actions that were carried out."""
        return [act.action for act in self.record.steps if act.valid]


#: Functions of the part ``runs``.
simulator, replay = KitchenSimulator, KitchenRun
