def split_pdf(source: str, pages: int, folder: str) -> str:
    """Split a PDF into files of so many pages.

    source: the PDF
    pages: the number of pages of each file; 1 if left out
    folder: the folder for the parts, which are numbered
    """
    from pypdf import PdfReader, PdfWriter

    read, pages, name = PdfReader(source), 1 if pages is None else pages, Path(source).stem
    if pages < 1:
        raise ValueError("Each part needs at least one page")
    starts = range(0, len(read.pages), pages)
    places = [_free(Path(folder) / f"{name} {n:0{len(str(len(starts)))}}.pdf") for n in range(1, len(starts) + 1)]
    for place, at in zip(places, starts):
        made = PdfWriter()
        for page in read.pages[at : at + pages]:
            made.add_page(page)
        made.write(place)
    return f"{_counted(len(places), 'file')} in {folder}"
