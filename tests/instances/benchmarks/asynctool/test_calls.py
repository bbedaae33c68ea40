"""Call strings: reading, rejection, limits and equality of calls."""

from __future__ import annotations

import keyword
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planoracle.instances.benchmarks.asynctool import problem_model
from planoracle.instances.benchmarks.asynctool.problem_model import Call, parse_call
from planoracle.instances.errors import InputError
from tests.support.line_counter import count_lines

ATOMS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,8}", fullmatch=True).filter(lambda name: not keyword.iskeyword(name))
CALLS = st.builds(Call, NAMES, st.dictionaries(NAMES, VALUES, max_size=4))


def nested(depth: int, shape: str = "list") -> Any:
    """Return lists or objects, one in the other."""
    value: Any = [] if shape == "list" else {}
    for _ in range(depth - 1):
        value = [value] if shape == "list" else {"a": value}
    return value


# --- reading --------------------------------------------------------------------------------------


@pytest.mark.slow
@given(CALLS)
def test_call_written_as_text_is_read_back_equal(call: Call) -> None:
    parsed = parse_call(str(call))
    assert parsed == call
    assert repr(parsed) == repr(call)  # 1, 1.0 and True differ; parameters have an order
    assert parsed.key == call.key


@pytest.mark.parametrize(
    ("text", "params"),
    [
        ("f()", {}),
        ("  f( a = 1 )\n", {"a": 1}),
        ("f(a=-1, b=-2.5, c=1e3)", {"a": -1, "b": -2.5, "c": 1000.0}),
        ("f(a=True, b=False, c=None)", {"a": True, "b": False, "c": None}),
        ("f(a=(1, 2), b=[(), []])", {"a": [1, 2], "b": [[], []]}),
        ("f(a={'x': {'y': [1, -1]}})", {"a": {"x": {"y": [1, -1]}}}),
        ("f(a='it\\'s', b=\"say \\\"hi\\\"\", c='''two\nlines''')", {"a": "it's", "b": 'say "hi"', "c": "two\nlines"}),
        ("f(a='Küche 🍳', b='')", {"a": "Küche 🍳", "b": ""}),
        ("f(a='one ' 'text')", {"a": "one text"}),
        ("f(a=r'C:\\dir')", {"a": "C:\\dir"}),
    ],
)
def test_json_literals_are_read_as_parameters(text: str, params: dict[str, Any]) -> None:
    call = parse_call(text)
    assert call.name == "f"
    assert repr(call.params) == repr(params)


def test_positional_values_need_a_known_parameter_order() -> None:
    order = {"f": ("a", "b"), "g": ()}
    assert parse_call("f(1, 2)", order).params == {"a": 1, "b": 2}
    assert parse_call("f(1, b=[2])", order).params == {"a": 1, "b": [2]}
    assert parse_call("f(b=2, c=3)", order).params == {"b": 2, "c": 3}
    for text in ("f(1, 2, 3)", "g(1)", "h(1)", "f(1, a=1)", "f(*[1, 2])", "f(1, *[])"):
        with pytest.raises(InputError):
            parse_call(text, order)


# --- refusing -------------------------------------------------------------------------------------

REFUSED = [
    "",
    " ",
    "f",
    "f(",
    "f(a=1))",
    "f(a)",
    "f(1)",
    "f(a=b)",
    "f(a=b.c)",
    "f(a=g(1))",
    "f(a=1)(b=2)",
    "f(a=1).b()",
    "f(a=1); g()",
    "f(a=1)\ng()",
    "f(a=1), g()",
    "[f(a=1)]",
    "x = f(a=1)",
    "x.f(a=1)",
    "f[0](a=1)",
    "(lambda: 1)()",
    "f(a=lambda: 1)",
    "f(a:=1)",
    "f(x for x in y)",
    "f(a=[x for x in y])",
    "f(*[1])",
    "f(**{'a': 1})",
    "f(a=1, **{'b': 2})",
    "f(a={**b})",
    "f(a=[*b])",
    "f(a=1, a=2)",
    "f(a={'x': 1, 'x': 2})",
    "f(a={1: 2})",
    "f(a={None: 2})",
    "f(a={'x' + 'y': 2})",
    "f(a={1, 2})",
    "f(a=1 + 1)",
    "f(a=+1)",
    "f(a=--1)",
    "f(a=~1)",
    "f(a=not 1)",
    "f(a=-True)",
    "f(a=-False)",
    "f(a=-None)",
    "f(a=-'1')",
    "f(a=1j)",
    "f(a=...)",
    "f(a=b'x')",
    "f(a=f'x')",
    "f(a=f'{b}')",
    "f(a='%s' % 1)",
    "f(a=1 if 2 else 3)",
    "f(a=1e999)",
    "f(a=-1e999)",
    "f(a=[1e999])",
    "f(a=nan)",
    "f(a=true)",
    "f(class=1)",
    "None(a=1)",
    "await f()",
    "f(a='\0')",
    "\0",
    "f(a='\ud800')",
    "f(a=’x’)",
    "f(a=" + "9" * 4301 + ")",
    "f(a=0x" + "f" * 5000 + ")",
    "f(a=-0x" + "f" * 5000 + ")",
    "f(a=[0x" + "f" * 5000 + "])",
]


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: ascii(text)[:30])
def test_text_that_is_not_a_call_is_rejected_with_its_value(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_call(text)
    assert caught.value.value == text
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("value", [None, 5, 1.5, True, b"f()", ["f()"], {"f": 1}])
def test_call_that_is_not_text_is_rejected(value: Any) -> None:
    with pytest.raises(InputError, match="must be a call"):
        parse_call(value)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('touch {path}')",
        "f(a=__import__('os').system('touch {path}'))",
        "f(a=open('{path}', 'w'))",
        "f(a=[open('{path}', 'w').close()])",
        "f(a={{'x': open('{path}', 'w')}})",
        "(open('{path}', 'w'))()",
        "f(a=().__class__.__bases__[0].__subclasses__())",
        "f.__class__(a=1)",
        "().__class__.__call__()",
        'f(a=f\'{{open("{path}", "w")}}\')',
    ],
)
def test_reading_a_call_executes_no_code(text: str, tmp_path: Path) -> None:
    path = tmp_path / "created"
    with pytest.raises(InputError):
        parse_call(text.format(path=path))
    assert not path.exists()


