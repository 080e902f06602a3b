use velamen_dp::{Seed, below};

use super::*;
use crate::profile::kind;

/// The letters and sureness of what is found in a column.
fn found(name: &str, values: &[String]) -> Vec<(char, Sure)> {
    let mut sorted: Vec<&str> = values.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    let cells: Vec<(&str, u64)> =
        sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect();
    let cells = Cells(&cells);
    let kind = kind::of(cells).0;
    let findings = findings(Column { name, kind: &kind, cells });
    findings.iter().map(|finding| (finding.identifier.letter(), finding.sure)).collect()
}

/// 300 values made from random numbers below a bound.
fn made(bound: u64, make: impl Fn(u64) -> String) -> Vec<String> {
    let mut stream = Seed::from_number(3).stream(0);
    (0..300).map(|_| make(below(&mut stream, bound))).collect()
}

fn with_luhn(body: &str, prefix: &str) -> String {
    let digits: Vec<u32> = format!("{prefix}{body}").chars().filter_map(|c| c.to_digit(10)).collect();
    // The check digit as the standard words it: what is missing to the next ten.
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(i, d)| if i % 2 == 0 { (2 * d) / 10 + 2 * d % 10 } else { *d })
        .sum();
    format!("{body}{}", (10 - sum % 10) % 10)
}

fn rrn(number: u64) -> String {
    let body = format!(
        "{:02}{:02}{:02}{}{:05}",
        number % 100,
        number / 7 % 12 + 1,
        number / 11 % 28 + 1,
        number % 2 + 1,
        number % 99_991
    );
    let weights = [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5];
    let sum: u32 = body.chars().filter_map(|c| c.to_digit(10)).zip(weights).map(|(d, w)| d * w).sum();
    format!("{body}{}", (11 - sum % 11) % 10)
}

#[test]
fn cells_that_identify_are_found_whatever_the_column_is_called() {
    let cases: [(char, Vec<String>); 12] = [
        ('F', made(1 << 40, |n| format!("user{n}@mail.example.org"))),
        ('N', made(1 << 40, |n| format!("https://example.org/p/{n}"))),
        ('O', made(1 << 31, |n| std::net::Ipv4Addr::from(n as u32 | 1 << 24).to_string())),
        ('O', made(1 << 40, |n| format!("2001:db8::{:x}:{:x}", n % 65_536, n / 65_536 % 65_536))),
        ('G', made(1 << 40, |n| format!("{:03}-{:02}-{:04}", n % 600 + 1, n % 99 + 1, n % 9999 + 1))),
        ('G', made(1 << 40, rrn)),
        ('J', made(1 << 40, |n| with_luhn(&format!("4{:014}", n % 99_999_999_999_999), ""))),
        ('K', made(1 << 40, |n| with_luhn(&format!("1{:08}", n % 99_999_999), "80840"))),
        ('D', made(1 << 40, |n| format!("010-{:04}-{:04}", n % 9000 + 1000, n / 9 % 10_000))),
        ('D', made(1 << 40, |n| format!("({}) 555-{:04}", n % 700 + 212, n % 10_000))),
        ('B', made(1 << 40, |n| format!("{:05}-{:04}", n % 99_999, n % 9999))),
        ('Q', made(1 << 40, |n| format!("faces/{n}.jpg"))),
    ];
    for (letter, values) in cases {
        let found = found("x", &values);
        assert_eq!(found.first().map(|(letter, _)| *letter), Some(letter), "{found:?}");
        assert!(found[0].1 >= Sure::Likely);
    }
}

#[test]
fn weak_shapes_take_a_name() {
    let nine = made(899_999_999, |n| format!("{:09}", n + 1_000_000));
    assert_eq!(found("ssn", &nine)[0], ('G', Sure::Certain));
    assert_eq!(found("x", &nine)[0].0, 'R');
    let ten = made(999_999, |n| format!("2125{n:06}"));
    assert_eq!(found("home_phone", &ten)[0], ('D', Sure::Certain));
    assert_eq!(found("faxNo", &ten)[0], ('E', Sure::Certain));
    let zips = made(50, |n| format!("{:05}", n * 1811));
    assert_eq!(found("zip", &zips), [('B', Sure::Certain)]);
    assert!(found("x", &zips).is_empty());
}

