import re
from pathlib import Path

camera = Path('camera')
form = re.compile(r'IMG_(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)\.(png|jpg)', re.IGNORECASE)
for file in sorted(camera.iterdir()):
    found = form.fullmatch(file.name)
    if not found or not file.is_file():
        continue
    year, month, day, hour, minute, second, ending = found.groups()
    target = camera / f'{year}-{month}'
    target.mkdir(exist_ok=True)
    file.rename(target / f'{year}-{month}-{day}_{hour}-{minute}-{second}.{ending.lower()}')
