import io
from PIL import Image

def picture(n, kind):
    out = io.BytesIO()
    Image.new('RGB', (6 + n, 5), (n * 20 % 256, 90, 255 - n * 10)).save(out, kind)
    return out.getvalue()

NAMES = ['IMG_20240713_184502.png', 'IMG_20240713_184502_edited.png', 'img_20240714_091010.PNG',
         'IMG_20240802_120000.jpg', 'Img_20240731_235959.JPG', 'IMG_20231231_000103.png',
         'IMG_20240802.png', 'IMG_20240802_1200.jpg', 'MVIMG_20240802_120001.jpg',
         'IMG_20240803_101500 (1).jpg', 'IMG_20240804_070809.JPG', 'grandma Käthe.png',
         '2024-06/IMG_20240601_101112.png', 'raw/IMG_20240713_184503.png']

def setup(folder):
    for n, name in enumerate(NAMES):
        f = folder / 'camera' / name
        f.parent.mkdir(parents=True, exist_ok=True)
        f.write_bytes(picture(n, 'PNG' if name.lower().endswith('png') else 'JPEG'))
    (folder / 'camera' / 'IMG_20240805_070809.jpg.part').write_bytes(b'broken off')
    (folder / 'camera' / 'IMG_20240713_184502.txt').write_text('sunset by the lake\n')
    (folder / 'IMG_20240901_111213.png').write_bytes(picture(14, 'PNG'))
