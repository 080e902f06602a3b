//! A comparison as people read it.

use std::fmt::Display;

use velamen_assess::Comparison;
use velamen_assess::compare::{
    Analyses, AnalysisResult, Associations, Classifiers, Distributions, Errors, EstimateFigures, Matches,
    Queries, Scores,
};

use super::super::print_figures;
use velamen_report::forest;

use crate::terminal::{self, grouped, line};

/// As many pairs are shown; JSON has all of them.
const PAIRS: usize = 10;

pub(super) fn print(found: &Comparison) {
    line(format_args!(
        "{} of {} records in {} classes, {} suppressed, {} counterfeits",
        grouped(found.records),
        grouped(found.original_records),
        grouped(found.classes),
        grouped(found.suppressed),
        grouped(found.counterfeits)
    ));
    for left_out in &found.left_out {
        line(format_args!("{} left out: {}", left_out.section, left_out.reason));
    }
    for note in &found.notes {
        line(format_args!("note: {note}"));
    }
    if let Some(utility) = &found.utility {
        let over = found.over_original.unwrap_or(false);
        let over = if over { "the original records" } else { "the released table alone" };
        line(format_args!("\nmetrics, over {over}:"));
        print_figures(utility);
    }
    found.distributions.iter().for_each(distributions);
    found.associations.iter().for_each(associations);
    found.matches.iter().for_each(matches);
    found.queries.iter().for_each(queries);
    found.classifiers.iter().for_each(classifiers);
    found.analyses.iter().for_each(analyses);
}

fn analyses(found: &Analyses) {
    if found.estimates == 0 {
        line("\nanalyses: nothing can be estimated of the original, so that nothing can be compared");
    } else {
        line(format_args!(
            "\nanalyses: {} of {} estimates, mean overlap of their {} % intervals {:.1} %",
            found.in_release,
            found.estimates,
            100.0 * found.level,
            100.0 * found.mean_overlap
        ));
    }
    line(format_args!(
        "effects: {}, of the same direction {}, of the same significance {}, significant and turned around {}",
        found.effects, found.same_sign, found.same_significance, found.turned
    ));
    found.analyses.iter().for_each(analysis);
    line("\nhow the release was read:");
    for assumption in &found.assumptions {
        line(format_args!("- {assumption}"));
    }
}

fn analysis(found: &AnalysisResult) {
    line(format_args!(
        "\n{} ({}): {:.0} records, {:.0} released ones, {:.0} hidden and {:.0} missing",
        found.name,
        found.kind.words(),
        found.original.used,
        found.release.used,
        found.release.hidden,
        found.release.missing
    ));
    let mut rows = vec![head(&["estimate", "original", "release", "overlap", "std. diff."])];
    for pair in &found.estimates {
        let overlap = pair.overlap.map_or("-".into(), |overlap| format!("{:.0} %", 100.0 * overlap));
        let apart = pair.standardized_difference.map_or("-".into(), |apart| format!("{apart:.2}"));
        let cells =
            [pair.name.clone(), figures(pair.original), figures(pair.release), overlap, apart, pair.remark()];
        rows.push(cells.to_vec());
    }
    table(&rows);
}

fn figures(figures: Option<EstimateFigures>) -> String {
    let Some(EstimateFigures { estimate, low, high, .. }) = figures else { return "-".into() };
    let [estimate, low, high] = [estimate, low, high].map(forest::short);
    format!("{estimate} [{low}, {high}]")
}

/// Lines of cells, each column as wide as its widest cell: the first to the left, all others to the right.
fn table(rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| terminal::width(cell)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let cell = |(column, cell): (usize, &String)| match column {
            0 => terminal::padded(cell, widths[0]),
            _ => format!("  {}", terminal::right(cell, widths[column])),
        };
        line(row.iter().enumerate().map(cell).collect::<String>().trim_end());
    }
}

