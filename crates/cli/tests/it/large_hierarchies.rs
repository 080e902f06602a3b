//! Hierarchies of many values: they lie beside `release.json`, and every verb reads them there.

use std::fmt::Write as _;

use crate::common::{Folder, written};

const PACKED: &str = "release/hierarchy-2.json.gz";

/// 300 records, and codes of a hierarchy of 12 000.
fn folder(method: &str) -> Folder {
    let folder = Folder::new();
    let mut hierarchy = String::new();
    for code in 0..12_000 {
        writeln!(hierarchy, "K{code:05};L{:04};M{:02};*", code / 10, code / 1000).unwrap();
    }
    let mut table = "sex,code,disease\n".to_owned();
    for record in 0..300 {
        let (sex, code, disease) = (["F", "M"][record % 2], record * 37 % 12_000, record % 7);
        writeln!(table, "{sex},K{code:05},D{disease}").unwrap();
    }
    folder.write("codes.csv", hierarchy);
    folder.write("patients.csv", table);
    folder.write(
        "recipe.toml",
        format!(
            "[input]\npath = \"patients.csv\"\n[attributes.sex]\nrole = \"quasi-identifier\"\n[attributes.code]\nrole = \
             \"quasi-identifier\"\nhierarchy = \"codes.csv\"\n[attributes.disease]\nrole = \"sensitive\"\n[[privacy]]\nmodel = \
             \"k-anonymity\"\nk = 3\n[method]\n{method}\n[output]\npath = \"release\"\n"
        ),
    );
    folder
}

#[test]
fn every_verb_reads_a_hierarchy_that_lies_apart_as_one_in_the_manifest() {
    for method in ["name = \"optimal\"", "name = \"mondrian\""] {
        let folder = folder(method);
        folder.ok(&["anonymize", "recipe.toml", "--seed", "1"]);
        let mut manifest = folder.json("release/release.json");
        assert_eq!(manifest["format"], 3);
        let apart = manifest["attributes"]["code"]["hierarchy"].clone();
        assert_eq!(apart["file"], "hierarchy-2.json.gz");
        let packed = std::fs::read(folder.path(PACKED)).unwrap();
        assert!(packed.len() as u64 * 4 < apart["bytes"].as_u64().unwrap());
        folder.ok(&["verify", "release"]);
        let verbs: [&[&str]; 3] =
            [&["measure", "release"], &["compare", "patients.csv", "release"], &["risk", "release"]];
        let told = |folder: &Folder| verbs.map(|verb| folder.ok(verb).out);
        let found = told(&folder);
        // The same with the hierarchy where smaller ones stand.
        let mut text = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&packed[..]), &mut text).unwrap();
        manifest["attributes"]["code"]["hierarchy"] = serde_json::from_slice(&text).unwrap();
        manifest["format"] = 1.into();
        folder.write("release/release.json", written(&manifest));
        std::fs::remove_file(folder.path(PACKED)).unwrap();
        assert_eq!(told(&folder), found);
        // An older form does not state all that is judged now.
        assert_eq!(folder.run(&["verify", "release"]).code, 8);
    }
}

#[test]
fn a_hierarchy_that_was_changed_or_lost_is_refused() {
    let folder = folder("name = \"optimal\"");
    folder.ok(&["anonymize", "recipe.toml"]);
    let mut packed = std::fs::read(folder.path(PACKED)).unwrap();
    let last = packed.len() - 1;
    packed[last / 2] ^= 1;
    std::fs::write(folder.path(PACKED), packed).unwrap();
    for verb in ["verify", "measure"] {
        folder.refused(&[verb, "release"], 3, &["error[E0305]", "hierarchy-2.json.gz", "SHA-256"]);
    }
    std::fs::remove_file(folder.path(PACKED)).unwrap();
    folder.refused(&["verify", "release"], 6, &["hierarchy-2.json.gz"]);
}
