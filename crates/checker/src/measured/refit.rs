//! What records of the best fit to noisy counts look like, computed again.
//!
//! # Definition
//! The p ≥ 0 with total N̂ of the least Σ ‖μ_m − y_m‖²/(2σ_m²) + τ·KL(p‖p₀) over all noisy tables y_m, where μ_m is p's table
//! (`docs/methods/mst.md`). It is p₀·exp Σ θ_m with θ_m = (y_m + λ_m − μ_m)/(τσ_m²). Here a table of each attribute that leaves a graph
//! holds p; one noisy table after the other gets its θ, and neighbours are told by the ratio of what they share.

use libm::{exp, log};

use super::tree::{Bucket, buckets, cells, places};

/// τ.
const TAU: f64 = 0.01;
/// Sweeps at most, and the share of all records below whose moves they end.
const SWEEPS: (usize, f64) = (400, 1e-7);
/// Cells of all tables, times the noisy tables in each, at most.
const MOST_WORK: usize = 1 << 24;
/// The least expected count that is kept apart from 0.
const LEAST: f64 = 1e-280;
/// Newton's steps at most.
const STEPS: usize = 60;

/// A noisy table: the attributes in its order, and by cell its count and variance.
#[derive(Debug, Clone)]
pub(super) struct Noisy {
    pub(super) set: Vec<usize>,
    pub(super) counts: Vec<f64>,
    pub(super) variances: Vec<f64>,
}

impl Noisy {
    fn variance(&self) -> f64 {
        self.variances.iter().sum()
    }

    /// Whether there is a count for each cell of attributes of such sizes, with noise.
    fn is_over(&self, sizes: &[usize]) -> bool {
        cells(&self.set, sizes) == Some(self.counts.len())
            && self.counts.len() == self.variances.len()
            && self.variances.iter().all(|variance| *variance > 0.0)
    }
}

/// The fit.
#[derive(Debug)]
pub(super) struct Refit {
    /// N̂, which noise can bring below 0.
    pub(super) estimate: f64,
    /// By noisy table what it has of the fit.
    pub(super) tables: Vec<Vec<f64>>,
    /// The cells of the largest table that was held.
    pub(super) largest: usize,
}

impl Refit {
    /// Of attributes of such sizes; `None` where a table has other than a count for each cell, or there are too many of them.
    pub(super) fn of(sizes: &[usize], noisy: &[Noisy]) -> Option<Self> {
        if !noisy.iter().all(|noisy| noisy.is_over(sizes)) {
            return None;
        }
        let estimate = total(noisy);
        let mut held = Held::new(sizes, noisy, estimate.max(1.0))?;
        for _ in 0..SWEEPS.0 {
            if held.tour(0) < SWEEPS.1 {
                break;
            }
        }
        // From the first one on each informs those below.
        for place in 0..held.buckets.len() {
            held.descend(place);
        }
        let tables = held.blocks.iter().map(|block| held.part(block)).collect::<Option<_>>()?;
        let largest = held.tables.iter().map(Vec::len).max().unwrap_or(1);
        Some(Self { estimate, tables, largest })
    }
}

/// The inverse-variance mean of the totals.
fn total(noisy: &[Noisy]) -> f64 {
    let weights: f64 = noisy.iter().map(|noisy| noisy.variance().recip()).sum();
    let sum: f64 = noisy.iter().map(|noisy| noisy.counts.iter().sum::<f64>() / noisy.variance()).sum();
    sum / weights
}

/// p in tables, and what each noisy table adds.
struct Held {
    total: f64,
    buckets: Vec<Bucket>,
    tables: Vec<Vec<f64>>,
    links: Vec<Link>,
    blocks: Vec<Block>,
    /// By bucket the noisy tables that are fitted in it.
    homes: Vec<Vec<usize>>,
}

/// What a bucket shares with the one above: by cell of each the place in what they share.
struct Link {
    own: Vec<u32>,
    above: Vec<u32>,
    size: usize,
}

/// A noisy table in its bucket.
struct Block {
    home: usize,
    places: Vec<u32>,
    /// y/s and s, where s = τσ².
    pulls: Vec<f64>,
    scales: Vec<f64>,
    theta: Vec<f64>,
    lambda: f64,
}

