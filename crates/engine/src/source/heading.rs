//! Whether the first line of a table names its columns, or is a record.
//!
//! A name is like the cells below it if one of them says the same, or if both are numbers of one range, dates, or codes of
//! one shape. It is unlike them if it is a word above numbers or dates, or above a few categories none of which it is.
//! Numbers that go on from column to column, such as years, are names.

use velamen_core::written::dates::DateFormat;
use velamen_core::written::number;

/// Records that are looked at.
pub(crate) const LOOKED_AT: usize = 500;

/// Of so few records the range of a number says nothing.
const FEW: usize = 5;

/// Whole numbers of these are years.
const YEARS: std::ops::RangeInclusive<i64> = 1900..=2100;

/// What a text is.
#[derive(Debug, Clone, PartialEq)]
enum Look {
    Empty,
    Number(f64),
    Date,
    /// A word with digits, by its shape.
    Code(String),
    /// Several words with digits, or an address of electronic mail.
    Mixed,
    Word,
}

impl Look {
    fn of(text: &str) -> Self {
        let text = text.trim();
        let digits = text.bytes().any(|byte| byte.is_ascii_digit());
        if text.is_empty() {
            return Self::Empty;
        }
        if let Some(number) = number::parse(text).or_else(|| number::parse(&text.replacen(',', ".", 1))) {
            return Self::Number(number.value);
        }
        if digits && DateFormat::all().any(|format| format.parse(text).is_some()) {
            return Self::Date;
        }
        match digits {
            _ if text.contains('@') => Self::Mixed,
            true if text.contains(char::is_whitespace) => Self::Mixed,
            true => Self::Code(text.chars().map(shape).collect()),
            false => Self::Word,
        }
    }

    /// Whether it is more than a word: a name that looks so could be a value.
    fn is_value(&self) -> bool {
        matches!(self, Self::Number(_) | Self::Date | Self::Code(_) | Self::Mixed)
    }
}

fn shape(letter: char) -> char {
    match letter {
        '0'..='9' => '9',
        _ if letter.is_uppercase() => 'A',
        _ if letter.is_alphabetic() => 'a',
        other => other,
    }
}

/// Whether the only name of a table holds what delimits cells, and digits: it is a record that was not divided.
pub(crate) fn is_undivided(name: &str) -> bool {
    name.contains([';', ',', '\t', '|', '~', '^']) && name.contains(|letter: char| letter.is_ascii_digit())
}

/// How many rows stand above the one that names the columns, by how many cells of each hold anything: a title has few.
pub(crate) fn rows_above(filled: &[usize]) -> u64 {
    let most = filled.iter().copied().max().unwrap_or(0);
    // A name may be missing.
    let names = |cells: &usize| *cells >= 2 && *cells * 10 >= most * 7;
    filled.iter().position(names).unwrap_or(0) as u64
}

/// How many names are like the cells below them, if the first line is rather a record than the columns' names;
/// `records` are some of those that follow, cells in the order of the names.
pub(crate) fn record_like<T: AsRef<str>>(names: &[T], records: &[Vec<T>]) -> Option<usize> {
    let names: Vec<&str> = names.iter().map(|name| name.as_ref().trim()).collect();
    let goes_on = going_on(&names);
    let (mut like, mut unlike) = (0, 0);
    for (place, name) in names.iter().enumerate() {
        let cells: Vec<&str> =
            records.iter().filter_map(|record| record.get(place)).map(|cell| cell.as_ref().trim()).collect();
        let cells: Vec<&str> = cells.into_iter().filter(|cell| !cell.is_empty()).collect();
        if name.is_empty() || cells.is_empty() {
            continue;
        }
        match if goes_on[place] { Some(false) } else { is_like(name, &cells) } {
            Some(true) => like += 1,
            Some(false) => unlike += 1,
            None => {}
        }
    }
    let enough = like > 1 || like == 1 && names.len() <= 4;
    (enough && like > unlike).then_some(like)
}

