//! The threshold on the risk that recipe or preset asks for, in words.

use crate::language::{t, text};
use crate::number::{count, percent};
use velamen_measure::risk::reidentification::is_above;

use crate::bins::so_many;
use crate::manifest::Manifest;
use crate::risk::highest as highest_risk;
use crate::{AskedRisk, Risk};

/// The threshold on the risk that recipe or preset asks for: what is said of it, and whether it is met.
pub(crate) fn asked_threshold(risk: &Risk, has_catalog: bool) -> Option<(String, bool)> {
    let AskedRisk { risk: asked, by } = risk.asked.as_ref()?;
    let highest = highest_risk(risk)?;
    let (found, most) = (percent(highest), percent(*asked));
    let told = text!(
        "{} asks for a risk of at most {}; the person easiest to find has a risk of {}",
        by,
        most,
        found
    );
    if !is_above(highest, *asked) {
        let counted = match has_catalog {
            true => t(
                ", counted with the catalog; someone who guesses from what is usual does better: see the limits",
            ),
            false => "",
        };
        return Some((format!("{told}{counted}."), true));
    }
    let least = risk.after.first().map_or(1, |&(size, _)| size);
    let would = match risk.counts_people() {
        // Her share of the records decides.
        true if !is_above(1.0 / least as f64, *asked) => {
            t("A larger k would do, or fewer records of a person: records-per-person.").to_owned()
        }
        people => what_would_do(*asked, least, people, has_catalog),
    };
    Some((format!("{told}. {would}"), false))
}

/// What a recipe would have to ask for, since the chances of a group's records sum to 1.
fn what_would_do(asked: f64, least: u64, people: bool, catalog: bool) -> String {
    let group = so_many(least, people);
    let k = count((1.0 / asked * (1.0 - 1e-9)).ceil() as u64);
    let bound =
        text!("No release with a group of {} can have less than {}", group, percent(1.0 / least as f64));
    match (is_above(1.0 / least as f64, asked), catalog) {
        (true, false) => text!("{}: k-anonymity with k = {} would do.", bound, k),
        (true, true) => text!(
            "{}: k would have to be above {}, since some of a group's records are known to be likely counterfeits.",
            bound,
            k
        ),
        (false, true) => t("A larger k would do, or the model catalog-risk with this risk.").to_owned(),
        (false, false) => t("A larger k would do.").to_owned(),
    }
}

impl AskedRisk {
    /// The risk that the recipe or its preset asks for at most, and which of them asks.
    pub(crate) fn of(manifest: &Manifest) -> Option<Self> {
        let preset = manifest.preset.as_ref().and_then(|preset| {
            let least = preset.name.least_k()? as f64;
            Some(Self { risk: 1.0 / least, by: text!("The preset \"{}\"", preset.name.name()) })
        });
        let recipe = manifest.risk.map(|risk| Self { risk, by: t("The recipe").to_owned() });
        [preset, recipe].into_iter().flatten().min_by(|a, b| a.risk.total_cmp(&b.risk))
    }
}
