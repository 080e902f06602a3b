//! The risk that a catalog leaves, of small releases: what the method keeps to and what the checker finds, against a
//! look at every way the counterfeits can lie.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;
use velamen_checker::{CLASS_ID, Published, State, certify};
use velamen_contract::Promises;
use velamen_core::frequency::{Rest, RestColumn, Role};
use velamen_core::release::{CatalogRow, Release, apply};
use velamen_search::method::MethodError;
use velamen_search::method::h_ceiling::catalog_risk::{Knows, highest};
use velamen_search::method::h_ceiling::growth::no_models;
use velamen_search::method::h_ceiling::{HCeiling, HCeilingParams};
use velamen_testsuite::{Case, Floor, cases, share, with_context};

/// The classes of a release by value, in the order of their ids.
type Cells = Vec<BTreeMap<String, u64>>;

/// The ways to take so many of so many.
fn ways(of: u64, take: u64) -> f64 {
    (0..take).map(|i| (of - i) as f64 / (i + 1) as f64).product()
}

/// A value's records in a class, those of them that can be counterfeit, such ones in the group, and its counterfeits.
type Held = (u64, u64, u64, u64);

/// For every number of counterfeits that each value can have in the class: its chance, the real records, and those
/// of each value.
fn outcomes(values: &[Held], chance: f64, real: &mut Vec<u64>, seen: &mut impl FnMut(f64, &[u64])) {
    let Some(&(own, doubtful, all, counterfeits)) = values.get(real.len()) else { return seen(chance, real) };
    for x in 0..=doubtful.min(counterfeits) {
        if counterfeits - x <= all - doubtful {
            let these = ways(doubtful, x) * ways(all - doubtful, counterfeits - x) / ways(all, counterfeits);
            real.push(own - x);
            outcomes(values, chance * these, real, seen);
            real.pop();
        }
    }
}

/// Of a value's records in a class those that can be counterfeit, where real records have so many values at least.
fn doubtful(class: &BTreeMap<String, u64>, value: &str, values: u64) -> u64 {
    let own = class.get(value).copied().unwrap_or(0);
    if values > 1 && class.len() as u64 <= values { own.saturating_sub(1) } else { own }
}

/// Whether the catalog's counterfeits fit, where real records have so many values at least.
fn fits(classes: &Cells, catalog: &[CatalogRow], largest: u64, values: u64) -> bool {
    let members =
        |row: &CatalogRow| row.classes.iter().map(|&id| &classes[id as usize - 1]).collect::<Vec<_>>();
    let small = |class: &&BTreeMap<String, u64>| class.values().sum::<u64>() <= largest;
    catalog.iter().all(|row| {
        let fit: u64 =
            members(row).into_iter().filter(small).map(|class| doubtful(class, &row.value, values)).sum();
        row.count <= fit
    })
}

/// The highest risk by the definition.
fn naive(classes: &Cells, catalog: &[CatalogRow], largest: u64, least: u64, asked: u64) -> f64 {
    let size = |class: &BTreeMap<String, u64>| class.values().sum::<u64>();
    let mut highest: f64 = 0.0;
    for (class, id) in classes.iter().zip(1u64..) {
        let rows: Vec<&CatalogRow> = catalog.iter().filter(|row| row.classes.contains(&id)).collect();
        if rows.is_empty() || size(class) > largest {
            highest = highest.max(1.0 / size(class) as f64);
            continue;
        }
        let members =
            || rows[0].classes.iter().map(|&id| &classes[id as usize - 1]).filter(|c| size(c) <= largest);
        let value = |(value, &own): (&String, &u64)| {
            let all = members().map(|class| doubtful(class, value, asked)).sum();
            (
                own,
                doubtful(class, value, asked),
                all,
                rows.iter().find(|row| row.value == *value).map_or(0, |row| row.count),
            )
        };
        let values: Vec<Held> = class.iter().map(value).collect();
        let (mut given, mut found) = (0.0, vec![0.0; values.len()]);
        outcomes(&values, 1.0, &mut Vec::new(), &mut |chance, real| {
            let left: u64 = real.iter().sum();
            if left >= least.max(1) {
                given += chance;
                let shares = real.iter().zip(&values).map(|(real, value)| *real as f64 / value.0 as f64);
                found
                    .iter_mut()
                    .zip(shares)
                    .for_each(|(found, share)| *found += chance * share / left as f64);
            }
        });
        let at_most = |highest: f64, found: &f64| highest.max(if given > 0.0 { found / given } else { 1.0 });
        highest = found.iter().fold(highest, at_most);
    }
    highest
}

