"""Whole runs under a contract: what ends done, and what wrong work, a weak probe or a gap in the contract comes to."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.shared import Inches

from deskcrew.actions.libraries import TOLD
from deskcrew.engine import rewind, session
from deskcrew.engine.confirming import confirm
from deskcrew.engine.human.questions import Accepted, EditedReply, ReplyQuestion
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.engine.steps.agreeing import number_parts, parts_of
from deskcrew.environments.manifest import Manifest, ManifestEntry
from deskcrew.errors import ModelFailure
from deskcrew.evidence.changes import changes_told
from deskcrew.evidence.places.told import ADDRESSES
from deskcrew.evidence.required import check_of, contract_in, contract_of
from deskcrew.evidence.states import States
from deskcrew.facts import events as e
from deskcrew.facts.contract import Contract
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew.ways_in.cli.person import shown
from deskcrew.ways_in.cli.talk import meant
from deskcrew.ways_in.report.advice import advice
from deskcrew.ways_in.report.render import outcome_words
from deskcrew.ways_in.report.result import result_of
from support.crew import OTHER, bodies, settings_in
from support.sampling import sampled

pytestmark = pytest.mark.anyio

TASK = "Write the sum of the amounts in costs.csv to total.txt. Thanks a lot!"
COSTS = "item,amount\nrope,19.50\nlamp,23\n"
CONTRACT: dict[str, Any] = {
    "requirements": [
        {
            "parts": [1],
            "says": "total.txt holds the sum of the amounts in costs.csv and nothing else",
            "seen_by": "probe",
            "files": ["total.txt"],
        }
    ],
    "context": [2],
}
PROBE = """
import csv
from decimal import Decimal

def requirement_1(start, end):
    total = sum(Decimal(row["amount"]) for row in csv.DictReader((start / "costs.csv").open()))
    said = (end / "total.txt").read_text().strip()
    assert said.replace(".", "").isdigit(), f"sum {total}, said {said}"
    return Decimal(said) == total, f"sum {total}, said {said}"
"""
LAX = """
def requirement_1(start, end):
    return (end / "total.txt").exists(), "it is there"
