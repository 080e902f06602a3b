//! What a manifest states beyond its promises, compared with what the released file shows.

use serde_json::{Value, json};
use velamen_checker::{Finding, State};
use velamen_contract::Promised;
use velamen_contract::{EACH, Noise, PromisedAttribute, Promises, Spent};
use velamen_core::frequency::Role;
use velamen_core::recoding::Recoding;
use velamen_core::release::{CATALOG, CEILING};
use velamen_recipe::JobError;
use velamen_report::manifest::{AdversaryEntry, AttributeEntry};
use velamen_report::{Manifest, OfMethod};
use velamen_search::method::Counterfeits;
use velamen_search::metric::{self, CELL_METRICS};

use super::parameters::reached_sizes;
use crate::published::{extent, rule};
use crate::utility::UtilityFigures;

/// The most values of one attribute's domain that are counted one by one.
const MOST_VALUES: u64 = 1 << 20;

/// The manifest states as reached what the file shows, the same levels twice, the same parameters twice, and
/// counterfeits only under the promises of the method that makes them.
pub(super) fn manifest(
    manifest: &Manifest,
    has_catalog: bool,
    findings: &[Finding],
) -> Result<Finding, JobError> {
    let mut wrong: Vec<String> = manifest
        .privacy
        .iter()
        .filter(|promise| {
            !is_as_found(promise, findings, manifest)
                || !is_readable(promise)
                || !is_of_sensitive(promise, manifest)
        })
        .map(|promise| promise.model.clone())
        .collect();
    let others = [
        ("node", !same_levels(manifest)),
        ("privacy", !manifest.privacy.iter().any(|p| velamen_search::model::find(&p.model).is_some())),
        // A release that is truthful does not say so.
        (
            "truthful",
            is_untrue(manifest) && manifest.truthful != Some(false) || manifest.truthful == Some(true),
        ),
        ("counterfeits", counterfeits_are_misstated(manifest, has_catalog)),
    ];
    wrong.extend(others.into_iter().filter(|(_, wrong)| *wrong).map(|(name, _)| name.to_owned()));
    wrong.extend(other_parameters(manifest, findings));
    wrong.extend(super::parameters::wrong(manifest, findings));
    wrong.extend(other_heights(manifest)?);
    let holds = wrong.is_empty();
    Ok(Finding::of("manifest", json!({ "misstated": [] }), json!({ "misstated": wrong }), holds))
}

/// Whether the checker found what a promise states as reached; what it did not check is no misstatement.
///
/// Where who is who is not released, what is reached is of people, and earlier versions stated it of records.
fn is_as_found(promise: &Promised, findings: &[Finding], manifest: &Manifest) -> bool {
    let about = |finding: &&Finding| finding.promise == promise.model && finding.asked == promise.asked;
    let of_people = manifest.method.counts_persons() && manifest.is_current();
    findings.iter().find(about).is_some_and(|finding| match finding.state {
        State::NotChecked => true,
        State::Stated if of_people && counts_persons(promise) => {
            same(&finding.reached, &promise.reached) || can_be_of_people(promise, finding)
        }
        State::Held | State::Broken | State::Stated => same(&finding.reached, &promise.reached),
    })
}

fn counts_persons(promise: &Promised) -> bool {
    promise.terms().is_some_and(|terms| terms.facts.counts_persons)
}

/// Whether what is stated can be reached of the people whose records the checker counted: the same figures, and of a class no
/// fewer people than are promised and no more than it has records; of values likewise.
fn can_be_of_people(promise: &Promised, finding: &Finding) -> bool {
    let (Some(stated), Some(found)) = (promise.reached.as_object(), finding.reached.as_object()) else {
        return false;
    };
    let facts = promise.terms().map(|terms| terms.facts);
    let bounded = facts.into_iter().flat_map(|facts| facts.least_class.into_iter().chain(facts.least_values));
    let same_names = stated.len() == found.len() && stated.keys().all(|name| found.contains_key(name));
    // Beside shares a size is written as one.
    let number = |of: Option<&Value>| of.and_then(Value::as_f64);
    let numbers = |name: &str| [promise.asked.get(name), stated.get(name), found.get(name)].map(number);
    // An effective number of values can be greater of people than of their records.
    let is_effective =
        |numbers: &[Option<f64>; 3]| numbers.iter().flatten().any(|number| number.fract() != 0.0);
    // A model can ask for a number of values and reach another figure.
    let bounded = bounded.filter(|name| found.contains_key(*name));
    same_names && bounded.map(numbers).all(|numbers| is_effective(&numbers) || numbers.is_sorted())
}

