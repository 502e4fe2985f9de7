import quopri


def check_contacts_to_table(start, end, source, result):
    text = (
        _decoded((start / source).read_bytes())
        .replace("\r\n", "\n")
        .replace("=\n", "")
        .replace("\n ", "")
        .replace("\n\t", "")
    )
    wanted = []
    lines = text.split("\n")
    begins = [at for at, line in enumerate(lines) if line.upper() == "BEGIN:VCARD"]
    for at, after in zip(begins, [*begins[1:], len(lines)]):
        told = {}
        for line in lines[at + 1 : after]:
            head, _, value = line.partition(":")
            if "QUOTED-PRINTABLE" in head.upper():
                value = quopri.decodestring(value).decode("utf-8", "replace")
            for mark, plain in (("\\n", "\n"), ("\\,", ","), ("\\;", ";"), ("\\\\", "\\")):
                value = value.replace(mark, plain)
            told.setdefault(head.split(";")[0].upper().rpartition(".")[2], []).append(value)
        one = lambda name: told.get(name, [""])[0]
        family, given = ([*one("N").split(";"), ""])[:2]
        listed = lambda text: ", ".join(each.strip() for each in text.split(";") if each.strip())
        name = one("FN") or f"{given} {family}".strip()
        wanted.append(
            [
                name,
                ", ".join(told.get("EMAIL", [])),
                ", ".join(told.get("TEL", [])),
                ", ".join(e for e in one("ORG").split(";") if e),
                listed(one("ADR")),
            ]
        )
    now = _grid(end / result)
    heads = ["name", "e-mail", "phone", "organization", "address"]
    width = len(now[0])
    _same_grid(now, [row[:width] for row in [heads, *wanted]])
    assert not any("".join(row[width:]) for row in wanted), "a column is missing"
    return True, f"{_counted(len(wanted), 'contact')} compared"
