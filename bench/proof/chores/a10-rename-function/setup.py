FILES = {
    'app/main.js': "import { getUsr } from './lib/getUsr.js';\nimport { getUsrName } from './lib/names.js';\n\n// getUsr is slow, getUsrs is slower\nexport async function start(id) {\n  const user = await getUsr(id);\n  console.log('getUsr done', getUsrName(user));\n  return cache.getUsr?.(id) ?? user;\n}\n",
    'app/lib/getUsr.js': "/** getUsr: looks a user up */\nexport function getUsr(id) {\n\treturn _getUsr(id) || GETUSR[id];\n}\nfunction _getUsr(id) { return null; }\nconst GETUSR = {};\n",
    'app/lib/names.js': "export function getUsrName(u) {\n  return u.name || 'Müller';\n}\n",
    'app/lib/deep/admin.js': "const g = require('../getUsr.js').getUsr;\r\nmodule.exports = (x) => g(x) || forgetUsr(x); // not getUsr2\r\n",
    'app/vendor/old.js': "function getUsr(a){return a}\n",
    'app/style.css': "/* getUsr */\n.user { color: red }\n",
    'app/data.json': '{"call": "getUsr"}\n',
    'docs/guide.md': "Call getUsr(id) to get a user.\n",
    'tools/gen.js': "console.log('getUsr');\n",
    'CHANGELOG.md': "# Changelog\n\n## Unreleased\n\n- Fixed the login, at last\n- Dropped old browsers\n\n## 1.2.0\n\n- Added getUsr\n- Faster start\n",
}
def setup(folder):
    for name, text in FILES.items():
        f = folder / name
        f.parent.mkdir(parents=True, exist_ok=True)
        f.write_bytes(text.encode('utf-8'))
