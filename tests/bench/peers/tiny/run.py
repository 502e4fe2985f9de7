"""A peer that needs no model to think: it does what the name of its model says, by real means, and asks the model once."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from playwright.sync_api import sync_playwright

order = json.loads(Path(sys.argv[1]).read_text())
how = order["model"]
if how == "broken":
    sys.exit("its library is not there")
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=order["chromium"], args=["--no-sandbox"])
    width, height = order["size"]
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(order["url"], wait_until="networkidle")
    # A process that does not belong to this one's group, as browsers are started.
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(900)", sys.argv[1]], start_new_session=True)
    body = json.dumps({"model": how, "messages": [{"role": "user", "content": order["instruction"]}]}).encode()
    try:
        urlopen(Request(f"{order['base_url']}/chat/completions", body)).read()
    except HTTPError as error:
        sys.exit(f"the model said {error.code}")
    button = re.search(r"button (\w+)", order["instruction"])
    assert button, order["instruction"]
    if how == "click":
        page.get_by_text(button[1], exact=True).click()
        time.sleep(900)
    if how == "sleep":
        time.sleep(900)
    browser.close()
Path(order["result"]).write_text(json.dumps({"outcome": "done", "answer": button[1]}))
