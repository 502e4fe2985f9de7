"""Programs and whole contracts of the user's, as they are read."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from deskcrew.errors import UsageError
from deskcrew.evidence.required import check_of, contract_in, required_contract


def test_a_program_says_what_runs_it(tmp_path: Path) -> None:
    for name, text in {"a.py": "", "b.sh": "#!/bin/sh\n", "c": "#!/bin/sh\n"}.items():
        (tmp_path / name).write_text(text)
        found = required_contract(check=[tmp_path / name])
        assert found is not None
        assert [each.program and each.program.text for each in found.requirements] == [text]
    (tmp_path / "d").write_text("echo")
    (tmp_path / "e.py").write_bytes(b"\xff\xfe")
    for name in ("d", "e.py", "gone.py"):
        with pytest.raises(UsageError):
            required_contract(check=[tmp_path / name])


WRITTEN = """
question = "How much is it?"

[[requirements]]
says = "The report has the total"
checks = ["file_contains report.txt 348", { kind = "file_lacks", target = "report.txt", text = "0" }]

[[requirements]]
says = "The letter is friendly"
seen_by = "reading"
files = ["letter.txt"]

[[requirements]]
says = "Every line of prices.csv is in the report"
files = ["report.txt"]
"""


def test_a_contract_is_a_file() -> None:
    contract = contract_in(WRITTEN, "wanted.toml")
    assert [(each.id, each.seen_by, len(each.checks)) for each in contract.requirements] == [
        ("1", "checks", 2),
        ("2", "reading", 0),
        ("3", "probe", 0),
        ("4", "answer", 0),
    ]
    assert (contract.whole, contract.by, contract.question) == (True, "user", "How much is it?")
    assert contract_in('{"requirements": [{"checks": ["file_exists a.txt"]}]}', "").requirements[0].says == "a.txt exists"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "The contract: the field 'requirements' is missing; it must be a list with at least one requirement."),
        ("requirements = 3", "The contract: 'requirements' is 3, but must be a list with at least one requirement."),
        ("requirements = []", "The contract: 'requirements' is [], but must be a list with at least one requirement."),
        ("requirements = ['a']", 'Requirement 1 is "a", but must be several fields, such as {"says": '),
        ("[[requirements]]\nfiles = ['a']", "Requirement 1: it needs 'says', a sentence, or 'checks', such as ["),
        (
            "[[requirements]]\nsays = 'a'\nfile = 'b'",
            "Requirement 1 (\"a\"): there is no field 'file'. Did you mean 'files'?",
        ),
        ("[[requirements]]\nsays = 'a'\nfiles = 'b'", 'Requirement 1 ("a"): \'files\' is "b", but must be a list of paths'),
        ("[[requirements]]\nsays = 'a'\nfiles = [3]", 'Requirement 1 ("a"), file 1 is 3, but must be a path.'),
        (
            "[[requirements]]\nsays = 'a'\nseen_by = 'prob'",
            "must be one of checks, probe, screen, reading, answer. Did you mean",
        ),
        ("[[requirements]]\nsays = 'a'\nseen_by = 'checks'", "and has none; give some, or leave 'seen_by' out."),
        ("[[requirements]]\nsays = 'a'\n[[requirements]]\nsays = 'b'\nstays = 'x'", "Requirement 2 (\"b\"): 'stays' is"),
        (
            "[[requirements]]\nchecks = ['file_exists a', 'file_contain a b']",
            "Requirement 1, check 2: 'file_contain' is not a",
        ),
        (
            "[[requirements]]\nchecks = [{ target = 'a' }]",
            "Requirement 1, check 1: the field 'kind' is missing; it must be one of",
        ),
        ("[[requirements]]\nchecks = [{ kind = 'file_contain' }]", "Did you mean 'file_contains'?"),
        ("[[requirements]]\nchecks = [3]", 'check 1 is 3, but must be a text such as "file_contains report.txt 348"'),
        ("[[", "wanted.toml is not a contract: as TOML it cannot be read"),
        ('{"requirements": [', "wanted.toml is not a contract: as JSON it cannot be read"),
    ],
)
def test_which_requirement_has_which_fault_is_said_with_what_would_be_right(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=re.escape(told)) as refused:
        contract_in(text, "wanted.toml")
    wrong = str(refused.value)
    assert not re.search(r"requirements\.\d|Input should|_Stated|should have", wrong), "nothing of the validator's own words"
    assert wrong.count("Requirement") <= 1, "one fault is told once"


def test_what_is_required_besides_follows_a_written_contract(tmp_path: Path) -> None:
    (tmp_path / "wanted.toml").write_text(WRITTEN)
    both = required_contract(["file_exists b.txt"], contract=tmp_path / "wanted.toml")
    assert both is not None
    assert both.whole
    assert [each.id for each in both.requirements] == ["1", "2", "3", "4", "5"]
    assert required_contract() is None


@pytest.mark.parametrize(
    ("stated", "told"),
    [
        ("file_replaced note.txt Ann", "needs two texts"),
        ("file_replaced note.txt Ann Lee Bob", "needs two texts"),
        ("file_contains note.txt ''", "not empty"),
        ("file_exists /etc/passwd", "only into the workspace"),
        ("same_as a.txt ../b.txt", "only into the workspace"),
        ("value_is sales.xlsx 348", "needs an address"),
        ("value_is 'sales.xlsx#' 348", "needs an address"),
        ("control_is Agree ticked", "needs one of these states: checked, "),
        ("page_at Shop shop.example", "needs a whole address"),
    ],
)
def test_a_check_that_could_never_be_evaluated_is_refused_with_an_example_that_could(stated: str, told: str) -> None:
    with pytest.raises(UsageError, match=told) as refused:
        check_of(stated)
    check_of(refused.value.hint.removeprefix("For example: ").strip("'"))
    kind, target, text = shlex.split(stated)[0], shlex.split(stated)[1], " ".join(shlex.split(stated)[2:])
    table = f"kind = '{kind}', target = '{target}', text = '{text}'"
    with pytest.raises(UsageError, match=told):
        contract_in(f"[[requirements]]\nchecks = [{{ {table} }}]", "wanted.toml")


@pytest.mark.parametrize(
    ("stated", "text"),
    [
        ("file_replaced note.txt 'Ann Lee' Bob", "Ann Lee\nBob"),
        ("file_replaced note.txt 'Ann\nBob'", "Ann\nBob"),
        ("file_replaced note.txt Ann ''", "Ann\n"),
        ("names_are out/ a.txt 'b c.txt'", "a.txt\nb c.txt"),
        ("names_are / a.txt", "a.txt"),
        ("value_is /workspace/a.csv#B2 ''", ""),
        ("control_is Agree not checked", "not checked"),
    ],
)
def test_the_words_of_a_check_are_its_text(stated: str, text: str) -> None:
    assert check_of(stated).text == text
