"""Whether what pages sent was kept: where it is shown, whether that page was loaded since, and whether it still shows after
a reload what it showed before.

What a page shows right after sending may be what its script only expects to be stored. Only a page that was loaded by GET
afterwards shows what its service has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from urllib.parse import unquote_plus, urlsplit

from deskcrew.environments.loading_anew import LoadingPress
from deskcrew.environments.pointing import AWAY
from deskcrew.facts.events import Fresh
from deskcrew.facts.observation import Control, Observation, Sent, Window, page_of

MOST_PAGES = 12
"""Maximum number of pages that are reloaded at the end of a run; the latest are chosen, and the others are named."""
LEAST_VALUE = 2
"""Minimum length of a sent value that is looked for."""
ALIKE = 0.5
"""The share of one observation's things that another must show, too, to be of the same view of a page."""
_SAME, _FEW = 0.75, 3
"""An earlier observation is of the same view if it has at least this share of the things, or lacks at most so many; what it
lacks is new. Views of one application have much in common."""
_FRAMED = 2
"""How many pages of a site must be known before what is on all of them counts as its frame."""
_ABOUT = 0.1
"""Differences between two shares up to this one are ignored."""
_PLAIN = frozenset({"true", "false", "null", "on", "off", "yes", "no"})
PASSING = frozenset({"focused", AWAY})
"""States that say nothing about what a control stands for."""
ACTS = frozenset({"button", "link", "menu item", "tab", "menu button"})
"""Roles of controls that mostly offer an action rather than show something."""
WHOLE_PAGE = "document"
"""The role of a page that is larger than its window: its box is the area of the whole page, as far as that is known."""
Things = frozenset[str]


@dataclass(frozen=True, slots=True)
class KeptStep:
    """One observation of a run. ``desk``: its number; ``pressed``: the press that led to it and sent nothing; ``fresh``: see
    :class:`~deskcrew.facts.events.Observed`; ``filled``: something was typed or chosen just before it."""

    desk: int
    look: Observation
    pressed: LoadingPress | None = None
    fresh: Fresh | None = None
    filled: bool = False

    @property
    def saves(self) -> bool:
        """Whether pages have sent something that may have been stored since the previous observation."""
        return any(sent.saves for sent in self.look.sent)

    @property
    def window(self) -> int | None:
        """The id of the window in front."""
        return front.id if (front := self.look.active_window) is not None else None


@dataclass(frozen=True, slots=True)
class KeptWay:
    """A step within a page. ``press``: what was pressed, None if something was typed; ``brought``: names that then
    appeared."""

    press: LoadingPress | None
    brought: Things


@dataclass(frozen=True, slots=True)
class Page:
    """A page on which something was sent, and of which nobody has seen a reload since. ``window``: None if no window shows
    it any longer; ``bare``: its address without what the answer added, '' if nothing was added; ``shown``: its last
    observation; ``before``: the observations before anything was sent; ``wrote``: the observations before and after each
    request; ``ways``: what was pressed since it was loaded, oldest first; ``led``: what was pressed or typed in its window
    in the whole run, without what loaded another page."""

    desk: int
    window: int | None
    address: str
    shown: Observation
    before: tuple[Observation, ...] = ()
    wrote: tuple[tuple[Observation, Observation], ...] = ()
    sent: tuple[Sent, ...] = ()
    ways: tuple[KeptWay, ...] = field(default=(), repr=False)
    led: tuple[KeptWay, ...] = field(default=(), repr=False)
    bare: str = ""

    @property
    def origin(self) -> str:
        """The address of the page from which something was sent last."""
        front = self.wrote[-1][0].active_window if self.wrote else None
        return front.url if front is not None else self.address

    @property
    def says(self) -> bool:
        """Whether it shows a value that was sent and did not come with its address."""
        held, shown = unquote_plus(self.address).casefold(), spoken(self.shown)
        return any(value in shown and value not in held for value in values(self.sent))

    def there(self, now: Observation) -> bool:
        """Whether ``now`` is the view that was shown: it also has the names that the presses leading there made appear, and
        those of the last step, which another tab of the same page lacks. Repetitions of what was sent are not part of the
        view. Of a closed dialog little is left, such as a name that a message's button has, too."""
        shown, names, said = _named(self.shown), _named(now), values(self.sent)
        still = [way for way in self.ways if way.brought and _mostly(way.brought, shown)]
        led = [way.brought for way in still if way.press is not None or way is still[-1]]
        parts = (
            Things(each for each in things if not any(value in each.casefold() for value in said)) or things
            for things in led
        )
        return like(self.shown, now) >= ALIKE and all(_mostly(part, names) for part in parts)

    def kept(self, now: Observation) -> bool:
        """Whether ``now`` shows what was shown before: sent values, something that had appeared, nothing that had gone."""
        known, told, was = _all(self.before), spoken(now), spoken(self.shown)
        before = [spoken(look) for look in self.before]
        if any(v in was and v not in told and not any(v in said for said in before) for v in values(self.sent)):
            return False
        if not self.there(now):
            return True  # nothing else can be compared
        shows, gone = things(now), _all(look for look, _ in self.wrote) - things(self.shown)
        gone &= _all(look for look, _ in self.wrote) - _all(look for _, look in self.wrote)
        came = things(self.shown) - known
        return not gone & shows and (not came or bool(came & shows) or bool(gone))


