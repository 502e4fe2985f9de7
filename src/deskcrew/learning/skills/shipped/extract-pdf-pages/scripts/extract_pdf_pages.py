def extract_pdf_pages(source: str, pages: str, result: str) -> str:
    """Save some pages of a PDF as a new one, in the order given; this also leaves pages out and reorders them.

    source: the PDF
    pages: the numbers of the pages, such as 1-3, 7, 10-8; with "not" before them, all but these
    result: the new PDF
    """
    from pypdf import PdfReader, PdfWriter

    read, made, wanted = PdfReader(source), PdfWriter(), []
    without = pages.strip().lower().startswith("not")
    for part in pages.strip().lower().removeprefix("not").split(","):
        first, last = _pages_in(part)
        wanted += range(first, last + 1) if first <= last else range(first, last - 1, -1)
    if wrong := next((each for each in wanted if not 1 <= each <= len(read.pages)), None):
        raise ValueError(f"{source} has {_counted(len(read.pages), 'page')}, and no page {wrong}")
    if without:
        wanted = [each for each in range(1, len(read.pages) + 1) if each not in wanted]
    for each in wanted:
        made.add_page(read.pages[each - 1])
    if not wanted:
        raise ValueError("No page would be left")
    made.write(_free(result))
    return f"{_counted(len(wanted), 'page')} in {result}"
