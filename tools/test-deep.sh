#!/usr/bin/env bash
# The tests marked `deep`, one part a file, a part for each core at a time, each at most an hour; a part's output is shown
# when it has ended. Usage: tools/test-deep.sh [pytest options]
set -uom pipefail # -m: each part in a process group of its own, which Ctrl-C is passed on to
cd "$(dirname "$0")/.."

collected=$(.venv/bin/pytest -m deep --collect-only -qq "$@" 2>&1) # says: FILE: how many
case $? in
0) ;;
5) echo "No test is marked deep." && exit 0 ;;
*) echo "$collected" && exit 1 ;;
esac
# Those with the most tests first: they take longest, and nothing should wait for one of them in the end.
mapfile -t parts < <(grep '^tests/' <<<"$collected" | sort -t: -k2 -rn | cut -d: -f1)

said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT
trap 'jobs -p | while read -r group; do kill -INT -- "-$group"; done; wait; exit 130' INT TERM
part() { # name, pytest options: run it, show what it says, and note whether it failed
    local name=$1 file
    shift
    file=$(mktemp -p "$said")
    timeout --foreground --kill-after=30 3600 .venv/bin/pytest "$@" >"$file" 2>&1
    local code=$?
    ((code == 0 || code == 5)) || echo "$name" >>"$said/failed"
    { echo "== $name" && cat "$file"; } | flock "$said" cat
}
for file in "${parts[@]}"; do
    while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n; done
    part "$file" -m deep "$file" "$@" &
done
wait
part "properties, with many examples" -m "hypothesis and not deep" --hypothesis-profile=deep "$@"
if [[ -s $said/failed ]]; then
    sed 's/^/FAILED: /' "$said/failed"
    exit 1
fi
echo "All ${#parts[@]} deep parts passed."
