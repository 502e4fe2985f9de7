from PIL import Image

ORIGINAL, CHANGED = 36867, 306


def photo(path, colour, taken=None, changed=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.new('RGB', (48, 32), colour)
    exif = Image.Exif()
    if changed:
        exif[CHANGED] = changed
    if taken:
        exif.get_ifd(0x8769)[ORIGINAL] = taken
    if taken or changed:
        image.save(path, 'JPEG', exif=exif.tobytes())
    else:
        image.save(path, 'JPEG')


def sidecar(path, rating):
    path.write_bytes(f'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rating>{rating}</rating></x:xmpmeta>\n'.encode())


def setup(folder):
    one, two = folder / 'card' / '100CANON', folder / 'card' / '101CANON'
    photo(one / 'IMG_0001.JPG', (200, 30, 30), '2025:06:14 15:02:11', '2025:06:14 15:02:11')
    photo(one / 'IMG_0002.JPG', (200, 60, 30), '2025:06:14 15:02:11', '2025:06:14 15:02:11')
    sidecar(one / 'IMG_0002.xmp', 4)
    photo(one / 'IMG_0003.jpeg', (200, 90, 30), '2025:06:14 07:40:00', '2025:07:01 20:00:00')
    photo(one / 'IMG_0004.JPG', (200, 120, 30))
    sidecar(one / 'IMG_0004.xmp', 1)
    (one / 'MVI_0005.MOV').write_bytes(b'\0\0\0\x14ftypqt  ' + bytes(range(64)))
    photo(two / 'IMG_0001.JPG', (30, 30, 200), '2025:06:15 09:00:05')
    sidecar(two / 'IMG_0001.xmp', 5)
    photo(two / 'IMG_0007.jpg', (30, 60, 200), None, '2025:06:15 09:30:00')
    photo(two / 'IMG_0008.JPG', (30, 90, 200), '2024:06:14 15:02:11')
    photo(two / 'IMG_0009.JPG', (30, 120, 200), '2025:06:15 23:59:59', '2025:06:16 00:00:01')
    Image.new('RGB', (40, 40), (10, 180, 10)).save(two / 'scan.png')
    sidecar(two / 'orphan.xmp', 2)
    photo(folder / 'card' / 'IMG_9000.JPG', (90, 90, 90), '2025:06:15 12:00:00')
    photo(folder / 'edited' / 'IMG_0001.jpg', (240, 30, 30), '2025:06:14 15:02:11')
