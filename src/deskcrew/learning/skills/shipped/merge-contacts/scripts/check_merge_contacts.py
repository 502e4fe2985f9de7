def check_merge_contacts(start, end, files, result):
    def cards(data):
        text = _decoded(data).replace("\r\n", "\n").replace("=\n", "").replace("\n ", "").replace("\n\t", "")
        return [card.partition("\nEND:VCARD")[0].split("\n") for card in text.split("BEGIN:VCARD\n")[1:]]

    def same(card):
        told = [(line.partition(":")[0].split(";")[0].rpartition(".")[2].upper(), line.partition(":")[2]) for line in card]
        name = next(
            (value for head, value in told if head == "FN"), next((value for head, value in told if head == "N"), "")
        )
        ways = [
            value.lower().translate(dict.fromkeys(map(ord, " \t()/-"))) for head, value in told if head in ("EMAIL", "TEL")
        ]
        return " ".join(name.lower().split()), tuple(sorted(ways))

    wanted = []
    for path in _meant(start, files):
        for card in cards((start / path).read_bytes()):
            if same(card) not in [same(each) for each in wanted]:
                wanted.append(card)
    now = cards((end / result).read_bytes())
    assert now == wanted, f"{_counted(len(now), 'contact')}, not {len(wanted)}, or one is another"
    return True, f"{_counted(len(now), 'contact')} compared"
