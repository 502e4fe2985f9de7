from pathlib import Path


def files(p):
    return {q.relative_to(p).as_posix(): q for q in Path(p).rglob('*') if q.is_file()}


def rest(start, end, changed=(), new=(), gone=()):
    """What is wrong with the files that are not to change, or ''."""
    a, b = files(start), files(end)
    for n in a:
        if n in gone:
            if n in b:
                return f'{n} is still there'
        elif n not in b:
            return f'{n} is missing'
        elif n not in changed and a[n].read_bytes() != b[n].read_bytes():
            return f'{n} was changed'
    for n in b:
        if n not in a and n not in new:
            return f'{n} should not be there'
    for n in new:
        if n not in b:
            return f'{n} was not made'
    return ''


from openpyxl import load_workbook

WANT = {'M014': (60, 'paid'), 'M003': (60, 'paid'), 'M021': (45, 'part'), 'M007': (35, 'paid'), 'M112': (60, 'paid'),
        'M012': (0, 'open'), 'M030': (19.75, 'part'), 'M031': (60, 'paid'), 'M045': (0, 'open'), 'M050': (30, 'paid')}


def check(start, end, answer):
    wrong = rest(start, end, changed=('members.xlsx',))
    if wrong:
        return wrong
    a, b = load_workbook(start / 'members.xlsx'), load_workbook(end / 'members.xlsx')
    if a.sheetnames != b.sheetnames:
        return f'the sheets are {b.sheetnames}'
    for name in a.sheetnames:
        x, y = a[name], b[name]
        for r in range(1, max(x.max_row, y.max_row) + 1):
            for c in range(1, max(x.max_column, y.max_column) + 1):
                p, q = x.cell(r, c), y.cell(r, c)
                if name == '2025' and 2 <= r <= 11 and c in (4, 5):
                    want = WANT[x.cell(r, 1).value][c - 4]
                    if c == 4:
                        good = isinstance(q.value, (int, float)) and abs(q.value - want) < 0.001
                    else:
                        good = isinstance(q.value, str) and q.value.strip() == want
                    if not good:
                        return f'{q.coordinate} of 2025 is {q.value!r}, not {want!r}'
                elif p.value != q.value:
                    return f'{q.coordinate} of {name} was changed to {q.value!r}'
                elif p.font.b != q.font.b:
                    return f'{q.coordinate} of {name}: the bold type was changed'
        if y.column_dimensions['B'].width != x.column_dimensions['B'].width:
            return f'the column width in {name} was lost'
    return ''
