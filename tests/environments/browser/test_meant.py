"""What is done to a page is done to what was meant: the press to the control that was seen, a secret to the host it is for.

Looked at from outside: what the page's server was asked for.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

from deskcrew.actions import builtin
from deskcrew.actions.action import Result, Scene
from deskcrew.actions.executor import execute
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.browser.browser import BrowserDesktop
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import ActionError
from deskcrew.facts.events import Operation
from deskcrew.secrets.binding import Binding, Secret
from deskcrew.secrets.vault import Vault

from .conftest import Site, only

VALUE = "a value for one host alone"
FIELD = "<input aria-label=Word onchange=\"fetch('/got?' + encodeURIComponent(this.value))\">"


@pytest.mark.parametrize("kind", ["pointermove", "pointerover", "mouseover"])
def test_what_changes_under_the_mouse_is_not_pressed(browser: BrowserDesktop, site: Site, kind: str) -> None:
    site.page(f"/pressed-{kind}", "")
    button = f"<button id=b onclick=\"fetch('/pressed-{kind}')\">Show</button>"
    change = f"<script>addEventListener('{kind}', () => b.textContent = 'Pay now', true)</script>"
    browser.open_url(site.page(f"/{kind}", button + change))
    seen = browser.observe()
    with pytest.raises(ActionError, match="Pay now"):
        browser.click(only(seen, "button", "Show"))
    assert only(browser.observe(), "button", "Pay now")
    browser.click(only(browser.observe(), "button", "Pay now"))
    browser.observe()
    assert [request.path for request in site.asked].count(f"/pressed-{kind}") == 1, "the press that was meant, and no other"


def typed(browser: BrowserDesktop, folder: Path, binding: Binding) -> Result:
    seen = browser.observe()
    operation = Operation(
        function="keyboard_input",
        control=only(seen, "text field", "Word").label,
        params={"keys": "{{secret:word}}", "click_enter": True},
    )
    vault = Vault([Secret("word", VALUE, binding)])
    return execute(operation, builtin(), Scene(Workspace(folder), Sandbox(folder), browser, seen, vault))


def given(site: Site) -> list[str]:
    return [request.query_string.decode() for request in site.asked if request.path == "/got"]


def test_a_page_of_its_host_gets_the_secret(browser: BrowserDesktop, site: Site, tmp_path: Path) -> None:
    site.page("/got", "")
    browser.open_url(site.page("/login", FIELD))
    result = typed(browser, tmp_path, Binding(hosts=(site.root.removeprefix("http://"),)))
    assert result.ok, result
    assert VALUE not in str(result)
    browser.observe()
    assert given(site)[-1:] == [quote(VALUE)]


@pytest.mark.parametrize("bound", ["other host", "other port", "application", "frame"])
def test_no_other_page_gets_it(browser: BrowserDesktop, site: Site, tmp_path: Path, bound: str) -> None:
    site.page("/got", "")
    site.page("/inside", FIELD)
    here = site.root.removeprefix("http://")
    binding = {
        "other host": Binding(hosts=("mail.example.org",)),
        "other port": Binding(hosts=("127.0.0.1",)),
        "application": Binding(apps=("chromium",)),
        "frame": Binding(hosts=(here,)),
    }[bound]
    framed = f"<iframe src={site.other}/inside width=400 height=200></iframe>"
    browser.open_url(site.page(f"/login-{bound.replace(' ', '-')}", framed if bound == "frame" else FIELD))
    before = len(given(site))
    result = typed(browser, tmp_path, binding)
    assert not result.ok
    assert "--host" in result.error
    assert only(browser.observe(), "text field", "Word").value == ""
    assert len(given(site)) == before
