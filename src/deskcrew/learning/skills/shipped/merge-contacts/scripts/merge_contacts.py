def merge_contacts(files: str, result: str) -> str:
    """Put the contacts of several vCard files together into one; a contact that is there already is left out.

    files: the contacts: names or patterns, separated by commas, such as *.vcf
    result: the new contacts, vcf
    """
    found, count = {}, 0
    for each in _files(files):
        for part in _parts(each, "VCARD"):
            count += 1
            name = _first(part, "FN") or _first(part, "N")
            reached = sorted(
                "".join(each for each in value.casefold() if not each.isspace() and each not in "()/-")
                for kind in ("EMAIL", "TEL")
                for value in _values(part, kind)
            )
            found.setdefault((" ".join(name.split()).casefold(), *reached), part)
    if not found:
        raise ValueError("There are no contacts in these files")
    text = "".join(f"{_folded(line)}\r\n" for part in found.values() for line in part)
    _free(result).write_bytes(text.encode())
    return f"{len(found)} of {_counted(count, 'contact')} in {result}"
