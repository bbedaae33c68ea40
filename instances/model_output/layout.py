"""Classification of lines by form: list items, table rows, fenced blocks, and sections."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from planoracle.instances.model_output.characters import plain, unmarked
from planoracle.instances.model_output.cues import Cue, cues_of, is_label
from planoracle.instances.model_output.json_values import HOLE, extract_values, whole_value

_FENCE = re.compile(r"\s{0,40}(?:[-*>]\s{0,3})?(`{3,}|~{3,})\s{0,3}([\w+.-]*)\s*")
_SEPARATOR = re.compile(r"[|\s:-]*-[|\s:-]*")
_MARKED = re.compile(
    r"[\s#>*_`-]{0,12}(?:\d{1,4}[.)]\s{0,3})?[*_]{0,3}(?P<name>[A-Za-z][^:|{}\"\n]{0,70}?)\s{0,3}"
    r"#?(?:(?P<number>\d{1,6})\s{0,3})?[*_`]{0,3}\s{0,3}:[*_`]{0,3}(?P<rest>.*)",
    re.DOTALL,
)
_HEADING = re.compile(r"\s{0,3}(?:#{1,6}\s{0,3}|(?=\*\*))[*_]{0,3}(?P<name>[^*#|:\n]{1,70}?)[\s*_:#]{0,9}")
_TAG = re.compile(r"<(?:answer|plan|final[_ ]?answer|final[_ ]?plan|solution)>|\\boxed\s?\{", re.IGNORECASE)
_QUOTED = re.compile(r'^[ \t]{0,40}"(?:[^"\\\n]|\\.)*"[ \t]{0,40}$', re.MULTILINE)
_BREAK = re.compile(r"\s{0,9}<br ?/?>\s{0,9}")
_QUOTING_TAG = re.compile(
    r"<(/?)(?:block)?(?:quote|example|draft|sketch|invalid|template|sample)s?(?:[ _-]\w{1,20})?>", re.IGNORECASE
)
_VERB = re.compile(r"\s*(?:is|was|does|will|would|wo|ca|can|cannot|could|seems|looks|fails|violates|breaks)\b")
_END = re.compile(r"</(?:answer|plan|final[_ ]?answer|final[_ ]?plan|solution)>", re.IGNORECASE)
_FINAL = re.compile(
    r"(?:.{0,40}\b)?(?:final|revised|corrected|updated|improved|optimi[sz]ed|optimal|complete|full|resulting)"
    r" (?:\w{1,12} ){0,2}(?:answer|plan|schedule|solution|sequence|actions|list|output|version|transcript|steps)"
    r"(?: .{0,30})?|(?:the |my |our )?(?:action )?(?:answer|plan|schedule|solution|actions|sequence)(?: is)?",
    re.IGNORECASE,
)
# Names of sections by their kinds.
_SECTIONS = {
    "thought": (
        *("thought", "thoughts", "thinking", "reasoning", "rationale", "analysis", "explanation", "reflection"),
        *("think", "notes", "note"),
    ),
    "observed": (
        *("observation", "observations", "environment", "feedback", "error", "user", "human", "system", "tool", "goal"),
        *("valid actions", "available actions", "error feedback", "tool result"),
        *("next state change", "next state changes", "state change", "next state"),
    ),
    "action": (
        *("action", "act", "command", "decision"),
        *("next action", "action input", "next command", "next decision"),
    ),
    "said": ("assistant", "agent", "model", "ai"),
}
# Sections of one line, if there is text after the heading.
_BRIEF = {"goal", "note", "notes", "error", "error feedback"}
# An action after a sentence of a thought, in a text without action lines.
_WITHIN = re.compile(r"(?<=[.!?)\]\"']) {0,3}Action ?: ?")
_HEADS = ("thought", "observed", "said", "note", "final", "action")


def _kinds_by_name() -> dict[str, str]:
    """Return the kind of a section by each of its names."""
    kinds: dict[str, str] = {}
    for kind, names in _SECTIONS.items():
        kinds.update(dict.fromkeys(names, kind))
    return kinds


_KINDS = _kinds_by_name()


@dataclass(slots=True)
class TextLine:
    """One line of a text.

    Attributes
    ----------
    kind
        ``action`` (after such a word), ``fence``, ``table`` (a row), ``list`` or ``free``; or a delimiter without
        steps: ``thought``, ``observed``, ``said``, ``final``, ``break``; or ``note``, a sentence of a thought, which
        contains no steps but may retract a plan.
    text, values
        The text after its mark, and its JSON values.
    group
        Number of its fenced block or table.
    cells
        Cells of a row.
    quoted
        True for a quotation: a ``>`` before it, or tags around it.
    """

    number: int
    kind: str
    text: str
    values: list[object] = field(default_factory=list)
    group: int = 0
    cells: list[str] = field(default_factory=list)
    quoted: bool = False


def lines_of(text: str) -> tuple[list[TextLine], list[TextLine], bool]:
    r"""Return the lines of a text without observations and thoughts.

    Returns
    -------
    tuple
        The lines; items of lists, blocks and tables in the omitted sections; and whether all JSON was found.

    Examples
    --------
    >>> for line in lines_of("Thought: wash cup?\nAction: wash cup\nObservation: done\n\n1. wait")[0]:
    ...     print(line.number, line.kind, line.text)
    2 action wash cup
    3 observed Observation
    5 list wait
    """
    unescaped_text = _unescape(text.replace("\r\n", "\n").replace("\r", "\n"))
    text, values, is_complete = extract_values(unescaped_text)
    lines = list(_classify(text, iter(values)))
    # The whole text is no quotation, nor is a line with the mark of quotations within a list.
    is_all_quoted = all(line.quoted or line.kind in ("blank", "break", "final") for line in lines)
    for before, line in pairwise([TextLine(0, "blank", ""), *lines]):
        is_next = before.number == line.number - 1
        is_in_list = before.kind == "list" and not before.quoted and is_next
        line.quoted = line.quoted and not (is_all_quoted or is_in_list)
    return *_without_sections(lines), is_complete


def _unescape(text: str) -> str:
    """Decode escaped line breaks in JSON strings on a line of their own, and in texts of one line."""
    if "\\n" not in text:
        return text
    if not any(sign in text for sign in "\n\"'{"):
        return text.replace("\\r\\n", "\n").replace("\\n", "\n")
    return _QUOTED.sub(_unquote, text)


def _unquote(match: re.Match[str]) -> str:
    value = whole_value(match[0]) if "\\n" in match[0] else None
    return value if isinstance(value, str) else match[0]


def _classify(text: str, values: Iterator[object]) -> Iterator[TextLine]:
    """Yield every line with its kind; the first of several empty lines is ``blank``."""
    fences: list[str] = []
    group = 0
    in_table = in_quotation = blank = False
    raw_lines = text.split("\n")
    headers = {number for number, raw in enumerate(raw_lines) if _is_separator(raw)}
    for number, raw in enumerate(raw_lines, 1):
        if "<" in raw and (tags := _QUOTING_TAG.findall(raw)):
            quoted = in_quotation or "" in tags
            in_quotation = tags[-1] == ""
            raw = _QUOTING_TAG.sub(" ", raw)
        else:
            quoted = in_quotation or raw.lstrip()[:1] == ">"
        parts = raw.split(HOLE)
        inside = [next(values) for _ in parts[1:]]
        line_text = plain(" ".join(parts)).strip()
        if not line_text and not inside:
            in_table = False
            if not blank:
                yield TextLine(number, "blank", "")
            blank = True
            continue
        blank = False
        has_fence = "```" in raw or "~~~" in raw
        fence = _FENCE.fullmatch(raw) if has_fence else None
        if fence is not None:
            closes = fences and not fence[2] and fence[1].startswith(fences[-1])
            fences = fences[:-1] if closes else [*fences[:50], fence[1]]
            group += 1
            yield TextLine(number, "break", "", group=group)
            continue
        in_row = in_table or number in headers or line_text.endswith("|")
        if line_text.startswith("|") or ("|" in line_text and in_row):
            group += not in_table
            in_table = True
            if not _SEPARATOR.fullmatch(line_text):
                cells = [cell.strip() for cell in line_text.strip("|").split("|")]
                yield TextLine(number, "table", line_text, inside, group, cells)
            continue
        in_table = False
        if inside and any(cues_of(part) for part in parts):
            yield from _around(number, parts, inside, bool(fences), group, quoted)
            continue
        for part in _BREAK.split(line_text) if "<br" in line_text else (line_text,):
            for line in _split_marks(number, part, inside, bool(fences), group):
                line.quoted = quoted
                yield line
            inside = []


def _is_separator(raw: str) -> bool:
    """Return whether a line separates the header of a table from its rows."""
    return "|" in raw and "-" in raw and _SEPARATOR.fullmatch(raw.strip()) is not None


def _around(
    number: int, parts: list[str], inside: list[object], fenced: bool, group: int, quoted: bool
) -> Iterator[TextLine]:
    """Yield the JSON values of a line and the words between them, which have cues, in order."""
    for place, part in enumerate(parts):
        text = plain(part).strip()
        if text:
            text = f"This {text}" if place and _VERB.match(text) else text
            yield from _split_marks(number, text, [], fenced, group)
        if place < len(inside):
            yield TextLine(number, "free", "", [inside[place]], group, quoted=quoted)


def _split_marks(number: int, text: str, inside: list[object], fenced: bool, group: int) -> Iterator[TextLine]:
    """Yield a line by the word or tag before it."""
    has_tag = "<" in text or "\\boxed" in text
    tag = _TAG.search(text) if has_tag else None
    if tag is not None:
        if tag.start():
            yield TextLine(number, "free", text[: tag.start()])
        yield TextLine(number, "final", tag[0])
        remainder = text[tag.end() :]
        text = remainder.replace("\\\\", ",").replace("\\text{", "")
    if "</" in text:
        text = _END.sub(" ", text).strip()
    heading = _heading_of(text)
    name = ""
    if heading is not None:
        name = " ".join(heading["name"].split()).strip("*_# ")
    kind = _KINDS.get(name.lower()) or ("final" if name and _announces(name) else "")
    if kind == "final" and heading is not None and is_label(f"{name} {heading.groupdict().get('number')}:"):
        kind = ""  # one of several plans
    if kind:
        has_content = heading is not None and ":" in text
        text = heading["rest"].strip() if heading is not None and has_content else ""
        if kind == "action":
            yield TextLine(number, "action", text, inside)
            return
        if name.lower() in _BRIEF and text:
            yield TextLine(number, "note", text)
            return
        yield TextLine(number, kind, name[:40])
    if text or inside:
        item = unmarked(f"{text} ")
        kind = "free" if item is None else "list"
        content = text if item is None else item
        yield TextLine(number, "fence" if fenced else kind, content, inside, group)


def _heading_of(text: str) -> re.Match[str] | None:
    """Return the match of the name of a section at the beginning of a line."""
    if ":" in text:
        return _MARKED.fullmatch(text)
    if text[:1] not in ("#", "*"):
        return None
    return _HEADING.fullmatch(text)


def _announces(name: str) -> bool:
    """Return whether the name of a section announces the plan."""
    return _FINAL.fullmatch(name) is not None and Cue.NO_PLAN not in cues_of(name)


def _without_sections(lines: list[TextLine]) -> tuple[list[TextLine], list[TextLine]]:
    """Separate thoughts and observations from other lines; lines below ``Action`` become actions.

    A section ends at the next one; the last one at an empty line, or, in a text of thoughts only, at a list. In a text
    without action lines a thought ends at ``Action:`` after a sentence.
    """
    within = not any(line.kind == "action" for line in lines)
    heads = [i for i, line in enumerate(lines) if line.kind in _HEADS]
    last = max(heads, default=-1)
    retained: list[TextLine] = []
    omitted: list[TextLine] = []
    section, opened = "", -1
    content = False  # lines other than thoughts and observations
    for i, line in enumerate(lines):
        if line.kind in _HEADS:
            section, opened = line.kind, i
            if line.kind == "action" and (line.text or line.values):
                section = ""
                retained.append(line)
            elif line.kind not in ("action", "thought"):
                retained.append(line)
            content = content or line.kind in ("action", "final")
        elif line.kind == "blank":
            if opened < i - 1 and (section == "action" or opened == last):
                section = ""
        elif section == "action":
            retained.append(TextLine(line.number, "action", line.text, line.values))
        elif within and section == "thought" and line.kind == "free" and (match := _WITHIN.search(line.text)):
            action_text = line.text[match.end() :]
            retained.append(TextLine(line.number, "action", action_text, line.values))
            section, content = "", True
        else:
            if section == "thought" and opened == last and not content and line.kind != "free":
                section = ""
            if section not in ("thought", "observed"):
                retained.append(line)
                content = content or line.kind != "free"
            elif line.kind not in ("free", "break"):
                omitted.append(line)
            elif within and section == "thought" and line.text:
                retained.append(TextLine(line.number, "note", line.text))
    return retained, omitted
