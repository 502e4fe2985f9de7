#!/usr/bin/env bash
# Makes a release in dist/: sdists and wheels of all distributions, a software bill of materials (CycloneDX), checksums. The
# product's wheel is tried in an empty environment before anything else is written.
# Usage: tools/release.sh [--sign]
# --sign adds signed provenance (sigstore): it asks for an identity in a browser, and needs the network.
set -euo pipefail
cd "$(dirname "$0")/.."

sign=
case "${1:-}" in
'') ;;
--sign) sign=yes ;;
*) echo "Usage: tools/release.sh [--sign]" >&2 && exit 2 ;;
esac
if [[ -n $(git status --porcelain) ]]; then
    echo "There are changes that are in no commit, so nobody could say what the release was made of." >&2
    exit 1
fi

python=$PWD/.venv/bin/python
out=$PWD/dist
rm -rf "$out"
mkdir "$out"
tried=$(mktemp -d)
trap 'rm -rf "$tried"' EXIT
# Of tools that are no part of the product; what they need is not in its locks.
cyclonedx=cyclonedx-bom==7.5.0
sigstore=sigstore==4.5.1

for folder in . bench windows-agent; do
    # The sdist first, and the wheel from it: what is installed is what the sdist holds.
    (cd "$folder" && "$python" -m hatchling build -t sdist -d "$out" >/dev/null)
done
"$python" -m pip --disable-pip-version-check wheel --quiet --no-deps --no-build-isolation --wheel-dir "$out" "$out"/*.tar.gz

"$python" -m venv "$tried/installed"
pip=("$tried/installed/bin/python" -m pip --disable-pip-version-check install --quiet)
"${pip[@]}" --require-hashes --no-deps -r requirements.lock
"${pip[@]}" --no-deps "$out"/deskcrew-*.whl
(
    cd "$tried" # so that nothing of the repository is found
    export DESKCREW_DATA=$tried/data
    said=$("$tried/installed/bin/deskcrew" --version)
    echo "$said"
    [[ $said == *"$(git -C "$OLDPWD" rev-parse --short=12 HEAD)"* ]] || { echo "That is another commit." >&2 && exit 1; }
    # What a machine lacks is no fault of the release; a doctor that cannot speak is.
    { "$tried/installed/bin/deskcrew" doctor --json || true; } | "$python" -c 'import json, sys; json.load(sys.stdin)'
)

"$python" -m venv "$tried/tools"
"$tried/tools/bin/python" -m pip --disable-pip-version-check install --quiet "$cyclonedx" ${sign:+"$sigstore"}
"$tried/tools/bin/cyclonedx-py" environment --pyproject pyproject.toml --output-reproducible \
    --output-file "$out/deskcrew.cdx.json" "$tried/installed/bin/python"
(cd "$out" && sha256sum -- *.whl *.tar.gz *.json >SHA256SUMS)
if [[ -n $sign ]]; then
    "$tried/tools/bin/sigstore" sign "$out"/*.whl "$out"/*.tar.gz "$out"/SHA256SUMS
else
    echo "Not signed: tools/release.sh --sign does that, where there is a network and somebody who signs."
fi
ls -l "$out"
