"""smolagents' ToolCallingAgent on one page, with tools over Playwright. Usage: run.py ORDER.json (bench/peers/README.md).

Of other libraries it needs those in requirements.lock; of Deskcrew nothing.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from playwright.sync_api import Locator, Page, sync_playwright
from smolagents import ActionStep, OpenAIModel, Tool, ToolCallingAgent, tool
from smolagents.models import REMOVE_PARAMETER

ACTION_MS = 3000
REPLY_TOKENS = 256
INSTRUCTIONS = """The tools act on one web page. Every element of it has a reference in brackets, such as [ref=e7].
Do the parts of the task one after another, in its order. Type text exactly as the task quotes it. To submit is to click the
button for it, when all else is done. Call final_answer only after that."""
PAGE = "The page now:"


def shown(page: Page) -> str:
    """The page as models are shown it: Playwright's accessibility snapshot, with references."""
    return f"{PAGE}\n{page.locator('body').aria_snapshot(mode='ai')}"


def page_tools(page: Page) -> list[Tool]:
    """What can be done on a page. Each tool shows what has become of it."""

    def at(ref: str) -> Locator:
        return page.locator(f"aria-ref={ref.strip('[]').removeprefix('ref=')}")

    def after() -> str:
        page.wait_for_timeout(200)  # for what the page does in answer
        return f"Done. {shown(page)}"

    @tool
    def observe() -> str:
        """Shows the page."""
        return shown(page)

    @tool
    def click(ref: str) -> str:
        """Clicks an element.

        Args:
            ref: Its reference.
        """
        at(ref).click(timeout=ACTION_MS)
        return after()

    @tool
    def type(ref: str, text: str) -> str:
        """Types into a text field, in place of what is in it.

        Args:
            ref: The field's reference.
            text: What to type.
        """
        at(ref).fill(text, timeout=ACTION_MS)
        return after()

    @tool
    def select(ref: str, option: str) -> str:
        """Selects an option of a list.

        Args:
            ref: The list's reference.
            option: The option's text.
        """
        at(ref).select_option(option, timeout=ACTION_MS)
        return after()

    @tool
    def press_key(key: str) -> str:
        """Presses a key of the keyboard. Buttons of the page are clicked instead.

        Args:
            key: Its name, such as Tab or ArrowRight.
        """
        page.keyboard.press(key)
        return after()

    @tool
    def drag(ref: str, target: str) -> str:
        """Drags an element onto another one.

        Args:
            ref: The reference of what is dragged.
            target: The reference of where to.
        """
        at(ref).drag_to(at(target), timeout=ACTION_MS)
        return after()

    return [observe, click, type, select, press_key, drag]


def reply_format(tools: list[Tool]) -> dict[str, object]:
    """The schema of a reply: a call of one of the tools, as smolagents' prompt has it."""
    calls: list[dict[str, object]] = []
    for each in tools:
        inputs = {name: {"type": "string"} for name in each.inputs}
        arguments = {"type": "object", "properties": inputs, "required": list(inputs)}
        both = {"name": {"const": each.name}, "arguments": arguments}
        calls.append({"type": "object", "properties": both, "required": list(both)})
    return {"type": "json_schema", "json_schema": {"name": "call", "strict": True, "schema": {"anyOf": calls}}}


def only_the_last_page(step: ActionStep, agent: ToolCallingAgent) -> None:
    """Pages of earlier steps are taken out of memory, as smolagents' own browser does with screenshots."""
    for earlier in agent.memory.steps:
        if isinstance(earlier, ActionStep) and earlier.step_number < step.step_number and earlier.observations:
            earlier.observations = earlier.observations.partition(PAGE)[0]


def agent_for(order: dict[str, object], tools: list[Tool]) -> ToolCallingAgent:
    """The agent, with the settings that README.md gives reasons for."""
    model = OpenAIModel(
        order["model"],
        api_base=order["base_url"],
        api_key="none",
        client_kwargs={"timeout": order["seconds"], "max_retries": 0},
        temperature=0,
        seed=order["seed"],
        max_tokens=REPLY_TOKENS,
    )
    agent = ToolCallingAgent(
        tools,
        model,
        instructions=INSTRUCTIONS,
        max_steps=order["steps"],
        max_tool_threads=1,
        step_callbacks=[only_the_last_page],
        return_full_result=True,
    )
    model.kwargs |= {
        "tools": REMOVE_PARAMETER,
        "tool_choice": REMOVE_PARAMETER,
        "response_format": reply_format(list(agent.tools.values())),
    }
    return agent


def main() -> None:
    order = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    width, height = order["size"]
    with sync_playwright() as playwright:
        # Root cannot have Chromium's own sandbox.
        browser = playwright.chromium.launch(executable_path=order["chromium"], args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(order["url"], wait_until="networkidle")
        ended = agent_for(order, page_tools(page)).run(f"{order['instruction']}\n\n{shown(page)}")
        time.sleep(1)  # what the page has to tell is on its way
    done = ended.state == "success"
    told = {"outcome": "done" if done else "failed", "reason": "" if done else "bound:steps", "answer": str(ended.output)}
    Path(order["result"]).write_text(json.dumps(told), encoding="utf-8")


main()