#[test]
fn figures_and_categories_are_no_identifiers() {
    let cases: [(&str, Vec<String>); 12] = [
        ("phone_calls", made(40, |n| n.to_string())),
        ("phone", made(9, |n| n.to_string())),
        ("visits", made(300, |n| n.to_string())),
        ("cost", made(1 << 34, |n| (n / 7).to_string())),
        ("cholesterol", made(400, |n| n.to_string())),
        ("creatinine", made(10_000, |n| format!("{}.{:02}", n / 100, n % 100))),
        ("salary", made(100_000, |n| (n * 100).to_string())),
        ("diagnosis", made(80, |n| format!("I{:02}.{}", n, n % 10))),
        ("version", made(60, |n| format!("0.{}.{}.{}", n % 3, n % 7, n))),
        ("city_size", made(3, |n| ["small", "medium", "large"][n as usize].into())),
        ("has_email", made(2, |n| ["yes", "no"][n as usize].into())),
        ("address", made(2, |n| ["yes", "no"][n as usize].into())),
    ];
    for (name, values) in cases {
        assert!(found(name, &values).is_empty(), "{name}: {:?}", found(name, &values));
    }
}

#[test]
fn random_numbers_pass_no_check_of_a_column() {
    for digits in [10, 13, 15, 16, 17] {
        let values = made(10u64.pow(digits - 1) * 8, |n| (n + 10u64.pow(digits - 1)).to_string());
        let found = found("x", &values);
        // They are unique numbers, and nothing narrower.
        assert_eq!(found, [('R', Sure::Likely)], "{digits} digits");
    }
}

#[test]
fn ages_over_89_and_dates_are_found() {
    let ages = made(98, |n| n.to_string());
    assert_eq!(found("age", &ages), [('C', Sure::Certain)]);
    assert!(found("score", &ages).is_empty());
    assert!(found("age", &made(89, |n| n.to_string())).is_empty());
    assert!(found("age", &made(400, |n| n.to_string())).is_empty());
    let days = made(336, |n| format!("2023-{:02}-{:02}", n / 28 + 1, n % 28 + 1));
    assert_eq!(found("x", &days), [('C', Sure::Certain)]);
    assert!(found("birth_year", &made(80, |n| (1930 + n).to_string())).is_empty());
}

#[test]
fn row_numbers_and_codes_of_one_record_each_are_found() {
    let rows: Vec<String> = (1..=300).map(|n| n.to_string()).collect();
    assert_eq!(found("x", &rows), [('R', Sure::Likely)]);
    assert_eq!(found("MRN", &rows), [('H', Sure::Likely)]);
    let persons = made(60, |n| format!("P{n:03}"));
    assert_eq!(found("patient_id", &persons), [('H', Sure::Likely)]);
    assert!(found("hospital_id", &persons).is_empty());
}

#[test]
fn identifiers_inside_texts_are_found() {
    let mut notes = made(1 << 40, |n| format!("seen again on ward {n}, better than before, sent home"));
    assert_eq!(found("note", &notes), [('R', Sure::Likely)]);
    for note in notes.iter_mut().take(30) {
        note.push_str(" (write to jane.doe@example.org.)");
    }
    let found = found("note", &notes);
    assert!(found.contains(&('F', Sure::Likely)), "{found:?}");
}

#[test]
fn reasons_name_the_rule_and_its_share() {
    let cells = [("a@example.org", 9), ("b@example.org", 1), ("c@example.org", 1), ("none of yours", 2)];
    let kind = Kind::Text { free: false };
    let findings = findings(Column { name: "contactEmail", kind: &kind, cells: Cells(&cells) });
    let why = findings[0].why.join("; ");
    assert_eq!(why, "84 % of the cells look like e-mail addresses; its name contains `email`");
    assert_eq!(percent(0.004), "under 1 %");
}