"""
FINISH: dict[str, Any] = {"operations": [], "branch": "RoleTaskFinish"}
PLANS = [{"subtasks": [{"goal": "write the sum", "role": "Programmer"}]}] * 9


def python(code: str) -> dict[str, Any]:
    return {"operations": [{"function": "run_python_code", "code": code}], "branch": "Continue"}


def writing(text: str, path: str = "total.txt") -> dict[str, Any]:
    return python(f"open({path!r}, 'w').write({text!r})")


async def ran(
    folder: Path,
    *work: dict[str, Any],
    task: str = TASK,
    files: Mapping[str, str] | None = None,
    crew: str = "planned",
    plan_only: bool = False,
    human: PythonResponder | None = None,
    required: Contract | None = None,
    **roles: list[Any],
) -> tuple[Outcome, Journal, list[Call]]:
    """A run in which the Programmer says ``work`` one after the other and then that it is finished."""
    place = folder / "work"
    place.mkdir(parents=True)
    for name, text in (files or {"costs.csv": COSTS}).items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    waiting: dict[str, list[Any]] = {
        "Planner": [*PLANS],
        "Programmer": [each for part in work for each in (part, FINISH)] + [FINISH] * 9,
        "ContractWriter": [CONTRACT] * 2,
        "Verifier": [{"code": PROBE}] * 9,
        "OrderMatcher": [OTHER] * 9,
        "ConsentReader": [{"ordered": []}] * 9,
        **roles,
    }

    def says(call: Call) -> Any:
        reply = waiting[call.role].pop(0)
        return reply(call) if callable(reply) else reply

    model = ScriptedModel(
        itertools.repeat(says),
        profile=Profile(name="scripted", context=128_000, contracts=True),
    )
    request = RunRequest(
        task=task,
        model="scripted:",
        workspace=place,
        desktop="none",
        crew=crew,
        plan_only=plan_only,
        mode="passive" if human is not None else "automatic",
        required=required,
    )
    journal = await session.run(request, settings_in(folder), model=model, human=human)
    outcome = journal.state.outcome
    assert outcome is not None
    return outcome, journal, model.calls


def asked(calls: list[Call], role: str) -> list[Call]:
    return [call for call in calls if call.role == role]


async def test_right_work_is_done_by_a_probe_that_tells_it_from_wrong_work(tmp_path: Path) -> None:
    outcome, journal, calls = await ran(tmp_path, writing("42.50\n"))
    assert (outcome.status, outcome.verified_by) == ("done", "probe"), outcome.why
    assert [(proof.requirement, proof.holds, proof.found) for proof in outcome.proofs] == [
        ("1", True, "sum 42.50, said 42.50")
    ]
    proved = bodies(journal, e.Proved)[-1]
    assert proved.states >= 4, "end, start, without it, and with another number at least"
    assert len(asked(calls, "Verifier")) == 1
    goal = bodies(journal, e.GoalSet)[0]
    assert goal.contract.context == ("Thanks a lot!",)
    assert goal.contract.requirements[0].quotes == ("Write the sum of the amounts in costs.csv to total.txt.",)


async def test_what_was_found_is_told_where_the_verifier_is_asked_once_more_and_gives_no_answer(tmp_path: Path) -> None:
    def silent(call: Call) -> Any:
        raise ModelFailure("The model gave no answer.")

    outcome, journal, _ = await ran(tmp_path, writing("42.50\n"), Verifier=[{"code": LAX}, silent])
    assert (outcome.status, outcome.reason) == ("failed", "model")
    assert ["(as of event" in proof.found for proof in outcome.proofs] == [True], outcome.proofs
    assert outcome.why.startswith("nothing would have noticed"), outcome.why
    told = advice(journal.run, journal.events)
    assert told is not None
    assert "The model gave no answer. Verifier was asked." in told.tried


async def test_the_verifier_sees_files_and_requirements_and_nothing_of_what_the_crew_said(tmp_path: Path) -> None:
    _, _, calls = await ran(tmp_path, {**writing("42.50\n"), "intention": "a secret thought"})
    prompt = asked(calls, "Verifier")[0].text()
    assert "total.txt (new; 6 bytes): 42.50" in prompt
    assert "costs.csv (as it was; 31 bytes): item,amount" in prompt
    assert f"There are {TOLD}, and raw_parts(path)" in prompt
    assert "secret thought" not in prompt
    assert "open(" not in prompt.partition("Requirements:\n")[2]


def test_a_verifier_is_told_what_stands_beside_a_documents_text_and_the_same_twice(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Dear Ann")
    document.sections[0].header.paragraphs[0].text = "Smith & Sons"
    document.sections[0].footer.add_table(1, 2, Inches(2)).cell(0, 1).text = "page 1"
    document.save(str(tmp_path / "letter.docx"))
    contents = {"letter.docx": (tmp_path / "letter.docx").read_bytes(), "photo.jpg": b"no picture"}
    now = tuple(ManifestEntry(path, "file", 0o644, 0, size=len(data), digest=path) for path, data in contents.items())
    told, again = (changes_told(States(Manifest(()), Manifest(now), contents.__getitem__)) for _ in range(2))
    assert told == again
    assert "Dear Ann\n[header] Smith & Sons\n[footer] ,page 1" in told
    assert "photo.jpg cannot be read as jpg: it is none of PNG, JPEG" in told


@pytest.mark.first_case
@pytest.mark.parametrize("text", sampled(["banana", "42.5 banana", "42.51", ""], 2))
async def test_wrong_work_is_sent_back_once_the_requirement_is_seen_to_fail_and_never_done(
    tmp_path: Path, text: str
) -> None:
    outcome, journal, _ = await ran(tmp_path, *[writing(text)] * 5)
    assert outcome.status == "failed"
    assert [proof.proven for proof in outcome.proofs] == [False]
    assert any(body.verdict.kind == "replan" for body in bodies(journal, e.Judged))


async def test_work_that_is_put_right_after_it_was_sent_back_is_done(tmp_path: Path) -> None:
    outcome, _, calls = await ran(tmp_path, writing("banana"), writing("42.50"))
    assert outcome.status == "done", outcome.why
    told = [call.text() for call in asked(calls, "Planner")][1]
    assert "total.txt holds the sum of the amounts in costs.csv and nothing else: " in told
    assert len(asked(calls, "Verifier")) == 1, "an assertion is a no, and nobody asks about it"


async def test_a_probe_that_says_yes_to_anything_is_asked_again_and_then_proves_nothing(tmp_path: Path) -> None:
    outcome, _, calls = await ran(tmp_path, writing("42.50"), Verifier=[{"code": LAX}] * 2)
    assert outcome.status == "unverified"
    assert "nothing would have noticed a difference here: total.txt" in outcome.why
    first, second = asked(calls, "Verifier")
    assert "no function returned False for this end: total.txt" in second.text()
    assert "no function returned False" not in first.text()


async def test_a_verifier_that_is_asked_again_is_shown_its_code_and_which_functions_may_stay(tmp_path: Path) -> None:
    two = {
        "requirements": [*CONTRACT["requirements"], {**CONTRACT["requirements"][0], "says": "It is text"}],
        "context": [2],
    }
    other = PROBE.replace("requirement_1", "requirement_2")
    broken = PROBE + "\ndef requirement_2(start, end):\n    return len(banana), 'n'\n"
    replies = [{"code": "def requirement_1(:"}, {"code": broken}, {"code": PROBE + other}]
    outcome, _, calls = await ran(tmp_path, writing("42.50"), ContractWriter=[two], Verifier=replies)
    assert outcome.status == "done", outcome.why
    first, refused, again = (call.text("volatile") for call in asked(calls, "Verifier"))
    assert "Your last code" not in first
    assert "Your last code:\ndef requirement_1(:\n" in refused
    assert "Your last reply could not be used: The code is not Python" in refused
    assert f"Your last code:\n{broken}" in again
    assert "It was not enough: requirement_2 failed: NameError: name 'banana' is not defined. " in again
    assert "Keep as they are, but for ends that they should notice: requirement_1\n" in again


async def test_what_a_probe_cannot_see_is_not_checked_for_that_reason_and_sends_nobody_back(
    tmp_path: Path,
) -> None:
    heard = {"parts": [1], "says": "The sum is read aloud", "seen_by": "screen"}
    contract = {"requirements": [*CONTRACT["requirements"], heard], "context": [2]}
    code = PROBE + "\ndef requirement_2(before, after):\n    raise CannotSee('nothing here tells what is heard')\n"
    outcome, _, calls = await ran(tmp_path, writing("42.50"), ContractWriter=[contract], Verifier=[{"code": code}])
    assert (outcome.status, outcome.verified_by) == ("unverified", None)
    assert outcome.why == "The sum is read aloud: not checked (nothing here tells what is heard)"
    assert [(proof.holds, proof.by) for proof in outcome.proofs] == [(True, "probe"), (None, "")]
    assert len(asked(calls, "Verifier")) == len(asked(calls, "Planner")) == 1


async def test_a_verifier_that_cannot_see_what_was_done_is_not_pushed_to_say_more(tmp_path: Path) -> None:
    code = "def requirement_1(start, end):\n    raise CannotSee('what the page said is not here')\n"
    outcome, _, calls = await ran(tmp_path, writing("42.50"), Verifier=[{"code": code}])
    assert outcome.status == "unverified"
    assert [(proof.holds, proof.found) for proof in outcome.proofs] == [(None, "what the page said is not here")]
    assert len(asked(calls, "Verifier")) == 1


async def test_a_probe_that_is_put_right_is_taken(tmp_path: Path) -> None:
    outcome, _, _ = await ran(tmp_path, writing("42.50"), Verifier=[{"code": LAX}, {"code": PROBE}])
    assert outcome.status == "done"


async def test_what_held_before_anything_was_done_proves_nothing(tmp_path: Path) -> None:
    outcome, _, _ = await ran(
        tmp_path, python("print(1)"), files={"costs.csv": COSTS, "total.txt": "42.50"}, Verifier=[{"code": PROBE}] * 2
    )
    assert outcome.status == "unverified"
    assert "it was so before anything was done" in outcome.why


async def test_a_part_of_the_task_that_the_contract_leaves_out_is_asked_for_once_and_then_is_not_checked(
    tmp_path: Path,
) -> None:
    without = {**CONTRACT, "context": []}
    outcome, journal, calls = await ran(tmp_path, writing("42.50"), ContractWriter=[without, without])
    assert "Part 2 ('Thanks a lot!') is in no requirement" in asked(calls, "ContractWriter")[1].text()
    assert outcome.status == "unverified"
    assert "Thanks a lot!" in outcome.why
    assert bodies(journal, e.GoalSet)[0].contract.missed == ("Thanks a lot!",)


async def test_what_changed_besides_is_sent_back_and_may_be_put_right(tmp_path: Path) -> None:
    mess = python("open('total.txt', 'w').write('42.50')\nopen('left.txt', 'w').write('x')")
    mend = {"operations": [{"function": "delete_file", "path": "left.txt"}], "branch": "RoleTaskFinish"}
    plans = [PLANS[0], {"subtasks": [{"goal": "remove left.txt", "role": "FileManager"}]}]
    outcome, _, calls = await ran(tmp_path, mess, Planner=plans, FileManager=[mend, FINISH])
    assert "nothing asks for that: left.txt" in asked(calls, "Planner")[1].text()
    assert outcome.status == "done", outcome.why


async def test_what_changed_besides_and_stays_so_is_not_done(tmp_path: Path) -> None:
    mess = python("open('total.txt', 'w').write('42.50')\nopen('left.txt', 'w').write('x')")
    outcome, _, _ = await ran(tmp_path, mess, *[python("print(1)")] * 4)
    assert outcome.status == "unverified"
    assert "left.txt" in outcome.why


@pytest.mark.first_case
@pytest.mark.parametrize(("copy", "status"), [("total.txt.bak", "done"), ("kept.txt", "unverified")])
async def test_the_copy_that_a_program_keeps_of_what_it_changes_is_no_change_besides(
    tmp_path: Path, copy: str, status: str
) -> None:
    saves = python(f"open('{copy}', 'w').write('before')\nopen('total.txt', 'w').write('42.50')")
    files = {"costs.csv": COSTS, "total.txt": "before"}
    outcome, _, _ = await ran(tmp_path, saves, *[python("print(1)")] * 4, files=files)
    assert outcome.status == status, outcome.why
    assert (copy in outcome.why) == (status != "done")


VOLUME: dict[str, Any] = {
    "requirements": [
        {"parts": [1], "says": "the volume is 7", "seen_by": "probe", "files": ["settings.ini", "game.log"]},
    ],
}
OF_VOLUME = """
def requirement_1(start, end):
    lines = (end / "settings.ini").read_text().split()
    return "volume=7" in lines, str(lines)
