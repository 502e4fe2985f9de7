"""Pages in a browser's windows on a virtual desktop: told by their own script, operated with the desktop's mouse and
keyboard, and by what only pages have, in one observation with all else.

A server in the desktop's own network gives pages of two sites to a browser: 127.0.0.1 and localhost.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from tests.environments.linux.conftest import await_look, desktop_in, only

from deskcrew.environments.browser.launch import program
from deskcrew.environments.linux.paged import PagedDesktop
from deskcrew.environments.linux.sandbox.sandbox import VirtualScreen
from deskcrew.environments.pointing import Point, aim
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Observation
from support.sampling import sampled
from support.waiting import LATEST

pytestmark = [
    pytest.mark.desktop,
    pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine"),
]

SIZES = {1.0: (1100, 800), 1.5: (1400, 1000), 2.0: (1700, 1300)}
PORT = 8123
SAY = "onclick=\"fetch('/did?' + this.textContent); said.textContent = this.textContent + ' hit'\""
PAGE = f"""<!doctype html><title>Shop</title><h1>Lamps</h1><p id=said>nothing yet</p><button {SAY}>Plain</button>
<label>Name <input id=name></label> <label>Key <input type=password></label> <label>Notes <textarea></textarea></label>
<label>Colour <select onchange="said.textContent = this.value"><option>red<option>blue</select></label>
<label>Volume <input type=range max=100 value=10></label> <label>Day <input type=date></label>
<label>Picture <input type=file onchange="said.textContent = this.files[0].name"></label><div id=host></div>
<iframe srcdoc="<button onclick='parent.said.textContent = `Framed hit`'>Framed</button>" width=200 height=60></iframe>
<iframe src="http://localhost:{PORT}/other.html" width=200 height=60></iframe>
<p><a href=next.html>Next page</a> <a href=list.csv download>Price list</a> <button onclick="alert('Really?')">Ask</button>
<button onclick="const end = Date.now() + 6000; while (Date.now() < end);">Block</button></p>
<div id=from draggable=true ondragstart="event.dataTransfer.setData('text', 'x')" tabindex=0 role=button>Drag me</div>
<button onclick="fetch('/kept', {{method: 'POST', body: 'x'}}).then(() => said.textContent = 'Saved')">Save</button>
<div tabindex=0 role=button ondragover="event.preventDefault()" ondrop="said.textContent = 'dropped'">Drop here</div>
<div role=button tabindex=0 onmouseenter="said.textContent = 'hovered'">Hover me</div>
<div style="height:1500px"></div><p>The price is 12 euros.</p><button {SAY}>Far</button>
<script>host.attachShadow({{mode: 'open'}}).innerHTML = '<button>Shadowed</button>';
host.shadowRoot.querySelector('button').onclick = () => said.textContent = 'Shadowed hit'</script>"""
OTHER = "<!doctype html><title>Other</title><button onclick=\"this.textContent = 'Elsewhere hit'\">Elsewhere</button>"
NEXT = "<!doctype html><title>Shop</title><h1>The second page</h1><button>Another</button>"

Start = Callable[..., PagedDesktop]


@contextlib.contextmanager
def opened(folder: Path, scale: float = 1.0) -> Iterator[PagedDesktop]:
    """A desktop with a server and the shop's page open in Chromium."""
    for name, text in (("shop", PAGE), ("other", OTHER), ("next", NEXT)):
        (folder / f"{name}.html").write_text(text)
    desktop = desktop_in(folder, screen=VirtualScreen(SIZES[scale], scale))
    assert isinstance(desktop, PagedDesktop)
    with contextlib.closing(desktop):
        desktop.session.start(["/usr/bin/python3", "-m", "http.server", str(PORT), "--bind", "127.0.0.1"])
        desktop.open_application("chromium", "other.html")
        deadline = time.monotonic() + LATEST
        while "Lamps" not in desktop.observe().text and time.monotonic() < deadline:  # until the server is up
            with contextlib.suppress(ActionError):
                desktop.open_url(f"http://127.0.0.1:{PORT}/shop.html")
        yield desktop


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts one of a test's own."""
    with contextlib.ExitStack() as stack:
        yield lambda scale=1.0: stack.enter_context(opened(tmp_path, scale))


