//! Several sensitive attributes, each counted by itself.

use super::*;

/// Two attributes: that of [`table`] and whether treated, which two values are declared of.
fn treated(records: &[(u32, u32, u32, u32, u64)]) -> FrequencyTable {
    let kept: Vec<(u32, u32, u32, u64)> = records.iter().map(|r| (r.0, r.1, r.2 * 2 + r.3, r.4)).collect();
    let mut table = table(&kept);
    let column = |name: &str, values: &[&str]| RestColumn {
        name: name.into(),
        role: Role::Sensitive,
        values: values.iter().map(|value| (*value).to_owned()).collect(),
    };
    let codes = vec![vec![0, 0, 1, 1, 2, 2], vec![0, 1, 0, 1, 0, 1]];
    table.rest = Rest {
        columns: vec![column("disease", &["d0", "d1", "d2"]), column("treated", &["no", "yes"])],
        codes,
        len: 6,
    };
    table
}

/// The values of a released combination.
fn labels(release: &velamen_core::release::Release, row: u32) -> Vec<&str> {
    let columns = release.rest.columns.iter().zip(&release.rest.codes);
    columns.map(|(column, codes)| &*column.values[codes[row as usize] as usize]).collect()
}

fn half() -> Vec<Share> {
    let half = velamen_dp::Rational::new(1, 2).unwrap();
    ["disease", "treated"].map(|name| (name.to_owned(), half)).to_vec()
}

#[test]
fn each_attribute_has_its_own_part_of_the_budget() {
    let third = |part| velamen_dp::Rational::new(part, 3).unwrap();
    let shares = [("disease".to_owned(), third(2)), ("treated".to_owned(), third(1))];
    let method = Ipa::each(IpaParams { delta: 0.03, ..PARAMS }, &shares).unwrap();
    let steps: Vec<String> = method
        .budget
        .steps()
        .iter()
        .map(|s| format!("{} {} {}", s.step, s.loss.epsilon, s.loss.delta))
        .collect();
    let expected = [
        "candidates 1/2 0",
        "insertion of disease 2/3 1/50",
        "insertion of treated 1/3 1/100",
        "suppression of disease 1/3 0",
        "suppression of treated 1/6 0",
    ];
    assert_eq!(steps, expected);
    assert_eq!(method.budget.left(), Loss::NONE);
}

/// Almost without noise the counts of each attribute are those of the table, and no other attribute's values go with them.
#[test]
fn each_attribute_keeps_its_counts() {
    let table = treated(&[(3, 0, 0, 0, 40), (3, 0, 1, 1, 60), (7, 1, 2, 1, 30)]);
    let method = Ipa::each(IpaParams { epsilon: 200.0, ..PARAMS }, &half()).unwrap();
    let found = run(&method, &table, &Lattice::between(&Node(vec![0, 0]), &Node(vec![0, 0])), 1);
    let counts = |column: usize| {
        let mut counts: BTreeMap<(u32, String), u64> = BTreeMap::new();
        for row in &found.release.rows {
            let value = labels(&found.release, row.rest)[column];
            *counts.entry((row.class, value.to_owned())).or_default() += row.count;
        }
        counts.into_iter().map(|((class, value), count)| (class, value, count)).collect::<Vec<_>>()
    };
    let of = |class: u32, value: &str, count: u64| (class, value.to_owned(), count);
    assert_eq!(counts(0), [of(0, "d0", 40), of(0, "d1", 60), of(1, "d2", 30)]);
    assert_eq!(counts(1), [of(0, "no", 40), of(0, "yes", 60), of(1, "yes", 30)]);
    // 40 of 100 are not treated in either disease, give or take: pairs are drawn.
    let pairs: u64 = (found.release.rows.iter())
        .filter(|row| labels(&found.release, row.rest) == ["d1", "no"])
        .map(|row| row.count)
        .sum();
    assert!((10..38).contains(&pairs), "{pairs}");
    assert_eq!(found.each.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["disease", "treated"]);
    assert_eq!(found.stated.cells, found.each[0].1.cells + found.each[1].1.cells);
}

/// Sums of counts differ by noise: the attribute of the largest has a value in every record, the others have empty cells, and each
/// attribute's counts reach its own T.
#[test]
fn classes_are_as_large_as_their_largest_attribute() {
    let table = treated(&[(3, 0, 0, 0, 40), (3, 0, 1, 1, 60), (7, 1, 2, 1, 30), (8, 1, 0, 0, 12)]);
    for delta in [0.0, 1e-3] {
        let method = Ipa::each(IpaParams { delta, ..PARAMS }, &half()).unwrap();
        for seed in 0..60 {
            let NoisyRelease { release, each, original, .. } = run(&method, &table, &table.lattice(), seed);
            let mut full: BTreeMap<u32, [u64; 2]> = BTreeMap::new();
            let mut cells: BTreeMap<(usize, u32, String), u64> = BTreeMap::new();
            let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
            for row in &release.rows {
                *sizes.entry(row.class).or_default() += row.count;
                for (column, value) in labels(&release, row.rest).into_iter().enumerate() {
                    if !value.is_empty() {
                        full.entry(row.class).or_default()[column] += row.count;
                        *cells.entry((column, row.class, value.to_owned())).or_default() += row.count;
                    }
                }
            }
            assert!(full.iter().all(|(class, sums)| sums.iter().max() == sizes.get(class)), "{full:?}");
            let reach = |((column, class, _), count): (&(usize, u32, String), &u64)| {
                *class == SUPPRESSED || *count >= each[*column].1.least_count
            };
            assert!(cells.iter().all(reach), "{cells:?}");
            assert!(delta == 0.0 || original.false_cells == 0);
        }
    }
}

/// A record more or less moves no score by more than the sum of both attributes' sensitivities, and some by just that.
#[test]
fn one_record_moves_the_sum_of_scores_by_no_more_than_the_sum_of_sensitivities() {
    let noise = CellNoise::new(Loss::pure(velamen_dp::Rational::new(1, 1).unwrap()), Some(4), 1.0).unwrap();
    let cells = [(0, 0, 0, 0), (0, 0, 1, 0), (5, 1, 1, 1)];
    let scored = |counts: &[u64; 3], tau: u64| {
        let with = cells.iter().zip(counts).filter(|(_, count)| **count > 0);
        let table = treated(&with.map(|(c, &count)| (c.0, c.1, c.2, c.3, count)).collect::<Vec<_>>());
        let apart = [each::alone(&table, 0), each::alone(&table, 1)];
        let tables = [&apart[0], &apart[1]];
        let candidates = score::candidates(&tables, &table.lattice(), &[&noise, &noise], Some(tau)).unwrap();
        let scores = context(|context| score::scores(&tables, &candidates, context).unwrap());
        (scores, sensitivity(&candidates))
    };
    for tau in 1..=3u64 {
        let mut reached = 0;
        for counts in (0..64u64).map(|number| [0, 1, 2].map(|digit| number >> (2 * digit) & 3)) {
            let (old, most) = scored(&counts, tau);
            for added in 0..3 {
                let mut more = counts;
                more[added] += 1;
                let (new, _) = scored(&more, tau);
                let moved = old.iter().zip(&new).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
                assert!(moved <= most, "tau {tau}, {counts:?}, one more in {added}: {moved} > {most}");
                reached = reached.max(moved);
            }
        }
        assert_eq!(reached, 2 * score::WHOLE * (tau - 1).max(1), "tau {tau}");
    }
}
