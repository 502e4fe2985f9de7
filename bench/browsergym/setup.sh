#!/usr/bin/env bash
# Makes bench/browsergym/.venv, with BrowserGym, AgentLab and the pages of MiniWoB++ as they are locked: 1.9 GB.
# Usage: bench/browsergym/setup.sh    (PYTHON: another interpreter than python3.11 or python3)
set -euo pipefail
cd "$(dirname "$0")"

python=${PYTHON:-$(command -v python3.11 || command -v python3)}
[[ -x .venv/bin/python ]] || "$python" -m venv .venv
echo "Installing BrowserGym and AgentLab (this takes some minutes)"
# The locks are complete; a resolver would want torch as well (overrides.txt). Warnings: see tools/venv-setup.sh.
{
    .venv/bin/python -m pip --disable-pip-version-check install --quiet --no-deps --require-hashes \
        -r requirements.lock -r ../miniwob/requirements.lock 2>&1 >&3 |
        { grep -v '^WARNING: Location .* is ignored' || true; } >&2
} 3>&1
cat <<'END'
BrowserGym is ready. Next, unless you name a browser of your own with --chromium:
    bench/browsergym/.venv/bin/playwright install chromium
And then:
    bench/browsergym/.venv/bin/python bench/browsergym/run.py --only enter-text --seeds 1 --model rules
END
