import re


def check_extract_addresses(start, end, files, kind, result):
    text = ""
    for path in _meant(start, files):
        if path.lower().endswith((".docx", ".odt", ".pdf")):
            text += " " + " ".join(str(each) for each in raw_parts(start / path).values())
        else:
            text += " " + _decoded((start / path).read_bytes())
    now = (end / result).read_text(encoding="utf-8").split()
    packed = re.sub(r"<[^>]+>", "", text)
    assert all(each in packed or each in text for each in now), "an address is not in them"
    pieces = re.split(r"""[\s<>"'()\[\],;]+""", text)
    if kind == "e-mail":
        clean = {
            piece.lower().removeprefix("mailto:").strip(".:!?") for piece in pieces if re.search(r"\w@[\w-]+\.\w", piece)
        }
    else:
        clean = {piece.rstrip(".,;:!?") for piece in pieces if piece.startswith(("http://", "https://"))}
    if not any(path.lower().endswith((".docx", ".odt", ".pdf")) for path in _meant(start, files)):
        assert {each.lower() if kind == "e-mail" else each for each in now} == clean, f"it lists {now}"
    assert len({each.lower() if kind == "e-mail" else each for each in now}) == len(now), "one is there twice"
    assert now == sorted(now, key=str.lower) and now, "they are not in order"
    return True, f"{_counted(len(now), 'address', 'addresses')} found again"
