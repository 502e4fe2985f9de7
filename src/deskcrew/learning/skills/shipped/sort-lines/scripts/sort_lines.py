def sort_lines(source: str, order: str, result: str) -> str:
    """Sort the lines of a text.

    source: the text file
    order: natural puts item 2 before item 10; ascending if left out
    result: the new file
    """
    lines = [line for line in _text_of(source).splitlines() if line.strip()]
    key = _natural if order == "natural" else lambda line: (line.casefold(), line)
    lines.sort(key=key, reverse=order == "descending")
    _free(result).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return f"{_counted(len(lines), 'line')} sorted"
