def count_words(files: str, result: str) -> str:
    """Count the words and characters of texts and documents.

    files: which ones: names or patterns, separated by commas; txt, md, docx, odt and pdf
    result: the new table, csv or xlsx
    """
    rows = []
    for each in _files(files):
        words = _text_of(each).split()
        rows.append([str(each), len(words), sum(map(len, words))])
    rows.append(["Total", sum(row[1] for row in rows), sum(row[2] for row in rows)])
    _write(result, [_row(each) for each in (["file", "words", "characters"], *rows)], "")
    _, words, signs = rows[-1]
    return (
        f"{_counted(words, 'word')} and {_counted(signs, 'character')} without blanks in {_counted(len(rows) - 1, 'file')}"
    )
