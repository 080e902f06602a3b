//! How many codes of made-up patients survive: `kept PERSONS M [CLASSES [climb]]`, for k = 5.
#![allow(clippy::print_stdout, reason = "a tool for the terminal")]

#[path = "../benches/thin/made_up.rs"]
mod made_up;

use std::time::Instant;

use made_up::Codes;
use velamen_sets::{Asked, REMOVED, Stopped, alone, largest_k, thin};

fn main() -> Result<(), Stopped> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| given.get(at).and_then(|text| text.parse::<u32>().ok()).unwrap_or(1);
    let (persons, m, classes) = (number(0) as usize, number(1) as u8, number(2));
    let codes = Codes::new();
    let sets = codes.patients(persons, 1);
    let mut sizes: Vec<usize> = (0..persons).map(|person| sets.of(person).len()).collect();
    sizes.sort_unstable();
    println!(
        "{:.2} codes a person, {} at 99 %",
        sets.len() as f64 / persons as f64,
        sizes[persons * 99 / 100]
    );
    let classes: Vec<u32> = (0..persons as u32).map(|person| person % classes).collect();
    let start = Instant::now();
    let found = alone(&sets, &classes, m);
    let percent = |share: f64| 100.0 * share;
    println!(
        "alone by {m} codes: random {:.1} %, best {:.1} %; largest k {:?}; {:.2} s",
        percent(found.share_by_random(m.into())),
        percent(found.share_by_best(m.into())),
        largest_k(&sets, &classes, m),
        start.elapsed().as_secs_f64(),
    );
    let asked = Asked { k: 5, m, largest_set: 128 };
    let tree = given.get(3).map(|_| &codes.tree);
    let start = Instant::now();
    let thinned = thin(&sets, &classes, &asked, tree, &|| false)?;
    let seconds = start.elapsed().as_secs_f64();
    let pairs = || sets.items().iter().zip(&thinned.released).filter(|&(_, &node)| node != REMOVED);
    let exact = pairs().filter(|(item, node)| item == node).count();
    let worth: f64 = pairs().map(|(&item, &node)| codes.tree.worth(item, node)).sum();
    let share = |figure: f64| percent(figure / sets.len() as f64);
    println!(
        "{persons} persons, m = {m}: exact {:.1} %, kept {:.1} %, worth {:.1} %, rounds {}, cuts {}, put back {}, {seconds:.2} s",
        share(exact as f64),
        share(thinned.kept() as f64),
        share(worth),
        thinned.rounds,
        thinned.cuts,
        thinned.put_back,
    );
    Ok(())
}
