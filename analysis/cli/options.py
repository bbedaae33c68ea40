"""Options shared by several subcommands, and iteration over the problems that names refer to."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, chdir, contextmanager, nullcontext, suppress
from enum import Enum
from functools import lru_cache, partial, wraps
from os.path import isdir
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

import typer

from planoracle.analysis import figures
from planoracle.analysis.cli.output import TableView, current_view
from planoracle.analysis.cli.progress import track
from planoracle.analysis.console import collect, complain, set_variable
from planoracle.analysis.intake.record_fields import parse_columns
from planoracle.heuristics.registry import accepted_names
from planoracle.instances.errors import InputError, PlanoracleError, UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.files.task_table import table_options
from planoracle.instances.model.clock_times import parse_start_time
from planoracle.instances.model.problem import Problem
from planoracle.instances.model.task_columns import FIELDS, NAME_FIELDS, TableOptions
from planoracle.instances.model.task_moments import clock_value, read_moment
from planoracle.instances.protocol import registry, tool_classes
from planoracle.instances.text import one_of
from planoracle.instances.workers.pool import each_in_worker

_T = TypeVar("_T")
# Files up to this size, in bytes, are read in this process.
_SMALL = 2**19


def complete_heuristic(start: str) -> list[str]:
    """Return completions of the name of a heuristic."""
    return [name for name in accepted_names() if name.startswith(start)]


_NAMES = typer.Argument(
    help="Names, prefixes (BENCHMARK/SET) or globs (BENCHMARK/*/Vada_*) of problems; files or folders of problems; "
    "FILE@SEED for a variant of a file, if the benchmark has variants.",
    metavar="NAME",
    autocompletion=catalog.completions,
)
NamesArgument = Annotated[list[str], _NAMES]
OptionalNamesArgument = Annotated[list[str] | None, _NAMES]
NameArgument = Annotated[
    str, typer.Argument(help="Name or file of one problem.", metavar="NAME", autocompletion=catalog.completions)
]

AgentsOption = Annotated[
    int | None,
    typer.Option(
        "--agents", help="Number of identical agents; the name NAME~3 has three.", metavar="N", min=1, max=999
    ),
]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        help="The only tasks or actions that one of the --agents may do: agent2=TaskA,TaskB/action (repeatable).",
        metavar="AGENT=TASK,...",
    ),
]

LimitOption = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        help="Wall time per problem or plan, in seconds. Default: a limit on solver work, the same on every machine.",
        metavar="SECONDS",
        min=0.0,
    ),
]


def read_each(name: str) -> Iterator[Problem | InputError]:
    """Yield the results of `planoracle.instances.files.catalog.read_each`; a worker reads large files.

    Raises
    ------
    InputError
        If nothing can be read, or reading exceeds `planoracle.instances.workers.worker.PROBLEM_LIMITS`.
    """
    path = Path(catalog.file_path(name))
    try:
        is_large = path.is_file() and path.stat().st_size > _SMALL
    except (OSError, ValueError):  # no path of this system
        is_large = False
    yield from _in_worker(catalog.read_each, name) if is_large else catalog.read_each(name)


def read_problems(name: str) -> Iterator[Problem]:
    """Yield the problems of `read_each`; raises the first error."""
    for problem in read_each(name):
        if isinstance(problem, InputError):
            raise problem
        yield problem


def _in_worker(function: Callable[..., Iterable[_T]], *arguments: Any) -> Iterator[_T]:
    """Yield the values of a function that runs in a worker, with the same options for tables of tasks."""
    yield from each_in_worker(_with_table_options, table_options.get(), function, arguments)


def _with_table_options(
    options: TableOptions, function: Callable[..., Iterable[_T]], arguments: tuple[Any, ...]
) -> Iterator[_T]:
    table_options.set(options)
    yield from function(*arguments)


def without_none(**options: float | None) -> dict[str, Any]:
    """Return the options that have a value."""
    return {name: value for name, value in options.items() if value is not None}


class ProblemLoop:
    """Application of a function to the problems of names, one after the other.

    A file that cannot be read, or a problem for which the function raises a `PlanoracleError`, is reported on standard
    error and skipped; ``failed`` is then true.

    Parameters
    ----------
    label
        Text before the progress bar.
    in_worker
        True if a worker process, with limits, reads the problems and applies the function.
    on_failure
        Called with the name and the error of what was skipped.
    """

    def __init__(
        self,
        names: list[str],
        label: str,
        *,
        in_worker: bool = False,
        on_failure: Callable[[str, PlanoracleError], None] | None = None,
    ) -> None:
        self.names = catalog.expand(names)
        self._in_worker = in_worker
        self._on_failure = on_failure
        self.label = label
        self.failed = False

    def each(self, function: Callable[[Any], _T]) -> Iterator[tuple[Any, _T]]:
        """Yield each problem with the result of the function."""
        for name in track(self.names, self.label):
            pairs = _in_worker(_apply, name, function) if self._in_worker else _apply(name, function)
            try:
                for pair in pairs:
                    if isinstance(pair, PlanoracleError):
                        self._fail(name, pair)
                    else:
                        note_problem(pair[0].name)
                        yield pair
            except UnknownNameError:  # an error in the call, not in a problem
                raise
            except PlanoracleError as error:
                self._fail(name, error)

    def _fail(self, name: str, error: PlanoracleError) -> None:
        complain(error, "problems")
        self.failed = True
        if self._on_failure is not None:
            self._on_failure(name, error)

    def exit(self) -> NoReturn:
        """End the program with status 1 if something failed, else 0."""
        raise typer.Exit(int(self.failed))


def _apply(name: str, function: Callable[[Any], Any]) -> Iterator[Any]:
    """Yield each problem of a name with the result of the function, or an error."""
    for problem in read_each(name):
        yield problem if isinstance(problem, InputError) else (problem, function(problem))


_note_of = lru_cache(10_000)(catalog.note)


def note_problem(name: str | None, text: str = "") -> None:
    """Write the catalogue's note about a problem, and another text, once at the end of the command."""
    notes = (_note_of(name) if name else "", text)
    for note in filter(None, notes):
        collect("", note, kind="note")


