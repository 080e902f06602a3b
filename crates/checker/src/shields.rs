//! k-anonymity of a shield: of some of the quasi-identifiers together, not of all.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Finding, Uncheckable, View};

/// Per shield the least number of records that share its released values; `None` for a promise about all
/// quasi-identifiers.
pub(super) fn check(view: &View<'_>, asked: &Value) -> Option<Result<Finding, Uncheckable>> {
    let named = asked.get("attributes")?;
    Some(shield(view, named, asked))
}

fn shield(view: &View<'_>, named: &Value, asked: &Value) -> Result<Finding, Uncheckable> {
    let wrong = || Uncheckable::Parameters("k-anonymity".into());
    let k = asked["k"].as_u64().ok_or_else(wrong)?;
    let names = named.as_array().filter(|names| !names.is_empty()).ok_or_else(wrong)?;
    let table = view.published.table;
    let column = |name: &Value| {
        let name = name.as_str().ok_or_else(wrong)?;
        let mut qis = view.qis.iter().copied();
        let found = qis.find(|&column| table.columns.get(column).is_some_and(|column| column.name == name));
        found.ok_or_else(|| Uncheckable::NoColumn(name.into()))
    };
    let columns: Vec<usize> = names.iter().map(column).collect::<Result<_, _>>()?;
    let mut records: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for row in (0..table.len).filter(|&row| view.class_id(row).is_some()) {
        let values = columns.iter().map(|&column| view.code(column, row)).collect();
        let counted = records.entry(values).or_default();
        *counted = counted.saturating_add(view.published.counts.get(row).copied().unwrap_or(0));
    }
    let least = records.values().min().copied();
    let holds = least.is_none_or(|least| least >= k);
    Ok(Finding::of("k-anonymity", asked.clone(), json!({ "k": least }), holds))
}
