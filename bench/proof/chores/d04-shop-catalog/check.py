import re

from lxml import etree

def tree(root):
    """Every file below root but the .trash: relative name -> bytes."""
    found = {}
    for path in sorted(root.rglob('*')):
        rel = path.relative_to(root)
        if '.trash' not in rel.parts and path.is_file():
            found[rel.as_posix()] = path.read_bytes()
    return found


def folders(root):
    return {p.relative_to(root).as_posix() for p in root.rglob('*')
            if p.is_dir() and '.trash' not in p.relative_to(root).parts}


def elsewhere(start, end, changed=(), added=(), removed=()):
    """A reason when anything but the named files differs, or one of them is not there."""
    was, now = tree(start), tree(end)
    for name in list(added) + list(changed):
        if name not in now:
            return f'{name} is missing'
    for name in removed:
        if name in now:
            return f'{name} should not be there any more'
    for name, data in was.items():
        if name in removed:
            continue
        if name not in now:
            return f'{name} is gone'
        if name not in changed and now[name] != data:
            return f'{name} was changed'
    for name in now:
        if name not in was and name not in added:
            return f'{name} was added'
    for name in folders(end) - folders(start):
        if not any(n.startswith(name + '/') for n in now):
            return f'an empty folder {name} was added'
    return ''


def numbers(text):
    """The numbers in a text, each read in every way it can be meant (1,234.5 or 1.234,5)."""
    found = set()
    tokens = re.findall(r"\d+(?:[.,'’\u00a0\u202f]\d+)*", text)
    tokens += re.findall(r'\d{1,3}(?: \d{3})+(?:[.,]\d+)?', text)
    for token in tokens:
        parts = re.split(r'[^\d]', token)
        found.add(float(''.join(parts)))
        if len(parts) > 1:
            found.add(float(''.join(parts[:-1]) + '.' + parts[-1]))
    return found


def has_number(text, value, *words):
    """Whether the text gives this number, in figures or in one of the words."""
    if any(abs(n - value) < 0.005 for n in numbers(text)):
        return True
    for word in words:
        pattern = re.escape(word)
        if word.isascii():
            pattern = rf'\b{pattern}\b'
        if re.search(pattern, text, re.I):
            return True
    return False


PRICES = {'101': 52.40, '103': 128.00, '104': 25.31, '105': 4.52, '107': 129.29, '109': 8.40, '110': 1.19}


def outline(node):
    """The tree without the blanks between the tags; prices of products as numbers."""
    if node.tag is etree.Comment:
        return ['comment', node.text.strip()]
    text = (node.text or '').strip()
    if node.tag == 'price':
        text = round(float(text), 4)
    return [node.tag, dict(node.attrib), text, [outline(child) for child in node]]


def check(start, end, answer):
    reason = elsewhere(start, end, changed=['catalog.xml'])
    if reason:
        return reason
    old = etree.parse(str(start / 'catalog.xml')).getroot()
    try:
        new = etree.parse(str(end / 'catalog.xml')).getroot()
    except Exception as error:
        return f'catalog.xml cannot be read: {error}'
    for product in list(old.iter('product')):
        if product.get('id') in PRICES:
            product.find('price').text = str(PRICES[product.get('id')])
        else:
            old.remove(product)
    ids = [p.get('id') for p in new.iter('product')]
    if ids != list(PRICES):
        return f'the products left are {ids}'
    for product in new.iter('product'):
        price = product.findtext('price') or ''
        if abs(float(price) - PRICES[product.get('id')]) > 0.0001:
            return f'the price of {product.get("id")} is {price}'
    if outline(old) != outline(new):
        return 'something else in catalog.xml changed'
    if [n.text for n in old.itersiblings(preceding=True)] != [n.text for n in new.itersiblings(preceding=True)]:
        return 'the comment at the top is gone'
    if not has_number(answer, 3, 'three', 'drei', 'tres', '三个', '三种', '三件'):
        return 'the answer does not say that 3 were taken out'
    if not re.search('Espresso pot', answer, re.I) or not has_number(answer, 129.29):
        return 'the answer does not name the Espresso pot at 129.29'
    return ''
