"""What a page wants to send because of an operation: does the operation's approval, or the task, explain it?

A button can say anything. What it really does shows when its page wants to send something, which is then held back
(``environments/browser/holding.py``). Most requests need no question: those that a person or the task's consent let through,
those with what the run typed or chose, a whole state put again, mere queries. Two kinds need one:

- requests with nothing of the kind, after a press that the task gives no reason for;
- requests whose address or fields have a serious word that neither the control nor the task says, even by GET.

A server can do anything: this judges what a page declares.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from urllib.parse import unquote, urlsplit

from deskcrew.actions import gesture_of
from deskcrew.actions.action import LOOKS, PRESSES, TYPES
from deskcrew.environments.environment import Fate
from deskcrew.facts.events import Operation
from deskcrew.facts.observation import ASKING, LINE, Control, Observation, Sent, SentField, page_of
from deskcrew.facts.texts import folded, words_in
from deskcrew.guard.commands import JudgedRisk
from deskcrew.guard.filled import names, put_by
from deskcrew.guard.leftover import Put, texts_of
from deskcrew.guard.names import Raised
from deskcrew.guard.pressing import told_by
from deskcrew.guard.wording import given
from deskcrew.guard.words import Words

IDLE = LOOKS | {"clipboard"}
"""Gestures that do nothing to a page: what it sends meanwhile may still be due to the previous operation."""
_FILLS = TYPES | {"choose"}
_SET = frozenset({"check box", "radio button", "toggle button", "switch", "option", "slider"})
"""Roles of controls that show their setting."""
_ASKS = frozenset({"search", "suggest", "autocomplete", "telemetry", "analytics", "metrics", "heartbeat"})
"""Words of addresses at which data is requested, or at which a page reports about itself, for when no model can be asked.
Words such as collect, find and presence are left out: a parcel may be collected."""
_DOES = frozenset({"action", "_method", "method", "op", "operation", "do", "command", "cmd", "intent", "verb"})
"""Names of fields that say what is to be done."""
_DOES_THERE = _DOES | {"type", "event", "kind", ""}
"""The same for messages over a WebSocket, and '' for a whole text."""
_ALIVE = frozenset({"ping", "pong", "heartbeat"})
"""Words that, beside numbers, only keep a WebSocket open."""
_GRAVE: tuple[Raised, ...] = ("spend", "destroy")
_ACTING: tuple[Raised, ...] = (*_GRAVE, "send")
_PART = 4
"""Minimum length of a text that is looked for within another."""
_CALM = JudgedRisk("read")
_ASKED = JudgedRisk("send", "the task only asks for something, and the page wants to send something")
_ASIDE = JudgedRisk("send", "the page asks for something that it may show nothing of")
_MORE = JudgedRisk("send", "the page wants to send something more")
_MARK_SIGNS = str.maketrans(dict.fromkeys("_+/=.:-", "a"))
_SHORTEST_MARK = 16
_ENDS = re.compile(r"[.;:,!?\n]| (?:and|und|et|y|e|i) ")
"""The ends of clauses."""
Shape = tuple[str, str, tuple[tuple[str, str], ...]]
"""The method and page of a request (for GET, without numbers in the page), and its fields with the page's own words in
them."""


def shape(sent: Sent, put: frozenset[str]) -> Shape:
    """What is constant in requests that a page repeats: everything but numbers, a page's own marks, and what the run
    ``put``, as listed by :func:`chosen_by`."""
    named = ((each.name, _word(each.value or "", put)) for each in sent.fields)
    page = page_of(sent.url) if sent.method not in ASKING else "/".join((urlsplit(sent.url).netloc, *_segments(sent.url)))
    return sent.method, page, tuple(sorted(named))


def _word(value: str, put: frozenset[str]) -> str:
    own = folded(value) in put or _is_mark(value)
    return "" if own else "".join(each for each in value if not each.isdigit())


def _is_mark(value: str) -> bool:
    """Whether a value has a meaning for the page only, such as a token."""
    signs = value.translate(_MARK_SIGNS)
    return len(value) >= _SHORTEST_MARK and signs.isalnum() and any(map(str.isdecimal, value))


def _does(name: str, sent: Sent) -> bool:
    return name.rpartition(".")[2].casefold() in (_DOES_THERE if sent.method == LINE else _DOES)


@dataclass(frozen=True, slots=True)
class Effect:
    """The facts by which an operation's requests are judged; see :class:`~deskcrew.environments.environment.MayGo`.

    ``presses``: it may send something at all; ``allowed``: a person, or an approval of theirs, let it through; ``ordered``:
    the task's consent did; ``asks_only``: the task only asks for an answer; ``linked``: the task's orders lead to it;
    ``reserved``: what the task says that may be a reason against it, in words; ``put``: what the run has typed and chosen,
    folded; ``said``: the user's words; ``careful``: a model can say whether the task orders what its words do not explain;
    ``late``: the operation is over, and nobody can be asked; ``opening``: its page is new and still loading; ``known``:
    requests that, according to a model, only ask for data.
    """

    control: Control | None
    said: str
    words: Words
    put: frozenset[str] = frozenset()
    presses: bool = True
    allowed: bool = False
    ordered: bool = False
    asks_only: bool = False
    linked: bool = False
    reserved: str = ""
    careful: bool = False
    late: bool = False
    opening: bool = False
    known: frozenset[Shape] = frozenset()

    def __call__(self, sent: Sent, *, beacon: bool = False, further: bool = False) -> Fate:
        if self.judged(sent, beacon=beacon, further=further).risk == "read":
            return Fate.GO
        return Fate.NEVER if beacon and not self._carries(sent) else Fate.WAIT

    def only_asks(self, sent: Sent) -> bool:
        return not sent.saves or shape(sent, self.put) in self.known

    def of_new_page(self) -> Effect:
        """The facts for requests of a page that is being opened, or of the one that it replaces: no order is behind them."""
        return replace(self, opening=True, ordered=False, linked=False) if self.careful else replace(self, presses=False)

    def afterwards(self) -> Effect:
        return replace(self, careful=False, late=True, linked=self.linked and not self._changes_nothing)

    @property
    def _changes_nothing(self) -> bool:
        """Whether everything that is sent needs a model's word: neither search terms nor a new page are a reason for it."""
        return self.asks_only and self.careful

    def judged(self, sent: Sent, *, beacon: bool = False, further: bool = True) -> JudgedRisk:
        """The risk of letting a request through; ``read``: it needs no approval."""
        if self.allowed or not (self.presses or beacon) or shape(sent, self.put) in self.known:
            return _CALM
        if sent.method in ASKING:
            return _CALM if _is_file(sent) or (self.ordered and not sent.aside) else self._got(sent)
        if not sent.writes or _asks(sent, by_model=self.careful and not beacon):
            return _CALM
        if sent.method == LINE and not (self.careful or self.asks_only):
            return self._unsaid(sent, _GRAVE)
        found = (replace(self, ordered=False, linked=False) if beacon else self)._found(sent)
        if self.late and further and found.risk == "read" and not (sent.changed or sent.more):
            # Nobody can say of what comes after what was let go whether it is ordered, too.
            return _CALM if self._carries(sent) and self._strange(sent, words=True) is None else _MORE
        if found.risk != "read" or not self.careful:
            return found
        if beacon:
            return self._worded(sent)  # a number beside what was typed says which entry it is
        return self._unexplained(sent) or (_MORE if further else self._doubted(sent))

    def _unexplained(self, sent: Sent) -> JudgedRisk | None:
        """The risk of a request that is explained as a whole, but whose parts need a model's word; None if none does."""
        if self.asks_only:
            return _ASKED
        if not sent.fields:
            return JudgedRisk("send", "nothing explains what the page wants to send")
        strange = self._strange(sent)
        if strange is None:
            return None
        return JudgedRisk("send", f"nothing explains {strange.name or 'all'!r} in what the page wants to send")

    def explains(self, sent: Sent) -> bool:
        """Whether the words give a reason for a request, and explain all that is in it."""
        calm = not (self.asks_only or sent.aside) and self._found(sent).risk == "read"
        return calm and bool(sent.fields) and all(self._explained(each, sent) for each in sent.fields)

    def _doubted(self, sent: Sent) -> JudgedRisk:
        """The risk of a request that the words explain, but that the user may have put off, forbidden or reserved for
        themselves: a press on an entry that they name, or anything if they say what must stay."""
        if self.ordered:
            return _CALM
        if self.reserved:
            return JudgedRisk("send", f"{self.reserved}, and the page wants to send something")
        if any(self._was_put(folded(each.value)) for each in sent.fields if each.value):
            return _CALM
        return JudgedRisk("send", "nothing that was typed or chosen is in what the page wants to send")

    def _found(self, sent: Sent) -> JudgedRisk:
        if (grave := self._unsaid(sent, _GRAVE)).risk != "read":
            return grave
        if self.ordered or self._carries(sent):
            return _CALM
        if sent.method == "PUT" and (sent.changed or sent.more):
            # A whole state that is put at each press; the first one cannot be compared with any.
            taken = [each.name for each in sent.fields if "[" in each.name and (each.value is None or each.was is None)]
            if not sent.changed or not taken or self.linked:
                return _CALM
            return JudgedRisk("send", f"it would add or remove {', '.join(taken[:3])}")
        if self.linked:
            return _CALM
        if self.asks_only:
            return _ASKED
        return JudgedRisk(
            "send", "neither the task nor anything typed or chosen gives a reason for what the page wants to send"
        )

    def _carries(self, sent: Sent) -> bool:
        """Whether a request contains something that the run typed or chose."""
        values = [folded(each.value) for each in sent.fields if each.value and each.value != each.was]
        if any(map(self._was_put, values)):
            return True
        return not self.asks_only and any(_within(value, folded(self.said)) for value in values)

    def _explained(self, field: SentField, sent: Sent) -> bool:
        """Whether a value was typed or chosen, is in the user's words, is unchanged, or is a page's own mark."""
        if field.value is None:
            return False
        value = folded(field.value)
        named = folded(urlsplit(sent.url).path).split("/")
        if not value.strip() or field.value == field.was or _is_mark(field.value) or value in named:
            return True
        return self._was_put(value) or given(value, self.said)

    def _was_put(self, value: str) -> bool:
        """Whether the run typed or chose a value, folded, or a part of it, or a text that contains it."""
        return any(value == put or _within(put, value) or _within(value, put) for put in self.put)

    def _got(self, sent: Sent) -> JudgedRisk:
        """The risk of a GET request. Many words for sending and buying are also names of things ("post", "order"): they
        count only if the page may show nothing of the result, or if a model can be asked, and not as names of fields. A
        request of whose result the page may show nothing needs a model's word, whatever it is called, and so does a link's
        query with words that are neither the user's nor typed or chosen."""
        acting = sent.aside or (self.careful and not self.opening)
        risks = _ACTING if acting else _GRAVE if self.careful else _GRAVE[-1:]
        names = (_spaced(each.name) for each in sent.fields)
        found = self._unsaid(sent, risks).worse(self._grave(names, _GRAVE[-1:]))
        if found.risk == "read" and self.careful and not self.opening:
            behind = self.control.behind if self.control is not None else None
            linked = behind is not None and behind.kind == "link"
            return _ASIDE if sent.aside else self._worded(sent) if linked else _CALM
        return replace(found, risk="send") if found.risk == "spend" else found  # which a model's word can lift

    def _worded(self, sent: Sent) -> JudgedRisk:
        """The risk of a request with words that nothing explains."""
        strange = self._strange(sent, words=True)
        return (
            _CALM
            if strange is None
            else JudgedRisk("send", f"nothing explains {strange.value!r} in what the page wants to send")
        )

    def _strange(self, sent: Sent, *, words: bool = False) -> SentField | None:
        """The first field that nothing explains; ``words``: only fields with more than figures."""
        fields = (each for each in sent.fields if not words or any(map(str.isalpha, each.value or "")))
        return next((each for each in fields if not self._explained(each, sent)), None)

    def _unsaid(self, sent: Sent, risks: Sequence[Raised]) -> JudgedRisk:
        """The risk of a request called by a serious word that neither the control nor the task says."""
        if sent.method == "DELETE" and not (self.linked or self.ordered or self._explains("destroy", "delete")):
            return JudgedRisk("destroy", "the page wants to delete something")
        return self._grave(_called(sent), risks)

    def _grave(self, words: Iterable[str], risks: Sequence[Raised]) -> JudgedRisk:
        for word in words:
            for risk in risks:
                if risk in self.words.names.of(word).risks and not self._explains(risk, word):
                    return JudgedRisk(risk, f"the page calls what it wants to send {word!r}")
        return _CALM

    def _explains(self, risk: Raised, word: str) -> bool:
        of = self.words.names.of
        told = told_by(self.control) if self.control is not None else ()
        clauses = _ENDS.split(self.said)
        if any(risk in of(each).risks for each in (*told, *clauses)):
            return True
        stems = [part for part in word.split() if len(part) >= _PART]
        spoken = words_in(folded(self.said))
        return bool(stems) and any(stem[:_PART] == each[:_PART] for stem in stems for each in spoken)


