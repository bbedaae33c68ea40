"""The adapter to the executors of bfcl-eval; where that package is not installed, what is said instead.

To run all of it: ``pip install --no-deps bfcl-eval mpmath``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planoracle.instances.benchmarks.asynctool import bfcl, encoding, simulation
from planoracle.instances.benchmarks.asynctool.calls import parse_call
from planoracle.instances.benchmarks.asynctool.language import CLOSING, call_message
from planoracle.instances.benchmarks.asynctool.reader import read, to_document
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog

FILES = "bfcl:GorillaFileSystem"
SHELF = {"notes.txt": "Repot the ferns.\nFeed the cat.", "old.txt": "Repot the ferns.\nFeed the dog."}
GREENHOUSE = {
    "root": {
        "greenhouse": {
            "type": "directory",
            "contents": {
                "shelf": {
                    "type": "directory",
                    "contents": {name: {"type": "file", "content": text} for name, text in SHELF.items()},
                },
                "bench": {"type": "directory", "contents": {}},
            },
        }
    }
}
GOLD = [
    "cd(folder='shelf')",
    "diff('notes.txt', 'old.txt')",
    "mv(source='notes.txt', destination='this_week.txt')",
]
DOCUMENT = {
    "format": "planoracle/asynctool",
    "version": 1,
    "name": "greenhouse",
    "tasks": [
        {
            "id": "ferns",
            "question": "On the shelf, compare notes.txt with old.txt and rename notes.txt to this_week.txt.",
            "family": FILES,
            "ground_truth": GOLD,
            "initial": GREENHOUSE,
        },
        {"id": "sum", "family": "bfcl:MathAPI", "ground_truth": ["mean(numbers=[1, 2, 6])", "add(a=3, b=4)"]},
    ],
}


@pytest.fixture
def package() -> None:
    pytest.importorskip("bfcl_eval", reason="bfcl-eval is not installed")
    pytest.importorskip("mpmath", reason="mpmath is not installed")


@pytest.fixture
def fresh() -> Iterator[None]:
    """Documents are read once a process; forget them before and after."""
    bfcl.documents.cache_clear()
    yield
    bfcl.documents.cache_clear()


def make(name: str, initial: dict[str, Any] | None = None) -> bfcl.Executor:
    return bfcl.make(f"bfcl:{name}", initial or {})


def play(executor: bfcl.Executor, *calls: str) -> list[Any]:
    return [executor.call(call.name, call.params) for call in map(parse_call, calls)]


def failed(result: Any) -> bool:
    return isinstance(result, dict) and set(result) == {"error"} and isinstance(result["error"], str)


# --- without the package --------------------------------------------------------------------------


def test_without_the_package_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, fresh: None, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "bfcl_eval", None)
    for name in bfcl.CLASSES:
        for function in (bfcl.documents, lambda family: bfcl.make(family, {})):
            with pytest.raises(InputError, match="pip install --no-deps bfcl-eval mpmath") as caught:
                function(f"bfcl:{name}")
            assert caught.value.field == "family"
    path = tmp_path / "k.json"
    path.write_text(json.dumps(DOCUMENT))
    with pytest.raises(InputError, match="needs the package bfcl-eval") as caught:
        catalog.read_problems(str(path))
    assert (caught.value.source, caught.value.field) == (str(path), "tasks[0].family")


def test_without_mpmath_only_its_class_is_missing(package: None, monkeypatch: pytest.MonkeyPatch, fresh: None) -> None:
    monkeypatch.setitem(sys.modules, "mpmath", None)
    monkeypatch.delitem(sys.modules, f"{bfcl._SOURCE}.math_api", raising=False)
    with pytest.raises(InputError, match="mpmath"):
        make("MathAPI")
    assert make("TicketAPI").call("logout", {}) == {"success": False}


@pytest.mark.slow
def test_our_own_families_do_not_import_the_package() -> None:
    code = (
        "import sys; from planoracle.instances.files import catalog;"
        "catalog.load('asynctool/cross3/01').origin.tasks[0].solved;"
        "sys.exit('bfcl_eval' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


@pytest.mark.parametrize("name", ["", "Nope", "gorillafilesystem", "MemoryAPI", "WebSearchAPI", "../math_api", "os"])
def test_unknown_classes_are_an_input_error(name: str) -> None:
    for function in (bfcl.documents, lambda family: bfcl.make(family, {})):
        with pytest.raises(InputError) as caught:
            function(f"bfcl:{name}")
        assert caught.value.field == "family"


# --- with it --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", bfcl.CLASSES)
def test_every_class_and_its_documents_can_be_loaded(name: str, package: None) -> None:
    documents = bfcl.documents(f"bfcl:{name}")
    executor = make(name)
    assert len(documents) >= 5
    for tool, document in documents.items():
        assert document["name"] == tool
        assert set(document["parameters"]["required"]) <= document["parameters"]["properties"].keys()
        assert callable(getattr(executor._object, tool)), tool  # type: ignore[attr-defined]
    assert executor.state() == make(name).state()
    assert not any(attribute.startswith("_") for attribute in executor.state())


@pytest.mark.parametrize(
    ("name", "initial"),
    [
        ("GorillaFileSystem", {"root": {}}),
        ("GorillaFileSystem", {"root": {"a": {}}}),
        ("GorillaFileSystem", {"root": {"a": {"contents": {"b": 5}}}}),
        ("MessageAPI", {"random_seed": []}),
        ("TwitterAPI", {"tweets": {"x": {}}}),
        ("TwitterAPI", {"tweets": 5}),
        ("TradingBot", {"orders": []}),
        ("VehicleControlAPI", {"doorStatus": []}),
    ],
)
def test_a_state_that_cannot_be_loaded_is_an_input_error(name: str, initial: Any, package: None) -> None:
    with pytest.raises(InputError, match=f"cannot be loaded by {name}") as caught:
        make(name, initial)
    assert (caught.value.field, caught.value.value) == ("initial", initial)
    bad = DOCUMENT | {"tasks": [{"id": "a", "family": f"bfcl:{name}", "initial": initial, "ground_truth": ["f()"]}]}
    with pytest.raises(InputError) as caught:
        read(bad, "k.json")
    assert caught.value.field == "tasks[0].initial"


def test_a_gold_trajectory_is_replayed(package: None) -> None:
    (instance,) = read(DOCUMENT, "k.json")
    problem = encoding.problem_of(instance)
    ferns, numbers = problem.tasks
    assert ferns.solved.results[0] == {"current_working_directory": "shelf"}
    assert ferns.solved.results[1] == {"diff_lines": "- Feed the cat.\n+ Feed the dog."}
    assert numbers.solved.results == ({"result": 3.0}, {"result": 7})
    turns: list[Any] = [
        call_message(task.id, task.reference_calls[n])
        for n, task in ((0, ferns), (0, numbers), (1, ferns), (1, numbers), (2, ferns))
    ]
    run = simulation.replay(problem, [*turns, CLOSING])
    assert run.success
    assert (run.violations, run.premature) == ((), ())
    # Without the last call the files differ; the numbers have no state.
    run = simulation.replay(problem, [*turns[:-1], CLOSING])
    assert [(outcome.char, outcome.env) for outcome in run.outcomes] == [(False, False), (True, True)]
    (again,) = read(to_document(problem), "k.json")
    assert encoding.problem_of(again) == problem


def test_a_gold_call_that_fails_is_an_input_error(package: None) -> None:
    task = DOCUMENT["tasks"][0] | {"ground_truth": ["cd(folder='cellar')"]}  # type: ignore[index]
    with pytest.raises(InputError, match="fails: ") as caught:
        read(DOCUMENT | {"tasks": [task]}, "k.json")
    assert caught.value.field == "tasks[0].ground_truth[0]"


def test_states_are_compared_by_public_attributes(package: None) -> None:
    one, other = make("GorillaFileSystem", GREENHOUSE), make("GorillaFileSystem", GREENHOUSE)
    assert one.state() == other.state()
    play(one, "cd(folder='shelf')", "cat(file_name='notes.txt')")  # the current folder is private
    assert one.state() == other.state()
    play(one, "touch(file_name='new.txt')")
    assert one.state() != other.state()
    play(other, "cd(folder='shelf')", "touch(file_name='new.txt')")
    assert one.state() == other.state()
    play(one, "echo(content='x', file_name='new.txt')")
    assert one.state() != other.state()


def test_executors_share_nothing(package: None) -> None:
    before = json.dumps(GREENHOUSE)
    one, other = make("GorillaFileSystem", GREENHOUSE), make("GorillaFileSystem", GREENHOUSE)
    play(one, "rm(file_name='bench')", "cd(folder='shelf')", "rm(file_name='notes.txt')")
    assert json.dumps(GREENHOUSE) == before
    assert play(other, "ls()") == [{"current_directory_content": ["shelf", "bench"]}]
    # The package's default of the mentions of a post is one list for all.
    one, other = make("TwitterAPI", {"authenticated": True}), make("TwitterAPI", {"authenticated": True})
    first = play(one, "post_tweet(content='x')", "mention(tweet_id=0, mentioned_usernames=['kim'])")
    assert [first[0]["mentions"], one.call("get_tweet", {"tweet_id": 0})["mentions"]] == [[], ["kim"]]
    assert other.call("post_tweet", {"content": "y"})["mentions"] == []
    # Parameters and results are copies.
    tags = ["a"]
    other.call("post_tweet", {"content": "z", "tags": tags})
    tags.append("b")
    found = other.call("get_tweet", {"tweet_id": 1})
    found["tags"].append("c")
    assert other.call("get_tweet", {"tweet_id": 1})["tags"] == ["a"]


def test_results_are_json_and_the_same_every_time(package: None) -> None:
    calls = [
        ("MathAPI", "logarithm(value=8, base=2, precision=10)"),
        ("MathAPI", "square_root(number=2, precision=40)"),
        ("VehicleControlAPI", "get_outside_temperature_from_google()"),
        ("TradingBot", "get_stock_info(symbol='NVDA')"),
        ("MessageAPI", "list_users()"),
    ]
    for name, call in calls:
        first, second = play(make(name), call)[0], play(make(name), call)[0]
        assert first == second == json.loads(json.dumps(first))
        assert not failed(first)


HOSTILE = [
    ("MathAPI", "power", {"base": 10**9, "exponent": 10**9}),
    ("MathAPI", "power", {"base": 10_000, "exponent": 10_000}),
    ("MathAPI", "power", {"base": 9999.5, "exponent": 9_999}),
    ("MathAPI", "power", {"base": 0, "exponent": -1}),
    ("MathAPI", "power", {"base": float("inf"), "exponent": 1}),
    ("MathAPI", "power", {"base": float("nan"), "exponent": 1}),
    ("MathAPI", "power", {"base": "9", "exponent": "9"}),
    ("MathAPI", "logarithm", {"value": 8, "base": 2, "precision": 10**9}),
    ("MathAPI", "logarithm", {"value": 8, "base": 2, "precision": "100000000"}),
    ("MathAPI", "logarithm", {"value": 8, "base": 2, "precision": "١٠٠٠٠٠٠٠٠"}),
    ("MathAPI", "logarithm", {"value": "9" * 90_000, "base": 2, "precision": 10}),
    ("MathAPI", "logarithm", {"value": 0, "base": 0, "precision": []}),
    ("MathAPI", "square_root", {"number": 2, "precision": 10**9}),
    ("MathAPI", "square_root", {"number": 2, "precision": 0}),
    ("MathAPI", "sum_values", {"numbers": [1] * 10_001}),
    ("MathAPI", "sum_values", {"numbers": [[10**500]]}),
    ("MathAPI", "mean", {"numbers": {"a": 1}}),
    ("MathAPI", "round_number", {"number": 1, "decimal_places": 10**9}),
    ("MathAPI", "add", {"a": 1}),
    ("MathAPI", "add", {"a": 1, "b": 2, "__class__": 3}),
    ("MathAPI", "add", {"self": 1, "a": 1, "b": 2}),
    ("MathAPI", "add", {"a": None, "b": {}}),
    ("MathAPI", "si_unit_conversion", {"value": 1, "unit_in": [], "unit_out": {}}),
    ("GorillaFileSystem", "cat", {"file_name": "../../etc/passwd"}),
    ("GorillaFileSystem", "cat", {"file_name": 5}),
    ("GorillaFileSystem", "cd", {"folder": "/etc"}),
    ("GorillaFileSystem", "cd", {"folder": None}),
    ("GorillaFileSystem", "mkdir", {"dir_name": "a/b"}),
    ("GorillaFileSystem", "mv", {"source": "shelf", "destination": "a/b"}),
    ("GorillaFileSystem", "tail", {"file_name": [], "lines": 10**9}),
    ("GorillaFileSystem", "wc", {"file_name": "x", "mode": {}}),
    ("GorillaFileSystem", "find", {"path": 5}),
    ("TicketAPI", "create_ticket", {"title": "x", "priority": "1"}),
    ("TicketAPI", "edit_ticket", {"ticket_id": 1, "updates": 5}),
    ("TradingBot", "get_order_details", {"order_id": []}),
    ("TradingBot", "fund_account", {"amount": 10**400}),
    ("TravelAPI", "get_flight_cost", {"travel_from": [], "travel_to": 1, "travel_date": 2, "travel_class": 3}),
    ("TwitterAPI", "mention", {"tweet_id": 0, "mentioned_usernames": 5}),
    ("VehicleControlAPI", "lockDoors", {"unlock": True, "door": ["boot"]}),
    ("VehicleControlAPI", "fillFuelTank", {"fuelAmount": "much"}),
    ("MessageAPI", "send_message", {"receiver_id": {}, "message": []}),
    *(
        ("GorillaFileSystem", name, {})
        for name in ("", "__init__", "__class__", "_load_scenario", "_navigate_to_directory", "root", "x" * 10_000)
    ),
]


@pytest.mark.parametrize(
    ("name", "tool", "params"), HOSTILE, ids=lambda value: value[:20] if isinstance(value, str) else None
)
def test_hostile_calls_fail_and_change_nothing(name: str, tool: str, params: dict[str, Any], package: None) -> None:
    initial = GREENHOUSE if name == "GorillaFileSystem" else {}
    executor = make(name, initial)
    result = executor.call(tool, params)
    assert failed(result), result
    assert len(result["error"]) <= 400
    assert executor.state() == make(name, initial).state()


def test_copies_cannot_grow_without_bound(package: None) -> None:
    executor = make("GorillaFileSystem", GREENHOUSE)
    copied = [executor.call("cp", {"source": "shelf", "destination": f"shelf{n}"}) for n in range(40)]
    assert not failed(copied[0])
    assert failed(copied[-1])
    assert len(json.dumps(executor.state(), default=str)) < 2_000_000


@pytest.mark.parametrize(
    "calls",
    [
        ["cp(source='{long}', destination='{long}')"],
        ["cp(source='{long}', destination='twin')", "mv(source='twin', destination='{long}')"],
        ["mkdir(dir_name='.')", "cp(source='.', destination='{long}')"],
        ["mkdir(dir_name='.')", "mv(source='.', destination='{long}2')"],
        ["touch(file_name='f')", *["cp(source='{long}', destination='{long}')"] * 12],
    ],
)
def test_a_folder_within_itself_is_not_walked_for_ever(calls: list[str], package: None) -> None:
    """The package's copies share what is in them; paths of a knot would fill the memory before its stack ends."""
    long = "x" * 9_000
    executor = make("GorillaFileSystem", GREENHOUSE)
    results = play(executor, f"mkdir(dir_name='{long}')", *(call.format(long=long) for call in calls))
    found = [executor.call("find", {}), executor.call("du", {}), executor.call("ls", {}), executor.call("pwd", {})]
    assert len(json.dumps(found)) < 2_000_000, results
    assert executor.state() != make("GorillaFileSystem", GREENHOUSE).state()
    assert executor.call("cat", {"file_name": "nothing"})["error"]


def test_an_honest_search_is_not_refused(package: None) -> None:
    executor = make("GorillaFileSystem", GREENHOUSE)
    assert play(executor, "find(name='txt')", "find(path='shelf', name='old')", "du()") == [
        {"matches": ["./shelf/notes.txt", "./shelf/old.txt"]},
        {"matches": ["shelf/old.txt"]},
        {"disk_usage": "60 bytes"},
    ]
