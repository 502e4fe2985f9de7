"""What a run teaches: entries made from what was proven, and from what a person corrected, but never from a claim.

An entry says what was to be done and which operations did it (the subtask's trajectory). What was read meanwhile, and
every text that repeats it, is left out (``foreign.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from deskcrew.facts.events import (
    ActionStarted,
    Confirmed,
    Event,
    HumanSaid,
    Judged,
    Observed,
    Operation,
    PlanPatched,
    Rewound,
    RoleReplied,
    Understood,
    latest,
    newest_first,
)
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.json_values import JsonObject, list_in, object_in
from deskcrew.facts.observation import Control, Observation
from deskcrew.facts.plan import Subtask
from deskcrew.facts.verdict import Branch
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import HUMAN, Done, Turn, look_of
from deskcrew.learning.memory.entry import CORRECTED, UNDERSTOOD, Entry, EntryVerdict, entry_id
from deskcrew.learning.memory.foreign import Foreign
from deskcrew.learning.memory.long_term import reply_line

LONG, SHORT = 2000, 160
"""The maximum length of a stored parameter in characters: for code and commands, and for other parameters."""
CODE = ("code", "command")
SITUATION, RESULT, DECISION = 600, 240, 4000
MARK = "[secret "
"""The beginning of a redacted value's mark. An entry that contains it is not stored."""


def lessons(
    journal: Journal, kinds: Mapping[str, str], amends: Mapping[str, str] = MappingProxyType({}), *, created: float
) -> list[Entry]:
    """The entries that an ended run yields. ``kinds``: the kind of each role in the crew, by name; ``amends``: for an agent
    that goes on with another agent's work, the name of the other.

    A run that a person rejected yields none. A failed run yields the person's corrections and, for their records, which
    roles failed.
    """
    last = latest(journal.events, Confirmed)
    if journal.state.outcome is None or (last is not None and not last.holds):
        return []
    made = _Lessons(journal, kinds, amends, created)
    found = [*made.proven(), *made.judged(), *made.corrected(), *made.failed()]
    # A correction of a reply is more informative than the fact that it was proven in the end.
    unique = {entry.id: entry for entry in found if not secret_in(journal, entry)}
    return list(unique.values())


