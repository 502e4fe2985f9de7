"""What pages send: the requests that a browser made, with their fields, so that an observation can report them.

Reported are requests that carry data: all but GET, and pages that are opened with a query, as forms send them. For a large
JSON body only the differences from the last body sent to the same address are reported, since applications send their whole
state.
"""

from __future__ import annotations

import email
import email.policy
import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from pydantic import JsonValue

from deskcrew.facts.json_values import is_list, is_object
from deskcrew.facts.observation import ASKING, Sent, SentField

PATIENCE = 3.0
"""Seconds after which a request is reported although it has not been answered yet."""
MOST_SENT = 60
"""The maximum number of requests reported by one observation; the rest are counted."""
MOST_FIELDS, LONGEST_VALUE = 200, 2000
WHOLE = 60
"""The number of values of a JSON body up to which all of them are reported."""
LARGEST_BODY = 4 << 20
"""The maximum size of a body that is read."""
LONGEST_ANSWER = 20_000
"""The maximum number of characters kept of a server's response."""
ANSWER_SECONDS, COME_SECONDS = 1.0, 0.3
"""Seconds that reading a response may take, and that an observation waits for one that has arrived."""
MOST_KEPT = 32
"""The number of bodies that are kept for comparison with the next ones."""
MOST_BESIDE, LONGEST_BESIDE = 60, 80
_BESIDE_EACH = 16
_REFERRED_EACH = 4
"""The maximum number of unchanged values reported of a changed entry, and of an entry that it refers to."""
_IDENTITIES = ("id", "_id", "uuid", "key")
"""Names of fields that identify an entry, wherever it is in a list."""
Leaves = dict[str, str]


@dataclass(slots=True)
class Bodies:
    """The bodies that were last sent to each address, so that of a large JSON body only differences need be reported."""

    _before: dict[tuple[str, str], Leaves] = field(default_factory=dict[tuple[str, str], Leaves])

    def told(
        self, method: str, url: str, kind: str, body: bytes | None, *, window: int = 0, loads: int = 0, keep: bool = True
    ) -> Sent:
        """A request as it is reported. ``keep``: compare the next request with this one."""
        leaves = _leaves(body, kind) if body else dict(_named(parse_qsl(urlsplit(url).query, keep_blank_values=True)))
        before = self._last(method, url, leaves, keep=keep) if "json" in kind else None
        changed = before is not None and len(leaves) > WHOLE
        known = before or {}
        names = [name for name in leaves if not changed or known.get(name) != leaves[name]]
        gone = [name for name in known if changed and name not in leaves]
        fields = [SentField(name=n, value=_cut(leaves[n]), was=_cut(known[n]) if n in known else None) for n in names]
        fields += [SentField(name=name, value=None, was=_cut(known[name])) for name in gone]
        return Sent(
            method=method,
            url=url,
            fields=tuple(fields[:MOST_FIELDS]),
            beside=_beside(names, leaves) if changed else (),
            changed=changed,
            more=max(0, len(fields) - MOST_FIELDS),
            window=window,
            loads=loads,
            queries=only_queries(body or b""),
        )

    def _last(self, method: str, url: str, leaves: Leaves, *, keep: bool) -> Leaves | None:
        """The values sent to this address before; with ``keep``, the present ones replace them."""
        place = (method, url.partition("?")[0])
        before = self._before.get(place)
        if keep:
            self._before.pop(place, None)
            self._before[place] = leaves
        while len(self._before) > MOST_KEPT:
            del self._before[next(iter(self._before))]
        return before


@dataclass(slots=True)
class _Underway:
    sent: Sent
    began: float
    reads: bool
    status: int | None = None
    answer: str = ""
    ended: bool = False

    @property
    def place(self) -> tuple[str, str]:
        return self.sent.method, self.sent.url

    @property
    def told(self) -> Sent:
        return self.sent.model_copy(update={"status": self.status, "answer": self.answer})


