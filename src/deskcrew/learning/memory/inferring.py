"""Facts that are inferred from what a run did, proposed to the person, and kept once accepted (F7, F8).

No model is called, and no text that was read can become a fact: facts consist of names of installed programs, file name
suffixes, and folders that the task itself names. Until a fact is accepted it is a withdrawn entry, so nothing recalls it. A
declined fact is not proposed again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from deskcrew.actions import action_of
from deskcrew.errors import UsageError
from deskcrew.facts.events import Operation
from deskcrew.facts.texts import stands_alone
from deskcrew.facts.verdict import VerifiedBy
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import Turn
from deskcrew.learning.memory.declaring import declare
from deskcrew.learning.memory.entry import Entry, entry_id
from deskcrew.learning.memory.foreign import Foreign
from deskcrew.learning.memory.store import Memory

PENDING = "proposed; it does not count until it is accepted"
"""The reason why a proposed entry is withdrawn."""
MOST = 3
"""The maximum number of facts that one run proposes."""
SEEN: tuple[VerifiedBy, ...] = ("rules", "probe", "human")
"""Who must have verified that the run is done: a model's word alone is not enough."""
_LONGEST_ENDING = 9
"""The maximum length of a suffix in characters, with its dot."""


def inferred(journal: Journal, *, created: float, named: bool) -> list[Entry]:
    """The facts that an ended run proposes. ``named``: whether the person chose its folder; if not, none is about that."""
    state = journal.state
    if state.outcome is None or state.outcome.status != "done" or state.outcome.verified_by not in SEEN:
        return []
    found: dict[str, Entry] = {}
    foreign = Foreign(journal, state.task)
    for turn in state.turns:
        for done in turn.done:
            for text, here in _facts(journal, done.operation, named=named) if done.ok else ():
                if not foreign.repeated(text, until=done.number):
                    entry = _entry(journal, text, turn, foreign.origins(until=done.number), created, here=here)
                    found.setdefault(entry.id, entry)
    return list(found.values())[:MOST]


def accept(memory: Memory, proposal: Entry, *, now: float) -> Entry:
    """Keep a proposed fact, as if the person had declared it. Raises UsageError if the entry is not proposed, MemoryFailure
    if memory cannot be used."""
    check_proposed(proposal)
    kept = declare(memory, proposal.situation, scope=proposal.scope, place=proposal.place, now=now)
    memory.forget([proposal.id])
    return kept


def decline(memory: Memory, proposal: Entry) -> None:
    """Forget a proposed fact, so that it is not proposed again. Raises the same errors as :func:`accept`."""
    check_proposed(proposal)
    memory.forget([proposal.id])


def proposed(entry: Entry) -> bool:
    """Whether an entry waits for a person's decision."""
    return entry.verdict == "proposed" and entry.withdrawn == PENDING


def check_proposed(entry: Entry) -> None:
    """Raise UsageError if an entry is not proposed."""
    if not proposed(entry):
        raise UsageError(
            f"The entry {entry.id} is not proposed.", hint="See those that are: deskcrew memory list --proposed"
        )


def _facts(journal: Journal, operation: Operation, *, named: bool) -> Iterator[tuple[str, bool]]:
    """The general facts that a successful operation suggests, each with whether it is only about the run's folder."""
    state = journal.state
    there = state.started.applications if state.started is not None else ()
    app, file = str(operation.params.get("app_name") or ""), str(operation.params.get("file") or "")
    action = action_of(operation)
    if action is None:
        return
    if action.gesture == "start" and app in there and (ending := _ending(file)):
        yield f"Files ending in {ending} are opened with {app}.", False
    name = next((name for name in action.writes if name != "folder"), "")
    goal = str(operation.params.get(name) or "")
    folder = str(PurePosixPath(goal).parent)
    if named and (ending := _ending(goal)) and folder != "." and _stands_in(folder, state.task):
        yield f"Files ending in {ending} are kept in {folder}.", True


def _stands_in(folder: str, task: str) -> bool:
    """Whether the task names the folder, and not just something whose name contains the folder's."""
    return stands_alone(folder, task, before="/.-", after="-")


def _ending(path: str) -> str:
    """The suffix of a file's name; '' if it has no usual one."""
    suffix = PurePosixPath(path).suffix.lower()
    return suffix if len(suffix) <= _LONGEST_ENDING and suffix[1:].isascii() and suffix[1:].isalnum() else ""


def _entry(journal: Journal, text: str, turn: Turn, origins: tuple[str, ...], created: float, *, here: bool) -> Entry:
    begun = journal.state.started
    place = begun.workspace if here and begun is not None else ""
    return Entry(
        # The same for the same fact, whichever run proposes it: what was declined stays declined.
        id=entry_id("proposed", text, place, person=begun.person if begun is not None else ""),
        kind="fact",
        scope="workspace" if here else "user",
        place=place,
        situation=text,
        verdict="proposed",
        run=journal.run,
        reply=turn.number,
        origins=origins,
        created=created,
        withdrawn=PENDING,
    )
