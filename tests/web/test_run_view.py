"""What a page shows of operations, of a failure, and of where something was pressed."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Generator
from types import SimpleNamespace

import pytest
from PIL import Image
from playwright.sync_api import expect
from starlette.testclient import TestClient

from deskcrew.engine.human.questions import Accepted, OperationQuestion, ReadValue, ReplyQuestion
from deskcrew.facts import events as e
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.no_file import no_file
from deskcrew.facts.observation import Box, Control, Evidence, FileEntry, Observation, Screen, Window
from deskcrew.facts.plan import Plan, PlanPatch, Subtask
from deskcrew.facts.verdict import NO_FILE, NO_FIT, Outcome
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from deskcrew.ways_in.web.access import Access
from deskcrew.ways_in.web.controls import answered
from deskcrew.ways_in.web.inspecting import inspected
from deskcrew.ways_in.web.pages import Templates
from support.at_once import WHO, two_at_once, writing
from web.pressing import ASKS, LOOKS, Hall, hall, writes

BOX = Box(x=10, y=10, width=20, height=10)
LOOK = Observation(
    windows=(Window(id=7, title="Shop", app="chromium", box=BOX, active=True),),
    controls=(Control(label="12", role="button", name="Place order", box=BOX, window=7, operations=("click",)),),
    screen=Screen(width=100, height=60),
)
OPERATES: JsonObject = {"operations": [{"function": "write_file"}], "branch": "Continue"}
PRESSES = e.Operation(function="click_input", control="12", params={"button": "left"})


def begun(settings: Settings, *, desktop: str = "virtual", run: str = "one") -> tuple[Store, Journal]:
    told = {"task": "t", "crew": "solo", "model": "m", "mode": "active", "workspace": "w", "desktop": desktop}
    store = Store(settings.journal)
    return store, store.create(e.RunStarted.model_validate(told), run=run)


def looked(journal: Journal) -> int:
    picture = io.BytesIO()
    Image.new("RGB", (100, 60)).save(picture, "PNG")
    seen = journal.blob(LOOK.model_dump_json())
    return journal.append(e.Observed(observation=seen, screenshot=journal.blob(picture.getvalue()))).number


def part(page: str, name: str) -> str:
    return page.partition(f'id="{name}"')[2].partition("</section>")[0]


def test_a_changed_record_is_told_first_and_is_not_green(person: TestClient, settings: Settings) -> None:
    store, journal = begun(settings, desktop="none")
    journal.append(e.RunFinished(outcome=Outcome(status="done", verified_by="probe", why="it was seen")))
    journal.commit()
    journal.close()
    before = person.get("/runs/one").text
    assert "The record is not" not in before
    assert '<section class="outcome" data-status="done"' in before
    with store.database.writing() as connection:
        connection.exec_driver_sql("UPDATE events SET body = replace(body, 'it was seen', 'it was proven') WHERE number = 2")
    head = person.get("/runs/one").text.partition('id="head"')[2]
    assert head.index("The record is not what was written: event 2") < head.index("<h1>")
    assert 'data-status="done"' not in head


def test_a_changed_record_gives_no_advice(person: TestClient, settings: Settings) -> None:
    store, journal = begun(settings, desktop="none")
    journal.append(e.RunFinished(outcome=Outcome(status="failed", reason="gave_up", why="it was seen")))
    journal.commit()
    journal.close()
    assert "What would help" in person.get("/runs/one").text
    with store.database.writing() as connection:
        connection.exec_driver_sql("UPDATE events SET body = replace(body, 'it was seen', 'it was proven') WHERE number = 2")
    page = person.get("/runs/one").text
    assert "What would help" not in page
    assert "deskcrew verify one" in page, "what to do about it"


def test_what_is_waited_for_is_told_by_what_is_done_and_not_only_by_who_does_it(
    person: TestClient, settings: Settings
) -> None:
    role = "---\nname: Finder\nkind: choose\n---\n"
    files = {"roles/Finder.md": hashlib.sha256(role.encode()).hexdigest()}
    told = {"task": "t", "crew": "solo", "model": "m", "mode": "active", "workspace": "w", "desktop": "none", "files": files}
    journal = Store(settings.journal).create(e.RunStarted.model_validate(told), run="one")
    with journal.claimed():
        assert journal.blob(role) == files["roles/Finder.md"]
        journal.append(e.RoleCalled(role="Finder"))
        journal.commit()
        waits = person.get("/runs/one").text.partition('id="thinking"')[2].partition("</p>")[0]
        assert "Finder is choosing a skill for the task" in waits


def test_what_would_help_is_on_pages_and_no_command(person: TestClient, settings: Settings) -> None:
    _, journal = begun(settings, desktop="none")
    journal.append(e.RunFinished(outcome=Outcome(status="failed", reason=NO_FIT, why="No skill does it.")))
    journal.commit()
    ways = person.get("/runs/one").text.partition("What would help")[2].partition("</ul>")[0]
    assert re.findall(r'href="([^"]+)"', ways) == ["/start?like=one", "/skills#teach", "/skills/shipped"]
    assert "<code>" not in ways


def test_with_several_attempts_their_page_helps_as_at_a_terminal(person: TestClient, settings: Settings) -> None:
    _, journal = begun(settings, desktop="none")
    journal.append(e.Rewound(attempt=2))
    journal.append(e.RoleReplied(role="Worker", reply={}, model="m"))
    journal.append(e.RunFinished(outcome=Outcome(status="unverified", why="nothing shows it")))
    journal.commit()
    ways = person.get("/runs/one").text.partition("What would help")[2].partition("</ul>")[0]
    assert re.findall(r'href="([^"]+)"', ways) == ["/runs/one/branches", "/runs/one?event=3&amp;back=true"]


def test_prompt_and_operations_of_a_reply_are_those_of_its_lane(settings: Settings) -> None:
    store, journal = begun(settings, desktop="none")
    two_at_once(journal)
    asked: list[int] = []
    replies: list[int] = []

    def in_both(make: Callable[[str], e.Body], numbers: list[int]) -> None:
        for lane in "12":
            journal.state.enter(lane)
            numbers.append(journal.append(make(lane)).number)

    in_both(lambda lane: e.RoleCalled(role=WHO, subtask=lane), asked)
    in_both(lambda lane: e.RoleReplied(role=WHO, subtask=lane, reply=OPERATES, model="m"), replies)
    in_both(lambda lane: e.OperationProposed(role=WHO, subtask=lane, operation=writing(lane)), proposed := list[int]())
    in_both(lambda lane: e.ActionStarted(role=WHO, subtask=lane, operation=writing(lane), effect="undoable"), [])
    in_both(lambda lane: e.ActionFinished(role=WHO, subtask=lane, operation=writing(lane), ok=True, text=lane), [])
    journal.commit()
    reading = store.reading("one")
    for lane, number, call, operation in zip("12", replies, asked, proposed, strict=True):
        looked = inspected(reading, reading.track(), number)
        done = [(deed.number, deed.done.text if deed.done else "") for deed in looked.deeds]
        assert (looked.call, done) == (call, [(operation, lane)])
        assert inspected(reading, reading.track(), operation).event.number == number


def test_a_slip_in_a_files_name_is_put_right_in_the_form_that_is_suggested(person: TestClient, settings: Settings) -> None:
    store = Store(settings.journal)
    told = {"crew": "solo", "model": "m", "mode": "active", "workspace": "w", "desktop": "none"}
    journal = store.create(e.RunStarted.model_validate(told | {"task": "Sort orderz.csv & go on"}), run="one")
    why = no_file("orderz.csv", ["orders.csv"], "/w")
    journal.append(e.RunFinished(outcome=Outcome(status="failed", reason=NO_FILE, why=why)))
    journal.commit()
    ways = person.get("/runs/one").text.partition("What would help")[2].partition("</ul>")[0]
    meant = re.findall(r'href="([^"]+)"', ways)[0].replace("&amp;", "&")
    assert ">Sort orders.csv &amp; go on</textarea>" in person.get(meant).text


def test_which_attempt_a_comparison_took_is_told_with_its_reason_beside_an_outcome_that_it_does_not_change(
    person: TestClient, settings: Settings
) -> None:
    _, journal = begun(settings, desktop="none")
    journal.append(e.RunFinished(outcome=Outcome(status="unverified", why="nobody looked")))
    choice = e.Choice(attempt=2, among=(1, 2), by="judge", why="only it <b>wrote</b> the file")
    journal.append(e.AttemptsCompared(choice=choice))
    journal.commit()
    page = person.get("/runs/one").text
    outcome = page.partition('class="outcome"')[2].partition("</section>")[0]
    assert "attempt 2 is taken (judged, not proven) - only it &lt;b&gt;wrote&lt;/b&gt; the file" in re.sub(
        "<[^>]*>", "", outcome
    )
    assert 'data-status="unverified"' in page
    journal.close()


def test_what_was_pressed_is_marked_on_the_picture_before_and_on_no_other(person: TestClient, settings: Settings) -> None:
    store, journal = begun(settings)
    looked(journal)
    journal.append(e.RoleReplied(role="Worker", subtask="1", reply={"branch": "Continue"}))
    pressed = journal.append(e.OperationProposed(role="Worker", subtask="1", operation=PRESSES)).number
    journal.commit()
    before = part(person.get("/runs/one").text, "screen")
    assert 'class="pointed"' in before
    assert "Click &#34;Place order&#34; in Shop" in before
    after = looked(journal)
    journal.close()
    store.close()
    now = part(person.get("/runs/one").text, "screen")
    assert f"/pictures/{after}.png" in now
    assert 'class="pointed"' not in now
    assert "Click &#34;Place order&#34; in Shop" in now
    figures = re.findall(r"<figure.*?</figure>", person.get(f"/runs/one/events/{pressed}").text, re.S)
    assert ['class="pointed"' in figure for figure in figures] == [True, False, False]


def test_operations_are_told_in_words_everywhere_and_raw_on_demand(person: TestClient, settings: Settings) -> None:
    store, journal = begun(settings)
    looked(journal)
    journal.append(e.RoleReplied(role="Worker", subtask="1", reply={"branch": "Continue"}))
    pressed = journal.append(e.OperationProposed(role="Worker", subtask="1", operation=PRESSES)).number
    journal.append(e.ActionStarted(role="Worker", subtask="1", operation=PRESSES, effect="write"))
    journal.append(e.ActionFinished(role="Worker", subtask="1", operation=PRESSES, ok=True, text="clicked", seconds=0.1))
    journal.close()
    store.close()
    for place in ("", "/timeline", f"/events/{pressed}", "/branches"):
        page = person.get(f"/runs/one{place}").text
        shown = re.sub(r"<details class=\"exact\">.*?</details>", "", page, flags=re.S)
        assert "click_input" not in shown, place
        if place != "/branches":
            assert "Click &#34;Place order&#34; in Shop" in shown, place
    assert "click_input" in person.get(f"/runs/one/events/{pressed}").text


def asked(question: OperationQuestion | ReplyQuestion) -> str:
    alive = SimpleNamespace(question=SimpleNamespace(id="q1", question=question), waiting=())
    run = SimpleNamespace(row=SimpleNamespace(id="one"), moving=True, outcome=None)
    return Templates().html("parts/question.html", {"alive": alive, "run": run, "look": LOOK})


def test_an_approval_is_headed_by_what_is_pressed() -> None:
    page = asked(OperationQuestion(role="Operator", subtask="1", operation=PRESSES, needed=True, risk="send"))
    assert '<p class="headline">Click &#34;Place order&#34; in Shop</p>' in page
    in_front, _, exact = page.partition("Exact form")
    assert "click_input" not in in_front
    assert "click_input 12" in exact


def test_what_a_small_model_understood_is_asked_about_as_a_sentence_with_a_yes_and_a_no() -> None:
    reading = "Add up june.csv into sum.txt."
    page = asked(ReplyQuestion(role="SkillChooser", reply={"file1": "june.csv"}, reading=reading))
    assert "Is that what you want?" in page
    assert f'<p class="asked">{reading}</p>' in page
    assert 'value="accept" accesskey="y">Yes</button>' in page
    assert 'value="no" accesskey="n">No</button>' in page
    assert "june.csv" in page.partition("As JSON")[2], "and the values can be changed"
    assert 'value="no"' not in asked(ReplyQuestion(role="Planner", reply={"subtasks": []}))


def test_the_values_of_a_reading_are_fields_to_be_changed() -> None:
    values = (
        ReadValue(name="source", value="june.csv"),
        ReadValue(name="order", value="", choices=("up", "down"), optional=True),
    )
    reply = {"source": "june.csv", "order": ""}
    page = asked(ReplyQuestion(role="SkillChooser", reply=reply, reading="Sort june.csv.", values=values))
    assert "As JSON" not in page
    assert '<input id="v-source" name="value" value="june.csv" autocomplete="off" spellcheck="false" required>' in page
    assert '<datalist id="l-order"><option value="up">' in page
    tried = asked(ReplyQuestion(role="SkillChooser", reply=reply, reading="Sort.", values=values, tried={"source": "x.csv"}))
    assert 'name="value" value="x.csv"' in tried, "what they had written stays"


def test_words_that_a_reading_leaves_out_stand_before_it_and_on_the_button() -> None:
    page = asked(ReplyQuestion(role="SkillChooser", reply={"file1": "june.csv"}, reading="Add up june.csv.", unused="pdf"))
    assert page.index("This ignores your words: <b>pdf</b>") < page.index('<p class="asked">')
    assert 'name="text" value="pdf"' in page
    assert ">Yes, ignore “pdf”</button>" in page
    assert answered("accept", "pdf", "SkillChooser") == Accepted(without="pdf")


def test_the_sentence_of_what_was_understood_comes_before_its_values() -> None:
    reading = "Add up a column of a table (group: Customer; result: sums.csv (not in your words))"
    values = (ReadValue(name="group", value="Customer"), ReadValue(name="result", value="sums.csv", said=False))
    reply = {each.name: each.value for each in values}
    page = asked(ReplyQuestion(role="SkillChooser", reply=reply, reading=reading, values=values))
    assert '<p class="asked">Add up a column of a table</p>' in page
    assert "<dt>Group</dt><dd>Customer</dd><dt>Result</dt><dd>sums.csv <span" in page


def test_nothing_of_what_is_allowed_is_left_out_of_sight() -> None:
    code = "print(1)\n" * 40 + "import shutil; shutil.rmtree('all')"
    operation = e.Operation(function="run_python_code", params={"code": code})
    page = asked(OperationQuestion(role="Programmer", subtask="1", operation=operation, needed=True))
    in_front = page.partition("<details><summary>Exact form")[0]
    assert "shutil.rmtree(&#39;all&#39;)" in in_front


def test_a_failure_says_what_was_wrong_first_and_links_to_what_would_help(person: TestClient, settings: Settings) -> None:
    store, journal = begun(settings, desktop="none")
    wrong = "The file total.csv has no column amount; it has sum, month and region."
    reply = journal.append(e.RoleReplied(role="Worker", subtask="1", reply={"branch": "Continue"}, model="m")).number
    for _ in range(2):
        verdict = {"kind": "repair", "why": wrong}
        told = {"scope": "subtask", "subtask": "1", "by": "rules", "verdict": verdict}
        journal.append(e.Judged.model_validate(told))
    outcome = {"status": "failed", "reason": "bound:repairs", "why": "The limit was reached."}
    journal.append(e.RunFinished.model_validate({"outcome": outcome}))
    journal.close()
    store.close()
    box = part(person.get("/runs/one").text, "head").partition('class="outcome"')[2]
    text = " ".join(re.sub(r"<[^>]+>", " ", box).split())
    assert 0 <= text.find(wrong) < text.find("Failed: the work was still wrong"), text
    assert f'href="/runs/one?event={reply}&amp;back=true"' in box
    opened = person.get("/runs/one", params={"event": reply, "back": "true"}).text
    assert '<details class="rewind" open' in opened


def test_what_is_left_of_a_budget_is_said_while_it_runs_once_that_is_little(person: TestClient, settings: Settings) -> None:
    store, journal = begun(settings, desktop="none")
    journal.append(e.RunResumed(version="1", model="m", settings={"limits": {"operations": 2, "replies": 4}}))
    for number in range(3):
        journal.append(e.RoleReplied(role="Worker", subtask="1", reply={"branch": str(number)}, model="m"))
    journal.commit()
    with journal.claimed():
        assert "Left: <b>1 of 4 replies</b>" in part(person.get("/runs/one").text, "head")
        journal.append(e.LimitRaised(budget="replies", limit=8))
        journal.commit()
        assert "Left:" not in part(person.get("/runs/one").text, "head")
    store.close()


@pytest.mark.parametrize(
    "reason",
    [
        *("bound:repairs", "bound:operations", "bound:format_retries", "gave_up", "infeasible", "model", "mismatch"),
        *("no_skill", "changed", "environment", ""),
    ],
)
@pytest.mark.parametrize("replied", [True, False])
def test_what_would_help_is_a_link_and_not_a_command_where_a_page_does_it(
    person: TestClient, settings: Settings, reason: str, *, replied: bool
) -> None:
    store, journal = begun(settings, desktop="none")
    if replied:
        journal.append(e.RoleReplied(role="Worker", subtask="1", reply={"branch": "Continue"}, model="m"))
    outcome = {"status": "failed", "reason": reason, "why": "see `deskcrew log one`, or give --model another"}
    journal.append(e.RunFinished.model_validate({"outcome": outcome}))
    journal.close()
    store.close()
    box = part(person.get("/runs/one").text, "head").partition('class="outcome"')[2]
    ways = box.partition('class="ways"')[2]
    assert re.findall("<code>(.*?)</code>", ways) == (["deskcrew doctor"] if reason == "environment" else [])
    above = reason in ("environment", "bound:operations")  # a button that the page has anyway
    assert ways.count("<a href=") >= (0 if above else 1)
    said = re.sub("<[^>]*>", " ", box.replace("<code>deskcrew doctor</code>", ""))
    assert "deskcrew " not in said
    assert " --" not in said


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hall]:
    with hall(tmp_path_factory.mktemp("shown")) as made:
        yield made


@pytest.mark.deep
@pytest.mark.timeout(300)
def test_the_second_operation_of_a_reply_is_scrolled_to_and_no_line_is_cut_in_two(there: Hall) -> None:
    many = {"operations": [{"function": "write_file", "file_path": f"{n}.txt", "text": "x"} for n in range(5)]}
    with there.page() as page:
        there.begin(page, [many | {"branch": "Continue"}, *[LOOKS] * 6, {**ASKS, "branch": "Interrupt"}], mode="automatic")
        expect(page.locator("#head .status")).to_have_text("failed")
        page.reload()
        # The page of what has ended begins with its outcome, and is scrolled to its story.
        page.evaluate("scrollTo({ top: document.body.scrollHeight, behavior: 'instant' })")
        box = page.locator(".story .scroll")
        row, top = page.locator(".line").first.bounding_box(), box.bounding_box()
        assert row is not None
        assert top is not None
        assert abs(row["y"] - top["y"]) <= 1, "it is read from its beginning, and the first line is whole"
        assert abs(top["height"] / row["height"] - round(top["height"] / row["height"])) < 0.05
        assert top["y"] + top["height"] <= 800, "it ends in the window"
        page.locator(".line[data-kind=operation] a").nth(4).click()
        chosen = page.locator("#inspector [data-chosen] h3")
        expect(chosen).to_contain_text("4.txt")
        expect(chosen).to_be_in_viewport()


@pytest.mark.deep
@pytest.mark.timeout(300)
def test_branches_can_be_reached_while_a_rewound_run_goes_on(there: Hall) -> None:
    with there.page() as page:
        there.begin(page, [writes("a.txt", "1"), ASKS, ASKS, ASKS], mode="passive")
        expect(page.locator(".ask")).to_contain_text("Which of the two?")
        expect(page.get_by_role("link", name="1 branch")).to_be_visible()
        page.locator(".line[data-kind=reply] a").first.click()
        page.get_by_text("Go back to before this reply").click()
        page.get_by_role("button", name="Go back and continue from there").click()
        expect(page.get_by_role("link", name="2 branches")).to_be_visible()
        expect(page.locator("#head .status")).to_have_text("asks")
        page.get_by_role("link", name="2 branches").click()
        expect(page.get_by_role("heading", name="Branches")).to_be_visible()
        of_each = page.locator(".branches tbody td[data-name=Calls]").all_inner_texts()
        assert len(of_each) == 2
        expect(page.locator(".branches tfoot td[data-name=Calls]")).to_have_text(f"{sum(int(calls) for calls in of_each)}")


def test_a_link_may_lead_to_the_page_of_a_run_and_nowhere_else(stranger: TestClient, access: Access) -> None:
    entered = stranger.get("/enter", params={"token": access.link(), "run": "0101-000000-aaaa"}).text
    assert 'url=/runs/0101-000000-aaaa"' in entered
    entered = stranger.get("/enter", params={"token": access.link(), "run": "/../../evil.example"}).text
    assert "/runs/%2F..%2F..%2Fevil.example" in entered


def test_what_a_run_cost_so_far_is_in_its_head_beside_what_it_may_cost_and_the_button_that_stops_it(
    person: TestClient, settings: Settings
) -> None:
    store = Store(settings.journal)
    limits = {"limits": {"money": 0.5}}
    began = e.RunStarted(task="t", crew="solo", model="m", mode="passive", workspace="w", desktop="none", settings=limits)
    journal = store.create(began, run="one")
    with journal.claimed():
        assert "Cost: nothing yet of $0.5000" in told(head(person))
        journal.append(e.RoleReplied(role="Worker", model="m", usage=e.Usage(input=10, output=2, cost=0.012)))
        journal.commit()
        assert "Cost: $0.0120 of $0.5000" in told(head(person))
        assert "1 model call" in told(head(person))
        journal.append(e.RoleReplied(role="Worker", model="m", usage=e.Usage(input=10, output=2)))
        journal.commit()
        assert "Cost: unknown, 24 tokens" in told(head(person))
    journal.close()
    ended = store.create(began, run="ended")
    with ended.claimed():  # its process is not gone yet
        ended.append(e.RunFinished(outcome=Outcome(status="done", verified_by="rules")))
        ended.commit()
        assert "nothing yet" not in told(person.get("/runs/ended").text)
    ended.close()
    store.close()


@pytest.mark.parametrize("done", [0, 1, 2])
def test_what_a_pause_holds_back_is_told(person: TestClient, settings: Settings, done: int) -> None:
    store, journal = begun(settings, desktop="none")
    write = [e.Operation(function="write_file", params={"file_path": f"{name}.txt", "text": "x"}) for name in "ab"]
    plan = Plan().patched(PlanPatch(add=(Subtask(id="1", goal="write both files", role="Worker"),)))
    journal.append(e.PlanPatched(by="Planner", plan=plan, patch=PlanPatch()))
    reply = {"operations": [each.model_dump() for each in write], "branch": "Continue"}
    journal.append(e.RoleReplied(role="Worker", subtask="1", reply=reply))
    for operation in write[:done]:
        journal.append(e.ActionStarted(role="Worker", subtask="1", operation=operation, effect="write"))
    journal.append(e.HumanSaid(kind="pause"))
    journal.commit()
    with journal.claimed():
        shown = told(part(person.get("/runs/one").text, "question"))
    journal.close()
    store.close()
    assert shown.count("Next: ") == max(2 - done, 1)
    assert ("a.txt" in shown) == (done == 0)
    assert ("b.txt" in shown) == (done < 2)
    assert ("Next: Worker: write both files" in shown) == (done == 2)


def test_a_run_without_a_desktop_has_its_files_where_others_have_a_picture(person: TestClient, settings: Settings) -> None:
    _, journal = begun(settings, desktop="none")
    for files in ((), (FileEntry(path="sum.txt", kind="file", size=3, mtime_ns=1),)):
        look = Observation(windows=(), controls=(), files=files)
        journal.append(e.Observed(observation=journal.blob(look.model_dump_json())))
    journal.commit()
    page = person.get("/runs/one").text
    journal.close()
    assert 'id="screen"' not in page
    assert "sum.txt" in page.partition('<div id="now">')[2].partition("<section")[2].partition("</section>")[0]


def test_what_has_another_name_is_renamed_and_the_result_names_the_folder(person: TestClient, settings: Settings) -> None:
    _, journal = begun(settings, desktop="none")
    files = {"a/old.txt": "a", "b/kept.txt": "b", "gone.txt": "c"}, {"a/new.txt": "a", "kept.txt": "b", "more.txt": "d"}
    operation = e.Operation(function="run_shell", params={"command": "mv a/old.txt a/new.txt"})
    proposed = 0
    for names in files:
        entries = tuple(FileEntry(path=name, kind="file", size=3, digest=digest) for name, digest in names.items())
        look = journal.blob(Observation(windows=(), controls=(), files=entries).model_dump_json())
        evidence = Evidence()
        if proposed:
            evidence = Evidence(files_created=tuple(files[1]), files_deleted=tuple(files[0]))
        journal.append(e.Observed(observation=look, evidence=evidence))
        if not proposed:
            journal.append(e.RoleReplied(role="Worker", subtask="1", reply={"branch": "Continue"}))
            proposed = journal.append(e.OperationProposed(role="Worker", subtask="1", operation=operation)).number
    journal.append(e.RunFinished(outcome=Outcome(status="done", verified_by="rules")))
    journal.commit()
    page = person.get("/runs/one").text
    shown = told(part(page, "files"))
    for line in ("a/new.txt renamed from a/old.txt", "kept.txt moved from b/kept.txt", "more.txt new", "gone.txt deleted"):
        assert line in re.sub("  +", " ", shown)
    assert '>The files are in <code class="break">w</code>' in head(person)
    deed = told(person.get(f"/runs/one/events/{proposed}").text)
    journal.close()
    assert "file renamed: a/old.txt -&gt; a/new.txt, b/kept.txt -&gt; kept.txt" in deed
    assert "file created: more.txt" in deed
    assert "file deleted: gone.txt" in deed


@pytest.mark.parametrize("colours", [1, 2])
def test_an_empty_desktop_is_left_out(person: TestClient, settings: Settings, colours: int) -> None:
    _, journal = begun(settings)
    picture, data = Image.new("RGB", (100, 60)), io.BytesIO()
    picture.putpixel((5, 5), (0, 0, 9 * (colours - 1)))
    picture.save(data, "PNG")
    empty = LOOK.model_copy(update={"windows": (), "controls": ()})
    seen = journal.blob(empty.model_dump_json())
    journal.append(e.Observed(observation=seen, screenshot=journal.blob(data.getvalue())))
    journal.commit()
    shown = part(person.get("/runs/one").text, "screen")
    journal.close()
    assert ("<h2>Screen" in shown) == ("<figure" in shown) == (colours == 2)


def head(person: TestClient) -> str:
    return person.get("/runs/one").text.partition('<header id="head"')[2].partition("</header>")[0]


def told(html: str) -> str:
    """Its text, and the labels of its parts."""
    return re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", re.sub(r'<[^>]* aria-label="([^"]*)"[^>]*>', r"\1 ", html)))
