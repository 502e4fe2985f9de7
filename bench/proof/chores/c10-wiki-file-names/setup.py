FILES = {
    'wiki/Home.md': '''# Home

- [First steps](First%20Steps.md)
- [How we plan](<Project Plan.md>)
- [The team](Team/Who%20Is%20Who.md#contact-list)
- [Budget table](Budget%202025.xlsx)
- [Something on the web](https://example.org/First%20Steps.md)

See also First Steps.md if you are in a hurry.
''',
    'wiki/First Steps.md': '''# First steps

Back to [home](Home.md), then on to [the plan](<Project Plan.md#milestones>).

```
Example of a link: [plan](<Project Plan.md>)
```

![a picture](Pics/My Desk.png)
''',
    'wiki/Project Plan.md': '''# Project plan

## Milestones

Ask [Anna](Team/Who%20Is%20Who.md) or read [the log](Team/log.md) and [the old plan](Old%20Plan.txt).
Jump to [milestones](#milestones).
''',
    'wiki/Team/Who Is Who.md': '''# Who is who

[Home](../Home.md) | [plan](../Project%20Plan.md) | [plan again](<../Project Plan.md>)

## Contact list

Anna: anna@example.org, [her notes](Notes/Anna%20Notes.md)
''',
    'wiki/Team/log.md': '''# Log

* [first steps](../First%20Steps.md) written
* [who](<Who Is Who.md>) written, [see here](./Who%20Is%20Who.md#contact-list)
''',
    'wiki/Team/Notes/Anna Notes.md': '''Nothing yet. [Up](../../Home.md)
''',
    'wiki/Old Plan.txt': '''See [home](Home.md)
''',
    'drafts/Next Steps.md': '''# Draft

[Home](../wiki/other.md)
''',
}


def setup(folder):
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    (folder / 'wiki' / 'Budget 2025.xlsx').write_bytes(b'PK\x05\x06' + bytes(18))
    (folder / 'wiki' / 'Pics').mkdir()
    (folder / 'wiki' / 'Pics' / 'My Desk.png').write_bytes(bytes.fromhex(
        '89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489'
        '0000000d49444154789c6360f8cf500f0003860180d2c3d9b80000000049454e44ae426082'))
