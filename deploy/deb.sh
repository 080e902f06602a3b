#!/usr/bin/env bash
# Makes the Debian package of what deploy/build.sh built. Needs cargo-deb.
#
#   deploy/deb.sh TRIPLE OUT
set -euo pipefail
cd "$(dirname "$0")/.."
target="$1" out="$2"
built="$(ls -d "$out"/velamen-*-"$target"/)"
# Where the package's metadata look for them.
mkdir -p target/dist/deb
rm -rf target/dist/deb/*
cp -r "$built"/. target/dist/deb/
gzip -9n target/dist/deb/man/*.1
cargo deb --package velamen-cli --target "$target" --no-build --no-strip --output "$out/"
