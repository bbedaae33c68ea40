"""What must not be seen: keys and passwords are taken out of every text that leaves a client."""

from __future__ import annotations

import json
import logging
import re
from base64 import b64encode
from urllib.parse import quote, quote_plus

__all__ = ["Secrets"]

_INSTEAD = "***"
#: Packages that log what goes over the line.
_LOGGING = ("openai", "httpx", "httpx2", "httpcore", "httpcore2")
#: Shorter secrets are left alone in what a model writes: there they would be words, such as the key ``none``.
_TELLING, _CERTAIN = 8, 16


class Secrets:
    """Keys and passwords, in all forms in which they may turn up.

    Examples
    --------
    >>> secrets = Secrets("sk-123456")
    >>> secrets
    Secrets(***)
    >>> secrets.cleaned("no such key: sk-123456")
    'no such key: ***'
    """

    def __init__(self, *values: str) -> None:
        known = [value for value in values if value.strip()]
        self._all = _pattern(known)
        self._telling = _pattern([value for value in known if _is_telling(value)])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secrets) and self._all == other._all

    def __hash__(self) -> int:
        return hash(self._all)

    def __repr__(self) -> str:
        return "Secrets(***)"

    def cleaned(self, text: str) -> str:
        """Return a text that somebody may read, such as that of an error."""
        return self._all.sub(_INSTEAD, text) if self._all else text

    def data(self, text: str) -> str:
        """Return what a model wrote; only what can be nothing but a secret is taken out of that."""
        return self._telling.sub(_INSTEAD, text) if self._telling else text

    def guard_logs(self) -> None:
        """Take the secrets out of what the client's packages log from now on, also where that is everything."""
        names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in _LOGGING]
        for name in {*_LOGGING, *names}:
            logger = logging.getLogger(name)
            if not any(isinstance(one, _Filter) and one.secrets == self for one in logger.filters):
                logger.addFilter(_Filter(self))


class _Filter(logging.Filter):
    def __init__(self, secrets: Secrets) -> None:
        super().__init__()
        self.secrets = secrets

    def filter(self, record: logging.LogRecord) -> bool:
        said = record.getMessage()
        if (cleaned := self.secrets.cleaned(said)) != said:
            record.msg, record.args = cleaned, ()
        if record.exc_info and record.exc_info[1] is not None:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
            record.exc_info = None
        record.exc_text = record.exc_text and self.secrets.cleaned(record.exc_text)
        return True


def _is_telling(value: str) -> bool:
    return len(value) >= _CERTAIN or (len(value) >= _TELLING and not value.isalpha())


def _pattern(values: list[str]) -> re.Pattern[str] | None:
    forms = {form for value in values for form in _forms(value)}
    return re.compile("|".join(map(_escaped, sorted(forms, key=len, reverse=True)))) if forms else None


def _forms(value: str) -> set[str]:
    """Return how a secret may be written: as it is, in an address, in JSON, in base64."""
    encoded = b64encode(value.encode()).decode()
    return {value, quote(value, safe=""), quote(value), quote_plus(value), json.dumps(value)[1:-1], encoded}


def _escaped(form: str) -> str:
    """Return a pattern for a text that may be quoted, and quoted again, in JSON or as Python shows it."""
    slash = "\\\\"
    return "".join(
        f"{slash}+" if each == "\\" else f"{slash}*{each}" if each in "\"'/" else re.escape(each) for each in form
    )