/// The checker's finding for a table of classes.
fn checked(
    classes: &Cells,
    catalog: &[CatalogRow],
    (largest, least, asked): (u64, u64, u64),
    risk: f64,
) -> (f64, State) {
    let records: Vec<(usize, &String, u64)> = classes
        .iter()
        .enumerate()
        .flat_map(|(id, cells)| cells.iter().map(move |(v, &n)| (id, v, n)))
        .collect();
    let mut values: Vec<String> = records.iter().map(|record| record.1.clone()).collect();
    values.sort();
    values.dedup();
    let codes = vec![
        records.iter().map(|record| record.0 as u32).collect(),
        records
            .iter()
            .map(|record| values.iter().position(|value| value == record.1).unwrap() as u32)
            .collect(),
    ];
    let ids = (1..=classes.len()).map(|id| id.to_string()).collect();
    let column = |name: &str, values| RestColumn { name: name.into(), role: Role::Insensitive, values };
    let columns = vec![column(CLASS_ID, ids), column("s", values)];
    let table = Rest { columns, codes, len: records.len() };
    let counts: Vec<u64> = records.iter().map(|record| record.2).collect();
    let promises = Promises {
        privacy: [("catalog-risk", json!({ "risk": risk }))]
            .into_iter()
            .chain((asked > 1).then(|| ("distinct-l-diversity", json!({ "attribute": "s", "l": asked }))))
            .map(|(model, asked)| (model.to_owned(), asked))
            .collect(),
        of_real: asked > 1,
        sensitive: Some("s".into()),
        catalog: catalog.to_vec(),
        largest_padded: Some(largest),
        least_real: Some(least),
        ..Promises::default()
    };
    let findings = certify(&Published { table: &table, counts: &counts, people: None }, &promises).unwrap();
    let found = findings.iter().find(|finding| finding.promise == "catalog-risk").unwrap();
    (found.reached["risk"].as_f64().unwrap(), found.state)
}

fn cells(release: &Release) -> Cells {
    let mut classes = vec![BTreeMap::new(); release.sizes.len()];
    for row in &release.rows {
        let column = &release.rest.columns[0];
        let value = column.values[release.rest.codes[0][row.rest as usize] as usize].clone();
        *classes[row.class as usize].entry(value).or_insert(0) += row.count;
    }
    classes
}

fn close(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-11
}

static RELEASED: Floor = Floor::new();

/// Releases whose risk is another by the promised number of values.
static TIGHT: Floor = Floor::new();