impl Held {
    /// p₀: attributes are independent.
    fn new(sizes: &[usize], noisy: &[Noisy], total: f64) -> Option<Self> {
        let sets: Vec<Vec<usize>> = noisy.iter().map(|noisy| noisy.set.clone()).collect();
        let buckets = buckets(sizes, &sets)?;
        let shares: Vec<Vec<f64>> =
            sizes.iter().enumerate().map(|(attribute, &size)| shares(attribute, size, noisy)).collect();
        let all = |sum: usize, bucket: &Bucket| sum.checked_add(cells(&bucket.set, sizes)?);
        let work = buckets.iter().try_fold(0, all)?.checked_mul(2)?;
        let mut homes = vec![Vec::new(); buckets.len()];
        let (mut blocks, mut work) = (Vec::new(), work);
        for (number, noisy) in noisy.iter().enumerate() {
            let within = |bucket: &Bucket| noisy.set.iter().all(|a| bucket.set.contains(a));
            let home = buckets.iter().position(within)?;
            let set = &buckets.get(home)?.set;
            work = work.checked_add(cells(set, sizes)?).filter(|work| *work <= MOST_WORK)?;
            homes.get_mut(home)?.push(number);
            blocks.push(Block::new(noisy, home, places(set, &noisy.set, sizes)?));
        }
        let tables = buckets.iter().map(|bucket| independent(&bucket.set, &shares, total));
        let tables = tables.collect::<Option<_>>()?;
        let links = buckets.iter().map(|bucket| Link::of(bucket, &buckets, sizes)).collect::<Option<_>>()?;
        Some(Self { total, buckets, tables, links, blocks, homes })
    }

    /// Fits what is in a bucket and below it; the largest share of all records that moved.
    fn tour(&mut self, place: usize) -> f64 {
        let mut moved = self.fit(place);
        let children = self.buckets.get(place).map(|bucket| bucket.children.clone()).unwrap_or_default();
        for &child in &children {
            self.descend(child);
            moved = moved.max(self.tour(child));
            self.ascend(child);
        }
        if children.is_empty() { moved } else { moved.max(self.fit(place)) }
    }

    /// What the bucket above knows of what they share goes to one.
    fn descend(&mut self, place: usize) {
        self.agree(place, true);
    }

    fn ascend(&mut self, place: usize) {
        self.agree(place, false);
    }

    fn agree(&mut self, place: usize, down: bool) {
        let parent = self.buckets.get(place).and_then(|bucket| bucket.parent);
        let Some((parent, link)) = parent.zip(self.links.get(place)) else { return };
        let (Some(own), Some(above)) = (self.tables.get(place), self.tables.get(parent)) else { return };
        let (own, above) = (sums(own, &link.own, link.size), sums(above, &link.above, link.size));
        let (from, to, at, by) =
            if down { (above, own, place, &link.own) } else { (own, above, parent, &link.above) };
        let ratio = |(from, to): (f64, f64)| if to > 0.0 { from / to } else { 0.0 };
        let ratios: Vec<f64> = from.into_iter().zip(to).map(ratio).collect();
        if let Some(table) = self.tables.get_mut(at) {
            multiply(table, by, &ratios);
        }
    }

    fn fit(&mut self, place: usize) -> f64 {
        let mut most = 0.0f64;
        for &number in self.homes.get(place).map_or(&[][..], Vec::as_slice) {
            let (Some(block), Some(table)) = (self.blocks.get_mut(number), self.tables.get_mut(place)) else {
                continue;
            };
            let now = sums(table, &block.places, block.scales.len());
            let (ratios, moved) = block.fit(&now, self.total);
            multiply(table, &block.places, &ratios);
            most = most.max(moved / self.total);
        }
        most
    }

    fn part(&self, block: &Block) -> Option<Vec<f64>> {
        Some(sums(self.tables.get(block.home)?, &block.places, block.scales.len()))
    }
}

impl Link {
    fn of(bucket: &Bucket, buckets: &[Bucket], sizes: &[usize]) -> Option<Self> {
        let Some(parent) = bucket.parent else {
            return Some(Self { own: Vec::new(), above: Vec::new(), size: 0 });
        };
        let above = &buckets.get(parent)?.set;
        let shared: Vec<usize> = bucket.set.iter().copied().filter(|a| above.contains(a)).collect();
        Some(Self {
            own: places(&bucket.set, &shared, sizes)?,
            above: places(above, &shared, sizes)?,
            size: cells(&shared, sizes)?,
        })
    }
}

