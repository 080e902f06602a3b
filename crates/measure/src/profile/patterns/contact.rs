//! Telephone numbers and postal codes.

use super::digits::{all_alike, only};
use super::runs::{Run, digits_of, groups_of};

/// Calling codes of the ITU's recommendation E.164 by their first digits; all others of one or two digits are none.
const THREE_DIGITS: [u32; 23] =
    [21, 22, 23, 24, 25, 26, 29, 35, 37, 38, 42, 50, 59, 67, 68, 69, 80, 85, 87, 88, 96, 97, 99];

/// Words after which a number is somebody's.
const CALL: &str = "tel|call|ring|telefon|telefonnummer|telefonnr|telephone|phone|fon|mobil|mobile|mobiltelefon|handy|handynr|\
    handynummer|cellphone|fax|telefax|rufnummer|rückruf|anrufen|whatsapp|tél|téléphone|teléfono|telefono|telefoon|telefone|\
    전화|연락처|휴대폰";

/// Words after which a number is a thing's.
const OF_THINGS: &str = "lot|charge|batch|ref|nr|no|id|fall|case|order|art|pzn|az|aktenzeichen|ch|ch-b|serial|seriennummer|\
    bestellnummer|auftrag|station|ward|room|zimmer|version";

/// Whether a number of a text is in international form: `+49 171 5554433`, `0049 171 …`.
pub(super) fn holds_international(run: Run<'_>) -> bool {
    let can = run.digits.contains('+') || run.digits.contains("00");
    can && run.any_span(|span| is_international(span.digits))
}

/// A plus or two zeros, a calling code, and 8 to 15 digits that are no amount with its sign.
pub(super) fn is_international(text: &str) -> bool {
    let digits = digits_of(text);
    let rest = match (text.trim_start_matches('(').starts_with('+'), &digits[..]) {
        (true, [first, ..]) if *first != 0 && !is_amount(text) => &digits[..],
        // Zeros in front may be padding, so groups of different lengths are asked for.
        (false, [0, 0, rest @ ..]) if text.starts_with("00") && digits.len() >= 12 && is_uneven(text) => rest,
        _ => return false,
    };
    (8..=15).contains(&rest.len()) && is_called(rest) && !all_alike(rest) && only(text, SEPARATORS).is_some()
}

const SEPARATORS: &[char] = &[' ', '(', ')', '-', '.', '+', '/'];

fn is_uneven(text: &str) -> bool {
    let groups = groups_of(text);
    !text.contains('.') && groups.iter().any(|length| *length != groups[0])
}

/// `+1234567.89`.
fn is_amount(text: &str) -> bool {
    matches!(groups_of(text)[..], [_, decimals] if decimals < 4) && text.contains('.')
}

/// Whether a calling code stands at the beginning, and is no reserved one.
fn is_called(digits: &[u32]) -> bool {
    match digits {
        // Both have ten digits after the code.
        [1 | 7, ..] => digits.len() == 11,
        [2, 0 | 7, ..] | [3, 0 | 1 | 2 | 3 | 4 | 6 | 9, ..] | [4, 0 | 1 | 3..=9, ..] => true,
        [5, 1..=8, ..] | [6, 0..=6, ..] | [8, 1 | 2 | 4 | 6, ..] | [9, 0..=5 | 8, ..] => true,
        [first, second, _, ..] => THREE_DIGITS.contains(&(first * 10 + second)),
        _ => false,
    }
}

/// Whether a number of a text stands after a word such as `Tel.`
pub(super) fn holds_called(run: Run<'_>) -> bool {
    let far = run.before.len() - run.before.trim_end_matches(|c: char| !c.is_alphanumeric()).len();
    let mut words = run.words_before();
    let calls = words.find(|word| !matches!(&**word, "nr" | "no" | "number" | "nummer" | "at" | "unter"));
    let said = far < 6 && calls.is_some_and(|word| CALL.split('|').any(|call| call == word));
    said && run.any_span(can_be_called)
}

/// Six to fifteen digits that are no day and no number with decimals.
fn can_be_called(span: Run<'_>) -> bool {
    let groups = groups_of(span.digits);
    let parted = span.digits.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['-', '.', '/']);
    let day = parted && matches!(groups[..], [4, 1 | 2, 1 | 2, ..] | [1 | 2, 1 | 2, 2 | 4, ..]);
    (6..=15).contains(&digits_of(span.digits).len()) && !day && !is_amount(span.digits)
}

