"""Formats of the literature: mutated texts are read, or refused with file and line."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hostile_inputs import FLOODS
from support.mutations import Mutator, result_or_error
from support.samples import examples, sample

from planoracle.instances.errors import InputError
from planoracle.instances.files.instance_file import instance_from_document, to_document
from planoracle.instances.literature import jobshop
from planoracle.instances.literature.reader import read_data

SCH = """2\t1\t0\t0
0\t1\t1\t1\t[0]
1\t1\t2\t2\t3\t[4]\t[3]
2\t1\t2\t1\t3\t[-6]\t[2]
3\t1\t0
0\t1\t0\t0
1\t1\t3\t1
2\t1\t2\t1
3\t1\t0\t0
1
"""
SM = """projects                      :  1
jobs (incl. supersource/sink ):  4
horizon                       :  5
  - renewable                 :  1   R
PRECEDENCE RELATIONS:
jobnr.    #modes  #successors   successors
   1        1          2           2   3
   2        1          1           4
   3        1          1           4
   4        1          0
REQUESTS/DURATIONS:
jobnr. mode duration  R 1
  1      1     0       0
  2      1     2       2
  3      1     3       1
  4      1     0       0
RESOURCEAVAILABILITIES:
  R 1
    2
"""
RCP = "4 1\n2\n0 0 2 2\n3 5 2 1 4\n4 1 1 4\n0 0 0\n"
JOBS = "# instance pair\n2 2\n0 3  1 2\n1 4  0 1\n"
TAILLARD = """Nb of jobs, Nb of Machines, Time seed, Machine seed, Upper bound, Lower bound
2 2 1 1 9 1
Times
3 2
4 1
Machines
1 2
2 1
"""
TEXTS = {"sch": SCH, "sm": SM, "rcp": RCP, "jobs": JOBS, "taillard": TAILLARD}


@pytest.mark.parametrize("form", TEXTS)
def test_valid_specimens_are_read(form: str) -> None:
    (instance,) = read_data(TEXTS[form].encode(), "file")
    assert len(instance.actions) >= 2


@examples(500)
@given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(TEXTS)))
def test_mutated_texts_are_read_or_refused(seed: int, form: str) -> None:
    mutator = Mutator(Random(seed), list(TEXTS.values()))
    data = mutator.times(mutator.text, TEXTS[form]).encode("utf-8", "surrogatepass")
    result = result_or_error(read_data, mutator.raw(data) if mutator.random.random() < 0.1 else data, "file")
    if isinstance(result, InputError):
        assert result.source == "file"
    else:
        for one in result:
            assert to_document(instance_from_document(to_document(one), "again")) == to_document(one)


@pytest.mark.parametrize(
    "head", ["", "1 1\n", "1 1 0 0\n", "PRECEDENCE RELATIONS", "instance a\n", "# ", "Nb of jobs\n"]
)
@pytest.mark.parametrize("flood", sample(FLOODS, 10))
def test_floods_are_read_in_linear_time(flood: str, head: str) -> None:
    result = result_or_error(
        read_data, (head + flood * (200_000 // len(flood))).encode("utf-8", "surrogatepass"), "file"
    )
    # Lines of "1 1" are job shops of one operation.
    assert isinstance(result, InputError) or result == [] or (flood == "1 1\n" and len(result[-1].actions) == 1)


@pytest.mark.parametrize("head", ["2 0", "-1 1", "1" * 5000 + " 1"])
def test_job_shop_of_invalid_size_is_refused_at_line_1(head: str) -> None:
    with pytest.raises(InputError, match="line 1"):
        jobshop.read_text(head + "\n0 1\n" * 3, "file")
