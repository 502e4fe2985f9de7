"""Which skills are offered: by meaning, in any language, and by what is open; none where none fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine.steps.choosing import enough
from deskcrew.errors import ModelFailure
from deskcrew.facts.events import Operation
from deskcrew.facts.observation import Box, Control, FileEntry, Observation, Window
from deskcrew.learning.memory.sentences import SentenceEmbedder
from deskcrew.learning.skills.offering import CONSIDERED, OFFERED, as_action, fitting, in_general, possible, programs
from deskcrew.learning.skills.skill import Skill, SkillStep
from skills.test_offered import owned

pytestmark = pytest.mark.anyio

ABOUT = {
    "add-up": "Adds up the numbers of a table and writes the sum into a text file.",
    "rename-photos": "Renames photographs after the day on which they were taken.",
    "book-a-room": "Books a meeting room on the web page of the town hall.",
    "shrink-pictures": "Makes pictures smaller, so that they can be sent by mail.",
}
JUNE = FileEntry(path="june.txt", kind="file")
TABLE, PLAYER = Window(id=1, title="june.xlsx", app="Calc", box=Box(x=0, y=0, width=9, height=9), active=True), "Player"


@pytest.fixture
async def skill(tmp_path: Path) -> Skill:
    return (await owned(tmp_path))[1]


def several(skill: Skill, about: dict[str, str]) -> list[Skill]:
    """Skills of which nothing is known but what is said of them."""
    origin = skill.method.provenance
    methods = {
        name: skill.method.model_copy(update={"provenance": origin.model_copy(update={"task": said})})
        for name, said in about.items()
    }
    return [replace(skill, name=name, description=said, method=methods[name], digest=name) for name, said in about.items()]


def on_screen(skill: Skill, *steps: tuple[str, str | None], windows: Sequence[Window] = (TABLE,)) -> Skill:
    """The skill with steps of these functions, each on a control or on none, on a screen with these windows."""
    controls = (Control(label="1", role="button", name="OK", window=1, box=Box(x=0, y=0, width=1, height=1)),)
    seen = Observation(windows=tuple(windows), controls=controls)
    made = tuple(SkillStep(operation=Operation(function=name, control=label), before=seen) for name, label in steps)
    return replace(skill, method=skill.method.model_copy(update={"steps": made}))


@pytest.mark.parametrize(
    ("task", "first"),
    [
        ("Work out the total of all amounts in june.xlsx and put it in total.txt.", "add-up"),
        ("Rechne die Betr\u00e4ge der Tabelle juni.xlsx zusammen und schreibe die Summe in eine Textdatei.", "add-up"),
        ("Dale a cada foto el nombre del d\u00eda en que se tom\u00f3.", "rename-photos"),
        ("\u5728\u5e02\u653f\u5385\u7f51\u9875\u4e0a\u9884\u8ba2\u4e00\u95f4\u4f1a\u8bae\u5ba4\u3002", "book-a-room"),
    ],
)
async def test_the_nearest_in_meaning_comes_first_in_any_language(skill: Skill, task: str, first: str) -> None:
    assert fitting(task, several(skill, ABOUT), SentenceEmbedder())[0].name == first


@pytest.mark.parametrize("task", ["Play some music.", "Wie wird das Wetter morgen?", "Translate this letter into Polish."])
async def test_nothing_is_offered_where_nothing_fits(skill: Skill, task: str) -> None:
    assert fitting(task, several(skill, ABOUT), SentenceEmbedder()) == ()


async def test_without_an_embedder_words_are_compared(skill: Skill) -> None:
    class Gone(SentenceEmbedder):
        def embed(self, texts: Sequence[str]) -> Any:
            raise ModelFailure("the server is gone")

    task = "Adds up the numbers of june.txt."
    for meanings in (None, Gone()):
        assert [each.name for each in fitting(task, several(skill, ABOUT), meanings)] == ["add-up"]
        assert fitting("Play some music.", several(skill, ABOUT), meanings) == ()


async def test_a_run_takes_few_and_offers_three(skill: Skill) -> None:
    many = several(skill, {f"add-{number}": ABOUT["add-up"] for number in range(9)})
    taken = fitting("Add up the numbers of a table.", many, SentenceEmbedder())
    assert len(taken) == CONSIDERED
    assert possible(taken, None) == taken[:OFFERED]


async def test_what_its_steps_go_to_must_be_open(skill: Skill) -> None:
    click = on_screen(skill, ("click_input", "1"))
    assert programs(click) == {"calc"}
    assert possible([click], None) == ()
    assert possible([click], Observation(windows=(TABLE,), files=(JUNE,))) == (click,)
    assert possible([click], Observation(windows=(TABLE.model_copy(update={"app": PLAYER}),), files=(JUNE,))) == ()
    closed = [on_screen(replace(skill, digest=f"{n}"), ("click_input", "1")) for n in range(OFFERED)]
    assert possible([*closed, skill], Observation(files=(JUNE,))) == (skill,), "those that cannot begin take no place"


async def test_there_must_be_as_many_files_as_it_begins_with(skill: Skill) -> None:
    assert len(skill.given) == 1
    assert possible([skill], Observation()) == ()
    assert possible([skill], Observation(files=(JUNE,))) == (skill,)


async def test_what_it_opens_itself_need_not_be_open(skill: Skill) -> None:
    opens = on_screen(skill, ("open_application", None), windows=())
    steps = (*opens.method.steps, *on_screen(skill, ("click_input", "1")).method.steps)
    opened = replace(opens, method=opens.method.model_copy(update={"steps": steps}))
    assert programs(opened) == frozenset()
    assert programs(skill) == frozenset(), "files need no window"


async def test_a_grammar_admits_what_there_is(skill: Skill) -> None:
    """Of a file that must be there one that is."""
    from deskcrew.actions.narrowing import operation_types

    now = Observation(files=(FileEntry(path="june.txt", kind="file"), FileEntry(path="may.txt", kind="file")))
    (made,) = operation_types([as_action(skill)], now, labels=True)
    properties = made.model_json_schema()["properties"]
    assert properties["file1"]["enum"] == ["june.txt", "may.txt"]
    assert "enum" not in properties["text1"]
    assert "enum" not in properties["file2"], "it may be a new one"


async def test_its_description_names_its_parameters_instead_of_what_it_was_recorded_with(skill: Skill) -> None:
    (first, *_) = skill.method.parameters
    said = replace(skill, description=f"Look at {first.value}, and at x{first.value}")
    assert in_general(said) == f"Look at {first.name}, and at x{first.value}"
    assert as_action(said).summary.startswith(f"Look at {first.name}, ")


@pytest.mark.parametrize(
    ("near", "most", "taken"),
    [(0.2, 0.2, True), (-0.1, -0.1, False), (0.8, 1.7, False), (1.2, 1.7, True), (1.2, 3.0, False)],
)
def test_the_next_in_the_place_of_the_nearest_must_be_near_itself(near: float, most: float, taken: bool) -> None:
    assert enough(near, most) is taken