@pytest.fixture(scope="module")
def shared(workspace: Path) -> Iterator[PagedDesktop]:
    with opened(workspace) as desktop:
        yield desktop


@pytest.fixture
def shop(shared: PagedDesktop) -> Iterator[PagedDesktop]:
    """The module's desktop with the shop's page, as it comes, in the one window. Its folder is the module's workspace."""
    shared.open_url(f"http://127.0.0.1:{PORT}/shop.html")
    look = await_look(shared, lambda seen: "nothing yet" in seen.text and "Framed" in names(seen))
    browser = next(window.id for window in look.windows if window.url)
    yield shared
    for window in shared.observe().windows:
        if window.id != browser:
            shared.close_window(window.id)


def names(look: Observation, role: str = "button") -> list[str]:
    return [one.name for one in look.controls if one.role == role]


@pytest.mark.parametrize("scale", [1.5, *(pytest.param(scale, marks=pytest.mark.deep) for scale in (1.0, 2.0))])
@pytest.mark.deep
def test_what_is_in_shadows_and_frames_is_hit_where_it_is_seen(start: Start, scale: float) -> None:
    desktop = start(scale)
    look = await_look(desktop, lambda seen: {"Shadowed", "Framed", "Elsewhere"} <= {*names(seen)})
    window = look.windows[0]
    assert window.page is not None
    assert (window.url, window.active) == (f"http://127.0.0.1:{PORT}/shop.html", True)
    boxes = {name: only(look, "button", name).box for name in ("Plain", "Shadowed", "Framed")}
    for box in boxes.values():
        assert window.page.intersection(box) == box
    for place in range(3):  # anywhere in it; by turns, so that each hit says something else than the one before
        for name, box in boxes.items():
            corners = ((box.x + 3, box.y + 3), (box.x + box.width - 4, box.y + box.height - 4), box.centre)
            desktop.input.click(*corners[place])
            await_look(desktop, lambda seen, name=name: f"{name} hit" in seen.text)
    look = await_look(desktop, lambda seen: "Elsewhere" in names(seen))
    desktop.input.click(*only(look, "button", "Elsewhere").box.centre)
    await_look(desktop, lambda seen: "Elsewhere hit" in names(seen))
    # The browser's own bars are told as before, beside the page.
    bar = only(look, "text field", "Address and search bar")
    assert window.page.intersection(bar.box) is None
    assert "Reload" in names(look)


@pytest.mark.parametrize("scale", sampled([1.0, 2.0], 1))
def test_mouse_keyboard_and_script_work_on_one_page(start: Start, tmp_path: Path, scale: float) -> None:
    desktop = start(scale)
    look = desktop.observe()
    desktop.input.click(*only(look, "text field", "Name").box.centre)
    # Nobody types before they see where: a page that is still busy drops what comes too early.
    await_look(desktop, lambda seen: seen.focus == only(seen, "text field", "Name").label)
    desktop.input.type("Ada")
    look = await_look(desktop, lambda seen: only(seen, "text field", "Name").value == "Ada")
    assert look.focus == only(look, "text field", "Name").label
    assert desktop.type_text(None, " Lovelace") == "Ada Lovelace"
    assert desktop.type_text(only(look, "text field", "Name"), "Zoë 東京", clear=True) == "Zoë 東京"
    assert desktop.type_text(only(look, "password field", "Key"), "hidden") == ""
    long = "two\nlines " * 30
    assert desktop.type_text(only(look, "text area", "Notes"), long) == long
    desktop.type_text(only(look, "date editor", "Day"), "2026-03-01")
    desktop.select(only(look, "combo box", "Colour"), "blue")
    desktop.set_value(only(look, "slider", "Volume"), 60)
    (tmp_path / "cat.png").write_bytes(b"cat")
    desktop.upload(only(look, "file field", "Picture"), "cat.png")
    look = desktop.observe()
    assert only(look, "text field", "Name").value == "Zoë 東京"
    assert only(look, "password field", "Key").value is None
    assert only(look, "date editor", "Day").value == "2026-03-01"
    assert only(look, "combo box", "Colour").value == "blue"
    assert only(look, "slider", "Volume").value == "60"
    assert "cat.png" in look.text
    with pytest.raises(ActionError, match="there are: 'red', 'blue'"):
        desktop.select(only(look, "combo box", "Colour"), "green")
    desktop.click(only(look, "button", "Far"))  # brought into view first
    await_look(desktop, lambda seen: "out of view" not in only(seen, "button", "Far").states)
    assert "Far hit" in desktop.page_markdown()


