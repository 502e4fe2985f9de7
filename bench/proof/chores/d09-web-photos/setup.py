from PIL import Image

RED, GREEN, BLUE, YELLOW = (210, 40, 40), (40, 170, 60), (40, 60, 200), (230, 210, 50)


def quarters(size, mode='RGB'):
    """A picture of four quarters: red, green / blue, yellow."""
    width, height = size
    image = Image.new('RGB', size, RED)
    image.paste(GREEN, (width // 2, 0, width, height // 2))
    image.paste(BLUE, (0, height // 2, width // 2, height))
    image.paste(YELLOW, (width // 2, height // 2, width, height))
    return image.convert(mode)


def setup(folder):
    top = folder / 'originals'
    (top / 'Rome 2024' / 'phone').mkdir(parents=True)
    (top / 'logos').mkdir()
    quarters((1600, 900)).save(top / 'Rome 2024' / 'IMG 12.JPEG', 'JPEG', quality=90)
    quarters((900, 1500)).save(top / 'Rome 2024' / 'tower.jpg', 'JPEG', quality=90)
    quarters((640, 480)).save(top / 'Rome 2024' / 'small.JPG', 'JPEG', quality=90)
    for name, turn, size in [('a.jpg', 6, (1600, 1200)), ('b.jpg', 3, (400, 300)), ('c.jpg', 8, (1300, 700))]:
        exif = Image.Exif()
        exif[0x0112] = turn
        quarters(size).save(top / 'Rome 2024' / 'phone' / name, 'JPEG', quality=90, exif=exif.tobytes())
    logo = quarters((1400, 1400), 'RGBA')
    logo.paste((0, 0, 0, 0), (700, 0, 1400, 700))
    logo.save(top / 'logos' / 'Logo.v2.png')
    quarters((1200, 300)).save(top / 'logos' / 'banner.PNG', 'PNG')
    quarters((50, 50)).convert('P', palette=Image.Palette.ADAPTIVE).save(top / 'logos' / 'blink.gif')
    quarters((200, 100)).convert('P', palette=Image.Palette.ADAPTIVE).save(top / 'icon.png')
    (top / 'notes.txt').write_bytes(b'IMG 12.JPEG is the best one\n')
