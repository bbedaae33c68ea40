"""AsyncHow (Lin et al., 2024): the shortest time for the steps of an everyday task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from planoracle.instances.benchmarks.asynchow.rules import Profile
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.benchmark import lazy
from planoracle.instances.protocol.plan import DroppedCommand
from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark


class AsyncHow(ScheduleBenchmark[Schedule, Profile]):
    r"""AsyncHow: the shortest time in which all steps of an everyday task can be done, answered in words.

    Source
    ------
    Lin, La Malfa, Hofmann, Yang, Cohn, Pierrehumbert: *Graph-enhanced Large Language Models in Asynchronous Plan
    Reasoning* (ICML 2024, [arXiv 2402.02805](https://arxiv.org/abs/2402.02805)). The package contains the facts of the
    1,998 released problems without their sentences: durations in the words of the prompts, the order of the steps and
    the released answers. They come from [the authors'
    repository](https://github.com/fangru-lin/graph-llm-asynchow-plan) (commit `66f9bcff`), MIT licence, copyright (c)
    2024 graph-llm-asynchow-plan.

    Problems
    --------
    A text lists the steps, their durations and their order. With as many agents as steps, the shortest time is the
    longest path through the steps.

    | names | problems | content |
    |---|--:|---|
    | `asynchow/async/0` to `async/1597` | 1,598 | 3 to 17 steps in any order; 1,563 differ in order or durations |
    | `asynchow/parallel/0` to `parallel/199` | 200 | 3 to 7 steps without order |
    | `asynchow/sequential/0` to `sequential/199` | 200 | one chain of 3 to 7 steps (45, 87 and 137 are no chains) |
    | `asynchow/async/829~2` | all | the same steps for two agents, or any other number |

    The number is the position in the released list. Step 3 is the action `step/3`; it occupies one agent. A tick is one
    second, in `async/1420` (a step of 65 years) one minute. Months have 28 to 31 days and years 365 or 366, so 67
    answers are intervals: the longest path with the shortest and with the longest durations.

    `--data asynchow=DIR` and file names read the released pickles `async_benchmark.pkl`, `para_benchmark.pkl` and
    `seq_benchmark.pkl`, which contain the sentences. The reader accepts only plain data and time spans in a pickle. The
    same as JSON (`async.json`, `parallel.json`, `sequential.json`): an object with `problems`, each with `id`, `edges`
    (pairs of `START`, `1`, `2`, ..., `END`), `durations` (`{"1": [shortest, longest, text]}`, in seconds) and `gold`
    (`[shortest, longest]`); a file `steps.json` beside it may contain the sentences by id.

    Plan language
    -------------
    A submission has an `answer`, the text of the model or its JSON (`null` and empty text are wrong answers), or a
    `plan`, a schedule as a list of pieces `{"action": "step/2", "start": 0, "duration": 4838400}`. Problems with fewer
    agents (`~2`, `--agents 2`) accept schedules only.

    The profile `paper` first removes reasoning blocks, quotations, examples and withdrawn answers. It then selects, in
    this order, the announced final answer (`Final answer:`, `\boxed{...}`), a JSON value, a time in double quotes, or
    any other time; the last of several counts. "2 or 3 days" and "2 to 3 days" are `ambiguous`.

    In JSON a number is a time if its key, a field beside it or an object around it names the unit, in any spelling:
    `{"total_time_seconds": 6000}`, `{"answer": 100, "unit": "minutes"}`, `{"time": {"hours": 1, "minutes": 40}}`. A
    final answer comes before a total time, a total before other times, and these before times of steps. Different
    times of equal weight are `ambiguous`. A line such as `Total time (min): 100` is read alike. A number without any
    unit and incomplete JSON are unscored. So the recorded JSON answers of the repository async_planning are graded by
    the whole right interval, by their `final_answer_seconds`; that repository accepts its lower end only.

    The selected text is parsed like in the released `measure_perf`:

    1. In each line the text between the first and the last double quote counts. The first and the last of these texts
       are read; one right text is enough.
    2. Without double quotes the text after the last `is ` counts, but only if it has a word before `and a half`.
    3. Number words are read only in a text with a word before `and a half`: "two hours and a half" is 2.5 hours.
    4. The text after the last `=`, then after the last ` or `, then before the first `(` is read. A remaining ` to `
       makes the answer wrong.
    5. All numbers with a unit are added. A unit starts with `min`, `hour`, `sec`, `week`, `day`, `month`, `year`, `h`,
       `m` (months), `d` or `w`. `hr`, `s` and a unit without space before it (`30min`) make the text unreadable.
    6. An answer is right if its shortest or its longest time lies in the right interval, both ends included.

    Rules
    -----
    Schedules follow the general rules of instances. Violations of answers:

    | violation | condition |
    |---|---|
    | `no_plan`, `cut_off` | no answer is left after the removals; the reasoning block is not closed |
    | `empty`, `no_time` | the answer is empty; it has no readable time (a refusal; `released`: none in double quotes) |
    | `range`, `unreadable` | the answer contains ` to `; a unit is unknown or the time is too long |
    | `too_short`, `too_long`, `wrong` | below or above the right interval; one text is below, the other above |

    Options: `--profile paper` (default) or `released`; single rules with `--set asynchow.RULE=VALUE`.

    | rule | `paper` | `released` | meaning |
    |---|---|---|---|
    | `gold` | `right` | `released` | the answer that counts as right |
    | `units` | `all` | `last` | units that count; the released code reads "2 hours 30 minutes" as 30 minutes |
    | `length` | `least` | `least` | length of months and years in problems for schedules (`least`, `most`) |
    | `answers` | `lenient` | `released` | reader of answers in words |
    | `refuse_unread` | `true` | `false` | no verdict on a schedule if too many of its lines cannot be read |

    Metrics
    -------
    `accuracy` is the share of right answers. A schedule is a success if it follows the rules, and right if it is also
    optimal. A grade of an answer has `parsed` (the seconds that were read, `[0, 0]` without a time; in `released` also
    for a wrong answer), `gold` (the right interval), `complexity` (nodes and edges of the graph, START and END
    included) and `few_shot`. The problems that the paper's prompts show with their answers (`async/1198`, `async/8`,
    `async/3`) are graded and excluded from averages.

    Differences between paper and released code
    -------------------------------------------
    The options list the differences in grading. The released `calc_acc` divides by the number of *empty* answers; the
    paper's figures do not come from it. Some released regular expressions take exponential time for short texts; here
    only lines of more than 50,000 characters with number words are rejected. The released prompts, the paper's figures
    and answers for limited numbers of agents are not included.

    Known errors of references
    --------------------------
    All 1,998 released answers were recomputed; eight are wrong.

    | problem | released | right | cause |
    |---|---|---|---|
    | `async/163` | 1 h 45 min | 3 h 45 min | "2 hours 30 minutes" read as 30 minutes |
    | `async/356` | 47 min | 2 h 47 min | the same text |
    | `async/589` | 181 d 20 h | 184 d 20 h | "2 days 12 hours", "1 days 16 hours" read as 12, 16 hours |
    | `async/594` | 3 d 10 h 30 min | 4 d 10 h 30 min | "1 days 6 hours" read as 6 hours |
    | `async/829` | 70 d to 78 d | 72 d to 78 d | lower end overwritten |
    | `async/1113` | 336 d 11 min to 372 d 1 h 15 min | 336 d 1 h 15 min to 372 d 1 h 15 min | lower end overwritten |
    | `sequential/99` | 1 d 1 h | 3 d 1 h | "2 days 6 hours" read as 6 hours |
    | `sequential/161` | 2 h 41 min | 3 h 41 min | "1 hours 30 minutes" read as 30 minutes |

    *Overwritten*: if the longest time of a further path lies in the current interval, its shortest time replaces that
    of the longest path although it is smaller. `async/164` contains such a text off its longest path.

    Live runs
    ---------
    An open loop asks for one message with the answer in words, as the paper does. A closed loop is an addition: the
    agent submits pieces of a schedule in order of their starts. The setting `zero-shot` asks only for the time.
    Prompts contain sentences only if the problem was read from a file with sentences, as with `--data asynchow=DIR`.

    Example
    -------
    >>> from planoracle import environment, load
    >>> run = environment(load("asynchow/async/829"), loop="open")
    >>> print(run.introduction())
    - step/1: 48 h; after step/2
    - step/2: 1344 h; after step/4
    - step/3: 1344 h; after step/4
    - step/4: 336 h
    >>> run.step('First step 4, then step 2, then step 1. It takes "72 days".').done, run.run().success
    (True, True)
    """

    name = "asynchow"
    title = "AsyncHow"
    citation = "Lin et al., 2024"
    plan_fields = ("answer", "plan")
    stepwise = False
    original_data = "the released pickles, or their JSON form"
    group_units: Mapping[str, str] = {"size": "steps"}

    catalog = lazy("planoracle.instances.benchmarks.asynchow.problems")
    reader = lazy("planoracle.instances.benchmarks.asynchow.problems")
    language = lazy("planoracle.instances.benchmarks.asynchow.language")
    rules = lazy("planoracle.instances.benchmarks.asynchow.rules:RULE_SET")
    runs = lazy("planoracle.instances.benchmarks.asynchow.run")
    metrics = lazy("planoracle.instances.benchmarks.asynchow.metrics:METRICS")
    feedback = lazy("planoracle.instances.benchmarks.asynchow.feedback")
    live = lazy("planoracle.instances.benchmarks.asynchow.live")

    def groups(self, name: str) -> Mapping[str, Sequence[str]]:
        """Return the problem, and its number of steps."""
        if not self.catalog.covers(name):
            return {"task": [name], "size": []}
        steps = self.catalog.load(name).actions
        return {"task": [name], "size": [str(len(steps))]}

    def check_copy(self, folder: Path) -> None:
        """Raise `InputError` for a folder without a released file."""
        self.reader.check_copy(folder)

    def read_data(self, data: bytes, path: str) -> list[Instance]:
        """Read one of the released pickles."""
        reader = self.reader
        if not reader.is_pickle(data):
            return []
        problems = reader.read_pickle(data, path)
        return list(reader.encoded(problems, path))

    def default_rules(self, problem: Instance) -> Profile:
        """Return the profile that the problem was encoded for."""
        return cast(Profile, self.catalog.origin_of(problem).rules)

    def salvage(self, problem: Instance, submitted: object) -> tuple[object, tuple[DroppedCommand, ...]]:
        """Omit pieces of steps that do not exist."""
        return cast("tuple[object, tuple[DroppedCommand, ...]]", self.language.salvage(submitted, problem))

    def formula_optimum(self, problem: Instance) -> int:
        """Return the longest path."""
        return int(self.catalog.least(problem))

    def name_of(self, problem: Instance, action: str) -> str:
        """Name a step by its number."""
        return action.replace("/", " ")


benchmark = AsyncHow()