impl Block {
    fn new(noisy: &Noisy, home: usize, places: Vec<u32>) -> Self {
        let scales: Vec<f64> = noisy.variances.iter().map(|variance| TAU * variance).collect();
        let pulls = noisy.counts.iter().zip(&scales).map(|(count, scale)| count / scale).collect();
        Self { home, places, pulls, theta: vec![0.0; scales.len()], scales, lambda: 0.0 }
    }

    /// The best θ while all else stays: by how much each count is multiplied, and how many records move.
    fn fit(&mut self, now: &[f64], total: f64) -> (Vec<f64>, f64) {
        // With ω = μ/s: ω + ln ω = ln(b/s) + (y + λ)/s, where b = μe^−θ.
        let cells = now.iter().zip(&self.theta).zip(self.pulls.iter().zip(&self.scales));
        let known: Vec<(f64, f64)> = cells
            .map(|((now, theta), (pull, scale))| (log(now.max(LEAST) / scale) - theta + pull, *scale))
            .collect();
        let mut next = Vec::new();
        for _ in 0..STEPS {
            next = known.iter().map(|(known, scale)| scale * omega(known + self.lambda / scale)).collect();
            let missing = total - next.iter().sum::<f64>();
            if missing.abs() <= 1e-11 * total {
                break;
            }
            let slope: f64 = next.iter().zip(&known).map(|(next, (_, scale))| next / (scale + next)).sum();
            self.lambda += missing / slope.max(LEAST);
        }
        let moved = now.iter().zip(&next).map(|(now, next)| (now - next).abs()).sum();
        let ratios: Vec<f64> =
            now.iter().zip(&next).map(|(now, next)| next.max(LEAST) / now.max(LEAST)).collect();
        self.theta.iter_mut().zip(&ratios).for_each(|(theta, ratio)| *theta += log(*ratio));
        (ratios, moved)
    }
}

/// The ω above 0 with ω + ln ω = x.
fn omega(x: f64) -> f64 {
    let mut omega = if x > 1.0 { x - log(x) } else { exp(x).max(LEAST) };
    for _ in 0..STEPS {
        let next = omega * (1.0 + x - log(omega)) / (1.0 + omega);
        // From above the first step can pass 0.
        let next = if next > 0.0 { next } else { omega / 8.0 };
        let is_near = (next - omega).abs() <= 1e-14 * next;
        omega = next.max(LEAST);
        if is_near {
            break;
        }
    }
    omega
}

