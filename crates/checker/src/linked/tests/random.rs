//! Random small releases against the definitions written out, and changed ones against any panic.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use proptest::prelude::*;
use velamen_contract::linked::{Column, SetPromise, Table};

use super::super::certify;
use super::made::{Made, Rows, manifest, quasi_identifier, reference};

/// A person: sex, items of one code a row, items of a list, died.
type Drawn = (bool, Vec<u8>, Vec<u8>, bool);

fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
    let items = || prop::collection::vec(0_u8..4, 0..4);
    prop::collection::vec((any::<bool>(), items(), items(), any::<bool>()), 1..9)
}

fn table(name: &str, columns: Vec<(&str, Column)>) -> (String, Table) {
    let parent = (name != "PERSON").then(|| "person_id".to_owned());
    let columns: IndexMap<String, Column> =
        columns.into_iter().map(|(name, column)| (name.to_owned(), column)).collect();
    let (is_person_column, is_referred_to) = (name == "DEATH", false);
    let table = Table {
        file: format!("data/{name}.csv"),
        records: 0,
        parent,
        is_person_column,
        is_referred_to,
        window: None,
        emptied: columns.keys().cloned().collect(),
        columns,
    };
    (name.to_owned(), table)
}

fn release(persons: &[Drawn], privacy: Vec<SetPromise>) -> Made {
    let sex = quasi_identifier(&[("F", "F"), ("M", "M")]);
    let person = || ("person_id", reference("PERSON"));
    let tables = IndexMap::from_iter([
        table(
            "PERSON",
            vec![("person_id", Column::Key), ("sex", sex), ("list", Column::Set { items: Some("|".into()) })],
        ),
        table("CONDITION", vec![person(), ("code", Column::Set { items: None }), ("kind", Column::Code)]),
        table("DEATH", vec![person()]),
    ]);
    let mut files: IndexMap<String, Rows> = tables
        .iter()
        .map(|(name, table)| (name.clone(), vec![table.columns.keys().cloned().collect()]))
        .collect();
    for (number, (sex, codes, list, died)) in (1..).zip(persons) {
        let number = i32::to_string(&number);
        let list: Vec<String> =
            list.iter().collect::<BTreeSet<_>>().into_iter().map(|item| item.to_string()).collect();
        let sex = if *sex { "F" } else { "M" };
        files["PERSON"].push(vec![number.clone(), sex.into(), list.join("|")]);
        for code in codes {
            files["CONDITION"].push(vec![number.clone(), code.to_string(), format!("kind {}", code % 2)]);
        }
        if *died {
            files["DEATH"].push(vec![number]);
        }
    }
    let mut made = Made { manifest: manifest(tables), files };
    made.manifest.privacy = privacy;
    made.state_rows();
    made
}

/// Every subset of at most m, by bits.
fn subsets(items: &BTreeSet<String>, m: u32) -> Vec<BTreeSet<String>> {
    let chosen = |bits: u32| items.iter().enumerate().filter(move |(at, _)| bits >> at & 1 == 1);
    let all = (1_u32..1 << items.len()).filter(|bits| bits.count_ones() <= m);
    all.map(|bits| chosen(bits).map(|(_, item)| item.clone()).collect()).collect()
}

/// The least number of persons of a class, and of a set within `class`.
fn naive(persons: &[Drawn], m: u32, class: fn(&Drawn) -> (bool, bool)) -> (Option<u64>, Option<u64>) {
    let (mut classes, mut sets) = (BTreeMap::<_, u64>::new(), BTreeMap::<_, u64>::new());
    for person in persons {
        *classes.entry(class(person)).or_default() += 1;
        let mut items: BTreeSet<String> = person.1.iter().map(|code| format!("code {code}")).collect();
        items.extend(person.2.iter().map(|item| format!("list {item}")));
        for set in subsets(&items, m) {
            *sets.entry((class(person), set)).or_default() += 1;
        }
    }
    (classes.into_values().min(), sets.into_values().min())
}

fn of_class(person: &Drawn) -> (bool, bool) {
    (person.0, person.3)
}

