"""Approvals that reach further, and limits: folds over a branch's events, with the time the events say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskcrew.facts import events as e
from deskcrew.facts.events import Event
from deskcrew.facts.observation import Identity, ShownFile
from deskcrew.guard.history import Counts, History, StartedOperation
from deskcrew.guard.policy import Policy
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from support.bodies import started
from support.guarding import button, decide, field, look, policy

ASK = """
[[rules]]
name = "windows"
effect = "ask"
action = ["click_input", "keyboard_input"]
[[rules]]
name = "files"
effect = "ask"
action = "write_file"
[[rules]]
name = "net"
effect = "ask"
risk = "network"
action = "run_shell"
[[rules]]
name = "away"
effect = "ask"
path = "outside"
"""
RULES = policy(ASK)


class Script:
    """A journal to which operations are added, and what the guard says next to its branch."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "w"
        self.journal: Journal = Store(folder / "j.db").create(started())

    def add(
        self,
        function: str,
        *,
        done: bool = True,
        role: str = "Operator",
        params: dict[str, Any] | None = None,
        **approved: Any,
    ) -> Event:
        """An operation that was proposed, approved and begun. Returns the approval."""
        # As the guard would have it bound: to the file that the next operation is about, or to a control of that name.
        if function == "write_file":
            params = {"file_path": "a", "text": "x"} | (params or {})
            files = (ShownFile(path=str(params["file_path"]), kind="none"),)
            approved = {"bound": e.Bound(files=files)} | approved
        approved = {"bound": e.Bound()} | approved
        operation = e.Operation(function=function, params=params or {})
        proposed = self.journal.append(e.OperationProposed(role=role, subtask="1", operation=operation))
        ruling = self.journal.append(e.OperationApproved(**({"rule": "files", "risk": "write"} | approved)), cause=proposed)
        if done:
            body = e.ActionStarted(role=role, subtask="1", operation=operation, effect="undoable")
            self.journal.append(body, cause=proposed)
        return ruling

    def next(self, function: str, seen: Any = None, *, rules: Policy = RULES, later: float = 1, **arguments: Any) -> Any:
        """The guard's decision so many seconds after the last event."""
        events = self.journal.events
        now = events[-1].header.time + later
        more = {"history": History.of(events), "now": now}
        return decide(rules, self.folder, function, seen, more=more, **arguments)


@pytest.fixture
def script(tmp_path: Path) -> Script:
    return Script(tmp_path)


def test_an_approval_for_the_run_holds_for_the_rule_and_the_action(script: Script) -> None:
    assert script.next("write_file", file_path="a", text="x").effect == "ask"
    ruling = script.add("write_file", by="human", scope="run")
    found = script.next("write_file", file_path="a", text="y")
    assert (found.effect, found.by, found.grant, found.rule) == ("allow", "grant", ruling.number, "files")
    assert script.next("write_file", file_path="b", text="x").effect == "ask", "another file was not shown"
    assert script.next("run_shell", network=True, command="curl http://a.org").effect == "ask"
    assert script.next("click_input", look("x", button("Save", label="1")), aimed="1").effect == "ask"


def test_an_approval_from_before_it_was_recorded_what_for_covers_nothing(script: Script) -> None:
    script.add("write_file", by="human", scope="run", bound=None)
    assert script.next("write_file", file_path="a", text="x").effect == "ask"


def test_an_approval_for_a_control_holds_for_that_control(script: Script) -> None:
    shown = e.Bound(target=Identity(role="button", name="Save", window="Any", app="x"))
    script.add("click_input", rule="windows", by="human", scope="run", bound=shown)
    assert script.next("click_input", look("x", button("Save", label="1")), aimed="1").effect == "allow"
    assert script.next("click_input", look("x", button("Open", label="1")), aimed="1").effect == "ask"
    assert script.next("click_input", look("x", field("Save", label="1")), aimed="1").effect == "ask"


@pytest.mark.parametrize(
    "approved",
    [{"by": "human"}, {"by": "policy", "scope": "run"}, {"by": "grant", "scope": "run"}, {"by": "human", "scope": "app"}],
)
def test_what_is_no_wider_approval(script: Script, approved: dict[str, Any]) -> None:
    script.add("write_file", **approved)
    assert script.next("write_file", file_path="a", text="x").effect == "ask"


