"""Elements that say nothing of themselves, and listen to the mouse all the same."""

from __future__ import annotations

from deskcrew.environments.browser.browser import BrowserDesktop

from .conftest import Site, only

SAYS = "<p id=out></p><script>const say = text => out.textContent = text</script>"


def test_what_only_listens_is_something_to_be_pressed(browser: BrowserDesktop, site: Site) -> None:
    site.page("/heard-inside", "<div id=d>Inside</div><script>d.addEventListener('pointerdown', () => 1)</script>")
    browser.open_url(
        site.page(
            "/heard",
            f"""{SAYS}<div id=a>First</div><div id=b>Second</div><p id=c>Only words</p><x-deep></x-deep>
            <iframe src=/heard-inside></iframe><iframe src="{site.other}/heard-inside"></iframe>
            <script>a.addEventListener('click', () => say('first')); b.addEventListener('mousedown', () => say('second'));
            c.addEventListener('keydown', () => 1);
            const deep = document.querySelector('x-deep').attachShadow({{mode: 'open'}}); deep.innerHTML = '<b>Deep</b>';
            deep.firstChild.addEventListener('click', () => say('deep'))</script>""",
        )
    )
    seen = browser.observe()
    assert sorted(c.name for c in seen.controls if c.role == "button") == ["Deep", "First", "Inside", "Inside", "Second"]
    for name in ("First", "Second", "Deep"):
        browser.click(only(browser.observe(), "button", name))
        assert name.lower() in browser.observe().text


def test_what_begins_to_listen_later_is_seen_then(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(site.page("/later", "<div id=a>Sleepy</div>"))
    assert browser.observe().controls == ()
    browser.with_page(lambda page: page.evaluate("a.addEventListener('click', () => 1)"))
    only(browser.observe(), "button", "Sleepy")
    browser.open_url(site.page("/later-again", "<div id=a>Other</div><script>a.onclick = () => 1</script>"))
    only(browser.observe(), "button", "Other")


def test_what_listens_for_what_is_in_it_is_no_control(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(
        site.page(
            "/delegates",
            """<div id=all><button>Go</button> words</div><div id=outer>Around <span id=inner>Inner</span></div><p>Text</p>
            <script>for (const one of [document, document.body, all, outer, inner]) one.addEventListener('click', () => 1)
            </script>""",
        )
    )
    assert [(c.role, c.name) for c in browser.observe().controls] == [("button", "Go"), ("button", "Inner")]


def test_a_page_can_neither_hide_it_nor_see_that_it_was_looked_for(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(
        site.page(
            "/hides",
            f"""{SAYS}<div id=a>Hidden</div><script>
            const add = EventTarget.prototype.addEventListener; add.call(a, 'click', () => say('pressed'));
            EventTarget.prototype.addEventListener = () => {{ throw 1 }}; window.getEventListeners = () => ({{}});
            Object.defineProperty(Document.prototype, 'nodeType', {{ get() {{ say('looked at'); return 0 }} }});
            window.native = () => String(add)</script>""",
        )
    )
    seen = browser.observe()
    assert "looked at" not in seen.text
    browser.click(only(seen, "button", "Hidden"))
    assert "pressed" in browser.observe().text
    assert "[native code]" in browser.with_page(lambda page: page.evaluate("native()"))
