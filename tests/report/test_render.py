"""What a person reads of each event."""

from __future__ import annotations

import io
import unicodedata
from typing import Annotated, Any

import pytest
from hypothesis import given
from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from rich.console import Console

from deskcrew.actions import builtin
from deskcrew.facts import events as e
from deskcrew.facts.contract import Consent, Contract, Proof, Strength
from deskcrew.facts.observation import ControlChange, Evidence, Sent
from deskcrew.facts.plan import Plan, PlanPatch, Subtask
from deskcrew.facts.verdict import (
    CHANGED,
    EXIT_CODES,
    NO_CHECK,
    NO_FIT,
    REJECTED,
    UNREADABLE,
    Branch,
    Check,
    CheckResult,
    Outcome,
    Verdict,
)
from deskcrew.settings import Limits
from deskcrew.ways_in.report import render
from deskcrew.ways_in.report.text import moment
from deskcrew.ways_in.report.totals import style_of
from support.bodies import BODY_TYPES, bodies, ordinary_run

BOOKKEEPING = (e.RoleCalled, e.ActionStarted, e.Saved, e.FileRead, e.PictureRead)


def event(body: Any, cause: str | None = "c" * 64) -> e.Event:
    header = e.Header(run="r", number=3, parent=None, cause=cause, time=0.0, type=body.type)
    return e.Event(id="i" * 64, header=header, digest="d" * 64, body=body)


def words(body: Any, cause: str | None = "c" * 64) -> str:
    return "\n".join(line.plain for line in render.lines(event(body, cause)))


@given(bodies)
def test_every_event_renders_harmlessly(body: Any) -> None:
    console = Console(file=io.StringIO(), width=80, force_terminal=True)
    for line in render.lines(event(body)):
        console.print(line)
        bad = [c for c in line.plain if unicodedata.category(c) in ("Cc", "Cf") and c not in "\n\u200c\u200d"]
        assert not bad


@pytest.mark.parametrize("time", [6.8e16, -6.8e16, 1e300])
def test_a_time_that_no_calendar_has_is_told_in_seconds(time: float) -> None:
    assert moment(time) == f"{time:g} s"


def test_what_an_outcome_says_was_not_read_is_shown_without_control_characters() -> None:
    outcome = Outcome(status="done", verified_by="rules", strength=Strength(unread=("a\x1b[2J.txt was not looked at",)))
    assert "\x1b" not in render.outcome_words(outcome)


def test_the_ordinary_run_has_nearly_every_type() -> None:
    """So that what is asserted on it covers what can happen."""
    missing = {kind.__name__ for kind in BODY_TYPES} - {type(body).__name__ for body in ordinary_run()}
    assert not missing, missing


@pytest.mark.parametrize("body", ordinary_run(), ids=lambda body: body.type)
def test_every_event_but_bookkeeping_says_something(body: Any) -> None:
    assert bool(words(body)) is not isinstance(body, BOOKKEEPING)


def test_a_contract_says_which_orders_need_no_question_and_which_are_asked_about() -> None:
    order = Consent(kind="send", where="hall.example", texts=("Ada",))
    nowhere = order.model_copy(update={"where": "", "quotes": ("Send the registration off.",)})
    free = words(e.GoalSet(contract=Contract(consents=(order,))))
    assert "allowed by your task: the crew may send once on hall.example (Ada)" in free
    assert "still needs your approval (denied if nobody is there): spending, credentials" in free
    asked = words(e.GoalSet(contract=Contract(asked=(nowhere,))))
    assert "denied if nobody is there" in asked
    assert "because you did not say where, or what to send: Send the registration off." in asked
    assert "allowed by your task" not in asked


def test_what_was_ordered_is_told_with_the_words_that_order_it_and_what_does_not_count_with_the_reason() -> None:
    order = Consent(kind="remove", where="letter.docx", quotes=("Remove letter.docx",))
    told = words(e.ConsentRead(consents=(order,), uncounted=(e.Uncounted(order=order, why="it is too wide"),)))
    assert "the crew may remove or replace letter.docx, because you wrote: 'Remove letter.docx'" in told
    assert "the task seems to order it ('Remove letter.docx'), but it is too wide: it needs your approval" in told


