//! What single nodes come to, for a front of solutions.

use std::collections::BTreeMap;

use rayon::prelude::*;
use velamen_core::classes::layout;
use velamen_core::context::Context;
use velamen_core::doubts::{Doubts, Group};
use velamen_core::frequency::FrequencyTable;
use velamen_core::impossible::Pairs;
use velamen_core::lattice::Node;
use velamen_core::plan::{Counterfeits, Fate, Plan};
use velamen_core::with_key_width;

use super::search::{Grouped, Known, NodeSearch};
use super::{Demand, HCeiling, coding, one_sensitive};
use crate::method::kit::nodes::{self, Look, Point};
use crate::method::kit::shown;
use crate::method::{MethodError, Task};
use crate::model::people::Tally;

/// What the nodes of a look come to that satisfy the ceiling with their counterfeits and have a safe catalog,
/// until the time is over. Whether all were judged.
///
/// # Errors
/// As [`HCeiling::plan`], but never [`MethodError::Infeasible`].
pub(super) fn judge(
    method: HCeiling,
    table: &FrequencyTable,
    task: &Task<'_>,
    look: Look<'_>,
    context: &Context<'_>,
) -> Result<bool, MethodError> {
    let sensitive = one_sensitive(table)?;
    let models = |released: &Tally| task.bind_to(table, Some(released));
    let pairs = Pairs::new(task.impossible, task.attributes, table, sensitive);
    let asked = Demand { models: &models, pairs: pairs.as_ref(), earlier: task.earlier, expired: None };
    with_key_width!(layout(table, coding(table, sensitive).as_ref()).words(), W => {
        let search = NodeSearch::<W>::new(method, table, look.lattice, sensitive, &asked, context)?;
        let least = shown::least_levels(table, task, method.params.k);
        let point = |node: &Node| {
            context.check()?;
            if shown::check(table, node, &least).is_err() {
                return Ok(None);
            }
            Ok(search.grouped(node).and_then(|grouped| point(grouped, &search)))
        };
        let mut known = Known::default();
        nodes::in_batches(look, task, context, |batch| {
            search.admitted(batch.to_vec(), &mut known)?.par_iter().map(point).collect()
        })
    }, else Err(MethodError::Unfit("the quasi-identifiers need more than 1024 bits a record".into())))
}

/// What a release at the node comes to; `None` where no catalog is safe.
fn point<const W: usize>(grouped: Grouped, search: &NodeSearch<'_, W>) -> Option<Point> {
    if !grouped.safe {
        return None;
    }
    let found = search.evaluation(&grouped);
    let (highest_risk, mean_risk) = doubts(&grouped.plan).risks()?;
    let kept = grouped.plan.fates.iter().filter(|fate| **fate == Fate::Keep);
    Some(Point {
        value: found.figure,
        loss: found.figure,
        highest_risk,
        mean_risk,
        suppressed: found.suppressed,
        counterfeits: found.counterfeits,
        classes: kept.count() as u64,
        node: found.node,
    })
}

/// What the catalog of these groups makes of each released class.
fn doubts(plan: &Plan) -> Doubts {
    let Plan { classes, counterfeits, groups, .. } = plan;
    let kept = |class: usize| plan.fates[class] == Fate::Keep;
    let real = |class: usize| classes.sensitive(class).iter().copied().filter(move |_| kept(class));
    let mut cells: Vec<BTreeMap<u32, u64>> = (0..classes.len()).map(|class| real(class).collect()).collect();
    let mut made: BTreeMap<u32, &Counterfeits> = BTreeMap::new();
    for of_class in counterfeits {
        for &(value, count) in &of_class.values {
            *cells[of_class.class as usize].entry(value).or_default() += count;
        }
        made.insert(of_class.class, of_class);
    }
    let group = |members: &Vec<u32>| {
        let made = members.iter().filter_map(|class| made.get(class)).flat_map(|made| &made.values);
        Group { classes: members.iter().map(|&class| class as usize).collect(), counterfeits: summed(made) }
    };
    Doubts::new(&cells, &groups.iter().map(group).collect::<Vec<_>>())
}

/// The counterfeits by value.
fn summed<'a>(made: impl Iterator<Item = &'a (u32, u64)>) -> BTreeMap<u32, u64> {
    let mut counterfeits = BTreeMap::new();
    for &(value, count) in made {
        *counterfeits.entry(value).or_default() += count;
    }
    counterfeits
}
