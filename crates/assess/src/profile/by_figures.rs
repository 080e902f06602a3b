//! The role of a column that neither a finding nor its name decides.

use velamen_core::frequency::Role;

use super::columns::ColumnProfile;
use super::free_text::MOSTLY_ALONE;
use super::suggest::{K, Said};

/// Below this leak a value alone says practically nothing about who someone is.
const LITTLE: f64 = 0.01;

/// A value of fewer records singles them out: the k that is suggested.
const RARE: u64 = K;

/// Lets the figures decide where no finding did: what distinguishes persons, alone or in one of the minimal
/// sets, is a quasi-identifier. A name can make it one that is sensitive, or one though it distinguishes
/// nobody, but never insensitive. Counted are records, or people: how many, and which.
pub(super) fn by_figures(columns: &mut [ColumnProfile], counted: (u64, &str), in_sets: &[&str]) {
    for column in columns {
        let Some(said) = column.suggestion.by_name else { continue };
        let in_set = in_sets.contains(&&*column.name);
        if let Some((role, why)) = decided(column, said, counted, in_set) {
            column.suggestion.role = role;
            column.suggestion.why = why;
        }
    }
}

/// What the figures say against the name, or where it says nothing.
fn decided(
    column: &ColumnProfile,
    said: Said,
    (number, whom): (u64, &str),
    in_set: bool,
) -> Option<(Role, String)> {
    let percent = |share: f64| format!("{} %", (1000.0 * share).round() / 10.0);
    let alone = column.unique as f64 / number.max(1) as f64;
    let qi = |why: String| Some((Role::QuasiIdentifier, format!("{why}: could somebody outside know them?")));
    match said {
        _ if column.leak <= 0.0 => Some((Role::Insensitive, "it is the same in every record".into())),
        Said::Confidential if alone >= MOSTLY_ALONE => qi(format!(
            "confidential by its name, but {} of the {whom} are alone with their value, so its values identify \
             people",
            percent(alone)
        )),
        Said::Known | Said::Confidential => None,
        Said::Nothing if column.leak >= LITTLE => {
            qi(format!("its values alone reveal {} of a person's identity", percent(column.leak)))
        }
        Said::Nothing if column.rarest < RARE => {
            qi(format!("it has a value that fewer than {RARE} {whom} have, which singles them out"))
        }
        Said::Nothing if in_set => {
            qi("one of the smallest column sets that single out records needs its values".into())
        }
        Said::Nothing => Some((
            Role::Insensitive,
            format!(
                "it distinguishes hardly anyone: its values alone reveal {} of a person's identity, each is shared by \
                 {RARE} {whom} or more, and no smallest column set that singles out records needs them",
                percent(column.leak)
            ),
        )),
    }
}

/// A recipe needs one: where nothing spoke for any, the column that leaks most becomes one.
pub(super) fn ensure_quasi_identifier(columns: &mut [ColumnProfile]) {
    if columns.iter().any(|column| column.suggestion.role == Role::QuasiIdentifier) {
        return;
    }
    let open = columns.iter_mut().filter(|column| matches!(column.suggestion.role, Role::Insensitive));
    if let Some(column) = open.max_by(|a, b| a.leak.total_cmp(&b.leak)) {
        column.suggestion.role = Role::QuasiIdentifier;
        column.suggestion.why =
            "a recipe needs a quasi-identifier, and of those left it leaks most: check it".into();
    }
}

#[cfg(test)]
mod tests {
    use velamen_measure::profile::Cells;

    use super::*;

    /// What is suggested for a column of these counts, one for each value.
    fn suggested(name: &str, counts: &[u64], in_set: bool) -> Role {
        let values: Vec<String> = (0..counts.len()).map(|value| format!("value{value}")).collect();
        let cells: Vec<(&str, u64)> = values.iter().map(String::as_str).zip(counts.iter().copied()).collect();
        let mut columns = [ColumnProfile::of(name, Cells(&cells), 0, false)];
        let sets = if in_set { vec![name] } else { Vec::new() };
        by_figures(&mut columns, (counts.iter().sum(), "records"), &sets);
        columns[0].suggestion.role
    }

