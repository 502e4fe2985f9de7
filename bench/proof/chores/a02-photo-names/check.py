MOVED = {
    'camera/IMG_20240713_184502.png': 'camera/2024-07/2024-07-13_18-45-02.png',
    'camera/img_20240714_091010.PNG': 'camera/2024-07/2024-07-14_09-10-10.png',
    'camera/Img_20240731_235959.JPG': 'camera/2024-07/2024-07-31_23-59-59.jpg',
    'camera/IMG_20240802_120000.jpg': 'camera/2024-08/2024-08-02_12-00-00.jpg',
    'camera/IMG_20240804_070809.JPG': 'camera/2024-08/2024-08-04_07-08-09.jpg',
    'camera/IMG_20231231_000103.png': 'camera/2023-12/2023-12-31_00-01-03.png',
}

def files(p):
    return {f.relative_to(p).as_posix(): f.read_bytes() for f in p.rglob('*') if f.is_file()}

def check(start, end, answer):
    want = {MOVED.get(k, k): v for k, v in files(start).items()}
    got = files(end)
    for name in want:
        if name not in got:
            return f'{name} is missing'
        if got[name] != want[name]:
            return f'{name} has other contents'
    more = sorted(set(got) - set(want))
    return f'files too many: {more}' if more else ''