/// Whether a model's parameters are some that a recipe could ask for: others promise nothing.
fn is_readable(promise: &Promised) -> bool {
    let Some(entry) = velamen_search::model::find(&promise.model) else { return true };
    let Some(parameters) = promise.parameters() else { return false };
    // What every table keeps: so the published method of ipa states its least class.
    let any_table = promise.asks_only_size() && promise.least_class() == Some(1);
    any_table || (entry.parse)(parameters).is_ok()
}

/// What protects an attribute protects a sensitive one.
fn is_of_sensitive(promise: &Promised, manifest: &Manifest) -> bool {
    promise.attribute().is_none_or(|name| manifest.has_role(name, Role::Sensitive))
}

fn is_untrue(manifest: &Manifest) -> bool {
    let is_aggregated = |attribute: &AttributeEntry| attribute.recoding == Some(Recoding::Aggregates);
    manifest.is_noisy() || manifest.attributes.values().any(is_aggregated)
}

/// Counterfeits without the promises that cover them, or not stated by a method that states them.
fn counterfeits_are_misstated(manifest: &Manifest, has_catalog: bool) -> bool {
    let promised = |name: &str| manifest.privacy.iter().any(|promise| promise.model == name);
    let covered = promised(CEILING) && promised(CATALOG);
    let told = manifest.facts().counterfeits;
    let counted = manifest.counterfeits.is_some_and(|number| number > 0);
    let untold = manifest.counterfeits.is_none() && told != Counterfeits::Untold;
    (has_catalog || counted || told == Counterfeits::Catalogued) && !covered || untold
}

/// Whether `node` and `attributes` name the same levels, or neither names any.
fn same_levels(manifest: &Manifest) -> bool {
    let level = |name: &String| manifest.attributes.get(name)?.level.map(Value::from);
    manifest.node.iter().all(|(name, stated)| level(name).as_ref() == Some(stated))
        && manifest.attributes.keys().all(|name| level(name).is_none() || manifest.node.contains_key(name))
}

/// Parameters of the method that say something else than the promise they stand for.
fn other_parameters(manifest: &Manifest, findings: &[Finding]) -> Vec<String> {
    let private = findings.iter().find(|finding| finding.is_private());
    let ceiling = findings.iter().find(|finding| finding.promise == CEILING);
    let asked = private.into_iter().chain(ceiling).map(|finding| &finding.asked);
    let pairs = asked.flat_map(|asked| manifest.method.promised_as(asked));
    let different = pairs.filter(|(_, stated, asked)| !same(stated, asked)).map(|(name, ..)| name);
    // The least class that is released: as large as the budget needs, and as the classes are.
    let outside = reached_sizes(findings).zip(manifest.method.least_kept()).is_some_and(|(sizes, k)| {
        sizes.needed_class_size.is_some_and(|needed| k < needed)
            || sizes.class_size.is_some_and(|size| k > size)
    });
    different.chain(outside.then_some("k")).map(|name| format!("method.{name}")).collect()
}

/// Attributes whose number of levels is not that of their hierarchy.
fn other_heights(manifest: &Manifest) -> Result<Vec<String>, JobError> {
    let mut wrong = Vec::new();
    for attribute in manifest.promises(Vec::new())?.qis {
        let stated = manifest.attributes.get(&attribute.name).and_then(|entry| entry.levels);
        // A hierarchy that does not read is the checker's to refuse.
        let Ok(extent) = extent(&attribute) else { continue };
        if stated.is_some_and(|levels| levels.checked_sub(1) != Some(extent.hierarchy.top())) {
            wrong.push(format!("levels of {}", attribute.name));
        }
    }
    Ok(wrong)
}

/// What noise alone comes to, as the manifest states it, by this file's own arithmetic.
pub(super) fn noise(manifest: &Manifest) -> Result<Option<Finding>, JobError> {
    let promises = manifest.promises(Vec::new())?;
    let Some(noise) = &promises.noise else { return Ok(None) };
    let expected = expected(&promises, noise);
    let shown = |name: &str| expected.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
    let keys =
        ["cells", "expected-cells-of-noise", "expected-records-of-noise", "expected-suppressed-of-noise"];
    let stated = keys.iter().filter_map(|key| Some((*key, manifest.method.entries().get(*key)?)));
    let stated: Vec<(&str, &Value)> = stated.collect();
    let wrong = stated.iter().filter(|(name, value)| !shown(name).is_some_and(|shown| agrees(shown, value)));
    let is_unsaid = |name: &&str| manifest.is_current() && stated.iter().all(|(stated, _)| stated != name);
    let unsaid = expected.iter().map(|(name, _)| *name).filter(is_unsaid);
    let wrong = wrong.map(|(name, _)| *name).chain(unsaid).collect::<Vec<_>>();
    let wrong = wrong.into_iter().chain(each_is_misstated(manifest, &promises, noise).then_some(EACH));
    let wrong: Vec<&str> = wrong.collect();
    let reached = json!({ "misstated": wrong });
    Ok(Some(Finding::of("noise", json!({ "misstated": [] }), reached, wrong.is_empty())))
}

