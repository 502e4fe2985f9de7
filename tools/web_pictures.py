"""Takes docs/pictures/web-*.png: pages of the web application while a scripted crew works on a virtual desktop.

    .venv/bin/python tools/web_pictures.py [FOLDER]

Needs what `make setup` installs. Takes a minute; the run is in a folder of its own, which is removed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from demo_picture import small
from playwright.sync_api import Page, expect

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

from support.crew import settings_in  # noqa: E402
from web.pressing import Hall, hall  # noqa: E402

TASK = 'Delete draft.txt, and write "Total: 42" into total.txt.'
OPENS = {"function": "open_application", "app_name": "Text Editor (Mousepad)"}
REMOVES = {"function": "run_shell", "command": "rm draft.txt"}


def main() -> None:
    target = Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent / "docs/pictures")
    with tempfile.TemporaryDirectory() as folder, hall(Path(folder)) as there:
        for name, picture in _taken(there, Path(folder)).items():
            (target / f"web-{name}.png").write_bytes(small(picture))
            print(f"{name}: {(target / f'web-{name}.png').stat().st_size:,} bytes")


def _taken(there: Hall, folder: Path) -> dict[str, bytes]:
    work, taken = folder / "work", dict[str, bytes]()
    work.mkdir()
    (work / "draft.txt").write_text("To be written yet.\n")
    replies = [_goes_on(OPENS), _goes_on(REMOVES), *_writes("Total: 24")]
    with there.page() as page:
        run = there.begin(page, replies, mode="passive", desktop="virtual", task=TASK, workspace=str(work))
        expect(page.locator(".ask")).to_contain_text("rm draft.txt")
        taken["asks"] = _picture(page)
        with there.page("phone", scheme="dark") as phone:
            phone.goto(page.url)
            expect(phone.locator(".ask")).to_contain_text("rm draft.txt")
            taken["phone"] = _picture(phone)
        page.get_by_role("button", name="Allow once").click()
        expect(page.locator("section.outcome")).to_be_visible()
        reply = page.locator(".line[data-kind=reply]").nth(2)
        number = (reply.get_attribute("id") or "").removeprefix("e")
        _went_back(run, number, there.script(_writes("Total: 42")), folder)
        page.reload()
        page.locator(".line[data-kind=operation] a", has_text="Type").first.click()
        page.locator("#inspector").get_by_text("What changed", exact=True).click()
        taken["reply"] = _picture(page)
        page.goto(f"{there.origin}/runs/{run}/branches")
        page.get_by_role("button", name="Compare").click()
        expect(page.get_by_text("Both are the same up to")).to_be_visible()
        taken["branches"] = _picture(page)
    return taken


def _goes_on(operation: dict[str, str]) -> dict[str, Any]:
    return {"operations": [operation], "branch": "Continue"}


def _writes(text: str) -> list[dict[str, Any]]:
    writes = {"function": "write_file", "file_path": "total.txt", "text": text}
    typed = _goes_on({"function": "keyboard_input", "keys": text})
    return [typed, *[{"operations": [writes], "branch": "RoleTaskFinish"}] * 4]


def _went_back(run: str, number: str, model: str, folder: Path) -> None:
    """Go back to a reply and say what was wrong, and wait for the end."""
    environment = {**os.environ, "DESKCREW_CONFIG": str(folder / "config")}
    command = [sys.executable, "-c", "from deskcrew.ways_in.cli.app import main; main()", "rewind", run, number, "--yes"]
    command += ["--say", "It is 42.", "--mode", "automatic", "--model", model, "--data", str(settings_in(folder).data)]
    subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)


def _picture(page: Page) -> bytes:
    page.wait_for_function("[...document.images].every(each => each.complete)")
    page.wait_for_timeout(500)  # for what moves
    return page.screenshot()


if __name__ == "__main__":
    main()
