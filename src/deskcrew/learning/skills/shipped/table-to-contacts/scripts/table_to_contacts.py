def table_to_contacts(source: str, name: str, mail: str, phone: str, organization: str, result: str) -> str:
    """Make a vCard file of the rows of a table, to be imported into an address book.

    source: the table, csv or xlsx
    name: the heading of the column with the full names
    mail: the heading of the column with the e-mail addresses
    phone: the heading of the column with the phone numbers
    organization: the heading of the column with the organizations
    result: the new contacts, vcf
    """
    if Path(result).suffix.lower() != ".vcf":
        raise ValueError(f"{result} must end in .vcf")
    head, *rows = _read(source)
    lines, count = [], 0
    for row in rows:
        full = _said(row[_column([head], name, source)]).strip()
        if not full:
            continue
        *given, family = full.split()
        lines += [
            "BEGIN:VCARD",
            "VERSION:3.0",
            f"FN:{_escaped(full)}",
            f"N:{_escaped(family)};{_escaped(' '.join(given))};;;",
        ]
        for kind, column in (("EMAIL", mail), ("TEL", phone), ("ORG", organization)):
            value = _said(row[_column([head], column, source)]).strip() if column else ""
            lines += [f"{kind}:{_escaped(value)}"] if value else []
        lines, count = [*lines, "END:VCARD"], count + 1
    if not count:
        raise ValueError(f"{source} has no names in {name}")
    _new(result).write_bytes("".join(f"{_folded(line)}\r\n" for line in lines).encode())
    return f"{_counted(count, 'contact')} in {result}"
