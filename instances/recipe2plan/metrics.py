"""Metrics of Recipe2Plan (Wu et al., 2025, section 4.2, equations 1-3, Appendix B)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean

from planoracle.instances.model import Instance
from planoracle.instances.recipe2plan.facts import combine, load, names, reference_plan
from planoracle.instances.recipe2plan.profile import PROFILES, Profile
from planoracle.instances.recipe2plan.steps import Command
from planoracle.instances.replay import Replay


@dataclass(frozen=True, slots=True)
class Efficiency:
    """Multitasking efficiency of one run.

    Attributes
    ----------
    efficiency
        Equation 1, time saved / autonomous time; ``None`` if no autonomous time was spent.
    saved, saved_raw
        Seconds saved against doing one command after the other, clipped at 0 and as it came out.
    autonomous
        Seconds of autonomous work.
    reference
        Equation 1 for as many commands of the reference plan; ``None`` if it saves no time.
    r_efficiency
        Equation 2, ``None`` where it is undefined.
    multitasking_score
        Equation 3: ``r_efficiency`` of a successful run, else 0.
    """

    efficiency: float | None
    saved: int
    saved_raw: int
    autonomous: int
    reference: float | None
    r_efficiency: float | None
    multitasking_score: float | None


def measure(
    instance: Instance,
    run: Replay,
    reference: Sequence[Command] | None,
    rules: Profile = PROFILES["paper"],
    *,
    whole: bool = False,
) -> Efficiency:
    """Compute equations 1 to 3 for one replayed run.

    Parameters
    ----------
    reference
        The plan to compare with, in the order in which it is listed; ``None`` if there is none. As many
        commands as the run carried out count.
    whole
        Let all commands of the reference count if the run is a success: another complete plan may have
        more or fewer commands, because pauses cut steps.
    rules
        Options ``t_auto``, ``clip_saved``, ``ref_floor``, ``undefined_ref`` and ``score_if``.
    """
    carried = [event for event in run.events if event.accepted]
    saved_raw = sum(event.end - event.start for event in carried) - run.makespan
    saved = max(0, saved_raw) if rules.clip_saved else saved_raw
    autonomous = 0
    if rules.t_auto == "nominal":
        autonomous = sum(a.duration for a in instance.actions if not a.attended and a.id not in run.remaining)
    else:
        by_id = instance.by_id
        autonomous = sum(event.end - event.start for event in carried if not by_id[event.subject].attended)
    own = saved / autonomous if autonomous else None
    count = None if whole and run.success else len(carried)
    against = reference_efficiency(instance, (reference or ())[:count])
    value = None
    if own is not None and against:
        # In this order, the released code's, so that both agree to the last bit.
        value = saved / autonomous / against
        if rules.ref_floor:
            value = min(value, 5 * saved / autonomous)
    if value is None and rules.undefined_ref == "zero":
        value = 0.0
    counts = run.success if rules.score_if == "success" else run.progress == 1
    score = value if counts else 0.0
    return Efficiency(own, saved, saved_raw, autonomous, against, value, score)


def reference_efficiency(instance: Instance, commands: Iterable[Command]) -> float | None:
    """Equation 1 for a list of commands, ``None`` if they hold no autonomous time or save none."""
    commands = list(commands)
    by_id = instance.by_id
    autonomous = sum(c.duration for c in commands if not by_id[f"{c.recipe}/{c.step}"].attended)
    saved = sum(c.duration for c in commands) - max((c.start + c.duration for c in commands), default=0)
    return saved / autonomous if autonomous and saved else None


def executable(instance: Instance, commands: Iterable[Command]) -> float:
    """Return the mean number of actions whose predecessors are finished, over the starts of a plan."""
    before: dict[str, list[str]] = {action.id: [] for action in instance.actions}
    for lag in instance.lags:
        before[lag.after].append(lag.before)
    ends: dict[str, int] = {}
    counts = []
    for command in sorted(commands, key=lambda one: one.start):
        finished = {action for action, end in ends.items() if end <= command.start}
        counts.append(sum(one not in ends and finished.issuperset(before[one]) for one in before))
        ends[f"{command.recipe}/{command.step}"] = command.start + command.duration
    return fmean(counts)


@cache
def published_figures() -> dict[str, float]:
    """Return the figures of the paper's Table 2, for the bundled recipes and reference plans."""
    recipes = sorted({recipe for name in names() for recipe in name.rpartition("/")[2].split("_")})
    book = combine("book", recipes)
    windows = [lag.maximum for lag in book.lags if lag.maximum is not None]
    values: dict[str, list[float]] = {"untimed": [], "timed": []}
    steps = []
    for name in names():
        _, setting, pair = name.split("/")
        if plan := reference_plan(setting, pair):
            values[setting].append(reference_efficiency(load(setting, pair), plan) or 0.0)
            steps += [executable(load(setting, pair), plan)] if setting == "untimed" else []
    count = len(recipes)
    return {
        "recipes": count,
        "actions per recipe": len(book.actions) / count,
        "autonomous actions per recipe": sum(not action.attended for action in book.actions) / count,
        "interruptible actions per recipe": sum(action.interruptible for action in book.actions) / count,
        "time constraints per recipe": len(windows) / count,
        "minutes per action": fmean(action.duration for action in book.actions) / 60,
        "minutes of a restriction": fmean(windows) / 60,
        "executable actions per step": fmean(steps),
        "efficiency without time constraints, %": 100 * fmean(values["untimed"]),
        "efficiency with time constraints, %": 100 * fmean(values["timed"]),
    }
