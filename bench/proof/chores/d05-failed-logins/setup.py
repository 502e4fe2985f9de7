import gzip
import io

BAD, LOUD, NEAR, OLD = '203.0.113.57', '198.51.100.23', '203.0.113.5', '192.0.2.99'


def line(when, text, number):
    return f'{when}+00:00 web01 sshd[{1000 + number * 7 % 900}]: {text}\n'


def failed(user, address, port, known=False):
    who = user if known else f'invalid user {user}'
    return f'Failed password for {who} from {address} port {40000 + port} ssh2'


def day(date, hits):
    """The lines of a day: hits are (address, user, how often, known user)."""
    out, number = [], 0
    for address, user, times, known in hits:
        for _ in range(times):
            when = f'{date}T{number // 60 % 24:02d}:{number % 60:02d}:{number * 13 % 60:02d}'
            if not known:
                out.append(line(when, f'Invalid user {user} from {address} port {40000 + number}', number))
            out.append(line(when, failed(user, address, number, known), number))
            number += 1
    out.append(line(f'{date}T22:00:00', 'Accepted password for deploy from 10.0.0.8 port 50022 ssh2', number))
    out.append(line(f'{date}T22:10:00', f'Failed publickey for deploy from {LOUD} port 50023 ssh2', number))
    return out


def setup(folder):
    logs = folder / 'logs'
    (logs / 'archive').mkdir(parents=True)
    repeated = 'message repeated {} times: [ {}]'

    lines = day('2025-02-27', [(LOUD, 'admin', 20, False), (BAD, 'guest', 4, False)])
    lines += day('2025-03-01', [(BAD, 'admin', 8, False), (NEAR, 'admin', 5, False), (LOUD, 'test', 9, False)])
    lines += day('2025-03-08', [(BAD, 'root', 6, True), (LOUD, 'root', 7, True)])
    packed = io.BytesIO()
    with gzip.GzipFile(filename='', mode='wb', fileobj=packed, mtime=0) as file:
        file.write(''.join(lines).encode())
    (logs / 'auth.log.2.gz').write_bytes(packed.getvalue())

    lines = day('2025-03-12', [(BAD, 'oracle', 5, False), (LOUD, 'pi', 5, False), (NEAR, 'ubuntu', 6, False)])
    lines += day('2025-03-15', [(BAD, 'root', 1, True)])
    lines.append(line('2025-03-15T23:00:00', repeated.format(5, failed('root', BAD, 77, True)), 3))
    lines += day('2025-03-18', [(BAD, 'git', 3, False), (LOUD, 'root', 4, True)])
    lines.append(line('2025-03-18T23:00:00', repeated.format(2, failed('root', LOUD, 78, True)), 4))
    (logs / 'auth.log.1').write_bytes(''.join(lines).encode())

    lines = day('2025-03-24', [(BAD, 'backup', 4, False), (LOUD, 'admin', 6, False)])
    lines += day('2025-03-31', [(BAD, 'deploy', 3, True), (NEAR, 'root', 9, True)])
    lines += day('2025-04-01', [(LOUD, 'admin', 6, False), (BAD, 'mysql', 2, False)])
    (logs / 'auth.log').write_bytes(''.join(lines).encode())

    lines = day('2024-03-10', [(OLD, 'admin', 60, False), (BAD, 'ftp', 3, False)])
    packed = io.BytesIO()
    with gzip.GzipFile(filename='', mode='wb', fileobj=packed, mtime=0) as file:
        file.write(''.join(lines).encode())
    (logs / 'archive' / 'auth-2024-03.log.gz').write_bytes(packed.getvalue())
