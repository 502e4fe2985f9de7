"""Prompt, reply, observation and picture of an event, read from its blobs. For ``deskcrew show``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import JsonValue
from rich.console import RenderableType
from rich.text import Text

from deskcrew.errors import JournalError, UsageError
from deskcrew.facts import events as e
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.observation import Control, Frozen, Observation
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import look_of
from deskcrew.ways_in.report import render
from deskcrew.ways_in.report.text import clean, moment, one_line, size, some

B = TypeVar("B", bound=Frozen)
Found = tuple[int, B]
"""The number of an event, and its body."""
LISTED = 20
"""How many events a hint names at most."""


def altered(run: str, problems: Sequence[str]) -> str:
    """The warning that a run's record was altered, with the first problem; '' if there are no problems."""
    if not problems:
        return ""
    more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
    return f"✗ The record is not what was written: {clean(problems[0])}{more}. See: deskcrew verify {run}"


def unproven(journal: Journal) -> str:
    """A warning that the shown texts of a run are unproven, if it was redacted before it was imported; else ''."""
    count = len(journal.redacted)
    if not count:
        return ""
    which = "it" if count == len(journal.all) else f"{count} of its {len(journal.all)} events"
    return f"redacted: the contents shown for {which} are not proven; only order, kinds and times of the events are"


def _there(journal: Journal, found: Found[B], what: str) -> Found[B]:
    """Return ``found``. Raises UsageError if the event was redacted."""
    number = found[0]
    if journal.event(number).id in journal.redacted:
        raise _taken_out(journal, what, number)
    return found


def _taken_out(journal: Journal, what: str, number: int) -> UsageError:
    return UsageError(
        f"The {what} of event {number} was left out: run {journal.run} was exported without texts and pictures.",
        hint="Ask for an export without --redact-text and import it: that restores them.",
    )


def _last(journal: Journal, number: int, kind: type[B], what: str, role: str = "") -> Found[B]:
    """The last event of a kind at or before ``number``. Raises UsageError if there is none."""
    for event in reversed(journal.lineage(number)):
        body = event.body
        if isinstance(body, kind) and (not role or getattr(body, "role", "") == role):
            return event.number, body
    there = [str(event.number) for event in journal.events if isinstance(event.body, kind)]
    hint = f"These events have one: {some(there, LISTED)}." if there else "No event of the run has one."
    raise UsageError(f"There is no {what} at or before event {number}.", hint=hint)


def call_at(journal: Journal, number: int) -> Found[e.RoleCalled]:
    """The call that an event belongs to: for a reply the call that it answers, else the last call up to the event. Raises
    UsageError if there is none, or it was redacted."""
    event = journal.event(number)
    for call in journal.all[:number] if isinstance(event.body, e.RoleReplied) else ():
        if call.id == event.header.cause and isinstance(call.body, e.RoleCalled):
            return _there(journal, (call.number, call.body), "prompt")
    role = event.body.role if isinstance(event.body, e.RoleReplied) else ""
    return _there(journal, _last(journal, number, e.RoleCalled, "prompt", role), "prompt")


def reply_at(journal: Journal, number: int) -> Found[e.RoleReplied]:
    """The reply that an event belongs to: for a call the reply that answers it, else the last reply up to the event. Raises
    UsageError if there is none, or it was redacted."""
    asked = journal.event(number)
    if isinstance(asked.body, e.RoleCalled):
        for event in journal.all[number:]:
            mine = event.header.lane == asked.header.lane
            if isinstance(event.body, e.RoleReplied) and mine and event.body.role == asked.body.role:
                return _there(journal, (event.number, event.body), "reply")
            if isinstance(event.body, e.RoleCalled) and mine:
                break
        raise UsageError(f"No reply to call #{number} was recorded.", hint="The run was stopped, or is still waiting.")
    return _there(journal, _last(journal, number, e.RoleReplied, "reply"), "reply")


def look_at(journal: Journal, number: int) -> Found[e.Observed]:
    """The last observation at or before an event, at its lane's desk. Raises UsageError if there is none, or redacted."""
    found = look_of(reversed(journal.lineage(number)), journal.event(number).header.lane)
    if found is None or not isinstance(found.body, e.Observed):
        return _there(journal, _last(journal, number, e.Observed, "observation"), "observation")
    return _there(journal, (found.number, found.body), "observation")


