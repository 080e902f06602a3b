//! The page: one file with the program, its style and its scripts inside.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

const SYSTEM: &str = include_str!("../../../crates/web/src/static/wasi.js");
/// What the system lacks.
const MEMORY: &str = include_str!("../../../crates/web/src/static/memory.js");

/// The texts of the page that verifies a release.
const VERIFY: Texts = Texts {
    template: include_str!("../../../crates/web/src/static/verify.html"),
    styles: &[include_str!("../../../crates/web/src/static/verify.css")],
    script: include_str!("../../../crates/web/src/static/verify.js"),
    worker: include_str!("../../../crates/web/src/static/worker.js"),
    scripts: &[],
};

/// Those of the studio: its own styles and scripts, and before them what takes the place of its server.
const STUDIO: Texts = Texts {
    template: include_str!("../../../crates/web/src/static/studio.html"),
    styles: &[
        include_str!("../../../crates/studio/src/static/studio.css"),
        include_str!("../../../crates/studio/src/static/forms.css"),
        include_str!("../../../crates/report/src/forest.css"),
    ],
    script: include_str!("../../../crates/web/src/static/studio-page.js"),
    worker: include_str!("../../../crates/web/src/static/studio-worker.js"),
    scripts: &[
        ("{{htmx}}", include_str!("../../../crates/studio/src/static/htmx.min.js")),
        ("{{studio}}", include_str!("../../../crates/studio/src/static/studio.js")),
        ("{{forms}}", include_str!("../../../crates/studio/src/static/forms.js")),
        ("{{drafts}}", include_str!("../../../crates/studio/src/static/drafts.js")),
    ],
};

/// What stands in a page beside its program.
struct Texts {
    template: &'static str,
    styles: &'static [&'static str],
    /// The page's own script; it holds its worker's.
    script: &'static str,
    worker: &'static str,
    /// More scripts, and where they stand.
    scripts: &'static [(&'static str, &'static str)],
}

/// The page that verifies a release, around a program that was compiled for `wasm32-wasip1`. One program, one page.
pub(super) fn verify(program: &[u8]) -> String {
    VERIFY.around(program)
}

/// The page of the studio, around its program.
pub(super) fn studio(program: &[u8]) -> String {
    STUDIO.around(program)
}

impl Texts {
    fn around(&self, program: &[u8]) -> String {
        let script =
            self.script.replace("{{worker}}", &quoted(&format!("{SYSTEM}\n{MEMORY}\n{}", self.worker)));
        let style = self.styles.concat();
        let mut parts = vec![("{{policy}}", self.policy(&script, &style)), ("{{style}}", style)];
        parts.push(("{{script}}", script));
        parts.extend(self.scripts.iter().map(|(place, text)| (*place, (*text).to_owned())));
        parts.push(("{{version}}", env!("CARGO_PKG_VERSION").to_owned()));
        parts.push(("{{sha256}}", hex(program)));
        parts.push(("{{program}}", STANDARD.encode(gzipped(program))));
        parts.iter().fold(self.template.to_owned(), |page, (name, text)| page.replacen(name, text, 1))
    }

    /// What the browser is told to forbid: everything but this page's own scripts and style, and a worker of it. No connection
    /// is allowed, so that no cell can leave.
    fn policy(&self, script: &str, style: &str) -> String {
        let of = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
        let scripts = std::iter::once(script).chain(self.scripts.iter().map(|(_, text)| *text));
        format!(
            "default-src 'none'; script-src {} 'wasm-unsafe-eval'; style-src {}; worker-src blob:; \
             connect-src 'none'; base-uri 'none'; form-action 'none'",
            scripts.map(of).collect::<Vec<_>>().join(" "),
            of(style)
        )
    }
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

    fn both() -> [String; 2] {
        [verify(b"\0asm"), studio(b"\0asm")]
    }

    #[test]
    fn a_page_has_its_parts_once_and_loads_nothing() {
        let places = STUDIO.scripts.iter().map(|(place, _)| *place);
        let places: Vec<&str> = places
            .chain([
                "{{policy}}",
                "{{style}}",
                "{{script}}",
                "{{worker}}",
                "{{version}}",
                "{{sha256}}",
                "{{program}}",
            ])
            .collect();
        for page in both() {
            assert!(places.iter().all(|place| !page.contains(place)));
            assert_eq!(page.matches("connect-src 'none'").count(), 1);
            for outside in ["<script src", "<img", "@import", "url(", "<link"] {
                assert!(!page.contains(outside), "{outside}");
            }
        }
        assert!(!verify(b"\0asm").contains("https://"));
    }

    fn inside<'a>(text: &'a str, open: &'a str, end: &'a str) -> impl Iterator<Item = &'a str> {
        text.split(open).skip(1).map(move |rest| rest.split(end).next().unwrap_or_default())
    }

    #[test]
    fn the_policy_names_what_stands_in_the_page() {
        for page in both() {
            // A script may hold the tag of a style in a text of its own; the page's stands before the scripts.
            let (before, _) = page.split_once("<script").unwrap();
            let scripts = inside(&page, "<script>", "</script>");
            let modules = inside(&page, "<script type=\"module\">", "</script>");
            let found: Vec<&str> =
                inside(before, "<style>", "</style>").chain(scripts).chain(modules).collect();
            assert!(found.len() >= 2, "{}", found.len());
            for text in found {
                let digest = STANDARD.encode(Sha256::digest(text));
                assert!(page.contains(&format!("'sha256-{digest}'")), "{}", &text[..40.min(text.len())]);
            }
        }
    }

    #[test]
    fn no_string_of_a_script_ends_it() {
        assert_eq!(quoted("</script>\n\"x\""), r#""\u003c/script>\n\"x\"""#);
    }
}
