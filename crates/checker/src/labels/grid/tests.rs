//! Ends of released ranges that lie on the stated grid, and others.

use super::*;

fn flat(ends: Ends) -> PromisedAttribute {
    PromisedAttribute {
        recoding: Recoding::Ranges,
        ends: Some(ends),
        hierarchy: Definition::Flat { domain: 9 },
        ..PromisedAttribute::default()
    }
}

fn fits(ends: Ends, label: &str) -> bool {
    ends_there(&flat(ends), ends, label)
}

#[test]
fn ends_are_multiples_of_the_step() {
    let tens = Ends::Step(Step::Number(10.0));
    for label in ["[20-39]", "[20-39.9]", "[20-40]", "[-20--1]", ">=90", "<=19", "[0-9]", "<=-1"] {
        assert!(fits(tens, label), "{label}");
    }
    for label in ["[21-39]", "[20-38]", "[20-39.8]", ">=91", "<=18", "[40-19]", "x", "[a..b]", "{1|2}"] {
        assert!(!fits(tens, label), "{label}");
    }
    let fine = Ends::Step(Step::Number(0.05));
    assert!(fits(fine, "[25.5-25.54]") && fits(fine, "[1.15-1.19999]") && !fits(fine, "[25.52-25.54]"));
}

#[test]
fn ends_are_starts_of_intervals() {
    let hierarchy = Definition::Interval { interval: vec![5.0, 10.0], min: 1.0, max: 23.0, decimals: 0 };
    let ages = PromisedAttribute { hierarchy, ..flat(Ends::Intervals) };
    let fits = |label| ends_there(&ages, Ends::Intervals, label);
    assert!(["[1-10]", "[6-15]", ">=21", "<=5", "[6-20]"].into_iter().all(fits));
    assert!(!["[1-9]", "[7-15]", ">=20", "<=6", "[6-23]", "[6-25]", ">=26"].into_iter().any(fits));
    let tens = Ends::Step(Step::Number(10.0));
    let fits = |label| ends_there(&ages, tens, label);
    assert!(["[0-29]", "[10-19]", "<=9", ">=20"].into_iter().all(fits));
    assert!(!["[0-39]", "[-10-19]", "[0-20]", ">=40"].into_iter().any(fits));
    let hierarchy = Definition::Cuts { cuts: vec![vec![35.0, 67.0]], min: 0.0, max: 99.0, decimals: 0 };
    let ages = PromisedAttribute { hierarchy, ..flat(Ends::Intervals) };
    let fits = |label| ends_there(&ages, Ends::Intervals, label);
    assert!(["[35-66]", ">=67", "<=34", ">=35"].into_iter().all(fits));
    assert!(!["[35-65]", ">=66", "[0-34]"].into_iter().any(fits));
}

#[test]
fn ends_are_days_of_the_calendar() {
    let of = |text: &str| Ends::Step(Step::Span(text.parse().unwrap()));
    assert!(fits(of("month"), "[2020-02-01..2020-02-29]") && !fits(of("month"), "[2020-02-01..2020-02-28]"));
    assert!(
        fits(of("quarter"), "[2020-10-01..2021-03-31]") && !fits(of("quarter"), "[2020-09-01..2020-09-30]")
    );
    assert!(
        fits(of("10 years"), "[1990-01-01..9999-12-31]") && !fits(of("10 years"), "[1991-01-01..1999-12-31]")
    );
    assert!(fits(of("year"), "[0001-01-01..1999-12-31]"));
    // 2020-01-06 is a Monday, as are the days whose number divides by 7 one later.
    let seven = |label| fits(of("7 days"), label);
    assert!(seven("[2020-01-05..2020-01-11]") && !seven("[2020-01-06..2020-01-12]"));
    assert!(!fits(of("day"), "[2020-02-30..2020-03-01]"));
}

#[test]
fn sets_name_each_value_once() {
    let fits = |label| fits(Ends::Values, label);
    assert!(fits("{a|b}") && fits("{Bern|Genf|St. Gallen}"));
    assert!(!["{a}", "{a|a}", "{a|}", "{}", "{a|{b}", "[a..b]", "[1-2]"].into_iter().any(fits));
}

/// Of these labels, those that end where an attribute says.
fn of<'l>(attribute: &PromisedAttribute, labels: &[&'l str]) -> Vec<&'l str> {
    let ends = attribute.ends.unwrap();
    labels.iter().copied().filter(|label| ends_there(attribute, ends, label)).collect()
}

fn numbers(hierarchy: &str, ends: Ends) -> PromisedAttribute {
    PromisedAttribute { hierarchy: serde_json::from_str(hierarchy).unwrap(), ..flat(ends) }
}

fn by(step: f64) -> Ends {
    Ends::Step(Step::Number(step))
}

