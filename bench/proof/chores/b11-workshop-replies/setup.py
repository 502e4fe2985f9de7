from email import policy
from email.headerregistry import Address
from email.message import EmailMessage

MAILS = [
    ('01', 'Zoë Álvarez', 'zoe.alvarez@uni.example', 'Mon, 03 Feb 2025 09:12:00 +0000', 'Dear all,\n\nComing: yes\nMeal: Vegetarian\n\nZoë', 'base64'),
    ('02', 'Karl Brandt', 'K.Brandt@inst.example', 'Mon, 03 Feb 2025 10:00:00 +0100', 'Coming: YES\nMeal: meat\n', '7bit'),
    ('03', 'Li, Wei', 'wei.li@uni.example', 'Tue, 04 Feb 2025 08:30:00 +0800', 'coming: Yes\nmeal: VEGAN\n', '7bit'),
    ('04', 'Ada Nwosu', 'ada@lab.example', 'Tue, 04 Feb 2025 12:00:00 +0000', 'Coming: no\nMeal: vegetarian\nSorry, next time!\n', '7bit'),
    ('05', 'Tom Hill', 'tom.hill@lab.example', 'Wed, 05 Feb 2025 01:00:00 +0900', 'Coming: no\nMeal: -\n', '7bit'),
    ('06', 'Tom Hill', 'Tom.Hill@lab.example', 'Tue, 04 Feb 2025 18:30:00 +0000', 'Good news, I can make it after all – see below.\n\nComing: yes\nMeal: vegetarian\n\n> Coming: no\n> Meal: -\n', 'quoted-printable'),
    ('07', 'Karl Brandt', 'k.brandt@inst.example', 'Thu, 06 Feb 2025 07:45:00 +0100', '> Coming: YES\n> Meal: meat\nPlease change mine:\nComing: yes\nMeal: Vegetarian\n', '7bit'),
    ('08', 'Sofia Ricci', 'sofia@uni.example', 'Fri, 07 Feb 2025 11:00:00 +0100', 'Coming: yes\nMeal: fish\n', '7bit'),
    ('09', 'Sofia Ricci', 's.ricci@uni.example', 'Fri, 07 Feb 2025 11:05:00 +0100', 'Wrong account, I answered from the other one as well. This one is only for my office mate, who stays at home.\nComing: no\nMeal: vegetarian\n', 'quoted-printable'),
    ('10', 'Jörg Ahrens', 'ahrens@inst.example', 'Sat, 08 Feb 2025 09:00:00 +0100', 'Coming: yes\nMeal: vegetarian\n', '7bit'),
    ('00', 'Jörg Ahrens', 'ahrens@inst.example', 'Sun, 09 Feb 2025 20:00:00 +0100', 'Oh no, that is the day of my talk.\n\nComing: no\nMeal: vegetarian\n', '7bit'),
    ('11', 'Mei Tanaka', 'tanaka@lab.example', 'Mon, 10 Feb 2025 09:00:00 +0900', 'Coming: yes\nMeal: vegetarian\n', '7bit'),
]


def setup(folder):
    (folder / 'replies').mkdir()
    for name, who, address, date, text, cte in MAILS:
        m = EmailMessage(policy=policy.SMTP)
        user, domain = address.split('@')
        m['From'] = Address(who, user, domain)
        m['To'] = 'Workshop <workshop@uni.example>'
        m['Date'] = date
        m['Subject'] = 'Re: March workshop'
        m.set_content(text, cte=cte)
        (folder / 'replies' / f'{name}.eml').write_bytes(m.as_bytes())
    (folder / 'replies' / 'invitation.txt').write_text('Please answer with\nComing: yes\nMeal: vegetarian\n', newline='')
