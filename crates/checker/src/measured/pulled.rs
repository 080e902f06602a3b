//! A noisy table in its clique, and how far it pulls the distribution towards its counts.
//!
//! Where the slope is 0 in every direction that keeps the total, a table has μ = y − sθ, up to a constant of θ that the total takes
//! up. While all other tables stay, μ is what it was times e^(θ − θ_old + κ), so ω + ln ω = x + κ for ω = μ/s. Both are solved:
//! w = ln ω from above, where Newton's steps only fall; then κ, by Newton's steps on the table's total, which is convex in κ.

use super::places::Places;
use super::tree::Set;

/// Newton's steps at most.
const STEPS: usize = 100;
/// How exactly a table's total, and w + e^w, are met.
const EXACT: (f64, f64) = (1e-11, 1e-12);
/// The least expected count that is kept apart from 0.
const LEAST: f64 = 1e-280;

/// A noisy table in its clique.
pub(super) struct Table {
    pub(super) set: Set,
    places: Places,
    counts: Vec<f64>,
    /// s, and 0 where no record can be.
    scales: Vec<f64>,
    theta: Vec<f64>,
    /// ln ω of the last round.
    logs: Vec<f64>,
    kappa: f64,
}

impl Table {
    /// With no pull yet. `places` runs through the clique; `scales` is 0 in cells that no record can be in.
    pub(super) fn new(set: Set, places: Places, counts: Vec<f64>, scales: Vec<f64>) -> Self {
        let (theta, logs) = (vec![0.0; counts.len()], vec![0.0; counts.len()]);
        Self { set, places, counts, scales, theta, logs, kappa: 0.0 }
    }

    /// Lets the clique's counts follow the table as far as the distribution wants; the share of it that moves.
    pub(super) fn follow(&mut self, cells: &mut [f64], total: f64) -> f64 {
        let now = self.places.sum(cells);
        let known = now.iter().zip(&self.theta).zip(self.counts.iter().zip(&self.scales));
        let known: Vec<f64> = known
            .map(|((now, theta), (count, scale))| (now.max(LEAST) / scale).ln() - theta + count / scale)
            .collect();
        self.solve(&known, total);
        let (mut moved, mut ratios) = (0.0, Vec::with_capacity(now.len()));
        let tables = self.counts.iter().zip(&self.scales).zip(self.logs.iter().zip(&mut self.theta));
        for (now, ((count, scale), (log, theta))) in now.iter().zip(tables) {
            if *scale == 0.0 {
                ratios.push(1.0);
                continue;
            }
            let next = (scale * log.exp()).max(LEAST);
            *theta = (count - next) / scale;
            moved += (next - now).abs();
            ratios.push(next / now.max(LEAST));
        }
        self.places.multiply(cells, &ratios);
        moved / total
    }

    /// κ and all ln ω with Σ sω = N̂ and ω + ln ω = known + κ.
    fn solve(&mut self, known: &[f64], total: f64) {
        for _ in 0..STEPS {
            let (mut sum, mut slope) = (0.0, 0.0);
            for ((log, x), scale) in self.logs.iter_mut().zip(known).zip(&self.scales) {
                if *scale > 0.0 {
                    *log = log_omega(x + self.kappa, *log);
                    let omega = log.exp();
                    sum += scale * omega;
                    slope += scale * omega / (1.0 + omega);
                }
            }
            let missing = total - sum;
            if missing.abs() <= EXACT.0 * total {
                return;
            }
            self.kappa += missing / slope.max(LEAST);
        }
    }

    /// What the pull claims of the counts of an attribute's values.
    fn claim(&self, attribute: usize, sizes: &[usize]) -> Claim {
        let places = Places::of(&self.set, &[attribute], sizes);
        let cells = self.counts.iter().zip(&self.scales).zip(&self.theta);
        let claimed: Vec<f64> = cells
            .map(|((count, scale), theta)| if *scale > 0.0 { count - scale * theta } else { 0.0 })
            .collect();
        Claim { records: places.sum(&claimed), scales: places.sum(&self.scales), places }
    }
}