@pytest.mark.parametrize("holds", [True, False])
def test_what_would_not_have_been_noticed_is_told_only_where_no_requirement_fails(holds: bool) -> None:
    proved = e.Proved(
        proofs=(Proof(requirement="1", says="it says so", holds=holds, by="probe"),), unnoticed=("a.txt left out",), states=4
    )
    assert ("a.txt left out" in words(proved)) == holds


def test_markup_in_a_reply_is_text() -> None:
    body = e.RoleReplied(role="Operator", subtask="1", reply={"message": "[bold]x[/bold] :smile: [/]"})
    console = Console(file=io.StringIO(), width=200)
    for line in render.lines(event(body)):
        console.print(line)
    assert "[bold]x[/bold] :smile: [/]" in console.file.getvalue()  # type: ignore[attr-defined]


def test_a_reply_says_role_intention_signal_tokens_and_seconds() -> None:
    usage = e.Usage(input=1812, output=45, cached=700, cost=0.0021)
    reply = {"intention": "press Save", "branch": "RoleTaskFinish", "answer": "42", "problem": ""}
    said = words(e.RoleReplied(role="Operator", subtask="1", reply=reply, usage=usage, seconds=1.34, retries=2))
    for part in (
        "Operator",
        "press Save",
        "says its subtask is finished",
        "answer 42",
        "1,812 in",
        "45 out",
        "700 cached",
        "1.3 s",
        "$0.0021",
    ):
        assert part in said
    assert "2 transport retries" in said
    assert "problem" not in said


def test_unknown_tokens_are_unknown() -> None:
    said = words(e.RoleReplied(role="Operator", reply={"message": "m"}))
    assert "unknown in, unknown out" in said
    assert "$" not in said
    assert "0 in" not in said


def test_a_malformed_reply_says_why() -> None:
    assert "malformed reply: not JSON" in words(e.RoleReplied(role="Planner", error="not JSON"))


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ({"thought_process": ["a", "b"]}, "a; b"),
        ({"intention": "i", "message": "m"}, "i"),
        ({"operations": [{"function": "f"}, {"function": "g"}]}, "2 operations"),
        ({}, ""),
    ],
)
def test_intention(reply: dict[str, Any], said: str) -> None:
    assert render.intention(reply) == said


def test_a_plan_shows_order_role_and_what_is_done() -> None:
    plan = Plan(
        subtasks=(
            Subtask(id="1", goal="read it", role="FileManager", status="done"),
            Subtask(id="2", goal="write it", needs=("1",), expect="it is written"),
        )
    )
    said = words(e.PlanPatched(by="Planner", why="first", patch=PlanPatch(), plan=plan)).splitlines()
    assert "Planner" in said[0]
    assert "first" in said[0]
    assert "✓ 1. read it  [FileManager]" in said[1]
    assert "○ 2. write it  [nobody yet]  after 1" in said[2]
    assert said[3].strip() == "should hold: it is written"


def test_an_operation_shows_what_it_is_aimed_at_and_its_parameters() -> None:
    operation = e.Operation(function="keyboard_input", control="e1", params={"keys": "It is 42.", "click_enter": True})
    body = e.OperationProposed(role="Operator", subtask="1", operation=operation, intention="say it")
    assert words(body) == '→ Type "It is 42." into e1 and press Enter - say it'
    raw = "\n".join(line.plain for line in render.lines(event(body), raw=True))
    assert raw == "→ keyboard_input e1 keys=It is 42. click_enter=True - say it"


@pytest.mark.parametrize(
    ("by", "who"), [("policy", "the policy"), ("human", "you"), ("nobody", "nobody was there to allow it")]
)
def test_a_denial_says_who_and_why(by: Any, who: str) -> None:
    said = words(e.OperationDenied(rule="new-host", risk="send", by=by, why="a new host"))
    assert said.startswith("✗ denied - a new host")
    assert "rule new-host, risk send" in said
    assert who in said


