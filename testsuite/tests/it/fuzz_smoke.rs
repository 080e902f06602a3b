//! Guards that no input makes a reader panic: the corpus of the repository, and fixed cases for each body of a fuzz
//! target.

use std::path::PathBuf;

use velamen_dp::{Seed, Stream, below};
use velamen_testsuite::fuzz::{TARGETS, Target};

const CASES: u64 = 1_000;

/// Bodies that write and read whole releases get a share of the cases.
const SLOW: [&str; 6] = ["linked", "recipe_made", "release", "release_bytes", "signature", "workload"];

/// How many cases a body gets: twenty times as many in `cargo xtask nightly`.
fn cases(name: &str) -> u64 {
    let usual = if SLOW.contains(&name) { CASES / 20 } else { CASES / 2 };
    if std::env::var_os("VELAMEN_NIGHTLY").is_some() { usual * 20 } else { usual }
}

/// Bytes that mean something to one format or another.
const TELLING: &[u8] = b",;\"\n\r\t*[]{}=.-+09aA \xef\xbb\xbf\xff\0";

fn pick(stream: &mut Stream, bound: usize) -> usize {
    below(stream, bound as u64) as usize
}

/// Now random bytes, now a valid input with some bytes replaced, inserted, removed or doubled.
fn case(target: &Target, stream: &mut Stream) -> Vec<u8> {
    match pick(stream, 6) {
        0 => return (0..pick(stream, 200)).map(|_| TELLING[pick(stream, TELLING.len())]).collect(),
        // Where bytes are choices, each byte is as good as another.
        1 | 2 if target.examples.len() > 1 && target.examples[0] == "\0" => {
            return (0..pick(stream, 400)).map(|_| pick(stream, 256) as u8).collect();
        }
        _ => {}
    }
    let mut bytes = target.examples[pick(stream, target.examples.len())].as_bytes().to_vec();
    for _ in 0..=pick(stream, 8) {
        let at = pick(stream, bytes.len() + 1);
        let byte =
            if pick(stream, 2) == 0 { pick(stream, 256) as u8 } else { TELLING[pick(stream, TELLING.len())] };
        match (pick(stream, 4), bytes.get_mut(at)) {
            (0, Some(place)) => *place = byte,
            (1, Some(_)) => drop(bytes.remove(at)),
            (2, Some(_)) => {
                let end = (at + 1 + pick(stream, 12)).min(bytes.len());
                let doubled = bytes[at..end].to_vec();
                bytes.splice(at..at, doubled);
            }
            _ => bytes.insert(at, byte),
        }
    }
    bytes
}

/// The inputs that the repository keeps for a target, in order.
fn corpus(name: &str) -> Vec<PathBuf> {
    let folder = format!("{}/../fuzz/seeds/{name}", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(&folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn survives(name: &str) {
    let (number, target) =
        TARGETS.iter().enumerate().find(|(_, target)| target.name == name).expect("a known target");
    for example in target.examples {
        (target.body)(example.as_bytes());
    }
    for file in corpus(name) {
        let bytes = std::fs::read(&file).unwrap();
        let caught = std::panic::catch_unwind(|| (target.body)(&bytes));
        assert!(caught.is_ok(), "{name} panicked on {}", file.display());
    }
    let mut stream = Seed::from_number(7).stream(number as u64);
    for _ in 0..cases(name) {
        let bytes = case(target, &mut stream);
        let caught = std::panic::catch_unwind(|| (target.body)(&bytes));
        assert!(caught.is_ok(), "{name} panicked on {:?}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn csv_survives() {
    survives("csv");
}

#[test]
fn recipe_survives() {
    survives("recipe");
}

#[test]
fn hierarchy_table_survives() {
    survives("hierarchy_table");
}

#[test]
fn manifest_survives() {
    survives("manifest");
}

/// Every number of a manifest in turn replaced by one that does not fit, and every row cut short.
#[test]
fn manifest_with_one_wrong_number_survives() {
    let target = TARGETS.iter().find(|target| target.name == "manifest").expect("a known target");
    let manifest = target.examples[0];
    let digits: Vec<(usize, &str)> = manifest.match_indices(|c: char| c.is_ascii_digit()).collect();
    let numbers = digits.iter().flat_map(|&(at, _)| {
        ["0", "7", "255", "18446744073709551615", "-1", "1e300"]
            .map(|number| [&manifest[..at], number, &manifest[at + 1..]].concat())
    });
    let rows = manifest
        .match_indices(", \"*\"")
        .map(|(at, cut)| [&manifest[..at], &manifest[at + cut.len()..]].concat());
    for changed in numbers.chain(rows) {
        let caught = std::panic::catch_unwind(|| (target.body)(changed.as_bytes()));
        assert!(caught.is_ok(), "a panic on {changed}");
    }
}

#[test]
fn catalog_survives() {
    survives("catalog");
}

#[test]
fn definition_survives() {
    survives("definition");
}

#[test]
fn every_target_has_a_file() {
    for target in TARGETS {
        let file = format!("{}/../fuzz/fuzz_targets/{}.rs", env!("CARGO_MANIFEST_DIR"), target.name);
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(text.contains(&format!("velamen_testsuite::fuzz::{}(bytes)", target.name)), "{file}");
    }
}

#[test]
fn profile_survives() {
    survives("profile");
}

#[test]
fn hierarchy_file_survives() {
    survives("hierarchy_file");
}

#[test]
fn json_lines_survives() {
    survives("json_lines");
}

#[test]
fn label_survives() {
    survives("label");
}

#[test]
fn query_survives() {
    survives("query");
}

#[test]
fn query_made_survives() {
    survives("query_made");
}

#[test]
fn recipe_made_survives() {
    survives("recipe_made");
}

#[test]
fn release_survives() {
    survives("release");
}

#[test]
fn set_survives() {
    survives("set");
}

#[test]
fn signature_survives() {
    survives("signature");
}

#[test]
fn workload_survives() {
    survives("workload");
}

#[test]
fn columnar_survives() {
    survives("columnar");
}

#[test]
fn packed_survives() {
    survives("packed");
}

#[test]
fn workbook_survives() {
    survives("workbook");
}

#[test]
fn release_bytes_survives() {
    survives("release_bytes");
}

#[test]
fn linked_survives() {
    survives("linked");
}

#[test]
fn every_corpus_is_small() {
    for target in TARGETS {
        let sizes: Vec<u64> = corpus(target.name).iter().map(|file| file.metadata().unwrap().len()).collect();
        assert!(sizes.len() <= 30 && sizes.iter().sum::<u64>() <= 100_000, "{}", target.name);
    }
}
