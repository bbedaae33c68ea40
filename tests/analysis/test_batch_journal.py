"""The file of a run directory: what is kept, whatever happens to the process, the file or the disk."""

from __future__ import annotations

import errno
import json
import os
import shutil
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planoracle.analysis.batch import journal as module
from planoracle.analysis.batch.errors import StorageError
from planoracle.analysis.batch.journal import NAME, Journal
from planoracle.instances import catalogue
from planoracle.instances.digest import FORMAT, digest, fingerprint

KEYS = [digest(number) for number in range(50)]
ROWS = {key: json.dumps({"n": i, "text": '"},{"row": é\n\t' * (i % 3)}) for i, key in enumerate(KEYS)}


def filled(folder, keys=KEYS):
    with Journal(folder, pytest.fail) as journal:
        journal.add((key, ROWS[key]) for key in keys)
    return folder / NAME


def read(folder):
    told = []
    with Journal(folder, told.append) as journal:
        return {key: journal.get(key) for key in KEYS if journal.get(key) is not None}, told


def test_what_is_added_is_there_the_next_time(tmp_path):
    path = filled(tmp_path / "deep" / "run")
    assert read(path.parent) == (ROWS, [])
    with Journal(path.parent, pytest.fail) as journal:
        assert len(journal) == len(KEYS)
        assert journal.get(digest("other")) is None


def test_lines_are_json_with_key_and_row(tmp_path):
    lines = [json.loads(line) for line in filled(tmp_path).read_text().splitlines()]
    assert lines[0] == {"format": "planoracle/run", "version": FORMAT}
    assert [line["key"] for line in lines[1:]] == KEYS
    assert [line["row"] for line in lines[1:]] == [json.loads(row) for row in ROWS.values()]


def test_a_directory_of_an_earlier_release_is_refused(tmp_path):
    (tmp_path / NAME).write_text('{"format":"planoracle/run","version":1}\n')
    with pytest.raises(StorageError, match="is of another release of planoracle; name another directory"):
        Journal(tmp_path, print)


def test_a_key_is_written_once(tmp_path):
    with Journal(tmp_path, pytest.fail) as journal:
        journal.add([(KEYS[0], "1"), (KEYS[0], "2")])
        journal.add([(KEYS[0], "3"), (KEYS[1], "4")])
        assert (journal.get(KEYS[0]), journal.get(KEYS[1])) == ("1", "4")
    assert len((tmp_path / NAME).read_text().splitlines()) == 3


@pytest.mark.parametrize("seed", range(20))
def test_a_file_cut_off_anywhere_keeps_all_whole_lines_and_grows_to_the_same_bytes(tmp_path, seed):
    path = filled(tmp_path)
    whole = path.read_bytes()
    cut = Random(seed).randrange(len(whole)) if seed else 0
    path.write_bytes(whole[:cut])
    found, told = read(tmp_path)
    assert len(found) == max(0, whole[:cut].count(b"\n") - 1)
    assert all(ROWS[key] == row for key, row in found.items())
    torn = cut > 0 and not whole[:cut].endswith(b"\n")
    assert len(told) == torn
    assert all("torn" in message for message in told)
    with Journal(tmp_path, pytest.fail) as journal:  # the torn line has been cut off: nothing is told again
        journal.add(ROWS.items())
    assert path.read_bytes() == whole


@given(place=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255))
@pytest.mark.slow
def test_a_damaged_byte_costs_its_own_line_and_is_told(tmp_path_factory, place, byte):
    folder = tmp_path_factory.mktemp("run")
    path = filled(folder)
    data = bytearray(path.read_bytes())
    at = int(place * len(data))
    if data[at] == byte:
        return
    line = data[:at].count(b"\n") + 1
    ended = data[at] == 10
    data[at] = byte
    path.write_bytes(data)
    found, told = read(folder)
    lost = {line, line + 1} if ended else {line}
    assert found == {key: ROWS[key] for number, key in enumerate(KEYS, 2) if number not in lost}
    assert told
    assert "torn" in told[0] if line == len(KEYS) + 1 and ended else f"line {line} is damaged" in told[0]
    with Journal(folder, lambda _: None) as journal:
        journal.add(ROWS.items())
        assert all(journal.get(key) == row for key, row in ROWS.items())


def test_many_damaged_lines_are_counted(tmp_path):
    path = filled(tmp_path)
    path.write_bytes(path.read_bytes().replace(b'"n": 1', b'"n": 2'))
    found, told = read(tmp_path)
    assert len(found) == len(KEYS) - 11
    assert len(told) == 6
    assert "6 more lines" in told[-1]


def test_lines_longer_than_any_of_ours_are_passed_over(tmp_path, monkeypatch):
    path = filled(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:5], b"x" * 1_000 + lines[7], *lines[5:]]))
    monkeypatch.setattr(module, "_LONGEST", 300)
    found, told = read(tmp_path)
    assert found == ROWS
    assert told == [f"{path}: line 6 is damaged; its work is done again, unless a later line has the result"]
    with Journal(tmp_path, lambda _: None) as journal:
        journal.add([(digest("long"), json.dumps("x" * 400))])  # is not kept
        assert journal.get(digest("long")) is None
    path.write_bytes(b"".join([*lines, b"x" * 1_000]))
    assert read(tmp_path)[0] == ROWS
    assert path.read_bytes() == b"".join(lines)


@pytest.mark.parametrize("text", ["hello\n", "hello", '{"format": "other"}\n{}\n', "\n"])
def test_files_of_others_are_left_alone(tmp_path, text):
    path = tmp_path / NAME
    path.write_text(text)
    with pytest.raises(StorageError, match="no file of results of planoracle"):
        Journal(tmp_path, pytest.fail)
    assert path.read_text() == text


