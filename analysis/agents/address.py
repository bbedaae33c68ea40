"""Where a model is found and what opens the door: addresses and keys of OpenAI-compatible servers."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from planoracle.analysis.agents.redact import Secrets
from planoracle.instances.errors import InputError

__all__ = ["KEY", "Address"]

#: Where the key is looked for, if no other variable is named.
KEY = "OPENAI_API_KEY"
_BASE = "OPENAI_BASE_URL"
_USUAL = "https://api.openai.com/v1"
#: Given to servers that want no key; the client demands one.
_NO_KEY = "none"
#: What is in a query without being a secret.
_OPEN = {"api-version", "version"}


class Address(NamedTuple):
    """A server and the credentials for it; only ``url`` may be shown.

    Attributes
    ----------
    url
        Without user, password and query.
    key, headers, query
        For the client.
    secrets
        All of it that nobody may see.
    usual
        Whether it is OpenAI's own.
    """

    url: str
    key: str
    headers: tuple[tuple[str, str], ...]
    query: tuple[tuple[str, str], ...]
    secrets: Secrets
    usual: bool

    def __repr__(self) -> str:
        return f"Address({self.url})"

    @property
    def door(self) -> tuple[object, ...]:
        """What makes two of them the same."""
        return self.url, self.key, self.headers, self.query

    @classmethod
    def of(cls, base_url: str | None = None, key_variable: str = KEY) -> Address:
        """Return an address; without one that in the environment (``OPENAI_BASE_URL``), else OpenAI's.

        Raises
        ------
        InputError
            If it is no address, or there is no key for OpenAI's own; no text of it says more than it may.
        """
        given = base_url if base_url is not None else os.environ.get(_BASE) or _USUAL
        url, user, query = _parts(given)
        key = _key(key_variable, needed=url == _USUAL and not user)
        headers = (("Authorization", f"Basic {b64encode(user.encode()).decode()}"),) if user else ()
        hidden = [value for name, value in query if name.lower() not in _OPEN]
        password = user.partition(":")[2] or user
        secrets = Secrets(*(value for value in (key, user, password, *hidden) if value != _NO_KEY))
        return cls(url, key, headers, query, secrets, url == _USUAL)


def _parts(given: str) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    """Return the address that may be shown, ``user:password`` if there is one, and the query."""
    wrong = "must be an address such as http://localhost:8000/v1"
    try:
        found, port = urlsplit(given.strip()), urlsplit(given.strip()).port
    except ValueError:  # its text holds parts of the address
        found, port = urlsplit(""), None
    if (
        found.scheme not in ("http", "https")
        or not re.fullmatch(r"[\w.:-]+", name := found.hostname or "")
        or not re.fullmatch(r"[\w./~%:+-]*", found.path)  # with an @ it would be part of a password
        or not given.isprintable()
    ):
        raise InputError(wrong, field="base_url")
    host = f"[{name}]" if ":" in name else name
    url = f"{found.scheme}://{host}{'' if port is None else f':{port}'}{found.path.rstrip('/')}"
    user = ":".join(unquote(part) for part in (found.username, found.password) if part is not None)
    return url, user, tuple(parse_qsl(found.query, keep_blank_values=True))


def _key(variable: str, *, needed: bool) -> str:
    """Return the key in a variable of the environment, a word of no meaning if none is needed."""
    if not re.fullmatch(r"[A-Z_][A-Z0-9_]{0,99}", variable):
        wanted = "must be the name of a variable of the environment, in capitals, and not the key itself"
        raise InputError(wanted, field="key_variable")
    key = os.environ.get(variable, "").strip()
    named = KEY if variable == KEY else "the variable of the environment that was named"  # it may be a key all the same
    if not (key.isascii() and key.isprintable()):
        raise InputError(f"{named} holds characters that no key has", field="key_variable")
    if not key and (needed or variable != KEY):
        raise InputError(f"{named} is not set, or empty: it must hold the key", field="key_variable")
    return key or _NO_KEY
