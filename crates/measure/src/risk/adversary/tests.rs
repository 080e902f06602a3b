//! The adversary on releases of known making: ten kinds of classes, of which some are rare and padded.

use std::sync::atomic::AtomicBool;

use velamen_core::context::Silent;
use velamen_core::frequency::{Rest, RestColumn, Role};
use velamen_core::hierarchy::Rule;
use velamen_core::release::{CatalogRow, Release, ReleasedAttribute, Row};
use velamen_dp::{Seed, Stream, below};

use super::*;

const VALUES: usize = 6;
const WIDTH: u32 = 20;
const LAW: Law = Law { k: 5, largest: 11, least_real: 1 };

/// Where the values of counterfeits come from.
#[derive(Clone, Copy, PartialEq)]
enum Draw {
    /// Any value alike.
    Any,
    /// As the real records of the class have them.
    AsReal,
}

/// What goes with the first attribute, mostly.
fn real_value(a: u32, stream: &mut Stream) -> u32 {
    if below(stream, 10) < 8 { a % VALUES as u32 } else { below(stream, VALUES as u64) as u32 }
}

/// 400 classes of two attributes, every fourth large, padded by the law and drawn as said; the counterfeits of each
/// class and value.
fn made(draw: Draw) -> (Release, Vec<(usize, u32, u64)>) {
    let mut stream = Seed::from_number(3).stream(0);
    let names = |what: &str, of: u32| (0..of).map(|code| format!("{what}{code}")).collect::<Vec<_>>();
    let columns =
        vec![RestColumn { name: "s".into(), role: Role::Sensitive, values: names("s", VALUES as u32) }];
    let hierarchy = |what: &str| Rule::Flat.over(names(what, WIDTH), false).1;
    let mut release = Release {
        qis: ["a", "b"].map(|name| ReleasedAttribute::at_level(name, &hierarchy(name), 0)).to_vec(),
        rest: Rest { columns, codes: vec![(0..VALUES as u32).collect()], len: VALUES },
        ..Release::default()
    };
    let (mut truth, mut catalog, mut group) = (Vec::new(), vec![0u64; VALUES], Vec::new());
    for class in 0..WIDTH * WIDTH {
        let a = class / WIDTH;
        release.codes.extend([a, class % WIDTH]);
        let real = if class % 4 == 0 { 60 } else { 1 + below(&mut stream, 6) * below(&mut stream, 2) };
        let mut target = LAW.k;
        while target < LAW.largest && below(&mut stream, 2) == 0 {
            target += 1;
        }
        let mut counts = [0u64; VALUES];
        (0..real).for_each(|_| counts[real_value(a, &mut stream) as usize] += 1);
        for _ in real..target.max(real) {
            let value = match draw {
                Draw::Any => below(&mut stream, VALUES as u64) as u32,
                Draw::AsReal => real_value(a, &mut stream),
            };
            counts[value as usize] += 1;
            catalog[value as usize] += 1;
            truth.push((class as usize, value, 1));
        }
        let held = counts.iter().zip(0..).filter(|(count, _)| **count > 0);
        release.rows.extend(held.map(|(&count, rest)| Row { class, rest, count }));
        release.sizes.push(counts.iter().sum());
        if release.sizes[class as usize] <= LAW.largest {
            group.push(u64::from(class) + 1);
        }
    }
    let row = |(value, &count): (usize, &u64)| CatalogRow {
        classes: group.clone().into(),
        value: format!("s{value}"),
        count,
    };
    release.catalog = catalog.iter().enumerate().filter(|(_, count)| **count > 0).map(row).collect();
    (release, truth)
}

fn figures(draw: Draw, local: bool) -> AdversaryFigures {
    by(draw, local, Effort::FULL)
}

fn by(draw: Draw, local: bool, effort: Effort) -> AdversaryFigures {
    let (release, truth) = made(draw);
    let names: Vec<String> = (0..VALUES).map(|value| format!("s{value}")).collect();
    let flat = Rule::Flat.over((0..WIDTH).map(|code| format!("a{code}")).collect(), false).1;
    let sight = Sight::new(&release, &[&flat, &flat], Told { law: LAW, local, values: 1 }, effort).unwrap();
    let counterfeits =
        sight.by_cell(truth.iter().map(|&(class, value, count)| (class, &*names[value as usize], count)));
    let placed = counterfeits.iter().sum::<u64>();
    assert_eq!(placed == release.counterfeits(), effort == Effort::FULL);
    let (seed, cancel) = (Seed::from_number(1), AtomicBool::new(false));
    sight.figures(&counterfeits, None, &Context { seed: &seed, progress: &Silent, cancel: &cancel }).unwrap()
}

#[test]
fn values_that_do_not_fit_their_class_are_told() {
    let found = figures(Draw::Any, false);
    assert!(found.auc_where_possible.unwrap() > 0.8, "{found:?}");
    assert!(found.auc.unwrap() > found.auc_where_possible.unwrap(), "{found:?}");
    assert!(found.auc_knowing_some.unwrap() > 0.8, "{found:?}");
    assert!(found.alone.persons > 100 && found.alone.right > 2.0 * found.alone.by_chance, "{found:?}");
    // What is believed is about what comes true.
    assert!((found.auc_where_possible.unwrap() - found.auc_expected.unwrap()).abs() < 0.05, "{found:?}");
    assert!((found.alone.right - found.alone_posterior).abs() < 0.1, "{found:?}");
    assert!(found.effective_k.unwrap() < 5.0);
}

