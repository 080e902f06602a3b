//! What speaks against a release by its sensitive columns: what is not promised, and what groups tell.

use crate::bins::so_many;
use crate::language::{self, text};
use std::collections::{BTreeMap, BTreeSet};

use velamen_contract::Promised;
use velamen_contract::manifest::WhereSection;
use velamen_contract::model::{Terms, Usual};
use velamen_core::frequency::Role;
use velamen_core::hierarchy::{NULL, Rule};
use velamen_core::release::{Release, SUPPRESSED};

use crate::certain::{Certain, Group, Kind, kinds, spelled};
use crate::manifest::{Manifest, OfMethod};
use crate::matching::Matching;
use crate::people;

/// The groups of a release as a recipient sees them, and what is counted in them.
pub(super) struct Groups<'a> {
    manifest: &'a Manifest,
    release: &'a Release,
    /// The column that tells people apart.
    people: Option<usize>,
    /// By class whether its records can be told from those of all others; the suppressed ones are the last.
    apart: Vec<bool>,
}

impl<'a> Groups<'a> {
    pub(super) fn new(manifest: &'a Manifest, release: &'a Release) -> Self {
        let alike = Matching::of(manifest, release).and_then(|matching| matching.alike());
        let apart = |class: usize| alike.as_ref().is_none_or(|alike| alike[class] == release.sizes[class]);
        // Suppressed records that show their values are a group like any other.
        let suppressed = release.suppressed > 0 && !manifest.suppresses_records();
        let apart = (0..release.sizes.len()).map(apart).chain([suppressed]).collect();
        Self { manifest, release, people: people::column(manifest, release), apart }
    }

    /// "45 people", or "45 records" where the release does not tell whose they are.
    fn told(&self, number: u64) -> String {
        so_many(number, self.people.is_some())
    }

    /// All that stand in a group that holds: people once, whatever groups they have records in.
    fn in_groups(&self, holds: impl Fn(usize) -> bool) -> u64 {
        let (mut people, mut records) = (BTreeSet::new(), 0);
        for (group, rest, number) in self.rows() {
            if !holds(group) {
                continue;
            }
            match self.person(rest) {
                Some(person) => drop(people.insert(person)),
                None => records += number,
            }
        }
        people.len() as u64 + records
    }

    /// Whose a record is; `None` where that is not known.
    fn person(&self, rest: usize) -> Option<u32> {
        let column = self.people?;
        let code = self.release.rest.codes[column][rest];
        let text = self.release.rest.columns[column].values[code as usize].as_str();
        (!matches!(text, NULL | "*")).then_some(code)
    }

    /// People, or records, that share the values of some quasi-identifiers with each group; of all of them where none is named.
    fn sizes(&self, shield: &[String]) -> Vec<u64> {
        let places = self.sharing(shield);
        let mut people = vec![BTreeSet::new(); self.apart.len()];
        let mut records = vec![0; self.apart.len()];
        for (group, rest, number) in self.rows() {
            match self.person(rest) {
                Some(person) => drop(people[places[group]].insert(person)),
                None => records[places[group]] += number,
            }
        }
        places.iter().map(|&place| people[place].len() as u64 + records[place]).collect()
    }

    /// By group the first that has its values of some quasi-identifiers.
    fn sharing(&self, shield: &[String]) -> Vec<usize> {
        let release = self.release;
        let named = |name: &String| release.qis.iter().position(|qi| qi.name == *name);
        let named: Vec<usize> = shield.iter().filter_map(named).collect();
        if named.is_empty() {
            return (0..self.apart.len()).collect();
        }
        let labels = |class: usize| named.iter().map(|&q| release.class(class)[q]).collect::<Vec<u32>>();
        let mut first = BTreeMap::new();
        let classes = 0..release.sizes.len();
        let shared = classes.map(|class| *first.entry(labels(class)).or_insert(class));
        shared.chain([release.sizes.len()]).collect()
    }