"""


@pytest.mark.parametrize(
    ("incidental", "besides"),
    [
        ("path == 'game.log' if not line else not line.startswith('volume')", ["game.log", "settings.ini"]),
        ("path == 'settings.ini' and line and not line.startswith('volume')", None),
        ("not line or not line.startswith('volume')", None),
        ("bool(line) or path == 'game.log'", None),
        ("True", None),
        ("1 / 0", None),
    ],
    ids=["what its program adds", "a log is left", "a file that matters", "all lines", "everything", "an error"],
)
async def test_what_a_program_adds_when_it_saves_need_not_be_noticed_where_its_verifier_says_so(
    tmp_path: Path, incidental: str, besides: list[str] | None
) -> None:
    saves = python(
        "open('game.log', 'w').write('started 12')\nopen('settings.ini', 'a').write('volume=7\\nwidth=640\\nheight=480\\n')"
    )
    code = f"{OF_VOLUME}\ndef incidental_line(path, line):\n    return {incidental}\n"
    outcome, _, calls = await ran(
        tmp_path,
        saves,
        *[python("print(1)")] * 9,
        task="Set the volume to 7",
        files={"settings.ini": "# saved by the game\n"},
        ContractWriter=[VOLUME],
        Verifier=[{"code": OF_VOLUME}, {"code": code}],
    )
    assert "settings.ini, line 3 with another number (width=640)" in asked(calls, "Verifier")[1].text()
    assert (outcome.status == "done") == (besides is not None), outcome.why
    assert besides is None or sorted(outcome.incidental) == besides, "and a person is told of it"


TYPED: dict[str, Any] = {
    "requirements": [
        {
            "parts": [1],
            "says": "old.txt is called new.txt",
            "seen_by": "checks",
            "checks": [
                {"kind": "same_as", "target": "new.txt", "text": "old.txt"},
                {"kind": "file_absent", "target": "old.txt"},
            ],
        },
    ],
}


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("import os\nos.rename('old.txt', 'new.txt')", "done"),
        ("import shutil\nshutil.copy('old.txt', 'new.txt')", "failed"),
        ("import os\nos.remove('old.txt')\nopen('new.txt', 'w').write('helo')", "denied"),
    ],
)
async def test_typed_checks_need_no_verifier(tmp_path: Path, code: str, status: str) -> None:
    outcome, _, calls = await ran(
        tmp_path, python(code), task="Rename old.txt to new.txt", files={"old.txt": "hello"}, ContractWriter=[TYPED]
    )
    assert outcome.status == status, outcome.why
    assert asked(calls, "Verifier") == []
    assert outcome.verified_by == ("rules" if status == "done" else None)


REPORT = """
import docx
report = docx.Document()
report.add_heading("Costs", {level})
report.add_paragraph("Sum: ").add_run("42.50").bold = {bold}
report.save("report.docx")
"""
LOOKS = (
    {"kind": "value_is", "target": "report.docx#headings", "text": "1 Costs"},
    {"kind": "value_is", "target": "report.docx#paragraph[2]", "text": "Sum: 42.50"},
    {"kind": "value_is", "target": "report.docx#text[42.50].bold", "text": "true"},
)


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("level", "bold", "checks", "status"),
    sampled(
        [
            (1, True, LOOKS, "done"),
            (2, True, LOOKS, "failed"),
            (1, True, LOOKS[:1], "unverified"),
            (1, False, LOOKS, "failed"),
        ],
        2,
    ),
)
async def test_how_a_document_looks_is_proven_by_typed_checks(
    tmp_path: Path, level: int, bold: bool, checks: tuple[dict[str, str], ...], status: str
) -> None:
    wanted = {"parts": [1], "says": "report.docx says so", "seen_by": "checks", "checks": list(checks)}
    outcome, _, calls = await ran(
        tmp_path,
        *[python(REPORT.format(level=level, bold=bold))] * 5,
        task="Write report.docx with the heading Costs and the sum 42.50 in bold",
        ContractWriter=[{"requirements": [wanted]}],
    )
    assert outcome.status == status, outcome.why
    assert asked(calls, "Verifier") == []


async def test_that_a_file_is_there_is_refused_as_a_requirement(tmp_path: Path) -> None:
    bare = {
        "requirements": [
            {
                "parts": [1, 2],
                "says": "total.txt is there",
                "seen_by": "checks",
                "checks": [{"kind": "file_exists", "target": "total.txt"}],
            }
        ]
    }
    outcome, _, calls = await ran(tmp_path, writing("banana"), ContractWriter=[bare, bare])
    assert "file_exists alone says nothing" in asked(calls, "ContractWriter")[1].text()
    assert outcome.status == "unverified", "insisted on, it still does not tell banana from anything else"


ASKS: dict[str, Any] = {
    "requirements": [
        {"parts": [1], "says": "The user is told the sum of the amounts", "seen_by": "answer", "files": ["costs.csv"]}
    ],
    "question": "What is the sum of the amounts in costs.csv?",
}
ANSWER_PROBE = """
import csv, re
from decimal import Decimal

