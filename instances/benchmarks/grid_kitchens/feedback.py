"""Feedback on plans for grid kitchens: the action at which the run ended, and the open orders."""

from __future__ import annotations

from functools import partial

from planoracle.instances.benchmarks.grid_kitchens.descriptions import dish_in_words, ticks_in_words
from planoracle.instances.benchmarks.grid_kitchens.kitchen_state import Early
from planoracle.instances.benchmarks.grid_kitchens.language import json_number, whole
from planoracle.instances.benchmarks.grid_kitchens.run import GridKitchenRun
from planoracle.instances.model.violations import Violation
from planoracle.instances.protocol.feedback import Examination, FeedbackItem, Topic, clean, clock_of, listed
from planoracle.instances.protocol.run import MismatchEvidence

TOPICS = (
    Topic(
        "reading",
        "Form of the plan",
        ("unreadable", "empty", "unknown_agent", "plan_not_a_list", "malformed", "unknown_action"),
        'Write {"agent1": [action, ...], ...} with the names of the cooks that there are.',
    ),
    Topic(
        "places",
        "Ways and places",
        ("unreachable", "unknown_target", "not_a_station", "not_adjacent", "wall"),
        "Walk to a free tile next to the station first; walls and stations cannot be entered.",
    ),
    Topic(
        "time",
        "Time and turns",
        ("negative_wait", "station_in_use", "serve_at_zero", "no_dirty_plate", "after_finish"),
        "Wait until things are there, and before a station is used by two.",
    ),
    Topic(
        "hands",
        "Hands and stations",
        (
            *("nothing_here", "wrong_for_cookware", "cannot_place", "stove_refuses", "no_clean_plate"),
            *("sink_refuses", "hands_full", "nothing_to_discard"),
        ),
        "Keep track of what every cook holds and of what every station carries.",
    ),
    Topic(
        "work",
        "Work at stations",
        ("stove_empty", "process_unsupported", "stove_process", "nothing_to_chop", "not_raw", "nothing_to_wash"),
        "Process only raw ingredients on a chopping board and dirty plates in a sink.",
    ),
    Topic(
        "dishes",
        "Dishes",
        ("serve_no_plate", "no_order_left", "dish_wrong_count", "dish_mismatch"),
        "Serve on a plate exactly what the next order needs, each ingredient in its state.",
    ),
    Topic("cooking", "Cooking", (), "Leave food in the cookware on a stove until it is cooked."),
    Topic("completeness", "Orders", (), "Go on until every order is served."),
)


def examine(run: GridKitchenRun) -> Examination:
    """Return the violation and the open orders of a run as feedback."""
    fault = run.verdict.fatal
    number = run.outcome.world.served
    remarks = {} if run.success else {"cooking": tuple(map(partial(_too_early, run), run.outcome.world.early))}
    remarks["completeness"] = tuple(
        FeedbackItem.of(
            Violation(None, "not_served", dish.name, required=dish_in_words(dish)),
            f"order {number + n} of {len(run.problem.orders)} is not served: {dish_in_words(dish)}",
        )
        for n, dish in enumerate(run.problem.orders[number:], 1)
    )
    return Examination(
        replay=run.verdict,
        findings=() if fault is None else (_finding(run, fault),),
        clock=clock_of(run.problem),
        command=lambda index: _place(run),
        remarks=remarks,
        notes=tuple(_notes(run)),
        aim="orders",
    )


def foreign(run: GridKitchenRun) -> MismatchEvidence:
    """Return the stations and cooks that a plan names and the grid kitchen does not have."""
    acts = [act for queue in run.outcome.queues for act in queue]
    names = [clean(act.target, 40) for act in acts if act.fault == "unknown_target"]
    error = run.outcome.error
    if error is not None and error.kind == "unknown_agent":
        names.append(clean(error.name, 40))
    return MismatchEvidence(tuple(names), len(acts) or len(names))


def _place(run: GridKitchenRun) -> str:
    """Name the action at which the run ended."""
    error, fault = run.outcome.error, run.verdict.fatal
    if error is None or fault is None or error.position is None:
        return "the plan"
    _, _, action = fault.subject.partition(": ")
    return f"action {error.position + 1} of {fault.resource} ({action}, tick {json_number(run.outcome.time)})"


def _finding(run: GridKitchenRun, fault: Violation) -> FeedbackItem:
    place = _place(run)
    return FeedbackItem.of(fault, fault.message if place == "the plan" else f"{place}: {fault.message}")


def _too_early(run: GridKitchenRun, early: Early) -> FeedbackItem:
    """Describe food that was taken out before it was cooked."""
    of, ware = run.outcome.ground, early.ware
    food = listed([food.name for food in ware.contents if food.state != "cooked"])
    station, ticks = of.names[early.station], ticks_in_words(ware.remaining)
    position = f"{of.cooks[early.cook]} at {station}, tick {json_number(early.clock)}"
    text = f"{food} was taken from the {ware.kind} ({position}) before it was cooked: it needed {ticks} more on a stove"
    now = whole(early.clock)
    fault = Violation(
        None, "too_early", food, start=now, end=now, resource=station, required=whole(ware.remaining), actual=0
    )
    return FeedbackItem.of(fault, text)


def _notes(run: GridKitchenRun) -> list[str]:
    notes = []
    outcome, before = run.outcome, run.errors - (run.outcome.error is not None)
    if before:
        notes.append(f"Everything began anew {'once' if before == 1 else f'{before} times'} after an error.")
    if outcome.served_at:
        moments = listed([str(json_number(moment)) for moment in outcome.served_at])
        several = len(outcome.served_at) > 1
        notes.append(f"Dishes were served at ticks {moments}." if several else f"A dish was served at tick {moments}.")
        late = outcome.time - outcome.served_at[-1]
        if outcome.done and late > 0:
            notes.append(f"The run goes on for {ticks_in_words(late)} after the last dish, which count.")
    return notes
