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


# file -> line number -> what is replaced by 2.4.1
WANT = {
    'deploy/berlin/compose.yml': {3: ':2.3.0', 6: ':2.3.0'},
    'deploy/madrid/compose.yaml': {6: ':latest'},
    'deploy/oslo/blue/compose.yml': {8: ':2.0.7'},
}


def check(start, end, answer):
    reason = elsewhere(start, end, changed=list(WANT))
    if reason:
        return reason
    for name, changes in WANT.items():
        want = (start / name).read_text().splitlines()
        for number, tag in changes.items():
            want[number - 1] = want[number - 1].replace(tag, ':2.4.1')
        have = (end / name).read_text().splitlines()
        for w, h in zip(want, have):
            if w != h:
                return f'{name}: {h!r} instead of {w!r}'
        if len(want) != len(have):
            return f'{name} has not the same lines'
    said = answer.replace('\\', '/').lower()
    for place in ['berlin', 'madrid', 'blue']:
        if not re.search(rf'\b{place}\b', said):
            return f'the answer does not name the file in {place}'
    for place in ['lyon', 'green', 'turin', 'local/compose', 'notes']:
        if re.search(rf'\b{place}\b', said):
            return f'the answer names {place}, which was not to change'
    return ''
