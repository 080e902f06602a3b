//! A kind of hierarchies: wards, a hospital's letter and a digit, below their hospital.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::hierarchy::kind::{Facts, Form, Kind};
use velamen_core::hierarchy::{Ancestor, HierarchyError, Structure};

pub(crate) static KIND: Kind = Kind::of::<Wards>(&[], Facts { listed: true, days: false });

/// Wards below their hospital.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wards {
    /// The letters of the hospitals.
    #[serde(rename = "toy")]
    hospitals: String,
}

impl Form for Wards {
    const NAME: &'static str = "toy";
    type Structure = Self;

    fn structure(&self) -> Result<Self, HierarchyError> {
        match self.hospitals.is_empty() {
            true => Err(HierarchyError::Parameters(
                "`toy` has the letters of the hospitals, such as \"ABC\"".into(),
            )),
            false => Ok(self.clone()),
        }
    }
}

impl Structure for Wards {
    fn top(&self) -> u8 {
        2
    }

    fn domain(&self) -> u64 {
        10 * self.hospitals.len() as u64
    }

    fn read(&self, value: &str) -> Option<String> {
        let (hospital, ward) = (value.chars().next()?, value.get(1..)?);
        let formed = self.hospitals.contains(hospital) && ward.len() == 1 && ward.parse::<u8>().is_ok();
        formed.then(|| value.to_owned())
    }

    fn ancestor(&self, leaf: &str, level: u8) -> Option<Ancestor> {
        (level == 1).then(|| Ancestor { label: leaf[..1].to_owned(), leaves: 10 })
    }

    fn expectation(&self) -> String {
        format!("a ward such as A1, of one of the hospitals {}", self.hospitals)
    }

    fn shown(&self, _: u8) -> Option<String> {
        Some("the hospital".into())
    }
}