@dataclass
class Sending:
    """The requests of one browser. ``aside``: while it is set, requests are not the crew's doing, and not reported."""

    aside: bool = False
    _underway: dict[object, _Underway] = field(default_factory=dict[object, _Underway])
    held: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """Counts, by method and address, of requests that are held back for a decision."""
    refused: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """Counts of requests that were never sent, and are not reported as sent when they end."""
    _bodies: Bodies = field(default_factory=Bodies)
    _left_out: int = 0

    def requested(
        self, key: object, method: str, url: str, kind: str, body: bytes | None, *, page: bool,
        window: int = 0, loads: int = 0, reads: bool = False,
    ) -> None:  # fmt: skip
        """Record a request. ``key``: its id for :meth:`answered`; ``kind``: its content type; ``page``: whether it loads a
        page; ``window`` and ``loads``: see :class:`Sent`; ``reads``: whether :meth:`ended` will be given the response."""
        if self.aside:
            return
        method, query = method.upper(), urlsplit(url).query
        asks = method in ASKING and not (page and method == "GET" and query)
        if asks or not url.startswith(("http://", "https://", "ws://", "wss://")):
            return
        if len(self._underway) >= MOST_SENT:
            self._left_out += 1
            return
        told = self._bodies.told(method, url, kind, body, window=window, loads=loads)
        self._underway[key] = _Underway(told, time.monotonic(), reads=reads and not asks and not page)

    def answered(self, key: object, status: int) -> None:
        """Record the status of a server's response."""
        if (request := self._underway.get(key)) is not None:
            request.reads = request.reads and not 300 <= status < 400
            request.status, request.ended = status, not request.reads

    def reads(self, key: object) -> bool:
        """Whether the response to this request is to be read once it has ended."""
        return (request := self._underway.get(key)) is not None and request.reads and request.status is not None

    def ended(self, key: object, answer: str = "") -> None:
        """Record that a request has ended."""
        if (request := self._underway.get(key)) is None:
            return
        if request.status is None and self.refused[request.place]:
            self.refused[request.place] -= 1
            del self._underway[key]
            return
        request.answer, request.ended = answer, True

    @property
    def reading(self) -> bool:
        """Whether a response has arrived and is being read."""
        return any(request.reads and request.status and not request.ended for request in self._underway.values())

    @property
    def waits(self) -> bool:
        """Whether a request that may change something has not been answered yet."""
        return any(not request.ended and request.sent.method not in ASKING for request in self._underway.values())

    def take(self) -> tuple[Sent, ...]:
        """The requests since the last call. Unanswered ones are left for a later call, for a few seconds at most."""
        late = time.monotonic() - PATIENCE
        ready = [
            key
            for key, request in self._underway.items()
            if request.ended or (request.began < late and not self.held[request.place])
        ]
        told = [self._underway.pop(key).told for key in ready]
        if self._left_out:
            told.append(Sent(method="", url="", more=self._left_out))
            self._left_out = 0
        return tuple(told)


def _leaves(body: bytes, kind: str) -> Leaves:
    """The values of a body by their names, in order. For an unreadable body, its size as the only value."""
    if len(body) > LARGEST_BODY:
        return {"": f"({len(body)} bytes)"}
    kind, _, rest = kind.partition(";")
    kind = kind.strip().lower()
    try:
        if kind == "application/x-www-form-urlencoded":
            return dict(_named(parse_qsl(body.decode(), keep_blank_values=True)))
        if kind == "multipart/form-data":
            return dict(_named(_parts(body, f"{kind};{rest}")))
        text = body.decode()
        if kind.endswith("json") or text.lstrip()[:1] in ("{", "["):
            return dict(_flat(json.loads(text), ""))
        return {"": text}
    except (ValueError, RecursionError):
        return {"": f"({len(body)} bytes)"}


