"""Policy files: what a mistake in one says, where they are looked for, and that the examples of the guide work."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deskcrew.errors import ConfigError
from deskcrew.guard.cases import read_cases
from deskcrew.guard.policy import Policy, user_policy
from support.guarding import decide

GUIDE = Path(__file__).parents[2] / "docs" / "reference" / "policy.md"
GOOD = '[[rules]]\nname = "good"\neffect = "allow"\n\n'


@pytest.mark.parametrize(
    ("text", "line", "words", "hint"),
    [
        ('[[rules]]\nname = "a"\neffect = "allow"\nactoin = "x"\n', 8, ["rule 'a'", "'actoin'"], "'action'"),
        ('[[rules]]\nname = "a"\neffect = "alow"\n', 7, ["'effect'", "must be 'allow', 'ask' or 'deny'"], "'allow'"),
        ('[[rules]]\nname = "a"\neffect = "ask"\nrisk = ["destory"]\n', 8, ["'risk'"], "'destroy'"),
        ('[[rules]]\nname = "a"\neffect = "ask"\nplace = []\n', 8, ["'place'", "never matches"], ""),
        ('[[rules]]\nname = "a"\neffect = "ask"\ntext = "(x"\n', 8, ["'text'", "regular expression"], ""),
        ('[[rules]]\nname = "a"\neffect = "ask"\naction = "run_shel"\n', 8, ["'action'", "run_shel"], "'run_shell'"),
        ('[[rules]]\nname = "a"\neffect = "ask"\nhost = "https://x.org/a"\n', 8, ["'host'", "not a host"], ""),
        ('[[rules]]\nname = "a"\neffect = "ask"\npath = "../x"\n', 8, ["'path'", "outside"], ""),
        ('[[rules]]\nname = "a"\neffect = "ask"\nrisk = 3\n', 8, ["'risk'", "must be a list"], ""),
        ('[[rules]]\nname = "a"\neffect = "ask"\nevery_time = "yes"\n', 8, ["'every_time'", "true or false"], ""),
        ('[[rules]]\nname = "a"\neffect = "allow"\nevery_time = true\n', 5, ["rule 'a'", "every_time"], ""),
        ('[[rules]]\neffect = "ask"\n', 5, ["rule number 2", "'name'", "missing"], ""),
        ('[[rules]]\nname = "good"\neffect = "ask"\n', 6, ["twice"], ""),
        ('[[rules]]\nname = "network"\neffect = "ask"\n', 6, ["built-in"], ""),
        ('[[limits]]\nname = "good"\nmost = 1\n', 6, ["limit 'good'", "twice"], ""),
        ('[[limits]]\nname = "a"\nmost = -1\n', 7, ["'most'", "at least 0"], ""),
        ('[[limits]]\nname = "a"\nmost = "3"\n', 7, ["'most'", "whole number"], ""),
        ('[[limits]]\nname = "a"\nmost = 3\nper = "day"\n', 8, ["'per'"], ""),
        ('[[limits]]\nname = "a"\nmost = 3\ntext = "x"\n', 8, ["'text'", "no such key"], ""),
        ('[[limits]]\nname = "a"\nmost = 3\neffect = "allow"\n', 8, ["'effect'"], ""),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, text: str, line: int, words: list[str], hint: str) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(GOOD + text)
    with pytest.raises(ConfigError) as raised:
        Policy.load(path)
    said = str(raised.value)
    assert said.startswith(f"{path}, line {line}, "), said
    assert [word for word in words if word not in said] == [], said
    assert hint in raised.value.hint


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('rule = "x"\n', ["line 1", "'rule'"]),
        ('include_default = "no"\n', ["line 1", "true or false"]),
        ("hosts = 3\n", ["line 1", "'hosts'"]),
        ('hosts = ["http://a.org"]\n', ["line 1", "not a host"]),
        ("hosts = []\nrules = 3\n", ["line 2", "[[rules]]"]),
        ("x = [", ["not TOML"]),
        ('rules = [{name = "a", effect = "ask", why = 3}]', ["rule 'a'", "'why'"]),
        ('[[rules]]\nname = "a"\neffect = "ask"\nwhy = 2020-01-01\nrisk = 2020-01-01', ["line 5", "'risk'"]),
    ],
)
def test_mistakes_outside_of_rules(text: str, words: list[str]) -> None:
    with pytest.raises(ConfigError) as raised:
        Policy.parse(text, "p.toml")
    assert [word for word in words if word not in str(raised.value)] == [], str(raised.value)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="UTF-8"):
        Policy.load(path)


def test_one_text_is_a_list_of_one() -> None:
    one, many = (
        Policy.parse(f'[[rules]]\nname = "a"\neffect = "ask"\naction = {v}', "p") for v in ('"scroll"', '["scroll"]')
    )
    assert one == many


def test_a_limit_takes_the_place_of_the_built_in_one_of_its_name() -> None:
    told = Policy.parse('[[limits]]\nname = "spending-per-run"\nrisk = "spend"\nmost = 2\n', "p")
    assert [limit.most for limit in told.limits] == [2]
    assert [limit.most for limit in Policy.default().limits] == [0]


def test_where_a_policy_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config, project = tmp_path / "config", tmp_path / "project"
    for folder in (config, project / ".deskcrew"):
        folder.mkdir(parents=True)
    (project / ".deskcrew" / "policy.toml").write_text(GOOD)
    (project / "policy.toml").write_text(GOOD)
    monkeypatch.chdir(project)
    assert user_policy(config, workspace=project) == Policy.default()
    (config / "policy.toml").write_text(GOOD)
    assert user_policy(config, workspace=project).rules[0].name == "good"
    named = tmp_path / "mine.toml"
    named.write_text(GOOD.replace("good", "mine"))
    assert user_policy(config, named).rules[0].name == "mine"
    with pytest.raises(ConfigError, match="cannot be read"):
        user_policy(config, tmp_path / "none.toml")


def test_a_policy_in_the_workspace_is_refused(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text(GOOD)
    (tmp_path.parent / "link.toml").unlink(missing_ok=True)
    (tmp_path.parent / "link.toml").symlink_to(tmp_path / "policy.toml")
    for path in (tmp_path / "policy.toml", tmp_path.parent / "link.toml"):
        with pytest.raises(ConfigError, match="workspace"):
            user_policy(tmp_path / "config", path, workspace=tmp_path)


def test_the_examples_of_the_guide(tmp_path: Path) -> None:
    """Every policy in the guide loads, and its cases come out as it says."""
    from deskcrew.guard.cases import decide as decide_case

    blocks = re.findall(r"```toml\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    policies = [Policy.parse(block, "guide") for block in blocks if "[[cases]]" not in block]
    assert len(policies) >= 4
    cases = [block for block in blocks if "[[cases]]" in block]
    assert len(cases) == 1
    (tmp_path / "cases.toml").write_text(cases[0])
    first = policies[0]
    for case in read_cases(tmp_path / "cases.toml"):
        decision = decide_case(first, case, tmp_path / "w")
        assert case.met_by(decision), (case.title_line, decision.effect, decision.rule)


def test_the_guide_names_every_condition_risk_and_place() -> None:
    from typing import get_args

    from deskcrew.actions.action import Risk
    from deskcrew.guard.conditions import FIELDS
    from deskcrew.guard.facets import Place

    text = GUIDE.read_text()
    assert [word for word in (*FIELDS, *get_args(Risk), *get_args(Place)) if f"`{word}`" not in text] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1", "not a file of cases"),
        ('[[cases]]\naction = "scroll"\n', "expect is missing"),
        ('[[cases]]\naction = "scroll"\nexpect = "maybe"\n', "case 1, field 'expect'"),
        ('[[cases]]\naction = "scroll"\nexpect = "allow"\nparms = {}\n', "'parms'"),
        ("[[cases", "not TOML"),
    ],
)
def test_mistakes_in_cases(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "cases.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=re.escape(words)):
        read_cases(path)


def test_an_empty_policy_denies_everything(tmp_path: Path) -> None:
    empty = Policy.parse("include_default = false\n", "p")
    assert decide(empty, tmp_path, "list_files").effect == "deny"
