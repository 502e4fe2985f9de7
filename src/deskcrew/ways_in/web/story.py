"""The events of a branch as a story: its subtasks, the replies, and each operation with its result on one line.

A line begins with an event that starts something and ends before the next one. Only where lines begin is computed for a
whole run; their contents are read when they are shown, a page at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from rich.text import Text

from deskcrew.engine.human.questions import EDITED
from deskcrew.facts import events as e
from deskcrew.facts.json_values import JsonObject
from deskcrew.journal.reading import EventPlace, Reading, Track
from deskcrew.journal.records import BY_RULE, HUMAN
from deskcrew.ways_in.report import render
from deskcrew.ways_in.report.text import counted, one_line, seconds
from deskcrew.ways_in.web.screen import words
from deskcrew.ways_in.web.wording import hint, unless_task

PAGE = 100
"""The number of lines on every page but the last, so that a page's height is known before it is loaded."""
BEGINS = frozenset(
    {
        "role_replied",
        "plan_patched",
        "lanes_opened",
        "goal_set",
        "consent_read",
        "operation_proposed",
        "action_interrupted",
        "human_said",
        "understood",
        "rewound",
        "run_resumed",
        "run_finished",
        "attempts_compared",
        "confirmed",
        "run_interrupted",
    }
)
"""Types of events that begin a line; verdicts on more than one operation do, too."""
QUIET = frozenset({"effect continue", "effect repair", "subtask continue"})
"""Verdicts that begin no line: verdicts on one operation, shown on its line, and those that only say "continue"."""
WORK = frozenset({"role_replied", "operation_proposed"})
"""Types of events that are work on a subtask."""
Kind = Literal["part", "reply", "operation", "plan", "person", "verdict", "end"]
State = Literal["good", "bad", "warn", "ask", "busy", "plain"]


class Stretch(NamedTuple):
    """The extent of a line: the numbers of its first and its last event. ``part``: the subtask that it heads, or ''."""

    first: int
    last: int
    part: str = ""

    @property
    def id(self) -> str:
        """The id of the line on the page."""
        return f"{'part' if self.part else 'e'}{self.first}"


@dataclass(frozen=True, slots=True)
class StoryLine:
    """The contents of a line. ``text``: what happened; ``what``: its result; ``aside``: figures at its end."""

    at: Stretch
    kind: Kind
    text: Text
    state: State = "plain"
    what: Text = field(default_factory=Text)
    aside: str = ""


def begins(place: EventPlace) -> bool:
    """Whether an event begins a line."""
    return place.type in BEGINS or (place.type == "judged" and place.judged not in QUIET)


def whole(reading: Reading, track: Track) -> list[Stretch]:
    """The lines of a branch from its start, cached: scrolling requests page after page of the same branch."""
    return reading.once(whole, track, lambda: stretches(reading, track))


def stretches(reading: Reading, track: Track, *, after: int = 0, part: str = "") -> list[Stretch]:
    """The lines of a branch after the event ``after``. Events before the first that begins a line belong to no line.
    ``part``: the subtask that was worked on before."""
    found: list[Stretch] = []
    first = 0
    for place in reading.on(track, BEGINS | {"judged"}, after=after):
        if not begins(place):
            continue
        if first:
            found.append(Stretch(first, track.before(place.number)))
        if place.type in WORK and place.lane != part:
            part = place.lane
            if part:
                found.append(Stretch(place.number, place.number, part=part))
        first = place.number
    if first:
        found.append(Stretch(first, track.head))
    return found


