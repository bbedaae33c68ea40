"""Odder forms of plans: unusual numbering, broken JSON, drafts, sections, whatever models have come up with."""

from __future__ import annotations

import json

from tests.support.shapes import Written


def odd_forms(plan: Written) -> dict[str, object]:
    """Return a plan in every odd form, by its name."""
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
