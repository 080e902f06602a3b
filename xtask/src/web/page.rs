//! The page: one file with the program, its style and its scripts inside.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

const TEMPLATE: &str = include_str!("../../../crates/web/src/static/verify.html");
const STYLE: &str = include_str!("../../../crates/web/src/static/verify.css");
const SCRIPT: &str = include_str!("../../../crates/web/src/static/verify.js");
const WORKER: &str = include_str!("../../../crates/web/src/static/worker.js");
const SYSTEM: &str = include_str!("../../../crates/web/src/static/wasi.js");

/// The page that verifies a release, around a program that was compiled for `wasm32-wasip1`. One program, one page.
pub(super) fn verify(program: &[u8]) -> String {
    let script = SCRIPT.replace("{{worker}}", &quoted(&format!("{SYSTEM}\n{WORKER}")));
    let parts = [
        ("{{policy}}", policy(&script)),
        ("{{style}}", STYLE.to_owned()),
        ("{{script}}", script),
        ("{{version}}", env!("CARGO_PKG_VERSION").to_owned()),
        ("{{sha256}}", hex(program)),
        ("{{program}}", STANDARD.encode(gzipped(program))),
    ];
    parts.iter().fold(TEMPLATE.to_owned(), |page, (name, text)| page.replacen(name, text, 1))
}

/// What the browser is told to forbid: everything but this page's own script and style, and a worker of it. No connection is
/// allowed, so that no cell can leave.
fn policy(script: &str) -> String {
    let of = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    format!(
        "default-src 'none'; script-src {} 'wasm-unsafe-eval'; style-src {}; worker-src blob:; connect-src 'none'; \
         base-uri 'none'; form-action 'none'",
        of(script),
        of(STYLE)
    )
}

/// A text as a string of a script, in which no tag can end.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default().replace('<', "\\u003c")
}

/// Smaller, and alike each time.
pub(super) fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Memory takes all of it.
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.unwrap_or_default()
}

/// SHA-256 in hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_its_parts_once_and_loads_nothing() {
        let page = verify(b"\0asm");
        for name in ["policy", "style", "script", "worker", "version", "sha256", "program"] {
            assert!(!page.contains(&format!("{{{{{name}}}}}")), "{name}");
        }
        assert_eq!(page.matches("connect-src 'none'").count(), 1);
        for outside in ["http://", "https://", "src=", "@import", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
    }

    #[test]
    fn the_policy_names_what_stands_in_the_page() {
        let page = verify(b"\0asm");
        for (open, end) in [("<style>", "</style>"), ("<script>", "</script>")] {
            let inside = page.split(open).nth(1).and_then(|rest| rest.split(end).next()).unwrap_or_default();
            let digest = STANDARD.encode(Sha256::digest(inside));
            assert!(page.contains(&format!("'sha256-{digest}'")), "{open}");
        }
    }

    #[test]
    fn no_string_of_a_script_ends_it() {
        assert_eq!(quoted("</script>\n\"x\""), r#""\u003c/script>\n\"x\"""#);
    }
}
