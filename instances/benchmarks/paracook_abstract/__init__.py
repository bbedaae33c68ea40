"""The abstract part of ParaCook (Zhang et al., 2025): which agent does which task, and in which order, without ways."""

from __future__ import annotations

from collections.abc import Sequence

from planoracle.instances.benchmarks.paracook.rules import Profile
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark
from planoracle.instances.protocol.scoring import Loophole, Reference


class ParaCookAbstract(ScheduleBenchmark[list[list[object]], Profile]):
    """A plan is a list of tasks for every agent, without times."""

    name = "paracook_abstract"
    title = "ParaCook, abstract"
    citation = "Zhang et al., 2025"
    stepwise = False
    rules_as = "paracook"
    self_contained = True
    untimed = True
    foreign_share = 0.3

    def with_agents(self, problem: Instance, crew: str) -> Instance:
        """Return the problem with so many agents; with restrictions it is one by the general rules."""
        from planoracle.instances.benchmarks.paracook_abstract.problems import with_hands
        from planoracle.instances.model.agents import apply_agent_suffix

        count = crew.removeprefix("~")
        return with_hands(problem, int(count)) if count.isdecimal() else apply_agent_suffix(problem, crew)

    def check(self, problem: Instance) -> None:
        """Raise `InputError` for what plans without times cannot say."""
        from planoracle.instances.benchmarks.paracook_abstract.problems import hands

        if problem.agents != hands(len(problem.agents)):
            raise InputError("must be agent1, agent2, ...", field="agents", value=list(problem.agents))
        for field in ("resources", "time_limit"):
            if getattr(problem, field):
                raise InputError(f"is not for problems of {self.title}", field=field, value=getattr(problem, field))
        for action in problem.actions:
            if action != Action(action.id, action.task, action.duration, action.duration, label=action.label):
                message = "must hold any agent from its beginning to its end, and nothing else"
                raise InputError(message, field=f"actions[{action.id}]")
        if len({action.task for action in problem.actions}) > 1:
            raise InputError("must all be of one task, for plans do not name it", field="actions")
        for lag in problem.lags:
            if lag.minimum is None or lag.minimum < 0 or lag.maximum is not None:
                raise InputError("must be a least time from 0", field=f"lags[{lag.before} -> {lag.after}]", value=lag)

    @property
    def references(self) -> Sequence[Reference[Instance]]:
        """The least times that the released script has left in the user's copy."""
        from planoracle.instances.benchmarks.paracook import human_plans

        about = human_plans.MINIMUM
        return (Reference("minimum", "released minimum", human_plans.minimum, published="minimum", about=about),)

    @property
    def referenced(self) -> Sequence[str]:
        """Return the names of the problems of which there are such times."""
        from planoracle.instances.benchmarks.paracook.human_plans import minimum_names

        return minimum_names()

    @property
    def loopholes(self) -> Sequence[Loophole[Instance]]:
        """Ways to pass the released checker by less work."""
        from planoracle.instances.benchmarks.paracook_abstract.metrics import LOOPHOLES

        return LOOPHOLES

    def name_of(self, problem: Instance, action: str) -> str:
        """Name a task as plans do."""
        return action.partition("/")[2] or action


benchmark = ParaCookAbstract()
