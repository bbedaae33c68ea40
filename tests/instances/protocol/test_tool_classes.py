"""Classes of tools: files, entry points, registration, and faults of each."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from support import pantry
from support.pantry import Pantry

import planoracle
from planoracle.instances.errors import InputError
from planoracle.instances.protocol import tool_classes


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Forget files and registered classes after each test."""
    monkeypatch.setattr(tool_classes._CONTRIBUTIONS, "_registered", {})
    monkeypatch.setattr(tool_classes._CONTRIBUTIONS, "_from_packages", dict)
    yield
    tool_classes.use_files(())


def write(folder: Path, text: str, name: str = "tools.py") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


# --- documents -------------------------------------------------------------------------------------


def test_documents_have_docstrings_types_and_defaults() -> None:
    documents = tool_classes.documents(Pantry)
    assert list(documents) == ["look", "take", "order"]
    item = {"type": "string", "description": "name of the item"}
    amount = {"type": "integer", "default": 1}
    assert documents["take"] == {
        "name": "take",
        "description": "Take an amount of an item out of its jar.",
        "parameters": {"type": "object", "properties": {"item": item, "amount": amount}, "required": ["item"]},
    }
    speed = documents["order"]["parameters"]["properties"]["speed"]
    assert speed == {"type": "string", "enum": ["slow", "fast"], "default": "slow"}


def test_inherited_static_and_class_methods_are_tools() -> None:
    class Base:
        def first(self, a: int) -> int:
            """Inherited."""
            return a

        def second(self) -> int:
            return 2

    class Tools(Base):
        value = 3

        @staticmethod
        def third(b: str) -> str:
            return b

        @classmethod
        def fourth(cls, c: bool) -> bool:
            return c

        @property
        def fifth(self) -> int:
            return 5

        second = None  # type: ignore[assignment]

    documents = tool_classes.documents(Tools)
    properties = {name: list(entry["parameters"]["properties"]) for name, entry in documents.items()}
    assert properties == {"first": ["a"], "third": ["b"], "fourth": ["c"]}
    assert documents["third"]["description"] == ""


# --- files -----------------------------------------------------------------------------------------


