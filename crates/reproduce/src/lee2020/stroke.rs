//! Figures 9 and 10, Tables 9 to 12: stroke patients by age, on the runs with ε = 1.
//!
//! The queries group by five years. Tables 11 and 12 print ten, and label groups by their upper ends; so it
//! is done here. A published figure is of the paper's patients, who are not public: what can agree is
//! which method is nearer to the original.

use velamen_report::chart::{Series, lines};
use velamen_synth::published::{STAY_MEN, STAY_WOMEN, STROKE_MEN, STROKE_WOMEN};

use super::published::EQUATIONS;
use super::runs::{Run, Runs, mean};
use crate::output::{Figure, ResultTable, cell};
use crate::stroke::{Answer, GROUPS, YEARS, normalised_rmse};
use crate::{Section, Trend, text};

/// The columns "The proposed method" and "k-anonymization" of Tables 9 and 10, each for two groups.
const COUNTS: [[[f64; 9]; 2]; 2] = [
    [
        [1.0, 4.0, 12.0, 34.5, 150.5, 367.0, 452.5, 386.5, 141.5],
        [6.3, 6.3, 6.3, 186.2, 186.2, 186.2, 329.8, 329.8, 329.8],
    ],
    [
        [1.0, 8.0, 4.5, 17.5, 79.5, 201.0, 298.0, 489.5, 363.5],
        [4.5, 4.5, 4.5, 101.7, 101.7, 101.7, 379.2, 379.2, 379.2],
    ],
];

/// The same columns of Tables 11 and 12.
const STAYS: [[[f64; 9]; 2]; 2] = [
    [[2.2, 1.4, 5.7, 5.5, 4.2, 4.1, 4.8, 4.5, 6.5], [8.9, 8.9, 8.9, 14.5, 14.5, 14.5, 15.7, 15.7, 15.7]],
    [[1.0, 1.4, 2.8, 2.4, 3.6, 3.2, 4.7, 6.1, 8.5], [15.0, 15.0, 15.0, 11.7, 11.7, 11.7, 21.1, 21.1, 21.1]],
];

/// The three columns of a table: original, IPA, k-anonymity.
type Columns = [Vec<f64>; 3];

/// Figures 9 and 10 with their tables.
pub(super) fn section(runs: &Runs) -> Section {
    let figures = (1..=4).map(|number| figure(number, runs)).collect();
    let trends = (1..=4).map(|number| trend(number, runs));
    let counts = (1..=2).map(|number| at_levels(number, &runs.original, &runs.at_printed, PRINTED));
    let stays = (3..=4).map(|number| at_levels(number, &runs.original, &runs.by_midpoints, MIDPOINTS));
    Section { figures, trends: trends.chain(counts).chain(stays).collect() }
}

/// The rows of a query: counts by five years, mean days by ten.
fn rows(answer: &Answer, number: usize) -> Vec<f64> {
    let sex = (number - 1) % 2;
    if number <= 2 {
        return answer.query(number);
    }
    let decade = |group: usize| {
        let sum = |of: &[f64; GROUPS]| of[2 * group] + of[2 * group + 1];
        sum(&answer.days[sex]) / sum(&answer.count[sex])
    };
    (0..GROUPS / 2).map(decade).collect()
}

/// Means over the runs that have an answer.
fn averaged(runs: &[Run], number: usize) -> Vec<f64> {
    let answers: Vec<Vec<f64>> = runs.iter().map(|run| rows(&run.answer, number)).collect();
    let of_group = |group: usize| {
        let known: Vec<f64> =
            answers.iter().map(|rows| rows[group]).filter(|value| value.is_finite()).collect();
        mean(&known, |value| *value)
    };
    (0..answers[0].len()).map(of_group).collect()
}

fn measured(runs: &Runs, number: usize) -> Columns {
    [rows(&runs.original, number), averaged(runs.with_one(), number), rows(&runs.baseline.answer, number)]
}

/// The published columns of Table 8 + `number`.
fn published(number: usize) -> Columns {
    let sex = (number - 1) % 2;
    if number <= 2 {
        let original = [STROKE_MEN, STROKE_WOMEN][sex].iter().map(|&count| f64::from(count)).collect();
        let [ipa, baseline] = COUNTS[sex].map(|column| column.iter().flat_map(|&value| [value; 2]).collect());
        return [original, ipa, baseline];
    }
    let original = [STAY_MEN, STAY_WOMEN][sex].iter().map(|&tenths| f64::from(tenths) / 10.0).collect();
    let [ipa, baseline] = STAYS[sex].map(|column| column.to_vec());
    [original, ipa, baseline]
}

/// The figure that shows a query.
fn place(number: usize) -> String {
    format!("Fig. {}{}, Table {} (Q{number})", 9 + (number - 1) / 2, ["a", "b"][(number - 1) % 2], 8 + number)
}

