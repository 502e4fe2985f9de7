"""Draws docs/pictures/demo-rejected.png from a real run of the demo's first act: what it told, and its screen.

    .venv/bin/python tools/demo_picture.py [FILE]

Needs what `make setup` installs. Takes half a minute; the run is in a folder of its own, which is removed.
"""

from __future__ import annotations

import base64
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from deskcrew.environments.browser.launch import program

COLUMNS = 112
FIRST, LAST = "What must hold in the end", "It cost nothing"
"""How the lines begin that the picture begins with and ends before."""
REDRAWN = re.compile(r"\x1b\[\?25[lh]|\x1b\[1A")
PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ position: relative; margin: 0; width: max-content; background: #16181d; color: #e4e6eb; }}
pre {{ margin: 0; padding: 12px 16px; font: 13px/1.38 "DejaVu Sans Mono", monospace; }}
img {{ position: absolute; right: 16px; top: {top}px; width: 244px; border: 1px solid #5b6270; border-radius: 4px; }}
</style><pre>{told}</pre><img src="data:image/png;base64,{screen}">"""


def main() -> None:
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures/demo-rejected.png")
    with tempfile.TemporaryDirectory() as data:
        # The second act needs the small model, and is not in the picture: no model, so it ends at once.
        told = _deskcrew(data, "demo", "--yes", "--model", "scripted:/dev/null")
        events = json.loads(_deskcrew(data, "log", "last", "--json"))["events"]
        claimed = next(event["header"]["number"] for event in events if event["body"]["type"] == "proved")
        screen = Path(data) / "screen.png"
        _deskcrew(data, "show", "last", str(claimed), "--screenshot", str(screen))
        picture = _drawn(_lines(told), screen.read_bytes())
    target.write_bytes(picture)
    print(f"{target}: {len(picture):,} bytes")


def _deskcrew(data: str, *arguments: str) -> str:
    environment = {**os.environ, "DESKCREW_DATA": data, "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS)}
    command = [sys.executable, "-c", "from deskcrew.ways_in.cli.app import main; main()", *arguments]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=False)
    return ended.stdout.decode()


def _lines(told: str) -> list[str]:
    """What stays on a terminal, of the part that is shown."""
    lines = [REDRAWN.sub("", line).rpartition("\r\x1b[2K")[2].rstrip() for line in told.split("\n")]
    begins = [Text.from_ansi(line).plain for line in lines]
    first = next(at for at, line in enumerate(begins) if line.startswith(FIRST))
    return lines[first : next(at for at, line in enumerate(begins) if line.startswith(LAST))]


def _drawn(lines: list[str], screen: bytes) -> bytes:
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.from_ansi("\n".join(lines)), soft_wrap=True)
    told = console.export_html(theme=MONOKAI, inline_styles=True, code_format="{code}")
    begins = next(at for at, line in enumerate(lines) if "→" in line)
    page = PAGE.format(told=told, screen=base64.b64encode(screen).decode(), top=12 + round(begins * 13 * 1.38))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=["--no-sandbox", "--disable-gpu"])
        shown = browser.new_page(device_scale_factor=1.5)
        shown.set_content(page)
        taken = shown.locator("body").screenshot()
        browser.close()
    return small(taken)


def small(picture: bytes) -> bytes:
    """The same with fewer colours."""
    fewer = Image.open(io.BytesIO(picture)).convert("RGB").quantize(256, method=Image.Quantize.FASTOCTREE)
    made = io.BytesIO()
    fewer.save(made, "PNG", optimize=True)
    return made.getvalue()


if __name__ == "__main__":
    main()
