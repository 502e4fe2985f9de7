#!/usr/bin/env bash
# Lint, format, spelling, types and import directions side by side, and whether all tests can be read, which also compiles them once
# for all workers of `make test`. What each says is shown as a whole, when it has ended.
set -uo pipefail
cd "$(dirname "$0")/.."

said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT

part() { # NAME COMMAND...
    local how=passed
    "${@:2}" >"$said/$1" 2>&1 || how=FAILED
    echo "$1: $how ($SECONDS s)" >>"$said/$1"
    cat "$said/$1"
    [ $how = passed ]
}
style() { .venv/bin/ruff check --quiet && { .venv/bin/ruff format --check --quiet || { echo "Not formatted: run make format." && false; }; }; }
# With room for new objects it looks for garbage seldom: an eighth of its time.
types() { NODE_OPTIONS="--max-semi-space-size=64 ${NODE_OPTIONS-}" .venv/bin/pyright --warnings; }
imports() { .venv/bin/lint-imports --no-logo; }
spelling() { .venv/bin/codespell ./*.md docs bench/*.md bench/*/*.md bench/src windows-agent src tools examples; }
tests() { found=$(.venv/bin/pytest --collect-only -qq) || { echo "$found" && false; }; }

parts=(style spelling types imports tests)
echo "Waiting for ${parts[*]}; types take minutes."
started=()
for each in "${parts[@]}"; do
    part "$each" "$each" &
    started+=($!)
done
failed=0
for process in "${started[@]}"; do
    wait "$process" || failed=1
done
exit $failed
