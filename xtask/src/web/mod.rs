//! The page of the browser: the program compiled to WebAssembly, within one file.

mod page;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Outcome, cargo, output, root};

const TARGET: &str = "wasm32-wasip1";

/// Makes `target/page/verify.html`. The environment's `VELAMEN_WASM` names a program that is compiled already.
pub(crate) fn run() -> Outcome {
    let program = match std::env::var_os("VELAMEN_WASM") {
        Some(program) => PathBuf::from(program),
        None => compiled()?,
    };
    let bytes = std::fs::read(&program).map_err(|error| format!("{}: {error}", program.display()))?;
    let page = page::verify(&bytes);
    let folder = target().join("page");
    let to = folder.join("verify.html");
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&to, &page))
        .map_err(|error| format!("{}: {error}", to.display()))?;
    let compressed = page::gzipped(&bytes).len();
    println!(
        "{}: {} bytes, the program {} bytes, compressed {compressed}; SHA-256 {}",
        to.display(),
        page.len(),
        bytes.len(),
        page::hex(page.as_bytes())
    );
    Ok(())
}

/// Compiles the program. `zstd` is C: clang compiles it for the target, with the headers of wasi-libc.
fn compiled() -> Result<PathBuf, String> {
    output(Command::new("rustup").args(["target", "add", TARGET]))?;
    let mut build = cargo();
    build.args(["build", "--quiet", "--profile", "web", "--target", TARGET, "-p", "velamen-web"]);
    for (name, value) in compiler() {
        if std::env::var_os(name).is_none() {
            build.env(name, value);
        }
    }
    output(&mut build)?;
    Ok(target().join(TARGET).join("web/velamen-page.wasm"))
}

/// Where cargo builds.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Debian's clang and wasi-libc, where nobody names others.
fn compiler() -> [(&'static str, &'static str); 3] {
    let archiver = if Path::new("/usr/bin/llvm-ar").exists() { "llvm-ar" } else { "ar" };
    [
        ("CC_wasm32_wasip1", "clang"),
        ("AR_wasm32_wasip1", archiver),
        ("CFLAGS_wasm32_wasip1", "--target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi"),
    ]
}
