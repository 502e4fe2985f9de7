import zipfile

NAMES = ['Kitchen_v2.svg', 'Kitchen_v9.svg', 'archive/2025/Kitchen_v10.svg', 'Hall_v1.svg', 'archive/Hall_v3.svg', 'Hall_v2.svg',
         'Loft_Stairs_v4.SVG', 'archive/Loft_Stairs_v1.svg', 'Loft_v12.svg', 'Loft_v2.svg', 'Küche alt_v1.svg', 'Site.svg', 'Garage_v5.pdf',
         'Garage_v3.svg', 'README.txt', '__MACOSX/._Kitchen_v11.svg', '__MACOSX/archive/._Hall_v4.svg', 'Bath_V2.svg', 'Bath_v1.svg']


def setup(folder):
    with zipfile.ZipFile(folder / 'plans.zip', 'w', zipfile.ZIP_DEFLATED) as z:
        for name in NAMES:
            z.writestr(zipfile.ZipInfo(name, (2025, 4, 1, 9, 0, 0)), f'<svg xmlns="http://www.w3.org/2000/svg"><title>{name}</title></svg>\n')
    (folder / 'order.txt').write_text('Kitchen_v9 was rejected by the client.\n', newline='')