def test_an_action_says_how_it_ended() -> None:
    operation = e.Operation(function="run_python_code")
    common: dict[str, Any] = {"role": "Programmer", "subtask": "1", "operation": operation, "seconds": 0.21}
    assert words(e.ActionFinished(**common, ok=True, text="42\n", exit_code=0)) == "✓ 42  exit code 0  (0.2 s)"
    assert words(e.ActionFinished(**common, ok=False, text="part", error="it hangs")) == "✗ it hangs  (0.2 s)"
    assert words(e.ActionFinished(**common, ok=True)) == "✓ done  (0.2 s)"


def test_evidence_names_what_changed() -> None:
    change = ControlChange(label="e1", role="text", name="Total", field="value", before="", after="42")
    evidence = Evidence(
        windows_opened=("Save As",),
        windows_closed=("Old",),
        titles_changed=(("a", "b"),),
        active_window=("a", "Save As"),
        controls_appeared=("e7", "e8"),
        controls_gone=("e1",),
        controls_changed=(change,),
        focus=("e1", "e7"),
        files_created=("out.txt",),
        files_changed=("in.csv",),
        files_deleted=("tmp",),
        clipboard=("", "copied"),
        pixels_changed=True,
    )
    said = words(e.Observed(observation="", evidence=evidence))
    for part in (
        "file created: out.txt",
        "file changed: in.csv",
        "file deleted: tmp",
        "window opened: Save As",
        "window closed: Old",
        "window a is now b",
        "text Total: value '' is now '42'",
        "2 new controls: e7, e8",
        "1 control gone",
        "active window: Save As",
        "focus: e7",
        "clipboard: 'copied'",
    ):
        assert part in said
    assert "picture" not in said


def test_every_field_of_evidence_is_told() -> None:
    """A new kind of evidence must not be invisible: exit codes are shown with the action."""
    samples: dict[str, Any] = {
        "titles_changed": (("a", "b"),),
        "active_window": ("a", "b"),
        "focus": ("a", "b"),
        "clipboard": ("a", "b"),
        "pixels_changed": True,
        "sent": (Sent(method="POST", url="http://a.example"),),
        "controls_changed": (ControlChange(label="l", role="r", name="n", field="value", before="a", after="b"),),
    }
    for name in Evidence.model_fields:
        if name != "exit_code":
            assert render.evidence(Evidence(**{name: samples.get(name, ("thing",))})), name


def test_no_change_is_said_with_what_is_there() -> None:
    assert words(e.Observed(observation="", windows=("a", "b"), controls=34)) == "saw no change (2 windows, 34 controls)"


def test_a_first_look_at_a_desktop_without_windows() -> None:
    assert words(e.Observed(observation="", screenshot="a" * 64)) == "saw its desktop: no window is open"
    assert words(e.Observed(observation="")) == "saw no change"


def test_a_look_before_anything_is_done_says_what_is_there_and_of_no_change() -> None:
    there = e.Observed(observation="", windows=("a", "b"), controls=34)
    assert words(there, cause=None) == "saw 2 windows, 34 controls"
    assert words(e.Observed(observation=""), cause=None) == "", "without a desktop there is nothing to say"


def test_every_signal_has_words() -> None:
    assert set(render.SIGNALS) == set(Branch) - {Branch.CONTINUE}


def test_a_person_who_only_pauses_leaves_no_colon() -> None:
    assert words(e.HumanSaid(kind="pause")) == "you, pause"
    assert words(e.HumanSaid(kind="take_over")) == "you, take over"


def test_a_mode_is_told_by_what_it_means() -> None:
    assert words(e.HumanSaid(kind="mode", text="passive", role="SkillChooser")) == "SkillChooser asks when it matters"
    assert words(e.HumanSaid(kind="mode", text="automatic")) == "the crew never asks"


