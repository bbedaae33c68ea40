"""Random mutations of JSON trees, texts and bytes of valid input; deterministic for a seed."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from support.hostile_inputs import NUMBERS, TEXTS, VALUES

from planoracle.instances.errors import InputError

# Characters that look alike, or are equal under some folding.
_LOOKALIKES = dict(
    zip("aeopcxyiABEHKMOPT0123456789,:()/-", "аеорсхуіАВЕНКМОРТ０１２３４５６７８９，：（）∕‐", strict=True)
)
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"\w+")


def result_or_error(call: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a call, or its `InputError` after checking that the message is short."""
    try:
        return call(*arguments)
    except InputError as error:
        if len(str(error)) > 20_000:
            raise AssertionError("the message is too long") from error
        return error


class Mutator:
    """Mutator of values that applies one random change at a time.

    Parameters
    ----------
    random
        Generator of all choices.
    donors
        Values whose parts are inserted, such as plans of other benchmarks.
    """

    def __init__(self, random: Random, donors: Sequence[Any] = ()) -> None:
        self.random = random
        self.donors = donors

    def times(self, change: Callable[[Any], Any], value: Any, most: int = 4) -> Any:
        """Apply a change once, or sometimes up to ``most`` times."""
        for _ in range(self.random.choice((1, 1, 1, 2, 3, most))):
            value = change(value)
        return value

    def tree(self, value: Any) -> Any:
        """Return a copy of a JSON value with one changed node."""
        root = [_copied(value)]
        holder, key = self.random.choice(list(_places(root)) or [(root, 0)])
        if isinstance(holder, dict) and self.random.random() < 0.15:  # rename a key, or add one
            other = self.random.choice((*holder, *TEXTS[:20], f"{key} ", f"{key}s"))
            holder[other] = holder[key] if self.random.random() < 0.5 else holder.pop(key)
        elif holder is not root and self.random.random() < 0.2:
            del holder[key]
        elif isinstance(holder, list) and holder is not root and self.random.random() < 0.3:
            self._shuffled(holder, key)
        else:
            holder[key] = self._node(holder[key], root)
        return root[0]

    def _shuffled(self, holder: list[Any], key: int) -> None:
        """Move or copy an entry to a random position."""
        entry = _copied(holder[key]) if self.random.random() < 0.6 else holder.pop(key)
        copies = self.random.choice((1, 1, 1, 2, 50))
        place = self.random.randint(0, len(holder))
        holder[place:place] = [entry] * copies

    def _node(self, node: Any, root: Any) -> Any:
        roll = self.random.random()
        if roll < 0.35 and isinstance(node, str):
            return self.text(node)
        if roll < 0.35 and isinstance(node, int | float) and not isinstance(node, bool):
            return self.random.choice(
                (node + 1, node - 1, -node, node * 2, node * 10**6, float(node % 10**6), str(node)[:99])
            )
        if roll < 0.5:  # a node of another place
            holder, key = self.random.choice(list(_places(self._donor(root))) or [([node], 0)])
            return _copied(holder[key])
        if roll < 0.6:
            return self.random.choice(([node], {"a": node}, str(node)[:10_000], [node, node], _nested(node, 40)))
        return self.random.choice(VALUES)

    def _donor(self, root: Any) -> Any:
        return [self.random.choice(self.donors)] if self.donors and self.random.random() < 0.5 else root

    def plan(self, plan: Any) -> Any:
        """Return a plan (text or JSON value) with one changed part."""
        return self.text(plan) if isinstance(plan, str) else self.tree(plan)

    def text(self, text: str) -> str:
        """Return a text with one changed part: characters, words, numbers or lines."""
        return self.random.choice((self._characters, self._words, self._numbers, self._lines, self._parts))(text)

    def _characters(self, text: str) -> str:
        start, end = self._span(len(text))
        piece = text[start:end]
        alike = "".join(_LOOKALIKES.get(character, character) for character in piece)
        options = (
            "",
            piece * 2,
            piece * 500,
            piece[::-1],
            piece.upper(),
            alike,
            piece.replace(" ", ""),
            "\u00a0",
            "\n",
            "\0",
        )
        return text[:start] + self.random.choice((*options, self.random.choice(TEXTS))) + text[end:]

    def _words(self, text: str) -> str:
        words = list(_WORD.finditer(text))
        if not words:
            return text + self.random.choice(TEXTS)
        one, other = self.random.choice(words), self.random.choice(words)
        new = self.random.choice(("", other[0], one[0] + other[0], self.random.choice(TEXTS)))
        return text[: one.start()] + new + text[one.end() :]

    def _numbers(self, text: str) -> str:
        numbers = list(_NUMBER.finditer(text))
        if not numbers:
            return text + str(self.random.choice(NUMBERS[:17]))
        one = self.random.choice(numbers)
        value = int(one[0][:30])
        new = self.random.choice(
            (value + 1, value - 1, value * 60, f"0{value}", f"{value}.5", self.random.choice(NUMBERS[:17]))
        )
        return text[: one.start()] + str(new) + text[one.end() :]

    def _lines(self, text: str) -> str:
        """Drop, repeat, swap or splice lines, or parts between commas of a single line."""
        joint = "\n" if "\n" in text else ", "
        lines = text.split(joint)
        i, j = self.random.randrange(len(lines)), self.random.randrange(len(lines))
        match self.random.randrange(6):
            case 0:
                del lines[i]
            case 1:
                lines[i:i] = [lines[j]] * self.random.choice((1, 2, 100))
            case 2:
                lines[i], lines[j] = lines[j], lines[i]
            case 3:
                self.random.shuffle(lines)
            case 4:
                lines = lines[: i + 1]
            case _:
                lines[i:i] = self._foreign()
        return joint.join(lines)

    def _foreign(self) -> list[str]:
        texts = [text for donor in self.donors for text in _texts(donor)]
        return self.random.choice(texts).split("\n")[:20] if texts else ["wait"]

    def _parts(self, text: str) -> str:
        start, end = self._span(len(text))
        place = self.random.randint(0, len(text))
        return text[:place] + text[start:end] + text[place:]

    def _span(self, length: int) -> tuple[int, int]:
        start = self.random.randint(0, length)
        return start, min(length, start + self.random.choice((0, 1, 2, 5, 30, 1000)))

    def raw(self, data: bytes) -> bytes:
        """Return changed bytes: another encoding, flipped, cut or inserted bytes, or unusual JSON."""
        start, end = self._span(len(data))
        match self.random.randrange(14):
            case 0:
                return data[:start]
            case 1:
                return data[:start] + self.random.randbytes(self.random.choice((1, 1, 4, 50))) + data[end:]
            case 2:
                return b"\xef\xbb\xbf" + data
            case 3:
                return data.decode("utf-8", "replace").encode(
                    self.random.choice(("utf-16", "utf-16-le", "utf-32", "utf-7"))
                )
            case 4:
                return gzip.compress(data, mtime=0)
            case 5:
                return self.random.choice((b"PK\x03\x04", b"\x7fELF", b"\x89PNG\r\n\x1a\n", b"\0")) + data
            case 6:
                return data.replace(b"\n", b"\r\n").replace(b", ", b",\r\n")
            case 7:
                return data.replace(b"{", b'{"instance": "a", "name": 1, ', 1)  # a duplicate key
            case 8:
                return re.sub(
                    rb"\d+",
                    self.random.choice((b"NaN", b"-Infinity", b"1e999", b"9" * 4301, b"01", b"+1")),
                    data,
                    count=1,
                )
            case 9:
                return data[:start] + b"[" * 100_000 + data[start:]
            case 10:
                return data + self.random.choice((data, b"}", b"]", b",", b"\0", b"//", b"\n" + data))
            case 11:
                return data[:start] + b"\\ud800" + data[start:]
            case 12:
                return b" " * 100_000 + data
            case _:
                return b""


def _places(root: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each node except the root as its container and its key there."""
    stack = [root]
    while stack:
        holder = stack.pop()
        for key, value in list(holder.items()) if isinstance(holder, dict) else list(enumerate(holder)):
            yield holder, key
            if isinstance(value, dict | list):
                stack.append(value)


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(entry) for key, entry in value.items()}
    return [_copied(entry) for entry in value] if isinstance(value, list) else value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    else:
        yield from (holder[key] for holder, key in _places([value]) if isinstance(holder[key], str))


def _nested(node: Any, depth: int) -> Any:
    for _ in range(depth):
        node = [node]
    return node
