"""What the user's own words consent to: read when the guard would otherwise ask, and from nothing but these words.

The role that reads them is shown no name of a file, title, page or finding, so that none of these can order anything
(docs/design/proof.md#consent). If comparing words does not show which order an action on a page carries out, another role is
asked, which chooses among the orders and cannot add any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deskcrew.engine.authorization import Authorization
from deskcrew.engine.context import Run
from deskcrew.engine.record import Record
from deskcrew.engine.roles.role_kinds import Now
from deskcrew.engine.roles.said import Fit, SaidConsent, SaidOrders
from deskcrew.errors import CrewMistake
from deskcrew.facts.contract import Consent, Contract
from deskcrew.facts.events import ConsentRead, Event, Uncounted
from deskcrew.facts.plan import Subtask
from deskcrew.guard.consent import Consents, meant, uncounted
from deskcrew.guard.guard import GuardDecision
from deskcrew.guard.named_pages import can_be_page, given_with, pages_at
from deskcrew.journal.journal import Journal

TRIES = 2
"""The number of replies of which not everything can be used: what is usable in the last one then counts."""
HELD = 20_000
"""The maximum characters of a file from which values to send may be taken."""


async def read_consent(run: Run, ruling: GuardDecision, cause: Event, subtask: Subtask | None) -> bool:
    """Have the user's words read, if a consent could lift what the guard asks about and nobody has read them yet. Returns
    whether the guard may now decide differently."""
    return ruling.liftable and await read_words(run, cause, subtask)


async def read_words(run: Run, cause: Event, subtask: Subtask | None = None) -> bool:
    """Have the user's words read for what they order, if nobody has read them yet. Returns whether they were read now."""
    record, authorization, prompting = run.record, run.authorization, run.prompting
    authorization.history.follow(record.journal.events)
    role = record.crew.roles.get(record.crew.consent)
    if role is None or not authorization.history.consents.unread:
        return False
    if not prompting.asker.model(role).profile.contracts:
        return False
    said, given = authorization.history.consents.said, authorization.history.consents.given

    def strict(reply: SaidOrders) -> None:
        if record.state.malformed_by == role.name:
            return  # once: what does not count then is told to the person
        wrong = [
            f"{each.order.where or each.order.quotes[0]!r}: {each.why}." for each in _sorted(authorization, reply.ordered)[1]
        ]
        if wrong:
            raise CrewMistake(f"{' '.join(wrong)} Name it from the user's words, or leave it out.")

    reply: SaidOrders | None = None
    for _ in range(TRIES):
        sight = prompting.sight(role, words=said, given=", ".join(given))
        reply = await prompting.asker.ask(role, Now(), sight, SaidOrders, subtask=subtask, check=strict)
        if reply is not None:
            break
    consents, others = _sorted(authorization, reply.ordered if reply is not None else ())
    consents = tuple(each.model_copy(update={"found": _held(record, each.files)}) for each in consents)
    record.journal.append(ConsentRead(consents=consents, uncounted=others), lane=cause.header.lane, cause=cause)
    return True


@dataclass(frozen=True, slots=True)
class Match:
    """The matcher's verdict on an action on a page. ``consent``: the index of the consent that it carries out, None if none;
    ``step``: it is only a step towards that; ``asks``: it only requests data; ``why``: the reason, worded for people."""

    consent: int | None = None
    step: bool = False
    asks: bool = False
    why: str = ""


def can_match(run: Run) -> bool:
    """Whether there is a model that can match actions on pages with orders."""
    role = run.record.crew.roles.get(run.record.crew.matcher)
    return (
        role is not None and run.authorization.history.consents.theirs and run.prompting.asker.model(role).profile.contracts
    )


