#!/usr/bin/env bash
# Carries out the Dockerfile without Docker and without a registry of images: its base is made by mmdebstrap from Debian's
# packages, its steps are read from the file itself and run through bubblewrap, and what came of them is tried as its user.
# Usage, as root: tools/image.sh [FOLDER]
# FOLDER: where the image is made, and stays; one that is there already is tried again. Without it, nothing is left.
# Needs mmdebstrap and bubblewrap, 4 GB of room, a network for packages, and the wheel of `make release`. PIP_CERT: certificates
# that pip shall trust.
set -euo pipefail
cd "$(dirname "$0")/.."

asking='
import time, urllib.error, urllib.request
for _ in range(60):
    time.sleep(1)
    try:
        raise SystemExit("It lets anybody in: %d" % urllib.request.urlopen("http://127.0.0.1:8700/", timeout=5).status)
    except urllib.error.HTTPError as error:
        print("The web application answers", error.code)
        raise SystemExit(error.code != 401) from None
    except OSError:
        continue
raise SystemExit("The web application does not answer.")'
root=${1:-}
if [[ -z $root ]]; then
    root=$(mktemp -d)
    trap 'rm -rf --one-file-system "$root"' EXIT
fi

# Of the Dockerfile: each instruction on one line, a tab between its word and what it is given.
steps=$(sed -e ':join' -e '/\\$/{N;s/\\\n[[:space:]]*//;bjoin' -e '}' Dockerfile | sed -nE 's/^([A-Z]+) +(.*)/\1\t\2/p')
given() { sed -n "s/^$1\t//p" <<<"$steps"; }

read -r -a entry < <(python3 -c 'import json, sys; print(*json.loads(sys.argv[1]), *json.loads(sys.argv[2]))' \
    "$(given ENTRYPOINT)" "$(given CMD)")
place=(--bind "$root" / --dev /dev --unshare-ipc --unshare-uts --die-with-parent --clearenv --setenv HOME /root
    --setenv PATH /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)

made() { # the base, as slim as the one of that name: what is on a machine for its people is left out
    local release
    case "$(given FROM)" in
    debian:12-slim) release=bookworm ;;
    debian:13-slim) release=trixie ;;
    *) echo "How is $(given FROM) made? Say it here, in $0." >&2 && exit 2 ;;
    esac
    mmdebstrap --quiet --variant=minbase --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
        --dpkgopt='path-exclude=/usr/share/info/*' --dpkgopt='path-exclude=/usr/share/locale/*' "$release" "$root"
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # as in that image: nothing is started by a package
    chmod 755 "$root/usr/sbin/policy-rc.d"
}

built() { # COPY and RUN, in their order
    local what rest words files network=(--ro-bind /etc/resolv.conf /etc/resolv.conf)
    [[ -z ${PIP_CERT:-} ]] || network+=(--ro-bind "$PIP_CERT" /run/trusted.pem --setenv PIP_CERT /run/trusted.pem)
    while IFS=$'\t' read -r what rest; do
        case "$what" in
        COPY)
            read -r -a words <<<"$rest"
            mkdir -p "$root${words[-1]}"
            # shellcheck disable=SC2206 # patterns, as in COPY
            files=(${words[@]:0:${#words[@]}-1})
            cp --no-dereference -- "${files[@]}" "$root${words[-1]}"
            ;;
        RUN)
            echo "RUN $rest"
            bwrap "${place[@]}" "${network[@]}" --unshare-pid --proc /proc --cap-add ALL -- /bin/sh -c "$rest" </dev/null
            ;;
        FROM | USER | WORKDIR | ENV | VOLUME | EXPOSE | ENTRYPOINT | CMD) ;;
        *) echo "$0 does not know $what." >&2 && exit 2 ;;
        esac
    done <<<"$steps"
}

inside() { # as its user, with its ENV, in its WORKDIR, and with what compose.yaml allows: the whole of /proc, namespaces. No network
    # The shell expands $PATH in ENV.
    # shellcheck disable=SC2016
    bwrap "${place[@]}" --unshare-net --dev-bind /proc /proc --tmpfs /run --cap-add ALL -- \
        setpriv --reuid "$(given USER)" --regid "$(given USER)" --init-groups --inh-caps=-all -- \
        /bin/sh -euc 'export HOME="$1" DESKCREW_TOKEN=0123456789abcdef0123456789abcdef '"$(given ENV)"'; cd "$1"; shift; exec "$@"' \
        sh "$(given WORKDIR)" "$@" </dev/null
}

tried() {
    inside "${entry[0]}" --version
    inside "${entry[0]}" doctor || true # it wants a model too
    local replies='[{"subtasks": [{"goal": "write hello", "role": "FileManager"}], "question": "", "files": []},
        {"operations": [{"function": "write_file", "file_path": "hello.txt", "text": "hello"}], "branch": "RoleTaskFinish"}]'
    local desktop
    for desktop in none virtual; do
        # shellcheck disable=SC2016
        inside sh -euc 'echo "$1" >replies.json; shift; exec "$@"' sh "$replies" "${entry[0]}" run 'Write "hello" into hello.txt.' \
            --desktop "$desktop" --model scripted:replies.json
    done
    # What it is started with answers: without the token, that it is wanted.
    # shellcheck disable=SC2016
    inside sh -euc '"$@" & trap "kill $!; wait" EXIT; python3 -c "$0"' "$asking" "${entry[@]}"
}

if [[ ! -x $root/bin/sh ]]; then
    time made
    time built
fi
time tried
du -sh --one-file-system "$root"
