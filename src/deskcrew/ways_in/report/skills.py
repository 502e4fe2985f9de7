"""The list of skills that people are shown: each with its score, or with what is wrong with it."""

from __future__ import annotations

from pydantic import Field

from deskcrew.engine.request import allowed_skills, changed, skill_folders
from deskcrew.errors import ConfigError
from deskcrew.facts.observation import Frozen
from deskcrew.journal.store import Store
from deskcrew.learning.skills.folders import Origin, load, read
from deskcrew.learning.skills.skill import Provenance
from deskcrew.learning.skills.trials import OFFERED, Trials
from deskcrew.settings import Settings

SCORED = f"how often it has worked; runs are offered it from {OFFERED} on"
"""What a skill's score means."""


class ListedSkill(Frozen):
    """A skill in a list. ``problem``: why it cannot be used, and what to do, '' if it can. An unusable skill has no
    ``score``, and only its digest is read."""

    name: str
    origin: Origin = Field(serialization_alias="from")
    folder: str
    digest: str = ""
    score: int | None = None
    parameters: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    description: str = ""
    problem: str = ""
    allowed: bool = True
    asked: tuple[str, ...] = Field(default=(), exclude=True)
    """Examples of how people ask for it."""
    needs: str = Field(default="", exclude=True)
    """The file name ending that its first parameter takes; '' if that takes any file, or a folder."""


def came_from(origin: Provenance, *, here: bool) -> str:
    """Where a skill is from, in words. ``here``: whether its run is in this journal, since a skill from somebody else may
    name any run."""
    if not origin.run:
        return f"From {origin.task}" if origin.task else "Part of Deskcrew"
    whose = "run" if here else "a run that is not here,"
    return f"From {whose} {origin.run} ({origin.day}): {origin.task}"


def ran_here(origin: Provenance, store: Store) -> bool:
    """Whether the run that a skill names as its origin is in this journal, with the same task."""
    return store.has(origin.run) and store.row(origin.run).task == origin.task


def listed(settings: Settings, *, shipped: bool = False) -> list[ListedSkill]:
    """All skills of the project and the user, or, if ``shipped``, only those that ship. Skills are left out if an allowed
    skill of the project, or one of the user, has the same name."""
    allowed, trials = allowed_skills(settings).digests(), Trials(settings.data)
    found, names = list[ListedSkill](), set[str]()
    for origin, folder in skill_folders(settings):
        if folder.name in names or (not shipped and origin == "shipped"):
            continue
        row = ListedSkill(name=folder.name, origin=origin, folder=str(folder))
        try:
            source = read(folder, origin)
            row = row.model_copy(update={"digest": source.digest})
            if not source.trusted(allowed):
                why = "Changed since you allowed it" if changed(source, allowed) else "Not allowed yet"
                problem = f"{why}: deskcrew skill allow {folder.name}"
                found.append(row.model_copy(update={"problem": problem, "allowed": False}))
                continue
            names.add(folder.name)
            skill = load(source)
            given = skill.method.parameters
            told = {"description": skill.description, "score": trials.score(skill.digest, shipped=skill.shipped)}
            told |= {"parameters": tuple(each.name for each in given)}
            told |= {"optional": tuple(each.name for each in given if each.optional)}
            told |= {"asked": skill.method.asked, "needs": next(iter(given[0].endings), "") if given else ""}
            found.append(row.model_copy(update=told))
        except ConfigError as error:
            found.append(row.model_copy(update={"problem": error.whole}))
    return [each for each in found if (each.origin == "shipped") == shipped]
