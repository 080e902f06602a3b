//! A release and its original, as attacks look at them: in common codes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use velamen_report::OfMethod;

use rustc_hash::FxHashMap;
use velamen_core::frequency::{FrequencyTable, Rest, Role};
use velamen_core::hierarchy::{Hierarchy, NULL, Rule, TOP};
use velamen_core::label::{number, position};
use velamen_core::recoding::Recoding;
use velamen_core::release::{CatalogRow, Release, SUPPRESSED};
use velamen_job::published::Published;
use velamen_measure::risk::adversary::{Effort, Sight};
use velamen_measure::risk::attack::{
    Cover, Covering, Finder, Guessed, Held, NOWHERE, Near, Nearest, People, Sensitive, Trace, View,
};
use velamen_recipe::{JobError, Missing, Origin};
use velamen_report::{Manifest, telling};
use velamen_search::method::Records;

use super::cover::Labels;

/// So many of the original's distinct records are looked for to see that a release is of it.
const LOOKED_FOR: u64 = 1000;

/// Codes of the values of columns that are released as they are, by column name.
pub(super) type Dictionaries = BTreeMap<String, BTreeMap<String, u32>>;

/// A release that was read, with its original.
pub(super) struct ReleaseWithOriginal {
    pub(super) table: FrequencyTable,
    pub(super) published: Published,
    folder: PathBuf,
    original: String,
    /// The release's quasi-identifiers' places among its attributes, in the order of the original.
    order: Vec<usize>,
    pub(super) trace: Trace,
    /// What a reader of the figures has to know of how the original was read.
    pub(super) notes: Vec<String>,
}

/// What is known of where own records are.
fn trace(manifest: &Manifest, published: &Published) -> Trace {
    let at_levels = published.attributes.iter().all(|attribute| attribute.level.is_some());
    if manifest.is_noisy() {
        Trace::Noise
    } else if manifest.facts().records == Records::Relocated || manifest.truthful == Some(false) {
        Trace::Lost
    } else if at_levels {
        Trace::Levels
    } else {
        Trace::Covered
    }
}

impl ReleaseWithOriginal {
    pub(super) fn new(
        table: FrequencyTable,
        published: Published,
        folder: &Path,
        (original, notes): (&Origin, Vec<String>),
    ) -> Self {
        let position = |name: &str| published.attributes.iter().position(|a| a.name == name);
        let order = table.qis.iter().filter_map(|qi| position(&qi.name)).collect();
        let trace = trace(&published.manifest, &published);
        let (folder, original) = (folder.to_owned(), original.label());
        Self { table, published, folder, original, order, trace, notes }
    }

    pub(super) fn release(&self) -> &Release {
        &self.published.release
    }

    /// Whether released values are others than the original's: pseudonyms, moved dates.
    pub(super) fn is_changed(&self, name: &str) -> bool {
        self.published.manifest.is_replaced(name)
    }

    /// Whether the release has a random sample of the original.
    pub(super) fn is_sample(&self) -> bool {
        let manifest = &self.published.manifest;
        manifest.is_sampled() || manifest.records_per_person.is_some()
    }

