"""Beliefs of models about implicit facts of recipes (Table 9): truth, reader, comparison."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import product, zip_longest
from typing import Any, Final, TypeAlias

from planoracle.instances.model.instance import Instance

#: Number of an autonomous step, numbers of a step and of a later one, or number of a step and its object.
Item: TypeAlias = int | tuple[int, int] | tuple[int, str]

KINDS = ("concurrency", "dependency", "resources")
#: Fields of a submission that may contain beliefs; the last two are those of the released logs.
FIELDS = ("beliefs", *KINDS, "objects", "parallel", "physical_constraints")
#: Reasons why a belief is unread: the submission lacks it, it does not name the recipe, or nothing in it can be read.
MISSING: Final = "missing"
NO_RECIPE: Final = "no_recipe"
UNREADABLE: Final = "unreadable"


def measures(right: int, believed: int, true: int) -> dict[str, float | None]:
    """Return recall, precision and F1, ``None`` where undefined, with their numbers of items.

    >>> measures(2, 4, 3)["f1"], measures(0, 0, 3)["precision"]
    (0.5714285714285714, None)
    """
    shares = {"recall": (right, true), "precision": (right, believed)}
    shares["f1"] = (2 * right, believed + true)
    figures: dict[str, float | None] = {}
    for name, (top, bottom) in shares.items():
        figures[name] = top / bottom if bottom else None
    return figures | {"right": right, "believed": believed, "true": true}


def true_items(problem: Instance, recipe: str, kind: str) -> list[Item]:
    """Return the true items of a recipe, in the order of its steps; dependencies are direct ones.

    >>> from planoracle.instances.benchmarks.recipe2plan.problems import load
    >>> pair = load("recipe2plan/timed/Cobbler_Pancakes")
    >>> true_items(pair, "Cobbler", "concurrency"), true_items(pair, "Cobbler", "resources")
    ([0, 2, 7], [(0, 'oven'), (2, 'microwave'), (7, 'oven')])
    """
    actions = [action for action in problem.actions if action.task == recipe]
    steps = [(_number(action.id), action) for action in actions]
    if kind == "concurrency":
        return [number for number, step in steps if not step.attended]
    items: list[Item] = []
    if kind == "resources":
        for number, step in steps:
            items += [(number, demand.resource) for demand in step.modes[0].demands]
        return items
    precedences = [lag for lag in problem.lags if lag.minimum is not None]
    for number, step in steps:
        befores = [lag.before for lag in precedences if lag.after == step.id]
        items += [(_number(before), number) for before in befores]
    return items


def _number(action: str) -> int:
    return int(action.rpartition("/")[2])


def written(item: Item) -> str:
    """Return an item as the prompts write it.

    >>> written(3), written((1, 2)), written((7, "oven"))
    ('3', '1 -> 2', '7 oven')
    """
    if isinstance(item, int):
        return str(item)
    separator = " -> " if isinstance(item[1], int) else " "
    return separator.join(map(str, item))


# Numbers of steps have at most two digits. Texts are read in lower case, with single spaces.
_N = r"(?:steps? ?)?(?<!\d)\d{1,2}(?!\d)"
_GROUP = rf"(?:[\[({{] ?{_N}(?: ?, ?{_N})* ?[\])}}]|{_N}(?: ?(?:and|&|\+) ?{_N})*)"
_LINK = re.compile(rf"({_GROUP}) ?(?:[-=]+>|→|➔|⇒|is before|before|precedes) ?(?=({_GROUP}))")
_PAIR = re.compile(r"(?<!:)(?<!: )[\[(] ?(\d{1,2}) ?, ?(\d{1,2}) ?[\])]")
_RANGE = re.compile(r"(?<!\d)(\d{1,2}) ?(?:-|–|to) ?(?:step )?(\d{1,2})(?!\d)")
_NUMBER = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
_ALONE = re.compile(r"(?<![a-z] )(?<![a-z\d])\d{1,2}(?!\d)")  # after a word, a number is an amount
_NONE = re.compile(
    r"\bnone\b|\b(?:no (?:[a-z]+ )?|any autonomous )(?:step|action|object|dependenc|link|pair)|\bn/a\b|\[ ?\]"
)
_CONTINUOUS = re.compile(r"(?s).*?autonomous[^:\n]*:|continuous.*|\b(?:and|or|are|steps?)\b")
# Asides such as (makes it 350), but not lists of steps or an object; amounts such as 10 min and 350 degrees.
_EXTRA = re.compile(
    r"\((?! ?(?:steps?|oven|stove|microwave)\b)(?=[^()]*[a-z])[^()]*\)"
    r"|\d+(?:\.\d+)? ?(?:°|%|(?:degrees?|min(?:ute)?s?|sec(?:ond)?s?|hours?|f|c|cups?|inch(?:es)?)\b)"
)
# What follows the number of a recipe that stands for its name.
_CONTENT = r"[^\w\n]*(?:\d|\n|$|no|steps?\b|oven|stove|microwave)"
# Characters between the name of a field and its text.
_PUNCTUATION = ' \n":{*_#'
# Beginning of the beliefs on a recipe in the paper's Table 11, after the name of the recipe and its description.
_CAN_PERFORM = r"(?:i|you|we|the agent) can (?:perform|execute)(?: the following| these)?"
#: Beginning of a sentence that denies them, whose end is what `_NONE` finds.
_NO_AUTONOMOUS = (
    r"there are (?=no autonomous)|(?:i|you|we|the agent) can(?: ?no|['’])t (?:perform|execute) (?=any autonomous)"
)
_BELIEFS_OF_RECIPE = (
    rf"(?:thoughts on the recipe|{_CAN_PERFORM} autonomous|{_NO_AUTONOMOUS}"
    r"|the action before the|the following actions)"
)
# Names of fields, headings in our prompts and those of the paper, and usual ones; the others end a section.
_HEADING = re.compile(
    r"(?:^|\")[^a-z\n\"]{0,20}(?:"
    rf"(?P<concurrency>steps that go on by themselves|(?:{_CAN_PERFORM} )?autonomous (?:actions?|steps?)"
    rf"|{_NO_AUTONOMOUS}|(?:action )?concurrency|parallel\")"
    r"|(?P<dependency>steps that have to be complete before|(?:action |step )?dependenc(?:y|ies)|the action before the)"
    r"|(?P<resources>steps that occupy|(?:physical[ _])?(?:objects|resources|constraints)\b|resource limitations?"
    r"|the following actions would occupy)"
    r"|(?P<other>(?:plan|action|action sequence|thought|observation|answer|how it is done)\"? ?[:\n]|step ?\("
    r"|[\w-]+\" ?: ?\{(?= ?\"(?:concurrency|parallel|depend|resources|objects|physical))"
    rf"|recipe \d+.*\n\s*(?:.*\bstep 0 \(|(?=[^a-z\n]*{_BELIEFS_OF_RECIPE}))"
    r"|(?:recipe[^\w\n]+)?[a-z][\w-]*+[^\w\n]*\n\s*(?=[^a-z\n]*thoughts on the recipe)"
    rf"|[\w-]+\" ?: ?(?=\"[^a-z\"]*{_BELIEFS_OF_RECIPE})))",
    re.MULTILINE,
)


def read_beliefs(problem: Instance, submission: object) -> list[dict[str, Any]]:
    """Return the `measures` of a submission's beliefs per recipe and kind; empty without beliefs.

    An unread one has the reason instead: `MISSING`, `NO_RECIPE` or `UNREADABLE`. Beliefs are in its `FIELDS`, by kind
    or by recipe, as texts or JSON. Else they are sections in texts of the plan or of messages, under the headings of
    our prompts or of the released ones.
    """
    record = submission if isinstance(submission, Mapping) else {"plan": submission}
    names = [name for name in FIELDS if record.get(name) not in (None, "")]
    fields = {name: record[name] for name in names}
    text = _plain_text(fields or record)
    if not fields and not any(hint in text for hint in ("autonomous", "by themselves", "concurrency", "parallel")):
        return []  # in a fraction of the time
    sections: dict[tuple[str, str], str] = {}
    last = ""  # recipe that the text was about before a section that names none
    for heading, section in _split(_HEADING, f"plan:\n{text}"):
        if heading["other"] is not None:
            parts = [*_parts(problem.tasks, heading[0] + section)]
            last = parts[-1][0] if parts else last
            continue
        if not section.strip(_PUNCTUATION):
            continue  # the name of a field, whose text begins with another heading
        names_recipe = any(_parts(problem.tasks, section))
        if names_recipe or last or fields:
            sections.setdefault(("" if names_recipe else last, str(heading.lastgroup)), section)
    if not fields and not sections:
        return []
    rows = []
    for recipe, kind in product(problem.tasks, KINDS):
        items = _read_items(problem, sections, recipe, kind)
        figures: dict[str, Any]
        if isinstance(items, str):
            figures = {"unread": items}
        else:
            truth = frozenset(true_items(problem, recipe, kind))
            right = len(items & truth)
            figures = measures(right, len(items), len(truth))
        rows.append({"recipe": recipe, "belief": kind, **figures})
    return rows


def _plain_text(value: object) -> str:
    """Return a JSON value as text in lower case, without thoughts, escapes and repeated spaces."""
    document = json.dumps(value, ensure_ascii=False, default=str)
    document = document.replace("\\n", "\n")
    document = document.replace('\\"', '"').replace("\\", "")
    text = re.sub(r"(?s)<think>.*?</think>", "", document).lower()
    return re.sub(r"[^\S\n]+", " ", text)


def _split(pattern: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yield the matches of a pattern, each with the text up to the next one."""
    matches = [*pattern.finditer(text)]
    for match, following in zip_longest(matches, matches[1:]):
        end = following and following.start()
        yield match, text[match.end() : end]