/// Whether a number of a text is in national form, and no word before it makes it a thing's.
pub(super) fn holds_national(run: Run<'_>) -> bool {
    let of_thing =
        || run.words_before().next().is_some_and(|word| OF_THINGS.split('|').any(|thing| thing == word));
    run.count() > 8 && run.any_span(is_phone) && !of_thing()
}

fn is_phone(span: Run<'_>) -> bool {
    (8..=15).contains(&span.count())
        && (is_national(span.digits) || is_written_phone(span.digits) || is_in_one(span.digits))
}

/// A zero, an area and a number without separators, as a text holds them: `01705554433`, `0301234567`.
fn is_in_one(text: &str) -> bool {
    only(text, &[]).is_some_and(|digits| {
        matches!(digits[..], [0, area, ..] if area != 0)
            && (10..=12).contains(&digits.len())
            && !all_alike(&digits[2..])
    })
}

/// No cell as a whole: it takes a text around the number.
pub(super) fn is_none(_: &str) -> bool {
    false
}

/// A zero, an area and a number in groups: `0171 5554433`, `(030) 123 456`, `020 7946 0958`, `06 12 34 56 78`.
pub(super) fn is_national(text: &str) -> bool {
    let begins = text.trim_start_matches('(').starts_with('0');
    let Some(digits) = only(text, &[' ', '(', ')', '-', '/']).filter(|_| begins) else { return false };
    let groups = groups_of(text);
    let first = groups.first().copied().unwrap_or(0);
    let shaped = match &groups[..] {
        [2, 2, 2, 2, 2] => digits.len() == 10,
        // Codes of drugs in the United States end with two digits after a hyphen.
        [.., last] if text.contains('-') && *last < 4 => false,
        [2, ..] => digits.len() >= 10 && groups.len() <= 3,
        _ => (3..=6).contains(&first) && (2..=6).contains(&groups.len()),
    };
    matches!(digits[..], [0, area, ..] if area != 0)
        && shaped
        && (9..=12).contains(&digits.len())
        && digits.len() >= first + 5
        && !all_alike(&digits[1..])
}

/// A number of a mobile telephone without separators: German, British, French or Korean.
pub(super) fn is_mobile(text: &str) -> bool {
    only(text, &[]).is_some_and(|digits| match (&digits[..], digits.len()) {
        ([0, 1, 5..=7, ..], 11 | 12) | ([0, 7, ..], 11) | ([0, 6 | 7, ..], 10) | ([0, 1, 0, ..], 11) => {
            !all_alike(&digits[2..])
        }
        _ => false,
    })
}

/// A telephone number written as one: with a country's code, in groups, or a Korean one with its zero.
pub(super) fn is_written_phone(text: &str) -> bool {
    let shaped = text.chars().all(|c| c.is_ascii_digit() || " ()-.+/".contains(c)) && text.len() <= 24;
    let Some(digits) =
        only(text, &[' ', '(', ')', '-', '.', '+', '/']).filter(|digits| shaped && !all_alike(digits))
    else {
        return false;
    };
    let grouped = text.contains(['-', ' ', '(', '.']);
    match text.strip_prefix('+') {
        // E.164: a country's code and at most 15 digits.
        Some(_) => (8..=15).contains(&digits.len()) && digits[0] != 0,
        None if is_korean(&digits) => {
            grouped && korean_groups(text) || digits.len() == 11 && digits[..3] == [0, 1, 0]
        }
        None => grouped && is_american(&digits) && american_groups(text),
    }
}

/// Ten or eleven digits that could be one, or eight and more that begin with 0.
pub(super) fn is_bare_phone(text: &str) -> bool {
    let Some(digits) = only(text, &[' ', '-', '.', '(', ')', '/', '+']) else { return false };
    let national = (9..=12).contains(&digits.len()) && digits[0] == 0;
    !all_alike(&digits) && (is_american(&digits) || is_korean(&digits) || national)
}

/// North American numbering plan: area and exchange begin with 2 to 9, and neither ends in 11.
fn is_american(digits: &[u32]) -> bool {
    let local = match digits {
        [1, local @ ..] if local.len() == 10 => local,
        local if local.len() == 10 => local,
        _ => return false,
    };
    let plausible = |group: &[u32]| group[0] >= 2 && group[1..] != [1, 1];
    plausible(&local[..3]) && plausible(&local[3..6])
}

