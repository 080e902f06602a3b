//! The tables, and what each method is asked for.

use std::path::{Path, PathBuf};

use velamen_core::context::Context;
use velamen_dp::Seed;
use velamen_recipe::JobError;

use crate::synth::{Nps, SampleMethod, write_nps};

/// The stream of the seed from which the seed of the patients is drawn; nodes use streams from 0 up.
const PATIENTS_STREAM: u64 = u64::MAX - 1;

/// A table with the part of a recipe that describes it.
pub(crate) struct Sample {
    /// What it is, for people.
    pub(crate) name: String,
    input: PathBuf,
    /// (name, hierarchy, public domain) of the quasi-identifiers.
    pub(super) qis: Vec<(String, PathBuf)>,
    pub(super) sensitive: String,
    /// Its hierarchy, if there is one.
    sensitive_hierarchy: Option<PathBuf>,
    /// Columns that are dropped.
    dropped: Vec<String>,
}

/// A method as it takes part.
pub(crate) struct Entrant {
    pub(super) name: &'static str,
    /// `[[privacy]]`.
    privacy: &'static str,
    /// `[method]`.
    method: &'static str,
}

const K: &str = "[[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n";
const DP: &str = "[[privacy]]\nmodel = \"differential-privacy\"\nepsilon = 1.0\n";
const DP_DELTA: &str = "[[privacy]]\nmodel = \"differential-privacy\"\nepsilon = 1.0\ndelta = 1e-5\n";

/// The plain search: where only a table is wanted, its recipe reads it.
pub(crate) const PLAIN: Entrant = Entrant { name: "optimal", privacy: K, method: "name = \"optimal\"" };

/// k = 5, h = 0.3, ε = 1 throughout.
pub(crate) const ENTRANTS: &[Entrant] = &[
    PLAIN,
    Entrant {
        name: "optimal, 5 % suppressed",
        privacy: K,
        method: "name = \"optimal\"\nsuppression-limit = 0.05",
    },
    Entrant {
        name: "optimal, local recoding",
        privacy: K,
        method: "name = \"optimal\"\nsuppression-limit = 0.05\nlocal-recoding = true",
    },
    Entrant { name: "mondrian", privacy: K, method: "name = \"mondrian\"" },
    Entrant {
        name: "h-ceiling, as published",
        privacy: K,
        method: "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.3\nobjective = \"rce\"\npadding = \"exact\"\ndraw = \"uniform\"",
    },
    Entrant {
        name: "h-ceiling",
        privacy: K,
        method: "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.3\nobjective = \"rce\"",
    },
    Entrant {
        name: "h-ceiling, mondrian",
        privacy: K,
        method: "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.3\nobjective = \"rce\"\nparts = \"mondrian\"",
    },
    Entrant {
        name: "h-ceiling, clustering",
        privacy: K,
        method: "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.3\nobjective = \"rce\"\nparts = \"clustering\"",
    },
    Entrant { name: "k-member", privacy: K, method: "name = \"k-member\"" },
    Entrant { name: "ce-clustering", privacy: K, method: "name = \"ce-clustering\"" },
    Entrant { name: "ce-mi-clustering", privacy: K, method: "name = \"ce-mi-clustering\"" },
    Entrant { name: "iab", privacy: K, method: "name = \"iab\"" },
    Entrant { name: "greedy", privacy: K, method: "name = \"greedy\"" },
    Entrant { name: "safe-pub, ε = 1, δ = 1e-5", privacy: DP_DELTA, method: "name = \"safe-pub\"" },
    Entrant { name: "ipa as published", privacy: "", method: "name = \"ipa\"\nguarantee = \"published\"" },
    Entrant { name: "ipa, ε = 1", privacy: DP, method: "name = \"ipa\"" },
    Entrant { name: "ipa, ε = 1, δ = 1e-5", privacy: DP_DELTA, method: "name = \"ipa\"" },
    Entrant {
        name: "contingency table, δ = 1e-5",
        privacy: DP_DELTA,
        method: "name = \"contingency-table\"",
    },
];

impl Sample {
    /// The recipe of a method on this table. SafePub releases quasi-identifiers only.
    pub(crate) fn recipe(&self, entrant: &Entrant) -> String {
        let mut recipe = format!("[input]\npath = {:?}\n", self.input);
        for (name, hierarchy) in &self.qis {
            recipe += &attribute(name, "quasi-identifier", Some(hierarchy));
        }
        let all_are_qis = entrant.method.contains("safe-pub");
        let role = if all_are_qis { "quasi-identifier" } else { "sensitive" };
        recipe += &attribute(&self.sensitive, role, self.sensitive_hierarchy.as_ref());
        for name in &self.dropped {
            recipe += &attribute(name, "identifier", None);
        }
        recipe + entrant.privacy + "[method]\n" + entrant.method + "\n[output]\npath = \"release\"\n"
    }
}

fn attribute(name: &str, role: &str, hierarchy: Option<&PathBuf>) -> String {
    let hierarchy = hierarchy.map_or(String::new(), |path| format!("hierarchy = {path:?}\n"));
    format!("[attributes.{name}]\nrole = \"{role}\"\n{hierarchy}")
}

/// Adult: `adult.csv` and `adult_hierarchy_NAME.csv` in a folder.
pub(crate) fn adult(folder: &Path) -> Sample {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let hierarchy = |name: &str| folder.join(format!("adult_hierarchy_{name}.csv"));
    let qis = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"];
    Sample {
        name: "Adult, 30 162 complete records, 7 quasi-identifiers, occupation".into(),
        input: folder.join("adult.csv"),
        qis: qis.map(|name| (name.to_owned(), hierarchy(name))).to_vec(),
        sensitive: "occupation".into(),
        sensitive_hierarchy: Some(hierarchy("occupation")),
        dropped: vec!["salary-class".into()],
    }
}

/// A synthetic sample in a folder.
///
/// # Errors
/// [`JobError`] of writing it.
pub(crate) fn synthetic(rows: u64, folder: &Path, context: &Context<'_>) -> Result<Sample, JobError> {
    let seed = Seed::from_number(context.seed.stream(PATIENTS_STREAM).word());
    let (input, hierarchies) = (folder.join("patients.csv"), folder.join("hierarchies"));
    let request = Nps {
        rows,
        distinct: false,
        output: input.clone(),
        hierarchies: Some(hierarchies.clone()),
        recipe: None,
        method: SampleMethod::default(),
    };
    write_nps(&request, &Context { seed: &seed, ..*context })?;
    let names: Vec<&str> = velamen_synth::hierarchies().into_iter().map(|h| h.attribute).collect();
    let path = |name: &str| hierarchies.join(format!("{name}.csv"));
    let qis = names.iter().filter(|name| **name != "diagnosis").map(|name| ((*name).to_owned(), path(name)));
    Ok(Sample {
        name: format!("synthetic patients, {rows} records, 5 quasi-identifiers, diagnosis"),
        input,
        qis: qis.collect(),
        sensitive: "diagnosis".into(),
        sensitive_hierarchy: Some(path("diagnosis")),
        dropped: Vec::new(),
    })
}
