#!/usr/bin/env bash
# Installs the packages of a group (tools/apt-packages.txt) that are missing, by apt or dnf. Usage: tools/apt-setup.sh demo|test
# Takes a few milliseconds when nothing is missing. Needs root, or sudo without a password; else says what to run.
set -euo pipefail
cd "$(dirname "$0")/.."

group=${1:?usage: tools/apt-setup.sh demo|test}
if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
    manager=apt-get options=(--no-install-recommends)
    installed() { dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null | sed -n 's/ installed$//p'; }
    there() { apt-cache show "$1" >/dev/null 2>&1; }
    fetch() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -q "$@" </dev/null; }
elif command -v rpm >/dev/null && command -v dnf >/dev/null; then
    manager=dnf options=(--setopt=install_weak_deps=False)
    installed() { rpm -q --qf '%{NAME}\n' "$@" 2>/dev/null | grep -v ' '; }
    there() { dnf -q info "$1" >/dev/null 2>&1; }
    fetch() { [[ $1 == update ]] || "${as_root[@]}" dnf -q "$@" </dev/null; } # it refreshes its lists by itself
else
    echo "There is neither apt nor dnf here: install the programs named in tools/apt-packages.txt yourself." >&2
    exit 0
fi

wanted=()
while read -r of package fedora _; do
    case "$of" in '' | '#'*) continue ;; esac
    [[ $of == demo || $group == test ]] || continue
    [[ $manager == apt-get ]] || package=$fedora
    [[ $package == - ]] || wanted+=("$package")
done <tools/apt-packages.txt
have=$(installed "${wanted[@]}" || true)
missing=()
for package in "${wanted[@]}"; do
    grep -qxF "$package" <<<"$have" || missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=()
if ((EUID != 0)); then
    if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
        echo "Packages are missing. As root, run this and then make again:" >&2
        echo "    $manager install ${options[*]} ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo -n)
fi

# A line for every 25 packages, so that minutes of it are seen to go on.
progress() {
    local line got=0 unpacked=0 done=0
    while read -r line; do
        case "$line" in
            Get:*) ((++got % 25)) || echo "  $got packages fetched" ;;
            'Unpacking '*) ((++unpacked % 25)) || echo "  $unpacked packages unpacked" ;;
            'Setting up '*) ((++done % 25)) || echo "  $done packages installed" ;;
        esac
    done
}

echo "Installing ${#missing[@]} packages, with what they need: ${missing[*]}"
# The lists of packages may be absent or old, and a download may break: fresh lists, then once more.
fetch install -y "${options[@]}" "${missing[@]}" 2>/dev/null | progress && exit 0
fetch update >/dev/null
known=()
for package in "${missing[@]}"; do # a relative need not have all of them: Ubuntu has Chromium as a snap alone
    if there "$package"; then known+=("$package"); else echo "This distribution has no package $package." >&2; fi
done
((${#known[@]})) || exit 0
fetch install -y "${options[@]}" "${known[@]}" | progress || {
    echo "$manager failed; once more in 5 s." >&2
    sleep 5
    fetch install -y "${options[@]}" "${known[@]}" | progress
}
