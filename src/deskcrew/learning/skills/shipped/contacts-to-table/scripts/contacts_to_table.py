def contacts_to_table(source: str, result: str) -> str:
    """List the contacts of a vCard file in a table.

    source: the contacts, vcf
    result: the new table, csv or xlsx
    """
    rows = [_row(each) for each in _contacts(source)]
    if not rows:
        raise ValueError(f"{source} has no contacts")
    _write(result, [_row(["name", "e-mail", "phone", "organization", "address"]), *rows], "")
    return f"{_counted(len(rows), 'contact')} in {result}"