/// The groups of an American number, 3-3-4, with or without the 1.
fn american_groups(text: &str) -> bool {
    let lengths: Vec<usize> =
        text.split(|c: char| !c.is_ascii_digit()).map(str::len).filter(|l| *l > 0).collect();
    matches!(lengths[..], [3, 3, 4] | [1, 3, 3, 4] | [3, 7] | [6, 4])
}

/// 02, 031 … 064, 010 … 019, 070, 080: nine to eleven digits.
fn is_korean(digits: &[u32]) -> bool {
    let area =
        matches!(digits, [0, 2, ..] | [0, 3..=6, 1..=5, ..] | [0, 1, 0 | 1 | 6..=9, ..] | [0, 7 | 8, 0, ..]);
    area && (9..=11).contains(&digits.len())
}

fn korean_groups(text: &str) -> bool {
    let lengths: Vec<usize> =
        text.split(|c: char| !c.is_ascii_digit()).map(str::len).filter(|l| *l > 0).collect();
    matches!(lengths[..], [2 | 3, 3 | 4, 4])
}

pub(super) fn is_zip_plus_4(text: &str) -> bool {
    text.split_once('-').is_some_and(|(zip, more)| is_of_digits(zip, 5) && is_of_digits(more, 4))
}

/// The areas of the United Kingdom's postcodes, Crown dependencies among them.
const UK_AREAS: &str = "AB|AL|B|BA|BB|BD|BF|BH|BL|BN|BR|BS|BT|BX|CA|CB|CF|CH|CM|CO|CR|CT|CV|CW|DA|DD|DE|DG|DH|DL|DN|DT|DY|E|\
     EC|EH|EN|EX|FK|FY|G|GL|GU|GY|HA|HD|HG|HP|HR|HS|HU|HX|IG|IM|IP|IV|JE|KA|KT|KW|KY|L|LA|LD|LE|LL|LN|LS|\
     LU|M|ME|MK|ML|N|NE|NG|NN|NP|NR|NW|OL|OX|PA|PE|PH|PL|PO|PR|RG|RH|RM|S|SA|SE|SG|SK|SL|SM|SN|SO|SP|SR|S\
     S|ST|SW|SY|TA|TD|TF|TN|TQ|TR|TS|TW|UB|W|WA|WC|WD|WF|WN|WR|WS|WV|YO|ZE";

/// Whole British codes with their space: an area that there is, and letters that occur behind the space.
pub(super) fn is_british(text: &str) -> bool {
    let code = text.to_ascii_uppercase();
    let Some((outward, inward)) = code.split_once(' ') else { return false };
    let digit = outward.find(|c: char| c.is_ascii_digit()).unwrap_or(outward.len());
    let (area, district) = outward.split_at(digit);
    let is_inward = matches!(inward.as_bytes(), [b'0'..=b'9', rest @ ..]
        if rest.len() == 2 && rest.iter().all(|byte| byte.is_ascii_uppercase() && !b"CIKMOV".contains(byte)));
    let is_district = matches!(district.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'9', b'0'..=b'9' | b'A'..=b'Z']);
    is_inward && is_district && UK_AREAS.split('|').any(|known| known == area)
}

/// US, Korean, British, Canadian and five-digit European codes.
pub(super) fn is_postal_code(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| *c != ' ').collect();
    let shape: String = plain
        .chars()
        .map(|c| {
            if c.is_ascii_digit() {
                '9'
            } else if c.is_ascii_alphabetic() {
                'A'
            } else {
                c
            }
        })
        .collect();
    const SHAPES: [&str; 19] = [
        "9999",
        "99999",
        "99999-9999",
        "999-999",
        "999999",
        "999",
        "A9A9A9",
        "A99AA",
        "A999AA",
        "AA99AA",
        "AA999AA",
        "A9A9AA",
        "AA9A9AA",
        // Outward codes.
        "A9",
        "A99",
        "A9A",
        "AA9",
        "AA99",
        "AA9A",
    ];
    SHAPES.contains(&shape.as_str())
}

