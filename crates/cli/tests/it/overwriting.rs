//! No command writes over what it reads, whatever it is told, and none makes a file or folder called `-`.

use crate::common;

use std::os::unix::fs::symlink;

use crate::common::{Folder, OPTIMAL, recipe};

/// Records whose every table is there: hierarchy, domain, population and key lie in files.
fn folder() -> Folder {
    let folder = Folder::with(OPTIMAL);
    folder.write("sex.csv", "F;*\nM;*\n");
    folder.write("codes.txt", "I63\nJ18\n");
    folder.write("key", "0123456789abcdef0123456789abcdef");
    folder.write("population.csv", common::patients());
    let text = recipe(OPTIMAL)
        .replace(
            "[attributes.sex]\nrole = \"quasi-identifier\"",
            "[attributes.sex]\nrole = \"quasi-identifier\"\nhierarchy = \"sex.csv\"",
        )
        .replace("role = \"sensitive\"", "role = \"sensitive\"\ndomain = \"codes.txt\"")
        .replace("[[privacy]]", "[population]\npath = \"population.csv\"\n[[privacy]]");
    folder.write("recipe.toml", text);
    folder
}

/// As [`Folder::refused`], and no file of the folder's has changed.
fn kept(folder: &Folder, arguments: &[&str], says: &[&str]) {
    let files: Vec<String> =
        folder.entries().into_iter().filter(|name| folder.path(name).is_file()).collect();
    let before: Vec<String> = files.iter().map(|name| folder.read(name)).collect();
    folder.refused(arguments, 2, says);
    let after: Vec<String> = files.iter().map(|name| folder.read(name)).collect();
    assert_eq!(before, after, "{arguments:?}");
}

#[test]
fn profile_keeps_the_table_it_reads() {
    let folder = folder();
    symlink("patients.csv", folder.path("soft.csv")).unwrap();
    std::fs::hard_link(folder.path("patients.csv"), folder.path("hard.csv")).unwrap();
    for target in ["patients.csv", "./patients.csv", "soft.csv", "hard.csv"] {
        kept(
            &folder,
            &["profile", "patients.csv", "--recipe", target, "--overwrite"],
            &[target, "is the table", "name another output"],
        );
    }
    kept(&folder, &["profile", "soft.csv", "--recipe", "hard.csv", "--overwrite"], &["is the table"]);
}

/// A release that is replaced goes with everything that lies in it.
#[test]
fn a_release_is_not_replaced_with_what_the_run_reads_in_it() {
    let folder = folder();
    folder.ok(&["anonymize", "recipe.toml"]);
    let run = ["anonymize", "recipe.toml", "--overwrite"];
    for (file, place, what) in [
        ("patients.csv", "release", "the input"),
        ("patients.csv", "release.custodian", "the input"),
        ("sex.csv", "release", "the hierarchy of `sex`"),
        ("codes.txt", "release", "the domain of `diagnosis`"),
        ("population.csv", "release.custodian", "the population"),
    ] {
        let (from, to) = (folder.path(file), folder.path(place).join(file));
        std::fs::rename(&from, &to).unwrap();
        let moved = folder.read("recipe.toml");
        folder.write("recipe.toml", moved.replace(&format!("\"{file}"), &format!("\"{place}/{file}")));
        kept(&folder, &run, &[place, &format!("holds {what}"), "name another output"]);
        // By a link as well, from either side.
        symlink(&to, &from).unwrap();
        folder.write("recipe.toml", &moved);
        kept(&folder, &run, &[&format!("holds {what}")]);
        std::fs::remove_file(&from).unwrap();
        std::fs::rename(&to, &from).unwrap();
    }
    std::fs::copy(folder.path("recipe.toml"), folder.path("release/recipe.toml")).unwrap();
    let inside =
        ["anonymize", "release/recipe.toml", "--input", "patients.csv", "--output", "release", "--overwrite"];
    let text =
        folder.read("recipe.toml").replace("sex.csv", "../sex.csv").replace("codes.txt", "../codes.txt");
    folder.write("release/recipe.toml", text.replace("population.csv", "../population.csv"));
    kept(&folder, &inside, &["release: holds the recipe"]);
    std::fs::remove_file(folder.path("release/recipe.toml")).unwrap();
    folder.ok(&run);
}

