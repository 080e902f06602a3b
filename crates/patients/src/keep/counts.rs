//! Numbers of rows: nobody is known by having more than others.

use velamen_contract::linked::Counts;

use super::{Kept, Rules, Why};
use crate::by_person::ByPerson;
use crate::loaded::Rows;
use crate::plan::PlannedTable;

/// Leaves out rows of persons who have more than others; repeated codes go first.
pub(super) fn apply(rules: &Rules<'_>, tables: &[Rows], kept: &mut Kept) {
    let k = rules.plan.k();
    for (table, planned) in rules.plan.tables.iter().enumerate() {
        if planned.parent.is_none() || planned.is_made_anew {
            continue;
        }
        let rows: Vec<u32> = kept.of(table).map(|row| row as u32).collect();
        let of_persons = ByPerson::of(&rows, &|row| tables[table].persons[row as usize]);
        let counts: Vec<usize> = of_persons.each().map(<[u32]>::len).collect();
        let allowed = match rules.plan.counts {
            // Whether somebody has a row is the person column, and nobody dies twice.
            _ if planned.is_person_column => vec![1; counts.len()],
            Counts::Free => continue,
            Counts::Cap => capped(&counts, k),
            Counts::Banded => banded(&counts, k),
        };
        for (rows, allowed) in of_persons.each().zip(allowed) {
            if rows.len() > allowed {
                let order = by_repetition(planned, &tables[table], rows);
                order[..rows.len() - allowed].iter().for_each(|&row| kept.leave(table, row, Why::Counts));
            }
        }
    }
}

/// No more than the k-th largest number; 0 where fewer than k persons have rows.
fn capped(counts: &[usize], k: usize) -> Vec<usize> {
    let mut sorted = counts.to_vec();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    let cap = sorted.get(k - 1).copied().unwrap_or(0);
    counts.iter().map(|&count| count.min(cap)).collect()
}

/// Numbers that at least k persons have each: from the most on, groups of k persons get the least of their numbers.
fn banded(counts: &[usize], k: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|&person| (std::cmp::Reverse(counts[person]), person));
    let mut allowed = vec![0; counts.len()];
    let mut start = 0;
    while start < order.len() {
        let mut end = (start + k).min(order.len());
        if order.len() - start < k {
            // Too few are left for a number of their own.
            break;
        }
        let least = counts[order[end - 1]];
        while end < order.len() && counts[order[end]] == least {
            end += 1;
        }
        order[start..end].iter().for_each(|&person| allowed[person] = least);
        start = end;
    }
    allowed
}

/// Rows in the order in which they go: those whose code stands in most earlier rows of the person first.
fn by_repetition(planned: &PlannedTable, rows: &Rows, of_person: &[u32]) -> Vec<usize> {
    let code =
        |row: usize| planned.main_code().and_then(|place| rows.coded(place)).map_or(0, |coded| coded.at(row));
    let mut seen: Vec<(u32, usize)> = Vec::new();
    let mut ranked: Vec<(usize, usize)> = Vec::new();
    for row in of_person.iter().map(|&row| row as usize) {
        let code = code(row);
        let place = seen.iter().position(|(known, _)| *known == code).unwrap_or_else(|| {
            seen.push((code, 0));
            seen.len() - 1
        });
        ranked.push((seen[place].1, row));
        seen[place].1 += 1;
    }
    ranked.sort_unstable_by(|a, b| b.cmp(a));
    ranked.into_iter().map(|(_, row)| row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_k_persons_of_most_rows_have_equally_many() {
        assert_eq!(capped(&[9, 3, 5, 1], 3), [3, 3, 3, 1]);
        assert_eq!(capped(&[9, 3], 3), [0, 0]);
    }

    #[test]
    fn each_number_is_that_of_k_persons() {
        assert_eq!(banded(&[9, 3, 5, 1, 1], 2), [5, 1, 5, 1, 1]);
        assert_eq!(banded(&[9, 3, 3], 2), [3, 3, 3]);
        assert_eq!(banded(&[9, 3, 2], 2), [3, 3, 0]);
    }
}
