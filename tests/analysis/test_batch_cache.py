"""The cache of proved optima: solved once, shared safely, and not believed."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from dataclasses import replace
from hashlib import blake2b

import pytest
from support.batches import finished
from support.samples import sample

from planoracle.analysis import optimum as module
from planoracle.analysis import oracle
from planoracle.analysis.batch import store as storing
from planoracle.analysis.batch.store import VARIABLE, default_store
from planoracle.analysis.grade import Grader
from planoracle.analysis.optimum import optimum, remembering
from planoracle.analysis.problems import Problems
from planoracle.instances import catalogue
from planoracle.instances.deadline import Work
from planoracle.instances.errors import InternalError
from planoracle.instances.kitchens.profile import PROFILES
from planoracle.instances.model import Action, Instance
from planoracle.instances.status import Status

NAME = "recipe2plan/timed/Cobbler_Pancakes"
#: Nothing ships about it.
OTHER = "timearena/household1+lab2"
KITCHEN = "kitchens/synchronous/0_cheese_sandwich"
HARD = "kitchens/synchronous/7_two_lettuce_chicken_sandwich"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of its own."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache" / "optima"


@pytest.fixture
def solved(monkeypatch):
    """Names of what is solved."""
    names = []
    solve = module.solve

    def counted(problem, **options):
        names.append(problem.name)
        return solve(problem, **options)

    monkeypatch.setattr(module, "solve", counted)
    monkeypatch.setattr(module, "known", lambda *_: None)  # nor does anything ship
    return names


def fresh(name=NAME):
    """The problem as another process would have it: without what is known of it."""
    return replace(catalogue.problem(name))


def best_of_kitchen():
    return optimum(fresh(KITCHEN), PROFILES["paper"], limit=Work(30.0))


def forge(folder, change):
    """Change the only entry of a cache, with a check that fits."""
    assert len(list(folder.rglob("*.json"))) == 1
    forge_all(folder, change)


def read_only(folder):
    """Read the only entry of a cache."""
    (path,) = folder.rglob("*.json")
    return json.loads(path.read_bytes().partition(b"\n")[2])


def forge_all(folder, change):
    for path in folder.rglob("*.json"):
        forge_one(path, change)


def forge_one(path, change):
    entry = json.loads(path.read_bytes().partition(b"\n")[2])
    change(entry)
    text = json.dumps(entry, separators=(",", ":")).encode()
    check = blake2b(path.stem.encode() + text, digest_size=8).hexdigest().encode()
    path.write_bytes(check + b"\n" + text)


@pytest.mark.parametrize("name", [NAME, OTHER, "asynctool/cross2/01"])
def test_what_was_proved_is_not_solved_again(folder, solved, name):
    first, second = optimum(fresh(name)), optimum(fresh(name))
    assert solved == [name]
    assert replace(second, seconds=first.seconds) == first
    assert second.status is Status.optimal
    assert len(list(folder.rglob("*"))) == 2  # a folder and a file


def test_of_a_result_without_certificate_the_cache_keeps_the_plan(folder, solved):
    first = best_of_kitchen()
    (path,) = folder.rglob("*.json")
    kept = path.read_bytes()
    entry = json.loads(kept.partition(b"\n")[2])
    assert (entry["status"], entry["makespan"], entry["bound"], entry["proof"]) == (
        "feasible",
        first.makespan,
        None,
        "",
    )
    second = best_of_kitchen()
    assert solved == [KITCHEN, KITCHEN]
    assert replace(second, seconds=first.seconds) == first
    assert first.status is second.status is Status.optimal
    assert path.read_bytes() == kept


def test_infeasibility_is_not_cached(folder, solved):
    hasty = Instance("hasty", (Action("t/a", "t", 4, 4), Action("t/b", "t", 4, 4)), time_limit=5)
    assert [optimum(replace(hasty)).status for _ in range(2)] == [Status.infeasible] * 2
    assert solved == ["hasty"] * 2
    assert not folder.exists()


@pytest.mark.slow
def test_an_unproved_result_is_the_same_with_and_without_its_plan_in_the_cache(folder, solved):
    some, more = Work(0.05), Work(30.0)
    first, second = (optimum(fresh(HARD), PROFILES["paper"], limit=some) for _ in range(2))
    assert first.status == "feasible"
    assert replace(second, seconds=first.seconds) == first
    assert optimum(fresh(HARD), PROFILES["paper"], limit=more).status == "optimal"
    assert optimum(fresh(HARD), PROFILES["paper"], limit=some).status == "feasible"
    assert solved == [HARD] * 4


def test_a_shorter_plan_of_the_cache_is_the_result_of_an_unfinished_search(folder, solved, monkeypatch):
    best = best_of_kitchen()
    worse = replace(
        best, status=Status.feasible, makespan=best.makespan + 1, lower_bound=best.makespan - 1, plan="", actions=()
    )
    monkeypatch.setattr(module, "solve", lambda *_, **__: worse)
    found = best_of_kitchen()
    assert (found.status, found.makespan, found.lower_bound) == (Status.feasible, best.makespan, best.makespan - 1)
    assert (found.plan, found.actions) == (best.plan, best.actions)
    monkeypatch.setattr(module, "solve", lambda *_, **__: replace(worse, lower_bound=best.makespan))
    assert best_of_kitchen().status is Status.optimal
    for wrong in (
        replace(worse, lower_bound=worse.makespan, status=Status.optimal),
        replace(worse, lower_bound=None, makespan=None, status=Status.infeasible),
        replace(worse, lower_bound=worse.makespan),
    ):
        monkeypatch.setattr(module, "solve", lambda *_, wrong=wrong, **__: wrong)
        with pytest.raises(InternalError, match=f"but a plan of {best.makespan} holds"):
            best_of_kitchen()


def test_what_is_found_in_some_seconds_is_neither_kept_nor_looked_up(folder, solved):
    assert optimum(fresh()).status == optimum(fresh(), limit=30.0).status == "optimal"
    assert solved == [NAME, NAME]
    assert len(list(folder.rglob("*.json"))) == 1


def test_what_ships_is_not_solved(folder, monkeypatch):
    monkeypatch.setattr(module, "solve", None)
    found = optimum(fresh())
    assert (found.status, found.makespan) == ("optimal", 4080)
    assert not folder.exists()


def test_it_can_be_done_without(tmp_path, folder, solved, monkeypatch):
    with remembering(False):
        optimum(fresh())
    assert not folder.exists()
    optimum(fresh())
    assert folder.exists()
    monkeypatch.setenv(VARIABLE, "")
    assert default_store() is None
    optimum(fresh())
    assert solved == [NAME] * 3


def test_by_default_it_is_in_the_cache_folder_of_the_user(monkeypatch, tmp_path):
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    store = default_store()
    assert store is not None
    assert store.folder.is_relative_to(tmp_path)
    assert store.folder.parts[-2:] == ("planoracle", "optima")


def test_a_change_of_versions_or_content_makes_other_entries(folder, solved, monkeypatch):
    instance = fresh()
    optimum(instance)
    optimum(
        replace(instance, actions=(replace(instance.actions[0], duration=660, attended=660), *instance.actions[1:]))
    )
    monkeypatch.setattr(module, "versions", lambda: {"planoracle": "99"})
    optimum(fresh())
    assert len(solved) == len(list(folder.rglob("*.json"))) == 3


# --- nothing is believed -------------------------------------------------------------------------


def shorten(entry):
    entry["makespan"] -= 60
    entry["bound"] -= 60


def shift(entry):
    plan = entry["plan"]
    plan[-2] -= 60
    entry["makespan"] = entry["bound"] = max(map(sum, zip(plan[3::5], plan[4::5], strict=True)))


def lose(entry):
    del entry["plan"][15:20]


def rename(entry):
    entry["plan"][0] = 99


def slow(entry):
    """A minute later, which breaks no rule."""
    starts = entry["plan"][3::5]
    last = max(range(len(starts)), key=lambda one: starts[one] + entry["plan"][5 * one + 4])
    entry["plan"][5 * last + 3] += 60
    entry["makespan"] = entry["bound"] = entry["makespan"] + 60


def slow_with_proof(entry):
    slow(entry)
    entry["certificate"] |= {"bound": entry["bound"], "makespan": entry["makespan"]}


NONE = {"status": "infeasible", "makespan": None, "bound": None, "plan": []}
FORGERIES = {
    "a makespan that is not best": slow,
    "a makespan that is not best, and says it is": slow_with_proof,
    "no certificate": lambda entry: entry.pop("certificate"),
    "slow, and no certificate": lambda entry: (slow(entry), entry.pop("certificate")),
    "infeasible, and no certificate": lambda entry: (entry.pop("certificate"), entry.update(NONE)),
    "a bound, and no certificate": lambda entry: (
        slow(entry),
        entry.pop("certificate"),
        entry.update(status="feasible"),
    ),
    "a certificate of another problem": lambda entry: entry["certificate"].update(instance=OTHER),
    "a certificate that is none": lambda entry: entry.update(certificate=[]),
    "a makespan that is too good": shorten,
    "a piece that is too early": shift,
    "a piece less": lose,
    "an action of another problem": rename,
    "no pieces": lambda entry: entry.update(plan=None),
    "text for numbers": lambda entry: entry["plan"].__setitem__(3, "0"),
    "another status": lambda entry: entry.update(status="feasible"),
    "infeasible, with a schedule": lambda entry: entry.update(status="infeasible"),
    "no grid": lambda entry: entry.update(grid=0),
    "a key less": lambda entry: entry.pop("proof"),
    "nothing at all": dict.clear,
}


@pytest.mark.parametrize("forgery", sample(FORGERIES))
def test_a_forged_entry_is_dropped_and_solved_anew(folder, solved, capsys, forgery):
    first = optimum(fresh())
    forge(folder, FORGERIES[forgery])
    second = optimum(fresh())
    assert solved == [NAME, NAME]
    assert replace(second, seconds=first.seconds) == first
    assert "does not hold" in capsys.readouterr().err
    optimum(fresh())  # the entry is a good one again
    assert solved == [NAME, NAME]
    assert capsys.readouterr().err == ""


def test_a_plan_that_takes_longer_changes_no_result(folder, solved, capsys):
    first = optimum(fresh())
    good = read_only(folder)
    forge(folder, lambda entry: (slow(entry), entry.pop("certificate"), entry.update(status="feasible", bound=None)))
    assert replace(optimum(fresh()), seconds=first.seconds) == first
    assert solved == [NAME, NAME]
    assert capsys.readouterr().err == ""
    assert read_only(folder) == good


def test_no_claim_about_a_kitchen_is_believed(folder, solved, capsys):
    first = best_of_kitchen()
    for claim in (
        {"status": "optimal", "bound": first.makespan},
        {"bound": first.makespan - 1},
        NONE | {"plan": None},
        {"certificate": {}},
    ):
        forge(folder, lambda entry, claim=claim: entry.update(claim))
        assert replace(best_of_kitchen(), seconds=first.seconds) == first
        assert "does not hold" in capsys.readouterr().err
    assert solved == [KITCHEN] * 5


# --- whose folder it is ---------------------------------------------------------------------------


@pytest.fixture
def stores():
    """Stores are made anew, as by another process."""
    storing._store.cache_clear()
    yield
    storing._store.cache_clear()


@pytest.mark.parametrize("mode", sample([0o777, 0o770, 0o1777]))
def test_a_folder_that_others_can_write_is_not_used(folder, solved, capsys, monkeypatch, stores, mode):
    optimum(fresh())
    folder.chmod(mode)
    storing._store.cache_clear()
    optimum(fresh())
    optimum(fresh(OTHER))
    assert solved == [NAME, NAME, OTHER]
    assert len(list(folder.rglob("*.json"))) == 1
    told = capsys.readouterr().err
    assert told.startswith(f"warning: {folder}: can be written by others, and is not used")
    assert told.count("\n") == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_neither_is_what_belongs_to_somebody_else(folder, solved, capsys, stores):
    optimum(fresh())
    (path,) = folder.rglob("*.json")
    os.chown(path, 12345, -1)
    optimum(fresh())
    assert "belongs to somebody else; solved anew" in capsys.readouterr().err
    os.chown(folder, 12345, -1)
    storing._store.cache_clear()
    optimum(fresh())
    assert "belongs to somebody else, and is not used" in capsys.readouterr().err
    assert solved == [NAME] * 3


def test_what_is_written_under_any_mask_is_read(folder, solved, capsys):
    before = os.umask(0)
    try:
        optimum(fresh())
        optimum(fresh())
    finally:
        os.umask(before)
    assert solved == [NAME]
    assert capsys.readouterr().err == ""


def test_a_forged_plan_of_a_kitchen_is_dropped(folder, solved, capsys):
    first = best_of_kitchen()
    forge(folder, lambda entry: entry["plan"].pop())
    assert replace(best_of_kitchen(), seconds=first.seconds) == first
    assert solved == [KITCHEN, KITCHEN]
    assert "the plan does not pass the rules" in capsys.readouterr().err


@pytest.mark.parametrize("content", sample([b"", b"{}", b"\n[1]", b"\x00" * 4096, None]))
def test_a_damaged_entry_is_dropped(folder, solved, capsys, content):
    first = optimum(fresh())
    (path,) = folder.rglob("*.json")
    data = path.read_bytes()
    path.write_bytes(data[:-5] if content is None else content)
    assert replace(optimum(fresh()), seconds=first.seconds) == first
    assert solved == [NAME, NAME]
    assert capsys.readouterr().err == f"warning: {path}: is damaged; solved anew\n"
    assert path.read_bytes() == data


def put(path, text):
    """Put an entry in the place of another, with a check that fits."""
    check = blake2b(path.stem.encode() + text, digest_size=8).hexdigest().encode()
    path.write_bytes(check + b"\n" + text)


def large(path):
    with path.open("wb") as file:
        file.truncate(2**40)


def socketed(path):
    with socket.socket(socket.AF_UNIX) as one:
        there = os.getcwd()
        os.chdir(path.parent)  # names of sockets are short
        one.bind(path.name)
        os.chdir(there)


# What stands in the place of an entry, and what is said of it.
FAULTS = {
    "a pipe": (os.mkfifo, "is no regular file"),
    "a device": (lambda path: path.symlink_to("/dev/zero"), "is no regular file"),
    "a terminal": (lambda path: path.symlink_to("/dev/ptmx"), "is no regular file"),
    "a link to itself": (lambda path: path.symlink_to(path), "is no regular file"),
    "a socket": (socketed, "is no regular file"),
    "a folder": (os.mkdir, "is no regular file"),
    "a huge file": (large, "is larger than 16777216 bytes"),
    "no JSON": (lambda path: put(path, b"{oops"), "is damaged"),
    "no text": (lambda path: put(path, b"\xff\xfe{}"), "is damaged"),
    "a list": (lambda path: put(path, b"[]"), "is damaged"),
    "brackets": (lambda path: put(path, b"[" * 100_000), "is damaged"),
    "another object": (lambda path: put(path, b'{"status": [1]}'), "does not hold"),
    "a number that is none": (
        lambda path: put(path, b'{"status": "optimal", "makespan": NaN, "bound": NaN, "plan": [], "proof": ""}'),
        "does not hold",
    ),
}


@pytest.mark.parametrize("fault", sample(FAULTS))
def test_whatever_stands_in_the_place_of_an_entry_is_dropped(folder, solved, capsys, fault):
    first = optimum(fresh())
    (path,) = folder.rglob("*.json")
    path.unlink()
    make, word = FAULTS[fault]
    make(path)
    assert replace(optimum(fresh()), seconds=first.seconds) == first
    said = capsys.readouterr().err
    assert said.startswith(f"warning: {path}: {word}")
    assert said.count("\n") == 1
    optimum(fresh())
    if fault == "a folder":  # somebody's; it stays, and does no harm to others
        assert path.is_dir()
        assert solved == [NAME] * 3
        optimum(fresh("recipe2plan/timed/Cobbler_Okra-Fry"))
        assert len(list(folder.rglob("*.json"))) == 2
    else:
        assert solved == [NAME] * 2
    assert capsys.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["a pipe", "a device", "a huge file", "no JSON"])
@pytest.mark.parametrize("verb", sample(["grade", "critique", "report"], 3))
def test_no_verb_is_stopped_by_an_entry(folder, tmp_path, verb, fault):
    row = {"id": "a", "instance": OTHER, "plan": optimum(fresh(OTHER)).plan}
    (tmp_path / "s.jsonl").write_text(json.dumps(row) + "\n")
    (path,) = folder.rglob("*.json")
    path.unlink()
    FAULTS[fault][0](path)
    call = [verb, tmp_path / "s.jsonl", *(["-o", tmp_path / "page.html"] if verb == "report" else [])]
    status, _, err = finished(*call, before="")
    assert status == 0
    assert err.startswith(f"warning: {path}: {FAULTS[fault][1]}; solved anew\n")
    assert path.is_file()


# --- nothing stops the work ----------------------------------------------------------------------


def test_a_folder_that_cannot_be_used_is_told_once(tmp_path, monkeypatch, solved, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file" / "cache"))
    for name in (NAME, "recipe2plan/untimed/Cobbler_Pancakes"):
        assert optimum(fresh(name)).status == "optimal"
    told = capsys.readouterr().err.splitlines()
    assert len(solved) == 2
    assert sum("cannot be read" in line for line in told) == 1
    assert len(told) <= 2


def test_a_full_disk_is_told_once_and_leaves_nothing_behind(folder, solved, monkeypatch, capsys):
    import errno
    from pathlib import Path

    write = Path.write_bytes

    def full(path, data):
        write(path, data[:10])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    storing._store.cache_clear()
    for name in (NAME, "recipe2plan/untimed/Cobbler_Pancakes"):
        assert optimum(fresh(name)).status == "optimal"
    told = capsys.readouterr().err
    assert told == f"warning: {folder}: cannot be written: No space left on device; optima are not kept\n"
    assert not [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.slow
def test_processes_share_it(folder, tmp_path):
    # All solve the same problems at the same time, and overwrite one another's entries.
    code = (
        "from planoracle.analysis import optimum as kept\nfrom planoracle.instances import catalogue\n"
        "kept.known, optimum = lambda *_: None, kept.optimum\n"  # as if the optima did not ship
        "for name in catalogue.expand(['recipe2plan/timed/Co*', 'timearena/household/2']):\n"
        "    best = optimum(catalogue.problem(name))\n    print(name, best.status, best.makespan)"
    )
    runs = [subprocess.Popen([sys.executable, "-c", code], stdout=-1, stderr=-1) for _ in range(3)]
    outputs = [run.communicate(timeout=120) for run in runs]
    assert len(set(outputs)) == 1
    assert outputs[0][1] == b""
    entries = [path for path in folder.rglob("*") if path.is_file()]
    assert len(entries) == len(outputs[0][0].splitlines())
    assert all(path.suffix == ".json" for path in entries)


def test_forged_infeasibility_changes_no_grade(folder, solved, capsys):
    submission = {"id": "a", "instance": NAME, "plan": optimum(fresh()).plan}
    sound = Grader(problems=Problems(named={NAME: fresh()})).grade(submission)
    assert sound.success
    forge_all(folder, FORGERIES["infeasible, and no certificate"])
    capsys.readouterr()
    assert Grader(problems=Problems(named={NAME: fresh()})).grade(submission) == sound
    assert "it claims more than a plan, without a certificate" in capsys.readouterr().err


def test_a_success_that_contradicts_the_optimum_is_an_internal_error(folder, monkeypatch):
    found = optimum(fresh())
    monkeypatch.setattr(oracle, "optimum", lambda *_, **__: replace(found, status=Status.infeasible))
    grade = Grader(problems=Problems(named={NAME: fresh()})).grade({"id": "a", "instance": NAME, "plan": found.plan})
    assert grade.reason == (f"internal error: InternalError: a success, though there is none: a for {NAME}")
