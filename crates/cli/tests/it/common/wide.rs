//! Tables of many quasi-identifiers, at random, with a recipe.

use crate::common::Folder;

/// What a table is.
pub(crate) struct Wide<'a> {
    /// Quasi-identifiers.
    pub(crate) width: usize,
    pub(crate) records: usize,
    /// Values of each quasi-identifier, from 0 up.
    pub(crate) values: u64,
    /// A line of each quasi-identifier's section; may be empty.
    pub(crate) line: &'a str,
}

impl Wide<'_> {
    /// The table and a recipe with the `[method]` section given.
    pub(crate) fn folder(&self, method: &str) -> Folder {
        let folder = Folder::new();
        let mut state = 1u64;
        let mut cell = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) % self.values
        };
        let names: Vec<String> = (0..self.width).map(|q| format!("q{q}")).collect();
        let mut text = names.join(",") + ",diagnosis\n";
        for i in 0..self.records {
            let row: Vec<String> = names.iter().map(|_| cell().to_string()).collect();
            text += &format!("{},I{}\n", row.join(","), i % 4);
        }
        folder.write("wide.csv", text);
        let attribute =
            |name: &String| format!("[attributes.{name}]\nrole = \"quasi-identifier\"\n{}\n", self.line);
        let attributes: String = names.iter().map(attribute).collect();
        folder.write(
            "recipe.toml",
            format!(
                "[input]\npath = \"wide.csv\"\n{attributes}[attributes.diagnosis]\nrole = \"sensitive\"\n\
                 [[privacy]]\nmodel = \"k-anonymity\"\nk = 3\n[method]\n{method}\n[output]\npath = \"release\"\n"
            ),
        );
        folder
    }
}
