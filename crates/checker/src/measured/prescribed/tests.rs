#![allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may fail by a panic")]

use std::collections::BTreeMap;

use velamen_dp::Zcdp;

use super::*;

/// ρ(1, 10⁻⁹), nearly.
const RHO: u128 = 17_262_760_000_000_000;
/// The values of four attributes.
const SIZES: [u128; 4] = [2, 5, 4, 10];

fn name(attribute: usize) -> String {
    format!("a{attribute}")
}

fn table(set: &[usize], due: Zcdp) -> MeasuredTable {
    MeasuredTable {
        attributes: set.iter().map(|&a| name(a)).collect(),
        variance: due.variance(1).unwrap().to_string(),
        counts: String::new(),
    }
}

fn choice(set: Option<&[usize]>, due: Zcdp) -> ChosenSet {
    ChosenSet {
        epsilon: due.choice().unwrap().to_string(),
        attributes: set.map(|set| set.iter().map(|&a| name(a)).collect()),
    }
}

/// What an attribute gets of a part of ρ.
fn due((part, whole): (u128, u128), attribute: usize) -> Zcdp {
    let (all, weights) = (Zcdp::units(RHO).share(part, whole).unwrap(), SIZES.map(two_thirds));
    all.share(weights[attribute], weights.iter().sum()).unwrap()
}

/// Attributes by themselves for a part of ρ.
fn alone((part, whole): (u128, u128)) -> Measurements {
    let values = |a: usize| (0..SIZES[a]).map(|value| value.to_string()).collect();
    Measurements {
        rho: RHO.to_string(),
        sensitivity: 1,
        domains: (0..4).map(|a| (name(a), values(a))).collect::<BTreeMap<_, _>>(),
        alone: (0..4).map(|a| table(&[a], due((part, whole), a))).collect(),
        ..Measurements::default()
    }
}

fn mst(pairs: [Option<&[usize]>; 3]) -> Measurements {
    let share = |part, parts: usize| Zcdp::units(RHO).share(part, 10 * parts as u128).unwrap();
    let chosen: Vec<&[usize]> = pairs.iter().copied().flatten().collect();
    let of_pairs = || chosen.iter().map(|set| table(set, share(4, chosen.len()))).collect();
    Measurements {
        choices: pairs.iter().map(|pair| choice(*pair, share(1, 3))).collect(),
        tables: if chosen.is_empty() { alone((4, 10)).alone } else { of_pairs() },
        ..alone((1, 2))
    }
}

/// Rounds of one pair; after each with an odd number noise is halved.
/// The first tables of `aim` and, if it was asked, the choice whether pairs are worth their noise; and what is left.
fn begun(asked: Option<Option<&[usize]>>) -> (Measurements, Zcdp) {
    let mut measured = alone((1, 5));
    let mut left = Zcdp::units(RHO);
    for table in &measured.alone {
        left = left.minus(Zcdp::of_noise(1, table.variance().unwrap()).unwrap()).unwrap();
    }
    if let Some(chosen) = asked {
        let choice = choice(chosen, Zcdp::units(RHO).share(1, 50).unwrap());
        left = left.minus(Zcdp::of_choice(choice.epsilon().unwrap()).unwrap()).unwrap();
        measured.choices.push(choice);
    }
    (measured, left)
}

/// Where no pair is measured: each attribute once more, with all that is left.
fn again(asked: bool) -> Measurements {
    let (mut measured, left) = begun(asked.then_some(None));
    let weights = SIZES.map(two_thirds);
    let due = |a: usize| left.share(weights[a], weights.iter().sum()).unwrap();
    measured.tables = (0..4).map(|a| table(&[a], due(a))).collect();
    measured
}

fn aim(is_asked: bool) -> Measurements {
    let (mut measured, mut left) = begun(is_asked.then_some(Some(&[0, 1, 2, 3])));
    let tenth = |due: Zcdp, part| due.share(part, 10).unwrap();
    let first = left.share(1, 64).unwrap();
    let mut shares = (tenth(first, 1), tenth(first, 9));
    for number in 0.. {
        let is_last = left < shares.0.plus(shares.1).unwrap().share(2, 1).unwrap();
        if is_last {
            shares = (tenth(left, 1), tenth(left, 9));
        }
        let (choice, table) = (choice(Some(&[0, 3]), shares.0), table(&[0, 3], shares.1));
        left = left.minus(Zcdp::of_choice(choice.epsilon().unwrap()).unwrap()).unwrap();
        left = left.minus(Zcdp::of_noise(1, table.variance().unwrap()).unwrap()).unwrap();
        measured.choices.push(choice);
        measured.tables.push(table);
        if is_last {
            break;
        }
        if number % 2 == 1 {
            shares = (shares.0.share(4, 1).unwrap(), shares.1.share(4, 1).unwrap());
        }
    }
    measured
}

type Forgery = fn(&mut Measurements);

