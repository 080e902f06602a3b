//! Worked figures of the models of the population.

use super::*;

#[test]
fn the_population_has_k_of_every_class() {
    let of = |k: u64| labelled("k-map", json!({ "k": k }), LABELS, population()).unwrap();
    assert_eq!((of(3).reached, of(3).state, of(4).state), (json!({ "k": 3 }), State::Held, State::Broken));
    let missing = labelled("k-map", json!({ "k": 1 }), &[("1", "low", "z", 1)], population()).unwrap();
    assert_eq!((missing.reached, missing.state), (json!({ "k": 0 }), State::Broken));
    let unknown = labelled("k-map", json!({ "k": 1 }), LABELS, hidden()).unwrap();
    assert_eq!(unknown.state, State::NotChecked);
}

#[test]
fn presence_has_a_least_and_a_largest_share() {
    // 2 of 4, 3 of 3, 4 of 8.
    let of = |asked| labelled("delta-presence", asked, LABELS, population()).unwrap();
    let finding = of(json!({ "min": 0.5, "max": 1.0 }));
    assert_eq!((finding.reached, finding.state), (json!({ "min": 0.5, "max": 1.0 }), State::Held));
    assert_eq!(of(json!({ "max": 1.0 })).state, State::Held);
    assert_eq!(of(json!({ "min": 0.51, "max": 1.0 })).state, State::Broken);
    assert_eq!(of(json!({ "min": 0.5, "max": 0.99 })).state, State::Broken);
    let high: Labels<'_> = &[("3", "high", "x", 4)];
    let half = |max| labelled("delta-presence", json!({ "max": max }), high, population()).unwrap();
    assert_eq!((half(0.5).state, half(0.49).state), (State::Held, State::Broken));
    // Whom the population does not have is not in it.
    let foreign = labelled("delta-presence", json!({ "max": 1e9 }), &[("1", "low", "z", 1)], population());
    let foreign = foreign.unwrap();
    assert_eq!((foreign.reached["min"].as_f64(), foreign.state), (Some(0.0), State::Broken));
    assert!(labelled("delta-presence", json!({}), LABELS, population()).is_err());
    let unknown = labelled("delta-presence", json!({ "max": 1.0 }), LABELS, hidden()).unwrap();
    assert_eq!(unknown.state, State::NotChecked);
}

#[test]
fn small_classes_are_seen_rarely_enough_if_the_population_is_large() {
    // λ = 5 · 100/1000: P(X ≥ 3) = 1 − e^−0.5 (1 + 0.5 + 0.125).
    let at_least_3 = 1.0 - (-0.5f64).exp() * 1.625;
    let at_least_2 = 1.0 - (-0.5f64).exp() * 1.5;
    let of = |law: &str, significance: f64, sizes: &[u64], population_size| {
        let ids: Vec<String> = (1..=sizes.len()).map(|id| id.to_string()).collect();
        let cells: Vec<_> =
            ids.iter().zip(sizes).map(|(id, &size)| (&id[..], "low", &id[..], size)).collect();
        let asked = json!({ "k": 5, "significance": significance, "estimate": law });
        let promises = Promises { population_size, records: 100, ..Promises::default() };
        labelled("k-map", asked, &cells, promises).map(|finding| (finding.reached, finding.state))
    };
    let held = |law: &str, significance, sizes: &[u64]| {
        of(law, significance, sizes, Some(1000)).unwrap().1 == State::Held
    };
    let (poisson, truncated) = ("poisson", "zero-truncated-poisson");
    assert_eq!(of(poisson, 0.1, &[7, 3], Some(1000)).unwrap().0, json!({ "class-size": 3 }));
    assert!(held(poisson, at_least_3, &[3, 9]) && !held(poisson, at_least_3 - 1e-6, &[3, 9]));
    assert!(held(poisson, at_least_2, &[2]) && !held(poisson, at_least_2 - 1e-6, &[2]));
    // k records are enough, k − 1 are not by themselves.
    assert!(held(poisson, 0.0, &[5]) && !held(poisson, 0.0, &[4]) && !held(poisson, 0.0, &[5, 4]));
    // Of values that are seen at all.
    let seen = 1.0 - (-0.5f64).exp();
    let least = at_least_3 / seen;
    assert!(held(truncated, least, &[3]) && !held(truncated, least - 1e-6, &[3]));
    assert!(held(truncated, 1.0, &[1]) && !held(truncated, 0.99, &[1]), "one is always seen");
    // No more of the population than all of it is in the release: λ = 5.
    let all = 1.0 - (-5.0f64).exp() * (1.0 + 5.0 + 12.5);
    let of_50 = |significance| of(poisson, significance, &[3], Some(50)).unwrap().1;
    assert_eq!((of_50(all), of_50(all - 1e-6)), (State::Held, State::Broken));
    assert!(of(poisson, 0.1, &[3], None).is_err());
}

#[test]
fn population_uniqueness_is_estimated_from_the_released_sizes() {
    let cells: Labels<'_> =
        &[("1", "low", "x", 1), ("2", "low", "y", 1), ("3", "high", "x", 4), ("", "*", "*", 1)];
    let (sizes, size) = ([(1, 2), (4, 1)], 1000);
    let expected = estimate(&Sample::new(&sizes, size).unwrap(), Estimator::Zayatz).share;
    assert!(expected > 0.0);
    let of = |share: f64, cells: Labels<'_>, population_size| {
        let asked = json!({ "share": share, "estimator": "zayatz" });
        let promises = Promises { population_size, ..hidden() };
        labelled("population-uniqueness", asked, cells, promises)
    };
    let finding = of(expected, cells, Some(size)).unwrap();
    assert_eq!(finding.reached, json!({ "share": expected, "estimator": "zayatz" }));
    assert_eq!(finding.state, State::Held);
    assert_eq!(of(expected * 0.99, cells, Some(size)).unwrap().state, State::Broken);
    let none = of(0.0, &[("", "*", "*", 3)], None).unwrap();
    assert_eq!((none.reached["share"].as_f64(), none.state), (Some(0.0), State::Held));
    assert!(of(1.0, cells, None).is_err() && of(1.0, cells, Some(5)).is_err());
}