def test_public_classes_of_a_file_are_classes_of_tools(tmp_path: Path) -> None:
    path = write(tmp_path, Path(pantry.__file__).read_text(encoding="utf-8"))
    tool_classes.use_files([path])
    classes = tool_classes.by_name()
    assert list(classes) == ["Pantry"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["tools.py"]  # nothing is compiled beside it
    tool_classes.use_files(())
    assert tool_classes.by_name() == {}


def test_all_lists_classes_from_elsewhere(tmp_path: Path) -> None:
    text = "from fractions import Fraction\nfrom support.pantry import Pantry\n__all__ = ['Pantry']\n"
    tool_classes.use_files([write(tmp_path, text)])
    assert tool_classes.by_name() == {"Pantry": Pantry}


def test_a_changed_file_has_another_digest(tmp_path: Path) -> None:
    digests = set()
    for body in ("return 1", "return 2"):
        tool_classes.use_files([write(tmp_path, f"class A:\n    def f(self) -> int: {body}\n")])
        digests.add(tool_classes.digests())
        assert tool_classes.by_name()["A"]().f() == int(body[-1])
    assert len(digests) == 2


METHOD = "class A:\n    def take(self, {0}): return 1\n"
FAULTS = {
    "empty": ("", None, "has no class of tools; it needs a public class with public methods"),
    "no methods": ("class A:\n    x = 1\n", None, "has no class of tools"),
    "private class": ("class _A:\n    def f(self): pass\n", None, "has no class of tools"),
    "syntax": ("class A(:", None, "cannot be run: SyntaxError"),
    "error": ("1 / 0", None, "cannot be run: ZeroDivisionError: division by zero"),
    "exit": ("raise SystemExit(0)", None, "cannot be run: SystemExit"),
    "no annotation": (METHOD.format("item"), "class A.take.item", "has no annotation; each parameter needs a type"),
    "unknown annotation": (METHOD.format("item: 'Nope'"), "class A.take", "cannot be read: name 'Nope' is not defined"),
    "inner annotation": (METHOD.format("item: list['Nope']"), "class A.take.item", "must be annotated with a type"),
    "annotation": (METHOD.format("item: memoryview"), "class A.take.item", "must be annotated with a type of JSON"),
    "many": (METHOD.format("*items: str"), "class A.take", "must have named parameters only (got '*items: str')"),
    "by position": (METHOD.format("item: str, /"), "class A.take", "must have named parameters only"),
    "slots": (
        "class A:\n    __slots__ = ('x',)\n    def f(self): pass\n", "class A", "must not have __slots__"
    ),
    "constructor": (
        "class A:\n    def __init__(self, x): pass\n    def f(self): pass\n",
        "class A.__init__.x",
        "has no annotation",
    ),
    "bundled name": ("class files:\n    def f(self): pass\n", "class files", "is the name of a bundled tool family"),
    "list": ("__all__ = ['B']\nclass A:\n    def f(self): pass\n", "__all__", "must list classes of tools (got 'B')"),
    "listed": ("__all__ = ['A']\nclass A: pass\n", "class A", "must be a class with public methods"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "field", "message"), FAULTS.values(), ids=FAULTS)
def test_faulty_file_is_an_error_with_its_class_and_method(
    text: str, field: str | None, message: str, tmp_path: Path
) -> None:
    path = write(tmp_path, text)
    tool_classes.use_files([path])
    with pytest.raises(InputError) as caught:
        tool_classes.by_name()
    assert (caught.value.source, caught.value.field) == (path, field)
    assert message in str(caught.value)


def test_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        tool_classes.use_files([tmp_path / "none.py"])


def test_two_files_with_a_class_of_one_name_are_an_error(tmp_path: Path) -> None:
    text = "class A:\n    def f(self): pass\n"
    paths = [write(tmp_path, text, name) for name in ("a.py", "b.py")]
    tool_classes.use_files(paths)
    with pytest.raises(InputError, match=r"is the name of another class of tools \(got 'A'\)") as caught:
        tool_classes.by_name()
    assert caught.value.source == paths[1]


# --- other packages --------------------------------------------------------------------------------


def test_registered_class_has_its_name_or_another() -> None:
    planoracle.register(Pantry)
    planoracle.register(Pantry)
    planoracle.register(Pantry, name="larder")
    assert tool_classes.by_name() == {"Pantry": Pantry, "larder": Pantry}
    for name, message in (("Pantry", "is the name of another class"), ("files", "bundled"), ("a b", "letters, digits")):
        with pytest.raises(InputError, match=message) as caught:
            planoracle.register(type("Other", (Pantry,), {}), name=name)
        assert str(caught.value).startswith("planoracle.tools")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("Pantry", "support.pantry:Pantry", ""),
        ("larder", "support.pantry:Pantry", ""),
        ("Pantry", "planoracle_not_there:Pantry", "cannot be loaded from planoracle_not_there:Pantry"),
        ("Pantry", "support.pantry:Larder", "cannot be loaded from support.pantry:Larder"),
        ("Pantry", "planoracle:solve", "must be a class"),
        ("Pantry", "pathlib:PurePath", "has no annotation|must have named parameters"),
        ("trading", "support.pantry:Pantry", "is the name of a bundled tool family"),
        ("1st", "support.pantry:Pantry", "must be letters, digits and underscores"),
    ],
)
def test_entry_points_are_checked(name: str, value: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    contributions = tool_classes._CONTRIBUTIONS
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [EntryPoint(name, value, group)])
    monkeypatch.setattr(contributions, "_from_packages", contributions._load)
    if not message:
        assert tool_classes.by_name() == {name: Pantry}
        assert len(tool_classes.digests()) == 1
        return
    with pytest.raises(InputError, match=message) as caught:
        tool_classes.by_name()
    assert "planoracle.tools" in str(caught.value)
