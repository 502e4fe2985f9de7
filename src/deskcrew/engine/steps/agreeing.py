"""Agree on what must hold, before anything is executed: the contract (docs/design/proof.md)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, cast

from sentencex import segment as untyped  # pyright: ignore

from deskcrew.engine.context import Run
from deskcrew.engine.prompting import Prompting
from deskcrew.engine.record import Record
from deskcrew.engine.roles.ask import Check, RoleRequest, reading
from deskcrew.engine.roles.role import Role
from deskcrew.engine.roles.role_kinds import Now
from deskcrew.engine.roles.said import OnRequirement, SaidContract, SaidRequirement
from deskcrew.engine.roles.view import Sight
from deskcrew.engine.steps.consenting import given_to, with_orders
from deskcrew.engine.steps.named import named_files, named_texts
from deskcrew.environments.dates import moments_in, unaccented
from deskcrew.errors import CrewMistake
from deskcrew.evidence.besides import covers_all
from deskcrew.evidence.places.told import told as addresses_told
from deskcrew.evidence.required import with_required
from deskcrew.facts.contract import Contract, Requirement
from deskcrew.facts.events import GoalSet
from deskcrew.facts.json_values import JsonObject
from deskcrew.journal.journal import Journal

segment = cast("Callable[[str, str], list[str]]", untyped)
TRIES = 2
"""The number of unusable replies after which the contract is only what the user requires, if anything."""
ALL = "{says!r} names every file as one that may change: name the files, or what is common to their names (`drafts/*.md`)."
FEWER = "orders: the files give {orders}, and there are {wanted} requirements. Give each order one of its own."
BARE = "{kind} alone says nothing about the content of {target}: add a check of its content, or have a probe look at it."


@dataclass(frozen=True, slots=True)
class ContractRequest:
    """What the contract's writer is asked, and what is needed to use its reply."""

    role: Role
    parts: tuple[str, ...]
    now: Now
    sight: Sight
    check: Check


async def agree(run: Run) -> bool:
    """Have the contract written, if there is none yet. False if there is still none: ask again."""
    record, prompting, journal = run.record, run.prompting, run.record.journal
    state, required = record.state, _required(record)
    if state.goal_set:
        return True
    if _known(prompting):
        if required is not None:
            journal.append(GoalSet(question=required.question, contract=required))
        return True
    wanted = _wanted(run)
    role = wanted.role
    if state.malformed_by == role.name and state.format_errors >= TRIES and not _sent_back(journal):
        if not run.authorization.human.can_help(state, role.name):
            if required is not None:
                journal.append(GoalSet(question=required.question, contract=required), cause=journal.latest)
            return True
        # Who would have been asked about the contract is asked whether to do it without one.
        on, reply = await prompting.asker.unproven(role, wanted.now, wanted.check)
        if on and reply is None:
            journal.append(GoalSet(contract=required), cause=journal.latest)
            return True
    else:
        reply = await prompting.asker.reply(
            await prompting.asker.request(role, wanted.now, wanted.sight, check=wanted.check)
        )
    return _written(record, wanted, reply)


def may_wait(prompting: Prompting) -> bool:
    """Whether the contract may be written while the agent begins, as nobody plans first."""
    record = prompting.record
    return not (record.crew.planner or record.state.goal_set or _known(prompting))


async def agree_beside(run: Run, request: Callable[[], Awaitable[RoleRequest]]) -> JsonObject | None:
    """Have the contract written while another role is asked. Returns that role's reply, which is not used before there is a
    contract or can be none."""
    record, asker, journal = run.record, run.prompting.asker, run.record.journal
    wanted = _wanted(run)
    first = await asker.request(wanted.role, wanted.now, wanted.sight, check=wanted.check)
    other = await request()
    async with journal.floor.meanwhile(lambda: asker.answer(other)) as answered:
        there = _written(record, wanted, await asker.reply(first))
        while not there:
            there = await agree(run)
        if not record.state.goal_set:
            journal.append(GoalSet())
        answer = await answered()
    return await asker.hear(other, answer)


def _required(record: Record) -> Contract | None:
    return record.state.started.required if record.state.started is not None else None