@pytest.mark.deep
def test_what_only_pages_have_is_done_on_the_page_in_the_window(shop: PagedDesktop, workspace: Path) -> None:
    (workspace / "list.csv").write_text("lamp,price\n")
    desktop = shop
    assert desktop.find_text("12 euros") == "The price is 12 euros."
    assert "The price is 12 euros." in desktop.observe().text
    assert desktop.find_text("Lamps") == "Lamps"
    text = desktop.page_markdown()
    assert text.startswith("# Lamps")
    assert "[Next page](" in text
    with pytest.raises(ActionError, match="is not on this page"):
        desktop.find_text("no such words")
    look = desktop.observe()
    desktop.hover(only(look, "button", "Hover me"))
    await_look(desktop, lambda seen: "hovered" in seen.text)
    desktop.drag(only(look, "button", "Drag me"), only(look, "button", "Drop here"))
    await_look(desktop, lambda seen: "dropped" in seen.text)
    assert desktop.download(only(look, "link", "Price list")) == "list (1).csv"
    assert (workspace / "list (1).csv").read_text() == "lamp,price\n"
    desktop.click(only(desktop.observe(), "link", "Next page"))
    assert "The second page" in desktop.observe().text
    desktop.back()
    assert "Lamps" in desktop.observe().text
    desktop.forward()
    assert "The second page" in desktop.observe().text
    with pytest.raises(ActionError, match="no later page"):
        desktop.forward()
    for bad in ("javascript:alert(1)", "file:///etc/passwd", "chrome://settings"):
        with pytest.raises(ActionError):
            desktop.open_url(bad)
    desktop.open_url("shop.html")
    assert desktop.observe().windows[0].url == "file:///workspace/shop.html"


BY_ITSELF = (
    "<script>location = 'plain.csv'</script>",
    "<meta http-equiv=refresh content='0;url=plain.csv'>",
    "<a href=plain.csv download=plain.csv id=a></a><script>a.click()</script>",
    "<a download=plain.csv id=a></a><script>a.href = URL.createObjectURL(new Blob(['found'])); a.click()</script>",
    "<iframe src=plain.csv></iframe>",
    f"<iframe src=http://localhost:{PORT}/plain.csv></iframe>",
)
ASKED = """<title>Files</title><a href=own.csv download id=save>Save</a> <a href=own.csv>Open</a>
<a href=own.csv target=_blank>Beside</a> <button onclick="location = 'own.csv'">Export</button>"""


@pytest.mark.first_case
@pytest.mark.parametrize("body", BY_ITSELF)
def test_a_file_that_a_page_hands_over_by_itself_is_named_and_not_taken(
    shop: PagedDesktop, workspace: Path, body: str
) -> None:
    desktop = shop
    (workspace / "plain.csv").write_text("found")
    (workspace / "own.csv").write_text("own")
    (workspace / "files.html").write_text(ASKED + body)
    before = {*workspace.iterdir()}
    desktop.open_url(f"http://127.0.0.1:{PORT}/files.html")
    look = await_look(desktop, lambda seen: "Export" in names(seen))
    look = look if "offered" in look.note else await_look(desktop, lambda seen: "offered" in seen.note)
    assert "The page offered plain.csv (5 bytes); it was not taken" in look.note
    assert {*workspace.iterdir()} == before


