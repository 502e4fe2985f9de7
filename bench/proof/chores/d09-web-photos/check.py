from PIL import Image

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


RED, GREEN, BLUE, YELLOW = (210, 40, 40), (40, 170, 60), (40, 60, 200), (230, 210, 50)
WHITE = (255, 255, 255)
PLAIN = (RED, GREEN, BLUE, YELLOW)
# picture -> size, colours (top left, top right, bottom left, bottom right)
WANT = {
    'Rome 2024/IMG 12.jpg': ((1200, 675), PLAIN),
    'Rome 2024/tower.jpg': ((720, 1200), PLAIN),
    'Rome 2024/small.jpg': ((640, 480), PLAIN),
    'Rome 2024/phone/a.jpg': ((900, 1200), (BLUE, RED, YELLOW, GREEN)),
    'Rome 2024/phone/b.jpg': ((400, 300), (YELLOW, BLUE, GREEN, RED)),
    'Rome 2024/phone/c.jpg': ((646, 1200), (GREEN, YELLOW, RED, BLUE)),
    'logos/Logo.v2.jpg': ((1200, 1200), (RED, WHITE, BLUE, YELLOW)),
    'logos/banner.jpg': ((1200, 300), PLAIN),
    'icon.jpg': ((200, 100), PLAIN),
}


def check(start, end, answer):
    reason = elsewhere(start, end, added=[f'web/{name}' for name in WANT])
    if reason:
        return reason
    for name, (size, colours) in WANT.items():
        try:
            with Image.open(end / 'web' / name) as image:
                image.load()
                kind, turn = image.format, image.getexif().get(0x0112, 1)
                image = image.convert('RGB')
        except Exception as error:
            return f'{name} cannot be read: {error}'
        if kind not in ('JPEG', 'MPO'):
            return f'{name} is a {kind}, not a JPEG'
        if turn != 1:
            return f'{name} still has a rotation flag'
        width, height = image.size
        if max(image.size) > 1200 or abs(width - size[0]) > 1 or abs(height - size[1]) > 1:
            return f'{name} is {image.size} instead of {size}'
        for number, colour in enumerate(colours):
            for part in (0.3, 0.5, 0.7):
                x = int(width / 2 * (number % 2 + part))
                y = int(height / 2 * (number // 2 + part))
                if max(abs(a - b) for a, b in zip(image.getpixel((x, y)), colour)) > 20:
                    return f'{name}: the colour at {x}, {y} is {image.getpixel((x, y))}, not {colour}'
    return ''
