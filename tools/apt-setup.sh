#!/usr/bin/env bash
# Installs the Debian packages of a group (tools/apt-packages.txt) that are missing. Usage: tools/apt-setup.sh demo|test
# Takes a few milliseconds when nothing is missing. Needs root, or sudo without a password; else says what to run.
set -euo pipefail
cd "$(dirname "$0")/.."

group=${1:?usage: tools/apt-setup.sh demo|test}
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "This is not Debian or a relative of it: install the programs named in tools/apt-packages.txt yourself." >&2
    exit 0
fi

wanted=()
while read -r of package _; do
    case "$of" in '' | '#'*) continue ;; esac
    [[ $of == demo || $group == test ]] && wanted+=("$package")
done <tools/apt-packages.txt
installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null || true)
missing=()
for package in "${wanted[@]}"; do
    grep -qxF "$package installed" <<<"$installed" || missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=()
if ((EUID != 0)); then
    if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
        echo "Debian packages are missing. As root, run this and then make again:" >&2
        echo "    apt-get install --no-install-recommends ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo -n)
fi

apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -qq "$@" </dev/null
}

echo "Installing ${#missing[@]} Debian packages: ${missing[*]}"
# The lists of packages may be absent or old, and a download may break: fresh lists, then once more.
apt install -y --no-install-recommends "${missing[@]}" >/dev/null 2>&1 && exit 0
apt update
apt install -y --no-install-recommends "${missing[@]}" >/dev/null || {
    echo "apt-get failed; once more in 5 s." >&2
    sleep 5
    apt install -y --no-install-recommends "${missing[@]}"
}