def test_files_that_were_asked_for_land_in_the_workspace_and_are_saved_where_it_is_said(
    shop: PagedDesktop, workspace: Path
) -> None:
    desktop = shop
    (workspace / "own.csv").write_text("own")
    (workspace / "files.html").write_text(ASKED)
    before = {*workspace.iterdir()}
    desktop.open_url(f"http://127.0.0.1:{PORT}/files.html")
    for role, name in (("link", "Save"), ("link", "Open"), ("link", "Beside")):  # pressed
        look = await_look(desktop, lambda seen: "Export" in names(seen))
        desktop.click(only(look, role, name))
        await_look(desktop, lambda seen: f"Downloaded own ({len({*workspace.iterdir()} - before)}).csv" in seen.note)
    desktop.click(only(desktop.observe(), "button", "Export"))
    await_look(desktop, lambda seen: "offered own.csv (3 bytes)" in seen.note)
    for role, name in (("button", "Export"), ("link", "Beside")):
        assert desktop.download(only(desktop.observe(), role, name)).startswith("own (")
    desktop.open_url(f"http://127.0.0.1:{PORT}/own.csv")
    await_look(desktop, lambda seen: "Downloaded own (6).csv" in seen.note)
    new = {*workspace.iterdir()} - before
    assert (len(new), {file.read_text() for file in new}) == (6, {"own"})
    desktop.click(only(desktop.observe(), "link", "Open"), button="right")
    desktop.click(
        only(await_look(desktop, lambda seen: "Save link as…" in names(seen, "menu item")), "menu item", "Save link as…")
    )
    desktop.observe()
    seen = await_look(desktop, lambda seen: any(window.title == "Save File" and window.active for window in seen.windows))
    place = next(window.box for window in seen.windows if window.title == "Save File")
    desktop.type_text(None, "kept.csv", clear=True)
    desktop.input.click(place.x + place.width - 50, place.y + place.height - 28)  # Save: the dialog itself tells nothing
    await_look(desktop, lambda seen: (workspace / "kept.csv").exists())
    assert (workspace / "kept.csv").read_text() == "own"
    assert "offered" not in desktop.observe().note


@pytest.mark.deep
def test_the_tab_in_front_is_the_one_that_is_told(shop: PagedDesktop) -> None:
    desktop = shop
    desktop.type_text(only(desktop.observe(), "text field", "Name"), "first tab")
    desktop.open_url(f"http://127.0.0.1:{PORT}/shop.html", new_window=True)
    look = desktop.observe()
    assert only(look, "text field", "Name").value == ""  # same title, same address, same place
    desktop.press(("ctrl", "tab"))
    await_look(desktop, lambda seen: only(seen, "text field", "Name").value == "first tab")
    desktop.press(("ctrl", "w"))
    await_look(desktop, lambda seen: names(seen, "tab") == ["Shop"] and only(seen, "text field", "Name").value == "")


@pytest.mark.deep
def test_what_a_page_asks_is_answered_in_its_own_window(shop: PagedDesktop) -> None:
    desktop = shop
    desktop.click(only(desktop.observe(), "button", "Ask"))
    look = await_look(desktop, lambda seen: names(seen) == ["OK"])
    assert "Really?" in look.text
    with pytest.raises(ActionError):
        desktop.open_url("next.html")
    desktop.press(("enter",))
    await_look(desktop, lambda seen: "Ask" in names(seen))


@pytest.mark.deep
def test_the_address_bar_has_the_keyboard_or_the_page_has(shop: PagedDesktop) -> None:
    desktop = shop
    look = desktop.observe()
    desktop.type_text(only(look, "text field", "Name"), "x")
    desktop.click(only(desktop.observe(), "text field", "Address and search bar"))
    look = desktop.observe()
    assert look.focus == only(look, "text field", "Address and search bar").label
    assert "focused" not in only(look, "text field", "Name").states
    desktop.type_text(only(look, "text field", "Name"), "y")  # takes it back
    look = desktop.observe()
    assert only(look, "text field", "Name").value == "xy"
    desktop.type_text(
        only(look, "text field", "Address and search bar"), f"127.0.0.1:{PORT}/next.html", clear=True, enter=True
    )
    await_look(desktop, lambda seen: "The second page" in seen.text)


