//! Hierarchies of codes as one tree over all items.
//!
//! A column's hierarchy gives each code its label at each level; a vocabulary gives each concept its parents. Of several
//! parents the one with the fewest descendants stays, then the one of the smallest number, so that a tree is left.

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};
use velamen_core::context::Context;
use velamen_core::error::{Place, Problem};
use velamen_core::hierarchy::{Rule, TOP};
use velamen_engine::ColumnRequest;
use velamen_engine::source::Input;
use velamen_recipe::JobError;
use velamen_sets::Tree;

use super::sets::{ItemColumn, Items, texts};
use crate::loaded::{Cells, Rows};
use crate::plan::{Plan, PlannedTable, Use, folder};

/// Gives items the hierarchies that their columns have.
///
/// # Errors
/// [`JobError::io`] or [`JobError::data`] if a vocabulary cannot be read, [`JobError::data`] where a code is not in its
/// hierarchy.
pub(crate) fn grow(
    items: &mut Items,
    plan: &Plan,
    tables: &[Rows],
    context: &Context<'_>,
) -> Result<(), JobError> {
    let mut growing = Growing { parents: vec![None; items.cut.len()], inner: Vec::new() };
    let mut has_any = false;
    for of in items.columns.clone() {
        let planned = &plan.tables[of.table];
        let texts = texts(&tables[of.table].columns[of.column]);
        let Use::Set { vocabulary, .. } = &planned.columns[of.column].used else { continue };
        if let Some(rule) = &planned.rules[of.column] {
            let refuse = |found| not_in_hierarchy((plan, planned), of.column, &tables[of.table], found);
            growing.by_rule(&of, texts, rule).map_err(refuse)?;
            has_any = true;
        } else if let Some(vocabulary) = vocabulary {
            let place = format!(
                "table `{}`, column `{}`, hierarchy: ",
                planned.name, planned.columns[of.column].name
            );
            let read = Vocabulary::read(vocabulary, context).map_err(|error| error.after(&place))?;
            growing.by_vocabulary(&of, texts, &read);
            has_any = true;
        }
    }
    if has_any {
        let tree = Tree::new(growing.parents);
        items.tree =
            Some(tree.map_err(|error| JobError::data(format!("a hierarchy of codes is no tree: {error}")))?);
        items.inner = growing.inner;
    }
    Ok(())
}

/// The refusal of a code, by its number, in the first row that has it.
fn not_in_hierarchy(
    (plan, planned): (&Plan, &PlannedTable),
    column: usize,
    rows: &Rows,
    (code, problem): (u32, Problem),
) -> JobError {
    let row = first_row(&rows.columns[column], code);
    let column = &planned.columns[column].name;
    if let Some((file, within)) = row.and_then(|row| plan.place(planned, row)) {
        let place = format!("{}: {within}, {}.{column}: ", file.display(), planned.name);
        return JobError::data(problem.after(&place));
    }
    let row = row.map_or(String::new(), |row| format!(", row {}", row + 1));
    let problem = problem.after(&format!("table `{}`{row}, column `{column}`: ", planned.name));
    JobError::data(problem).at(Place::file(plan.shown_file(planned)))
}

/// The first row that has a code.
fn first_row(cells: &Cells, code: u32) -> Option<usize> {
    match cells {
        Cells::Coded(coded) => coded.codes.iter().position(|other| other == code),
        Cells::Lists(lists) => (0..lists.cells.len()).find(|&row| lists.of_row(row).contains(&code)),
        _ => None,
    }
}

/// A tree that grows from its leaves.
struct Growing {
    parents: Vec<Option<u32>>,
    /// The names of the nodes behind the leaves.
    inner: Vec<String>,
}

impl Growing {
    fn node(&mut self, name: &str) -> u32 {
        self.parents.push(None);
        self.inner.push(name.to_owned());
        self.parents.len() as u32 - 1
    }

    /// Labels at levels 1 and up; the topmost label stands for nothing and is left out. The first code that is refused has its
    /// number beside the error.
    fn by_rule(&mut self, of: &ItemColumn, texts: &[String], rule: &Rule) -> Result<(), (u32, Problem)> {
        let mut nodes: FxHashMap<(u8, String), u32> = FxHashMap::default();
        for (code, whole) in texts.iter().enumerate().skip(1) {
            // A coding of FHIR is `system|code`, and codes of other systems are in no hierarchy.
            let (system, text) = match whole.rsplit_once('|') {
                Some((system, code)) if !rule.contains(whole) => (Some(system), code),
                _ => (None, whole.as_str()),
            };
            if !rule.contains(text) {
                if system.is_some() {
                    continue;
                }
                let problem = Problem::new("a code is not in the hierarchy").expected(rule.expectation());
                return Err((code as u32, problem));
            }
            let mut below = of.first + code as u32;
            let mut label_below = whole.clone();
            for level in 1..=rule.top() {
                let label = rule.label_at(text, level);
                if label == TOP {
                    break;
                }
                // One name of two things would make their persons look like those of one.
                let is_code = system.is_none() && texts.binary_search(&label).is_ok();
                if is_code && rule.contains(&label) && rule.label_at(&label, level) != label {
                    let problem = Problem::new("the name of its group is that of a code of another family");
                    return Err((code as u32, problem.mend("give the group a name of its own")));
                }
                let label = system.map_or(label.clone(), |system| format!("{system}|{label}"));
                if label == label_below {
                    continue;
                }
                let known = nodes.get(&(level, label.clone())).copied();
                let node = known.unwrap_or_else(|| self.node(&label));
                nodes.insert((level, label.clone()), node);
                self.parents[below as usize] = Some(node);
                (below, label_below) = (node, label);
            }
        }
        Ok(())
    }

