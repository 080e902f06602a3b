//! Limits of tables and of the model, by hand.

use super::super::refit::Noisy;
use super::super::tests::table;
use super::*;

/// Four values of each attribute.
const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// Whether the tables over these attributes, by number, are within the limits: the model's cells and a table's.
fn within(further: &[&[usize]], barred: &[&[usize]], limits: (Option<u64>, Option<u64>)) -> Option<bool> {
    let noisy = |set: &[usize]| Noisy { set: set.to_vec(), counts: Vec::new(), variances: Vec::new() };
    let alone = (0..NAMES.len()).map(|a| noisy(&[a]));
    let names = |set: &[usize]| set.iter().filter_map(|&a| NAMES.get(a).copied()).collect::<Vec<&str>>();
    let values = || ["0", "1", "2", "3"].map(String::from).to_vec();
    let measured = Measurements {
        domains: NAMES.map(|name| (name.to_owned(), values())).into(),
        alone: NAMES.map(|name| table(&[name], "1", "")).to_vec(),
        tables: further.iter().map(|set| table(&names(set), "1", "")).collect(),
        ..Measurements::default()
    };
    let problem = Problem {
        sizes: vec![4; NAMES.len()],
        tables: alone.chain(further.iter().map(|set| noisy(set))).collect(),
        barred: barred.iter().map(|set| (set.to_vec(), Vec::new())).collect(),
    };
    let (model_cells, max_cells) = limits;
    let promises = Promises { method: "mst".into(), model_cells, max_cells, ..Promises::default() };
    hold(&measured, &promises, &problem)
}

#[test]
fn a_table_has_no_more_cells_than_is_stated() {
    let pair = |limits| within(&[&[0, 1]], &[], limits);
    assert_eq!([pair((None, None)), pair((None, Some(16))), pair((Some(16), None))], [Some(true); 3]);
    assert_eq!([pair((None, Some(15))), pair((Some(15), None))], [Some(false); 2]);
    assert_eq!(within(&[&[0, 1, 2]], &[], (None, Some(16))), Some(false), "64 cells");
    // An attribute once more is as large as its domain.
    let once_more = |limits| within(&[&[0], &[1]], &[], limits);
    assert_eq!([once_more((None, Some(3))), once_more((Some(4), None))], [Some(true); 2]);
    assert_eq!(once_more((Some(3), None)), Some(false), "a domain of four values");
}

#[test]
fn barred_pairs_bound_the_model() {
    // A tree of pairs is chosen before its size is known, unless pairs are barred.
    assert_eq!(within(&[&[0, 1], &[1, 2], &[3, 4]], &[], (Some(16), None)), Some(true));
    // Three pairs of 16 cells, and two attributes of 4 until the third table.
    let tree = |most| within(&[&[1, 2]], &[&[0, 1]], (Some(most), None));
    assert_eq!([tree(40), tree(39)], [Some(true), Some(false)]);
    let two = |most| within(&[&[1, 2], &[3, 4]], &[&[0, 1]], (Some(most), None));
    assert_eq!([two(48), two(47)], [Some(true), Some(false)]);
    // What is there already adds nothing: the barred pair itself, and an attribute once more.
    assert_eq!(within(&[&[0, 1], &[2]], &[&[0, 1], &[1, 2], &[2, 3]], (Some(16), None)), Some(true));
}