fn head(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn figure(number: f64) -> String {
    format!("{number:.4}")
}

fn of(number: Option<f64>, show: impl Fn(f64) -> String) -> String {
    number.map_or_else(|| "-".into(), show)
}

fn percent(number: f64) -> String {
    format!("{:.1} %", 100.0 * number)
}

fn distributions(found: &Distributions) {
    line("\ndistributions: how far each moved, 0 not at all, 1 to entirely other values:");
    let names = [
        "attribute",
        "total variation",
        "Jensen-Shannon",
        "Hellinger",
        "earth mover",
        "hidden",
        "mean",
        "median",
    ];
    let mut rows = vec![head(&names)];
    for attribute in &found.attributes {
        let pair = |pair: [f64; 2]| format!("{} -> {}", short(pair[0]), short(pair[1]));
        let number = |of: fn(&velamen_assess::compare::Numbers) -> [f64; 2]| {
            attribute.numbers.as_ref().map_or_else(String::new, |numbers| pair(of(numbers)))
        };
        rows.push(vec![
            attribute.name.clone(),
            figure(attribute.total_variation),
            figure(attribute.jensen_shannon),
            figure(attribute.hellinger),
            of(attribute.earth_mover, figure),
            percent(attribute.hidden_share),
            number(|numbers| numbers.mean),
            number(|numbers| numbers.median),
        ]);
    }
    table(&rows);
    line(format_args!("mean total variation {}", figure(found.mean_total_variation)));
}

/// At most four decimals, without the zeros at the end.
fn short(number: f64) -> String {
    let text = format!("{number:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn associations(found: &Associations) {
    line("\nassociations: Cramér's V and mutual information in bits, the largest shifts first:");
    let mut rows = vec![head(&["pair", "V original", "released", "shift", "bits original", "released"])];
    for pair in found.pairs.iter().take(PAIRS) {
        rows.push(vec![
            pair.attributes.join(" x "),
            figure(pair.cramers_v[0]),
            figure(pair.cramers_v[1]),
            format!("{:+.4}", pair.shift),
            figure(pair.mutual_information[0]),
            figure(pair.mutual_information[1]),
        ]);
    }
    table(&rows);
    let more = found.pairs.len().saturating_sub(PAIRS);
    let more = if more > 0 { format!("; {more} more with --json") } else { String::new() };
    line(format_args!("mean |shift| {} over {} pairs{more}", figure(found.mean_shift), found.pairs.len()));
    line(format_args!("k-marginal score (k = 2) {:.0} of 1000", found.k_marginal));
}

fn matches(found: &Matches) {
    line(format_args!(
        "\nmatches: {} of {} records that are unique in the original are in the release as they are",
        grouped(found.matched_exactly),
        grouped(found.unique_originals)
    ));
}

fn queries(found: &Queries) {
    line(format_args!("\nqueries: relative errors of {} counts from the release:", found.count));
    let mut rows = vec![head(&["kind", "queries", "mean", "median", "95th percentile"])];
    let row = |kind: &str, count: usize, errors: &Errors| {
        let figures = [errors.mean, errors.median, errors.p95].map(|figure| of(figure, percent));
        [kind.to_owned(), count.to_string()].into_iter().chain(figures).collect()
    };
    rows.extend(found.kinds.iter().map(|group| row(&group.kind, group.queries, &group.relative_error)));
    rows.push(row("all", found.count - found.without_original, &found.relative_error));
    table(&rows);
    if found.without_original > 0 {
        line(format_args!(
            "{} have no record in the original, and no relative error; the release makes one expect {:.1} on the mean",
            found.without_original,
            found.released_without_original.unwrap_or_default()
        ));
    }
    for query in found.queries.iter().flatten() {
        let error = of(query.relative_error, percent);
        line(format_args!("{:>10} {:>12.1} {error:>10}  {}", query.original, query.released, query.sql));
    }
}

fn classifiers(found: &Classifiers) {
    line(format_args!(
        "\nclassifiers: `{}` ({} values) predicted for original records, {} of each table in {} parts:",
        found.target,
        found.classes,
        grouped(found.records as u64),
        found.folds
    ));
    let names = ["trained on", "accuracy", "balanced accuracy", "macro F1", "AUC"];
    let mut rows = vec![head(&names), scores("majority class", &found.majority)];
    for model in &found.models {
        rows.push(scores(format_args!("{}, original, held out", model.name), &model.original));
        rows.push(scores(format_args!("{}, original", model.name), &model.original_seen));
        rows.push(scores(format_args!("{}, release", model.name), &model.released));
    }
    table(&rows);
    line(
        "held out: without the records that are predicted. The release holds them, as the original beside it does: \
         compare those two",
    );
}

fn scores(name: impl Display, scores: &Scores) -> Vec<String> {
    let figures = [scores.accuracy, scores.balanced_accuracy, scores.macro_f1].map(figure);
    std::iter::once(name.to_string()).chain(figures).chain([of(scores.auc, figure)]).collect()
}
