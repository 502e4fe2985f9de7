import re


def extract_addresses(files: str, kind: str, result: str) -> str:
    """List all e-mail addresses or web addresses in texts and documents, each once.

    files: where to look: names or patterns, separated by commas
    kind: which addresses
    result: the new text file, one address per line
    """
    pattern = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+" if kind == "e-mail" else r"https?://[^\s<>\"'()\[\]]+"
    found = {}
    for each in _files(files):
        for address in re.findall(pattern, _text_of(each)):
            address = address.rstrip(".,;:!?")
            found.setdefault(address.lower() if kind == "e-mail" else address, address)
    _free(result).write_text("".join(f"{each}\n" for each in sorted(found.values(), key=str.lower)), encoding="utf-8")
    return f"{_counted(len(found), 'address', 'addresses')} in {result}"
