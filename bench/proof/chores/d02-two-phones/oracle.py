import csv
import quopri
import re


def cards(name):
    with open(name, encoding='utf-8', newline='') as file:
        text = file.read().replace('\r\n', '\n')
    text = re.sub(r'\n[ \t]', '', text)
    card = None
    for line in text.splitlines():
        head, _, value = line.partition(':')
        words = head.upper().split(';')
        if 'ENCODING=QUOTED-PRINTABLE' in words:
            value = quopri.decodestring(value.encode()).decode('utf-8')
        if line.upper() == 'BEGIN:VCARD':
            card = {'Name': '', 'Phone': '', 'Email': ''}
        elif line.upper() == 'END:VCARD':
            yield card
        elif words[0] == 'FN':
            card['Name'] = value.strip()
        elif words[0] == 'TEL' and not card['Phone']:
            plus = '+' if value.strip().startswith('+') else ''
            card['Phone'] = plus + re.sub(r'\D', '', value)
        elif words[0] == 'EMAIL' and not card['Email']:
            card['Email'] = value.strip().lower()


people = list(cards('phone.vcf'))
by_mail = {card['Email']: card for card in people if card['Email']}
both = 0
for card in cards('old_phone.vcf'):
    known = by_mail.get(card['Email']) if card['Email'] else None
    if known is None:
        people.append(card)
        continue
    both += 1
    for key in card:
        known[key] = known[key] or card[key]

people.sort(key=lambda card: card['Name'].casefold())
with open('contacts.csv', 'w', newline='', encoding='utf-8') as file:
    writer = csv.DictWriter(file, ['Name', 'Phone', 'Email'])
    writer.writeheader()
    writer.writerows(people)
print(f'There are {len(people)} people on the list, {both} of them were in both phones.')