/// By value of an attribute Σ (y − sθ) and Σ s of a table.
struct Claim {
    places: Places,
    records: Vec<f64>,
    scales: Vec<f64>,
}

impl Claim {
    /// By value the records and Σ s, where there is any.
    fn each(&self) -> impl Iterator<Item = Option<(f64, f64)>> {
        let values = self.records.iter().zip(&self.scales);
        values.map(|(records, scale)| (*scale > 0.0).then_some((*records, *scale)))
    }
}

/// Moves pull between the tables that have an attribute, until all claim the same counts of its values. The sum of all pulls stays
/// as it is by value, and so does the distribution: tables that disagree would hold each other back for thousands of rounds.
///
/// Let table m claim a_m records of a value where Σ s = b_m. If pull x_m is added in all its cells of the value, it claims
/// a_m − b_m·x_m. All claim c with Σ x_m = 0 if c = Σ (a_m/b_m) / Σ (1/b_m).
pub(super) fn settle_claims<'a>(
    tables: impl Iterator<Item = &'a mut Table>,
    attribute: usize,
    sizes: &[usize],
) {
    let mut sharing: Vec<&mut Table> = tables.filter(|table| table.set.contains(&attribute)).collect();
    let claims: Vec<Claim> = sharing.iter().map(|table| table.claim(attribute, sizes)).collect();
    let common = common(&claims, sizes.get(attribute).copied().unwrap_or(0));
    for (table, claim) in sharing.iter_mut().zip(&claims) {
        let values = claim.each().zip(&common);
        let added: Vec<f64> = values
            .map(|(claimed, common)| claimed.map_or(0.0, |(records, scale)| (records - common) / scale))
            .collect();
        table.theta.iter_mut().zip(claim.places.spread(&added)).for_each(|(theta, added)| *theta += added);
    }
}

/// c of each value.
fn common(claims: &[Claim], values: usize) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); values];
    for claim in claims {
        for ((sum, weight), claimed) in sums.iter_mut().zip(claim.each()) {
            let (records, scale) = claimed.unwrap_or((0.0, f64::INFINITY));
            *sum += records / scale;
            *weight += scale.recip();
        }
    }
    sums.into_iter().map(|(sum, weight)| if weight > 0.0 { sum / weight } else { 0.0 }).collect()
}

