#!/usr/bin/env bash
# Makes the environment of a peer from its lock: bench/peers/NAME/.venv. Usage: bench/peers/setup.sh NAME...
# Does nothing when neither the lock nor the Python changed since it last succeeded. Every file is checked by its hash.
# bench/peers/setup.sh --lock NAME resolves requirements.txt into requirements.lock anew; it needs uv.
set -euo pipefail
cd "$(dirname "$0")"

if [[ ${1:-} == --lock ]]; then
    cd "${2:?usage: bench/peers/setup.sh --lock NAME}"
    exec uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
        --no-emit-index-url --no-emit-find-links --no-header --no-annotate --no-strip-extras requirements.txt -o requirements.lock
fi
(($#)) || { echo "usage: bench/peers/setup.sh NAME...    There are: $(echo */requirements.lock | sed 's|/requirements.lock||g')" >&2; exit 2; }

python=${PYTHON:-python3.11}
for name in "$@"; do
    [[ -f $name/requirements.lock ]] || { echo "There is no peer $name." >&2; exit 2; }
    venv=$name/.venv
    want=$({ cat "$name/requirements.lock" && "$python" -VV && pwd; } | sha256sum)
    [[ -f $venv/.installed && $(<"$venv/.installed") == "$want" ]] && continue
    rm -rf "$venv"
    "$python" -m venv "$venv"
    echo "Installing $name (this takes a few minutes the first time)"
    "$venv/bin/python" -m pip --disable-pip-version-check install --quiet --retries 5 --no-deps --require-hashes -r "$name/requirements.lock"
    echo "$want" >"$venv/.installed"
done
