//! Folders of invented persons, recipes over them, and releases read back.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use tempfile::TempDir;
use velamen_core::context::{Context, Silent};
use velamen_dp::Seed;
use velamen_patients::{LinkedRecipe, Outcome, anonymize};
use velamen_recipe::{JobError, Overrides};

/// A table as rows of cells by column.
pub(crate) type Read = Vec<BTreeMap<String, String>>;

/// A folder with a recipe beside the tables.
pub(crate) struct Made {
    pub(crate) folder: TempDir,
}

impl Made {
    pub(crate) fn empty() -> Self {
        let made = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(made.path("in")).unwrap();
        std::fs::write(made.path("secret.key"), "0123456789abcdef0123456789abcdef\n").unwrap();
        made
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn table(&self, name: &str, text: &str) {
        std::fs::write(self.path("in").join(name), text).unwrap();
    }

    /// Changes a table's text.
    pub(crate) fn change(&self, name: &str, change: impl Fn(String) -> String) {
        let path = self.path("in").join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, change(text)).unwrap();
    }

    pub(crate) fn run(&self, recipe: &str) -> Result<Outcome, JobError> {
        let path = self.path("recipe.toml");
        std::fs::write(&path, recipe).unwrap();
        let recipe = LinkedRecipe::load(&path, &Overrides::default())?;
        with_context(|context| anonymize(&recipe, &path, true, context))
    }

    pub(crate) fn released(&self, name: &str) -> Read {
        read(&self.path("release/data").join(name))
    }
}

/// Calls with a context that nobody looks at.
pub(crate) fn with_context<T>(call: impl FnOnce(&Context<'_>) -> T) -> T {
    let (seed, cancel) = (Seed::from_number(7), AtomicBool::new(false));
    call(&Context { seed: &seed, progress: &Silent, cancel: &cancel })
}

pub(crate) fn read(path: &Path) -> Read {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let row = |row: csv::StringRecord| header.iter().cloned().zip(row.iter().map(str::to_owned)).collect();
    reader.records().map(|record| row(record.unwrap())).collect()
}

/// Numbers that look drawn and are the same each time.
pub(crate) struct Drawn(pub(crate) u64);

impl Drawn {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// A day as `YYYY-MM-DD`, from 2010 on.
pub(crate) fn day(number: u64) -> String {
    format!("{}-{:02}-{:02}", 2010 + number / 336 % 10, number / 28 % 12 + 1, number % 28 + 1)
}

/// The first key of each table, which no released one can be.
pub(crate) const KEYS: u64 = 9_000_000;

/// An OMOP folder of invented persons, with what must not survive in every table.
pub(crate) fn omop(persons: u64) -> Made {
    let made = Made::empty();
    let mut drawn = Drawn(11);
    let mut text: BTreeMap<&str, String> = BTreeMap::new();
    let mut add = |table: &'static str, row: std::fmt::Arguments<'_>| {
        let _ = writeln!(text.entry(table).or_default(), "{row}");
    };
    add(
        "PERSON.csv",
        format_args!(
            "person_id,gender_concept_id,year_of_birth,month_of_birth,day_of_birth,race_concept_id,ethnicity_concept_id,provider_id,person_source_value"
        ),
    );
    add(
        "VISIT_OCCURRENCE.csv",
        format_args!(
            "visit_occurrence_id,person_id,visit_concept_id,visit_start_date,visit_end_date,visit_type_concept_id,visit_source_value"
        ),
    );
    add(
        "CONDITION_OCCURRENCE.csv",
        format_args!(
            "condition_occurrence_id,person_id,condition_concept_id,condition_start_date,condition_end_date,condition_type_concept_id,stop_reason,visit_occurrence_id,condition_source_value"
        ),
    );
    add(
        "MEASUREMENT.csv",
        format_args!(
            "measurement_id,person_id,measurement_concept_id,measurement_date,measurement_type_concept_id,value_as_number,unit_concept_id,visit_occurrence_id"
        ),
    );
    add("DEATH.csv", format_args!("person_id,death_date,cause_source_value"));
    add("NOTE.csv", format_args!("note_id,person_id,note_text"));
    add("PROVIDER.csv", format_args!("provider_id,provider_name"));
    add("PROVIDER.csv", format_args!("5,Doctor Planted"));
    let (mut visit, mut row) = (KEYS, KEYS);
    for number in 0..persons {
        let person = KEYS + number * 3;
        let sex = if drawn.below(2) == 0 { 8507 } else { 8532 };
        let born = 1925 + drawn.below(80);
        add("PERSON.csv", format_args!("{person},{sex},{born},5,17,8527,0,5,planted-{number}"));
        if drawn.below(9) == 0 {
            add("DEATH.csv", format_args!("{person},{},planted cause", day(3_300 + drawn.below(50))));
        }
        for _ in 0..1 + drawn.below(3) {
            visit += 7;
            let start = drawn.below(3_000);
            let kind = 9201 + drawn.below(2);
            add(
                "VISIT_OCCURRENCE.csv",
                format_args!(
                    "{visit},{person},{kind},{},{},44818517,planted-{visit}",
                    day(start),
                    day(start + drawn.below(9))
                ),
            );
            for _ in 0..1 + drawn.below(2) {
                row += 1;
                let code = 400_000 + drawn.below(4) * drawn.below(4);
                add(
                    "CONDITION_OCCURRENCE.csv",
                    format_args!(
                        "{row},{person},{code},{},,38000175,planted stop,{visit},planted-{code}",
                        day(start)
                    ),
                );
            }
            row += 1;
            let value = 60.0 + drawn.below(4_000) as f64 / 100.0;
            add(
                "MEASUREMENT.csv",
                format_args!("{row},{person},3004249,{},38000267,{value},8876,{visit}", day(start)),
            );
        }
        add("NOTE.csv", format_args!("{number},{person},planted note of {number}"));
    }
    for (name, text) in text {
        made.table(name, &text);
    }
    made
}

/// The recipe of an agreement with a shift.
pub(crate) fn agreement(k: u32, m: u8) -> String {
    format!(
        "[input]\nfolder = \"in\"\nshape = \"omop\"\n[persons]\ntier = \"agreement\"\ndates = {{ shift = 30 }}\nwindow = [\"2010-01-01\", \"2019-12-31\"]\n\
         [[privacy]]\nmodel = \"k-km-anonymity\"\nk = {k}\nm = {m}\n[key]\nfile = \"secret.key\"\n[output]\npath = \"release\"\n"
    )
}

/// The recipe of a public release.
pub(crate) fn public(dates: &str) -> String {
    agreement(5, 1)
        .replace("window = [\"2010-01-01\", \"2019-12-31\"]\n", "")
        .replace("\"agreement\"", "\"public\"")
        .replace("dates = { shift = 30 }", &format!("dates = {dates}"))
        .replace("[key]\nfile = \"secret.key\"\n", "")
}
