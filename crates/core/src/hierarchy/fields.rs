//! A definition's fields, all forms' together, so that a wrong one is named.

use serde::Deserialize;

use super::atc::AtcCodes;
use super::date::DateLevel;
use super::icd10::Edition;
use super::mask::Side;

/// The alphabet of masks where none is given.
pub(super) fn digits() -> u64 {
    10
}

/// What recipes and manifests write.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Fields {
    pub(super) interval: Option<Vec<f64>>,
    pub(super) cuts: Option<Vec<Vec<f64>>>,
    pub(super) mask: Option<Side>,
    pub(super) rows: Option<Vec<Vec<String>>>,
    pub(super) domain: Option<u64>,
    #[serde(rename = "icd-10")]
    pub(super) icd_10: Option<Edition>,
    pub(super) atc: Option<AtcCodes>,
    pub(super) us_zip: Option<Vec<String>>,
    pub(super) prefix: Option<Vec<usize>>,
    pub(super) date: Option<Vec<DateLevel>>,
    pub(super) min: Option<Bound>,
    pub(super) max: Option<Bound>,
    pub(super) decimals: Option<u32>,
    pub(super) length: Option<usize>,
    pub(super) alphabet: Option<u64>,
    pub(super) levels: Option<Vec<usize>>,
    pub(super) longest: Option<usize>,
    pub(super) lengths: Option<Vec<usize>>,
    #[serde(rename = "plus-4")]
    pub(super) plus_4: Option<bool>,
    pub(super) shorter: Option<bool>,
    pub(super) format: Option<String>,
}

/// An end of a domain: of numbers or of days.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a number, or a day such as \"2021-03-04\"")]
pub(super) enum Bound {
    Number(f64),
    Day(String),
    /// A date of TOML, without quotes.
    Toml {
        #[serde(rename = "$__toml_private_datetime")]
        day: String,
    },
}

impl Bound {
    pub(super) fn number(bound: Option<Self>, name: &str) -> Result<f64, String> {
        match bound {
            Some(Self::Number(number)) => Ok(number),
            _ => Err(format!("an interval hierarchy needs `{name}`, a number, an end of the domain")),
        }
    }

    pub(super) fn day(bound: Option<Self>, name: &str) -> Result<String, String> {
        match bound {
            Some(Self::Day(day) | Self::Toml { day }) => Ok(day),
            _ => Err(format!(
                "a date hierarchy needs `{name}`, a day such as \"2021-03-04\", an end of the domain"
            )),
        }
    }
}

/// The forms, each with the keys that go with it.
const FORMS: [(&str, &[&str]); 10] = [
    ("interval", &["min", "max", "decimals"]),
    ("cuts", &["min", "max", "decimals"]),
    ("mask", &["length", "alphabet", "levels"]),
    ("rows", &[]),
    ("icd-10", &["longest", "lengths"]),
    ("atc", &[]),
    ("us-zip", &["plus-4"]),
    ("prefix", &["alphabet", "shorter"]),
    ("date", &["min", "max", "format"]),
    ("domain", &[]),
];

impl Fields {
    /// The names of the fields that are given.
    fn given(&self) -> Vec<&'static str> {
        let given = [
            ("interval", self.interval.is_some()),
            ("cuts", self.cuts.is_some()),
            ("mask", self.mask.is_some()),
            ("rows", self.rows.is_some()),
            ("domain", self.domain.is_some()),
            ("icd-10", self.icd_10.is_some()),
            ("atc", self.atc.is_some()),
            ("us-zip", self.us_zip.is_some()),
            ("prefix", self.prefix.is_some()),
            ("date", self.date.is_some()),
            ("min", self.min.is_some()),
            ("max", self.max.is_some()),
            ("decimals", self.decimals.is_some()),
            ("length", self.length.is_some()),
            ("alphabet", self.alphabet.is_some()),
            ("levels", self.levels.is_some()),
            ("longest", self.longest.is_some()),
            ("lengths", self.lengths.is_some()),
            ("plus-4", self.plus_4.is_some()),
            ("shorter", self.shorter.is_some()),
            ("format", self.format.is_some()),
        ];
        given.into_iter().filter(|field| field.1).map(|field| field.0).collect()
    }

    /// The one form that is given, with no other's keys beside it.
    pub(super) fn form(&self) -> Result<&'static str, String> {
        let given = self.given();
        let mut forms = FORMS.iter().filter(|(form, _)| given.contains(form));
        let (Some((form, keys)), None) = (forms.next(), forms.next()) else {
            let names: Vec<String> = FORMS[..9].iter().map(|(form, _)| format!("`{form}`")).collect();
            return Err(format!("a hierarchy is a file's path or exactly one of {}", names.join(", ")));
        };
        match given.iter().find(|field| *field != form && !keys.contains(field)) {
            None => Ok(form),
            Some(field) => {
                let known =
                    if keys.is_empty() { "no other key".into() } else { format!("`{}`", keys.join("`, `")) };
                Err(format!("`{field}` does not go with `{form}`, which has {known}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Definition;

    fn message(json: &str) -> String {
        serde_json::from_str::<Definition>(json).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_is_read_again() {
        for json in [
            r#"{"icd-10":"who"}"#,
            r#"{"icd-10":"cm","longest":7,"lengths":[4,3]}"#,
            r#"{"atc":"any-level"}"#,
            r#"{"us-zip":["036"],"plus-4":true}"#,
            r#"{"prefix":[2,5],"alphabet":10}"#,
            r#"{"date":["month","5-years"],"min":"2018-01-01","max":"2024-12-31"}"#,
        ] {
            let definition: Definition = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&definition).unwrap(), json);
        }
    }

    #[test]
    fn one_form_with_its_own_keys() {
        assert!(message(r#"{"interval":[5],"mask":"left"}"#).contains("exactly one of"));
        assert!(message("{}").contains("`icd-10`"));
        assert!(message(r#"{"atc":"full","alphabet":10}"#).contains("`alphabet` does not go with `atc`"));
        assert!(message(r#"{"date":["month"],"min":"2018-01-01"}"#).contains("`max`"));
        assert!(message(r#"{"date":["month"],"min":1,"max":2}"#).contains("`min`"));
        assert!(message(r#"{"interval":[5],"min":"a","max":2}"#).contains("`min`"));
        assert!(
            message(r#"{"date":["fortnight"],"min":"2018-01-01","max":"2019-01-01"}"#).contains("week-year")
        );
    }
}
