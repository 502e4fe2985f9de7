def document_to_text(source: str, result: str) -> str:
    """Save the text of a document or PDF as a plain text file.

    source: the document: docx, odt or pdf
    result: the new text file
    """
    text = _text_of(source).strip()
    if not text:
        raise ValueError(f"{source} has no text: it may be a scan")
    _free(result).write_text(text + "\n", encoding="utf-8")
    return f"{_counted(len(text.split()), 'word')} in {result}"
