//! What a value covers: runs of places.

/// Neighbouring places, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// The first place.
    pub first: u64,
    /// The last place, not below the first.
    pub last: u64,
}

impl Run {
    /// One place.
    #[must_use]
    pub fn point(place: u64) -> Self {
        Self { first: place, last: place }
    }

    /// How many places it has.
    #[must_use]
    pub fn places(self) -> u64 {
        self.last - self.first + 1
    }

    fn common(self, other: Self) -> u64 {
        let (first, last) = (self.first.max(other.first), self.last.min(other.last));
        if first <= last { last - first + 1 } else { 0 }
    }
}

/// The leaves under a value, all of which it stands for alike.
#[derive(Debug, Clone, PartialEq)]
pub struct Cover {
    /// Ascending, with gaps between them.
    runs: Vec<Run>,
    /// All leaves, those included that have no place.
    leaves: f64,
}

impl Cover {
    /// A value over these places, and over leaves without a place, at least one of either: `leaves` counts
    /// all of them, and is raised to the number of places where it is below.
    #[must_use]
    pub fn new(runs: Vec<Run>, leaves: f64) -> Self {
        let runs = joined(runs);
        let places: u64 = runs.iter().map(|run| run.places()).sum();
        Self { runs, leaves: leaves.max(places as f64) }
    }

    /// A leaf.
    #[must_use]
    pub fn point(place: u64) -> Self {
        Self { runs: vec![Run::point(place)], leaves: 1.0 }
    }

    /// The runs of places, ascending and apart.
    #[must_use]
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The leaf, if it is one.
    #[must_use]
    pub fn leaf(&self) -> Option<u64> {
        let [run] = self.runs[..] else { return None };
        (self.leaves <= 1.0).then_some(run.first)
    }

    /// What each of its leaves gets of a record.
    #[must_use]
    pub fn density(&self) -> f64 {
        1.0 / self.leaves
    }

    /// The share of its leaves that have no place.
    #[must_use]
    pub fn elsewhere(&self) -> f64 {
        let places: u64 = self.runs.iter().map(|run| run.places()).sum();
        ((self.leaves - places as f64) / self.leaves).max(0.0)
    }

    /// The share of its leaves that lie in runs, which must ascend and be apart.
    ///
    /// Time: O(own runs + runs).
    #[must_use]
    pub fn share(&self, runs: &[Run]) -> f64 {
        let (mut common, mut at) = (0, 0);
        for own in &self.runs {
            at += runs[at..].partition_point(|run| run.last < own.first);
            let meeting = runs[at..].iter().take_while(|run| run.first <= own.last);
            common += meeting.map(|run| own.common(*run)).sum::<u64>();
        }
        common as f64 / self.leaves
    }
}

/// The same places in ascending runs with gaps between them.
fn joined(mut runs: Vec<Run>) -> Vec<Run> {
    runs.sort_unstable();
    runs.dedup_by(|next, kept| {
        let meets = next.first <= kept.last.saturating_add(1);
        if meets {
            kept.last = kept.last.max(next.last);
        }
        meets
    });
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(first: u64, last: u64) -> Run {
        Run { first, last }
    }

    #[test]
    fn shares_count_leaves() {
        let cover = Cover::new(vec![run(7, 9), run(2, 3), run(4, 4)], 6.0);
        assert_eq!(cover.runs(), [run(2, 4), run(7, 9)]);
        assert!((cover.share(&[run(0, 2), run(4, 7)]) - 3.0 / 6.0).abs() < 1e-15);
        assert_eq!((cover.elsewhere(), cover.leaf(), Cover::point(5).leaf()), (0.0, None, Some(5)));
    }

    #[test]
    fn leaves_without_a_place_are_elsewhere() {
        let cover = Cover::new(vec![run(1, 1), run(3, 3)], 8.0);
        assert!((cover.elsewhere() - 0.75).abs() < 1e-15);
        assert!((cover.share(&[run(0, 9)]) - 0.25).abs() < 1e-15);
        // A lone leaf of many is no leaf: most of what it stands for is elsewhere.
        assert_eq!(Cover::new(vec![run(1, 1)], 8.0).leaf(), None);
    }
}
