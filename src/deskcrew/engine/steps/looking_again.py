"""Look again, before a claim is judged: reload the pages on which something was sent, and see whether it was saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from deskcrew.actions import gesture_of
from deskcrew.engine.authorization import Authorization
from deskcrew.engine.record import Record
from deskcrew.engine.surroundings import Surroundings
from deskcrew.environments.environment import Link
from deskcrew.environments.loading_anew import LASTING, Anew, LoadingPress
from deskcrew.environments.looking_aside import Elsewhere, Glance, View
from deskcrew.evidence.contrary import contraries, kept_whole
from deskcrew.evidence.kept import ACTS, MOST_PAGES, KeptStep, Page, before_sending, fresh, stale, things, unsent, written
from deskcrew.evidence.origin import ENTERS
from deskcrew.facts.events import ActionFinished, Event, LookedElsewhere, LookingAgain, Observed
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.observation import Observation
from deskcrew.journal.journal import Journal

MOST_OTHERS = 4
"""Maximum number of other pages that are opened; those that a site's navigation leads to first."""
FILLS = ENTERS | {"choose", "menu", "drag", "upload"}
"""Gestures that type or choose something."""


async def look_again(authorization: Authorization) -> None:
    """Reload each page on which something was sent and that was not reloaded since, and the page in front if it may be out
    of date, and record what they show.

    Of many pages only the latest are reloaded; what the others would show is unknown, so nothing done on them is proven.
    """
    record, surroundings, journal = authorization.record, authorization.surroundings, authorization.record.journal
    if surroundings.desk.desktop is None:
        return
    steps = steps_of(record)
    pages = written(steps, unseen=True)[-MOST_PAGES:]
    if not pages and _done_on_screen(journal) and (page := unsent(steps)) is not None:
        await _look_beside(surroundings, page)
    if (page := stale(steps)) is not None:
        pages = [*(each for each in pages if each.address != page.address), page]
    if pages:
        await _look_at(surroundings, pages)
        steps = steps_of(record)
    if _done_on_screen(journal) and (pages := written(steps)) and seen_elsewhere(journal) is None:
        await _look_elsewhere(authorization, pages[-1], steps)


async def look_later(surroundings: Surroundings) -> bool:
    """Reload the pages on which something was sent once more, a while later. Returns whether they show anything else."""
    steps = steps_of(surroundings.record)
    sent = max((at for at, step in enumerate(steps) if step.saves), default=len(steps))
    if surroundings.desk.desktop is None or any(step.fresh is not None and step.fresh.later for step in steps[sent:]):
        return False
    lost = {step.fresh.address for step in steps[sent:] if step.fresh is not None and step.fresh.unloaded}
    pages = [page for page in written(steps) if not {page.bare, page.address} & lost][-MOST_PAGES:]
    if not pages:
        return False
    shown = [things(look) for look in fresh(steps)]
    await _look_at(surroundings, pages, later=True)
    return [things(look) for look in fresh(steps_of(surroundings.record))] != shown


async def _look_at(surroundings: Surroundings, pages: Sequence[Page], *, later: bool = False) -> None:
    journal = surroundings.record.journal
    addresses = tuple(page.address for page in pages)
    cause = journal.append(LookingAgain(pages=addresses), cause=journal.latest)
    journal.commit()
    for page in pages:
        await _look(surroundings, page, cause, later=later)


async def _look_elsewhere(authorization: Authorization, page: Page, steps: Sequence[KeptStep]) -> None:
    """Open other pages of the site, and the page itself without what the browser has stored, and see whether they differ.

    Only pages that the run had opened, or to which navigation leads without a query: any other link may do something.
    """
    first = tuple(dict.fromkeys((page.origin, page.bare or page.address)))
    acted, before = _acted(authorization.record.journal), before_sending(steps)
    opened = {window.url.split("#")[0] for step in steps for window in step.look.windows}

    def chosen(links: Sequence[Link]) -> list[Link]:
        others = [
            link
            for link in links
            if link.url not in first and (link.url in opened or _only_leads(link)) and authorization.guard.only_opens(link)
        ]
        return sorted(others, key=lambda link: not link.leads)[:MOST_OTHERS]

    def otherwise(found: Sequence[Glance]) -> bool:
        return bool(contraries(fresh(steps), found, before, page.sent))

    led = replace(page, ways=page.led)
    view = None if kept_whole(page.sent) else View(first[-1], led.there, _presses(led))
    wanted = Elsewhere(first, chosen, view, otherwise, acted + LASTING)
    await authorization.surroundings.look_elsewhere(page.desk, wanted, authorization.record.journal.events[-1])


def _only_leads(link: Link) -> bool:
    return link.leads and not urlsplit(link.url).query


