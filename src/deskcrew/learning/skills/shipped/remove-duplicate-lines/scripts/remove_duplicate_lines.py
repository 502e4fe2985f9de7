def remove_duplicate_lines(source: str, result: str) -> str:
    """Leave out the lines of a text that are there already, and keep the first of each.

    source: the text file
    result: the new file
    """
    lines = _text_of(source).splitlines()
    first = {line: at for at, line in reversed(list(enumerate(lines)))}
    kept = [line for at, line in enumerate(lines) if not line.strip() or first[line] == at]
    _free(result).write_text("\n".join(kept) + "\n", encoding="utf-8")
    return f"{len(lines) - len(kept)} of {_counted(len(lines), 'line')} left out"
