"""Beliefs of models on what recipes leave implicit (Table 9): truth, reader of what models write, comparison."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise, zip_longest
from typing import Any, NamedTuple, TypeAlias

from planoracle.plugin import Instance

#: Number of an autonomous step, numbers of a step and of a later one, or number of a step and its object.
Item: TypeAlias = int | tuple[int, int] | tuple[int, str]

KINDS = ("concurrency", "dependency", "resources")
#: Fields of a submission that may hold beliefs; the last two are those of the released logs.
FIELDS = ("beliefs", *KINDS, "objects", "parallel", "physical_constraints")
#: Reasons why a belief is unread: the submission lacks it, it does not name the recipe, or nothing in it can be read.
MISSING, NO_RECIPE, UNREADABLE = "missing", "no_recipe", "unreadable"
#: Longer beliefs are unreadable.
MAX_CHARACTERS = 20_000


class Belief(NamedTuple):
    """Belief on one recipe: its items, or ``None`` and the reason why it is unread."""

    recipe: str
    kind: str
    items: frozenset[Item] | None
    unread: str = ""

    def compared(self, problem: Instance) -> dict[str, Any]:
        """Return recipe and kind with the measures of the belief, or with the reason why it is unread."""
        row: dict[str, Any] = {"recipe": self.recipe, "belief": self.kind}
        if self.items is None:
            return row | {"unread": self.unread}
        truth = frozenset(true_items(problem, self.recipe, self.kind))
        return row | measures(len(self.items & truth), len(self.items), len(truth))


def measures(right: int, believed: int, true: int) -> dict[str, float | None]:
    """Return recall, precision and F1, ``None`` where undefined, with the numbers of items behind them.

    >>> measures(2, 4, 3)["f1"], measures(0, 0, 3)["precision"]
    (0.5714285714285714, None)
    """
    shares = {"recall": (right, true), "precision": (right, believed), "f1": (2 * right, believed + true)}
    counts = {"right": right, "believed": believed, "true": true}
    return {name: top / bottom if bottom else None for name, (top, bottom) in shares.items()} | counts


def true_items(problem: Instance, recipe: str, kind: str) -> list[Item]:
    """Return what is true of a recipe, in the order of its steps; of dependencies the direct ones.

    >>> from planoracle.instances.benchmarks.recipe2plan.problems import load
    >>> pair = load("recipe2plan/timed/Cobbler_Pancakes")
    >>> true_items(pair, "Cobbler", "concurrency"), true_items(pair, "Cobbler", "resources")
    ([0, 2, 7], [(0, 'oven'), (2, 'microwave'), (7, 'oven')])
    """
    steps = [(int(action.id.rpartition("/")[2]), action) for action in problem.actions if action.task == recipe]
    if kind == "concurrency":
        return [number for number, step in steps if not step.attended]
    if kind == "resources":
        return [(number, demand.resource) for number, step in steps for demand in step.modes[0].demands]
    before = [(int(lag.before.rpartition("/")[2]), lag.after) for lag in problem.lags if lag.minimum is not None]
    return [(earlier, number) for number, step in steps for earlier, after in before if after == step.id]


# Numbers of steps have at most two digits. Texts are read in lower case, with single spaces.
_N = r"(?:steps? ?)?(?<!\d)\d{1,2}(?!\d)"
_GROUP = rf"(?:[\[({{] ?{_N}(?: ?, ?{_N})* ?[\])}}]|{_N}(?: ?(?:and|&|\+) ?{_N})*)"
_LINK = re.compile(rf"({_GROUP}) ?(?:[-=]+>|→|➔|⇒|is before|before|precedes) ?(?=({_GROUP}))")
_PAIR = re.compile(r"(?<!:)(?<!: )[\[(] ?(\d{1,2}) ?, ?(\d{1,2}) ?[\])]")
_RANGE = re.compile(r"(?<!\d)(\d{1,2}) ?(?:-|–|to) ?(?:step )?(\d{1,2})(?!\d)")
_NUMBER, _TOKEN = re.compile(r"(?<!\d)\d{1,2}(?!\d)"), re.compile(r"\d+|[a-z]+|[^ a-z\d]")
#: Words before numbers of steps; after another word, a number is an amount.
_LISTING = ("and", "or", "are", "step", "steps")
_NONE = re.compile(r"\bno(?:ne|thing)?\b|\bn/a\b|\[ ?\]")
_CONTINUOUS = re.compile(r"(?s).*?autonomous[^:\n]*:|continuous.*")
# Asides such as (makes it 350), but not lists of steps or an object; amounts such as 10 min and 350 degrees.
_EXTRA = re.compile(
    r"\((?! ?(?:steps?|oven|stove|microwave)\b)(?=[^()]*[a-z])[^()]*\)"
    r"|\d+(?:\.\d+)? ?(?:°|%|(?:degrees?|min(?:ute)?s?|sec(?:ond)?s?|hours?|f|c|cups?|inch(?:es)?)\b)"
)
# What follows the number of a recipe that stands for its name.
_CONTENT = r"[^\w\n]*(?:\d|\n|$|no|steps?\b|oven|stove|microwave)"
# Names of fields, and headings in our prompts, in those of the paper, and as models write them; others end a section.
_HEADING = re.compile(
    r"(?:^[^a-z\n]{0,20}|\")(?:"
    r"(?P<concurrency>steps that go on by themselves|(?:i can perform )?autonomous (?:actions?|steps?)"
    r"|(?:action )?concurrency|parallel\")"
    r"|(?P<dependency>steps that have to be complete before|(?:action |step )?dependenc(?:y|ies)|the action before the)"
    r"|(?P<resources>steps that occupy|(?:physical[ _])?(?:objects|resources|constraints)\b|resource limitations?"
    r"|the following actions would occupy)"
    r"|(?P<other>(?:plan|action|action sequence|thought|observation|answer|how it is done)\"? ?[:\n]|step ?\("
    r"|recipe \d+.*\n.*\bstep 0 \(|[\w-]+\" ?: ?\{(?= ?\"(?:concurrency|parallel|depend|resources|objects|physical))))",
    re.MULTILINE,
)
# Texts without any of these words hold no beliefs on concurrency, and are not searched.
_HINTS = ("autonomous", "by themselves", "concurrency", "parallel")


def read_beliefs(problem: Instance, submission: object) -> list[Belief]:
    """Return a belief per recipe and kind of a submission; none if it holds no beliefs at all.

    They are in its `FIELDS`, by kind or by recipe, as texts or JSON. Else they are sections in texts of the plan or of
    messages, under the headings of our prompts or of the released ones.
    """
    record = submission if isinstance(submission, Mapping) else {"plan": submission}
    fields = {name: record[name] for name in FIELDS if name in record}
    written = json.dumps(fields or record, ensure_ascii=False, default=str).replace("\\n", "\n").replace('\\"', '"')
    text = re.sub(r"[^\S\n]+", " ", re.sub(r"(?s)<think>.*?</think>", "", written.replace("\\", "")).lower())
    if not fields and not any(hint in text for hint in _HINTS):
        return []
    sections: dict[tuple[str, str], str] = {}
    last = ""  # recipe that the text was about before a section that names none
    for heading, section in _split(_HEADING, f"plan:\n{text}"):
        if heading["other"] is not None:
            last = next((recipe for recipe, _ in [*_parts(problem.tasks, heading[0] + section)][::-1]), last)
        elif (names := any(_parts(problem.tasks, section))) or last or fields:
            sections.setdefault(("" if names else last, str(heading.lastgroup)), section)
    return [
        _belief(problem, sections, recipe, kind) for recipe in problem.tasks for kind in KINDS if fields or sections
    ]


def _split(pattern: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yield the matches of a pattern, each with the text up to the next one."""
    matches = [*pattern.finditer(text)]
    for match, following in zip_longest(matches, matches[1:]):
        yield match, text[match.end() : following and following.start()]


