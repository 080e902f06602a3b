//! What may be wrong with a value that a hierarchy lacks. A hint names the key to look at, never the value.

use std::collections::HashSet;

use velamen_core::hierarchy::Rule;
use velamen_core::written::dates::DateFormat;
use velamen_core::written::{missing, number};

/// Why a value may not be found, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hint {
    /// It is in the hierarchy without the white space around it.
    Trim,
    /// It is with plain spaces in place of others, or without invisible characters.
    Spaces,
    /// It is in the other Unicode form.
    Form,
    /// It is in other letter case.
    Case,
    /// It is with a decimal point.
    Comma,
    /// It is a date written otherwise.
    Format,
    /// It looks like a marker of a missing value.
    Null,
    /// It has more decimals than the domain.
    Decimals,
    /// It is a number beyond the ends of the domain.
    Range,
}

impl Hint {
    /// What to do.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Trim => "it is there without the white space around it: `trim = true` in [input]",
            Self::Spaces => {
                "it is there with plain spaces: no-break spaces or invisible characters stand in the table or the \
                 hierarchy; replace them"
            }
            Self::Form => {
                "it is there in another Unicode form (NFC or NFD): bring table and hierarchy to one, for example with \
                 `uconv -x nfc`"
            }
            Self::Case => "it is there in other letter case: write both in one",
            Self::Comma => "it is a number with a decimal comma: `decimal = \",\"` in [input]",
            Self::Format => "it is a date written in another way: `format` in the hierarchy says how",
            Self::Null => "it looks like a marker of a missing value: name it in `null` of [input]",
            Self::Decimals => {
                "it has more decimals than the hierarchy's numbers: raise `decimals`, and give widths that fit, or round the \
                 column"
            }
            Self::Range => {
                "it is a number outside the hierarchy's domain: widen it, or set `top` or `bottom`"
            }
        }
    }
}

/// Looks for what is wrong with values that a rule does not contain.
pub(crate) struct Hints<'a> {
    rule: &'a Rule,
    /// A table's leaves in small letters.
    small: HashSet<String>,
    /// A table's leaves of other letters than ASCII.
    foreign: Vec<&'a str>,
}

impl<'a> Hints<'a> {
    pub(crate) fn of(rule: &'a Rule) -> Self {
        let leaves: Vec<&str> = match rule {
            Rule::Table(table) => {
                table.rows().iter().filter_map(|row| row.first()).map(String::as_str).collect()
            }
            _ => Vec::new(),
        };
        let foreign = leaves.iter().copied().filter(|leaf| !leaf.is_ascii()).collect();
        Self { rule, small: leaves.iter().map(|leaf| leaf.to_lowercase()).collect(), foreign }
    }

    /// The surest hint that fits a value.
    pub(crate) fn hint(&self, value: &str) -> Option<Hint> {
        let fits = |hint: &Hint| match hint {
            Hint::Trim => self.is_there(value, value.trim_ascii()),
            Hint::Spaces => self.is_there(value, plain(value).trim()) || self.is_there_plain(value),
            Hint::Form => self.foreign.iter().any(|leaf| alike(leaf, value) || alike(value, leaf)),
            Hint::Case => self.has_in_other_case(value),
            Hint::Comma => value.matches(',').count() == 1 && self.is_there(value, &value.replace(',', ".")),
            Hint::Format => self.is_date() && DateFormat::all().any(|format| format.parse(value).is_some()),
            Hint::Null => {
                missing::is_listed(value.trim()) && number::parse(value.trim()).is_none_or(|n| n.value < 0.0)
            }
            Hint::Decimals => self.is_too_fine(value),
            Hint::Range => self.has_ends() && number::parse(value).is_some(),
        };
        ALL.iter().find(|hint| fits(hint)).copied()
    }

    fn is_there(&self, value: &str, other: &str) -> bool {
        other != value && !other.is_empty() && self.rule.contains(other)
    }

    /// Whether a leaf is the value but for its own odd spaces.
    fn is_there_plain(&self, value: &str) -> bool {
        self.foreign.iter().any(|leaf| plain(leaf).trim() == plain(value).trim())
    }

    fn has_in_other_case(&self, value: &str) -> bool {
        let cases = [value.to_lowercase(), value.to_uppercase()];
        self.small.contains(&cases[0]) || cases.iter().any(|case| self.is_there(value, case))
    }

    fn is_date(&self) -> bool {
        matches!(self.rule, Rule::Standard(standard) if standard.facts().days)
    }

    /// Whether the number is within the ends of the domain once its decimals are cut off.
    fn is_too_fine(&self, value: &str) -> bool {
        let intervals = match self.rule {
            Rule::Interval(rule) => Some(rule),
            Rule::Coded(rule) => rule.intervals(),
            _ => None,
        };
        let Some((intervals, (whole, fraction))) = intervals.zip(value.split_once('.')) else { return false };
        let most = fraction.len().min(intervals.decimals() as usize);
        let cut = fraction.get(..most).map(|fraction| format!("{whole}.{fraction}"));
        number::parse(value).is_some() && cut.is_some_and(|cut| self.is_there(value, &cut))
    }

