//! Files as hospitals have them: other encodings, decimal commas, dates with times; and the recipe that `profile` makes of them.

use crate::common::{CANARY, Folder};

/// Patients as an older German export has them, in characters that windows-1252 has as well.
fn export() -> String {
    let mut text =
        String::from("Name;Geburtsdatum;Geschlecht;Aufnahme;Entlassung;Gr\u{f6}\u{df}e;Diagnose\n");
    for i in 0..240 {
        let born =
            format!("{:02}.{:02}.{}", 1 + i % 28, 1 + i % 12, if i == 9 { 1922 } else { 1935 + i * 7 % 60 });
        let (day, stay) = (1 + i % 20, i % 8);
        let left = if i % 50 == 3 { String::new() } else { format!("{:02}.03.2024", day + stay) };
        let height = format!("{},{}", 155 + i % 40, i % 10);
        let (sex, code) = (["w", "m"][i % 2], ["I63.9", "J18.9", "E11.9"][i % 3]);
        text += &format!(
            "{CANARY} M\u{fc}ller;{born};{sex};{day:02}.03.2024 08:{:02};{left};{height};{code}\n",
            i % 60
        );
    }
    text
}

fn western(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
}

const READ: [&str; 3] = ["--encoding", "windows-1252", "--decimal-comma"];

#[test]
fn a_recipe_of_a_real_export_is_good_at_once() {
    let folder = Folder::new();
    folder.write("export.csv", western(&export()));
    let run = folder.ok(&[&["profile", "export.csv", "--recipe", "recipe.toml"][..], &READ].concat());
    assert!(!(run.out + &run.err).contains(CANARY));
    let recipe = folder.read("recipe.toml");
    for line in [
        "encoding = \"windows-1252\"",
        "decimal = \",\"",
        "[derived.age]\nage-at = \"Aufnahme\"\nbirth = \"Geburtsdatum\"\nformat = \"%d.%m.%Y\"\n",
        "[derived.length_of_stay]\ndays-between = [\"Aufnahme\", \"Entlassung\"]\n",
        "top = 90",
        "# Tried on this table, with k-anonymity alone.",
        "#   mondrian ",
        "#   optimal with local recoding ",
    ] {
        assert!(recipe.contains(line), "{line}\n{recipe}");
    }
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.ok(&["verify", "export-release"]);
    let header = folder.read("export-release/data.csv").lines().next().unwrap().to_owned();
    assert!(
        header.contains("Gr\u{f6}\u{df}e") && header.contains("age") && !header.contains("Geburtsdatum"),
        "{header}"
    );
    assert!(recipe.contains("[attributes.Diagnose]\nrole = \"sensitive\""), "{recipe}");
    // The custodian's folder says how the original was read; another table is read by the options alone.
    folder.ok(&["attack", "export-release", "--original", "export.csv", "--attacks", "linkage"]);
    folder.ok(&["compare", "export.csv", "export-release"]);
    folder.write("other.csv", western(&export()));
    folder.refused(&["attack", "export-release", "--original", "other.csv"], 4, &["not UTF-8"]);
    // Of the same name, but elsewhere: not the run's own. Its own by another way is.
    std::fs::create_dir(folder.path("old")).unwrap();
    folder.write("old/export.csv", western(&export()));
    folder.refused(&["compare", "old/export.csv", "export-release"], 4, &["not UTF-8"]);
    let own = folder.path("old/../export.csv").display().to_string();
    folder.ok(&["compare", &own, "export-release"]);
    folder.write("old/export.csv", export());
    let read = ["--only", "metrics", "--decimal-comma", "--delimiter", ";"];
    let run = folder.ok(&[&["compare", "old/export.csv", "export-release"], &read[..]].concat());
    assert!(
        run.out.contains("note: old/export.csv is not the file that the release was made of"),
        "{}",
        run.out
    );
    let attack = ["attack", "export-release", "--original", "old/export.csv", "--attacks", "linkage"];
    let run = folder.ok(&[&attack[..], &read[2..]].concat());
    assert!(run.out.contains("note: old/export.csv is not the file"), "{}", run.out);
    // Next month somebody is 101 years old.
    let older = export().replacen(".1935;", ".1921;", 1);
    folder.write("export.csv", western(&older));
    folder.ok(&["anonymize", "recipe.toml", "--overwrite"]);
}

#[test]
fn a_file_that_is_not_utf_8_is_refused_with_the_key_that_mends_it() {
    let folder = Folder::new();
    folder.write("export.csv", western(&export()));
    folder.refused(
        &["profile", "export.csv"],
        4,
        &["the header is not UTF-8", "encoding = \"windows-1252\"", "--encoding"],
    );
    let plain = export().replacen("Gr\u{f6}\u{df}e", "Groesse", 1);
    folder.write("export.csv", western(&plain));
    folder.refused(
        &["profile", "export.csv"],
        4,
        &["line 2 (record 1), column `Name`: not UTF-8", "--encoding"],
    );
    folder.refused(
        &["profile", "export.csv", "--encoding", "klingon"],
        2,
        &["--encoding: `klingon` is no encoding"],
    );
    let wide: Vec<u8> = "\u{feff}a,b\n1,2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    folder.write("wide.csv", wide);
    folder.refused(&["profile", "wide.csv"], 4, &["UTF-16", "encoding = \"utf-16le\""]);
    let run = folder.ok(&["profile", "wide.csv", "--encoding", "utf-16le"]);
    assert!(run.out.contains("1 records, 2 columns"), "{}", run.out);
}

#[test]
fn a_birth_that_cannot_be_read_is_noted_and_not_derived() {
    let folder = Folder::new();
    let mut text = export();
    text = text.replacen("02.02.1942", "02.02.2042", 1);
    folder.write("export.csv", text);
    let run = folder.ok(&["profile", "export.csv", "--recipe", "recipe.toml", "--decimal-comma"]);
    assert!(
        run.err.contains("`age` could be derived, but ") && run.err.contains("line 3 (record 2)"),
        "{}",
        run.err
    );
    assert!(!folder.read("recipe.toml").contains("[derived.age]"));
}
