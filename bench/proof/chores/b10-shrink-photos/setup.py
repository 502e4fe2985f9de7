from PIL import Image

PICTURES = {'sports day.png': (1600, 1200), 'choir.png': (800, 600), 'Bühne.PNG': (1000, 500), 'poster.png': (600, 1400), 'trip/bus.png': (2400, 900),
            'trip/lake.png': (801, 801), 'trip/lake.jpg': (1600, 800), 'trip/2024/tent.png': (1200, 2100), 'icons/logo.png': (64, 64), 'icons/banner.gif': (1200, 100)}
CORNERS = [(200, 30, 30), (30, 160, 60), (40, 60, 210), (230, 200, 40)]


def picture(size, turn):
    w, h = size
    im = Image.new('RGB', size, CORNERS[turn % 4])
    im.paste(CORNERS[(1 + turn) % 4], (w // 2, 0, w, h // 2))
    im.paste(CORNERS[(2 + turn) % 4], (0, h // 2, w // 2, h))
    im.paste(CORNERS[(3 + turn) % 4], (w // 2, h // 2, w, h))
    return im


def setup(folder):
    for turn, (name, size) in enumerate(PICTURES.items()):
        path = folder / 'photos' / name
        path.parent.mkdir(parents=True, exist_ok=True)
        picture(size, turn).save(path)
    (folder / 'photos' / 'captions.txt').write_text('sports day.png: 1600 pixels\n', newline='')
    picture((1000, 1000), 1).save(folder / 'draft.png')
