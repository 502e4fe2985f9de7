"""What the guard makes of a page's controls: by what would be sent, seen by a real browser."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from deskcrew.actions import builtin
from deskcrew.actions.action import Scene
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.browser.browser import BrowserDesktop
from deskcrew.environments.workspace import Workspace
from deskcrew.facts.events import Operation
from deskcrew.facts.observation import Observation
from deskcrew.guard.guard import Guard, GuardDecision
from deskcrew.guard.policy import Policy

from .conftest import Site

Judge = Callable[..., GuardDecision]
CARD = "<label>Card<input autocomplete='section-a cc-number'></label>"


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    """What the guard says to operating the one control of that name, as a look shows it."""
    guard, workspace = Guard(Policy.default(), "browser"), Workspace(tmp_path / "w")

    def decided(seen: Observation, name: str, function: str = "click_input", **params: object) -> GuardDecision:
        found = [control for control in seen.controls if control.name == name]
        assert len(found) == 1, [(c.role, c.name) for c in seen.controls]
        scene = Scene(workspace, Sandbox(workspace.root), None, seen)
        operation = Operation(function=function, control=found[0].label, params=dict(params))
        return guard.decide(operation, builtin()[function], scene)

    return decided


@pytest.mark.parametrize(
    ("body", "name", "risk"),
    [
        (f"<form method=post>{CARD}<button>Continue</button></form>", "Continue", "spend"),
        ("<form><input name=card_number placeholder=No><button>Continue</button></form>", "Continue", "spend"),
        ("<form><input name=cvc placeholder=No><input name=method><button>Go on</button></form>", "Go on", "spend"),
        ("<form method=post><input type=password placeholder=P><button>Continue</button></form>", "Continue", "credential"),
        ("<form method=post action='OTHER/take'><input placeholder=A><button>Continue</button></form>", "Continue", "send"),
        ("<form method=post><input placeholder=A><button formaction='OTHER/take'>Next</button></form>", "Next", "send"),
        ("<form method=post action=/own><input placeholder=A><button>Continue</button></form>", "Continue", "write"),
        ("<form method=post action=/own><textarea name=m>Hello all</textarea><button>OK</button></form>", "OK", "send"),
        ("<form method=post action=/own><textarea name=m>Hello all</textarea><button>Save</button></form>", "Save", "write"),
        ("<form method=post action=/own><textarea name=m></textarea><button>OK</button></form>", "OK", "write"),
        ("<form method=get><input placeholder=A><button>Send</button></form>", "Send", "write"),
        ("<form><input placeholder=A><button>Send</button></form>", "Send", "send"),
        ("<form method=post action=/own><button formaction=/other>Close</button></form>", "Close", "send"),
        ("<form><button formaction=/other formmethod=post>Close</button></form>", "Close", "send"),
        ("<form method=post action=/own><button formaction=/other>Save</button></form>", "Save", "write"),
        ("<form method=post action=/own><button formaction='/own?step=2'>Next</button></form>", "Next", "write"),
        (f"<form method=post>{CARD}<button type=button>Back</button></form>", "Back", "write"),
        ("<a href=/send>Send us a message</a>", "Send us a message", "write"),
        ("<a href='#' onclick='x()'>Send</a>", "Send", "send"),
        ("<a href=/delete/3>Delete</a>", "Delete", "destroy"),
        ("<button type=button aria-haspopup=dialog>Share</button>", "Share", "write"),
        ("<button type=button aria-expanded=false>Share</button>", "Share", "write"),
        ("<button type=button>Share</button>", "Share", "write"),
        ("<div role=dialog><input placeholder=A><button type=button>Share</button></div>", "Share", "send"),
        ("<button type=button>Send</button>", "Send", "send"),
        ("<ul><li>Ana <button>×</button></li></ul>", "×", "destroy"),
        ("<div role=dialog>Hello <button>×</button></div>", "×", "write"),
        ("<ul><li>Tab <button title=Close>×</button></li></ul>", "Close", "write"),
        ("<ul><li>Ana <button title='Remove Ana'>✕</button></li></ul>", "Remove Ana", "destroy"),
        ("<button aria-label='Remove person'>x</button>", "Remove person", "destroy"),
        ("<button title='Delete the account'>OK</button>", "OK", "destroy"),
        ("<div style='cursor:pointer'>Mouse $12.99</div>", "Mouse $12.99", "write"),
        ("<button>Mouse $12.99</button>", "Mouse $12.99", "spend"),
        ("<button>Void</button>", "Void", "destroy"),
        ("<button>Approve</button>", "Approve", "send"),
        # Nobody sells anything on a page of this machine where no money, cart or card is near.
        ("<button>Record payment</button>", "Record payment", "send"),
        ("<h1>Stock</h1><table><tr><td>Bolts<td><input placeholder=A></table><button>Book</button>", "Book", "send"),
        ("<button>Buchen</button>", "Buchen", "send"),
        ("<p>Total: 99 EUR</p><button>Book</button>", "Book", "spend"),
        ("<p>99,00 €</p><div><div><button>Réserver</button></div></div>", "Réserver", "spend"),
        ("<section><p>¥ 500</p></section><button>预订</button>", "预订", "spend"),
        ("<a href=/cart>3</a><button>Book</button>", "Book", "spend"),
        (f"{CARD}<button>Book</button>", "Book", "spend"),
        # What is seen on a button counts as what it is called.
        ("<button aria-label=Next>Pay $99</button>", "Next", "spend"),
        ("<input type=submit aria-label=Next value='Pay $99'>", "Next", "spend"),
        ("<style>b::after{content:' Pay $99'}</style><button><b>Next</b></button>", "Next", "spend"),
        ("<style>i::before{content:attr(t)}</style><button aria-label=Next><i t='Delete'></i></button>", "Next", "destroy"),
        ("<style>#b{font-size:0}#b::before{content:'Void'}</style><button id=b>Next</button>", "Next", "destroy"),
        (
            "<div style='position:relative;width:9em;height:2em'><button style='position:absolute;inset:0'>Next</button>"
            "<b style='position:absolute;left:1em;top:.5em;pointer-events:none'>Delete it</b></div>",
            "Next",
            "destroy",
        ),
        ("<style>b::after{content:' →'}</style><p>Delete it</p><button><b>Next</b></button>", "Next", "write"),
    ],
)
def test_what_would_be_sent_counts_before_words(
    browser: BrowserDesktop, site: Site, judge: Judge, body: str, name: str, risk: str
) -> None:
    browser.open_url(site.page(f"/behind-{zlib.crc32(body.encode())}", body.replace("OTHER", site.other)))
    decision = judge(browser.observe(), name)
    assert decision.risk == risk, decision.why


CHIPS = "<div><span class=chip>Ann <b class=off>×</b></span> <span class=chip>Bo <b class=off>×</b></span></div>"
PEOPLE = "<ul><li>Ann <b class=off>×</b></li><li>Bo <b class=off>×</b></li></ul>"
HEAD = "<header style='display:flex;justify-content:space-between'><b>Invite</b><b class=shut>×</b></header>"
SHEET = "position:fixed;top:80px;left:200px;width:400px;height:300px;background:#fff;z-index:9"
VEIL = "position:fixed;inset:0;background:#0008;display:flex;align-items:center;justify-content:center"
PANEL = "width:420px;height:320px;padding:20px;background:#fff"
REST = "<p>What lies behind it, and goes on.</p>" * 30


@pytest.mark.parametrize(
    ("body", "risks"),
    [
        (f"{REST}<div style='{SHEET}'>{HEAD}{CHIPS}</div>", ["write", "destroy", "destroy"]),
        (f"{REST}<div style='{SHEET.replace('fixed', 'absolute')}'>{HEAD}{PEOPLE}</div>", ["write", "destroy", "destroy"]),
        (f"{REST}<div style='{VEIL}'><div style='{PANEL}'>{HEAD}{CHIPS}</div></div>", ["write", "destroy", "destroy"]),
        (
            f"{REST}<div style='position:fixed;inset:0'><div style='position:absolute;inset:0;background:#0008'></div>"
            f"<div style='position:relative;margin:80px auto;{PANEL}'>{HEAD}{PEOPLE}</div></div>",
            ["write", "destroy", "destroy"],
        ),
        (f"{REST}<div role=dialog style='{PANEL}'>{HEAD}{CHIPS}</div>", ["write", "destroy", "destroy"]),
        (f"<ul><li>Ann <b class=off>×</b><div style='{SHEET}'>{HEAD}</div></li></ul>{REST}", ["destroy", "write"]),
        (f"{REST}<div style='{SHEET}'>{HEAD}<p>Ann <b class=off>×</b></p></div>", ["write", "destroy"]),
        # What lies over a page, and is no dialog: a note on a board, an entry of a short list, what a full page begins with.
        (
            "<div style='position:relative;height:400px'>"
            + "".join(
                f"<div class=note style='position:absolute;top:9px;left:{left}px;width:150px;height:140px'>"
                f"<b class=off>×</b> Call {who}</div>"
                for left, who in ((9, "Ann"), (99, "Bo"))
            )
            + "</div>",
            ["destroy", "destroy"],
        ),
        (
            f"<div style='position:absolute;top:5px;left:5px;width:300px;background:#fff'>{PEOPLE}</div>{REST}",
            ["destroy", "destroy"],
        ),
        (
            f"{REST}<div style='position:fixed;inset:0;background:#fff'><div style='height:90px'>"
            f"<h2>People</h2></div>{PEOPLE}</div>",
            ["destroy", "destroy"],
        ),
    ],
)
def test_a_cross_in_the_corner_of_what_lies_over_a_page_closes_it_and_no_other_does(
    browser: BrowserDesktop, site: Site, judge: Judge, body: str, risks: list[str]
) -> None:
    style = "<style>b,i{cursor:pointer}</style>"
    browser.open_url(site.page(f"/over-{zlib.crc32(body.encode())}", style + body))
    seen = browser.observe()
    crosses = sorted((c for c in seen.controls if c.name == "×"), key=lambda c: (c.box.y, c.box.x))
    alone = [seen.model_copy(update={"controls": (cross,)}) for cross in crosses]
    assert [judge(one, "×").risk for one in alone] == risks


def test_the_texts_that_a_form_holds_are_told_also_hidden_ones_and_no_password(browser: BrowserDesktop, site: Site) -> None:
    fields = (
        "<input placeholder=A value='Ada\nL.'><input type=hidden value=17><textarea style=display:none>[x]</textarea>"
        "<input type=password value=secret><input type=checkbox value=yes><input value=' '><input form=far value=far>"
    )
    browser.open_url(site.page("/holds", f"<form>{fields}<button>Send</button></form>"))

    def held() -> tuple[str, ...] | None:
        behind = next(control.behind for control in browser.observe().controls if control.name == "Send")
        assert behind is not None
        return behind.holds

    assert held() == ("AdaL.", "17", "[x]")
    browser.open_url(
        site.page("/much", f"<form>{fields}<input type=hidden value='{'x' * 5000}'><button>Send</button></form>")
    )
    assert held() is None


def test_a_file_that_was_chosen_is_sent_with_its_form(
    browser: BrowserDesktop, site: Site, judge: Judge, workspace: Path
) -> None:
    browser.open_url(
        site.page("/file", "<form method=post><input type=file aria-label=File><button>Continue</button></form>")
    )
    seen = browser.observe()
    assert judge(seen, "Continue").risk == "write"
    (workspace / "a.txt").write_text("a", encoding="utf-8")
    field = next(control for control in seen.controls if control.role == "file field")
    browser.upload(field, "a.txt")
    assert judge(browser.observe(), "Continue").risk == "send"


def test_enter_in_a_field_presses_the_button_of_its_form(browser: BrowserDesktop, site: Site, judge: Judge) -> None:
    fields = "<input placeholder=Amount><input name=cvc placeholder=Code>"
    browser.open_url(
        site.page("/enter", f"<form method=post>{fields}<button>Continue</button></form><input placeholder=Free>")
    )
    seen = browser.observe()
    typed = {"keys": "5", "click_enter": True}
    assert judge(seen, "Amount", "keyboard_input", **typed).risk == "spend"
    assert judge(seen, "Amount", "keyboard_input", keys="5").risk == "write"
    assert judge(seen, "Free", "keyboard_input", **typed).risk == "write"
    browser.open_url(site.page("/mail", "<form><input placeholder=Subject><button>Send it</button></form>"))
    assert judge(browser.observe(), "Subject", "keyboard_input", **typed).risk == "send"


def test_enter_sends_a_form_as_its_button_says_and_not_as_the_form_does(
    browser: BrowserDesktop, site: Site, judge: Judge
) -> None:
    hidden = "<button hidden formmethod=post formaction=/other></button>"
    browser.open_url(
        site.page("/enter-otherwise", f"<form action=/find>{hidden}<input placeholder=Find><button>Find it</button>")
    )
    assert judge(browser.observe(), "Find", "keyboard_input", keys="5", click_enter=True).risk == "send"


def test_what_is_not_known_on_a_page_that_takes_money_is_in_doubt(browser: BrowserDesktop, site: Site, judge: Judge) -> None:
    browser.open_url(site.page("/till", f"{CARD}<button>Weiter so</button><button>Cancel</button><a href=/a>Terms</a>"))
    seen = browser.observe()
    assert judge(seen, "Weiter so").effect == "allow"
    assert "takes money" in judge(seen, "Weiter so").doubt
    assert not judge(seen, "Cancel").doubt
    assert not judge(seen, "Terms").doubt
    browser.open_url(site.page("/no-till", "<button>Weiter so</button>"))
    assert not judge(browser.observe(), "Weiter so").doubt


def test_the_keys_of_a_send_button_send_only_where_there_is_one(browser: BrowserDesktop, site: Site, judge: Judge) -> None:
    keys = {"keys": ["ctrl", "shift", "enter"]}
    sheet = "<table><tr><td><div contenteditable role=textbox aria-label=Cell>=SUM(A1:A9)</div></table><button>Sum</button>"
    browser.open_url(site.page("/sheet", sheet))
    assert judge(browser.observe(), "Cell", "hotkey", **keys).risk == "write"
    browser.open_url(site.page("/compose", "<textarea aria-label=Message></textarea><button>Send</button>"))
    assert judge(browser.observe(), "Message", "hotkey", **keys).risk == "send"


def test_a_page_cannot_break_the_look_by_the_names_of_its_fields(browser: BrowserDesktop, site: Site, judge: Judge) -> None:
    fields = "".join(f"<input name={name}>" for name in ("elements", "method", "action", "length"))
    browser.open_url(site.page("/clobber", f"<form method=post action=/own>{fields}{CARD}<button>Continue</button></form>"))
    assert judge(browser.observe(), "Continue").risk == "spend"


def test_what_a_frame_of_another_origin_sends_goes_elsewhere_also_where_it_is_from(
    browser: BrowserDesktop, site: Site, judge: Judge
) -> None:
    form = (
        "<form method=post action=/own><input placeholder=A><button>{0}</button></form><button type=button>{0} it</button>"
    )
    site.page("/far", form.format("Far"))
    site.page("/near", form.format("Near"))
    frames = f"<iframe src='{site.other}/far'></iframe><iframe src='/near'></iframe>"
    browser.open_url(site.page("/around-both", frames))
    seen = browser.observe()
    goes = {control.name: control.behind.origin for control in seen.controls if control.behind is not None and control.name}
    assert goes == {"Far": site.other, "Far it": site.other, "Near": "", "Near it": "", "A": goes["A"]}
    assert judge(seen, "Far").risk == "send"
    assert judge(seen, "Near").risk == "write"
