//! Presets: what published rules ask for, as far as a recipe can say it, and what they leave to people.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rule that others have published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Preset {
    /// 45 CFR 164.514(b)(2): the eighteen identifiers are removed or coarsened.
    #[serde(rename = "hipaa-safe-harbor")]
    HipaaSafeHarbor,
    /// The European Medicines Agency's policy on the publication of clinical data: a maximum risk of 0.09.
    #[serde(rename = "ema-0070")]
    Ema0070,
    /// Health Canada's public release of clinical information: a maximum risk of 0.09.
    #[serde(rename = "health-canada-prci")]
    HealthCanadaPrci,
    /// The cell size policy of the Centers for Medicare & Medicaid Services: no cell of 1 to 10.
    #[serde(rename = "cms-11")]
    Cms11,
    /// The least cell count that is usual where results from OMOP databases are shared: 5.
    #[serde(rename = "omop-5")]
    Omop5,
}

/// What release.json says of a preset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PresetEntry {
    /// Its name.
    pub name: Preset,
    /// What it set.
    pub sets: Vec<String>,
    /// What it cannot judge: for people to decide.
    pub cannot_judge: Vec<String>,
}

/// What no rule about numbers can judge.
const CONTEXT: [&str; 2] = [
    "whether the quasi-identifiers are all that an adversary may know",
    "whether what is said of a whole class, such as a value that all its records share, is harmless: ask for a \
     model of the sensitive attribute besides",
];

impl Preset {
    /// The least k of k-anonymity.
    #[must_use]
    pub fn least_k(self) -> Option<u64> {
        match self {
            Self::HipaaSafeHarbor => None,
            // 1/12 is the first 1/k that is at most 0.09; 1/11 is 0.0909.
            Self::Ema0070 | Self::HealthCanadaPrci => Some(12),
            Self::Cms11 => Some(11),
            Self::Omop5 => Some(5),
        }
    }

    /// What it sets, in words.
    fn sets(self) -> &'static [&'static str] {
        match self {
            Self::HipaaSafeHarbor => &[
                "every column has to be named with a role",
                "dates are released as years at the finest, ages from 90 up as one value, ZIP codes as their first \
                 three digits at the finest, 000 where few people live; births that show an age of 90 and more are refused",
                "columns whose name or cells look like one of the eighteen identifiers have to be dropped",
            ],
            Self::Ema0070 | Self::HealthCanadaPrci => &[
                "k-anonymity with k = 12: the risk of every record is at most 1/12 = 0.083, which is below 0.09",
            ],
            Self::Cms11 => {
                &["k-anonymity with k = 11: no combination of quasi-identifiers has 1 to 10 records"]
            }
            Self::Omop5 => {
                &["k-anonymity with k = 5: no combination of quasi-identifiers has 1 to 4 records"]
            }
        }
    }

    fn cannot_judge(self) -> Vec<&'static str> {
        let own: &[&str] = match self {
            Self::HipaaSafeHarbor => &[
                "actual knowledge that what is left could identify a person, 45 CFR 164.514(b)(2)(ii)",
                "dates in a form that is not known, and parts of dates in columns whose name does not tell",
                "identifiers in free text, images or codes that are named and look like something else",
                "places smaller than a state that are no ZIP codes, and whether a ZIP table is of the current census",
            ],
            Self::Ema0070 | Self::HealthCanadaPrci => &[
                "narratives and other text of a clinical report",
                "rare diseases and small trials, for which the policy asks for a judgement of its own",
                "the usefulness of what is left, which the policy asks to report",
            ],
            Self::Cms11 => &[
                "tables that recipients make, and cells that follow by subtraction from published totals",
                "percentages and other figures from which small counts follow",
            ],
            Self::Omop5 => &[
                "the agreement between the partners of a network, which may ask for another least count",
                "results computed elsewhere from the same database",
            ],
        };
        own.iter().chain(&CONTEXT).copied().collect()
    }

    /// What release.json says of it.
    #[must_use]
    pub fn entry(self) -> PresetEntry {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        PresetEntry { name: self, sets: owned(self.sets()), cannot_judge: owned(&self.cannot_judge()) }
    }

    /// The name as recipes write it.
    #[must_use]
    pub fn name(self) -> String {
        serde_json::to_value(self).ok().and_then(|name| Some(name.as_str()?.to_owned())).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_least_class_keeps_the_maximum_risk() {
        let k = Preset::Ema0070.least_k().unwrap() as f64;
        assert!(1.0 / k <= 0.09 && 1.0 / (k - 1.0) > 0.09);
    }

    #[test]
    fn names_are_those_of_recipes() {
        let names = ["hipaa-safe-harbor", "ema-0070", "health-canada-prci", "cms-11", "omop-5"];
        for name in names {
            let preset: Preset = serde_json::from_value(json!(name)).unwrap();
            assert_eq!(preset.name(), name);
        }
    }
}
