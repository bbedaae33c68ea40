"""``planoracle run --show-prompts``: messages to a model, prompt files, and copies for editing."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from planoracle.analysis.agents.model_prompts import first_requests
from planoracle.analysis.cli.output import Format, print_text, write_table
from planoracle.analysis.console import lenient, output_file, say, say_json, tell
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyBenchmark
from planoracle.instances.protocol.prompts import PromptSet, load_prompts
from planoracle.instances.protocol.settings import Sampling

SettingOption = Annotated[
    str, typer.Option("--setting", help="Prompt setting; planoracle run --show-prompts lists them.", metavar="NAME")
]
PromptsOption = Annotated[
    Path | None,
    typer.Option(
        "--prompts", help="Folder with prompt files that replace bundled ones of the same name.", metavar="DIR"
    ),
]

_COLUMNS = ("benchmark", "setting", "title", "loop", "history", "asks", "example", "temperature", "max_tokens")


def show_prompts(names: Sequence[str], setting: str, folder: Path | None, copy: Path | None, form: Format) -> None:
    """Write the prompts of problems, sets and benchmarks; without names, the settings of all benchmarks.

    For a problem these are the messages up to the model's first command. Answers to questions that come before the
    first command are replaced by their names, such as <answer>.

    Parameters
    ----------
    folder
        Folder with prompts that replace the bundled ones.
    copy
        Folder to which the prompt files are copied instead.
    form
        ``table`` (text) or ``json``.
    """
    if form not in (Format.table, Format.json):
        raise typer.BadParameter("must be table or json with --show-prompts", param_hint="--format")
    if not names:
        _list_settings(form)
    lenient(sys.stdout, encoding="utf-8")
    for name in names:
        problem = _problem(name)
        benchmark = _benchmark(name) if problem is None else registry.of(problem)
        prompts = load_prompts(benchmark, setting, folder)
        if copy is not None:
            _copy(prompts, copy)
        elif problem is None:
            _write_files(prompts, form)
        else:
            _write_messages(problem, prompts, form)


def _problem(name: str) -> Any:
    """Return the problem of a name or file, ``None`` for the name of a set or benchmark."""
    if not catalog.names_problem(name) and not catalog.is_file(name):
        return None
    problems = catalog.read_problems(name)
    if len(problems) != 1:
        raise InputError(f"holds {len(problems)} problems; name one, as {name}#NAME", source=name)
    return problems[0]


def _benchmark(name: str) -> AnyBenchmark:
    """Return the benchmark of this name, or the one of a set's problems."""
    benchmark = registry.find(name)
    if benchmark is not None:
        return benchmark
    first = next(iter(catalog.expand([name])))
    return registry.of(catalog.read_problems(first)[0])


def _list_settings(form: Format) -> None:
    rows = [
        {
            "benchmark": benchmark.name,
            "setting": one.name,
            "title": one.title,
            "loop": one.config.loop,
            "history": one.history,
            "asks": len(one.asks),
            "example": bool(one.examples),
            **one.sampling._asdict(),
        }
        for benchmark in map(registry.get, registry.names())
        for one in benchmark.settings.values()
    ]
    write_table(form, _COLUMNS, rows)


def _copy(prompts: PromptSet, folder: Path) -> None:
    target = folder / prompts.benchmark
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name, prompt in prompts.prompts.items():
            path = target / (name if name.endswith(".json") else f"{name}.md")
            head = "" if prompt.version is None else f"version: {prompt.version}\n\n"
            if path.exists():
                raise InputError("exists already; choose another folder", source=str(path))
            with output_file(path) as stream:
                stream.write(f"{head}{prompt.text}\n")
            say(str(path))
    except FileExistsError as error:
        raise InputError("exists already; choose another folder", source=str(error.filename)) from None
    tell(f"edit the files, and run with --prompts {folder}", "note")


def _write_files(prompts: PromptSet, form: Format) -> None:
    if form is Format.json:
        say_json(_record(prompts) | {"texts": {name: one.text for name, one in prompts.prompts.items()}}, indent=1)
        return
    print_text("\n".join(_head(prompts)))
    for name, one in prompts.prompts.items():
        print_text(f"\n== {name}{one.version_text}\n{one.text}")


def _write_messages(problem: Any, prompts: PromptSet, form: Format) -> None:
    import asyncio

    calls = asyncio.run(first_requests(problem, prompts))
    if form is Format.json:
        rows = [one._asdict() | {"sampling": one.sampling._asdict()} for one in calls]
        say_json({"instance": problem.name, **_record(prompts), "calls": rows}, indent=1)
        return
    print_text("\n".join([problem.name, *_head(prompts)]))
    for one in calls:
        print_text(f"\n== {one.purpose}{_sampling_text(one.sampling)}")
        for message in one.messages:
            print_text(f"[{message['role']}]\n{message['content']}")


def _record(prompts: PromptSet) -> dict[str, Any]:
    return {"benchmark": prompts.benchmark, "title": prompts.setting.title, **prompts.record()}


def _head(prompts: PromptSet) -> Iterator[str]:
    yield f"setting {prompts.name} of {prompts.benchmark}: {prompts.setting.title}"
    yield f"prompts {prompts.versions}; digest {prompts.digest}"


def _sampling_text(sampling: Sampling) -> str:
    parts = [] if sampling.temperature is None else [f"temperature {sampling.temperature:g}"]
    parts += [] if sampling.max_tokens is None else [f"at most {sampling.max_tokens} tokens"]
    return f" ({', '.join(parts)})" if parts else ""
