//! Records that follow a model as closely as whole numbers can.

use velamen_dp::{Stream, below};

use crate::Model;
use crate::carried::{Carried, likeliest, unit};
use crate::margin::Margin;
use crate::tree::Set;

/// So many records, a column of codes for each attribute.
///
/// Clique by clique, attribute by attribute: records that agree on what is drawn already get the next value in proportion to
/// the clique's table, in random order: rounded ([`in_proportion`]), and such that counts of the value, and of it with each of the
/// other values, stay rounded, too, as nearly as whole records allow.
///
/// # Complexity
/// O(records · attributes + cells of cliques · their attributes).
///
/// # Errors
/// What `check` gives, which is asked before each attribute whether to go on.
pub fn draw<E>(
    model: &Model,
    records: usize,
    stream: &mut Stream,
    mut check: impl FnMut() -> Result<(), E>,
) -> Result<Vec<Vec<u32>>, E> {
    let sizes = model.sizes();
    let mut columns: Vec<Vec<u32>> = vec![Vec::new(); sizes.len()];
    for (clique, cells) in model.tables() {
        for &attribute in clique {
            if columns[attribute].is_empty() {
                check()?;
                let known: Set = clique.iter().copied().filter(|&a| !columns[a].is_empty()).collect();
                columns[attribute] =
                    column(&columns, attribute, &known, (clique, cells), model, records, stream);
            }
        }
    }
    Ok(columns)
}

/// The values of one attribute, given those of known ones in a clique.
fn column(
    columns: &[Vec<u32>],
    attribute: usize,
    known: &Set,
    (clique, cells): (&Set, &[f64]),
    model: &Model,
    records: usize,
    stream: &mut Stream,
) -> Vec<u32> {
    let sizes = model.sizes();
    let mut both = known.clone();
    both.push(attribute);
    both.sort_unstable();
    let joint = Margin::of(clique, &both, sizes).sum(cells);
    let groups = Groups::of(columns, known, sizes, records);
    // The known attributes' place among `both` parts their values before and behind this attribute's.
    let behind: usize = both.iter().filter(|&&a| a > attribute).map(|&a| sizes[a]).product();
    let size = sizes[attribute];
    let all = Margin::of(clique, &vec![attribute], sizes).sum(cells);
    let (mut values, mut carried) = (vec![0; records], Carried::new(known, sizes, size));
    for (key, members) in groups.iter() {
        let first = (key / behind) * size * behind + key % behind;
        let place = |value: usize| first + value * behind;
        let mut weights: Vec<f64> = (0..size).map(|value| joint[place(value)]).collect();
        if !has_share(&weights) {
            // The model has nobody of the group, for being tiny or by rounding: as all records, but for what none can have.
            let allowed = model.allowed(&both);
            weights = (0..size).map(|value| all[value] * allowed[place(value)]).collect();
            if !has_share(&weights) {
                weights = (0..size).map(|value| allowed[place(value)]).collect();
            }
        }
        let counts = match known.is_empty() {
            true => in_proportion(members.len() as u64, &weights, stream),
            false => carried.rounded(key, members.len() as u64, &weights, stream),
        };
        let mut drawn: Vec<u32> = (0..)
            .zip(&counts)
            .flat_map(|(value, &count)| std::iter::repeat_n(value, count as usize))
            .collect();
        shuffle(&mut drawn, stream);
        members.iter().zip(drawn).for_each(|(&record, value)| values[record as usize] = value);
    }
    values
}

/// Whether records can be parted in proportion to weights.
fn has_share(weights: &[f64]) -> bool {
    let sum: f64 = weights.iter().sum();
    sum > 0.0 && sum.is_finite()
}

/// Records by the values of known attributes.
struct Groups {
    /// Where each group begins.
    starts: Vec<usize>,
    records: Vec<u32>,
}

