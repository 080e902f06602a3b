//! Figures: a picture, its number, one plain sentence, and the numbers as a table.

use super::Distribution;
use super::{Report, bins, distribution};
use crate::chart::number::{count, number, percent};
use crate::chart::text::{clean, shorten};
use crate::chart::{Series, bars, histogram_log, horizontal_bars};
use maud::{Markup, PreEscaped, html};

/// Numbers the figures of a page.
#[derive(Debug, Default)]
pub(super) struct Figures(u32);

/// A table of numbers: the headings and the rows.
struct Numbers {
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Figures {
    fn figure(&mut self, picture: &str, sentence: &str, numbers: &Numbers) -> Markup {
        self.0 += 1;
        html! {
            figure {
                div.scroll { (PreEscaped(picture)) }
                figcaption { strong { "Figure " (self.0) "." } " " (sentence) }
                details {
                    summary { "The numbers of figure " (self.0) }
                    (table(numbers))
                }
            }
        }
    }

    /// The sizes of the equivalence classes.
    pub(super) fn class_sizes(&mut self, report: &Report) -> Markup {
        let bins = bins::log_bins(&report.class_sizes);
        let picture = histogram_log(
            "How large the equivalence classes are",
            "Records in the class",
            "Number of classes",
            &bins,
        );
        let rows = bins.iter().map(|(label, classes)| vec![label.clone(), count(*classes)]).collect();
        let numbers = Numbers { headings: words(&["Records in the class", "Classes"]), rows };
        self.figure(&picture, &bins::sentence(&report.class_sizes), &numbers)
    }

    /// The loss of every attribute.
    pub(super) fn loss(&mut self, report: &Report) -> Markup {
        let names: Vec<String> = report.loss.iter().map(|(name, _)| shorten(&clean(name), 120)).collect();
        let values: Vec<f64> = report.loss.iter().map(|(_, value)| *value).collect();
        let picture = horizontal_bars("How much detail each attribute lost", "Loss", &names, &values);
        let row = |(name, value): (&String, &f64)| vec![name.clone(), number(*value)];
        let rows = names.iter().zip(&values).map(row).collect();
        let numbers = Numbers { headings: words(&["Attribute", "Loss"]), rows };
        self.figure(&picture, &loss_sentence(&names, &values), &numbers)
    }

    /// One attribute before and after.
    pub(super) fn distribution(&mut self, of: &Distribution) -> Markup {
        let rows = distribution::rows(of);
        let labels: Vec<String> = rows.iter().map(|row| row.0.clone()).collect();
        let series = [
            Series { name: of.before_name.clone(), values: rows.iter().map(|row| row.1 * 100.0).collect() },
            Series { name: of.after_name.clone(), values: rows.iter().map(|row| row.2 * 100.0).collect() },
        ];
        let title = format!("{}: {} and {}", of.attribute, of.before_name, of.after_name);
        let picture = bars(&title, &of.attribute, "Share of records, %", &labels, &series);
        let row = |(label, before, after): &(String, f64, f64)| {
            vec![label.clone(), percent(*before), percent(*after)]
        };
        let headings = words(&[&of.attribute, &of.before_name, &of.after_name]);
        let numbers = Numbers { headings, rows: rows.iter().map(row).collect() };
        let sentence = format!("{} {}", distribution::sentence(of, &rows), of.note);
        self.figure(&picture, sentence.trim_end(), &numbers)
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| shorten(&clean(word), 120)).collect()
}

fn loss_sentence(names: &[String], values: &[f64]) -> String {
    let finite = || names.iter().zip(values).filter(|(_, value)| value.is_finite());
    let scale = if finite().all(|(_, value)| (0.0..=1.0).contains(value)) {
        "0 means that an attribute is released as it was, 1 that nothing of it is left."
    } else {
        "0 means that an attribute is released as it was; the higher the value, the less of it is left."
    };
    let most = finite().max_by(|a, b| a.1.total_cmp(b.1));
    let least = finite().min_by(|a, b| a.1.total_cmp(b.1));
    match (most, least) {
        (Some(most), Some(least)) if most.1 > least.1 => {
            let (high, low) = (number(*most.1), number(*least.1));
            format!("{scale} The greatest loss is {high} ({}), the least {low} ({}).", most.0, least.0)
        }
        (Some(most), _) if names.len() > 1 => format!("{scale} All have the same loss, {}.", number(*most.1)),
        _ => scale.to_owned(),
    }
}

fn table(numbers: &Numbers) -> Markup {
    html! {
        div.scroll {
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