async def match_order(run: Run, deed: str, places: Sequence[int], subtask: Subtask | None) -> Match | None:
    """Which of the user's orders an action on a page carries out; None if no model can tell. ``deed``: what is done and
    sent; ``places``: the indices of the consents that apply to the page."""
    if not can_match(run):
        return None
    role, consents = run.record.crew.roles[run.record.crew.matcher], run.authorization.history.consents
    told = "; ".join(f"{number}. {_told(consents, place)}" for number, place in enumerate(places, 1))

    def strict(reply: Fit) -> None:
        if reply.ordered and not 0 < reply.order <= len(places):
            raise CrewMistake(f"There is no order {reply.order}: there are {len(places)}.")

    for _ in range(TRIES):
        sight = run.prompting.sight(role, words=consents.said, orders=told or "none", deed=deed)
        reply = await run.prompting.asker.ask(role, Now(), sight, Fit, subtask=subtask, check=strict)
        if reply is not None:
            place = places[reply.order - 1] if reply.ordered else None
            return Match(place, reply.fits == "step", reply.fits == "asks", reply.why)
    return None


def _told(consents: Consents, place: int) -> str:
    order = consents.consents[place]
    done = " - has been sent; may only be brought to its end" if place in consents.used else ""
    texts = f" ({', '.join(order.texts)})" if order.texts else ""
    tied = f", only {order.when!r}" if order.when else ""
    return f"{order.kind} on {order.where}: {' ... '.join(map(repr, order.quotes))}{texts}{tied}{done}"


def _sorted(authorization: Authorization, orders: Sequence[Consent]) -> tuple[tuple[Consent, ...], tuple[Uncounted, ...]]:
    """The orders that count, with what their places stood for at the start, and those that do not. Reads no file."""
    known = authorization.history.consents
    consents: list[Consent] = []
    others: list[Uncounted] = []
    for order in orders:
        placed = _placed(authorization.record, order)
        why = uncounted(order, known.said, known.given, _root(authorization.record.journal))
        if not why and order.on_page and not can_be_page(order.where, placed.pages):
            why = f"no page can be at {order.where!r}"
        if why:
            others.append(Uncounted(order=order, why=why))
        else:
            consents.append(placed)
    return tuple(consents), tuple(others)


def _placed(record: Record, order: Consent) -> Consent:
    """An order with the pages or the path that its place stood for at the start."""
    if order.on_page:
        files = [entry.path for entry in record.looks.first.files if entry.kind == "file"]
        return order.model_copy(update={"pages": pages_at(order.where, files, _root(record.journal))})
    return order.model_copy(
        update={"paths": meant(order.where, [entry.path for entry in record.looks.first.files], _root(record.journal))}
    )


def _held(record: Record, files: Sequence[str]) -> str:
    """The contents of files at the start; unreadable ones count as empty."""
    return "\n".join((record.was(file) or "")[:HELD] for file in files)


def _root(journal: Journal) -> str:
    started = journal.state.started
    return started.workspace if started is not None else ""


def given_to(journal: Journal) -> str:
    """The pages that the user gave with the task, in words for the contract's writer."""
    started = journal.state.started
    return ", ".join(given_with(started.settings)) if started is not None else ""


def with_orders(record: Record, contract: Contract, orders: Sequence[SaidConsent], parts: Sequence[str]) -> Contract:
    """The contract with what its writer read as ordered, in a run from before a separate role read that."""
    started = record.state.started
    given = given_with(started.settings) if started is not None else ()
    made = [
        Consent(
            kind=each.kind,
            where=each.where.strip(),
            texts=each.texts,
            files=tuple(file.strip() for file in each.files if file.strip()) if each.kind == "send" else (),
            quotes=tuple(parts[at - 1] for at in each.parts if 0 < at <= len(parts)),
        )
        for each in orders
    ]
    said, theirs = " ".join(parts), contract.by == "human"
    counted = [each for each in made if (theirs and each.where) or not uncounted(each, said, given, _root(record.journal))]
    consents = tuple(_placed(record, each).model_copy(update={"found": _held(record, each.files)}) for each in counted)
    return contract.model_copy(update={"consents": consents, "asked": tuple(each for each in made if each not in counted)})
