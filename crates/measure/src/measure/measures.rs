//! All measures of a table in one structure.

use schemars::JsonSchema;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::attribute::{AttributeMeasures, Options};
use crate::measure::pycanon::{Pycanon, alone, together};
use crate::measure::{
    Grouped, Sensitive, alpha, beta, class_size, closeness, delta, diversity, people, recursive,
};

/// The privacy parameters that a table satisfies. [`crate::measure::explain()`] has a sentence for each.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Measures {
    /// Records in classes.
    pub records: u64,
    /// People in classes, where a column says whose the records are: all figures but pycanon's then count people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<u64>,
    /// Equivalence classes.
    pub classes: u64,
    /// Size of the least class.
    pub least_class: Option<u64>,
    /// Mean class size.
    pub mean_class: Option<f64>,
    /// Size of the largest class.
    pub largest_class: Option<u64>,
    /// k of k-anonymity and of (α, k)-anonymity.
    pub k: Option<u64>,
    /// By attribute, in the order given. A map by name in JSON.
    #[serde(serialize_with = "by_name")]
    #[schemars(with = "std::collections::BTreeMap<String, AttributeMeasures>")]
    pub sensitive: Vec<AttributeMeasures>,
    /// pycanon's figures with all sensitive attributes at once; all `None` without any.
    pub pycanon: Pycanon,
}

/// The privacy parameters that a table satisfies.
pub fn measure(grouped: &Grouped, options: &Options) -> Measures {
    let sizes = &grouped.sizes;
    let sensitive: Vec<_> = grouped.sensitive.iter().map(|one| of_attribute(one, options)).collect();
    let figures: Vec<Pycanon> = sensitive.iter().map(|one| one.pycanon.clone()).collect();
    Measures {
        records: grouped.people.map_or_else(|| class_size::records(sizes), |(_, records)| records),
        people: grouped.people.map(|(people, _)| people),
        classes: sizes.len() as u64,
        least_class: class_size::k(sizes),
        mean_class: class_size::mean(sizes),
        largest_class: class_size::largest(sizes),
        k: class_size::k(sizes),
        sensitive,
        pycanon: together(&grouped.sensitive, &figures),
    }
}

fn of_attribute(sensitive: &Sensitive, options: &Options) -> AttributeMeasures {
    if !sensitive.people.is_empty() {
        return people::of_attribute(sensitive, options);
    }
    let distinct_l = diversity::distinct(sensitive);
    let entropy = diversity::entropy(sensitive);
    let recursive_l = options.l.map(u64::from).or(distinct_l);
    let ratio = recursive_l.and_then(|l| recursive::ratio(sensitive, l));
    AttributeMeasures {
        name: sensitive.name.clone(),
        numeric: sensitive.numeric,
        values: sensitive.totals().present(),
        alpha: alpha::alpha(sensitive),
        distinct_l,
        entropy_l: entropy.map(|entropy| entropy.l),
        entropy_l_whole: entropy.map(|entropy| entropy.whole),
        recursive_l,
        recursive_c: ratio.map(recursive::Ratio::c),
        recursive_c_whole: ratio.map(recursive::Ratio::whole_c),
        t_equal: closeness::equal(sensitive),
        t_ordered: closeness::ordered(sensitive),
        basic_beta: beta::basic(sensitive),
        enhanced_beta: beta::enhanced(sensitive),
        delta: delta::delta(sensitive),
        pycanon: alone(sensitive),
    }
}

fn by_name<S: Serializer>(attributes: &[AttributeMeasures], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(attributes.len()))?;
    for attribute in attributes {
        map.serialize_entry(&attribute.name, attribute)?;
    }
    map.end()
}
