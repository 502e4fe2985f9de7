"""The crew's own account of its work, for the user. It is not proven, and it proves nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from deskcrew.evidence.decoys import values_of
from deskcrew.journal.fold import RunState
from deskcrew.journal.records import Turn


def account(state: RunState, roles: Collection[str]) -> str:
    """The last answer that these roles gave for each subtask, one paragraph per subtask; '' if nobody said anything.

    If no subtask of the current plan has anything to say, those of earlier plans are used, because failed work leaves
    results too. A subtask without an answer (not every role is asked for one) is represented by the information that was
    noted. For a finished subtask only the last reply's note is used, because earlier notes were meant for the work itself.
    Of an outdated answer nothing with a figure is used: the operations may have shown another one.
    """
    outdated = {found.number for found in state.collected_by("answer") if found.outdated}
    turns: dict[str, list[Turn]] = {}
    for turn in state.turns:
        if turn.subtask is not None and "operations" in turn.reply and turn.role in roles:
            turns.setdefault(turn.subtask, []).append(turn)
    done = {part.id: part.status == "done" for part in state.plan.subtasks}
    told = {part: text for part, own in turns.items() if (text := _told(own, outdated, finished=done.get(part, True)))}
    current = [text for part, text in told.items() if part in done]
    return "\n".join(dict.fromkeys(current or told.values()))


def _told(turns: Sequence[Turn], outdated: Collection[int], *, finished: bool) -> str:
    noted = turns[-1:] if finished else turns
    said = [(turn.number, str(turn.reply.get("answer") or "").strip()) for turn in reversed(turns)]
    said += [(turn.number, str(turn.reply.get("information") or "").strip()) for turn in reversed(noted)]
    return next((text for number, text in said if text and not (number in outdated and values_of(text))), "")
