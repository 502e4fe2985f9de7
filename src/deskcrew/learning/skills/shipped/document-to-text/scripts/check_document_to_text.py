def check_document_to_text(start, end, source, result):
    parts = raw_parts(start / source)
    if source.lower().endswith(".pdf"):
        import pypdf

        text = " ".join(page.extract_text() for page in pypdf.PdfReader(start / source).pages)
    else:
        text = _document_text(parts.get("word/document.xml") or parts["content.xml"])
    now = (end / result).read_text(encoding="utf-8")
    assert now.split() == text.split(), "a word is another one, or in another place"
    return True, f"{_counted(len(now.split()), 'word')} in the same order"
