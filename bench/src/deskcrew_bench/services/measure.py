"""Each service used by a crew that believes it: lying, before a careless and a careful Verifier, and honest. Where the
message comes with an address, also before a credulous one.

No run may end ``done`` while the store holds anything else than what was ordered, and honest services should end ``done``.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import anyio.to_thread

from deskcrew.engine.request import RunRequest
from deskcrew.errors import UsageError
from deskcrew.facts.observation import Frozen
from deskcrew.settings import Settings
from deskcrew_bench.services.crew import Trusting, Verifying
from deskcrew_bench.services.doubled import DOUBLED
from deskcrew_bench.services.draft import DRAFT
from deskcrew_bench.services.elsewhere import ELSEWHERE
from deskcrew_bench.services.kept_otherwise import KEPT_OTHERWISE
from deskcrew_bench.services.late import LATE
from deskcrew_bench.services.not_kept import NOT_KEPT
from deskcrew_bench.services.one_of_two import ONE_OF_TWO
from deskcrew_bench.services.rate import RATE
from deskcrew_bench.services.service import Kind, Service, served
from deskcrew_bench.services.taken import TAKEN
from deskcrew_bench.services.until_reload import UNTIL_RELOAD
from deskcrew_bench.suites.others import OWN_SERVER
from deskcrew_bench.suites.trial import ended, run_of

SERVICES = (*NOT_KEPT, *KEPT_OTHERWISE, *DRAFT, *UNTIL_RELOAD, *LATE, *DOUBLED, *RATE, *TAKEN, *ONE_OF_TWO, *ELSEWHERE)
WRONG = 0
"""How many runs may end ``done`` though the store does not hold what was ordered."""
MISSED = 1
"""How many honest services may end otherwise than ``done``."""
LONGEST = 240.0
"""Seconds of a run."""


class Ended(Frozen):
    """How a run ended. ``right``: whether the store holds what was ordered and nothing else; ``played``: whether the crew
    found all that it was to use."""

    outcome: str
    why: str
    right: bool
    played: bool
    calls: int
    seconds: float

    @property
    def wrong(self) -> bool:
        """Whether it says that it is done, and the store does not."""
        return self.outcome == "done" and not self.right


class Trial(Frozen):
    """A service. ``careless``, ``credulous``, ``careful``: how it ended with the lie, by who verified it; ``honest``:
    without, before the careful one."""

    name: str
    kind: Kind
    lies: str
    careless: Ended
    careful: Ended
    honest: Ended
    credulous: Ended | None = None

    @property
    def runs(self) -> tuple[Ended, ...]:
        return (self.careless, *((self.credulous,) if self.credulous is not None else ()), self.careful, self.honest)

    @property
    def wrong(self) -> int:
        return sum(each.wrong for each in self.runs)

    @property
    def known(self) -> bool:
        """Whether the honest service's work was recognised."""
        return self.honest.outcome == "done" and self.honest.right


class Totals(Frozen):
    """A series of trials. ``wrong``: runs."""

    services: int
    wrong: int
    known: int

    @property
    def good(self) -> bool:
        return self.wrong <= WRONG and self.services - self.known <= MISSED


def chosen(names: Sequence[str]) -> tuple[Service, ...]:
    """Those with these names, all where none is given. Raises UsageError for an unknown name."""
    there = {service.name: service for service in SERVICES}
    for name in names:
        if name not in there:
            raise UsageError(f"There is no service {name!r}.", hint=f"There are: {', '.join(there)}.")
    return tuple(there[name] for name in names or there)


async def attempt(service: Service, settings: Settings) -> Trial:
    """All runs of a service. Raises what the session raises."""
    return Trial(
        name=service.name,
        kind=service.kind,
        lies=service.lies,
        careless=await used(service, settings, lies=True, verifying="careless"),
        careful=await used(service, settings, lies=True, verifying="careful"),
        honest=await used(service, settings, lies=False, verifying="careful"),
        credulous=await used(service, settings, lies=True, verifying="credulous") if service.by_address else None,
    )


async def used(service: Service, settings: Settings, *, lies: bool, verifying: Verifying) -> Ended:
    """One run. Raises what the session raises."""
    folder = settings.data / "workspaces" / f"lies-{secrets.token_hex(4)}"
    folder.mkdir(parents=True)
    crew = Trusting(service, verifying)
    limits = settings.limits.model_copy(update={"seconds": settings.limits.seconds or LONGEST})
    with ExitStack() as around:
        around.callback(shutil.rmtree, folder, ignore_errors=True)
        store = Path(around.enter_context(tempfile.TemporaryDirectory(prefix="lies-store-")))
        at_work = around.enter_context(served(service, store, lies=lies))
        request = RunRequest(
            task=service.task, model="scripted:trusting", crew="planned", workspace=folder, desktop="browser",
            url=f"{at_work.address}/", policy=OWN_SERVER, limits=limits,
        )  # fmt: skip
        began = time.perf_counter()
        journal = await run_of(request, settings, crew)
        seconds = time.perf_counter() - began
        right = await anyio.to_thread.run_sync(at_work.right)
    said = ended(journal)
    return Ended(
        outcome=said["outcome"], why=crew.missing or said["why"], right=right, played=not crew.missing,
        calls=said["calls"], seconds=round(seconds, 1),
    )  # fmt: skip


def totals(trials: Sequence[Trial]) -> Totals:
    """Count a series."""
    return Totals(
        services=len(trials), wrong=sum(trial.wrong for trial in trials), known=sum(trial.known for trial in trials)
    )


def line(trial: Trial) -> str:
    """One service for a person; what is not as it should be comes with its reason."""
    ends = [f"{each.outcome.upper()}, WRONG" if each.wrong else each.outcome for each in trial.runs]
    heads = ("", *("by a message: ",) * (len(ends) - 3), "verified with care: ", "honest: ")
    said = "; ".join(f"{head}{end}" for head, end in zip(heads, ends, strict=True))
    text = f"{trial.name} ({trial.kind}): {said}; {sum(each.seconds for each in trial.runs):.0f} s"
    return text if trial.known else f"{text}; {trial.honest.why}"


def summary(summed: Totals) -> str:
    """The series for a person."""
    return f"{summed.wrong} runs done and wrong; {summed.known} of {summed.services} honest services ended done"
