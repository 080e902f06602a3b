//! Generalization hierarchies for the sample's attributes, and the recipe that uses them.

use crate::{AGES, COLUMNS, STAYS, chapters, labels};

/// Widths of the age levels between the value and `*`, in years.
const AGE_WIDTHS: [usize; 3] = [5, 10, 20];

/// Widths of the length-of-stay levels between the value and `*`, in days: one, four and eight weeks.
const STAY_WIDTHS: [usize; 3] = [7, 28, 56];

/// A generalization hierarchy as a table: one row per value that can occur, from the value itself on the
/// left to `*` on the right. This is the form that ARX reads and writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hierarchy {
    /// The attribute it generalizes: one of [`COLUMNS`].
    pub attribute: &'static str,
    /// The rows, all of the same length.
    pub rows: Vec<Vec<String>>,
}

impl Hierarchy {
    /// The text of a hierarchy file: no header, values separated by semicolons.
    #[must_use]
    pub fn to_csv(&self) -> String {
        self.rows.iter().map(|row| row.join(";") + "\n").collect()
    }
}

/// The hierarchies of all six attributes, in the order of [`COLUMNS`].
///
/// The five quasi-identifiers have 5, 2, 5, 3 and 2 levels, so that their lattice has 300 nodes. The
/// diagnosis climbs from category to block and chapter of ICD-10.
///
/// ```
/// let hierarchies = velamen_synth::hierarchies();
/// assert_eq!(hierarchies[0].rows[64], ["64", "[60-64]", "[60-69]", "[60-79]", "*"]);
/// let diagnosis = &hierarchies[5];
/// assert!(diagnosis.rows.iter().any(|row| row == &["I63", "I60-I69", "I00-I99", "*"]));
/// ```
#[must_use]
pub fn hierarchies() -> Vec<Hierarchy> {
    let rows = |column: usize| -> Vec<Vec<String>> {
        let of_label = |(code, label): (usize, &String)| match COLUMNS[column] {
            "age" => interval_row(code, AGE_WIDTHS, AGES),
            "length_of_stay" => interval_row(code, STAY_WIDTHS, STAYS),
            "location" => climb(label, &[&format!("{}**", &label[..2])]),
            "diagnosis" => climb(
                label,
                &[chapters::block(label), chapters::chapter(label)].map(Option::unwrap_or_default),
            ),
            _ => climb(label, &[]),
        };
        labels()[column].iter().enumerate().map(of_label).collect()
    };
    (0..COLUMNS.len()).map(|column| Hierarchy { attribute: COLUMNS[column], rows: rows(column) }).collect()
}

fn climb(label: &str, above: &[&str]) -> Vec<String> {
    [label].iter().chain(above).map(|level| (*level).to_owned()).chain(["*".to_owned()]).collect()
}

/// The row of a whole number among `0..values`: itself, the intervals around it, `*`.
fn interval_row(value: usize, widths: [usize; 3], values: usize) -> Vec<String> {
    let interval = |width: usize| {
        let first = value / width * width;
        format!("[{first}-{}]", (first + width).min(values) - 1)
    };
    let [narrow, middle, wide] = widths.map(interval);
    vec![value.to_string(), narrow, middle, wide, "*".to_owned()]
}

/// What the recipe of a sample asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SampleMethod {
    /// The levels of least loss, and local recoding of what they leave: of the methods with k real records a class it keeps
    /// the most of this sample, by loss and by counting queries (`docs/choose-a-method.md`).
    #[default]
    LocalRecoding,
    /// The levels of least loss alone: one level for the whole table, so that there are releases to choose from.
    Levels,
    /// Counterfeit records and a catalog, by which they are counted (Lee 2017).
    Counterfeits,
}

