"""A skill that a run is in the middle of. Another process knows nothing of it: there the crew continues from what is
done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from deskcrew.observation import Observation
from deskcrew.repeating.recording import Recording
from deskcrew.repeating.values import Replacing
from deskcrew.skills.skill import Skill
from deskcrew.verdict import Branch


@dataclass(slots=True)
class Underway:
    """``branch``: what the reply that called it said of itself; ``place``: how many steps were proposed, the last of them by
    event ``number``, on the screen ``before``; ``subtask``: whose part it is done for; ``given``: its parameters' values.

    ``whole``: no reply called it, the whole task is its own with other values; ``claimed``: its last step was done, and it
    said so.
    """

    skill: Skill
    recording: Recording
    values: Replacing
    subtask: str
    branch: Branch
    given: Mapping[str, str]
    whole: bool = False
    claimed: bool = False
    place: int = 0
    number: int = 0
    before: Observation = field(default_factory=Observation)