def seen_elsewhere(journal: Journal) -> tuple[Glance, ...] | None:
    """What other pages showed since something was last sent; None if nobody looked."""
    for event in reversed(journal.events):
        if isinstance(event.body, LookedElsewhere):
            pages = ((each, journal.read_blob(each.observation)) for each in event.body.pages)
            looks = ((each, Observation.model_validate_json(look)) for each, look in pages)
            return tuple(Glance(each.address, look, each.alone, each.lost) for each, look in looks)
        if isinstance(event.body, Observed) and event.body.fresh is None and any(s.saves for s in event.body.evidence.sent):
            return None
    return None


async def _look(surroundings: Surroundings, page: Page, cause: Event, *, later: bool = False) -> None:
    """Reload a page. If the response to what was sent added a query to its address, it is first loaded without that; the
    whole address is then loaded only if another page is there, and this one said more than its address, or has a
    fragment."""
    anew = replace(_anew(page, _acted(surroundings.record.journal)), later=later)
    if page.bare:
        seen = await surroundings.look_anew(page.desk, _without_query(anew, page), cause)
        if page.there(seen) or not (page.says or urlsplit(page.address).fragment):
            return
    await surroundings.look_anew(page.desk, anew, cause)


def _without_query(anew: Anew, page: Page) -> Anew:
    """The page at its bare address, in a window of its own. If another page is there, nothing is waited for."""

    def kept(now: Observation) -> bool:
        return page.kept(now) or (page.says and not page.there(now))

    return replace(anew, window=None, address=page.bare, there=_any_view, kept=kept, ways=())


async def _look_beside(surroundings: Surroundings, page: Page) -> None:
    """Load a page on which nothing was sent in a window of its own, so that it stays as it is, and observe that again."""
    journal = surroundings.record.journal
    cause = journal.append(LookingAgain(pages=(page.address,)), cause=journal.latest)
    journal.commit()
    anew = replace(_anew(page, _acted(journal)), there=_any_view, kept=_any_view)
    await surroundings.look_anew(page.desk, anew, cause)
    await surroundings.look(cause=cause)


def _done_on_screen(journal: Journal) -> bool:
    """Whether a contract wants something done on a screen."""
    contract = journal.state.contract
    return contract is not None and any(each.seen_by == "screen" and not each.stays for each in contract.standing)


def _any_view(_: Observation) -> bool:
    return True


def _acted(journal: Journal) -> float:
    """When something was done last, in Unix seconds; 0 if nothing was."""
    done = (event.header.time for event in reversed(journal.events) if isinstance(event.body, ActionFinished))
    return next(done, 0.0)


def _anew(page: Page, acted: float) -> Anew:
    return Anew(
        window=page.window,
        address=page.address,
        called=shorten(page.address, 120),
        there=page.there,
        kept=page.kept,
        ways=_presses(page),
        acted=acted,
    )


def _presses(page: Page) -> tuple[LoadingPress, ...]:
    return tuple(way.press for way in page.ways if way.press is not None)


def steps_of(record: Record) -> list[KeptStep]:
    """The observations of this branch, oldest first, each with what was pressed just before it. What a page sent by itself
    before anything was done is left out."""
    found: list[KeptStep] = []
    pressed: dict[str, ActionFinished] = {}
    for event in record.journal.events:
        if isinstance(event.body, ActionFinished):
            pressed[event.id] = event.body
        elif isinstance(event.body, Observed) and (look := record.looks.of(event)) is not None:
            before = next((step.look for step in reversed(found) if step.desk == event.body.desk), None)
            moved = not any(each.saves or (each.fields and not each.queries) for each in look.sent)
            control = _pressed(pressed.get(event.header.cause or ""), before) if moved else None
            if not pressed:
                look = look.model_copy(update={"sent": ()})
            filled = _fills(pressed.get(event.header.cause or ""), before)
            found.append(KeptStep(event.body.desk, look, control, event.body.fresh, filled))
    return found


def _pressed(done: ActionFinished | None, before: Observation | None) -> LoadingPress | None:
    """What an operation pressed with one left click, or chose; None if it did neither."""
    if done is None or before is None or not done.ok or gesture_of(done.operation) not in ("press", "choose"):
        return None
    params, control = done.operation.params, before.control(done.operation.control or "")
    if control is None or params.get("button", "left") != "left" or params.get("double"):
        return None
    return LoadingPress(control, str(params.get("option", "")))


def _fills(done: ActionFinished | None, before: Observation | None) -> bool:
    """Whether an operation typed or chose something."""
    gesture = gesture_of(done.operation) if done is not None else None
    if done is None or gesture in FILLS:
        return done is not None
    control = before.control(done.operation.control or "") if before is not None else None
    return gesture == "press" and control is not None and control.role not in ACTS
