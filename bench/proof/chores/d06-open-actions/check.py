import re
from datetime import date, datetime

from openpyxl import load_workbook

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


def numbers(text):
    """The numbers in a text, each read in every way it can be meant (1,234.5 or 1.234,5)."""
    found = set()
    tokens = re.findall(r"\d+(?:[.,'’\u00a0\u202f]\d+)*", text)
    tokens += re.findall(r'\d{1,3}(?: \d{3})+(?:[.,]\d+)?', text)
    for token in tokens:
        parts = re.split(r'[^\d]', token)
        found.add(float(''.join(parts)))
        if len(parts) > 1:
            found.add(float(''.join(parts[:-1]) + '.' + parts[-1]))
    return found


def has_number(text, value, *words):
    """Whether the text gives this number, in figures or in one of the words."""
    if any(abs(n - value) < 0.005 for n in numbers(text)):
        return True
    for word in words:
        pattern = re.escape(word)
        if word.isascii():
            pattern = rf'\b{pattern}\b'
        if re.search(pattern, text, re.I):
            return True
    return False


WANT = [
    ('2025-01-14', 'Ravi', 'Ask two firms about the lift, again', '2025-02-02'),
    ('2025-02-11', 'Helen', 'Collect the keys', '2025-03-14'),
    ('2025-01-14', 'Julia', 'Get a quote for the roof', '2025-03-14'),
    ('2025-03-11', 'Ravi', 'Invite the surveyor', '2025-03-14'),
    ('2025-02-11', 'Omar', 'Repair the gate', '2025-04-08'),
    ('2025-03-11', 'Julia', 'Keys: second reminder', '2025-04-09'),
    ('2025-04-08', 'Omar', 'Mow the lawn', '2025-04-12'),
    ('2025-03-11', 'Helen', 'Compare the three quotes', '2025-04-30'),
    ('2025-04-08', 'Julia', 'Order a new lock', '2025-04-30'),
    ('2025-04-08', 'Julia', 'Book the hall for 13 May 2025', '2025-05-01'),
]


def day(value):
    if isinstance(value, (date, datetime)):
        return value.isoformat()[:10]
    return str(value).strip()


def check(start, end, answer):
    reason = elsewhere(start, end, added=['open_actions.xlsx'])
    if reason:
        return reason
    try:
        book = load_workbook(end / 'open_actions.xlsx')
    except Exception as error:
        return f'open_actions.xlsx cannot be read: {error}'
    if len(book.sheetnames) != 1:
        return 'more than one sheet'
    rows = [list(row) for row in book.active.iter_rows(values_only=True)]
    while rows and not any(v is not None for v in rows[-1]):
        rows.pop()
    # A cell that is formatted and empty is none.
    rows = [row[:4] if not any(v is not None for v in row[4:]) else row for row in rows]
    if not rows or rows[0] != ['Meeting', 'Who', 'What', 'Due']:
        return 'the headings are wrong'
    if len(rows) != len(WANT) + 1:
        return f'{len(rows) - 1} items instead of {len(WANT)}'
    for have, want in zip(rows[1:], WANT):
        if not isinstance(have[3], (date, datetime)):
            return f'{have[3]!r} is no date'
        if (day(have[0]), have[1], have[2], day(have[3])) != want:
            return f'{have} instead of {want}'
    if 'Julia' not in answer or re.search('Helen|Omar|Ravi', answer):
        return 'the answer does not name Julia'
    if not has_number(answer, 4, 'four', 'vier', 'cuatro', '四'):
        return 'the answer does not say 4 items'
    return ''
