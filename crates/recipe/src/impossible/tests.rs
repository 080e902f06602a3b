use super::*;
use velamen_core::hierarchy::{Edition, Icd10};

fn sections(text: &str) -> Result<Vec<Impossible>, String> {
    toml::from_str::<ImpossibleSection>(text).unwrap().entries(0).map_err(|problem| problem.to_string())
}

#[test]
fn the_list_is_of_codes_that_the_editions_have() {
    use velamen_core::hierarchy::Definition;
    let all = [icd10::FEMALE, icd10::MALE, icd10::NEWBORN, icd10::MATERNITY].concat();
    assert!(all.iter().all(|code| is_code(code)));
    for icd_10 in [Edition::Who, Edition::Cm] {
        let rule = Rule::try_from(&Definition::of(&Icd10 { icd_10, longest: None, lengths: None })).unwrap();
        // Each edition has blocks and categories of its own; most are in both.
        let known =
            all.iter().filter(|code| rule.contains(code.split('-').next().unwrap_or_default())).count();
        assert!(known + 4 >= all.len(), "{icd_10:?}: {known} of {}", all.len());
    }
}

#[test]
fn no_code_is_of_both_sexes() {
    let named = |list: &[&str], code: &str| list.iter().any(|entry| names(entry, &Rule::Flat, code));
    for letter in 'A'..='Z' {
        for number in 0..1000 {
            let code = format!("{letter}{:02}.{}", number / 10, number % 10);
            assert!(!(named(icd10::FEMALE, &code) && named(icd10::MALE, &code)), "{code}");
        }
    }
    assert!(named(icd10::MALE, "C61") && named(icd10::FEMALE, "o9a.1") && !named(icd10::FEMALE, "C61.9"));
    assert!(named(icd10::MALE, "N51.2") && !named(icd10::MALE, "N60") && !named(icd10::FEMALE, "N63"));
}

#[test]
fn the_list_is_written_out() {
    let text =
        "list = \"icd-10\"\nage = \"age\"\n[sex]\nattribute = \"sex\"\nfemale = [\"w\"]\nmale = [\"m\"]";
    let entries = sections(text).unwrap();
    let told = |entry: &Impossible| (entry.attribute.clone(), entry.values.clone(), entry.from, entry.to);
    let told: Vec<_> = entries.iter().map(told).collect();
    assert_eq!(told[0], ("sex".to_owned(), vec!["m".to_owned()], None, None));
    assert_eq!(told[1], ("sex".to_owned(), vec!["w".to_owned()], None, None));
    assert_eq!(
        told[2..],
        [(Some(1.0), None), (None, Some(8.0)), (Some(65.0), None)].map(|(a, b)| ("age".into(), vec![], a, b))
    );
    assert!(sections("list = \"icd-9\"").unwrap_err().contains("icd-10"));
    assert!(sections("attribute = \"sex\"\nlist = \"icd-10\"").is_err());
}
