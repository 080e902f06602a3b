//! How many records share released values: of all quasi-identifiers, or of a shield's.

use serde_json::{Value, json};

use velamen_contract::AskedFor;
use velamen_contract::model::k_anonymity::KAnonymityParams;

use super::{Case, Entry};
use crate::{Finding, ReleasedClass, Uncheckable};

pub(super) const ENTRY: Entry = Entry {
    name: "k-anonymity",
    check: |case| match AskedFor(case.asked).shield() {
        Some(named) => of_shield(case, named),
        None => of_all(case),
    },
};

fn of_all(case: &Case<'_>) -> Result<Finding, Uncheckable> {
    let sizes = match case.promises.wildcards {
        true => indistinguishable(&case.labelled()),
        false => case.sizes(),
    };
    let KAnonymityParams { k } = case.parameters()?;
    Ok(judged(case, k, sizes.into_iter().min()))
}

fn judged(case: &Case<'_>, k: u64, least: Option<u64>) -> Finding {
    case.found(json!({ "k": least }), least.is_none_or(|least| least >= k))
}

/// The least number of records that share the released values of a shield: of some quasi-identifiers, not of all.
fn of_shield(case: &Case<'_>, named: &Value) -> Result<Finding, Uncheckable> {
    let (KAnonymityParams { k }, view) = (case.parameters()?, case.view);
    let names = named.as_array().filter(|names| !names.is_empty()).ok_or_else(|| case.unread())?;
    let table = view.published.table;
    let columns: Vec<usize> =
        names.iter().map(|name| quasi_identifier(case, name)).collect::<Result<_, _>>()?;
    let is_judged = |row: &usize| view.class_id(*row).is_some() || !case.promises.suppressed_whole;
    let values = |row: usize| -> Vec<u32> { columns.iter().map(|&column| view.code(column, row)).collect() };
    let amounts = view.amounts((0..table.len).filter(is_judged).map(|row| (values(row), row)));
    let least = amounts.into_values().min();
    Ok(judged(case, k, least))
}

/// The column of a quasi-identifier that a shield names.
fn quasi_identifier(case: &Case<'_>, name: &Value) -> Result<usize, Uncheckable> {
    let (name, columns) = (name.as_str().ok_or_else(|| case.unread())?, &case.view.published.table.columns);
    let is_named = |column: &usize| columns.get(*column).is_some_and(|column| column.name == name);
    let found = case.view.qis.iter().copied().find(is_named);
    found.ok_or_else(|| Uncheckable::NoColumn(name.into()))
}

/// Per class the released records that a record of it cannot be told from, where an empty label can stand
/// for any: every pair of classes of which one has such a label is looked at.
fn indistinguishable(classes: &[ReleasedClass]) -> Vec<u64> {
    let agree = |(a, b): (&String, &String)| a == b || a.is_empty() || b.is_empty();
    let matches = |a: &[String], b: &[String]| a.iter().zip(b).all(agree);
    let mut totals: Vec<u64> = classes.iter().map(|class| class.1).collect();
    for (i, (labels, size)) in classes.iter().enumerate() {
        if !labels.iter().any(String::is_empty) {
            continue;
        }
        for (j, (others, other_size)) in classes.iter().enumerate() {
            if i == j || !matches(labels, others) {
                continue;
            }
            grow(&mut totals, i, *other_size);
            // A class with an empty label comes by itself.
            if !others.iter().any(String::is_empty) {
                grow(&mut totals, j, *size);
            }
        }
    }
    totals
}

fn grow(totals: &mut [u64], class: usize, more: u64) {
    if let Some(total) = totals.get_mut(class) {
        *total = total.saturating_add(more);
    }
}