def _parts(recipes: tuple[str, ...], text: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a text behind the names of recipes, or behind ``recipe 1``."""
    for head, part in _split(_names(recipes), text):
        group = head.lastindex or 0
        index = int(head[group]) - 1 if group > 2 * len(recipes) else (group - 1) % len(recipes)
        if index in range(len(recipes)):
            yield recipes[index], part


@lru_cache(maxsize=256)
def _names(recipes: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of a recipe's name at the start of a line or before a colon, or of its number."""
    either = "|".join(f"({recipe.lower().replace('-', '[-_ ]?')})" for recipe in recipes)
    line, colon = rf"^[^\w\n]*(?:recipe \d+[^\w\n]*)?(?:{either})(?![\w-])", r"[*_\"'`)\] ]*[:=|]"
    return re.compile(rf"(?m){line}|(?<![\w-])(?:{either})(?={colon})|^[^\w\n]*recipe (\d)(?={_CONTENT})")


def _belief(problem: Instance, sections: Mapping[tuple[str, str], str], recipe: str, kind: str) -> Belief:
    """Return the belief on a recipe in sections by recipe (``""``: of several) and kind."""
    own = sections.get((recipe, kind))
    text = sections.get(("", kind)) if own is None else own
    if text is None or len(text) > MAX_CHARACTERS:
        return Belief(recipe, kind, None, MISSING if text is None else UNREADABLE)
    parts = [part for name, part in _parts(problem.tasks, text) if name == recipe] if own is None else [text]
    if not parts:
        return Belief(recipe, kind, None, NO_RECIPE)
    part = _EXTRA.sub(" ", "\n".join(parts))
    items = frozenset(_READERS[kind](problem, part))
    unread = "" if items or _NONE.search(part) else UNREADABLE
    return Belief(recipe, kind, None if unread else items, unread)


def _concurrency(problem: Instance, part: str) -> Iterator[Item]:
    tokens = _TOKEN.findall(_RANGE.sub(_enumerated, _CONTINUOUS.sub("", part)))
    for before, token in pairwise(["", *tokens]):
        if _NUMBER.fullmatch(token) and (not before.isalpha() or before in _LISTING):
            yield int(token)


def _dependency(problem: Instance, part: str) -> Iterator[Item]:
    for earlier, later in _LINK.findall(part) or _PAIR.findall(part):
        for one in _NUMBER.findall(earlier):
            yield from ((int(one), int(other)) for other in _NUMBER.findall(later))


def _resources(problem: Instance, part: str) -> Iterator[Item]:
    """Yield steps with objects, written as ``0 oven, 7 oven`` or as ``oven: 0, 7``."""
    objects = {resource.name.lower(): resource.name for resource in problem.resources}
    text, *pieces = re.split(f"({'|'.join(map(re.escape, objects))})", _RANGE.sub(_enumerated, part))
    texts = [text, *pieces[1::2]] if _NUMBER.search(text) else pieces[1::2]
    for name, numbers in zip(pieces[::2], texts, strict=False):
        yield from ((int(number), objects[name]) for number in _NUMBER.findall(numbers))


_READERS: Mapping[str, Callable[[Instance, str], Iterator[Item]]] = {
    "concurrency": _concurrency,
    "dependency": _dependency,
    "resources": _resources,
}


def _enumerated(span: re.Match[str]) -> str:
    """Return a range of steps as a list."""
    return ", ".join(map(str, range(int(span[1]), int(span[2]) + 1)))
