"""The folder of a run among other files, and what stands in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planoracle.analysis.batch.errors import StorageError
from planoracle.analysis.live.folder import Folder, described, file_name
from planoracle.analysis.live.transcripts import transcript_of
from planoracle.analysis.submissions import Intake
from planoracle.instances.errors import InputError

SETTINGS = {"rules": {"profile": "paper", "set": {}}, "seed": 0}
DOCUMENT: dict[str, Any] = {
    "settings": SETTINGS,
    "agents": [{"name": "a", "temperature": 0.5}],
    "benchmarks": [{"name": "timearena", "digest": "1"}],
    "problems": [{"name": "timearena/lab1", "fingerprint": "f"}, {"name": "timearena/lab2", "fingerprint": "g"}],
    "samples": 2,
}
ROW = {"id": "x", "instance": "timearena/lab1", "model": "a", "plan": ["wait"]}


def begun(path: Path, rows: int = 4) -> Path:
    Folder(path).begin(DOCUMENT, used=False)
    Folder(path).write_submissions({"a": [json.dumps(ROW)] * rows} if rows else {})
    (path / "results.jsonl").write_text('{"format":"planoracle/run","version":1}\n')
    Folder(path).write("transcripts/a/timearena/lab1/1.jsonl", '{"role": "user", "content": "hello"}\n')
    Folder(path).write("problems/mine.json", json.dumps({"format": "planoracle/instance", "name": "mine"}))
    return path


def read(path: Path) -> tuple[list[Any], list[str]]:
    told: list[str] = []
    return [entry for _, entry in Intake([path], told=told.append)], told


@pytest.mark.parametrize("text", ["..", ".", "", "a/b", "ä", "\ud800", "\0", "x" * 500, "CON:", "%", ".hidden", "a\nb"])
def test_every_text_can_be_the_name_of_a_file(text: str, tmp_path: Path) -> None:
    name = file_name(text)
    assert name.isascii()
    (tmp_path / name).write_text("here")
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert not name.startswith(".")


def test_names_of_files_differ_where_texts_do() -> None:
    texts = ["a/b", "a%2Fb", "a:b", "a", "", "%", ".", "%2E", "x" * 500, "x" * 501, "%2E."]
    assert len({file_name(text) for text in texts}) == len(texts)


def test_only_submissions_of_a_run_are_submissions(tmp_path: Path) -> None:
    entries, told = read(begun(tmp_path))
    assert [(one["id"], one["model"], one["instance"]) for one in entries] == [("x", "a", "timearena/lab1")] * 4
    assert told == []


def test_runs_may_stand_beside_other_files(tmp_path: Path) -> None:
    begun(tmp_path / "one")
    begun(tmp_path / "deep" / "two", rows=3)
    (tmp_path / "gpt.jsonl").write_text(json.dumps({**ROW, "model": "gpt"}))
    entries, told = read(tmp_path)
    assert [one["model"] for one in entries] == ["a"] * 3 + ["gpt"] + ["a"] * 4
    assert told[0].endswith("deep/two: 3 of 4 episodes are there; planoracle run goes on with the rest")


def test_a_run_without_submissions_says_so(tmp_path: Path) -> None:
    entries, _ = read(begun(tmp_path, rows=0))
    assert [str(one) for one in entries] == [
        "run.json: is a run without submissions yet; planoracle run goes on with it"
    ]


def test_files_of_others_may_be_called_alike(tmp_path: Path) -> None:
    for text in ("{", '{"format": "mine"}', "[1]"):
        (tmp_path / "run.json").write_text(text)
        assert described(tmp_path) is None
    (tmp_path / "run.json").write_text(json.dumps([ROW]))
    assert len(read(tmp_path)[0]) == 1


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"version": 2}, "version"),
        ({"samples": 0}, "samples"),
        ({"samples": True}, "samples"),
        ({"agents": ["a"]}, "agents"),
        ({"problems": None}, "problems"),
        ({"settings": []}, "settings.rules"),
        ({"settings": {"rules": {"profile": 1, "set": {}}}}, "settings.rules"),
    ],
)
def test_a_description_that_makes_no_sense_is_told(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    begun(tmp_path)
    document = json.loads((tmp_path / "run.json").read_text())
    (tmp_path / "run.json").write_text(json.dumps(document | change))
    with pytest.raises(InputError) as caught:
        described(tmp_path)
    assert caught.value.field == field
    entries, _ = read(tmp_path)
    assert [one.field for one in entries] == [field]


def test_a_run_may_grow_but_not_change(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.begin(DOCUMENT, used=False)
    grown = {**DOCUMENT, "samples": 3, "agents": [{"name": "b"}, *DOCUMENT["agents"]]}
    folder.begin(grown, used=True)
    assert described(tmp_path) == {"format": "planoracle/live", "version": 1, **grown}
    before = (tmp_path / "run.json").read_bytes()
    changed = {**grown, "agents": [{"name": "a", "temperature": 1.0}], "settings": {**SETTINGS, "seed": 1}}
    with pytest.raises(InputError) as caught:
        folder.begin({**changed, "samples": 1}, used=True)
    assert [fault.field for fault in caught.value.faults] == [
        "agents",
        "settings.seed",
        "agents.a.temperature",
        "samples",
    ]
    assert (tmp_path / "run.json").read_bytes() == before


def test_results_of_other_verbs_are_no_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds other results; name another folder"):
        Folder(tmp_path).begin(DOCUMENT, used=True)


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "transcripts").write_text("a file")
    with pytest.raises(StorageError, match="cannot be written"):
        Folder(tmp_path).write("transcripts/a.jsonl", "")


@pytest.mark.parametrize("place", ["../secret.jsonl", "/etc/passwd", "a/../../b", "", 7, "link.jsonl", "x/\0"])
def test_transcripts_are_sought_in_the_folder_of_the_run_only(tmp_path: Path, place: object) -> None:
    (tmp_path / "secret.jsonl").write_text('{"role": "user"}')
    run = tmp_path / "run"
    run.mkdir()
    (run / "link.jsonl").symlink_to(tmp_path / "secret.jsonl")
    with pytest.raises(InputError):
        transcript_of({"transcript": place}, run)


def test_transcripts_are_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"role": "user", "content": "a"}\n{"role": "assistant", "content": "b"}\n')
    assert [line["content"] for line in transcript_of({"transcript": "t.jsonl"}, tmp_path)] == ["a", "b"]
    assert transcript_of({}, tmp_path) == []
    for text in ("{", "[]", '{"role": 3}'):
        path.write_text(f'{{"role": "user"}}\n{text}\n')
        with pytest.raises(InputError) as caught:
            transcript_of({"transcript": "t.jsonl"}, tmp_path)
        assert (caught.value.source, caught.value.line) == ("t.jsonl", 2)