def leads_to(done: Sequence[Put], control: Control | None, look: Observation, said: str) -> bool:
    """Whether the task's orders lead to pressing a control: its entry is named there, something was typed or chosen since
    its page last sent anything, or the page shows entered text for checking."""
    words = folded(said)
    if control is not None and (control.role in _SET or names(control, words) or _told(control.owner, control.name, words)):
        return True
    for put in reversed(done):
        if any(sent.writes for sent in put.sent):
            break
        if put.target is not None and _told(put.target.owner, put.target.name, words):
            return True
    text = folded(look.all_text)
    return filled_in(done) or any(_within(each, text) for put in done for each in texts_of(put.operation) or () if put.page)


def filled_in(done: Sequence[Put]) -> bool:
    """Whether something was typed or chosen since a page was last opened or last sent anything."""
    for put in reversed(done):
        if any(sent.writes for sent in put.sent):
            return False
        role = put.target.role if put.target is not None else ""
        gesture = gesture_of(put.operation)
        if gesture in _FILLS or (gesture in PRESSES and role in _SET):
            return True
        if gesture == "open":
            return False
    return False


def chosen_by(done: Sequence[Put]) -> frozenset[str]:
    """The texts that were typed, and the chosen options, folded."""
    return frozenset(map(folded, put_by([put for put in done if gesture_of(put.operation) in _FILLS])))


