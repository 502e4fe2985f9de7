"""A server, a browser and runs of a scripted crew, for tests that press what a person presses."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page

from web.browsing import browsing, page_of, script, serving

LOOKS = {"operations": [{"function": "list_files"}], "branch": "Continue"}
ASKS: dict[str, Any] = {"operations": [], "branch": "NeedHumanHelp", "problem": "Which of the two?"}


def plan(*goals: str, role: str = "FileManager") -> dict[str, Any]:
    """What a planner replies."""
    return {"subtasks": [{"goal": goal, "role": role} for goal in goals], "question": ""}


def writes(name: str, text: str, branch: str = "Continue") -> dict[str, Any]:
    """A reply that writes a file."""
    return {"operations": [{"function": "write_file", "file_path": name, "text": text}], "branch": branch}


def slow(number: int) -> dict[str, Any]:
    """A reply whose operation takes a while."""
    code = f"import time\ntime.sleep(0.6)\nprint({number} * {number})"
    return {"operations": [{"function": "run_python_code", "code": code}], "branch": "Continue"}


@dataclass
class Hall:
    """A server with a browser on it; its runs end with it."""

    folder: Path
    browser: Browser
    link: str
    begun: list[str] = field(default_factory=list[str])
    numbers: Any = field(default_factory=lambda: itertools.count(1))

    @property
    def origin(self) -> str:
        parts = urlsplit(self.link)
        return f"{parts.scheme}://{parts.netloc}"

    @contextmanager
    def page(
        self, width: str = "wide", *, scheme: str = "light", quiet: bool = False, scripts: bool = True
    ) -> Generator[Page]:
        """A page that was let in; what it complains of fails the test. Its runs are stopped with it."""
        with page_of(self.browser, width, self.link, scheme=scheme, quiet=quiet, scripts=scripts) as page:
            # The link opened once: the next page gets one of its own.
            made = page.request.post(f"{self.origin}/link", headers={"origin": self.origin})
            self.link = next(part for part in made.text().split('"') if "/enter?token=" in part)
            begun = len(self.begun)
            try:
                yield page
            finally:
                for run in self.begun[begun:]:
                    page.request.post(f"{self.origin}/runs/{run}/stop", headers={"origin": self.origin})

    def script(self, replies: Sequence[Any]) -> str:
        """The model string of a script of its own."""
        return script(self.folder / f"script-{next(self.numbers)}.json", replies)

    def begin(self, page: Page, replies: Sequence[Any], *, crew: str = "solo", mode: str = "active", **more: str) -> str:
        """Start a task as the form does, and go to its page; the run's id."""
        form = {
            "task": "Write a.txt and b.txt.",
            "model": self.script(replies),
            "crew": crew,
            "mode": mode,
            "desktop": "none",
        }
        headers = {"origin": self.origin}
        answer = page.request.post(f"{self.origin}/start", headers=headers, form=form | more, timeout=150_000)
        assert answer.status == 204, answer.text()
        address = answer.headers["hx-redirect"]
        self.begun.append(address.removeprefix("/runs/"))
        page.goto(f"{self.origin}{address}")
        return self.begun[-1]


@contextmanager
def hall(folder: Path, *options: str) -> Generator[Hall]:
    """The server over the data of ``folder``, with these options, and a browser."""
    with serving(folder, *options) as link, browsing() as browser:
        yield Hall(folder, browser, link)