    /// The role of a column with these texts, beside empty cells.
    fn of_texts(name: &str, texts: &[String], missing: u64) -> Role {
        let mut sorted: Vec<&str> = texts.iter().map(String::as_str).collect();
        sorted.sort_unstable();
        let cells: Vec<(&str, u64)> =
            sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect();
        let mut columns = [ColumnProfile::of(name, Cells(&cells), missing, false)];
        by_figures(&mut columns, (texts.len() as u64 + missing, "records"), &[]);
        columns[0].suggestion.role
    }

    #[test]
    fn texts_that_hardly_anyone_shares_are_dropped() {
        let different = |count: usize| -> Vec<String> {
            let letters = |n: usize| [n / 676, n / 26 % 26, n % 26].map(|l| char::from(b'a' + l as u8));
            (0..count).map(|n| format!("saw {} again", letters(n).iter().collect::<String>())).collect()
        };
        let shared = |count: usize| vec!["lives with family".to_owned(); count];
        assert_eq!(of_texts("remark", &different(40), 0), Role::Identifier);
        assert_eq!(of_texts("remark", &different(5), 95), Role::Identifier);
        assert_eq!(of_texts("remark", &[different(5), shared(4)].concat(), 91), Role::Identifier);
        // Most share a text, or too few records say anything; a category is kept, however rare.
        assert_eq!(of_texts("x7", &[different(5), shared(35)].concat(), 0), Role::QuasiIdentifier);
        assert_eq!(of_texts("x7", &[different(1), shared(8)].concat(), 91), Role::QuasiIdentifier);
        assert_eq!(of_texts("x7", &different(10), 0), Role::QuasiIdentifier);
        // Free text never is one: by its name, by its sentences, or by what it holds.
        assert_eq!(of_texts("remark", &[different(8), shared(35)].concat(), 0), Role::Identifier);
        let sentences: Vec<String> =
            different(10).iter().map(|text| format!("{text} with her sister")).collect();
        assert_eq!(of_texts("x7", &[sentences.clone(), shared(35)].concat(), 0), Role::Identifier);
        assert_eq!(of_texts("diagnosis", &different(40), 0), Role::Identifier);
        let mut held = shared(300);
        held.extend((0..4).map(|n| format!("Angehörige: Tochter Tel. 0171 555443{n}")));
        assert_eq!(of_texts("x7", &held, 0), Role::Identifier);
        // What the name says is kept, and numbers with a decimal comma are no texts.
        assert_eq!(of_texts("occupation", &different(40), 0), Role::QuasiIdentifier);
        let commas: Vec<String> = (0..40).map(|n| format!("{n},5")).collect();
        assert_eq!(of_texts("creatinine", &commas, 0), Role::QuasiIdentifier);
    }

    #[test]
    fn figures_decide_and_names_never_lower() {
        let (even, skewed, rare) = ([500, 500], [10_000, 5], [10_000, 4]);
        assert_eq!(suggested("work_type", &even, false), Role::QuasiIdentifier);
        assert_eq!(suggested("flag2", &skewed, false), Role::Insensitive);
        assert_eq!(suggested("flag2", &skewed, true), Role::QuasiIdentifier);
        assert_eq!(suggested("flag2", &rare, false), Role::QuasiIdentifier);
        assert_eq!(suggested("sex", &skewed, false), Role::QuasiIdentifier);
        assert_eq!(suggested("sex", &[1000], true), Role::Insensitive);
        assert_eq!(suggested("income", &even, true), Role::Sensitive);
        let mostly_alone: Vec<u64> = [vec![1; 600], vec![200, 200]].concat();
        assert_eq!(suggested("income", &mostly_alone, false), Role::QuasiIdentifier);
    }
}