def picture_at(journal: Journal, number: int) -> Found[e.Observed]:
    """The last observation with a picture at or before an event, at its lane's desk. Raises UsageError if there is none, or
    it was redacted."""
    pictures = (
        event
        for event in reversed(journal.lineage(number))
        if isinstance(event.body, e.Observed) and (event.body.screenshot or event.id in journal.redacted)
    )
    found = look_of(pictures, journal.event(number).header.lane)
    if found is not None and found.id in journal.redacted:
        raise _taken_out(journal, "screenshot, if there was one,", found.number)
    if found is not None and isinstance(found.body, e.Observed):
        return found.number, found.body
    raise UsageError(
        f"There is no screenshot at or before event {number}.",
        hint="Only runs with a desktop have pictures, and not at every observation.",
    )


def _heading(text: str) -> Text:
    return Text(f"── {text} ──", style="bold")


def prompt_json(journal: Journal, call: Found[e.RoleCalled]) -> JsonObject:
    """The prompt as data; pictures are given by their blob's digest and their size in bytes."""
    number, body = call
    parts: list[JsonValue] = []
    for part in body.parts:
        data = journal.read_blob(part.blob)
        held = {"text": data.decode(errors="replace")} if part.kind == "text" else {"bytes": len(data)}
        parts.append({"zone": part.zone, "kind": part.kind, "blob": part.blob, **held})
    schema = journal.read_blob(body.schema_blob).decode(errors="replace") if body.schema_blob else None
    call_facts = body.model_dump(mode="json", exclude={"parts", "schema_blob", "type"})
    return {"number": number, **call_facts, "parts": parts, "schema": schema}


def prompt_text(journal: Journal, call: Found[e.RoleCalled]) -> list[RenderableType]:
    """The prompt part by part, each under the name of its zone."""
    number, body = call
    facts = f"model {body.model or 'unknown'}, up to {body.max_tokens} tokens, temperature {body.temperature:g}"
    facts += f", seed {body.seed}" if body.seed is not None else ""
    pieces: list[RenderableType] = [
        Text(f"prompt of #{number}: {one_line(body.role, 40)}, attempt {body.attempt}", style="bold"),
        Text(one_line(facts), style="dim"),
    ]
    for part in body.parts:
        data = journal.read_blob(part.blob)
        pieces.append(_heading(part.zone))
        text = data.decode(errors="replace") if part.kind == "text" else f"[picture, {size(len(data))}, {part.blob[:12]}]"
        pieces.append(Text(clean(text)))
    if body.schema_blob:
        pieces += [_heading("form of the reply"), Text(clean(journal.read_blob(body.schema_blob).decode(errors="replace")))]
    return pieces


def reply_json(journal: Journal, reply: Found[e.RoleReplied]) -> JsonObject:
    """The reply as data, with the exact text."""
    number, body = reply
    raw = journal.read_blob(body.raw).decode(errors="replace") if body.raw else None
    return {"number": number, **body.model_dump(mode="json", exclude={"raw", "type"}), "raw": raw}


def reply_text(journal: Journal, reply: Found[e.RoleReplied]) -> list[RenderableType]:
    """The exact text of the reply; its fields if the text was not kept."""
    number, body = reply
    pieces: list[RenderableType] = [Text(f"reply #{number}: {one_line(body.role, 40)}", style="bold")]
    if body.error:
        pieces.append(Text(f"malformed: {clean(body.error)}", style="red"))
    if body.raw:
        return [*pieces, Text(clean(journal.read_blob(body.raw).decode(errors="replace")))]
    return [*pieces, Text(clean(json.dumps(body.reply, indent=2, ensure_ascii=False)))]


def observation_of(journal: Journal, look: Found[e.Observed]) -> Observation:
    """The observation that an event recorded. Raises JournalError if it cannot be read."""
    number, body = look
    try:
        return Observation.model_validate_json(journal.read_blob(body.observation))
    except ValueError as error:
        raise JournalError(f"The observation of #{number} cannot be read: it was written by another version.") from error


def observation_json(journal: Journal, look: Found[e.Observed]) -> JsonObject:
    """The observation as data."""
    return {"number": look[0], **observation_of(journal, look).model_dump(mode="json")}


