"""Columns of tables of tasks that restrict schedules in ways which the model cannot express."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Final, NamedTuple

_PAGE = "see .docs/limits.md"
# Texts that restrict nothing, in lower case, and numbers of that meaning.
_NO = frozenset(("no", "n", "false", "f", "0"))
_YES = frozenset(("yes", "y", "true", "t", "x", "1"))
_SINGLE = frozenset(("no", "0", "1"))
_ZERO = re.compile(r"[0:.,]{1,12} ?[a-z]{0,10}")

_MACHINES = "(?:machines?|resources?|equipments?|stations?|tools?|work_?cent(?:er|re)s?|devices?)"
#: Words for workers and for a choice in normal names of columns, as regular expressions.
WORKER_WORDS: Final = "(?:workers?|people|persons?|staff|operators?|employees?|agents?|cooks?|men|crews?)"
CHOICE_WORDS: Final = "(?:alt|alternatives?|alternates?|eligible|possible|candidate|compatible|feasible|allowed|backup)"


class Restriction(NamedTuple):
    """Restriction of schedules that the model cannot express.

    Attributes
    ----------
    pattern
        Regular expression of normal names of columns.
    message
        Error for a cell that restricts schedules.
    harmless
        Texts of cells that restrict nothing, in lower case.
    unless
        Field whose column makes the restriction redundant.
    single_with
        Field with whose column the number 1 restricts nothing.
    """

    pattern: str
    message: str
    harmless: frozenset[str] = _NO
    unless: str = ""
    single_with: str = ""

    def restricts(self, text: str) -> bool:
        """Return whether the text of a cell restricts schedules, in a column that is not empty."""
        lower = text.casefold()
        is_zero = "0" in self.harmless and _ZERO.fullmatch(lower) is not None
        is_harmless = lower in self.harmless or (not text and "yes" not in self.harmless)
        return not is_harmless and not is_zero


#: Words of the headings; a misspelled one is an error.
RESTRICTED_WORDS: Final = (
    *("setup", "setup_time", "changeover", "changeover_time", "optional", "mandatory", "calendar", "shift", "shifts"),
    *("breaks", "unavailable", "availability", "holidays", "downtime", "alternatives", "batch_size"),
)

_RESTRICTIONS: Final = (
    Restriction(
        r"set_?ups?|set_?up_?times?|change_?overs?|change_?over_?times?|tear_?downs?|tool_?changes?|clean_?up|"
        r"cleaning(?:_time)?|re_?tooling|sequence_dependent",
        f"is not the column of set-up times, {_PAGE}; the column setup has the ticks before the operation",
    ),
    Restriction(
        r"optional|skip(?:pable|ped)?|can_skip|may_skip|droppable|selectable",
        f"is not the column of optional jobs, {_PAGE}; the column optional says yes or no",
    ),
    Restriction(
        r"^(?:is_)?(?:mandatory|compulsory|required|must_do|obligatory)$",
        f"is not the column of optional jobs, {_PAGE}; the column optional says yes or no",
        _YES,
    ),
    Restriction(
        r"^(?:is_)?(?:inactive|disabled|cancelled|canceled|excluded|deleted)$",
        "tasks that are not executed must not be in the table; delete their rows",
    ),
    Restriction(
        r"^(?:is_)?(?:active|enabled|included)$",
        "tasks that are not executed must not be in the table; delete their rows",
        _YES,
    ),
    Restriction(
        rf"(?:num|number|no|nr|nb|count|min|max|minimum|maximum|required|needed|n)_(?:of_)?{WORKER_WORDS}|"
        rf"{WORKER_WORDS}_(?:size|count|needed|required|number)|^(?:head_?count|man_?power|ftes?|labou?rs?)$",
        f"is not the column of the workers at once, {_PAGE}; the column workers has the number that a task needs",
        single_with="agent",
    ),
    Restriction(
        r"calendars?|shifts?|breaks?|lunch|pauses?|(?:working|work|opening|office|business)_(?:hours|times?|days)|"
        r"(?:un)?avail(?:able|ability|abilities)|un_?available_?\w*|off_?times?|days?_off|holidays?|vacations?|"
        r"absences?|down_?times?|maintenance|black_?outs?|time_?windows?|windows?|outages?|closed|closing_times?",
        f"is not the column of off-times, {_PAGE}; the column unavailable has spans such as 12:00-12:30, and "
        "--calendar FILE reads a table of them",
    ),
    Restriction(
        rf"{CHOICE_WORDS}_{_MACHINES}|{_MACHINES}_(?:alternatives?|options?|choices|groups?|pools?)|"
        rf"{_MACHINES}_?[0-9]+$|^(?:alternatives?|alternates?|(?:second|2nd)_{_MACHINES})$",
        f"is not the column of machines to choose from, {_PAGE}; the column machine has them, as in M1 or M2",
    ),
    Restriction(
        r"no_?waits?|without_wait\w*|zero_wait|immediate|immediately|back_to_back",
        "is not a column of tables; max_lag 0 lets a task start as soon as its predecessors end",
    ),
    Restriction(
        r"(?:min|max|minimum|maximum|transfer|batch|lot)_?(?:batch|lots?|batch_size|lot_size|size|qty|quantity)|"
        r"batch(?:ing|able)",
        f"batches are not supported, {_PAGE}; write a row for each of them",
        _SINGLE,
    ),
    Restriction(
        r"skills?|qualifications?|qualified|competenc(?:e|y|es|ies)|certifications?|certificates?",
        "is not a column of tables; the column agent has the names of the eligible agents",
        unless="agent",
    ),
    Restriction(
        r"conflicts?|conflicts?_with|exclusive|exclusion|mutually_exclusive|incompatible|not_with|not_parallel|"
        r"not_together|together|together_with|in_parallel|parallel_(?:with|to)|simultaneous|simultaneously|concurrent|"
        rf"concurrently|overlaps?|overlapping|(?:same|different)_(?:{_MACHINES}|{WORKER_WORDS}|day|shift)",
        f"relations between tasks other than time lags are not supported, {_PAGE}; a common machine keeps tasks apart",
    ),
    Restriction(
        r"^(?:exec(?:ution)?_|processing_)?modes?(?:_(?:id|no|nr|number))?$",
        f"tasks with several modes in rows of their own are not supported, {_PAGE}; problem files have modes",
        _SINGLE,
    ),
    Restriction(
        r"repeats?|repetitions?|recurr(?:ing|ence)|frequency|copies|replications?|times_per_\w+",
        "repeated tasks are not supported; write a row for each of them",
        _SINGLE,
    ),
    Restriction(
        r"^(?:(?:primary|secondary)_)?constraints?(?:_types?|_dates?)?$",
        "constraints of project tools are not read; the columns release, latest_start, deadline, fixed_start and "
        "fixed_end restrict times",
        frozenset(("as soon as possible", "asap")),
    ),
    Restriction(
        r"^(?:link|dependency|relation|relationship|predecessor|precedence)_types?$|^relation(?:ship)?s?$",
        "types of links are written behind the predecessor, as in 3SS or 3FF",
        frozenset(("fs", "finish-start", "finish-to-start", "finish to start")),
    ),
    Restriction(
        r"^(?:before|(?:starts?|begins?|ends?|finish)_(?:before|after))$",
        "is ambiguous; the columns predecessors and successors name other tasks, release and deadline are times",
    ),
    Restriction(
        r"^(?:requires?|needs?|required_by|needed_by)$",
        "is ambiguous; the columns machine, agent and predecessors have one meaning each",
    ),
    Restriction(
        r"^(?:earliest_(?:end|finish|completion)|finish_no_earlier_than)$",
        "is not a column of tables; release is the earliest start",
    ),
    Restriction(
        r"(?:transport|transportation|transfer|travel|travelling|move|moving|waiting|cooling|drying|curing|queue|lead)_"
        r"?times?|^(?:transports?|travel|wait|waiting|delays?|buffers?|cool_?down)$",
        "is not a column of tables; the columns min_lag and max_lag bound the time since the predecessors ended",
    ),
    Restriction(
        r"(?:shelf_life|expiry|expiration|max(?:imum)?_(?:delay|gap|idle|time))",
        "is not a column of tables; max_lag bounds the time since the predecessors ended",
    ),
    Restriction(
        r"non_?renewables?|consumes?|consumption",
        f"resources that are used up are not read from tables, {_PAGE}; problem files have them",
    ),
    Restriction(
        r"(?:required|requires|initial|sets|needed)_states?",
        "states are not read from tables; problem files have them, see .docs/problem_files.md",
    ),
)
_PATTERNS = [re.compile(rf"(?:^|_)(?:{restriction.pattern})(?:_|$)") for restriction in _RESTRICTIONS]


def restriction_of(name: str, fields: Container[str] = ()) -> Restriction | None:
    """Return the restriction that a column expresses by its normal name, if any.

    Parameters
    ----------
    fields
        Fields for which the table has a column.

    Examples
    --------
    >>> [bool(restriction_of(name)) for name in ("setup_time_min", "cnc_changeover", "asset_update", "priority")]
    [True, True, False, False]
    """
    for pattern, restriction in zip(_PATTERNS, _RESTRICTIONS, strict=True):
        if pattern.search(name) and restriction.unless not in fields:
            is_single = restriction.single_with in fields
            return restriction._replace(harmless=_SINGLE) if is_single else restriction
    return None
