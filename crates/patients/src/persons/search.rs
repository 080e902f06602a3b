//! The levels of person columns.
//!
//! # Definition
//! `optimal`, the default: among all nodes of which at most the allowed number of persons stands in classes of fewer than k, the one of least
//! loss + (1 − kept): the loss is the mean degree of generalization over persons and columns, a person left out counts
//! as 1; kept is the share of (person, code) pairs whose code at least k persons of the class have, or of the table
//! where codes are not counted by class. Finer classes keep fewer codes, and the two are weighed alike.
//!
//! `datafly` (Sweeney 1997) begins with the finest levels that are allowed, and takes the column of most released values to its next level,
//! until at most the allowed number of persons is left out; of columns with as many, the first one. `samarati` (Samarati 2001): of the nodes
//! of the least sum of levels that leave out at most that number, the one of least loss.
//!
//! # Complexity
//! Nodes × distinct combinations for the loss; kept is counted for the nodes of least loss alone, as many as
//! [`MOST_PAIRS`] allows.

use rustc_hash::{FxHashMap, FxHashSet};
use velamen_core::context::Context;
use velamen_recipe::JobError;
use velamen_sets::{OUT, Sets};

use super::{Attribute, Demographics, too_few};
use crate::plan::Plan;
use crate::recipe::{DATAFLY, SAMARATI};

/// How many pairs of person and code are counted over all nodes.
const MOST_PAIRS: usize = 100_000_000;

/// The most nodes that are looked at.
const MOST_NODES: usize = 100_000;

/// What the choice looks at beside the person columns.
pub(crate) struct Known<'a> {
    pub(crate) plan: &'a Plan,
    /// The codes of each person.
    pub(crate) sets: &'a Sets,
    /// The most persons that may be left out.
    pub(crate) most: usize,
    pub(crate) until: i32,
    /// The name of the search.
    pub(crate) by: &'a str,
}

impl Known<'_> {
    /// The last year of birth of those whose age is not told.
    pub(super) fn cut(&self) -> i32 {
        self.until - self.plan.top_age as i32
    }
}

/// Chooses a level for each column.
///
/// # Errors
/// [`JobError::promise`] where no node leaves classes of k.
pub(crate) fn choose(
    attributes: Vec<Attribute>,
    known: &Known<'_>,
    context: &Context<'_>,
) -> Result<Demographics, JobError> {
    let k = known.plan.k();
    let groups = Groups::of(&attributes, known.sets.persons());
    if known.by == DATAFLY {
        let (node, suppressed) = datafly(&attributes, &groups, known)?;
        let classes = groups.classes(&attributes, &node, k);
        return Ok(Demographics { attributes, node, classes, suppressed, until: known.until });
    }
    let tried = |node: Vec<u8>| context.check().map(|()| groups.tried(&attributes, node, k));
    let mut tried: Vec<Tried> = nodes(&attributes)?.into_iter().map(tried).collect::<Result<_, _>>()?;
    let least = tried.iter().map(|tried| tried.suppressed).min().unwrap_or(0);
    // A release of nobody is none.
    tried.retain(|tried| tried.suppressed <= known.most && tried.suppressed < known.sets.persons());
    if tried.is_empty() {
        return Err(too_few(known.sets.persons(), k, least, known.most));
    }
    if known.by == SAMARATI {
        let height = |tried: &Tried| tried.node.iter().map(|level| u32::from(*level)).sum::<u32>();
        let least = tried.iter().map(height).min();
        tried.retain(|tried| Some(height(tried)) == least);
    }
    tried.sort_by(|a, b| a.loss.total_cmp(&b.loss).then_with(|| a.node.cmp(&b.node)));
    let counts = known.plan.counts_in_classes() && known.by != SAMARATI;
    let looked = if counts { MOST_PAIRS / known.sets.len().max(1) } else { 1 };
    let mut least: Option<(f64, Tried, Vec<u32>)> = None;
    for tried in tried.into_iter().take(looked.max(1)) {
        context.check()?;
        let classes = groups.classes(&attributes, &tried.node, k);
        let kept = if counts { kept(known.sets, &classes, k) } else { 0.0 };
        let score = tried.loss + 1.0 - kept;
        if least.as_ref().is_none_or(|(least, ..)| score.total_cmp(least).is_lt()) {
            least = Some((score, tried, classes));
        }
    }
    let (_, best, classes) = least.expect("one was left");
    Ok(Demographics { attributes, node: best.node, classes, suppressed: best.suppressed, until: known.until })
}

/// The node that Datafly reaches, and how many persons it leaves out.
pub(super) fn datafly(
    attributes: &[Attribute],
    groups: &Groups,
    known: &Known<'_>,
) -> Result<(Vec<u8>, usize), JobError> {
    let mut node: Vec<u8> =
        attributes.iter().map(|attribute| attribute.asked.unwrap_or(attribute.least)).collect();
    loop {
        let (_, sizes) = groups.classified(attributes, &node);
        let suppressed = sizes.iter().filter(|size| **size < known.plan.k()).sum();
        if suppressed <= known.most && suppressed < known.sets.persons() {
            return Ok((node, suppressed));
        }
        let can_climb = |place: &usize| attributes[*place].can_climb(node[*place]);
        let values = |place: &usize| groups.values(&attributes[*place], *place, node[*place]);
        let climbing = (0..attributes.len()).filter(can_climb);
        match climbing.max_by_key(|place| (values(place), std::cmp::Reverse(*place))) {
            Some(place) => node[place] += 1,
            None => return Err(too_few(known.sets.persons(), known.plan.k(), suppressed, known.most)),
        }
    }
}