def requirement_1(start, end, answer):
    total = sum(Decimal(row["amount"]) for row in csv.DictReader((start / "costs.csv").open()))
    said = re.findall(r"\\d+(?:\\.\\d+)?", answer)
    return [Decimal(each) for each in said] == [total], f"sum {total}"
"""


@pytest.mark.parametrize(("answer", "status"), [("42.50", "done"), ("It is 42.5.", "done"), ("42", "unverified")])
async def test_an_answer_is_worked_out_by_somebody_else_too(tmp_path: Path, answer: str, status: str) -> None:
    outcome, _, calls = await ran(
        tmp_path,
        python(f"print({answer!r})"),
        task="What is the sum of the amounts in costs.csv?",
        ContractWriter=[ASKS],
        Verifier=[{"code": ANSWER_PROBE}],
        FinalAnswer=[lambda call: {"answer": answer, "sources": [], "branch": "Continue", "problem": ""}],
    )
    assert (outcome.status, outcome.answer) == (status, answer), outcome.why
    assert asked(calls, "Reader") == []
    assert outcome.verified_by == ("probe" if status == "done" else None)
    (told,) = asked(calls, "FinalAnswer")
    assert "no sentence" not in told.text(), "who reads it is a person"
    if status != "done":
        assert "a probe worked out another answer: sum 42.50" in outcome.why


async def test_a_probe_of_a_part_of_the_answer_does_not_prove_the_rest(tmp_path: Path) -> None:
    rest = {"parts": [1], "says": "The user is told when it is due", "seen_by": "answer", "files": []}
    asks = {**ASKS, "requirements": [*ASKS["requirements"], rest]}
    lax = ANSWER_PROBE.replace("== [total]", "[:1] == [total]")
    answer = "It is 42.50, due in 7 days."
    outcome, _, _ = await ran(
        tmp_path,
        python("print(42.50, 7)"),
        task="What is the sum of the amounts in costs.csv, and when is it due?",
        ContractWriter=[asks],
        Verifier=[{"code": lax}] * 2,
        FinalAnswer=[lambda call: {"answer": answer, "sources": [], "branch": "Continue", "problem": ""}],
    )
    assert (outcome.status, outcome.answer) == ("unverified", answer), outcome.why


LEFT = "old.txt was left alone, since it is no list of costs."


@pytest.mark.parametrize(
    ("work", "last", "said"),
    [
        ([], {"information": "rope and lamp", "answer": LEFT}, LEFT),
        ([{**writing("42.50"), "answer": LEFT}], {"information": "42.50 it is"}, LEFT),
        ([], {"information": LEFT}, LEFT),
        ([{**writing("42.50"), "information": "rope 19.50"}], {}, ""),
    ],
)
async def test_what_the_crew_says_of_a_chore_reaches_the_user_and_proves_nothing(
    tmp_path: Path, work: list[dict[str, Any]], last: dict[str, Any], said: str
) -> None:
    outcome, journal, calls = await ran(tmp_path, *work, Programmer=[*(work or [writing("42.50")]), {**FINISH, **last}])
    assert (outcome.status, outcome.verified_by) == ("done", "probe"), outcome.why
    assert (outcome.answer, outcome.said) == ("", said)
    assert result_of(journal.run, journal.events).said == said
    assert asked(calls, "FinalAnswer") == []
    assert said == "" or not any(said in call.text() for call in asked(calls, "Verifier"))


async def test_a_run_that_fails_hands_over_what_was_found_out(tmp_path: Path) -> None:
    last = {"operations": [], "branch": "Unanswerable", "problem": "the amounts have no currency"}
    outcome, _, _ = await ran(tmp_path, Programmer=[{**python("print(42.5)"), "information": "They come to 42.50."}, last])
    assert (outcome.status, outcome.reason) == ("failed", "infeasible")
    assert (outcome.answer, outcome.said) == ("", "They come to 42.50.")


async def test_what_the_crew_says_makes_no_work_right(tmp_path: Path) -> None:
    claimed = {**FINISH, "answer": "total.txt holds 42.50."}
    outcome, _, _ = await ran(tmp_path, Programmer=[writing("42"), *[claimed] * 9])
    assert (outcome.status, outcome.said) == ("failed", "total.txt holds 42.50."), outcome.why


def said_of(right: bool, fooled: bool, text: str) -> Any:
    """A reader who says ``right`` of the text and ``fooled`` of all others."""

    def reads(call: Call) -> dict[str, Any]:
        texts = [each.partition(":\n")[2].strip() for each in call.text("volatile").split("\nText ")]
        texts[-1] = texts[-1].removesuffix("Reply:").strip()
        assert texts.count(text) == 1
        assert len(texts) > 1, "there are decoys"
        said = [
            {"text": number, "quote": each[:20], "fulfils": right if each == text else fooled}
            for number, each in enumerate(texts, 1)
        ]
        return {"texts": said, "why": "the sum of the column"}

    return reads


def telling(answer: str) -> Any:
    return lambda call: {"answer": answer, "sources": [], "branch": "Continue", "problem": ""}


@pytest.mark.parametrize(
    ("right", "fooled", "status"), [(True, False, "done"), (False, False, "unverified"), (True, True, "unverified")]
)
async def test_an_answer_probe_that_takes_anything_is_left_to_the_reader(
    tmp_path: Path, right: bool, fooled: bool, status: str
) -> None:
    lax = "def requirement_1(start, end, answer):\n    return True, start.name"
    code = "import csv; print(sum(float(row['amount']) for row in csv.DictReader(open('costs.csv'))))"
    answer = "The amounts come to 42.5."
    outcome, journal, calls = await ran(
        tmp_path,
        python(code),
        task="What is the sum of the amounts in costs.csv?",
        ContractWriter=[ASKS],
        Verifier=[{"code": lax}] * 2,
        FinalAnswer=[telling(answer)],
        Reader=[said_of(right, fooled, answer)],
    )
    assert outcome.status == status, outcome.why
    assert outcome.verified_by == ("judge" if status == "done" else None)
    assert status != "done" or outcome.why == "every requirement is judged, not proven"
    assert bodies(journal, e.RunFinished)
    assert len(asked(calls, "Verifier")) == 1
    (read,) = asked(calls, "Reader")
    assert "The amounts come to 19.50." in read.text("volatile"), "an answer from another row"
    assert all(told in read.text() for told in (code, "42.5", "rope,19.50")), "code, output and what it read"


@pytest.mark.parametrize(
    ("code", "file", "answer", "missing"),
    [
        (
            "print(open('costs.csv').read(), 42.50)",
            "costs.csv",
            "It is 42.50, due on 2031-05-01.",
            "2031-05-01 in the answer",
        ),
        ("print(99)", "costs.csv", "It is 99.", "99 in the answer"),
        ("print('Ann')", "costs.bin", "Ann", "nothing that was read or computed"),
    ],
)
async def test_what_no_source_shows_of_an_answer_is_named_and_no_reader_is_asked(
    tmp_path: Path, code: str, file: str, answer: str, missing: str
) -> None:
    outcome, _, calls = await ran(
        tmp_path,
        python(code),
        files={file: COSTS if file.endswith(".csv") else "\x7f\0"},
        task="What is the sum of the amounts?",
        ContractWriter=[{**ASKS, "requirements": [{**ASKS["requirements"][0], "files": []}]}],
        FinalAnswer=[telling(answer)],
    )
    assert outcome.status == "unverified"
    assert missing in outcome.why
    assert asked(calls, "Reader") == []


SUMMARY: dict[str, Any] = {
    "requirements": [
        {"parts": [1], "says": "short.txt sums up long.txt in a sentence", "seen_by": "reading", "files": ["short.txt"]},
        {
            "parts": [1],
            "says": "long.txt is as it was",
            "seen_by": "checks",
            "checks": [{"kind": "same_as", "target": "long.txt", "text": "long.txt"}],
            "stays": True,
        },
    ]
}
LONG = "The shop opens at 9. It sells lamps, ropes and 3 kinds of tea. On Sundays it is closed all day long."


@pytest.mark.parametrize(
    ("right", "fooled", "status"), [(True, False, "done"), (False, False, "failed"), (True, True, "unverified")]
)
async def test_what_only_reading_settles_is_judged_among_decoys(
    tmp_path: Path, right: bool, fooled: bool, status: str
) -> None:
    short = "A shop for lamps, ropes and tea that opens at 9 except on Sundays."

    def reads(call: Call) -> dict[str, Any]:
        texts = call.text("volatile").split("Text ")[1:]
        said = [
            {"text": number, "quote": text[:20], "fulfils": right if short in text else fooled}
            for number, text in enumerate(texts, 1)
        ]
        assert len(said) == 4, "three that say something else at one or two places"
        return {"texts": said, "why": "all of it is in the source"}

    outcome, _, calls = await ran(
        tmp_path,
        writing(short, "short.txt"),
        task="Sum up long.txt in one sentence in short.txt",
        files={"long.txt": LONG},
        ContractWriter=[SUMMARY],
        Reader=[reads] * 9,
    )
    assert outcome.status == status, outcome.why
    assert outcome.verified_by == ("judge" if status == "done" else None)
    if status == "done":
        assert outcome.why == "requirement 1 is judged, not proven; every other requirement was seen to hold"
    assert LONG in asked(calls, "Reader")[0].text()


async def test_a_crew_without_a_planner_has_a_contract_too(tmp_path: Path) -> None:
    outcome, _, _ = await ran(tmp_path, crew="solo", Worker=[writing("42.50"), FINISH], Programmer=[])
    assert outcome.status == "done", outcome.why


async def test_code_that_breaks_out_of_its_part_reads_nothing_of_the_machine(tmp_path: Path) -> None:
    spying = "def requirement_1(start, end):\n    return open('/etc/shadow').read() != '', 'read it'"
    outcome, _, _ = await ran(tmp_path, *[writing("42.50")] * 5, Verifier=[{"code": spying}] * 9)
    assert outcome.status == "unverified"
    assert "No such file" in outcome.proofs[0].found or "Permission" in outcome.proofs[0].found


@pytest.mark.parametrize(
    ("task", "parts"),
    [
        ("Sort it. Then count.", ("Sort it.", "Then count.")),
        ("Do this:\n1. sort it\n2. count it", ("Do this:", "1. sort it", "2. count it")),
        ("把逾期的发票移到archive。告诉我有几张。", ("把逾期的发票移到archive。", "告诉我有几张。")),
        ("What is 3 + 4?", ("What is 3 + 4?",)),
        ("12", ("12",)),
        ("Setze das Datum auf den 1. Dezember 2026. Danke!", ("Setze das Datum auf den 1. Dezember 2026.", "Danke!")),
        (
            "Nicht am 12., erst am 21. November, und am 3. Sie kommt.",
            ("Nicht am 12., erst am 21. November, und am 3.", "Sie kommt."),
        ),
        ("Termin ist der 1. 12. 2026. Trag ihn ein.", ("Termin ist der 1. 12. 2026.", "Trag ihn ein.")),
        ("Nastav datum na 3. září 2026. Pak to ulož.", ("Nastav datum na 3. září 2026.", "Pak to ulož.")),
        ("Ustaw termin na 1. grudnia. Wyślij.", ("Ustaw termin na 1. grudnia.", "Wyślij.")),
        ("Sæt datoen til den 3. maj 2026. Gem filen.", ("Sæt datoen til den 3. maj 2026.", "Gem filen.")),
        ("Tedd át 2026. december 1. napjára. Mentsd el.", ("Tedd át 2026. december 1. napjára.", "Mentsd el.")),
        (
            "Put it in row 12. Delete the rest of 2026. Save it.",
            ("Put it in row 12.", "Delete the rest of 2026.", "Save it."),
        ),
    ],
)
async def test_a_task_is_cut_into_sentences_of_any_language(task: str, parts: tuple[str, ...]) -> None:
    assert parts_of(task) == parts
    told = number_parts(task, parts)
    assert [f"[{number}] {part}" in told for number, part in enumerate(parts, 1)] == [True] * len(parts)


async def test_the_contracts_writer_is_told_the_task_once_as_it_stands_and_the_addresses_that_it_is_about(
    tmp_path: Path,
) -> None:
    task = f"{TASK}\n  keep  this:  as it is"
    contract = {**CONTRACT, "context": [2, 3]}
    _, _, calls = await ran(tmp_path, writing("42.50\n"), task=task, ContractWriter=[contract])
    prompt = asked(calls, "ContractWriter")[0].text()
    assert "[2] Thanks a lot!\n  [3] keep  this:  as it is" in prompt
    assert prompt.count("Thanks a lot!") == 1
    assert ADDRESSES[".csv .tsv"] in prompt
    assert ADDRESSES[".pptx"] not in prompt


async def test_the_plan_alone_can_be_had_and_carried_out_later(tmp_path: Path) -> None:
    _, journal, calls = await ran(tmp_path, writing("42.50"), plan_only=True)
    assert [call.role for call in calls] == ["ContractWriter", "Planner", "ConsentReader"], "and what needs no question"
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.reason, outcome.resumable) == ("stopped", "planned", True)
    assert outcome_words(outcome) == "planned, not carried out"
    assert "only the plan was wanted" in outcome.why
    assert [(proof.says, proof.holds) for proof in outcome.proofs] == [(CONTRACT["requirements"][0]["says"], None)]
    assert not (tmp_path / "work/total.txt").exists()
    waiting = {"Programmer": [writing("42.50"), FINISH], "Verifier": [{"code": PROBE}]}
    profile = Profile(name="scripted", context=128_000, contracts=True)
    model = ScriptedModel(itertools.repeat(lambda call: waiting[call.role].pop(0)), profile=profile)
    again = await session.resume(journal.run, settings_in(tmp_path), model=model)
    assert again.state.outcome is not None
    assert again.state.outcome.status == "done"


REMOVING = "Delete drafts/ with everything in it, it is all out of date."
REMOVED: dict[str, Any] = {
    "requirements": [
        {
            "parts": [1],
            "says": "drafts/ is gone",
            "seen_by": "checks",
            "checks": [{"kind": "file_absent", "target": "drafts/"}],
            "files": ["drafts/*"],
        }
    ],
}
ORDERED: dict[str, Any] = {"quotes": ["Delete drafts/ with everything in it"], "kind": "remove", "where": "drafts/"}
ORDERS: dict[str, Any] = {"ordered": [ORDERED]}
DRAFTS = {"drafts/a.txt": "one two three four five", "drafts/b.txt": "six", "letter.txt": "Dear all"}


async def test_what_the_task_orders_to_be_removed_is_removed_with_nobody_there_to_ask(tmp_path: Path) -> None:
    work = python("import shutil\nshutil.rmtree('drafts')")
    outcome, journal, calls = await ran(
        tmp_path, work, task=REMOVING, files=DRAFTS, ContractWriter=[REMOVED], ConsentReader=[ORDERS]
    )
    assert outcome.status == "done", outcome.why
    found = bodies(journal, e.ChangesFound)[0]
    assert (found.effect, found.risk) == ("ask", "destroy")
    (approved,) = (body for body in bodies(journal, e.OperationApproved) if body.by == "consent")
    assert approved.consent == 0
    assert (await replay(journal)).difference is None
    (asked,) = (call for call in calls if call.role == "ConsentReader")
    assert REMOVING in asked.text("task")
    assert not any(name in asked.text() for name in ("a.txt", "letter.txt")), "it is shown nothing but the user's words"


async def test_what_the_task_does_not_order_is_denied_with_nobody_there_to_ask(tmp_path: Path) -> None:
    work = python("import os, shutil\nshutil.rmtree('drafts')\nos.remove('letter.txt')")
    outcome, journal, _ = await ran(
        tmp_path, *[work] * 5, task=REMOVING, files=DRAFTS, ContractWriter=[REMOVED], ConsentReader=[ORDERS]
    )
    assert outcome.status != "done"
    assert (tmp_path / "work/letter.txt").exists()
    assert (tmp_path / "work/drafts/a.txt").exists()
    assert "the task orders it for the others, but not for letter.txt" in bodies(journal, e.OperationDenied)[0].why


async def test_a_place_that_the_task_does_not_name_is_no_consent(tmp_path: Path) -> None:
    wide = {"ordered": [{**ORDERED, "where": "*"}]}
    work = python("import shutil\nshutil.rmtree('drafts')")
    outcome, journal, calls = await ran(
        tmp_path, *[work] * 5, task=REMOVING, files=DRAFTS, ContractWriter=[REMOVED], ConsentReader=[wide] * 2
    )
    assert outcome.status != "done"
    (read,) = bodies(journal, e.ConsentRead)
    assert read.consents == ()
    assert [each.why for each in read.uncounted] == ["'*' is no pattern that the user gives"]
    first, second = (call for call in calls if call.role == "ConsentReader")
    assert "is no pattern" not in first.text()
    assert "'*' is no pattern that the user gives. Name it from the user's words, or leave it out." in second.text()


async def test_what_a_named_file_said_at_the_start_may_be_sent_and_nothing_else_of_it(tmp_path: Path) -> None:
    task = "Sign Ada up with the form on hall.example: the values are in visit.txt, which you may delete afterwards."
    sends = {
        "quotes": ["Sign Ada up with the form on hall.example"],
        "kind": "send",
        "where": "hall.example",
        "files": ["visit.txt"],
    }
    gone = {
        "parts": [1],
        "says": "visit.txt is gone",
        "seen_by": "checks",
        "checks": [{"kind": "file_absent", "target": "visit.txt"}],
    }
    orders = {"ordered": [sends, sends | {"files": ["letter.txt"]}]}
    files = {"visit.txt": "Name: Ada", "letter.txt": "Dear all"}
    work = (
        python("open('visit.txt', 'w').write('the safe: 4711')"),
        python("import os\nos.remove('letter.txt')"),  # what the guard asks about is read after that
    )
    _, journal, _ = await ran(
        tmp_path,
        *work,
        task=task,
        files=files,
        ContractWriter=[{"requirements": [gone]}],
        ConsentReader=[orders] * 2,
    )
    (given,) = bodies(journal, e.ConsentRead)
    assert [(consent.files, consent.found) for consent in given.consents] == [(("visit.txt",), "Name: Ada")]
    assert given.consents[0].words == (
        "may send once on hall.example (what visit.txt says), because you wrote: 'Sign Ada up with the form on hall.example'"
    )


async def test_a_person_who_is_there_is_shown_the_contract_and_may_put_it_right(tmp_path: Path) -> None:
    shown: list[ReplyQuestion] = []

    async def asked_person(question: ReplyQuestion) -> EditedReply:
        shown.append(question)
        return EditedReply(reply={**question.reply, "context": [1]})

    _, journal, _ = await ran(
        tmp_path, task=REMOVING, files=DRAFTS, human=PythonResponder(reply=asked_person), ContractWriter=[REMOVED]
    )
    assert [(question.role, question.contract) for question in shown] == [("ContractWriter", True)]
    contract = bodies(journal, e.GoalSet)[0].contract
    assert contract is not None
    assert contract.by == "human"


@pytest.mark.parametrize("answer", ["yes", "stop", "theirs"])
async def test_a_person_who_is_there_is_asked_before_work_begins_where_no_contract_could_be_made(
    tmp_path: Path, answer: str
) -> None:
    there: list[tuple[ReplyQuestion, bool]] = []

    async def asked_person(question: ReplyQuestion) -> Any:
        there.append((question, (tmp_path / "work" / "total.txt").exists()))
        given = {"yes": Accepted(), "stop": e.HumanSaid(kind="stop"), "theirs": EditedReply(reply=CONTRACT)}
        return given[answer]

    outcome, journal, calls = await ran(
        tmp_path,
        writing("42.50"),
        human=PythonResponder(reply=asked_person),
        ContractWriter=["nonsense"] * 4,
        Planner=["nonsense", *PLANS],  # what the planner says that cannot be used is no reason to ask again
    )
    ((question, done),) = there
    assert not done
    assert (question.contract, question.unproven) == (True, TASK)
    told = shown(question).plain
    assert TASK in told
    assert "so nothing will be proven" in told
    assert len(asked(calls, "ContractWriter")) == 2
    assert outcome.status == {"yes": "unverified", "stop": "stopped", "theirs": "done"}[answer], outcome
    assert bool(bodies(journal, e.ActionStarted)) == (answer != "stop")


async def test_who_sends_a_task_without_a_contract_back_has_it_written_again(tmp_path: Path) -> None:
    answers: list[Any] = [e.HumanSaid(kind="guide", text="It is about total.txt."), Accepted()]

    async def asked_person(question: ReplyQuestion) -> Any:
        return answers.pop(0)

    _, journal, calls = await ran(
        tmp_path,
        writing("42.50"),
        human=PythonResponder(reply=asked_person),
        ContractWriter=["nonsense", "nonsense", CONTRACT],
    )
    assert answers == []
    assert "It is about total.txt." in asked(calls, "ContractWriter")[2].text()
    contract = bodies(journal, e.GoalSet)[0].contract
    assert contract is not None
    assert contract.by == "model"


async def test_a_verifier_that_only_says_what_cannot_be_used_leaves_right_work_unverified(tmp_path: Path) -> None:
    outcome, _, calls = await ran(tmp_path, writing("42.50"), Verifier=[{"nonsense": 1}] * 9)
    assert outcome.status == "unverified", outcome
    assert len(asked(calls, "Verifier")) == 2
    assert [proof.holds for proof in outcome.proofs] == [None]


CONTESTS = {"subtasks": [], "contests": [{"requirement": "1", "why": "the task does not say which amounts"}]}


async def test_what_the_user_states_is_contested_and_reworded_by_nobody(tmp_path: Path) -> None:
    """Not by a planner that keeps to what it did, though it may contest what the contract's writer wrote."""
    stated = contract_of([check_of("file_contains total.txt 42.50")])
    contests = {"subtasks": [], "contests": [{"requirement": "2", "why": "a rounded sum is one, too"}]}
    work = (writing("43"), *[writing("43")] * 9)
    outcome, journal, calls = await ran(
        tmp_path / "both",
        *work,
        required=stated,
        Planner=[PLANS[0], contests, contests, *PLANS],
        Verifier=[{"code": LAX}] * 9,
    )
    assert outcome.status == "failed", outcome
    assert "total.txt contains '42.50': no" in outcome.why
    contracts = [body.contract for body in bodies(journal, e.GoalSet)]
    assert [each.requirements[-1].contested for each in contracts] == [""] * len(contracts)
    assert all(not call.text("volatile").startswith("Contested") for call in asked(calls, "ContractWriter"))


