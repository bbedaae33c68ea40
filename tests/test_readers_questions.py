"""Questions of newcomers, each with the page and line of its answer.

``PYTHONPATH=tests python tests/test_readers_questions.py`` prints them.
"""

from __future__ import annotations

import re

import pytest
from support.links import clicks, pages

#: Page of each answer, and a heading or sentence of it; white space does not count.
ANSWERS = {
    "How do I grade a CSV file?": ("outputs.md", "A CSV file has a row per plan: `planoracle grade answers.csv --map"),
    "How do I grade with the benchmark's own grader?": ("outputs.md", "`--profile released` grades exactly as"),
    "How do I add a heuristic?": ("reference/extending.md", "`Benchmark.heuristics` maps its name to"),
    "How do I read a regret?": ("regret.md", "is the increase in the best makespan that can still be reached."),
    "How do I check a certificate?": ("proved.md", "$ planoracle verify timearena/household1 proof.json"),
    "How do I schedule my own tasks from a CSV file?": ("problem_files.md", "## Tables of tasks"),
    "How does a model play live?": ("reference/agents.md", "planoracle run recipe2plan/timed --model openai/"),
    "How do I add a benchmark?": ("benchmark.md", "$ planoracle benchmark new tea_time"),
    "Which columns does a grade have?": ("reference/columns.md", "### Frame grades"),
    "Why is a submission unscored?": ("outputs.md", "A submission is *unscored* if"),
    "How do I resume an interrupted run?": ("outputs.md", "With `--run DIR` the same command resumes"),
    "How do I get a LaTeX table for a paper?": ("paper.md", "## Make a table"),
    "How do I get a reward for training?": ("training.md", "## A reward for whole plans"),
    "Whom do I cite?": ("paper.md", "Cite planoracle by the file `CITATION.cff`"),
    "Which options does a command have?": ("cli.md", "```{option} --time-limit SECONDS"),
    "How do I compare two models?": ("reference/comparisons.md", "`planoracle grade run-a run-b` compares each two"),
    "Is a difference significant?": ("reference/comparisons.md", "`p_sign` is the exact sign test of wins"),
    "What becomes of missing plans?": ("reference/comparisons.md", "No answer, a refused plan, or the makespan"),
    "How do I model setup times?": ("scope.md", "One set-up for each kind of work is an action that sets the state"),
    "How do I write dates in a table?": ("problem_files.md", "Releases, deadlines, windows and off-times may be dates"),
    "What can planoracle not do?": ("limits.md", "| sum of tardiness, also weighted | no |"),
}


def line_of(page: str, sentence: str) -> int | None:
    """Return the line of a page at which a sentence begins, ``None`` if the page does not have it."""
    pattern = r"\s+".join(map(re.escape, sentence.split()))
    match = re.search(pattern, pages()[page])
    return None if match is None else pages()[page].count("\n", 0, match.start()) + 1


@pytest.mark.parametrize("question", ANSWERS)
def test_a_page_at_most_two_clicks_from_the_start_answers(question: str) -> None:
    page, sentence = ANSWERS[question]
    assert line_of(page, sentence) is not None
    assert clicks("index.md", contents=False).get(page, 9) <= 2


def test_a_missing_answer_is_reported() -> None:
    assert line_of("outputs.md", "How to boil an egg") is None
    assert clicks("index.md", contents=False).get("tests/fuzz/README.md", 9) > 2


if __name__ == "__main__":
    for question, (page, sentence) in ANSWERS.items():
        print(f"{clicks('index.md', contents=False)[page]} clicks  {page}:{line_of(page, sentence)}  {question}")
