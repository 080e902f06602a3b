//! A quick front: two or three methods on the table at hand, so that a recipe begins with the one that keeps most.

use std::path::Path;

use velamen_core::context::Context;
use velamen_engine::source::Batches;
use velamen_job::Session;
use velamen_recipe::{JobError, Origin, Overrides, Recipe};

use super::ProfileRequest;

/// Larger tables are not tried: it would take longer than a quick look.
pub(super) const MOST_RECORDS: u64 = 100_000;

/// A method as a recipe writes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) name: &'static str,
    /// Its keys, as `--set` and TOML have them.
    pub(super) keys: &'static [(&'static str, &'static str)],
}

/// The method that finds the best levels of the whole table, proven.
pub const WHOLE_TABLE: &str = "optimal";

pub(super) const OPTIMAL: Candidate =
    Candidate { name: WHOLE_TABLE, keys: &[("name", "\"optimal\""), ("suppression-limit", "0.05")] };
const LOCAL: Candidate = Candidate {
    name: "optimal with local recoding",
    keys: &[("name", "\"optimal\""), ("suppression-limit", "0.05"), ("local-recoding", "true")],
};
pub(super) const MONDRIAN: Candidate = Candidate { name: "mondrian", keys: &[("name", "\"mondrian\"")] };

/// Where they are too many, and k counts people.
pub(super) const WALK: Candidate = Candidate {
    name: "iterated-local-search",
    keys: &[("name", "\"iterated-local-search\""), ("suppression-limit", "0.05")],
};

/// What is tried: where a person has several records, what counts persons.
pub(super) fn candidates(few_nodes: bool, persons: bool) -> &'static [Candidate] {
    match (few_nodes, persons) {
        (true, true) => &[OPTIMAL],
        (false, true) => &[WALK],
        (true, false) => &OF_FEW_NODES,
        (false, false) => &[MONDRIAN],
    }
}

/// Where the levels can be searched to the end.
const OF_FEW_NODES: [Candidate; 3] = [OPTIMAL, LOCAL, MONDRIAN];

/// What a candidate made of the table.
#[derive(Debug)]
pub(super) struct Tried {
    pub(super) candidate: Candidate,
    /// The mean share of its attribute's domain that a released cell leaves open.
    pub(super) loss: f64,
    /// The share of suppressed records.
    pub(super) suppressed: f64,
    /// Attributes of which nothing is left in any record.
    pub(super) lost: Vec<String>,
}

/// Runs the candidates with the rest of a recipe that is to stand in `folder`, the best first: fewest attributes lost, then
/// least loss.
pub(super) fn tried(
    recipe: &str,
    folder: &Path,
    request: &ProfileRequest,
    candidates: &[Candidate],
    context: &Context<'_>,
) -> Result<Vec<Tried>, JobError> {
    let mut all = Vec::new();
    for &candidate in candidates {
        all.push(run(recipe, folder, request, candidate, context)?);
    }
    all.sort_by(|a, b| a.lost.len().cmp(&b.lost.len()).then(a.loss.total_cmp(&b.loss)));
    Ok(all)
}

fn run(
    text: &str,
    folder: &Path,
    request: &ProfileRequest,
    candidate: Candidate,
    context: &Context<'_>,
) -> Result<Tried, JobError> {
    let set = candidate.keys.iter().map(|(key, value)| format!("method.{key}={value}")).collect();
    let overrides =
        Overrides { input: request.table.file().map(Path::to_owned), set, ..Overrides::default() };
    let path = &folder.join("recipe");
    let mut recipe = Recipe::parse(text, path, folder, &overrides)?;
    if let Origin::Batches(batches) = &request.table {
        recipe = recipe.over(Batches::clone(batches));
    }
    let recipe = recipe.resolve(path)?;
    let mut loaded = Session::open(&recipe, path, false, context)?.read(context)?;
    let left = loaded.search(context)?.left(context);
    let attributes = left.attributes.len().max(1) as f64;
    let lost = left.attributes.iter().filter(|attribute| attribute.is_lost());
    Ok(Tried {
        candidate,
        loss: left.attributes.iter().map(|attribute| attribute.loss).sum::<f64>() / attributes,
        suppressed: left.suppressed,
        lost: lost.map(|attribute| attribute.name.clone()).collect(),
    })
}

/// `[method]` with the first of those that were tried, and what all of them made.
pub(super) fn section(tried: &[Tried]) -> String {
    let mut text = "\
# Tried on this table. The loss is the mean share of detail that a released cell loses: 0 for a value as recorded,
# 1 for `*`. The figures come from the original records: they are for the custodian only.
"
    .to_owned();
    for Tried { candidate, loss, suppressed, lost } in tried {
        let lost = match lost.is_empty() {
            true => String::new(),
            false => format!(", nothing left of: {}", lost.join(", ").replace(['\n', '\r'], " ")),
        };
        let (name, suppressed) = (candidate.name, 100.0 * suppressed);
        text +=
            &format!("#   {name:<27}  loss {loss:.2}, {suppressed:.1} % of the records suppressed{lost}\n");
    }
    text + &tried.first().map_or_else(String::new, |best| keys(best.candidate))
}

/// `[method]` of a candidate.
pub(super) fn keys(candidate: Candidate) -> String {
    let lines = candidate.keys.iter().map(|(key, value)| format!("{key} = {value}\n"));
    format!("[method]\n{}", lines.collect::<String>())
}

/// What is said where the best of them loses attributes whole.
pub(super) fn warning(tried: &[Tried]) -> Option<String> {
    let best = tried.first().filter(|best| !best.lost.is_empty())?;
    Some(format!(
        "with the suggested recipe nothing is left of {} (`*` in every record): drop what recipients do not need, or \
         coarsen other attributes",
        best.lost.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    ))
}
