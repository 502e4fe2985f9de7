"""Each family done once, kept as a skill and tried; then its variants: with the skill, without it, with a wrong one.

Nothing else is remembered in any of them: what is compared is the skill alone. Or long-term memory alone: what was proven of
all families is remembered, no skill is kept, and the variants are done with and without what is recalled.
"""

from __future__ import annotations

import secrets
import shutil
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from deskcrew.errors import UsageError
from deskcrew.events import Recalled, RoleReplied
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import RULES
from deskcrew.models.client import Model
from deskcrew.observation import Frozen
from deskcrew.replay.live import LiveRequest
from deskcrew.request import RunRequest, own_skills
from deskcrew.settings import Settings
from deskcrew.skills import folders
from deskcrew.skills.offering import action_name
from deskcrew.skills.skill import Skill
from deskcrew.skills.trials import OFFERED, Trial, Trials
from deskcrew.workshop.keeping import Corrections, keep
from deskcrew.workshop.trying import request_for, try_skill
from deskcrew_bench.again.family import Family, Variant, first
from deskcrew_bench.again.strong import Strong
from deskcrew_bench.suites.totals import interval
from deskcrew_bench.suites.trial import LONGEST, ended, run_of

VARIANTS = 4
"""Of each family; the last one is asked for in other words."""
ALONE = "solo"
"""Who does them where memory is compared: a role recalls what was its own only, and this one is in every model's crew."""
TAUGHT = 2
"""Variants of each family that are proven, and remembered, before others are done with memory alone."""
How = Literal["skill", "nothing", "wrong skill", "memory"]
STRONG = "strong"
"""The name of the hand-written replies among models."""


class Attempt(Frozen):
    """One variant. ``how``: with what; ``offered``: there was a skill to offer; ``used``: steps of one were done, or a role
    was shown what earlier runs had taught.
    ``tokens``: of all prompts and replies; of a scripted model a fourth of the letters."""

    family: str
    kind: str
    variant: int
    how: How
    model: str
    run: str
    right: bool
    said: str
    outcome: str
    why: str
    calls: int
    tokens: int
    seconds: float
    offered: bool
    used: bool

    @property
    def success(self) -> bool:
        """Done and right."""
        return self.right and self.outcome == "done"

    @property
    def false(self) -> bool:
        """Done and wrong."""
        return self.outcome == "done" and not self.right


class Kept(Frozen):
    """What became of a family's first run. ``seeds``: of this run, of the trial, and of the variants; ``score`` 0 and
    ``why``: it became no skill."""

    family: str
    seeds: tuple[int, ...]
    score: int = 0
    why: str = ""


