"""Advice on the page of a run that is not done: the error, what was tried, and what would help, each with its link.

The sentences are those of the terminal (``ways_in/report/advice.py``); a command becomes a link to the page that does the
same.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from urllib.parse import quote

from deskcrew.facts.events import RunStarted
from deskcrew.journal.reading import Reading, Track
from deskcrew.ways_in.report.advice import AdviceStep, advice
from deskcrew.ways_in.report.text import clean
from deskcrew.ways_in.web.wording import full, hint, sentence

MOST = 5000
"""The maximum number of events read for the advice, the latest, since it follows from the end of a run."""
LOOKED_AT = frozenset(
    {
        "run_started",
        "run_resumed",
        "run_finished",
        "rewound",
        "attempts_shown",
        "plan_patched",
        "role_replied",
        "operation_proposed",
        "judged",
        "operation_denied",
        "action_started",
        "understood",
    }
)


@dataclass(frozen=True, slots=True)
class LinkedAdvice:
    """Something that would help. ``link``: the page for it, '' if there is none; ``command``: what to enter at a terminal
    instead, '' if nothing."""

    words: str
    link: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class Help:
    """The advice on a page. ``tried``: the error, and what was tried; ``ways``: what would help."""

    tried: str
    ways: tuple[LinkedAdvice, ...]


def help_for(reading: Reading, track: Track, run: str) -> Help | None:
    """The advice for a branch that has ended; None if there is none. Blocking."""

    def found() -> Help | None:
        numbers = [place.number for place in reading.on(track, LOOKED_AT)]
        events = reading.events([*numbers[:1], *numbers[1:][-MOST:]])
        begun, told = events[0].body, advice(run, events)
        if told is None or not isinstance(begun, RunStarted):
            return None
        return Help(full(hint(clean(told.tried))), tuple(_way(step, run, begun.task) for step in told.steps))

    return reading.once(help_for, track.head, found)


def _way(step: AdviceStep, run: str, task: str) -> LinkedAdvice:
    # They stand side by side: each is one of them.
    words, asked = sentence(hint(step.words.removesuffix(":").removeprefix("Or "))), shlex.split(step.command)[1:]
    base = f"/runs/{quote(run, safe='')}"
    match asked:
        case []:
            return LinkedAdvice(words, f"/start?like={quote(run, safe='')}")
        case ["rewind", _, number, *_] if number.isdigit():
            return LinkedAdvice(words, f"{base}?event={number}&back=true")
        case ["show", _, number, *_] | ["policy", "explain", _, number, *_] if number.isdigit():
            return LinkedAdvice(words, f"{base}?event={number}")
        case ["log", *_]:
            return LinkedAdvice(words, f"{base}/timeline")
        case ["confirm", *_]:
            return LinkedAdvice("If it is right, say so above: “It holds”.")
        case ["skill", "try" | "use", skill, *_]:
            return LinkedAdvice(words, f"/skills/{quote(skill, safe='')}?like={quote(run, safe='')}")
        case ["run", other, *_]:
            given = f"&task={quote(other, safe='')}" if other != task else ""
            return LinkedAdvice(words, f"/start?like={quote(run, safe='')}{given}")
        case ["skill", "list", "--shipped"]:
            return LinkedAdvice(words, "/skills/shipped")
        case ["skill", "list"]:
            return LinkedAdvice(words, "/skills")
        case ["policy", *_]:
            return LinkedAdvice(words, "/policy")
        case ["teach", *_]:
            return LinkedAdvice(words, "/skills#teach")
        case ["branch", *_]:
            return LinkedAdvice("See the attempts, and continue another one", f"{base}/branches")
        case ["undo", *_]:
            return LinkedAdvice(words, f"{base}/undo")
        case ["replay", *_]:
            return LinkedAdvice(words, f"{base}/replay")
        case ["resume", _, "--model", *_] | ["models", *_]:
            return LinkedAdvice(words, f"/start?like={quote(run, safe='')}")
        case ["resume", _, "--limit", *_]:
            return LinkedAdvice("Choose Continue above, and you are asked whether it may use as much again.")
        case ["resume", _]:
            return LinkedAdvice("Once that is fixed, choose Continue above to go on from here.")
        case _:
            return LinkedAdvice(f"{words}, at a terminal:", "", step.command)
