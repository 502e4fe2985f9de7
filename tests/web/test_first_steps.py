"""What somebody who has done nothing yet is shown, and what helps after a value that was wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from deskcrew.ways_in.cli import main
from deskcrew.ways_in.web.wording import hint


def test_who_has_no_skill_sees_those_that_ship(person: TestClient) -> None:
    page = person.get("/skills").text
    assert 'href="/skills/sort-table"' in page
    assert page.count('<article class="card">') == person.get("/skills/shipped").text.count('<article class="card">')
    assert "Sort the rows of sales.csv" in person.get("/start").text, "what a small model can do as well"


def test_chores_are_grouped_and_searched(person: TestClient) -> None:
    page = person.get("/skills/shipped").text
    groups = [page.index(f"<h2>{name}</h2>") for name in ("Tables", "Texts", "Pictures", "PDFs", "Mails")]
    assert groups == sorted(groups)
    assert groups[0] < page.index('href="/skills/sort-table"') < groups[1]
    assert page.index('href="/skills/merge-pdfs"') > groups[3]
    found = person.get("/skills/shipped", params={"q": "sortiere nachname"}).text
    assert 'href="/skills/sort-table"' in found
    assert 'href="/skills/merge-pdfs"' not in found
    assert "No chore speaks of that" in person.get("/skills/shipped", params={"q": "qwertz"}).text


def test_after_a_wrong_value_the_form_has_all_of_them_again(
    person: TestClient, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKCREW_CONFIG", str(settings.config))
    work = tmp_path / "work"
    work.mkdir()
    (work / "may.csv").write_text("Name,Amount\na,three\nb,20\n")
    values = ("source=may.csv", "group=Name", "column=Amount", "operation=average", "result=sums.csv")
    with pytest.raises(SystemExit):
        main(("skill", "use", "sum-column-by-group", *values, "--workspace", str(work), "--data", str(settings.data)))
    store = Store(settings.journal)
    run = store.runs()[0].id
    store.close()
    page = person.get(f"/runs/{run}").text
    assert "is not a number" in page
    assert "deskcrew skill try" not in page, "there is a page for that"
    assert f'href="/skills/sum-column-by-group?like={run}"' in page
    form = person.get("/skills/sum-column-by-group", params={"like": run}).text
    for value in ("may.csv", "Name", "Amount", "sums.csv", str(work)):
        assert f'value="{value}"' in form
    assert "<option selected>average</option>" in form


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Name it: --workspace DIR.", "Name it: “Folder it may change”."),
        ("`deskcrew log 123` shows the replies.", "the page “Runs” shows the replies."),
        (
            "It does one (deskcrew skill use a to='x (1).csv' at=b.csv), not all.",
            "It does one (the page “Skills”), not all.",
        ),
        ("See deskcrew runs, or a person's (deskcrew log 1).", "See the page “Runs”, or a person's (the page “Runs”)."),
        ("Say yes beforehand (--yes), or be asked.", "Say yes beforehand, or be asked."),
        ("`deskcrew doctor` says what to install.", "`deskcrew doctor` says what to install."),
    ],
)
def test_a_hint_names_what_is_on_the_page(said: str, shown: str) -> None:
    assert hint(said) == shown
