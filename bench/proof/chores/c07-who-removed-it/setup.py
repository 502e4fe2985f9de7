import os
import subprocess

TOTAL = '''def total(items):
    return sum(item.price * item.count for item in items)
'''
DISCOUNT = '''def apply_discount(amount, percent):
    return amount - amount * percent / 100
'''
CODE = '''def apply_discount_code(amount, code):
    return amount - CODES.get(code, 0)
'''
ROUND = '''def round_cents(amount):
    return round(amount + 1e-9, 2)
'''
TAX = '''def with_tax(amount, rate=0.2):
    return amount * (1 + rate)
'''


def module(*functions, codes=False):
    return ('CODES = {"WELCOME": 5}\n\n\n' if codes else '') + '\n\n'.join(functions)


# author, mail, day, message, files written (None: deleted)
COMMITS = [
    ('Daniel Osei', 'daniel@webshop.example', '2024-08-02', 'First version of the shop',
     {'README.md': '# Webshop\n', 'src/pricing.py': module(TOTAL),
      'old/pricing.py': module(TOTAL, DISCOUNT)}),
    ('Marta Kowalska', 'marta@webshop.example', '2024-08-20', 'Move apply_discount to src',
     {'old/pricing.py': module(TOTAL), 'src/pricing.py': module(TOTAL, DISCOUNT)}),
    ('Yusuf Demir', 'yusuf@webshop.example', '2024-09-11', 'Add discount codes',
     {'src/pricing.py': module(TOTAL, DISCOUNT, CODE, codes=True)}),
    ('Daniel Osei', 'daniel@webshop.example', '2024-10-01', 'Remove the old folder',
     {'old/pricing.py': None}),
    ('Yusuf Demir', 'yusuf@webshop.example', '2024-10-17', 'Round to cents',
     {'src/pricing.py': module(TOTAL, DISCOUNT, CODE, ROUND, codes=True)}),
    ('Marta Kowalska', 'marta@webshop.example', '2024-11-19', 'Simplify checkout totals',
     {'src/pricing.py': module(TOTAL, CODE, ROUND, codes=True),
      'src/checkout.py': 'from pricing import round_cents, total\n'}),
    ('Priya Nair', 'priya@webshop.example', '2024-12-05', 'Drop discount codes',
     {'src/pricing.py': module(TOTAL, ROUND)}),
    ('Daniel Osei', 'daniel@webshop.example', '2025-01-09', 'Tax for the new year',
     {'src/pricing.py': module(TOTAL, ROUND, TAX)}),
    ('Priya Nair', 'priya@webshop.example', '2025-01-22', 'Explain removal of apply_discount in the README',
     {'README.md': '# Webshop\n\napply_discount is gone, prices are net now.\n'}),
]


def setup(folder):
    repo = folder / 'webshop'
    repo.mkdir()
    env = {k: v for k, v in os.environ.items() if not k.startswith('GIT_')}
    env.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM='1', GIT_TERMINAL_PROMPT='0')

    def git(*words, **more):
        done = subprocess.run(['git', *words], cwd=repo, env={**env, **more}, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.stdout.decode().strip()

    git('init', '-q', '--template=', '-b', 'main')
    parent = None
    for author, mail, day, message, files in COMMITS:
        for name, text in files.items():
            path = repo / name
            if text is None:
                path.unlink()
                path.parent.rmdir()
                git('update-index', '--force-remove', name)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode())
                blob = git('hash-object', '-w', name)
                git('update-index', '--add', '--cacheinfo', f'100644,{blob},{name}')
        when = f'{day}T12:00:00+0000'
        made = git('commit-tree', git('write-tree'), *(['-p', parent] if parent else []), '-m', message,
                   GIT_AUTHOR_NAME=author, GIT_AUTHOR_EMAIL=mail, GIT_AUTHOR_DATE=when,
                   GIT_COMMITTER_NAME=author, GIT_COMMITTER_EMAIL=mail, GIT_COMMITTER_DATE=when)
        parent = made
    git('update-ref', 'refs/heads/main', parent, GIT_COMMITTER_NAME='Daniel Osei',
        GIT_COMMITTER_EMAIL='daniel@webshop.example', GIT_COMMITTER_DATE='2025-01-22T12:00:00+0000')
    # an index without the file times of this moment
    (repo / '.git' / 'index').unlink()
    git('read-tree', 'HEAD')
