"""Answer texts around a plan: rejected ones that contain a right plan, and accepted ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

#: Function that formats the steps of a plan as text.
Form = Callable[[Sequence[str]], str]
Shape = Callable[[str, str, str], str]


def _value(step: str) -> object:
    return json.loads(step) if step.startswith("{") else step


#: Text formats of a plan by name.
FORMS: dict[str, Form] = {
    "numbered": lambda steps: "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1)),
    "bullets": lambda steps: "\n".join(f"- {step}" for step in steps),
    "fence": lambda steps: "```\n" + "\n".join(steps) + "\n```",
    "json": lambda steps: json.dumps([_value(step) for step in steps]),
    "lines": "\n".join,
    "table": lambda steps: "| # | action |\n|---|---|\n" + "\n".join(f"| {i} | {s} |" for i, s in enumerate(steps, 1)),
}


def spoil(steps: Sequence[str]) -> list[str]:
    """Return a failing plan: without its last two steps, the others in reverse order."""
    return list(steps[:-2])[::-1]


def first_half(steps: Sequence[str]) -> list[str]:
    """Return the first half of a plan."""
    return list(steps[: max(1, len(steps) // 2)])


#: Shapes of (good plan, bad plan, half of the good one) that must not succeed.
WRONG: dict[str, Shape] = {
    # of the issue
    "retracted, then a refusal": lambda good, bad, half: f"{good}\n\nWait, that is wrong. I do not know a plan.",
    "quoted example, then a refusal": lambda good, bad, half: (
        "\n".join(f"> {one}" for one in good.split("\n")) + "\n\nI'm sorry, I cannot solve this."
    ),
    "invalid plan, then a refusal": lambda good, bad, half: f"An invalid plan would be:\n{good}\n\nI give up.",
    "final bad, then a draft": lambda good, bad, half: (
        f"Final answer:\n{bad}\n\nNotes (first draft, not the answer):\n{good}"
    ),
    "plan A bad, plan B good": lambda good, bad, half: f"Plan A:\n{bad}\n\nPlan B:\n{good}",
    "plan A good, plan B bad": lambda good, bad, half: f"Plan A:\n{good}\n\nPlan B:\n{bad}",
    "either good or bad": lambda good, bad, half: f"Either\n{good}\nor\n{bad}",
    "retracted, then half": lambda good, bad, half: f"{good}\n\nWait, that is wrong. Let me redo it:\n{half}",
    "draft good, final bad": lambda good, bad, half: f"Draft:\n{good}\n\nFinal plan:\n{bad}",
    "quoted good, my plan bad": lambda good, bad, half: (
        "Example:\n" + "\n".join(f"> {one}" for one in good.split("\n")) + f"\n\nMy plan:\n{bad}"
    ),
    # retractions
    "scratch that": lambda good, bad, half: f"Here you go:\n\n{good}\n\nScratch that. I have no valid plan.",
    "will not work": lambda good, bad, half: f"{good}\n\nHmm, on second thought this will not work.",
    "doesn't work": lambda good, bad, half: f"## Plan\n{good}\n\n**Actually, it doesn't work.** Sorry!",
    "ignore the above": lambda good, bad, half: f"{good}\n\nPlease ignore the above; I was unable to find a plan.",
    "mistake": lambda good, bad, half: f"{good}\n\nOops, I made a mistake in step 2, so this plan is invalid.",
    "not valid": lambda good, bad, half: f"{good}\n\n---\n\nUnfortunately, the plan above is not valid.",
    "violates": lambda good, bad, half: f"{good}\n\nThis schedule violates a constraint, and I can't fix it.",
    "take back": lambda good, bad, half: f"{good}\nI take that back.",
    "retraction bulleted": lambda good, bad, half: f"{good}\n\n- I retract this plan.\n- I cannot offer another one.",
    "retracted in a note": lambda good, bad, half: f"{good}\n\nNote: the plan above is wrong, please disregard it.",
    "not my answer": lambda good, bad, half: f"{good}\n\nThis is not my final answer. I don't have one.",
    "only an example": lambda good, bad, half: f"{good}\n\nThat was only an example. I do not know the solution.",
    "instead, then bad": lambda good, bad, half: f"{good}\n\nInstead, I will do the following:\n{bad}",
    "wrong, then bad": lambda good, bad, half: f"First try:\n{good}\n\nNo, that's incorrect. Corrected plan:\n{bad}",
    "start over, half": lambda good, bad, half: f"{good}\n\nThis fails at the end. Let me start over.\n\n{half}",
    # examples, drafts, quotations
    "for example": lambda good, bad, half: f"It could look like this, for example:\n{good}\n\nI cannot solve it.",
    "draft only": lambda good, bad, half: f"**Draft (not final):**\n\n{good}\n\nI ran out of ideas after that.",
    "rejected": lambda good, bad, half: f"### Rejected plan\n{good}\n\n### Answer\n{bad}",
    "incorrect solution": lambda good, bad, half: f"Here is an incorrect solution:\n\n{good}\n\nNo plan exists.",
    "do not do this": lambda good, bad, half: f"Do not do this:\n{good}\n\nDo this:\n{bad}",
    "example tags": lambda good, bad, half: f"<example>\n{good}\n</example>\n\nI don't know how to go on.",
    "blockquote": lambda good, bad, half: f"<blockquote>\n{good}\n</blockquote>\n\nThat is what you wrote. I pass.",
    "previous attempt": lambda good, bad, half: f"My answer:\n{bad}\n\nA previous attempt was:\n{good}",
    "earlier version": lambda good, bad, half: f"The final schedule is:\n{bad}\n\nEarlier version:\n{good}",
    # two plans
    "option 1 and 2": lambda good, bad, half: f"**Option 1**\n{good}\n\n**Option 2**\n{bad}\n\nBoth may be fine.",
    "alternatively": lambda good, bad, half: f"{good}\n\nAlternatively:\n{bad}",
    "another plan": lambda good, bad, half: f"One plan is\n{bad}\n\nAnother plan is\n{good}",
    "or": lambda good, bad, half: f"You can do this:\n{bad}\n\nor this:\n{good}",
    "no words": lambda good, bad, half: f"{bad}\n\n---\n\n{good}",
    "chosen bad": lambda good, bad, half: f"Plan A:\n{good}\n\nPlan B:\n{bad}\n\nI choose plan B.",
    "better bad": lambda good, bad, half: f"{good}\n\nA better plan:\n{bad}",
    "final, short": lambda good, bad, half: f"{good}\n\nMy final answer is:\n{half}",
    "tagged bad": lambda good, bad, half: f"I could do this:\n{good}\n\n<answer>\n{bad}\n</answer>",
    # cut off
    "thinking without end": lambda good, bad, half: f"<think>\nLet me see.\n{good}\nThat may do, but",
    "thinking on one line": lambda good, bad, half: f"<think>Let me see. {good}",
    "cut off after the plan": lambda good, bad, half: f"{good}\n<think>No, wait, step 2",
    "refusal": lambda good, bad, half: "I'm sorry, but I can't help with that.\n\n- It is too long.\n- It is too hard.",
}

#: Shapes that must succeed.
RIGHT: dict[str, Shape] = {
    "greeting and offer": lambda good, bad, half: (
        f"Sure! Here's the plan:\n\n{good}\n\nLet me know if anything goes wrong or if you want changes instead."
    ),
    "nothing goes wrong": lambda good, bad, half: f"{good}\n\nNote: nothing goes wrong here, and no rule is violated.",
    "rationale before": lambda good, bad, half: (
        "Instead of waiting for what works by itself, I do the rest meanwhile. Starting late would be wrong, since it"
        f" delays the end.\n\n{good}"
    ),
    "rationale behind": lambda good, bad, half: (
        f"{good}\n\nWhy this works: what takes long comes first instead of last. If it came last, it would not work in "
        "time, and the order would be wrong."
    ),
    "verification": lambda good, bad, half: (
        f"{good}\n\n**Check**\n- No step violates a constraint.\n- Nothing is too late, and there is no conflict.\n\n"
        "So this plan is not wrong, as far as I can see."
    ),
    "summary": lambda good, bad, half: f"{good}\n\nIn short, the key steps are:\n{half}",
    "draft, then final": lambda good, bad, half: f"Draft:\n{bad}\n\nFinal answer:\n{good}",
    "retracted, then better": lambda good, bad, half: f"{bad}\n\nWait, that is wrong. Here is the right plan:\n{good}",
    "thinking": lambda good, bad, half: f"<think>\n{bad}\nWait, that's wrong. Hmm.\n</think>\n\n{good}",
    "chosen": lambda good, bad, half: f"Plan A:\n{bad}\n\nPlan B:\n{good}\n\nPlan B is better, so I choose plan B.",
    "final, then notes": lambda good, bad, half: f"Final plan:\n{good}\n\nNotes (first draft, not the answer):\n{bad}",
    "twice": lambda good, bad, half: f"{good}\n\nSo once more, the full plan:\n\n{good}",
    "quoted task": lambda good, bad, half: f"> Do everything as fast as possible. An example is wrong.\n\n{good}",
    "limits": lambda good, bad, half: f"{good}\n\nI cannot find a shorter plan, and I do not know a faster one.",
    "headings": lambda good, bad, half: (
        f"# Analysis\nThe hard part is not to be idle.\n\n# Plan\n{good}\n\n# Remarks\nDo not worry about mistakes."
    ),
    "example of the form": lambda good, bad, half: f"As in your example, one step stands on each line.\n\n{good}",
    "invalid, then mine": lambda good, bad, half: f"An invalid plan would be:\n{bad}\n\nMy plan avoids that:\n{good}",
    "answer tags": lambda good, bad, half: f"I first thought of this:\n{bad}\n\n<answer>\n{good}\n</answer>\nDone.",
    "duration behind": lambda good, bad, half: f"{good}\n\nFinal answer: everything is done as early as it can be.",
    "correction of words": lambda good, bad, half: (
        f"The task says to be quick; correct me if I am wrong about that.\n\n{good}\n\nGood luck, and wait for no one!"
    ),
}
