NEW = {
    'app/main.js': "import { fetchUser } from './lib/fetchUser.js';\nimport { getUsrName } from './lib/names.js';\n\n// fetchUser is slow, getUsrs is slower\nexport async function start(id) {\n  const user = await fetchUser(id);\n  console.log('fetchUser done', getUsrName(user));\n  return cache.fetchUser?.(id) ?? user;\n}\n",
    'app/lib/fetchUser.js': "/** fetchUser: looks a user up */\nexport function fetchUser(id) {\n\treturn _getUsr(id) || GETUSR[id];\n}\nfunction _getUsr(id) { return null; }\nconst GETUSR = {};\n",
    'app/lib/deep/admin.js': "const g = require('../fetchUser.js').fetchUser;\nmodule.exports = (x) => g(x) || forgetUsr(x); // not getUsr2\n",
    'CHANGELOG.md': "# Changelog\n\n## Unreleased\n\n- Fixed the login, at last\n- Dropped old browsers\n- Renamed getUsr to fetchUser\n\n## 1.2.0\n\n- Added getUsr\n- Faster start\n",
}

def files(p):
    return {f.relative_to(p).as_posix(): f.read_bytes() for f in p.rglob('*') if f.is_file()}

def check(start, end, answer):
    want, got = files(start), files(end)
    del want['app/lib/getUsr.js']
    want.update((k, v.encode('utf-8')) for k, v in NEW.items())
    if set(want) != set(got):
        return f'missing: {sorted(set(want) - set(got))}, too many: {sorted(set(got) - set(want))}'
    for name in want:
        if name in NEW:
            if got[name].replace(b'\r\n', b'\n').rstrip(b'\n') != want[name].rstrip(b'\n'):
                return f'{name} is wrong: {got[name]!r}'
        elif got[name] != want[name]:
            return f'{name} was changed'
    return ''
