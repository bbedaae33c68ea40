"""Reader of problem files in the format of planoracle, and of job shops as JSON."""

from __future__ import annotations

from planoracle.instances.files.instance_file import instance_from_document
from planoracle.instances.files.instance_file import json_schema as json_schema
from planoracle.instances.files.instance_file import to_document as to_document
from planoracle.instances.literature import job_shop_matrices
from planoracle.instances.literature.reader import name_of
from planoracle.instances.model.instance import Instance


def recognises(document: object) -> bool:
    """Return true for a document in our own format, and for a job shop as matrices."""
    is_own_format = isinstance(document, dict) and document.get("format") == "planoracle/instance"
    return is_own_format or job_shop_matrices.recognises(document)


def read(document: object, source: str) -> list[Instance]:
    """Read a problem file of our own format, or job shops as matrices."""
    if isinstance(document, dict) and job_shop_matrices.recognises(document):
        return job_shop_matrices.read(document, name_of(source))
    return [instance_from_document(document, source)]
