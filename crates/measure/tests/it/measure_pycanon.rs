//! Guards that the measures equal those of pycanon 1.3.6, an independent checker, on stored tables.
use crate::table::Table;
use serde_json::Value;
use velamen_measure::measure::{Options, measure};

const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pycanon");

fn read(name: &str) -> String {
    std::fs::read_to_string(format!("{DIRECTORY}/{name}")).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

/// Every figure of `theirs` is in `ours`; pycanon's distances have none where it divides by m − 1 = 0.
fn compare(path: &str, ours: &Value, theirs: &Value, compared: &mut u32) {
    if let Value::Object(figures) = theirs {
        for (name, figure) in figures {
            compare(&format!("{path}.{name}"), &ours[name.as_str()], figure, compared);
        }
        return;
    }
    *compared += 1;
    match (ours.as_f64(), theirs.as_f64()) {
        (Some(a), Some(b)) => assert!((a - b).abs() <= 1e-9, "{path}: {a}, pycanon {b}"),
        (Some(zero), None) if path.ends_with(".t-ordered") => assert_eq!(zero, 0.0, "{path}"),
        _ => assert!(ours.is_null() && theirs.is_null(), "{path}: {ours}, pycanon {theirs}"),
    }
}

/// Where the real entropy l is whole, pycanon's integer part hangs on the last bit: take its side if one off.
fn settle_entropy(ours: &mut Value, theirs: &Value, reals: &[f64]) {
    let whole = reals.iter().any(|real| (real - real.round()).abs() <= 1e-9);
    let (a, b) = (ours["entropy-l"].as_i64().unwrap(), theirs["entropy-l"].as_i64().unwrap());
    if whole && (a - b).abs() == 1 {
        ours["entropy-l"] = theirs["entropy-l"].clone();
    }
}

#[test]
fn figures_equal_those_of_pycanon() {
    let expected: Value = serde_json::from_str(&read("expected.json")).unwrap();
    let mut compared = 0;
    for entry in expected["tables"].as_array().unwrap() {
        let name = entry["table"].as_str().unwrap();
        let table = Table::parse(&read(&format!("tables/{name}")), ',');
        let grouped = table.group(&names(&entry["qi"]), &names(&entry["sensitive"]));
        assert_eq!(grouped.check(), Ok(()), "{name}");
        let mut ours = serde_json::to_value(measure(&grouped, &Options::default())).unwrap();
        let theirs = &entry["measures"];
        let mut reals = Vec::new();
        for one in names(&entry["sensitive"]) {
            let attribute = &mut ours["sensitive"][one];
            assert_eq!(attribute["numeric"], names(&entry["numeric"]).contains(&one), "{name} {one}");
            let real = attribute["entropy-l"].as_f64().unwrap();
            settle_entropy(&mut attribute["pycanon"], &theirs["sensitive"][one]["pycanon"], &[real]);
            reals.push(real);
        }
        settle_entropy(&mut ours["pycanon"], &theirs["pycanon"], &reals);
        compare(name, &ours, theirs, &mut compared);
    }
    assert_eq!(compared, 405, "figures compared");
}

/// Figures of ours that pycanon also gives, under another name or in another unit.
#[test]
fn our_own_figures_agree_where_the_definitions_do() {
    let expected: Value = serde_json::from_str(&read("expected.json")).unwrap();
    for entry in expected["tables"].as_array().unwrap() {
        let table = Table::parse(&read(&format!("tables/{}", entry["table"].as_str().unwrap())), ',');
        let grouped = table.group(&names(&entry["qi"]), &names(&entry["sensitive"]));
        for ours in measure(&grouped, &Options::default()).sensitive {
            let theirs = &entry["measures"]["sensitive"][&ours.name]["pycanon"];
            let near = |a: Option<f64>, b: &Value| (a.unwrap() - b.as_f64().unwrap()).abs() <= 1e-9;
            assert!(near(ours.alpha, &theirs["alpha"]));
            assert_eq!(ours.distinct_l, theirs["l"].as_u64());
            assert!(near(ours.basic_beta, &theirs["basic-beta"]));
            assert!(near(ours.delta.map(|delta| delta * std::f64::consts::LN_2), &theirs["delta"]));
        }
    }
}
