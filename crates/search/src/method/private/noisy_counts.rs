//! What methods of noisy counts say of their releases.

use serde_json::{Map, json};

use super::ipa::private::Found;
use crate::method::{Decision, Outcome};

/// The decision, and what may be said of it.
pub(super) fn decision(found: Found) -> Decision {
    let (stated, original) = (found.stated, found.original);
    let search = json!({
        "occupied-cells": original.occupied_cells,
        "released-cells": original.released_cells,
        "cells-of-noise-alone": original.false_cells,
        "records-in-released-cells": original.kept_records,
    });
    let mut said = Map::new();
    said.insert("least-count".into(), stated.least_count.into());
    said.insert("cells".into(), stated.cells.to_string().into());
    said.insert("expected-cells-of-noise".into(), stated.expected.cells.into());
    said.insert("expected-records-of-noise".into(), stated.expected.records.into());
    let warnings = warning(&found).into_iter().collect();
    let outcome = Outcome::Records(Box::new(found.release));
    Decision { stated: said, search, warnings, ..Decision::of(outcome) }
}

/// Where much of the release is noise, the user should know; what is said is public.
fn warning(found: &Found) -> Option<String> {
    let (stated, records) = (found.stated, found.release.records());
    let noise = stated.expected.records + stated.expected_suppressed;
    (noise > (records as f64 / 10.0).max(0.5)).then(|| {
        format!(
            "of the {records} released records some {noise:.0} are made by noise alone, on average over such runs; raise \
             least-count or epsilon, or release higher levels"
        )
    })
}

/// What reports say of such a method.
pub(super) const WORDS: &str = "For every combination of generalized values the number of persons was counted, random \
     noise was added to each count, and the noisy counts were written out as records.";

/// What holds of its releases.
pub(super) const FACTS: crate::method::Facts = crate::method::Facts {
    records: crate::method::Records::Noisy { counted: "cells", others: &[] },
    private: true,
    persons: false,
    wildcards: false,
    population: false,
    ..crate::method::Facts::SEARCH
};
