import re
import zipfile
from openpyxl import Workbook

CLASSES = {
    '一班': [('王芳', 72, 65, 80), ('李伟', 55, 48, 61), ('张敏', 60, 60, 60), ('刘洋', '缺考', 40, 52), ('陈静', 91, 97, 88)],
    '二班': [('李伟', 78, 84, 69), ('杨帆', 59, 62, 58), ('赵磊', 66, '缺考', 35), ('黄丽', 49, 50, 47), ('周杰', 85, 92, 79), ('吴昊', 58, 71, 44)],
    '三班': [('徐晨', 40, 88, 50), ('孙悦', 63, 54, 62.5), ('马超', 50, 39, '缺考'), ('朱琳', 95, 90, 93)],
}


def rezip(path):
    """The same bytes every time: no clock in the package."""
    with zipfile.ZipFile(path) as z:
        parts = [(i.filename, z.read(i.filename)) for i in z.infolist()]
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as z:
        for name, data in parts:
            if name == 'docProps/core.xml':
                data = re.sub(rb'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ', b'2025-01-02T08:00:00Z', data)
            z.writestr(zipfile.ZipInfo(name, (2025, 1, 2, 8, 0, 0)), data)


def setup(folder):
    wb = Workbook()
    note = wb.active
    note.title = '说明'
    note.append(['姓名', '语文', '数学', '英语'])
    note.append(['示例', 10, 20, 30])
    note.append(['满分各100分，总分300分'])
    for name, rows in CLASSES.items():
        ws = wb.create_sheet(name)
        ws.append(['姓名', '语文', '数学', '英语'])
        for row in rows:
            ws.append(row)
    wb.save(folder / '成绩.xlsx')
    rezip(folder / '成绩.xlsx')
    (folder / '补习名单_上学期.txt').write_text('一班 刘洋 151\n', encoding='utf-8', newline='')
