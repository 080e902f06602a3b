//! What presets ask of a recipe.

use velamen_contract::manifest::Preset;
use velamen_core::error::Problem;
use velamen_core::hierarchy::Definition;

use super::AskedModel;

/// The models with what a preset asks for.
pub(super) fn completed(preset: Preset, mut models: Vec<AskedModel>) -> Result<Vec<AskedModel>, Problem> {
    let Some(least) = preset.least_k() else { return Ok(models) };
    let whole = models.iter().find(|asked| asked.is_of_whole_size());
    match whole.and_then(AskedModel::least_class) {
        Some(asked) if asked < least => Err(Problem::new(format!(
            "preset \"{}\" asks for k-anonymity with k = {least}, the recipe for k = {asked}",
            preset.name()
        ))
        .mend("leave the model out or raise k")),
        Some(_) => Ok(models),
        None => {
            models.push(AskedModel::of_size(least).map_err(|error| error.to_string())?);
            Ok(models)
        }
    }
}

/// The least level that HIPAA's Safe Harbor allows: dates by year, ZIP codes by three digits.
pub fn safe_harbor_level(definition: Option<&Definition>) -> usize {
    let structure = definition.and_then(Definition::structure);
    structure.map_or(0, |structure| structure.safe_harbor().into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use velamen_core::hierarchy::{DateLevel, Dates, UsZip};
    use velamen_search::model;

    use super::*;

    #[test]
    fn a_smaller_k_is_refused_and_a_larger_one_kept() {
        let entry = model::find("k-anonymity").unwrap();
        let asked = |k: u64| {
            let model = (entry.parse)(json!({ "k": k })).unwrap();
            vec![AskedModel { entry, model, attribute: None, shield: None }]
        };
        assert!(completed(Preset::Cms11, asked(10)).unwrap_err().text().contains("k = 11"));
        assert_eq!(completed(Preset::Cms11, asked(20)).unwrap().len(), 1);
        assert_eq!(completed(Preset::Omop5, Vec::new()).unwrap()[0].model.parameters()["k"], 5);
    }

    #[test]
    fn the_least_level_of_a_date_is_the_year() {
        let date = |date: Vec<DateLevel>| {
            let (min, max) = ("2000-01-01".to_owned(), "2024-12-31".to_owned());
            safe_harbor_level(Some(&Definition::of(&Dates { date, min, max, format: None })))
        };
        assert_eq!(date(vec![DateLevel::Month, DateLevel::Year]), 2);
        assert_eq!(date(vec![DateLevel::FiveYears]), 1);
        // Nothing but `*` is coarse enough.
        assert_eq!(date(vec![DateLevel::Month, DateLevel::Quarter]), 3);
        assert_eq!(safe_harbor_level(Some(&Definition::of(&UsZip { us_zip: Vec::new(), plus_4: true }))), 2);
        assert_eq!(safe_harbor_level(None), 0);
    }
}
