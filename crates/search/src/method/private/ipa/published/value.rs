//! Which value a counterfeit gets: Eq. 3 and 4.

use super::noise::Noise;

/// The values of the sensitive attribute that occur in the original data: `Inf` of Algorithm 1.
#[derive(Debug, Clone)]
pub(super) struct Domain {
    /// Their codes, ascending.
    codes: Vec<u32>,
    /// By code its place among them.
    places: Vec<u32>,
}

impl Domain {
    /// The domain, from how many records have each code.
    pub(super) fn new(marginal: &[u64]) -> Self {
        let occurs = |code: &u32| marginal[*code as usize] > 0;
        let codes: Vec<u32> = (0..marginal.len() as u32).filter(occurs).collect();
        let mut places = vec![0; marginal.len()];
        for (place, &code) in (0..).zip(&codes) {
            places[code as usize] = place;
        }
        Self { codes, places }
    }

    /// The value of that rank, from 0, among those that a class does not have.
    fn absent(&self, class: &[(u32, u64)], rank: u64) -> u32 {
        // Below the i-th value of the class, place − i values are absent.
        let mut ranks = (0, class.len());
        while ranks.0 < ranks.1 {
            let middle = ranks.0.midpoint(ranks.1);
            let below = u64::from(self.places[class[middle].0 as usize]) - middle as u64;
            if below <= rank { ranks.0 = middle + 1 } else { ranks.1 = middle }
        }
        self.codes[rank as usize + ranks.0]
    }
}

/// The score of a value that `count` of the `size` records of a class have, or that none has: Eq. 3.
/// `absent` is how many values of the domain the class does not have.
pub(super) fn score(count: u64, size: u64, absent: u64) -> f64 {
    match count {
        0 => 1.0 / ((size + 1) as f64 * absent as f64),
        _ => count as f64 / (size + 1) as f64,
    }
}

/// Eq. 4 for one class: the weights of its values, summed up, and that of all others together.
///
/// Values that the class does not have weigh the same, so that the cost does not follow the domain.
#[derive(Debug)]
pub(super) struct Values<'a> {
    domain: &'a Domain,
    class: &'a [(u32, u64)],
    /// Sums of the weights of the class's values.
    sums: Vec<f64>,
    absent: u64,
    /// The weight of each value that the class does not have.
    weight: f64,
}

impl<'a> Values<'a> {
    /// ΔS of Eq. 3.
    const SENSITIVITY: f64 = 1.0;

    /// The values for a class of the domain, given as (code, count), ascending by code.
    ///
    /// Time: O(values of the class).
    pub(super) fn new(domain: &'a Domain, class: &'a [(u32, u64)], size: u64, epsilon: f64) -> Self {
        let absent = (domain.codes.len() - class.len()) as u64;
        let weight = |score: f64| (epsilon * score / (2.0 * Self::SENSITIVITY)).exp();
        let mut sum = 0.0;
        let add = |&(_, count): &(u32, u64)| {
            sum += weight(score(count, size, absent));
            sum
        };
        let sums = class.iter().map(add).collect();
        let weight = if absent == 0 { 0.0 } else { weight(score(0, size, absent)) };
        Self { domain, class, sums, absent, weight }
    }

    /// The next value. Time: O(log values of the class).
    pub(super) fn draw(&self, noise: &mut impl Noise) -> u32 {
        let present = self.sums.last().copied().unwrap_or(0.0);
        let point = noise.point() * (present + self.absent as f64 * self.weight);
        if point < present || self.absent == 0 {
            let place = self.sums.partition_point(|sum| *sum <= point).min(self.class.len() - 1);
            return self.class[place].0;
        }
        let rank = ((point - present) / self.weight) as u64;
        self.domain.absent(self.class, rank.min(self.absent - 1))
    }
}

#[cfg(test)]
mod tests {
    use velamen_dp::Seed;

    use super::*;

    /// Eq. 4 written out, by code.
    fn probabilities(domain: &[u32], class: &[(u32, u64)], epsilon: f64) -> Vec<(u32, f64)> {
        let size: u64 = class.iter().map(|cell| cell.1).sum();
        let score = |value: u32| match class.iter().find(|cell| cell.0 == value) {
            Some(cell) => cell.1 as f64 / (size as f64 + 1.0),
            None => 1.0 / ((size as f64 + 1.0) * (domain.len() - class.len()) as f64),
        };
        let weights: Vec<f64> = domain.iter().map(|&v| (epsilon / 2.0 * score(v)).exp()).collect();
        let total: f64 = weights.iter().sum();
        domain.iter().copied().zip(weights.into_iter().map(|weight| weight / total)).collect()
    }

    fn statistic(marginal: &[u64], class: &[(u32, u64)], epsilon: f64, seed: u64) -> f64 {
        const DRAWS: f64 = 200_000.0;
        let domain = Domain::new(marginal);
        let size = class.iter().map(|cell| cell.1).sum();
        let values = Values::new(&domain, class, size, epsilon);
        let mut stream = Seed::from_number(seed).stream(0);
        let mut counts = vec![0u32; marginal.len()];
        for _ in 0..DRAWS as u32 {
            counts[values.draw(&mut stream) as usize] += 1;
        }
        assert!(marginal.iter().zip(&counts).all(|(&occurs, &drawn)| occurs > 0 || drawn == 0));
        let term =
            |(value, p): (u32, f64)| (f64::from(counts[value as usize]) - DRAWS * p).powi(2) / (DRAWS * p);
        probabilities(&domain.codes, class, epsilon).into_iter().map(term).sum()
    }

    #[test]
    fn values_come_with_the_probabilities_of_equation_4() {
        // Seven of eight values occur; the class has three of them. 6 degrees of freedom:
        // P(χ² > 35.7) = 3e-6, so that the three of them fail together with 1e-5 at most.
        let marginal = [3, 1, 0, 9, 2, 2, 7, 1];
        let class = [(1, 1), (3, 6), (6, 2)];
        assert!(statistic(&marginal, &class, 0.3, 40) < 35.7);
        // With a large ε the frequent value is far ahead.
        assert!(statistic(&marginal, &class, 6.0, 41) < 35.7);
        // A class that has the whole domain.
        let all: Vec<(u32, u64)> = (0..8u32).zip(marginal).filter(|cell| cell.1 > 0).collect();
        assert!(statistic(&marginal, &all, 3.0, 42) < 35.7);
    }

    #[test]
    fn absent_values_are_found_by_rank() {
        let domain = Domain::new(&[1, 1, 0, 1, 1, 0, 1, 1]);
        let absent = |class: &[(u32, u64)], ranks: u64| -> Vec<u32> {
            (0..ranks).map(|rank| domain.absent(class, rank)).collect()
        };
        assert_eq!(absent(&[(0, 1), (1, 2), (6, 1)], 3), [3, 4, 7]);
        assert_eq!(absent(&[(3, 1)], 5), [0, 1, 4, 6, 7]);
        assert_eq!(absent(&[(7, 1)], 5), [0, 1, 3, 4, 6]);
    }

    #[test]
    fn scores_of_table_7() {
        // The class of the teens: Gastritis 1, Pneumonia 2; Anemia, Diabetes and Stroke in none.
        assert_eq!([score(1, 3, 3), score(2, 3, 3), score(0, 3, 3)], [0.25, 0.5, 1.0 / 12.0]);
        // The scores of all values sum up to 1.
        assert!((score(1, 3, 3) + score(2, 3, 3) + 3.0 * score(0, 3, 3) - 1.0).abs() < 1e-12);
    }
}