fn figure(number: usize, runs: &Runs) -> Figure {
    let who = ["men", "women"][(number - 1) % 2];
    let what = if number <= 2 { "stroke patients without surgery" } else { "mean stay in days, stroke" };
    let title = format!("{}: {what}, {who}", place(number));
    let (published, measured) = (published(number), measured(runs, number));
    let years = if number <= 2 { YEARS } else { 2 * YEARS };
    let group = |at: usize| format!("{}-{}", at * years, at * years + years - 1);
    let groups: Vec<String> = (0..measured[0].len()).map(group).collect();
    let row = |(at, group): (usize, &String)| {
        let figures = published.iter().chain(&measured).map(|column| cell(column[at]));
        std::iter::once(group.clone()).chain(figures).collect()
    };
    let names = ["original", "IPA", "k-anonymity"];
    let header = ["published", "measured"].iter().flat_map(|of| names.map(|name| format!("{of}: {name}")));
    let header = std::iter::once("age group".to_owned()).chain(header).collect();
    let table = ResultTable { header, rows: groups.iter().enumerate().map(row).collect() };
    let series: Vec<Series> = names
        .iter()
        .zip(&measured)
        .map(|(name, values)| Series { name: (*name).into(), values: values.clone() })
        .collect();
    Figure {
        file: format!("table{}", 8 + number),
        note: format!(
            "Mean of {} runs with ε = 1; k-anonymity at node {:?}. Every released record counts, counterfeits too, in \
             equal parts for the leaves of its cells.",
            runs.with_one().len(),
            runs.baseline.plan.node.0
        ),
        svg: lines(&title, "age group", what, &groups[..], &series),
        title,
        table,
    }
}

/// RMSE over the mean of the original answers, of IPA and of k-anonymity.
fn errors([original, ipa, baseline]: &Columns) -> (f64, f64) {
    (normalised_rmse(original, ipa), normalised_rmse(original, baseline))
}

/// Met where the mean answer is nearer and most single runs are, too.
fn trend(number: usize, runs: &Runs) -> Trend {
    let own = errors(&measured(runs, number));
    let original = rows(&runs.original, number);
    let nearer = |run: &&Run| normalised_rmse(&original, &rows(&run.answer, number)) < own.1;
    let single = runs.with_one().iter().filter(nearer).count();
    Trend::by(
        EQUATIONS,
        &place(number),
        &claim(number),
        &format!("{}; nearer in {single} of {} single runs", in_words(own), runs.with_one().len()),
        own.0 < own.1 && 2 * single > runs.with_one().len(),
    )
}

/// What the paper says of a query.
fn claim(number: usize) -> String {
    format!("IPA nearer to the original than k-anonymity: {}", in_words(errors(&published(number))))
}

/// What is said of counts at the levels that the tables print.
const PRINTED: &str = "at the levels that Tables 9 and 10 print: ages in tens for IPA and in three parts for k-anonymity, sex and \
     surgery untouched";

/// What is said of mean stays in the reading by midpoints.
const MIDPOINTS: &str = "at the same ages, with stays in five classes for IPA and in {1, 2+} for k-anonymity, a class counted as the \
     middle between its ends and the last ending at 100 days";

/// A query at levels that tables print: met where every run of IPA is nearer.
fn at_levels(
    number: usize,
    original: &Answer,
    (ipa, baseline): &(Vec<Answer>, Answer),
    levels: &str,
) -> Trend {
    let original = rows(original, number);
    let error = |answer: &Answer| normalised_rmse(&original, &rows(answer, number));
    let of_baseline = error(baseline);
    let nearer = ipa.iter().filter(|answer| error(answer) < of_baseline).count();
    Trend::by(
        levels,
        &place(number),
        &claim(number),
        &format!(
            "{}; nearer in {nearer} of {} single runs",
            in_words((mean(ipa, error), of_baseline)),
            ipa.len()
        ),
        nearer == ipa.len(),
    )
}

fn in_words((ipa, baseline): (f64, f64)) -> String {
    format!("RMSE / mean {} against {}", text(ipa), text(baseline))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_tables_have_ipa_nearer() {
        for number in 1..=4 {
            let columns = published(number);
            let groups = if number <= 2 { 18 } else { 9 };
            assert!(columns.iter().all(|column| column.len() == groups));
            let (ipa, baseline) = errors(&columns);
            assert!(ipa < baseline, "Q{number}: {ipa} {baseline}");
        }
    }

    #[test]
    fn decades_average_all_patients_of_both_groups() {
        let mut answer = Answer::default();
        answer.count[0][2..4].copy_from_slice(&[1.0, 3.0]);
        answer.days[0][2..4].copy_from_slice(&[10.0, 6.0]);
        let days = rows(&answer, 3);
        assert_eq!((days.len(), days[1]), (9, 4.0));
        assert!(days[0].is_nan());
    }
}
