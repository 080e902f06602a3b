//! Hierarchies that are none: exit 5 with the file, the row and the column, never a label.

use crate::common::{CANARY, Folder, H_CEILING, recipe};

fn refused(hierarchy: impl AsRef<[u8]>, says: &[&str]) {
    let folder = folder();
    folder.write("sex.csv", hierarchy);
    folder.refused(&["anonymize", "recipe.toml"], 5, &[says, &["sex.csv"]].concat());
}

fn folder() -> Folder {
    let folder = Folder::with(H_CEILING);
    let named = "[attributes.sex]\nhierarchy = \"sex.csv\"";
    folder.write("recipe.toml", recipe(H_CEILING).replace("[attributes.sex]", named));
    folder
}

#[test]
fn an_ambiguous_parent() {
    let rows = format!("F;{CANARY};p;*\nM;{CANARY};q;*\n");
    refused(rows, &["`sex`", "row 2, column 2", "another parent in row 1", "one parent"]);
}

#[test]
fn ragged_levels() {
    refused(format!("F;{CANARY};*\nM;*\n"), &["row 2 has 2 levels, row 1 has 3", "same number"]);
}

#[test]
fn a_leaf_listed_twice() {
    refused(format!("F;*\n{CANARY};*\n{CANARY};*\n"), &["row 3 repeats the value of row 2"]);
}

#[test]
fn nothing_in_it() {
    refused("", &["empty", "one row per value"]);
    refused("\n", &["empty"]);
}

#[test]
fn not_utf_8() {
    refused(b"F;\xfc;*\nM;\xfc;*\n", &["line 1", "UTF-8"]);
}

#[test]
fn a_missing_file() {
    folder().refused(&["anonymize", "recipe.toml"], 6, &["sex.csv", "hierarchy", "No such file"]);
}

#[test]
fn a_value_it_lacks_is_the_tables_fault() {
    let folder = folder();
    folder.write("sex.csv", "F;*\nX;*\n");
    folder.refused(
        &["anonymize", "recipe.toml"],
        4,
        &["line 12 (record 11)", "`sex`", "one of the 2 values"],
    );
}

#[test]
fn comma_and_byte_order_mark_are_no_fault() {
    let folder = folder();
    folder.write("sex.csv", "\u{feff}F,*\r\nM,*\r\n");
    folder.ok(&["anonymize", "recipe.toml"]);
}
