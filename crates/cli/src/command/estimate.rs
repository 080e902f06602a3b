use serde_json::{Map, Value};
use velamen_assess::operation::{Estimate, EstimateFound};
use velamen_core::number::number;
use velamen_job::estimate::{Estimate as Estimated, Need, size};

use super::entry::Command;
use super::linked;
use super::operation::Shown;
use crate::table::{Side, TextTable};
use crate::terminal::{grouped, line, plain};

pub(super) const COMMAND: Command = Command::showing::<Estimate>();

impl Shown for Estimate {
    const EXAMPLES: &'static str = "\
Examples:
  velamen estimate recipe.toml
  velamen estimate recipe.toml --set method.name=optimal --json
  velamen estimate recipe.toml --set engine.memory='8 GiB'

Reads the table once and keeps none of it. Exit code 7 if the run does not fit. Of linked tables it estimates
how much is kept, for one to three known codes.";

    fn print(found: &EstimateFound, _request: &Map<String, Value>) {
        match found {
            EstimateFound::Linked(found) => linked::estimate(found),
            EstimateFound::Table(found) => print(found),
        }
    }
}

fn print(found: &Estimated) {
    let error = format!("± {:.1} %", 100.0 * found.error);
    line(format_args!("records                {:>14}", grouped(found.records)));
    line(format_args!("distinct combinations  {:>14}  {error}", number(found.combinations)));
    line(format_args!("  of quasi-identifiers {:>14}  {error}", number(found.quasi_identifiers)));
    line(format_args!("lattice nodes          {:>14}", number(found.nodes)));
    line(format_args!("memory                 {:>14}  {}", size(found.memory.needed), room(&found.memory)));
    line(format_args!("disk, up to about      {:>14}  {}", size(found.disk.needed), room(&found.disk)));
    let seconds = found.cpu_seconds.map_or("no estimate".into(), |seconds| format!("{seconds:.1} s"));
    line(format_args!("processor time, about  {seconds:>14}  of all threads together"));
    line("");
    line("What a run would need without each column:");
    let right = |name| (name, Side::Right);
    let left = |name| (name, Side::Left);
    let mut table = TextTable::new(&[
        left("column"),
        left("role"),
        right("values"),
        right("combinations"),
        right("memory"),
    ]);
    for column in &found.columns {
        let role = serde_json::to_value(column.role).map(|role| plain(&role)).unwrap_or_default();
        let (values, without) = (grouped(column.values as u64), number(column.combinations_without));
        table.row(vec![column.name.clone(), role, values, without, size(column.memory_without)]);
    }
    table.print();
}

fn room(need: &Need) -> String {
    match (need.most, need.fits) {
        (None, _) => "how much is free is unknown here".into(),
        (Some(most), true) => format!("fits: {} available", size(most as f64)),
        (Some(most), false) => format!("does not fit: {} available", size(most as f64)),
    }
}
