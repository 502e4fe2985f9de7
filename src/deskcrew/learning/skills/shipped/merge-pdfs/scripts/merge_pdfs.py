def merge_pdfs(files: str, result: str) -> str:
    """Put several PDFs together into one, one after the other.

    files: the PDFs in their order: names or patterns, separated by commas, such as *.pdf
    result: the new PDF
    """
    from pypdf import PdfReader, PdfWriter

    made = PdfWriter()
    for each in _files(files):
        read = PdfReader(each)
        if read.is_encrypted:
            raise ValueError(f"{each} is protected by a password")
        made.append(read)
    made.write(_free(result))
    return f"{_counted(len(made.pages), 'page')} in {result}"
