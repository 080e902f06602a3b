//! What holds of any table.

use velamen_analysis::*;

fn column(name: &str, values: &[f64]) -> Column {
    Column { name: name.into(), values: values.to_vec() }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9 * (1.0 + b.abs())
}

#[test]
fn equal_records_count_as_if_they_were_written_out() {
    let (x, y) = ([1.0, 2.0, 3.0, 4.0, 5.0], [0.0, 1.0, 0.0, 1.0, 1.0]);
    let (time, counts) = ([3.0, 5.0, 5.0, 2.0, 4.0], [2.0, 1.0, 3.0, 2.0, 4.0]);
    let spread = |values: &[f64]| -> Vec<f64> {
        values.iter().zip(counts).flat_map(|(value, count)| vec![*value; count as usize]).collect()
    };
    let few = Records { counts: counts.to_vec(), weights: vec![1.0; 5] };
    let many = Records::single(12);
    let one = [column("x", &x)];
    let other = [column("x", &spread(&x))];
    let fits = [
        (linear(&y, &one, &few), linear(&spread(&y), &other, &many)),
        (logistic(&y, &one, &few), logistic(&spread(&y), &other, &many)),
        (
            cox(&time, &y, &one, &few, Ties::Efron),
            cox(&spread(&time), &spread(&y), &other, &many, Ties::Efron),
        ),
    ];
    for (one, other) in fits {
        for ((_, a), (_, b)) in one.unwrap().iter().zip(other.unwrap()) {
            let (a, b) = (a.unwrap(), b.unwrap());
            assert!(close(a.value, b.value) && close(a.variance, b.variance), "{a:?} {b:?}");
        }
    }
}

#[test]
fn what_has_no_estimate_is_said() {
    let y = [0.0, 0.0, 1.0, 1.0, 1.0, 0.0];
    let all = Records::single(6);
    let x = column("x", &[1.0, 2.0, 3.0, 4.0, 5.0, 2.5]);
    let twice = column("twice", &[2.0, 4.0, 6.0, 8.0, 10.0, 5.0]);
    let same = column("same", &[7.0; 6]);
    assert_eq!(logistic(&y, std::slice::from_ref(&x), &all), Err(NotEstimable::Separated));
    // A group whose outcome never varies, beside one whose does.
    let group = column("group", &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    assert_eq!(logistic(&[0.0, 1.0, 0.0, 1.0, 1.0, 1.0], &[group], &all), Err(NotEstimable::Separated));
    assert_eq!(logistic(&[1.0; 6], std::slice::from_ref(&x), &all), Err(NotEstimable::Constant));
    let fit = linear(&y, &[x, twice, same], &all).unwrap();
    let aliased: Vec<bool> = fit.iter().map(|(_, estimate)| estimate.is_err()).collect();
    assert_eq!(aliased, [false, false, true, true]);
    assert_eq!(mean(&[1.0], &Records::single(1)), Err(NotEstimable::TooFew));
    let never = Records { counts: vec![0.0; 6], weights: vec![1.0; 6] };
    assert_eq!(proportion(&y, &never), Err(NotEstimable::NoRecords));
    assert_eq!(kaplan_meier(&y, &y, &all, 2.0), Err(NotEstimable::NobodyAtRisk));
}

/// Sums of one value miss it by their rounding, which is no effect.
#[test]
fn one_value_has_no_effect() {
    let outcome = vec![0.1; 30];
    let other = column("x", &(0..30).map(|row| f64::from(row % 7)).collect::<Vec<_>>());
    let records = Records::single(30);
    assert_eq!(linear(&outcome, &[other], &records).unwrap_err(), NotEstimable::Constant);
    let group = |half: usize| {
        let mut records = Records::single(30);
        (0..30).filter(|row| row / 13 % 2 != half).for_each(|row| records.counts[row] = 0.0);
        records
    };
    let difference = difference_of_means(&outcome, [&group(0), &group(1)]).unwrap();
    assert_eq!((difference.value, difference.p_value()), (0.0, Some(1.0)));
}

#[test]
fn overlap_is_the_mean_of_both_shares() {
    let off = |a: f64, b: f64| (a - b).abs() < 1e-15;
    assert!(off(overlap((0.0, 2.0), (0.0, 2.0)), 1.0));
    assert!(off(overlap((0.0, 2.0), (1.0, 5.0)), (0.5 + 0.25) / 2.0));
    assert!(off(overlap((0.0, 4.0), (1.0, 2.0)), (0.25 + 1.0) / 2.0));
    assert!(off(overlap((0.0, 1.0), (1.5, 2.0)), 0.0));
    assert!(off(overlap((1.0, 1.0), (1.0, 1.0)), 1.0));
}

#[test]
fn turned_and_lost_effects_are_seen() {
    let of = |values: &[f64]| mean_difference(values);
    let (one, other) = (of(&[1.0, 1.1, 0.9, 3.0, 3.1, 2.9]), of(&[3.0, 3.1, 2.9, 1.0, 1.1, 0.9]));
    let turned = Agreement::new(&one, &other, 0.95);
    assert_eq!((turned.same_sign, turned.same_significance, turned.overlap), (Some(false), Some(true), 0.0));
    let lost = Agreement::new(&one, &of(&[1.0, 9.0, -7.0, 3.0, -9.0, 17.0]), 0.95);
    assert_eq!((lost.same_sign, lost.same_significance), (Some(true), Some(false)));
}

fn mean_difference(values: &[f64]) -> Estimate {
    let group = |first: bool| {
        let counts = (0..6).map(|row| f64::from((row < 3) == first)).collect();
        Records { counts, weights: vec![1.0; 6] }
    };
    difference_of_means(values, [&group(true), &group(false)]).unwrap()
}

/// Worked by hand: values 1, 2, 3 of variance 0.5: within 0.5, between 1, total 0.5 + 4/3.
#[test]
fn draws_are_combined_by_rubins_rules() {
    let base = proportion(&[0.0, 1.0], &Records::single(2)).unwrap();
    let draw = |value: f64| {
        let mut draw = base;
        (draw.value, draw.variance, draw.scale) = (value, 0.5, Scale::Effect);
        draw
    };
    let found = pooled(&[draw(1.0), draw(2.0), draw(3.0)]).unwrap();
    assert!(close(found.value, 2.0) && close(found.variance, 0.5 + 4.0 / 3.0));
    assert!(close(found.df, 2.0 * (1.0f64 + 0.5 / (4.0 / 3.0)).powi(2)), "{}", found.df);
    let alike = pooled(&[draw(1.0), draw(1.0)]).unwrap();
    assert!(close(alike.variance, 0.5) && alike.df.is_infinite());
}
