//! Original and released records in one form: per attribute what each value covers, per distinct
//! combination its values and how many records it stands for.

use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::{Definition, NULL, TOP, sort_values};
use velamen_core::release::{Release, Row, SUPPRESSED};
use velamen_job::published::{Space, rule};
use velamen_measure::fidelity::Cover;
use velamen_measure::profile::header;
use velamen_measure::profile::identifier::Identifier;
use velamen_recipe::JobError;
use velamen_report::OfMethod;
use velamen_search::metric::released::counterfeit_shares;

use super::TableWithRelease;

/// The original.
pub(super) const ORIGINAL: usize = 0;
/// The release.
pub(super) const RELEASED: usize = 1;

/// An attribute of both tables.
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) space: Space,
    /// Whether its numbers are codes, which have no size: postal codes, and others of digits.
    pub(super) is_coded: bool,
    /// By side and code, what the value covers.
    pub(super) covers: [Vec<Cover>; 2],
}

impl Attribute {
    /// Whether every value of the release is a leaf.
    pub(super) fn is_untouched(&self) -> bool {
        self.covers[RELEASED].iter().all(|cover| cover.leaf().is_some())
    }
}

/// Whether a column holds codes of digits: by zeros in front of numbers of one length, or by a name that promises a place's or
/// another code.
fn is_coded(name: &str, values: &[String]) -> bool {
    const CODE: [&str; 4] = ["code", "codes", "nr", "nummer"];
    let values = || values.iter().map(String::as_str).filter(|value| *value != NULL && *value != TOP);
    let is_of_digits = values().all(|value| value.bytes().all(|byte| byte.is_ascii_digit()));
    let length = values().map(str::len).max();
    let is_padded = values().all(|value| Some(value.len()) == length)
        && values().any(|value| value.len() > 1 && value.starts_with('0'));
    let promised = header::identifier(name).is_some_and(|(identifier, _)| identifier != Identifier::Date)
        || header::words(name).iter().any(|word| CODE.contains(&word.as_str()));
    is_of_digits && (is_padded || promised)
}

/// Whether the rows of a hierarchy cut characters off their values.
fn is_cut(definition: &Definition) -> bool {
    let Definition::Table { rows } = definition else { return false };
    let is_cut = |row: &Vec<String>| match &row[..] {
        [value, next, ..] if next != TOP && value != NULL => {
            let shown = next.trim_end_matches('*');
            shown.len() < value.len() && !shown.is_empty() && value.starts_with(shown)
        }
        _ => false,
    };
    let mut known = rows.iter().filter(|row| row.first().is_none_or(|value| value != NULL)).peekable();
    known.peek().is_some() && known.all(is_cut)
}

/// The records of one table: distinct combinations.
#[derive(Default)]
pub(super) struct Side {
    /// By attribute, the code of each combination.
    pub(super) codes: Vec<Vec<u32>>,
    /// How many records each combination stands for: of released ones as many as the catalog lets one
    /// expect to be real.
    pub(super) weights: Vec<f64>,
    /// The same, but for records of which nothing is shown: their empty cells go together, and no value does.
    pub(super) shown: Vec<f64>,
}

impl Side {
    /// Records by the codes of an attribute.
    pub(super) fn marginal(&self, attribute: usize, codes: usize) -> Vec<f64> {
        let mut counts = vec![0.0; codes];
        for (&code, weight) in self.codes[attribute].iter().zip(&self.weights) {
            counts[code as usize] += weight;
        }
        counts
    }

    pub(super) fn records(&self) -> f64 {
        self.weights.iter().sum()
    }
}

/// Both tables.
pub(super) struct Sides {
    pub(super) attributes: Vec<Attribute>,
    /// [`ORIGINAL`] and [`RELEASED`].
    pub(super) tables: [Side; 2],
    /// Attributes whose released values do not tell what they cover.
    unreadable: Vec<String>,
    /// Attributes whose released values are pseudonyms or moved dates.
    replaced: Vec<String>,
}

impl Sides {
    /// # Errors
    /// [`JobError::data`] if a value of the original is none that the release's hierarchies have.
    pub(super) fn new(pair: &TableWithRelease<'_>) -> Result<Self, JobError> {
        let (table, release) = (&pair.table, &pair.published.release);
        let mut sides = Self {
            attributes: Vec::new(),
            tables: Default::default(),
            unreadable: Vec::new(),
            replaced: Vec::new(),
        };
        for (q, qi) in table.qis.iter().enumerate() {
            sides.add_generalized(pair, q, &qi.name)?;
        }
        for (c, column) in table.rest.columns.iter().enumerate() {
            if pair.published.manifest.is_replaced(&column.name) {
                sides.replaced.push(column.name.clone());
            } else if let Some(released) = position(release, &column.name) {
                sides.add_plain(table, release, c, released);
            }
        }
        sides.tables[ORIGINAL].weights = table.counts.iter().map(|&count| count as f64).collect();
        sides.tables[ORIGINAL].shown = sides.tables[ORIGINAL].weights.clone();
        sides.tables[RELEASED].weights = weights(release, |_| true);
        let hides = pair.published.manifest.suppresses_records();
        sides.tables[RELEASED].shown = weights(release, |row| !hides || row.class != SUPPRESSED);
        Ok(sides)
    }