/// The same of names alone, where nothing may depend on a record: most are dates, or numbers that do not go on.
pub(crate) fn values_by_themselves(names: &[String]) -> Option<usize> {
    let names: Vec<&str> = names.iter().map(|name| name.trim()).collect();
    let goes_on = going_on(&names);
    let value =
        |place: &usize| !goes_on[*place] && matches!(Look::of(names[*place]), Look::Number(_) | Look::Date);
    let values = (0..names.len()).filter(value).count();
    (values > 0 && 2 * values >= names.len()).then_some(values)
}

/// Whether a name can be taken for a value, so that no message shows it: dates, addresses of electronic mail, numbers of
/// five digits and more or with decimals.
#[must_use]
pub fn is_value_like(name: &str) -> bool {
    let digits = name.bytes().filter(u8::is_ascii_digit).count();
    match Look::of(name) {
        Look::Date => true,
        Look::Number(number) => number.fract() != 0.0 || digits > 4,
        Look::Code(_) | Look::Mixed => digits > 4 || name.contains('@'),
        Look::Empty | Look::Word => false,
    }
}

/// Whether a name is like its column's cells; `None` where that cannot be told.
fn is_like(name: &str, cells: &[&str]) -> Option<bool> {
    if cells.contains(&name) {
        return Some(true);
    }
    let looks: Vec<Look> = cells.iter().map(|cell| Look::of(cell)).collect();
    let most =
        |is: &dyn Fn(&Look) -> bool| looks.iter().filter(|look| is(look)).count() * 5 >= 4 * looks.len();
    match Look::of(name) {
        Look::Number(number) => {
            Some(most(&|look| matches!(look, Look::Number(_))) && is_in_range(number, &looks))
        }
        Look::Date => Some(most(&|look| *look == Look::Date)),
        Look::Mixed => most(&|look| *look == Look::Mixed).then_some(true),
        code @ Look::Code(_) => {
            let same = looks.iter().filter(|look| **look == code).count();
            let numbers = most(&|look| matches!(look, Look::Number(_) | Look::Date));
            if 5 * same >= looks.len() { Some(true) } else { (numbers || is_of_few(cells)).then_some(false) }
        }
        Look::Word => (most(&Look::is_value) || is_of_few(cells)).then_some(false),
        Look::Empty => None,
    }
}

/// Whether a number lies in the range of the others, or not far beyond.
fn is_in_range(number: f64, looks: &[Look]) -> bool {
    let numbers =
        || looks.iter().filter_map(|look| if let Look::Number(number) = look { Some(*number) } else { None });
    let (low, high) = (numbers().fold(f64::INFINITY, f64::min), numbers().fold(f64::NEG_INFINITY, f64::max));
    let beyond = (high - low) / 2.0;
    looks.len() < FEW || (low - beyond..=high + beyond).contains(&number)
}

/// Whether the cells are those of few categories.
fn is_of_few(cells: &[&str]) -> bool {
    let mut distinct = cells.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    cells.len() >= 10 && distinct.len() * 5 <= cells.len()
}

/// Names of numbers that ascend from column to column, after the same letters: `2019`, `2020`; `q1`, `q2`; `1`, `2`, `3`.
fn going_on(names: &[&str]) -> Vec<bool> {
    let parts: Vec<Option<(&str, i64)>> = names.iter().map(|name| numbered(name)).collect();
    let of_all = |place: usize| -> bool {
        let Some((prefix, _)) = parts[place] else { return false };
        let numbers: Vec<i64> =
            parts.iter().flatten().filter(|(other, _)| *other == prefix).map(|(_, number)| *number).collect();
        let step = |pair: &[i64]| pair[1] - pair[0];
        let ascend = numbers.len() > 1 && numbers.windows(2).all(|pair| step(pair) > 0);
        let even = numbers.windows(3).all(|three| step(&three[..2]) == step(&three[1..]));
        let consecutive = (0..=1).contains(&numbers[0]) && numbers.windows(2).all(|pair| step(pair) == 1);
        let years = numbers.iter().all(|number| YEARS.contains(number));
        ascend && (!prefix.is_empty() || years || consecutive || even && numbers.len() > 2)
    };
    (0..names.len()).map(of_all).collect()
}