def pages(found: Sequence[Stretch]) -> int:
    """The number of pages for these lines."""
    return max(1, -(-len(found) // PAGE))


def lines(reading: Reading, track: Track, found: Sequence[Stretch], goals: dict[str, str]) -> list[StoryLine]:
    """The contents of these lines. ``goals``: the goals of the plan's subtasks, by id."""
    own = {each: numbers_of(reading, track, each) for each in found if not each.part}
    events = {event.number: event for event in reading.events([number for numbers in own.values() for number in numbers])}
    return [
        _heading(each, goals)
        if each.part
        else line(
            reading,
            track,
            each,
            [events[number] for number in own[each]],
            None if _ended(events[number].body for number in own[each]) else _after(reading, track, each),
        )
        for each in found
    ]


def numbers_of(reading: Reading, track: Track, at: Stretch) -> list[int]:
    """The numbers of the events that belong to a line. If there were several lanes, an operation's result may come after
    events of other lanes."""
    place = reading.place(at.first)
    if place.type != "operation_proposed" or not reading.how_many(track, "lanes_opened"):
        return [number for number in range(at.first, at.last + 1) if number in track]
    numbers = [at.first]
    for later in reading.on(track, after=at.first):
        if later.lane == place.lane:
            if begins(later):
                break
            numbers.append(later.number)
    return numbers


def _ended(bodies: Iterable[e.Body]) -> bool:
    """Whether these events tell the result of an operation."""
    return any(isinstance(body, e.ActionFinished | e.OperationDenied | e.OperationSkipped) for body in bodies)


def _after(reading: Reading, track: Track, at: Stretch) -> e.Event | None:
    """The event that begins the line below an operation; None if there is none yet."""
    if at.last == track.head or reading.place(at.first).type != "operation_proposed":
        return None
    number = next((place.number for place in reading.on(track, after=at.last)), 0)
    return reading.event(number) if number else None


def _heading(at: Stretch, goals: dict[str, str]) -> StoryLine:
    return StoryLine(
        at, "part", Text.assemble((f"Subtask {one_line(at.part, 12)}", "bold"), f"  {one_line(goals.get(at.part, ''))}")
    )


def line(reading: Reading, track: Track, at: Stretch, events: Sequence[e.Event], after: e.Event | None = None) -> StoryLine:
    """The contents of a line from its events. ``after``: the first event of the line below, if these tell no result."""
    body = events[0].body
    match body:
        case e.RoleReplied():
            return _reply(at, body)
        case e.OperationProposed():
            text = Text(words(reading, track, at.first, body.operation))
            if body.intention == EDITED:
                text.append(" (changed by you)", "dim")
            line = _operation(at, text, events[1:])
            left = _left(after, started=len(events) > 1) if after is not None and line.state == "busy" else ""
            return replace(line, state="plain", what=Text(left)) if left else line
        case e.AttemptsCompared() | e.Rewound(choice=e.Choice()) | e.Rewound(words_of="crew") | e.FaultFound():
            return StoryLine(at, "verdict", render.lines(events[0])[0], "warn")
        case e.HumanSaid() | e.LimitRaised() | e.Rewound() | e.Confirmed() | e.Understood():
            return StoryLine(at, "person", render.lines(events[0])[0], "ask")
        case e.Judged():
            good = body.verdict.kind in ("accept", "continue")
            state: State = "good" if good else "bad" if body.verdict.kind == "stop" else "warn"
            verdict = body.verdict.model_copy(update={"why": hint(body.verdict.why)})
            return StoryLine(at, "verdict", render.judged(body.model_copy(update={"verdict": verdict}))[0], state)
        case e.PlanPatched():
            told = f"{render.planner(body)}: {counted(len(body.plan.subtasks), 'subtask')}"
            text = Text.assemble(("Plan", "bold"), told)
            return StoryLine(at, "plan", text.append_text(render.because(body.why)))
        case e.LanesOpened():
            return StoryLine(at, "plan", render.lines(events[0])[0])
        case e.GoalSet():
            told = [f"answer {one_line(body.question)!r}"] if body.question else []
            told += [one_line(check.words) for check in body.checks]
            begun = reading.event(track.spans[0].start).body
            assert isinstance(begun, e.RunStarted)
            required = body.contract.requirements if body.contract is not None else ()
            told += [one_line(unless_task(each.says, begun)) for each in required]
            return StoryLine(
                at, "plan", Text.assemble(("Goal", "bold"), f": {'; '.join(told) or 'nothing that can be checked'}")
            )
        case e.ConsentRead():
            told_ = render.lines(events[0]) or [Text("Your task orders nothing that needs approval")]
            return _operation(at, Text("; ".join(one_line(each.plain, 300) for each in told_)), events[1:])
        case e.Proved(states=0):
            return StoryLine(at, "verdict", render.lines(events[0])[0], "plain")
        case e.Proved():
            holding = sum(proof.proven for proof in body.proofs)
            told_ = f": {holding} of {counted(len(body.proofs), 'requirement')} verified"
            return StoryLine(at, "verdict", Text.assemble(("Proof", "bold"), told_), "good" if body.complete else "warn")
        case e.RunFinished():
            good = body.outcome.status == "done"
            doubt = body.outcome.status in ("unverified", "stopped")
            return StoryLine(at, "end", render.lines(events[0])[0], "good" if good else "warn" if doubt else "bad")
        case e.RunInterrupted() | e.ActionInterrupted():
            return StoryLine(at, "end", render.lines(events[0])[0], "bad")
        case _:
            told_ = render.lines(events[0])
            return StoryLine(at, "end", told_[0] if told_ else Text(body.type))


def _reply(at: Stretch, body: e.RoleReplied) -> StoryLine:
    aside = "" if body.model in BY_RULE else seconds(body.seconds)
    who = (one_line(body.role, 40), "bold")
    if body.reply is None:
        return StoryLine(at, "reply", Text.assemble(who, f"  malformed reply: {one_line(body.error)}"), "bad", aside=aside)
    branch = str(body.reply.get("branch") or "Continue")
    said = render.SIGNALS.get(branch, "") if branch != "Continue" else ""
    means = one_line(render.intention(body.reply)) or next(
        (one_line(str(body.reply[name])) for name in ("answer", "problem", "question") if body.reply.get(name)),
        "" if said else _given(body.reply),
    )
    by = " (a rule)" if body.model in BY_RULE else " (you)" if body.model == HUMAN else ""
    return StoryLine(
        at, "reply", Text.assemble(who, (by, "dim"), f"  {means}"), what=Text(said, style="magenta"), aside=aside
    )


def _given(reply: JsonObject) -> str:
    """The first non-empty field of a reply that has no sentence."""
    name, given = next(((name, given) for name, given in reply.items() if given and name != "branch"), ("", None))
    match given:
        case str() if "\n" in given.strip():
            value = counted(given.strip().count("\n") + 1, "line")
        case str():
            value = one_line(given)
        case Sized():
            value = str(len(given))
        case _:
            value = one_line(str(given))
    return f"{name.replace('_', ' ')}: {value}" if name else ""


def _left(after: e.Event, *, started: bool) -> str:
    """Why an operation has no result, from the event ``after`` it; '' if the result may still come. ``started``: whether the
    operation was begun."""
    match after.body:
        case e.RoleReplied(reply=reply) if reply is not None and "ordered" in reply:
            return "first, your task was read for whether it orders this"
        case _ if started:
            return ""
        case e.OperationProposed() as proposed if proposed.intention == EDITED:
            return "you changed it"
        case e.HumanSaid(kind="take_over"):
            return "put off: you took over"
        case e.HumanSaid(kind="pause"):
            return "put off: you paused"
        case _:
            return "not done"


def _operation(at: Stretch, text: Text, events: Sequence[e.Event]) -> StoryLine:
    """An operation in words, and its latest known status."""
    state: State = "busy"
    what, aside, failed = Text(), "", False
    for event in events:
        match event.body:
            case e.OperationDenied() as denied:
                state, what = "bad", Text.assemble(("denied", "bold"), render.because(denied.why))
            case e.OperationSkipped() as skipped:
                state, what = "plain", Text(f"skipped: {one_line(skipped.why)}")
            case e.ActionFinished() as done:
                state, failed = ("good" if done.ok else "bad"), not done.ok
                what, aside = Text(one_line(done.text if done.ok else done.error or done.text)), seconds(done.seconds)
            case e.Observed() as seen if not seen.evidence.empty and not failed:
                what = Text("; ".join(render.evidence(seen.evidence)))
            case e.Judged() as judged if judged.scope == "effect" and judged.verdict.kind != "continue":
                state, what = "warn", render.judged(judged)[0]
            case _:
                pass
    return StoryLine(at, "operation", text, state, what, aside)
