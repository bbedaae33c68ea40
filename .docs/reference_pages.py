"""Generated reference pages: command line, columns of tables, names for authors of benchmarks."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from typing import Any

import typer
from typer.main import get_command

import planoracle
from planoracle import plugin
from planoracle.analysis.cli import app
from planoracle.analysis.cli.column_names import declarations
from planoracle.analysis.cli.commands import COMMANDS, load
from planoracle.analysis.frames.columns import SCHEMAS, FrameColumn, own_metrics
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.scoring import Metric

__all__ = ["anchor", "columns_page", "command_line_page", "commands", "plugin_page", "reference_pages"]

# Names of types in help texts (`<int range>`, in older releases of typer `INTEGER RANGE`), as this page shows them.
_TYPES = {"float": "NUMBER", "int": "INTEGER", "integer": "INTEGER", "str": "TEXT", "path": "PATH"}
_TYPES |= {"list[str]": "TEXT", "file": "FILE", "filename": "FILE"}


def reference_pages() -> dict[str, str]:
    """Return the generated reference pages by their paths in the site."""
    return {
        "cli.md": command_line_page(),
        "reference/columns.md": columns_page(),
        "reference/plugin.md": plugin_page(),
    }


def commands() -> dict[str, Any]:
    """Return all commands by their words: ``solve``, ``benchmark new``, and the program itself as ``""``."""
    loaded = {name: load(name) for name in COMMANDS}
    nested = {
        f"{name} {word}": one
        for name, command in loaded.items()
        for word, one in getattr(command, "commands", {}).items()
    }
    return {"": get_command(app), **loaded, **nested}


def command_line_page() -> str:
    """Return the page of the command line: a heading for each command, and an anchor for each option."""
    every = commands()
    parts = [
        "# Commands and options",
        "Every command, from its `--help`. [The command line](reference/command_line.md) describes tables, exit "
        "statuses and shell completion.",
        *_command_section("", every[""], "##"),
    ]
    for panel in dict.fromkeys(panel for panel, _ in COMMANDS.values()):
        parts.append(f"## {panel}")
        for name, command in every.items():
            if name and COMMANDS[name.partition(" ")[0]][0] == panel:
                parts += _command_section(name, command, "###")
    return "\n\n".join(parts) + "\n"


def _command_section(name: str, command: Any, level: str) -> Iterator[str]:
    call = f"planoracle {name}".strip()
    context = typer.Context(command, info_name=call)
    yield f"{level} {call}"
    yield f"```text\n{' '.join([call, *command.collect_usage_pieces(context)])}\n```"
    text, _, examples = (command.help or "").partition("\n\nExamples:\n")
    yield "\n\n".join(_escape(" ".join(part.split())) for part in text.split("\n\n"))
    if examples:
        yield f"```sh\n{examples}\n```"
    yield f"```{{program}} {call}\n```"
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and "--help" not in parameter.opts:
            yield f"```{{option}} {_signature(parameter, record[0])}\n{_escape(record[1])}\n```"


def _signature(parameter: Any, names: str) -> str:
    """Return the names of an option with its value, or the name of an argument."""
    options = (*parameter.opts, *parameter.secondary_opts)
    if not options[0].startswith("-"):
        return names.partition(" ")[0].strip("[].").upper()
    kind = names
    for one in sorted(options, key=len, reverse=True):
        kind = kind.replace(one, "", 1)
    kind = kind.strip(" ,/").strip("<>")
    value = _TYPES.get(kind.lower().removesuffix(" range"), kind)
    return ", ".join(f"{one} {value}".strip() for one in options)


def columns_page() -> str:
    """Return the page of columns: a heading for each frame and command, an anchored row for each column."""
    parts = [
        "# Columns",
        "Columns of [frames](frames.md) in Python, and of the rows that commands write (`--columns` selects some). "
        "Times are in ticks of the problem's `unit`, shares from 0 to 1.",
        "## Frames",
    ]
    for name, schema in SCHEMAS.items():
        own = own_metrics() if schema.has_metrics else {}
        columns = [column for column in schema.columns if column.name not in own]
        parts += [f"### Frame {name}", f"Rows: {schema.rows}.", _frame_table(name, columns)]
        parts += _own_metric_sections() if own else []
    parts.append("## Commands")
    for name, section in declarations().items():
        frame = section.get("frame")
        parts += [f"### Output of {section['title']}", section["rows"]]
        if frame:
            parts.append(f"Columns of the frame [{frame}](#frame-{frame})" + (", and:" if section["columns"] else "."))
        if section["columns"]:
            parts.append(_table(("column", "unit", "meaning"), _command_rows(name, section["columns"])))
    return "\n\n".join(parts) + "\n"


def _frame_table(frame: str, columns: Iterable[FrameColumn]) -> str:
    rows = []
    for column in columns:
        values = f": {', '.join(column.values)}" if column.values else ""
        rows.append((_anchored(frame, column.name), _type(column.dtype, column.unit), f"{column.meaning}{values}"))
    return _table(("column", "dtype (unit)", "meaning"), rows)


def _type(dtype: str, unit: str) -> str:
    return f"{dtype} ({unit})" if unit else dtype


def _own_metric_sections() -> Iterator[str]:
    """Yield a heading and a table for each benchmark with metrics of its own.

    Metrics of the kind ``json`` are in rows of grades only. Some metrics depend on a rule, see `Metric.rule`.
    """
    dtypes = {name: column.dtype for name, column in own_metrics().items()}
    for benchmark in map(registry.get, registry.names()):
        owner = registry.get(benchmark.rules.name)
        metrics = [one for one in benchmark.metrics.declare(benchmark.rules.profile()) if isinstance(one, Metric)]
        if metrics and (owner is benchmark or owner.metrics is not benchmark.metrics):
            rows = []
            for one in metrics:
                meaning = f"{one.meaning} (with `--set {owner.name}.{one.rule}=true`)" if one.rule else one.meaning
                dtype = _type(dtypes.get(one.name, one.kind), one.unit)
                rows.append((_anchored(benchmark.name, one.name), dtype, meaning))
            yield f"#### Metrics of {benchmark.title}"
            yield _table(("column", "dtype (unit)", "meaning"), rows)


def _command_rows(section: str, columns: dict[str, str | list[str]]) -> Iterator[tuple[str, str, str]]:
    for name, value in columns.items():
        unit, meaning = ("", value) if isinstance(value, str) else value
        yield _anchored(section, name), unit, meaning


def anchor(section: str, column: str) -> str:
    """Return the anchor of a column, of the characters that Sphinx keeps.

    >>> anchor("grades", "goal_ratio"), anchor("grade-summary", "pass@k")
    ('grades-goal-ratio', 'grade-summary-pass-at-k')
    """
    name = f"{section}-{column}".replace("@", "-at-").replace("^", "-hat-")
    return re.sub(r"[^a-z0-9]+", "-", name.lower())


def _anchored(section: str, column: str) -> str:
    return f"[`{column}`]{{#{anchor(section, column)}}}"


def plugin_page() -> str:
    """Return the page of the names for authors of benchmarks, by sections of the docstring of `plugin`."""
    parts = [
        "# Names for authors of benchmarks",
        "All names are imported from `planoracle.plugin`. They are provisional. "
        "[Adding a benchmark](../instances/ADDING.md) says which ones a new benchmark needs.",
    ]
    for title, section in re.findall(r"^(\w[^\n]*)\n-+\n(.*?)(?=^\w|\Z)", inspect.getdoc(plugin) or "", re.M | re.S):
        parts.append(f"## {title}")
        for name, meaning in re.findall(r"^- `(\w+)`: (.*?)(?=^- |\Z)", section, re.M | re.S):
            text = " ".join(meaning.replace("``", "`").split())
            parts += [f"### {name}", text[0].upper() + text[1:], _autodoc(name)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _autodoc(name: str) -> str:
    if name in planoracle.__all__:
        return f"See {{py:obj}}`planoracle.{name}`, which is the same object."
    value, path = getattr(plugin, name), f"planoracle.plugin.{name}"
    if inspect.isclass(value):
        directive = f".. autoclass:: {path}\n   :members:"
    elif inspect.isfunction(value):
        directive = f".. autofunction:: {path}"
    else:  # a module, a type or a constant, which the docstring of `plugin` describes
        directive = f".. py:data:: {path}"
    return f"```{{eval-rst}}\n{directive}\n```"


def _table(heading: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    titles = list(heading)
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)


def _escape(text: str) -> str:
    r"""Return plain text as Markdown, with names of options as code.

    >>> _escape("BENCHMARK/*/Vada_* with --set [x>=0]")
    'BENCHMARK/\\*/Vada\\_\\* with `--set` \\[x>=0\\]'
    """
    escaped = re.sub(r"([\\`*_{}\[\]#|$~])", r"\\\1", text)
    return re.sub(r"(?<![\w-])(--?[A-Za-z][\w-]*)", r"`\1`", escaped)
