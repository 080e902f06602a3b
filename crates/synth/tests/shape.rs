//! The sample as a whole: it repeats, and it has the published shape.

use velamen_dp::Seed;
use velamen_synth::published::{ROWS, STAY_MEN, STAY_WOMEN, STROKE_MEN, STROKE_WOMEN};
use velamen_synth::{BLOCK, Nps, Record, append_csv, csv_header, hierarchies};

fn records(rows: u64, seed: u64) -> Vec<Record> {
    let sample = Nps::new(rows, &Seed::from_number(seed));
    (0..sample.blocks()).flat_map(|index| sample.block(index)).collect()
}

fn csv(records: &[Record]) -> Vec<u8> {
    let mut out = Vec::new();
    append_csv(records, &mut out);
    out
}

#[test]
fn same_seed_same_bytes() {
    let first = csv(&records(BLOCK + 1000, 42));
    assert_eq!(first, csv(&records(BLOCK + 1000, 42)));
    assert_ne!(first, csv(&records(BLOCK + 1000, 43)));
}

#[test]
fn bytes_do_not_change_between_versions() {
    // FNV-1a, so that the expected value needs no dependency.
    let hash = csv(&records(BLOCK, 42)).iter().fold(0xCBF2_9CE4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3)
    });
    assert_eq!(
        hash, 0xEBED_0269_3676_96F3,
        "a change of the model changes every benchmark that names a seed"
    );
}

#[test]
fn blocks_are_independent_of_order_and_length() {
    let sample = Nps::new(3 * BLOCK + 5, &Seed::from_number(7));
    assert_eq!(sample.blocks(), 4);
    let last = sample.block(3);
    let third = sample.block(2);
    assert_eq!((last.len(), third.len()), (5, BLOCK as usize));
    assert!(sample.block(4).is_empty() && sample.block(u64::MAX).is_empty());
    let whole = records(3 * BLOCK + 5, 7);
    assert_eq!(whole[2 * BLOCK as usize..3 * BLOCK as usize], third);
    assert_eq!(whole[3 * BLOCK as usize..], last);
    let longer = Nps::new(4 * BLOCK, &Seed::from_number(7));
    assert_eq!(longer.block(3)[..5], last);
    assert_eq!(Nps::new(0, &Seed::from_number(7)).blocks(), 0);
}

#[test]
fn accessors_are_the_cells_of_the_csv() {
    for record in records(2000, 3) {
        let row = format!(
            "{},{},{},{},{},{}\n",
            record.age(),
            record.sex(),
            record.length_of_stay(),
            record.location(),
            record.surgery(),
            record.diagnosis()
        );
        assert_eq!(csv(&[record]), row.as_bytes());
    }
    assert_eq!(csv_header().matches(',').count(), 5);
}

fn is_stroke(record: &Record) -> bool {
    ("I60"..="I69").contains(&record.diagnosis())
}

/// The seed is fixed, so that this passes or fails for good. For another seed each group is about Poisson
/// around its published count: a count of 100 or more is off by 30 percent in 0.3 percent of the seeds.
#[test]
fn strokes_follow_tables_9_to_12() {
    let strokes: Vec<Record> =
        records(ROWS, 42).into_iter().filter(|r| is_stroke(r) && r.surgery() == "N").collect();
    for (sex, counts, stays) in [("M", STROKE_MEN, STAY_MEN), ("F", STROKE_WOMEN, STAY_WOMEN)] {
        let of_sex: Vec<&Record> = strokes.iter().filter(|r| r.sex() == sex).collect();
        for (group, &published) in counts.iter().enumerate().filter(|&(_, &count)| count >= 100) {
            let here = of_sex.iter().filter(|r| usize::from(r.age()) / 5 == group).count();
            let ratio = here as f64 / f64::from(published);
            assert!((0.7..1.3).contains(&ratio), "{sex}, group {group}: {here} for {published}");
        }
        let total = of_sex.iter().filter(|r| r.age() < 90).count() as f64;
        let published: f64 = counts.iter().map(|&count| f64::from(count)).sum();
        assert!((0.95..1.05).contains(&(total / published)), "{sex}: {total} for {published}");

        for (decade, &published) in stays.iter().enumerate().skip(4) {
            let days: Vec<f64> = of_sex
                .iter()
                .filter(|r| usize::from(r.age()) / 10 == decade)
                .map(|r| f64::from(r.length_of_stay()))
                .collect();
            let mean = days.iter().sum::<f64>() / days.len() as f64;
            let ratio = mean * 10.0 / f64::from(published);
            assert!((0.65..1.35).contains(&ratio), "{sex}, decade {decade}: {mean} for {published}");
        }
    }
}

#[test]
fn diagnoses_fit_their_patients() {
    for record in records(4 * BLOCK, 1) {
        let code = record.diagnosis();
        let woman = record.sex() == "F";
        let fits = match code {
            "Z34" | "Z35" | "Z39" => woman && (15..50).contains(&record.age()),
            "Z38" => record.age() == 0,
            "N40" | "N41" | "C61" | "C62" => !woman,
            "C53" | "C54" | "C56" | "D25" => woman,
            _ if code.starts_with('O') => woman && (15..50).contains(&record.age()),
            _ if code.starts_with('P') => record.age() == 0,
            _ => true,
        };
        assert!(fits && record.age() <= 99, "{record:?}: {code}");
    }
}

#[test]
fn sample_is_as_diverse_as_a_national_one() {
    let records = records(1_375_900, 42);
    let mut full: Vec<[u16; 6]> = records.iter().map(|record| record.codes()).collect();
    full.sort_unstable();
    full.dedup();
    let mut quasi_identifiers: Vec<&[u16]> = full.iter().map(|codes| &codes[..5]).collect();
    quasi_identifiers.dedup();
    assert!((600_000..800_000).contains(&full.len()), "{}", full.len());
    assert!((180_000..350_000).contains(&quasi_identifiers.len()), "{}", quasi_identifiers.len());
    let mean = |ages: std::ops::Range<u8>| {
        let stays: Vec<f64> = records
            .iter()
            .filter(|record| ages.contains(&record.age()))
            .map(|record| f64::from(record.length_of_stay()))
            .collect();
        stays.iter().sum::<f64>() / stays.len() as f64
    };
    assert!(mean(70..90) > 1.2 * mean(30..50), "stays lengthen with age");
    for (column, hierarchy) in hierarchies().iter().enumerate() {
        let highest = full.iter().map(|codes| usize::from(codes[column])).max();
        assert!(highest.is_some_and(|code| code < hierarchy.rows.len()), "{}", hierarchy.attribute);
    }
}
