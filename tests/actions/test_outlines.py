"""How files are built, in few characters."""

from __future__ import annotations

import json

import pytest

from deskcrew.actions.outlines import outline


@pytest.mark.parametrize(
    ("path", "text", "shown"),
    [
        ("a.csv", "name,age\nBo,3\nAl,4\nCy,5\nDi,6\n", "name,age | Bo,3 | Al,4 | Cy,5 | ... 1 more line"),
        ("a.csv", "name;age\nBo;3\n", "(delimiter=';') name;age | Bo;3"),
        ("a.txt", "One\n\n\nTwo\n", "One | Two"),
        ("a.xlsx", "[sheet Shop]\na,b\n1,2\n[sheet Depot]\nc\n3\n", "sheet 'Shop': a,b | 1,2 || sheet 'Depot': c | 3"),
        ("a.xml", "<a><b id='1'>x</b><b id='2'>y</b></a>", '<a><b id="1">x</b>... 1 more <b></a>'),
        ("a.xml", "<a><b>", "<a><b>"),
        ("a.json", "{broken", "{broken"),
    ],
)
def test_an_outline_shows_header_sheets_and_elements(path: str, text: str, shown: str) -> None:
    assert outline(path, text, 200) == shown


def test_a_tree_is_shown_by_its_shape_however_it_is_laid_out() -> None:
    tree = {"when": "2025", "shops": [{"name": "A", "sold": [1, 2, 3, 4, 5]}, {"name": "B"}], "note": "x" * 90}
    shown = outline("a.json", json.dumps(tree, indent=4), 300)
    assert shown == outline("a.json", json.dumps(tree), 300)
    assert '"sold": [1, 2, 3, ... 2 more items]}, ... 1 more item]' in shown
    assert "x" * 41 not in shown


def test_an_outline_keeps_to_its_room() -> None:
    assert len(outline("a.csv", "a," * 500, 100)) == 100


def test_entities_of_a_document_are_not_resolved() -> None:
    bomb = '<!DOCTYPE a [<!ENTITY e "boom"><!ENTITY f SYSTEM "file:///etc/passwd">]><a>&e;&f;</a>'
    assert "boom" not in outline("a.xml", bomb, 200).partition("<a>")[2]
    assert "root:" not in outline("a.xml", bomb, 200)


@pytest.mark.parametrize(
    ("path", "text", "shown"),
    [
        ("a.csv", "name,age\nBo,3\nAl,4\nCy,5\nDi,6\nEd,7\n", "name,age | Bo,3 | Al,4 | ... | Di,6 | ... 2 more lines"),
        ("a.csv", "name,age\nDi,6\n", "name,age | Di,6"),
        ("a.json", '[{"n": "Bo"}, {"n": "Di", "x": [{"y": 1}]}]', '[{"n": "Di", "x": [{"y": 1}]}, ... 1 more item]'),
        (
            "a.html",
            "<!doctype html><title>x</title><style>p {}</style><p>Bo<p>Di<script>1</script><p>Al",
            "<body><p>Di</p>... 2 more <p></body>",
        ),
        ("a.xml", "<a><b>Bo</b><b>Di</b></a>", "<a><b>Di</b>... 1 more <b></a>"),
    ],
)  # fmt: skip
def test_an_outline_shows_where_a_name_stands(path: str, text: str, shown: str) -> None:
    assert outline(path, text, 200, ("di",)) == shown
