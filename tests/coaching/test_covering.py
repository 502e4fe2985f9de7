"""Where a word that a program leaves out stands in what it read."""

from __future__ import annotations

import pytest

from deskcrew.coaching.covering import holders


@pytest.mark.parametrize(
    ("path", "text", "columns"),
    [
        ("a.csv", "name,state\nBo,sent\nsent,open\n", {"state", "name"}),
        ("a.csv", "name;state\nBo; Sent \n", {"state"}),
        ("a.xlsx", "[sheet A]\nname,state\nBo,sent\n[sheet B]\nk,v\n1,sent\n", {"state", "v"}),
        ("a.json", '{"a": [{"state": "sent", "n": 1}, {"state": {"x": "SENT"}}]}', {"state", "x"}),
        ("a.xml", "<a><b state='sent'/><c><d>sent</d></c><e>sent by</e></a>", {"state", "d"}),
        ("a.xml", "<a", set()),
        ("a.json", "{", set()),
        ("a.csv", "", set()),
    ],
)
def test_what_has_a_word_for_a_value(path: str, text: str, columns: set[str]) -> None:
    assert set(holders(text, path, "sent")) == columns