def _known(prompting: Prompting) -> bool:
    """Whether no model is asked what must hold: the user says it all, or the model cannot."""
    record, required = prompting.record, _required(prompting.record)
    writes = prompting.asker.model(record.crew.roles[record.crew.contract]).profile.contracts
    return not writes or (required is not None and required.whole)


def _wanted(run: Run) -> ContractRequest:
    record, state = run.record, run.record.state
    role, parts = record.crew.roles[record.crew.contract], parts_of(state.task)

    def complete(reply: SaidContract) -> None:
        if state.malformed_by != role.name:  # once: what is left out then counts as not checked
            refuse(reply, parts)

    shown = named_texts(record)
    now = Now(
        parts=tuple(range(1, len(parts) + 1)),
        human=run.authorization.human.can_help(state, role.name),
        named=named_files(record) if shown else (),
    )
    sight = sight_of(run.prompting, role, parts, elsewhere=now.named, named=shown)
    return ContractRequest(role, parts, now, sight, reading(SaidContract, complete))


def _written(record: Record, wanted: ContractRequest, reply: JsonObject | None) -> bool:
    """Record the contract that a reply gives; False if it gives none."""
    if reply is None:
        return False
    parts, journal, said = wanted.parts, record.journal, SaidContract.model_validate(reply)
    contract = made(said, parts, by="human" if record.replied_by_person else "model")
    if said.ordered:
        contract = with_orders(record, contract, said.ordered, parts)
    contract = with_required(contract, _required(record))
    journal.append(GoalSet(question=contract.question, contract=contract), cause=journal.latest)
    return True


def _sent_back(journal: Journal) -> bool:
    """Whether a person has said something since the writer was last asked."""
    state = journal.state
    return state.correction is not None and state.correction.number > state.called


async def writers_word(prompting: Prompting, **told: str) -> OnRequirement | None:
    """The final word of the contract's writer on a requirement: why, and its new wording, None if unchanged. None: ask
    again. After too many unusable replies the requirement stays as it is."""
    record = prompting.record
    state, role = record.state, record.crew.roles[record.crew.contract]
    parts = parts_of(state.task)

    def usable(reply: OnRequirement) -> None:
        if reply.requirement is not None:
            shows_something(reply.requirement)

    now = Now(parts=tuple(range(1, len(parts) + 1)), contested=True)
    reply = await prompting.asker.ask(role, now, sight_of(prompting, role, parts, **told), OnRequirement, check=usable)
    if reply is None and state.malformed_by == role.name and state.format_errors >= TRIES:
        return OnRequirement(why="its writer's replies could not be used")
    return reply


def sight_of(
    prompting: Prompting, role: Role, parts: Sequence[str], *, elsewhere: Collection[str] = (), **extra: str
) -> Sight:
    """What the contract's writer is shown. ``elsewhere``: files whose contents are in ``extra``."""
    record = prompting.record
    task = record.state.task
    addresses = addresses_told(task, (entry.path for entry in record.looks.first.files))
    return prompting.sight(
        role,
        elsewhere=elsewhere,
        parts=number_parts(task, parts),
        addresses=addresses,
        given=given_to(record.journal),
        **extra,
    )


def parts_of(task: str) -> tuple[str, ...]:
    """The sentences and lines of a task, in any language; a number or mark by itself belongs to what it stands before."""
    parts: list[str] = []
    mark = ""
    for line in task.splitlines():
        for piece in _sentences(line):
            mark = f"{mark} {piece.strip()}".strip()
            if any(character.isalpha() for character in piece):
                parts.append(mark)
                mark = ""
    return (*parts[:-1], f"{parts[-1]} {mark}".strip()) if parts else (task,)


def _sentences(line: str) -> Iterator[str]:
    """The sentences of a line, in an unknown language. Many languages write an ordinal as a number with a period ("3.
    května", "1. Mai"): that ends a sentence only if no lower-case letter follows, it is not inside a date, and the library's
    rules for German, where nouns are capitalized, end one there, too."""
    german = set(accumulate(map(len, segment("de", line))))
    sentence, at = "", 0
    for piece in segment("en", line):
        goes_on = _ends_in_ordinal(sentence) and (piece[0].islower() or at not in german or _in_date(line, at))
        if sentence and not goes_on:
            yield sentence
            sentence = ""
        sentence += piece
        at += len(piece)
    yield sentence


