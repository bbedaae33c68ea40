"""Recipe2Plan (Wu et al., 2025): two recipes, one cook, time constraints between steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import NotImplementedType

from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol.benchmark import lazy
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark


class Recipe2Plan(ScheduleBenchmark[object, Rules]):
    r"""Recipe2Plan: one cook prepares two recipes, with time constraints between some steps.

    Source
    ------
    Wu, Liu, Li, Kong, Feng: *Recipe2Plan: Evaluating Planning Abilities of LLMs for Efficient and Feasible Multitasking
    with Time Constraints Between Actions* (2025). The package contains the facts of the 24 released recipes (the paper
    says 29), their 65 pairs and the released reference plans.

    Problems
    --------
    There are 65 problems `recipe2plan/timed/A_B` and 65 problems `recipe2plan/untimed/A_B`. Autonomous steps
    run without the cook, continuous steps occupy the cook. Some steps can be interrupted, some occupy objects with a
    temperature. In the *timed* problems some steps must start soon after others.

    In files of planoracle, recipes are tasks and their steps are named 0, 1, 2, ...; an autonomous step has
    `"attended": 0`, a tick is a second. An object is a resource of capacity 1 whose state is its temperature. An
    autonomous step must not be interruptible: under the rules its pieces could all run at the same time.

    A resource of a larger capacity is the volume of an object. A step with `sets` fills the volume to that number of
    units; each piece of a step without `sets` takes its `amount`. So `{"resource": "water", "amount": 250}` breaks the
    rule `object_volume` unless 250 units are left. The released recipes have no volumes, but the released code supports
    them. The solvers do not, so such problems are graded without an optimum.

    *Own recipes.* With `--data recipe2plan=DIR` (or `PLANORACLE_DATA_RECIPE2PLAN`) the problems are those of the
    released files in `DIR`, or of own recipes in their form. `cooking.json` is a list of combinations, each a list of
    recipes with a name (`recipe`) and `steps`. A list of recipes stands for their pairs: those with a plan in
    `plan.json`, or all. A step has these fields:

    | field | meaning |
    |---|---|
    | `step` | number, from 0 in order |
    | `text` | the step in words, for prompts |
    | `time` | duration: `10 min`, `30 sec`, `1 hour` |
    | `parallel` | 1: autonomous; 0: occupies the cook |
    | `interrupt` | 1: can be interrupted; only with `parallel` 0 |
    | `prequisites` | numbers of the steps that must be complete before (spelt as in the file) |
    | `time_constraint` | by number of an earlier step: longest time from its end to the start (*timed* only) |
    | `physical` | used objects, each with a `temperature` to `require` and one to `update`; volumes are not read |

    `plan.json` is optional. By name of a combination, it has the reference plans `plan_w_restriction` (*timed*) and
    `plan_wo_restriction`: lists of `[step, recipe, seconds, start]`. A problem of `DIR` replaces a bundled one of the
    same name. Sets such as `recipe2plan/timed` contain the problems of `DIR` only; other bundled problems have their
    full names, and no set. As a problem file, `cooking.json` is read without plans.

    Plan language
    -------------
    `Step(number, recipe, duration, start)`, such as `Step(3, Tacos, 5 min, 00:10:00)`; times as `HH:MM:SS`, `MM:SS`,
    `5 min` or seconds. `Step(number, recipe, start)` has the nominal duration. A submission is one of:

    - the text or chat of a model, of which the part with the plan counts (`parse_scope`). Tables may have columns for
      step, recipe, duration and start;
    - an open-loop log `{"response": text}`;
    - an interactive log `[{"response": text}, ...]` of consecutive answers in the same kitchen. A rejected answer
      changes nothing but, with `reject_advances_clock`, the clock; the run succeeds when every recipe is complete.
      `Action: Finish` does not count as a rejected answer;
    - a list of commands: `[step, recipe, duration, start]`, objects with these keys, or texts.

    Plans of more than 100,000 commands or with numbers of more than 40 digits are rejected.

    Rules
    -----
    Commands are executed in order of their starts; ties keep the order of the plan. The first failing check ends the
    run:

    | violation | condition |
    |---|---|
    | `wrong_recipe`, `wrong_action` | the recipe or the step does not exist |
    | `time_error` | the start is before the clock; see `reject_advances_clock` |
    | `infeasible_multitask` | a continuous step overlaps another one; listed after `time_error` |
    | `object_occupancy` | an object is in use; setting its current temperature in the same interval is allowed |
    | `object_temperature` | the last temperature set is not the required one |
    | `object_volume` | a volume is not filled, or contains too little |
    | `time_constraint` | the start is later than the limit allows; see `window_on_resume` |
    | `repeated_action` | longer than the remaining time of a step that is complete or paused |
    | `action_duration` | longer than the remaining time of any other step |
    | `execution_interruptibility` | shorter than the remaining time of a step that is not interruptible |
    | `dependency` | a prerequisite is not complete, or has not ended at the start |
    | `no_action` | the plan has no command |
    | `missing_action` | a step is never carried out; only in the list of all violations |
    | `identical_refusals`, `too_many_turns` | an interactive run reaches `max_identical_refusals`, `max_turns` |

    With `refusals_counted=run`, refusals of one command (the same recipe, step, length and start) are identical,
    wherever they are in the run; answers without a command are never identical. With `row`, refusals in a row are
    identical if the released environment answers them with the same message. The message contains the step, but the
    start of a command only for violations of objects and for times in the past. Whole plans have no turns. An aborted
    run is a success only if every recipe was complete before. The limit of turns is that of the released
    `react_agent.py`. The bundled optimum of `timed/Pancakes_Chicken-Rice` has more commands than this limit;
    `solve --min-interruptions` finds an optimum with fewer.

    A continuous step advances the clock to its end, an autonomous step only to its start. So no step starts strictly
    inside a continuous step. Two commands split an interruptible step.

    Options: `--profile paper` (default) or `released`; single rules with `--set recipe2plan.RULE=VALUE`.

    | rule | `paper` | `released` | meaning |
    |---|---|---|---|
    | `reference` | `heuristic` | `heuristic` | or `optimal`; grades always contain `r_efficiency_optimal` |
    | `ref_floor` | `false` | `true` | r_efficiency is at most 5 times efficiency |
    | `missing_ref` | `optimum` | `zero` | value for a problem without reference plan |
    | `undefined_ref` | `undefined` | `zero` | value if the reference saves no time in the same number of commands |
    | `clip_saved` | `true` | `true` | negative time saved counts as 0 |
    | `t_auto` | `executed` | `nominal` | durations of autonomous steps: executed, or nominal of complete steps |
    | `reject_advances_clock` | `false` | `true` | a refusal moves the clock (3.4: "If the action is permissible") |
    | `step_shapes` | `lenient` | `released` | many forms of steps, or only the two of the released reader |
    | `parse_scope` | `plan` | `everywhere` | read steps in the plan section of the text, or everywhere |
    | `refuse_unread` | `true` | `false` | no verdict if too many lines that look like steps cannot be read |
    | `timestamp_repair` | `false` | `false` | delay commands in the past (an option of the released code) |
    | `score_if` | `success` | `complete` | score successful runs, or also complete runs with later rejections |
    | `fatal_time_constraint` | `true` | `false` | an interactive run ends at the first violated time constraint |
    | `max_failures` | `10` | `10` | rejected answers that do not end an interactive run; the next one does |
    | `refusals_counted` | `run` | `row` | identical: of one command, or in a row (C.2: "the same action three times") |
    | `max_identical_refusals` | `3` | `3` | an interactive run ends after this many identical refusals; 0: no limit |
    | `max_turns` | `unlimited` | `steps+10` | answers after which an interactive run ends |
    | `missing` | `failed` | `skipped` | problems without a plan |
    | `zero_duration` | `rejected` | `accepted` | commands of length zero |
    | `window_on_resume` | `true` | `true` | also check time constraints at resumptions |

    Metrics
    -------
    For a run of n executed commands with latest end M and total duration T, of which T_auto is in autonomous steps:

    - *efficiency* (equation 1) = T_save / T_auto with T_save = max(0, T - M);
    - *r_efficiency* (equation 2) = efficiency / efficiency of the first n commands of the reference plan. With
      `reference=optimal` a successful run is compared with the whole optimal plan, because interruptions change n;
    - *multitasking_score* (equation 3) = r_efficiency of a successful run, else 0;
    - *progress* = share of steps that are complete or are prerequisites of a complete step;
    - *goal_ratio* = share of complete recipes.

    Averages count problems without a plan as failed. Undefined values are counted separately and excluded.

    *Beliefs.* The beliefs of a model about the recipes are compared with the problem, as in Table 9: autonomous steps
    (`concurrency`), direct dependencies between steps (`dependency`), and steps that occupy an object (`resources`).
    Grades contain them as `beliefs`; `planoracle grade` prints recall, precision and F1 per model, and per model and
    recipe. Items are summed over all recipes and runs. Unread beliefs are counted separately and excluded, with the
    reason `missing`, `no_recipe` (no recipe is named) or `unreadable`.

    Beliefs are fields of a submission, as `run --setting react` stores them: `beliefs`, with the three kinds or with
    recipes as keys, or a field for each kind. `parallel`, `objects` and `physical_constraints` are alternative names,
    the first and the last from the released logs. Values are texts or JSON:

        {"instance": "recipe2plan/timed/Cobbler_Pancakes", "plan": "...", "beliefs": {
          "concurrency": "Cobbler: 0, 2, 7\nPancakes: none", "resources": {"Cobbler": {"oven": [0, 7]}},
          "dependency": "Cobbler: 1 -> 2, 2 -> 3\nPancakes: I cannot say"}}

    All of Cobbler's three autonomous steps are believed, and none of Pancakes' three: recall 3/6, precision 3/3, F1
    6/9. Both dependencies of Cobbler are correct, of seven: recall 2/7, precision 2/2, F1 4/9; those of Pancakes are
    unreadable. Two of Cobbler's three objects are correct; those of Pancakes are missing. Without such fields, sections
    of the plan's text or of messages are read, under headings such as `Autonomous actions:`, `Dependencies:` and
    `Objects:`, or in the words of Table 11 (`The agent can perform autonomous actions step 0, 2, 3 in parallel ...`),
    which follow the name of a recipe.

    Differences between paper and released code
    -------------------------------------------
    See the options. With `zero_duration=accepted` a command of length zero for a running autonomous step moves
    the end of the step back to the start of the command, as in the released code. So a plan can be shorter than every
    schedule. The optimum is that of plans without such commands. For a shorter success `optimal_makespan` is empty and
    the regret is negative.

    Known errors of references
    --------------------------
    `timed/Pizza_Chocolate-Egg` has no released plan, and most released plans are not optimal. By `planoracle regret`,
    171 of the 3,168 decisions in the 129 plans lose 571 minutes, and 50 waits lose 261 minutes. The largest losses:

    | problem | decision | at | loss |
    |---|---|---|---|
    | `timed/Rainbow-Cupcakes_Chicken-Rice` | wait 30 min | 00:27:00 | 21 min 30 s |
    | `timed/Chicken-Rice_Chocolate-Egg` | step 4 of Chicken-Rice: add diced food to pan | 00:26:00 | 18 min |
    | `timed/Leche-Asada_Banana-Fry` | wait 5 min | 00:25:00 | 15 min |
    | `timed/Chicken-Rice_Strawberry-Cake` | wait 15 min | 00:11:00 | 15 min |
    | `timed/Tacos_Chicken-Rice` | step 2 of Chicken-Rice: warm pan over medium | 00:24:00 | 14 min |
    | `untimed/Chicken-Rice_Chocolate-Egg` | step 5 of Chicken-Rice: saute chicken until done | 00:23:00 | 14 min |

    The last loss can be checked by hand. The shell of the egg is dry at 00:24:00. Then wiping (2 min), filling (3 min)
    and inserting the toy (2 min) occupy the cook, and 30 min of chilling follow, so no plan ends before 01:01:00. The
    reference starts to saute at 00:23:00, which occupies the cook until 00:38:00, so the egg is ready at 01:15:00 or
    later.

    Live runs
    ---------
    One step is one turn, as in the paper: the first step of a message counts, or the first after `Action:`. The rules
    of interactive logs apply. `Finish` ends the run. With an open loop, the only message is a whole plan.

    A command contains its start, so there is no wait command. The legal commands start at the clock or at the end of a
    running step. A step before a time constraint may also start as early as its successor at such an end allows.
    Interruptible steps have all lengths that are multiples of the common divisor of all times (at most 100). `Finish`
    is legal if every recipe is complete or no other command is legal. Legal commands suffice for an optimum of each
    bundled problem.

    The setting `react` has a closed loop at temperature 0. First the model answers three questions on implicit facts of
    the recipes: which steps are autonomous, which steps precede which, and which steps occupy an object. Then each
    answer is a thought and a step, in at most 512 tokens. The model sees the recipes without these facts, with our own
    labels instead of the sentences. Each question is asked for each recipe, with 128 tokens, as in the paper. The
    solved example consists of two recipes of our own. The other settings are `plan-and-solve`, `react-oracle` (the
    facts are stated), `react-hint` (also the executable steps), `feasibility`, `critic-fix` and `critic-improve` (ten
    rounds), each also without beliefs (`-no-beliefs`) or, if its base has none, with them (`-beliefs`).

    Example
    -------
    >>> from planoracle import environment, load
    >>> run = environment(load("recipe2plan/timed/Cobbler_Pancakes"))
    >>> print(run.step("Thought: the oven first.\nAction: Step(0, Cobbler, 10 min, 0)").observation.text)
    Step 0 of Cobbler has begun.
    It is 00:00:00. Under way: step 0 of Cobbler (until 00:10:00). Oven in use, at 350; microwave free; stove free.
    >>> print(run.step("Action: Step(2, Cobbler, 1 min, 0)").observation.text)
    Refused: Step 2 of Cobbler starts at 00:00:00, but step 1 of Cobbler comes first and has not been done.
    It is 00:00:00. Under way: step 0 of Cobbler (until 00:10:00). Oven in use, at 350; microwave free; stove free.
    >>> run.legal()[0].text, len(run.legal())
    ('Step(1, Cobbler, 00:02:00, 00:00:00)', 70)
    """

    name = "recipe2plan"
    title = "Recipe2Plan"
    citation = "Wu et al., 2025"
    self_contained = True
    original_data = "a folder with cooking.json, perhaps with own recipes, and plan.json"
    greedy_heuristics = ("recipe2plan-dfs",)
    heuristics: Mapping[str, str] = {
        "recipe2plan-dfs": "planoracle.heuristics.recipe2plan_dfs:deepest_first",
        "recipe2plan-dfs-literal": "planoracle.heuristics.recipe2plan_dfs:literal",
    }

    detail_fields = ("beliefs", "concurrency", "dependency", "resources", "objects", "parallel", "physical_constraints")

    catalog = lazy("planoracle.instances.benchmarks.recipe2plan.problems")
    reader = lazy("planoracle.instances.benchmarks.recipe2plan.released_files")
    language = lazy("planoracle.instances.benchmarks.recipe2plan.language")
    rules = lazy("planoracle.instances.benchmarks.recipe2plan.rules:RULE_SET")
    runs = lazy("planoracle.instances.benchmarks.recipe2plan.run")
    metrics = lazy("planoracle.instances.benchmarks.recipe2plan.metrics:METRICS")
    feedback = lazy("planoracle.instances.benchmarks.recipe2plan.feedback")
    live = lazy("planoracle.instances.benchmarks.recipe2plan.live")
    generator = lazy("planoracle.instances.benchmarks.recipe2plan.generator")

    def groups(self, name: str) -> Mapping[str, Sequence[str]]:
        """Return the recipes of a pair, with and without time constraints."""
        *_, setting, pair = ("", *name.split("/"))
        recipes = self.catalog.load(name).tasks if self.catalog.covers(name) else pair.split("_")
        return {"task": [f"{setting}/{recipe}" for recipe in recipes]}

    def check_copy(self, folder: Path) -> None:
        """Raise `InputError` if a folder has no recipes, or for invalid files."""
        self.reader.cookbook_in(folder)

    def note(self, name: str) -> str:
        """Return how a released recipe differs from the paper; ``""`` for a problem of the user's files."""
        if not self.catalog.is_bundled(name):
            return ""
        if "Daikon-Radish" in name:
            return (
                "recipe2plan: Daikon-Radish is the released recipe; Table 6 prints 1 -> 2, 2 -> 3, 3 -> 4, 4 -> 5 "
                "instead of its dependencies 2 -> 6, 3 -> 5, 1 -> 8, 4 -> 13, and no time constraint between steps 9 "
                "and 13 (1 min)"
            )
        if "/timed/Dinosaur-Eggs" in name:
            return (
                "recipe2plan: the released time constraint between steps 1 and 4 of Dinosaur-Eggs (5 min) is the only "
                "one of 64 without a direct dependency between its steps, which Table 10 requires"
            )
        return ""

    def optimum(self, problem: Instance) -> int | NotImplementedType | None:
        """Return ``None`` for a problem with volumes, which no solver knows."""
        has_volumes = any(resource.capacity > 1 for resource in problem.resources)
        return None if has_volumes else super().optimum(problem)

    def check(self, problem: Instance) -> None:
        """Raise `InputError` for what plans cannot say or the rules do not know."""
        self.catalog.check(problem)

    def name_of(self, problem: Instance, action: str) -> str:
        """Name a step by its number and recipe."""
        task, _, name = action.rpartition("/")
        return f"step {name} of {task}"


benchmark = Recipe2Plan()
