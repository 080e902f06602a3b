//! Figures: a picture, its number, one plain sentence, and the numbers as a table.

use super::Distribution;
use super::verdict::list;
use super::{Report, bins, distribution};
use crate::chart::text::{clean, shorten};
use crate::chart::{NARROW, Series, WIDE, bars_of_width, histogram_log};
use crate::language::{say, t, text};
use crate::number::{count, number, percent, percent_at_most};
use maud::{Markup, PreEscaped, html};
use velamen_measure::ErrorBars;

/// The most error bars of a picture.
const MOST_BARS: usize = 24;

/// Numbers the figures of a page.
#[derive(Debug, Default)]
pub(super) struct PageFigures {
    number: u32,
}

/// A figure for each attribute, to be put into a page: a picture, a sentence, and the numbers.
#[must_use]
pub fn pictures(distributions: &[Distribution]) -> Vec<Markup> {
    let mut figures = PageFigures::default();
    distributions.iter().map(|of| figures.distribution(of)).collect()
}

/// A table of numbers: the headings and the rows.
struct Numbers {
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl PageFigures {
    /// The picture is there twice: for a page, and for a screen so narrow that the letters of the first could not be read.
    fn figure(&mut self, picture: impl Fn(i32) -> String, sentence: &str, numbers: &Numbers) -> Markup {
        self.number += 1;
        html! {
            figure {
                div.picture.wide { (PreEscaped(picture(WIDE))) }
                div.picture.slim { (PreEscaped(picture(NARROW))) }
                figcaption { strong { (say!("Figure {}.", self.number)) } " " (sentence) }
                details {
                    @let label = text!("The numbers of figure {}", self.number);
                    summary { (label) }
                    (table(numbers, &label))
                }
            }
        }
    }

    /// The sizes of the equivalence classes, and of those of the original records if they are told.
    pub(super) fn groups(&mut self, report: &Report) -> Markup {
        let after = t("How large the groups of the release are");
        let before = t("How large the groups of the original data were");
        html! {
            @if !report.class_sizes_before.is_empty() {
                (self.class_sizes(before, &report.class_sizes_before, report.counts_people, None))
            }
            @if !report.class_sizes.is_empty() {
                (self.class_sizes(after, &report.class_sizes, report.counts_people, report.promised_people()))
            }
        }
    }

    fn class_sizes(
        &mut self,
        title: &str,
        sizes: &[(u64, u64)],
        people: bool,
        promised: Option<u64>,
    ) -> Markup {
        let bins = bins::log_bins(sizes);
        let counted = if people { t("People in the group") } else { t("Records in the group") };
        let picture = |width| histogram_log(width, title, counted, t("Number of groups"), &bins);
        let rows = bins.iter().map(|(label, classes)| vec![label.clone(), count(*classes)]).collect();
        let numbers = Numbers { headings: words(&[counted, t("Groups")]), rows };
        self.figure(picture, &format!("{title}. {}", bins::sentence(sizes, people, promised)), &numbers)
    }

    /// The loss of every attribute.
    pub(super) fn loss(&mut self, report: &Report) -> Markup {
        let names: Vec<String> = report.loss.iter().map(|(name, _)| shorten(&clean(name), 120)).collect();
        let values: Vec<f64> = report.loss.iter().map(|(_, value)| *value).collect();
        let shares = values.iter().map(|value| value * 100.0).collect();
        let series = [Series { name: String::new(), values: shares }];
        let title = t("How much detail each attribute lost");
        let picture = |width| bars_of_width(width, title, t("Loss, %"), &names, &series);
        let row = |(name, value): (&String, &f64)| vec![name.clone(), share(*value)];
        let rows = names.iter().zip(&values).map(row).collect();
        let numbers = Numbers { headings: words(&[t("Attribute"), t("Loss")]), rows };
        self.figure(picture, &loss_sentence(&names, &values), &numbers)
    }

    /// How far the counts of what was measured may be from the original's: the widest bars as a picture, all as numbers.
    pub(super) fn error_bars(&mut self, bars: &[(String, f64)]) -> Markup {
        if bars.is_empty() {
            return html! {};
        }
        let name = |name: &str| shorten(&clean(name), 120);
        let mut widest: Vec<&(String, f64)> = bars.iter().collect();
        widest.sort_by(|a, b| b.1.total_cmp(&a.1));
        widest.truncate(MOST_BARS);
        let names: Vec<String> = widest.iter().map(|bar| name(&bar.0)).collect();
        let values = widest.iter().map(|bar| bar.1 * 100.0).collect();
        let series = [Series { name: String::new(), values }];
        let title = t("The most of the records that the counts are off by");
        let picture = |width| bars_of_width(width, title, t("Share of records, at most, %"), &names, &series);
        let rows = bars.iter().map(|(set, share)| vec![name(set), percent_at_most(*share)]).collect();
        let numbers = Numbers { headings: words(&[t("Counts of"), t("At most")]), rows };
        self.figure(picture, &bars_sentence(bars.len() > MOST_BARS), &numbers)
    }

    /// One attribute, before and after if there is something to compare with.
    pub(super) fn distribution(&mut self, of: &Distribution) -> Markup {
        let rows = distribution::rows(of);
        let labels: Vec<String> = rows.iter().map(|row| row.0.clone()).collect();
        let shares = |name: &str, share: fn(&(String, f64, f64)) -> f64| Series {
            name: t(name).to_owned(),
            values: rows.iter().map(|row| share(row) * 100.0).collect(),
        };
        let (before, after) = (shares(&of.before_name, |row| row.1), shares(&of.after_name, |row| row.2));
        let series = if of.before_name.is_empty() { vec![after] } else { vec![before, after] };
        let names: Vec<&str> = series.iter().map(|one| one.name.as_str()).collect();
        let title = format!("{}: {}", of.attribute, names.join(&format!(" {} ", t("and"))));
        let picture = |width| bars_of_width(width, &title, t("Share of records, %"), &labels, &series);
        let of_series = |index: usize| series.iter().map(move |one| percent(one.values[index] / 100.0));
        let row =
            |(index, label): (usize, &String)| [label.clone()].into_iter().chain(of_series(index)).collect();
        let headings: Vec<&str> = [of.attribute.as_str()].into_iter().chain(names).collect();
        let numbers =
            Numbers { headings: words(&headings), rows: labels.iter().enumerate().map(row).collect() };
        self.figure(picture, &distribution::sentence(of, &rows), &numbers)
    }
}

/// What error bars are, and what is left out of the picture.
fn bars_sentence(is_part: bool) -> String {
    let confidence = percent(ErrorBars::CONFIDENCE);
    let sentence = text!(
        "With a probability of {}, at most these shares of the records would have to change their values for the counts to be those of \
         the records that were counted. That holds for all sets of attributes at once. Counted were the original's records within the declared \
         domains, and of each person no more than is stated. Sets that are not listed were not measured, and nothing bounds how far \
         their counts are off.",
        confidence
    );
    if is_part {
        format!("{sentence} {}", text!("The picture has the {} widest.", MOST_BARS))
    } else {
        sentence
    }
}

/// A share as per cent, or what it is if it is none.
pub(super) fn share(value: f64) -> String {
    if value.is_finite() { percent(value) } else { number(value) }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| shorten(&clean(word), 120)).collect()
}