/// Whether what is stated of each attribute's counts is something else than what follows.
fn each_is_misstated(manifest: &Manifest, promises: &Promises, noise: &Noise) -> bool {
    if noise.each.is_none() {
        return false;
    }
    let expected = counted(promises, noise).map(|all| {
        let named = all.into_iter().filter_map(|(name, counted)| Some((name?.to_owned(), counted.told())));
        Value::Object(named.collect())
    });
    expected
        .zip(manifest.method.entries().get(EACH))
        .is_none_or(|(expected, stated)| !agrees(&expected, stated))
}

/// What noise alone comes to, of all that is counted; empty where that does not read.
fn expected(promises: &Promises, noise: &Noise) -> Vec<(&'static str, Value)> {
    let all = counted(promises, noise).unwrap_or_default();
    let together = all.into_iter().map(|(_, counted)| counted).reduce(CountedCells::together);
    together.map(|together| together.figures()).unwrap_or_default()
}

/// What follows of counts from the public domains, the least count and what was spent.
struct CountedCells {
    least_count: u64,
    cells: u128,
    /// Cells and records of noise alone, where the budget is stated.
    of_cells: Option<(f64, f64)>,
    suppressed: Option<f64>,
}

impl CountedCells {
    fn together(self, other: Self) -> Self {
        let plus = |(a, b): ((f64, f64), (f64, f64))| (a.0 + b.0, a.1 + b.1);
        Self {
            least_count: self.least_count.min(other.least_count),
            cells: self.cells.saturating_add(other.cells),
            of_cells: self.of_cells.zip(other.of_cells).map(plus),
            suppressed: self.suppressed.zip(other.suppressed).map(|(a, b)| a + b),
        }
    }

    /// As it stands in the manifest, of one attribute.
    fn told(&self) -> Value {
        let least = ("least-count", json!(self.least_count));
        let figures = self.figures().into_iter().chain([least]);
        Value::Object(figures.map(|(key, value)| (key.to_owned(), value)).collect())
    }

    fn figures(&self) -> Vec<(&'static str, Value)> {
        let mut figures = vec![("cells", json!(self.cells.to_string()))];
        if let Some((released, records)) = self.of_cells {
            figures.extend([
                ("expected-cells-of-noise", json!(released)),
                ("expected-records-of-noise", json!(records)),
            ]);
        }
        let suppressed = self.suppressed.map(|suppressed| json!(suppressed));
        figures.extend(suppressed.map(|suppressed| ("expected-suppressed-of-noise", suppressed)));
        figures
    }
}

/// By attribute, where each is counted by itself; `None` where something does not read.
fn counted<'n>(promises: &Promises, noise: &'n Noise) -> Option<Vec<(Option<&'n str>, CountedCells)>> {
    let (steps, hidden) = (noise.counted_steps(), noise.steps_of("suppression"));
    let mut all = Vec::new();
    for ((step, attribute, least_count), hidden) in steps.into_iter().zip(&hidden) {
        all.push((attribute, of_step(promises, noise, (&step, hidden), (attribute, least_count))?));
    }
    Some(all)
}

/// What follows of the counts that one step pays for, with the step of their suppressed records.
fn of_step(
    promises: &Promises,
    noise: &Noise,
    (step, hidden): (&str, &str),
    (attribute, least_count): (Option<&str>, u64),
) -> Option<CountedCells> {
    let all = || noise.sensitive.iter().map(String::as_str).collect();
    let attributes: Vec<&str> = attribute.map_or_else(all, |name| vec![name]);
    let (cells, values) = cells(promises, noise, &attributes)?;
    let least = least_count as f64;
    let of_cells = match alpha(promises, step, noise.parts()) {
        _ if noise.occupied_only => Some((0.0, 0.0)),
        // Of two-sided geometric noise P(≥ T) = α^T/(1 + α), and beyond T its mean is α/(1 − α).
        Some(alpha) => {
            let released = cells as f64 * alpha.powf(least) / (1.0 + alpha);
            Some((released, released * (least + alpha / (1.0 - alpha))))
        }
        None => None,
    };
    let suppressed = alpha(promises, hidden, 1).map(|alpha| values as f64 * alpha / (1.0 - alpha * alpha));
    Some(CountedCells { least_count, cells, of_cells, suppressed })
}

/// e^−ε of one of so many parts of a step.
fn alpha(promises: &Promises, name: &str, parts: u64) -> Option<f64> {
    let step = promises.spent.iter().find(|step| step.step == name);
    step.and_then(Spent::loss).map(|loss| (-loss.epsilon.to_f64() / parts as f64).exp())
}

