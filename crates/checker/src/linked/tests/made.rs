//! A small release that keeps its promises, and ways to change it.

use indexmap::IndexMap;
use tempfile::TempDir;
use velamen_contract::linked::{
    Ages, Column, Counts, Dates, LinkedManifest, Persons, SetPromise, Shape, Table, ThinStatement, Tier,
    not_covered,
};

use super::super::{Unreadable, certify};
use crate::{Finding, State};

/// The rows of a file, each a list of cells. The first is the header.
pub(super) type Rows = Vec<Vec<String>>;

/// A manifest and the files it is about, before they are written.
pub(super) struct Made {
    pub(super) manifest: LinkedManifest,
    pub(super) files: IndexMap<String, Rows>,
}

fn cells(line: &str) -> Vec<String> {
    line.split(',').map(str::to_owned).collect()
}

/// Number `at` of a permutation of 1 to 24.
fn shuffled(at: usize) -> usize {
    (at * 5) % 24 + 1
}

/// A table: its file, parent and columns.
fn table(name: &str, parent: Option<&str>, columns: Vec<(&str, Column)>) -> (String, Table) {
    let columns: IndexMap<String, Column> =
        columns.into_iter().map(|(name, column)| (name.to_owned(), column)).collect();
    let table = Table {
        file: format!("data/{name}.csv"),
        records: 0,
        parent: parent.map(str::to_owned),
        is_person_column: name == "DEATH",
        is_referred_to: name == "VISIT",
        window: None,
        emptied: columns.keys().cloned().collect(),
        columns,
    };
    (name.to_owned(), table)
}

pub(super) fn quasi_identifier(labels: &[(&str, &str)]) -> Column {
    let labels = labels.iter().map(|(value, label)| ((*value).to_owned(), (*label).to_owned())).collect();
    Column::QuasiIdentifier { level: 1, levels: 3, labels }
}

pub(super) fn reference(table: &str) -> Column {
    Column::Reference { table: table.into() }
}

fn tables() -> IndexMap<String, Table> {
    let values = Column::Value { by: vec!["code".into(), "unit".into()], digits: 3 };
    IndexMap::from_iter([
        table(
            "PERSON",
            None,
            vec![
                ("person_id", Column::Key),
                ("sex", quasi_identifier(&[("F", "F"), ("M", "M")])),
                ("birth", quasi_identifier(&[("1930", "<=1934"), ("1937", "1935-1939")])),
            ],
        ),
        table(
            "VISIT",
            Some("person_id"),
            vec![
                ("visit_id", Column::Key),
                ("person_id", reference("PERSON")),
                ("kind", Column::Code),
                ("day", Column::Date),
                ("before", reference("VISIT")),
            ],
        ),
        table(
            "CONDITION",
            Some("person_id"),
            vec![
                ("condition_id", Column::Key),
                ("person_id", reference("PERSON")),
                ("visit_id", reference("VISIT")),
                ("code", Column::Set { items: None }),
            ],
        ),
        table(
            "LAB",
            Some("person_id"),
            vec![
                ("person_id", reference("PERSON")),
                ("code", Column::Code),
                ("unit", Column::Insensitive),
                ("value", values),
                ("band", Column::Band { bounds: vec![0.0, 2.5, 10.0], by: Vec::new() }),
                ("type", Column::Constant { value: "lab".into() }),
                ("flags", Column::Set { items: Some(";".into()) }),
            ],
        ),
        table("DETAIL", Some("visit_id"), vec![("visit_id", reference("VISIT")), ("code", Column::Code)]),
        table("DEATH", Some("person_id"), vec![("person_id", reference("PERSON"))]),
    ])
}

pub(super) fn manifest(tables: IndexMap<String, Table>) -> LinkedManifest {
    let ages = Ages { column: "birth".into(), top: 90, until: 2024, oldest: "1930".into() };
    let sentences = not_covered::ALWAYS.into_iter().chain(not_covered::OF_A_SHIFT);
    LinkedManifest {
        linked: 1,
        velamen: "0.2.0".into(),
        preset: None,
        about: Default::default(),
        shape: Shape::Tables,
        tier: Tier::Agreement,
        method: ThinStatement { name: "thin".into(), demographics: "optimal".into() },
        persons: Persons { table: "PERSON".into(), records: 12, suppressed: 0 },
        dates: Dates::Shift(100),
        window: Some(["2010-01-01".into(), "2019-12-31".into()]),
        public_events: vec![],
        units: Vec::new(),
        privacy: vec![SetPromise::SetsInClasses { k: 3, m: 2 }],
        code_floor: 3,
        counts: Counts::Cap,
        ages: Some(ages),
        not_covered: sentences.map(str::to_owned).collect(),
        generalized_codes: IndexMap::new(),
        documents: vec![],
        tables,
    }
}

/// Twelve persons in three classes of four; the last four died.
fn rows_of(name: &str) -> Vec<String> {
    (0..12).flat_map(|at| rows_of_person(name, at)).collect()
}