    /// Concepts and their ancestors. A concept that occurs as a code is the same node as an ancestor of others.
    fn by_vocabulary(&mut self, of: &ItemColumn, texts: &[String], vocabulary: &Vocabulary) {
        let codes = texts.iter().enumerate().skip(1);
        let mut nodes: FxHashMap<String, u32> =
            codes.map(|(code, text)| (text.clone(), of.first + code as u32)).collect();
        let mut done: FxHashSet<String> = FxHashSet::default();
        for text in texts.iter().skip(1) {
            let mut concept = text.clone();
            while done.insert(concept.clone()) {
                let Some(parent) = vocabulary.parent(&concept) else { break };
                let below = nodes[&concept];
                let known = nodes.get(&parent).copied();
                let node = known.unwrap_or_else(|| self.node(&parent));
                nodes.insert(parent.clone(), node);
                if self.is_above(below, node) {
                    break;
                }
                self.parents[below as usize] = Some(node);
                concept = parent;
            }
        }
    }

    /// Whether a node stands above another already, so that the other cannot be its parent.
    fn is_above(&self, node: u32, other: u32) -> bool {
        std::iter::successors(Some(other), |&node| self.parents[node as usize]).any(|above| above == node)
    }
}

/// The parents of concepts.
struct Vocabulary {
    parents: FxHashMap<String, Vec<String>>,
    descendants: FxHashMap<String, usize>,
}

impl Vocabulary {
    /// From CONCEPT_ANCESTOR, or from what CONCEPT_RELATIONSHIP says with `Is a` where that has no rows.
    fn read(folder: &Path, context: &Context<'_>) -> Result<Self, JobError> {
        let direct = |row: &[String]| (row[2] == "1").then(|| (row[1].clone(), row[0].clone()));
        let ancestors = ["ancestor_concept_id", "descendant_concept_id", "min_levels_of_separation"];
        let mut pairs = pairs(folder, "concept_ancestor", &ancestors, &direct, context)?;
        if pairs.is_empty() {
            let is_a = |row: &[String]| (row[2] == "Is a").then(|| (row[0].clone(), row[1].clone()));
            let columns = ["concept_id_1", "concept_id_2", "relationship_id"];
            pairs = self::pairs(folder, "concept_relationship", &columns, &is_a, context)?;
        }
        if pairs.is_empty() {
            let problem = Problem::new(format!("{}: no vocabulary", folder.display()));
            let expected = "CONCEPT_ANCESTOR, or CONCEPT_RELATIONSHIP with `Is a`";
            return Err(JobError::data(problem.expected(expected).mend("leave the hierarchy out")));
        }
        let mut parents: FxHashMap<String, Vec<String>> = FxHashMap::default();
        let mut children: FxHashMap<String, Vec<String>> = FxHashMap::default();
        for (child, parent) in pairs.into_iter().filter(|(child, parent)| child != parent) {
            children.entry(parent.clone()).or_default().push(child.clone());
            parents.entry(child).or_default().push(parent);
        }
        // Only where there is a choice.
        let asked = parents.values().filter(|parents| parents.len() > 1).flatten();
        let asked: FxHashSet<&String> = asked.collect();
        let descendants =
            asked.into_iter().map(|concept| (concept.clone(), below(concept, &children))).collect();
        Ok(Self { parents, descendants })
    }

    /// Of several parents the one with the fewest descendants, then the one of the smallest number.
    fn parent(&self, concept: &str) -> Option<String> {
        let parents = self.parents.get(concept)?;
        let rank = |parent: &&String| {
            let descendants = self.descendants.get(*parent).copied().unwrap_or(0);
            (descendants, parent.parse::<u64>().unwrap_or(u64::MAX), (*parent).clone())
        };
        parents.iter().min_by_key(rank).cloned()
    }
}

