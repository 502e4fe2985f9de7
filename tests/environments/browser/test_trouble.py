"""Pages that do not behave, and a browser that ends."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from werkzeug import Request, Response

from deskcrew.environments.browser import browsing, downloads, pages
from deskcrew.environments.browser.browser import BrowserDesktop, connect_browser, start_browser
from deskcrew.environments.browser.downloads import fit
from deskcrew.environments.browser.launch import program
from deskcrew.errors import ActionError, EnvironmentFailure
from deskcrew.facts.observation import Observation
from deskcrew.guard.proxy import Proxy
from support.killing import kill_browsers
from support.needed import skip_without
from support.sampling import sampled

from .conftest import Gate, Site, look_until, only

FILE = {"Content-Disposition": 'attachment; filename="../../.bash rc?.csv"'}

NAME = "_.._.bash rc_.csv"


@pytest.mark.deep
def test_a_page_that_never_answers_is_given_up(browser: BrowserDesktop, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "OPEN_SECONDS", 1.0)
    over = threading.Event()

    def never(_: Request) -> Response:
        over.wait(60)
        return Response("late")

    url = site.answer("/never", never)
    with pytest.raises(ActionError, match=r"did not answer within 1 seconds"):
        browser.open_url(url)
    over.set()
    browser.open_url(site.page("/next", "<p>there</p>"))
    assert browser.observe().text == "there"


def test_a_host_that_is_not_allowed_says_why(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url("http://127.0.0.2:8000/")
    assert "127.0.0.2" in browser.observe().text


@pytest.mark.deep
def test_dialogs_one_after_the_other_come_to_an_end(browser: BrowserDesktop, site: Site) -> None:
    url = site.page(
        "/loop", "<button onclick=\"for (let n = 0; n < 20; n++) alert(n); this.textContent = 'over'\">Loop</button>"
    )
    browser.open_url(url)
    browser.click(only(browser.observe(), "button", "Loop"))
    asked = 0
    while (seen := browser.observe()).windows[0].dialog:
        asked += 1
        browser.click(only(seen, "button", "OK"))
    assert 0 < asked < 20
    only(seen, "button", "over")
    assert "the rest was declined" in seen.note


@pytest.mark.deep
def test_windows_that_are_opened_for_ever_are_closed(
    browser: BrowserDesktop, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browsing, "MOST_TABS", 3)
    site.page("/w", "<p>w</p>")
    url = site.page("/windows", "<button onclick='window.open(\"/w\")'>More</button>")
    browser.open_url(url)
    first = browser.observe()
    for number in (2, 3):
        browser.activate_window(first.windows[0].id)
        browser.click(only(look_until(browser, lambda seen: bool(seen.controls)), "button", "More"))
        look_until(browser, lambda seen, number=number: len(seen.windows) == number)
    browser.activate_window(first.windows[0].id)
    browser.click(only(look_until(browser, lambda seen: bool(seen.controls)), "button", "More"))
    seen = look_until(browser, lambda seen: "the rest was closed" in seen.note)
    assert len(seen.windows) == 3


@pytest.mark.deep
def test_a_page_that_blocks_its_own_thread_is_named(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(site.page("/blocked", "<button onclick='while (true);'>Block</button><p>text</p>"))
    button = only(browser.observe(), "button", "Block")
    browser.click(button)
    seen = browser.observe(screenshot=True)
    assert seen.windows[0].responding is False
    assert "does not answer" in seen.note
    with pytest.raises(ActionError):
        browser.click(button)
    browser.open_url(site.page("/free", "<p>free</p>"))
    assert browser.observe().text == "free"


@pytest.mark.deep
def test_a_page_that_blocks_its_own_thread_for_a_while_is_worked_on_afterwards(
    browser: BrowserDesktop, site: Site, gate: Gate
) -> None:
    """What was pressed meanwhile is not pressed, and what was pressed before is so once."""
    site.answer("/late", gate.after())
    waits = "const asked = new XMLHttpRequest(); asked.open('GET', '/late', false); asked.send(); n.textContent += 'waited '"
    url = site.page(
        "/held",
        f'<button onclick="{waits}">Wait</button><button onclick="n.textContent += \'other\'">Other</button><p id=n>',
    )
    browser.open_url(url)
    seen = look_until(browser, lambda seen: len(seen.controls) == 2)
    browser.click(only(seen, "button", "Wait"))
    assert browser.observe().windows[0].responding is False
    with pytest.raises(ActionError):
        browser.click(only(seen, "button", "Other"))
    with pytest.raises(ActionError, match="does not answer"):
        browser.page_markdown()
    with pytest.raises(ActionError, match="does not answer"):  # and not that the text is not there
        browser.find_text("Wait")
    gate.let_go()
    seen = look_until(browser, lambda seen: seen.windows[0].responding and "waited" in seen.text)
    assert (seen.text, seen.note) == ("waited", "")
    browser.click(only(seen, "button", "Other"))
    assert look_until(browser, lambda seen: "other" in seen.text).text == "waited other"


@pytest.mark.deep
def test_a_frame_of_another_site_that_hangs_hides_nothing_else(browser: BrowserDesktop, site: Site) -> None:
    site.page("/hangs", "<p>never</p><script>setTimeout(() => { for (;;); })</script>")
    site.page("/fine", "<button onclick=\"this.textContent = 'Pressed'\">Fine</button>")
    frames = "".join(f"<iframe src='{site.other}{path}' width=200 height=60></iframe>" for path in ("/hangs", "/fine"))
    inner = f"<button onclick=\"this.textContent = 'Done'\">Outer</button><p>words</p>{frames}"
    browser.open_url(site.page("/holds", inner))
    hidden = lambda seen: "of its frames could not be read" in seen.note  # noqa: E731
    seen = look_until(browser, lambda seen: hidden(seen) and bool(seen.controls))
    assert seen.windows[0].responding is True
    assert browser.find_text("words") == "words"
    assert "words" in browser.page_markdown()
    browser.click(only(seen, "button", "Outer"))
    seen = look_until(browser, lambda seen: hidden(seen) and bool(seen.controls))
    only(seen, "button", "Done")


@pytest.mark.deep
def test_a_page_that_changes_while_it_is_looked_at_is_seen_at_some_moment(browser: BrowserDesktop, site: Site) -> None:
    """Its text, its controls and its frames, all the time; what is done to it is done once."""
    site.page("/brief", "<p>brief</p><button>Brief</button>")
    browser.open_url(
        site.page(
            "/busy",
            f"""<button onclick="n.textContent = +n.textContent + 1">Go</button><p id=n>0</p><p id=p>x</p><div id=d></div>
            <script>const frames = ['/brief', '{site.other}/brief'];
            setInterval(() => p.textContent += 'x', 1);
            setInterval(() => d.innerHTML = `<i>${{Date.now()}}</i><iframe src="${{frames[Date.now() % 2]}}"></iframe>`, 300)
            </script>""",
        )
    )
    for number in range(1, 4):
        seen = look_until(browser, lambda seen: any(control.name == "Go" for control in seen.controls))
        assert "xx" in seen.text
        browser.click(only(seen, "button", "Go"))
        seen = look_until(browser, lambda seen: "xx" in seen.text)
        assert seen.text.splitlines()[0] == str(number)


def test_an_element_that_is_made_anew_under_the_mouse_is_pressed_once_or_said_to_have_gone(
    browser: BrowserDesktop, site: Site
) -> None:
    browser.open_url(
        site.page(
            "/anew-all-the-time",
            """<p id=n>0</p><div id=d></div><script>const draw = () =>
            d.innerHTML = '<button style="width:200px" onclick="n.textContent = +n.textContent + 1">Go</button>';
            draw(); setInterval(draw, 10)</script>""",
        )
    )
    done = 0
    for _ in range(4):
        try:
            browser.click(only(look_until(browser, lambda seen: bool(seen.controls)), "button", "Go"))
            done += 1
        except ActionError as error:
            done += "landed on" in str(error)
        assert int(look_until(browser, lambda seen: seen.text != "").text) <= done


def test_a_download_lands_in_the_workspace_under_a_harmless_name(
    browser: BrowserDesktop, site: Site, workspace: Path
) -> None:
    site.answer("/file", lambda _: Response("a,b\n", headers=FILE))
    browser.open_url(site.page("/get", "<a href=/file>Get</a>"))
    assert browser.download(only(browser.observe(), "link", "Get")) == NAME
    assert (workspace / NAME).read_text() == "a,b\n"
    browser.open_url(site.root + "/file")
    assert "Downloaded _.._.bash rc_ (1).csv" in browser.observe().note
    names = ("..", "x/../.git", "a\0b", "n" * 300 + ".txt")
    assert [fit(name) for name in names] == ["download", "git", "a_b", "n" * 116 + ".txt"]


SAVED = "<a href=/own download=own.txt id=save>Save</a>"


@pytest.mark.parametrize(
    "body",
    [
        "<script>location = '/plain'</script>",
        "<meta http-equiv=refresh content='0;url=/plain'>",
        "<a href=/plain download=plain.txt id=a></a><script>a.click()</script>",
        "<a download=plain.txt id=a></a><script>a.href = URL.createObjectURL(new Blob(['found'])); a.click()</script>",
        "<iframe src=/plain></iframe>",
    ],
)
def test_a_file_that_a_page_hands_over_by_itself_is_named_and_not_taken(
    browser: BrowserDesktop, site: Site, workspace: Path, body: str
) -> None:
    before = {*workspace.iterdir()}
    site.answer("/plain", lambda _: Response("found", headers={"Content-Disposition": "attachment; filename=plain.txt"}))
    site.answer("/own", lambda _: Response("own", headers={"Content-Disposition": "attachment; filename=own.txt"}))
    browser.open_url(site.page("/by-itself", f"{SAVED}{body}"))
    seen = look_until(browser, lambda seen: "offered" in seen.note)
    assert "The page offered plain.txt (5 bytes); it was not taken" in seen.note
    assert {*workspace.iterdir()} == before
    (own,) = [control for control in seen.controls if control.name == "Save"]
    name = browser.download(own)
    assert (workspace / name).read_text() == "own"
    assert (workspace / name).parent == workspace
    assert {*workspace.iterdir()} == before | {workspace / name}


def test_a_file_that_a_page_first_makes_is_waited_for(browser: BrowserDesktop, site: Site, workspace: Path) -> None:
    site.answer("/made", lambda _: Response("made", headers={"Content-Disposition": "attachment; filename=made.txt"}))
    made = """<button onclick="setTimeout(() => location = '/made', 1500)">Export</button>"""
    browser.open_url(site.page("/makes", made))
    name = browser.download(only(browser.observe(), "button", "Export"))
    assert (workspace / name).read_text() == "made"
    browser.open_url(site.page("/makes-none", "<button>Export</button>"))
    with pytest.raises(ActionError, match="handed over no file"):
        browser.download(only(browser.observe(), "button", "Export"))


def test_a_press_of_something_else_takes_no_file_and_a_link_to_a_file_does(
    browser: BrowserDesktop, site: Site, workspace: Path
) -> None:
    before = {*workspace.iterdir()}
    site.answer("/led", lambda _: Response(status=302, headers={"Location": "/there"}))
    site.answer("/there", lambda _: Response("there", headers={"Content-Disposition": "attachment; filename=there.txt"}))
    browser.open_url(
        site.page(
            "/something-else",
            "<button onclick=\"location = '/there'\">Next</button> <a href=/led>There</a> "
            "<a href=#x onclick=\"location = '/there'\">Help</a> <a href=/there download>Save</a>",
        )
    )
    for role, name in (("button", "Next"), ("link", "Help")):
        browser.click(only(browser.observe(), role, name))
        look_until(browser, lambda seen: "The page offered there.txt" in seen.note)
        assert {*workspace.iterdir()} == before
    for number, name in enumerate(("There", "Save")):
        browser.click(only(browser.observe(), "link", name))
        kept = f"there ({number}).txt" if number else "there.txt"
        look_until(browser, lambda seen, kept=kept: f"Downloaded {kept}." in seen.note)
        assert (workspace / kept).read_text() == "there"


def test_of_many_files_that_a_page_hands_over_few_are_named(browser: BrowserDesktop, site: Site, workspace: Path) -> None:
    before = {*workspace.iterdir()}
    browser.open_url(
        site.page(
            "/many-files",
            "<a id=a></a><script>a.href = URL.createObjectURL(new Blob(['x']));"
            "for (let n = 0; n < 40; n++) { a.download = `f${n}.txt`; a.click() }</script>",
        )
    )
    told = ""

    def all_told(seen: Observation) -> bool:
        nonlocal told
        told += seen.note
        return "files more" in told

    look_until(browser, all_told)
    assert {*workspace.iterdir()} == before


def test_a_huge_download_is_given_up(
    browser: BrowserDesktop, site: Site, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloads, "LARGEST", 3 << 20)
    over = threading.Event()

    def endless():
        while not over.is_set():
            yield b"x" * 65536

    site.answer("/huge", lambda _: Response(endless(), headers={"Content-Disposition": "attachment; filename=huge.bin"}))
    browser.open_url(site.page("/get2", "<a href=/huge>Get</a>"))
    try:
        with pytest.raises(ActionError, match="larger than 3 MB"):
            browser.download(only(browser.observe(), "link", "Get"))
    finally:
        over.set()
    assert not (workspace / "huge.bin").exists()


def test_files_are_given_to_pages(browser: BrowserDesktop, site: Site, workspace: Path) -> None:
    (workspace / "note.txt").write_text("hello")
    browser.open_url(
        site.page(
            "/upload",
            """<input type=file aria-label=Photo
            onchange="files[0].text().then(t => out.textContent = files[0].name + ' ' + t)">
            <input id=h type=file hidden onchange="out.textContent = 'by button ' + files[0].name">
            <button onclick="h.click()">Attach</button><p id=out></p>""",
        )
    )
    seen = browser.observe()
    browser.upload(only(seen, "file field", "Photo"), "note.txt")
    assert browser.observe().text == "note.txt hello"
    browser.upload(only(seen, "button", "Attach"), "note.txt")
    assert browser.observe().text == "by button note.txt"
    browser.click(only(seen, "button", "Attach"))
    browser.wait(5)
    asked = browser.observe()
    assert (asked.windows[0].title, asked.windows[0].dialog) == ("Open File", True)
    browser.type_text(only(asked, "text field", "File name"), "../secret")
    with pytest.raises(ActionError, match="no file"):
        browser.click(only(asked, "button", "Open"))
    browser.click(only(browser.observe(), "button", "Cancel"))
    assert browser.observe().windows[0].dialog is False


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "file:///etc/passwd", "file:///workspace/../etc/passwd", "chrome://settings", "a b", ""]
)
def test_what_is_no_page_to_be_opened_is_refused(browser: BrowserDesktop, url: str) -> None:
    with pytest.raises(ActionError):
        browser.open_url(url)


def test_a_script_in_place_of_an_address_is_told_what_to_use(browser: BrowserDesktop) -> None:
    with pytest.raises(ActionError, match="javascript: addresses cannot be opened; use what is on the page"):
        browser.open_url("javascript:document.forms[0].submit(); void 0")


def test_a_browser_that_is_killed_is_the_surroundings_failure(tmp_path: Path) -> None:
    try:
        browser = start_browser(tmp_path)
    except EnvironmentFailure as failure:
        skip_without(failure)
    with browser:
        (tmp_path / "page.html").write_text("<button>Go</button>")
        browser.open_url("page.html")
        button = only(browser.observe(), "button", "Go")
        kill(browser)
        with pytest.raises(EnvironmentFailure, match="has ended") as failed:
            browser.click(button)
        assert "deskcrew resume" in failed.value.hint
    with pytest.raises(EnvironmentFailure):
        browser.observe()


def kill(browser: BrowserDesktop) -> None:
    """This browser, and no other of this module."""
    kill_browsers(str(browser._run.path))  # pyright: ignore[reportPrivateUsage, reportOptionalMemberAccess]


ASKS = """<button onclick="ask()">Go</button><input aria-label=Name oninput="ask()"><select aria-label=Kind onchange="ask()">
<option>a<option>b</select><script>function ask() {
const r = new XMLHttpRequest(); r.open('GET', 'deadly', false); r.send() }</script>"""
"""Whatever is done on it lasts until the server has answered, which kills the browser."""
DEEDS: dict[str, Callable[[BrowserDesktop, Observation], object]] = {
    "click": lambda browser, seen: browser.click(only(seen, "button", "Go")),
    "type": lambda browser, seen: browser.type_text(only(seen, "text field", "Name"), "ann"),
    "select": lambda browser, seen: browser.select(only(seen, "combo box", "Kind"), "b"),
    "open": lambda browser, _: browser.open_url(str(browser.observe().windows[0].url).replace("asks", "deadly")),
    "press": lambda browser, seen: browser.press(("tab",)) or browser.press(("enter",)),
}


@pytest.mark.parametrize("deed", sampled(list(DEEDS), 2))
@pytest.mark.deep
def test_a_browser_that_is_killed_in_the_middle_of_an_action(tmp_path: Path, site: Site, deed: str) -> None:
    """Then that is the surroundings' failure, in the action or in the look after it, and never the model's mistake."""
    killed = threading.Event()

    def deadly(_: Request) -> Response:
        kill(browser)
        killed.set()
        return Response("late")

    site.answer(f"/{deed}/deadly", deadly)
    try:
        browser = start_browser(tmp_path, proxy=(proxy := Proxy([f"127.0.0.1:{site.server.port}"])))
    except EnvironmentFailure as failure:
        skip_without(failure)
    with proxy, browser:
        browser.open_url(site.page(f"/{deed}/asks", ASKS))
        seen = browser.observe()
        with pytest.raises(EnvironmentFailure, match="has ended"):
            done_and_seen(browser, seen, DEEDS[deed], killed)
        for more in (browser.page_markdown, browser.clipboard, browser.look):
            with pytest.raises(EnvironmentFailure, match="has ended"):
                more()


def done_and_seen(
    browser: BrowserDesktop,
    seen: Observation,
    deed: Callable[[BrowserDesktop, Observation], object],
    killed: threading.Event,
) -> None:
    deed(browser, seen)
    assert killed.wait(60)  # on a busy machine a page may be given up before it has come to the deadly part
    browser.observe()


@pytest.mark.deep
def test_a_browser_that_is_open_already_is_used_and_left_open(tmp_path: Path, site: Site) -> None:
    site.page("/open", "<button onclick=\"document.title = 'pressed'\">Go</button>", "Open already")
    flags = ["--headless=new", "--no-sandbox", "--remote-debugging-port=0", f"--user-data-dir={tmp_path / 'profile'}"]
    found = program()
    if found is None:
        pytest.skip("there is no Chromium on this machine")
    own = subprocess.Popen([found, *flags, site.root + "/open"], stderr=subprocess.PIPE, text=True)
    try:
        assert own.stderr is not None
        listening = next(line for line in own.stderr if "DevTools listening on" in line)
        with connect_browser(listening.split()[-1], tmp_path) as browser:
            browser.click(only(look_until(browser, lambda seen: bool(seen.controls)), "button", "Go"))
            look_until(browser, lambda seen: seen.windows[0].title == "pressed")
        assert own.poll() is None
    finally:
        own.kill()
        own.communicate()


@pytest.mark.deep
def test_cookies_are_kept_only_where_that_is_asked(tmp_path: Path, site: Site) -> None:
    url = site.page(
        "/cookie", "<p id=p></p><script>p.textContent = document.cookie; document.cookie = 'a=b;max-age=999'</script>"
    )
    kept = tmp_path / "sessions" / "mine.json"
    texts: list[str] = []
    for session in (kept, kept, None):
        with (
            Proxy([f"127.0.0.1:{site.server.port}"]) as proxy,
            start_browser(tmp_path, proxy=proxy, session=session) as browser,
        ):
            browser.open_url(url)
            texts.append(browser.observe().text)
    assert texts == ["", "a=b", ""]
    assert kept.stat().st_mode & 0o077 == 0
