import re
import zipfile
from pathlib import Path, PurePosixPath

newest = {}
archive = zipfile.ZipFile('essays.zip')
for entry in archive.infolist():
    if entry.filename.startswith('__MACOSX/'):
        continue
    found = re.fullmatch(r'([^_.][^_]*)_([^_]+)_v(\d+)\.txt', PurePosixPath(entry.filename).name)
    if found:
        who, version = (found[1], found[2]), int(found[3])
        if who not in newest or version > newest[who][0]:
            newest[who] = (version, entry)

folder = Path('essays')
folder.mkdir(exist_ok=True)
for (surname, first), (version, entry) in newest.items():
    (folder / f'{surname}_{first}.txt').write_bytes(archive.read(entry))
archive.close()

there = {f'{first} {surname}' for surname, first in newest}
register = Path('class.txt').read_text(encoding='utf-8').splitlines()
missing = [name for name in register if name.strip() and name.strip() not in there]
Path('missing.txt').write_text(''.join(name + '\n' for name in missing), encoding='utf-8')
print(len(missing))
