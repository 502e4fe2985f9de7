"""Makes a skill of the proven chore, with which a small model does another month."""

from __future__ import annotations

from pathlib import Path

from deskcrew.engine.request import own_skills
from deskcrew.engine.workshop.keeping import Corrections, keep
from deskcrew.journal.journal import Journal
from deskcrew.learning.skills.skill import Skill
from deskcrew.settings import Settings
from deskcrew.ways_in.demo.chore import RECORDED

NAME = "settle-trips"


def learn(journal: Journal, settings: Settings, folder: Path) -> tuple[Skill, Settings]:
    """Keep the proven run as a skill in ``folder``, apart from the user's own skills. Returns the skill, and settings with
    which it is offered. Raises what ``keep`` raises."""
    apart = settings.model_copy(update={"config": folder})
    corrections = Corrections(params=(f"traveller={RECORDED.traveller}",))
    return keep(journal, apart, own_skills(apart), NAME, corrections=corrections), apart
