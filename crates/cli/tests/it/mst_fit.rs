//! Invented records beside the checker's own fit: on dense and on sparse tables, in chains, and with little and much noise.

use serde_json::Value;

use crate::common::Folder;

/// A table whose attributes follow each other with some probability, and what declares their values.
struct Made {
    name: &'static str,
    sizes: &'static [u32],
    records: u32,
    /// Of ten records so many follow the attribute before.
    follow: u32,
}

const TABLES: [Made; 4] = [
    Made { name: "dense", sizes: &[4, 3, 5, 2], records: 4000, follow: 7 },
    Made { name: "chain", sizes: &[2; 14], records: 1500, follow: 9 },
    Made { name: "sparse", sizes: &[60, 40, 2], records: 700, follow: 8 },
    Made { name: "few", sizes: &[3, 4], records: 40, follow: 5 },
];

impl Made {
    fn folder(&self, method: &str, epsilon: &str, seed: u32) -> Folder {
        let mut state = 12345u64 + u64::from(self.records);
        let mut next = |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % u64::from(below)) as u32
        };
        let names: Vec<String> = (0..self.sizes.len()).map(|q| format!("q{q}")).collect();
        let mut text = names.join(",") + "\n";
        for _ in 0..self.records {
            let mut before = 0;
            let row: Vec<String> = self
                .sizes
                .iter()
                .map(|&size| {
                    before = if next(10) < self.follow { before % size } else { next(size).min(next(size)) };
                    format!("v{before}")
                })
                .collect();
            text += &(row.join(",") + "\n");
        }
        let mut recipe = "[input]\npath = \"t.csv\"\n".to_owned();
        for (name, &size) in names.iter().zip(self.sizes) {
            let values: Vec<String> = (0..size).map(|value| format!("\"v{value}\"")).collect();
            let domain = values.join(", ");
            recipe += &format!("[attributes.{name}]\nrole = \"quasi-identifier\"\ndomain = [{domain}]\n");
        }
        recipe += &format!(
            "[[privacy]]\nmodel = \"differential-privacy\"\nepsilon = {epsilon}\ndelta = 1e-9\n[method]\nname = \"{method}\"\nseed = \
             {seed}\n[output]\npath = \"release\"\n"
        );
        let folder = Folder::new();
        folder.write("t.csv", text);
        folder.write("recipe.toml", recipe);
        folder
    }
}

/// No release is near the bound that would refuse it, and each is fitted again.
#[test]
fn records_are_far_within_the_bound_of_the_second_fit() {
    let seeds = if std::env::var_os("VELAMEN_NIGHTLY").is_some() { 20 } else { 1 };
    let mut all = Vec::new();
    for table in &TABLES {
        for (method, epsilon) in [("mst", "0.3"), ("mst", "100"), ("aim", "1"), ("aim", "30")] {
            for seed in 0..seeds {
                let folder = table.folder(method, epsilon, seed);
                let run = folder.run(&["anonymize", "recipe.toml"]);
                let what = format!("{} {method} {epsilon} {seed}", table.name);
                assert_eq!(run.code, 0, "{what}: {}\n{}", run.out, run.err);
                let manifest: Value = folder.json("release/release.json");
                let reached = &manifest["privacy"][0]["reached"];
                let number = |key: &str| reached[key].as_f64().unwrap_or_else(|| panic!("{what}: {reached}"));
                let share = number("distance-of-fit") / number("bound-of-fit").max(1e-300);
                all.push((share, what));
            }
        }
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    assert!(all[0].0 < 0.7, "{all:?}");
}

/// A domain tells it: no record has to be read, and here there is none.
#[test]
fn too_many_values_for_the_model_are_refused_before_the_table_is_read() {
    let folder = TABLES[0].folder("mst", "1", 1);
    let recipe = folder.read("recipe.toml").replace("name = \"mst\"", "name = \"mst\"\nmodel-cells = 4");
    folder.write("recipe.toml", recipe.replace("t.csv", "nowhere.csv"));
    let run = folder.run(&["anonymize", "recipe.toml"]);
    assert_eq!(run.code, 5, "{}", run.err);
    assert!(
        run.err.contains("q2") && run.err.contains("has 5 values, more than model-cells = 4"),
        "{}",
        run.err
    );
}