def test_a_second_user_is_refused_until_the_first_has_finished(tmp_path):
    with Journal(tmp_path, pytest.fail), pytest.raises(StorageError, match="another process is at work"):
        Journal(tmp_path, pytest.fail)
    assert read(tmp_path) == ({}, [])


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match=r"/file: cannot be made a run directory: File exists"):
        Journal(tmp_path / "file", pytest.fail)
    (tmp_path / "run" / NAME).mkdir(parents=True)
    with pytest.raises(StorageError, match=r"run/results\.jsonl: cannot be written: Is a directory"):
        Journal(tmp_path / "run", pytest.fail)


def test_a_pipe_is_no_file_of_results(tmp_path):
    os.mkfifo(tmp_path / NAME)  # reading it would wait for ever
    with pytest.raises(StorageError, match=r"results\.jsonl: is no regular file; name another directory"):
        Journal(tmp_path, pytest.fail)


@pytest.mark.parametrize("where", ["moved", "deleted", "replaced", "a file moved"])
def test_a_directory_that_goes_away_at_work_is_an_error(tmp_path, where):
    folder = tmp_path / "run"
    journal = Journal(folder, pytest.fail)
    journal.add([(KEYS[0], ROWS[KEYS[0]])])
    journal.sync()
    if where == "deleted":
        shutil.rmtree(folder)
    elif where == "a file moved":
        (folder / NAME).rename(folder / "elsewhere")
    else:
        folder.rename(tmp_path / "elsewhere")
    if where == "replaced":
        filled(folder)
    with pytest.raises(StorageError, match=r"results\.jsonl: was moved or deleted while at work"):
        journal.sync()
    assert journal.lost
    with pytest.raises(StorageError, match="was moved or deleted"):
        journal.close()


def test_a_result_that_is_dropped_has_its_place_taken_by_the_next(tmp_path):
    filled(tmp_path)
    told = []
    with Journal(tmp_path, told.append) as journal:
        journal.drop(KEYS[3])
        assert journal.get(KEYS[3]) is None
        journal.add([(KEYS[3], '{"n": "new"}')])
    assert told == [f"{tmp_path / NAME}: a result is not what it should be; its work is done again"]
    assert read(tmp_path) == (ROWS | {KEYS[3]: '{"n": "new"}'}, [])


@pytest.mark.parametrize("written", [0, 1, 100])
def test_a_full_disk_loses_nothing_and_leaves_nothing_half_done(tmp_path, monkeypatch, written):
    path = filled(tmp_path, KEYS[:10])
    before = path.read_bytes()
    write = os.write
    room = [written]

    def full(file, data):
        if not room[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        done = write(file, bytes(data)[: room[0]])
        room[0] -= done
        return done

    with Journal(tmp_path, pytest.fail) as journal:
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(StorageError, match=r"results\.jsonl: cannot be written: No space left on device"):
            journal.add(ROWS.items())
    monkeypatch.undo()
    assert path.read_bytes() == before
    with Journal(tmp_path, pytest.fail) as journal:
        journal.add(ROWS.items())
    assert read(tmp_path) == (ROWS, [])


def test_a_disk_that_fails_to_sync_is_told(tmp_path, monkeypatch):
    def broken(file):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    journal = Journal(tmp_path, pytest.fail)
    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(StorageError, match="Input/output error"):
        journal.close()
    with Journal(tmp_path, pytest.fail):  # it has let go of the file
        monkeypatch.undo()


def test_results_that_are_read_in_parts_are_whole(tmp_path, monkeypatch):
    filled(tmp_path)
    read_at = os.pread
    monkeypatch.setattr(os, "pread", lambda file, size, at: read_at(file, min(size, 7), at))
    assert read(tmp_path) == (ROWS, [])


def test_a_file_that_cannot_be_cut_off_is_told(tmp_path, monkeypatch):
    path = filled(tmp_path)
    path.write_bytes(path.read_bytes()[:-5])

    def broken(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "ftruncate", broken)
    with pytest.raises(StorageError, match=r"results\.jsonl: cannot be read: Input/output error"):
        Journal(tmp_path, lambda _: None)


# --- keys ----------------------------------------------------------------------------------------


NAMES = (
    "recipe2plan/timed/Cobbler_Pancakes",
    "recipe2plan/untimed/Cobbler_Pancakes",
    "timearena/household1+lab2",
    "asynctool/cross2/01",
    "kitchens/synchronous/0_cheese_sandwich",
)


@pytest.mark.slow
def test_problems_that_differ_have_different_fingerprints_in_every_process(tmp_path):
    import subprocess
    import sys

    found = [fingerprint(catalogue.problem(name)) for name in NAMES]
    assert len(set(found)) == len(NAMES)
    code = (
        "from planoracle.instances.digest import fingerprint\n"
        "from planoracle.instances.catalogue import problem\n"
        f"print(*(fingerprint(problem(name)) for name in {NAMES!r}))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == found


def test_a_fingerprint_is_of_the_content_with_what_the_rules_need():
    from dataclasses import replace

    instance = catalogue.load("asynctool/cross2/01")
    again = replace(instance)
    again.memos["something"] = 1
    assert fingerprint(again) == fingerprint(instance)
    actions = (replace(instance.actions[0], duration=2, attended=2), *instance.actions[1:])
    assert fingerprint(replace(instance, actions=actions)) != fingerprint(instance)
    slower = replace(instance.origin, delays=replace(instance.origin.delays, seed=7))
    assert fingerprint(replace(instance, origin=slower)) != fingerprint(instance)


def test_values_of_other_kinds_have_no_digest():
    with pytest.raises(TypeError, match="no digest of object"):
        digest(object())
    assert digest({1, 2}) == digest(frozenset((2, 1)))
    assert digest({1, 2}) != digest([1, 2])
