"""What the task itself orders is not asked about again, and nothing that is read while it is done can widen that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deskcrew.actions import builtin
from deskcrew.actions.action import Scene
from deskcrew.actions.bound import bound_of
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.changes import Change, Changes
from deskcrew.environments.workspace import Workspace
from deskcrew.facts import events as e
from deskcrew.facts.contract import Consent
from deskcrew.facts.events import Event, Header, Operation
from deskcrew.facts.observation import Behind, Box, Control, Evidence, Observation, Sent, SentField, Window
from deskcrew.facts.run_settings import RunSettings
from deskcrew.guard.consent import meant, uncounted
from deskcrew.guard.guard import Guard, GuardDecision
from deskcrew.guard.history import History
from deskcrew.guard.named_pages import given_with
from deskcrew.guard.policy import Policy

BOX = Box(x=0, y=0, width=9, height=9)
TASK = "Send Ada Lovelace's question 'Is the hall heated?' with the form on hall.example. Delete all *.tmp files and old/."
SEND = Consent(kind="send", where="hall.example", texts=("Is the hall heated?",))
REMOVE = Consent(kind="remove", where="*.tmp")
POST = Behind(kind="submit", method="post", has=("form", "message"))
SENT = Sent(method="POST", url="https://hall.example/ask", fields=(SentField(name="q", value="Is the hall heated?"),))


def counts(order: Consent, said: str, given: tuple[str, ...] = ()) -> bool:
    """Whether an order that quotes all of these words is a consent."""
    return not uncounted(order.model_copy(update={"quotes": (said,)}), said, given)


class Desk:
    """A page and the events of a run so far."""

    def __init__(self, folder: Path, *consents: Consent, task: str = TASK, url: str = "") -> None:
        self.workspace = Workspace(folder / "w")
        self.events: list[Event] = []
        told = {"url": url}
        self.write(
            e.RunStarted(
                task=task, crew="solo", model="m", mode="automatic", workspace="w", desktop="browser", settings=told
            )
        )
        self.write(e.ConsentRead(consents=consents))

    def write(self, body: e.Body, cause: Event | None = None) -> Event:
        number = len(self.events) + 1
        header = Header(run="r", number=number, parent=None, time=0.0, type=body.type, cause=cause.id if cause else None)
        self.events.append(Event(id=f"e{number}", header=header, digest="", body=body))
        return self.events[-1]

    def scene(self, look: Observation) -> Scene:
        return Scene(self.workspace, Sandbox(self.workspace.root), None, look)

    def decide(
        self, look: Observation, function: str = "click_input", aimed: str | None = "B1", **params: Any
    ) -> GuardDecision:
        operation = Operation(function=function, control=aimed, params=params)
        history = History.of(self.events)
        return Guard(Policy.default(), "browser").decide(
            operation, builtin()[function], self.scene(look), history=history, now=0.0
        )

    def done(
        self, look: Observation, function: str, aimed: str | None = None, sent: tuple[Sent, ...] = (), **params: Any
    ) -> None:
        """Do an operation that was let through; ``sent``: what pages sent then."""
        operation = Operation(function=function, control=aimed, params=params)
        decision = self.decide(look, function, aimed, **params)
        proposed = self.write(e.OperationProposed(role="Operator", subtask="1", operation=operation))
        bound = bound_of(operation, builtin()[function], self.scene(look))
        self.write(
            e.OperationApproved(rule="x", risk="send", by=decision.by, consent=decision.consent, bound=bound), cause=proposed
        )
        self.write(e.ActionFinished(role="Operator", subtask="1", operation=operation, ok=True))
        self.write(e.Observed(observation="o", evidence=Evidence(sent=sent)))


def page(
    url: str = "https://hall.example/ask",
    *,
    text: str = "Is the hall heated?",
    button: str = "Send",
    behind: Behind = POST,
    more: tuple[Control, ...] = (),
) -> Observation:
    window = Window(id=1, title="The hall", app="chromium", box=BOX, active=True, url=url)
    field = Control(
        label="T1", role="text area", name="Question", value=text, box=BOX, window=1, operations=("click", "type")
    )
    submit = Control(label="B1", role="button", name=button, box=BOX, window=1, operations=("click",), behind=behind)
    return Observation(windows=(window,), controls=(field, submit, *more))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, SEND)


def test_what_was_ordered_is_sent_without_a_question_and_once(desk: Desk) -> None:
    decision = desk.decide(page())
    assert (decision.effect, decision.by, decision.consent) == ("allow", "consent", 0), decision.why
    assert "the task orders it: may send once on hall.example" in decision.why
    desk.done(page(), "click_input", "B1", sent=(SENT,))
    told = desk.decide(page())
    assert told.effect == "ask"
    assert "it orders this once, and it has been sent already" in told.why


def test_a_press_that_sent_nothing_uses_up_nothing(desk: Desk) -> None:
    """A field was missing, or the page asks once more."""
    desk.done(page(), "click_input", "B1")
    assert desk.decide(page()).effect == "allow"
    desk.done(page(), "click_input", "B1", sent=(SENT.model_copy(update={"method": "GET"}),))
    told = desk.decide(page())
    assert told.effect == "ask", "what was asked for may have been the deed"
    assert "what was pressed for it before may have been it ('Send')" in told.why


def test_of_an_order_of_another_kind_that_is_said(desk: Desk) -> None:
    told = desk.decide(page(button="Delete entry", behind=Behind(kind="button")))
    assert told.effect == "ask"
    assert "the task orders something to be sent, and not to be taken back" in told.why


@pytest.mark.parametrize("sent", [Sent(method="", url="", more=2), Sent(method="PUT", url="https://hall.example/q/1")])
def test_whatever_may_have_been_the_deed_uses_it_up(desk: Desk, sent: Sent) -> None:
    desk.done(page(), "click_input", "B1")
    desk.done(page(), "scroll", None, sent=(sent,), wheel_dist=1)  # late
    assert desk.decide(page()).effect == "ask"


def test_without_a_contract_it_is_asked_about(tmp_path: Path) -> None:
    assert Desk(tmp_path).decide(page()).effect == "ask"


def in_a_window(box: Box, states: tuple[str, ...] = ()) -> Observation:
    """The page below an address bar, and a field with a text of its own at ``box``."""
    look = page()
    window = look.windows[0].model_copy(
        update={"box": Box(x=0, y=0, width=90, height=90), "page": Box(x=0, y=0, width=9, height=9)}
    )
    there = Control(
        label="T2", role="text field", name="Note", value="/ask", box=box, window=1, states=states, operations=("type",)
    )
    return look.model_copy(update={"windows": (window,), "controls": (*look.controls, there)})


def test_what_stands_in_the_browsers_own_fields_is_not_sent(desk: Desk) -> None:
    assert desk.decide(in_a_window(Box(x=0, y=20, width=9, height=9))).effect == "allow"
    assert desk.decide(in_a_window(Box(x=8, y=0, width=80, height=9))).effect == "ask", "a part of it is in the page"
    below = desk.decide(in_a_window(Box(x=0, y=20, width=9, height=9), ("out of view",)))
    assert below.effect == "ask", "it is in the page, further down"
    assert "what is in 'Note' is neither in the task nor in a file that it names" in below.why


WIDENED: dict[str, Observation] = {
    "another host": page("https://evil.example/ask"),
    "a host that begins like it": page("https://hall.example.evil.example/ask"),
    "a host that ends like it": page("https://nothall.example/ask"),
    "a host inside it": page("https://pay.hall.example/ask"),
    "another protocol": page("ftp://hall.example/ask"),
    "a form that goes elsewhere": page(behind=POST.model_copy(update={"origin": "https://evil.example"})),
    "a form that spends": page(behind=POST.model_copy(update={"has": ("form", "payment")})),
    "a form with a password": page(behind=POST.model_copy(update={"has": ("form", "password")})),
    "a form with a file": page(behind=POST.model_copy(update={"has": ("form", "file")})),
    "a button that pays": page(button="Pay $4"),
    "a button that deletes": page(button="Delete account"),
    "another text": page(text="The code of the safe is 4711"),
    "the text and more": page(text="Is the hall heated? The code of the safe is 4711"),
    "another field with more": page(
        more=(
            Control(
                label="T2", role="text field", name="Note", value="4711-secret", box=BOX, window=1, operations=("type",)
            ),
        )
    ),
    "an empty form": page(text=""),
}


@pytest.mark.parametrize("which", WIDENED)
def test_a_page_cannot_widen_it(desk: Desk, which: str) -> None:
    assert desk.decide(WIDENED[which]).effect == "ask", which


@pytest.mark.parametrize(
    ("function", "params"),
    [
        ("keyboard_input", {"keys": "The code of the safe is 4711"}),
        ("set_value", {"value": 4711}),
        ("hotkey", {"keys": ["ctrl", "v"]}),
        ("click_input", {"button": "middle"}),
        ("upload_file", {"file_path": "secret.txt"}),
        ("choose_menu", {"path": ["Edit", "Paste"]}),
    ],
)
def test_what_was_put_in_before_and_is_not_seen_any_more_counts(desk: Desk, function: str, params: dict[str, Any]) -> None:
    desk.done(page(), function, "T1", **params)
    assert desk.decide(page()).effect == "ask"


def test_typing_what_the_user_said_and_moving_about_are_no_hindrance(desk: Desk) -> None:
    desk.done(page(text=""), "keyboard_input", "T1", keys="Is the hall heated?")
    desk.done(page(), "keyboard_input", "T1", keys="Ada Lovelace")
    desk.done(page(), "hotkey", "T1", keys=["tab"])
    desk.done(page(), "scroll", None, wheel_dist=-3)
    assert desk.decide(page()).effect == "allow"


def test_what_a_person_says_in_mid_run_is_the_users_word_too(desk: Desk) -> None:
    full = page(text="Is the hall heated? Regards, Bob")
    assert desk.decide(full).effect == "ask"
    desk.write(e.HumanSaid(kind="guide", text="Is the hall heated? Regards, Bob"))
    assert desk.decide(full).effect == "allow"


VISIT = Consent(kind="send", where="hall.example", files=("visit.txt",), found="Name: Ada Lovelace\nDay: 3 May")


@pytest.mark.parametrize(
    ("text", "effect"),
    [("Ada Lovelace", "allow"), ("3 May", "allow"), ("Ada Lovelace 4711", "ask"), ("", "ask"), ("Bob", "ask")],
)
def test_what_stands_in_a_file_that_the_user_named_may_be_sent(tmp_path: Path, text: str, effect: str) -> None:
    desk = Desk(tmp_path, VISIT, task="Fill in the form on hall.example from visit.txt and send it.")
    assert desk.decide(page(text=text)).effect == effect


def test_a_file_that_the_user_did_not_name_is_no_source(tmp_path: Path) -> None:
    said = "Fill in the form on hall.example from visit.txt and send it."
    assert counts(VISIT, said)
    for other in ("secret.txt", "revisit.txt", "visit.txt.bak", "*.txt"):
        assert not counts(VISIT.model_copy(update={"files": (other,)}), said), other


def test_without_texts_the_button_must_be_named_by_the_user(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Consent(kind="send", where="hall.example"), task="Press Send request on hall.example.")
    assert desk.decide(page(text="", button="Send request")).effect == "allow"
    assert desk.decide(page(text="", button="Share with all")).effect == "ask"


def test_an_ordered_sending_on_the_users_own_computer_is_still_asked_about(desk: Desk) -> None:
    history = History.of(desk.events)
    operation = Operation(function="click_input", control="B1")
    guard = Guard(Policy.default(), "real")
    assert guard.decide(operation, builtin()["click_input"], desk.scene(page()), history=history).effect == "ask"


def test_a_rule_of_the_users_own_is_not_loosened(desk: Desk) -> None:
    policy = Policy.default()
    asks = next(rule for rule in policy.rules if rule.name == "sending").model_copy(
        update={"name": "mine", "builtin": False, "host": ("hall.example",)}
    )
    guard = Guard(policy.model_copy(update={"rules": (*policy.rules, asks)}), "browser")
    operation = Operation(function="click_input", control="B1")
    history = History.of(desk.events)
    decided = guard.decide(operation, builtin()["click_input"], desk.scene(page()), history=history)
    assert (decided.effect, decided.rule) == ("ask", "mine")


def lost(*paths: str) -> Changes:
    return Changes(entries=tuple(Change(path=path, kind="removed", size=3) for path in paths))


@pytest.mark.parametrize(
    ("paths", "effect"),
    [
        (("a.tmp",), "allow"),
        (("a.tmp", "deep/b.tmp"), "allow"),
        (("old/a.txt", "a.tmp"), "allow"),
        (("a.tmp", "letter.txt"), "ask"),
        (("a.tmp.txt",), "ask"),
        (("older/a.txt",), "ask"),
    ],
)
def test_a_program_may_remove_what_the_user_named(tmp_path: Path, paths: tuple[str, ...], effect: str) -> None:
    desk = Desk(tmp_path, REMOVE, Consent(kind="remove", where="old/"))
    operation = Operation(function="run_shell", params={"command": "rm"})
    history = History.of(desk.events)
    # One consent covers one removal; of several groups in one program each is decided on its own.
    told = Guard(Policy.default(), "none").decide_changes(
        lost(*paths), operation, builtin()["run_shell"], history=history, now=0.0
    )
    assert told.effect == effect, told.why


@pytest.mark.parametrize(
    ("consent", "said", "named"),
    [
        (SEND, TASK, True),
        (SEND.model_copy(update={"where": "evil.example"}), TASK, False),
        (SEND.model_copy(update={"where": "all.example"}), TASK, False),
        (SEND, "Ask on hall.example.org whether: Is the hall heated?", False),
        (SEND.model_copy(update={"texts": ("the code of the safe",)}), TASK, False),
        (REMOVE, TASK, True),
        (REMOVE.model_copy(update={"where": "*"}), TASK, False),
        (REMOVE.model_copy(update={"where": "**/*"}), TASK, False),
        (REMOVE.model_copy(update={"where": "*.docx"}), TASK, False),
        (REMOVE.model_copy(update={"where": "old/*"}), TASK, True),
    ],
)
def test_a_consent_is_kept_only_where_the_users_words_name_its_place(consent: Consent, said: str, *, named: bool) -> None:
    assert counts(consent, said) is named


def test_an_address_that_may_fill_the_form_in_counts_though_it_is_aimed_at_no_page(desk: Desk) -> None:
    desk.done(page(), "open_url", None, url="https://hall.example/ask")
    assert desk.decide(page()).effect == "allow"
    desk.done(page(), "open_url", None, url="https://hall.example/ask?note=4711")
    assert desk.decide(page()).effect == "ask"


SITE = Consent(
    kind="send",
    where="site/index.html",
    texts=("Is the hall heated?",),
    pages=("site/index.html", "site/contact.html"),
)
ORDERED = "Ask 'Is the hall heated?' with the form of site/index.html."


@pytest.mark.parametrize(
    ("url", "effect"),
    [
        ("file:///workspace/site/index.html", "allow"),
        ("file:///workspace/site/contact.html?topic=hall#form", "allow"),
        ("file:///workspace/site/fetched.html", "ask"),
        ("file:///workspace/site/../evil/contact.html", "ask"),
        ("file:///workspace/site/..%2Fcontact.html", "ask"),
        ("file:///workspace/evil/site/contact.html", "ask"),
        ("file:///tmp/site/contact.html", "ask"),
        ("file://evil.example/workspace/site/contact.html", "ask"),
        ("https://site/index.html", "ask"),
        ("https://evil.example/site/contact.html", "ask"),
        ("blob:file:///workspace/site/contact.html", "ask"),
        ("data:text/html,site/index.html", "ask"),
    ],
)
def test_a_start_page_stands_for_the_pages_that_lay_beside_it(tmp_path: Path, url: str, effect: str) -> None:
    desk = Desk(tmp_path, SITE, task=ORDERED)
    assert desk.decide(page(url)).effect == effect


def test_what_is_done_at_no_page_has_put_nothing_on_a_page_of_files(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "index.html").write_text("The hall")
    desk = Desk(tmp_path, SITE, task=ORDERED)
    desk.done(Observation(), "open_application", app_name="Chromium", file="index.html")
    desk.done(Observation(), "run_python_code", code="print(4711)", main_function="")
    assert desk.decide(page("file:///workspace/site/contact.html")).effect == "allow"


def test_what_is_sent_on_a_site_of_files_goes_nowhere_else(tmp_path: Path) -> None:
    desk = Desk(tmp_path, SITE, task=ORDERED)
    there = "file:///workspace/site/contact.html"
    for behind in (
        POST.model_copy(update={"origin": "http://evil.example"}),
        POST.model_copy(update={"has": ("form", "payment")}),
        POST.model_copy(update={"has": ("form", "password")}),
    ):
        assert desk.decide(page(there, behind=behind)).effect == "ask"
    desk.done(page("file:///workspace/site/index.html"), "keyboard_input", "T1", keys="The code of the safe is 4711")
    assert desk.decide(page(there)).effect == "ask", "typed on another page of the site, which may have kept it"


def test_a_site_is_sent_to_once_whichever_of_its_pages_it_was(tmp_path: Path) -> None:
    desk = Desk(tmp_path, SITE, task=ORDERED)
    desk.done(page("file:///workspace/site/index.html"), "click_input", "B1")
    assert desk.decide(page("file:///workspace/site/contact.html")).effect == "ask"


def test_what_is_typed_and_sent_in_one_operation_counts(desk: Desk) -> None:
    field = Control(
        label="T3",
        role="text field",
        name="Note",
        box=BOX,
        window=1,
        operations=("type",),
        behind=Behind(kind="field", method="post", has=("form", "message"), sends="Send"),
    )
    look = page(more=(field,))
    said = desk.decide(look, "keyboard_input", "T3", keys="Is the hall heated?", click_enter=True)
    assert (said.effect, said.by) == ("allow", "consent"), said
    assert desk.decide(look, "keyboard_input", "T3", keys="The code is 4711", click_enter=True).effect == "ask"


@pytest.mark.parametrize(
    ("where", "given", "named"),
    [
        ("https://hall.example/ask", "https://hall.example/ask", True),
        ("https://hall.example/ask", "https://hall.example/ask?topic=2", True),
        ("hall.example", "https://hall.example/ask", True),
        ("https://hall.example/", "https://hall.example/ask", True),
        ("localhost:8000", "http://localhost:8000/ask", True),
        ("site/index.html", "site/index.html", True),
        ("https://hall.example/other", "https://hall.example/ask", False),
        ("http://hall.example/", "https://hall.example/ask", False),
        ("localhost", "http://localhost:8000/ask", False),
        ("all.example", "https://hall.example/ask", False),
        ("evil.example", "https://hall.example/ask?next=evil.example", False),
        ("evil.example", "https://hall.example/evil.example", False),
        ("index.html", "site/index.html", False),
        ("", "https://hall.example/ask", False),
    ],
)
def test_a_page_given_with_the_task_is_named_by_the_user(where: str, given: str, *, named: bool) -> None:
    consent = Consent(kind="send", where=where, texts=("Is the hall heated?",))
    assert counts(consent, "Ask 'Is the hall heated?' and send it.", (given,)) is named
    assert not counts(consent, "Ask 'Is the hall heated?' and send it.")
    assert not counts(consent, "Ask and send it.", (given,)), "the texts must stand in the task"


def test_pages_given_with_a_task_are_those_of_the_browser_and_of_programs() -> None:
    opened = [["chromium", "site/index.html"], ["mousepad", "notes.txt"], ["calculator", ""]]
    assert given_with(RunSettings(url="hall.example/ask", opened=opened)) == ("hall.example/ask", "site/index.html")
    assert given_with(RunSettings(url="https://ada:secret@hall.example/")) == (), "a password is shown to nobody"
    assert given_with(RunSettings()) == ()


ASK = "https://hall.example/ask"
STRANGE = "We want the loft flat"
SEARCH = Sent(method="GET", url="https://hall.example/find?q=loft", fields=(SentField(name="q", value="loft"),))


def reopened(desk: Desk) -> None:
    desk.done(page(text=""), "open_url", None, url=ASK)
    desk.done(page(text=""), "keyboard_input", "T1", keys="Is the hall heated?")


def test_text_that_was_typed_before_the_page_was_opened_anew_is_not_sent(desk: Desk) -> None:
    desk.done(page(text=""), "keyboard_input", "T1", keys=STRANGE)
    desk.done(page(text=STRANGE), "keyboard_input", "T1", keys="", clear=True)
    told = desk.decide(page())
    assert told.effect == "ask", "a script of the page may have kept it"
    assert f"open {ASK} again by its address and fill in the form again" in told.why
    reopened(desk)
    assert desk.decide(page()).effect == "allow"


def test_what_was_searched_for_on_the_site_is_no_hindrance(desk: Desk) -> None:
    desk.done(page("https://hall.example/find", text=""), "keyboard_input", "T1", sent=(SEARCH,), keys="loft")
    told = desk.decide(page())
    assert told.effect == "ask"
    assert "open https://hall.example/ask again" in told.why
    reopened(desk)
    assert desk.decide(page()).effect == "allow"


def strange(desk: Desk, *sent: Sent, at: str = ASK) -> None:
    desk.done(page(at, text=""), "keyboard_input", "T1", sent=sent, keys=STRANGE)


def holding(*texts: str) -> Observation:
    return page(behind=POST.model_copy(update={"holds": texts}))


BADGE = Control(label="L1", role="label", name=f"Note: {STRANGE}", box=BOX, window=1)


def test_what_may_have_been_kept_is_still_asked_about(tmp_path: Path) -> None:
    def after(look: Observation, *then: tuple[str, dict[str, Any]], at: str = ASK, sent: tuple[Sent, ...] = ()) -> str:
        desk = Desk(tmp_path, SEND)
        strange(desk, *sent, at=at)
        reopened(desk)
        for function, params in then:
            desk.done(page(), function, None, **params)
        return desk.decide(look).effect

    assert after(page()) == "allow"
    assert after(page(), at="https://hall.example/note") == "ask", "another page, which may have kept it"
    assert after(page(), sent=(Sent(method="POST", url="https://hall.example/draft"),)) == "ask", "the site was told"
    assert after(page(), sent=(Sent(method="", url="", more=3),)) == "ask", "not all that was sent is known"
    assert after(holding("Is the hall heated?", "token-17")) == "allow"
    assert after(holding("Is the hall heated?", f"[{STRANGE}]")) == "ask", "a hidden field holds it"
    assert after(holding("Is the hall heated?", "loft flat")) == "ask", "a hidden field holds a part of it"
    assert after(page(behind=POST.model_copy(update={"holds": None}))) == "ask", "the form holds too much to be told"
    assert after(page(more=(BADGE,))) == "ask", "it is shown on the page"
    assert after(page(f"{ASK}?note=we+want").model_copy(update={"text": STRANGE})) == "ask"
    assert after(page(), ("go_back", {})) == "ask", "the page may be the one that was there before"
    assert after(page(), ("switch_window", {"title": "The hall"})) == "ask"
    assert after(page(), ("open_url", {"url": ASK, "new_window": True})) == "ask"
    assert after(page(), ("open_url", {"url": "https://hall.example/other"})) == "ask"


def test_a_paste_is_never_known_to_be_gone(desk: Desk) -> None:
    desk.done(page(), "hotkey", "T1", keys=["ctrl", "v"])
    reopened(desk)
    told = desk.decide(page())
    assert told.effect == "ask"
    assert "only a person can approve that it is sent" in told.why


def test_work_in_several_browsers_at_once_is_not_told_apart(desk: Desk) -> None:
    strange(desk)
    desk.write(e.LanesOpened(subtasks=("1", "2")))
    reopened(desk)
    assert desk.decide(page()).effect == "ask"


def test_the_address_that_the_user_gave_may_be_opened_again_with_its_query(tmp_path: Path) -> None:
    for given, effect in (("https://hall.example/ask?room=2", "allow"), ("https://hall.example/ask", "ask")):
        desk = Desk(tmp_path, SEND, url=given)
        desk.done(page(), "open_url", None, url="https://hall.example/ask?room=2")
        assert desk.decide(page()).effect == effect, given


@pytest.mark.parametrize(
    ("said", "where"),
    [
        ("Remove draft.txt", "*.txt"),
        ("Remove draft.txt", "d*"),
        ("Remove draft.txt", "*draft*"),
        ("Remove the txt file draft.txt", "*.txt"),
        ("Remove the category pictures", "cat"),
        ("Remove cat.txt", "at.txt"),
        ("Remove old/a.txt", "old"),
        ("Remove old/a.txt", "old/"),
        ("Remove old/a.txt", "old/*"),
        ("Remove old/Makefile", "old/*"),
        ("Remove old/a.txt", "a.txt"),
        ("Remove draft.txt.bak", "draft.txt"),
        ("Remove draft.txt", "draft.txt.bak"),
        ("Remove draft-2.txt", "draft"),
        ("Remove old/../secret.txt", "old/../secret.txt"),
        ("Remove ../secret.txt", "../secret.txt"),
        ("Remove /etc/passwd", "/etc/passwd"),
        ("Remove ~/notes.txt", "~/notes.txt"),
        ("Remove Draft.txt", "draft.txt"),
        ("Remove \uff44\uff52\uff41\uff46\uff54.txt", "draft.txt"),
        ("Remove dr\u0430ft.txt", "draft.txt"),
        ("Remove everything", "*"),
        ("Remove everything", "."),
        ("Remove everything in *", "*"),
        ("Remove all .c files", "c"),
        ("Remove all tmp files", "*.t*"),
        ("Remove all tmp files", "tmp?"),
        ("Remove all tmp files", ""),
    ],
)
def test_what_the_user_does_not_name_as_a_whole_is_never_removed(said: str, where: str) -> None:
    assert not counts(Consent(kind="remove", where=where), said)


@pytest.mark.parametrize(
    ("said", "where"),
    [
        ("Remove draft.txt.", "draft.txt"),
        ("Remove 'my draft.txt', please", "my draft.txt"),
        ("Clean out /workspace/old/ now", "/workspace/old/"),
        ("Empty the folder old", "old/"),
        ("Delete everything in old", "old/*"),
        ("Delete everything in data/old/", "data/old/*"),
        ("Delete all .tmp files in old/", "old/*.tmp"),
        ("Delete all .c files", "*.c"),
        ("Delete the PDFs", "*.pdf"),
        ("Delete *.tmp", "*.tmp"),
        ("Lösche alle TMP-Dateien", "*.tmp"),
        ("Supprime tous les fichiers .bak", "*.bak"),
        ("Borra los archivos tmp de viejo/", "viejo/*.tmp"),
        ("删除所有.tmp文件", "*.tmp"),
        ("把草稿.txt删掉", "草稿.txt"),
        ("古いフォルダのlogファイルを全部消して", "*.log"),
        ("Удали все файлы .tmp", "*.tmp"),
    ],
)
def test_what_the_user_names_in_whatever_language_counts(said: str, where: str) -> None:
    assert not uncounted(Consent(kind="remove", where=where, quotes=(said,)), said)


@pytest.mark.parametrize(
    ("quotes", "why"),
    [
        ((), "no words of the user's are quoted"),
        (("",), "no words of the user's are quoted"),
        (("Delete draft.txt",), "'Delete draft.txt' is not in the user's words, letter by letter"),
        (("the remove  Button is broken: REMOVE draft.txt",), ""),
    ],
)
def test_the_words_that_order_it_are_quoted_letter_by_letter(quotes: tuple[str, ...], why: str) -> None:
    said = "The remove button is broken: remove draft.txt by hand"
    found = uncounted(Consent(kind="remove", where="draft.txt", quotes=quotes), said)
    assert found.startswith(why) if why else found == ""


@pytest.mark.parametrize(
    ("where", "there", "stands_for"),
    [
        ("Draft.txt", ("draft.txt", "b.txt"), ("draft.txt",)),
        ("Draft.txt", ("draft.txt", "Draft.txt"), ()),
        ("draft.txt", ("docs/draft.txt", "b.txt"), ("docs/draft.txt",)),
        ("draft.txt", ("docs/draft.txt", "old/draft.txt"), ()),
        ("draft.txt", ("draft.txt", "docs/draft.txt"), ()),
        ("caf\u00e9.txt", ("cafe\u0301.txt",), ("cafe\u0301.txt",)),
        ("a[1].txt", ("a[1].txt", "a1.txt"), ("a[1].txt",)),
        ("/workspace/Draft.txt", ("draft.txt",), ("draft.txt",)),
        ("docs/draft.txt", ("other/draft.txt",), ()),
    ],
)
def test_a_name_stands_for_the_only_such_file_of_the_start(
    where: str, there: tuple[str, ...], stands_for: tuple[str, ...]
) -> None:
    assert meant(where, there, "/home/ada/work") == stands_for


def test_an_order_to_change_a_file_does_not_cover_its_removal(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Consent(kind="replace", where="notes.txt"), Consent(kind="remove", where="old"))
    operation = Operation(function="run_shell", params={"command": "x"})
    history = History.of(desk.events)

    def decided(*entries: Change) -> str:
        guard, action = Guard(Policy.default(), "none"), builtin()["run_shell"]
        return guard.decide_changes(Changes(entries=entries), operation, action, history=history, now=0.0).effect

    changed = Change(path="notes.txt", kind="emptied", size=30)
    assert decided(changed) == "allow"
    assert decided(Change(path="notes.txt", kind="removed", size=3)) == "ask"
    whole = [Change(path=path, kind="removed", size=3) for path in ("old/a.txt", "old/deep/b.txt")]
    assert decided(changed, *whole) == "allow", "a folder by its name with all that is in it, and both at once"
    assert decided(changed, *whole, Change(path="older/a.txt", kind="removed", size=3)) == "ask"