const OF_BOTH: [(&str, Forgery); 8] = [
    ("choices emptied", |m| m.choices.clear()),
    ("the last choice left out", |m| drop(m.choices.pop())),
    ("the last table left out", |m| drop(m.tables.pop())),
    ("a cheap choice", |m| m.choices[0].epsilon = "1/1048576".into()),
    ("a choice of another set", |m| m.choices[1].attributes = Some(vec![name(1), name(2)])),
    ("a choice of nothing", |m| m.choices[1].attributes = None),
    ("noise traded between tables", |m| {
        let (more, less) = (m.tables[0].variance.clone(), m.tables[1].variance.clone());
        m.tables[0].variance = doubled(&less);
        m.tables[1].variance = more;
    }),
    ("less rho", |m| m.rho = (RHO / 2).to_string()),
];

fn doubled(variance: &str) -> String {
    let (p, q) = variance.split_once('/').unwrap_or((variance, "1"));
    format!("{}/{q}", 2 * p.parse::<u64>().unwrap())
}

#[test]
fn steps_of_mst_are_those_of_its_rule() {
    let tree = mst([Some(&[0, 1]), Some(&[1, 3]), None]);
    assert!(holds(&tree, "mst") && !holds(&tree, "aim") && !holds(&tree, ""));
    let nothing = mst([None; 3]);
    assert!(holds(&nothing, "mst"));
    let alike = Zcdp::units(RHO).share(4, 40).unwrap();
    let alike = (0..4).map(|a| table(&[a], alike)).collect();
    assert!(!holds(&Measurements { tables: alike, ..nothing }, "mst"), "shares that are alike");
    assert!(!holds(&mst([Some(&[0, 1]), Some(&[1, 2]), Some(&[0, 2])]), "mst"), "a circle");
    assert!(!holds(&mst([Some(&[0, 1, 2]), None, None]), "mst"), "no pair");
    for (what, forge) in OF_BOTH {
        let mut forged = tree.clone();
        forge(&mut forged);
        assert!(!holds(&forged, "mst"), "{what}");
    }
}

#[test]
fn rounds_of_aim_are_those_of_its_rule() {
    // In earlier releases nothing was asked first.
    for is_asked in [false, true] {
        let rounds = aim(is_asked);
        assert!(rounds.choices.len() > 4, "{}", rounds.choices.len());
        assert!(holds(&rounds, "aim") && !holds(&rounds, "mst") && merges(&rounds, "aim"));
        for (what, forge) in OF_BOTH {
            let mut forged = rounds.clone();
            forge(&mut forged);
            assert!(!holds(&forged, "aim"), "{what}");
        }
        let spent = spent(&rounds, "aim").unwrap();
        assert!(spent.is_sorted() && spent.len() == rounds.tables.len(), "{spent:?}");
        assert!(spent[0] < 0.3 && (spent[spent.len() - 1] - 1.0).abs() < 1e-6, "{spent:?}");
    }
    let rounds = aim(false);
    let mut shorter = rounds.clone();
    drop((shorter.choices.pop(), shorter.tables.pop()));
    assert!(!holds(&shorter, "aim"), "no round takes all that is left");
    let mut unchosen = rounds.clone();
    unchosen.tables.push(unchosen.tables[0].clone());
    assert!(!holds(&unchosen, "aim"), "a table that was not chosen");
    let mut longer = rounds.clone();
    longer.choices.push(longer.choices[0].clone());
    longer.tables.push(longer.tables[0].clone());
    assert!(!holds(&longer, "aim"), "a round after the last");
}

#[test]
fn attributes_once_more_are_those_of_the_rule_of_aim() {
    for is_asked in [false, true] {
        let all = again(is_asked);
        assert!(holds(&all, "aim") && !merges(&all, "aim") && !merges(&all, "mst"));
        let mut earlier = all.clone();
        earlier.merged.insert(name(0), vec![1, 2]);
        assert!(!merges(&earlier, "aim") && merges(&earlier, "mst"));
        let mut less = all.clone();
        less.tables.pop();
        assert!(!holds(&less, "aim"), "an attribute left out");
        let mut other = all.clone();
        other.tables.swap(0, 1);
        assert!(!holds(&other, "aim"), "another order");
    }
    let mut unpaid = again(true);
    unpaid.choices.clear();
    assert!(!holds(&unpaid, "aim"), "a choice whose cost is left out");
    let mut asked = again(true);
    asked.choices[0].attributes = Some((0..4).map(name).collect());
    assert!(!holds(&asked, "aim"), "pairs chosen, and none measured");
    let mut some = aim(true);
    some.choices[0].attributes = Some(vec![name(0), name(1)]);
    assert!(!holds(&some, "aim"), "the first choice names no pair");
}

#[test]
fn noise_grows_with_the_records_of_a_person() {
    // Records of a person count as c² each.
    let mut many = alone((1, 2));
    many.sensitivity = 3;
    assert_eq!(Budget::of(&many).unwrap().is_alone((1, 2)), Some(false), "noise for one record");
    for (a, table) in many.alone.iter_mut().enumerate() {
        table.variance = due((1, 2), a).variance(3).unwrap().to_string();
    }
    let budget = Budget::of(&many).unwrap();
    assert_eq!((budget.is_alone((1, 2)), budget.is_alone((1, 5))), (Some(true), Some(false)));
}

