//! Rounds: items, pairs, triples, until nothing is removed.

use super::group::Group;
use super::{Asked, Stopped, Watch, pairs, triples};
use crate::Sets;

/// Thins one class. Triples are looked at only when all pairs are those of k persons. Ends, since each round but the last
/// removes something.
pub(super) fn run(image: Sets, asked: &Asked, watch: Watch<'_>) -> Result<(Group, u32), Stopped> {
    let mut group = Group::new(image, asked);
    let mut rounds = 0;
    loop {
        watch.check()?;
        rounds += 1;
        let Some(alive) = once(&mut group, asked, watch)? else { return Ok((group, rounds)) };
        group.keep(&alive, asked);
    }
}

/// Which pairs of a person and an item stay; none if all do.
fn once(group: &mut Group, asked: &Asked, watch: Watch<'_>) -> Result<Option<Vec<bool>>, Stopped> {
    if asked.m >= 2 {
        let alive = pairs::thin(group, asked.k, watch)?;
        if alive.is_some() || asked.m == 2 {
            return Ok(alive);
        }
        return triples::thin(group, asked.k, watch);
    }
    Ok(None)
}
