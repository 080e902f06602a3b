//! Names of people who do not exist.

use velamen_dp::{Stream, below};

const FIRST: [&str; 24] = [
    "Ada", "Bela", "Cleo", "Dario", "Edda", "Falk", "Gesa", "Hugo", "Ines", "Joris", "Katja", "Levin",
    "Mira", "Nils", "Oda", "Pavel", "Quinn", "Runa", "Silvan", "Thea", "Udo", "Vera", "Wim", "Yara",
];

const STEMS: [&str; 16] = [
    "Alder", "Birken", "Carls", "Dorn", "Ecker", "Fels", "Gran", "Holm", "Iver", "Jans", "Kehl", "Linden",
    "Moor", "Nord", "Oster", "Pell",
];

const ENDS: [&str; 8] = ["bach", "berg", "feld", "gaard", "haus", "mann", "sen", "wood"];

/// First name and family name of a number.
pub(super) fn name(number: u64) -> String {
    let pick = |list: &[&'static str], number: u64| list[(number % list.len() as u64) as usize];
    let (first, rest) = (pick(&FIRST, number), number / FIRST.len() as u64 + number);
    format!("{first} {}{}", pick(&STEMS, rest), pick(&ENDS, rest / STEMS.len() as u64 + number))
}

/// Anybody's name.
pub(super) fn anybody(stream: &mut Stream) -> String {
    name(below(stream, 24 * 16 * 8))
}
