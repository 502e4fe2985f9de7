"""Pages of services: documents, their parts, and answers to scripts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

HEAD = """<!DOCTYPE html>
<html lang="{lang}"><meta charset="utf-8"><title>{title}</title>
<style>body {{ font: 16px {font}; margin: 0 auto; max-width: {width}; padding: 1em 2em; background: {back} }}
nav a {{ margin-right: 1.2em }} label {{ display: block; margin: .6em 0 }}
td, th {{ padding: .3em 1em .3em 0; text-align: left }}
.told {{ background: #e3f4e1; padding: .6em 1em }} .card {{ border: 1px solid #bbb; padding: .4em 1em; margin: .5em 0 }}
.small {{ font-size: 75%; color: #666 }} .grid {{ display: grid; grid-template-columns: repeat(3, 1fr); gap: .4em }}</style>
"""
SCRIPT = """<main id="main"></main><p id="told" role="status"></p>
<script>
const main = document.getElementById("main"), told = document.getElementById("told");
const ask = async (path, sent) => (await fetch(path, sent === undefined ? {} :
  {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(sent)}));
const make = (tag, text, more) => Object.assign(document.createElement(tag), {textContent: text}, more);
const labelled = (text, field) => { const label = make("label", text + " "); label.append(field); return label; };
%s
</script>"""


@dataclass(frozen=True, slots=True)
class Look:
    """What the pages of a service look like, and in which language they are."""

    lang: str = "en"
    font: str = "sans-serif"
    width: str = "50em"
    back: str = "#fff"
    nav: tuple[tuple[str, str], ...] = ()
    """Links at the top: where to, and their words."""


@dataclass(frozen=True, slots=True)
class Page:
    """An answer."""

    body: bytes
    status: int = 200
    type: str = "text/html; charset=utf-8"
    location: str = ""


def page(look: Look, title: str, *parts: str, told: str = "", status: int = 200) -> Page:
    """A document. ``told``: what it says of what was just done."""
    head = HEAD.format(lang=look.lang, title=escape(title), font=look.font, width=look.width, back=look.back)
    nav = "".join(f'<a href="{where}">{escape(words)}</a>' for where, words in look.nav)
    banner = f'<p class="told" role="status">{escape(told)}</p>' if told else ""
    return Page("\n".join((head, f"<nav>{nav}</nav>", f"<h1>{escape(title)}</h1>", banner, *parts)).encode(), status)


def scripted(look: Look, title: str, script: str) -> Page:
    """A document whose content a script makes."""
    return page(look, title, SCRIPT % script)


def data(value: object, status: int = 200) -> Page:
    """An answer to a script."""
    return Page(json.dumps(value, ensure_ascii=False).encode(), status, "application/json")


def see(where: str) -> Page:
    """Sends whoever has sent something to a page to be read."""
    return Page(b"", 303, location=where)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; its cells are HTML."""
    lines = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    titles = "".join(f"<th>{escape(each)}</th>" for each in head)
    return f"<table><tr>{titles}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def form(where: str, button: str, *parts: str) -> str:
    """A form that is sent to an address."""
    return f'<form method="post" action="{where}">{"".join(parts)}<p><button>{escape(button)}</button></p></form>'


def text(name: str, label: str, value: str = "", *, long: bool = False) -> str:
    """A field for a text."""
    if long:
        return f'<label>{escape(label)} <textarea name="{name}" rows="3" cols="50">{escape(value)}</textarea></label>'
    return f'<label>{escape(label)} <input name="{name}" value="{escape(value)}"></label>'


def choice(name: str, label: str, options: Mapping[str, str], value: str = "") -> str:
    """A list to choose from: values, and their words."""
    listed = "".join(
        f'<option value="{each}"{" selected" if each == value else ""}>{escape(words)}</option>'
        for each, words in options.items()
    )
    return f'<label>{escape(label)} <select name="{name}">{listed}</select></label>'


def tick(name: str, label: str, value: str = "1", *, on: bool = False) -> str:
    """A check box."""
    return f'<label><input type="checkbox" name="{name}" value="{value}"{" checked" if on else ""}> {escape(label)}</label>'


def link(where: str, words: str) -> str:
    """A link."""
    return f'<a href="{where}">{escape(words)}</a>'