fn of_all(_: &Drawn) -> (bool, bool) {
    (true, true)
}

/// A number of rows, of the persons who have most.
fn naive_top(persons: &[Drawn]) -> Option<u64> {
    let rows: Vec<usize> = persons.iter().map(|person| person.1.len()).collect();
    let most = *rows.iter().max()?;
    (most > 0).then(|| rows.iter().filter(|rows| **rows == most).count() as u64)
}

/// The persons of the code, of a set or of a kind, that fewest have.
fn naive_floor(persons: &[Drawn]) -> Option<u64> {
    let mut items = BTreeMap::<_, u64>::new();
    for person in persons {
        let codes: BTreeSet<String> = person.1.iter().map(|code| format!("code {code}")).collect();
        let listed: BTreeSet<String> = person.2.iter().map(|item| format!("list {item}")).collect();
        codes.into_iter().chain(listed).for_each(|item| *items.entry(item).or_default() += 1);
    }
    let of_kind = |kind: u8| {
        persons.iter().filter(|person| person.1.iter().any(|code| code % 2 == kind)).count() as u64
    };
    (0..2).map(of_kind).filter(|persons| *persons > 0).chain(items.into_values()).min()
}

proptest! {
    #[test]
    fn sets_are_counted_as_they_are_defined(persons in drawn(), m in 1_u8..4, k in 2_u64..4) {
        let privacy = vec![
            SetPromise::Classes { k },
            SetPromise::Sets { k, m },
            SetPromise::SetsInClasses { k, m },
        ];
        let findings = release(&persons, privacy).certify().unwrap();
        let (class, within) = naive(&persons, m.into(), of_class);
        let (_, over_all) = naive(&persons, m.into(), of_all);
        let both = class.into_iter().chain(within).min();
        let expected =
            [("k-anonymity", class), ("km-anonymity", over_all), ("k-km-anonymity", both)];
        for (name, least) in expected {
            let finding = findings.iter().find(|finding| finding.promise == name).unwrap();
            prop_assert_eq!(&finding.reached["k"], &serde_json::json!(least), "{}", name);
            let holds = least.is_none_or(|least| least >= k);
            prop_assert_eq!(finding.state == crate::State::Held, holds, "{}", name);
        }
        for (name, least) in [("counts", naive_top(&persons)), ("code-floor", naive_floor(&persons))] {
            let finding = findings.iter().find(|finding| finding.promise == name).unwrap();
            prop_assert_eq!(&finding.reached["k"], &serde_json::json!(least), "{}", name);
        }
    }

    #[test]
    fn no_cell_makes_it_panic(table in 0_usize..6, row in 0_usize..30, column in 0_usize..8, cell in "\\PC{0,12}|[0-9]{0,20}|[0-9]{4}-[0-9]{2}-[0-9]{2}|\"|\n|,") {
        let mut made = Made::new();
        let rows = &mut made.files[table];
        let row = row % rows.len();
        let column = column % rows[row].len();
        rows[row][column] = cell;
        let _ = made.certify();
    }

    #[test]
    fn no_byte_makes_it_panic(table in 0_usize..6, at in 0_usize..2_000, byte in any::<u8>(), cut in any::<bool>()) {
        let made = Made::new();
        let folder = made.write();
        let file = folder.path().join(format!("data/{}.csv", made.files.get_index(table).unwrap().0));
        let mut bytes = std::fs::read(&file).unwrap();
        let at = at % bytes.len();
        bytes[at] = byte;
        if cut {
            bytes.truncate(at + 1);
        }
        std::fs::write(&file, bytes).unwrap();
        let _ = certify(folder.path(), &made.manifest);
    }

    #[test]
    fn no_manifest_makes_it_panic(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let made = Made::new();
        let mut text = serde_json::to_vec(&made.manifest).unwrap();
        let at = at.index(text.len());
        text[at] = byte;
        if let Ok(manifest) = serde_json::from_slice(&text) {
            let _ = certify(made.write().path(), &manifest);
        }
    }
}
