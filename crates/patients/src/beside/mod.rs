//! What only the custodian has beside a release: the original tables, and how its rows became released ones.

mod custody;
mod pairs;
mod texts;

pub(crate) use custody::{
    CLIMBED, Custody, EMPTIED, ENCODING, INPUT, KEYS, MADE_ANEW, Missing, SHIFTS, TABLES, sum_of,
};
pub(crate) use pairs::{Pair, Pairs, key, parent};
pub(crate) use texts::Texts;