fn rows_of_person(name: &str, at: usize) -> Vec<String> {
    let (person, first, second) = (at + 1, shuffled(2 * at), shuffled(2 * at + 1));
    match name {
        "PERSON" => {
            let class = ["F,1930", "M,1930", "F,1937"][at / 4];
            vec![format!("{person},{class}")]
        }
        "VISIT" => vec![
            format!("{first},{person},in,201{}-03-01,", 2 + at / 2),
            format!("{second},{person},out,2015-02-0{},{first}", 1 + at % 3),
        ],
        // Each class has codes of its own; all persons of a class have the same.
        "CONDITION" => {
            let code = ["E11", "J45", "N18"][at / 4];
            vec![
                format!("{},{person},{first},A01", shuffled(2 * at + 7)),
                format!("{},{person},{second},{code}", shuffled(2 * at + 8)),
            ]
        }
        "LAB" => {
            let (value, band) =
                [("1.25", "[0, 2.5)"), ("5", "[2.5, 10)"), ("7.5", "[2.5, 10)"), ("9.75", "[2.5, 10)")]
                    [at % 4];
            vec![format!("{person},GLU,mg,{value},{band},lab,X;Y").replace(", ", ",~")]
        }
        "DETAIL" => vec![format!("{second},note")],
        _ => (at >= 8).then(|| person.to_string()).into_iter().collect(),
    }
}

/// Splits at commas, except for those that `~` follows: these stand in a name.
fn split(line: &str) -> Vec<String> {
    line.replace(",~", "\u{1}").split(',').map(|cell| cell.replace('\u{1}', ", ")).collect()
}

impl Made {
    pub(super) fn new() -> Self {
        let tables = tables();
        let mut files = IndexMap::new();
        for (name, table) in &tables {
            let header: Vec<String> = table.columns.keys().cloned().collect();
            let rows = rows_of(name).iter().map(|line| split(line)).collect::<Rows>();
            files.insert(name.clone(), std::iter::once(header).chain(rows).collect());
        }
        let mut made = Self { manifest: manifest(tables), files };
        made.state_rows();
        made
    }

    /// Puts the numbers of rows into the manifest.
    pub(super) fn state_rows(&mut self) {
        for (name, rows) in &self.files {
            if let Some(table) = self.manifest.tables.get_mut(name) {
                table.records = rows.len() as u64 - 1;
            }
        }
        self.manifest.persons.records = self.files["PERSON"].len() as u64 - 1;
    }

    fn place(&self, table: &str, column: &str) -> usize {
        self.files[table][0].iter().position(|name| name == column).expect("a column")
    }

    pub(super) fn cell(&self, table: &str, row: usize, column: &str) -> &str {
        &self.files[table][row + 1][self.place(table, column)]
    }

    pub(super) fn set(&mut self, table: &str, row: usize, column: &str, value: &str) {
        let place = self.place(table, column);
        self.files[table][row + 1][place] = value.to_owned();
    }

    pub(super) fn set_all(&mut self, table: &str, column: &str, value: &str) {
        (0..self.files[table].len() - 1).for_each(|row| self.set(table, row, column, value));
    }

    pub(super) fn column(&mut self, table: &str, column: &str) -> &mut Column {
        &mut self.manifest.tables[table].columns[column]
    }

    /// Removes a row; the last own key takes its place, so that keys stay those of 1 to n.
    pub(super) fn remove(&mut self, table: &str, row: usize) {
        let removed = self.files[table].remove(row + 1);
        let last = self.files[table].len().to_string();
        if matches!(self.manifest.tables[table].columns[0], Column::Key) {
            self.files[table]
                .iter_mut()
                .filter(|row| row[0] == last)
                .for_each(|row| row[0].clone_from(&removed[0]));
        }
        self.state_rows();
    }

    /// Adds a row at a place, with the next own key where the table has one.
    pub(super) fn insert(&mut self, table: &str, row: usize, line: &str) {
        let line = line.replace("KEY", &self.files[table].len().to_string());
        self.files[table].insert(row + 1, split(&line));
        self.state_rows();
    }

    /// Turns the numbers of a table's keys into UUIDs, in ascending order, there and in the columns that refer to it.
    pub(super) fn with_uuids(&mut self, table: &str, references: &[(&str, &str)]) {
        let own = self.files[table][0][0].clone();
        for (table, column) in references.iter().copied().chain([(table, own.as_str())]) {
            let place = self.place(table, column);
            for cell in self.files[table].iter_mut().skip(1).map(|row| &mut row[place]) {
                if let Ok(number) = cell.parse::<u8>() {
                    *cell = format!("{number:08x}-0000-4000-8000-00000000000f");
                }
            }
        }
    }

    /// Writes the release.
    pub(super) fn write(&self) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("data")).unwrap();
        for (name, rows) in &self.files {
            write_rows(&folder.path().join(format!("data/{name}.csv")), rows);
        }
        let mut labels = vec![cells("table,column,value,label")];
        for (name, table) in &self.manifest.tables {
            for (column, role) in &table.columns {
                if let Column::QuasiIdentifier { labels: of, .. } = role {
                    let row = |(value, label): (&String, &String)| {
                        vec![name.clone(), column.clone(), value.clone(), label.clone()]
                    };
                    labels.extend(of.iter().map(row));
                }
            }
        }
        write_rows(&folder.path().join("labels.csv"), &labels);
        folder
    }

    pub(super) fn certify(&self) -> Result<Vec<Finding>, Unreadable> {
        certify(self.write().path(), &self.manifest)
    }

    /// The names of the promises that are broken.
    pub(super) fn broken(&self) -> Vec<String> {
        broken(self.certify().unwrap())
    }

    pub(super) fn finding(&self, name: &str) -> Finding {
        let findings = self.certify().unwrap();
        findings.into_iter().find(|finding| finding.promise == name).expect("a finding")
    }
}

pub(super) fn broken(findings: Vec<Finding>) -> Vec<String> {
    let broken = findings.into_iter().filter(|finding| finding.state == State::Broken);
    broken.map(|finding| finding.promise).collect()
}

pub(super) fn write_rows(path: &std::path::Path, rows: &Rows) {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_path(path).unwrap();
    rows.iter().for_each(|row| writer.write_record(row).unwrap());
    writer.flush().unwrap();
}
