"""Every pair of colours that text is read in reaches WCAG 2.2 AA, in light and in dark."""

from __future__ import annotations

import re

import pytest

from deskcrew.ways_in.web.pages import STATIC

CSS = (STATIC / "deskcrew.css").read_text()
TOKENS = {name: values for name, *values in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", CSS)}
GROUNDS = ("ground", "surface", "sunken")
WASHED = ("good", "warn", "bad", "ask", "calm", "accent")
TEXTS = [(text, ground) for text in ("text", "soft", "accent") for ground in GROUNDS]
TEXTS += [(text, "surface") for text in ("good", "warn", "bad", "ask")] + [(text, "sunken") for text in ("good", "bad")]
TEXTS += [(text, f"{text}-wash") for text in WASHED] + [("text", wash) for wash in ("accent-wash", "added", "removed")]
TEXTS += [("soft", "accent-wash"), *(("on-fill", fill) for fill in ("accent-fill", "accent-fill-over", "bad-fill"))]
EDGES = [("edge", "surface"), ("edge", "ground"), ("accent", "surface"), ("accent", "ground"), ("ask", "ground")]


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_the_measure_is_the_one_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), TEXTS)
def test_text_can_be_read(text: str, ground: str, theme: int) -> None:
    assert contrast(TOKENS[text][theme], TOKENS[ground][theme]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("edge", "ground"), EDGES)
def test_edges_of_fields_and_the_focus_can_be_seen(edge: str, ground: str, theme: int) -> None:
    assert contrast(TOKENS[edge][theme], TOKENS[ground][theme]) >= 3


def test_no_colour_is_set_beside_the_tokens_and_what_is_drawn_over_pictures() -> None:
    rules = CSS[CSS.index(":root[data-theme") :]
    other = [line for line in rules.splitlines() if re.search(r"#[0-9a-f]{3,6}\b", line)]
    assert [line for line in other if not line.startswith((".mark", ".pointed"))] == []
