#!/usr/bin/env bash
# Makes .venv from a lock file, with this package in it, and with the development lock the benchmarks, too.
# Usage: tools/venv-setup.sh LOCKFILE
# Does nothing when neither the lock, nor a pyproject.toml, nor the Python changed since it last succeeded.
# Everything comes through pip with the machine's own configuration; every file is checked against the lock's hashes.
set -euo pipefail
cd "$(dirname "$0")/.."

lock=${1:?usage: tools/venv-setup.sh LOCKFILE}
venv=.venv
exec 9<pyproject.toml
flock 9 # Two at once in one tree wait for each other.

# pip would fail in the middle, with a folder that is half there.
check_room() {
    local size=2200 there=0 free # MB, with what pip unpacks on the way
    [[ $lock == requirements.lock ]] && size=1700
    free=$(($(df -Pk . | awk 'END { print $4 }') / 1000))
    ((free < size)) || return 0
    [[ ! -d $venv ]] || there=$(($(du -sk "$venv" | cut -f1) / 1000))
    ((free < size - there)) || return 0
    awk -v n=$((size - there)) -v f=$free -v where="$PWD" \
        'BEGIN { printf "The Python packages need %.1f GB more, and %.1f GB are free in %s.\n", n / 1000, f / 1000, where }' >&2
    echo "Free some space, and run it again. The local model needs 1.2 GB besides." >&2
    exit 1
}

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

if ! new_enough "$venv/bin/python"; then
    python=
    for candidate in ${PYTHON:-} python3.11 python3; do
        if command -v "$candidate" >/dev/null && new_enough "$candidate"; then
            python=$candidate
            break
        fi
    done
    if [[ -z $python ]]; then
        echo "Deskcrew needs Python 3.11 or newer, and neither python3.11 nor python3 is one." >&2
        echo "On Debian 12: apt-get install python3 python3-venv. Elsewhere: make PYTHON=/path/to/python3.11 ..." >&2
        exit 1
    fi
    if ! "$python" -c 'import ensurepip' 2>/dev/null; then
        version=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
        if ((EUID == 0)) && command -v apt-get >/dev/null; then
            apt=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -qq)
            "${apt[@]}" install -y --no-install-recommends "$version" || {
                "${apt[@]}" update
                "${apt[@]}" install -y --no-install-recommends "$version"
            }
        else
            echo "This Python cannot make virtual environments. As root: apt-get install $version" >&2
            exit 1
        fi
    fi
    rm -rf "$venv"
    check_room
    "$python" -m venv "$venv"
fi
"$venv/bin/python" -m pip --version >/dev/null 2>&1 || "$venv/bin/python" -m ensurepip

name=$(basename "$lock" .lock)
stamp=$venv/.installed-$name
pages=bench/miniwob/requirements.lock # the pages of a benchmark, which tests use
bench=()
[[ $name == requirements-dev ]] && bench=(bench/pyproject.toml "$pages")
want=$({ cat "$lock" pyproject.toml windows-agent/pyproject.toml "${bench[@]}" && "$venv/bin/python" -VV && pwd; } | sha256sum)
[[ -f $stamp && $(<"$stamp") == "$want" ]] && exit 0

check_room
# Another lock's stamp no longer says what is installed.
rm -f "$venv"/.installed-*
echo "Installing the Python packages of $lock (this takes a minute the first time)"
pip=("$venv/bin/python" -m pip --disable-pip-version-check install --progress-bar off --retries 5)
# A machine's own pip configuration can make pip warn of a place it does not use, once a file; all else that is wrong is shown.
install() {
    { "${pip[@]}" "$@" 2>&1 >&3 | { grep -v '^WARNING: Location .* is ignored' || true; } >&2; } 3> >(progress)
}
# A line for every 20 packages, and every 5 s while they are put in place, so that minutes of it are seen to go on.
progress() {
    local line='' got=0 placing='' before=0 now
    while read -r -t "${1:-5}" line || (($? > 128)); do # no line for 5 s is not the end
        case "$line" in
            Collecting\ *) ((++got % 20)) || echo "  $got packages fetched" ;;
            Installing\ collected*) ((got < 20)) || { placing=1 && echo "  $got packages fetched; putting them in place"; } ;;
            '') # pip says nothing while it puts them in place
                now=$(find "$venv" -maxdepth 5 -name '*.dist-info' | wc -l)
                [[ -z $placing || $now == "$before" ]] || echo "  $now packages in place"
                before=$now
                ;;
        esac
        line=
    done
}
# A lock is whole, so nothing is resolved: a pip before 23.3 would look for the newest `name[extra]` that a package asks for,
# and refuse it for not being the locked one as soon as there is a newer release.
install --require-hashes --no-deps -r "$lock"
install --no-deps --no-build-isolation -e . -e ./windows-agent
if ((${#bench[@]})); then
    install --require-hashes --no-deps -r "$pages"
    install --no-deps --no-build-isolation -e ./bench
fi
echo "$want" >"$stamp"
# The development lock holds the other one too.
if [[ $name == requirements-dev ]]; then
    { cat requirements.lock pyproject.toml windows-agent/pyproject.toml && "$venv/bin/python" -VV && pwd; } | sha256sum >"$venv/.installed-requirements"
fi