def single_problem(name: str) -> Any:
    """Return the problem of a name; raises `UnknownNameError` for a name of several."""
    problems: list[Problem] = []
    for path in catalog.expand([name]):
        problems += read_problems(path)
    if len(problems) != 1:
        raise UnknownNameError("must name a single problem", field="name", value=name)
    return problems[0]


def with_options(
    function: Callable[..., Any],
    options: Mapping[str, tuple[Any, Any]],
    context: Callable[..., AbstractContextManager[None]],
    only_with: str = "",
) -> Callable[..., Any]:
    """Return a command function with more options.

    Parameters
    ----------
    options
        Annotation and default of each, by name.
    context
        Called with the values of the options; the function runs in the context manager that it returns.
    only_with
        Name of another option of the function, without which the new ones have no effect.
    """
    signature = inspect.signature(function, eval_str=True)

    @wraps(function)
    def command(*args: Any, **named: Any) -> Any:
        values = {name: named.pop(name, default) for name, (_, default) in options.items()}
        has_effect = not only_with or named.get(only_with) is not None
        with context(**values) if has_effect else nullcontext():
            return function(*args, **named)

    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in options.items()
    ]
    return set_parameters(command, [*signature.parameters.values(), *added])


def set_parameters(command: Callable[..., Any], parameters: list[inspect.Parameter]) -> Callable[..., Any]:
    """Set the parameters that typer reads from a command function, and return the function."""
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


_COLUMNS = "Columns"
_WideOption = Annotated[
    bool,
    typer.Option("--wide", "-w", help="Show all columns of tables, in full width.", rich_help_panel=_COLUMNS),
]
_ColumnsOption = Annotated[
    str | None,
    typer.Option(
        "--columns",
        help="Show only these columns, in every format, such as id,success.",
        metavar="NAME,...",
        rich_help_panel=_COLUMNS,
    ),
]
_AllColumnsOption = Annotated[
    bool,
    typer.Option(
        "--all-columns",
        help="Show all fields, also those that tables and csv omit by default.",
        rich_help_panel=_COLUMNS,
    ),
]
_VIEW: dict[str, tuple[Any, Any]] = {
    "wide": (_WideOption, False),
    "some_columns": (_ColumnsOption, None),
    "all_columns": (_AllColumnsOption, False),
}


