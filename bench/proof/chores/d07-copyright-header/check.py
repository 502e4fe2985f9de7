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


PY = ['# Copyright (c) 2025 Lindqvist Instruments AB', '# SPDX-License-Identifier: MIT']
JS = ['// Copyright (c) 2025 Lindqvist Instruments AB', '// SPDX-License-Identifier: MIT']
# file -> the header, where it goes in
ADDED = {
    'src/main.py': (PY, 0), 'src/run.py': (PY, 1), 'src/probe/units.py': (PY, 0), 'src/vendored.py': (PY, 0),
    'src/web/app.js': (JS, 0), 'src/web/cli.js': (JS, 1),
}
YEAR = {'src/probe/driver.py': PY, 'src/web/chart.js': JS}


def check(start, end, answer):
    reason = elsewhere(start, end, changed=list(ADDED) + list(YEAR))
    if reason:
        return reason
    for name in list(ADDED) + list(YEAR):
        want = (start / name).read_text().splitlines()
        have = (end / name).read_text().splitlines()
        if name in YEAR:
            want[0] = YEAR[name][0]
        else:
            header, at = ADDED[name]
            want[at:at] = header + ['']
        if want != have:
            return f'{name} is not as it should be: {have}'
    return ''
