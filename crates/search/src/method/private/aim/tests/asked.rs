//! What a run asks of its door, by hand, where the answers are the table's own counts.

use velamen_dp::{Answer, Answered, Cost, Door, Query};

use super::*;
use crate::method::private::invented::Zeros;
use crate::method::private::invented::asked::InventsRecords;

const OF_THREE: InventedParams = InventedParams { records_per_person: 3, ..PARAMS.invented };

/// Counts of three attributes with 2, 3 and 2 values, the last one's fastest: the first two depend on one another.
const COUNTS: [u64; 12] = [225, 75, 150, 50, 75, 25, 75, 25, 150, 50, 225, 75];

fn records() -> FrequencyTable {
    let code = |step: u32, size: u32| (0..12).map(move |cell| cell / step % size).collect();
    FrequencyTable {
        counts: COUNTS.map(|count| count * 100).to_vec(),
        ..table(&[2, 3, 2], vec![code(6, 2), code(2, 3), code(1, 2)])
    }
}

/// A run of which all noise is 0, and which chooses as it did with noise.
fn without_noise(method: &Aim, run: impl Fn(&Context<'_>, &mut Door)) -> Vec<Answered> {
    in_context(3, |context| {
        let mut live = method.bought.door(context).recording();
        run(context, &mut live);
        let mut tape = live.tape();
        for answered in &mut tape.0 {
            if let Query::Noise { counts, .. } = &answered.query {
                answered.answer = Answer::Numbers(counts.clone());
            }
        }
        let mut replayed = Door::replay(tape, Cost::Rho(method.rho())).recording();
        run(context, &mut replayed);
        replayed.tape().0
    })
}

fn asked(method: &Aim) -> Vec<Answered> {
    let node = Node(vec![0; 3]);
    without_noise(method, |context, door| {
        method.invented(&records(), Levels::of(&node), context, door).map(drop).unwrap();
    })
}

fn noise(answered: &Answered) -> (u64, f64) {
    let Query::Noise { sensitivity, law, .. } = &answered.query else { panic!("{answered:?}") };
    (*sensitivity, law.variance().to_f64())
}

fn choice(answered: &Answered) -> (&[i64], u64, f64) {
    let Query::Choice { scores, sensitivity, epsilon } = &answered.query else { panic!("{answered:?}") };
    (scores, *sensitivity, epsilon.to_f64())
}

#[track_caller]
fn is_near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
}

/// √(2/π).
fn mean_distance() -> f64 {
    (2.0 / std::f64::consts::PI).sqrt()
}

/// ‖M − μμ/N̂‖₁ of the pairs 0 with 1, 0 with 2, and 1 with 2: N̂ is 120,000, its parts are ½ and ½, ⅓ each, ¾ and ¼.
const DISTANCES: [f64; 3] = [40_000.0, 0.0, 0.0];

/// A1 and A2, with σ, S and T as they are defined.
#[test]
fn whether_pairs_are_worth_it_is_asked_as_the_method_says() {
    let method = Aim::try_from(AimParams { invented: OF_THREE, ..PARAMS }).unwrap();
    let (tape, rho) = (asked(&method), method.rho().to_f64());
    let weights = [2.0f64, 3.0, 2.0].map(|size| size.powf(2.0 / 3.0));
    // Three records of a person: ρ for one is less than a 200th.
    let alone = weights.map(|weight| 9.0 / (2.0 * rho / 2.0 * weight / weights.iter().sum::<f64>()));
    for (answered, variance) in tape.iter().zip(alone) {
        assert_eq!((&answered.step[..], noise(answered).0), ("attribute", 3));
        is_near(noise(answered).1, variance);
    }
    let (scores, sensitivity, epsilon) = choice(&tape[3]);
    // At most d − 1 pairs; each score moves by three records.
    assert_eq!((sensitivity, scores.len(), scores[1]), (6 << 10, 2, 0));
    is_near(epsilon, (8.0 * rho / 50.0).sqrt());
    // Half of ρ is left, of which two pairs get nine tenths.
    let sigma = (9.0 / (2.0 * rho / 2.0 * 0.9 / 2.0)).sqrt();
    let of = |a: usize, size: f64| mean_distance() * alone[a].sqrt() * size;
    let noise_alone = [of(0, 2.0), of(1, 3.0), of(2, 2.0)];
    let s = DISTANCES[0] - mean_distance() * sigma * 6.0 - noise_alone[0] - noise_alone[1];
    // Each attribute is in two pairs.
    let t = 0.5 * 2.0 * noise_alone.iter().sum::<f64>() * (1.0 - 0.5f64.sqrt());
    let doubt = 2.0 * 2.0 * 6.0 / epsilon;
    let expected = s - t - doubt;
    assert!(
        (scores[0] as f64 / 1024.0 - expected).abs() < 1e-3 * (DISTANCES[0] - expected),
        "{scores:?} {expected}"
    );
}

