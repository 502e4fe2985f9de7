"""Results that a program wrote into a file without printing them; they count if the task also asks a question."""

from __future__ import annotations

from collections.abc import Callable

from deskcrew.errors import ActionError
from deskcrew.journal.fold import OUTPUT_ACTIONS, RunState
from deskcrew.journal.records import Collected
from deskcrew.observation import Observation

LONGEST = 400
"""The longest file that may be an answer, in characters."""
_TEXTS = (".txt", ".md", ".csv", ".json", ".log")


def written_results(state: RunState, now: Observation, text_of: Callable[[str], str]) -> list[Collected]:
    """The only text file written by the last program, which printed nothing, as if it were its output. Nothing if other
    output was collected, or if the file was changed since."""
    if any(found.kind == "output" for found in state.collected):
        return []
    ran = [(turn, done) for turn in state.turns for done in turn.done if done.ok]
    turn, last = next(
        ((turn, done) for turn, done in reversed(ran) if done.operation.function in OUTPUT_ACTIONS), (None, None)
    )
    if turn is None or last is None or last.text.strip() or not last.reads:
        return []
    there = {entry.path for entry in now.files if entry.kind == "file"}
    files = [path for path in last.files if path in there and path.lower().endswith(_TEXTS)]
    if len(files) != 1 or any(files[0] in done.files for _, done in ran if done.number > last.number):
        return []
    try:
        text = text_of(files[0])
    except ActionError:
        return []
    if not 0 < len(text.strip()) <= LONGEST:
        return []
    return [Collected(last.event, last.number, turn.role, turn.subtask, "output", text, last.reads)]
