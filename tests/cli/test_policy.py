"""``deskcrew policy``: check, test, explain; and a run that goes by a policy of its own."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Cli
from deskcrew.facts import events as e
from deskcrew.guard.again import again
from deskcrew.guard.policy import Policy
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from support.bodies import started

STRICT = """
hosts = ["*.example.org"]
[[rules]]
name = "no-shell"
effect = "deny"
action = "run_shell"
why = "Shells are not for you"
[[rules]]
name = "git"
effect = "allow"
action = "run_shell"
text = '^git status$'
[[limits]]
name = "few"
risk = "send"
most = 2
per = "hour"
"""


@pytest.fixture
def strict(tmp_path: Path) -> Path:
    path = tmp_path / "strict.toml"
    path.write_text(STRICT)
    return path


def test_check_lists_rules_from_the_most_specific(cli: Cli, strict: Path) -> None:
    said = cli("policy", "check", str(strict))
    assert said.code == 0
    order = [said.out.index(name) for name in ("git ", "no-shell", "writing-inside", "reading")]
    assert order == sorted(order)
    assert "at most 2 per hour" in said.out
    found = cli("policy", "check", str(strict), "--json").json
    assert [rule["name"] for rule in found["rules"]][:2] == ["git", "no-shell"]
    assert found["rules"][-1]["builtin"] is True
    assert found["digest"] == Policy.load(strict).digest


def test_check_says_what_is_wrong_and_what_is_odd(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text('[[rules]]\nname = "a"\nefect = "allow"\n')
    said = cli("policy", "check", str(path))
    assert said.code == 2
    assert "line 3, rule 'a', field 'efect'" in said.err
    assert "'effect'" in said.err
    path.write_text('[[rules]]\nname = "all"\neffect = "allow"\n')
    assert "all allows everything" in cli("policy", "check", str(path)).out


def test_the_users_own_policy_is_found(cli: Cli, own_settings: Path) -> None:
    assert "built in" in cli("policy", "check").out
    config = own_settings / "config" / "deskcrew"
    config.mkdir(parents=True)
    (config / "policy.toml").write_text(STRICT)
    assert cli("policy", "check", "--json").json["policy"] == str(config / "policy.toml")
    assert cli("policy", "test", "--action", "run_shell", "--param", "command=ls").code == 5


@pytest.mark.parametrize(
    ("arguments", "code", "rule"),
    [
        (["--action", "run_shell", "--param", "command=ls"], 5, "no-shell"),
        (["--action", "run_shell", "--param", "command=git status"], 0, "git"),
        (["--action", "click_input", "--control", "Pay", "--role", "button", "--app", "x"], 3, "spending"),
        (["--action", "hotkey", "--param", "keys=ctrl,enter", "--app", "thunderbird"], 3, "sending"),
        (["--action", "keyboard_input", "--param", "keys=ls", "--app", "xterm"], 5, "no-shell"),
        (["--action", "click_input", "--control", "Go", "--host", "evil.net"], 3, "network"),
        (["--action", "click_input", "--control", "Go", "--host", "a.example.org"], 0, "writing-inside"),
        (["--action", "click_input", "--control", "Go", "--desktop", "real"], 3, "writing-elsewhere"),
    ],
)
def test_one_operation(cli: Cli, strict: Path, arguments: list[str], code: int, rule: str) -> None:
    said = cli("policy", "test", "--policy", str(strict), *arguments)
    assert said.code == code
    assert f"by {rule}" in said.out
    assert ("a copy of the workspace" in said.out) == (rule == "git")  # "allow" is not the last word for what a program does
    found = cli("policy", "test", "--policy", str(strict), "--json", *arguments)
    assert (found.code, found.json["rule"]) == (code, rule)
    assert found.json["explanation"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--action"),
        (["--action", "run_shel"], "run_shell"),
        (["--action", "run_shell", "--param", "comand=x"], "command"),
        (["--action", "scroll", "--param", "wheel_dist=far"], "wheel_dist"),
        (["none.toml"], "cannot be read"),
    ],
)
def test_what_cannot_be_tried(cli: Cli, arguments: list[str], words: str) -> None:
    said = cli("policy", "test", *arguments)
    assert said.code == 2
    assert words in said.err


def test_a_file_of_cases(cli: Cli, strict: Path, tmp_path: Path) -> None:
    path = tmp_path / "cases.toml"
    good = '[[cases]]\naction = "run_shell"\nparams = { command = "ls" }\nexpect = "deny"\nrule = "no-shell"\n'
    path.write_text(good)
    assert cli("policy", "test", str(path), "--policy", str(strict)).code == 0
    path.write_text(good + '[[cases]]\nname = "looks"\naction = "read_file"\nparams = { file_path = "a" }\nexpect = "ask"\n')
    said = cli("policy", "test", str(path), "--policy", str(strict))
    assert said.code == 4
    assert "✗ looks: allow by reading; expected ask" in said.out
    assert "1 of 2 as expected" in said.out
    found = cli("policy", "test", str(path), "--policy", str(strict), "--json")
    assert [case["ok"] for case in found.json["cases"]] == [True, False]


def test_a_case_that_lacks_a_field_is_not_answered_with_its_name(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "cases.toml"
    path.write_text("[[cases]]\n")
    said = cli("policy", "test", str(path)).err
    assert "field 'action': it is missing" in said
    assert "Did you mean" not in said
    path.write_text('[[cases]]\nactoin = "run_shell"\naction = "run_shell"\n')
    assert "Did you mean 'action'?" in cli("policy", "test", str(path)).err


def record(store: Store, told: Policy, tmp_path: Path, *bodies: Any, cause: bool = True) -> Journal:
    """A run by that policy: a shell command was proposed as event 2, and what came of it."""
    begun = started().model_copy(update={"policy": told.digest, "workspace": str(tmp_path / "gone")})
    journal = store.create(begun, run="run", texts=(told.record(),))
    operation = e.Operation(function="run_shell", params={"command": "ls\x1b[31m"})
    proposed = journal.append(e.OperationProposed(role="Programmer", subtask="1", operation=operation))
    for body in bodies:
        journal.append(body, cause=proposed if cause else None)
    journal.close()
    return journal


def test_explain_decides_again_what_was_decided(cli: Cli, store: Store, data: Path, strict: Path, tmp_path: Path) -> None:
    denied = e.OperationDenied(rule="no-shell", risk="write", by="policy", why="x")
    record(store, Policy.load(strict), tmp_path, denied)
    for number in ("2", "3", "last"):
        said = cli("policy", "explain", "run", number, "--data", str(data))
        assert said.code == 0
        for part in ("Then: denied by policy, rule no-shell", "Now: deny by no-shell", "Shells are not for you", "same"):
            assert part in said.out
        assert "\x1b" not in said.out
    assert not (tmp_path / "gone").exists()


def test_explain_finds_the_only_operation_of_a_run_that_was_undone(
    cli: Cli, store: Store, data: Path, strict: Path, tmp_path: Path
) -> None:
    denied = e.OperationDenied(rule="no-shell", risk="write", by="policy", why="x")
    journal = record(store, Policy.load(strict), tmp_path, denied)
    before = cli("policy", "explain", "run", "--data", str(data))
    journal.branch_at(journal.event(1), e.Rewound(left=journal.events[-1].id, undo=True, to="start"))
    journal.close()
    after = cli("policy", "explain", "run", "--data", str(data))
    assert (before.code, before.out) == (after.code, after.out)
    assert "denied by policy, rule no-shell" in after.out


def test_explain_says_what_differs(cli: Cli, store: Store, data: Path, tmp_path: Path) -> None:
    record(store, Policy.default(), tmp_path, e.OperationDenied(rule="no-shell", risk="network", by="policy"))
    found = cli("policy", "explain", "run", "3", "--json", "--data", str(data))
    assert found.code == 3
    assert found.json["differences"] == [
        "decision: deny then, allow now",
        "rule: no-shell then, writing-inside now",
        "risk: network then, write now",
    ]
    assert found.json["recorded"]["rule"] == "no-shell"


@pytest.mark.parametrize(
    "changed",
    [{"function": "delete_file", "path": "notes.txt"}, {"function": "write_file", "file_path": "notes.txt", "text": "x"}],
)
def test_explain_says_the_same_of_a_loss_that_nobody_approved(
    cli: Cli, data: Path, tmp_path: Path, changed: dict[str, str]
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "notes.txt").write_text("What was said in the meeting, and by whom.\n" * 9)
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"branch": "RoleTaskFinish", "operations": [changed], "message": ""}] * 3))
    task = ["run", "Tidy up", "--desktop", "none", "--no-pool", "--crew", "solo", "--model", f"scripted:{script}"]
    ended = cli(*task, "--workspace", str(work), "--require", "file_exists a.txt", "--data", str(data))
    journal = Store(data / "journal.db").journal("last")
    denied = next(event for event in journal.events if isinstance(event.body, e.OperationDenied))
    said = cli("policy", "explain", "last", str(denied.number), "--data", str(data))
    assert said.code == 0, f"{said.out}{ended.out}"
    assert "Now: ask by" in said.out
    assert "Differs" not in said.out


def test_explain_by_another_policy(cli: Cli, store: Store, data: Path, strict: Path, tmp_path: Path) -> None:
    record(store, Policy.default(), tmp_path, e.OperationApproved(rule="writing-inside", risk="write"))
    assert cli("policy", "explain", "run", "3", "--data", str(data)).code == 0
    said = cli("policy", "explain", "run", "3", "--policy", str(strict), "--data", str(data))
    assert said.code == 3
    assert "Differs: decision: allow then, deny now" in said.out


def test_explain_counts_what_came_before_and_not_the_event_itself(store: Store, tmp_path: Path) -> None:
    one = Policy.parse('[[limits]]\nname = "one"\naction = "run_shell"\nmost = 1\n', "p")
    operation = e.Operation(function="run_shell", params={"command": "ls"})
    begun = e.ActionStarted(role="Programmer", subtask="1", operation=operation, effect="undoable")
    journal = record(store, one, tmp_path, e.OperationApproved(rule="writing-inside", risk="write"), begun)
    decision = again(journal, 3).decision
    assert decision is not None
    assert decision.effect == "allow"
    assert again(journal, 4).differences == ()


@pytest.mark.parametrize("number", ["1", "last"])
def test_an_event_that_is_no_operation(cli: Cli, store: Store, data: Path, tmp_path: Path, number: str) -> None:
    record(store, Policy.default(), tmp_path, e.HumanSaid(kind="guide", text="x"), cause=False)
    said = cli("policy", "explain", "run", number, "--data", str(data))
    assert said.code == 2
    assert "is not an operation. Hint: For a list of operations: deskcrew audit run" in " ".join(said.err.split())


def test_a_record_that_was_changed_is_said_before_it_is_explained(
    cli: Cli, store: Store, data: Path, tmp_path: Path
) -> None:
    record(store, Policy.default(), tmp_path, e.OperationApproved(rule="writing-inside", risk="write"))
    with closing(sqlite3.connect(data / "journal.db")) as connection, connection:
        connection.execute("UPDATE events SET body = json_set(body, '$.risk', 'none') WHERE number = 3")
    said = cli("policy", "explain", "run", "2", "--data", str(data))
    assert (said.code, "is not what was written: event 3" in said.err) == (4, True), said.err


def test_without_an_event_the_only_one_is_explained_and_the_list_has_a_command_of_its_own(
    cli: Cli, store: Store, data: Path, tmp_path: Path
) -> None:
    record(store, Policy.default(), tmp_path, e.OperationApproved(rule="writing-inside", risk="write"))
    only, named = (cli("policy", "explain", "run", *number, "--data", str(data)) for number in ((), ("2",)))
    assert (only.code, only.out) == (0, named.out)
    said = cli("audit", "run", "--data", str(data))
    assert said.code == 0, said.err
    assert "#2" in said.out
    command = said.out.partition("Why: deskcrew ")[2].split()
    assert cli(*command, "--data", str(data)).code == 0
    listed = cli("audit", "run", "--json", "--data", str(data)).json["decisions"]
    assert [row["event"] for row in listed] == [2]


def test_of_several_operations_the_one_to_explain_must_be_named(cli: Cli, store: Store, data: Path, tmp_path: Path) -> None:
    again = e.OperationProposed(role="Programmer", subtask="1", operation=e.Operation(function="run_shell", params={}))
    record(store, Policy.default(), tmp_path, again)
    refused = cli("policy", "explain", "run", "--data", str(data))
    assert (refused.code, "deskcrew audit run lists them" in refused.err) == (2, True)
    assert "deskcrew policy explain run 3" in refused.err


def test_a_run_goes_by_its_policy_and_keeps_it(cli: Cli, data: Path, strict: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    operation = {"function": "run_shell", "command": "ls"}
    script.write_text(json.dumps([{"branch": "Continue", "operations": [operation], "message": ""}] * 3))
    task = ["run", "List the files", "--desktop", "none", "--no-pool", "--crew", "solo", "--model", f"scripted:{script}"]
    ended = cli(*task, "--policy", str(strict), "--limit", "replies=2", "--json", "--data", str(data))
    journal = Store(data / "journal.db").journal("last")
    rulings = [x.body for x in journal.events if isinstance(x.body, e.OperationDenied | e.OperationApproved)]
    assert [(body.type, body.rule) for body in rulings][:1] == [("operation_denied", "no-shell")], ended
    begun = journal.state.started
    assert begun is not None
    assert Policy.recorded(journal.read_blob(begun.policy).decode()) == Policy.load(strict)
    ruled = next(x.number for x in journal.events if isinstance(x.body, e.OperationDenied))
    assert cli("policy", "explain", "last", str(ruled), "--data", str(data)).code == 0


def test_a_policy_that_is_not_there_is_said_with_what_applies_without_it(cli: Cli, tmp_path: Path) -> None:
    # Options may come before the task, too.
    said = cli("--policy", str(tmp_path / "none.toml"), "Say hello")
    assert said.code == 2
    assert "none.toml cannot be read" in " ".join(said.err.split())
    assert "Without --policy, your own policy applies" in " ".join(said.err.split())


def test_a_policy_in_the_workspace_is_refused(cli: Cli, tmp_path: Path, strict: Path) -> None:
    said = cli(
        "run", "x", "--workspace", str(tmp_path), "--policy", str(strict), "--desktop", "none", "--model", "scripted:x"
    )
    assert said.code == 2
    assert "is in the workspace" in said.err


def test_a_path_that_cannot_be_used_is_not_allowed_by_a_rule_that_reads(cli: Cli) -> None:
    there = cli("policy", "test", "--action", "read_file", "--param", "file_path=a.txt")
    assert there.code == 0
    elsewhere = cli("policy", "test", "--action", "read_file", "--param", "file_path=/etc/shadow")
    assert elsewhere.code == 5
    assert "refused under any policy: '/etc/shadow' is outside the workspace" in elsewhere.out


def test_it_says_what_a_run_would_do_with_a_file_that_was_there(cli: Cli, tmp_path: Path) -> None:
    said = cli("policy", "test", "--action", "delete_file", "--param", "path=old/a.txt")
    assert said.code == 3, "a run asks"
    assert said.out.startswith("ask by destroying")
    assert "If the file did not exist before the run: allow by writing-inside." in said.out
    replaced = ("--action", "write_file", "--param", "file_path=a.txt", "--param", "text=x")
    assert cli("policy", "test", *replaced, "--json").json["decision"] == "ask"
    assert cli("policy", "test", *replaced, "--param", "append=true", "--json").json["decision"] == "allow"
    cases = tmp_path / "cases.toml"
    case = '[[cases]]\naction = "delete_file"\nparams = { path = "a.txt" }\n'
    cases.write_text(f'{case}expect = "ask"\n{case}there = false\nexpect = "allow"\n')
    assert cli("policy", "test", str(cases)).code == 0


def test_a_mistyped_parameter_is_answered_with_the_nearest(cli: Cli) -> None:
    said = cli("policy", "test", "--action", "delete_file", "--param", "paht=a.txt")
    assert (said.code, "Did you mean 'path'?" in said.err) == (2, True)


def test_explain_tells_what_was_decided_about_what_a_program_had_changed(cli: Cli, data: Path, tmp_path: Path) -> None:
    """The program was allowed to run, and what it had removed was not: that is the decision, as `audit` tells it."""
    work, script = tmp_path / "work", tmp_path / "script.json"
    work.mkdir()
    (work / "letter.txt").write_text("Dear aunt Mary, the pears are ripe and the plums will be in a week.\n" * 9)
    removes = {"function": "run_shell", "command": "rm letter.txt"}
    script.write_text(json.dumps([{"branch": "Continue", "operations": [removes], "message": ""}] * 3))
    task = ["run", "Tidy up.", "--desktop", "none", "--no-pool", "--crew", "solo", "--model", f"scripted:{script}"]
    cli(*task, "--workspace", str(work), "--limit", "replies=1", "--data", str(data))
    assert (work / "letter.txt").exists()
    (row,) = cli("audit", "last", "--json", "--data", str(data)).json["decisions"]
    assert (row["decision"], row["rule"], row["risk"]) == ("denied", "destroying", "destroy")
    journal = Store(data / "journal.db").journal("last")
    (denied,) = [x for x in journal.events if isinstance(x.body, e.OperationDenied)]
    for number in (denied.number, row["event"]):
        said = cli("policy", "explain", "last", str(number), "--data", str(data))
        assert said.code == 0
        for part in (
            "letter.txt (removed",
            "Then: denied by nobody, rule destroying, risk destroy",
            "Now: ask by destroying",
        ):
            assert part in said.out, said.out
        assert "writing-inside" not in said.out.partition("Now:")[0]
    (approved,) = [x for x in journal.events if isinstance(x.body, e.OperationApproved)]
    said = cli("policy", "explain", "last", str(approved.number), "--data", str(data))
    assert "Then: approved by policy, rule writing-inside" in said.out, "that it may run was decided before"
    assert f"policy explain {journal.run} {denied.number}" in cli("log", "last", "--data", str(data)).out.replace("\n", " ")