def _in_date(line: str, at: int) -> bool:
    """Whether the index ``at`` is inside a date. Called only if it may be: all languages' names take a second to load."""
    # Of three letters is also many a word of another language, as the Polish short name of August.
    word = "".join(line[at:].split(maxsplit=1)[:1]).strip(".,;:")
    return len(word) > 3 and any(start < at < end for start, end, _ in moments_in(unaccented(line)))


def _ends_in_ordinal(sentence: str) -> bool:
    bare = sentence.rstrip()
    return bare.endswith(".") and bare[-2:-1].isdecimal()


def number_parts(task: str, parts: Sequence[str]) -> str:
    """The task, otherwise verbatim, with the number of each part before it: it may contain text to be written."""
    marked: list[str] = []
    left = task
    for number, part in enumerate(parts, 1):
        before, there, after = left.partition(part)
        if not there:  # other blanks stand between a mark and what it belongs to
            return "\n".join(f"[{at}] {each}" for at, each in enumerate(parts, 1))
        marked += [before, f"[{number}] ", part]
        left = after
    return "".join((*marked, left))


def refuse(reply: SaidContract, parts: Sequence[str]) -> None:
    """Raise CrewMistake, worded for the writer, if a part of the task is left out or a requirement shows nothing."""
    wanted = reply.requirements
    named = {number for each in wanted for number in each.parts} | set(reply.context)
    for number, part in enumerate(parts, 1):
        if number not in named:
            raise CrewMistake(f"Part {number} ({part!r}) is in no requirement and not in context.")
    if reply.orders > len(wanted):
        raise CrewMistake(FEWER.format(orders=reply.orders, wanted=len(wanted)))
    for each in wanted:
        if not any(0 < number <= len(parts) for number in each.parts):
            raise CrewMistake(f"{each.says!r} names no part of the task that wants it.")
        shows_something(each)
        if each.seen_by == "reading" and any(covers_all(path) for path in each.files):
            raise CrewMistake(ALL.format(says=each.says))
    if any(each.seen_by == "answer" for each in wanted) != bool(reply.question.strip()):
        raise CrewMistake("A requirement seen by answer and a question belong together: give both or neither.")


def shows_something(requirement: SaidRequirement) -> None:
    """Raise CrewMistake if the checks of a requirement could hold for anything."""
    if requirement.seen_by != "checks":
        return
    checks = requirement.checks
    if not checks:
        raise CrewMistake(f"{requirement.says!r} is to be seen by checks, and has none.")
    if all(check.kind == "file_exists" and not check.target.endswith("/") for check in checks):
        raise CrewMistake(BARE.format(kind="file_exists", target=checks[0].target))


def requirement_of(id: str, said: SaidRequirement, parts: Sequence[str]) -> Requirement:
    """A requirement as its writer gave it."""
    return Requirement(
        id=id,
        says=said.says,
        quotes=tuple(parts[at - 1] for at in said.parts if 0 < at <= len(parts)),
        seen_by="probe" if said.seen_by == "checks" and not said.checks else said.seen_by,
        files=said.files,
        checks=said.checks,
        stays=said.stays,
    )


def proposed(reply: JsonObject) -> Contract:
    """The contract in a reply, as a person is shown it before they agree."""
    return made(SaidContract.model_validate(reply), (), by="human")


def made(reply: SaidContract, parts: Sequence[str], *, by: Literal["model", "human"] = "model") -> Contract:
    """The contract in a reply. Parts of the task that it leaves out are kept as missed, never dropped; requirements that no
    part of the task calls for are dropped. ``by``: who wrote it."""
    requirements: list[Requirement] = []
    named: set[int] = set(reply.context)
    tied = [one for one in reply.requirements if by == "human" or any(0 < at <= len(parts) for at in one.parts)]
    for number, each in enumerate(tied, 1):
        named |= set(each.parts)
        requirements.append(requirement_of(str(number), each, parts))
    question, answered = reply.question.strip(), [each.says for each in requirements if each.seen_by == "answer"]
    contract = Contract(
        by=by,
        requirements=tuple(requirements),
        context=tuple(parts[at - 1] for at in reply.context if 0 < at <= len(parts)),
        question=question or next(iter(answered), ""),
        missed=tuple(part for number, part in enumerate(parts, 1) if number not in named),
    )
    return contract.asking(question) if question and not answered else contract