    fn add_generalized(&mut self, pair: &TableWithRelease<'_>, q: usize, name: &str) -> Result<(), JobError> {
        let (table, published) = (&pair.table, &pair.published);
        let find = || published.attributes.iter().find(|attribute| attribute.name == name);
        // A quasi-identifier without hierarchy: no release has one, but a changed manifest can.
        let promised = find().ok_or_else(|| {
            let place = pair.folder.join("release.json");
            JobError::data(format!("{}: attribute `{name}` has no hierarchy", place.display()))
        })?;
        let column = position(&published.release, name).expect("the release has its attributes");
        let leaves = table.qis[q].hierarchy.labels(0);
        let space = Space::of(promised, leaves, published.domain(name));
        let originals = leaves.iter().map(|label| space.leaf(label)).collect::<Option<Vec<_>>>();
        let originals = originals
            .ok_or_else(|| pair.foreign(&format!("attribute `{name}` has values outside its hierarchy")))?;
        let rule = rule(promised)?;
        let Some(released) = space.released(promised, &rule, published.values(name)) else {
            self.unreadable.push(name.to_owned());
            return Ok(());
        };
        let covers = [originals, released];
        let is_coded = is_coded(name, leaves) || is_cut(&promised.hierarchy);
        let (name, role) = (name.into(), Role::QuasiIdentifier);
        self.attributes.push(Attribute { name, role, space, is_coded, covers });
        self.tables[ORIGINAL].codes.push(table.codes[q].clone());
        self.tables[RELEASED].codes.push(published.release.rest.codes[column].clone());
        Ok(())
    }

    /// An attribute that is released as it is.
    fn add_plain(&mut self, table: &FrequencyTable, release: &Release, original: usize, released: usize) {
        let values = [&table.rest.columns[original].values, &release.rest.columns[released].values];
        let mut all: Vec<String> = values.iter().flat_map(|values| values.iter().cloned()).collect();
        sort_values(&mut all);
        all.dedup();
        let is_coded = is_coded(&table.rest.columns[original].name, &all);
        let space = Space::flat(all);
        let cover = |value: &String| space.leaf(value).expect("the space was made of these values");
        let covers = values.map(|values| values.iter().map(cover).collect());
        let column = &table.rest.columns[original];
        let (name, role) = (column.name.clone(), column.role);
        self.attributes.push(Attribute { name, role, space, is_coded, covers });
        let codes = &table.rest.codes[original];
        let of_entries = table.rest_index.iter().map(|&rest| codes[rest as usize]).collect();
        self.tables[ORIGINAL].codes.push(of_entries);
        self.tables[RELEASED].codes.push(release.rest.codes[released].clone());
    }

    /// What every figure over both tables rests on, where it is not plain.
    pub(super) fn notes(&self, pair: &TableWithRelease<'_>) -> Vec<String> {
        let manifest = &pair.published.manifest;
        let mut notes: Vec<String> = Vec::new();
        for name in &self.replaced {
            notes.push(format!(
                "attribute `{name}` is left out: its released values are pseudonyms or moved dates"
            ));
        }
        for name in &self.unreadable {
            notes.push(format!(
                "attribute `{name}` is in no section but the metrics: its released values do not tell what they cover"
            ));
        }
        if manifest.counterfeits.is_none() {
            let message = "the release does not tell its counterfeits; they count as records";
            notes.push(message.into());
        } else if pair.published.release.counterfeits() > 0 {
            let message = "released records count with the probability, by the catalog, that they are real";
            notes.push(message.into());
        }
        if manifest.is_noisy() {
            let what = if manifest.is_invented() { "invented" } else { "noisy counts" };
            notes.push(format!("released records are {what}"));
        }
        if manifest.is_sampled() {
            let message = "the release is of a random sample, whose share is not known exactly: counts are not scaled up";
            notes.push(message.into());
        }
        notes
    }
}

fn position(release: &Release, name: &str) -> Option<usize> {
    release.rest.columns.iter().position(|column| column.name == name)
}

/// Records by row of the release, of those that count, counterfeits taken out as far as the catalog states them.
fn weights(release: &Release, counts: impl Fn(&Row) -> bool) -> Vec<f64> {
    let shares = counterfeit_shares(release);
    let sensitive = release.rest.sensitive().next();
    let mut weights = vec![0.0; release.rest.len];
    for row in release.rows.iter().filter(|row| counts(row)) {
        let value = sensitive.map(|s| release.rest.codes[s][row.rest as usize]);
        let counterfeit = value.map_or(0.0, |value| shares.of(row.class, value));
        weights[row.rest as usize] += row.count as f64 * (1.0 - counterfeit);
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coded(name: &str, values: &[&str]) -> bool {
        is_coded(name, &values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn codes_of_digits_have_no_size() {
        assert!(coded("plz", &["10115", "80331"]) && coded("zip", &["501", "99950"]));
        assert!(coded("region", &["01067", "10115", NULL]) && coded("icd code", &["12", "7"]));
        for (name, values) in [("age", ["7", "41"]), ("weight", ["070", "1100"]), ("year", ["1990", "2010"])]
        {
            assert!(!coded(name, &values), "{name}");
        }
        assert!(!coded("zip", &["10115", "eight"]) && !coded("birth_date", &["1980", "1990"]));
    }

    #[test]
    fn rows_that_cut_characters_off_are_of_codes() {
        let cut = |json: &str| is_cut(&serde_json::from_str::<Definition>(json).unwrap());
        assert!(cut(r#"{"rows":[["1011","101*","*"],["8033","803*","*"],["","*","*"]]}"#));
        assert!(!cut(r#"{"rows":[["1","low","*"],["12","low","*"]]}"#));
        assert!(!cut(r#"{"rows":[["1","*"],["2","*"]]}"#) && !cut(r#"{"interval":[5],"min":0,"max":9}"#));
    }
}
