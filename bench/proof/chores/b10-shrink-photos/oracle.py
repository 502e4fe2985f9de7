from pathlib import Path
from PIL import Image

count = 0
for path in sorted(Path('photos').rglob('*')):
    if path.suffix.lower() != '.png':
        continue
    with Image.open(path) as im:
        im.load()
        if im.width <= 800:
            continue
        small = im.resize((800, round(im.height * 800 / im.width)), Image.LANCZOS)
    small.save(path, format='PNG')
    count += 1
print(count)
