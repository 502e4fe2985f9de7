FILES = {
    'HEADER.txt': '''Copyright (c) 2025 Lindqvist Instruments AB
SPDX-License-Identifier: MIT
''',
    'src/main.py': '''"""Entry point."""
import sys

print(sys.argv)
''',
    'src/run.py': '''#!/usr/bin/env python3
import main
''',
    'src/probe/__init__.py': '',
    'src/probe/driver.py': '''# Copyright (c) 2023 Lindqvist Instruments AB
# SPDX-License-Identifier: MIT

# Copyright (c) 2023 in a string must not change
VERSION = 2023
''',
    'src/probe/filter.py': '''# Copyright (c) 2025 Lindqvist Instruments AB
# SPDX-License-Identifier: MIT

GAIN = 3
''',
    'src/probe/units.py': '''# Units of measurement, see the SPDX-License-Identifier: MIT note in README
MM = 1e-3
''',
    'src/web/app.js': '''const title = "Probe";

export default title;
''',
    'src/web/chart.js': '''// Copyright (c) 2024 Lindqvist Instruments AB
// SPDX-License-Identifier: MIT

export const points = [];
''',
    'src/web/cli.js': '''#!/usr/bin/env node
console.log("ready");
''',
    'src/web/vendor/jsgrid.js': '''// Copyright (c) 2019 Grid People
window.grid = {};
''',
    'src/vendor/six/six.py': '''import types
''',
    'src/vendored.py': '''from vendor import six
''',
    'src/web/style.css': '''body { margin: 0 }
''',
    'src/web/data.json': '{"year": 2024}\n',
    'tests/test_main.py': '''import main
''',
}


def setup(folder):
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
