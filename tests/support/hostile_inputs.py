"""Numbers, texts, values and files that are likely to break readers, printers and patterns."""

from __future__ import annotations

import gzip
import json
from typing import Any

#: Numbers at the limits of types, clocks and printers.
NUMBERS: tuple[Any, ...] = (
    *(0, -1, 1, 7, 60, 61, 1000, 10**6, 10**9, 10**9 + 1, 2**31, 2**63, 10**15, 10**18, 10**39, 10**40, 10**41),
    *(10**4000, -(10**4000), 0.5, -0.0, 1.0, 1e15, 1e308, 5e-324),
)

#: Texts that are likely to break readers, printers, paths and patterns.
TEXTS = (
    *(
        "",
        " ",
        "\0",
        "\ud800",
        "\udfff\ud800",
        "\x1b[2J\x1b]0;title\x07",
        "\u202eevil",
        "\ufeff",
        "\u2028",
        "\r\n",
        "\t",
    ),
    *(
        "..",
        "../../etc/passwd",
        "/dev/null",
        "/dev/zero",
        "-",
        "--help",
        "recipe2plan",
        "recipe2plan/*",
        "*" * 50,
        "#",
        "@",
    ),
    *(
        "null",
        "true",
        "NaN",
        "[]",
        "{}",
        "[" * 3000,
        '{"a":' * 3000,
        '"',
        "\\",
        "'",
        "%s%n",
        "{0}",
        "$(true)",
        "[/red]",
    ),
    *("9" * 41, "9" * 4301, "-1", "1e999", "１２", "²", "0x10", "1_000", "00:00:00", "99:99:99", "1:2:3:4"),
    *(
        "İ" * 20,
        "ß",
        "é",
        "e\u0301",
        "A" * 20_000,
        "a " * 10_000,
        "a\n" * 10_000,
        "Step(" * 2_000,
        "Step(0, a, 1)" * 300,
    ),
    *("wait\n" * 3000, "Action: " * 1000, "Plan:\n" * 1000, '{"id": "a", "func_name": "f", "params": {}}' * 100),
)

#: Placeholder for lists nested deeper than the recursion limit; `encode_json` writes them.
DEEP = "\ue000"

VALUES: tuple[Any, ...] = (
    *(*NUMBERS, *TEXTS, None, True, False, [], {}, [[]], [None], {"": None}, {"a": {"b": []}}),
    *(DEEP, [DEEP], {"a": DEEP}),
)

#: Contents of files in no format of this project.
HOSTILE_FILES = {
    "nothing": b"",
    "a byte order mark": b"\xef\xbb\xbf",
    "NULs": b"\0" * 1000,
    "UTF-16": '{"format": "planoracle/instance"}'.encode("utf-16"),
    "no UTF-8": b'{"name": "\xff\xfe"}',
    "gzip": gzip.compress(b"{}", mtime=0),
    "zip": b"PK\x03\x04" + b"\0" * 100,
    "an executable": b"\x7fELF\x02\x01\x01" + bytes(range(256)),
    "brackets": b"[" * 100_000,
    "balanced brackets": b"[" * 100_000 + b"]" * 100_000,
    "objects in objects": b'{"a":' * 100_000,
    "thousands of digits": b"9" * 5000,
    "NaN": b'{"version": NaN}',
    "infinity": b"[-Infinity]",
    "a float too large": b"[1e999]",
    "a key given twice": b'{"format": 1, "format": 1}',
    "half a surrogate pair": b'{"format": "\\ud800"}',
    "spaces": b" " * 1_000_000,
    "empty lists": b"[" + b"[]," * 1_100_000 + b"0]",
}

#: Parts of plans and files; their repetition reveals matching in more than linear time.
FLOODS = (
    *(
        "0",
        "a",
        " ",
        "\n",
        "\r\n",
        "\t",
        "(",
        "[",
        "{",
        '"',
        "'",
        "\\",
        ",",
        ":",
        "-",
        "*",
        "#",
        "`",
        "<",
        "\0",
        "\u2028",
        "\ud800",
        "²",
    ),
    *(
        "Step(",
        "Step(0, Cobbler, ",
        "Step(0, Cobbler, 1 ",
        "Step(0, Cobbler, 1:",
        "step (0 ,Cobbler, 1h1m1s,1h1m1s",
        "1 min ",
    ),
    *(
        "1 hour",
        "action: finish",
        "</think>",
        "wash cup\n",
        "1. wait\n",
        "pour kettle into teapot ",
        "Action:\n",
        "Do nothing\n",
        "Plan:",
    ),
    *(
        "Move robot1 from table1 to ",
        "Pick up  pot1 from ",
        '{"',
        '{"a":',
        "{}",
        '{"content": "',
        "[1,",
        "f(a=",
        "-f(",
        "1 1\n",
        "instance ",
    ),
)


def encode_json(value: Any) -> bytes:
    """Return JSON as bytes; lone surrogates stay escaped, and `DEEP` becomes 900 nested lists."""
    return json.dumps(value).replace(json.dumps(DEEP), "[" * 900 + "]" * 900).encode()