#[test]
fn who_counts_tells_by_the_size_of_a_class() {
    // Every class holds one counterfeit of the same value, the small ones among three records and the large ones among thirty.
    let values = vec!["a".to_owned()];
    let columns = vec![RestColumn { name: "s".into(), role: Role::Sensitive, values }];
    let hierarchy = Rule::Flat.over((0..20).map(|code| format!("a{code}")).collect(), false).1;
    let sizes: Vec<u64> = (0..20).map(|class| if class % 2 == 0 { 3 } else { 30 }).collect();
    let release = Release {
        qis: vec![ReleasedAttribute::at_level("a", &hierarchy, 0)],
        codes: (0..20).collect(),
        rest: Rest { columns, codes: vec![vec![0]], len: 1 },
        rows: (0..20u32).map(|class| Row { class, rest: 0, count: sizes[class as usize] }).collect(),
        sizes,
        catalog: vec![CatalogRow { classes: (1..=20).collect(), value: "a".into(), count: 20 }],
        ..Release::default()
    };
    let told = Told { law: Law { k: 3, largest: u64::MAX, least_real: 1 }, local: false, values: 1 };
    let sight = Sight::new(&release, &[&hierarchy], told, Effort::FULL).unwrap();
    let placed = sight.by_cell((0..20).map(|class| (class, "a", 1)));
    let (seed, cancel) = (Seed::from_number(1), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    let found = sight.figures(&placed, None, &context).unwrap();
    // Half of the counterfeits tie with the 20 real records of small classes and are above the 290 others; half tie with these.
    let expected = 0.5 * (290.0 + 10.0) / 310.0 + 0.5 * 145.0 / 310.0;
    assert!((found.auc_by_counting.unwrap() - expected).abs() < 1e-9, "{found:?}");
}

#[test]
fn who_counts_tells_by_the_classes_around() {
    // Four classes of five records, each with others that differ from it in one label: two among crowds, two among few. These have
    // four counterfeits each, and those have one.
    let values = vec!["a".to_owned()];
    let columns = vec![RestColumn { name: "s".into(), role: Role::Sensitive, values }];
    let hierarchy = Rule::Flat.over((0..8).map(|code| format!("a{code}")).collect(), false).1;
    let attribute = || ReleasedAttribute::at_level("a", &hierarchy, 0);
    let sizes: Vec<u64> = vec![5, 90, 5, 90, 5, 10, 5, 10];
    let release = Release {
        qis: vec![attribute(), attribute()],
        codes: (0..8).flat_map(|class| [class / 2, class]).collect(),
        rest: Rest { columns, codes: vec![vec![0]], len: 1 },
        rows: (0..8u32).map(|class| Row { class, rest: 0, count: sizes[class as usize] }).collect(),
        sizes,
        catalog: vec![CatalogRow { classes: (1..=8).collect(), value: "a".into(), count: 10 }],
        ..Release::default()
    };
    let told = Told { law: Law { k: 5, largest: 9, least_real: 1 }, local: false, values: 1 };
    let sight = Sight::new(&release, &[&hierarchy, &hierarchy], told, Effort::FULL).unwrap();
    let placed = sight.by_cell([(0, "a", 1), (2, "a", 1), (4, "a", 4), (6, "a", 4)]);
    let (seed, cancel) = (Seed::from_number(1), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    let found = sight.figures(&placed, None, &context).unwrap();
    // Eight counterfeits among few tie with two real records and are above eight; two among crowds tie with these.
    let expected = 0.8 * (8.0 + 1.0) / 10.0 + 0.2 * 4.0 / 10.0;
    assert!((found.auc_by_counting.unwrap() - expected).abs() < 1e-9, "{found:?}");
}

#[test]
fn what_a_promised_number_of_values_proves_is_not_doubted() {
    let (release, _) = made(Draw::Any);
    let flat = Rule::Flat.over((0..WIDTH).map(|code| format!("a{code}")).collect(), false).1;
    let of = |values| {
        let sight =
            Sight::new(&release, &[&flat, &flat], Told { law: LAW, local: false, values }, Effort::FULL)
                .unwrap();
        (sight.undoubted, sight.cells.iter().filter(|cell| cell.row == NONE).count())
    };
    let (few, many) = (of(1), of(3));
    assert_eq!(few, of(0));
    // Each such cell is one record.
    assert!(many.0 > few.0 + 10 && many.0 - few.0 == (many.1 - few.1) as u64, "{few:?} {many:?}");
}

#[test]
fn values_that_fit_leave_sizes_alone() {
    for local in [false, true] {
        let found = figures(Draw::AsReal, local);
        assert!((found.auc_where_possible.unwrap() - 0.5).abs() < 0.1, "{found:?}");
        assert!((found.alone.right - found.alone.by_chance).abs() < 0.1, "{found:?}");
    }
}

#[test]
fn a_sample_gives_about_the_same() {
    for (draw, local) in [(Draw::Any, false), (Draw::AsReal, true)] {
        let full = figures(draw, local);
        let part = by(draw, local, Effort { judged: 1000, ..Effort::FULL });
        let sampled = part.sampled.unwrap();
        assert!(full.sampled.is_none() && sampled.judged < 1100 && sampled.of > 1500, "{sampled:?}");
        assert_eq!((part.counterfeits, part.surely_real), (full.counterfeits, full.surely_real));
        let pairs = [
            (full.auc, part.auc),
            (full.auc_where_possible, part.auc_where_possible),
            (full.auc_in_small_classes, part.auc_in_small_classes),
            (full.auc_knowing_some, part.auc_knowing_some),
        ];
        let near = |(full, part): &(Option<f64>, Option<f64>)| (full.unwrap() - part.unwrap()).abs() < 0.08;
        assert!(pairs.iter().all(near), "{pairs:?}");
    }
}

#[test]
fn figures_do_not_depend_on_threads() {
    let on = |threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
            .install(|| figures(Draw::Any, true))
    };
    assert_eq!(on(1), on(3));
}