def _named(pairs: Iterator[tuple[str, str]] | list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Fields with unique names: the second ``to`` is ``to[1]``."""
    times: dict[str, int] = {}
    for name, value in pairs:
        number = times.get(name, 0)
        times[name] = number + 1
        yield (f"{name}[{number}]" if number else name), value


def _parts(body: bytes, kind: str) -> Iterator[tuple[str, str]]:
    """The fields of a form with files; for a file its name and size."""
    message = email.message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body, policy=email.policy.HTTP)
    for part in message.iter_parts():
        name = str(part.get_param("name", "", header="content-disposition"))
        content = part.get_payload(decode=True)
        data = content if isinstance(content, bytes) else b""
        if file := part.get_filename():
            yield name, f"{file} ({len(data)} bytes)"
        else:
            yield name, data.decode("utf-8", "replace").removesuffix("\r\n")


def _flat(value: object, at: str) -> Iterator[tuple[str, str]]:
    """Each value of parsed JSON by its path; a list of plain values counts as one value."""
    if is_object(value):
        entries = value
        for key, each in entries.items():
            yield from _flat(each, f"{at}.{key}" if at else key)
        if not entries:
            yield at, "{}"
    elif is_list(value):
        items = value
        if not any(isinstance(each, dict | list) for each in items):
            yield at, json.dumps(items, ensure_ascii=False)
            return
        for name, each in zip(_names(items), items, strict=True):
            yield from _flat(each, f"{at}[{name}]")
    else:
        yield at, value if isinstance(value, str) else json.dumps(value)


def _names(items: list[JsonValue]) -> list[str]:
    """The names of a list's entries: a unique identifier if all have one, else their indexes."""
    entries = [each for each in items if is_object(each)]
    for key in _IDENTITIES if len(entries) == len(items) else ():
        known = [str(entry[key]) for entry in entries if isinstance(entry.get(key), str | int)]
        if len(set(known)) == len(items):
            return [f"{key}={each}" for each in known]
    return [str(number) for number in range(len(items))]


def _beside(changed: list[str], leaves: Leaves) -> tuple[tuple[str, str], ...]:
    """Short values beside changed ones: without them it would be unclear what the changed ones belong to."""
    found: dict[str, str] = {}
    new = set(changed)
    for top in dict.fromkeys(_entry(name) for name in changed):
        near = [name for name in leaves if top and name.startswith(f"{top}.") and name not in new]
        for name in near[:_BESIDE_EACH]:
            found[name] = _cut(leaves[name], LONGEST_BESIDE)
    meant = {value for name in changed for value in _plain_values(leaves.get(name, ""))}
    for top in _called(meant, leaves):
        near = [name for name in leaves if name.startswith(f"{top}.") and name not in new]
        for name in near[:_REFERRED_EACH]:
            found[name] = _cut(leaves[name], LONGEST_BESIDE)
    return tuple(found.items())[:MOST_BESIDE]


def _plain_values(value: str) -> list[str]:
    """A value or, for a JSON list of plain values, its items."""
    if not value.startswith("["):
        return [value]
    try:
        items = json.loads(value)
    except ValueError:
        return [value]
    return [str(item) for item in items] if is_list(items) else [value]


def _called(ids: set[str], leaves: Leaves) -> list[str]:
    """The list entries whose identifier is in ``ids``, if it is unique."""
    tops: dict[str, set[str]] = {}
    for name in leaves:
        top = _entry(name)
        known = top.rpartition("=")[2].removesuffix("]")
        if known in ids and "[" in top:
            tops.setdefault(known, set()).add(top)
    return [next(iter(some)) for some in tops.values() if len(some) == 1]


def _entry(name: str) -> str:
    """The list entry that a value is in; '' if it is in none."""
    end = name.rfind("].")
    return name[: end + 1] if end >= 0 else ""


def _cut(text: str, longest: int = LONGEST_VALUE) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"


def only_queries(body: bytes) -> bool:
    """Whether a body consists of GraphQL queries that change nothing. A query that is sent by its name alone does not count:
    it may be anything."""
    if b'"query"' not in body or len(body) > LARGEST_BODY:
        return False
    try:
        made: object = json.loads(body)
    except (ValueError, RecursionError):
        return False
    each = made if is_list(made) else [made]
    texts = [one.get("query") if is_object(one) else None for one in each]
    return bool(texts) and all(isinstance(text, str) and _queries(text) for text in texts)


def _queries(text: str) -> bool:
    lines = (line.strip() for line in text.splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return first.startswith(("query", "{", "fragment")) and not any(word in text for word in ("mutation", "subscription"))


def answer_of(body: bytes, kind: str) -> str:
    """A server's response as text; if it is not text, its type and size. ``kind``: its content type."""
    message = email.message_from_string(f"content-type: {kind}\n\n")
    try:
        text = body.decode(message.get_content_charset("utf-8"))
    except (UnicodeDecodeError, LookupError):
        text = "\0"
    if "\0" in text:
        return f"({message.get_content_type()}, {len(body)} bytes)"
    return text if len(text) <= LONGEST_ANSWER else f"{text[:LONGEST_ANSWER]}… (cut: {len(text)} characters in all)"


def kind_of(headers: Mapping[str, str]) -> str:
    """The content type in headers."""
    return next((value for name, value in headers.items() if name.lower() == "content-type"), "")
