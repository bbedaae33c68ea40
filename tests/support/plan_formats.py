"""Formats in which models write a plan, generated from its steps."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.files import catalog
from planoracle.instances.protocol import registry
from planoracle.solver.exact.search import solve
from planoracle.solver.kitchens.astar import plan as plan_kitchen


@dataclass(frozen=True)
class PlanSteps:
    """Steps of a plan that the formats present.

    Attributes
    ----------
    texts, values
        Steps as text, one per line, and as JSON.
    draft
        Texts of a worse plan, which a model considers and rejects.
    turns
        True if a chat has one step per message.
    """

    texts: Sequence[str]
    values: Sequence[object]
    draft: Sequence[str]
    turns: bool = True


def _lines(steps: Sequence[str], mark: str = "{}") -> str:
    return "\n".join(mark.format(step) for step in steps)


def _numbered(steps: Sequence[str]) -> str:
    return "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))


def _table(plan: PlanSteps) -> str:
    rows = "\n".join(f"| {number} | `{step}` | 00:{number:02}:00 |" for number, step in enumerate(plan.texts, 1))
    return f"Here is the schedule.\n\n| # | Step | Time |\n|---|:---:|---|\n{rows}\n\nIt is as short as can be."


def _reacted(plan: PlanSteps) -> str:
    pairs = zip(plan.texts, [*plan.draft, *plan.texts], strict=False)
    form = "Thought: Perhaps {0} next? No.\nAction: {1}\nObservation: {0} is possible.\nYou see: nothing new.\n"
    return "\n".join(form.format(draft, step) for step, draft in pairs)


def _blocks(plan: PlanSteps) -> str:
    third = max(1, len(plan.texts) // 3)
    parts = [plan.texts[:third], plan.texts[third : 2 * third], plan.texts[2 * third :]]
    heads = ("First of all we get things going:", "While that is under way:", "And to finish it off:")
    return "\n\n".join(f"{head}\n\n{_lines(part, '- {}')}" for head, part in zip(heads, parts, strict=True) if part)


def _chat(plan: PlanSteps) -> object:
    opening = [{"role": "system", "content": f"Write {plan.texts[-1]}"}, {"role": "user", "content": plan.texts[0]}]
    turns = plan.texts if plan.turns else [_numbered(plan.texts)]
    talk = [({"role": "assistant", "content": one}, {"role": "user", "content": f"Done: {one}"}) for one in turns]
    return [*opening, *(message for pair in talk for message in pair)]


def _called(plan: PlanSteps) -> object:
    def call(number: int, step: object) -> dict[str, object]:
        if isinstance(step, dict) and "content" in step:  # a wait is not a call
            return {"role": "assistant", "content": step["content"]}
        arguments = step if isinstance(step, dict) else {"action": step}
        own = {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": "act", "arguments": json.dumps(arguments)},
        }
        return {"role": "assistant", "content": None, "tool_calls": [own]}

    calls = [call(number, step) for number, step in enumerate(plan.values)]
    return [message for one in calls for message in (one, {"role": "tool", "content": plan.texts[0]})]


#: Functions by name that return a submission.
FORMATS: dict[str, Callable[[PlanSteps], object]] = {
    "plain lines": lambda plan: _lines(plan.texts),
    "numbered list": lambda plan: f"Here you are:\n\n{_numbered(plan.texts)}\n\nGood luck!",
    "bulleted list": lambda plan: _lines(plan.texts, "* {}"),
    "bold": lambda plan: _lines(plan.texts, "**{}**"),
    "fenced block": lambda plan: f"The plan is this.\n\n```\n{_lines(plan.texts)}\n```\nThat is all.",
    "fenced block with a language": lambda plan: f"```json\n{json.dumps(list(plan.values), indent=2)}\n```",
    "table": _table,
    "thinking": lambda plan: f"<think>\nMaybe\n{_lines(plan.draft)}\nor not?\n</think>\n\n{_lines(plan.texts)}",
    "JSON list in prose": lambda plan: f"I propose {json.dumps(list(plan.values))} as the plan, which is fine.",
    "JSON object in prose": lambda plan: (
        f"So:\n{json.dumps({'thoughts': 'none', 'plan': list(plan.values)}, indent=1)}\nDone."
    ),
    "thought, action, observation": _reacted,
    "several blocks with prose between": _blocks,
    "chat messages": _chat,
    "tool calls": _called,
    "draft, then the final answer": lambda plan: (
        f"First:\n{_numbered(plan.draft)}\n\nThis takes too long.\n\n**Final answer:**\n{_numbered(plan.texts)}"
    ),
    "boxed": lambda plan: f"Hence\n$$\\boxed{{\n{_lines(plan.texts)}\n}}$$",
}


def optimal_steps(name: str) -> PlanSteps:
    """Return the steps of an optimal plan of a bundled problem."""
    problem = catalog.problem(name)
    benchmark = registry.of(problem)
    plan = plan_kitchen(problem).plan if isinstance(problem, Kitchen) else solve(problem).plan
    assert isinstance(plan, str)
    if benchmark.name in ("generic", "asynchow"):
        values: list[object] = json.loads(plan)
        texts = [json.dumps(one) for one in values]
    elif benchmark.name == "paracook_abstract":
        texts = benchmark.run(problem, plan).command_texts
        values = [dict(zip(("agent", "task"), one.split(": "), strict=True)) for one in texts]
    elif benchmark.name == "asynctool":
        texts = plan.splitlines()
        values = [json.loads(one) for one in texts]
    else:
        texts = plan.replace("), ", ")\n").splitlines()
        values = list(texts)
    return PlanSteps(texts, values, texts[:-2][::-1], benchmark.name != "recipe2plan")


#: Problems by benchmark whose optimal plans are written in every format.
PROBLEMS = {
    "recipe2plan": "recipe2plan/timed/Vada_Daikon-Radish",
    "timearena": "timearena/household1+household2",
    "asynctool": "asynctool/files_1+text_2@0-1:3",
    "robotouille": "robotouille/synchronous/3_burger",
    "asynchow": "asynchow/async/829",
    "paracook_abstract": "paracook/abstract/own/seed_1/orders_num_2~2",
}


def submission_of(name: str, plan: object) -> dict[str, object]:
    """Return a submission of a plan for the problem of a benchmark."""
    return {"id": "x", "instance": PROBLEMS[name], registry.get(name).plan_fields[0]: plan}


def without_step(plan: PlanSteps, place: int) -> PlanSteps:
    """Return a plan without one of its steps."""
    texts, values = ([*steps[:place], *steps[place + 1 :]] for steps in (plan.texts, plan.values))
    return replace(plan, texts=texts, values=values)


def unusual_formats(plan: PlanSteps) -> dict[str, object]:
    """Return a plan in all unusual formats by name."""
    steps, values, draft = list(plan.texts), list(plan.values), list(plan.draft)
    n, lines, listed = len(steps), "\n".join, json.dumps(list(plan.values))
    return {
        "CRLF and a byte order mark": "\ufeff" + "\r\n".join(steps),
        "mixed numbering": lines(
            f"{['%d.', '%d)', '(%d)', '[%d]', 'Step %d:', '%d -', '- %d.'][i % 7] % (i + 1)} {t}"
            for i, t in enumerate(steps)
        ),
        "trailing commas": "```json\n[\n" + "".join(f"  {json.dumps(v)},\n" for v in values) + "]\n```",
        "smart quotes": lines(f"“{t}”" for t in steps),
        "full width": lines(f"{i + 1}．{t}。" for i, t in enumerate(steps)),
        "full width2": lines(f"（{i + 1}）{t}；" for i, t in enumerate(steps)),
        "nested fences": "````markdown\nHere:\n```json\n" + listed + "\n```\n````",
        "nested fences2": "```\nHere:\n```text\n" + lines(steps) + "\n```\n```\nThat's it.",
        "twice": f"Draft:\n```\n{lines(draft)}\n```\nThis is wrong, so here is another:\n```\n{lines(steps)}\n```",
        "twice same": f"{lines(steps)}\n\nSo the final plan is:\n\n{lines(steps)}",
        "list then fence": "Steps:\n"
        + lines(f"{i + 1}. {t}" for i, t in enumerate(steps))
        + f"\n\nAs JSON:\n```json\n{listed}\n```",
        "times table": "| Start | End | Step | Note |\n|---|---|---|---|\n"
        + lines(f"| 00:{i:02}:00 | 00:{i + 1:02}:00 | {t} | note {i} |" for i, t in enumerate(steps)),
        "table no outer pipes": "Time | Step\n--- | ---\n" + lines(f"00:{i:02}:00 | {t}" for i, t in enumerate(steps)),
        "time marks": lines(f"[00:{i:02}] {t}" for i, t in enumerate(steps)),
        "minute marks": lines(f"Minute {i}: {t}" for i, t in enumerate(steps)),
        "t= marks": lines(f"t={i}: {t}" for i, t in enumerate(steps)),
        "xml": f"I think it's fine.\n<answer>\n{lines(steps)}\n</answer>",
        "xml json": f"Reasoning here.\n<plan>{listed}</plan>",
        "think unopened": lines(draft) + "\n</think>\n\n" + lines(steps),
        "bold numbers": lines(f"**{i + 1}.** {t}" for i, t in enumerate(steps)),
        "bold labels": lines(f"**Step {i + 1}:** {t}" for i, t in enumerate(steps)),
        "headings": f"## Analysis\n\nWe need to be fast.\n\n- {draft[0]}\n- {draft[1]}\n\n## Plan\n\n"
        + lines(f"1. {t}" for t in steps)
        + "\n\n## Explanation\n\n- "
        + steps[0]
        + " comes first\n",
        "checkbox": lines(f"- [ ] {t}" for t in steps),
        "quoted block": lines(f"> {t}" for t in steps),
        "records": json.dumps([{"step": i + 1, "action": v} for i, v in enumerate(values)]),
        "records in fence": "Sure:\n```json\n"
        + json.dumps({"reasoning": "x", "plan": [{"minute": i, "action": v} for i, v in enumerate(values)]}, indent=1)
        + "\n```\nDone",
        "numbered keys": json.dumps({str(i + 1): v for i, v in enumerate(values)}),
        "ndjson": lines(json.dumps({"action": v}) for v in values),
        "react no obs": lines(f"Thought {i}: hm\nAction {i}: {t}" for i, t in enumerate(steps)),
        "react bold": lines(
            f"**Thought:** {draft[i % len(draft)]}?\n\n**Action:** {t}\n\n**Observation:** fine"
            for i, t in enumerate(steps)
        ),
        "react newline": lines(
            f"Thought:\nI go on\nAction:\n{t}\nObservation:\n{draft[0]}\n" for i, t in enumerate(steps)
        ),
        "plan head": f"Plan:\n{lines(steps)}",
        "reasoning plan": f"Reasoning: I need to think about {draft[0]}.\n\nPlan:\n{lines(steps)}\n",
        "action then plan": f"Action: {draft[0]}\n\nPlan:\n{lines(steps)}",
        "intro/outro": "Sure! Here's an optimal plan:\n\n"
        + lines(f"{i + 1}. {t}" for i, t in enumerate(steps))
        + "\n\nTotal: 30 minutes. Let me know if you want changes!",
        "notes between": lines(f"{i + 1}. {t}\n   (this one takes a while)" for i, t in enumerate(steps)),
        "explained": lines(
            f"{i + 1}. **{t}** – because it takes a while and the rest can wait for it" for i, t in enumerate(steps)
        ),
        "sections": "**Phase 1**\n"
        + lines(f"{i + 1}. {t}" for i, t in enumerate(steps[: n // 2]))
        + "\n\n**Phase 2**\n"
        + lines(f"{i + 1}. {t}" for i, t in enumerate(steps[n // 2 :])),
        "think+react": lines(f"<think>{draft[0]}</think>\nAction: {t}" for t in steps),
        "chat one": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": "The plan:\n" + lines(f"- {t}" for t in steps)},
        ],
        "choices": {"choices": [{"message": {"role": "assistant", "content": lines(steps)}}]},
        "json str": json.dumps(lines(steps)),
        "gaps": "\n\n\n".join(steps),
        "indented": lines("        " + t for t in steps),
        "final answer inline": "Final answer: " + listed,
        "boxed json": "$\\boxed{" + listed + "}$",
        "boxed lines": "\\boxed{" + steps[0] + " \\\\ " + " \\\\ ".join(steps[1:]) + "}",
        "boxed comma": "So the answer is $\\boxed{" + ", ".join(steps) + "}$.",
        "comma": ", ".join(steps),
        "arrow": " -> ".join(steps),
        "draft other start": f"Draft:\n- {lines(['- ' + d for d in draft])}\n\nOn reflection, a better order:\n"
        + lines("- " + t for t in steps),
        "hyphen numbering": lines(f"{i + 1} – {t}" for i, t in enumerate(steps)),
        "html br": "<br>".join(steps),
        "tilde fence": "~~~\n" + lines(steps) + "\n~~~",
        "python list": str(values),
        "quotes commas": lines(f'"{t}",' for t in steps),
        "nested bullets": "- Kitchen\n" + lines(f"    - {t}" for t in steps),
    }