@dataclass(slots=True)
class _Lessons:
    journal: Journal
    kinds: Mapping[str, str]
    amends: Mapping[str, str]
    created: float
    foreign: Foreign = field(init=False)

    def __post_init__(self) -> None:
        state = self.journal.state
        told = (body.guidance if isinstance(body, Rewound) else body.text for body in _said(self.journal.events))
        self.foreign = Foreign(self.journal, state.task, *told)

    @property
    def _held(self) -> bool:
        """Whether the run is done, and nothing was done that the task does not want."""
        outcome = self.journal.state.outcome
        return outcome is not None and outcome.status == "done" and not outcome.unordered

    def proven(self) -> Iterator[Entry]:
        """From a run that is done: each finished subtask as its role did it, the plan as it was carried out, and the
        assignments. What an agent did in another agent's place is an entry of both."""
        state = self.journal.state
        if not self._held:
            return
        for part in state.plan.subtasks:
            turns = [turn for turn in state.turns if turn.subtask == part.id and turn.role == part.role and turn.done]
            if part.status == "done" and part.role and turns:
                verdicts = [done.verdict for turn in turns for done in turn.done if done.ok and done.verdict]
                held = verdicts[-1] if verdicts else "it held"
                decision = "\n".join(filter(None, (self._reading(turns[-1].number), self._operations(turns))))
                entry = self._entry(turns[-1], part.goal, decision, held)
                yield entry
                if (first := self.amends.get(part.role, "")) in self.kinds:
                    yield entry.model_copy(update={"id": entry_id(entry.id, first), "role": first})
        for kind in ("plan", "schedule"):
            turns = [turn for turn in state.turns if self.kinds.get(turn.role) == kind]
            done = _carried_out(state.plan.in_order, assigned=kind == "schedule")
            until = self.journal.events[-1].number
            refused = "; ".join(
                f"{turn.role} refused {goal!r}: {turn.reply.get('problem')}" for turn, goal in self._refusals()
            )
            told = [text for text in (done, refused) if text and not self.foreign.repeated(text, until=until)]
            if turns and done in told:
                yield self._entry(turns[-1], state.task, ". ".join(told), "all its parts were done")

    def _reading(self, until: int) -> str:
        """The skill that the task was confirmed to mean, with its values except those that repeat what was read; '' if none
        was: what is proven is the skill's goal, whatever the task's words."""
        said = (read for read in newest_first(self.journal.events, Understood) if read.by)
        if (read := next(said, None)) is None or not read.holds:
            return ""
        values = {name: " ".join(str(value).split()) for name, value in read.values.items() if value not in ("", None)}
        own = (f"{name}={value}" for name, value in values.items() if not self.foreign.repeated(value, until=until))
        return shorten(f"{UNDERSTOOD}{read.skill}: {', '.join(own)}", SITUATION)

    def judged(self) -> Iterator[Entry]:
        """From a run that is done: judges' verdicts on subtasks that turned out useful or wrong: what was sent back was then
        done right, or evidence later contradicted what was accepted."""
        state, events = self.journal.state, self.journal.events
        turns = {turn.number: turn for turn in state.turns if self.kinds.get(turn.role) == "check"}
        last: Turn | None = None
        for event in events if self._held else ():
            match event.body:
                case RoleReplied() if event.number in turns:
                    last = turns[event.number]
                case Judged(scope="subtask", by="model", subtask=str(id)) as body if last is not None:
                    why = body.verdict.why or str(last.reply.get("why") or "")
                    wrong = filter(None, (_contradicted(x) for x in events if x.number > event.number))
                    later = next(wrong, "") if body.verdict.kind == "accept" else "so it was done otherwise, and held"
                    decision = f"{last.reply.get('verdict')}: {why}"
                    if later and not self.foreign.repeated(f"{decision} {later}", until=event.number):
                        yield self._entry(last, self._goal(id, event.number), decision, later)
                case _:
                    pass

    def _goal(self, id: str, until: int) -> str:
        """The goal of a subtask in the plan as of event ``until``."""
        plans = (x.body.plan for x in reversed(self.journal.events) if x.number <= until and isinstance(x.body, PlanPatched))
        return next((part.goal for plan in plans for part in plan.subtasks if part.id == id), self.journal.state.task)

    def _refusals(self) -> Iterator[tuple[Turn, str]]:
        """The replies in which a role refused a subtask as not its own, each with the subtask's goal at that time."""
        for turn in self.journal.state.turns:
            if turn.subtask is not None and turn.reply.get("branch") == Branch.TASK_MISMATCH:
                yield turn, self._goal(turn.subtask, turn.number)

    def corrected(self) -> Iterator[Entry]:
        """A person's corrections, each with the reply that followed."""
        state = self.journal.state
        for said, turn in _corrections(self.journal.events, state.turns):
            words = said.guidance if isinstance(said, Rewound) else said.text
            part = next((each for each in state.plan.subtasks if each.id == turn.subtask), None)
            planned = _planned(turn.reply, state.plan.subtasks)
            branch = Branch(str(turn.reply.get("branch") or Branch.CONTINUE))
            decision = self._operations([turn], branch) or (
                "" if self.foreign.repeated(planned, until=turn.number) else planned
            )
            if state.outcome is not None and state.outcome.unordered:
                decision = ""  # which of its operations nobody ordered is not known
            decision = "\n".join(each for each in (f'the user said: "{words}"' if words else "", decision) if each)
            if decision:
                situation = part.goal if part is not None else state.task
                result = "so the user wanted it"
                yield self._entry(turn, situation, decision, result, verdict="corrected", weight=CORRECTED)

    def failed(self) -> Iterator[Entry]:
        """Entries for the roles that refused a subtask, and for the role of the subtask at which the run failed."""
        state = self.journal.state
        for turn, goal in {(turn.role, goal): (turn, goal) for turn, goal in self._refusals()}.values():
            yield self._entry(turn, goal, "", "", verdict="failed")
        due, outcome = state.plan.ready, state.outcome
        if due is not None and outcome is not None and outcome.status == "failed" and not outcome.resumable:
            turn = next((turn for turn in state.turns if turn.role == due.role and turn.subtask == due.id), None)
            if turn is not None:
                yield self._entry(turn, due.goal, "", "", verdict="failed")

    def _entry(
        self,
        turn: Turn,
        situation: str,
        decision: str,
        result: str,
        *,
        verdict: EntryVerdict = "proven",
        weight: float = 1.0,
    ) -> Entry:
        state = self.journal.state
        until = turn.done[-1].number if turn.done else turn.number
        # A planner may have read something before it worded a subtask.
        own = situation if not self.foreign.repeated(situation, until=turn.number) else state.task
        by = state.outcome.verified_by if state.outcome is not None and verdict == "proven" else None
        return Entry(
            id=entry_id(self.journal.run, turn.number, turn.role, "failed" if verdict == "failed" else ""),
            role=turn.role,
            situation=shorten(own, SITUATION),
            decision=_within(decision),
            result=shorten(self._own(result, until), RESULT),
            verdict=verdict,
            verified_by=by or "",
            summary=shorten(f"{turn.role}: {own} (task: {state.task})" if own != state.task else f"{turn.role}: {own}", 200),
            run=self.journal.run,
            reply=turn.number,
            origins=self.foreign.origins(until=until),
            created=self.created,
            weight=weight,
        )

    def _own(self, text: str, until: int) -> str:
        return text if not self.foreign.repeated(text, until=until) else "it held"

    def _operations(self, turns: Sequence[Turn], last: Branch = Branch.ROLE_TASK_FINISH) -> str:
        """The operations that had their effect, one reply per line; ``last``: the branch of the last reply. Parameters that
        repeat something that was read are left out."""
        replies = [
            [{"function": done.operation.function, **self._own_fields(done)} for done in turn.done if done.ok]
            for turn in turns
        ]
        replies = [operations for operations in replies if operations]
        until = self._started(max((done.number for turn in turns for done in turn.done), default=0))
        # Text that was split over several operations is found by joining their parameters.
        if self.foreign.repeated(
            _texts(text for each in replies for fields in each for text in _parameters(fields)), until=until
        ):
            replies = [[{"function": fields["function"]} for fields in operations] for operations in replies]
        branches = [Branch.CONTINUE] * (len(replies) - 1) + [last]
        lines = (
            reply_line({"operations": operations, "branch": branch})
            for operations, branch in zip(replies, branches, strict=False)
        )
        return "\n".join(lines)

    def _own_fields(self, done: Done) -> JsonObject:
        """An operation's control and parameters, without those that repeat what was read. The control is given by its role
        and name, or only by its role, since its label is meaningful only on that screen."""
        operation, started = done.operation, self._started(done.number)
        control = self._control(operation, started)
        named = (control.called, control.role) if control is not None else ()
        fields: dict[str, tuple[Any, ...]] = {"control": named}
        for name, value in operation.params.items():
            if isinstance(value, str) and name in CODE:
                # Most of a program is its own, even where it names what was read.
                fields[name] = tuple(shorten(text, LONG) for text in (value, self.foreign.without(value, until=started)))
            elif value not in ("", None):
                fields[name] = (shorten(value, SHORT) if isinstance(value, str) else value,)
        own: JsonObject = {}
        for name, values in fields.items():
            # With those before it, since a text may be spread over several.
            for value in values:
                if not self.foreign.repeated(_texts((*_parameters(own), value)), until=started):
                    own[name] = value
                    break
        return own

    def _started(self, finished: int) -> int:
        """The number of the event that started the operation that event ``finished`` ended."""
        begun = (
            x.number for x in reversed(self.journal.events) if x.number <= finished and isinstance(x.body, ActionStarted)
        )
        return next(begun, finished)

    def _control(self, operation: Operation, started: int) -> Control | None:
        """The operation's control in the last observation before it."""
        if operation.control is None:
            return None
        begun = self.journal.event(started)
        look = look_of(reversed(self.journal.before(begun)), begun.header.lane)
        if look is None or not isinstance(look.body, Observed):
            return None
        return Observation.model_validate_json(self.journal.read_blob(look.body.observation)).control(operation.control)


