#!/usr/bin/env bash
# Resolves pyproject.toml into requirements.lock (runtime, with the extras desktop, browser, web, schedules, local, anthropic, google, secrets, ocr,
# memory, mcp, a2a, otel, speech, files, services and fleet) and requirements-dev.lock (the same, bench/pyproject.toml with its extra webarena, and
# the tools), and bench/browsergym/requirements.in into a lock of its own.
# Usage: tools/lock.sh [uv options, e.g. --upgrade]
set -euo pipefail
cd "$(dirname "$0")/.."

uv=$(command -v uv || true)
if [[ -z $uv ]]; then
    .venv/bin/python -m pip --disable-pip-version-check install --quiet uv
    uv=.venv/bin/uv
fi
# uv does not read pip's configuration; the main index is what matters here, and it is not written into the locks.
index=$(.venv/bin/python -m pip config get global.index-url 2>/dev/null || true)
[[ -z $index ]] || export UV_DEFAULT_INDEX=${UV_DEFAULT_INDEX:-$index}

compile=("$uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes
    --no-emit-index-url --no-emit-find-links --no-header --no-annotate "$@")
ours=(--extra desktop --extra browser --extra web --extra schedules --extra local --extra anthropic --extra google --extra secrets --extra ocr --extra memory
    --extra mcp --extra a2a --extra otel --extra speech --extra files --extra services --extra fleet --group build pyproject.toml)

"${compile[@]}" "${ours[@]}" -o requirements.lock
"${compile[@]}" --group dev -c requirements.lock "${ours[@]}" --extra webarena bench/pyproject.toml --no-emit-package deskcrew \
    -o requirements-dev.lock
gym=bench/browsergym
"${compile[@]}" --override $gym/overrides.txt $gym/requirements.in -o $gym/requirements.lock
echo "Wrote requirements.lock and requirements-dev.lock, and $gym/requirements.lock, which is no part of them."
echo "Say in CHANGELOG.md what changed, and run make test."
