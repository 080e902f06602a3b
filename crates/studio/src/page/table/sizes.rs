//! How large the classes are in which people are, before and after.

use maud::{Markup, html};
use velamen_job::ClassPeople;
use velamen_report::language::{t, text};

use crate::page::bars::twin;
use crate::page::count;

/// The least sizes of the bars.
const BINS: [u64; 11] = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000];

/// A bar's name, and how many people are in classes of its sizes before and after.
type Bin = (String, [u64; 2]);

/// The bars from the first to the last with anybody.
fn bins(people: &ClassPeople) -> Vec<Bin> {
    let ends = BINS[1..].iter().map(Some).chain([None]);
    let all = BINS.iter().zip(ends).map(|(&least, next)| {
        let is_in = |size: u64| size >= least && next.is_none_or(|next| size < *next);
        let within = |sizes: &[(u64, u64)]| -> u64 {
            sizes.iter().filter(|(size, _)| is_in(*size)).map(|(_, people)| people).sum()
        };
        let name = match next {
            None => text!("{} and more", count(least)),
            Some(next) if next - least == 1 => least.to_string(),
            Some(next) => format!("{least}–{}", next - 1),
        };
        (name, [within(&people.before), within(&people.after)])
    });
    let mut bins: Vec<Bin> = all.collect();
    let has_any = |bin: &Bin| bin.1 != [0, 0];
    let first = bins.iter().position(has_any).unwrap_or(bins.len());
    bins.truncate(bins.iter().rposition(has_any).map_or(0, |last| last + 1));
    bins.split_off(first.min(bins.len()))
}

/// The section; it shows no value of a cell.
pub(super) fn section(people: &ClassPeople) -> Markup {
    let all = |sizes: &[(u64, u64)]| sizes.iter().map(|(_, people)| *people).sum::<u64>();
    let all = [all(&people.before), all(&people.after)];
    let share = |people: u64, side: usize| Some(people as f64 / all[side].max(1) as f64);
    // Who is in several classes is several times in the sums.
    let (share_of, names) = match people.has_person {
        true => (t("Share of all who are counted"), [t("Counted before"), t("Counted after")]),
        false => (t("Share of all people"), [t("People before"), t("People after")]),
    };
    html! {
        section #sizes aria-labelledby="sizes-heading" {
            h2 #sizes-heading { (t("How many people share a class")) }
            p {
                (t("Before: people whose quasi-identifiers are the same. After: people of one class of the release.")) " "
                @if people.has_person { (t("Somebody with records in several classes is counted in each.")) }
                @else { (t("Each record counts as a person, since no column has the role person.")) }
            }
            div.scroll tabindex="0" role="region" aria-label=(t("Table of class sizes")) { table.twins.stacked {
                thead { tr {
                    th scope="col" { (t("People in the class")) }
                    th scope="col" { (share_of) }
                    th.number scope="col" { (names[0]) }
                    th.number scope="col" { (names[1]) }
                } }
                tbody { @for (name, [before, after]) in bins(people) { tr {
                    th scope="row" { (name) }
                    td data-of=(share_of) { (twin(share(before, 0), share(after, 1))) }
                    td.number data-of=(names[0]) { (count(before)) }
                    td.number data-of=(names[1]) { (count(after)) }
                } } }
            } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_begin_and_end_where_people_are() {
        let people = ClassPeople {
            before: vec![(1, 4), (2, 6), (4, 8)],
            after: vec![(5, 10), (19, 19)],
            has_person: false,
        };
        let bins = bins(&people);
        let names: Vec<&str> = bins.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["1", "2", "3–4", "5–9", "10–19"]);
        assert_eq!(bins[2].1, [8, 0]);
        assert_eq!(bins.iter().map(|(_, people)| people[1]).sum::<u64>(), 29);
        assert!(super::bins(&ClassPeople::default()).is_empty());
    }
}