/// A4 to A6: the first round's scores, and each round's shares.
#[test]
fn rounds_are_asked_as_the_method_says() {
    let method = Aim::try_from(AimParams { invented: OF_THREE, ..PARAMS }).unwrap();
    let tape = asked(&method);
    let (scores, ..) = choice(&tape[4]);
    let (c, variance) = noise(&tape[5]);
    let cells = [2, 6, 4, 3, 6, 2];
    let distances = [0.0, DISTANCES[0], 0.0, 0.0, 0.0, 0.0];
    for ((score, cells), distance) in scores.iter().zip(cells).zip(distances) {
        // A pair shares four attributes with the workload's three pairs, an attribute two.
        let weight = if cells > 3 { 4.0 } else { 2.0 };
        let expected = weight * (distance - mean_distance() * variance.sqrt() * f64::from(cells));
        assert!((*score as f64 / 1024.0 - expected).abs() < 1.0, "{scores:?} {expected}");
    }
    assert_eq!((scores.len(), c), (6, 3));
    for round in tape[4..].chunks(2) {
        let ((_, sensitivity, epsilon), (c, variance)) = (choice(&round[0]), noise(&round[1]));
        assert_eq!(
            (sensitivity, c, &round[0].step[..], &round[1].step[..]),
            (12 << 10, 3, "choice", "table")
        );
        // ε²/8 is a tenth, and 9/(2σ²) nine.
        is_near(epsilon * epsilon / 8.0 * 9.0, 9.0 / (2.0 * variance));
    }
    let left = method.rho().to_f64() * (0.5 - 0.02);
    is_near(9.0 / (2.0 * variance), 0.9 * left / 48.0);
}

/// A6: the first round shows the one pair that depends, and no other shows anything. So a 48th of what is left goes to each of two
/// rounds, 4 and 16 of them to the next, and the last has the other 26.
#[test]
fn noise_is_halved_where_nothing_new_is_shown() {
    let method = Aim::try_from(AimParams { invented: OF_THREE, ..PARAMS }).unwrap();
    let tape = asked(&method);
    let rounds: Vec<f64> = tape[4..].chunks(2).map(|round| noise(&round[1]).1).collect();
    assert_eq!(rounds.len(), 5, "{rounds:?}");
    for (variance, parts) in rounds.iter().zip([1.0, 1.0, 4.0, 16.0, 26.0]) {
        is_near(rounds[0] / variance, parts);
    }
}

/// Before rounds begin, of a table.
fn begun(method: &Aim, table: &FrequencyTable, look: impl Fn(Rounds<'_>)) {
    without_noise(method, |context, door| {
        let codes = Codes::of(table, &Node(vec![0; table.qis.len()]));
        let laws = method.bought.laws(method.alone(), &codes.sizes).unwrap();
        let mut measuring = Measuring::new(context, door, method.bought.params);
        let (codes, fit) = measuring.alone(codes, &laws, &Zeros::default()).unwrap();
        look(Rounds::new(method, measuring, codes, fit).unwrap());
    });
}

/// A4: of 2, 3 and 2 values a pair and the attribute beside it have 8, 7 and 8 cells.
#[test]
fn candidates_are_what_the_spent_part_of_the_cells_holds() {
    let method =
        Aim::try_from(AimParams { invented: InventedParams { model_cells: 16, ..OF_THREE }, ..PARAMS })
            .unwrap();
    begun(&method, &records(), |mut rounds| {
        let of = |rounds: &Rounds<'_>, spent| {
            rounds.candidates(spent).unwrap().into_iter().filter(|set| set.len() > 1).collect::<Vec<_>>()
        };
        assert_eq!(of(&rounds, 0.43), Vec::<Set>::new());
        assert_eq!(of(&rounds, 7.0 / 16.0), [vec![0, 2]]);
        assert_eq!(of(&rounds, 0.5), [vec![0, 1], vec![0, 2], vec![1, 2]]);
        assert_eq!(rounds.candidates(0.0).unwrap(), [vec![0], vec![1], vec![2]], "in a clique already");
        rounds
            .measuring
            .table(vec![0, 1], &[100; 6], law(Zcdp::units(1 << 50), 3).unwrap(), &mut rounds.fit)
            .unwrap();
        assert_eq!(of(&rounds, 0.0), [vec![0, 1]]);
        // Half is spent on attributes, and a little on the table.
        let shares = Shares { choice: Zcdp::units(0), noise: rounds.method.rho().share(1, 4).unwrap() };
        assert!(
            (rounds.spent_after(shares) - 0.75 - 2f64.powi(-10) / rounds.method.rho().to_f64()).abs() < 1e-3
        );
    });
}

/// With ε = 10⁻⁵, ρ is 4.36·10⁻¹²: the first round of d attributes has noise of 16d/(2·0.9·0.48ρ), at most 2⁴⁸.
#[test]
fn what_is_too_little_for_so_many_rounds_is_refused_at_once() {
    let method = with(1e-5);
    let refused =
        |attributes: usize| InventsRecords::refuse_unbearable(&method, &vec![2; attributes]).is_err();
    assert_eq!([refused(1), refused(66), refused(67)], [false, false, true]);
}

/// A2: two distributions of N̂ records are 2N̂ apart at most, and one value depends on nothing.
#[test]
fn pairs_are_asked_about_that_can_be_worth_their_noise() {
    let method = with(1.0);
    let sets = |asked: Vec<worth::Asked>| asked.into_iter().map(|pair| pair.set).collect::<Vec<Set>>();
    begun(&method, &records(), |rounds| {
        // N̂ is 120,000; the noise of pairs themselves is some hundred records.
        let asked = |alone: [f64; 3]| sets(rounds.asked(&alone).unwrap());
        assert_eq!(asked([0.0; 3]), [vec![0, 1], vec![0, 2], vec![1, 2]]);
        assert_eq!(asked([115_000.0, 115_000.0, 130_000.0]), [vec![0, 1]]);
        assert_eq!(asked([120_000.0; 3]), Vec::<Set>::new());
    });
    let one = table(&[1, 2], vec![vec![0; 500], (0..500).map(|record| record % 2).collect()]);
    begun(&method, &one, |rounds| assert!(rounds.asked(&[0.0; 2]).unwrap().is_empty()));
}