def test_what_lies_over_a_page_hides_what_it_covers(shop: PagedDesktop) -> None:
    desktop = shop
    browser = desktop.observe().windows[0].id
    desktop.open_application("Mousepad")
    look = desktop.observe()
    over, page = look.windows[0], next(window for window in look.windows if window.id == browser)
    assert over.id != browser
    assert page.url
    told = [one for one in look.controls if one.window == browser and "out of view" not in one.states]
    assert not [one for one in told if over.box.intersection(one.box) == one.box]
    assert "Lamps" in desktop.page_markdown()  # brings it to the front
    assert desktop.observe().windows[0].id == browser


@pytest.mark.deep
def test_a_browser_that_ends_is_a_window_that_is_gone(start: Start) -> None:
    desktop = start()
    button = only(desktop.observe(), "button", "Plain")
    desktop.session.start(["pkill", "-KILL", "chromium"])
    look = await_look(desktop, lambda seen: not seen.windows)
    assert look.controls == ()
    with pytest.raises(ActionError, match="has gone"):
        desktop.click(button)
    with pytest.raises(ActionError, match="has gone"):
        desktop.page_markdown()
    desktop.open_application("chromium", "next.html")
    assert "The second page" in await_look(desktop, lambda seen: "Another" in names(seen)).text
    assert desktop.observe().windows[0].url == "file:///workspace/next.html"


