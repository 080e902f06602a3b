#!/usr/bin/env bash
# Runs a binary where nothing else is: a demonstration in an empty chroot. Needs root.
#
#   deploy/check.sh BINARY
set -euo pipefail
binary="$(realpath "$1")"
root="$(mktemp -d)"
trap 'rm -rf "$root"' EXIT
mkdir "$root/tmp"
chmod 1777 "$root/tmp"
cp "$binary" "$root/velamen"
chroot "$root" /velamen --version
chroot "$root" /velamen demo --rows 20000 --output /demo --quiet
chroot "$root" /velamen verify /demo/release --quiet
test -s "$root/demo/release/data.csv"
test -s "$root/demo/release/report.html"
echo "runs in an empty folder: demo and verify"