def can_send(operation: Operation) -> bool:
    """Whether an operation can press something."""
    params, gesture = operation.params, gesture_of(operation)
    return (
        gesture in PRESSES
        or gesture in ("keys", "drag")
        or any(params.get(each) for each in ("enter", "click_enter"))
        or (gesture in TYPES and "\n" in str(params.get("keys") or ""))
    )


def _within(part: str, whole: str) -> bool:
    return len(part) >= _PART and part in whole


def _told(owner: str, name: str, words: str) -> bool:
    """Whether the user's words contain what distinguishes an entry: something of its row, or a number in its name."""
    spoken = set(words_in(words))
    rows, numbers = words_in(folded(owner)), (word for word in words_in(folded(name)) if any(map(str.isdecimal, word)))
    return any(len(row) >= _PART and row in words for row in rows) or any(
        len(each) > 1 and each in spoken for each in (*numbers, *(row for row in rows if row.isdigit()))
    )


def _asks(sent: Sent, *, by_model: bool) -> bool:
    """Whether a request declares that it only asks for data. ``by_model``: a model, not words, judges addresses."""
    words = {word for part in _segments(sent.url)[-2:] for word in part.split()}
    if sent.method == LINE:
        said = [_spaced(each.value or "") for each in sent.fields if len(each.value or "") <= 20]
        told = {word for each in said for word in each.split() if any(map(str.isalpha, word))}
        if len(said) == len(sent.fields) and told <= _ALIVE:
            return True
    if "graphql" in words:
        query = next((each.value or "" for each in sent.fields if each.name == "query"), "")
        return not query.lstrip().startswith("mutation")
    return not by_model and bool(words & _ASKS)


def _segments(url: str) -> list[str]:
    parts = [unquote(part) for part in urlsplit(page_of(url)).path.split("/") if part]
    return [_spaced(part) for part in parts if not any(map(str.isdecimal, part))]


def _is_file(sent: Sent) -> bool:
    """Whether a request only fetches a static file such as a picture or script."""
    place = urlsplit(sent.url)
    kind = mimetypes.guess_type(place.path)[0] or ""
    static = kind.startswith(("image/", "font/", "audio/", "video/")) or kind in ("text/css", "text/javascript")
    return static and not place.query


def _called(sent: Sent) -> Iterator[str]:
    """The words that the address and fields of a request call it by."""
    yield from _segments(sent.url)[-1:]
    for field in sent.fields:
        if _does(field.name, sent) and field.value and len(field.value) <= 40:
            yield _spaced(field.value)


def _spaced(text: str) -> str:
    """A name split into words: deleteItem and delete_item are two words each."""
    apart = (f"{each} " if each.islower() and after.isupper() else each for each, after in pairwise(f"{text} "))
    return " ".join(words_in("".join(apart).replace("_", " "))).casefold()
