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


MOVED = {
    'card/100CANON/IMG_0001.JPG': 'by-date/2025-06-14/150211.jpg',
    'card/100CANON/IMG_0002.JPG': 'by-date/2025-06-14/150211-2.jpg',
    'card/100CANON/IMG_0002.xmp': 'by-date/2025-06-14/150211-2.xmp',
    'card/100CANON/IMG_0003.jpeg': 'by-date/2025-06-14/074000.jpg',
    'card/101CANON/IMG_0001.JPG': 'by-date/2025-06-15/090005.jpg',
    'card/101CANON/IMG_0001.xmp': 'by-date/2025-06-15/090005.xmp',
    'card/101CANON/IMG_0008.JPG': 'by-date/2024-06-14/150211.jpg',
    'card/101CANON/IMG_0009.JPG': 'by-date/2025-06-15/235959.jpg',
    'card/IMG_9000.JPG': 'by-date/2025-06-15/120000.jpg',
}


def check(start, end, answer):
    reason = elsewhere(start, end, added=list(MOVED.values()), removed=list(MOVED))
    if reason:
        return reason
    was, now = tree(start), tree(end)
    for old, new in MOVED.items():
        if was[old] != now[new]:
            return f'{new} is not what {old} was'
    return ''
