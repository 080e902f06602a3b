//! Records that are released together.

use velamen_core::frequency::FrequencyTable;
use velamen_core::recoding::{Member, Piece, Region};

use super::objective::common_level;

/// Records that are released together.
#[derive(Debug, Clone, Default)]
pub struct Block {
    /// One by one as they came, the first being the seed.
    pub members: Vec<Member>,
    /// By cell, ascending.
    pub(super) held: Vec<(u32, u64)>,
}

/// Members under their lowest common ancestors.
pub(super) fn piece(table: &FrequencyTable, members: Vec<Member>) -> Piece {
    Piece { regions: lowest_common_values(table, &members), members }
}

/// Per quasi-identifier the lowest value of its hierarchy over some records, at least one.
pub(in crate::method) fn lowest_common_values(table: &FrequencyTable, members: &[Member]) -> Vec<Region> {
    let region = |q: usize| {
        let (hierarchy, codes) = (&table.qis[q].hierarchy, &table.codes[q]);
        let first = codes[members[0].0 as usize];
        let climb = |level, member: &Member| common_level(hierarchy, level, first, codes[member.0 as usize]);
        Region::of_node(hierarchy, members.iter().fold(0, climb), first)
    };
    (0..table.qis.len()).map(region).collect()
}