def _mostly(part: Things, whole: Things) -> bool:
    return len(part & whole) >= ALIKE * len(part)


def written(steps: Sequence[KeptStep], *, unseen: bool = False) -> list[Page]:
    """The pages on which something was sent, those in front last. ``unseen``: only those not loaded and looked at since."""
    found: dict[tuple[int, str], Page] = {}
    last = steps[-1] if steps else None
    for number, window, loads in _written(steps):
        again = _again(steps, number, window, loads) if unseen else []
        # What the run ends with must be what was loaded, too.
        left = last is not None and last.desk == steps[number].desk and _front(last.look, window.id, window.url)
        if not again or (left and again[-1] != len(steps) - 1):
            page = _page(steps, number, window)
            found[page.desk, page.address] = page
    # What is shown now is looked at last: it is what a run ends with.
    return sorted(found.values(), key=lambda page: (page.window is not None, page.shown is steps[-1].look))


def stale(steps: Sequence[KeptStep]) -> Page | None:
    """The page in front if it may be out of date: it was loaded before the last action on another page of its site, and
    nothing was filled in on it."""
    last = steps[-1]
    front = last.look.active_window
    if front is None or last.fresh is not None or not front.url.startswith(("http://", "https://")):
        return None
    if _filled(steps, len(steps) - 1):
        return None
    before = steps[_loaded(steps, front) : -1]
    done = (
        step.look.active_window for step in before if step.desk == last.desk and (step.filled or step.saves or step.pressed)
    )
    if any(there is not None and there.id != front.id and _site(there.url) == _site(front.url) for there in done):
        return Page(desk=last.desk, window=front.id, address=front.url, shown=last.look)
    return None