def _parts(recipes: tuple[str, ...], text: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a text behind recipes: a name that begins a line or has a colon, or a number."""
    patterns = [recipe.lower().replace("-", "[-_ ]?") for recipe in recipes]
    name = "|".join(f"({pattern})" for pattern in patterns)
    line = rf"^[^\w\n]*(?:recipe(?: \d+)?[^\w\n]*)?(?:{name})(?![\w-])"
    number = rf"^[^\w\n]*recipe (\d)(?={_CONTENT})"
    before_colon = rf"(?<![\w-])(?:{name})(?=[*_\"'`)\] ]*[:=|])"
    pattern = re.compile(rf"(?m){line}|{before_colon}|{number}")
    for head, part in _split(pattern, text):
        group = head.lastindex or 0
        is_number = group > 2 * len(recipes)
        index = (group - 1) % len(recipes)
        if is_number:
            index = int(head[group]) - 1
        if index in range(len(recipes)):
            yield recipes[index], part


def _read_items(
    problem: Instance, sections: Mapping[tuple[str, str], str], recipe: str, kind: str
) -> frozenset[Item] | str:
    """Return the believed items of a recipe, or the reason why they are unread.

    Sections of a text are given by recipe (``""``: of several) and kind.
    """
    section_of_recipe = sections.get((recipe, kind))
    if section_of_recipe is not None:
        parts = [section_of_recipe]
    elif ("", kind) in sections:
        parts_of_recipes = _parts(problem.tasks, sections["", kind])
        parts = [part for name, part in parts_of_recipes if name == recipe]
    else:
        return MISSING
    text = _RANGE.sub(_list_range, _EXTRA.sub(" ", "\n".join(parts)))
    items = frozenset(_READERS[kind](problem, text))
    if items or _NONE.search(text):
        return items
    return UNREADABLE if parts else NO_RECIPE


def _list_range(span: re.Match[str]) -> str:
    """Return a range of steps as a list."""
    first = int(span[1])
    last = int(span[2])
    return ", ".join(map(str, range(first, last + 1)))


def _concurrency(problem: Instance, part: str) -> Iterator[Item]:
    return map(int, _ALONE.findall(_CONTINUOUS.sub("", part)))


def _dependency(problem: Instance, part: str) -> Iterator[Item]:
    for earlier, later in _LINK.findall(part) or _PAIR.findall(part):
        for earlier_number in _NUMBER.findall(earlier):
            for later_number in _NUMBER.findall(later):
                yield int(earlier_number), int(later_number)


def _resources(problem: Instance, part: str) -> Iterator[Item]:
    """Yield steps with objects, written as ``0 oven, 7 oven`` or as ``oven: 0, 7``."""
    objects = {resource.name.lower(): resource.name for resource in problem.resources}
    names = "|".join(map(re.escape, sorted(objects, key=len, reverse=True)))
    pattern = names or "(?!)"
    text, *pieces = re.split(f"({pattern})", part)
    texts = pieces[1::2]
    if _NUMBER.search(text):
        texts = [text, *texts]
    for name, numbers in zip(pieces[::2], texts, strict=False):
        for number in _NUMBER.findall(numbers):
            yield int(number), objects[name]


_READERS: Mapping[str, Callable[[Instance, str], Iterator[Item]]] = {
    "concurrency": _concurrency,
    "dependency": _dependency,
    "resources": _resources,
}
