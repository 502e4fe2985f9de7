def lines(day, *items):
    out = []
    for i, (kind, who, ip) in enumerate(items):
        out.append(f'{day} {8 + i // 4:02d}:{(i * 13) % 60:02d}:07 sshd {kind} login user={who} from={ip}')
    return out


def setup(folder):
    logs = folder / 'logs'
    logs.mkdir()
    F, f, ok = 'FAILED', 'failed', 'successful'
    first = lines('2025-03-02', *[(F, 'root', '203.0.113.5')] * 7, (ok, 'mia', '198.51.100.20'))
    first += lines('2025-03-03', (F, 'root', '203.0.113.50'), (ok, 'mia', '198.51.100.20'), (F, 'admin', '203.0.113.5'),
                   (f, 'admin', '203.0.113.50'), (F, 'tom', '198.51.100.77'), (F, 'root', '203.0.113.5'))
    second = lines('2025-03-03', (F, 'mia', '198.51.100.20'), (f, 'oracle', '203.0.113.50'), (F, 'test', '203.0.113.5'),
                   (f, 'git', '203.0.113.50'), *[(ok, 'backup', '198.51.100.9')] * 8, (F, 'root', '203.0.113.50'), (F, 'tom', '198.51.100.77'))
    second += lines('2025-03-04', *[(F, 'root', '203.0.113.5')] * 3, (ok, 'tom', '198.51.100.77'))
    third = lines('2025-03-13', *[(F, 'pi', '192.0.2.44')] * 6) + lines('2024-03-03', *[(F, 'pi', '192.0.2.44')] * 6)
    (logs / 'auth.log.1').write_text('\n'.join(first) + '\n', newline='')
    (logs / 'auth.log').write_text('\n'.join(second) + '\n', newline='')
    (logs / 'auth.log.old').write_text('\n'.join(third) + '\n', newline='')
    (logs / 'cron.log').write_text('2025-03-03 01:00:00 cron FAILED job user=backup from=198.51.100.9\n' * 9, newline='')
