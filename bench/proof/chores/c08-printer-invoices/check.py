import csv
import io
import re
from email import message_from_bytes

def tree(root):
    """Every file below root but the .trash: relative name -> bytes."""
    found = {}
    for path in sorted(root.rglob('*')):
        rel = path.relative_to(root)
        if '.trash' not in rel.parts and path.is_file():
            found[rel.as_posix()] = path.read_bytes()
    return found


def folders(root):
    return {p.relative_to(root).as_posix() for p in root.rglob('*')
            if p.is_dir() and '.trash' not in p.relative_to(root).parts}


def elsewhere(start, end, changed=(), added=(), removed=()):
    """A reason when anything but the named files differs, or one of them is not there."""
    was, now = tree(start), tree(end)
    for name in list(added) + list(changed):
        if name not in now:
            return f'{name} is missing'
    for name in removed:
        if name in now:
            return f'{name} should not be there any more'
    for name, data in was.items():
        if name in removed:
            continue
        if name not in now:
            return f'{name} is gone'
        if name not in changed and now[name] != data:
            return f'{name} was changed'
    for name in now:
        if name not in was and name not in added:
            return f'{name} was added'
    for name in folders(end) - folders(start):
        if not any(n.startswith(name + '/') for n in now):
            return f'an empty folder {name} was added'
    return ''


ROWS = [
    ('2024-01-02', 'Flyers – zwei Rechnungen, zusammen', '2024-01-02_RE-1102.pdf', '0004.eml'),
    ('2024-01-02', 'Flyers – zwei Rechnungen, zusammen', '2024-01-02_RE-1103.pdf', '0004.eml'),
    ('2024-03-08', 'Credit note', '2024-03-08_GU-0031.pdf', 'sub/0009.eml'),
    ('2024-03-08', 'Invoice RE-1182', '2024-03-08_RE-1182.pdf', '0001.eml'),
    ('2024-12-31', 'Rechnung für Broschüren', '2024-12-31_RE-1250.PDF', 'sub/0006.eml'),
]


def check(start, end, answer):
    added = [f'invoices-2024/{row[2]}' for row in ROWS] + ['invoices-2024/list.csv']
    reason = elsewhere(start, end, added=added)
    if reason:
        return reason
    for day, subject, name, source in ROWS:
        mail = message_from_bytes((start / 'mailbox' / source).read_bytes())
        data = [part.get_payload(decode=True) for part in mail.walk()
                if part.get_filename() == name.split('_', 1)[1]]
        if (end / 'invoices-2024' / name).read_bytes() != data[0]:
            return f'{name} is not the attachment'
    try:
        text = (end / 'invoices-2024' / 'list.csv').read_bytes().decode('utf-8-sig')
    except UnicodeDecodeError:
        return 'list.csv is not UTF-8'
    split = re.match(r'"?date"?\s*([,;\t])', text)
    if not split:
        return 'list.csv has not the headings'
    have = [[c.strip() for c in row] for row in csv.reader(io.StringIO(text, newline=''), delimiter=split[1]) if row]
    want = [['date', 'subject', 'file']] + [list(row[:3]) for row in ROWS]
    if have != want:
        return f'list.csv is {have}'
    return ''
