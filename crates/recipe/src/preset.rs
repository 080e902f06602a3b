//! Presets: what published rules ask for, as far as a recipe can say it, and what they leave to people.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use velamen_core::hierarchy::{DateLevel, Definition};

use super::AskedModel;

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
    pub fn name(self) -> String {
        json!(self).as_str().unwrap_or_default().to_owned()
    }

    /// The models with what the preset asks for.
    pub(super) fn completed(self, mut models: Vec<AskedModel>) -> Result<Vec<AskedModel>, String> {
        let Some(least) = self.least_k() else { return Ok(models) };
        let whole = models.iter().find(|asked| asked.is_of_whole_size());
        match whole.and_then(AskedModel::least_class) {
            Some(asked) if asked < least => Err(format!(
                "preset \"{}\" asks for k-anonymity with k = {least}, the recipe for k = {asked}; leave the model out \
                 or raise k",
                self.name()
            )),
            Some(_) => Ok(models),
            None => {
                models.push(AskedModel::of_size(least).map_err(|error| error.to_string())?);
                Ok(models)
            }
        }
    }
}

/// The least level that HIPAA's Safe Harbor allows: dates by year, ZIP codes by three digits.
pub fn safe_harbor_level(definition: Option<&Definition>) -> usize {
    match definition {
        Some(Definition::Date { date, .. }) => {
            let coarse = date.iter().position(|level| *level >= DateLevel::Year);
            coarse.unwrap_or(date.len()).saturating_add(1)
        }
        Some(Definition::UsZip { plus_4, .. }) => 1 + usize::from(*plus_4),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use velamen_search::model;

    use super::*;

    #[test]
    fn the_least_class_keeps_the_maximum_risk() {
        let k = Preset::Ema0070.least_k().unwrap() as f64;
        assert!(1.0 / k <= 0.09 && 1.0 / (k - 1.0) > 0.09);
    }

    #[test]
    fn a_smaller_k_is_refused_and_a_larger_one_kept() {
        let entry = model::find("k-anonymity").unwrap();
        let asked = |k: u64| {
            let model = (entry.parse)(json!({ "k": k })).unwrap();
            vec![AskedModel { entry, model, attribute: None, shield: None }]
        };
        assert!(Preset::Cms11.completed(asked(10)).unwrap_err().contains("k = 11"));
        assert_eq!(Preset::Cms11.completed(asked(20)).unwrap().len(), 1);
        assert_eq!(Preset::Omop5.completed(Vec::new()).unwrap()[0].model.parameters()["k"], 5);
    }

    #[test]
    fn names_are_those_of_recipes() {
        let names = ["hipaa-safe-harbor", "ema-0070", "health-canada-prci", "cms-11", "omop-5"];
        for name in names {
            let preset: Preset = serde_json::from_value(json!(name)).unwrap();
            assert_eq!(preset.name(), name);
        }
    }

    #[test]
    fn the_least_level_of_a_date_is_the_year() {
        let date = |date: Vec<DateLevel>| {
            let (min, max) = ("2000-01-01".to_owned(), "2024-12-31".to_owned());
            safe_harbor_level(Some(&Definition::Date { date, min, max, format: None }))
        };
        assert_eq!(date(vec![DateLevel::Month, DateLevel::Year]), 2);
        assert_eq!(date(vec![DateLevel::FiveYears]), 1);
        // Nothing but `*` is coarse enough.
        assert_eq!(date(vec![DateLevel::Month, DateLevel::Quarter]), 3);
        assert_eq!(safe_harbor_level(Some(&Definition::UsZip { us_zip: Vec::new(), plus_4: true })), 2);
        assert_eq!(safe_harbor_level(None), 0);
    }
}
