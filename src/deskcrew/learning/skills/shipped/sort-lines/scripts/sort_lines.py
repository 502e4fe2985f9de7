def sort_lines(source: str, order: str, result: str) -> str:
    """Sort the lines of a text.

    source: the text file
    order: natural puts item 2 before item 10; ascending if left out
    result: the new file
    """
    lines = [line for line in _text_of(source).splitlines() if line.strip()]
    # Lines that differ in capitals alone have an order, too: without one, nobody could say that two were interchanged.
    key = lambda line: (_natural(line) if order == "natural" else line.casefold(), line)
    lines.sort(key=key, reverse=order == "descending")
    _free(result).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return f"{_counted(len(lines), 'line')} sorted"
