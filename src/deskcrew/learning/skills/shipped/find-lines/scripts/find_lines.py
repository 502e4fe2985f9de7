def find_lines(files: str, find: str, result: str) -> str:
    """Find the lines of texts and documents that contain a word, and list them with their file and line.

    files: where to look: names or patterns, separated by commas, such as notes/*.txt; also docx, odt and pdf
    find: the word or text, in upper or lower case
    result: the new text file
    """
    lines = []
    for each in _files(files):
        for number, line in enumerate(_text_of(each).splitlines(), 1):
            if find.casefold() in line.casefold():
                lines.append(f"{each}, line {number}: {line.strip()}")
    _free(result).write_text("\n".join(lines) + "\n" if lines else "nothing found\n", encoding="utf-8")
    return f"{_counted(len(lines), 'line')} found"
