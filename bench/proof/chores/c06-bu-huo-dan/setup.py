import re
import zipfile

from openpyxl import Workbook

HEAD = ['编号', '名称', '供应商', '进价', '库存', '最低库存', '每箱', '状态']
# not in the order of the numbers, as it grew
GOODS = [
    ('S-007', '酱油 500ml', '海天商贸', 6.8, 14, 20, 12, '在售'),
    ('S-001', '大米 5kg', '丰谷粮油', 28.5, 6, 10, 4, '在售'),
    ('S-003', '面粉 2.5kg', '丰谷粮油', 11.2, 15, 15, 8, '在售'),
    ('S-012', '矿泉水 1.5L', '清泉饮品', 2.35, 30, 48, 12, '在售'),
    ('S-004', '菜籽油 5L', '丰谷粮油', 62, 3, 8, 4, '停售'),
    ('S-009', '绿茶 250g', '清泉饮品', 33.6, 0, 5, 6, '在售'),
    ('S-010', '红茶 250g', '清泉饮品', 35, 9, 5, 6, '在售'),
    ('S-002', '小米 1kg', '丰谷粮油', 9.9, 19, 20, 10, '在售'),
    ('S-011', '可乐 330ml', '清泉饮品', 1.9, 47, 96, 24, '停售'),
    ('S-008', '老陈醋 500ml', '海天商贸', 7.25, 4, 12, 12, '在售'),
    ('S-005', '食盐 400g', '海天商贸', 1.5, 40, 50, 60, '在售'),
    ('S-006', '白糖 1kg', '丰谷粮油', 8.4, 25, 12, 10, '在售'),
]

def freeze(path):
    """Rewrite a zip-based file so that its bytes do not depend on the clock."""
    with zipfile.ZipFile(path) as old:
        parts = [(info.filename, old.read(info)) for info in old.infolist()]
    with zipfile.ZipFile(path, 'w') as new:
        for name, data in parts:
            if name == 'docProps/core.xml':
                data = re.sub(rb'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?', b'2025-01-15T09:00:00Z', data)
            info = zipfile.ZipInfo(name, (2025, 1, 15, 9, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            new.writestr(info, data)


def setup(folder):
    book = Workbook()
    sheet = book.active
    sheet.title = '商品'
    sheet.append(HEAD)
    for row in GOODS:
        sheet.append(row)
    other = book.create_sheet('供应商')
    other.append(['名称', '电话'])
    for row in [('丰谷粮油', '555-0101'), ('海天商贸', '555-0102'), ('清泉饮品', '555-0103')]:
        other.append(row)
    old = book.create_sheet('商品2023')
    old.append(HEAD)
    old.append(('S-020', '蜡烛', '海天商贸', 2, 0, 10, 10, '在售'))
    book.save(folder / '库存.xlsx')
    freeze(folder / '库存.xlsx')
