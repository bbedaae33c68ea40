"""Feedback on plans in kitchens: unmet conditions of refused actions, and of the goal."""

from __future__ import annotations

from planoracle.instances.benchmarks.kitchens import problems, released_kitchens
from planoracle.instances.benchmarks.kitchens.descriptions import condition_in_words, refusal_in_words
from planoracle.instances.benchmarks.kitchens.domain import KitchenDomain
from planoracle.instances.benchmarks.kitchens.failures import Lack, lacks
from planoracle.instances.benchmarks.kitchens.run import KitchenRun
from planoracle.instances.benchmarks.kitchens.simulation import Refusal, reaches_goal
from planoracle.instances.model.violations import Violation
from planoracle.instances.protocol.feedback import Examination, FeedbackItem, Topic, clean, listed
from planoracle.instances.protocol.run import MismatchEvidence

TOPICS = (
    Topic("reading", "Actions that do not exist", ("unknown_action",), "Write actions exactly as they are listed."),
    Topic(
        "unknown",
        "Objects that do not fit",
        ("unknown_object",),
        "Use only objects of the kitchen, each as its kind allows.",
    ),
    Topic("turns", "Turns", ("not_your_turn",), "Act only with the player whose turn it is."),
    Topic("conditions", "Conditions", ("precondition",), "Make these conditions true first."),
    Topic("completeness", "Goal", (), "Continue until the goal is reached."),
)

_UNREACHED = {
    "unprepared": "{objects} is not yet {predicate}",
    "wrong_stack": "the order of the stack is wrong: {condition} does not hold",
    "wrong_place": "{condition} does not hold",
    "missing": "{condition} does not hold: no such object exists",
}


def examine(run: KitchenRun) -> Examination:
    """Return the refused actions and the unmet conditions of a run as feedback."""
    record = run.record
    missing = () if run.success else lacks(record.rules, record.states[-1])
    domain = run.problem.domain
    findings = [_finding(refusal, record.steps[refusal.position].action, domain) for refusal in record.refusals]
    return Examination(
        replay=run.verdict,
        findings=tuple(findings),
        clock=run.benchmark.clock(run.problem),
        command=lambda index: f"command {index + 1}",
        remarks={"completeness": tuple(_remark(lack, domain) for lack in missing)} if missing else {},
        notes=("The step limit was reached.",) if record.end == "limit" else (),
        aim="goal",
    )


def foreign(run: KitchenRun) -> MismatchEvidence:
    """Return the objects that actions name and the kitchen does not contain; meals can be created later.

    The released kitchen of a task and ours are similar: the plan may be a success in the other one.
    """
    domain = run.problem.domain
    refusals = [refusal for refusal in run.record.refusals if refusal.kind == "unknown_object"]
    names = [refusal.resource for refusal in refusals if refusal.resource]
    missing = [name for name in names if domain.type_of(name.rstrip("0123456789").lower()) != "meal"]
    return MismatchEvidence(tuple(missing), len(run.record.steps), _fitting(run))


def _fitting(run: KitchenRun) -> str:
    """Return the kitchen of the same task in which the plan of a run is a success, ``""`` if none."""
    prefix, _, task = run.problem.name.partition("/")
    catalogs = {"robotouille": released_kitchens, "kitchens": problems}
    if prefix not in catalogs:
        return ""
    for benchmark, catalog in catalogs.items():
        task_without_seed = task.partition("@")[0]
        for name in dict.fromkeys((f"{benchmark}/{task}", f"{benchmark}/{task_without_seed}")):
            if name == run.problem.name or not catalog.covers(name):
                continue
            if reaches_goal(catalog.kitchen(name), run.plan.commands, run.rules, run.plan.limit):
                return name
    return ""


def _finding(refusal: Refusal, action: str, domain: KitchenDomain) -> FeedbackItem:
    text = f'command {refusal.position + 1} ("{clean(action, 70)}"): {refusal_in_words(refusal, domain)}'
    return FeedbackItem.of(refusal, text)


def _remark(lack: Lack, domain: KitchenDomain) -> FeedbackItem:
    words = condition_in_words(lack.objects, sentences=domain.sentence_of)
    names = [clean(name) for name in lack.objects[1:]]
    predicate = clean(lack.objects[0]).removeprefix("is")
    text = _UNREACHED[lack.kind].format(objects=listed(names) or "it", predicate=predicate, condition=words)
    subject, condition = " ".join(lack.objects), " ".join(lack.condition)
    return FeedbackItem.of(Violation(None, lack.kind, subject, required=(condition,)), text)