    fn has_ends(&self) -> bool {
        matches!(self.rule, Rule::Interval(_) | Rule::Coded(_))
    }
}

const ALL: [Hint; 9] = [
    Hint::Trim,
    Hint::Spaces,
    Hint::Form,
    Hint::Case,
    Hint::Comma,
    Hint::Format,
    Hint::Null,
    Hint::Decimals,
    Hint::Range,
];

/// With plain spaces, and without what cannot be seen.
fn plain(text: &str) -> String {
    let invisible = |c: &char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}');
    let space = |c: char| if c.is_whitespace() { ' ' } else { c };
    text.chars().filter(|c| !invisible(c)).map(space).collect()
}

/// Whether `parted` is `whole` with letters in parts: NFD of NFC. Each letter beyond ASCII may stand for a base
/// and its marks, without a table of which: a hint may be wrong, and nothing rests on it. Korean is exact.
fn alike(whole: &str, parted: &str) -> bool {
    let mut rest = parted.chars().peekable();
    let mut differ = false;
    for letter in whole.chars() {
        let Some(base) = rest.next() else { return false };
        if base == letter {
            continue;
        }
        differ = true;
        if let Some(parts) = jamo(letter) {
            let mut following = parts.chars();
            if following.next() != Some(base) || !following.all(|part| rest.next() == Some(part)) {
                return false;
            }
            continue;
        }
        let mut marks = 0;
        while rest.next_if(|c| matches!(c, '\u{300}'..='\u{36f}')).is_some() {
            marks += 1;
        }
        if letter.is_ascii() || marks == 0 {
            return false;
        }
    }
    differ && rest.next().is_none()
}

/// A Korean syllable's parts, by the arithmetic of the Unicode standard, section 3.12.
fn jamo(syllable: char) -> Option<String> {
    let number = u32::from(syllable).checked_sub(0xac00).filter(|number| *number < 11_172)?;
    let (lead, vowel, tail) = (number / 588, number % 588 / 28, number % 28);
    let tail = (tail > 0).then_some(0x11a7 + tail);
    [Some(0x1100 + lead), Some(0x1161 + vowel), tail].into_iter().flatten().map(char::from_u32).collect()
}

#[cfg(test)]
mod tests {
    use velamen_core::hierarchy::{Definition, TOP, TableRule};

    use super::*;

    fn table(leaves: &[&str]) -> Rule {
        let row = |leaf: &&str| vec![(*leaf).to_owned(), TOP.to_owned()];
        Rule::Table(TableRule::new(leaves.iter().map(row).collect()).unwrap())
    }

    fn of(definition: serde_json::Value) -> Rule {
        let definition: Definition = serde_json::from_value(definition).unwrap();
        Rule::try_from(&definition).unwrap()
    }

    #[test]
    fn each_fault_has_its_hint() {
        let words = table(&["Never married", "M\u{fc}ller", "\u{ac15}", "yes", "caf\u{e9} no", "a\u{a0}b"]);
        let ages = of(serde_json::json!({ "interval": [5], "min": 0, "max": 99 }));
        let weights = of(serde_json::json!({ "interval": [1, 10], "min": 0, "max": 199.9, "decimals": 1 }));
        let days = of(serde_json::json!({ "date": ["month"], "min": "2020-01-01", "max": "2024-12-31" }));
        for (rule, value, hint) in [
            (&words, " yes", Some(Hint::Trim)),
            (&words, "Never\u{a0}married", Some(Hint::Spaces)),
            (&words, "yes\u{200b}", Some(Hint::Spaces)),
            (&words, "a b", Some(Hint::Spaces)),
            (&words, "Mu\u{308}ller", Some(Hint::Form)),
            (&words, "\u{1100}\u{1161}\u{11bc}", Some(Hint::Form)),
            (&words, "NEVER MARRIED", Some(Hint::Case)),
            (&words, "NA", Some(Hint::Null)),
            (&words, "Mueller", None),
            (&words, "maybe", None),
            (&ages, "-9", Some(Hint::Null)),
            (&ages, "104", Some(Hint::Range)),
            (&ages, "6.5", Some(Hint::Decimals)),
            (&ages, "104.5", Some(Hint::Range)),
            (&weights, "81.55", Some(Hint::Decimals)),
            (&ages, "n/a", Some(Hint::Null)),
            (&weights, "81,5", Some(Hint::Comma)),
            (&days, "31.12.2020", Some(Hint::Format)),
            (&days, "soon", None),
        ] {
            assert_eq!(Hints::of(rule).hint(value), hint, "{value:?}");
        }
    }
}
