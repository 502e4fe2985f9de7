"""Describes in full what a skill does and what proves it: nothing that would be executed is left out.

Other people's skills are shown like this before they are allowed, so characters that do not print are escaped.
"""

from __future__ import annotations

import json
from textwrap import indent
from unicodedata import category

from deskcrew.learning.skills.skill import Method, Parameter, Request, SkillStep

_DEEPER = "    "
_HIDDEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
"""Categories of characters that do not print."""


def ways_of(method: Method) -> tuple[str, ...]:
    """How a skill works: one text per step, or one for a function or request. Lines after the first are indented."""
    if method.function is not None:
        names = ", ".join(each.name for each in method.parameters)
        return (f"{method.function.name}({names}) of {method.function.script}",)
    if method.request is not None:
        return (_request_words(method.request),)
    return tuple(step_words(step) for step in method.steps)


def step_words(step: SkillStep) -> str:
    """A step with its control by role and name. Texts of several lines follow it, each in a block of its own."""
    label = step.operation.control or ""
    control = step.before.control(label) if step.before is not None and label else None
    given = {name: value for name, value in step.operation.params.items() if value != ""}
    blocks = {name: value for name, value in given.items() if isinstance(value, str) and "\n" in value.strip()}
    words = [step.operation.function]
    words += [f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in given.items() if name not in blocks]
    words += [f"on {control.role} {control.name!r}"] if control is not None else []
    lines = [in_line(" ".join(words)), *(f"{in_line(name)}:\n{block(text)}" for name, text in blocks.items())]
    return f"\n{_DEEPER}".join(lines)


def parameter_words(each: Parameter, *, recorded: bool) -> str:
    """A parameter in words: whether it is required, what it is and may be, and its value: an example or, if ``recorded``,
    the default."""
    optional = recorded or each.optional or (each.kind == "file" and not each.given)  # a new file gets a name
    may = f"one of {', '.join(each.choices)}" if each.choices else "an existing file" if each.given else ""
    value = each.value and (f"as recorded if left out: {each.value}" if recorded else f"for example {each.value}")
    more = "; ".join(filter(None, (each.description, may, value)))
    return f"{each.name} ({each.kind}, {'may be left out' if optional else 'required'}){f': {more}' if more else ''}"


def block(text: str) -> str:
    """A whole text of several lines, indented twice so that none of its lines can be taken for anything else."""
    return indent(_printable(text.strip("\n")), _DEEPER * 2, lambda _: True)


def in_line(text: str) -> str:
    """A whole text, on one line."""
    return _printable(text).replace("\n", "\\n")


def proven_when(method: Method) -> str:
    """The heading of a skill's checks. What a service does is not observed, so a run of just such a skill never ends
    done."""
    return "Counts as a success when" if method.request is not None else "Done when"


def checks_of(method: Method) -> tuple[str, ...]:
    """What must hold at the end, one sentence per check."""
    contract = method.goal.contract
    if method.function is not None:
        checker = method.function.checker
        by = [f"{checker.name} of {checker.script}, a program written apart from it, finds nothing wrong"] if checker else []
        return (*(check.words for check in method.function.ensures), *by) or ("it ends without an error",)
    if method.request is not None:
        return ("the service answers that it succeeded, and as it is described",)
    if contract is not None:
        return tuple(each.says for each in contract.standing)
    return tuple(check.words for check in method.goal.checks)


def _printable(text: str) -> str:
    """The text with every character that does not print, except line ends and tabs, as an escape sequence."""
    return "".join(
        each.encode("unicode_escape").decode() if each not in "\n\t" and category(each) in _HIDDEN else each for each in text
    )


def _request_words(request: Request) -> str:
    fields = [f"{each.place} {each.name}: {each.text or f'{{{each.parameter}}}'}" for each in request.fields]
    return f"\n{_DEEPER}".join(map(in_line, (f"{request.method} {request.address}", *fields)))
