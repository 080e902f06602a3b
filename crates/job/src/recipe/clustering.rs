//! The recipe's section for clusterings: each method is an objective.

use velamen_core::frequency::Role;
use velamen_core::method::clustering::{Lambda, Objective, Seeds};

use super::{AskedModel, Method, MethodName, Recipe};

/// λ where the recipe gives none: the published distance.
const USUAL_LAMBDA: f64 = 1.0;

/// A clustering with its parameters.
#[derive(Debug, Clone)]
pub struct Clusters {
    /// The name in the recipe.
    pub name: MethodName,
    /// What blocks should cost little of.
    pub objective: Objective,
    /// λ of the distance that the custodian is told; that of the objective where it has one.
    pub lambda: f64,
    /// Which records blocks begin with.
    pub seeds: Seeds,
    /// The sensitive attribute that is looked at: by the objective, else for the figures.
    pub sensitive: Option<String>,
}

impl Recipe {
    /// `name` is a clustering's.
    pub(super) fn clustering(&self, name: MethodName, models: &[AskedModel]) -> Result<Method, String> {
        self.refuse_beyond_classes(models)?;
        let lambda = self.method.lambda.unwrap_or(USUAL_LAMBDA);
        let first = self.sensitive_names().next().cloned();
        let (objective, sensitive) = match name {
            MethodName::CeMiClustering => {
                (Objective::Entropy(Lambda::try_from(lambda)?), self.only_sensitive(lambda)?)
            }
            MethodName::EntropyLClustering => {
                let (l, attribute) = aimed(models, "entropy-l-diversity", "l", f64::max)?;
                (Objective::Diversity { l }, attribute)
            }
            MethodName::TClosenessClustering => {
                let (t, attribute) = aimed(models, "t-closeness", "t", f64::min)?;
                (Objective::Closeness { t }, attribute)
            }
            MethodName::KMember => (Objective::Heights, first),
            _ => (Objective::Entropy(Lambda::try_from(0.0)?), first),
        };
        let usual = if name == MethodName::KMember { Seeds::Farthest } else { Seeds::Random };
        let seeds = self.method.seeds.unwrap_or(usual);
        Ok(Method::Clustering(Clusters { name, objective, lambda, seeds, sensitive }))
    }

    fn sensitive_names(&self) -> impl Iterator<Item = &String> {
        self.attributes.iter().filter(|(_, section)| section.role == Role::Sensitive).map(|(name, _)| name)
    }

    /// The attribute of the mutual information, which must be one unless it does not count.
    fn only_sensitive(&self, lambda: f64) -> Result<Option<String>, String> {
        let names: Vec<&String> = self.sensitive_names().collect();
        match names[..] {
            [one] => Ok(Some(one.clone())),
            _ if lambda == 0.0 => Ok(names.first().map(|name| (*name).clone())),
            [] => Err(
                "ce-mi-clustering diversifies a sensitive attribute, the recipe names none; add for example \
                       [attributes.diagnosis] role = \"sensitive\", or choose name = \"ce-clustering\""
                    .into(),
            ),
            _ => Err(format!(
                "ce-mi-clustering diversifies exactly one sensitive attribute; give all but one of {} the role \
                 \"insensitive\" or \"quasi-identifier\"",
                names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            )),
        }
    }
}

/// The strictest bound of a model that the method aims at, and the attribute it looks at.
fn aimed(
    models: &[AskedModel],
    model: &str,
    key: &str,
    strictest: fn(f64, f64) -> f64,
) -> Result<(f64, Option<String>), String> {
    let asked: Vec<&AskedModel> = models.iter().filter(|asked| asked.entry.name == model).collect();
    let bounds = asked.iter().filter_map(|asked| asked.model.parameters()[key].as_f64());
    let bound = bounds.reduce(strictest).ok_or_else(|| {
        format!("the method aims at the model `{model}`; add [[privacy]] model = \"{model}\", {key} = …")
    })?;
    match asked.iter().find(|other| other.attribute != asked[0].attribute) {
        Some(_) => Err(format!("the method aims at one attribute; ask for `{model}` of one only")),
        None => Ok((bound, asked[0].attribute.clone())),
    }
}
