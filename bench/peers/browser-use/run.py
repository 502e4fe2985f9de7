"""browser-use's Agent on one page. Usage: run.py ORDER.json (see bench/peers/README.md).

Of other libraries it needs those in requirements.lock; of Deskcrew nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ |= {  # read when it is imported
    "ANONYMIZED_TELEMETRY": "false",
    "BROWSER_USE_CLOUD_SYNC": "false",
    "BROWSER_USE_VERSION_CHECK": "false",
}

from browser_use import Agent, BrowserProfile, BrowserSession, ChatOpenAI, Tools

ACTIONS = frozenset({"click", "input", "select_dropdown", "dropdown_options", "send_keys", "scroll", "wait", "done"})
ACTIONS_A_STEP = 5
REPLY_TOKENS = 512
SPEED = """Speed optimization instructions:
- Be extremely concise and direct in your responses
- Get to the goal as quickly as possible
- Use multi-action sequences whenever possible to reduce steps
"""


def tools() -> Tools:
    """Those that a page of its own needs."""
    return Tools(exclude_actions=[name for name in Tools().registry.registry.actions if name not in ACTIONS])


async def page_of(order: dict[str, Any]) -> BrowserSession:
    """A browser with the page open."""
    width, height = order["size"]
    size = {"width": width, "height": height}
    browser = BrowserSession(
        browser_profile=BrowserProfile(
            executable_path=order["chromium"],
            chromium_sandbox=False,  # root cannot have it
            headless=True,
            viewport=size,
            window_size=size,
            enable_default_extensions=False,
            captcha_solver=False,
            highlight_elements=False,
            minimum_wait_page_load_time=0.1,
            wait_between_actions=0.1,
        )
    )
    await browser.start()
    await browser.navigate_to(order["url"])
    await asyncio.sleep(1)  # for what the page does at first
    return browser


def small() -> tuple[dict[str, Any], dict[str, Any]]:
    """Of the model and of the agent what README.md gives reasons for, for a small model and small pages."""
    asked = {
        "temperature": 0.0,
        "frequency_penalty": None,
        "max_completion_tokens": REPLY_TOKENS,
        "add_schema_to_system_prompt": True,
    }
    works = {
        "tools": tools(),
        "flash_mode": True,
        "max_actions_per_step": ACTIONS_A_STEP,
        "extend_system_message": SPEED,
    }
    return asked, works


async def played(order: dict[str, Any]) -> dict[str, str]:
    """What the agent says of itself."""
    asked, works = ({}, {}) if order["strong"] else small()
    agent = Agent(
        task=order["instruction"],
        llm=ChatOpenAI(
            model=order["model"],
            base_url=order["base_url"],
            api_key="none",
            seed=order["seed"],
            timeout=order["seconds"],
            max_retries=0,
            **asked,
        ),
        browser_session=await page_of(order),
        use_vision=False,
        use_judge=False,
        directly_open_url=False,
        llm_timeout=int(order["seconds"]),
        step_timeout=int(order["seconds"]),
        enable_signal_handler=False,
        **works,
    )
    history = await agent.run(max_steps=order["steps"])
    await asyncio.sleep(1)  # what the page has to tell is on its way
    done = history.is_successful() is True
    reason = "" if done else "gave_up" if history.is_done() else "bound:steps"
    return {"outcome": "done" if done else "failed", "reason": reason, "answer": history.final_result() or ""}


def main() -> None:
    order = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    told = asyncio.run(played(order))
    Path(order["result"]).write_text(json.dumps(told), encoding="utf-8")


main()