def _said(events: Iterable[Event]) -> Iterator[HumanSaid | Rewound]:
    for event in events:
        if isinstance(event.body, HumanSaid | Rewound):
            yield event.body


def _corrections(events: Iterable[Event], turns: Iterable[Turn]) -> Iterator[tuple[HumanSaid | Rewound, Turn]]:
    """Each correction by a person, with the reply that followed it."""
    by_number = {turn.number: turn for turn in turns}
    waiting: HumanSaid | Rewound | None = None
    for event in events:
        body = event.body
        match body:
            case HumanSaid(kind="guide" | "edit" | "switch"):
                waiting = body
            case Rewound(undo=False) if body.guidance and body.words_of != "crew":
                waiting = body
            case RoleReplied() if waiting is not None and body.reply is not None and event.number in by_number:
                theirs = not isinstance(waiting, HumanSaid) or waiting.kind != "edit" or body.model == HUMAN
                if theirs:
                    yield waiting, by_number[event.number]
                waiting = None
            case _:
                continue


def _planned(reply: JsonObject, subtasks: Iterable[Subtask]) -> str:
    """A planner's or a scheduler's reply: the plan, or the role of each subtask."""
    plan = [object_in(each) for each in list_in(reply.get("subtasks"))]
    if len(plan) == 1 and plan[0].get("role"):
        return f"all of it as one subtask ({plan[0]['role']})"  # it repeats the task
    if plan:
        return "; ".join(f"{each['goal']} ({each['role']})" if each.get("role") else str(each["goal"]) for each in plan)
    goals = {each.id: each.goal for each in subtasks}
    assigned = [object_in(each) for each in list_in(reply.get("assignments"))]
    return "; ".join(f"{goals.get(str(each['subtask']), each['subtask'])} -> {each['role']}" for each in assigned)