proptest! {
    #![proptest_config(ProptestConfig::with_cases(share(200)))]

    fn method_and_checker_find_what_the_definition_says_each(
        case in cases(6..50), k in 2u64..8, groups in prop_oneof![Just(2u64), Just(100)], seed in 0u64..1000
    ) {
        RELEASED.begin();
        let table = case.table();
        let params = HCeilingParams { k, group_classes: groups, ..HCeilingParams::default() };
        let method = HCeiling::try_from(params).unwrap();
        let Ok((plan, release)) = with_context(seed, |context| {
            let (plan, _) = method.plan(&table, &table.lattice(), &no_models, context)?;
            let release = apply(&table, &plan, context.seed).0;
            Ok::<_, MethodError>((plan, release))
        }) else { return Ok(()) };
        if release.catalog.is_empty() {
            return Ok(());
        }
        RELEASED.real();
        let (classes, largest) = (cells(&release), method.largest_concealing());
        let by_size = 1.0 / *release.sizes.iter().min().unwrap() as f64;
        let expected = naive(&classes, &release.catalog, largest, 1, 1);
        prop_assert!(expected >= by_size * (1.0 - 1e-12));
        let by_method = |values| {
            let knows = Knows { largest, least_real: 1, values };
            highest(&plan.classes, &plan.counterfeits, &plan.groups, knows).max(by_size)
        };
        let found = by_method(1);
        prop_assert!(close(found, expected), "method: {} for {}", found, expected);
        let (found, state) = checked(&classes, &release.catalog, (largest, 1, 1), expected);
        prop_assert!(close(found, expected) && state == State::Held, "checker: {} for {}", found, expected);
        let (_, state) = checked(&classes, &release.catalog, (largest, 1, 1), expected * (1.0 - 1e-6));
        prop_assert_eq!(state, State::Broken);
        // Two real records in each class, as the custodian says: fewer ways for the counterfeits to lie.
        let (found, _) = checked(&classes, &release.catalog, (largest, 2, 1), 1.0);
        prop_assert!(close(found, naive(&classes, &release.catalog, largest, 2, 1)));
        // Two or three values of real records in each class, as is promised: a class that shows no more has one of each.
        for values in [2, 3].into_iter().filter(|&values| fits(&classes, &release.catalog, largest, values)) {
            let expected = naive(&classes, &release.catalog, largest, 1, values);
            prop_assert!(close(by_method(values), expected), "method: {} values", values);
            let (found, _) = checked(&classes, &release.catalog, (largest, 1, values), 1.0);
            prop_assert!(close(found, expected), "checker: {} values: {} for {}", values, found, expected);
            TIGHT.begin();
            if !close(expected, naive(&classes, &release.catalog, largest, 1, 1)) {
                TIGHT.real();
            }
        }
    }

    fn what_is_promised_is_kept_each(case in cases(20..60), risk in 0.15..0.5, seed in 0u64..1000) {
        kept(&case, risk, seed)?;
    }
}

/// A release that promises a risk keeps it, and one that is refused is refused by the risk or for want of a catalog.
fn kept(case: &Case, risk: f64, seed: u64) -> Result<(), TestCaseError> {
    let table = case.table();
    let k = (1.5 / risk).ceil() as u64;
    let params =
        HCeilingParams { k, group_classes: 100, catalog_risk: Some(risk), ..HCeilingParams::default() };
    let method = HCeiling::try_from(params).unwrap();
    let planned = with_context(seed, |context| {
        let (plan, _) = method.plan(&table, &table.lattice(), &no_models, context)?;
        Ok::<_, MethodError>(apply(&table, &plan, context.seed).0)
    });
    match planned {
        Ok(release) => {
            let found = naive(&cells(&release), &release.catalog, method.largest_concealing(), 1, 1);
            prop_assert!(found <= risk * (1.0 + 1e-9), "{} is above {}", found, risk);
        }
        Err(MethodError::Infeasible(why)) => {
            prop_assert!(why.to_string().contains("catalog"), "{why}");
        }
        Err(error) => prop_assert!(matches!(error, MethodError::Unfit(_)), "{error}"),
    }
    Ok(())
}

#[test]
fn method_and_checker_find_what_the_definition_says() {
    method_and_checker_find_what_the_definition_says_each();
    RELEASED.at_least(60);
    TIGHT.at_least(5);
}

#[test]
fn what_is_promised_is_kept() {
    what_is_promised_is_kept_each();
}

/// A catalog that cannot be, or leaves no real record, hides nobody.
#[test]
fn a_forged_catalog_is_a_risk_of_one() {
    let class = |cells: &[(&str, u64)]| cells.iter().map(|&(value, n)| (value.to_owned(), n)).collect();
    let classes: Cells = vec![class(&[("a", 3)]), class(&[("a", 2), ("b", 4)])];
    for count in [5, 6, u64::MAX] {
        let catalog = [CatalogRow { classes: [1, 2].into(), value: "a".into(), count }];
        assert_eq!(checked(&classes, &catalog, (10, 1, 1), 0.5), (1.0, State::Broken), "{count}");
    }
    // Who is known to be no shelter: a group of classes that are not there.
    let catalog = [CatalogRow { classes: [8, 9].into(), value: "a".into(), count: 1 }];
    assert_eq!(checked(&classes, &catalog, (10, 1, 1), 0.5), (1.0 / 3.0, State::Held));
}
