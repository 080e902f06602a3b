#!/usr/bin/env bash
# Goes through the steps of Containerfile and compose.yaml without containers: a bare Debian, in which the binary runs as a
# user of its own, and a network namespace for each service of compose.yaml, with a view of /data and of its own
# certificates alone. The release must be the one made in process. Needs root, debootstrap, iproute2; takes away what it
# made.
#
#   deploy/rehearse.sh BINARY [DEBIAN]
#
# BINARY: velamen with the feature `cluster`. DEBIAN: a folder that debootstrap made before; it is kept.
set -euo pipefail
binary="$(realpath "$1")"
work="$(mktemp -d)"
debian="${2:-$work/debian}"
net="rehearse$$"
services=(scheduler executor1 executor2 executor3 driver)
jobs=()

finish() {
  local code=$? job service
  set +e
  for job in "${jobs[@]}"; do kill "$job" 2>/dev/null; done
  wait
  for service in hub "${services[@]}"; do ip netns del "$net$service" 2>/dev/null; done
  [ $code -eq 0 ] || tail -n 5 "$work"/*.log
  rm -rf --one-file-system "$work"
  exit $code
}
trap finish EXIT

echo "== Containerfile"
[ -d "$debian/usr" ] || debootstrap --variant=minbase stable "$debian" >"$work/debootstrap.log"
chroot "$debian" sh -c 'id velamen >/dev/null 2>&1 || useradd --create-home velamen'
install -m 755 "$binary" "$debian/usr/local/bin/velamen"
mkdir -p "$debian/data" "$debian/certificates" "$work/data" "$work/certificates"
user="$(chroot "$debian" id -u velamen)"
chown "$user:$user" "$work/data" "$work/certificates"

echo "== network"
ip netns add "${net}hub"
ip -n "${net}hub" link add bridge type bridge
ip -n "${net}hub" link set bridge up
echo "127.0.0.1 localhost" >"$debian/etc/hosts"
number=0
for service in "${services[@]}"; do
  number=$((number + 1))
  ip netns add "$net$service"
  ip -n "${net}hub" link add "port$number" type veth peer name eth0 netns "$net$service"
  ip -n "${net}hub" link set "port$number" master bridge up
  ip -n "$net$service" address add "10.78.0.$number/24" dev eth0
  ip -n "$net$service" link set eth0 up
  ip -n "$net$service" link set lo up
  echo "10.78.0.$number $service" >>"$debian/etc/hosts"
done

# A service's command where compose.yaml has it run: its network, /data, and a folder as /certificates.
run() {
  local service="$1" certificates="$2"
  shift 2
  # A view of the files that ends with the command.
  exec ip netns exec "$net$service" unshare --mount --propagation private sh -ec '
    debian="$1" data="$2" certificates="$3"
    shift 3
    mount --bind "$data" "$debian/data"
    [ ! -d "$certificates" ] || mount --bind "$certificates" "$debian/certificates"
    mount -t proc proc "$debian/proc"
    exec chroot --userspec=velamen:velamen "$debian" sh -ec "cd /data && exec velamen \"\$@\"" velamen "$@"
  ' run "$debian" "$work/data" "$certificates" "$@"
}

echo "== compose run certificates"
(run driver "$work/certificates" cluster certificates /certificates --nodes scheduler,executor1,executor2,executor3)
ls -l "$work/certificates/driver"

echo "== compose up"
(run driver none synth nps --rows 20000 --output patients.csv --recipe recipe.toml --hierarchies hierarchies --quiet)
for service in scheduler executor1 executor2 executor3; do
  case $service in
    scheduler) command=(cluster scheduler) ;;
    *) command=(cluster executor --scheduler df://scheduler:50050) ;;
  esac
  (run "$service" "$work/certificates/$service" "${command[@]}" --bind 0.0.0.0 --certificates /certificates) \
    >"$work/$service.log" 2>&1 &
  jobs+=($!)
done
for service in scheduler executor1 executor2 executor3; do
  for _ in $(seq 100); do
    if grep -q "listens at" "$work/$service.log"; then break; fi
    sleep 0.3
  done
  head -n 1 "$work/$service.log"
done

echo "== compose run driver"
engine=(--set engine.kind=cluster --set engine.scheduler=df://scheduler:50050)
seed=(--seed 3 --quiet)
(run driver none anonymize recipe.toml --output here "${seed[@]}")
(run driver "$work/certificates/driver" anonymize recipe.toml --output there "${seed[@]}" "${engine[@]}" \
  --set engine.certificates=/certificates)
diff -r "$work/data/here" "$work/data/there"
echo "the same release as in process"

echo "== without certificates"
if (run driver none anonymize recipe.toml --output stranger "${seed[@]}" "${engine[@]}"); then exit 1; fi
if (run driver none cluster executor --bind 0.0.0.0 --scheduler df://scheduler:50050); then exit 1; fi
[ ! -e "$work/data/stranger" ]
echo "refused"
