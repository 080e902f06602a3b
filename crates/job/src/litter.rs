//! Files that systems leave in folders.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What systems leave in folders that somebody looked into, and how such a file begins: a name alone would let any file in.
const LITTER: [(&str, &[u8]); 5] = [
    (".ds_store", b"\0\0\0\x01Bud1"),
    ("thumbs.db", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    ("desktop.ini", b"[."),
    ("desktop.ini", b"\r\n[."),
    ("desktop.ini", b"\xff\xfe"),
];
/// The copies that macOS keeps of a file's attributes.
const ATTRIBUTES: &[u8] = b"\0\x05\x16\x07";

/// Whether a file is a system's, left behind without anybody's will.
pub(crate) fn is_litter(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let of_name = LITTER.iter().filter(|(known, _)| *known == name).map(|(_, begins)| *begins);
    let beginnings: Vec<&[u8]> = of_name.chain(name.starts_with("._").then_some(ATTRIBUTES)).collect();
    // A pipe would be waited for.
    let is_file = || path.symlink_metadata().is_ok_and(|there| there.is_file());
    if beginnings.is_empty() || !is_file() {
        return false;
    }
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(8).read_to_end(&mut head));
    read.is_ok() && (head.is_empty() || beginnings.iter().any(|begins| head.starts_with(begins)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn litter_is_a_systems() {
        let folder = tempfile::tempdir().expect("a folder");
        let is = |name: &str, content: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, content).expect("a file");
            is_litter(&path)
        };
        assert!(is(".DS_Store", b"\0\0\0\x01Bud1...") && is("._data.csv", b"\0\x05\x16\x07..."));
        assert!(is("desktop.ini", b"[.ShellClassInfo]\r\n") && is("Thumbs.db", b""));
        assert!(!is(".hidden", b"") && !is("thumbs.db.csv", b"") && !is("original.csv", b"\0\x05\x16\x07"));
        for name in [".DS_Store", "._original.csv", "Thumbs.db", "desktop.ini"] {
            assert!(!is(name, b"name,age\n"), "{name}");
        }
    }
}
