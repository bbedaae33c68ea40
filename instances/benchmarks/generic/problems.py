"""Reader of problem files in our own format, of job shops as JSON, and of PyJobShop's problems."""

from __future__ import annotations

from planoracle.instances.errors import InputError
from planoracle.instances.files.instance_file import instance_from_document
from planoracle.instances.files.instance_file import json_schema as json_schema
from planoracle.instances.files.instance_file import to_document as to_document
from planoracle.instances.literature import job_shop_matrices, pyjobshop
from planoracle.instances.literature.reader import name_of
from planoracle.instances.model.instance import Instance


def recognises(document: object) -> bool:
    """Return true for our own format, a job shop as matrices, and a problem of PyJobShop."""
    is_own_format = isinstance(document, dict) and document.get("format") == "planoracle/instance"
    return is_own_format or job_shop_matrices.recognises(document) or pyjobshop.recognises(document)


def read(document: object, source: str) -> list[Instance]:
    """Read a problem file of our own format, job shops as matrices, or a problem of PyJobShop."""
    try:
        if isinstance(document, dict) and job_shop_matrices.recognises(document):
            return job_shop_matrices.read(document, name_of(source))
        if isinstance(document, dict) and pyjobshop.recognises(document):
            return [pyjobshop.read(document, name_of(source))]
    except InputError as error:
        raise error.at(source) from None
    return [instance_from_document(document, source)]
