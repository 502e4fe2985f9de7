"""Look again, before a claim is judged: load what something was sent on anew, and see whether it was kept."""

from __future__ import annotations

from dataclasses import replace

from deskcrew.context import Run
from deskcrew.environments.loading_anew import Anew
from deskcrew.events import ActionFinished, Event, LookingAgain, Observed
from deskcrew.excerpts import shorten
from deskcrew.goals.kept import ACTS, MOST_PAGES, Page, Step, unseen, unsent
from deskcrew.goals.origin import TYPING
from deskcrew.observation import Control, Observation

PRESSING = "click_input"
"""The action that presses a control of a window."""
FILLING = TYPING | {"select_option", "choose_menu", "drag", "upload_file"}
"""Actions that type or choose something."""


async def look_again(run: Run) -> None:
    """Load each page anew on which something was sent and that was not loaded since, and record what it shows.

    Of many pages the latest are; what the others would show nobody knows, and so nothing that was done on them is proven.
    """
    if run.desk.desktop is None:
        return
    steps = steps_of(run)
    pages = unseen(steps)[-MOST_PAGES:]
    if not pages and _lasting_wanted(run) and (page := unsent(steps)) is not None:
        await _look_beside(run, page)
    if not pages:
        return
    addresses = tuple(page.address for page in pages)
    cause = run.journal.append(LookingAgain(pages=addresses), cause=run.journal.latest)
    run.journal.commit()
    for page in pages:
        await _look(run, page, cause)


async def _look(run: Run, page: Page, cause: Event) -> None:
    """Load a page anew. If the answer to what was sent led to its address, that is loaded without what the answer added to
    it; what only the whole address brings counts if it says what the address does not."""
    anew = _anew(page, _acted(run))
    if page.bare:
        seen = await run.look_anew(page.desk, _without_query(anew, page), cause)
        if page.there(seen) or not page.says:
            return
    await run.look_anew(page.desk, anew, cause)


def _without_query(anew: Anew, page: Page) -> Anew:
    """The page at its bare address, in a window of its own. If it is another one there, nothing is waited for."""

    def kept(now: Observation) -> bool:
        return page.kept(now) or (page.says and not page.there(now))

    return replace(anew, window=None, address=page.bare, there=_any_view, kept=kept, ways=())


async def _look_beside(run: Run, page: Page) -> None:
    """Load a page on which nothing was sent anew in a window of its own, as it is left as it is, and look at it again."""
    cause = run.journal.append(LookingAgain(pages=(page.address,)), cause=run.journal.latest)
    run.journal.commit()
    anew = replace(_anew(page, _acted(run)), there=_any_view, kept=_any_view)
    await run.look_anew(page.desk, anew, cause)
    await run.look(cause=cause)


def _lasting_wanted(run: Run) -> bool:
    """Whether a contract wants something done on a screen."""
    contract = run.journal.state.contract
    return contract is not None and any(each.seen_by == "screen" and not each.stays for each in contract.standing)


def _any_view(_: Observation) -> bool:
    return True


def _acted(run: Run) -> float:
    """When something was done last, in Unix seconds; 0 if nothing was."""
    done = (event.header.time for event in reversed(run.journal.events) if isinstance(event.body, ActionFinished))
    return next(done, 0.0)


def _anew(page: Page, acted: float) -> Anew:
    return Anew(
        window=page.window,
        address=page.address,
        called=shorten(page.address, 120),
        there=page.there,
        kept=page.kept,
        ways=tuple(way.control for way in page.ways),
        acted=acted,
    )


def steps_of(run: Run) -> list[Step]:
    """The observations of this branch, oldest first, each with what was pressed just before it. What a page sent by itself
    before anything was done is left out."""
    found: list[Step] = []
    pressed: dict[str, ActionFinished] = {}
    for event in run.journal.events:
        if isinstance(event.body, ActionFinished):
            pressed[event.id] = event.body
        elif isinstance(event.body, Observed) and (look := run.looked(event)) is not None:
            before = next((step.look for step in reversed(found) if step.desk == event.body.desk), None)
            moved = not any(each.writes or each.fields for each in look.sent)
            control = _pressed(pressed.get(event.header.cause or ""), before) if moved else None
            if not pressed:
                look = look.model_copy(update={"sent": ()})
            filled = _fills(pressed.get(event.header.cause or ""), before)
            found.append(Step(event.body.desk, look, control, event.body.fresh, filled))
    return found


def _pressed(done: ActionFinished | None, before: Observation | None) -> Control | None:
    """The control that an operation pressed, with the left button and once."""
    if done is None or before is None or not done.ok or done.operation.function != PRESSING:
        return None
    params = done.operation.params
    if params.get("button", "left") != "left" or params.get("double"):
        return None
    return before.control(done.operation.control or "")


def _fills(done: ActionFinished | None, before: Observation | None) -> bool:
    """Whether an operation typed or chose something."""
    if done is None or done.operation.function in FILLING:
        return done is not None
    control = before.control(done.operation.control or "") if before is not None else None
    return done.operation.function == PRESSING and control is not None and control.role not in ACTS


def looks_again(event: Event) -> bool:
    """Whether an observation was made by the engine itself."""
    return isinstance(event.body, Observed) and event.body.fresh is not None
