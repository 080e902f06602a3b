//! Differential privacy of noisy counts, as far as a release shows it.
//!
//! That noise was drawn with the right probabilities shows in no single release. What can be checked is: the
//! steps are those of the method and spend no more than the budget, and what is left is stated; every cell
//! has at least the least count; with δ that is large enough, by this file's own arithmetic; every label is
//! one of its attribute's level, or of the stated cut through its hierarchy, every sensitive value one of the declared domain, and
//! nothing else is released. Where each sensitive attribute is counted by itself, all this holds of each ([`each`]).

use std::collections::BTreeMap;

use serde_json::{Value, json};
use velamen_core::hierarchy::Definition;
use velamen_core::recoding::Recoding;
use velamen_dp::{Budget, Loss, Rational};

use velamen_contract::model::BY_DRAWS;
use velamen_contract::model::differential_privacy::DifferentialPrivacyParams;
use velamen_contract::{AskedFor, Noise, PromisedAttribute, Promises};

use super::classes::Classes;
use super::{Finding, Uncheckable, View, labels};

mod each;
mod series;

/// Checks the promise.
pub(super) fn check(
    asked: &Value,
    noise: &Noise,
    view: &View<'_>,
    promises: &Promises,
    classes: &Classes,
) -> Result<Finding, Uncheckable> {
    let unread = || Uncheckable::Parameters(BY_DRAWS.name.into());
    let total = total(asked).ok_or_else(unread)?;
    let spent = spent(total, noise, promises).ok_or_else(unread)?;
    let counted = least_cells(view, noise)?;
    let least = counted.iter().filter_map(|(_, least)| *least).min();
    let reaches = |(least_count, least): &(u64, Option<u64>)| least.is_none_or(|least| least >= *least_count);
    let large = counted.iter().all(reaches)
        && spent.as_ref().is_some_and(|(_, losses)| {
            !noise.occupied_only || losses.iter().all(|(loss, least)| is_stable(*loss, noise.parts(), *least))
        });
    let shown = public_labels(view, (promises, noise), classes) && declared_values(view, noise, promises)?;
    let reached = json!({
        "epsilon": spent.as_ref().map(|(sum, _)| sum.epsilon.to_f64()),
        "delta": spent.as_ref().map(|(sum, _)| sum.delta.to_f64()),
        "least-count": least,
        "only-public-domains": shown,
    });
    let repeated = noise.series.as_ref().is_none_or(|series| series::holds(series, view, promises));
    // Leaving out what no record has is what δ pays for, no more and no less.
    let paid = noise.occupied_only == (total.delta > Rational::ZERO);
    let whole = each::holds(view, noise)?;
    let holds = spent.is_some() && large && shown && repeated && paid && whole;
    Ok(Finding::of(BY_DRAWS.name, asked.clone(), reached, holds).shown_in_part())
}

/// The whole budget; `None` where it does not read.
pub(super) fn total(asked: &Value) -> Option<Loss> {
    let DifferentialPrivacyParams { epsilon, delta } = AskedFor(asked).parameters()?;
    let exact = |number: f64| Rational::from_decimal(number).ok();
    Some(Loss { epsilon: exact(epsilon)?, delta: exact(delta)? })
}

/// A sum of losses, and the loss of each step that counts cells with its T.
type Spending = (Loss, Vec<(Loss, u64)>);

/// The sum of all steps and the losses of the counts; none within where a step is foreign, comes twice or
/// spends too much, or something else is left than stated. `None` where a step does not read.
fn spent(total: Loss, noise: &Noise, promises: &Promises) -> Option<Option<Spending>> {
    let counted = noise.counted_steps();
    let hidden = noise.steps_of(SUPPRESSION);
    let others = noise.others.iter().filter(|name| *name != SUPPRESSION);
    let others: Vec<&String> = others.chain(&hidden).collect();
    let mut budget = Budget::new(total);
    let (mut seen, mut losses, mut within) = (Vec::new(), Vec::new(), true);
    for step in &promises.spent {
        let (name, loss) = (&step.step, step.loss()?);
        let of_cells = counted.iter().find(|(counted, ..)| counted == name);
        within &= budget.spend(name, loss).is_ok() && loss.epsilon > Rational::ZERO;
        within &= (of_cells.is_some() || others.contains(&name)) && !seen.contains(&name);
        losses.extend(of_cells.map(|(_, _, least_count)| (loss, *least_count)));
        seen.push(name);
    }
    within &= noise.left.loss()? == budget.left();
    // Suppressed records have a noise of their own.
    within &= promises.suppressed == 0
        || noise.others.iter().any(|name| name == SUPPRESSION)
            && hidden.iter().all(|name| seen.contains(&name));
    within &= losses.len() == counted.len();
    Some(within.then(|| (budget.spent(), losses)))
}