@pytest.mark.first_case
@pytest.mark.parametrize(("text", "status"), [("42.50", "done"), ("43", "failed")])
async def test_a_contract_from_a_file_is_all_and_no_model_is_asked_for_one(tmp_path: Path, text: str, status: str) -> None:
    stated = contract_in('[[requirements]]\nsays = "total.txt holds the sum"\nfiles = ["total.txt"]\n', "wanted.toml")
    outcome, _, calls = await ran(tmp_path, *[writing(text)] * 9, required=stated)
    assert outcome.status == status, outcome
    assert asked(calls, "ContractWriter") == []
    assert asked(calls, "Verifier")


KEPT: dict[str, Any] = {"why": "the column is called amount", "requirement": None}


@pytest.mark.parametrize("heard", [[KEPT], ["nonsense"] * 2])
async def test_a_planner_may_contest_what_failed_on_record_and_kept_it_counts_as_not_checked(
    tmp_path: Path, heard: list[Any]
) -> None:
    outcome, journal, calls = await ran(
        tmp_path, writing("banana"), Planner=[PLANS[0], CONTESTS], ContractWriter=[CONTRACT, *heard]
    )
    assert outcome.status == "unverified", outcome
    assert "contested: the task does not say which amounts (Planner)" in outcome.why
    first, second, _, third = bodies(journal, e.GoalSet)
    assert (first.contract.requirements[0].contested, second.contract.requirements[0].id) == ("", "1")
    assert third.contract.requirements[0].heard == (
        KEPT["why"] if heard[0] is KEPT else "its writer's replies could not be used"
    )
    assert "contests" in asked(calls, "Planner")[1].text()
    told = asked(calls, "ContractWriter")[1].text("volatile")
    assert "the task does not say which amounts (Planner)" in told
    assert "\nSeen: " in told
    assert "Its Verifier was asked whether it was right about the work: its check stands." in told
    assert len(asked(calls, "Verifier")) == 2, "and once more whether it was right, before its writer is asked"


