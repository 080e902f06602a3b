//! Clustering by conditional entropy and mutual information: near records, a diverse sensitive attribute.
//!
//! # References
//! Yoo 2012; the distance and its deviations are in [`super`].

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::blocks::{self, Clustering, USUAL_LAMBDA};
use super::{Lambda, Objective, Order, Seeds};
use crate::method::kit::keys;
use crate::method::{Entry, KeyError, Purpose, Task};
use velamen_core::error::Problem;

const NAME: &str = "ce-mi-clustering";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    purpose: Purpose::Papers,
    stated: |_| vec!["seeds", "lambda"],
    ..blocks::entry::<Keys>(
        NAME,
        "Blocks of little conditional entropy and mutual information.",
        |keys, task| {
            task.refuse_beyond_classes()?;
            let keys: Keys = keys::read(keys)?;
            let lambda = keys.lambda.unwrap_or(USUAL_LAMBDA);
            let objective = Objective::Entropy(
                Lambda::try_from(lambda).map_err(|problem| KeyError::of("lambda", problem))?,
            );
            let seeds = keys.seeds.unwrap_or(Seeds::Random);
            let clusters = Clustering::new(NAME, objective, seeds, only_sensitive(task, lambda)?);
            Ok(Arc::new(Clustering { lambda, weighs: true, order: keys.order, ..clusters }))
        },
    )
};

/// The method's keys.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[schemars(rename = "CeMiClusteringKeys")]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Keys {
    /// What a bit of mutual information counts beside one of conditional entropy; 1 if left out, as published.
    #[schemars(range(min = 0, max = 1024))]
    lambda: Option<f64>,
    /// Which record a block begins with; left out: `random`.
    seeds: Option<Seeds>,
    /// From where the nearness of a record is measured; left out: `block`, as published.
    order: Order,
}

/// The attribute of the mutual information, which must be one unless it does not count.
fn only_sensitive(task: &Task<'_>, lambda: f64) -> Result<Option<String>, KeyError> {
    let names: Vec<&str> = task.sensitive().collect();
    match names[..] {
        [one] => Ok(Some(one.to_owned())),
        _ if lambda == 0.0 => Ok(names.first().map(|&name| name.to_owned())),
        [] => {
            let problem =
                Problem::new("ce-mi-clustering diversifies a sensitive attribute, the recipe names none")
                    .mend(
                        "add for example [attributes.diagnosis] role = \"sensitive\", or choose name = \
                    \"ce-clustering\"",
                    );
            Err(Problem::of(&["name"], problem).into())
        }
        _ => Err(Problem::new("ce-mi-clustering diversifies exactly one sensitive attribute")
            .mend(format!(
                "give all but one of {} the role \"insensitive\" or \"quasi-identifier\"",
                names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            ))
            .into()),
    }
}