def test_an_approval_for_an_app_holds_in_it_alone(script: Script) -> None:
    shown = e.Bound(target=Identity(role="button", name="Save", app="gimp"))
    script.add("click_input", rule="windows", by="human", scope="app", app="gimp", bound=shown)
    assert script.next("click_input", look("gimp", button("Save", label="1")), aimed="1").effect == "allow"
    assert script.next("click_input", look("firefox", button("Save", label="1")), aimed="1").effect == "ask"
    # Another action, and a graver risk under the same rule.
    assert script.next("keyboard_input", look("gimp", field()), keys="x").effect == "ask"
    graver = script.next("click_input", look("gimp", button("Log in", label="1")), aimed="1")
    assert (graver.effect, graver.by) == ("ask", "policy")


def test_an_approval_ends(script: Script) -> None:
    script.add("write_file", by="human", scope="run", expires=60.0, done=False)
    for later, effect in ((59, "allow"), (60, "ask"), (-5, "ask")):
        assert script.next("write_file", later=later, file_path="a", text="x").effect == effect, later
    unknown = {"history": History.of(script.journal.events)}
    assert decide(RULES, script.folder, "write_file", more=unknown, file_path="a", text="x").effect == "ask"


def test_what_is_asked_every_time_is_not_remembered(script: Script) -> None:
    script.add("run_shell", rule="credentials", risk="credential", by="human", scope="run")
    found = script.next("run_shell", command="sudo a")
    assert (found.effect, found.every_time) == ("ask", True)


def test_an_approval_holds_for_its_hosts(script: Script) -> None:
    approved = {"rule": "net", "risk": "network", "by": "human", "scope": "run", "hosts": ("a.org", "b.org")}
    script.add("run_shell", params={"command": "curl http://a.org http://b.org"}, **approved)
    for command, effect in (
        ("curl http://a.org http://b.org", "allow"),
        ("curl http://a.org/x", "ask"),  # a command is what it says
        ("curl http://c.org", "ask"),
        ("curl http://a.org http://c.org", "ask"),
        ("git push", "ask"),  # nobody can tell where
    ):
        assert script.next("run_shell", network=True, command=command).effect == effect, command


def test_where_no_host_is_known_only_the_same_operation_is_meant(script: Script) -> None:
    script.add("run_shell", params={"command": "git push"}, rule="net", risk="network", by="human", scope="run")
    assert script.next("run_shell", network=True, command="git push").effect == "allow"
    assert script.next("run_shell", network=True, command="git push --force").effect == "ask"


def test_nothing_outside_is_covered(script: Script) -> None:
    script.add("write_file", by="human", scope="run")
    script.add("keyboard_input", rule="away", by="human", scope="run")
    assert script.next("write_file", file_path="/etc/x", text="x").effect == "ask"
    typing = look("mousepad", field("Name"), dialog=True)
    lone = policy('[[rules]]\nname = "away"\neffect = "ask"\npath = "outside"\n')
    assert script.next("keyboard_input", typing, rules=lone, keys="/tmp/x").effect == "ask"


def test_approvals_of_a_branch_that_was_left_do_not_hold(script: Script) -> None:
    before = script.journal.append(e.HumanSaid(kind="guide", text="x"))
    script.add("write_file", by="human", scope="run")
    limited = policy('[[limits]]\nname = "one"\naction = "write_file"\nmost = 1\n')
    assert script.next("write_file", file_path="a", text="x").effect == "allow"
    assert script.next("write_file", rules=limited, file_path="a", text="x").rule == "one"
    script.journal.branch_at(before, e.Rewound())
    assert script.next("write_file", file_path="a", text="x").effect == "ask"
    assert script.next("write_file", rules=limited, file_path="a", text="x").effect == "allow"


MAILS = policy('[[limits]]\nname = "mails"\nrisk = "send"\nmost = 2\nper = "minute"\nwhy = "enough"\n')


def test_a_limit_counts_what_was_begun(script: Script) -> None:
    send = look("x", button("Send", label="1"))
    for _ in range(2):
        assert script.next("click_input", send, rules=MAILS, aimed="1").rule == "sending"
        script.add("click_input", rule="sending", risk="send", by="human")
    found = script.next("click_input", send, rules=MAILS, aimed="1")
    assert (found.effect, found.rule, found.why, found.every_time) == ("deny", "mails", "enough", True)
    # By the time of the events: a minute later there is room again.
    assert script.next("click_input", send, rules=MAILS, aimed="1", later=61).rule == "sending"
    assert script.next("click_input", look("x", button("Save", label="1")), rules=MAILS, aimed="1").effect == "allow"


def test_what_was_not_begun_does_not_count(script: Script) -> None:
    for _ in range(5):
        script.add("click_input", risk="send", done=False)
    assert script.next("click_input", look("x", button("Send", label="1")), rules=MAILS, aimed="1").rule == "sending"