class Bench:
    """``settings``: where runs are written down; the skills of each family lie apart from the user's. ``crew``: who does
    the chores, '' for that of the settings."""

    def __init__(self, settings: Settings, crew: str = "") -> None:
        self.settings, self.crew = settings, crew or settings.crew
        self.place = settings.data / "again" / secrets.token_hex(4)

    def _with(self, family: Family, how: How) -> Settings:
        folder = self.place / family.name / how.replace(" ", "-")
        # What is remembered of one family is there in the variants of all.
        data = self.place / "memory" if how == "memory" else self.settings.data
        return self.settings.model_copy(update={"config": folder, "data": data})

    def _folder(self, family: Family) -> Path:
        folder = self.settings.data / "workspaces" / f"again-{family.name}-{secrets.token_hex(3)}"
        folder.mkdir(parents=True)
        return folder

    async def keep(self, family: Family) -> Kept:
        """Do it once by hand, keep that, and try it on a second input."""
        looked = self.place / family.name / "seeds"
        seeds = first(family.seeds(looked), 2 + VARIANTS)
        shutil.rmtree(looked)
        settings, folder = self._with(family, "skill"), self._folder(family)
        variant = family.make(seeds[0], folder)
        request = self._request(family, variant, folder)
        journal = await run_of(request, settings, Strong(family, variant))
        outcome = journal.state.outcome
        if outcome is None or outcome.status != "done":
            return Kept(family=family.name, seeds=seeds, why=f"{outcome.why if outcome else journal.state.interrupted}")
        try:
            named = Corrections(params=[f"{name}={value}" for name, value in family.parameters(variant).items()])
            skill = keep(journal, settings, own_skills(settings), family.name, corrections=named)
        except UsageError as error:
            return Kept(family=family.name, seeds=seeds, why=str(error))
        folder = self._folder(family)
        variant = family.make(seeds[1], folder)
        again = self._request(family, variant, folder)
        live = LiveRequest(
            replace(request_for(skill, settings), workspace=folder, opened=again.opened, screen=again.screen,
                    limits=again.limits, desktop=again.desktop)
        )  # fmt: skip
        tried = await try_skill(skill, family.parameters(variant), live, settings)
        ending = tried.live.journal.state.outcome
        return Kept(family=family.name, seeds=seeds, score=tried.score[1], why=ending.why if ending is not None else "")

    async def teach(self, family: Family) -> Kept:
        """Do some variants by hand, and have them remembered. ``Kept.score``: how many of them were proven."""
        looked = self.place / family.name / "seeds"
        seeds = first(family.seeds(looked), TAUGHT + VARIANTS)
        shutil.rmtree(looked)
        done, why = 0, ""
        for seed in seeds[:TAUGHT]:
            folder = self._folder(family)
            variant = family.make(seed, folder)
            request = replace(self._request(family, variant, folder), memory="on")
            journal = await run_of(request, self._with(family, "memory"), Strong(family, variant))
            outcome = journal.state.outcome
            proven = outcome is not None and outcome.status == "done"
            done, why = done + proven, why if proven else outcome.why if outcome is not None else "it did not end"
        return Kept(family=family.name, seeds=seeds, score=done, why=why)

    def _skill(self, family: Family) -> Skill | None:
        """What it became; None: nothing."""
        place = self._with(family, "skill").config / folders.FOLDER / family.name
        return folders.load(folders.read(place, "user")) if place.is_dir() else None

    def mistake(self, family: Family, other: Family) -> bool:
        """Have another family's skill pass for this one's, proven twice. False: there is none."""
        settings, skill = self._with(family, "wrong skill"), self._skill(other)
        if skill is None:
            return False
        shutil.rmtree(settings.config, ignore_errors=True)
        files = folders.files_of(family.name, family.document.wording, skill.method, "Words.")
        folders.write(settings.config / folders.FOLDER / family.name, files)
        digest = folders.digest_of(files)
        for number in range(2):
            Trials(settings.config).add(digest, Trial(run="on purpose", input=str(number), done=True))
        return True

    async def attempt(
        self, family: Family, number: int, seed: int, how: How, *, model: str = STRONG, loaded: Model | None = None
    ) -> Attempt:
        """Variant ``number`` (from 1 on). ``loaded``: the model of that name; None: the hand-written replies."""
        settings, folder = self._with(family, how), self._folder(family)
        variant = family.make(seed, folder, reworded=number == VARIANTS)
        request = self._request(family, variant, folder, model=model)
        request = replace(request, memory="read" if how == "memory" else "off")  # no variant teaches another one
        skill = self._offered(family, settings)
        player = loaded or Strong(
            family, variant, self._wanted(family, variant, skill, folder), insists=how == "wrong skill"
        )
        began = time.perf_counter()
        journal = await run_of(request, settings, player)
        seconds = time.perf_counter() - began
        what = ended(journal)
        told = {"answer": what["answer"], "outcome": what["outcome"], "reason": what["reason"]}
        right, said = family.chore.check(seed, folder, **told, expected=variant.made.answer)
        return Attempt(
            family=family.name, kind=family.document.kind, variant=number, how=how, model=model, run=journal.run,
            right=right, said=said, outcome=what["outcome"], why=what["why"], calls=what["calls"],
            tokens=(what["input"] or 0) + (what["output"] or 0), seconds=round(seconds, 2),
            offered=skill is not None, used=_recalled(journal) if how == "memory" else _stepped(journal),
        )  # fmt: skip

    def _offered(self, family: Family, settings: Settings) -> Skill | None:
        place = settings.config / folders.FOLDER / family.name
        if not place.is_dir():
            return None
        skill = folders.load(folders.read(place, "user"))
        return skill if Trials(settings.config).score(skill.digest) >= OFFERED else None

    def _wanted(self, family: Family, variant: Variant, skill: Skill | None, folder: Path) -> Mapping[str, str] | None:
        """The operation that takes a skill: with the variant's values, or what passes for one of a wrong skill."""
        if skill is None:
            return None
        own = family.parameters(variant)
        files = sorted(path.name for path in folder.iterdir() if path.is_file())
        values = {
            each.name: own.get(each.name) or (files[0] if each.given and files else each.value)
            for each in skill.method.parameters
        }
        return {"function": action_name(skill), **values}

    def _request(self, family: Family, variant: Variant, folder: Path, *, model: str = STRONG) -> RunRequest:
        limits = self.settings.limits.model_copy(update={"seconds": self.settings.limits.seconds or LONGEST})
        return RunRequest(
            task=variant.task, model=f"scripted:{STRONG}" if model == STRONG else model, crew=self.crew,
            workspace=folder, seed=1, limits=family.chore.limited(limits), opened=variant.made.apps,
            screen=variant.made.screen, network=family.chore.document.network, memory="off",
        )  # fmt: skip


