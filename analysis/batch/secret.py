"""A key that marks what is ours in folders that others can write: without it nothing there is believed.

It comes from the environment, or from a file that the environment names, and never from the command line, which
everybody on a machine can read.
"""

from __future__ import annotations

import hmac
import os
import stat
from hashlib import blake2b

from planoracle.analysis.batch.errors import StorageError

__all__ = ["FILE_VARIABLE", "VARIABLE", "secret", "tag"]

#: Environment variables: the key itself, or a file that holds it.
VARIABLE, FILE_VARIABLE = "PLANORACLE_KEY", "PLANORACLE_KEY_FILE"

# Bytes of a key.
_LEAST, _MOST = 16, 4096


def secret() -> bytes | None:
    """Return the key, ``None`` if there is none.

    Raises
    ------
    StorageError
        If it is too short or too long, or its file cannot be read, or by others as well.
    """
    given, path = os.environ.get(VARIABLE), os.environ.get(FILE_VARIABLE)
    if given and path:
        raise StorageError(f"{VARIABLE} and {FILE_VARIABLE} go not together")
    if not given and not path:
        return None
    found = given.encode(errors="surrogateescape") if given else _read(path or "")
    if not _LEAST <= len(found) <= _MOST:
        raise StorageError(f"{VARIABLE if given else path}: a key has {_LEAST} to {_MOST} bytes, not {len(found)}")
    return found


def _read(path: str) -> bytes:
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with open(file, "rb") as stream:
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode):
                raise StorageError(f"{path}: is no regular file, and no key")
            if os.name == "posix" and found.st_mode & 0o077:
                raise StorageError(f"{path}: others may read or write this key; chmod 600 it")
            return stream.read(_MOST + 3).rstrip(b"\r\n")
    except OSError as error:
        raise StorageError(f"{path}: the key cannot be read: {error.strerror}") from None


def tag(key: bytes | None, name: bytes, content: bytes, size: int) -> bytes:
    """Return so many bytes, as digits, that stand for a content under its name: only who has the key can tell them.

    Without a key everybody can: they show damage then, and nothing else.

    >>> tag(None, b"n", b"content", 8)
    b'4d6f0a942b8f8130'
    >>> tag(b"k" * 16, b"n", b"content", 8) == tag(b"l" * 16, b"n", b"content", 8)
    False
    """
    if key is None:
        return blake2b(name + content, digest_size=size).hexdigest().encode()
    return hmac.digest(key, name + b" " + content, "sha256")[:size].hex().encode()
