"""Role and crew files with typos: the error names file, line and field."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deskcrew.actions import builtin
from deskcrew.engine.roles.crew import BUILTIN as CREWS
from deskcrew.engine.roles.crew import load_crew, without_pool
from deskcrew.engine.roles.role import BUILTIN, load_role, load_roles, recorded_role
from deskcrew.errors import ConfigError, UsageError

GOOD = """---
name: Mine
kind: decision
skills: Does things.
domain: [read_file]
reads: [task, assignment]
short_term: 2
---
<!-- stable -->
You do things. {{ actions }}
<!-- task -->
{{ task }}
{{ assignment }}
"""
CREW = """name = "mine"
description = "Mine."
pool = ["Programmer"]
review = "rules"
batch = 2
"""
Write = Callable[[str, str], Path]


@pytest.fixture
def file(tmp_path: Path) -> Write:
    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_every_built_in_action_is_in_the_domain_of_a_role_file() -> None:
    there = {name for role in load_roles([BUILTIN]).values() for name in role.domain}
    for name, action in builtin().items():
        assert name in there, f"Give {name!r} a group, or add it to the domain of the agents in {BUILTIN} that may use it."
        assert not action.roles, f"{name!r} is built in: not its 'roles', but the domain in their files gives it to agents."


@pytest.mark.parametrize(
    "written",
    [
        "domain: [files, -delete_file, code]",
        "domain:\n- files\n- -delete_file\n- code",
        "domain: [files,\n -delete_file, code]",
    ],
)
def test_a_group_stands_for_its_actions_which_runs_record(file: Write, written: str) -> None:
    role = load_role(file("mine.md", GOOD.replace("domain: [read_file]", written)))
    names = "read_file, write_file, copy_file, move_file, make_folder, list_files, find_files, run_python_code, run_shell"
    assert role.domain == tuple(names.split(", "))
    lines = role.text.split("domain:")
    assert "".join(lines[1].split()).startswith(f"[{names.replace(' ', '')}]reads:")
    again = recorded_role(role.text, Path("mine.md"))
    assert again is not None
    assert (again.domain, again.digest) == (role.domain, role.digest)


def test_the_file_that_is_broken_below_is_good(file: Write) -> None:
    role = load_role(file("mine.md", GOOD))
    assert (role.name, role.domain, role.short_term, list(role.sections)) == ("Mine", ("read_file",), 2, ["stable", "task"])


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("short_term: 2", "short_tern: 2", ("line 7", "'short_tern'", "this name is unknown")),
        ("short_term: 2", "short_term: two", ("line 7", "'short_term'", "must be a whole number")),
        ("short_term: 2", "short_term: -1", ("line 7", "'short_term'", "must be at least 0")),
        ("kind: decision", "kind: decisive", ("line 3", "'kind'", "'decision'")),
        ("name: Mine", "name: My Role", ("line 2", "'name'", "the required form")),
        ("name: Mine\n", "", ("'name'", "it is missing")),
        ("domain: [read_file]", "domain: read_file", ("line 5", "'domain'", "must be a list")),
        ("reads: [task, assignment]", "reads: [task, assignement]", ("line 6", "'reads'", "'assignement'")),
        ("reads: [task, assignment]", "reads: [task, assignment, texts]", ("line 6", "'reads'", "'texts'")),
        ("reads: [task, assignment]", "reads: [task]", ("line 13", "'assignment'", "not in 'reads'")),
        ("reads: [task, assignment]", "reads: [task, assignment", ("line", "not valid front matter")),
        ("skills: Does things.\n", "", ("'skills'", "need")),
        ("{{ task }}", "{{ tusk }}", ("line 12", "'tusk'", "section task")),
        ("{{ task }}", "{% if task %}", ("section task",)),
        ("{{ task }}", "{{ task", ("section task",)),
        ("<!-- task -->", "<!-- tsak -->", ("'<!-- tsak -->'", "volatile")),
        ("<!-- stable -->\n", "", ("before the first",)),
        ("<!-- stable -->", "<!-- memory -->", ("no '<!-- stable -->'",)),
        ("domain: [read_file]", "domain: [raed_file]", ("line 5", "'domain'", "'raed_file'", "files, find_files", "pages")),
        ("domain: [read_file]", "domain: [files, -hover]", ("line 5", "'domain'", "'-hover'")),
        ("short_term: 2", "fields: [score]", ("line 7", "'fields'", "does not say 'score'", "information")),
        ("domain: [read_file]", "domain: [read_file]\nneeds: [write_file]", ("line 6", "'needs'", "'write_file'")),
    ],
)
def test_a_typo_in_a_role_is_told_where(file: Write, old: str, new: str, words: tuple[str, ...]) -> None:
    assert GOOD.count(old) == 1
    path = file("mine.md", GOOD.replace(old, new))
    with pytest.raises(ConfigError) as raised:
        load_role(path)
    said = f"{raised.value} {raised.value.hint}"
    assert str(path) in said
    for word in words:
        assert word in said, said


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("batch = 2", "bacth = 2", ("line 5", "'bacth'", "this name is unknown")),
        ("batch = 2", "batch = 0", ("line 5", "'batch'")),
        ("batch = 2", 'batch = "many"', ("line 5", "'batch'", "whole number")),
        ('review = "rules"', 'review = "never"', ("line 4", "'review'", "'rules-first'")),
        ('pool = ["Programmer"]', 'pool = ["Programer"]', ("line 3", "'pool'", "'Programer'", "Programmer")),
        ('pool = ["Programmer"]', 'pool = "Programmer"', ("line 3", "'pool'", "must be a list")),
        (
            'pool = ["Programmer"]',
            'pool = ["Programmer", "Programmer"]',
            ("line 3", "'pool'", "'Programmer' is listed twice"),
        ),
        ('pool = ["Programmer"]', 'pool = ["Programmer", "Programmer"]', ("line 3", "'pool'", "is listed twice")),
        ('pool = ["Programmer"]', 'pool = ["*"]', ("line 3", "'pool'", "agents of your own")),
        ('pool = ["Programmer"]', "pool = []", ("line 3", "'pool'", "at least 1")),
        ('pool = ["Programmer"]', 'pool = ["Planner"]', ("line 3", "'pool'", "decision")),
        ('pool = ["Programmer"]', 'pool = ["Programmer"', ("line",)),
        ("batch = 2", 'planner = "Planer"', ("line 5", "'planner'", "'Planer'", "GraphPlanner")),
        ("batch = 2", 'planner = "GraphPlanner"', ("line 5", "'planner'", "gives types")),
        ("batch = 2", 'assigns = ["reviewer"]', ("line 5", "'assigns", "'scheduler'")),
        ("batch = 2", 'checker = "Reviewer"', ("line 5", "'checker'", "not of kind check", "LocalChecker")),
        ("batch = 2", 'planner = ""\nlanes = 3', ("line 6", "'lanes': there is no planner")),
        ("batch = 2", "lanes = 3", ("line 5", "'lanes': lanes need")),
        ('name = "mine"', 'name = "other"', ("line 1", "'name'", "the file is called 'mine'")),
        ("batch = 2", "limits = false", ("line 5", "'limits'", "a table of names")),
        ("batch = 2", "limits = {money = 9}", ("line 5", "'limits'", "money cannot be limited by a crew")),
        ("batch = 2", "policy = false", ("line 5", "'policy'", "this name is unknown")),
        ('description = "Mine."\n', "", ("'description'", "it is missing")),
    ],
)
def test_a_typo_in_a_crew_is_told_where(file: Write, old: str, new: str, words: tuple[str, ...]) -> None:
    assert CREW.count(old) == 1
    path = file("mine.toml", CREW.replace(old, new))
    with pytest.raises(ConfigError) as raised:
        load_crew("mine", (path.parent,), load_roles((BUILTIN,)))
    said = f"{raised.value} {raised.value.hint}"
    assert str(path) in said
    for word in words:
        assert word in said, said


@pytest.mark.parametrize("name", ["mine.md", "mine.toml"])
def test_a_file_that_is_no_text_is_told(file: Write, tmp_path: Path, name: str) -> None:
    path = file(name, "")
    path.write_bytes(b"\xff\xfe name")
    roles = load_roles((BUILTIN,))
    with pytest.raises(ConfigError, match=name):
        load_role(path) if name.endswith("md") else load_crew("mine", (tmp_path,), roles)


def test_an_unknown_crew_names_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        load_crew("cloa", (tmp_path, CREWS), load_roles((BUILTIN,)))
    assert "'cloa'" in str(raised.value)
    assert ", ".join(sorted(path.stem for path in CREWS.glob("*.toml"))) in raised.value.hint


def test_the_first_folder_wins(file: Write, tmp_path: Path) -> None:
    file("p.md", GOOD.replace("name: Mine", "name: Programmer"))
    assert load_roles((tmp_path, BUILTIN))["Programmer"].skills == "Does things."
    assert load_roles((BUILTIN, tmp_path))["Programmer"].skills != "Does things."


@pytest.mark.parametrize("name", ["planned", "cola"])
def test_adding_an_agent_is_adding_a_file(file: Write, tmp_path: Path, name: str) -> None:
    before, after = (load_crew(name, (CREWS,), load_roles(folders)).pool for folders in ((BUILTIN,), (tmp_path, BUILTIN)))
    last = ("Worker",) if name == "planned" else ()
    assert before == after == ("ApplicationManager", "FileManager", "Searcher", "Programmer", "Operator", *last)
    file("mine.md", GOOD)
    file("theirs.md", GOOD.replace("name: Mine", "name: Another"))
    crew = load_crew(name, (CREWS,), load_roles((tmp_path, BUILTIN)))
    assert crew.pool == (*before[:5], "Another", "Mine", *last)


def test_a_pool_of_everybody_is_all_agents_but_those_that_need_none(file: Write, tmp_path: Path) -> None:
    file("mine.md", GOOD)
    file("mine.toml", CREW.replace('"Programmer"', '"Mine", "*"'))
    roles = load_roles((tmp_path, BUILTIN))
    joining = {role.name for role in roles.values() if role.kind == "decision" and role.joins}
    pool = load_crew("mine", (tmp_path,), roles).pool
    assert pool[0] == "Mine"
    assert sorted(pool) == sorted(joining - {"Worker"})
    assert not {"LocalExecutor", "ToolGenerator", "Viewer", "Worker"} & set(pool)


def test_a_crew_may_name_its_agents(file: Write, tmp_path: Path) -> None:
    file("mine.md", GOOD)
    file("mine.toml", CREW.replace('"Programmer"', '"Programmer", "Mine"'))
    crew = load_crew("mine", (tmp_path,), load_roles((tmp_path, BUILTIN)))
    assert [agent.name for agent in crew.agents] == ["Programmer", "Mine"]
    assert without_pool(crew).pool == ("Worker",)


def test_two_agents_that_amend_each_other_are_refused(file: Write, tmp_path: Path) -> None:
    file("mine.toml", CREW.replace('"Programmer"', '"Mine", "Yours"'))
    file("yours.md", GOOD.replace("name: Mine", "name: Yours\namends: Mine"))
    file("mine.md", GOOD)
    assert load_crew("mine", (tmp_path,), load_roles((tmp_path, BUILTIN))).amends == {"Mine": "Yours"}
    file("mine.md", GOOD.replace("name: Mine", "name: Mine\namends: Yours"))
    with pytest.raises(ConfigError, match="field 'pool': agents amend each other in a circle, from 'Yours' on"):
        load_crew("mine", (tmp_path,), load_roles((tmp_path, BUILTIN)))