def _replies(journal: Journal) -> list[RoleReplied]:
    return [event.body for event in journal.events if isinstance(event.body, RoleReplied)]


def _stepped(journal: Journal) -> bool:
    return any(reply.model == RULES for reply in _replies(journal))


def _recalled(journal: Journal) -> bool:
    return any(isinstance(event.body, Recalled) and event.body.hits for event in journal.events)


class Gain(Frozen):
    """What long-term memory alone does: of the same variants, the share done and right with it and without, and the mean
    difference with its bootstrap interval over them. ``recalled``: variants in which a role was shown anything; ``right``:
    those that came out right, whatever the run said of itself."""

    variants: int
    recalled: int
    right: int
    right_without: int
    success: float
    without: float
    difference: float
    interval: tuple[float | None, float | None]
    false: int


def gained(attempts: Sequence[Attempt]) -> Gain:
    """What came of them."""
    without = {(each.family, each.variant): each for each in attempts if each.how == "nothing"}
    withs = [each for each in attempts if each.how == "memory" and (each.family, each.variant) in without]
    pairs = [(each.success, without[each.family, each.variant].success) for each in withs]
    differences = [float(one - other) for one, other in pairs]
    count = len(pairs) or 1
    return Gain(
        variants=len(pairs),
        recalled=sum(each.used for each in withs),
        right=sum(each.right for each in withs),
        right_without=sum(without[each.family, each.variant].right for each in withs),
        success=sum(one for one, _ in pairs) / count,
        without=sum(other for _, other in pairs) / count,
        difference=sum(differences) / count,
        interval=interval(differences),
        false=sum(each.false for each in attempts),
    )


class Totals(Frozen):
    """A series. Shares and medians are over variants with the skill that were done without it too; None: there are none.
    ``unkept``: families that became no skill."""

    families: int
    unkept: int
    variants: int
    success: float
    false: int
    without: float
    calls: float | None
    tokens: float | None
    seconds: float | None
    wrong: int
    wrong_false: int


def totals(kept_: Sequence[Kept], attempts: Sequence[Attempt]) -> Totals:
    """What came of them."""
    withs = [each for each in attempts if each.how == "skill"]
    without = {(each.family, each.variant): each for each in attempts if each.how == "nothing"}
    wrong = [each for each in attempts if each.how == "wrong skill"]
    pairs = [(each, without[each.family, each.variant]) for each in withs if (each.family, each.variant) in without]

    def median(values: Sequence[float]) -> float | None:
        return round(statistics.median(values), 3) if values else None

    return Totals(
        families=len(kept_),
        unkept=sum(each.score < OFFERED for each in kept_),
        variants=len(withs),
        success=sum(each.success for each in withs) / (len(withs) or 1),
        false=sum(each.false for each in withs),
        without=sum(each.success for each in without.values()) / (len(without) or 1),
        calls=median([each.calls for each in withs]),
        tokens=median([one.tokens / other.tokens for one, other in pairs if other.tokens]),
        seconds=median([one.seconds / other.seconds for one, other in pairs if other.seconds]),
        wrong=len(wrong),
        wrong_false=sum(each.false for each in wrong),
    )
