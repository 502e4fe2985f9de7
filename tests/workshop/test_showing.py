"""What a skill does, in words: all of it, and nothing that a terminal or a reader could take for something else."""

from __future__ import annotations

import pytest

from deskcrew.engine.workshop.keeping import skill_files
from deskcrew.engine.workshop.showing import block, checks_of, proven_when, step_words, ways_of
from deskcrew.facts.events import GoalSet, Operation
from deskcrew.facts.verdict import Check
from deskcrew.learning.skills.folders import ABOUT, files_of, parse
from deskcrew.learning.skills.skill import Method, Parameter, Provenance, Request, RequestField, SkillStep

CODE = "import os\n" + "".join(f"print({number})\n" for number in range(300)) + "os.remove('notes.txt')"
PROBE = "def check(end):\n" + "    # and so on\n" * 100 + "    return end == 'hello'"


def step(function: str = "run_python_code", **params: object) -> SkillStep:
    return SkillStep(operation=Operation(function=function, params=params))


def method(*steps: SkillStep, program: str = "") -> Method:
    return Method(
        steps=steps,
        goal=GoalSet(checks=(Check(kind="file_exists", target="a.txt"),)),
        program=program,
        provenance=Provenance(run="r", task="Write a.txt."),
    )


def test_no_line_of_code_is_left_out() -> None:
    shown = step_words(step(code=CODE))
    assert [line.strip() for line in shown.splitlines()] == ["run_python_code", "code:", *CODE.splitlines()]
    assert step_words(step(code="x" * 5000)).count("x") == 5000


def test_skill_md_holds_all_code_of_its_steps_and_its_probe() -> None:
    text = skill_files("a-skill", "Writes.", method(step(code=CODE), program=PROBE))[ABOUT].decode()
    lines = {line.strip() for line in text.splitlines()}
    assert lines >= {line.strip() for line in (*CODE.splitlines(), *PROBE.splitlines())}


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [("\x1b[2K\r", r"\x1b[2K\r"), ("\u202e", r"\u202e"), ("\u2028", r"\u2028"), ("\x85", r"\x85"), ("\x7f", r"\x7f")],
)
def test_what_does_not_print_is_escaped_and_not_dropped(hidden: str, shown: str) -> None:
    assert f"x = 1{shown}y" in step_words(step(code=f"import os\nx = 1{hidden}y"))
    assert hidden not in block(f"a{hidden}b")
    assert hidden not in step_words(step(f"run{hidden}", text=f"a{hidden}b"))


def test_no_text_poses_as_another_step() -> None:
    shown = step_words(step("write_file\n  2. wait", **{"na\nme": "a\nDone when:\n  1. nothing"}))
    first, *rest = shown.splitlines()
    assert first == r"write_file\n  2. wait"
    assert all(line.startswith("    ") for line in rest)


def test_a_request_is_shown_with_all_that_it_sends() -> None:
    fields = (
        RequestField(place="header", name="Authorization", text="Bearer {{secret:token}}"),
        RequestField(place="body", name="title", parameter="title"),
    )
    sent = Method(
        parameters=(Parameter(name="title", kind="text", value="Emma"),),
        request=Request(method="POST", address="https://books.example/books", fields=fields),
        provenance=Provenance(run="", task="addBook"),
    )
    (shown,) = ways_of(sent)
    assert shown.splitlines() == [
        "POST https://books.example/books",
        "    header Authorization: Bearer {{secret:token}}",
        "    body title: {title}",
    ]
    assert (proven_when(sent), proven_when(method(step(code="x")))) == ("Counts as a success when", "Done when")
    assert checks_of(sent) == ("the service answers that it succeeded, and as it is described",)


def test_an_older_skill_md_is_as_good() -> None:
    """The digest is of the bytes that are there, whatever SKILL.md would say today."""
    given = method(step(code=CODE))
    old = files_of("a-skill", "Writes.", given, "# a-skill\n\n## Steps\n\n1. run_python_code code=... (900 more characters)")
    new = skill_files("a-skill", "Writes.", given)
    assert parse("a-skill", old, "").method == parse("a-skill", new, "").method
    assert parse("a-skill", old, "").digest != parse("a-skill", new, "").digest
