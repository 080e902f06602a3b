use clap::{Arg, value_parser};
use serde_json::{Map, Value};
use velamen_assess::operation::{Audit, Property};
use velamen_assess::{Audit as Found, Finding, Inside, KeptTables};
use velamen_measure::risk::audit::Verdict;

use super::entry::Command;
use super::operation::{Shown, arg};
use crate::terminal::{grouped, line, note, warning};

pub(super) const COMMAND: Command = Command::showing::<Audit>();

impl Shown for Audit {
    const EXAMPLES: &'static str = "\
Examples:
  velamen audit recipe.toml
  velamen audit recipe.toml --trials 20000 --from-data 10 --keep pair
  velamen audit recipe.toml --set privacy.0.epsilon=0.5 --json
  velamen audit recipe.toml --inside

Exit code 0: not refuted, which is no proof; 2: the recipe claims no epsilon; 3: refuted.";
    const JSON_BEFORE: &'static str = "show-values";

    fn words(property: &Property) -> Vec<Arg> {
        match &*property.name {
            // A wrong one is refused by the operation.
            "seed" => vec![arg(property).value_parser(value_parser!(String))],
            _ => vec![arg(property)],
        }
    }

    fn print(audit: &Found, _request: &Map<String, Value>) {
        print(audit);
    }

    fn after(audit: &Found) {
        audit.warnings.iter().for_each(warning);
        audit.kept.iter().for_each(told);
    }
}

/// How the pair's tables are run.
fn told(kept: &KeptTables) {
    let (recipe, without) = (kept.recipe.display(), kept.without.display());
    note("run the pair with, as often as it takes:");
    note(format_args!("  velamen anonymize {recipe} --overwrite"));
    note(format_args!("  velamen anonymize {recipe} --input {without} --overwrite"));
}

/// What is claimed, what was found, and what that says.
fn print(audit: &Found) {
    match audit.claimed {
        Some(claim) => line(format_args!("claimed   epsilon {}, delta {}", claim.epsilon, claim.delta)),
        None => line("claimed   no epsilon"),
    }
    audit.inside.iter().for_each(print_inside);
    if let Some(found) = &audit.found {
        print_runs(audit, found);
    }
    line(format_args!("verdict   {}", verdict(audit)));
}

/// What replays found.
fn print_inside(inside: &Inside) {
    if inside.differences.is_empty() {
        line("found     nothing that differs between neighbouring tables with the same answers");
    }
    for unlike in &inside.differences {
        line(format_args!("found     {}", unlike.what));
        line(format_args!("tables    {}", unlike.tables));
        line(format_args!("answers   {}", unlike.answers));
    }
    let (replays, queries) = (grouped(inside.replays), grouped(inside.queries));
    line(format_args!(
        "power     {replays} replays of {queries} queries; a wrong law of the noise shows in none"
    ));
}

/// What many runs found.
fn print_runs(audit: &Found, found: &Finding) {
    if found.judged.epsilon > 0.0 {
        print_finding(found, audit.confidence * 100.0);
    } else {
        line("found     no event that is much more frequent on one table than on its neighbour");
    }
    if let Some(largest) = &audit.largest {
        line(format_args!(
            "more      epsilon of at least {:.4} on other tables: {}: {}",
            largest.judged.epsilon, largest.tables, largest.event
        ));
    }
    line(format_args!(
        "power     {} pairs of tables, {} runs on each table: no more than epsilon {:.4} can be shown",
        audit.pairs,
        grouped(audit.trials),
        audit.most_shown.unwrap_or_default()
    ));
}

fn print_finding(found: &Finding, percent: f64) {
    let judged = &found.judged;
    line(format_args!("found     epsilon of at least {:.4}, with {percent} % confidence", judged.epsilon));
    line(format_args!("tables    {}", found.tables));
    for (name, value) in found.record.iter().flatten() {
        line(format_args!("          {name} = {value}"));
    }
    let way = if judged.searched { "searched on other runs" } else { "chosen before the runs" };
    line(format_args!("event     {} ({way})", found.event));
    let (one, other) = if judged.more_with { ("with", "without") } else { ("without", "with") };
    for (table, tally) in [(one, judged.more), (other, judged.less)] {
        line(format_args!(
            "          in {} of {} runs {table} the record",
            grouped(tally.hits),
            grouped(tally.runs)
        ));
    }
}

fn verdict(audit: &Found) -> String {
    let claimed = audit.claimed.map_or(0.0, |claim| claim.epsilon);
    match audit.verdict {
        Verdict::Refuted => format!("refuted: the claimed epsilon {claimed} does not hold"),
        Verdict::NotRefuted => {
            "not refuted: these runs do not contradict the claim, which is no proof of it".into()
        }
        Verdict::CannotTell { needed } => format!(
            "none: these runs cannot show anything about epsilon {claimed}; at least {needed} on each table are needed"
        ),
        Verdict::NothingClaimed => "none: the method claims no epsilon".into(),
    }
}