fn is_of_digits(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::super::runs::runs;
    use super::*;

    #[test]
    fn telephone_numbers_are_told_from_other_digits() {
        for text in [
            "(212) 555-2368",
            "212-555-2368",
            "212.555.2368",
            "1-212-555-2368",
            "+82 10-1234-5678",
            "010-1234-5678",
            "01012345678",
            "02-123-4567",
            "031-123-4567",
            "+4930123456",
        ] {
            assert!(is_written_phone(text), "{text}");
        }
        for text in [
            "2125552368",
            "112-555-2368",
            "212-111-2368",
            "2024-01-31",
            "12.50",
            "1234",
            "000-000-0000",
            "10-20-30",
            "123-45-6789",
            "3-1",
            "",
        ] {
            assert!(!is_written_phone(text), "{text}");
        }
        assert!(
            is_bare_phone("2125552368")
                && is_bare_phone("0301234567")
                && !is_bare_phone("12")
                && !is_bare_phone("1125552368")
        );
    }

    #[test]
    fn telephone_numbers_are_found_in_texts() {
        let holds_international = |text| runs(text).into_iter().any(holds_international);
        let holds_called = |text| runs(text).into_iter().any(holds_called);
        let holds_national = |text| runs(text).into_iter().any(holds_national);
        for text in [
            "call +49 171 5554433 (daughter)",
            "+1 (212) 555-2368",
            "+491715554433",
            "0049 171 5554433",
            "(+44) 20 7946 0958",
            "on 2024-01-31 +49 30 123456",
        ] {
            assert!(holds_international(text), "{text}");
        }
        for text in [
            "+12",
            "+1234567.89",
            "+12345678.5",
            "00491715554433",
            "00123 45678",
            "+000 000 000",
            "2024-01-31",
            "+2800 mg in 20 days",
        ] {
            assert!(!holds_international(text), "{text}");
        }
        for text in [
            "Angehörige: Tochter Tel. 0171 5554433",
            "Telefon: 5554433",
            "phone number 212 555 2368",
            "mobil 01715554433",
            "call 01715554433",
            "Tel.: 030/1234567, 2 Söhne",
        ] {
            assert!(holds_called(text), "{text}");
        }
        for text in [
            "mobil 2024-01-31",
            "mobil seit 3.4.2024",
            "Telefon defekt, Station 1234567",
            "telephone 12 times",
            "mobile 3 4",
        ] {
            assert!(!holds_called(text), "{text}");
        }
        for text in [
            "daughter 0171 5554433",
            "see 2024-01-31 0171/5554433",
            "06 12 34 56 78",
            "(030) 123 4567",
            "020 7946 0958",
            "ask 212-555-2368",
            "daughter 01715554433 in May",
            "Sohn: 0301234567",
        ] {
            assert!(holds_national(text), "{text}");
        }
        for text in [
            "Lot 0312 456789",
            "Lot 0312456789",
            "sample 0012345678",
            "sample 01111111111",
            "01-02-1990",
            "120-80",
            "001-0023-45678",
            "10 20 30",
            "0.5 12345678",
            "12345-6",
        ] {
            assert!(!holds_national(text), "{text}");
        }
        assert!(!holds_called("Telefon am 2024-01-31 10 12") && !holds_called("Telefon 31.01.2024 10:30"));
        assert!(is_mobile("01715554433") && is_mobile("07700900123") && !is_mobile("0012345678"));
    }

    #[test]
    fn postal_codes_have_a_shape() {
        for text in ["02139", "02139-1234", "K1A 0B1", "SW1A 1AA", "123-456", "m11ae", "SW1A", "G12"] {
            assert!(is_postal_code(text), "{text}");
        }
        assert!(!is_postal_code("12") && !is_postal_code("Berlin") && !is_postal_code("1234567"));
        for text in ["SW1A 1AA", "m1 1ae", "B33 8TH", "DN55 1PT", "W1T 1JY"] {
            assert!(is_british(text), "{text}");
        }
        for other in ["SW1A1AA", "K1A 0B1", "XX1 1AA", "SW1A 1CA", "SW1A  1AA", "AB12 CDE", "1234 AB", "M1"] {
            assert!(!is_british(other), "{other}");
        }
        assert!(is_zip_plus_4("02139-1234") && !is_zip_plus_4("02139") && !is_zip_plus_4("2139-1234"));
    }
}
