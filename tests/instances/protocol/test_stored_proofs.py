"""Tests of bundled certificates, which are parsed one by one."""

import json
from pathlib import Path

import pytest

from planoracle.instances.protocol.bundled_results import StoredProofs, proofs_bytes, read_proofs


def test_certificate_is_parsed_only_when_it_is_taken() -> None:
    proofs = StoredProofs([b'{"of":"1f","certificate":{"bound":7}}', b'{"of":"2e","certificate":{not parsed'])
    assert set(proofs) == {"1f", "2e"}
    assert "2e" in proofs
    assert proofs["1f"] == {"bound": 7}
    with pytest.raises(json.JSONDecodeError):
        proofs["2e"]


def test_lines_of_other_packages_may_have_spaces_and_another_order() -> None:
    line = json.dumps({"certificate": {"bound": 7}, "of": "1f 2e"}).encode()
    proofs = StoredProofs([line])
    assert dict(proofs) == {"1f": {"bound": 7}, "2e": {"bound": 7}}
    assert len(proofs) == 2
    assert "3d" not in proofs
    assert proofs.get("3d") is None


def test_written_certificates_are_read_again(tmp_path: Path) -> None:
    written = {"1f": {"instance": "a", "bound": 7}, "2e": {"instance": "b", "bound": 8}}
    (tmp_path / "proofs.jsonl.gz").write_bytes(proofs_bytes(written))
    assert dict(read_proofs(tmp_path)) == written
