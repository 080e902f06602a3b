//! Differential privacy, as far as a release shows it.
//!
//! That records were drawn and a node was chosen with the right probabilities shows in no single
//! release. What can be checked is: the steps spend no more than the budget; every class is as large as
//! the share of the release step demands; nothing but generalized quasi-identifiers is released, over
//! public domains, and suppressed records are none or as many as a class has. The least class size is computed again, by the
//! same [`least_k`] as the method's.

use serde_json::{Value, json};
use velamen_contract::Spent;
use velamen_core::safe_pub::least_k;
use velamen_dp::{Budget, Loss};

use super::Entry;
use crate::{Finding, Promises, Uncheckable, cells, measured};

pub(super) const ENTRY: Entry = Entry {
    name: "differential-privacy",
    check: |case| {
        let (view, promises) = (case.view, case.promises);
        if let Some(noise) = &promises.noise {
            return cells::check(case.asked, noise, view, promises, case.classes);
        }
        if let Some(all) = &promises.measured {
            return measured::check(case.asked, all, view, promises, case.classes);
        }
        let bare = view.published.table.columns.len() == view.qis.len().saturating_add(1);
        check(case.asked, &case.sizes(), promises, bare)
    },
};

/// Checks the promise; `bare` says that the table has the class ids and quasi-identifiers only.
fn check(asked: &Value, sizes: &[u64], promises: &Promises, bare: bool) -> Result<Finding, Uncheckable> {
    let unread = || Uncheckable::Parameters(ENTRY.name.into());
    let total = cells::total(asked).ok_or_else(unread)?;
    let (release, spent) = spent(total, &promises.spent).ok_or_else(unread)?;
    let needed = release.and_then(|loss| least_k(loss.epsilon, loss.delta).ok());
    let least = sizes.iter().min().copied();
    let large = needed.is_some_and(|k| least.is_none_or(|least| least >= k));
    let public = !promises.domain_from_data
        && promises.qis.iter().all(|qi| qi.level.is_some() && (qi.null_leaf || defines_null(&qi.hierarchy)));
    let suppressed = promises.suppressed;
    let hidden = suppressed == 0 || needed.is_some_and(|k| suppressed >= k);
    let shown = bare && public && hidden && promises.counterfeits == 0;
    let reached = json!({
        "epsilon": spent.map(|loss| loss.epsilon.to_f64()),
        "delta": spent.map(|loss| loss.delta.to_f64()),
        "class-size": least,
        "needed-class-size": needed,
        "only-public-domains": shown,
    });
    let holds = spent.is_some() && large && shown;
    Ok(Finding::of(ENTRY.name, asked.clone(), reached, holds).shown_in_part())
}

/// The loss of the release step and the sum of all, none where it is more than the total; `None` where a
/// step does not read.
fn spent(total: Loss, steps: &[Spent]) -> Option<(Option<Loss>, Option<Loss>)> {
    let mut budget = Budget::new(total);
    let (mut release, mut within) = (None, true);
    for step in steps {
        let loss = step.loss()?;
        within &= budget.spend(&step.step, loss).is_ok();
        if step.step == "release" {
            within &= release.is_none();
            release = Some(loss);
        }
    }
    Some((release, within.then(|| budget.spent())))
}