def _site(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def before_sending(steps: Sequence[KeptStep]) -> tuple[Observation, ...]:
    """The observations before anything was sent, at least the first one."""
    first = next((at for at, step in enumerate(steps) if step.saves), len(steps))
    return tuple(step.look for step in steps[: max(first, 1)])


def unsent(steps: Sequence[KeptStep]) -> Page | None:
    """The page in front if it has changed since it was loaded although no page sent anything in the whole run: the change
    may be lost with a reload."""
    last = steps[-1]
    front = last.look.active_window
    if front is None or not front.url.startswith(("http://", "https://")) or last.fresh is not None:
        return None
    if any(step.saves for step in steps):
        return None
    at = _loaded(steps, front)
    if things(steps[at].look) == things(last.look):
        return None
    return Page(desk=last.desk, window=None, address=front.url, shown=last.look)


def lasting(steps: Sequence[KeptStep]) -> tuple[Observation, ...]:
    """The observations before work began on a page that :func:`unsent` finds, then the page after a reload (an empty
    observation if it did not load). Empty if the engine did not look again just now."""
    if len(steps) < 2 or steps[-2].fresh is None or (front := steps[-1].look.active_window) is None:
        return ()
    if any(step.saves for step in steps):
        return ()
    anew = steps[-2].look if not steps[-2].fresh.unloaded else Observation()
    first = max(_loaded(steps, front), _led(steps))
    return (*(step.look for step in steps[:first] if step.fresh is None), anew)


def _led(steps: Sequence[KeptStep]) -> int:
    """The number of observations up to the first step that is not following a link or tab to another address."""
    moved = [
        step.pressed is not None
        and step.pressed.control.role in ("link", "tab")
        and (there := step.look.active_window) is not None
        and (here := before.look.active_window) is not None
        and there.url != here.url
        for before, step in pairwise(steps)
    ]
    return 1 + (moved.index(False) if False in moved else len(moved))


def _loaded(steps: Sequence[KeptStep], window: Window) -> int:
    """The index of the first observation that shows the document now in a window."""
    last = steps[-1]
    there = ((at, step.look.window(window.id)) for at, step in enumerate(steps) if step.desk == last.desk)
    return next(at for at, shown in there if shown is not None and shown.loads == window.loads)


def fresh(steps: Sequence[KeptStep]) -> tuple[Observation, ...]:
    """The last observations of pages that were loaded after something was sent on them, in the order of their looks."""
    found: dict[tuple[int, str], tuple[int, Observation]] = {}
    for number, window, loads in _written(steps):
        for at in _again(steps, number, window, loads):
            later = steps[at]
            # A last look that did not get to the view of the first one says nothing of it.
            if later.fresh is None or not (later.fresh.unloaded or (later.fresh.later and later.fresh.lost)):
                address = later.look.active_window.url if later.look.active_window is not None else window.url
                found[later.desk, address] = at, later.look
    # An observation of the last step is the end itself.
    return tuple(look for _, look in sorted(found.values(), key=lambda each: each[0]))


def _written(steps: Sequence[KeptStep]) -> Iterator[tuple[int, Window, int]]:
    """For each time that a page of a site sent something: the index of the observation, the window, and how many pages had
    been loaded in it by then."""
    for number, step in enumerate(steps):
        for sent in step.look.sent:
            window = step.look.window(sent.window) or step.look.active_window
            if sent.saves and window is not None and window.url.startswith(("http://", "https://")):
                yield number, window, sent.loads if window.id == sent.window else window.loads


def _page(steps: Sequence[KeptStep], number: int, window: Window) -> Page:
    """The page on which something was sent at a step. While its document is still there, its present address counts, unless
    that is a view of its own: an application of one document has a page for each view."""
    step = steps[number]
    here = [each for each in steps[number:] if each.desk == step.desk]
    now = here[-1].look.window(window.id)
    same = now is not None and (now.url == window.url or (now.loads == window.loads and not _route(window.url)))
    address = now.url if now is not None and same else window.url
    shown = next((each.look for each in reversed(here) if _front(each.look, window.id, address)), step.look)
    first = next(at for at, each in enumerate(steps) if each.saves or at == number)
    wrote = [at for at, each in enumerate(steps[: number + 1]) if each.desk == step.desk and _on(each.look, window.id)]
    sent = tuple(sent for at in wrote for sent in steps[at].look.sent if sent.saves)
    said = values(sent)
    # What was chosen and sent would look as if it had been kept.
    led, ways = (
        tuple(
            way
            for way in _ways(steps, step.desk, window.id, whole=whole)
            if way.press is None or way.press.option.casefold() not in said
        )
        for whole in (True, False)
    )
    return Page(
        desk=step.desk,
        window=window.id if same else None,
        address=address,
        shown=shown,
        before=tuple(each.look for each in steps[: max(first, 1)]),
        wrote=tuple((_before(steps, at), steps[at].look) for at in wrote),
        sent=sent,
        ways=ways if same else (),
        led=led,
        bare=_bare(steps, step.desk, address),
    )


def _again(steps: Sequence[KeptStep], number: int, window: Window, loads: int) -> list[int]:
    """The indices of observations of a page in a window after the last request to its site. ``loads``: how many pages the
    window had loaded at the request. Earlier observations may show what another page of the site has changed since."""
    step, bare = steps[number], _bare(steps, steps[number].desk, window.url)
    same = ((at, sender) for at, sender, _ in _written(steps) if at > number and steps[at].fresh is None)
    first = max((at for at, sender in same if _site(sender.url) == _site(window.url)), default=number)
    return [
        at
        for at, later in enumerate(steps[first:], first)
        if later.desk == step.desk
        and (
            later.fresh.address in (window.url, bare)
            if later.fresh is not None
            else _anew(later, step, window, loads, bare) and not _filled(steps, at)
        )
    ]


def _anew(later: KeptStep, step: KeptStep, window: Window, loads: int, bare: str) -> bool:
    """Whether the crew itself loaded the page again and looked at it."""
    front = later.look.active_window
    if front is None or front.url != (bare or window.url):
        return False
    came = step.look.window(front.id) is None and front.loads > 0
    return came or (front.id == window.id and front.loads > loads)


def _filled(steps: Sequence[KeptStep], at: int) -> bool:
    """Whether something was typed or chosen on the page in front since it was loaded."""
    front = steps[at].look.active_window
    here = [step for step in steps[: at + 1] if step.desk == steps[at].desk]
    shown = [step for step in here if front is not None and (w := step.look.window(front.id)) and w.loads == front.loads]
    return any(step.filled for step in shown[1:])


def _bare(steps: Sequence[KeptStep], desk: int, address: str) -> str:
    """An address without its fragment and the query parts that came with the answer to a request: what a page shows only
    because of these, such as a message, is not stored. '' if there are none."""
    parts, asked = urlsplit(address), _asked(steps, desk)
    if address in asked or not (parts.query or (parts.fragment and not _route(address))):
        return ""
    same = [urlsplit(url) for url in asked if page_of(url) == page_of(address)]
    before = {part for url in same for part in url.query.split("&")}
    query = "&".join(part for part in parts.query.split("&") if part in before)
    kept = _route(address) or any(url.fragment == parts.fragment for url in same)
    fragment = parts.fragment if kept else ""
    return parts._replace(query=query, fragment=fragment).geturl()


def _route(address: str) -> bool:
    """Whether an address names a view of an application by its fragment."""
    return "/" in urlsplit(address).fragment


def _asked(steps: Sequence[KeptStep], desk: int) -> set[str]:
    """The addresses that were first reached otherwise than through the answer to a request."""
    asked, known, last = set[str](), set[str](), ""
    for step in steps:
        front = step.look.active_window
        if step.desk != desk or front is None:
            continue
        if (front.url not in known and not step.saves) or (step.pressed is not None and front.url != last):
            asked.add(front.url)
        known.add(front.url)
        last = front.url
    return asked


def for_address(steps: Sequence[KeptStep], others: Iterable[Observation]) -> frozenset[str]:
    """The addresses that an answer led to and whose pages report mere success: no sent value, and nothing known from before
    except what many pages show. Such a page may be generated from its address alone."""
    before = before_sending(steps)
    pages = {front.url: look for look in (*others, *before) if (front := look.active_window) is not None}
    many = Counter(thing for look in pages.values() for thing in _said(look))
    known = {thing for look in before for thing in _said(look) if many[thing] < len(pages) or len(pages) < _FRAMED}
    views = (page for page in written(steps) if not _route(page.address))
    led = (page for page in views if page.address not in _asked(steps, page.desk))
    return frozenset(page.address for page in led if not page.says and not known & _said(page.shown))


def _said(look: Observation) -> Things:
    """An observation's texts, without the names of controls that offer an action."""
    lines = (line.strip() for line in look.all_text.splitlines())
    held = (c.called for c in look.in_front if c.role not in ACTS and c.role != "document")
    leads = {c.name.strip() for c in look.in_front if c.role in ACTS}
    return frozenset((*filter(None, lines), *held)) - leads


def _ways(steps: Sequence[KeptStep], desk: int, window: int, *, whole: bool = False) -> Iterator[KeptWay]:
    """What was pressed in a window since the crew loaded its page; loads by which the engine only led back to the same view
    do not count. With ``whole``, in the whole run, without presses that loaded another page: a link may do something each
    time that it is opened."""
    there = [step for step in steps if step.desk == desk]
    loads = [now.loads if (now := step.look.window(window)) is not None else -1 for step in there]
    back = [step.fresh is not None and not (step.fresh.lost or step.fresh.unloaded) for step in there]
    since = max((at for at in range(1, len(loads)) if loads[at] != loads[at - 1] and not back[at]), default=0)
    first = 0 if whole else since
    for at, (before, step) in enumerate(pairwise(there[first:]), first + 1):
        brought = _named(step.look) - _named(before.look)
        if whole and loads[at] != loads[at - 1]:
            continue
        if step.pressed is None:
            if whole and step.filled and brought and not step.saves and step.window == window:
                yield KeptWay(None, brought)
        # To choose something and see nothing else for it is to fill in a form.
        elif step.pressed.control.window == window and (brought or not step.pressed.option):
            yield KeptWay(step.pressed, brought)


def _before(steps: Sequence[KeptStep], at: int) -> Observation:
    return next((each.look for each in reversed(steps[:at]) if each.desk == steps[at].desk), steps[at].look)


def _on(look: Observation, window: int) -> bool:
    return any(sent.saves and sent.window in (0, window) for sent in look.sent)


def _front(look: Observation, window: int, address: str) -> bool:
    front = look.active_window
    return front is not None and front.id == window and front.url == address


def told(control: Control) -> str:
    """A control's role, name, value and states in one text, without passing states."""
    states = ",".join(state for state in control.states if state not in PASSING)
    return "\t".join((control.role, control.name, control.value or "", states))


def things(look: Observation) -> Things:
    """What an observation shows in front: lines of text, and controls that cannot be typed into."""
    lines = (line.strip() for line in look.all_text.splitlines())
    shown = (told(c) for c in look.in_front if c.role != "document" and "type" not in c.operations)
    return frozenset((*filter(None, lines), *shown))


def _all(looks: Iterable[Observation]) -> Things:
    return frozenset(thing for look in looks for thing in things(look))


def spoken(look: Observation) -> str:
    """Everything that an observation shows in front, as one text in lower case."""
    parts = (part for c in look.in_front for part in (c.name, c.value or "", c.owner, *c.options))
    return "\n".join((look.all_text, *parts)).casefold()


def values(sent: Iterable[Sent]) -> tuple[str, ...]:
    """The sent values that a page may show, in lower case."""
    fields = (one for each in sent if each.saves for one in each.fields if one.value != one.was)
    found = ((one.value or "").strip().casefold() for one in fields)
    return tuple(dict.fromkeys(value for value in found if len(value) >= LEAST_VALUE and value not in _PLAIN))


def like(old: Observation, now: Observation) -> float:
    """The share of what ``old`` shows that ``now`` shows, too; 1 if ``old`` shows nothing."""
    before = _named(old)
    return len(before & _named(now)) / len(before) if before else 1.0


def _named(look: Observation) -> Things:
    lines = (line.strip() for line in look.all_text.splitlines())
    return frozenset((*filter(None, lines), *(c.called for c in look.in_front if c.role != "document")))


def counterpart(now: Observation, before: Sequence[Observation]) -> Observation | None:
    """The observation, before anything was sent, of the view that ``now`` shows, or the one most like it; None if the page
    had not been observed."""
    front = now.active_window
    if front is None:
        return None
    same = [each for each in before if (w := each.active_window) is not None and _may_show(w.url, front.url)]
    most = max((like(now, each) for each in same), default=0.0)
    # The earliest of those about as much like it: later ones may show what was filled in and not sent yet.
    return next((each for each in same if like(now, each) >= most - _ABOUT), None)


def _may_show(one: str, other: str) -> bool:
    """Whether a page at one address may be the same as at the other: not another view of an application, nor another entry.
    The other's query may have more parts, as after a message."""
    routes = {urlsplit(url).fragment for url in (one, other) if _route(url)}
    asked, asks = ({*urlsplit(url).query.split("&")} - {""} for url in (one, other))
    return page_of(one) == page_of(other) and len(routes) < 2 and asked <= asks


def same_view(was: Observation, now: Observation) -> bool:
    """Whether ``now`` shows the same view as ``was``, apart from what is new in it."""
    part, new = like(now, was), len(_named(now) - _named(was))
    return part >= _SAME or (part >= ALIKE and new <= _FEW)


def scrolled(was: Observation, now: Observation) -> bool:
    """Whether a page is scrolled to another position, so that other lines are in view."""
    tops = [next((control.box.y for control in look.in_front if control.role == WHOLE_PAGE), 0) for look in (was, now)]
    return tops[0] != tops[1] or bool((_out_of_view(was) ^ _out_of_view(now)) & _named(was) & _named(now))


def goes_on(look: Observation) -> bool:
    """Whether the page in front continues below what is in view."""
    height = look.screen.height if look.screen is not None else 0
    return any(c.role == WHOLE_PAGE and c.box.y + c.box.height > height for c in look.in_front) and height > 0


def _out_of_view(look: Observation) -> Things:
    return frozenset(c.called for c in look.in_front if AWAY in c.states)
