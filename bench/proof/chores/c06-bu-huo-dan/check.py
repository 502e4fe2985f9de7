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


WANT = [
    ('S-001', '大米 5kg', '丰谷粮油', 16, 456.0),
    ('S-002', '小米 1kg', '丰谷粮油', 30, 297.0),
    ('S-005', '食盐 400g', '海天商贸', 60, 90.0),
    ('S-007', '酱油 500ml', '海天商贸', 36, 244.8),
    ('S-008', '老陈醋 500ml', '海天商贸', 24, 174.0),
    ('S-009', '绿茶 250g', '清泉饮品', 12, 403.2),
    ('S-012', '矿泉水 1.5L', '清泉饮品', 72, 169.2),
]


def check(start, end, answer):
    reason = elsewhere(start, end, added=['补货单.xlsx'])
    if reason:
        return reason
    try:
        book = load_workbook(end / '补货单.xlsx')
    except Exception as error:
        return f'补货单.xlsx cannot be read: {error}'
    if len(book.sheetnames) != 1:
        return 'more than one sheet'
    rows = [list(r) for r in book.active.iter_rows(values_only=True)]
    while rows and not any(v is not None for v in rows[-1]):
        rows.pop()
    if not rows or rows[0] != ['编号', '名称', '供应商', '订货数量', '金额']:
        return 'the headings are wrong'
    if len(rows) != len(WANT) + 1:
        return f'{len(rows) - 1} goods instead of {len(WANT)}'
    for have, want in zip(rows[1:], WANT):
        if tuple(have[:3]) != want[:3]:
            return f'{have} instead of {want}'
        for h, w in zip(have[3:], want[3:]):
            if isinstance(h, bool) or not isinstance(h, (int, float)) or abs(h - w) > 0.001:
                return f'{have} instead of {want}'
    if not has_number(answer, 1834.2):
        return 'the answer does not give the total of 1834.20'
    if not re.search('丰谷', answer) or (
            re.search('海天|清泉', answer)
            and not re.search('最[大高多][^，。；,;海清]*丰谷|丰谷[^，。；,;海清]*最[大高多]', answer)):
        return 'the answer does not name 丰谷粮油 as the biggest'
    if not has_number(answer, 753):
        return 'the answer does not give the amount of 753'
    return ''