/// The step of the noise of suppressed records.
const SUPPRESSION: &str = "suppression";

/// P(noise ≥ T − 1) = e^−ε(T − 1)/(1 + e^−ε) ≤ δ, by logarithms.
fn is_stable(counted: Loss, parts: u64, least_count: u64) -> bool {
    let parts = parts as f64;
    let epsilon = counted.epsilon.to_f64() / parts;
    let exponent = epsilon * least_count.saturating_sub(1) as f64 + (-epsilon).exp().ln_1p();
    // The logarithm of no δ is −∞.
    least_count > 0 && exponent + (counted.delta.to_f64() / parts).ln() >= 0.0
}

/// Of what is counted together T, and the fewest records of one class and one value of each attribute.
fn least_cells(view: &View<'_>, noise: &Noise) -> Result<Vec<(u64, Option<u64>)>, Uncheckable> {
    let steps = noise.counted_steps();
    steps
        .iter()
        .map(|(_, attribute, least_count)| Ok((*least_count, of_step(view, noise, *attribute)?)))
        .collect()
}

/// The fewest records of one class and one value of the attribute, or of all that are counted together.
fn of_step(view: &View<'_>, noise: &Noise, attribute: Option<&str>) -> Result<Option<u64>, Uncheckable> {
    let columns = match attribute {
        None => sensitive(view, noise)?,
        Some(name) => vec![view.published.position(name)?],
    };
    Ok(least_cell(view, &columns, noise.each.is_some()))
}

/// The fewest records of one class and one value of each column; an empty cell stands for none where each attribute is counted by
/// itself.
fn least_cell(view: &View<'_>, columns: &[usize], each: bool) -> Option<u64> {
    let mut cells: BTreeMap<(u64, Vec<u32>), u64> = BTreeMap::new();
    for (row, &count) in view.published.counts.iter().enumerate() {
        let is_empty = each && columns.iter().all(|&column| view.cell(column, row).is_empty());
        if let Some(id) = view.class_id(row).filter(|_| !is_empty) {
            let values = columns.iter().map(|&column| view.code(column, row)).collect();
            let counted: &mut u64 = cells.entry((id, values)).or_default();
            *counted = counted.saturating_add(count);
        }
    }
    cells.into_values().min()
}

fn sensitive(view: &View<'_>, noise: &Noise) -> Result<Vec<usize>, Uncheckable> {
    noise.sensitive.iter().map(|name| view.published.position(name)).collect()
}

/// Every label of a class is one of its attribute's level, or of its cut, in a domain that is not read off the data.
fn public_labels(view: &View<'_>, (promises, noise): (&Promises, &Noise), classes: &Classes) -> bool {
    let mut attributes = promises.qis.iter().zip(&view.qis).enumerate();
    !promises.domain_from_data
        && promises.counterfeits == 0
        && noise.cuts.as_ref().is_none_or(|cuts| cuts.len() == promises.qis.len())
        && attributes.all(|(q, (attribute, &column))| {
            let labels = view.released(classes, q, column);
            match &noise.cuts {
                None => is_at_level(attribute, labels),
                Some(cuts) => cuts.get(&attribute.name).is_some_and(|cut| is_of_cut(attribute, cut, &labels)),
            }
        })
}

/// Whether labels are values of the stated cut, and the cut is one.
fn is_of_cut(attribute: &PromisedAttribute, cut: &[String], labels: &[&str]) -> bool {
    attribute.level.is_none()
        && attribute.recoding == Recoding::Nodes
        && !attribute.null_leaf
        && labels::Reader::new(attribute).of_cut(cut, labels)
}

