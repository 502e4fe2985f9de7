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


def check(start, end, answer):
    # git may refresh its index when it only looks
    reason = elsewhere(start, end, changed=['webshop/.git/index'])
    if reason:
        return reason
    if not re.search(r'Marta( Kowalska)?', answer):
        return 'the answer does not name Marta Kowalska'
    if re.search(r'Daniel|Yusuf|Priya', answer):
        return 'the answer names somebody else too'
    day = re.search(r'2024[-/.]11[-/.]19|19[-/.]11[-/.](20)?24|11/19/(20)?24'
                    r'|19(th|\.)?( of)? Nov(ember|\.)?,? 2024|Nov(ember|\.)? 19(th)?,? 2024'
                    r'|2024年11月19日|Nov 19 [\d:]+ 2024', answer, re.I)
    if not day:
        return 'the answer does not give the day, 19 November 2024'
    if 'simplify checkout totals' not in answer.lower():
        return 'the answer does not give the commit message'
    return ''
