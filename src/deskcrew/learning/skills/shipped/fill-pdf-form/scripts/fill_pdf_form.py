def fill_pdf_form(source: str, values: str, result: str) -> str:
    """Fill in the text fields of a PDF form.

    source: the form
    values: what to fill in, such as Name=Eva Ruiz; Town=Rome
    result: the new PDF
    """
    from pypdf import PdfReader, PdfWriter

    made = PdfWriter(clone_from=PdfReader(source))
    there = PdfReader(source).get_form_text_fields() or {}
    given = _given(values)
    if not given:
        raise ValueError("Say what to fill in, such as Name=Eva; Town=Rome")
    if strange := next((name for name in given if name not in there), None):
        raise ValueError(f"{source} has no text field {strange!r}. It has: {', '.join(there) or 'none'}")
    for page in made.pages:
        if page.get("/Annots"):
            made.update_page_form_field_values(page, given, auto_regenerate=False)
    made.write(_free(result))
    return f"{_counted(len(given), 'field')} filled in"