#[test]
fn a_number_of_many_steps_is_a_multiple_or_not() {
    // Beyond half a million steps a millionth of the steps is more than half of one.
    assert_eq!(
        of(&flat(by(1.0)), &["[600000.3-700000.6]", ">=123456789.4", "[600000-700000]"]),
        ["[600000-700000]"]
    );
    assert_eq!(
        of(&flat(by(0.01)), &[">=5000.013", ">=5000.01", ">=98765432.10"]),
        [">=5000.01", ">=98765432.10"]
    );
    assert!(
        !fits(by(1.0), ">=0.000001") && !fits(by(1.0), "[20.0000001-39]"),
        "a millionth is no multiple of one"
    );
    // Each of these is a multiple, although no binary fraction is.
    for at in 0..20_000_u32 {
        let number = format!("{}.{}", 100_000 + at / 10, at % 10);
        assert!(
            fits(by(0.1), &format!(">={number}")) && fits(by(0.1), &format!("[-{number}--0.1]")),
            "{number}"
        );
        let number = format!("{}.{:02}", 12_345_678_901_u64 + u64::from(at) * 97, at % 20 * 5);
        assert!(fits(by(0.05), &format!(">={number}")), "{number}");
    }
}

#[test]
fn a_cell_lies_in_the_domain_at_least_in_part() {
    let domain = |min: u32, max: u32| {
        numbers(&format!(r#"{{ "interval": [5], "min": {min}, "max": {max} }}"#), by(10.0))
    };
    // From 10 to 29 there are the cells 10–19 and 20–29; those beside them hold nobody.
    assert_eq!(of(&domain(10, 29), &["[10-29]", "[0-19]", "[0-29]", "[10-39]", "[20-39]"]), ["[10-29]"]);
    assert_eq!(of(&domain(0, 29), &["[0-9]", "[-10-9]", "<=-1", ">=-10", ">=30", "[20-39]"]), ["[0-9]"]);
    // A cell that reaches beyond the domain holds its end.
    assert_eq!(of(&domain(9, 20), &["[0-29]", ">=20", ">=30", "<=9", "<=-1"]), ["[0-29]", ">=20", "<=9"]);
    // An end has no more decimals than the values, of which it is one.
    assert_eq!(of(&domain(0, 29), &["[0-19]", "[0-19.9]", "[0-20]", "[0.001-19]"]), ["[0-19]"]);
    let tenths = numbers(r#"{ "interval": [5], "min": 0, "max": 29.9, "decimals": 1 }"#, by(10.0));
    assert_eq!(
        of(&tenths, &["[0-19]", "[0.0-19.9]", "<=19.90", "[0-19.99]", "[0-20]"]),
        ["[0.0-19.9]", "<=19.90"]
    );
    assert_eq!(of(&domain(0, 9), &["[0-9]", "[0-19]", "<=19"]), ["[0-9]"]);
}

#[test]
fn intervals_are_counted_from_where_the_domain_begins() {
    let adults = numbers(r#"{ "interval": [5, 10], "min": 18, "max": 42 }"#, Ends::Intervals);
    // 18–22, 23–27, 28–32, 33–37 and 38–42.
    assert_eq!(
        of(&adults, &["[18-27]", "[23-42]", "[38-42]", ">=38", "<=22", "[20-29]", "[13-22]", "[38-47]"]),
        ["[18-27]", "[23-42]", "[38-42]", ">=38", "<=22"]
    );
    // An end with more decimals than the values tells more than the interval.
    assert_eq!(of(&adults, &["[22.5-32]", "[23.4-32]", "[22.6-32]", "[23-32.4]", "[23-31.6]"]), [""; 0]);
    let single = numbers(r#"{ "interval": [1], "min": 18, "max": 42 }"#, Ends::Intervals);
    assert_eq!(of(&single, &["[18-20]", "[17.3-20]", "[17-20]"]), ["[18-20]"]);
    let tenths = numbers(r#"{ "interval": [2.5], "min": 0, "max": 9.9, "decimals": 1 }"#, Ends::Intervals);
    assert_eq!(
        of(&tenths, &["[0.0-4.9]", "[2.5-9.9]", ">=7.5", "<=2.4", "[0.0-4.8]", "[2.4-4.9]", "[0.0-4.95]"]),
        ["[0.0-4.9]", "[2.5-9.9]", ">=7.5", "<=2.4"]
    );
    let cuts = numbers(r#"{ "cuts": [[1.5, 3]], "min": 0, "max": 4, "decimals": 1 }"#, Ends::Intervals);
    assert_eq!(
        of(&cuts, &["[1.5-2.9]", ">=3.0", "<=1.4", "[1.5-2.8]", "<=1.5", ">=3.04"]),
        ["[1.5-2.9]", ">=3.0", "<=1.4"]
    );
}

#[test]
fn an_aggregate_is_rounded_where_a_step_is_stated() {
    let with = |ends| PromisedAttribute { recoding: Recoding::Aggregates, ends, ..flat(by(5.0)) };
    let rounded = |ends| ["35", "36", "36.5", "-5", "0", "*"].map(|label| is_rounded(&with(ends), label));
    // What is no number is no aggregate of numbers.
    assert_eq!(rounded(Some(by(5.0))), [true, false, false, true, true, true]);
    assert_eq!(rounded(None), [true; 6], "a mean is any number");
    assert!(is_rounded(&flat(by(5.0)), "36"), "a value of a release by ranges stands for itself");
}

#[test]
fn days_are_those_of_the_calendar() {
    let long = [1, 3, 5, 7, 8, 10, 12].map(|month| format!("2021-{month:02}-31"));
    let short = [4, 6, 9, 11].map(|month| format!("2021-{month:02}-30"));
    let leap = ["2024-02-29", "2000-02-29", "1900-02-28", "0001-01-01", "9999-12-31"].map(str::to_owned);
    assert!(long.iter().chain(&short).chain(&leap).all(|text| is_day(text)));
    let none =
        ["2021-02-29", "1900-02-29", "2100-02-29", "2000-02-30", "2021-13-01", "2021-00-01", "2021-01-00"];
    assert!(!none.into_iter().any(is_day));
    assert!(![4, 6, 9, 11].into_iter().any(|month| is_day(&format!("2021-{month:02}-31"))));
    let misspelled =
        ["2021-1-01", "2021-01-1", "21-01-01", "02021-01-01", "+021-01-01", "2021-+1-01", "2021-01-01-01"];
    assert!(!misspelled.into_iter().any(is_day));
    assert!(!["", "2021", "2021-01", "today", "2021-01-01T00:00"].into_iter().any(is_day));
}

#[test]
fn cells_of_months_and_years_end_on_their_last_day() {
    let of = |span: &str, labels: [&'static str; 4]| {
        of(&flat(Ends::Step(Step::Span(span.parse().unwrap()))), &labels)
    };
    // The last day of a month that is not the last of its quarter; one before it; one after it.
    let quarters = [
        "[2020-10-01..2020-12-31]",
        "[2020-10-01..2021-02-28]",
        "[2020-10-01..2020-12-30]",
        "[2020-10-01..2021-01-01]",
    ];
    assert_eq!(of("quarter", quarters), ["[2020-10-01..2020-12-31]"]);
    let years = [
        "[2020-01-01..2020-12-31]",
        "[2020-01-01..2020-11-30]",
        "[2020-02-01..2020-12-31]",
        "[2020-01-01..2021-01-01]",
    ];
    assert_eq!(of("year", years), ["[2020-01-01..2020-12-31]"]);
    let tens = [
        "[1990-01-01..1999-12-31]",
        "[1990-01-01..2009-12-31]",
        "[1990-01-01..1998-12-31]",
        "[1990-01-01..2001-12-31]",
    ];
    assert_eq!(of("10 years", tens), ["[1990-01-01..1999-12-31]", "[1990-01-01..2009-12-31]"]);
}

#[test]
fn days_are_numbered_without_gaps() {
    let mut number = 0.0;
    let (mut before, mut all) = (None, 0);
    for year in 1..=2400 {
        for (month, date) in (1..=12).flat_map(|month| (1..=31).map(move |date| (month, date))) {
            let Some(today) = day(&format!("{year:04}-{month:02}-{date:02}")) else { continue };
            number += 1.0;
            all += 1;
            assert_eq!(number_of(today), number, "{today:?}");
            // As good as the day itself where it is a 13th month's.
            assert_eq!(before.map_or(1.0, |before| number_of(next(before))), number, "{today:?}");
            before = Some(today);
        }
    }
    assert_eq!(all, 6 * 146_097, "six times four centuries, each with 97 leap days");
}

#[test]
fn weeks_begin_on_sundays() {
    // 1 January of the year 1 is a Monday, so that the days whose number divides by 7 are Sundays.
    let weeks = flat(Ends::Step(Step::Span("7 days".parse().unwrap())));
    for (sunday, saturday) in [
        ("1899-12-31", "1900-01-06"),
        ("1969-07-20", "1969-07-26"),
        ("1999-12-26", "2000-01-01"),
        ("2000-02-27", "2000-03-04"),
        ("2023-12-31", "2024-01-06"),
        ("2024-02-25", "2024-03-02"),
    ] {
        assert_eq!(of(&weeks, &[&format!("[{sunday}..{saturday}]")]).len(), 1, "{sunday}");
        assert_eq!(
            of(&weeks, &[&format!("[{saturday}..{saturday}]"), &format!("[{sunday}..{sunday}]")]),
            [""; 0]
        );
    }
}
