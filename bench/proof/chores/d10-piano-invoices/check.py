import html

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


WANT = {
    'Nadia Rahman': ('1', '0.75', '33.60'),
    'Emma Clarke': ('2', '2.25', '94.50'),
    'Zoë Martin': ('2', '1.75', '63.00'),
    'Tom & Ida Byrne': ('2', '2.25', '86.40'),
    'Emma Clark': ('1', '1.00', '40.00'),
}


def check(start, end, answer):
    reason = elsewhere(start, end, added=[f'invoices/{name}.html' for name in WANT])
    if reason:
        return reason
    template = (start / 'invoice_template.html').read_text(encoding='utf-8')
    for name, (lessons, hours, total) in WANT.items():
        pages = []
        for student in (name, html.escape(name)):      # the & of the siblings may be written either way
            page = template
            for key, value in [('student', student), ('lessons', lessons), ('hours', hours), ('total', total)]:
                page = page.replace('{{' + key + '}}', value)
            pages.append(page.splitlines())
        try:
            have = (end / 'invoices' / f'{name}.html').read_bytes().decode('utf-8-sig').splitlines()
        except UnicodeDecodeError:
            return f'{name}.html is not UTF-8'
        if have not in pages:
            return f'{name}.html is wrong: {[line for line in have if line not in pages[0]][:3]}'
    return ''
