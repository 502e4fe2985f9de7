"""What is said of a step that does not fit."""

from __future__ import annotations

from pathlib import Path

from deskcrew.engine.steps.using_skills import Mismatch, _refusal
from deskcrew.facts import events as e
from deskcrew.facts.events import Operation
from deskcrew.journal.store import Store
from deskcrew.learning.skills.skill import Skill
from support.crew import settings_in
from workshop.test_showing import CODE, method, step


def test_what_went_wrong_is_said_soon_and_ends_with_one_full_stop() -> None:
    recording = Skill("a-skill", "Writes.", method(step(code=CODE)), "").recording("Worker")
    assert recording.steps[0].operation == Operation(function="run_python_code", params={"code": CODE})
    words = Mismatch(recording.steps[0], "it to work, as it did then", "There is no file week1.csv.").words(recording)
    assert words.endswith("expected it to work, as it did then; found There is no file week1.csv.")
    assert words.startswith("Step 1 of skill a-skill (run_python_code code=")
    assert words.index("expected") < 200


def test_a_file_that_is_too_large_is_named_and_no_error_of_python_is_told(tmp_path: Path) -> None:
    begun = e.RunStarted(task="Sum", crew="solo", model="m", mode="automatic", workspace="w", desktop="none")
    journal = Store.of(settings_in(tmp_path)).create(begun)
    output = journal.blob(b'Traceback (most recent call last):\n  File "<code>", line 45, in _row\nMemoryError\n')
    broke = e.ActionFinished(
        role="Worker",
        subtask="1",
        ok=False,
        operation=Operation(function="run_python_code"),
        error="MemoryError (line 45)",
        exit_code=1,
        output=output,
    )
    said = _refusal(broke.model_copy(update={"reads": ("big.csv",)}), journal, sealed=True)
    assert said.said == "for big.csv its program needs more memory than it may use"
    assert _refusal(broke, journal, sealed=True).said == "MemoryError (line 45)", "it read nothing that could be named"
    journal.close()