def with_view(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command function with options for columns if it writes tables."""
    parameters = inspect.signature(function, eval_str=True).parameters
    form = getattr(parameters.get("form"), "default", None)
    if not isinstance(form, Enum) or "table" not in type(form).__members__:
        return function
    return with_options(function, _VIEW, partial(_set_view, function.__name__.strip("_")))


def _set_view(command: str, *, wide: bool, some_columns: str | None, all_columns: bool) -> AbstractContextManager[None]:
    parts = (part.strip() for part in (some_columns or "").split(","))
    names = dict.fromkeys(name for name in parts if name)
    return set_variable(current_view, TableView(wide, tuple(names), all_columns, command))


_MapOption = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        help="Column that contains a field, if NAME is a table of tasks: task=TITLE (repeatable).",
        metavar="FIELD=COLUMN",
    ),
]
_IgnoreOption = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        help="Column that is not read, if NAME is a table of tasks (repeatable).",
        metavar="COLUMN",
    ),
]
_LiteralOption = Annotated[
    list[str] | None,
    typer.Option(
        "--names",
        help=(
            "Field (machine, agent, after) of a table of tasks in whose cells a text is one name, "
            "whatever it contains: 'M1 or M2' (repeatable)."
        ),
        metavar="FIELD",
    ),
]
_WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        help="Number of workers, if NAME is a table of tasks with a column of the workers that each needs at once.",
        metavar="N",
        min=1,
        max=1_000_000,
    ),
]


def _side_table(name: str, content: str) -> Any:
    """Return an option with the file of a table beside that of the tasks."""
    text = f"Table of {content} in a table of tasks."
    return typer.Option(name, help=text, metavar="FILE", exists=True, dir_okay=False)


_CalendarOption = Annotated[
    Path | None,
    _side_table("--calendar", "off-times (columns member, begin, end) of the machines and agents"),
]
_SetupsOption = Annotated[
    Path | None,
    _side_table("--setups", "set-up times (columns before, after, time) between the families"),
]
_StartOption = Annotated[
    str | None,
    typer.Option(
        "--start",
        help="Local date and time of tick 0 of a table of tasks: '2026-03-02 08:00'. Default: 00:00 of its first date.",
        metavar="DATE",
    ),
]
_TABLE_OPTIONS: dict[str, tuple[Any, Any]] = {
    "column_map": (_MapOption, None),
    "ignored_columns": (_IgnoreOption, None),
    "literal_fields": (_LiteralOption, None),
    "workers": (_WorkersOption, None),
    "calendar": (_CalendarOption, None),
    "setups": (_SetupsOption, None),
    "start": (_StartOption, None),
}


def with_table_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command function with the options for tables of tasks, such as ``--map``."""
    return with_options(function, _TABLE_OPTIONS, _use_table_options)


def _use_table_options(
    column_map: list[str] | None,
    ignored_columns: list[str] | None,
    literal_fields: list[str] | None,
    workers: int | None,
    calendar: Path | None,
    setups: Path | None,
    start: str | None,
) -> AbstractContextManager[None]:
    columns = {}
    for field, requested in parse_columns(column_map or (), tuple(FIELDS)).items():
        if len(requested) > 1:
            message = "a field of a table of tasks has one column"
            raise UnknownNameError(message, field=f"--map {field}", value=", ".join(requested))
        columns[field] = requested[0]
    literal = frozenset(literal_fields or ())
    for field in sorted(literal.difference(NAME_FIELDS)):
        raise UnknownNameError(one_of(field, NAME_FIELDS), field="--names", value=field)
    options = TableOptions(
        columns,
        tuple(ignored_columns or ()),
        literal,
        workers,
        start=_start_text(start),
        calendar="" if calendar is None else str(calendar),
        setups="" if setups is None else str(setups),
    )
    return set_variable(table_options, options)


def _start_text(start: str | None) -> str:
    """Return the date of an option ``--start``, which may be written as in tables; ``""`` without one."""
    if start is None:
        return ""
    try:
        moment = read_moment(start)
        text: str = parse_start_time(clock_value(moment)).isoformat(" ")
    except InputError as error:
        message = f"{error.message} (got {start!r})"
        raise typer.BadParameter(message, param_hint="--start") from None
    return text


_DATA: dict[str, tuple[Any, Any]] = {
    "data": (
        Annotated[
            list[str] | None,
            typer.Option(
                "--data",
                help="Folder with a copy of a benchmark's original data, to which its names then refer (repeatable).",
                metavar="BENCHMARK=DIR",
            ),
        ],
        None,
    ),
}


def with_data(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command function with the option ``--data``."""
    return with_options(function, _DATA, _use_data)


@contextmanager
def _use_data(data: list[str] | None) -> Iterator[None]:
    """Use local copies of benchmark data, also in worker processes."""
    if not data:
        yield
        return
    folders = _data_folders(data)
    before = {name: registry.data_folder(name) for name in folders}
    for name, folder in folders.items():
        registry.use_data_folder(name, folder)
    try:
        yield
    finally:
        for name, previous in before.items():
            registry.use_data_folder(name, previous)


def _data_folders(entries: Iterable[str]) -> dict[str, Path]:
    """Return folders by benchmark; raises `typer.BadParameter` for a folder without the benchmark's data."""
    benchmarks = {name: registry.get(name) for name in registry.names()}
    copyable = {name: benchmark for name, benchmark in benchmarks.items() if benchmark.original_data}
    folders = {}
    for entry in entries:
        name, _, folder = entry.partition("=")
        if name not in copyable or not isdir(folder):
            titles = (f"{benchmark.name} ({benchmark.original_data})" for benchmark in reversed(copyable.values()))
            accepted = ", ".join(titles)
            message = f"must be BENCHMARK=DIR with one of these benchmarks: {accepted}; not {entry!r}"
            raise typer.BadParameter(message, param_hint="--data")
        try:
            copyable[name].check_copy(Path(folder))
        except InputError as error:
            raise typer.BadParameter(str(error), param_hint="--data") from None
        folders[name] = Path(folder)
    return folders


_TOOLS: dict[str, tuple[Any, Any]] = {
    "tools": (
        Annotated[
            list[Path] | None,
            typer.Option(
                "--tools",
                help=(
                    "Python file whose classes are tool families for your problem files (repeatable). The file is run; "
                    "only this option can name one, no problem or submission."
                ),
                metavar="FILE",
                exists=True,
                dir_okay=False,
            ),
        ],
        None,
    ),
}


def with_tools(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command function with the option ``--tools``."""
    return with_options(function, _TOOLS, _use_tools)


@contextmanager
def _use_tools(tools: list[Path] | None) -> Iterator[None]:
    """Use the classes of tools in files, also in worker processes; raises `InputError`."""
    tool_classes.use_files(tools or ())
    try:
        if tools:
            tool_classes.by_name()
        yield
    finally:
        tool_classes.use_files(())


_LAYOUT = "Figure"
_WidthOption = Annotated[
    str | None,
    typer.Option(
        help="Width: column (3.3 inches), page (7), a4 or a3 (a sheet in landscape), or a number of inches.",
        metavar="WIDTH",
        rich_help_panel=_LAYOUT,
    ),
]
_FontSizeOption = Annotated[
    float | None,
    typer.Option(
        help="Font size of labels in points; other texts scale with it. Default: 7 for column, 8 for page.",
        metavar="POINTS",
        min=3,
        max=40,
        rich_help_panel=_LAYOUT,
    ),
]
_TitleOption = Annotated[
    str | None,
    typer.Option("--title", help="Title; '' for none.", metavar="TEXT", rich_help_panel=_LAYOUT),
]
_DpiOption = Annotated[
    int,
    typer.Option(
        help="Resolution of PNG files, in dots per inch.",
        metavar="DPI",
        min=30,
        max=1200,
        rich_help_panel=_LAYOUT,
    ),
]
_FIGURE = {
    "width": (_WidthOption, None),
    "font_size": (_FontSizeOption, None),
    "picture_title": (_TitleOption, None),
    "dpi": (_DpiOption, 150),
}


def with_figure_options(function: Callable[..., Any], only_with: str = "output") -> Callable[..., Any]:
    """Return a command function with options for the layout of its figure, see `with_options`."""
    return with_options(function, _FIGURE, _set_layout, only_with=only_with)


@contextmanager
def _set_layout(*, width: str | None, font_size: float | None, picture_title: str | None, dpi: int) -> Iterator[None]:
    # matplotlib evaluates a file matplotlibrc in the current folder, which is untrusted.
    with suppress(FileNotFoundError), chdir(os.sep):
        import matplotlib  # noqa: F401
    style = figures.style
    inches = None if width is None else style.width_of(width)
    with style.use_shape(style.Shape(inches, font_size, picture_title, dpi)):
        yield
