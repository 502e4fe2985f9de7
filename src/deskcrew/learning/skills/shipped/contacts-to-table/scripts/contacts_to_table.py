def contacts_to_table(source: str, result: str) -> str:
    """List the contacts of a vCard file in a table.

    source: the contacts, vcf
    result: the new table, csv or xlsx
    """
    rows = []
    for part in _parts(source, "VCARD"):
        name = _first(part, "FN") or " ".join(filter(None, reversed(_first(part, "N").split(";")[:2])))
        adr = ", ".join(filter(None, (each.strip() for each in _first(part, "ADR").split(";"))))
        org = ", ".join(filter(None, _first(part, "ORG").split(";")))
        rows.append(_row([name, ", ".join(_values(part, "EMAIL")), ", ".join(_values(part, "TEL")), org, adr]))
    if not rows:
        raise ValueError(f"{source} has no contacts")
    _write(result, [_row(["name", "e-mail", "phone", "organization", "address"]), *rows], "")
    return f"{_counted(len(rows), 'contact')} in {result}"
