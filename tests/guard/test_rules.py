"""Which rule decides: specificity, ties, the built-in rules beneath, and that no order of rules matters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskcrew.guard.facets import Facets, PathFacet, Target, TextFacet
from deskcrew.guard.patterns import found, host_fits, name_fits, normal_path, path_fits
from deskcrew.guard.policy import Policy
from deskcrew.guard.rules import Rule
from deskcrew.guard.weighing import Weighed, weigh
from support.guarding import button, decide, look, policy


def rules(*effects: tuple[str, dict[str, Any]]) -> list[Rule]:
    return [Rule(name=f"r{n}", effect=effect, **about) for n, (effect, about) in enumerate(effects)]  # type: ignore[arg-type]


PUSH = Facets(
    risk="network",
    place="workspace",
    actions=("run_shell",),
    agent="Programmer",
    apps=("xterm",),
    targets=(Target("Terminal", "terminal"),),
    texts=(TextFacet("git push", ("git push && ls",)), TextFacet("ls", ("git push && ls",))),
    paths=(PathFacet("docs/a.txt"),),
    hosts=("git.example.org",),
)


@pytest.mark.parametrize(
    ("about", "fits"),
    [
        ({}, True),
        ({"risk": ("network",)}, True),
        ({"risk": ("read",)}, False),
        ({"action": ("run_*",)}, True),
        ({"action": ("RUN_SHELL",)}, True),
        ({"action": ("run_python_code",)}, False),
        ({"place": ("workspace",)}, True),
        ({"app": ("*term",)}, True),
        ({"app": ("konsole",)}, False),
        ({"control": ("terminal",)}, True),
        ({"role": ("terminal",), "control": ("Term*",)}, True),
        ({"role": ("button",), "control": ("Term*",)}, False),
        ({"text": ("^git push",)}, True),
        ({"text": ("push && ls",)}, True),
        ({"text": ("pull",)}, False),
        ({"path": ("docs",)}, True),
        ({"path": ("*.txt",)}, True),
        ({"path": ("outside",)}, False),
        ({"host": ("*.example.org",)}, True),
        ({"host": ("example.org",)}, False),
        ({"agent": ("Programmer",)}, True),
        ({"agent": ("Operator",)}, False),
    ],
)
def test_what_a_rule_fits(about: dict[str, Any], fits: bool) -> None:
    weighed = weigh(rules(("allow", {}), ("deny", about)), PUSH)
    assert weighed.rule is not None
    assert (weighed.rule.effect == "deny") is fits


@pytest.mark.parametrize(
    ("first", "second", "wins"),
    [
        (("deny", {"risk": ("network",)}), ("allow", {"risk": ("network",), "agent": ("P*",)}), "r1"),
        (("allow", {"action": ("run_shell",)}), ("deny", {"action": ("run_*",)}), "r0"),
        (("allow", {"action": ("run_s*",)}), ("deny", {"action": ("run_*",)}), "r0"),
        (("allow", {"action": ("run_shell",)}), ("deny", {"app": ("*",)}), "r1"),
        (("allow", {"path": ("docs/a.txt",)}), ("deny", {"path": ("docs",)}), "r0"),
        (("deny", {"path": ("docs/*.txt",)}), ("allow", {"path": ("docs",)}), "r0"),
        (("allow", {"risk": ("network",)}), ("ask", {"action": ("run_shell",)}), "r1"),
        (("ask", {"text": ("git",)}), ("deny", {"text": ("g",)}), "r1"),
        (("allow", {"host": ("git.example.org",), "app": ("*",)}), ("deny", {"host": ("*",), "app": ("xterm",)}), "r1"),
    ],
)
def test_the_more_specific_wins_and_of_equals_the_stricter(first: Any, second: Any, wins: str) -> None:
    pair = rules(first, second)
    for order in (pair, pair[::-1]):
        weighed = weigh(order, PUSH)
        assert weighed.rule is not None
        assert weighed.rule.name == wins
        assert {fitting.part for fitting in weighed.fitting if fitting.rule == wins} == {"decides"}


def test_every_value_must_be_let_through() -> None:
    both = Facets(risk="network", place="workspace", actions=("run_shell",), hosts=("a.example.org", "evil.net"))
    allowed = rules(("allow", {"host": ("*.example.org",)}))
    assert weigh(allowed, both).rule is None
    assert "evil.net" in weigh(allowed, both).missing
    asked = weigh([*allowed, *rules(("ask", {}))[:0], Rule(name="rest", effect="ask")], both)
    assert asked.rule is not None
    assert asked.rule.name == "rest"


def test_what_lies_around_forbids_and_allows_nothing() -> None:
    part = Facets(risk="write", place="workspace", actions=("run_shell",), texts=(TextFacet("ls", ("git x; ls",)),))
    assert weigh(rules(("allow", {"text": ("git",)})), part).rule is None
    assert weigh(rules(("deny", {"text": ("git",)})), part).rule is not None


_ABOUT: dict[str, st.SearchStrategy[Any]] = {
    "risk": st.sampled_from([("network",), ("read", "network"), ("write",)]),
    "action": st.sampled_from([("run_shell",), ("run_*",), ("*",), ("read_file",)]),
    "place": st.sampled_from([("workspace",), ("real",)]),
    "app": st.sampled_from([("xterm",), ("x*",), ("*",)]),
    "control": st.sampled_from([("Terminal",), ("T*",), ("Send",)]),
    "text": st.sampled_from([("git",), ("^ls$",), ("push|ls",), ("x",)]),
    "path": st.sampled_from([("docs",), ("*.txt",), ("docs/a.txt",), ("outside",)]),
    "host": st.sampled_from([("git.example.org",), ("*.org",), ("*",)]),
    "agent": st.sampled_from([("Programmer",), ("P*",)]),
}
_SETS = st.lists(
    st.tuples(st.sampled_from(["allow", "ask", "deny"]), st.fixed_dictionaries({}, optional=_ABOUT), st.booleans()),
    max_size=7,
)


def made(drawn: list[tuple[str, dict[str, Any], bool]]) -> list[Rule]:
    return [Rule(name=f"r{n}", effect=e, builtin=b, **about) for n, (e, about, b) in enumerate(drawn)]  # type: ignore[arg-type]


def effect(weighed: Weighed) -> str:
    return weighed.rule.effect if weighed.rule is not None else "deny"


@given(_SETS, st.randoms(use_true_random=False))
def test_the_order_of_rules_does_not_matter(drawn: Any, random: Any) -> None:
    ordered = made(drawn)
    shuffled = ordered[:]
    random.shuffle(shuffled)
    assert weigh(ordered, PUSH).rule == weigh(shuffled, PUSH).rule


@given(_SETS, st.fixed_dictionaries({}, optional=_ABOUT))
def test_one_more_deny_lets_nothing_through(drawn: Any, about: dict[str, Any]) -> None:
    before = made(drawn)
    was, now = (effect(weigh(each, PUSH)) for each in (before, [*before, Rule(name="more", effect="deny", **about)]))
    assert now in (was, "deny")


def test_the_users_rules_lie_above_the_built_in_ones(tmp_path: Path) -> None:
    # One condition, and the built-in rule that allows has two: what is stricter holds all the same.
    strict = policy('[[rules]]\nname = "no"\neffect = "deny"\naction = "run_shell"\n')
    assert decide(strict, tmp_path, "run_shell", command="ls").rule == "no"
    # What loosens a built-in rule must name more than that.
    lax = policy('[[rules]]\nname = "yes"\neffect = "allow"\nrisk = "credential"\n')
    assert decide(lax, tmp_path, "run_shell", command="sudo a").rule == "credentials"
    named = policy('[[rules]]\nname = "yes"\neffect = "allow"\nrisk = "credential"\nplace = "workspace"\n')
    assert decide(named, tmp_path, "run_shell", command="sudo a").rule == "yes"
    alone = policy('[[rules]]\nname = "yes"\neffect = "allow"\naction = "read_*"\n', default=False)
    assert decide(alone, tmp_path, "read_file", file_path="a").rule == "yes"
    assert decide(alone, tmp_path, "run_shell", command="ls").effect == "deny"


def test_the_reason_says_what_the_rule_is_about(tmp_path: Path) -> None:
    told = policy('[[rules]]\nname = "no"\neffect = "deny"\npath = "*.pem"\nwhy = "Keys stay here"\n')
    decision = decide(told, tmp_path, "read_file", file_path="a/b.pem")
    assert decision.why == "Keys stay here (path 'a/b.pem')"
    plain = policy('[[rules]]\nname = "no"\neffect = "deny"\npath = "*.pem"\n')
    assert decide(plain, tmp_path, "read_file", file_path="b.pem").why == "the rule 'no' is about path 'b.pem'"
    assert [(each.rule, each.part) for each in decision.explanation] == [("no", "decides"), ("reading", "weaker")]


def test_too_many_values_at_once_are_denied(tmp_path: Path) -> None:
    lines = [f'[[rules]]\nname = "{kind}{n}"\neffect = "allow"\n{kind} = "{n}x{"" if kind == "text" else "*"}"\n'
             for n in range(1, 9) for kind in ("text", "path", "host")]  # fmt: skip
    facets = Facets(
        risk="write",
        place="workspace",
        actions=("run_shell",),
        texts=tuple(TextFacet(f"{n}x") for n in range(0, 99)),
        paths=tuple(PathFacet(f"{n}x") for n in range(0, 99)),
        hosts=tuple(f"{n}x" for n in range(0, 99)),
    )
    crowd = [*policy("\n".join(lines)).rules]
    weighed = weigh([*crowd, *(Rule(name=f"a{n}", effect="allow", app=(f"{n}",)) for n in range(9))],
                    Facets(**{**_fields(facets), "apps": tuple(str(n) for n in range(99))}))  # fmt: skip
    assert weighed.too_much
    assert weighed.rule is None


def _fields(facets: Facets) -> dict[str, Any]:
    return {name: getattr(facets, name) for name in Facets.__slots__}


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("docs", "docs", True),
        ("docs", "a/docs/x", True),
        ("docs/", "docs/x/y", True),
        ("docs/**", "docs/x/y", True),
        ("./docs/a", "docs/a", True),
        ("docs/*.txt", "docs/a.txt", True),
        ("docs/*.txt", "docs/x/a.txt", False),
        ("docs/**/a.txt", "docs/x/y/a.txt", True),
        ("*.pem", "x/y/k.pem", True),
        ("*.pem", "x/k.pem.txt", False),
        ("/etc", "/etc/passwd", True),
        ("/etc", "etc/passwd", False),
        ("etc", "/etc/passwd", True),
        ("~/.ssh", "/home/anybody/.ssh/id", True),
        ("~/keys", "/root/keys", True),
        ("~/.ssh", "~/.ssh/id", True),
        ("~/.ssh", ".ssh/id", False),
        ("outside", "../x", True),
        ("outside", "~", True),
        ("outside", "a/..b", False),
        ("**", "a/b", True),
    ],
)
def test_paths(pattern: str, path: str, fits: bool) -> None:
    assert (path_fits(pattern, path) is not None) is fits


def test_what_takes_a_folder_takes_what_is_in_it() -> None:
    assert path_fits("a/private/**", "a") is None
    assert path_fits("a/private/**", "a", whole=True) is not None
    assert path_fits("a/private", "b", whole=True) is None


@pytest.mark.parametrize(
    ("path", "normal"),
    [
        ("/workspace/a/../b", "b"),
        ("/real/root/x", "x"),
        ("/workspace", "."),
        ("/workspace2/x", "/workspace2/x"),
        ("//etc//passwd", "/etc/passwd"),
        ("a/../../x", "../x"),
        ("$HOME/x", "~/x"),
        ("${HOME}", "~"),
    ],
)
def test_paths_are_made_alike(path: str, normal: str) -> None:
    assert normal_path(path, ("/workspace", "/real/root")) == normal


def test_names_and_hosts() -> None:
    assert name_fits("Save as", "Save As...") == (1, 7)
    assert name_fits("*save*", "Don\u2019t Save") is not None
    assert host_fits("*.Example.org.", "a.example.org") is not None
    assert host_fits("*.example.org", "example.org") is None


def test_a_regular_expression_that_would_take_for_ever_is_given_up(tmp_path: Path) -> None:
    assert found("(a+)+$", "a" * 5000 + "b") is None
    assert found("a", "a" * 200_000) is None
    hard = '[[rules]]\nname = "hard"\neffect = "{}"\naction = "write_file"\ntext = "(a|aa)+$"\n'
    for said, decided in (("deny", "deny"), ("ask", "ask")):
        rigid = policy(hard.format(said))
        assert decide(rigid, tmp_path, "write_file", file_path="x", text="a" * 5000 + "b").effect == decided
    # What cannot be searched is not allowed by it.
    alone = policy(hard.format("allow"), default=False)
    assert decide(alone, tmp_path, "write_file", file_path="x", text="a" * 5000 + "b").effect == "deny"


def test_agents_controls_and_roles(tmp_path: Path) -> None:
    seen = look("mail", button("Forward"))
    careful = policy(
        '[[rules]]\nname = "no"\neffect = "deny"\nagent = "Browser*"\ncontrol = "forward"\nrole = ["button", "link"]\n'
    )
    assert decide(careful, tmp_path, "click_input", seen, aimed="9", agent="Browser").rule == "no"
    assert decide(careful, tmp_path, "click_input", seen, aimed="9", agent="Writer").effect == "allow"
    other = look("mail", button("Forward", role="label"))
    assert decide(careful, tmp_path, "click_input", other, aimed="9", agent="Browser").effect == "allow"


def test_the_recorded_policy_is_the_same() -> None:
    told = policy('hosts = ["a.org"]\n[[rules]]\nname = "x"\neffect = "ask"\ntext = "x"\nevery_time = true\n')
    assert Policy.recorded(told.record()) == told
    assert Policy.recorded(told.record()).digest == told.digest


def test_a_question_that_may_be_remembered_does_not_loosen_one_that_may_not(tmp_path: Path) -> None:
    mine = policy('[[rules]]\nname = "mine"\neffect = "ask"\nrisk = "credential"\n')
    found = decide(mine, tmp_path, "run_shell", command="sudo a")
    assert (found.rule, found.every_time) == ("credentials", True)
    closer = policy('[[rules]]\nname = "mine"\neffect = "ask"\nrisk = "send"\nplace = "workspace"\n')
    found = decide(closer, tmp_path, "run_shell", command="mail a")
    assert (found.rule, found.every_time) == ("mine", False)
