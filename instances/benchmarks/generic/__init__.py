"""Problems by the general rules: own files, and instances of the scheduling literature."""

from __future__ import annotations

from planoracle.instances.model.features import Feature
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.benchmark import lazy
from planoracle.instances.protocol.plan import DroppedCommand
from planoracle.instances.protocol.profiles import Rules, RuleSet
from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark


class Generic(ScheduleBenchmark[Schedule, Rules]):
    """Own problems: instances of your own and of the scheduling literature, under the general rules.

    Source
    ------
    The model is that of planoracle: actions with durations, agents, resources and time lags. Problems come from your
    own files or from instance libraries of the literature ([formats](../../literature/README.md)); nothing is bundled.

    Problems
    --------
    A file in planoracle's format (JSON, `"format": "planoracle/instance"`) contains actions, lags, resources and
    agents; `planoracle instances --schema generic` prints its JSON Schema. Files of the literature are read in their
    original formats. A file name is a problem name; `FILE#NAME` selects one problem of a file with several, and `~2`
    after a name replaces the agents by two. `planoracle generate generic` draws random problems: demands and capacities
    as in ProGen (Kolisch, Sprecher and Drexl, 1995), networks with a given order strength, maximum lags with a given
    tightness. Data of earlier versions call this benchmark `own`.

    Plan language
    -------------
    A submission has a `plan`, the list of the pieces of a schedule, or [model output](../../model_output/README.md)
    that contains them:

    | field | meaning |
    |---|---|
    | `action` | id of the action, or its step name if it is unique |
    | `start`, `duration` or `end` | whole numbers of ticks (default: the duration of the mode) |
    | `agent` | an agent, or `null` for an action that needs none (default: the only eligible agent) |
    | `mode` | number or name of the mode of the action (default: the first that fits, or that uses the `machine`) |

    Consecutive pieces of an action without a gap are joined. An action that pauses in breaks may have only its start,
    or start and end. Optional tasks may be left out as a whole. Lists, mappings of starts, lines such as
    `0.000: (boil) [5.000]` and `boil: 0-5`, and tables are read as well
    ([all forms](../../../.docs/problem_files.md#plans)).

    Rules
    -----
    A schedule is a success if it breaks no rule. Each piece has an existing action and mode and an eligible agent,
    starts after the release, lies in a window and ends by the deadline and within the time limit. The pieces of an
    action add up to the duration of its mode; only interruptible actions have several, and those that pause in breaks.
    Agents and resources are not in use while they are off, and have time for ways and set-ups. An agent does one
    attended part at a time, and an unattended action starts only while its agent is free. Capacities and states of
    resources, minimum and maximum lags hold at all times. Budgets are enough for all actions. All actions of mandatory
    tasks are done, and all or none of an optional one.

    | rule | `paper` | `released` | meaning |
    |---|---|---|---|
    | `refuse_unread` | `true` | `false` | no verdict if too many lines that look like pieces cannot be read |

    Options: `--profile paper` (default) or `released`; `--set generic.refuse_unread=false`.

    Metrics
    -------
    `score` is the optimum divided by the makespan of a success, 0 for a failure, and empty if no optimum is proved or
    claimed. It is empty, too, for a plan whose optional tasks weigh less than is best: makespans are not compared then.
    `success`, `progress` (share of completed actions) and `goal_ratio` (share of completed tasks) are averages over all
    plans.

    Differences between paper and released code
    -------------------------------------------
    None: the rules are our own. The profiles differ in `refuse_unread` only.

    Known errors of references
    --------------------------
    None: own problems have no references. Published optima of the literature are checked by tests.

    Live runs
    ---------
    Closed loop: a message is a piece, `{"action": ..., "start": ..., "duration": ..., "agent": ...}`. A piece that
    breaks a rule together with the earlier pieces, or makes a lag impossible to satisfy, is refused and changes
    nothing; the eleventh refusal ends the run. Pieces come in the order of their starts. `Finish` gives up. Open loop:
    one message is the whole schedule. Every benchmark whose runs are schedules uses this environment with its own plan
    language.

    Example
    -------
    >>> from planoracle import Model, environment
    >>> model = Model("lunch").task("soup").action("chop", 5).action("boil", 9, attended=0)
    >>> run = environment(model.build())
    >>> print(run.legal()[0].text)
    {"action": "soup/chop", "start": 0, "duration": 5, "agent": "agent", "mode": 0}
    >>> print(run.step(run.legal()[0]).observation.text)
    soup/chop has started and ends at tick 5.
    It is tick 5.
    """

    name = "generic"
    title = "Own problems"
    former_name = "own"
    stepwise = False
    self_contained = True
    features = frozenset(Feature)

    reader = lazy("planoracle.instances.benchmarks.generic.problems")
    language = lazy("planoracle.instances.benchmarks.generic.language")
    rules = RuleSet("generic", {"paper": Rules(), "released": Rules(refuse_unread=False)})
    runs = lazy("planoracle.instances.benchmarks.generic.run")
    metrics = lazy("planoracle.instances.benchmarks.generic.metrics:METRICS")
    feedback = lazy("planoracle.instances.benchmarks.generic.feedback")
    live = lazy("planoracle.instances.benchmarks.generic.live")
    generator = lazy("planoracle.instances.benchmarks.generic.generator")
    _literature = lazy("planoracle.instances.literature.reader")

    def read_data(self, data: bytes, path: str) -> list[Instance]:
        """Read the formats of the literature, see `planoracle.instances.literature`."""
        return list(self._literature.read_data(data, path))

    def render(self, problem: Instance, schedule: Schedule) -> str:
        """Write a schedule as JSON, also an empty one, in which all optional tasks are left out."""
        return super().render(problem, schedule) if schedule.pieces else "[]"

    def salvage(self, problem: Instance, submitted: object) -> tuple[object, tuple[DroppedCommand, ...]]:
        """Omit pieces of actions that do not exist."""
        # Packages with a plan language of their own have no objects as pieces.
        salvage = getattr(self.language, "salvage", None)
        if salvage is None:
            return submitted, ()
        remaining, unknown = salvage(submitted, problem)
        return remaining, tuple(unknown)


benchmark = Generic()
