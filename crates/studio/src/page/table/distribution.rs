//! The distribution of any column beside its original.

use maud::{Markup, html};
use velamen_core::hierarchy::NULL;
use velamen_job::Paired;
use velamen_report::language::{say, t, text};
use velamen_report::number::number;

use super::asked::kept;
use super::rows::{Side, code};
use crate::form::Form;
use crate::page::bars::bar;
use crate::page::{count, percent};

/// The most bars of a side; columns with more numbers get intervals of equal width.
const BARS: usize = 24;

/// The most values beside numbers.
const MOST_ENDS: usize = 3;

/// A value with its records.
type Bar = (String, u64);

/// The records of a column by value on one side, and those without one.
fn counted(paired: &Paired, column: usize, side: Side) -> (Vec<Bar>, u64) {
    let of = &paired.columns[column];
    let labels = if side == Side::Before { &of.before } else { &of.after };
    let (mut counts, mut none) = (vec![0; labels.len()], 0);
    let shown = paired.rows.iter().filter(|row| side == Side::After || !row.is_counterfeit());
    for row in shown {
        match code(paired, row, side, column) {
            Some(code) => counts[code as usize] += row.count,
            None => none += row.count,
        }
    }
    let bars = labels.iter().cloned().zip(counts).filter(|(_, records)| *records > 0);
    (bars.collect(), none)
}

/// No more bars than fit: numbers in intervals, of other values the most frequent.
fn few(bars: Vec<Bar>) -> Vec<Bar> {
    if bars.len() <= BARS {
        return bars;
    }
    let (numbers, others): (Vec<Bar>, Vec<Bar>) =
        bars.iter().cloned().partition(|(value, _)| read(value).is_some());
    // Beside numbers stand what codes their ends and what is missing.
    if others.len() > MOST_ENDS {
        return frequent(bars);
    }
    let numbers: Vec<(f64, u64)> =
        numbers.iter().filter_map(|(value, records)| Some((read(value)?, *records))).collect();
    intervals(&numbers).into_iter().chain(others).collect()
}

fn read(value: &str) -> Option<f64> {
    value.parse().ok().filter(|number: &f64| number.is_finite())
}

fn intervals(numbers: &[(f64, u64)]) -> Vec<Bar> {
    let least = numbers.iter().map(|(value, _)| *value).fold(f64::INFINITY, f64::min);
    let most = numbers.iter().map(|(value, _)| *value).fold(f64::NEG_INFINITY, f64::max);
    let width = round_up((most - least) / (BARS - 1) as f64);
    let first = (least / width).floor();
    let mut bars = [0; BARS + 1];
    for (value, records) in numbers {
        bars[((value / width).floor() - first) as usize] += records;
    }
    let last = bars.iter().rposition(|records| *records > 0).unwrap_or(0);
    let from = |place: usize| (first + place as f64) * width;
    let name = |place| text!("{} to below {}", number(from(place)), number(from(place + 1)));
    bars[..=last].iter().enumerate().map(|(place, records)| (name(place), *records)).collect()
}

/// The next of 1, 2, 5, 10, …
fn round_up(width: f64) -> f64 {
    let power = 10f64.powf(width.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    steps.into_iter().find(|step| *step >= width * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

/// The most frequent values in their order, and the others together.
fn frequent(values: Vec<Bar>) -> Vec<Bar> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by_key(|&place| (std::cmp::Reverse(values[place].1), place));
    let mut kept = order[..BARS - 1].to_vec();
    kept.sort_unstable();
    let others = &order[BARS - 1..];
    let records = others.iter().map(|&place| values[place].1).sum();
    let name = text!("{} other values", count(others.len() as u64));
    kept.into_iter().map(|place| values[place].clone()).chain([(name, records)]).collect()
}

/// The section, with a column to choose.
pub(super) fn section(paired: &Paired, form: &Form) -> Markup {
    let chosen: usize =
        form.text("look").parse().ok().filter(|column| *column < paired.columns.len()).unwrap_or(0);
    let sides: &[(&str, Side)] = match paired.released {
        true => &[(t("Original"), Side::Before), (t("Release"), Side::After)],
        false => &[(t("Original"), Side::Before)],
    };
    let sides = if paired.columns.is_empty() { Vec::new() } else { both(paired, chosen, sides) };
    html! {
        @if !paired.columns.is_empty() {
            section #distribution aria-labelledby="distribution-heading" {
                h2 #distribution-heading { (t("Distribution of a column")) }
                form.inline hx-get="table" hx-trigger="change" {
                    (kept(form, &["look"]))
                    label for="look" { (t("Column")) }
                    select #look name="look" {
                        @for (number, column) in paired.columns.iter().enumerate() {
                            option value=(number) selected[number == chosen] { (column.name) }
                        }
                    }
                }
                div.distributions tabindex="0" role="region" aria-label=(say!("Distribution of {}", paired.columns[chosen].name)) {
                    @for side in sides { (side) }
                }
            }
        }
    }
}

