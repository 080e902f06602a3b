#!/usr/bin/env bash
# Builds what a release offers for one target: a static binary with man pages, completions, licence and SBOM in one archive,
# and its SHA-256 sum. The release workflow calls it on every system; anybody can call it.
#
#   deploy/build.sh [--target TRIPLE] [--features FEATURES] [--out DIR]
#
# TRIPLE: x86_64-unknown-linux-musl when rustup has its standard library, else this machine's own, linked statically.
# FEATURES: none by default; releases are built with `full`, which takes DataFusion and many minutes.
# Needs: Rust; for musl a compiler for C (Debian: musl-tools); for the SBOM cargo-cyclonedx, without which it is left out with a
# word, or fails with CI=true. The binary must run here: it writes its own man pages and completions.
set -euo pipefail
cd "$(dirname "$0")/.."

host="$(rustc -vV | sed -n 's/^host: //p')"
target="" features="" out=dist
while [ $# -gt 0 ]; do
  case "$1" in
    --target) target="$2" ;;
    --features) features="$2" ;;
    --out) out="$2" ;;
    *) echo "unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done
if [ -z "$target" ]; then
  musl="${host%-gnu}-musl"
  if [ "$musl" != "$host" ] && [ -d "$(rustc --print sysroot)/lib/rustlib/$musl" ] && command -v musl-gcc >/dev/null; then
    target="$musl"
  else
    target="$host"
  fi
fi

# Linked statically wherever the system allows it. The target is named even if it is the host: else the flags would hold for
# build scripts and macros, too, which cannot be static.
case "$target" in
  *-linux-gnu | *-windows-msvc) export RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+crt-static" ;;
esac
export CARGO_PROFILE_RELEASE_STRIP=symbols

cargo build --release --locked --package velamen-cli --target "$target" ${features:+--features "$features"}

folder="$(cargo metadata --no-deps --format-version 1 | sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')"
case "$target" in *-windows-*) exe=.exe ;; *) exe="" ;; esac
binary="$folder/$target/release/velamen$exe"
version="$("$binary" --version | cut -d ' ' -f 2)"
name="velamen-$version-$target"

rm -rf "${out:?}/$name" "$out/$name.tar.gz" "$out/$name.tar.gz.sha256"
mkdir -p "$out/$name/man" "$out/$name/completions"
cp "$binary" LICENSE README.md CHANGELOG.md "$out/$name/"
"$binary" man "$out/$name/man"
"$binary" completions bash >"$out/$name/completions/velamen.bash"
"$binary" completions zsh >"$out/$name/completions/_velamen"
"$binary" completions fish >"$out/$name/completions/velamen.fish"
"$binary" completions powershell >"$out/$name/completions/velamen.ps1"
"$binary" schema >"$out/$name/recipe.schema.json"

if cargo cyclonedx --version >/dev/null 2>&1; then
  cargo cyclonedx --manifest-path crates/cli/Cargo.toml --format json --target "$target" ${features:+--features "$features"} \
    --override-filename velamen.cdx
  mv crates/cli/velamen.cdx.json "$out/$name/"
  # One for each crate of the workspace is written; the binary's is enough.
  find crates testsuite xtask -name velamen.cdx.json -delete
else
  echo "cargo-cyclonedx is not installed, the SBOM is left out" >&2
  [ "${CI:-}" != true ]
fi

# The same files give the same archive, where tar can sort.
sorted=()
if tar --version 2>/dev/null | grep -q 'GNU tar'; then
  sorted=(--sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}")
fi
tar -C "$out" "${sorted[@]}" -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
cd "$out"
if command -v sha256sum >/dev/null; then sum=(sha256sum); else sum=(shasum -a 256); fi
"${sum[@]}" "$name.tar.gz" >"$name.tar.gz.sha256"
cat "$name.tar.gz.sha256"
