"""A skill that a run is in the middle of. It is not journaled: in another process the crew continues from what has been
done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from deskcrew.facts.observation import Observation
from deskcrew.facts.verdict import Branch
from deskcrew.learning.repeating.recording import Recording
from deskcrew.learning.repeating.values import Replacing
from deskcrew.learning.skills.skill import Skill


@dataclass(slots=True)
class Underway:
    """A skill in progress. ``branch``: the branch in the reply that called it; ``place``: the number of steps that were
    proposed, the last by event ``number``, with the observation ``before`` it; ``subtask``: the subtask that it is used for;
    ``given``: its parameters' values.

    ``whole``: whether the whole task is left to it; ``own``: whether that is because the task is the skill's own with other
    values, so that the skill's goal is the task's; ``claimed``: whether its last step is done, and it was claimed finished.
    """

    skill: Skill
    recording: Recording
    values: Replacing
    subtask: str
    branch: Branch
    given: Mapping[str, str]
    whole: bool = False
    own: bool = False
    claimed: bool = False
    place: int = 0
    number: int = 0
    before: Observation = field(default_factory=Observation)
