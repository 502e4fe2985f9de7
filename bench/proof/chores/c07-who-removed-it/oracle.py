import re
import subprocess

FILE = 'src/pricing.py'


def git(*words):
    return subprocess.run(['git', '-C', 'webshop', *words], capture_output=True, text=True, encoding='utf-8')


def has_function(commit):
    shown = git('show', f'{commit}:{FILE}')
    return shown.returncode == 0 and re.search(r'^def apply_discount\(', shown.stdout, re.M) is not None


removed = None
before = False
for line in git('log', '--reverse', '--format=%H%x09%an%x09%ad%x09%s', '--date=short', 'main').stdout.splitlines():
    commit, author, day, subject = line.split('\t', 3)
    now = has_function(commit)
    if before and not now:
        removed = author, day, subject
    before = now
author, day, subject = removed
print(f'{author} removed apply_discount from {FILE} on {day}, in the commit "{subject}".')