/// The sides with bars of one measure.
fn both(paired: &Paired, column: usize, sides: &[(&str, Side)]) -> Vec<Markup> {
    let sides: Vec<_> = sides.iter().map(|(name, side)| (*name, shares(paired, column, *side))).collect();
    let most = sides.iter().flat_map(|(_, bars)| bars).map(|(.., share)| *share).fold(0.0, f64::max);
    sides.iter().map(|(name, bars)| drawn(name, bars, most)).collect()
}

/// A value with its records and their share of the side.
type Share = (String, u64, f64);

/// The bars of a side; what has no value there is the last.
fn shares(paired: &Paired, column: usize, side: Side) -> Vec<Share> {
    let (bars, none) = counted(paired, column, side);
    let mut bars = few(bars);
    bars.extend((none > 0).then(|| (t("not shown").to_owned(), none)));
    let all = bars.iter().map(|(_, records)| records).sum::<u64>().max(1) as f64;
    bars.into_iter().map(|(value, records)| (value, records, records as f64 / all)).collect()
}

/// A side; the longest bar of both sides is as wide as there is room.
fn drawn(name: &str, bars: &[Share], most: f64) -> Markup {
    let said = |value: &str| if value == NULL { t("(missing)").to_owned() } else { value.to_owned() };
    html! {
        table.distribution {
            caption { strong { (name) } }
            thead.hidden { tr { th scope="col" { (t("Value")) } th scope="col" { (t("As a bar")) } th scope="col" { (t("Share")) } th scope="col" { (t("Records")) } } }
            tbody { @for (value, records, share) in bars { tr {
                th scope="row" title=(said(value)) { (said(value)) }
                td { (bar(share / most)) }
                td.number { (percent(*share)) }
                td.number { (count(*records)) }
            } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fall_into_intervals_and_others_are_the_frequent() {
        let mut numbers: Vec<Bar> = (0..100).map(|age: u64| (age.to_string(), age)).collect();
        numbers.push((">=100".to_owned(), 50));
        let bars = few(numbers);
        assert_eq!((bars[0].0.as_str(), bars.len()), ("0 to below 5", 21));
        assert_eq!(bars[20], (">=100".to_owned(), 50));
        assert_eq!(bars.iter().map(|(_, records)| records).sum::<u64>(), 5000);
        let words: Vec<Bar> = (0..100).map(|n: u64| (format!("word {n:02}"), n + 1)).collect();
        let bars = few(words);
        assert_eq!((bars.len(), bars[BARS - 1].0.as_str()), (BARS, "77 other values"));
        assert_eq!(bars[0].0, "word 77");
        assert_eq!(bars.iter().map(|(_, records)| records).sum::<u64>(), 5050);
    }

    #[test]
    fn every_number_has_its_interval() {
        let odd = [-3.5, 0.0, 1e-9, 7.25, 1e6].map(|value| (value, 1));
        assert_eq!(intervals(&odd).iter().map(|(_, records)| records).sum::<u64>(), 5);
        assert_eq!([0.3, 1.0, 4.2, 70.0].map(round_up), [0.5, 1.0, 5.0, 100.0]);
    }
}
