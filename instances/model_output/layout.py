"""What the lines of a text are by their form: items of lists, rows of tables, lines of fenced blocks, marked ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from planoracle.instances.model_output.characters import plain, unmarked
from planoracle.instances.model_output.cues import Cue, cues_of
from planoracle.instances.model_output.json_values import fragments, lifted, objects_in, whole_value

_FENCE = re.compile(r"\s{0,40}(?:[-*>]\s{0,3})?(`{3,}|~{3,})\s{0,3}([\w+.-]*)\s*")
_SEPARATOR = re.compile(r"[|\s:-]*-[|\s:-]*")
_MARKED = re.compile(
    r"[\s#>*_`-]{0,12}(?:\d{1,4}[.)]\s{0,3})?[*_]{0,3}(?P<name>[A-Za-z][^:|{}\"\n]{0,70}?)\s{0,3}#?(?:\d{1,6}\s{0,3})?"
    r"[*_`]{0,3}\s{0,3}:[*_`]{0,3}(?P<rest>.*)",
    re.DOTALL,
)
_HEADING = re.compile(r"\s{0,3}(?:#{1,6}\s{0,3}|(?=\*\*))[*_]{0,3}(?P<name>[^*#|:\n]{1,70}?)[\s*_:#]{0,9}")
_TAG = re.compile(r"<(?:answer|plan|final[_ ]?answer|final[_ ]?plan|solution)>|\\boxed\s?\{", re.IGNORECASE)
_QUOTED = re.compile(r'^[ \t]{0,40}"(?:[^"\\\n]|\\.)*"[ \t]{0,40}$', re.MULTILINE)
_BREAK = re.compile(r"\s{0,9}<br ?/?>\s{0,9}")
_ASIDE = re.compile(
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
_SECTIONS = {
    "thought": "thought thoughts thinking reasoning rationale analysis explanation reflection think notes note",
    "observed": "observation observations environment feedback error user human system tool goal",
    "action": "action act command decision",
    "said": "assistant agent model ai",
}
# Of these one line is told, if there is something behind the word.
_BRIEF = {"goal", "note", "notes", "error", "error feedback"}
# Behind a sentence of a thought, where no action has a line of its own.
_WITHIN = re.compile(r"(?<=[.!?)\]\"']) {0,3}Action ?: ?")
_HEADS = ("thought", "observed", "said", "note", "final", "action")
_NAMES = {name: kind for kind, names in _SECTIONS.items() for name in names.split()} | {
    **dict.fromkeys(("valid actions", "available actions", "error feedback", "tool result"), "observed"),
    **dict.fromkeys(("next state change", "next state changes", "state change", "next state"), "observed"),
    **dict.fromkeys(("next action", "action input", "next command", "next decision"), "action"),
}


@dataclass(slots=True)
class TextLine:
    """One line, or one cell of a table.

    Attributes
    ----------
    kind
        ``action`` (behind such a word), ``fence``, ``table`` (a row), ``list`` or ``free``; or what ends and begins
        parts and says nothing itself: ``thought``, ``observed``, ``said``, ``final``, ``break``; or ``note``, a
        sentence of a thought, which holds no steps but may take a plan back.
    text, values
        What it says behind its mark, and the JSON that was in it.
    group
        The fenced block or table that it is in.
    cells
        Of a row.
    quoted
        Whether it is a quotation: ``>`` in front of it, or between tags that say so.
    """

    number: int
    kind: str
    text: str
    values: list[object] = field(default_factory=list)
    group: int = 0
    cells: list[str] = field(default_factory=list)
    quoted: bool = False


def lines_of(text: str) -> tuple[list[TextLine], list[TextLine], bool]:
    r"""Return the lines of a text that may say something, without observations and thoughts.

    Returns
    -------
    tuple
        The lines; items of lists, blocks and tables in what was left out; and whether all JSON was found.

    Examples
    --------
    >>> for line in lines_of("Thought: wash cup?\nAction: wash cup\nObservation: done\n\n1. wait")[0]:
    ...     print(line.number, line.kind, line.text)
    2 action wash cup
    3 observed Observation
    5 list wait
    """
    if text.startswith("{") and (objects := objects_in(text)) is not None:
        return [TextLine(number, "free", "", [one]) for number, one in enumerate(objects, 1)], [], True
    held = lifted(_unescaped(text.replace("\r\n", "\n").replace("\r", "\n")))
    formed = list(_formed(held.text, iter(held.values)))
    alone = all(line.quoted or line.kind in ("blank", "break", "final") for line in formed)
    for before, line in pairwise(
        [TextLine(0, "blank", ""), *formed]
    ):  # no quotation: all there is, or a mark in a list
        item = before.kind == "list" and not before.quoted and before.number == line.number - 1
        line.quoted = line.quoted and not (alone or item)
    return *_without_sections(formed), held.whole


def _unescaped(text: str) -> str:
    """Break lines where a text that stands in a line of its own, or has neither lines nor quotes, says so."""
    if "\\n" not in text:
        return text
    if not any(sign in text for sign in "\n\"'{"):
        return text.replace("\\r\\n", "\n").replace("\\n", "\n")
    return _QUOTED.sub(_unquoted, text)


def _unquoted(found: re.Match[str]) -> str:
    said = whole_value(found[0]) if "\\n" in found[0] else None
    return said if isinstance(said, str) else found[0]


def _formed(text: str, values: Iterator[object]) -> Iterator[TextLine]:
    """Yield every line with its kind; empty ones are ``blank``."""
    fences: list[str] = []
    group = 0
    rows = aside = False
    given = text.split("\n")
    heads = {
        number for number, raw in enumerate(given) if "|" in raw and "-" in raw and _SEPARATOR.fullmatch(raw.strip())
    }
    blank = False
    for number, raw in enumerate(given, 1):
        if "<" in raw and (tags := _ASIDE.findall(raw)):
            quoted, aside = aside or "" in tags, tags[-1] == ""
            raw = _ASIDE.sub(" ", raw)
        else:
            quoted = aside or raw.lstrip()[:1] == ">"
        parts, inside = fragments(raw, values) if raw else ([], [])
        said = plain(" ".join(parts)).strip()
        if not said and not inside:
            rows = False
            if not blank:
                yield TextLine(number, "blank", "")
            blank = True
            continue
        blank = False
        fence = _FENCE.fullmatch(raw) if "```" in raw or "~~~" in raw else None
        if fence is not None:
            closes = fences and not fence[2] and fence[1].startswith(fences[-1])
            fences = fences[:-1] if closes else [*fences[:50], fence[1]]
            group += 1
            yield TextLine(number, "break", "", group=group)
            continue
        if said.startswith("|") or ("|" in said and (rows or number in heads or said.endswith("|"))):
            group += not rows
            rows = True
            if not _SEPARATOR.fullmatch(said):
                yield TextLine(
                    number, "table", said, inside, group, [cell.strip() for cell in said.strip("|").split("|")]
                )
            continue
        if rows:
            rows, group = False, group + 1
        if inside and any(cues_of(part) for part in parts):
            yield from _around(number, parts, inside, bool(fences), group, quoted)
            continue
        for part in _BREAK.split(said) if "<br" in said else (said,):
            for line in _marked(number, part, inside, bool(fences), group):
                line.quoted = quoted
                yield line
            inside = []


def _around(
    number: int, parts: list[str], inside: list[object], fenced: bool, group: int, quoted: bool
) -> Iterator[TextLine]:
    """Yield the JSON values of a line and the words between them, which say what they are, one after the other."""
    for place, part in enumerate(parts):
        said = plain(part).strip()
        if said:
            said = f"This {said}" if place and _VERB.match(said) else said
            yield from _marked(number, said, [], fenced, group)
        if place < len(inside):
            yield TextLine(number, "free", "", [inside[place]], group, quoted=quoted)


def _marked(number: int, said: str, inside: list[object], fenced: bool, group: int) -> Iterator[TextLine]:
    """Yield a line by the word or tag in front of it."""
    tag = _TAG.search(said) if "<" in said or "\\boxed" in said else None
    if tag is not None:
        if tag.start():
            yield TextLine(number, "free", said[: tag.start()])
        yield TextLine(number, "final", tag[0])
        said = said[tag.end() :].replace("\\\\", ",").replace("\\text{", "")
    if "</" in said:
        said = _END.sub(" ", said).strip()
    found = _MARKED.fullmatch(said) if ":" in said else _HEADING.fullmatch(said) if said[:1] in ("#", "*") else None
    name = "" if found is None else " ".join(found["name"].split()).strip("*_# ")
    kind = _NAMES.get(name.lower()) or ("final" if name and _announces(name) else "")
    if kind:
        said = found["rest"].strip() if found is not None and ":" in said else ""
        if kind == "action":
            yield TextLine(number, "action", said, inside)
            return
        brief = name.lower() in _BRIEF and said != ""
        yield TextLine(number, "note" if brief else kind, said if brief else name[:40])
        if brief:
            return
    if said or inside:
        item = unmarked(f"{said} ")
        kind = "fence" if fenced else "free" if item is None else "list"
        yield TextLine(number, kind, said if item is None else item, inside, group)


def _announces(name: str) -> bool:
    """Whether the name of a section says that the plan follows."""
    return _FINAL.fullmatch(name) is not None and Cue.NO_PLAN not in cues_of(name)


def _without_sections(formed: list[TextLine]) -> tuple[list[TextLine], list[TextLine]]:
    """Leave thoughts and observations out, and let actions stand on the lines behind their word.

    A section lasts to the next one; the last one to an empty line, or, if there is nothing but thoughts, to a list. In
    a text without an action on a line of its own a thought ends where it says ``Action:`` behind a sentence.
    """
    within = not any(line.kind == "action" for line in formed)
    last = max((i for i, line in enumerate(formed) if line.kind in _HEADS), default=-1)
    kept: list[TextLine] = []
    left: list[TextLine] = []
    section, opened, content = "", -1, False
    for i, line in enumerate(formed):
        if line.kind in _HEADS:
            section, opened = line.kind, i
            if line.kind == "action" and (line.text or line.values):
                section = ""
                kept.append(line)
            elif line.kind not in ("action", "thought"):
                kept.append(line)
            content = content or line.kind in ("action", "final")
        elif line.kind == "blank":
            if opened < i - 1 and (section == "action" or opened == last):
                section = ""
        elif section == "action":
            kept.append(TextLine(line.number, "action", line.text, line.values))
        elif within and section == "thought" and line.kind == "free" and (found := _WITHIN.search(line.text)):
            kept.append(TextLine(line.number, "action", line.text[found.end() :], line.values))
            section, content = "", True
        else:
            if section == "thought" and opened == last and not content and line.kind != "free":
                section = ""
            if section not in ("thought", "observed"):
                kept.append(line)
                content = content or line.kind != "free"
            elif line.kind not in ("free", "break"):
                left.append(line)
            elif within and section == "thought" and line.text:
                kept.append(TextLine(line.number, "note", line.text))
    return kept, left
