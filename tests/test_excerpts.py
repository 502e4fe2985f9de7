"""Which lines of a long text are shown."""

from __future__ import annotations

from deskcrew.facts.excerpts import CUT, beginning, both_ends, is_cut, shorten, telling

PAGE = "\n".join(
    ["Handbook", *(f"Chapter {n}: close the windows of the house." for n in range(30)), "The gate's code is 417."]
)


def test_the_lines_with_the_questions_words_are_shown_with_the_first() -> None:
    shown = telling(PAGE, "What is the code of the gate?", 60)
    assert shown.splitlines() == ["Handbook", "The gate's code is 417.", "[cut here: 2 of 32 lines are shown]"]


def test_a_word_that_all_lines_have_tells_less_than_one_that_few_have() -> None:
    assert "417" in telling(PAGE, "Which code opens the gate of the house in this chapter?", 120)


def test_common_words_count_for_little_in_any_language() -> None:
    rules = [f"In der Woche {n} ist das Fenster zu." for n in range(30)]
    page = "\n".join(["Hausordnung", *rules, "Der Code für das Tor ist 417.", "Das ist alles."])
    shown = telling(page, "Wie lautet der Code für das Tor?", 50)
    assert shown.splitlines() == ["Hausordnung", "Der Code für das Tor ist 417.", "[cut here: 2 of 33 lines are shown]"]


def test_words_of_every_line_distinguish_none() -> None:
    page = "\n".join(f"{n}. The crew closes the gate." for n in range(30))
    assert telling(page, "When does the crew close the gate?", 60) == ""


def test_what_is_short_and_what_has_none_of_the_words_is_left_as_it_is() -> None:
    assert telling("One\nTwo\nThree", "three", 100) == ""
    assert telling(PAGE, "Who sings?", 60) == ""


def test_of_a_long_table_the_last_rows_are_shown_too_and_how_many_there_are() -> None:
    rows = ["order,net", *(f"{number},1.50" for number in range(1000, 1500)), "total,750"]
    shown = both_ends("\n".join(rows), 100).splitlines()
    assert shown[:2] == ["order,net", "1000,1.50"]
    assert shown[-2:] == ["1499,1.50", "total,750"]
    assert f"... ({502 - len(shown) + 1} more lines, 502 in all)" in shown
    assert both_ends("short", 100) == "short"
    cut = both_ends("\n".join((*rows, f"{CUT}only the first 9 characters are shown]")), 200)
    assert "more lines)" in cut, "how many there are in all is not known"
    assert both_ends("x" * 300, 100) == f"{'x' * 100}... (200 more characters)"


def test_what_is_a_little_too_long_is_spared() -> None:
    assert shorten("a" * 120, 100, spared=20) == "a" * 120
    assert shorten("a" * 121, 100, spared=20) == "a" * 100 + "... (21 more characters)"


def test_an_output_that_is_cut_says_how_much_there_is_what_is_shown_and_how_to_see_the_rest() -> None:
    rows = [f"row {number:03}" for number in range(1, 101)]
    whole = "\n".join(rows)
    cut = beginning(whole, 79, "print less")
    assert cut == "\n".join((*rows[:9], "[cut here: lines 1-9 of 100 are shown, 71 of 799 characters; print less]"))
    again = beginning(cut, 40)
    assert again == "\n".join((*rows[:5], "[cut here: lines 1-5 of 100 are shown, 39 of 799 characters; print less]"))
    assert beginning("x" * 50, 40) == "x" * 40 + "\n[cut here: lines 1-1 of 1 are shown, 40 of 50 characters]"
    assert beginning(whole, 799) == whole
    assert is_cut(cut)
    assert is_cut(again)
