from collections import defaultdict
from datetime import datetime
from pathlib import Path

from PIL import Image

shots = defaultdict(list)
for path in sorted(Path('card').rglob('*')):
    if path.is_file() and path.suffix.lower() in ('.jpg', '.jpeg'):
        with Image.open(path) as image:
            taken = image.getexif().get_ifd(0x8769).get(36867)
        if taken:
            shots[datetime.strptime(taken.strip('\0 '), '%Y:%m:%d %H:%M:%S')].append(path)

for moment, paths in shots.items():
    day = Path('by-date') / moment.strftime('%Y-%m-%d')
    day.mkdir(parents=True, exist_ok=True)
    for count, path in enumerate(sorted(paths, key=lambda p: p.name), 1):
        name = moment.strftime('%H%M%S') + (f'-{count}' if count > 1 else '')
        for other in list(path.parent.iterdir()):
            if other.stem == path.stem and other.suffix.lower() == '.xmp':
                other.rename(day / f'{name}.xmp')
        path.rename(day / f'{name}.jpg')
