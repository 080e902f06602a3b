//! What `profile` suggests for postal codes.

use serde_json::Value;

use super::profile::{column, profiled};
use crate::common::Folder;

/// The suggested hierarchy of a column.
fn hierarchy_of(folder: &Folder, file: &str, name: &str) -> Value {
    let profile = profiled(folder, &[file]);
    let column = column(&profile, name);
    assert_eq!(column["suggestion"]["role"], "quasi-identifier", "{name}: {column}");
    column["suggestion"]["hierarchy"].clone()
}

#[test]
fn postcodes_of_the_united_kingdom_climb_to_their_area() {
    let folder = Folder::new();
    let outward = ["SW1A", "M1", "B33", "DN55", "EC1A"];
    let unit = |i: usize| {
        format!("{} {}{}{}", outward[i % 5], i % 10, ["A", "B", "D"][i % 3], ["J", "L", "N"][i / 3 % 3])
    };
    let written = |i: usize| match i % 4 {
        0 => unit(i),
        1 => unit(i).replace(' ', ""),
        2 => unit(i).to_lowercase(),
        _ => outward[i % 5].to_owned(),
    };
    let table = |name: &str, value: &dyn Fn(usize) -> String| {
        let rows: String = (0..300).map(|i| format!("{},{}\n", 20 + i % 60, value(i))).collect();
        format!("age,{name}\n{rows}")
    };
    folder.write("units.csv", table("home", &unit));
    assert_eq!(hierarchy_of(&folder, "units.csv", "home")["uk-postcode"], "unit");
    folder.write("outward.csv", table("outcode", &|i| outward[i % 5].to_owned()));
    assert_eq!(hierarchy_of(&folder, "outward.csv", "outcode")["uk-postcode"], "district");
    folder.write("mixed.csv", table("postcode", &written));
    assert_eq!(hierarchy_of(&folder, "mixed.csv", "postcode")["uk-postcode"], "any");
    folder.ok(&["profile", "mixed.csv", "--recipe", "recipe.toml"]);
    let recipe = folder.read("recipe.toml");
    assert!(recipe.contains("unit, then sector, district and area"), "{recipe}");
    folder.ok(&["anonymize", "recipe.toml"]);
}

/// Codes of five digits are German, French or Italian as well: only what another column says makes them American.
#[test]
fn five_digits_are_of_the_united_states_where_another_column_says_so() {
    let folder = Folder::new();
    let table = |name: &str, place: &str| {
        let row = |i: usize| format!("{},{:05},{place}\n", 20 + i % 60, 1_067 + i % 40);
        format!("age,zip,{name}\n{}", (0..300).map(row).collect::<String>())
    };
    let mask = serde_json::json!({ "mask": "right", "length": 5, "alphabet": 10 });
    for (name, place) in [("city", "Dresden"), ("country", "DE"), ("state", "Sachsen")] {
        folder.write("stays.csv", table(name, place));
        assert_eq!(hierarchy_of(&folder, "stays.csv", "zip"), mask, "{name}");
    }
    for (name, place) in [("state", "MA"), ("country", "USA")] {
        folder.write("stays.csv", table(name, place));
        assert!(hierarchy_of(&folder, "stays.csv", "zip")["us-zip"].is_array(), "{name}");
    }
}
