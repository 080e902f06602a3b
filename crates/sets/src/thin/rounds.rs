//! Rounds: pairs, then triples, until nothing is removed.

use super::{pairs, triples};
use crate::Sets;
use crate::asked::Asked;
use crate::count::bits::Suspects;
use crate::count::group::{Group, Loss};
use crate::watch::{Stopped, Watch};

/// Thins one class. Triples are counted only when all pairs are those of k persons. Ends, since each round but the last
/// removes something.
pub(super) fn run(image: &Sets, asked: &Asked, watch: &Watch<'_>) -> Result<(Group, u32), Stopped> {
    let group = Group::new(image, asked);
    let mut rounds = Rounds { group, asked, watch, pairs: Suspects::All, triples: Suspects::All, count: 0 };
    match asked.m {
        0 | 1 => rounds.count = 1,
        2 => rounds.pairs()?,
        _ => {
            rounds.pairs()?;
            // Much is gone: of the three items of a triple another may be the rarest now.
            rounds.group = Group::new(&rounds.group.named(), asked);
            rounds.pairs.take(rounds.group.ranks());
            rounds.triples()?;
        }
    }
    Ok((rounds.group, rounds.count))
}

struct Rounds<'a> {
    group: Group,
    asked: &'a Asked,
    watch: &'a Watch<'a>,
    pairs: Suspects,
    triples: Suspects,
    count: u32,
}

impl Rounds<'_> {
    /// Removes items until each pair is that of k persons.
    fn pairs(&mut self) -> Result<(), Stopped> {
        loop {
            self.count += 1;
            let suspects = self.pairs.take(self.group.ranks());
            let losses = pairs::losses(&self.group, &suspects, self.asked.k, self.watch)?;
            if losses.is_empty() {
                return Ok(());
            }
            self.lose(&losses);
        }
    }

    /// Removes items until each triple is that of k persons; pairs already are.
    fn triples(&mut self) -> Result<(), Stopped> {
        loop {
            self.count += 1;
            let suspects = self.triples.take(self.group.ranks());
            let losses = triples::losses(&self.group, &suspects, self.asked.k, self.watch)?;
            if losses.is_empty() {
                return Ok(());
            }
            self.lose(&losses);
            self.pairs()?;
        }
    }

    /// Removes items from persons, and remembers what that can have made rare. Losses are sorted.
    fn lose(&mut self, losses: &[Loss]) {
        for theirs in losses.chunk_by(|one, next| one.0 == next.0) {
            let set = self.group.of(theirs[0].0 as usize);
            let lost: Vec<usize> =
                theirs.iter().filter_map(|(_, rank)| set.binary_search(rank).ok()).collect();
            self.pairs.pairs_of(set, &lost);
            self.triples.triples_of(set, &lost);
        }
        self.group.remove(losses, self.asked.k);
    }
}