    fn labels(&self) -> Vec<Labels<'_>> {
        let wildcards = self.published.manifest.missing == Missing::Wildcard;
        let placed = self.table.qis.iter().zip(&self.order);
        placed.map(|(qi, &q)| Labels::new(&self.release().qis[q], &qi.hierarchy, wildcards)).collect()
    }

    /// Per quasi-identifier the label code of each class.
    fn class_labels(&self) -> Vec<Vec<u32>> {
        let classes = 0..self.release().sizes.len();
        self.order
            .iter()
            .map(|&q| classes.clone().map(|class| self.release().class(class)[q]).collect())
            .collect()
    }

    /// The view of an adversary; `codes` are shared by views that are to be compared.
    ///
    /// # Errors
    /// [`JobError::data`] if the release shows that it is of another table.
    pub(super) fn view<'a>(&'a self, codes: &mut Dictionaries) -> Result<View<'a>, JobError> {
        let mut view = self.any_view(codes);
        self.refuse_unfit(&view)?;
        if view.linked.is_none() {
            view.linked = self.linked_by_original(&view, &Contents::new(self, codes));
        }
        Ok(view)
    }

    /// The view of who looks for persons of another table, beside that of the original, which shows whose the records are.
    pub(super) fn view_beside<'a>(
        &'a self,
        original: &Self,
        beside: &View<'_>,
        codes: &mut Dictionaries,
    ) -> View<'a> {
        let mut view = self.any_view(codes);
        if let (None, Some(linked)) = (&view.linked, &beside.linked) {
            // Both read one release, so that its rows say which contents are the same.
            let (theirs, own) = (Contents::new(original, codes), Contents::new(self, codes));
            let same: BTreeMap<u32, u32> = theirs.of_released.into_iter().zip(own.of_released).collect();
            view.linked = linked.in_codes(&same);
        }
        view
    }

    /// The same with persons who need not be in the release.
    pub(super) fn any_view<'a>(&'a self, codes: &mut Dictionaries) -> View<'a> {
        let contents = Contents::new(self, codes);
        let labels = self.class_labels();
        let own = self.own(&labels);
        let people = People {
            leaves: self.table.codes.clone(),
            content: self.table.rest_index.iter().map(|&rest| contents.of_original[rest as usize]).collect(),
            counts: self.table.counts.clone(),
            own,
            whose: self.whose(),
        };
        let (classes, suppressed) = self.records(&contents);
        let linked = self.linked(&contents);
        View {
            names: self.table.qis.iter().map(|qi| qi.name.clone()).collect(),
            trace: self.trace,
            sampled: self.is_sample(),
            classes,
            suppressed,
            blank: self.published.manifest.suppresses_records(),
            linked,
            sensitive: contents.sensitive,
            people,
            finder: self.finder(&labels),
        }
    }

    /// Every record is somewhere in a release that holds all, and none is there that the original lacks.
    fn refuse_unfit(&self, view: &View<'_>) -> Result<(), JobError> {
        if view.lacks_some(LOOKED_FOR) {
            return Err(self.foreign("some of its records fit no released class, and none are suppressed"));
        }
        let manifest = &self.published.manifest;
        let made_up = manifest.is_noisy() || manifest.counterfeits != Some(0);
        match if made_up { 0 } else { view.more_of_some() } {
            0 => Ok(()),
            more => {
                Err(self.foreign(&format!("{more} combinations of its other values are more frequent there")))
            }
        }
    }

    /// The class of each entry's labels, where all are at one level.
    pub(super) fn own(&self, labels: &[Vec<u32>]) -> Vec<u32> {
        if self.published.attributes.iter().any(|attribute| attribute.level.is_none()) {
            return vec![NOWHERE; self.table.len()];
        }
        let rules = self.labels();
        let key = |class: usize| labels.iter().map(|column| column[class]).collect();
        let places: FxHashMap<Vec<u32>, u32> =
            (0..self.release().sizes.len()).map(|class| (key(class), class as u32)).collect();
        let of_leaves: Vec<Vec<Option<u32>>> = rules
            .iter()
            .zip(&self.table.qis)
            .map(|(labels, qi)| (0..qi.hierarchy.width(0) as u32).map(|leaf| labels.at_level(leaf)).collect())
            .collect();
        let own = |entry: usize| {
            let codes = self.table.codes.iter().zip(&of_leaves);
            let labels: Option<Vec<u32>> = codes.map(|(codes, of)| of[codes[entry] as usize]).collect();
            labels.and_then(|labels| places.get(&labels).copied()).unwrap_or(NOWHERE)
        };
        (0..self.table.len()).map(own).collect()
    }

    /// What the adversary who looks for counterfeits sees, and where they are: in each class the records beyond the original's.
    pub(super) fn guessed(&self, view: &View<'_>) -> Guessed {
        let release = self.release();
        let hierarchies: Vec<&Hierarchy> = (0..release.qis.len())
            .filter_map(|q| self.order.iter().position(|&at| at == q))
            .map(|q| &self.table.qis[q].hierarchy)
            .collect();
        let sight = telling::told(&self.published.manifest)
            .and_then(|told| Sight::new(release, &hierarchies, told, Effort::FULL));
        let (Some(sight), Some(sensitive)) = (sight, self.table.rest.sensitive().next()) else {
            return Guessed::None;
        };
        let Some(own) = self.own_classes(view) else { return Guessed::Unknown };
        let rest = &self.table.rest;
        let placed = own.iter().enumerate().filter(|(_, class)| **class != NOWHERE).map(|(entry, &class)| {
            let value = rest.codes[sensitive][self.table.rest_index[entry] as usize];
            (class as usize, &*rest.columns[sensitive].values[value as usize], self.table.counts[entry])
        });
        let counterfeits = sight.without(&sight.by_cell(placed));
        Guessed::Known(Box::new(sight), counterfeits, self.people_of_classes(view, false))
    }

    /// Each entry's class, where no two fit it.
    pub(super) fn own_classes(&self, view: &View<'_>) -> Option<Vec<u32>> {
        if self.trace == Trace::Levels {
            return Some(view.people.own.clone());
        }
        let own = |entry: u32| match view.classes_of(entry)[..] {
            [] => Some(NOWHERE),
            [class] => Some(class),
            _ => None,
        };
        (0..self.table.len() as u32).map(own).collect()
    }

    fn finder<'a>(&'a self, labels: &[Vec<u32>]) -> Finder<'a> {
        let classes = self.release().sizes.len();
        if self.published.attributes.iter().any(|a| a.recoding == Recoding::Aggregates) {
            let by = (0..self.order.len()).map(|q| self.near(q, &labels[q])).collect();
            return Finder::Nearest(Nearest { classes, by });
        }
        let widths: Vec<usize> = self.order.iter().map(|&q| self.release().qis[q].values.len()).collect();
        let rules = self.labels();
        let cover: Cover<'a> = Box::new(move |q, leaf| rules[q].covering(leaf));
        Finder::Covering(Covering::new(labels, &widths, classes, cover))
    }

    /// How one attribute's means are compared with its original values.
    fn near(&self, q: usize, of_class: &[u32]) -> Near {
        let (qi, released) = (&self.table.qis[q], &self.release().qis[self.order[q]]);
        let leaves: Option<Vec<f64>> = qi.hierarchy.labels(0).iter().map(|leaf| position(leaf)).collect();
        let means: Option<Vec<f64>> = of_class.iter().map(|&label| number(released.label(label))).collect();
        match (leaves, means) {
            (Some(leaves), Some(means)) => {
                let unit = deviation(&leaves, &self.table.marginal(q));
                let scaled = |numbers: Vec<f64>| numbers.into_iter().map(|number| number / unit).collect();
                Near::Numbers { classes: scaled(means), leaves: scaled(leaves) }
            }
            _ => {
                let codes: BTreeMap<&str, u32> =
                    qi.hierarchy.labels(0).iter().map(String::as_str).zip(0..).collect();
                let code = |&label: &u32| codes.get(released.label(label)).copied().unwrap_or(NOWHERE);
                Near::Codes { classes: of_class.iter().map(code).collect() }
            }
        }
    }

    /// The records of each class and the suppressed ones, by content.
    fn records(&self, contents: &Contents) -> (Vec<Vec<Held>>, Vec<Held>) {
        let release = self.release();
        let mut bags: Vec<BTreeMap<u32, u64>> = vec![BTreeMap::new(); release.sizes.len() + 1];
        for row in &release.rows {
            let bag = if row.class == SUPPRESSED { release.sizes.len() } else { row.class as usize };
            *bags[bag].entry(contents.of_released[row.rest as usize]).or_default() += row.count;
        }
        let doubts = self.doubts(&bags, contents);
        let held = |(class, bag): (usize, &BTreeMap<u32, u64>)| {
            let doubt = |content: u32| {
                let value = contents.sensitive.first().map(|sensitive| sensitive.of[content as usize]);
                value.and_then(|value| doubts.get(&(class, value)).copied()).unwrap_or(0.0)
            };
            bag.iter().map(|(&content, &count)| Held { content, count, real: 1.0 - doubt(content) }).collect()
        };
        let mut all: Vec<Vec<Held>> = bags.iter().enumerate().map(held).collect();
        let suppressed = all.pop().expect("there is a bag for suppressed records");
        (all, suppressed)
    }

    /// By class and sensitive value, the share of counterfeits that the catalog states.
    pub(super) fn doubts(
        &self,
        bags: &[BTreeMap<u32, u64>],
        contents: &Contents,
    ) -> BTreeMap<(usize, u32), f64> {
        let Some(sensitive) = contents.sensitive.first() else { return BTreeMap::new() };
        let mut doubts = BTreeMap::new();
        for rows in self.release().catalog.chunk_by(|a, b| a.classes == b.classes) {
            let told = |row: &CatalogRow| Some((*contents.values.get(&row.value)?, row.count));
            let told: BTreeMap<u32, u64> = rows.iter().filter_map(told).collect();
            let mut released: BTreeMap<u32, u64> = BTreeMap::new();
            let mut cells: Vec<(usize, u32)> = Vec::new();
            for class in rows[0].classes.iter().map(|&id| id as usize - 1) {
                for (&content, count) in &bags[class] {
                    let value = sensitive.of[content as usize];
                    *released.entry(value).or_default() += count;
                    cells.push((class, value));
                }
            }
            for cell in cells {
                if let Some(&most) = told.get(&cell.1) {
                    doubts.insert(cell, (most as f64 / released[&cell.1].max(1) as f64).min(1.0));
                }
            }
        }
        doubts
    }

    /// The error of a release that is not of this original.
    pub(super) fn foreign(&self, problem: &str) -> JobError {
        let (folder, original) = (self.folder.display(), &self.original);
        JobError::data(format!("{folder} is not a release of {original}: {problem}"))
            .mend("if cells such as NA mean a missing value there, say so with --null")
    }

    /// Refuses a release that has other numbers of records than follow from the original.
    pub(super) fn refuse_other_counts(&self) -> Result<(), JobError> {
        let (manifest, release) = (&self.published.manifest, self.release());
        if manifest.is_noisy() {
            return Ok(());
        }
        let (sampled, untold) = (self.is_sample(), manifest.counterfeits.is_none());
        let (records, released) = (self.table.records(), release.records());
        let real = released.checked_sub(release.counterfeits());
        let wrong = match real {
            Some(real) if sampled => real > records,
            Some(real) if untold => real < records,
            real => real != Some(records),
        };
        if wrong {
            return Err(self.foreign("they have different numbers of records"));
        }
        match self.differing_classes(sampled, untold) {
            0 => Ok(()),
            number => {
                Err(self.foreign(&format!("{number} released classes have other numbers of records there")))
            }
        }
    }

    /// Classes that are too small or too large for the original records that their labels cover.
    fn differing_classes(&self, sampled: bool, untold: bool) -> usize {
        let release = self.release();
        if self.published.attributes.iter().any(|attribute| attribute.level.is_none()) {
            return 0;
        }
        let mut originals = vec![0u64; release.sizes.len()];
        for (&own, &count) in self.own(&self.class_labels()).iter().zip(&self.table.counts) {
            if own != NOWHERE {
                originals[own as usize] += count;
            }
        }
        let more = untold || release.counterfeits() > 0 || self.trace == Trace::Lost;
        let fits = |(&size, &original): (&u64, &u64)| match (sampled, more) {
            (true, _) => size <= original,
            (false, true) => size >= original,
            (false, false) => size == original,
        };
        release.sizes.iter().zip(&originals).filter(|pair| !fits(*pair)).count()
    }
}