@pytest.mark.deep
def test_where_no_line_leads_in_the_page_is_told_by_the_accessibility_bus(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    with contextlib.closing(desktop_in(tmp_path, pages=False)) as desktop:
        desktop.open_application("chromium", "page.html")
        look = await_look(desktop, lambda seen: "Plain" in names(seen))
        assert [(window.url, window.page) for window in look.windows] == [("", None)]
        desktop.click(only(look, "button", "Plain"))
        await_look(desktop, lambda seen: "Plain hit" in seen.text)
        with pytest.raises(ActionError, match="has gone"):
            desktop.page_markdown()


@pytest.mark.deep
def test_a_page_that_does_not_answer_is_left_to_the_accessibility_bus_until_it_does(shop: PagedDesktop) -> None:
    desktop = shop
    desktop.click(only(desktop.observe(), "button", "Block"))
    look = desktop.look(everything=True)
    assert [(window.url, window.page) for window in look.windows] == [("", None)]
    assert "Reload" in names(look)
    look = await_look(desktop, lambda seen: bool(seen.windows[0].url))
    assert "Plain" in names(look)


KNOCK = f"""<!doctype html><title>Knock</title><p id=out>knocking</p><script>
const ports = [{PORT}, 9222, 9223, 9229, 3128], found = [];
const ask = (port, path) =>
  fetch(`http://127.0.0.1:${{port}}/${{path}}`).then((answer) => found.push([port, answer.status]));
Promise.all(ports.flatMap((port) => ["json/version", "json"].map((path) => ask(port, path).catch(() => 0)))).then(() => {{
  const line = new WebSocket("ws://127.0.0.1:9222/devtools/browser");
  line.onopen = () => found.push("socket"); line.onclose = () => out.textContent = "found " + JSON.stringify(found); }});
</script>"""


LOOK_ROUND = """
import socket
from pathlib import Path

Path("tcp").write_text(Path("/proc/net/tcp").read_text() + Path("/proc/net/tcp6").read_text())
Path("unix").write_text(Path("/proc/net/unix").read_text())
told = []
for path in {line.split()[-1] for line in Path("unix").read_text().splitlines() if "line-" in line}:
    try:
        socket.socket(socket.AF_UNIX).connect(path)
        told.append("answered")
    except OSError as error:
        told.append(type(error).__name__)
Path("told").write_text(" ".join(told))
Path("told").rename("done")
"""


def test_nobody_inside_can_reach_the_line(shop: PagedDesktop, workspace: Path) -> None:
    desktop = shop
    (workspace / "knock.html").write_text(KNOCK)
    desktop.open_url(f"http://127.0.0.1:{PORT}/knock.html")
    look = await_look(desktop, lambda seen: "found" in seen.text)
    assert f"found [[{PORT},404],[{PORT},404]]" in look.text  # our own server alone
    (workspace / "round.py").write_text(LOOK_ROUND)
    desktop.session.start(["/usr/bin/python3", "round.py"])
    await_look(desktop, lambda _: (workspace / "done").exists())
    listening = [line.split()[1] for line in (workspace / "tcp").read_text().splitlines() if " 0A " in line]
    assert listening == [f"0100007F:{PORT:04X}"]
    ours = [line.split() for line in (workspace / "unix").read_text().splitlines() if "line-" in line]
    assert ours, "the line is not where it was looked for"
    assert {line[3] for line in ours} == {"00000000"}, "somebody listens"
    assert (workspace / "done").read_text() == "FileNotFoundError"
    assert holders(desktop) == ["browser"]


def holders(desktop: PagedDesktop) -> list[str]:
    """What kinds of Chromium's processes have our end's other end open."""
    held: dict[str, set[str]] = {}
    inside = psutil.Process(desktop.session.pid).children(recursive=True)  # type: ignore[attr-defined]
    for process in inside:
        with contextlib.suppress(OSError, psutil.NoSuchProcess):
            words = process.cmdline()
            kind = next((word.removeprefix("--type=") for word in words if word.startswith("--type=")), "browser")
            open_files = Path(f"/proc/{process.pid}/fd")
            found = {os.readlink(place) for place in open_files.iterdir()}
            held.setdefault(kind if "chromium" in process.name() else process.name(), set()).update(found)
            if "--remote-debugging-pipe" in words and kind == "browser":
                line = os.readlink(open_files / "3")
    return [kind for kind, found in held.items() if line in found]


PAINTED = """<!doctype html><title>Shop</title><body style="margin:0"><canvas id=c width=500 height=300
onclick="said.textContent = `at ${event.offsetX},${event.offsetY}`"></canvas><p id=said>nothing yet</p>
<button onclick="said.textContent = 'deleted'" aria-label="Delete account"
style="position:fixed;left:200px;top:100px;width:100px;height:60px;opacity:0"></button>"""


@pytest.mark.deep
def test_points_of_a_page_are_clicked_and_what_it_does_not_show_is_not(start: Start, tmp_path: Path) -> None:
    desktop = start()
    (tmp_path / "painted.html").write_text(PAINTED)
    desktop.open_url(f"http://127.0.0.1:{PORT}/painted.html")
    seen = await_look(desktop, lambda seen: any(one.role == "canvas" for one in seen.controls))
    canvas = next(one for one in seen.controls if one.role == "canvas")
    desktop.click_at(aim(Point(canvas.box.x + 40, canvas.box.y + 30), seen))
    await_look(desktop, lambda seen: "at 40,30" in seen.text)
    with pytest.raises(ActionError, match="Delete account"):
        desktop.click_at(aim(Point(canvas.box.x + 250, canvas.box.y + 130), desktop.observe()))
    assert "at 40,30" in desktop.observe().text


def test_a_page_is_loaded_anew_and_what_it_sent_is_told_with_its_answer(shop: PagedDesktop) -> None:
    look = shop.observe()
    front = next(window for window in look.windows if window.url)
    shop.click(only(look, "button", "Save"))
    await_look(shop, lambda seen: "Saved" in seen.text)
    (sent,) = shop.sent()
    assert (sent.method, sent.status, sent.window, sent.loads) == ("POST", 501, front.id, front.loads)
    assert "Unsupported method" in sent.answer
    shop.load_anew(front.id)
    again = await_look(shop, lambda seen: "nothing yet" in seen.text)
    assert next(window.loads for window in again.windows if window.url) == front.loads + 1
    with shop.only_reading():
        shop.click(only(again, "button", "Save"))
        time.sleep(0.5)
        assert "Saved" not in shop.observe().text
    assert not shop.sent(), "the crew did nothing since"
