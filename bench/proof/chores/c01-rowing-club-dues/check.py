import re

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


PAID = {'M-001': 120, 'M-002': 60, 'M-003': 0, 'M-004': 90, 'M-005': 0, 'M-006': 80,
        'M-007': 100, 'M-008': 120, 'M-009': 0, 'M-010': 120, 'M-011': 79, 'M-012': 120}


def cells(sheet, skip):
    found = {}
    for row in sheet.iter_rows():
        for cell in row:
            if cell.coordinate in skip:
                continue
            look = (cell.value, cell.comment.text if cell.comment else None)
            if cell.value is not None:
                look += (cell.number_format, bool(cell.font.b), cell.fill.fgColor.rgb)
            if any(look[:2]):
                found[cell.coordinate] = look
    return found


def check(start, end, answer):
    reason = elsewhere(start, end, changed=['members.xlsx'])
    if reason:
        return reason
    try:
        old, new = load_workbook(start / 'members.xlsx'), load_workbook(end / 'members.xlsx')
    except Exception as error:
        return f'members.xlsx cannot be read: {error}'
    if old.sheetnames != new.sheetnames:
        return 'the sheets are not the same ones'
    for name in old.sheetnames:
        skip = {f'E{n}' for n in range(2, 14)} if name == 'Members' else set()
        if cells(old[name], skip) != cells(new[name], skip):
            return f'something else changed on sheet {name}'
        for letter in 'ABCDEF':
            if old[name].column_dimensions[letter].width != new[name].column_dimensions[letter].width:
                return f'a column width changed on sheet {name}'
    if new['Members'].freeze_panes != 'A2':
        return 'the frozen heading is gone'
    for row in range(2, 14):
        number, value = new['Members'].cell(row, 1).value, new['Members'].cell(row, 5).value
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return f'Paid of {number} is not a number: {value!r}'
        if abs(value - PAID[number]) > 0.001:
            return f'Paid of {number} is {value}, not {PAID[number]}'
    if not has_number(answer, 6, 'six'):
        return 'the answer does not say that 6 members are behind'
    if not has_number(answer, 371):
        return 'the answer does not say that 371 is outstanding'
    return ''
