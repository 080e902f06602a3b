//! The pages of the browser: a program compiled to WebAssembly, within one file.

mod page;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Outcome, cargo, output, root};

const TARGET: &str = "wasm32-wasip1";

/// A page: its file's name, how it is made around a program, and what names a program that is compiled already.
type Page = (&'static str, fn(&[u8]) -> String, &'static str);

const PAGES: [Page; 2] =
    [("verify.html", page::verify, "VELAMEN_WASM"), ("velamen.html", page::studio, "VELAMEN_STUDIO_WASM")];

/// Makes `target/page/verify.html` and `velamen.html`. The environment's `VELAMEN_WASM` and `VELAMEN_STUDIO_WASM` name programs that
/// are compiled already.
pub(crate) fn run() -> Outcome {
    let given = PAGES.map(|(.., name)| std::env::var_os(name).map(PathBuf::from));
    if given.iter().any(Option::is_none) {
        compile()?;
    }
    let compiled =
        ["velamen-page.wasm", "velamen_web.wasm"].map(|name| target().join(TARGET).join("web").join(name));
    for ((page, given), compiled) in PAGES.iter().zip(given).zip(compiled) {
        write(page, &given.unwrap_or(compiled))?;
    }
    Ok(())
}

/// Makes a page around a program.
fn write((name, around, _): &Page, program: &Path) -> Outcome {
    let bytes = std::fs::read(program).map_err(|error| format!("{}: {error}", program.display()))?;
    let page = around(&bytes);
    let folder = target().join("page");
    let to = folder.join(name);
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

/// Compiles both programs: one runs once, and the other is a library that is called. `zstd` is C: clang compiles it for the target,
/// with the headers of wasi-libc.
fn compile() -> Outcome {
    output(Command::new("rustup").args(["target", "add", TARGET]))?;
    let of_profile = ["--quiet", "--profile", "web", "--target", TARGET, "-p", "velamen-web"];
    // One choice of packages and features, so that both share what they are built of.
    let kinds = [
        (&["build", "--bin", "velamen-page"][..], &[][..]),
        (&["rustc", "--lib", "--crate-type", "cdylib"], &["--", "--cfg", "velamen_called"]),
    ];
    for (kind, of_library) in kinds {
        let mut build = cargo();
        build.args(kind).args(of_profile).args(of_library);
        for (name, value) in compiler() {
            if std::env::var_os(name).is_none() {
                build.env(name, value);
            }
        }
        output(&mut build)?;
    }
    Ok(())
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
