"""What the crew says of its work, for the user: nothing was proven of it, and it proves nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from deskcrew.journal.fold import RunState
from deskcrew.journal.records import Turn


def account(state: RunState, heard: Callable[[str], bool]) -> str:
    """What the roles say that are ``heard`` (by name), a paragraph for each part of the plan. If the current plan has none,
    those of earlier plans: work that did not succeed leaves results too. '' if nobody said anything.

    Of a part it is the last answer that was given. Where there is none, not every role being asked for one, it is what was
    found out: of a finished part what was noted in finishing it, since the rest was noted for the work itself.
    """
    turns: dict[str, list[Turn]] = {}
    for turn in state.turns:
        if turn.subtask is not None and "operations" in turn.reply and heard(turn.role):
            turns.setdefault(turn.subtask, []).append(turn)
    done = {part.id: part.status == "done" for part in state.plan.subtasks}
    told = {part: text for part, own in turns.items() if (text := _told(own, finished=done.get(part, True)))}
    current = [text for part, text in told.items() if part in done]
    return "\n".join(dict.fromkeys(current or told.values()))


def _told(turns: Sequence[Turn], *, finished: bool) -> str:
    noted = turns[-1:] if finished else turns
    said = (str(turn.reply.get("answer") or "").strip() for turn in reversed(turns))
    found = (str(turn.reply.get("information") or "").strip() for turn in reversed(noted))
    return next((text for text in (*said, *found) if text), "")