def test_code_keeps_its_lines_and_defaults_are_left_out() -> None:
    code = "total = 0\nfor n in range(3):\n    total += n\n\nprint(total)\nprint(1)\n"
    operation = e.Operation(function="run_python_code", params={"code": code, "main_function": ""})
    shown = words(e.OperationProposed(role="Programmer", subtask="1", operation=operation)).splitlines()
    assert shown == [
        "→ Run Python: total = 0 … and 4 more lines",
        "    total = 0",
        "    for n in range(3):",
        "        total += n",
        "    … and 2 lines more",
    ]
    assert render.operation(operation).plain.startswith("run_python_code code=total = 0 for n in")
    program = e.Operation(function="run_python_code", params={"code": "pass\n" * (render.PROGRAM + 1)})
    assert words(e.OperationProposed(role="Programmer", subtask="1", operation=program)).splitlines()[1:] == [
        "    … 101 lines"
    ]


def test_only_defaults_are_left_out() -> None:
    """A parameter that is not shown must be one that was not given, or as if it was not."""
    for action in builtin().values():
        for name, field in action.params.model_fields.items():
            for value in (False, ""):
                if value == field.default or not _valid(field, value):
                    continue
                shown = render.operation(e.Operation(function=action.name, params={name: value})).plain
                assert f" {name}=" in shown, (action.name, name, value)


def _valid(field: FieldInfo, value: object) -> bool:
    try:
        TypeAdapter(Annotated[field.annotation, field]).validate_python(value, strict=True)
    except ValidationError:
        return False
    return True


def test_a_verdict_says_who_judged_what_and_shows_each_check() -> None:
    checks = (
        CheckResult(check=Check(kind="file_exists", target="a.txt"), holds=True),
        CheckResult(check=Check(kind="cell_equals", target="B2", text="42"), holds=False, found="41"),
        CheckResult(check=Check(kind="window_shows", target="Calc", text="42"), holds=None),
    )
    verdict = Verdict(kind="repair", why="the cell is wrong")
    said = words(e.Judged(scope="goal", verdict=verdict, by="rules+model", checks=checks)).splitlines()
    assert said[0] == "the whole task: to be repaired (by rule, and reviewer) - the cell is wrong"
    assert said[1] == "✓ the file a.txt is in the workspace"
    assert said[2] == "✗ cell B2 is '42' - found: 41"
    assert said[3] == "? the window Calc shows '42'"


@pytest.mark.parametrize(
    ("by", "who"), [("rules", "by rule"), ("model", "by a model"), ("human", "you"), ("planner", "planner")]
)
def test_a_verdict_names_its_judge(by: Any, who: str) -> None:
    body = e.Judged(scope="subtask", subtask="1", verdict=Verdict(kind="accept", score=9), by=by)
    assert words(body) == f"the subtask: accepted, score 9 of 10 ({who})"
    assert words(body.model_copy(update={"verdict": Verdict(kind="continue")})) == f"the subtask: goes on ({who})"


def test_every_verdict_has_words_and_so_has_a_check_of_any_kind() -> None:
    for kind in ("continue", "accept", "repair", "reassign", "appeal", "replan", "ask", "stop"):
        assert render.verdict(Verdict(kind=kind)).plain  # type: ignore[arg-type]
    for kind, said in (("deed", "this was done: 'x'"), ("unheard_of", "unheard_of t 'x'")):
        result = CheckResult(check=Check(kind=kind, target="t", text="x"), holds=True)
        assert render.check_result(result).plain == f"✓ {said}"


@pytest.mark.parametrize("status", list(EXIT_CODES))
def test_every_outcome_has_words_that_begin_with_its_name(status: Any) -> None:
    assert render.outcome_words(Outcome(status=status, verified_by="rules")).startswith(status)