/// The values that are released as they are, in common codes.
pub(super) struct Contents {
    /// The content of each combination of the original's rest.
    of_original: Vec<u32>,
    /// That of each row of the released rest.
    pub(super) of_released: Vec<u32>,
    pub(super) sensitive: Vec<Sensitive>,
    /// Codes of the first sensitive attribute's values.
    values: BTreeMap<String, u32>,
}

impl Contents {
    fn new(pair: &ReleaseWithOriginal, codes: &mut Dictionaries) -> Self {
        let (original, released) = (&pair.table.rest, &pair.release().rest);
        let shared: Vec<(usize, usize)> = (0..original.columns.len())
            .filter_map(|c| {
                let name = Some(&original.columns[c].name).filter(|name| !pair.is_changed(name))?;
                Some((c, released.columns.iter().position(|column| column.name == *name)?))
            })
            .collect();
        let mut coded = |name: &str, values: &[String]| -> Vec<u32> {
            let known = codes.entry(name.to_owned()).or_default();
            let mut code = |value: &String| {
                let next = known.len() as u32;
                *known.entry(value.clone()).or_insert(next)
            };
            values.iter().map(&mut code).collect()
        };
        let maps: Vec<[Vec<u32>; 2]> = shared
            .iter()
            .map(|&(a, b)| [&original.columns[a], &released.columns[b]].map(|c| coded(&c.name, &c.values)))
            .collect();
        let mut rows = NumberedRows::default();
        let row_of = |side: usize, rest: &Rest, row: usize| -> Vec<u32> {
            let column = |(at, map): (&(usize, usize), &[Vec<u32>; 2])| {
                let column = if side == 0 { at.0 } else { at.1 };
                map[side][rest.codes[column][row] as usize]
            };
            shared.iter().zip(&maps).map(column).collect()
        };
        let of_original = (0..original.len).map(|row| rows.number(row_of(0, original, row))).collect();
        let of_released = (0..released.len).map(|row| rows.number(row_of(1, released, row))).collect();
        let sensitive: Vec<Sensitive> = shared
            .iter()
            .enumerate()
            .filter(|(_, at)| original.columns[at.0].role == Role::Sensitive)
            .map(|(place, at)| {
                let name = original.columns[at.0].name.clone();
                let of = rows.distinct.iter().map(|row| row[place]).collect();
                let parents = parents(&pair.published.manifest, &name, &codes[&name]);
                Sensitive { name, of, parents }
            })
            .collect();
        let values = sensitive.first().map(|first| codes[&first.name].clone()).unwrap_or_default();
        Self { of_original, of_released, sensitive, values }
    }
}