@pytest.mark.parametrize(("written", "status"), [("43", "unverified"), ("44", "failed")])
async def test_a_contested_requirement_may_be_worded_anew_by_its_writer_and_is_looked_at_again(
    tmp_path: Path, written: str, status: str
) -> None:
    rounded = {**CONTRACT["requirements"][0], "says": "total.txt holds the sum, rounded to a whole number"}
    probe = PROBE.replace("== total", "== round(total + Decimal('0.1'))")
    outcome, journal, calls = await ran(
        tmp_path,
        *[writing(written)] * 4,
        Planner=[PLANS[0], CONTESTS, *PLANS],
        ContractWriter=[CONTRACT, {"why": "either is a sum", "requirement": rounded}],
        Verifier=[{"code": PROBE}, {"code": PROBE}, {"code": probe}, {"code": probe}],
    )
    assert outcome.status == status, outcome
    assert len(asked(calls, "Verifier")) == 3, "the old probe looked for something else"
    again = asked(calls, "Verifier")[2].text("volatile")
    assert "requirement_1 was reworded since; it had returned False: " in again
    assert "def requirement_1(start, end):" in again, "its last code"
    assert outcome.proofs[0].says == rounded["says"]
    told = "reworded: either is a sum (it was: total.txt holds the sum of the amounts in costs.csv and nothing else"
    assert told in outcome.proofs[0].found or status == "failed"
    assert len(bodies(journal, e.GoalSet)) == 4
    assert len(asked(calls, "ContractWriter")) == 2, "its writer is heard once"
    if status == "unverified":
        assert "reworded after the work, so that a person has to confirm it" in outcome.why
        after = confirm(journal, holds=True, requirement="1")
        assert (after.status, after.verified_by) == ("done", "human"), "a person's word settles it"