/// The cells of the released domain with these sensitive attributes, and how many values they have.
fn cells(promises: &Promises, noise: &Noise, sensitive: &[&str]) -> Option<(u128, u128)> {
    let mut cells = 1u128;
    for attribute in &promises.qis {
        cells = cells.checked_mul(values_of(attribute, noise)? as u128)?;
    }
    let mut values = 1u128;
    for name in sensitive {
        let rule = velamen_core::hierarchy::Rule::try_from(promises.hierarchies.get(*name)?).ok()?;
        values = values.checked_mul(rule.whole_domain(MOST_VALUES)?.len() as u128)?;
    }
    Some((cells.checked_mul(values)?, values))
}

/// How many values a quasi-identifier can have: those of its level, or of the cut through its hierarchy.
fn values_of(attribute: &PromisedAttribute, noise: &Noise) -> Option<usize> {
    if let Some(cuts) = &noise.cuts {
        return cuts.get(&attribute.name).map(Vec::len);
    }
    let rule = rule(attribute).ok()?;
    let hierarchy = rule.over(rule.whole_domain(MOST_VALUES)?, false).1;
    let level = attribute.level.filter(|level| *level <= hierarchy.top())?;
    Some(hierarchy.labels(level).len())
}

/// The utility figures: those that the released table shows, as usual or as asked, are compared, the others are the
/// custodian's word. Before, local recodings stated all as usual.
pub(super) fn utility(manifest: &Manifest, [shown, as_asked]: &[UtilityFigures; 2]) -> Vec<Finding> {
    let (mut wrong, mut untold) = (Vec::new(), Vec::new());
    for (name, stated) in &manifest.utility {
        match shown.get(name) {
            Some(figure) if agrees(figure, stated) || adds_up(figure, stated) => {}
            Some(_) if as_asked.get(name).is_some_and(|figure| agrees(figure, stated)) => {}
            Some(_) if has_own_reading(manifest, name) => untold.push(name.as_str()),
            // The first releases had parts by attribute that were not put together from 0 to 1.
            Some(figure) if manifest.format.is_none() && same_value(figure, stated) => untold.push(name),
            None if metric::find(name).is_some() => untold.push(name),
            _ => wrong.push(name.as_str()),
        }
    }
    let (asked, reached) = (json!({ "misstated": [] }), json!({ "misstated": wrong }));
    let compared = Finding::of("utility", asked, reached, wrong.is_empty());
    let stated = (!untold.is_empty()).then(|| Finding::stated("original-figures", json!(untold)));
    std::iter::once(compared).chain(stated).collect()
}

/// What everybody can make of the counterfeits, as it is stated and as it was found in the released file. Earlier forms do not
/// state it.
pub(super) fn recognized(manifest: &Manifest, found: Option<AdversaryEntry>) -> Option<Finding> {
    let stated = manifest.adversary;
    if stated.is_none() && (found.is_none() || !manifest.is_current()) {
        return None;
    }
    let holds = stated.zip(found).is_some_and(|(stated, found)| stated.agrees(&found));
    Some(Finding::of("adversary", json!(stated), json!(found), holds))
}

/// Whether a figure that is stated with its parts by attribute is the one shown, and the sum of them.
fn adds_up(figure: &Value, stated: &Value) -> bool {
    let parts = stated.get("by-attribute").and_then(Value::as_object);
    let sum = parts.and_then(|parts| parts.values().map(Value::as_f64).sum::<Option<f64>>());
    let value = stated.get("value").filter(|value| agrees(figure, value)).and_then(Value::as_f64);
    value.zip(sum).is_some_and(|(value, sum)| agrees(&json!(value), &json!(sum)))
}

/// Whether two figures are the same but for their parts by attribute.
fn same_value(figure: &Value, stated: &Value) -> bool {
    figure.get("value").zip(stated.get("value")).is_some_and(|(figure, stated)| agrees(figure, stated))
}

/// Whether the search read its metric with options whose figure the released table does not show. Older manifests do not
/// tell weights.
fn has_own_reading(manifest: &Manifest, name: &str) -> bool {
    // Sums over cells are put together anew by the checker.
    let of_cells = CELL_METRICS.iter().any(|metric| metric.name == name);
    let method = &manifest.method;
    let own_way = method.reads_attributes_its_own_way() || !of_cells && method.aggregates_its_own_way();
    method.metric() == Some(name) && (manifest.format.is_none() || own_way)
}

/// Equal up to the last digit of decimal fractions.
fn same(a: &Value, b: &Value) -> bool {
    within(a, b, &|a, b| (a - b).abs() <= 1e-12)
}

/// Equal up to the order in which sums were made.
fn agrees(a: &Value, b: &Value) -> bool {
    within(a, b, &|a, b| (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0))
}

fn within(a: &Value, b: &Value, near: &impl Fn(f64, f64) -> bool) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| within(value, other, near)))
        }
        _ => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => near(a, b),
            _ => a == b,
        },
    }
}