/// Whether a missing value is a leaf of the hierarchy.
fn defines_null(hierarchy: &velamen_core::hierarchy::Definition) -> bool {
    match hierarchy {
        velamen_core::hierarchy::Definition::Table { rows } => {
            rows.iter().any(|row| row.first().is_some_and(String::is_empty))
        }
        _ => false,
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use crate::State;

    use super::*;

    fn promises(steps: &[(&str, &str, &str)]) -> Promises {
        let spent = |(step, epsilon, delta): &(&str, &str, &str)| Spent {
            step: (*step).into(),
            epsilon: (*epsilon).into(),
            delta: (*delta).into(),
        };
        Promises { spent: steps.iter().map(spent).collect(), ..Promises::default() }
    }

    #[test]
    fn the_budget_and_the_least_class_decide() {
        let asked = json!({ "epsilon": 1.1, "delta": 1e-5 });
        let steps = [("search", "1/10", "0"), ("release", "1", "1/100000")];
        let holds = |steps: &[_], sizes: &[u64], bare| {
            check(&asked, sizes, &promises(steps), bare).unwrap().state == State::Stated
        };
        assert!(holds(&steps, &[61, 90], true) && holds(&steps, &[], true));
        assert!(!holds(&steps, &[60, 90], true) && !holds(&steps, &[61], false));
        assert!(!holds(&[steps[0], steps[1], steps[0]], &[61], true));
        assert!(!holds(&[steps[0]], &[61], true));
        assert!(check(&asked, &[61], &promises(&[("release", "x", "0")]), true).is_err());
        assert!(check(&json!({}), &[61], &promises(&steps), true).is_err());
        let suppressed = |suppressed| Promises { suppressed, ..promises(&steps) };
        assert!(check(&asked, &[61], &suppressed(61), true).unwrap().state == State::Stated);
        assert!(check(&asked, &[61], &suppressed(60), true).unwrap().state == State::Broken);
        let from_data = Promises { domain_from_data: true, ..promises(&steps) };
        assert_eq!(check(&asked, &[61], &from_data, true).unwrap().state, State::Broken);
    }

    #[test]
    fn one_release_step_is_paid_and_every_other() {
        let asked = json!({ "epsilon": 3.0, "delta": 1e-4 });
        let holds =
            |steps: &[_]| check(&asked, &[99], &promises(steps), true).unwrap().state == State::Stated;
        let release = ("release", "1", "1/100000");
        assert!(holds(&[("search", "2", "0"), release]));
        assert!(!holds(&[release, release]), "which of them has the least class?");
        assert!(!holds(&[("search", "4", "0"), release]), "the search alone is too much");
        assert!(!holds(&[("search", "21/10", "0"), release]) && !holds(&[release, ("search", "21/10", "0")]));
    }

    #[test]
    fn domains_are_public_and_have_the_missing_value() {
        use crate::PromisedAttribute;
        use velamen_core::hierarchy::Definition;
        let table = |leaf: &str| Definition::Table { rows: vec![vec![leaf.into(), "*".into()]] };
        let asked = json!({ "epsilon": 1.0, "delta": 1e-5 });
        let shown = |level, hierarchy: &Definition, null_leaf| {
            let qi =
                PromisedAttribute { level, hierarchy: hierarchy.clone(), null_leaf, ..Default::default() };
            let promises = Promises { qis: vec![qi], ..promises(&[("release", "1", "1/100000")]) };
            check(&asked, &[99], &promises, true).unwrap().state == State::Stated
        };
        assert!(shown(Some(1), &table("A"), true) && shown(Some(1), &table(""), false));
        assert!(!shown(Some(1), &table("A"), false), "whether a value is missing would show");
        assert!(!shown(None, &table("A"), true) && !shown(None, &table(""), false));
        let flat = Definition::Flat { domain: 3 };
        assert!(shown(Some(1), &flat, true) && !shown(Some(1), &flat, false));
    }

    #[test]
    fn nothing_but_class_ids_and_quasi_identifiers_is_released() {
        use crate::{CLASS_ID, Published, certify, tests::released};
        let state = |columns: &[&str], cells: &[&str]| {
            let (table, counts) = released(columns, &[(cells, 99)]);
            let asked = json!({ "epsilon": 1.0, "delta": 1e-5 });
            let promises = Promises {
                privacy: vec![("differential-privacy".into(), asked)],
                ..promises(&[("release", "1", "1/100000")])
            };
            certify(&Published { table: &table, counts: &counts, people: None }, &promises)
                .unwrap()
                .swap_remove(0)
                .state
        };
        assert_eq!(state(&[CLASS_ID], &["1"]), State::Stated);
        assert_eq!(state(&[CLASS_ID, "disease"], &["1", "A"]), State::Broken);
    }
}