/// By value of a sensitive attribute the number of its parent in the hierarchy that the manifest states.
fn parents(manifest: &Manifest, name: &str, values: &BTreeMap<String, u32>) -> BTreeMap<u32, u32> {
    let definition = manifest.attributes.get(name).and_then(|entry| entry.hierarchy.as_ref());
    let Some(rule) = definition.and_then(|definition| Rule::try_from(definition).ok()) else {
        return BTreeMap::new();
    };
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let mut parents = BTreeMap::new();
    for (value, &code) in values {
        let label = rule.label_at(value, 1);
        if label != TOP && label != NULL {
            let next = numbers.len() as u32;
            parents.insert(code, *numbers.entry(label).or_insert(next));
        }
    }
    parents
}

/// Distinct rows of codes, numbered as they come.
#[derive(Default)]
struct NumberedRows {
    known: FxHashMap<Vec<u32>, u32>,
    distinct: Vec<Vec<u32>>,
}

impl NumberedRows {
    fn number(&mut self, row: Vec<u32>) -> u32 {
        let next = self.distinct.len() as u32;
        *self.known.entry(row).or_insert_with_key(|row| {
            self.distinct.push(row.clone());
            next
        })
    }
}

/// The standard deviation of weighted numbers; 1 where it is 0.
fn deviation(numbers: &[f64], counts: &[u64]) -> f64 {
    let weighted = |value: &dyn Fn(f64) -> f64| -> f64 {
        numbers.iter().zip(counts).map(|(&number, &count)| value(number) * count as f64).sum()
    };
    let all = counts.iter().sum::<u64>().max(1) as f64;
    let mean = weighted(&|number| number) / all;
    let deviation = (weighted(&|number| (number - mean).powi(2)) / all).sqrt();
    if deviation > 0.0 { deviation } else { 1.0 }
}