def test_dunder_names_are_read_as_plain_names() -> None:
    assert parse_call("__import__(name='os')") == Call("__import__", {"name": "os"})
    assert parse_call("f(__class__='x')").params == {"__class__": "x"}


@pytest.mark.parametrize(
    "text",
    [
        "(" * 9_000,
        "f(a=" + "[" * 9_000 + "]" * 9_000 + ")",
        "f(a=" + "[" * 150 + "]" * 150 + ")",
        "f(a=" + "{'a':" * 3_000 + "1" + "}" * 3_000 + ")",
        "f(a=" + "-" * 15_000 + "1)",
        "f(a=" + "not " * 4_000 + "1)",
        "f(a=1" + "+1" * 9_000 + ")",
        "f(a=b" + ".b" * 9_000 + ")",
        "f(a=" + "lambda:" * 2_500 + "1)",
        "f(a=" + "1 if 1 else " * 1_500 + "1)",
        "f(" * 6_000 + ")" * 6_000,
        "f" + "()" * 9_000,
        "f(a='" + "x" * 20_000 + "')",
        "f" * 10_000_000,
        "f(" + ",".join(f"a{i}=b" for i in range(2_000)) + ")",
    ],
    ids=lambda text: text[:20],
)
def test_deep_or_huge_text_is_rejected_in_bounded_work(text: str) -> None:
    caught: list[InputError] = []

    def refused() -> None:
        with pytest.raises(InputError) as error:
            parse_call(text)
        caught.append(error.value)

    assert count_lines(refused) < 20 * problem_model.MAX_CALL  # characters of the longest call that is read
    assert len(str(caught[0])) < 300


# --- limits ---------------------------------------------------------------------------------------


def test_longest_call_and_largest_number_are_read() -> None:
    head, tail = "f(a='", "')"
    text = head + "x" * (problem_model.MAX_CALL - len(head) - len(tail)) + tail
    assert parse_call(text).params == {"a": "x" * (problem_model.MAX_CALL - 7)}
    with pytest.raises(InputError):
        parse_call(text + " ")
    largest = "9" * 4300
    for sign in ("", "-"):
        assert str(parse_call(f"f(a={sign}{largest})")) == f"f(a={sign}{largest})"


@pytest.mark.parametrize(("shape", "ends"), [("list", "[]"), ("object", "{}")])
def test_nesting_depth_is_limited(shape: str, ends: str) -> None:
    deepest = nested(problem_model.MAX_DEPTH - 1, shape)  # the parameters are an object themselves
    assert parse_call(str(Call("f", {"a": deepest}))).params == {"a": deepest}
    with pytest.raises(InputError, match="nested too deeply"):
        parse_call(str(Call("f", {"a": nested(problem_model.MAX_DEPTH, shape)})))


# --- equality -------------------------------------------------------------------------------------


def key(text: str) -> Any:
    return parse_call(text).key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("f(a=1, b=2)", "f(b=2, a=1)"),
        ("f(a=1)", "f(a=1.0)"),
        ("f(a=0)", "f(a=-0.0)"),
        ("f(a=[1, 2])", "f(a=(1.0, 2))"),
        ("f(a={'x': 1, 'y': [2]})", "f(a={'y': [2.0], 'x': 1})"),
        ("f(a='it')", 'f(a="it")'),
        ("f(a=9007199254740992)", "f(a=9007199254740992.0)"),
    ],
)
def test_equal_calls_have_equal_keys(one: str, other: str) -> None:
    assert key(one) == key(other)
    assert hash(key(one)) == hash(key(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("f(a=1)", "g(a=1)"),
        ("f(a=1)", "f(b=1)"),
        ("f(a=1)", "f(a=1, b=None)"),
        ("f()", "f(a=None)"),
        ("f(a=1)", "f(a=True)"),
        ("f(a=0)", "f(a=False)"),
        ("f(a=[1])", "f(a=[True])"),
        ("f(a={'x': 0})", "f(a={'x': False})"),
        ("f(a=1)", "f(a='1')"),
        ("f(a=True)", "f(a='True')"),
        ("f(a=None)", "f(a='None')"),
        ("f(a=None)", "f(a=False)"),
        ("f(a='')", "f(a=[])"),
        ("f(a=[])", "f(a={})"),
        ("f(a=[1, 2])", "f(a=[2, 1])"),
        ("f(a=[1])", "f(a=1)"),
        ("f(a=[[1], 2])", "f(a=[[1, 2]])"),
        ("f(a=['bool', True])", "f(a=True)"),
        ("f(a=['list', [1]])", "f(a=[1])"),
        ("f(a=[['a', 1]])", "f(a={'a': 1})"),
        ("f(a='x')", "f(a='X')"),
        ("f(a=9007199254740993)", "f(a=9007199254740992.0)"),
    ],
)
def test_different_calls_have_different_keys(one: str, other: str) -> None:
    assert key(one) != key(other)
