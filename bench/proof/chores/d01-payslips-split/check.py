from pypdf import PdfReader

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


PAGES = {'10427': [1, 3], '10311': [2, 7, 9], '10388': [4], '10455': [6], '1042': [8]}


def check(start, end, answer):
    reason = elsewhere(start, end, added=[f'slips/{number}.pdf' for number in PAGES])
    if reason:
        return reason
    big = [page.extract_text().split() for page in PdfReader(start / 'payslips_2025-04.pdf').pages]
    for number, pages in PAGES.items():
        try:
            slip = PdfReader(end / 'slips' / f'{number}.pdf')
            have = [page.extract_text().split() for page in slip.pages]
            sizes = {tuple(float(x) for x in page.mediabox) for page in slip.pages}
        except Exception as error:
            return f'{number}.pdf cannot be read: {error}'
        if have != [big[n] for n in pages]:
            return f'{number}.pdf has not the right pages'
        if sizes != {(0.0, 0.0, 595.0, 842.0)}:
            return f'{number}.pdf: the size of the pages changed'
    return ''