/// How many concepts lie below one.
fn below(concept: &str, children: &FxHashMap<String, Vec<String>>) -> usize {
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    let mut open = vec![concept];
    while let Some(next) = open.pop() {
        let below = children.get(next).into_iter().flatten();
        open.extend(below.map(String::as_str).filter(|child| seen.insert(child)));
    }
    seen.len()
}

/// Child and parent.
type Pair = (String, String);

/// Pairs of child and parent from a table of a vocabulary; none where it is not there.
fn pairs(
    folder: &Path,
    table: &str,
    columns: &[&str; 3],
    pair: &dyn Fn(&[String]) -> Option<Pair>,
    context: &Context<'_>,
) -> Result<Vec<Pair>, JobError> {
    let Some((_, file)) = folder::files(folder)?.into_iter().find(|(name, _)| name == table) else {
        return Ok(Vec::new());
    };
    let input = Input::open(&file, &folder::reading(None))?;
    let mut requests = Vec::new();
    for name in columns {
        let index = input.columns.iter().position(|column| column.eq_ignore_ascii_case(name));
        let index = index.ok_or_else(|| JobError::data(format!("{}: no column `{name}`", file.display())))?;
        requests.push(ColumnRequest::as_recorded(index, name));
    }
    let read = input.read_in_order(&requests, context)?;
    let rows = read.codes.first().map_or(0, Vec::len);
    let cell = |column: usize, row: usize| read.values[column][read.codes[column][row] as usize].clone();
    Ok((0..rows).filter_map(|row| pair(&[cell(0, row), cell(1, row), cell(2, row)])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary(pairs: &[(&str, &str)]) -> Vocabulary {
        let folder = tempfile::tempdir().unwrap();
        let rows: Vec<String> =
            pairs.iter().map(|(child, parent)| format!("{child},{parent},Is a\n")).collect();
        let text = format!("concept_id_1,concept_id_2,relationship_id\n{}9,8,Maps to\n", rows.concat());
        std::fs::write(folder.path().join("CONCEPT_RELATIONSHIP.csv"), text).unwrap();
        let (seed, cancel) = (velamen_dp::Seed::from_number(1), std::sync::atomic::AtomicBool::new(false));
        let context = Context { seed: &seed, progress: &velamen_core::context::Silent, cancel: &cancel };
        Vocabulary::read(folder.path(), &context).unwrap()
    }

    #[test]
    fn of_several_parents_the_narrowest_stays() {
        // 10 has three concepts below it, 20 two.
        let vocabulary =
            vocabulary(&[("1", "10"), ("1", "20"), ("2", "10"), ("3", "10"), ("4", "20"), ("10", "99")]);
        assert_eq!(vocabulary.parent("1").as_deref(), Some("20"));
        assert_eq!(vocabulary.parent("2").as_deref(), Some("10"));
        assert_eq!(vocabulary.parent("9"), None);
    }

    #[test]
    fn a_circle_ends() {
        let vocabulary = vocabulary(&[("1", "2"), ("2", "1")]);
        let of = ItemColumn { table: 0, column: 0, first: 0 };
        let mut growing = Growing { parents: vec![None; 2], inner: Vec::new() };
        growing.by_vocabulary(&of, &[String::new(), "1".into()], &vocabulary);
        assert!(Tree::new(growing.parents).is_ok());
    }

    #[test]
    fn a_label_that_repeats_is_one_node() {
        let rows = [["E11.9", "E11", "E11", "*"], ["E11.0", "E11", "E11", "*"], ["I10", "I10", "I1", "*"]];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec()).to_vec();
        let rule = Rule::try_from(&velamen_core::hierarchy::Definition::Table { rows }).unwrap();
        let texts = ["", "E11.0", "E11.9", "I10"].map(str::to_owned);
        let of = ItemColumn { table: 0, column: 0, first: 0 };
        let mut growing = Growing { parents: vec![None; 4], inner: Vec::new() };
        growing.by_rule(&of, &texts, &rule).unwrap();
        assert_eq!(growing.inner, ["E11", "I1"]);
        assert_eq!(growing.parents[1..4], [Some(4), Some(4), Some(5)]);
    }

    #[test]
    fn a_code_is_no_group_of_another_family() {
        let rows = [["E11.9", "E11", "E", "*"], ["E11", "X", "X", "*"], ["I10", "I1", "I", "*"]];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec()).to_vec();
        let rule = Rule::try_from(&velamen_core::hierarchy::Definition::Table { rows }).unwrap();
        let grown = |texts: &[&str]| {
            let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
            let of = ItemColumn { table: 0, column: 0, first: 0 };
            let mut growing = Growing { parents: vec![None; texts.len()], inner: Vec::new() };
            growing.by_rule(&of, &texts, &rule).map_err(|(code, _)| code)
        };
        assert_eq!(grown(&["", "E11", "E11.9", "I10"]), Err(2));
        assert_eq!(grown(&["", "E11.9", "I10"]), Ok(()));
    }
}
