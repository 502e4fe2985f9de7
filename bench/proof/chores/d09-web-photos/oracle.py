from pathlib import Path

from PIL import Image, ImageOps

LONGEST = 1200

for path in sorted(Path('originals').rglob('*')):
    if not path.is_file() or path.suffix.lower() not in ('.jpg', '.jpeg', '.png'):
        continue
    with Image.open(path) as opened:
        image = ImageOps.exif_transpose(opened)
    if image.mode in ('RGBA', 'LA', 'PA') or 'transparency' in image.info:
        image = image.convert('RGBA')
        white = Image.new('RGBA', image.size, 'white')
        image = Image.alpha_composite(white, image)
    image = image.convert('RGB')
    if max(image.size) > LONGEST:
        factor = LONGEST / max(image.size)
        image = image.resize([max(1, round(side * factor)) for side in image.size], Image.Resampling.LANCZOS)
    target = Path('web') / path.relative_to('originals').with_suffix('.jpg')
    target.parent.mkdir(parents=True, exist_ok=True)
    image.save(target, 'JPEG', quality=88)
