//! What became of a text's lines. The same line can stand in many sections of a recipe, so its place counts.

/// Tables of more cells are not made: then everything between the first and the last change counts as changed.
const MOST_CELLS: usize = 2_000_000;

/// What a change did to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Kept,
    New,
    Gone,
}

/// The lines of both texts in their order, each with what became of it.
pub(crate) fn difference<'t>(before: &'t str, after: &'t str) -> Vec<(&'t str, Fate)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let first = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[first..], &new[first..]);
    let last = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old, new, end) = (&old[..old.len() - last], &new[..new.len() - last], &new[new.len() - last..]);
    let kept = |line: &'t str| (line, Fate::Kept);
    let start = after.lines().take(first).map(kept);
    start.chain(between(old, new)).chain(end.iter().copied().map(kept)).collect()
}

fn between<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(&'t str, Fate)> {
    let common = match old.len() * new.len() <= MOST_CELLS {
        true => in_common(old, new),
        false => Vec::new(),
    };
    let (mut at, mut found) = ((0, 0), Vec::new());
    while at.0 < old.len() || at.1 < new.len() {
        let (line, fate) = step(old, new, &common, at);
        at = (at.0 + usize::from(fate != Fate::New), at.1 + usize::from(fate != Fate::Gone));
        found.push((line, fate));
    }
    found
}

/// What comes first of the rest: the line that both have, or that one has alone, so that most stay.
fn step<'t>(
    old: &[&'t str],
    new: &[&'t str],
    common: &[Vec<u32>],
    (row, column): (usize, usize),
) -> (&'t str, Fate) {
    let shared =
        |row: usize, column: usize| common.get(row).and_then(|row| row.get(column)).copied().unwrap_or(0);
    match (old.get(row), new.get(column)) {
        (Some(line), Some(other)) if line == other && shared(row, column) > 0 => (line, Fate::Kept),
        (Some(line), Some(_)) if shared(row + 1, column) >= shared(row, column + 1) => (line, Fate::Gone),
        (Some(line), None) => (line, Fate::Gone),
        (_, line) => (line.copied().unwrap_or_default(), Fate::New),
    }
}

/// How many lines the rests of both have in common, in order, from each pair of places on.
fn in_common(old: &[&str], new: &[&str]) -> Vec<Vec<u32>> {
    let mut table = vec![vec![0; new.len() + 1]; old.len() + 1];
    for row in (0..old.len()).rev() {
        for column in (0..new.len()).rev() {
            table[row][column] = match old[row] == new[column] {
                true => table[row + 1][column + 1] + 1,
                false => table[row + 1][column].max(table[row][column + 1]),
            };
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn side(lines: &[(&str, Fate)], other: Fate) -> String {
        lines.iter().filter(|(_, fate)| *fate != other).map(|(line, _)| format!("{line}\n")).collect()
    }

    #[test]
    fn a_line_that_stands_elsewhere_too_is_new_in_its_place() {
        let found = difference("[a]\nrole = 1\n\n[b]\nrole = 2\n", "[a]\nrole = 1\n\n[b]\nrole = 1\n");
        let changed: Vec<_> = found.iter().filter(|(_, fate)| *fate != Fate::Kept).collect();
        assert_eq!(changed, [&("role = 2", Fate::Gone), &("role = 1", Fate::New)]);
    }

    proptest! {
        /// Without the new lines it is the text before, without those that are gone the text after.
        #[test]
        fn both_texts_can_be_read_off(before in "([ab]\n){0,8}", after in "([ab]\n){0,8}") {
            let found = difference(&before, &after);
            prop_assert_eq!(side(&found, Fate::New), before.as_str());
            prop_assert_eq!(side(&found, Fate::Gone), after.as_str());
        }
    }

    #[test]
    fn a_text_that_is_all_new_needs_no_table() {
        let text = |of: &str| (0..2000).map(|line| format!("{of}{line}\n")).collect::<String>();
        let (before, after) = (text("a"), text("b"));
        assert_eq!(difference(&before, &after).len(), 4000);
    }
}