/// A name as letters and the number after them.
fn numbered(name: &str) -> Option<(&str, i64)> {
    let letters = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let plain = letters.chars().all(|letter| letter.is_alphabetic() || "_- .".contains(letter));
    let number = name[letters.len()..].parse().ok()?;
    plain.then_some((letters, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Option<usize> {
        let mut rows = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<String>>());
        let names = rows.next().unwrap();
        record_like(&names, &rows.collect::<Vec<_>>())
    }

    /// A first line over the same sixty patients.
    fn over_patients(first: &str) -> Option<usize> {
        let row = |n: usize| {
            let (sex, town) = (["m", "w"][n % 2], ["Ulm", "Bonn", "Trier"][n % 3]);
            let name = format!("Name{}", (b'a' + (n % 23) as u8) as char);
            format!(
                "{},{name},{sex},19{}-0{}-11,{town},{},E{}",
                1001 + n,
                30 + n,
                1 + n % 9,
                40_000 + 97 * n,
                10 + n
            )
        };
        let rows: Vec<String> = (0..60).map(row).collect();
        table(&format!("{first}\n{}", rows.join("\n")))
    }

    #[test]
    fn records_are_told_from_names() {
        assert!(over_patients("1000,Canary,w,1957-03-04,Ulm,41234,I63").is_some());
        // Cells may be missing, and values be new.
        assert!(over_patients("1000,Canary,,1957-03-04,Speyer,41234,").is_some());
        for header in [
            "id,name,sex,birth,town,income,icd",
            "Fallnr,Nachname,Geschlecht,GebDat,Ort,Einkommen,ICD10",
            "k1,k2,k3,k4,k5,k6,k7",
            "1,2,3,4,5,6,7",
            "c0,c1,c2,c3,c4,c5,icd10",
            ",name,sex,birth,town,income,icd",
        ] {
            assert_eq!(over_patients(header), None, "{header}");
        }
    }

    #[test]
    fn years_and_dates_are_names_of_wide_tables() {
        let wide = |first: &str| {
            let row =
                |n: usize| format!("P{},{},{},{}", 100 + n, 1500 + 17 * n, 1400 + 19 * n, 1300 + 23 * n);
            table(&format!("{first}\n{}", (0..60).map(row).collect::<Vec<_>>().join("\n")))
        };
        for header in
            ["id,2019,2020,2021", "id,2010,2015,2021", "id,2024-01-01,2024-02-01,2024-03-01", "id,w1,w2,w3"]
        {
            assert_eq!(wide(header), None, "{header}");
        }
        assert!(wide("P099,1833,2001,1410").is_some());
    }

    #[test]
    fn answers_and_marks_are_no_reason() {
        let answers: Vec<String> =
            (0..40).map(|n| format!("{},{},{}", n % 5, (n + 1) % 5, (n + 2) % 5)).collect();
        for header in ["101,102,205", "q1,q2,q3", "i_1,i_2,i_3", "E11,I63,J18"] {
            assert_eq!(table(&format!("{header}\n{}", answers.join("\n"))), None, "{header}");
        }
        assert!(table(&format!("4,1,3\n{}", answers.join("\n"))).is_some());
        assert!(table("39,77516,F\n50,83311,M\n38,215646,F").is_some());
        assert_eq!(table("a,b\na1,2\nb1,3"), None);
        assert_eq!(table("x\ny\nz"), None);
    }

    #[test]
    fn names_alone_are_judged_where_records_are_private() {
        let of = |names: &str| values_by_themselves(&names.split(',').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(of("1000,Canary,w,1957-03-04"), Some(2));
        for names in ["age,sex", "2019,2020,2021", "1,2,3", "E11,I63", "id,17,sex"] {
            assert_eq!(of(names), None, "{names}");
        }
    }

    #[test]
    fn names_that_could_be_values_are_not_shown() {
        for name in ["1957-03-04", "a@b.de", "0171 5554433", "3.25", "KV7781234"] {
            assert!(is_value_like(name), "{name}");
        }
        for name in ["2019", "Stays", "Patients 2024", "q17", "ICD10"] {
            assert!(!is_value_like(name), "{name}");
        }
    }
}
