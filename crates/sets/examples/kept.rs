//! How many codes of made-up patients survive: `kept PERSONS M [CLASSES [levels|leaves]]`, for k = 5.
#![allow(clippy::print_stdout, reason = "a tool for the terminal")]

#[path = "../benches/thin/made_up.rs"]
mod made_up;

use std::time::Instant;

use made_up::Codes;
use velamen_sets::{Asked, Objective, REMOVED, Sets, Stopped, Tree, alone, apriori, largest_k, thin_for};

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
    let leaves = given.get(3).is_some_and(|text| text == "leaves");
    let objective = if leaves { Objective::Leaves } else { Objective::Levels };
    let tree = given.get(3).map(|_| &codes.tree);
    let start = Instant::now();
    let thinned = thin_for(objective, &sets, &classes, &asked, tree, &|| false)?;
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
    if persons <= 20_000 {
        println!("NCP {:.3}", ncp(&sets, &thinned.released, &codes.tree));
        let start = Instant::now();
        let recoded = apriori(&sets, 5, m, &codes.tree);
        println!("apriori: NCP {:.3}, {:.2} s", recoded.ncp, start.elapsed().as_secs_f64());
    }
    Ok(())
}

/// The mean penalty over all pairs; a removed one has lost all.
fn ncp(sets: &Sets, released: &[u32], tree: &Tree) -> f64 {
    let lost = |&node: &u32| if node == REMOVED { 1.0 } else { tree.penalty(node) };
    released.iter().map(lost).sum::<f64>() / sets.len() as f64
}
