"""Generated pages and pictures of the site: help texts, pages of the benchmarks, pictures of the gallery."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

from planoracle.analysis.cli.commands import COMMANDS
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyBenchmark
from planoracle.instances.protocol.scoring import Metric

__all__ = ["benchmark_page", "help_texts", "pictures", "with_benchmark_links"]

_PLANORACLE = Path(sys.executable).parent / "planoracle"
_BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def help_texts() -> str:
    """Return the page of the command line: the help text of each subcommand."""
    page = [
        "# Command line",
        "Output of `planoracle COMMAND --help`. See also [the command line](reference/command_line.md).",
    ]
    for panel in dict.fromkeys(panel for panel, _ in COMMANDS.values()):
        page.append(f"## {panel}")
        for name in (name for name, (own, _) in COMMANDS.items() if own == panel):
            page.append(f"### {name}\n\n```text\n{_run([str(_PLANORACLE), name, '--help']).strip()}\n```")
    return "\n\n".join(page) + "\n"


def benchmark_page(name: str) -> str:
    """Return the page of a benchmark: the docstring of its class, which is Markdown, with its examples as blocks.

    The section on metrics ends with a table of the metrics and averages that the benchmark declares.
    """
    benchmark = registry.get(name)
    text = inspect.getdoc(type(benchmark)) or ""
    head, section, rest = text.partition("Metrics\n-------\n")
    prose, title, rest = rest.partition("\nDifferences between paper and released code\n")
    text = f"{head}{section}{prose}\n{_metric_tables(benchmark)}{title}{rest}"
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


def with_benchmark_links(page: str) -> str:
    """Return a page whose links to the package of a benchmark lead to the page of that benchmark."""
    return re.sub(r"(\]\([^)\s]*benchmarks/\w+/)__init__\.py", r"\1index.md", page)


def pictures(page: str, folder: Path) -> None:
    """Run the commands and the Python of a page, in order, in a folder; they write its pictures."""
    for language, text in _BLOCK.findall(page):
        _run(["bash", "-euc", text] if language == "sh" else [sys.executable, "-c", text], folder)


def _run(command: list[str], folder: Path | None = None) -> str:
    path = f"{_PLANORACLE.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "MPLBACKEND": "agg"}
    done = subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout
