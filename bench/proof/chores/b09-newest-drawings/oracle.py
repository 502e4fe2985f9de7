import re
import zipfile
from pathlib import Path, PurePosixPath

best = {}
with zipfile.ZipFile('plans.zip') as z:
    for name in z.namelist():
        found = re.fullmatch(r'(.+)_v(\d+)\.svg', PurePosixPath(name).name, re.I)
        if not found or name.startswith('__MACOSX/'):
            continue
        drawing, version = found.group(1), int(found.group(2))
        if version > best.get(drawing, (0, ''))[0]:
            best[drawing] = (version, name)
    out = Path('latest')
    out.mkdir()
    for drawing, (version, name) in best.items():
        (out / f'{drawing}.svg').write_bytes(z.read(name))
