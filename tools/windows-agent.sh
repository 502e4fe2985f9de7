#!/usr/bin/env bash
# Makes the agent for Windows in dist/: a wheel, and a zip archive with all it needs that a Python on 64-bit Windows runs as it is.
# Usage: tools/windows-agent.sh [VERSION OF THAT PYTHON, 3.11 by default]
set -euo pipefail
cd "$(dirname "$0")/.."

version=${1:-3.11}
out=$PWD/dist
tried=$(mktemp -d)
trap 'rm -rf "$tried"' EXIT
shiv=shiv==1.0.8 # no part of the product, so in no lock

(cd windows-agent && ../.venv/bin/python -m hatchling build -t wheel -d "$out" >/dev/null)
.venv/bin/python -m venv "$tried"
"$tried/bin/pip" --disable-pip-version-check install --quiet "$shiv"
wheel=$(ls "$out"/deskcrew_windows_agent-*.whl)
# For another system pip looks at no markers but its own: what only Windows needs is named.
"$tried/bin/shiv" --quiet --disable-pip-version-check -o "$out/deskcrew-windows-agent.pyz" -e deskcrew_windows_agent.__main__:main \
    --platform win_amd64 --python-version "$version" --implementation cp --only-binary=:all: "$wheel" comtypes "uiautomation<3"
ls -l "$wheel" "$out/deskcrew-windows-agent.pyz"