async def test_work_that_a_planner_keeps_to_twice_ends_unverified_with_what_was_read(tmp_path: Path) -> None:
    again = {"subtasks": [], "contests": [{"requirement": "1", "why": "43 is the sum, rounded"}]}
    outcome, journal, calls = await ran(
        tmp_path,
        writing("43"),
        Planner=[PLANS[0], CONTESTS, {"subtasks": []}, again],
        ContractWriter=[CONTRACT, {"why": "say it so", "requirement": {**CONTRACT["requirements"][0], "says": "It is so"}}],
        Verifier=[{"code": PROBE}] * 3,
    )
    assert outcome.status == "unverified", outcome
    (proof,) = outcome.proofs
    assert proof.holds is None
    assert "43 is the sum, rounded (Planner); it was seen not to hold: sum 42.50, said 43" in proof.found
    assert len(asked(calls, "ContractWriter")) == 2, "its writer is heard once"
    assert "Give subtasks or, where the work is right" in asked(calls, "Planner")[3].text("volatile")
    assert bodies(journal, e.GoalSet)[-1].contract.requirements[0].heard


@pytest.mark.parametrize("raised", ["len(banana)", "(end / 'other.txt').read_text()", "exit(1)", "(lambda a: a)()"])
async def test_a_probe_that_does_not_work_says_nothing_of_the_work(tmp_path: Path, raised: str) -> None:
    broken = f"def requirement_1(start, end):\n    return {raised}, 'n'\n"
    outcome, journal, calls = await ran(tmp_path, writing("42.50"), Verifier=[{"code": broken}] * 9)
    assert outcome.status == "unverified", outcome
    (proof,) = outcome.proofs
    assert proof.holds is None
    assert proof.found.startswith("its probe did not work: ")
    assert len(asked(calls, "Verifier")) == 2
    assert len(asked(calls, "Planner")) == 1, "a plan is not made anew for it"
    assert not any(body.verdict.kind == "replan" for body in bodies(journal, e.Judged))


