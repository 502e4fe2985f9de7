#!/usr/bin/env bash
# The tests marked `deep`, one part a file, each part at most 30 minutes. Usage: tools/test-deep.sh [pytest options]
set -uo pipefail
cd "$(dirname "$0")/.."

collected=$(.venv/bin/pytest -m deep --collect-only -q "$@" 2>&1)
case $? in
0) ;;
5) echo "No test is marked deep." && exit 0 ;;
*) echo "$collected" && exit 1 ;;
esac
mapfile -t parts < <(grep -o '^tests/[^:]*\.py' <<<"$collected" | sort -u)

failed=()
for part in "${parts[@]}"; do
    echo "== $part"
    timeout --kill-after=30 1800 .venv/bin/pytest -m deep "$part" "$@" || failed+=("$part")
done
echo "== properties, with many examples"
timeout --kill-after=30 1800 .venv/bin/pytest -m "hypothesis and not deep" --hypothesis-profile=deep "$@"
(($? == 0 || $? == 5)) || failed+=("properties, with many examples")
if ((${#failed[@]})); then
    printf 'FAILED: %s\n' "${failed[@]}"
    exit 1
fi
echo "All ${#parts[@]} deep parts passed."
