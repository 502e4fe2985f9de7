"""Each family done once, kept as a skill and tried; then its variants: with the skill, without it, with a wrong one.

Nothing else is remembered in any of them: what is compared is the skill alone. Or long-term memory alone: what was proven of
all families is remembered, no skill is kept, and the variants are done with and without what is recalled.
"""

from __future__ import annotations

import os
import secrets
import shutil
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Literal

from deskcrew.engine.replay.live import LiveRequest
from deskcrew.engine.request import RunRequest, own_skills
from deskcrew.engine.workshop.keeping import Corrections, keep
from deskcrew.engine.workshop.trying import request_for, try_skill
from deskcrew.errors import UsageError
from deskcrew.facts.events import DesktopKind, Recalled, RoleReplied
from deskcrew.facts.observation import Frozen
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import RULES
from deskcrew.learning.memory.entry import Entry
from deskcrew.learning.memory.keeping import memory_of
from deskcrew.learning.skills import folders
from deskcrew.learning.skills.skill import Skill
from deskcrew.learning.skills.trials import OFFERED, Trial, Trials
from deskcrew.models.client import Model
from deskcrew.models.factory import create
from deskcrew.models.options import ModelOptions
from deskcrew.settings import Settings
from deskcrew_bench.again.family import Family, Variant, families, first
from deskcrew_bench.again.strong import Strong
from deskcrew_bench.series import kept as kept_in
from deskcrew_bench.suites.totals import interval
from deskcrew_bench.suites.trial import LONGEST, Checked, ended, run_of

VARIANTS = 4
"""Of each family; the last one is asked for in other words."""
ALONE = "solo"
"""Who does them where memory is compared: a role recalls what was its own only, and this one is in every model's crew."""
TAUGHT = 2
"""Variants of each family that are proven, and remembered, before others are done with memory alone."""
How = Literal["skill", "nothing", "wrong skill", "memory"]
MEMORY = "memory"
"""The folder of what is remembered."""
STRONG = "strong"
"""The name of the hand-written replies among models."""


class Attempt(Checked):
    """One variant. ``how``: with what; ``offered``: there was a skill to offer; ``used``: steps of one were done, or a role
    was shown what earlier runs had taught.
    ``seed``: of the bench; ``tokens``: of all prompts and replies; of a scripted model a fourth of the letters."""

    family: str
    kind: str
    variant: int
    how: How
    seed: int = 1
    said: str
    tokens: int
    offered: bool
    used: bool


class Kept(Frozen):
    """What became of a family's first run. ``seeds``: of this run, of the trial, and of the variants; ``score`` 0 and
    ``why``: it became no skill; ``runs``: those that were proven to be remembered."""

    family: str
    seeds: tuple[int, ...]
    score: int = 0
    why: str = ""
    runs: tuple[str, ...] = ()


Key = tuple[str, str]
"""A family, and the one whose skill it is offered as a wrong one, '' for none."""


class Done(Frozen):
    """All that is done of one family: what it became, and its variants, ``variants`` of them with each of what they are
    compared by. ``other``: whose skill was the wrong one, '' where none was to be offered; ``crew``: who did them;
    ``without``: whether they were done without the skill, too."""

    family: str
    other: str
    model: str
    crew: str
    variants: int
    without: bool = True
    kept: Kept
    attempts: tuple[Attempt, ...]

    @property
    def key(self) -> Key:
        return self.family, self.other


def finished(path: Path, *, model: str, crew: str, variants: int, without: bool = True) -> dict[Key, Done]:
    """The families that ``path`` holds, done by these in as many variants. Raises UsageError for another file."""
    found, like = kept_in(path, Done, command="deskcrew bench again"), (model, crew, variants, without)
    return {done.key: done for done in found if (done.model, done.crew, done.variants, done.without) == like}


Try = tuple[str, int, How]
"""A family, the number of its variant, and with what it is done."""