    /// Of each row that shows its values: group, combination of the rest, records.
    fn rows(&self) -> impl Iterator<Item = (usize, usize, u64)> {
        let last = self.release.sizes.len();
        let whole = self.manifest.suppresses_records();
        let shown = self.release.rows.iter().filter(move |row| row.class != SUPPRESSED || !whole);
        shown.map(move |row| {
            let group = if row.class == SUPPRESSED { last } else { row.class as usize };
            (group, row.rest as usize, row.count)
        })
    }

    /// The groups of a column.
    fn of(&self, column: usize) -> Vec<Group> {
        let mut groups = vec![Group::new(); self.apart.len()];
        for (group, rest, records) in self.rows() {
            *groups[group].entry(self.release.rest.codes[column][rest]).or_default() += records;
        }
        groups
    }

    /// What is certain of each group of a column.
    fn kinds(&self, name: &str, column: usize) -> Vec<Option<Kind>> {
        let rule = self.manifest.attributes.get(name).and_then(|entry| entry.hierarchy.as_ref());
        let rule = rule.and_then(|definition| Rule::try_from(definition).ok());
        let kinds = kinds(&self.release.rest.columns[column].values, rule.as_ref(), &self.of(column));
        // Of a group that cannot be told from others nothing is certain.
        let apart = self.apart.iter();
        kinds.into_iter().zip(apart).map(|(kind, apart)| kind.filter(|_| *apart)).collect()
    }

    /// How many are in groups that tell of a column.
    fn certain(&self, name: &str, column: usize) -> Certain {
        let kinds = self.kinds(name, column);
        let of_kind = |kind: Kind| self.in_groups(|group| kinds[group] == Some(kind));
        let [value, parent, near] = [Kind::Value, Kind::Parent, Kind::Near].map(of_kind);
        Certain { value, parent, near }
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.release.rest.columns.iter().position(|column| column.name == name)
    }
}

/// What speaks against a release that keeps its promises, of its sensitive columns and its models.
pub(super) fn objections(groups: &Groups<'_>) -> Vec<String> {
    let manifest = groups.manifest;
    let mut told: Vec<String> = manifest.models().flat_map(|promise| unusual(groups, promise)).collect();
    for name in manifest.of_role(Role::Sensitive) {
        told.extend(chosen(manifest, name));
        told.extend(unpromised(groups, name));
        if let Some(column) = groups.column(name) {
            told.extend(certainly(groups, name, column));
        }
    }
    told.extend(manifest.models().filter_map(|promise| with_missing(groups, promise)));
    told
}

/// By sensitive column, all that stand in groups that tell a value, its parent or a narrow range: people where pseudonyms tell
/// them apart, else records. Nothing where noise hides them.
#[must_use]
pub fn similar(manifest: &Manifest, release: &Release) -> BTreeMap<String, Certain> {
    if manifest.is_noisy() || manifest.models().any(Promised::is_private) {
        return BTreeMap::new();
    }
    let groups = Groups::new(manifest, release);
    let named = manifest.of_role(Role::Sensitive);
    named.filter_map(|name| Some((name.to_owned(), groups.certain(name, groups.column(name)?)))).collect()
}

/// A sensitive column by which the records were chosen.
fn chosen(manifest: &Manifest, name: &str) -> Option<String> {
    let of_column = manifest.kept.iter().filter(|section| section.column == name);
    let words: Vec<String> = of_column.map(WhereSection::words).collect();
    (!words.is_empty()).then(|| {
        text!(
            "The records were chosen by the sensitive column {}: of everybody who is known to be in the release it is known that {}.",
            name,
            words.join(", ")
        )
    })
}

/// A sensitive column that no model looks at.
fn unpromised(groups: &Groups<'_>, name: &str) -> Option<String> {
    let is_sensitive = |promise: &&Promised| promise.terms().is_some_and(|terms| terms.facts.sensitive);
    let mut models = groups.manifest.models().filter(is_sensitive);
    let shown = groups.in_groups(|_| true);
    (shown > 0 && !models.any(|promise| promise.attribute().is_none_or(|of| of == name))).then(|| {
        text!(
            "Nothing is promised about the sensitive column {}: a group may tell its value. It is shown of {}.",
            name,
            groups.told(shown)
        )
    })
}