#[test]
fn a_key_is_kept() {
    let folder = folder();
    folder.ok(&["anonymize", "recipe.toml"]);
    std::fs::rename(folder.path("key"), folder.path("release.custodian/key")).unwrap();
    let text = folder
        .read("recipe.toml")
        .replace("[[privacy]]", "[key]\nfile = \"release.custodian/key\"\n[[privacy]]");
    let text = text.replace(
        "role = \"sensitive\"\ndomain = \"codes.txt\"",
        "role = \"identifier\"\npseudonym = \"hmac-sha256\"",
    );
    folder.write("recipe.toml", text);
    kept(&folder, &["anonymize", "recipe.toml", "--overwrite"], &["release.custodian: holds the key file"]);
}

#[test]
fn single_files_are_kept() {
    let folder = folder();
    folder.ok(&["anonymize", "recipe.toml"]);
    let of_table = ["--table", "patients.csv", "--column", "sex"];
    let build = |output| [&["hierarchy", "build", "sex.csv"][..], &of_table, &["--output", output]].concat();
    kept(&folder, &build("sex.csv"), &["sex.csv: is the hierarchy's source"]);
    kept(&folder, &build("patients.csv"), &["patients.csv: is the table"]);
    kept(
        &folder,
        &["hierarchy", "build", "sex.csv", "--codes", "codes.txt", "--output", "codes.txt"],
        &["codes.txt: is the file of values"],
    );
    for place in ["recipe.toml", "release"] {
        let export = |output| ["hierarchy", "export", place, "--attribute", "age", "--output", output];
        match place {
            "release" => kept(&folder, &export("release/data.csv"), &["inside the release"]),
            _ => {
                kept(&folder, &export("recipe.toml"), &["is the recipe"]);
                kept(&folder, &export("patients.csv"), &["is the input"]);
                kept(&folder, &export("sex.csv"), &["is the hierarchy of `sex`"]);
            }
        }
    }
    symlink("release", folder.path("same")).unwrap();
    for output in ["release/data.csv", "release/new.csv", "same/new.csv"] {
        kept(&folder, &["truthful", "release", "--output", output], &["inside the release"]);
    }
    kept(&folder, &["report", "release", "--output", "same/new.html"], &["inside the release"]);
    folder.ok(&["report", "release", "--output", "release/report.html"]);
    folder.ok(&["verify", "release"]);
}

#[test]
fn outputs_of_one_command_are_different_files() {
    let folder = Folder::new();
    for more in [["--recipe", "x"], ["--hierarchies", "."]] {
        let output = if more[0] == "--recipe" { "./x" } else { "age.csv" };
        let call = ["synth", "nps", "--rows", "10", "--output", output, more[0], more[1]];
        folder.refused(&call, 2, &["is asked for twice"]);
    }
}

#[test]
fn a_demonstration_replaces_nothing_but_itself() {
    let folder = folder();
    for file in ["recipe.toml", "patients.csv"] {
        let before = folder.entries();
        let run = folder.run(&["demo", "--rows", "1000", "--output", "."]);
        assert_eq!(run.code, 6, "{}", run.err);
        assert!(run.err.contains(file) && run.err.contains("--output"), "{}", run.err);
        assert_eq!(folder.entries(), before);
        assert_eq!(folder.read("patients.csv"), common::patients());
        std::fs::remove_file(folder.path(file)).unwrap();
    }
    for _ in 0..2 {
        folder.ok(&["demo", "--rows", "1000", "--output", "demo"]);
    }
}

#[test]
fn no_folder_or_file_is_called_dash() {
    let folder = folder();
    folder.ok(&["anonymize", "recipe.toml"]);
    let says = ["standard output is not supported here"];
    for call in [
        &["anonymize", "recipe.toml", "--output", "-"][..],
        &["anonymize", "recipe.toml", "--overwrite", "--set", "output.path=-"],
        &["profile", "patients.csv", "--recipe", "-"],
        &["report", "release", "--output", "-"],
        &["synth", "nps", "--rows", "10", "--output", "x.csv", "--recipe", "-"],
        &["synth", "nps", "--rows", "10", "--output", "x.csv", "--hierarchies", "-"],
        &["reproduce", "arca2021", "--output", "-"],
        &["reproduce", "lee2017", "--output", "-"],
    ] {
        kept(&folder, call, &says);
    }
    // The first line says where it will work.
    let run = folder.run(&["demo", "--output", "-"]);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains(says[0]) && !folder.path("-").exists(), "{}", run.err);
    folder.ok(&["anonymize", "recipe.toml", "--output", "./-"]);
}
