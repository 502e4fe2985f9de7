def check_fill_pdf_form(start, end, source, values, result):
    import pypdf

    def fields(path):
        read = pypdf.PdfReader(path)
        return {name: str(field.get("/V", "")) for name, field in (read.get_fields() or {}).items()}, [
            (p.extract_text(), list(p.mediabox), p.rotation) for p in read.pages
        ]

    (before, pages), (now, after) = fields(start / source), fields(end / result)
    wanted = dict(before)
    for part in values.replace("\n", ";").split(";"):
        name, equals, value = part.partition("=")
        if equals:
            assert name.strip() in wanted, f"there is no field {name}"
            wanted[name.strip()] = value.strip()
    assert now == wanted, f"the fields hold {now}"
    assert pages == after, "a page is another one"
    shown = " ".join("".join(str(part).split()) for part in raw_parts(end / result).values())
    filled = [value for name, value in wanted.items() if value != before.get(name)]
    missing = [value for value in filled if "".join(value.split()) not in shown]
    assert not missing, f"{missing[0]} is not shown"
    _same_but(start, end, result)
    return True, f"{_counted(len(now), 'field')} compared"
