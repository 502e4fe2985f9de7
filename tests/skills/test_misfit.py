"""What is said of a step that does not fit."""

from __future__ import annotations

from deskcrew.engine.steps.using_skills import Mismatch
from deskcrew.facts.events import Operation
from deskcrew.learning.skills.skill import Skill
from workshop.test_showing import CODE, method, step


def test_what_went_wrong_is_said_soon_and_ends_with_one_full_stop() -> None:
    recording = Skill("a-skill", "Writes.", method(step(code=CODE)), "").recording("Worker")
    assert recording.steps[0].operation == Operation(function="run_python_code", params={"code": CODE})
    words = Mismatch(recording.steps[0], "it to work, as it did then", "There is no file week1.csv.").words(recording)
    assert words.endswith("expected it to work, as it did then; found There is no file week1.csv.")
    assert words.startswith("Step 1 of skill a-skill (run_python_code code=")
    assert words.index("expected") < 200
