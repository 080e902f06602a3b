use super::groups::divergence;
use super::*;

/// A table by columns of texts.
fn found(columns: &[(&str, Vec<String>)]) -> Vec<Candidate> {
    let columns: Vec<Column<'_>> = columns
        .iter()
        .map(|(name, cells)| Column {
            name,
            values: cells.iter().map(String::as_str).collect(),
            codes: Codes::of((0..cells.len() as u32).collect::<Vec<u32>>()),
        })
        .collect();
    let counts = vec![1; columns[0].codes.len()];
    candidates(&columns, &counts, |_| true, true)
}

fn names(columns: &[(&str, Vec<String>)]) -> Vec<String> {
    found(columns).into_iter().map(|candidate| candidate.name).collect()
}

fn cells(of: impl Fn(u64) -> String) -> Vec<String> {
    (0..1200).map(of).collect()
}

/// Any number of an entry, the same in every run.
fn mixed(number: u64) -> u64 {
    let mixed = (number + 7).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33
}

fn sex(person: u64) -> String {
    if mixed(person).is_multiple_of(2) { "m" } else { "w" }.to_owned()
}

fn birth(person: u64) -> String {
    (1930 + mixed(person + 5000) % 70).to_string()
}

#[test]
fn numbers_that_sex_and_birth_do_not_change_within_are_persons() {
    // Six records each of 200 persons, under any header.
    for header in ["patient_id", "k1", "id", "case", "fall", "pseudo", "v_17"] {
        let table = [
            (header, cells(|row| (70_000 + row % 200).to_string())),
            ("sex", cells(|row| sex(row % 200))),
            ("Geburtsjahr", cells(|row| birth(row % 200))),
            ("diagnosis", cells(|row| format!("I{}", 10 + mixed(row) % 60))),
        ];
        assert_eq!(names(&table), [header], "{header}");
        assert_eq!((found(&table)[0].persons, found(&table)[0].records), (200, 1200));
    }
}

#[test]
fn a_code_of_few_kinds_that_tells_the_sex_is_none() {
    // Implants of a sex each, and wards of women and of men.
    let kinds = |of: u64| {
        names(&[
            ("number", cells(move |row| (1 + row % of).to_string())),
            ("sex", cells(move |row| sex(row % of))),
            ("diagnosis", cells(|row| format!("I{}", 10 + mixed(row) % 60))),
        ])
    };
    assert_eq!((kinds(6), kinds(12)), (Vec::new(), Vec::new()));
    // Many numbers are people's, even if nothing but the sex tells; and few if the birth tells, too.
    assert_eq!((kinds(20), kinds(300)), (vec!["number".to_owned()], vec!["number".to_owned()]));
    let few = [
        ("number", cells(|row| (1 + row % 8).to_string())),
        ("sex", cells(|row| sex(row % 8))),
        ("birth", cells(|row| birth(row % 8))),
    ];
    assert_eq!(names(&few), ["number"]);
}

#[test]
fn wards_physicians_surnames_and_telephones_are_none() {
    let others = |row: u64| mixed(row + 9_000) % 700;
    let table = [
        ("ward_no", cells(|row| (100 + row % 12).to_string())),
        ("arzt_nr", cells(|row| (7000 + mixed(row) % 90).to_string())),
        ("Nachname", cells(|row| format!("Name{}", others(row) % 200))),
        ("telefon", cells(|row| format!("0171 {}", 5_000_000 + others(row)))),
        ("plz", cells(|row| (10_000 + mixed(row) % 80).to_string())),
        ("lab", cells(|row| (40 + mixed(row * 3) % 200).to_string())),
        ("sex", cells(|row| sex(row % 200))),
        ("birth_year", cells(|row| birth(row % 200))),
    ];
    assert_eq!(names(&table), [""; 0]);
    // But where each has one sex and one birth, they say whose the records are.
    let told: Vec<Candidate> = found(&[
        ("telefon", cells(|row| format!("0171 {}", 5_000_000 + row % 200))),
        ("sex", cells(|row| sex(row % 200))),
        ("birth_year", cells(|row| birth(row % 200))),
    ]);
    assert!(told.len() == 1 && told[0].shared && told[0].persons == 200, "{told:?}");
}

#[test]
fn ages_may_grow_and_a_few_slips_are_no_other_person() {
    let age = |row: u64| (20 + mixed(row % 200) % 60 + row / 400).to_string();
    let slip = |row: u64| if row.is_multiple_of(97) { "w".to_owned() } else { sex(row % 200) };
    let table = [("case", cells(|row| format!("F{}", row % 200))), ("sex", cells(slip)), ("age", cells(age))];
    assert_eq!(names(&table), ["case"]);
    // Waves of a cohort, six years long.
    let wave = |row: u64| (20 + mixed(row % 200) % 60 + row / 200).to_string();
    let table = [
        ("k1", cells(|row| (9000 + row % 200).to_string())),
        ("sex", cells(|row| sex(row % 200))),
        ("age", cells(wave)),
    ];
    assert_eq!(names(&table), ["k1"]);
    // Fifty years of visits: the name and the sex say whose they are.
    let long = |row: u64| (20 + mixed(row % 200) % 60 + 10 * (row / 200)).to_string();
    let table = [
        ("Patientennummer", cells(|row| (row % 200).to_string())),
        ("Geschlecht", cells(|row| sex(row % 200))),
        ("Alter", cells(long)),
    ];
    assert_eq!(names(&table), ["Patientennummer"]);
}

