"""Changes that a run made beyond what its task mentions, found by comparing the start with the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from deskcrew.environments.changes import Changes
from deskcrew.environments.workspace import workspace_path
from deskcrew.evidence.states import States
from deskcrew.facts.events import ChangesFound, Event, OperationApproved

MOST_TOLD = 5
MENTIONED = "changed, although nothing asks for that: {}"


def changed_besides(states: States, mentioned: Callable[[str], bool]) -> tuple[str, ...]:
    """The paths that were there at the start, are gone or different at the end, and are not ``mentioned``. New files are
    left out: they take nothing away."""
    return tuple(path for path in states.units() if path in states.start.by_path and not mentioned(path))


def let_go(events: Sequence[Event], get: Callable[[str], bytes]) -> Callable[[str], bool]:
    """Return a function that tells whether a path may be removed or replaced, because a person approved it or the user's
    words order it. What somebody else changed meanwhile is not included: a proof may rest on it."""
    found = {event.id: event.body.changes for event in events if isinstance(event.body, ChangesFound)}
    paths: set[str] = set()
    for event in events:
        if not isinstance(body := event.body, OperationApproved) or body.by == "policy" or body.risk != "destroy":
            continue
        if (changes := found.get(event.header.cause or "")) is not None:
            paths.update(each.path for each in Changes.model_validate_json(get(changes)).destroyed)
        elif body.bound is not None:
            paths.update(each.path for each in body.bound.files)
    return lambda path: any(path == each or path.startswith(f"{each}/") for each in paths)


def covers_all(pattern: str) -> bool:
    """Whether a pattern names nothing in particular (``*``, ``**/*``, ``*.*``), and so does not mention any file."""
    return not any(character.isalnum() for character in workspace_path(pattern))


def done(deeds: Sequence[str]) -> str:
    """A sentence saying that these deeds were done without an order in the task; '' if there are none."""
    return f"done, although the task does not order it: {'; '.join(deeds[:MOST_TOLD])}" if deeds else ""


def told(paths: Sequence[str]) -> str:
    """A sentence saying that these paths changed although the task does not mention them; '' if there are none."""
    return MENTIONED.format(_some(paths)) if paths else ""


def by_others(paths: Sequence[str]) -> str:
    """A sentence saying that somebody else changed these paths during the run."""
    return f"changed by somebody else while the run was at work: {_some(paths)}"


def _some(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - MOST_TOLD} more" if len(paths) > MOST_TOLD else ""
    return ", ".join(paths[:MOST_TOLD]) + more
