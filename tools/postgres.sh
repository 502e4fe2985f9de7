#!/bin/sh
# A PostgreSQL server of its own, for tests and measurements: all of it in one folder, reached by a socket there and by
# nothing else, its user `deskcrew` may do everything.
#
#   tools/postgres.sh start FOLDER [-c NAME=VALUE ...]   make it where there is none, start it, print its address
#   tools/postgres.sh stop FOLDER [fast|immediate]       end it; immediate: as if it had crashed
#
# The folder, and those above it, must let another user in where root asks: a server never runs as root. Of several servers that
# are installed POSTGRES_PROGRAMS names the folder of one's programs.
set -eu

command=${1:?start or stop} folder=${2:?a folder}
shift 2
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

programs=$(dirname "$(command -v pg_ctl || true)")
for found in /usr/lib/postgresql/*/bin; do
    [ -x "$found/pg_ctl" ] && programs=$found
done
programs=${POSTGRES_PROGRAMS:-$programs}
[ -x "$programs/pg_ctl" ] || { echo "postgresql is not installed" >&2; exit 3; }

as=""
if [ "$(id -u)" = 0 ]; then
    user=postgres
    id "$user" >/dev/null 2>&1 || user=nobody
    chown "$user" "$folder"
    as="setpriv --reuid=$user --regid=$(id -g "$user") --clear-groups"
fi
cd "$folder"

case $command in
start)
    [ -f data/PG_VERSION ] ||
        $as "$programs/initdb" -D data -U deskcrew -A trust -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null
    $as "$programs/pg_ctl" -D data -l log -s -w -o "-c listen_addresses='' -k $folder $*" start
    echo "postgresql://deskcrew@/postgres?host=$folder"
    ;;
stop)
    $as "$programs/pg_ctl" -D data -s -w -m "${1:-fast}" stop
    ;;
*)
    echo "start or stop" >&2
    exit 2
    ;;
esac