#[test]
fn groups_of_ages_and_sexes_are_no_persons() {
    let table = [
        ("age", cells(|row| (mixed(row) % 90).to_string())),
        ("age_band", cells(|row| (mixed(row) % 90 / 3).to_string())),
        ("klasse", cells(|row| (mixed(row) % 90 / 2).to_string())),
        ("stratum", cells(|row| (mixed(row) % 90 / 10).to_string())),
    ];
    assert_eq!(names(&table), [""; 0]);
}

#[test]
fn two_numbers_of_the_same_persons_are_one_candidate() {
    let table = [
        ("k1", cells(|row| (70_000 + row % 200).to_string())),
        ("patient_no", cells(|row| format!("P{}", 3 * (row % 200)))),
        ("stay_no", cells(|row| (9000 + row % 400).to_string())),
        ("sex", cells(|row| sex(row % 200))),
        ("dob", cells(|row| format!("{}-01-01", birth(row % 200)))),
    ];
    let found = found(&table);
    assert_eq!(found.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["patient_no", "stay_no"]);
    assert_eq!(found[0].same, ["k1"]);
}

#[test]
fn a_name_is_believed_where_nothing_else_tells() {
    let of = |name: &'static str| {
        names(&[(name, cells(|row| (row % 200).to_string())), ("zip", cells(|row| (row % 7).to_string()))])
    };
    assert_eq!(of("patient_id"), ["patient_id"]);
    assert_eq!(of("item"), [""; 0]);
    // One record each: nothing repeats.
    let single = [("patient_id", cells(|row| row.to_string())), ("sex", cells(sex))];
    assert_eq!(names(&single), [""; 0]);
}

#[test]
fn the_bound_is_one_of_the_binomial_tail() {
    // 20 of 20 by a chance of one half: 2⁻²⁰.
    assert!((20.0 * divergence(1.0, 0.5) - 20.0 * 2f64.ln()).abs() < 1e-9);
    assert!(divergence(0.4, 0.5).abs() < 1e-12);
}

/// Where no column is called anything and nobody's sex is there, days of birth tell whose a number is.
#[test]
fn births_tell_under_a_name_that_says_nothing() {
    let day = |person: u64| {
        let (month, day) = (1 + mixed(person + 9000) % 12, 1 + mixed(person + 700) % 28);
        format!("{}-{month:02}-{day:02}", birth(person))
    };
    for (header, born) in [("1", "2"), ("x1", "x2"), ("number1", "name2")] {
        let table = [
            (header, cells(|row| (70_000 + row % 200).to_string())),
            (born, cells(|row| day(row % 200))),
            ("3", cells(|row| format!("I{}", 10 + mixed(row) % 60))),
        ];
        assert_eq!(names(&table), [header], "{header}");
    }
    // Other people's births under one number are nobody's, and days of a few years are no births.
    let wards = [("1", cells(|row| (70_000 + row % 200).to_string())), ("2", cells(day))];
    assert!(names(&wards).is_empty());
    let stays = [
        ("1", cells(|row| (70_000 + row % 200).to_string())),
        ("2", cells(|row| format!("2023-{:02}-11", 1 + mixed(row % 200) % 12))),
    ];
    // Then nothing says whose they are, and the number alone is asked for.
    let asked = found(&stays);
    assert!(asked.len() == 1 && asked[0].shared, "{asked:?}");
}

#[test]
fn fillers_and_spellings_hide_no_persons() {
    let filled = |filler: &'static str, share: u64| {
        cells(move |row| {
            let is_filled = mixed(row + 17) % 100 < share;
            if is_filled { filler.to_owned() } else { format!("p{:05}", row % 200) }
        })
    };
    for (filler, share) in [("unbekannt", 30), ("0", 30), ("", 30), ("unbekannt", 60)] {
        let table = [
            ("Patienten-ID", filled(filler, share)),
            ("sex", cells(|row| sex(row % 200))),
            ("Geburtsjahr", cells(|row| birth(row % 200))),
        ];
        assert_eq!(names(&table), ["Patienten-ID"], "{filler} {share}");
    }
    let spelled = cells(|row| match row / 200 % 3 {
        0 => format!("p{:05}", row % 200),
        1 => format!("P{:05} ", row % 200),
        _ => format!("P-{:05}", row % 200),
    });
    let table =
        [("pid", spelled), ("sex", cells(|row| sex(row % 200))), ("born", cells(|row| birth(row % 200)))];
    assert_eq!(found(&table)[0].persons, 200);
}

/// What is shared is called what it is, and no age a day.
#[test]
fn what_is_shared_is_said() {
    let said = |name: &str, cell: &dyn Fn(u64) -> String| {
        let people: Vec<String> = (0..100).map(cell).collect();
        let values = people.iter().map(String::as_str).collect();
        let codes = Codes::of((0..1200).map(|row| row % 100).collect::<Vec<u32>>());
        Column { name, values, codes }.births_are_shared(1200).unwrap_or_default()
    };
    let age = said("age", &|person| format!("{}.{:02}", 20 + mixed(person) % 60, mixed(person + 900) % 100));
    assert!(age.contains("share an age with its decimals in `age`") && !age.contains("day"), "{age}");
    let serial = said("birth", &|person| (10_000 + mixed(person) % 20_000).to_string());
    assert!(serial.contains("in `birth`") && serial.contains("by the"), "{serial}");
    let day = |person: u64| {
        let (year, month) = (1930 + mixed(person) % 60, 1 + mixed(person + 500) % 12);
        format!("{year}-{month:02}-{:02}", 1 + mixed(person + 900) % 28)
    };
    assert!(said("x", &day).contains("share a day of birth in `x`"), "{}", said("x", &day));
    assert_eq!(said("age", &|person| (20 + mixed(person) % 60).to_string()), "");
}
