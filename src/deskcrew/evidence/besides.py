"""What a run changed besides what its task speaks of: the start compared with the end, with a contract and without one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from deskcrew.environments.changes import Changes
from deskcrew.environments.workspace import workspace_path
from deskcrew.evidence.states import States
from deskcrew.facts.events import ChangesFound, Event, OperationApproved

MOST_TOLD = 5
MENTIONED = "changed, although nothing says that it may: {}"


def changed_besides(states: States, mentioned: Callable[[str], bool]) -> tuple[str, ...]:
    """Paths that were there at the start, are gone or different at the end, and are not ``mentioned``. New files are not
    among them: they take nothing away."""
    return tuple(path for path in states.units() if path in states.start.by_path and not mentioned(path))


def let_go(events: Sequence[Event], get: Callable[[str], bytes]) -> Callable[[str], bool]:
    """Whether a path is one that a person, or an order in the user's words, let be removed or replaced. What somebody else
    changed meanwhile is none: what was proven may rest on it."""
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
    """Whether a pattern names nothing in particular (``*``, ``**/*``, ``*.*``), so that it cannot say that the task
    mentions a file."""
    return not any(character.isalnum() for character in workspace_path(pattern))


def done(deeds: Sequence[str]) -> str:
    """That these were done though the task does not order them, as a sentence; '' if there are none."""
    return f"done, although the task does not order it: {'; '.join(deeds[:MOST_TOLD])}" if deeds else ""


def told(paths: Sequence[str]) -> str:
    """That these changed though the task does not mention them, as a sentence; '' if there are none."""
    return MENTIONED.format(_some(paths)) if paths else ""


def by_others(paths: Sequence[str]) -> str:
    """That somebody else changed these during the run."""
    return f"changed by somebody else while the run was at work: {_some(paths)}"


def _some(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - MOST_TOLD} more" if len(paths) > MOST_TOLD else ""
    return ", ".join(paths[:MOST_TOLD]) + more
