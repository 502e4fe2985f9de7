#!/usr/bin/env bash
# Lint, format, spelling, types and import directions side by side, and whether all tests can be read, which also compiles them once
# for all workers of `make test`. What each says is shown as a whole, in this order.
set -uo pipefail
cd "$(dirname "$0")/.."

said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT
# With room for new objects it looks for garbage seldom: an eighth of its time.
NODE_OPTIONS="--max-semi-space-size=64 ${NODE_OPTIONS-}" .venv/bin/pyright --warnings >"$said/types" 2>&1 &
types=$!
{ .venv/bin/ruff check --quiet && { .venv/bin/ruff format --check --quiet || { echo "Not formatted: run make format." && false; }; }; } >"$said/style" 2>&1 &
style=$!
.venv/bin/lint-imports --no-logo >"$said/imports" 2>&1 &
imports=$!
.venv/bin/codespell ./*.md docs bench/*.md bench/*/*.md bench/src windows-agent src tools examples >"$said/spelling" 2>&1 &
spelling=$!
{ .venv/bin/pytest --collect-only -qq >"$said/tests" 2>&1 && : >"$said/tests"; } &
tests=$!

failed=0
for part in style spelling types imports tests; do
    wait "${!part}" || failed=1
    cat "$said/$part"
done
exit $failed