def _carried_out(plan: Sequence[Subtask], *, assigned: bool) -> str:
    """The plan as it was carried out: the subtasks that were done, in order, and their roles."""
    done = [part for part in plan if part.status == "done"]
    if len(done) == 1 and not assigned:
        return f"all of it as one subtask ({done[0].role})"  # it repeats the task
    return "; ".join(f"{part.goal} -> {part.role}" if assigned else f"{part.goal} ({part.role})" for part in done)


def _contradicted(event: Event) -> str:
    """Why evidence contradicted accepted work in this event; '' if it did not."""
    body = event.body
    said = isinstance(body, Judged) and (body.scope, body.by, body.verdict.kind) == ("goal", "rules", "replan")
    return body.verdict.why if isinstance(body, Judged) and said else ""


def _within(decision: str) -> str:
    """A decision in at most :data:`DECISION` characters, cut between replies if there are several."""
    lines = decision.split("\n")
    while len(lines) > 1 and sum(len(line) + 1 for line in lines) > DECISION:
        lines.pop()
    return shorten("\n".join(lines), DECISION)


def _parameters(fields: Mapping[str, object]) -> list[object]:
    return [value for name, value in fields.items() if name not in ("function", "control")]


def _texts(values: Iterable[object]) -> str:
    return " ".join(str(value) for value in values)


def secret_in(journal: Journal, entry: Entry) -> bool:
    """Whether an entry contains a secret's value, or the mark of a redacted one."""
    text = entry.model_dump_json()
    return MARK in text or journal.redactor.holds(text)
