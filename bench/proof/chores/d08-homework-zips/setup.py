import io
import zipfile

ROSTER = '''number,name,class
1040,Amira Haddad,9b
1041,Jonas Lindner,9b
1042,Chloe Martin,9b
1043,Deniz Aydin,9a
1044,Felix Okoye,9a
1045,Jonas Linder,9b
1046,Paula Ruiz,9b
1047,Samuel Tran,9b
104,Vera Holt,9b
'''

ZIPS = {
    '1040.zip': {'essay.txt': 'Whales, first try\n', 'pictures/whale.txt': '(whale)\n'},
    '1040_v2.zip': {'essay.txt': 'Whales, second try\n', 'pictures/whale.txt': '(bigger whale)\n'},
    '1040_v10.zip': {'essay.txt': 'Whales, last try\n', 'pictures/sea/whale.txt': '(best whale)\n',
                     'pictures/.DS_Store': 'x'},
    '1042.zip': {'essay.txt': 'Volcanoes\n', '.DS_Store': 'x', '__MACOSX/._essay.txt': 'x',
                 '__MACOSX/pictures/._a.txt': 'x', 'pictures/a.txt': '(lava)\n'},
    '1043.zip': {'Deniz/essay.md': '# Trains\n', 'Deniz/sources.md': 'none\n'},
    '1045.zip': {'essay.txt': 'Cheese\n', 'notes DS_Store.txt': 'about Macs\n'},
    '1047_v2.zip': {'essay.txt': 'Rivers\n'},
    '1047_v3.zip': {'essay.txt': 'Rivers and lakes\n'},
}


def setup(folder):
    (folder / 'inbox').mkdir()
    (folder / 'roster.csv').write_bytes(ROSTER.encode())
    for name, files in ZIPS.items():
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, 'w') as box:
            for inside, text in files.items():
                info = zipfile.ZipInfo(inside, (2025, 3, 3, 8, 0, 0))
                info.compress_type = zipfile.ZIP_DEFLATED
                info.external_attr = 0o644 << 16
                box.writestr(info, text)
        (folder / 'inbox' / name).write_bytes(packed.getvalue())
    (folder / 'inbox' / 'from 1041.txt').write_bytes(b'I was ill, sorry. Jonas\n')