def observation_text(journal: Journal, look: Found[e.Observed]) -> list[RenderableType]:
    """The observation as text: windows, controls, text and files, one per line."""
    seen = observation_of(journal, look)
    pieces: list[RenderableType] = [Text(f"observation #{look[0]}", style="bold")]
    if seen.screen is not None:
        pieces.append(Text(f"screen {seen.screen.width} x {seen.screen.height}, scale {seen.screen.scale:g}", style="dim"))
    if seen.windows:
        pieces.append(_heading("windows, topmost first"))
    for window in seen.windows:
        state = "".join(f" ({word})" for word, holds in _states(window.active, window.dialog, window.responding) if holds)
        pieces.append(Text(f"{window.id}  {one_line(window.title)} [{one_line(window.app, 40)}]{state}"))
    if seen.controls:
        pieces.append(_heading(f"controls{f', focus on {one_line(seen.focus, 40)}' if seen.focus else ''}"))
    pieces += [_control(control) for control in seen.controls]
    if seen.text:
        pieces += [_heading("text"), Text(clean(seen.text))]
    if seen.clipboard:
        pieces += [_heading("clipboard"), Text(clean(seen.clipboard))]
    if seen.files:
        pieces.append(_heading("files"))
    for file in seen.files:
        end = "/" if file.kind == "folder" else f"  {size(file.size)}" if file.kind == "file" else f"  ({file.kind})"
        pieces.append(Text(one_line(file.path, 300) + end))
    return pieces


def _states(active: bool, dialog: bool, responding: bool) -> tuple[tuple[str, bool], ...]:
    return ("active", active), ("dialog", dialog), ("not responding", not responding)


def _control(control: Control) -> Text:
    text = Text.assemble(
        (f"{one_line(control.label, 30)}  ", "bold cyan"), f"{one_line(control.role, 40)} {one_line(control.name)!r}"
    )
    if control.value is not None:
        text.append(f" = {one_line(control.value)!r}")
    if control.states:
        text.append(f"  {', '.join(one_line(s, 30) for s in control.states)}", style="dim")
    if control.operations:
        text.append(f"  may be: {', '.join(control.operations)}", style="dim")
    box = control.box
    return text.append(f"  at {box.x},{box.y} {box.width}x{box.height}", style="dim")


def picture_of(journal: Journal, look: Found[e.Observed], *, marks: bool) -> bytes:
    """The observation's picture, a PNG. ``marks``: draw each control's label on it. Raises JournalError if damaged."""
    picture = journal.read_blob(look[1].screenshot)
    if not marks:
        return picture
    # Imported here: it brings the picture library along, which only this option needs.
    from deskcrew.environments.marks import marks as marked

    try:
        return marked(observation_of(journal, look).model_copy(update={"screenshot": picture}))
    except (OSError, ValueError) as error:
        raise JournalError(f"The picture of #{look[0]} cannot be read: {error}.") from error


def write_picture(journal: Journal, look: Found[e.Observed], path: Path, *, marks: bool) -> None:
    """Write the observation's picture to ``path``; see :func:`picture_of`. Raises UsageError if that cannot be written."""
    picture = picture_of(journal, look, marks=marks)
    try:
        path.write_bytes(picture)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.", hint="Name another file.") from error


def written(look: Found[e.Observed], path: Path) -> list[RenderableType]:
    """The line that says where the picture was written."""
    return [Text(f"the picture of #{look[0]} is in {clean(str(path))}")]


def fields(event: e.Event, *, redacted: bool = False) -> list[RenderableType]:
    """Every field of an event, or a proof in words, and the options of `show` that print more. ``redacted``: its texts were
    removed."""
    head = event.header
    pieces: list[RenderableType] = [
        Text(f"#{event.number} {head.type}  {moment(head.time)}", style="bold"),
        Text(f"id {event.id}", style="dim"),
    ]
    if redacted:
        pieces.append(Text("redacted: the fields below are not proven; only what stands above is", style="yellow"))
    if head.lane:
        pieces.append(Text(f"subtask {one_line(head.lane)}", style="dim"))
    if isinstance(event.body, e.Proved):
        copies = [("rejected", each) for each in event.body.rejected] + [
            ("accepted", each) for each in event.body.strength.loose
        ]
        told = [Text(clean(f"{what}: {each}")) for what, each in copies]
        return [*pieces, *render.proved(event.body), *told]
    body = event.body.model_dump(mode="json", exclude={"type"})
    for name, value in body.items():
        if value in (None, "", [], {}):
            continue
        shown = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
        pieces.append(Text.assemble((f"{name}: ", "bold"), clean(shown)))
    options = ""
    if isinstance(event.body, e.RoleCalled | e.RoleReplied):
        options = "--prompt, --reply"
    elif isinstance(event.body, e.Observed):
        options = "--observation, --screenshot FILE"
    if options and not redacted:
        pieces.append(Text(f"more with {options}", style="dim"))
    return pieces
