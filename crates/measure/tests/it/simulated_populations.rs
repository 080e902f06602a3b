//! Estimates of uniqueness and risk from samples of simulated populations, of which the truth is known.

use std::collections::BTreeMap;

use velamen_core::uniqueness::Estimator::{self, Dankar, Pitman, Snb, Zayatz};
use velamen_core::uniqueness::{Sample, estimate};
use velamen_dp::{Seed, Stream, below};
use velamen_measure::risk::class_sizes::by_size;
use velamen_measure::risk::reidentification::{Matched, estimated, risks};

/// Uniform on (0, 1).
fn unit(stream: &mut Stream) -> f64 {
    ((stream.word() >> 12) as f64 + 0.5) / (1u64 << 52) as f64
}

/// Marsaglia and Tsang 2000, the normal variate by Box and Muller.
fn gamma(shape: f64, stream: &mut Stream) -> f64 {
    if shape < 1.0 {
        return gamma(shape + 1.0, stream) * unit(stream).powf(1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    loop {
        let normal = (-2.0 * unit(stream).ln()).sqrt() * (std::f64::consts::TAU * unit(stream)).cos();
        let v = (1.0 + normal / (9.0 * d).sqrt()).powi(3);
        if v > 0.0 && unit(stream).ln() < normal * normal / 2.0 + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// Arrivals of a unit Poisson process up to `rate`.
fn poisson(rate: f64, stream: &mut Stream) -> u64 {
    let mut time = -unit(stream).ln();
    let mut count = 0;
    while time < rate {
        time -= unit(stream).ln();
        count += 1;
    }
    count
}

/// Class sizes `least` + Poisson with a gamma rate of this shape and mean.
fn poisson_gamma(cells: u64, shape: f64, mean: f64, least: u64, stream: &mut Stream) -> Vec<u64> {
    let size = |_| least + poisson(gamma(shape, stream) * mean / shape, stream);
    (0..cells).map(size).filter(|&size| size > 0).collect()
}

/// Pitman's process: record i is alone with probability (θ + αu)/(θ + i), else in a class with
/// probability in proportion to its size less α.
fn pitman_process(records: u64, theta: f64, alpha: f64, stream: &mut Stream) -> Vec<u64> {
    let (mut sizes, mut class_of) = (Vec::<u64>::new(), Vec::<usize>::new());
    for i in 0..records {
        let alone = (theta + alpha * sizes.len() as f64) / (theta + i as f64);
        if unit(stream) < alone {
            class_of.push(sizes.len());
            sizes.push(1);
            continue;
        }
        let class = loop {
            let class = class_of[below(stream, i) as usize];
            if unit(stream) * sizes[class] as f64 > alpha {
                break class;
            }
        };
        sizes[class] += 1;
        class_of.push(class);
    }
    sizes
}

/// Each record is in the sample with this probability.
fn sampled(population: &[u64], fraction: f64, stream: &mut Stream) -> Sample {
    let mut sizes = BTreeMap::new();
    for &size in population {
        let kept = (0..size).filter(|_| unit(stream) < fraction).count() as u64;
        *sizes.entry(kept).or_insert(0) += 1;
    }
    let sizes: Vec<(u64, u64)> = sizes.into_iter().collect();
    Sample::new(&sizes, population.iter().sum()).expect("a sample of that population")
}

/// The mean over five samples of the estimate over the truth.
fn quotient(population: &[u64], fraction: f64, by: Estimator, stream: &mut Stream) -> f64 {
    let truth = population.iter().filter(|&&size| size == 1).count() as f64;
    let found = |_| estimate(&sampled(population, fraction, stream), by).uniques / truth;
    (0..5).map(found).sum::<f64>() / 5.0
}

#[test]
fn pitman_finds_the_uniques_of_pitman_processes() {
    let mut stream = Seed::from_number(40).stream(0);
    for (theta, alpha) in [(500.0, 0.6), (2000.0, 0.3), (5000.0, 0.0)] {
        let population = pitman_process(100_000, theta, alpha, &mut stream);
        // Within a tenth for a tenth of the population, a twentieth for more.
        for (fraction, tolerance) in [(0.1, 0.1), (0.3, 0.05), (0.7, 0.05)] {
            let q = quotient(&population, fraction, Pitman, &mut stream);
            assert!((q - 1.0).abs() < tolerance, "({theta}, {alpha}) at {fraction}: {q}");
        }
    }
}

#[test]
fn snb_and_zayatz_need_a_large_sample() {
    let mut stream = Seed::from_number(41).stream(0);
    for (shape, mean, least) in [(0.2, 3.0, 0), (0.5, 2.0, 0), (1.0, 3.0, 1)] {
        let population = poisson_gamma(40_000, shape, mean, least, &mut stream);
        // Within a twentieth, and an eighth, where 70 % are in the sample.
        let q = [Snb, Zayatz].map(|by| quotient(&population, 0.7, by, &mut stream));
        assert!((q[0] - 1.0).abs() < 0.05 && (q[1] - 1.0).abs() < 0.125, "{q:?}");
        // Published, and so here: far too many where 2 % are.
        let q = [Snb, Zayatz].map(|by| quotient(&population, 0.02, by, &mut stream));
        assert!(q[0] > 5.0 && q[1] > 5.0, "{q:?}");
    }
}

#[test]
fn the_decision_rule_takes_what_it_says() {
    let mut stream = Seed::from_number(42).stream(0);
    let population = poisson_gamma(40_000, 0.2, 3.0, 0, &mut stream);
    for fraction in [0.02, 0.05, 0.3, 0.7] {
        let sample = sampled(&population, fraction, &mut stream);
        let of = |by| estimate(&sample, by);
        let expected = match fraction {
            ..=0.1 => of(Pitman),
            _ if of(Snb).uniques <= of(Zayatz).uniques => of(Snb),
            _ => of(Zayatz),
        };
        assert_eq!(of(Dankar), expected, "{fraction}");
    }
    // Within a quarter above a fraction of a quarter; Pitman's model does not fit this population.
    for fraction in [0.3, 0.7] {
        let q = quotient(&population, fraction, Dankar, &mut stream);
        assert!((q - 1.0).abs() < 0.25, "{fraction}: {q}");
    }
}

/// The mean risk of the records of a sample that is estimated, over what it is.
fn risk_quotient(population: &[u64], fraction: f64, stream: &mut Stream) -> f64 {
    let drawn = |&size: &u64| ((0..size).filter(|_| unit(stream) < fraction).count() as u64, size);
    let classes: Vec<(u64, u64)> = population.iter().map(drawn).filter(|class| class.0 > 0).collect();
    let counted: Vec<Matched> = classes.iter().map(|&(size, of)| Matched::counted(size, of)).collect();
    let sizes = by_size(classes.iter().map(|class| class.0));
    let mean = |classes: &[Matched]| risks(classes, 0.2).expect("there are classes").marketer.mean;
    mean(&estimated(&sizes, population.iter().sum())) / mean(&counted)
}

#[test]
fn the_risk_of_a_sample_is_near_the_truth() {
    let mut stream = Seed::from_number(43).stream(0);
    // Of Pitman's model, and of others, which it makes out to be riskier than they are.
    let own = [(500.0, 0.6), (2000.0, 0.3), (5000.0, 0.0)];
    let own = own.map(|(theta, alpha)| pitman_process(100_000, theta, alpha, &mut stream));
    let others = [(0.2, 3.0, 0), (0.5, 2.0, 0), (1.0, 3.0, 1)];
    let others = others.map(|(shape, mean, least)| poisson_gamma(40_000, shape, mean, least, &mut stream));
    for (fraction, of_own, of_others) in [
        (0.02, 0.7..1.4, 0.8..1.7),
        (0.1, 0.9..1.1, 0.95..1.35),
        (0.3, 0.95..1.05, 0.97..1.2),
        (0.7, 0.98..1.02, 0.98..1.1),
    ] {
        for population in &own {
            let q = risk_quotient(population, fraction, &mut stream);
            assert!(of_own.contains(&q), "{fraction}: {q}");
        }
        for population in &others {
            let q = risk_quotient(population, fraction, &mut stream);
            assert!(of_others.contains(&q), "{fraction}: {q}");
        }
    }
}
