//! What is compared, by the keys of recipes.

use std::path::Path;

use velamen_core::frequency::Role;
use velamen_recipe::{JobError, Recipe};

/// One way to make a release.
#[derive(Debug)]
pub(super) struct Arm {
    pub(super) name: &'static str,
    /// `[method]`.
    method: &'static str,
    /// Whether runs differ by their seed.
    pub(super) draws: bool,
}

/// The arm that the wishes are about, and those that it is measured by.
pub(super) const DEFAULT: &str = "h-ceiling";
pub(super) const BEFORE: &str = "h-ceiling, as it was";
pub(super) const WHOLE: &str = "optimal";

pub(super) const ARMS: [Arm; 6] = [
    Arm {
        name: "h-ceiling, as published",
        method: "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.3\nobjective = \"rce\"\npadding = \"exact\"\ndraw = \"uniform\"\n\
                 group-classes = 2\ncounterfeit-limit = 1\nsuppression-limit = 0\nleast-real = 1",
        draws: true,
    },
    Arm {
        name: BEFORE,
        method: "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.3\nobjective = \"rce\"\ndraw = \"empirical\"\ngroup-classes = 2\n\
                 counterfeit-limit = 1\nsuppression-limit = 0\nleast-real = 1",
        draws: true,
    },
    Arm {
        name: DEFAULT,
        method: "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.3\nobjective = \"rce\"",
        draws: true,
    },
    Arm { name: WHOLE, method: "name = \"optimal\"", draws: false },
    Arm {
        name: "optimal, 5 % suppressed",
        method: "name = \"optimal\"\nsuppression-limit = 0.05",
        draws: false,
    },
    Arm { name: "mondrian", method: "name = \"mondrian\"", draws: false },
];

impl Arm {
    /// The recipe of this arm on the table of another: k-anonymity and this method alone.
    ///
    /// # Errors
    /// [`JobError`] if the arm's own keys are wrong.
    pub(super) fn recipe(&self, base: &Recipe, k: u64, output: &Path) -> Result<Recipe, JobError> {
        let asked = format!("[[privacy]]\nmodel = \"k-anonymity\"\nk = {k}\n[method]\n{}\n", self.method);
        let arm = Recipe::in_memory(&format!("{asked}[output]\npath = {output:?}\n"))?;
        let mut recipe =
            Recipe { privacy: arm.privacy, method: arm.method, output: arm.output, ..base.clone() };
        recipe.preset = None;
        recipe.budget = None;
        for attribute in recipe.attributes.values_mut().filter(|of| of.role == Role::Insensitive) {
            attribute.role = Role::Identifier;
        }
        Ok(recipe)
    }
}
