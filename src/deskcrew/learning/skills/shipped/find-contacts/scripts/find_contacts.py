def find_contacts(files: str, text: str, result: str) -> str:
    """Find the contacts with a name or another word in them, with their phone numbers and mail addresses.

    files: the contacts: names or patterns, separated by commas; vcf
    text: the name, or another word of the contact
    result: the new table, csv or xlsx
    """
    rows = [row for each in _files(files) for row in _contacts(each) if _has(text, row)]
    return _listed(result, ["name", "e-mail", "phone", "organization", "address"], rows, "contact")