def test_outcomes_in_plain_words() -> None:
    assert "you" in render.outcome_words(Outcome(status="done", verified_by="human"))
    assert "judge" in render.outcome_words(Outcome(status="done", verified_by="rules+model"))
    for name in Limits.model_fields:
        told = render.outcome_words(Outcome(status="failed", reason=f"bound:{name}"))
        assert f"the limit {name!r}" not in told, "what it means is said, not its name"
        assert "_" not in told
    assert "the limit 'odd' was reached" in render.outcome_words(Outcome(status="failed", reason="bound:odd"))
    for reason in (
        NO_FIT,
        CHANGED,
        REJECTED,
        NO_CHECK,
        UNREADABLE,
        "infeasible",
        "gave_up",
        "mismatch",
        "environment",
        "model",
    ):
        assert len(render.outcome_words(Outcome(status="failed", reason=reason)).split()) > 4, "a reason is a sentence"
    proofs = (
        Proof(requirement="1", says="x", holds=False, by="rules"),
        Proof(requirement="2", says="y", holds=True, by="rules"),
    )
    told = render.outcome_words(Outcome(status="failed", reason="bound:replans", proofs=proofs))
    assert told == "failed: 1 of 2 requirements did not hold; no plan led to the goal, and the limit on plans was reached"
    assert "gave up" in render.outcome_words(Outcome(status="failed", reason="gave_up"))
    assert "[odd]" in render.outcome_words(Outcome(status="failed", reason="[odd]"))


def test_format_fields_in_a_hostile_target_do_nothing() -> None:
    check = Check(kind="file_exists", target="{text.__class__}")
    assert "{text.__class__}" in render.check_result(CheckResult(check=check, holds=True)).plain


def test_that_a_requirement_was_reworded_is_not_cut_off() -> None:
    found = f"{'read ' * 60}; reworded: the file says so (it was: The total is in total.txt; contested: {'because ' * 20})"
    told = render.proof(Proof(requirement="2", says="The sum is in sum.txt", holds=True, by="probe", found=found)).plain
    assert "reworded: the file says so (it was: The total is in total.txt; contested: because" in told
    wrong = Proof(requirement="2", says="a.txt contains 'x'", holds=False, found="a.txt contains 'x': it contains 'y'")
    assert render.proof(wrong).plain == "✗ 2 a.txt contains 'x' - it contains 'y'", "what was to hold is said once"
    plain = render.proof(Proof(requirement="2", says="The sum is in sum.txt", holds=True, by="probe", found="read 5")).plain
    assert plain == "✓ 2 The sum is in sum.txt (by a program) - read 5"


@pytest.mark.parametrize(
    ("loose", "told"),
    [
        ((), "a program, which also rejected 4 deliberately spoiled copies"),
        (("a",), "a program, which accepted 1 of 4 deliberately spoiled copies"),
    ],
)
def test_a_weak_check_is_told_in_the_outcome_itself(loose: tuple[str, ...], told: str) -> None:
    outcome = Outcome(status="done", verified_by="probe", strength=Strength(tried={"altered": 4}, loose=loose))
    done = "done (weak check)" if loose else "done"
    assert render.outcome_words(outcome) == f"{done}, verified by {told}"
    assert style_of(outcome) == ("yellow" if loose else "green")
    by_checks = render.outcome_words(outcome.model_copy(update={"verified_by": "rules"}))
    assert by_checks == f"{done}, verified by {told}".replace("a program", "checks")


@pytest.mark.parametrize(("count", "told"), [(1, "1 similar earlier task"), (2, "2 similar earlier tasks")])
def test_one_earlier_task_is_one(count: int, told: str) -> None:
    hit = e.Hit(entry="1", digest="d", text="t")
    assert render.recalled(e.Recalled(role="A", situation="s", hits=(hit,) * count)).plain == f"A remembers: {told}"


def test_an_undo_says_what_it_left() -> None:
    assert render.undone(e.Rewound(undo=True)) == "undone: what the run changed was put back"
    told = render.undone(e.Rewound(undo=True, kept=("a.csv", "b.csv")))
    assert told == "undone: what the run changed was put back; what others changed was left as it is"


def test_what_the_check_was_tried_on_has_an_example_that_shows_the_altered_line() -> None:
    strength = Strength(tried={"missing": 1, "altered": 1})
    told = render.tried_on(strength, ("a.csv, missing", "a.csv, a number changed (2,8.25)"))
    assert told.endswith("; one that it rejected: a.csv, a number changed (2,8.25)")
    assert render.tried_on(strength, ("a.csv, missing",)).endswith("; one that it rejected: a.csv, missing")
    assert render.tried_on(strength, ()) == strength.words
    assert render.tried_on(Strength(), ("a",)) == ""
