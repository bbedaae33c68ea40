"""Benchmark of the report page with ten thousand submissions: build time, size and display times.

Run ``python tests/benchmarks/report.py`` on a quiet machine with two processors; display times need a browser.
``--page FILE`` keeps the page.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

from planoracle.analysis.grading.grader import Grader, grade_all
from planoracle.analysis.grading.oracle import optimum
from planoracle.analysis.report.build import build
from planoracle.analysis.report.work import entries_of
from planoracle.heuristics.registry import run
from planoracle.instances.files.catalog import expand, load

COUNT = 10_000
HEURISTICS = ("serial-lpt", "parallel-wait")
#: Agents by the number of mutations of their plans.
AGENTS = {"exact": 0, "careful": 1, "steady": 2, "hasty": 3, "random": 8}
FIELDS = {"recipe2plan": "plan", "timearena": "actions", "asynctool": "turns"}


def submissions() -> list[dict[str, Any]]:
    """Return plans of agents of different quality for all bundled scheduling problems."""
    random = Random(0)
    rows: list[dict[str, Any]] = []
    names = expand(["recipe2plan", "timearena", "asynctool"])
    bases = {name: list(plans(name)) for name in names}
    while len(rows) < COUNT:
        for agent, mutations in AGENTS.items():
            for name in names:
                plan = random.choice(bases[name]) if mutations else bases[name][0]
                for _ in range(mutations):
                    plan = mutated(plan, random)
                benchmark = name.partition("/")[0]
                row = {"id": f"{agent}-{len(rows)}", "model": agent, "instance": name}
                rows.append(row | {FIELDS[benchmark]: written(plan, benchmark)})
    return rows[:COUNT]


def plans(name: str) -> Iterator[list[str]]:
    """Yield the optimal plan and those of heuristics, command by command."""
    instance = load(name)
    texts = [optimum(instance).plan, *(run(instance, heuristic).plan for heuristic in HEURISTICS)]
    for text in texts:
        if text is not None:
            yield text.split(", Step") if instance.benchmark == "recipe2plan" else text.splitlines()


def mutated(plan: list[str], random: Random) -> list[str]:
    """Swap, drop or repeat a command."""
    plan = list(plan)
    i, j = random.randrange(len(plan)), random.randrange(len(plan))
    kind = random.random()
    if kind < 0.5:
        plan[i], plan[j] = plan[j], plan[i]
    elif kind < 0.7:
        plan.insert(i, plan[j])
    elif len(plan) > 1:
        plan.pop(i)
    return plan


def written(plan: list[str], benchmark: str) -> Any:
    """Return a plan in the form of submissions."""
    if benchmark == "timearena":
        return plan
    return ", Step".join(part.removeprefix("Step") for part in plan) if benchmark == "recipe2plan" else "\n".join(plan)


def views(page: Path) -> None:
    """Measure the page in a browser."""
    from tests.support.chromium import BINARY, Chromium

    if BINARY is None:
        print("no browser is installed; display times are not measured")
        return
    with Chromium() as browser:
        firsts = []
        for _ in range(5):
            tab = browser.page()
            began = perf_counter()
            tab.open(page)
            firsts.append(perf_counter() - began)
        print(f"first view: {statistics.median(firsts):.2f} s in the median of 5, worst {max(firsts):.2f} s")
        links = tab.run("[...document.querySelectorAll('#submissions ~ .table tbody th a')].map((a) => a.hash)")
        opened, sorting = [], []
        for link in links:
            for hash_ in (link, link.rpartition("/")[0] + "/", "#"):
                spent = tab.run(TIMED % (hash_, hash_))
                (opened if hash_ != "#" else sorting).append(spent)
        print(
            f"opening a problem or a plan: {statistics.median(opened):.0f} ms in the median, worst {max(opened):.0f} ms"
        )
        print(f"back to all plans: {statistics.median(sorting):.0f} ms in the median, worst {max(sorting):.0f} ms")
        print(f"sorting: {tab.run(SORTED):.0f} ms; searching: {tab.run(SEARCHED):.0f} ms")


# Wait until the view has been painted.
_PAINT = "await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));"
TIMED = (
    "(async () => { const began = performance.now(); location.hash = '%s';"
    " while (document.getElementById('main').dataset.view !== ('%s' === '#' ? '' : location.hash))"
    "  await new Promise((done) => setTimeout(done, 1));" + _PAINT + " return performance.now() - began })()"
)
SORTED = (
    "(async () => { const began = performance.now();"
    " document.querySelectorAll('#submissions ~ .table thead button')[1].click();" + _PAINT
) + " return performance.now() - began })()"
SEARCHED = (
    "(async () => { const began = performance.now(); const box = document.getElementById('filter-text');"
    " box.value = 'cobbler hasty'; box.dispatchEvent(new Event('input'));" + _PAINT
) + " return performance.now() - began })()"


def main() -> None:
    """Build the page and measure it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--page", type=Path)
    page_file = parser.parse_args().page
    rows = list(enumerate(submissions(), 1))
    for name in {row["instance"] for _, row in rows}:
        load(name).memos.clear()  # so that grading solves them again
    began = perf_counter()
    graded = sum(grade.scored for grade in grade_all(rows, Grader()))
    grading = perf_counter() - began
    print(f"{len(rows)} submissions, {graded} of them gradable; grading alone takes {grading:.1f} s in one process")
    began = perf_counter()
    report = build(entries_of(rows))
    whole = perf_counter() - began
    print(f"page built in {whole:.1f} s ({whole - grading:.1f} s beyond grading), {report.priced} plans priced")
    print(f"file: {len(report.html.encode()) / 2**20:.1f} MiB")
    with tempfile.TemporaryDirectory() as folder:
        page = page_file or Path(folder) / "page.html"
        page.write_text(report.html, encoding="utf-8")
        views(page)


if __name__ == "__main__":
    main()
