def rotate_pdf_pages(source: str, turn: str, pages: str, result: str) -> str:
    """Turn pages of a PDF.

    source: the PDF
    turn: which way
    pages: the numbers of the pages, such as 1-3, 7; all if left out
    result: the new PDF
    """
    from pypdf import PdfReader, PdfWriter

    made, wanted = PdfWriter(clone_from=PdfReader(source)), set()
    for part in (pages or f"1-{len(made.pages)}").split(","):
        first, last = _pages_in(part)
        wanted |= {*range(first, last + 1)}
    if wrong := next((each for each in sorted(wanted) if not 1 <= each <= len(made.pages)), None):
        raise ValueError(f"{source} has {_counted(len(made.pages), 'page')}, and no page {wrong}")
    for number in wanted:
        made.pages[number - 1].rotate({"right": 90, "left": 270, "upside down": 180}[turn])
    made.write(_free(result))
    return f"{_counted(len(wanted), 'page')} turned"