/// Whether labels are values of an attribute's level.
fn is_at_level(attribute: &PromisedAttribute, labels: Vec<&str>) -> bool {
    let reader = labels::Reader::new(attribute);
    attribute.level.is_some()
        && !attribute.null_leaf
        && labels.into_iter().all(|label| reader.at_level(label))
}

/// Every sensitive value is declared, and no other column is released.
fn declared_values(view: &View<'_>, noise: &Noise, promises: &Promises) -> Result<bool, Uncheckable> {
    // Besides the class ids and what was asked for nothing is released.
    let others = view.published.table.columns.len().saturating_sub(view.qis.len().saturating_add(1));
    let columns = sensitive(view, noise)?;
    let mut named = columns.iter().zip(&noise.sensitive);
    Ok(others == columns.len()
        && named.all(|(&column, name)| {
            is_declared(view, column, promises.hierarchies.get(name), noise.each.is_some())
        }))
}

/// Whether all values of a column stand in a declared domain, or are empty where each attribute is counted by itself.
fn is_declared(view: &View<'_>, column: usize, domain: Option<&Definition>, each: bool) -> bool {
    let Some(Definition::Table { rows }) = domain else { return false };
    let mut declared: std::collections::BTreeSet<&str> =
        rows.iter().filter_map(|row| row.first()).map(String::as_str).collect();
    // Declared, nobody could tell an empty value from one that is not counted.
    let untold = each && !declared.insert("");
    !untold && (0..view.published.table.len).all(|row| declared.contains(view.cell(column, row)))
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may fail by a panic")]
mod tests {
    use super::super::{CLASS_ID, PromisedAttribute, Published};
    use velamen_contract::{HistogramSeries, Spent};

    use super::*;
    use crate::State;
    use velamen_core::frequency::{Rest, RestColumn, Role};

    fn step(step: &str, epsilon: &str, delta: &str) -> Spent {
        Spent { step: step.into(), epsilon: epsilon.into(), delta: delta.into() }
    }

    fn promises() -> Promises {
        let age = Definition::Interval { interval: vec![5.0], min: 0.0, max: 9.0, decimals: 0 };
        let rows = ["A", "B"].map(|value| vec![value.into(), "*".into()]).to_vec();
        Promises {
            qis: vec![PromisedAttribute {
                name: "age".into(),
                level: Some(1),
                hierarchy: age,
                ..Default::default()
            }],
            hierarchies: [("disease".to_owned(), Definition::Table { rows })].into(),
            spent: vec![
                step("candidates", "1/10", "0"),
                step("insertion", "7/10", "0"),
                step("suppression", "1/10", "0"),
            ],
            suppressed: 2,
            ..Promises::default()
        }
    }

    /// The same release, of values of a cut.
    #[test]
    fn a_cut_is_stated_and_parts_the_domain() {
        let asked = json!({ "epsilon": 1.0, "delta": 0.0 });
        let whole = promises();
        let local = PromisedAttribute { level: None, recoding: Recoding::Nodes, ..whole.qis[0].clone() };
        let promises = Promises { qis: vec![local], ..whole.clone() };
        let with = |cut: &[&str]| {
            let values = cut.iter().map(|value| (*value).to_owned()).collect();
            Noise { cuts: Some([("age".to_owned(), values)].into()), ..noise() }
        };
        assert!(holds(ROWS, &with(&["[0-4]", "[5-9]"]), &promises, &asked));
        assert!(
            !holds(ROWS, &with(&["[0-4]", "5", "6", "7", "8", "9"]), &promises, &asked),
            "a label of no cut"
        );
        assert!(!holds(ROWS, &with(&["[0-4]", "[5-9]", "9"]), &promises, &asked), "two values over a leaf");
        assert!(!holds(ROWS, &with(&["[0-4]", "[5-9]"]), &whole, &asked), "one level is stated");
        assert!(!holds(ROWS, &noise(), &promises, &asked), "no cut is stated");
        let none = Noise { cuts: Some(BTreeMap::new()), ..noise() };
        assert!(!holds(ROWS, &none, &promises, &asked));
        let ranges = PromisedAttribute { recoding: Recoding::Ranges, ..promises.qis[0].clone() };
        let ranges = Promises { qis: vec![ranges], ..promises.clone() };
        assert!(!holds(ROWS, &with(&["[0-4]", "[5-9]"]), &ranges, &asked));
    }

    fn noise() -> Noise {
        Noise {
            counted: "insertion".into(),
            others: vec!["candidates".into(), "suppression".into()],
            least_count: 5,
            left: step("", "1/10", "0"),
            sensitive: vec!["disease".into()],
            ..Noise::default()
        }
    }

    /// Class id, age, disease and count.
    type NoisyCells<'a> = &'a [(&'a str, &'a str, &'a str, u64)];

    const ROWS: NoisyCells<'static> = &[("1", "[0-4]", "A", 5), ("2", "[5-9]", "B", 9), ("", "*", "B", 2)];

    fn holds(rows: NoisyCells<'_>, noise: &Noise, promises: &Promises, asked: &Value) -> bool {
        let cells: [Vec<String>; 3] =
            [0, 1, 2].map(|c| rows.iter().map(|r| [r.0, r.1, r.2][c].to_owned()).collect());
        let column = |(name, values): (&str, &Vec<String>)| {
            let mut distinct = values.clone();
            distinct.sort();
            distinct.dedup();
            let codes = values.iter().map(|v| distinct.iter().position(|d| d == v).unwrap() as u32).collect();
            (RestColumn { name: name.into(), role: Role::Insensitive, values: distinct }, codes)
        };
        let (columns, codes) = [CLASS_ID, "age", "disease"].into_iter().zip(&cells).map(column).unzip();
        let (table, counts) =
            (Rest { columns, codes, len: rows.len() }, rows.iter().map(|r| r.3).collect::<Vec<_>>());
        let published = Published { table: &table, counts: &counts, people: None };
        let view = View::new(&published, 0, vec![1]);
        check(asked, noise, &view, promises, &view.classes()).unwrap().state == State::Stated
    }

    #[test]
    fn a_release_as_stated_holds_and_others_do_not() {
        let asked = json!({ "epsilon": 1.0, "delta": 0.0 });
        assert!(holds(ROWS, &noise(), &promises(), &asked));
        assert!(!holds(ROWS, &noise(), &promises(), &json!({ "epsilon": 0.9, "delta": 0.0 })));
        assert!(!holds(ROWS, &Noise { least_count: 6, ..noise() }, &promises(), &asked));
        assert!(!holds(ROWS, &Noise { left: step("", "0", "0"), ..noise() }, &promises(), &asked));
        for (from, to) in [("[5-9]", "[0-9]"), ("[0-4]", "3"), ("A", "C")] {
            let changed: Vec<_> = ROWS
                .iter()
                .map(|&(id, age, disease, count)| {
                    let pick = |text| if text == from { to } else { text };
                    (id, pick(age), pick(disease), count)
                })
                .collect();
            assert!(!holds(&changed, &noise(), &promises(), &asked), "{from}");
        }
        let with_steps = |spent| Promises { spent, ..promises() };
        let steps = promises().spent;
        let twice = vec![steps[0].clone(), steps[1].clone(), steps[1].clone()];
        assert!(!holds(ROWS, &noise(), &with_steps(twice), &asked));
        // Without noise for them, suppressed records cannot be released.
        assert!(!holds(
            ROWS,
            &Noise { left: step("", "1/5", "0"), ..noise() },
            &with_steps(steps[..2].to_vec()),
            &asked
        ));
        // Also where the method has none.
        let unnamed = Noise { others: vec!["candidates".into()], ..noise() };
        assert!(!holds(ROWS, &unnamed, &promises(), &asked));
        let foreign = vec![steps[1].clone(), steps[2].clone(), step("more", "1/10", "0")];
        assert!(!holds(ROWS, &noise(), &with_steps(foreign), &asked));
        assert!(!holds(ROWS, &noise(), &Promises { domain_from_data: true, ..promises() }, &asked));
    }

    #[test]
    fn with_delta_the_least_count_is_computed_again() {
        let asked = json!({ "epsilon": 1.0, "delta": 1e-5 });
        let mut spent = promises().spent;
        spent[1] = step("insertion", "7/10", "1/100000");
        let stable = Promises { spent, ..promises() };
        // e^−0.7(T − 1)/(1 + e^−0.7) ≤ 10⁻⁵ for T − 1 ≥ 15.9.
        let large: Vec<_> =
            ROWS.iter().map(|&(id, age, disease, count)| (id, age, disease, count + 12)).collect();
        let of = |least_count| Noise { least_count, occupied_only: true, ..noise() };
        assert!(holds(&large, &of(17), &stable, &asked) && !holds(&large, &of(16), &stable, &asked));
        assert!(!holds(&large, &of(18), &stable, &asked));
        assert!(!holds(&large, &of(17), &promises(), &json!({ "epsilon": 1.0, "delta": 0.0 })));
    }

    #[test]
    fn each_step_is_within_the_budget_and_takes_some_of_it() {
        let asked = json!({ "epsilon": 1.0, "delta": 0.0 });
        let of = |epsilons: [&str; 3], left: &str| {
            let names = ["candidates", "insertion", "suppression"];
            let spent = names.iter().zip(epsilons).map(|(name, epsilon)| step(name, epsilon, "0")).collect();
            let noise = Noise { left: step("", left, "0"), ..noise() };
            holds(ROWS, &noise, &Promises { spent, ..promises() }, &asked)
        };
        assert!(of(["1/10", "7/10", "1/10"], "1/10") && of(["1/10", "7/10", "1/5"], "0"));
        // What is not granted takes nothing, so that what is left would be right.
        assert!(!of(["1/10", "7/10", "3/10"], "1/5") && !of(["11/10", "7/10", "1/10"], "1/5"));
        assert!(!of(["0", "7/10", "1/10"], "1/5"));
    }

    #[test]
    fn the_least_count_pays_for_what_no_record_has() {
        let loss = |delta: f64| Loss {
            epsilon: Rational::from_decimal(0.7).unwrap(),
            delta: Rational::from_decimal(delta).unwrap(),
        };
        // Noise is 0 or more with probability 1/(1 + e^−0.7) = 0.668.
        assert!(is_stable(loss(0.67), 1, 1) && !is_stable(loss(0.66), 1, 1));
        assert!(!is_stable(loss(0.9), 1, 0) && !is_stable(loss(0.0), 1, u64::MAX));
        // Of two histograms each has half of ε and of δ.
        let series = HistogramSeries { most: 2, ..HistogramSeries::default() };
        let parts = Noise { series: Some(series), ..noise() }.parts();
        let shared = Loss { epsilon: loss(0.9).epsilon, delta: loss(0.2).delta };
        assert!(is_stable(shared, 1, 3) && !is_stable(shared, parts, 3));
        // e^−0.35(T − 1)/(1 + e^−0.35) ≤ 0.1 for T − 1 ≥ 5.06.
        assert!(is_stable(shared, parts, 7) && !is_stable(shared, parts, 6));
    }

    #[test]
    fn without_a_sensitive_attribute_only_cells_are_released() {
        let of = |extra: bool| {
            let mut rows = [vec!["1", "[0-4]"], vec!["2", "[5-9]"]];
            let mut columns = vec![CLASS_ID, "age"];
            if extra {
                columns.push("disease");
                rows.iter_mut().for_each(|row| row.push("A"));
            }
            let rows: Vec<(&[&str], u64)> = rows.iter().map(|row| (&row[..], 5)).collect();
            let (table, counts) = crate::tests::released(&columns, &rows);
            let published = Published { table: &table, counts: &counts, people: None };
            let view = View::new(&published, 0, vec![1]);
            let noise = Noise { sensitive: Vec::new(), ..noise() };
            let asked = json!({ "epsilon": 1.0, "delta": 0.0 });
            check(&asked, &noise, &view, &promises(), &view.classes()).unwrap().state == State::Stated
        };
        assert!(of(false) && !of(true));
    }
}
