"""Cache of proved optima: problems are solved once, processes share it, and no entry is trusted."""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import subprocess
import sys
from dataclasses import replace

import pytest
from support.samples import sample

from planoracle.analysis.batch.journal import VARIABLE, _cache_in, default_cache
from planoracle.analysis.grading import oracle
from planoracle.analysis.grading import oracle as module
from planoracle.analysis.grading.grader import Grader
from planoracle.analysis.grading.oracle import optimum
from planoracle.analysis.grading.problem_loader import Problems
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES
from planoracle.instances.errors import InternalError
from planoracle.instances.files import catalog
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.limits import Status, WorkLimit

NAME = "recipe2plan/timed/Cobbler_Pancakes"
#: No optimum of this problem is bundled.
OTHER = "timearena/household1+lab2"
KITCHEN = "kitchens/synchronous/0_cheese_sandwich"


@pytest.fixture
def path(tmp_path, monkeypatch):
    """File of an empty cache."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache" / "optima.sqlite"


@pytest.fixture
def solved(monkeypatch):
    """Names of the solved problems, as if no optimum were bundled."""
    names = []
    solve = module.solve

    def counted(problem, **options):
        names.append(problem.name)
        return solve(problem, **options)

    monkeypatch.setattr(module, "solve", counted)
    monkeypatch.setattr(module, "bundled_result", lambda *_: None)
    return names


def fresh(name=NAME):
    """Return a problem that this process has not cached."""
    return replace(catalog.problem(name))


def new_process():
    """Open the cache again, as another process does."""
    _cache_in.cache_clear()


def best_of_kitchen():
    return optimum(fresh(KITCHEN), PROFILES["paper"], limit=WorkLimit(30.0))


def execute(path, statement, *values):
    database = sqlite3.connect(path)
    with database:
        rows = database.execute(statement, values).fetchall()
    database.close()
    return rows


def entries(path):
    return [json.loads(text) for (text,) in execute(path, "SELECT text FROM entries")]


def forge(path, change):
    """Change the only entry of a cache."""
    (entry,) = entries(path)
    change(entry)
    execute(path, "UPDATE entries SET text = ?", json.dumps(entry))


@pytest.mark.parametrize("name", [NAME, OTHER, "asynctool/cross2/01"])
def test_proved_optimum_is_read_from_the_cache(path, solved, name):
    first, second = optimum(fresh(name)), optimum(fresh(name))
    assert solved == [name]
    assert replace(second, seconds=first.seconds) == first
    assert second.status is Status.optimal
    assert first.proof_grade == second.proof_grade == "certificate"
    assert len(entries(path)) == 1


def test_cache_stores_only_the_plan_of_a_result_without_certificate(path, solved):
    first = best_of_kitchen()
    (entry,) = entries(path)
    claims = entry["status"], entry["makespan"], entry["bound"], entry["proof"]
    assert claims == ("feasible", first.makespan, None, "")
    second = best_of_kitchen()
    assert solved == [KITCHEN, KITCHEN]
    assert replace(second, seconds=first.seconds) == first
    assert first.status is second.status is Status.optimal
    assert entries(path) == [entry]


def test_infeasibility_is_not_cached(path, solved):
    hasty = Instance("hasty", (Action("t/a", "t", 4, 4), Action("t/b", "t", 4, 4)), time_limit=5)
    assert [optimum(replace(hasty)).status for _ in range(2)] == [Status.infeasible] * 2
    assert solved == ["hasty"] * 2
    assert entries(path) == []


def test_unfinished_search_returns_a_shorter_cached_plan(path, solved, monkeypatch):
    best = best_of_kitchen()
    worse = replace(
        best, status=Status.feasible, makespan=best.makespan + 1, lower_bound=best.makespan - 1, plan="", actions=()
    )
    monkeypatch.setattr(module, "solve", lambda *_, **__: worse)
    result = best_of_kitchen()
    assert (result.status, result.makespan, result.lower_bound) == (Status.feasible, best.makespan, best.makespan - 1)
    assert (result.plan, result.actions) == (best.plan, best.actions)
    monkeypatch.setattr(module, "solve", lambda *_, **__: replace(worse, lower_bound=best.makespan))
    assert best_of_kitchen().status is Status.optimal
    for wrong in (
        replace(worse, lower_bound=worse.makespan, status=Status.optimal),
        replace(worse, lower_bound=None, makespan=None, status=Status.infeasible),
        replace(worse, lower_bound=worse.makespan),
    ):
        monkeypatch.setattr(module, "solve", lambda *_, wrong=wrong, **__: wrong)
        with pytest.raises(InternalError, match=f"but a plan takes {best.makespan}"):
            best_of_kitchen()


def test_results_within_seconds_of_wall_time_are_not_cached(path, solved):
    assert optimum(fresh()).status == optimum(fresh(), limit=30.0).status == "optimal"
    assert solved == [NAME, NAME]
    assert len(entries(path)) == 1


def test_plans_of_optional_tasks_are_not_cached(path, solved):
    actions = (Action("t/a", "t", 2, 2), Action("u/b", "u", 1, 1))
    errands = Instance("errands", actions, optional=(("u", 1),), time_limit=2)
    assert [optimum(replace(errands)).status for _ in range(2)] == [Status.optimal] * 2
    assert solved == ["errands"] * 2
    assert not path.exists()


def test_cache_can_be_disabled_and_is_not_used_for_bundled_optima(path, monkeypatch):
    assert optimum(fresh()).makespan == 4080
    optimum(fresh(OTHER), is_cached=False)
    assert not path.parent.exists()
    monkeypatch.setenv(VARIABLE, "")
    assert default_cache() is None
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(path.parent))
    store = default_cache()
    assert store is not None
    assert store.path == path.parent / "planoracle" / path.name


def test_other_versions_and_contents_have_other_entries(path, solved, monkeypatch, capsys):
    instance = fresh()
    longer = replace(instance.actions[0], duration=660, attended=660)
    optimum(instance)
    optimum(replace(instance, actions=(longer, *instance.actions[1:])))
    versions = module.versions()
    for count, version in [(3, "1"), (4, "2"), (4, "1"), (4, "2")]:
        monkeypatch.setattr(module, "versions", lambda version=version: versions | {"planoracle": version})
        optimum(fresh())
        assert (len(solved), len(entries(path))) == (count, count)
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_processes_share_the_cache(path):
    """Several processes solve the same problems at the same time, without a file at the start."""
    code = (
        "from planoracle.analysis.grading import oracle as kept\nfrom planoracle.instances.files import catalog\n"
        "kept.bundled_result, optimum = lambda *_: None, kept.optimum\n"  # as if the optima were not bundled
        "for name in catalog.expand(['recipe2plan/timed/Co*', 'timearena/household/2']):\n"
        "    best = optimum(catalog.problem(name))\n    print(name, best.status, best.makespan)"
    )
    runs = [subprocess.Popen([sys.executable, "-c", code], stdout=-1, stderr=-1) for _ in range(3)]
    outputs = [run.communicate(timeout=120) for run in runs]
    assert len(set(outputs)) == 1
    assert outputs[0][1] == b""
    assert len(entries(path)) == len(outputs[0][0].splitlines())


# --- no entry is trusted --------------------------------------------------------------------------


def shorten(entry):
    entry["makespan"] -= 60
    entry["bound"] -= 60


def rename(entry):
    entry["plan"][0] = 99


def slow(entry):
    """Delay the last piece by a minute, which breaks no rule."""
    starts = entry["plan"][3::5]
    last = max(range(len(starts)), key=lambda one: starts[one] + entry["plan"][5 * one + 4])
    entry["plan"][5 * last + 3] += 60
    entry["makespan"] = entry["bound"] = entry["makespan"] + 60


def slow_with_proof(entry):
    slow(entry)
    entry["certificate"] |= {"bound": entry["bound"], "makespan": entry["makespan"]}


def uncertified(entry, *changes, **values):
    entry.pop("certificate")
    for change in changes:
        change(entry)
    entry.update(values)


NONE = {"status": "infeasible", "makespan": None, "bound": None, "plan": []}
FORGERIES = {
    "a makespan that is not best": slow,
    "a makespan that is not best, and says it is": slow_with_proof,
    "no certificate": uncertified,
    "slow, and no certificate": lambda entry: uncertified(entry, slow),
    "infeasible, and no certificate": lambda entry: uncertified(entry, **NONE),
    "a bound, and no certificate": lambda entry: uncertified(entry, slow, status="feasible"),
    "a certificate of another problem": lambda entry: entry["certificate"].update(instance=OTHER),
    "a makespan that is too good": shorten,
    "an action of another problem": rename,
    "text for numbers": lambda entry: entry["plan"].__setitem__(3, "0"),
    "numbers that are none": lambda entry: entry.update(makespan=float("nan"), bound=float("nan")),
    "another status": lambda entry: entry.update(status="feasible"),
    "a key less": lambda entry: entry.pop("proof"),
    "nothing at all": dict.clear,
}


@pytest.mark.parametrize("forgery", sample(FORGERIES))
def test_forged_entry_is_dropped_and_solved_again(path, solved, capsys, forgery):
    first = optimum(fresh())
    forge(path, FORGERIES[forgery])
    second = optimum(fresh())
    assert solved == [NAME, NAME]
    assert replace(second, seconds=first.seconds) == first
    assert "is invalid" in capsys.readouterr().err
    optimum(fresh())  # the entry is a good one again
    assert solved == [NAME, NAME]
    assert capsys.readouterr().err == ""


def test_longer_cached_plan_changes_no_result(path, solved, capsys):
    first = optimum(fresh())
    good = entries(path)
    forge(path, lambda entry: uncertified(entry, slow, status="feasible", bound=None))
    assert replace(optimum(fresh()), seconds=first.seconds) == first
    assert solved == [NAME, NAME]
    assert capsys.readouterr().err == ""
    assert entries(path) == good


def test_forged_entries_of_kitchens_are_dropped(path, solved, capsys):
    first = best_of_kitchen()
    claims = (
        lambda entry: entry.update(status="optimal", bound=first.makespan),
        lambda entry: entry.update(bound=first.makespan - 1),
        lambda entry: entry.update(NONE | {"plan": None}),
        lambda entry: entry.update(certificate={}),
        lambda entry: entry["plan"].pop(),
    )
    for claim in claims:
        forge(path, claim)
        new_process()
        assert replace(best_of_kitchen(), seconds=first.seconds) == first
        assert "is invalid" in capsys.readouterr().err
    assert solved == [KITCHEN] * 6


def test_first_of_several_invalid_entries_gives_one_warning(path, solved, capsys):
    optimum(fresh())
    optimum(fresh(OTHER))
    execute(path, "UPDATE entries SET text = ?", "{")
    optimum(fresh())
    optimum(fresh(OTHER))
    assert solved == [NAME, OTHER] * 2
    assert capsys.readouterr().err == f"warning: {path}: an entry is damaged; the problem is solved again\n"


TEXTS = ["''", "'{'", "'[1]'", "'NaN'", f"'{'[' * 100_000}'", "x'fffe7b7d'", "7", "CAST(x'7bff7d' AS TEXT)"]


@pytest.mark.parametrize("text", [*sample(TEXTS[:-1]), TEXTS[-1]], ids=lambda text: text[:9])
def test_damaged_entry_is_dropped(path, solved, capsys, text):
    first = optimum(fresh())
    before = entries(path)
    execute(path, f"UPDATE entries SET text = {text}")
    assert replace(optimum(fresh()), seconds=first.seconds) == first
    assert solved == [NAME, NAME]
    assert capsys.readouterr().err == f"warning: {path}: an entry is damaged; the problem is solved again\n"
    assert entries(path) == before


def test_forged_infeasibility_changes_no_grade(path, solved, capsys):
    submission = {"id": "a", "instance": NAME, "plan": optimum(fresh()).plan}
    sound = Grader(problems=Problems(named={NAME: fresh()})).grade(submission)
    assert sound.success
    forge(path, FORGERIES["infeasible, and no certificate"])
    capsys.readouterr()
    assert Grader(problems=Problems(named={NAME: fresh()})).grade(submission) == sound
    assert "the entry claims an optimum or a bound without a certificate" in capsys.readouterr().err


def test_success_below_the_optimum_is_an_internal_error(path, monkeypatch):
    result = optimum(fresh())
    monkeypatch.setattr(oracle, "optimum", lambda *_, **__: replace(result, status=Status.infeasible))
    grade = Grader(problems=Problems(named={NAME: fresh()})).grade({"id": "a", "instance": NAME, "plan": result.plan})
    assert grade.reason == (
        f"internal error: InternalError: {NAME}: the plan succeeds although the problem is proved infeasible (a)"
    )


# --- faults of the file stop no work --------------------------------------------------------------


def in_its_place(make):
    """Return a function that replaces the file."""
    return lambda path: (path.unlink(), make(path))


def of_another_program(path):
    execute(path, "CREATE TABLE other (key)")


def linked(path):
    path.rename(path.with_name("other"))
    path.symlink_to(path.with_name("other"))


FOREIGN = "belongs to another user, or can be written by other users"
FAULTS = {
    "file that others can write": (lambda path: path.chmod(0o666), FOREIGN),
    "folder that others can write": (lambda path: path.parent.chmod(0o770), FOREIGN),
    "file of another user": (lambda path: os.chown(path, 12345, -1), FOREIGN),
    "folder of another user": (lambda path: os.chown(path.parent, 12345, -1), FOREIGN),
    "pipe": (in_its_place(os.mkfifo), "is not a regular file"),
    "pipe for a rollback journal": (lambda path: os.mkfifo(f"{path}-journal"), "is not a regular file"),
    "device": (in_its_place(lambda path: path.symlink_to("/dev/null")), ""),
    "link": (linked, "is not a regular file"),
    "folder": (in_its_place(os.mkdir), "is not a regular file"),
    "text": (in_its_place(lambda path: path.write_text("hello " * 1000)), "is damaged, or not a file of planoracle"),
    "cut off": (lambda path: os.truncate(path, 5000), "is damaged, or not a file of planoracle"),
    "another program": (in_its_place(of_another_program), "was written by another program or release"),
}


@pytest.mark.parametrize("fault", sample(FAULTS, 3))
def test_untrusted_or_unusable_cache_file_gives_one_warning(path, solved, capsys, fault):
    if fault.endswith("another user") and os.geteuid() != 0:
        pytest.skip("only root gives files away")
    first = optimum(fresh())
    change, reason = FAULTS[fault]
    change(path)
    new_process()
    assert replace(optimum(fresh()), seconds=first.seconds) == first
    optimum(fresh(OTHER))
    assert solved == [NAME, NAME, OTHER]
    message = capsys.readouterr().err
    assert message.startswith(f"warning: {path}: ")
    assert reason in message
    assert message.endswith("; the cache of optima is not used\n")
    assert message.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("size", [0, 20_000], ids=["read-only", "full"])
def test_full_disk_is_reported_once(path, solved, capsys, size):
    """A limit on the size of files simulates a full disk."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    names = [NAME, OTHER, *catalog.expand(["recipe2plan/untimed/Co*"])]
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        assert {optimum(fresh(name)).status for name in names} == {Status.optimal}
        message = capsys.readouterr().err
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert message == f"warning: {path}: disk I/O error; the cache of optima is not used\n"
    new_process()
    optimum(fresh())
    assert solved == [*names, NAME] if size == 0 else names
    assert len(entries(path)) > 0
