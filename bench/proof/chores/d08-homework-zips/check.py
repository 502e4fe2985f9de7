import re

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
    'Amira Haddad/essay.txt': 'Whales, last try\n',
    'Amira Haddad/pictures/sea/whale.txt': '(best whale)\n',
    'Chloe Martin/essay.txt': 'Volcanoes\n',
    'Chloe Martin/pictures/a.txt': '(lava)\n',
    'Deniz Aydin/Deniz/essay.md': '# Trains\n',
    'Deniz Aydin/Deniz/sources.md': 'none\n',
    'Jonas Linder/essay.txt': 'Cheese\n',
    'Jonas Linder/notes DS_Store.txt': 'about Macs\n',
    'Samuel Tran/essay.txt': 'Rivers and lakes\n',
}


def check(start, end, answer):
    reason = elsewhere(start, end, added=[f'unpacked/{name}' for name in WANT])
    if reason:
        return reason
    for name, text in WANT.items():
        if (end / 'unpacked' / name).read_bytes() != text.encode():
            return f'{name} has not the right content'
    for name in ['Jonas Lindner', 'Paula Ruiz', 'Vera Holt']:
        if name not in answer:
            return f'the answer does not name {name}'
    for name in ['Amira', 'Chloe', 'Deniz', 'Felix', r'Linder\b', 'Samuel']:
        if re.search(name, answer):
            return f'the answer names {name}, who should not be in it'
    return ''