impl SampleMethod {
    /// Those that a demonstration can show, by the names of their methods.
    pub const SHOWN: [(&'static str, Self); 2] =
        [("optimal", Self::LocalRecoding), ("h-ceiling", Self::Counterfeits)];
}

/// A recipe for a release of this sample, as commented TOML.
///
/// `input` is the path of the sample; without it, for a sample in memory, the recipe has neither `[input]` nor `[output]`.
/// `hierarchies` is the folder of the files `age.csv`, `sex.csv` and
/// so on with the text of [`Hierarchy::to_csv`]; without it the recipe builds the same hierarchies itself.
///
/// ```
/// let recipe = velamen_synth::recipe(Some("patients.csv"), None, Default::default());
/// assert!(recipe.contains("path = \"patients.csv\""));
/// assert!(recipe.contains("interval = [5, 10, 20], min = 0, max = 99"));
/// ```
#[must_use]
pub fn recipe(input: Option<&str>, hierarchies: Option<&str>, method: SampleMethod) -> String {
    let mut recipe = format!(
        "#:schema ./recipe.schema.json\n\
         # A release of the synthetic national patient sample.\n{}",
        input.map(|path| format!("\n[input]\npath = {}\n", quoted(path))).unwrap_or_default()
    );
    for (column, attribute) in COLUMNS.iter().enumerate() {
        let (comment, role) = match column {
            5 => ("What the adversary must not learn and the analyst wants.", "sensitive"),
            _ => (QUASI_IDENTIFIER_COMMENTS[column], "quasi-identifier"),
        };
        recipe += &format!("\n# {comment}\n[attributes.{attribute}]\nrole = \"{role}\"\n");
        let hierarchy = match hierarchies {
            Some(folder) => Some(quoted(&format!("{}/{attribute}.csv", folder.trim_end_matches('/')))),
            None => inline_hierarchy(attribute),
        };
        if let Some(hierarchy) = hierarchy {
            recipe += &format!("hierarchy = {hierarchy}\n");
        }
    }
    let method = match method {
        SampleMethod::LocalRecoding => LOCAL_RECODING,
        SampleMethod::Levels => LEVELS,
        SampleMethod::Counterfeits => COUNTERFEITS,
    };
    recipe + method + if input.is_some() { OUTPUT } else { "" } + REPORT
}

const QUASI_IDENTIFIER_COMMENTS: [&str; 5] = [
    "Whole years; then 5, 10 and 20 years.",
    "M or F; then *.",
    "Whole days, 0 is a visit; then one, four and eight weeks.",
    "Four digits, the first two of which are the province.",
    "Y or N; then *.",
];

const LOCAL_RECODING: &str = r#"
# Every equivalence class has at least ten records.
[[privacy]]
model = "k-anonymity"
k = 10

# The combination of levels that loses least detail, proven. The records that are alone there, at most 5 %, are released at
# coarser levels of their own instead of being suppressed.
[method]
name = "optimal"
suppression-limit = 0.05
local-recoding = true
"#;

const LEVELS: &str = r#"
# Every equivalence class has at least ten records.
[[privacy]]
model = "k-anonymity"
k = 10

# The combination of levels that loses least detail, proven; at most 5 % of the records are suppressed. With
# local-recoding = true these are released at coarser levels of their own, which keeps more of this sample.
[method]
name = "optimal"
suppression-limit = 0.05
"#;

const COUNTERFEITS: &str = r#"
# Diagnoses that the sex or the age excludes: no counterfeit gets one.
[[impossible]]
list = "icd-10"
sex = { attribute = "sex", female = ["F"], male = ["M"] }
age = "age"

# Every equivalence class has at least five records, some of which may be counterfeit.
[[privacy]]
model = "k-anonymity"
k = 5

# Classes below k are filled up with counterfeit records, at most 5 % of the release; at most 5 % of the records are
# suppressed. Among the releases that keep to this, the one that loses least detail is made; it says how far values
# were generalized at most (h). With h = 0.3, say, no record may exceed that. This release shows what counterfeits are:
# with adversary-limit = 1 nobody judges how well they can be told from real records. Leave that out for a release that is
# published. Then there are counterfeits only if they cannot be told.
[method]
name = "h-ceiling"
suppression-limit = 0.05
adversary-limit = 1
"#;

const OUTPUT: &str = r#"
[output]
path = "release"
"#;

const REPORT: &str = r#"
# What the report measures the release by: nobody is found with more than one in five.
[report]
risk = 0.2
"#;

/// The inline form of a hierarchy, for the attributes that need more than value and `*`.
fn inline_hierarchy(attribute: &str) -> Option<String> {
    match attribute {
        "age" => Some(interval(AGE_WIDTHS, AGES)),
        "length_of_stay" => Some(interval(STAY_WIDTHS, STAYS)),
        "location" => Some("{ mask = \"right\", length = 4, levels = [2, 4] }".to_owned()),
        _ => None,
    }
}

fn interval([narrow, middle, wide]: [usize; 3], values: usize) -> String {
    format!("{{ interval = [{narrow}, {middle}, {wide}], min = 0, max = {} }}", values - 1)
}

/// A TOML basic string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if control.is_control() => quoted += &format!("\\u{:04X}", u32::from(control)),
            other => quoted.push(other),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn rows_are_the_values_that_can_occur() {
        for (hierarchy, labels) in hierarchies().iter().zip(labels()) {
            let leaves: Vec<&String> = hierarchy.rows.iter().map(|row| &row[0]).collect();
            assert_eq!(leaves, labels.iter().collect::<Vec<_>>(), "{}", hierarchy.attribute);
            assert_eq!(leaves.iter().collect::<BTreeSet<_>>().len(), leaves.len(), "{}", hierarchy.attribute);
        }
    }

    #[test]
    fn levels_make_300_nodes() {
        let levels: Vec<usize> = hierarchies().iter().map(|hierarchy| hierarchy.rows[0].len()).collect();
        assert_eq!(levels, [5, 2, 5, 3, 2, 4]);
        assert_eq!(levels[..5].iter().product::<usize>(), 300);
        for hierarchy in hierarchies() {
            let width = hierarchy.rows[0].len();
            assert!(hierarchy.rows.iter().all(|row| row.len() == width && row[width - 1] == "*"));
            assert!(hierarchy.rows.iter().flatten().all(|label| !label.is_empty() && !label.contains(';')));
        }
    }

    #[test]
    fn every_value_has_one_parent() {
        for hierarchy in hierarchies() {
            for level in 1..hierarchy.rows[0].len() {
                let mut parents = BTreeMap::new();
                for row in &hierarchy.rows {
                    let parent = parents.entry(&row[level - 1]).or_insert(&row[level]);
                    assert_eq!(*parent, &row[level], "{}: {}", hierarchy.attribute, row[level - 1]);
                }
            }
        }
    }

    #[test]
    fn recipe_names_every_attribute_once() {
        let method = SampleMethod::default();
        let folder = recipe(Some("a.csv"), Some("hierarchies/"), method);
        for recipe in [recipe(Some("a.csv"), None, SampleMethod::Counterfeits), folder.clone()] {
            for attribute in COLUMNS {
                assert_eq!(recipe.matches(&format!("[attributes.{attribute}]\n")).count(), 1);
            }
            assert_eq!(recipe.matches("role = \"quasi-identifier\"").count(), 5);
        }
        assert!(folder.contains("hierarchy = \"hierarchies/age.csv\""));
        let in_memory = recipe(None, None, method);
        assert!(
            !in_memory.contains("[input]")
                && !in_memory.contains("[output]")
                && in_memory.contains("[report]")
        );
        assert!(recipe(Some("c:\\a \"b\".csv"), None, method).contains(r#"path = "c:\\a \"b\".csv""#));
    }
}