def attempted(path: Path, *, model: str, seed: int) -> dict[Try, Attempt]:
    """What ``path`` holds of variants done with memory and without, by a model with a seed. Raises UsageError for another
    file."""
    found = kept_in(path, Attempt, command="deskcrew bench again --memory")
    return {(one.family, one.variant, one.how): one for one in found if (one.model, one.seed) == (model, seed)}


def wanted(some: Sequence[Family], *, wrong: bool) -> dict[Key, tuple[Family, Family | None]]:
    """What is to be done: each family, with the next one, whose skill is the wrong one, if one is to be offered."""
    others = [some[(at + 1) % len(some)] if wrong and len(some) > 1 else None for at in range(len(some))]
    return {
        (family.name, other.name if other is not None else ""): (family, other)
        for family, other in zip(some, others, strict=True)
    }


def model_of(name: str, settings: Settings) -> Model | None:
    """Who does the variants; None: the hand-written replies, of which each variant has its own. Raises what ``create``
    does."""
    return None if name == STRONG else create(name, options=ModelOptions.of(settings))


class Bench:
    """``settings``: where runs are written down; the skills of each family lie apart from the user's. ``crew``: who does
    the chores, '' for that of the settings; ``seed``: of what a model samples, from 1 on; what is taught, and done with it,
    has other values for each."""

    def __init__(self, settings: Settings, crew: str = "", seed: int = 1) -> None:
        self.settings, self.crew, self.seed = settings, crew or settings.crew, seed
        self.place = settings.data / "again" / secrets.token_hex(4)
        self._kept: dict[str, Kept] = {}

    def _with(self, family: Family, how: How) -> Settings:
        folder = self.place / family.name / how.replace(" ", "-")
        # What is remembered of one family is there in the variants of all.
        data = self.place / MEMORY if how == "memory" else self.settings.data
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

    async def whole(
        self, family: Family, other: Family | None, *, variants: int, without: bool = True, model: str = STRONG,
        loaded: Model | None = None, told: Callable[[Kept | Attempt], None] = lambda _: None,
    ) -> Done:  # fmt: skip
        """Keep a family, and do its last ``variants`` with its skill, ``without`` it, and one with that of ``other``.
        ``told`` hears of each."""
        for each in (family, other):
            if each is not None and each.name not in self._kept:
                self._kept[each.name] = await self.keep(each)
                told(self._kept[each.name])
        kept = self._kept[family.name]
        numbers = range(VARIANTS - variants + 1, VARIANTS + 1)
        compared: tuple[How, ...] = ("skill", "nothing") if without else ("skill",)
        trials: list[tuple[int, How]] = [(number, how) for number in numbers for how in compared]
        if other is not None and self.mistake(family, other):
            trials.append((numbers[0], "wrong skill"))
        attempts: list[Attempt] = []
        for number, how in trials:
            seed = kept.seeds[2 + number - 1]
            attempts.append(await self.attempt(family, number, seed, how, model=model, loaded=loaded))
            told(attempts[-1])
        return Done(
            family=family.name, other=other.name if other is not None else "", model=model, crew=self.crew,
            variants=variants, without=without, kept=kept, attempts=tuple(attempts),
        )  # fmt: skip

    async def teach(self, family: Family, count: int = TAUGHT) -> Kept:
        """Do ``count`` variants by hand, and have them remembered. ``Kept.score``: how many of them were proven."""
        looked = self.place / family.name / "seeds"
        each = count + VARIANTS
        seeds = first(family.seeds(looked), each * self.seed)[-each:]
        shutil.rmtree(looked)
        runs, why = list[str](), ""
        for seed in seeds[:count]:
            folder = self._folder(family)
            variant = family.make(seed, folder)
            request = replace(self._request(family, variant, folder), memory="on")
            journal = await run_of(request, self._with(family, "memory"), Strong(family, variant))
            outcome = journal.state.outcome
            if outcome is not None and outcome.status == "done":
                runs.append(journal.run)
            else:
                why = outcome.why if outcome is not None else "it did not end"
        return Kept(family=family.name, seeds=seeds, score=len(runs), why=why, runs=tuple(runs))

    def remembered(self) -> list[Entry]:
        """The entries of all families together. Raises MemoryFailure."""
        memory = memory_of(self.settings.model_copy(update={"data": self.place / MEMORY}))
        try:
            return memory.all(kind="episode")
        finally:
            memory.close()

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
            Trials(settings.data).add(digest, Trial(run="on purpose", input=str(number), done=True))
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
        journal = await run_of(request, settings, player, freely=False)
        seconds = time.perf_counter() - began
        what = ended(journal)
        told = {"answer": what["answer"], "outcome": what["outcome"], "reason": what["reason"]}
        right, said = family.chore.check(seed, folder, **told, expected=variant.made.answer)
        return Attempt(
            family=family.name, kind=family.document.kind, variant=number, how=how, model=model, seed=self.seed,
            run=journal.run, right=right, said=said, outcome=what["outcome"], why=what["why"], calls=what["calls"],
            tokens=(what["input"] or 0) + (what["output"] or 0), seconds=round(seconds, 2),
            offered=skill is not None, used=_recalled(journal) if how == "memory" else _stepped(journal),
        )  # fmt: skip

    def _offered(self, family: Family, settings: Settings) -> Skill | None:
        place = settings.config / folders.FOLDER / family.name
        if not place.is_dir():
            return None
        skill = folders.load(folders.read(place, "user"))
        return skill if Trials(settings.data).score(skill.digest) >= OFFERED else None

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
        return {"function": skill.action, **values}

    def _request(self, family: Family, variant: Variant, folder: Path, *, model: str = STRONG) -> RunRequest:
        limits = self.settings.limits.model_copy(update={"seconds": self.settings.limits.seconds or LONGEST})
        return RunRequest(
            task=variant.task, model=f"scripted:{STRONG}" if model == STRONG else model, crew=self.crew,
            workspace=folder, seed=self.seed, limits=family.chore.limited(limits), opened=variant.made.apps,
            screen=variant.made.screen, network=family.chore.document.network, memory="off",
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Episodes:
    """Whole families on the nodes of a fleet, which are sent their files and their chores'."""

    model: str
    crew: str
    variants: int
    without: bool = True
    desktop: DesktopKind = "virtual"

    @staticmethod
    def files(folder: Path, some: Sequence[Family]) -> dict[str, Path]:
        """What goes along for families in ``folder``: a chore lies where its family says, from the family's own folder.
        Raises UsageError for one that lies elsewhere than beside that folder."""
        found: dict[str, Path] = {}
        for family in some:
            chore = PurePosixPath(os.path.normpath(f"{_FAMILIES}/{family.document.chore}"))
            if chore.is_absolute() or ".." in chore.parts:
                told = (
                    f"The chore of {family.name} is too far from its folder to be sent to a node: {family.document.chore}."
                )
                raise UsageError(told, hint="Have it beside the folder of families.")
            found |= {f"{_FAMILIES}/{family.name}.toml": folder / f"{family.name}.toml", f"{chore}": family.chore.folder}
        return found

    async def attempt(self, key: Key, files: Path, settings: Settings, loaded: Model | None) -> Done:
        """All of one; raises what :meth:`Bench.whole` raises."""
        family, *others = families(files / _FAMILIES, [name for name in key if name])
        model = loaded or model_of(self.model, settings)
        try:
            return await Bench(settings, self.crew).whole(
                family, others[0] if others else None, variants=self.variants, without=self.without, model=self.model,
                loaded=model,
            )  # fmt: skip
        finally:
            if model is not None and model is not loaded:
                await model.close()


_FAMILIES = "again"
"""The folder of families on a node."""


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
    without: float | None
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
        without=sum(each.success for each in without.values()) / len(without) if without else None,
        calls=median([each.calls for each in withs]),
        tokens=median([one.tokens / other.tokens for one, other in pairs if other.tokens]),
        seconds=median([one.seconds / other.seconds for one, other in pairs if other.seconds]),
        wrong=len(wrong),
        wrong_false=sum(each.false for each in wrong),
    )
