"""Generated pages and pictures of the site: benchmarks, facts of papers, gallery."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from planoracle.analysis.components import components
from planoracle.analysis.contract.cases import ContractCase, NotApplicableError, sample
from planoracle.analysis.contract.cheat_checks import ACCEPTED, CHEAT_CHECKS, TRIES, meaning_of
from planoracle.analysis.contract.cheats import CHEATS
from planoracle.analysis.contract.suite import cases_of
from planoracle.instances.files.catalog import names_of, problem
from planoracle.instances.model.features import Feature
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyBenchmark
from planoracle.instances.protocol.scoring import Metric

__all__ = [
    "benchmark_page",
    "cheat_counts",
    "cheat_table",
    "cheated_cases",
    "cheats_page",
    "facts",
    "facts_page",
    "features_page",
    "page_path",
    "page_section",
    "pictures",
    "with_benchmark_links",
]

_PLANORACLE = Path(sys.executable).parent / "planoracle"
_FACTS = Path(__file__).resolve().parents[1] / "tests" / "facts"
_CHEATS = Path(__file__).with_name("cheats.md")
#: Problems of each benchmark whose plans are changed into cheating ones.
_CHEATED_PROBLEMS = 5
#: Files of facts, in the order of the page.
_PAPERS = ("timearena", "recipe2plan", "robotouille", "asynctool", "model")
_BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def benchmark_page(name: str) -> str:
    """Return the page of a benchmark: the docstring of its class with its examples as blocks.

    The docstring is Markdown. The section on metrics ends with tables of the declared metrics and averages.
    """
    benchmark = registry.get(name)
    text = inspect.getdoc(type(benchmark)) or ""
    head, section, rest = text.partition("Metrics\n-------\n")
    prose, title, rest = rest.partition("\nDifferences between paper and released code\n")
    cheats = page_section(_CHEATS.read_text("utf-8"), name)
    text = f"{head}{section}{prose}\n{_metric_tables(benchmark)}{title}{_with_cheats(rest, cheats)}"
    for prompt, language in ((">>> ", "python"), ("$ ", "console")):
        example = rf"^{re.escape(prompt)}.*(?:\n.+)*"
        text = re.sub(example, lambda match, language=language: f"```{language}\n{match[0]}\n```", text, flags=re.M)
    return f"# {benchmark.title}\n\n{text}\n"


def _metric_tables(benchmark: AnyBenchmark) -> str:
    """Return a table of the metrics of a benchmark, and one of its averages over many runs."""
    rules = benchmark.rules.profile()
    metrics = [one for one in benchmark.metrics.declare(rules) if isinstance(one, Metric)]
    rows = [f"| `{one.name}` | {one.unit} | {one.meaning} |" for one in metrics]
    averages = [f"| `{one.name}` | {one.meaning} |" for one in benchmark.metrics.averages(rules)]
    parts = [["| metric | unit | meaning |", "|---|---|---|", *rows]] if rows else []
    return "\n\n".join(map("\n".join, [*parts, ["| average | meaning |", "|---|---|", *averages]])) + "\n"


def _with_cheats(text: str, table: str) -> str:
    """Return the end of a docstring with the table of cheats at the end of its first section."""
    before, title, after = text.partition("\nKnown errors of references\n")
    introduction = "[Plans that cheat](../../../.docs/cheats.md), by our rules and by those of the released code:"
    return f"{before}\n{introduction}\n\n{table}{title}{after}"


def page_section(page: str, title: str) -> str:
    """Return the text of a section of a page, without its title."""
    return page.partition(f"\n## {title}\n\n")[2].partition("\n## ")[0]


def cheats_page(page: str) -> str:
    """Return the page of cheats: the unchanged introduction, and tables of what became of cheating plans."""
    introduction = page.partition("\n## ")[0].rstrip("\n") + "\n"
    counts = {name: cheat_counts(name) for name in registry.names()}
    names = [cheat.__name__.replace("_", " ") for cheat in CHEATS]
    lines = ["\n## All benchmarks\n", _row(["cheat", *counts]), "|---|" + "---|" * len(counts)]
    for number, name in enumerate(names):
        cells = [_accepted(of_benchmark[number]) for of_benchmark in counts.values()]
        lines.append(_row([name, *cells]))
    sections = [f"\n## {name}\n\n{cheat_table(of_benchmark)}" for name, of_benchmark in counts.items()]
    return introduction + "\n".join(lines) + "\n" + "".join(sections)


def cheat_counts(name: str) -> list[Counter[str]]:
    """Return for each cheat how many plans for problems of a benchmark had each result."""
    cases = cheated_cases(registry.get(name))
    counts: list[Counter[str]] = []
    for check in CHEAT_CHECKS:
        total: Counter[str] = Counter()
        for case in cases:
            with suppress(NotApplicableError):
                total.update(check(case))
        counts.append(total)
    return counts


def cheated_cases(benchmark: AnyBenchmark) -> list[ContractCase]:
    """Return problems of a benchmark by their own rules, drawn from the bundled ones or generated."""
    names = list(names_of(benchmark))
    drawn = Random(0).sample(names, min(len(names), _CHEATED_PROBLEMS))
    problems = [problem(name) for name in drawn] or sample(benchmark, _CHEATED_PROBLEMS, 0)
    return [case for case in cases_of(problems, 0) if case.profile == "default"]


def _accepted(counts: Counter[str]) -> str:
    """Return how many plans gain something by our rules, and how many only the released rules accept."""
    return f"0 / {counts[ACCEPTED]}" if counts else "–"


def cheat_table(counts: list[Counter[str]]) -> str:
    """Return the table of the cheats of a benchmark from the results of their plans."""
    lines = [_row(["cheat", "tries", "by our rules", "only the released rules accept"]), "|---|---|---|---|"]
    for cheat, of_cheat in zip(CHEATS, counts, strict=True):
        results = [key for key, _ in of_cheat.most_common() if key not in (TRIES, ACCEPTED)]
        texts = ", ".join(f"{of_cheat[result]} {result}" for result in results)
        cells = [str(of_cheat[TRIES]), texts or "does not apply", str(of_cheat[ACCEPTED])]
        lines.append(_row([meaning_of(cheat), *cells]))
    return "\n".join(lines) + "\n"


def facts() -> list[dict[str, Any]]:
    """Return the facts of the papers: paper, where, fact, command, find, result, agrees, note, slow.

    ``note`` and ``slow`` are optional.
    """
    return [fact for name in _PAPERS for fact in json.loads((_FACTS / f"{name}.json").read_text("utf-8"))]


def facts_page(page: str) -> str:
    """Return the page of facts: the unchanged introduction, and a section with a table per paper."""
    introduction = page.partition("\n## ")[0].rstrip("\n") + "\n"
    papers: dict[str, list[dict[str, Any]]] = {}
    for fact in facts():
        papers.setdefault(fact["paper"], []).append(fact)
    return introduction + "".join(_facts_of_paper(paper, one) for paper, one in papers.items())


def _facts_of_paper(paper: str, of_paper: list[dict[str, Any]]) -> str:
    wrong = sum(not fact["agrees"] for fact in of_paper)
    lines = [f"\n## {paper}\n", f"{len(of_paper)} facts, {wrong} with a published number that cannot be reproduced.\n"]
    lines += [_row(["where", "fact", "command", "result", "agrees"]), "|---|---|---|---|---|"]
    for fact in of_paper:
        text = " ".join(filter(None, [fact["fact"], fact.get("note")]))
        agrees = "yes" if fact["agrees"] else "**no**"
        lines.append(_row([fact["where"], text, f"`{fact['command']}`", fact["result"], agrees]))
    return "\n".join(lines) + "\n"


def features_page(page: str) -> str:
    """Return the page of features: the unchanged introduction, and tables of what the components declare."""
    introduction = page.partition("\n## ")[0].rstrip("\n") + "\n"
    names = [feature.name.lower() for feature in Feature]
    lines = ["\n## Features\n", _row(["feature", "meaning"]), "|---|---|"]
    lines += [_row([f"`{feature.name.lower()}`", feature.value]) for feature in Feature]
    lines += ["\n## Components\n", _row(["component", *names]), "|---|" + "---|" * len(names)]
    for component in components():
        cells = ["refused" if feature in component.refused else "exact" for feature in Feature]
        lines.append(_row([component.name, *cells]))
    return introduction + "\n".join(lines) + "\n"


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def page_path(name: str) -> str:
    """Return the path of the page of a benchmark: that of the file of its class, as Markdown."""
    file = Path(inspect.getfile(type(registry.get(name))))
    stem = "index" if file.stem == "__init__" else file.stem
    return f"instances/benchmarks/{file.parent.name}/{stem}.md"


def with_benchmark_links(page: str) -> str:
    """Return a page with links to the pages of benchmarks instead of the files of their classes."""
    stems = {Path(page_path(name)).stem for name in registry.names()} - {"index"}
    page = re.sub(r"(\]\((?:[^)\s]*/)?)__init__\.py", r"\1index.md", page)
    return re.sub(rf"(\]\((?:[^)\s]*/)?)({'|'.join(sorted(stems))})\.py", r"\1\2.md", page)


def pictures(page: str, folder: Path) -> None:
    """Run the commands and the Python code of a page in a folder; they write its pictures."""
    for language, text in _BLOCK.findall(page):
        _run(["bash", "-euc", text] if language == "sh" else [sys.executable, "-c", text], folder)


def _run(command: list[str], folder: Path | None = None) -> str:
    path = f"{_PLANORACLE.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "MPLBACKEND": "agg"}
    done = subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout
