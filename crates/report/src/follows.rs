//! Columns that follow from others, and conditions on rows, in the language of the page.

use velamen_contract::manifest::{DerivedSection, WhereSection};

use crate::language::{t, text};

/// What a derived column is, in words.
#[must_use]
pub fn derived(section: &DerivedSection) -> String {
    let DerivedSection { age_at, birth, days_between, year_of, hour_of, round, to, .. } = section;
    match (age_at, days_between, year_of, hour_of, round) {
        (Some(at), ..) => text!("age in full years, from {} to {}", birth.as_deref().unwrap_or_default(), at),
        (_, Some([from, to]), ..) => text!("days from {} to {}", from, to),
        (.., Some(of), _, _) => text!("the year of {}", of),
        (.., Some(of), _) => text!("the hour of {}", of),
        (.., Some(of)) => {
            text!("{}, rounded to multiples of {}", of, number(to.unwrap_or(1.0)))
        }
        _ => String::new(),
    }
}

/// What a condition asks of a row, in words.
#[must_use]
pub fn condition(section: &WhereSection) -> String {
    let WhereSection { column, among, not, min, max } = section;
    match (&among[..], &not[..], min, max) {
        (among @ [_, ..], ..) => text!("{} is {}", column, listed(among)),
        (_, not @ [_, ..], ..) => text!("{} is not {}", column, listed(not)),
        (.., Some(min), Some(max)) => text!("{} is from {} to {}", column, number(*min), number(*max)),
        (.., Some(min), None) => text!("{} is at least {}", column, number(*min)),
        (.., None, Some(max)) => text!("{} is at most {}", column, number(*max)),
        _ => column.clone(),
    }
}

/// Without groups of digits: it can be a year.
fn number(value: f64) -> String {
    crate::number::written(&value.to_string())
}

/// Values one of which is meant.
fn listed(values: &[String]) -> String {
    let shown = |value: &String| if value.is_empty() { t("(missing)") } else { value }.to_owned();
    values.iter().map(shown).collect::<Vec<_>>().join(t(" or "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Language, speaking};

    #[test]
    fn english_is_what_the_terminal_says() {
        let of = |keys: &str| toml::from_str::<DerivedSection>(keys).unwrap();
        for keys in [
            "age-at = \"2024-12-31\"\nbirth = \"born\"",
            "days-between = [\"in\", \"out\"]",
            "year-of = \"born\"",
            "hour-of = \"in\"",
            "round = \"weight\"\nto = 2.5",
            "round = \"weight\"",
        ] {
            assert_eq!(derived(&of(keys)), of(keys).words());
            let german = speaking(Language::German, || derived(&of(keys)));
            assert_ne!(german, of(keys).words());
        }
        let of = |keys: &str| toml::from_str::<WhereSection>(&format!("column = \"x\"\n{keys}")).unwrap();
        for keys in
            ["among = [\"a\", \"b\"]", "not = [\"a\", \"b\"]", "min = 1.5\nmax = 3", "min = 2", "max = 9"]
        {
            assert_eq!(condition(&of(keys)), of(keys).words());
            let german = speaking(Language::German, || condition(&of(keys)));
            assert_ne!(german, of(keys).words());
        }
    }
}
