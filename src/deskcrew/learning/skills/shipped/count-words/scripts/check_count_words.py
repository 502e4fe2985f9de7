import zipfile


def check_count_words(start, end, files, result):
    wanted = []
    for path in _meant(start, files):
        kind, place = path.lower().rpartition(".")[2], start / path
        if kind in ("docx", "odt"):
            raw = zipfile.ZipFile(place).read("word/document.xml" if kind == "docx" else "content.xml").decode()
            text = _document_text(raw)
        elif kind == "pdf":
            import pypdf

            text = " ".join(page.extract_text() for page in pypdf.PdfReader(place).pages)
        else:
            text = _decoded(place.read_bytes())
        words = text.split()
        wanted.append([path, _Counted(len(words)), _Counted(len("".join(words)))])
    total = ["Total", *(_Counted(sum(int(row[n]) for row in wanted)) for n in (1, 2))]
    _same_grid(_grid(end / result), [["file", "words", "characters"], *wanted, total])
    told = f"{_counted(int(total[1]), 'word')} and {_counted(int(total[2]), 'character')} without blanks"
    return True, f"{told} in {_counted(len(wanted), 'file')}"
