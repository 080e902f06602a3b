//! A quick front: two or three methods on the table at hand, so that a recipe begins with the one that keeps most.

use std::path::Path;

use velamen_core::context::{Context, Stages};
use velamen_engine::source::Batches;
use velamen_job::{Left, RunOptions, Session};
use velamen_recipe::{JobError, Origin, Overrides, Recipe};

use super::ProfileRequest;

/// Larger tables are not tried: it would take longer than a quick look.
pub(super) const MOST_RECORDS: u64 = 100_000;

/// A method as a recipe writes it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CandidateMethod {
    pub(crate) name: &'static str,
    /// Its keys, as `--set` and TOML have them.
    pub(crate) keys: &'static [(&'static str, &'static str)],
    /// Whether groups of records have levels of their own.
    pub(crate) by_group: bool,
}

/// The method that finds the best levels of the whole table, proven.
pub const WHOLE_TABLE: &str = "optimal";

pub(super) const OPTIMAL: CandidateMethod = CandidateMethod {
    name: WHOLE_TABLE,
    keys: &[("name", "\"optimal\""), ("suppression-limit", "0.05")],
    by_group: false,
};
const LOCAL: CandidateMethod = CandidateMethod {
    name: "optimal with local recoding",
    keys: &[("name", "\"optimal\""), ("suppression-limit", "0.05"), ("local-recoding", "true")],
    by_group: true,
};
pub(super) const MONDRIAN: CandidateMethod =
    CandidateMethod { name: "mondrian", keys: &[("name", "\"mondrian\"")], by_group: true };

/// Where the levels can be searched to the end.
pub(crate) const OF_FEW_NODES: [CandidateMethod; 3] = [OPTIMAL, LOCAL, MONDRIAN];
/// Where they cannot: local recoding ends at its bound.
pub(crate) const OF_MANY_NODES: [CandidateMethod; 2] = [MONDRIAN, LOCAL];

/// Of larger tables with too many levels, local recoding takes longer than a quick look, though it is bounded.
const MOST_BOUNDED: u64 = 10_000;

/// What decides which methods are tried.
#[derive(Debug, Clone, Copy)]
pub(super) struct TrialSize {
    /// Whether the levels can be searched to the end.
    pub(super) few_nodes: bool,
    /// The table's records.
    pub(super) records: u64,
}

/// The methods that are tried: all of them count people where a person has several records.
fn candidates(size: TrialSize) -> &'static [CandidateMethod] {
    match (size.few_nodes, size.records <= MOST_BOUNDED) {
        (true, _) => &OF_FEW_NODES,
        (false, true) => &OF_MANY_NODES,
        (false, false) => &OF_MANY_NODES[..1],
    }
}

/// What a candidate made of the table.
#[derive(Debug)]
pub(super) struct Tried {
    pub(super) candidate: CandidateMethod,
    /// The mean share of its attribute's domain that a released cell leaves open.
    pub(super) loss: f64,
    /// What is left of the table.
    pub(super) left: Left,
}

/// An attribute that lost more of its detail is of no use, though some record may show some of it.
const USELESS: f64 = 0.99;

impl Tried {
    /// How many attributes are of no use.
    fn useless(&self) -> usize {
        self.left.attributes.iter().filter(|left| left.loss > USELESS).count()
    }

    /// Attributes of which nothing is left in any record.
    fn lost(&self) -> Vec<&str> {
        self.left.attributes.iter().filter(|left| left.is_lost()).map(|left| &*left.name).collect()
    }
}

/// Runs the candidates with the rest of a recipe that is to stand in `folder`, the best first: fewest attributes lost, then
/// least loss.
pub(super) fn tried(
    recipe: &str,
    folder: &Path,
    request: &ProfileRequest,
    size: TrialSize,
    context: &Context<'_>,
) -> Result<Vec<Tried>, JobError> {
    let candidates = candidates(size);
    let stages = Stages::new(context.progress, "trying methods");
    let mut all: Vec<Tried> = Vec::new();
    for (number, &candidate) in (1..).zip(candidates) {
        stages.several_until(Stages::WHOLE * number / candidates.len() as u64);
        let context = Context { progress: &stages, ..*context };
        match run(recipe, folder, request, candidate, &context) {
            Ok(tried) => all.push(tried),
            // The recipe runs with another method.
            Err(error) if error.exit_code() == 3 && !all.is_empty() => {}
            Err(error) => return Err(error),
        }
    }
    all.sort_by(|a, b| a.useless().cmp(&b.useless()).then(a.loss.total_cmp(&b.loss)));
    Ok(all)
}