def test_a_resumed_run_counts_on(script: Script, tmp_path: Path) -> None:
    for _ in range(2):
        script.add("click_input", risk="send")
    script.journal.close()
    script.journal = Store(tmp_path / "j.db").journal("last")
    assert script.next("click_input", look("x", button("Send", label="1")), rules=MAILS, aimed="1").rule == "mails"


class Looked(list[Event]):
    """A branch that counts how often one of its events is looked at."""

    looks = 0

    def __getitem__(self, place: Any) -> Any:
        self.looks += 1
        return super().__getitem__(place)


def test_what_an_operation_costs_does_not_grow_with_the_run(script: Script) -> None:
    history, branch = History(), Looked(script.journal.events)
    for number in range(30):
        script.add("write_file", by="human", scope="run" if number % 3 else "once")
        branch.extend(script.journal.events[len(branch) :])
        branch.looks = 0
        history.follow(branch)
        assert branch.looks < 10, f"operation {number} looked at {branch.looks} events"
    assert history.grants.held == History.of(branch).grants.held
    assert history.counts.done == History.of(branch).counts.done


def test_history_follows_a_run_onto_another_branch(script: Script) -> None:
    limit = policy('[[limits]]\nname = "few"\naction = "write_file"\nmost = 1\n').limits[0]
    history = History()
    history.follow([])
    before = script.journal.append(e.HumanSaid(kind="guide", text="x"))
    script.add("write_file", by="human", scope="run")
    history.follow(script.journal.events)
    assert (len(history.grants.held), history.counts.of(limit, None)) == (1, 1)
    script.journal.branch_at(before, e.Rewound())
    history.follow(script.journal.events)
    assert (len(history.grants.held), history.counts.of(limit, None)) == (0, 0)
    # As long as the branch that was left, and longer.
    for _ in range(2):
        script.add("write_file")
        history.follow(script.journal.events)
    assert (len(history.grants.held), history.counts.of(limit, None)) == (0, 2)


@given(st.lists(st.floats(0, 200), max_size=12), st.floats(0, 200) | st.none(), st.integers(0, 12))
def test_a_limit_counts_what_lies_within_its_time_whatever_the_clock_did(
    times: list[float], now: float | None, first: int
) -> None:
    limit = MAILS.limits[0]
    counts = Counts([StartedOperation("click_input", "send", "Operator", time) for time in times[:first]])
    counts.of(limit, now)
    counts.done += [StartedOperation("click_input", "send", "Operator", time) for time in times[first:]]
    assert counts.of(limit, now) == sum(now is None or now - time < 60 for time in times)


@pytest.mark.parametrize(
    ("about", "counts"),
    [
        ('app = "gim*"', True),
        ('app = "firefox"', False),
        ('host = "*.a.org"', True),
        ('host = "b.org"', False),
        ('agent = "Operator"', True),
        ('agent = "Writer"', False),
        ('action = "click_*"', True),
        ('risk = ["write", "send"]', True),
    ],
)
def test_what_a_limit_is_about(script: Script, about: str, counts: bool) -> None:
    rules = policy(f'[[limits]]\nname = "few"\nmost = 1\n{about}\n')
    limit = rules.limits[0]
    script.add("click_input", app="gimp", hosts=("x.a.org",))
    assert History.of(script.journal.events).counts.of(limit, None) == int(counts)


def test_spending_is_asked_for_even_where_a_rule_allows_it(script: Script) -> None:
    text = '[[rules]]\nname = "buy"\neffect = "allow"\nrisk = "spend"\ncontrol = "Pay*"\n'
    pay = look("shop", button("Pay", label="1"))
    assert script.next("click_input", pay, rules=policy(text), aimed="1").rule == "spending-per-run"
    once = policy(text + '[[limits]]\nname = "spending-per-run"\nrisk = "spend"\nmost = 1\n')
    assert script.next("click_input", pay, rules=once, aimed="1").effect == "allow"
    script.add("click_input", rule="buy", risk="spend")
    assert script.next("click_input", pay, rules=once, aimed="1").effect == "deny"


def test_no_approval_reaches_past_a_limit(script: Script) -> None:
    rules = policy(ASK + '[[limits]]\nname = "few"\naction = "write_file"\nmost = 1\neffect = "ask"\n')
    assert script.next("write_file", rules=rules, file_path="a", text="x").rule == "files"
    script.add("write_file", by="human", scope="run")
    found = script.next("write_file", rules=rules, file_path="a", text="x")
    assert (found.effect, found.every_time) == ("ask", True)