/// A node, how many persons it leaves out, and its loss.
struct Tried {
    node: Vec<u8>,
    suppressed: usize,
    loss: f64,
}

/// Every node that the recipe allows.
fn nodes(attributes: &[Attribute]) -> Result<Vec<Vec<u8>>, JobError> {
    let mut nodes: Vec<Vec<u8>> = vec![Vec::new()];
    for attribute in attributes {
        let all = attribute.least..attribute.levels.len() as u8;
        let levels: Vec<u8> = attribute.asked.map_or_else(|| all.collect(), |level| vec![level]);
        if nodes.len() * levels.len() > MOST_NODES {
            let problem =
                format!("there are more than {MOST_NODES} combinations of levels of person columns");
            return Err(JobError::too_large(problem).mend("give some of them a level"));
        }
        let longer =
            |node: &Vec<u8>| levels.iter().map(|&level| [&node[..], &[level]].concat()).collect::<Vec<_>>();
        nodes = nodes.iter().flat_map(longer).collect();
    }
    Ok(nodes)
}

/// Distinct combinations of leaves with their persons.
pub(super) struct Groups {
    leaves: Vec<Vec<u32>>,
    counts: Vec<usize>,
    /// The combination of each person.
    of: Vec<u32>,
}

impl Groups {
    pub(super) fn of(attributes: &[Attribute], persons: usize) -> Self {
        let mut places: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut groups = Self { leaves: Vec::new(), counts: Vec::new(), of: Vec::with_capacity(persons) };
        for person in 0..persons {
            let leaves: Vec<u32> = attributes.iter().map(|attribute| attribute.leaves[person]).collect();
            let place = *places.entry(leaves).or_insert_with_key(|leaves| {
                groups.leaves.push(leaves.clone());
                groups.counts.push(0);
                groups.counts.len() as u32 - 1
            });
            groups.counts[place as usize] += 1;
            groups.of.push(place);
        }
        groups
    }

    /// The class of each combination, and the persons of each class.
    fn classified(&self, attributes: &[Attribute], node: &[u8]) -> (Vec<u32>, Vec<usize>) {
        let mut places: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut sizes = Vec::new();
        let mut classes = Vec::with_capacity(self.leaves.len());
        for (leaves, count) in self.leaves.iter().zip(&self.counts) {
            let at = |((attribute, &level), &leaf): ((&Attribute, &u8), &u32)| {
                attribute.levels[usize::from(level)].map[leaf as usize]
            };
            let values: Vec<u32> = attributes.iter().zip(node).zip(leaves).map(at).collect();
            let class = *places.entry(values).or_insert_with(|| {
                sizes.push(0);
                sizes.len() as u32 - 1
            });
            sizes[class as usize] += count;
            classes.push(class);
        }
        (classes, sizes)
    }

    /// How many different values a column shows at a level.
    fn values(&self, attribute: &Attribute, place: usize, level: u8) -> usize {
        let map = &attribute.levels[usize::from(level)].map;
        self.leaves.iter().map(|leaves| map[leaves[place] as usize]).collect::<FxHashSet<_>>().len()
    }

    fn tried(&self, attributes: &[Attribute], node: Vec<u8>, k: usize) -> Tried {
        let (classes, sizes) = self.classified(attributes, &node);
        let suppressed = sizes.iter().filter(|size| **size < k).sum();
        let mut loss = 0.0;
        for ((leaves, count), class) in self.leaves.iter().zip(&self.counts).zip(classes) {
            let lost = if sizes[class as usize] < k { 1.0 } else { mean_loss(attributes, &node, leaves) };
            loss += lost * *count as f64;
        }
        Tried { node, suppressed, loss: loss / self.of.len().max(1) as f64 }
    }

    /// The class of each person.
    pub(super) fn classes(&self, attributes: &[Attribute], node: &[u8], k: usize) -> Vec<u32> {
        let (classes, sizes) = self.classified(attributes, node);
        let class = |&group: &u32| Some(classes[group as usize]).filter(|&class| sizes[class as usize] >= k);
        self.of.iter().map(|group| class(group).unwrap_or(OUT)).collect()
    }
}

fn mean_loss(attributes: &[Attribute], node: &[u8], leaves: &[u32]) -> f64 {
    let lost = |((attribute, &level), &leaf): ((&Attribute, &u8), &u32)| {
        let level = &attribute.levels[usize::from(level)];
        level.losses[level.map[leaf as usize] as usize]
    };
    let sum: f64 = attributes.iter().zip(node).zip(leaves).map(lost).sum();
    if attributes.is_empty() { 0.0 } else { sum / attributes.len() as f64 }
}

/// The share of pairs of person and code of which at least k persons of the class have the code.
fn kept(sets: &Sets, classes: &[u32], k: usize) -> f64 {
    let mut counts: FxHashMap<(u32, u32), usize> = FxHashMap::default();
    for (person, &class) in classes.iter().enumerate().filter(|(_, class)| **class != OUT) {
        for &item in sets.of(person) {
            *counts.entry((class, item)).or_default() += 1;
        }
    }
    let kept: usize = counts.values().filter(|count| **count >= k).sum();
    kept as f64 / sets.len().max(1) as f64
}