/// What a recipe loses with one of the methods; `None` where it leaves no release.
///
/// # Errors
/// Those of a run.
pub(super) fn loss(
    recipe: &str,
    folder: &Path,
    request: &ProfileRequest,
    candidate: CandidateMethod,
    context: &Context<'_>,
) -> Result<Option<f64>, JobError> {
    match run(recipe, folder, request, candidate, context) {
        Ok(tried) => Ok(Some(tried.loss)),
        // No node keeps it, or the column is none for it.
        Err(error) if matches!(error.exit_code(), 3 | 5) => Ok(None),
        Err(error) => Err(error),
    }
}

fn run(
    text: &str,
    folder: &Path,
    request: &ProfileRequest,
    candidate: CandidateMethod,
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
    let recipe = recipe.resolve()?;
    let mut loaded = Session::open(&recipe, &RunOptions::default(), context)?.read(context)?;
    let left = loaded.search(context)?.left(context);
    let attributes = left.attributes.len().max(1) as f64;
    let loss = left.attributes.iter().map(|attribute| attribute.loss).sum::<f64>() / attributes;
    Ok(Tried { candidate, loss, left })
}

/// `[method]` with the first of those that were tried, and what all of them made.
pub(super) fn section(tried: &[Tried], size: TrialSize) -> String {
    let mut text = "\
# Tried on this table, with k-anonymity alone. The loss is the mean share of detail that a released cell loses: 0 for a value as recorded,
# 1 for `*`. The figures come from the original records: they are for the custodian only.
"
    .to_owned();
    for one in tried {
        let (name, loss, lost) = (one.candidate.name, one.loss, one.lost());
        let lost = match lost.is_empty() {
            true => String::new(),
            false => format!(", nothing left of: {}", lost.join(", ").replace(['\n', '\r'], " ")),
        };
        let suppressed = 100.0 * one.left.suppressed;
        text +=
            &format!("#   {name:<27}  loss {loss:.2}, {suppressed:.1} % of the records suppressed{lost}\n");
    }
    text += &not_tried(size);
    text + &tried.first().map_or_else(String::new, |best| keys(best.candidate))
}

/// The methods that would have taken too long, as remarks of a recipe.
fn not_tried(size: TrialSize) -> String {
    let tried = candidates(size);
    let why = "there are too many levels and records for a quick look";
    let is_left_out = |name: &str| !tried.iter().any(|candidate| candidate.name == name);
    let left_out = OF_FEW_NODES.iter().map(|candidate| candidate.name).filter(|name| is_left_out(name));
    left_out.map(|name| format!("#   {name:<27}  not tried: {why}\n")).collect()
}

/// What is said of the method that is not tried. The figures are those of docs/comparison.md and docs/counterfeits.md.
const COUNTERFEITS: &str = "\
# Not tried: h-ceiling, which fills up small groups with counterfeit records. On three tables with k = 5 and 10 it lost
# 3 to 6 times as much detail as the best of these, and its counts were 4 to 15 times as far off. Somebody who counts
# recognized its counterfeits with an AUC of 0.63 to 0.83 on seven tables (0.5 is chance):
# velamen explain choose-a-method.
";

/// `[method]` of a candidate.
pub(super) fn keys(candidate: CandidateMethod) -> String {
    let lines = candidate.keys.iter().map(|(key, value)| format!("{key} = {value}\n"));
    format!("{COUNTERFEITS}[method]\n{}", lines.collect::<String>())
}

/// What is said where the best of them loses much.
pub(super) fn warning(tried: &[Tried]) -> Option<String> {
    let costly = tried.first()?.left.costly()?;
    Some(format!("with the suggested recipe {costly}. `velamen advise` measures what each change would keep"))
}
