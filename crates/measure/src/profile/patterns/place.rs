//! Where somebody is: coordinates and addresses with a house number.

use velamen_core::written::number;

/// The decimals from which coordinates tell a house: eleven metres.
pub const FINE: u32 = 4;

/// A latitude and a longitude, written as decimals or as degrees.
pub(super) fn holds_coordinates(text: &str) -> bool {
    text.bytes().filter(|byte| *byte == b'.').nth(1).is_some() && decimals(text)
        || text.matches('°').nth(1).is_some() && degrees(text)
}

/// Two neighbouring numbers with four and more decimals, within their ranges: `52.52000, 13.40495`.
/// One of them must be too large for a ratio.
fn decimals(text: &str) -> bool {
    let words = text.split(|c: char| c.is_whitespace() || ",;/|()[]{}\"".contains(c));
    let numbers: Vec<Option<f64>> = words.filter(|word| !word.is_empty()).map(fine).collect();
    numbers.windows(2).any(is_pair)
}

fn is_pair(pair: &[Option<f64>]) -> bool {
    match pair {
        [Some(first), Some(second)] => {
            let within =
                first.abs() <= 90.0 && second.abs() <= 180.0 || first.abs() <= 180.0 && second.abs() <= 90.0;
            within && (first.abs() >= 10.0 || second.abs() >= 10.0)
        }
        _ => false,
    }
}

/// A number with four and more decimals, with or without the letter of its direction.
fn fine(word: &str) -> Option<f64> {
    let plain = word.trim_matches(|c: char| "NSEWOnsewo°".contains(c));
    let (_, fraction) = plain.split_once('.')?;
    let value = number::parse(plain)?.value;
    (fraction.len() as u32 >= FINE).then_some(value)
}

/// `52°31'12"N 13°24'18"E`: two degrees with minutes.
fn degrees(text: &str) -> bool {
    text.split('°').skip(1).filter(|rest| minutes(rest)).count() >= 2
}

fn minutes(rest: &str) -> bool {
    let digits = rest.trim_start().bytes().take_while(u8::is_ascii_digit).count();
    let after = rest.trim_start().get(digits..).unwrap_or("");
    (1..=2).contains(&digits) && after.starts_with(['\'', '′', '’', '.'])
}

/// A street with a house number, as Germans and as others write it.
pub(super) fn is_street(text: &str) -> bool {
    const BEFORE: [&str; 11] =
        ["straße", "strasse", "str.", "weg", "allee", "platz", "gasse", "ring", "damm", "ufer", "chaussee"];
    const AFTER: [&str; 22] = [
        "street",
        "st",
        "st.",
        "road",
        "rd",
        "rd.",
        "avenue",
        "ave",
        "ave.",
        "lane",
        "ln",
        "drive",
        "dr",
        "dr.",
        "boulevard",
        "blvd",
        "court",
        "ct",
        "way",
        "terrace",
        "close",
        "place",
    ];
    let words = || text.as_bytes().split(|byte| matches!(byte, b' ' | b',')).filter(|word| !word.is_empty());
    // Most texts have no house number, and need no more than this.
    let (mut before, mut holds_house) = (&b""[..], false);
    for word in words() {
        if is_house(word) {
            if BEFORE.iter().any(|end| ends_with(before, end)) {
                return true;
            }
            holds_house = true;
        }
        before = word;
    }
    if !holds_house {
        return false;
    }
    let opens = words().next().is_some_and(is_house);
    let closes = || is_house(before);
    let english = || opens && words().skip(2).any(|word| is_one_of(Some(word), &AFTER));
    let french = || opens && is_one_of(words().nth(1), &["rue", "avenue", "boulevard", "chemin", "place"]);
    let roman = || is_one_of(words().next(), &["via", "calle", "rua", "plaza", "piazza"]) && closes();
    english() || french() || roman()
}

fn is_one_of(word: Option<&[u8]>, names: &[&str]) -> bool {
    word.is_some_and(|word| names.iter().any(|name| name.as_bytes().eq_ignore_ascii_case(word)))
}

fn ends_with(word: &[u8], end: &str) -> bool {
    word.len() >= end.len() && word[word.len() - end.len()..].eq_ignore_ascii_case(end.as_bytes())
}

/// Up to five digits, and a letter or none.
fn is_house(word: &[u8]) -> bool {
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (1..=5).contains(&digits) && word.len() <= digits + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_told_from_measurements() {
        for text in [
            "52.5200, 13.4050",
            "48.13715;11.57612",
            "POINT(13.40495 52.52000)",
            "52°31'12\"N 13°24'18\"E",
            "N52.5200 E13.4050",
            "fell at 52.5200, 13.4050 yesterday",
            "-33.8688/151.2093",
        ] {
            assert!(holds_coordinates(text), "{text}");
        }
        for text in [
            "1.2345, 2.3456",
            "52.52, 13.40",
            "12.3456",
            "37.5 °C",
            "120/80",
            "5.1234 mg, 3 times",
            "°",
            "200.1234 99.1234",
        ] {
            assert!(!holds_coordinates(text), "{text}");
        }
    }

    #[test]
    fn streets_have_a_house_number() {
        for text in [
            "Hauptstraße 12",
            "Am Markt-Weg 3a, 10115 Berlin",
            "12 Main Street",
            "221 Old Kent Road, London",
            "5 rue Victor Hugo",
            "Via Roma 7",
        ] {
            assert!(is_street(text), "{text}");
        }
        for text in
            ["Station 3", "12 weeks", "Hauptstraße", "Main Street", "2 St", "Ring 1.5", "12 hours a day"]
        {
            assert!(!is_street(text), "{text}");
        }
    }
}