async def test_a_probe_that_fails_for_want_of_the_file_itself_has_seen_that_it_is_not_there(tmp_path: Path) -> None:
    reads = "def requirement_1(start, end):\n    return (end / 'total.txt').read_text() == '42.50', 'n'\n"
    outcome, _, _ = await ran(tmp_path, python("open('sum.txt', 'w').write('42.50')"), Verifier=[{"code": reads}] * 9)
    assert outcome.status == "failed", outcome
    assert (outcome.proofs[0].holds, outcome.proofs[0].found) == (False, "total.txt does not exist")


@pytest.mark.parametrize("written", ["./total.txt", "/workspace/total.txt", " total.txt"])
async def test_a_file_that_is_there_is_not_missed_however_it_is_written(tmp_path: Path, written: str) -> None:
    contract = {**CONTRACT, "requirements": [{**CONTRACT["requirements"][0], "files": [written]}]}
    broken = "def requirement_1(start, end):\n    return len(banana), 'n'\n"
    outcome, _, _ = await ran(tmp_path, writing("42.50"), ContractWriter=[contract], Verifier=[{"code": broken}] * 9)
    assert (outcome.status, outcome.proofs[0].holds) == ("unverified", None), outcome


async def test_only_what_failed_can_be_contested(tmp_path: Path) -> None:
    early = {"subtasks": PLANS[0]["subtasks"], "contests": [{"requirement": "1", "why": "no"}]}
    outcome, journal, _ = await ran(tmp_path, writing("42.50"), Planner=[early, *PLANS])
    assert outcome.status == "done"
    assert len(bodies(journal, e.GoalSet)) == 1
    assert bodies(journal, e.RoleReplied)[1].reply is None, "the first plan cannot contest anything"


async def test_what_is_contested_is_no_reason_to_look_away_from_the_rest(tmp_path: Path) -> None:
    two = {"requirements": [*CONTRACT["requirements"], {**TYPED["requirements"][0], "parts": [1]}], "context": [2]}
    outcome, _, _ = await ran(tmp_path, writing("banana"), Planner=[PLANS[0], CONTESTS, *PLANS], ContractWriter=[two, KEPT])
    assert outcome.status == "failed", "the other requirement does not hold either"


async def test_what_a_person_says_was_wrong_is_in_the_contract_that_is_made_anew(tmp_path: Path) -> None:
    """`no, ...` in a session takes a run that is done back to its first reply: what must hold is asked again."""
    outcome, journal, _ = await ran(tmp_path, writing("42.50"))
    assert outcome.status == "done"
    said = "no, into sum.txt"
    (command,) = {meant(said, journal, mine=True).command}
    points = session.points_of(tmp_path / "work", journal)
    back = rewind.to_reply(journal, int(command[2]), points)
    assert isinstance(back.reply, e.Event)
    assert isinstance(back.reply.body, e.RoleReplied)
    assert back.reply.body.role == "ContractWriter"
    with journal.claimed():
        rewind.go_back(journal, back, points, say=said)
    assert not (tmp_path / "work" / "total.txt").exists()
    wanted = {"parts": [1], "says": "sum.txt holds the sum and nothing else", "seen_by": "probe", "files": ["sum.txt"]}
    replies: dict[str, list[Any]] = {
        "ContractWriter": [{"requirements": [wanted], "context": [2]}],
        "Planner": [*PLANS],
        "Programmer": [writing("42.50", "sum.txt"), FINISH],
        "Verifier": [{"code": PROBE.replace("total.txt", "sum.txt")}],
    }
    usual: dict[str, Any] = {"OrderMatcher": OTHER, "ConsentReader": {"ordered": []}}

    def says(call: Call) -> Any:
        return usual.get(call.role) or replies[call.role].pop(0)

    model = ScriptedModel(
        itertools.repeat(says),
        profile=Profile(name="scripted", context=128_000, contracts=True),
    )
    journal = await session.resume(journal.run, settings_in(tmp_path), model=model)
    assert said in asked(model.calls, "ContractWriter")[0].text()
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done", journal.state.outcome.why
    assert {path.name for path in (tmp_path / "work").iterdir()} == {"costs.csv", "sum.txt"}
