from pathlib import Path


def files(p):
    return {q.relative_to(p).as_posix(): q for q in Path(p).rglob('*') if q.is_file()}


def rest(start, end, changed=(), new=(), gone=()):
    """What is wrong with the files that are not to change, or ''."""
    a, b = files(start), files(end)
    for n in a:
        if n in gone:
            if n in b:
                return f'{n} is still there'
        elif n not in b:
            return f'{n} is missing'
        elif n not in changed and a[n].read_bytes() != b[n].read_bytes():
            return f'{n} was changed'
    for n in b:
        if n not in a and n not in new:
            return f'{n} should not be there'
    for n in new:
        if n not in b:
            return f'{n} was not made'
    return ''


import re

# 李伟 55+48+61=164, 黄丽 49+50+47=146, 吴昊 173, 徐晨 178, 杨帆 179, 孙悦 179.5; 张敏 is exactly 180
WANT = [('二班', '黄丽', 146), ('一班', '李伟', 164), ('二班', '吴昊', 173), ('三班', '徐晨', 178), ('二班', '杨帆', 179), ('三班', '孙悦', 179.5)]
# 65+48+60+40+97=310; 84+62+50+92+71=359; 88+54+39+90=271; 940/14 = 67.14
MEAN = '67.1'


def check(start, end, answer):
    wrong = rest(start, end, new=('补习名单.txt',))
    if wrong:
        return wrong
    try:
        text = (end / '补习名单.txt').read_bytes().decode('utf-8-sig')
    except UnicodeDecodeError:
        return '补习名单.txt is not UTF-8'
    have = []
    for line in text.splitlines():
        if not line.strip():
            continue
        m = re.fullmatch(r'(\S+) (\S+) (\d+(?:\.\d+)?)分?', line.strip())
        if not m:
            return f'the line {line!r} is not as asked'
        have.append((m[1], m[2], float(m[3])))
    if have != WANT:
        return f'the list is {have}'
    if re.findall(r'\d+(?:\.\d+)?', answer) != [MEAN]:
        return f'the answer is {answer!r}, not {MEAN}'
    return ''
