import zipfile

CLASS = ['Ayşe Öztürk', 'Ben Koch', 'Clara von Stein', 'Daniel Koch', 'Emil Großmann', 'Fatima Said', 'Greta Lang',
         'Hugo Langer', 'Ida Böhm', 'Jonas Meyer', 'Karla Meyer', 'Leo Fuchs']
ESSAYS = [('8b/Öztürk_Ayşe', (1, 2)), ('8b/Koch_Ben', (1,)), ('8b/von Stein_Clara', (1, 2, 3)), ('8b/Großmann_Emil', (9, 10, 2)),
          ('8b/late/Langer_Hugo', (1,)), ('8b/Böhm_Ida', (2,)), ('8b/Meyer_Karla', (1, 3)), ('8b/late/Meyer_Karla', (4,)), ('8b/Fuchs_Leo', (11, 9))]

def setup(folder):
    (folder / 'class.txt').write_text('\n'.join(CLASS) + '\n', encoding='utf-8')
    with zipfile.ZipFile(folder / 'essays.zip', 'w', zipfile.ZIP_DEFLATED) as z:
        def put(name, text):
            z.writestr(zipfile.ZipInfo(name, (2025, 5, 6, 12, 0, 0)), text.encode('utf-8'))
        put('8b/', '')
        put('8b/readme.txt', 'Downloaded from SchoolCloud\n')
        for who, versions in ESSAYS:
            for v in versions:
                put(f'{who}_v{v}.txt', f'My holidays, by {who.split("/")[-1].replace("_", ", ")}\r\nVersion number {v}: it was schön.\n')
        put('__MACOSX/8b/._Koch_Ben_v1.txt', '\x00\x05\x16\x07')
        put('8b/Koch_Ben_v1.txt.bak', 'old')
        put('8b/Lang_Greta_photo.jpg', 'not an essay')
        put('8b/.DS_Store', 'Bud1')
        put('8b/Thumbs.db', 'x')
