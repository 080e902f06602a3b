//! Draws a sample and shows how fast, how diverse and how close to the published figures it is.
//!
//! `cargo run --release --example nps -- 1361000 42`
#![allow(clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use velamen_dp::Seed;
use velamen_synth::published::{STAY_MEN, STAY_WOMEN, STROKE_MEN, STROKE_WOMEN};
use velamen_synth::{COLUMNS, Nps, Record, append_csv, labels};

fn main() {
    let argument =
        |n: usize, default: u64| std::env::args().nth(n).and_then(|a| a.parse().ok()).unwrap_or(default);
    let rows = argument(1, velamen_synth::published::ROWS);
    let sample = Nps::new(rows, &Seed::from_number(argument(2, 42)));

    speed(&sample);
    let records: Vec<Record> = (0..sample.blocks()).flat_map(|index| sample.block(index)).collect();
    diversity(&records);
    frequent(&records);
    strokes(&records, "M", STROKE_MEN, STAY_MEN);
    strokes(&records, "F", STROKE_WOMEN, STAY_WOMEN);
}

fn speed(sample: &Nps) {
    // The tables are built with the first block.
    drop(sample.block(0));
    let (mut drawing, mut writing, mut bytes) = (0.0, 0.0, 0);
    let mut csv = Vec::new();
    for index in 0..sample.blocks() {
        let start = Instant::now();
        let records = sample.block(index);
        drawing += start.elapsed().as_secs_f64();
        csv.clear();
        let start = Instant::now();
        append_csv(&records, &mut csv);
        writing += start.elapsed().as_secs_f64();
        bytes += csv.len();
    }
    let million = sample.rows() as f64 / 1e6;
    println!("{million} million records, {bytes} bytes of CSV");
    println!("drawing {:.1}, writing {:.1} million records/s", million / drawing, million / writing);
    println!("together {:.1} million records/s", million / (drawing + writing));
}

fn diversity(records: &[Record]) {
    let mut full: Vec<[u16; 6]> = records.iter().map(|record| record.codes()).collect();
    full.sort_unstable();
    full.dedup();
    let mut quasi_identifiers: Vec<&[u16]> = full.iter().map(|codes| &codes[..5]).collect();
    quasi_identifiers.dedup();
    println!("{} distinct records, {} distinct quasi-identifiers", full.len(), quasi_identifiers.len());
    let share = |condition: fn(&Record) -> bool| {
        records.iter().filter(|record| condition(record)).count() as f64 / records.len() as f64
    };
    println!(
        "visits {:.3}, surgery {:.3}",
        share(|r| r.length_of_stay() == 0),
        share(|r| r.surgery() == "Y")
    );
    let days: u64 = records.iter().map(|record| u64::from(record.length_of_stay())).sum();
    println!("mean length of stay {:.2} days", days as f64 / records.len() as f64);
    for (column, name) in COLUMNS.iter().enumerate() {
        let occurring: BTreeSet<u16> = records.iter().map(|record| record.codes()[column]).collect();
        println!("{name}: {} of {} values occur", occurring.len(), labels()[column].len());
    }
}

fn frequent(records: &[Record]) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    records.iter().for_each(|record| *counts.entry(record.diagnosis()).or_default() += 1);
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    println!("most frequent: {:?}\nleast: {:?}", &counts[..20], &counts[counts.len().saturating_sub(8)..]);
}

fn strokes(records: &[Record], sex: &str, counts: [u16; 18], stays: [u16; 9]) {
    let strokes: Vec<&Record> = records
        .iter()
        .filter(|r| r.sex() == sex && r.surgery() == "N" && ("I60"..="I69").contains(&r.diagnosis()))
        .collect();
    println!("{sex} ages      here published");
    for (group, published) in counts.iter().enumerate() {
        let here = strokes.iter().filter(|record| usize::from(record.age()) / 5 == group).count();
        println!("{sex} {:2}-{:2} {here:8} {published:9}", group * 5, group * 5 + 4);
    }
    for (decade, &published) in stays.iter().enumerate() {
        let group = strokes.iter().filter(|record| usize::from(record.age()) / 10 == decade);
        let (days, patients) = group.fold((0, 0), |(d, n), r| (d + u64::from(r.length_of_stay()), n + 1));
        let mean = days as f64 / f64::from(patients);
        println!(
            "{sex} {:2}-{:2} mean stay {mean:.1}, published {:.1}",
            decade * 10,
            decade * 10 + 9,
            f64::from(published) / 10.0
        );
    }
}