fn loss_sentence(names: &[String], values: &[f64]) -> String {
    let finite = || names.iter().zip(values).filter(|(_, value)| value.is_finite());
    let scale = if finite().all(|(_, value)| (0.0..=1.0).contains(value)) {
        t("0 % means that an attribute is released as it was, 100 % that nothing of it is left.")
    } else {
        t("0 % means that an attribute is released as it was; the higher the value, the less of it is left.")
    };
    let most = finite().max_by(|a, b| a.1.total_cmp(b.1));
    let least = finite().min_by(|a, b| a.1.total_cmp(b.1));
    match (most, least) {
        (Some(most), Some(least)) if share(*most.1) != share(*least.1) => {
            let (high, low) = (share(*most.1), share(*least.1));
            // What reads the same is the same for a reader.
            let of = |loss: &str| {
                let as_much = finite().filter(|(_, value)| share(**value) == loss);
                list(&as_much.map(|(name, _)| name.as_str()).collect::<Vec<_>>())
            };
            text!(
                "{} The greatest loss is {} ({}), the least {} ({}).",
                scale,
                high,
                of(&high),
                low,
                of(&low)
            )
        }
        (Some(most), _) if names.len() > 1 => text!("{} All have the same loss, {}.", scale, share(*most.1)),
        _ => scale.to_owned(),
    }
}

fn table(numbers: &Numbers, label: &str) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(label) {
            table {
                thead { tr { @for heading in &numbers.headings { th scope="col" { (heading) } } } }
                tbody {
                    @for row in &numbers.rows {
                        tr {
                            @for (index, cell) in row.iter().enumerate() {
                                @if index == 0 { th scope="row" { (cell) } } @else { td.number { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