/// p₀ of an attribute: the first counts of it alone, those that noise drowns as half its deviation.
fn shares(attribute: usize, size: usize, noisy: &[Noisy]) -> Vec<f64> {
    let alone = noisy.iter().find(|noisy| noisy.set == [attribute]);
    let weights: Vec<f64> = match alone {
        Some(noisy) => {
            let counts = noisy.counts.iter().zip(&noisy.variances);
            counts.map(|(count, variance)| count.max(0.5 * variance.sqrt())).collect()
        }
        None => vec![1.0; size],
    };
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// A table of independent attributes.
fn independent(set: &[usize], shares: &[Vec<f64>], total: f64) -> Option<Vec<f64>> {
    let mut table = vec![total];
    for attribute in set {
        let shares = shares.get(*attribute)?;
        table = table.iter().flat_map(|cell| shares.iter().map(move |share| cell * share)).collect();
    }
    Some(table)
}

/// The sums of cells by place.
fn sums(table: &[f64], places: &[u32], size: usize) -> Vec<f64> {
    let mut sums = vec![0.0; size];
    for (cell, place) in table.iter().zip(places) {
        if let Some(sum) = sums.get_mut(*place as usize) {
            *sum += cell;
        }
    }
    sums
}

fn multiply(table: &mut [f64], places: &[u32], ratios: &[f64]) {
    for (cell, place) in table.iter_mut().zip(places) {
        *cell *= ratios.get(*place as usize).copied().unwrap_or(1.0);
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may fail by a panic")]
mod tests {
    use super::*;

    fn noisy(set: &[usize], counts: &[f64], variance: f64) -> Noisy {
        Noisy { set: set.to_vec(), counts: counts.to_vec(), variances: vec![variance; counts.len()] }
    }

    #[test]
    fn omega_solves_its_equation() {
        for x in [-600.0, -30.0, -1.0, 0.0, 0.5, 1.0, 1.5, 20.0, 1e4, 1e9] {
            let omega = omega(x);
            assert!((omega + log(omega) - x).abs() <= 1e-9 * x.abs().max(1.0), "{x}: {omega}");
        }
    }

    /// Three attributes and two overlapping pairs: no other p of the same form is better, by brute force over all eight cells.
    #[test]
    fn the_fit_is_the_best_one() {
        let sizes = [2, 2, 2];
        let tables = [
            noisy(&[0], &[60.0, 45.0], 20.0),
            noisy(&[1], &[30.0, 70.0], 20.0),
            noisy(&[2], &[50.0, 52.0], 20.0),
            noisy(&[0, 1], &[25.0, 30.0, 2.0, 46.0], 9.0),
            noisy(&[2, 1], &[28.0, 20.0, -3.0, 50.0], 9.0),
        ];
        let fitted = Refit::of(&sizes, &tables).unwrap();
        let total = fitted.estimate;
        let prior: Vec<Vec<f64>> = (0..3).map(|a| shares(a, 2, &tables)).collect();
        let cell = |at: usize| [at >> 2, at >> 1 & 1, at & 1];
        let part = |p: &[f64], noisy: &Noisy| {
            let mut sums = vec![0.0; noisy.counts.len()];
            for (at, share) in p.iter().enumerate() {
                sums[noisy.set.iter().fold(0, |place, &a| 2 * place + cell(at)[a])] += share;
            }
            sums
        };
        let loss = |p: &[f64]| {
            let far = |noisy: &Noisy| {
                let away = part(p, noisy).into_iter().zip(&noisy.counts);
                away.map(|(p, y)| (p - y).powi(2)).sum::<f64>() / (2.0 * noisy.variances[0])
            };
            let own = |(at, &p): (usize, &f64)| {
                let prior: f64 = (0..3).map(|a| prior[a][cell(at)[a]]).product::<f64>() * total;
                p * (p / prior).ln()
            };
            tables.iter().map(far).sum::<f64>() + TAU * p.iter().enumerate().map(own).sum::<f64>()
        };
        // The joint table from its parts: 0 and 2 are independent given 1.
        let (left, right) = (&fitted.tables[3], &fitted.tables[4]);
        let middle = |one: usize| left[one] + left[2 + one];
        let joint = |at: usize| {
            let [a, b, c] = cell(at);
            left[2 * a + b] * right[2 * c + b] / middle(b)
        };
        let p: Vec<f64> = (0..8).map(joint).collect();
        assert!((p.iter().sum::<f64>() - total).abs() < 1e-6);
        let best = loss(&p);
        for from in 0..8 {
            for to in 0..8 {
                for step in [1e-4, 1e-2] {
                    let mut other = p.clone();
                    let moved = step * p[from];
                    other[from] -= moved;
                    other[to] += moved;
                    assert!(loss(&other) >= best - 1e-7, "{from} {to} {step}");
                }
            }
        }
    }

    #[test]
    fn torn_tables_are_not_fitted() {
        assert!(Refit::of(&[2], &[noisy(&[0], &[1.0, 2.0, 3.0], 1.0)]).is_none());
        assert!(Refit::of(&[2], &[noisy(&[0], &[1.0, 2.0], 0.0)]).is_none());
        assert!(Refit::of(&[2], &[noisy(&[1], &[1.0, 2.0], 1.0)]).is_none());
        let wide = [noisy(&[0], &vec![1.0; 5000], 1.0), noisy(&[1], &vec![1.0; 5000], 1.0)];
        assert!(Refit::of(&[5000, 5000], &wide).is_some());
        let apart = Refit::of(&[2, 2], &[noisy(&[0], &[-5.0, -9.0], 1.0)]).unwrap();
        assert!(apart.estimate < 0.0 && apart.tables[0].iter().sum::<f64>() <= 1.0 + 1e-9);
    }
}