#[test]
fn figures_are_those_of_the_door() {
    for units in [1u128 << 20, (1 << 20) + 1, (1 << 50) + 7, RHO, 1 << 60, 1 << 80] {
        for c in [1u64, 3, 1 << 20] {
            assert_eq!(variance(units, u128::from(c).pow(2)), Zcdp::units(units).variance(c), "{units} {c}");
        }
        let epsilon = Zcdp::units(units).choice().unwrap().to_string();
        assert!(costs(&ChosenSet { epsilon, attributes: None }, units), "{units}");
    }
    assert_eq!((variance(0, 1), variance(1, 1)), (None, None));
    assert_eq!((two_thirds(1), two_thirds(8), two_thirds(1000)), (1 << 10, 4 << 10, 100 << 10));
    for values in [3u128, 7, 100, 12_345, 1 << 20] {
        let (root, cube) = (two_thirds(values), (values * values) << 30);
        assert!(root.pow(3) <= cube && (root + 1).pow(3) > cube, "{values}");
    }
}

#[test]
fn without_a_choice_attributes_have_all_of_the_other_half_and_no_more() {
    let unpaid = |tenths| Measurements { tables: alone((tenths, 10)).alone, ..alone((1, 2)) };
    assert!(holds(&unpaid(5), "mst"));
    // Less, more, and what belongs to choices of nothing once these are left out.
    for tenths in [4, 6, 1] {
        assert!(!holds(&unpaid(tenths), "mst"), "{tenths} tenths");
    }
    let mut paid = mst([None; 3]);
    assert!(holds(&paid, "mst"));
    paid.choices.clear();
    assert!(!holds(&paid, "mst"));
    let mut both = unpaid(5);
    both.choices = mst([None; 3]).choices;
    assert!(!holds(&both, "mst"));
}

/// Each attribute twice by `aim`, at first for a part of ρ; `records` of a person count.
fn twice(rho: u128, records: u64, (part, whole): (u128, u128)) -> Measurements {
    let weights = SIZES.map(two_thirds);
    let tables = |all: Zcdp| -> Vec<MeasuredTable> {
        let due = |a: usize| all.share(weights[a], weights.iter().sum()).unwrap();
        let of = |a: usize| MeasuredTable {
            variance: due(a).variance(records).unwrap().to_string(),
            ..table(&[a], due(a))
        };
        (0..4).map(of).collect()
    };
    let first = tables(Zcdp::units(rho).share(part, whole).unwrap());
    let mut left = Zcdp::units(rho);
    for table in &first {
        left = left.minus(Zcdp::of_noise(records, table.variance().unwrap()).unwrap()).unwrap();
    }
    let sizes = alone((1, 5));
    Measurements { rho: rho.to_string(), sensitivity: records, alone: first, tables: tables(left), ..sizes }
}

#[test]
fn attributes_of_aim_have_half_of_a_little_rho_and_a_fifth_of_more() {
    let of = |rho, records| [(1, 2), (1, 5)].map(|part| holds(&twice(rho, records, part), "aim"));
    let units = |rho: f64| (rho * 2f64.powi(60)) as u128;
    assert_eq!([of(units(0.0049), 1), of(units(0.0051), 1)], [[true, false], [false, true]]);
    // 0.005 itself is not less.
    assert_eq!([of(units(0.005) - 1, 1), of(units(0.005), 1)], [[true, false], [false, true]]);
    // Of three records of a person, nine times as much.
    assert_eq!([of(units(0.044), 3), of(units(0.046), 3)], [[true, false], [false, true]]);
}

#[test]
fn the_last_round_is_the_one_after_which_no_two_are_left() {
    let shares = Shares { choice: 1, noise: 9 };
    let of = |left| shares.or_all(left).map(|(due, is_last)| (due.choice, due.noise, is_last));
    assert_eq!([of(21), of(20)], [Some((1, 9, false)); 2]);
    assert_eq!([of(19), of(10)], [Some((1, 17, true)), Some((1, 9, true))]);
}

#[test]
fn pairs_are_a_tree() {
    let of = |pairs: &[[&str; 2]]| {
        let pairs: Vec<[String; 2]> = pairs.iter().map(|pair| pair.map(String::from)).collect();
        closes_no_circle(&pairs.iter().map(|pair| &pair[..]).collect::<Vec<&[String]>>())
    };
    let two = [["a", "b"], ["c", "d"]];
    assert!(of(&[]) && of(&two) && of(&[["a", "b"], ["c", "d"], ["b", "c"], ["d", "e"]]));
    for closing in [["a", "b"], ["b", "a"], ["d", "c"], ["a", "a"], ["e", "e"]] {
        assert!(!of(&[two[0], two[1], closing]), "{closing:?}");
    }
    for closing in [["a", "c"], ["a", "d"], ["b", "d"]] {
        assert!(!of(&[two[0], two[1], ["b", "c"], closing]), "{closing:?}");
    }
}