/// A model that is asked for less than is usual.
fn unusual(groups: &Groups<'_>, promise: &Promised) -> Vec<String> {
    let Some(terms) = promise.terms() else { return Vec::new() };
    let (asked, shield) = (terms.below_usual(&promise.asked), shield(promise));
    asked.map(|(usual, asked)| less_than_usual(groups, (terms, &shield), usual, asked)).collect()
}

/// The quasi-identifiers that a promise is about; none where it is about all.
fn shield(promise: &Promised) -> Vec<String> {
    let named = promise.shielded().into_iter().flatten();
    named.filter_map(serde_json::Value::as_str).map(str::to_owned).collect()
}

fn less_than_usual(
    groups: &Groups<'_>,
    (terms, shield): (&Terms, &[String]),
    usual: Usual,
    asked: f64,
) -> String {
    let all = || text!("it is about all {}", groups.told(groups.in_groups(|_| true)));
    let name = terms.name;
    match usual {
        Usual::AtLeast(parameter, least) => {
            let is_size = terms.facts.least_class == Some(parameter);
            let whom = if is_size { in_small_groups(groups, shield, least) } else { all() };
            text!(
                "{} is promised with {} = {}, and at least {} is usual: {}.",
                name,
                parameter,
                asked,
                least,
                whom
            )
        }
        Usual::Below(parameter, bound) => text!(
            "{} is promised with {} = {}, which rules nothing out; below {} is usual: {}.",
            name,
            parameter,
            asked,
            bound,
            all()
        ),
    }
}

/// How many stand in groups that are smaller than is usual.
fn in_small_groups(groups: &Groups<'_>, shield: &[String], least: u64) -> String {
    let sizes = groups.sizes(shield);
    let few = groups.in_groups(|group| sizes[group] < least);
    let of = if shield.is_empty() { String::new() } else { text!(" by {}", shield.join(", ")) };
    match few {
        0 => text!("every group{} has that many here", of),
        1 => text!("{} stands in a group{} of fewer than {}", groups.told(few), of, least),
        _ => text!("{} stand in groups{} of fewer than {}", groups.told(few), of, least),
    }
}

/// Groups that tell a value of everybody in them.
fn certainly(groups: &Groups<'_>, name: &str, column: usize) -> Vec<String> {
    let Certain { value, parent, near } = groups.certain(name, column);
    let told = [
        (
            value,
            language::mark(
                "{} stand in groups that all share one value of {}: whoever finds a person's group learns the value.",
            ),
        ),
        (
            parent,
            language::mark(
                "{} stand in groups that all have values with one parent in the hierarchy of {}: whoever finds a person's group \
                 learns that much.",
            ),
        ),
        (
            near,
            language::mark(
                "{} stand in groups that all have nearly one value of {}, numbers within 5 % of its range (from the 5th to the \
                 95th percentile).",
            ),
        ),
    ];
    let told = told.into_iter().filter(|(number, _)| *number > 0);
    told.map(|(number, sentence)| text!(sentence, groups.told(number), name)).collect()
}

/// Groups that have enough values only where a missing one counts.
fn with_missing(groups: &Groups<'_>, promise: &Promised) -> Option<String> {
    let terms = promise.terms()?;
    let (least, parameter) = (terms.least_values(&promise.asked)?, terms.facts.least_values?);
    let attribute = promise.attribute()?;
    let column = groups.column(attribute)?;
    let values = &groups.release.rest.columns[column].values;
    let lacks = |group: &Group| {
        let known: BTreeSet<String> =
            group.keys().map(|&code| spelled(&values[code as usize])).filter(|value| value != NULL).collect();
        (known.len() as f64) < least && has_missing(group, values)
    };
    let lacking: Vec<bool> = groups.of(column).iter().map(lacks).collect();
    let number = groups.in_groups(|group| lacking[group]);
    (number > 0).then(|| {
        text!(
            "{} counts a missing value of {} as one of the {} = {} values: without it, {} stand in groups \
             that have fewer.",
            terms.name,
            attribute,
            parameter,
            least,
            groups.told(number)
        )
    })
}

fn has_missing(group: &Group, values: &[String]) -> bool {
    group.keys().any(|&code| values[code as usize] == NULL)
}