/// The w with w + e^w = x, from near by.
fn log_omega(x: f64, near: f64) -> f64 {
    // It is not above that: e^w ≤ x where w ≥ 0, and w ≤ x.
    let most = if x > 1.0 { x.ln() } else { x };
    let mut w = near.min(most);
    for _ in 0..STEPS {
        let power = w.exp();
        let above = w + power - x;
        if above.abs() <= EXACT.1 * (1.0 + x.abs()) {
            break;
        }
        w = (w - above / (1.0 + power)).min(most);
    }
    w
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may fail by a panic")]
mod tests {
    use super::*;

    /// A table over attribute 0 that is a clique of its own.
    fn table(counts: &[f64], scales: &[f64]) -> Table {
        Table::new(vec![0], Places::of(&[0], &[0], &[counts.len()]), counts.to_vec(), scales.to_vec())
    }

    /// μ = y − sθ with the total, and ln μ moves by θ and what is the same for all cells.
    #[test]
    fn a_table_that_is_followed_has_its_optimum() {
        // Wide and narrow noise, counts far from what is there, and a cell where nobody can be.
        for (counts, scales, total) in [
            ([30.0, 50.0, -4.0, 0.0], [1.0, 2.0, 0.5, 0.0], 80.0),
            ([9e5, 3e5, 1e5, 0.0], [1e-3, 2e-3, 1e-3, 0.0], 1e6),
            ([40.0, -10.0, 900.0, 0.0], [1e6, 3e6, 2e6, 0.0], 10.0),
            ([0.0, 7.0, 0.0, 0.0], [5.0, 5.0, 5.0, 0.0], 1.0),
        ] {
            let mut table = table(&counts, &scales);
            let mut cells = vec![total / 2.0, total / 3.0, total / 6.0, 0.0];
            for turn in 0..3 {
                let (before, pulled) = (cells.clone(), table.theta.clone());
                let moved = table.follow(&mut cells, total);
                let of = |cells: &[f64]| cells.iter().sum::<f64>();
                assert!((of(&cells) / total - 1.0).abs() < 1e-9, "{turn}: {cells:?} of {total}");
                assert_eq!(cells[3], 0.0);
                let away: f64 = cells.iter().zip(&before).map(|(now, before)| (now - before).abs()).sum();
                assert!((moved - away / total).abs() < 1e-9, "{turn}: {moved} {away}");
                let common =
                    |cell: usize| (cells[cell] / before[cell]).ln() - (table.theta[cell] - pulled[cell]);
                for cell in 0..3 {
                    let due = counts[cell] - scales[cell] * table.theta[cell];
                    assert!((cells[cell] - due).abs() < 1e-6 * total, "{turn}: {cells:?} {due}");
                    let size = 1.0 + pulled[cell].abs() + table.theta[cell].abs();
                    assert!((common(cell) - common(0)).abs() < 1e-6 * size, "{turn}: {cells:?}");
                }
                // Others change what is there.
                cells.iter_mut().zip([2.0, 1.0, 3.0]).for_each(|(cell, more)| *cell *= more);
                let sum = of(&cells);
                cells.iter_mut().for_each(|cell| *cell *= total / sum);
            }
        }
    }

    #[test]
    fn tables_agree_on_the_counts_of_an_attribute() {
        let sizes = [3, 2];
        let places = || Places::of(&[0, 1], &[0, 1], &sizes);
        // Value 0: 30 of Σ s = 2 and 10 of 1, so (30/2 + 10/1)/(1/2 + 1); value 1 of the pair and value 2 of both have no room.
        let pair = Table::new(
            vec![0, 1],
            places(),
            vec![10.0, 20.0, 5.0, 6.0, 0.0, 0.0],
            vec![1.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        );
        let mut tables = [pair, table(&[10.0, 8.0, 0.0], &[1.0, 2.0, 0.0])];
        settle_claims(tables.iter_mut(), 0, &sizes);
        let common = 25.0f64 / 1.5;
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
        let (x, y) = ((30.0 - common) / 2.0, (10.0 - common) / 1.0);
        assert!((x + y).abs() < 1e-9, "the pulls of a value cancel out");
        assert!(near(&tables[0].theta, &[x, x, 0.0, 0.0, 0.0, 0.0]), "{:?}", tables[0].theta);
        assert!(near(&tables[1].theta, &[y, 0.0, 0.0]), "{:?}", tables[1].theta);
        let claims = [tables[0].claim(0, &sizes), tables[1].claim(0, &sizes)];
        assert!(near(&claims[0].records, &[common, 0.0, 0.0]), "{:?}", claims[0].records);
        assert!(near(&claims[1].records, &[common, 8.0, 0.0]), "{:?}", claims[1].records);
        assert!(near(&super::common(&claims, 3), &[common, 8.0, 0.0]));
        // A table without the attribute keeps its pull.
        let mut other = Table::new(vec![1], Places::of(&[1], &[1], &sizes), vec![1.0, 9.0], vec![1.0, 1.0]);
        settle_claims(tables.iter_mut().chain([&mut other]), 0, &sizes);
        assert_eq!(other.theta, [0.0, 0.0]);
    }

    #[test]
    fn logarithms_solve_their_equation_from_anywhere() {
        for x in [-500.0, -3.0, 0.0, 1.0, 1.5, 8.0, 1e3, 1e9, 1e18] {
            for near in [-700.0, -1.0, 0.0, 3.0, 50.0] {
                let w = log_omega(x, near);
                assert!((w + w.exp() - x).abs() < 1e-9 * (1.0 + f64::abs(x)), "{x} from {near}: {w}");
            }
        }
    }
}
