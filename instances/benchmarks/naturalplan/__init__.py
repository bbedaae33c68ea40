"""Natural Plan (Zheng et al., 2024): meetings, calendars and trips, planned from plain text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from planoracle.instances.benchmarks.naturalplan.rules import PlanAnswer, Profile
from planoracle.instances.model.features import Feature
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol.benchmark import lazy
from planoracle.instances.protocol.feedback import ClockFormat
from planoracle.instances.protocol.plan import Plan
from planoracle.instances.protocol.recorded_verdict import RECORDED_FIELDS
from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark


class NaturalPlan(ScheduleBenchmark[PlanAnswer, Profile]):
    """Natural Plan: meetings with friends, slots in calendars, trips between cities, from plain text.

    Source
    ------
    Zheng, Mishra, Zhang, Chen, Chen, Nova, Hou, Cheng, Le, Chi, Zhou: *NATURAL PLAN: Benchmarking LLMs on Natural
    Language Planning* (2024, [arXiv 2406.04520](https://arxiv.org/abs/2406.04520)). The package contains the facts of
    300 of the 3,600 problems and the published plans, without the texts, in a format of its own. They come from [the
    authors' repository](https://github.com/google-deepmind/natural-plan) (commit `ca76db33`), licence CC BY 4.0; the
    selection is that of [calendar-planning](https://github.com/rikhil-amonkar/calendar-planning), licence MIT, whose
    recorded outputs of eight models are not included.

    Problems
    --------
    | names | problems | content |
    |---|--:|---|
    | `naturalplan/meeting/6` to `978` | 100 | 1 to 10 friends, each at a place in a window; ways of given times |
    | `naturalplan/calendar/1` to `985` | 100 | one slot for 2 to 7 people with busy times and wishes, on 1 to 5 days |
    | `naturalplan/trip/21` to `1596` | 100 | 3 to 10 cities with days of stay, events and direct flights |

    The number is that of the published name, which is accepted as well (`meeting_planning_example_6`). A path reads
    the published data files: `planoracle solve meeting_planning.json`, and `planoracle grade meeting_planning.json
    --problems meeting_planning.json` grades the answers in them. Calendars and trips are read from the texts of the
    prompts; an unknown sentence is an error.

    *Meetings.* A tick is a minute, and tick 0 the arrival. Friends are optional tasks of weight 1. The optimum meets as
    many friends as possible, and then ends as early as possible. Ways take the given times, which are not symmetric.
    *Calendars.* A tick is a minute from Monday, 0:00. The meeting needs all people; busy times and wishes are
    calendars. *Trips.* A tick is a day. A stay of n days takes n - 1 ticks, a direct flight none; there is no other
    way.

    Plan language
    -------------
    A submission has a `response` (text of a model), or else `formatted` (a JSON itinerary or slot), `pred_5shot_pro`
    (a field of the published data) or `plan`. Each may be text with reasoning before and prose after the answer, JSON
    in text, a JSON value, or a chat.

    - Meetings: sentences of the published plans (`You travel to Bayview in 7 minutes and arrive at 9:07AM.`, `You wait
      until 2:45PM.`, `You meet Sarah for 105 minutes from 2:45PM to 4:30PM.`) in similar wordings, as text or as a
      list; an itinerary `{"itinerary": [{"action": "meet", "location", "person", "start_time", "end_time"}]}`; or the
      published list of `{"location", "person_name", "start_time"}`. Ways between the entries of an itinerary are
      implied. Times have 24 hours, or AM and PM. An itinerary in JSON precedes sentences about it.
    - Calendars: a day and two times (`Monday, 9:30 - 10:00`), or JSON (`{"time_range": "{09:30:10:00}", "day":
      "Monday"}`).
    - Trips: stays in order (`Day 1-4: visit Rome`), or an itinerary of `{"day_range": "Day 1-4", "place": "Rome"}`,
      with `flying` entries between them or without.

    Rules
    -----
    The profile `exact` (`paper`) accepts every answer that keeps all constraints, and `official` (`released`) is the
    published evaluation.

    | task | `exact` | `official` |
    |---|---|---|
    | meetings | no broken rule, at least one friend is met | as many friends as in the published plan |
    | calendars | a slot that fits everybody, the first one where the text asks for it | the published slot |
    | trips | any order of the cities that fits | the published cities and days, in order |

    *Official meetings.* The plan is walked step by step, and meetings count up to the first step that fails. A meeting
    takes the wished time, and a way the given one, whatever the text says. Of an itinerary, friends that do not exist
    are passed over. The published evaluation stops with an error at an unknown place or friend in a text; here the
    step fails. *Official calendars* take the first slot of the published pattern, and *official trips* the published
    patterns of flights and days, which lose names of two words; JSON is taken as it is.

    *Violations of meetings:* `unknown_person`, `repeated_person`, `unknown_place` (no way is given), `wrong_start`,
    `wrong_place`, `travel_time` (an arrival earlier than possible), `wait_in_past`, `too_early` (before one is free and
    there), `too_short`, `not_there_yet`, `gone` (outside the window) and, in `official`, `unread_step`. A meeting may
    be longer than wished. Each entry with a name is a meeting, also with `You` or `Free Time`; `N/A` and `none` are no
    names. *Of calendars:* `day`, `hours`, `length`, `busy`, `wish`, `not_earliest`, `other_slot`. *Of trips:*
    `unknown_city`, `repeated_city`, `missing_city`, `first_day`, `gap`, `stay`, `no_flight`, `event`, `last_day`,
    `other_stay`. An answer without a plan, and an itinerary
    that breaks off, fail (`no_plan`, `cut_off`); a time that cannot be read is unscored.

    | rule | `paper` | `released` | meaning |
    |---|---|---|---|
    | `verdict` | `exact` | `official` | constraints, or agreement with the published plan |
    | `refuse_unread` | `true` | `false` | no verdict if too many lines that look like steps cannot be read |

    Options: `--profile exact` (default) or `official`; `--set naturalplan.verdict=official`.

    Metrics
    -------
    `score` is the share of the most possible friends that a success meets, 1 for a success in another task, and 0 for
    a failure. `success` is the share of answers that succeed, `best_share` of those with a score of 1, `optimal` of
    those that also end as early as possible; in calendars and trips the end does not count. `persons_met` counts
    meetings before the first violation, `time_lost` the minutes after the best end. `recorded` is the verdict in the
    field `recorded_correct` of a submission.

    Differences between paper and released code
    -------------------------------------------
    The profiles state them. The published evaluation gives the answers in `pred_5shot_pro` of the bundled problems
    0.38 in meetings, 0.56 in calendars and 0.33 in trips, and so does `official`.

    Known errors of references
    --------------------------
    All published meetings meet as many friends as possible; 39 of 100 end later than necessary. All published slots
    fit, but 36 of 100 calendars have several right slots on the half hour, up to 13; 18 of these do not ask for the
    earliest one, so that right answers count as wrong. All published trips fit; 5 of 100 have several right orders, up
    to 9. In the parsed constraints of the second repository, wishes such as "on Monday. Tuesday." end after the first
    day, so that 42 calendars seem to have several right slots. `planoracle audit naturalplan` replays the published
    plans.

    The 2,400 recorded outputs (0-shot, 100 per task): answers that succeed, and the recorded verdicts. The last column
    of meetings counts those that meet as many friends as possible and keep all rules.

    | model | meetings: recorded | official | exact | best | calendars: official | exact | trips: official | exact |
    |---|--:|--:|--:|--:|--:|--:|--:|--:|
    | o3-mini | 23 | 89 | 87 | 83 | 89 | 98 | 66 | 69 |
    | DeepSeek-R1 | 22 | 80 | 81 | 76 | 87 | 96 | 63 | 63 |
    | DeepSeek-V3 | 18 | 29 | 27 | 27 | 31 | 36 | 5 | 5 |
    | Llama-3.1-70B | 6 | 18 | 12 | 12 | 49 | 53 | 18 | 18 |
    | R1-Distill-Llama-70B | 4 | 9 | 4 | 4 | 69 | 75 | 0 | 0 |
    | gpt-4o-mini | 2 | 6 | 4 | 4 | 18 | 20 | 7 | 7 |
    | Llama-3.1-8B | 1 | 4 | 3 | 3 | 15 | 17 | 0 | 0 |
    | R1-Distill-Llama-8B | 0 | 5 | 19 | 2 | 3 | 3 | 0 | 0 |

    Live runs
    ---------
    In a closed loop, meetings are planned sentence by sentence; a refused sentence changes nothing, the eleventh
    refusal ends the run, and so does `Finish`. Legal commands are meetings now, waits for the next windows, and ways to
    friends. Calendars and trips are answered in one message. States of meetings and trips have no values, so that
    `next`, `regret` and `repair` refuse them by name. The
    setting `open` asks for the whole answer, in words of our own.

    Example
    -------
    >>> from planoracle import environment, load
    >>> run = environment(load("naturalplan/meeting/6"), loop="open")
    >>> print(run.introduction().splitlines()[0])
    You arrive at Fisherman's Wharf at 9:00AM.
    >>> print(run.introduction().splitlines()[3])
    - Kenneth: at Nob Hill from 2:15PM to 7:45PM, for at least 90 minutes
    >>> run.step("You travel to Nob Hill. You meet Kenneth from 2:15PM to 3:45PM.").done, run.run().success
    (True, True)
    """

    name = "naturalplan"
    title = "Natural Plan"
    citation = "Zheng et al., 2024"
    plan_fields = ("response", "formatted", "pred_5shot_pro", "plan")
    detail_fields = RECORDED_FIELDS
    stepwise = False
    has_simulator_states = True
    mismatch_share = 0.5
    step_reward = "score"
    features = frozenset({Feature.WINDOWS, Feature.CALENDARS, Feature.OPTIONAL, Feature.TRANSITIONS})

    catalog = lazy("planoracle.instances.benchmarks.naturalplan.problems")
    reader = lazy("planoracle.instances.benchmarks.naturalplan.problems")
    language = lazy("planoracle.instances.benchmarks.naturalplan.task_modules")
    rules = lazy("planoracle.instances.benchmarks.naturalplan.rules:RULE_SET")
    runs = lazy("planoracle.instances.benchmarks.naturalplan.run")
    metrics = lazy("planoracle.instances.benchmarks.naturalplan.metrics:METRICS")
    feedback = lazy("planoracle.instances.benchmarks.naturalplan.feedback")
    live = lazy("planoracle.instances.benchmarks.naturalplan.live")

    def addressed_name(self, name: str, record: Mapping[str, Any]) -> str:
        """Return the name of a problem that a submission names as the authors do."""
        return str(self.catalog.real_name(name))

    def groups(self, name: str) -> Mapping[str, Sequence[str]]:
        """Return the problem, and its task and number of actions."""
        if not self.catalog.covers(name):
            return {"task": [], "size": []}
        label, _ = self.catalog.set_of(name)
        actions = self.catalog.load(name).actions
        return {"task": [label.partition("/")[2]], "size": [str(len(actions))]}

    def parse(self, problem: Instance, submission: object, rules: Profile | None = None) -> Plan[PlanAnswer]:
        """Read a submission, see `Benchmark.parse`; null fields of a record do not count beside others."""
        if isinstance(submission, Mapping):
            filled = {name: value for name, value in submission.items() if value is not None}
            if not filled.keys().isdisjoint(self.plan_fields):
                submission = filled
        return super().parse(problem, submission, rules)

    def clock(self, problem: Problem) -> ClockFormat:
        """Return the text form of times: times of day, or days."""
        moment = partial(self.language.moment, problem)
        return super().clock(problem)._replace(moment=moment)


benchmark = NaturalPlan()