impl Groups {
    fn of(columns: &[Vec<u32>], known: &Set, sizes: &[usize], records: usize) -> Self {
        let len: usize = known.iter().map(|&a| sizes[a]).product();
        let key =
            |record: usize| known.iter().fold(0, |key, &a| key * sizes[a] + columns[a][record] as usize);
        let mut starts = vec![0; len + 1];
        (0..records).for_each(|record| starts[key(record) + 1] += 1);
        (0..len).for_each(|group| starts[group + 1] += starts[group]);
        let (mut next, mut sorted) = (starts.clone(), vec![0; records]);
        for record in 0..records {
            let place = &mut next[key(record)];
            sorted[*place] = record as u32;
            *place += 1;
        }
        Self { starts, records: sorted }
    }

    /// Groups that have records, by key.
    fn iter(&self) -> impl Iterator<Item = (usize, &[u32])> {
        let group = |key: usize| (key, &self.records[self.starts[key]..self.starts[key + 1]]);
        (0..self.starts.len() - 1).map(group).filter(|(_, members)| !members.is_empty())
    }
}

/// Whole numbers with the sum `count`, each the expectation rounded down or up: the whole parts, and the rest by systematic
/// sampling from a random start. Each has its expectation on average. All are equal shares where no weight is above 0.
pub fn in_proportion(count: u64, weights: &[f64], stream: &mut Stream) -> Vec<u64> {
    let sum: f64 = weights.iter().sum();
    let share = |weight: &f64| if sum > 0.0 { weight / sum } else { 1.0 / weights.len() as f64 };
    let expected: Vec<f64> = weights.iter().map(|weight| count as f64 * share(weight)).collect();
    let mut counts: Vec<u64> = expected.iter().map(|expected| *expected as u64).collect();
    let rests: Vec<f64> =
        expected.iter().zip(&counts).map(|(expected, &whole)| expected - whole as f64).collect();
    let mut left = count.saturating_sub(counts.iter().sum());
    let step = rests.iter().sum::<f64>() / left.max(1) as f64;
    let mut next = step * unit(stream);
    let mut passed = 0.0;
    for (place, rest) in rests.iter().enumerate() {
        passed += rest;
        while left > 0 && passed > next {
            counts[place] += 1;
            left -= 1;
            next += step;
        }
    }
    // What rounding left goes to the likeliest.
    if let Some(place) = likeliest(weights) {
        counts[place] += left;
    }
    counts
}

