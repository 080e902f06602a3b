#!/usr/bin/env bash
# Builds what a release offers for one target: a static binary with man pages, completions, licence and SBOM in one archive,
# and its SHA-256 sum. The release workflow calls it on every system; anybody can call it.
#
#   deploy/build.sh [--target TRIPLE] [--features FEATURES] [--out DIR] [--binary FILE]
#
# TRIPLE: x86_64-unknown-linux-musl when rustup has its standard library, else this machine's own, linked statically.
# FILE: a binary of that target and these features that is packed instead of one built here, such as a signed one.
# FEATURES: none by default; releases are built with `full`, which takes DataFusion and many minutes.
# Needs: Rust; for musl a compiler for C (Debian: musl-tools). The binary must run here: it writes its own man pages and
# completions.
set -euo pipefail
cd "$(dirname "$0")/.."

host="$(rustc -vV | sed -n 's/^host: //p')"
target="" features="" binary="" out="$PWD/target/dist"
while [ $# -gt 0 ]; do
  case "$1" in
    --target) target="$2" ;;
    --features) features="$2" ;;
    --out) mkdir -p "$2"; out="$(cd "$2" && pwd)" ;;
    --binary) binary="$2" ;;
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
flags=""
case "$target" in
  *-linux-gnu | *-windows-msvc) flags="-C target-feature=+crt-static" ;;
esac
# A static binary finds no function of the C library by its name, as the way of the crate getrandom has it on glibc.
case "$target" in *-linux-gnu) flags+=' --cfg getrandom_backend="linux_getrandom"' ;; esac

case "$target" in *-windows-*) exe=.exe ;; *) exe="" ;; esac
if [ -z "$binary" ]; then
  RUSTFLAGS="${RUSTFLAGS:-} $flags" CARGO_PROFILE_RELEASE_STRIP=symbols \
    cargo build --release --locked --package velamen-cli --target "$target" ${features:+--features "$features"}
  folder="$(cargo metadata --no-deps --format-version 1 | sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')"
  binary="$folder/$target/release/velamen$exe"
fi
version="$("$binary" --version | cut -d ' ' -f 2)"
name="velamen-$version-$target"

rm -rf "${out:?}/$name" "$out/$name.tar.gz" "$out/$name.tar.gz.sha256"
mkdir -p "$out/$name/man" "$out/$name/completions"
cp "$binary" "$out/$name/velamen$exe"
cp LICENSE README.md CHANGELOG.md "$out/$name/"
"$binary" man "$out/$name/man"
"$binary" completions bash >"$out/$name/completions/velamen.bash"
"$binary" completions zsh >"$out/$name/completions/_velamen"
"$binary" completions fish >"$out/$name/completions/velamen.fish"
"$binary" completions powershell >"$out/$name/completions/velamen.ps1"
"$binary" schema >"$out/$name/recipe.schema.json"

# A double-click starts the studio, where the program has one.
if "$binary" studio --help >/dev/null 2>&1; then
  case "$target" in
    *-linux-*) cp deploy/launcher/velamen-studio.desktop "$out/$name/" ;;
    *-apple-*) cp "deploy/launcher/Velamen studio.command" "$out/$name/" ;;
    *-windows-*) cp "deploy/launcher/Velamen studio.bat" "$out/$name/" ;;
  esac
fi

cargo xtask sbom "$out/$name/velamen.cdx.json" --target "$target" ${features:+--features "$features"}

# The same files give the same archive, where tar can sort.
sorted=()
if tar --version 2>/dev/null | grep -q 'GNU tar'; then
  sorted=(--sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}")
fi
# An empty list is an unknown variable to the bash of macOS.
tar -C "$out" ${sorted[@]+"${sorted[@]}"} -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
cd "$out"
if command -v sha256sum >/dev/null; then sum=(sha256sum); else sum=(shasum -a 256); fi
"${sum[@]}" "$name.tar.gz" >"$name.tar.gz.sha256"
cat "$name.tar.gz.sha256"

# What each system opens by a double-click: a disk's installer on macOS, a ZIP file on Windows.
case "$target" in
  *-apple-*)
    root="$(mktemp -d)"
    install -d "$root/bin" "$root/share/man/man1"
    install "$name/velamen" "$root/bin/"
    cp "$name"/man/*.1 "$root/share/man/man1/"
    pkgbuild --root "$root" --identifier org.velamen.velamen --version "$version" --install-location /usr/local "$name.pkg"
    rm -rf "$root"
    ;;
  *-windows-*) rm -f "$name.zip" && 7z a -bso0 "$name.zip" "$name" ;;
esac
