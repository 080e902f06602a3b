//! Thinning the codes of 10,000 made-up patients, k = 5.

mod made_up;

use divan::Bencher;
use made_up::Codes;
use velamen_sets::{Asked, Objective, alone, apriori, thin, thin_for};

fn main() {
    divan::main();
}

#[divan::bench(args = [1, 2, 3])]
fn ten_thousand(bencher: Bencher<'_, '_>, m: u8) {
    let sets = Codes::new().patients(10_000, 1);
    let asked = Asked { k: 5, m, largest_set: 128 };
    bencher.bench(|| thin(&sets, &[0; 10_000], &asked, None, &|| false));
}

#[divan::bench(args = [1, 2])]
fn ten_thousand_climbing(bencher: Bencher<'_, '_>, m: u8) {
    let codes = Codes::new();
    let sets = codes.patients(10_000, 1);
    let asked = Asked { k: 5, m, largest_set: 128 };
    bencher.bench(|| thin(&sets, &[0; 10_000], &asked, Some(&codes.tree), &|| false));
}

/// As the papers count: what the baseline is compared with.
#[divan::bench(args = [1, 2])]
fn ten_thousand_climbing_by_leaves(bencher: Bencher<'_, '_>, m: u8) {
    let codes = Codes::new();
    let sets = codes.patients(10_000, 1);
    let asked = Asked { k: 5, m, largest_set: 128 };
    let by_leaves = || thin_for(Objective::Leaves, &sets, &[0; 10_000], &asked, Some(&codes.tree), &|| false);
    bencher.bench(by_leaves);
}

/// The baseline: generalization alone.
#[divan::bench(args = [1, 2], sample_count = 3)]
fn ten_thousand_apriori(bencher: Bencher<'_, '_>, m: u8) {
    let codes = Codes::new();
    let sets = codes.patients(10_000, 1);
    bencher.bench(|| apriori(&sets, 5, m, &codes.tree));
}

#[divan::bench(args = [1, 2, 3])]
fn ten_thousand_alone(bencher: Bencher<'_, '_>, m: u8) {
    let sets = Codes::new().patients(10_000, 1);
    bencher.bench(|| alone(&sets, &[0; 10_000], m));
}
