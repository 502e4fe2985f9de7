import email
import email.header
import re


def check_split_mailbox(start, end, source, folder):
    pieces = _mails((start / source).read_bytes())
    before = _in(start, folder)
    new = {path: data for path, data in _in(end, folder).items() if path not in before}
    order = sorted(new, key=_padded)
    assert len(order) == len(pieces), f"{_counted(len(order), 'mail')}, not {len(pieces)}"
    for number, (name, piece) in enumerate(zip(order, pieces), 1):
        same = lambda data: data.replace(b"\n>From ", b"\nFrom ").split()
        assert same(new[name]) == same(piece), f"{name} is another mail"
        subject = str(email.header.make_header(email.header.decode_header(email.message_from_bytes(piece)["Subject"] or "")))
        words = re.findall(r"\w+", " ".join(subject.split())[:40]) or ["mail"]
        counted = name.partition(" ")[0].lstrip("0") == str(number) and name.endswith(".eml")
        assert counted and all(word in name for word in words[:-1] or words), f"{name} is called otherwise"
    return True, f"{_counted(len(order), 'mail')} compared"
