"""Runs in kitchens, in which every action is a decision, and their conversion to schedules."""

from __future__ import annotations

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import under as under
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen, KitchenRules
from planoracle.instances.benchmarks.kitchens.simulation import KitchenSimulator, as_replay
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Demand, Instance, Mode, Resource
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.protocol.plan import Plan
from planoracle.instances.protocol.run import Run
from planoracle.instances.protocol.simulator import Step, fold


class KitchenRun(Run[Kitchen, list[str], KitchenRules]):
    """Run in a kitchen; a refused action changes nothing.

    Attributes
    ----------
    record
        Results of all actions, and the states before them.
    """

    def __init__(self, problem: Kitchen, plan: Plan[list[str]], rules: KitchenRules) -> None:
        rules_of_run = KitchenSimulator(problem, rules, plan.limit)
        state, self._steps = fold(rules_of_run, plan.commands)
        self.record = rules_of_run.record(state)
        super().__init__(rules_of_run.engine.kitchen, plan, rules, as_replay(self.record))

    @property
    def steps(self) -> list[Step]:
        """All actions that the run reached."""
        return self._steps

    @property
    def legal(self) -> list[str]:
        """The actions that were carried out."""
        return [act.action for act in self.record.steps if act.valid]


#: Functions of the part ``runs``.
simulator, replay = KitchenSimulator, KitchenRun


def as_schedule(run: KitchenRun) -> tuple[Instance, Schedule]:
    """Return the legal actions of a run as actions of a scheduling problem, with stations as resources.

    The task of an action is its name in the domain. Actions of one text at one station are pieces of one action; walks
    and waits use no station.

    Raises
    ------
    InputError
        If no action was legal.
    """
    engine = run.record.rules
    actions: dict[tuple[str, str], Action] = {}
    pieces: list[Piece] = []
    for step in run.record.steps:
        if step.action_number is None:
            continue
        ground_action = engine.actions[step.action_number]
        schema = engine.kitchen.domain.actions[ground_action.position]
        station = ""
        if not ground_action.is_wait and all(change.predicate != "loc" for change in schema.changes):
            at = (atom[2] for atom in engine.facts(step.state) if atom[:2] == ("loc", ground_action.player))
            station = next(at, "")
        mode = Mode((Demand(station),) if station else ())
        action = Action(f"{schema.name}/{len(actions) + 1}", schema.name, 1, 1, modes=(mode,), label=ground_action.text)
        action = actions.setdefault((ground_action.text, station), action)
        pieces.append(Piece(action.id, len(pieces), 1, ground_action.player))
    if not pieces:
        raise InputError("there is nothing to show: no action was carried out", field=run.problem.name)
    kitchen = run.problem
    used = {station for _, station in actions}
    stations = tuple(Resource(name) for name, _ in kitchen.objects if name in used)
    instance = Instance(kitchen.name, tuple(actions.values()), (), stations, kitchen.agents, unit=kitchen.unit)
    return instance, Schedule(tuple(pieces))