/// Brings values into random order.
pub fn shuffle<T>(values: &mut [T], stream: &mut Stream) {
    for place in (1..values.len()).rev() {
        values.swap(place, below(stream, place as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fit, Measurement};
    use velamen_dp::Seed;

    #[test]
    fn proportions_are_the_expectation_on_average() {
        let weights = [0.5, 0.0, 1.25, 3.0, 0.25];
        let mut stream = Seed::from_number(90).stream(0);
        let mut sums = [0u64; 5];
        for _ in 0..20_000 {
            let counts = in_proportion(7, &weights, &mut stream);
            assert_eq!(counts.iter().sum::<u64>(), 7);
            for (count, weight) in counts.iter().zip(weights) {
                let expected = 7.0 * weight / 5.0;
                assert!((*count as f64 - expected).abs() < 1.0, "{counts:?}");
            }
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        for (sum, weight) in sums.iter().zip(weights) {
            // A count is one of two numbers: its standard deviation is at most ½; P(|Z| > 4.5) = 7e-6.
            assert!((*sum as f64 - 2e4 * 7.0 * weight / 5.0).abs() < 4.5 * 0.5 * 2e4f64.sqrt(), "{sums:?}");
        }
        assert_eq!(in_proportion(4, &[0.0, 0.0], &mut stream), [2, 2]);
        assert_eq!(in_proportion(0, &[1.0, 2.0], &mut stream), [0, 0]);
    }

    #[test]
    fn what_numbers_of_64_bits_cannot_part_goes_to_the_likeliest() {
        let mut stream = Seed::from_number(93).stream(0);
        let count = (1 << 53) + 1;
        assert_eq!(in_proportion(count, &[0.0, 1.0], &mut stream), [0, count]);
        let mut carried = Carried::new(&vec![0], &[1], 2);
        assert_eq!(carried.rounded(0, count, &[0.0, 1.0], &mut stream), [0, count]);
    }

    /// A table says nothing of a value that records have: they get what all have, or anything, but nothing that is barred.
    #[test]
    fn records_of_which_a_table_says_nothing_get_what_they_may() {
        let of = |cells: [f64; 8], kept: [f64; 4]| {
            let shares = [vec![1.0], vec![0.5, 0.5], vec![0.25; 4]];
            let sets = [vec![0, 1], vec![1, 2]];
            let mut model = Model::independent(&[1, 2, 4], &sets, &shares, 8.0);
            let home = model.home(&vec![1, 2]).unwrap();
            model.table_mut(home).copy_from_slice(&cells);
            let kept: Vec<f64> = [1.0; 4].into_iter().chain(kept).collect();
            model.keep(&vec![1, 2], kept);
            let columns =
                draw(&model, 800, &mut Seed::from_number(94).stream(0), || Ok::<(), ()>(())).unwrap();
            let mut counts = [0; 4];
            let second = columns[1].iter().zip(&columns[2]).filter(|(value, _)| **value == 1);
            second.for_each(|(_, &value)| counts[value as usize] += 1);
            counts
        };
        // The half that the second clique has no weight for: as the first half, three to one, the largest being barred.
        let first = [1.0, 3.0, 0.0, 6.0, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(of(first, [1.0, 1.0, 1.0, 0.0]), [100, 300, 0, 0]);
        // Where that is barred, too: evenly.
        assert_eq!(of([0.0, 0.0, 0.0, 6.0, 0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0]), [200, 0, 200, 0]);
    }

    #[test]
    fn records_have_the_tables_of_the_model() {
        let sizes = vec![3, 2, 4, 2];
        let mut fit = Fit::new(sizes.clone());
        for (set, number) in [(vec![0, 1], 3), (vec![1, 2], 5), (vec![3], 7)] {
            let len: usize = set.iter().map(|&a| sizes[a]).product();
            let counts = (0..len)
                .map(|cell| 6000.0 / len as f64 * (1.0 + ((cell * number) % 5) as f64 / 9.0))
                .collect();
            fit.measure(Measurement { set, counts, variances: vec![1.0; len] });
        }
        let model = fit.run(300, 1e-12, || Ok::<(), ()>(())).unwrap();
        let columns =
            draw(&model, 10_000, &mut Seed::from_number(91).stream(0), || Ok::<(), ()>(())).unwrap();
        assert!(columns.iter().all(|column| column.len() == 10_000));
        for (set, cells) in model.tables() {
            let total: f64 = cells.iter().sum();
            let mut counts = vec![0.0; cells.len()];
            for record in 0..10_000 {
                counts[set.iter().fold(0, |place, &a| place * sizes[a] + columns[a][record] as usize)] += 1.0;
            }
            let away: f64 =
                counts.iter().zip(cells).map(|(count, cell)| (count - 10_000.0 * cell / total).abs()).sum();
            // Rounding leaves less than one record a cell.
            assert!(away < cells.len() as f64, "{set:?}: {away}");
        }
        // What the model does not join is independent: 3 and 0.
        let both =
            (0..10_000).filter(|&record| columns[3][record] == 0 && columns[0][record] == 0).count() as f64;
        let share = |a: usize| columns[a].iter().filter(|value| **value == 0).count() as f64 / 1e4;
        let expected = 1e4 * share(3) * share(0);
        assert!((both - expected).abs() < 4.5 * expected.sqrt());
    }

    #[test]
    fn a_seed_gives_the_records_that_it_always_gave() {
        let mut fit = Fit::new(vec![2, 3]);
        let counts = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        fit.measure(Measurement { set: vec![0, 1], counts, variances: vec![1.0; 6] });
        let model = fit.run(50, 1e-9, || Ok::<(), ()>(())).unwrap();
        let columns = draw(&model, 6, &mut Seed::from_number(92).stream(0), || Ok::<(), ()>(())).unwrap();
        assert_eq!(columns, [[1, 1, 1, 1, 0, 0], [2, 0, 1, 2, 1, 2]]);
    }
}
