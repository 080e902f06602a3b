use std::path::PathBuf;

use clap::Args;
use velamen_core::number::number;
use velamen_dp::Seed;
use velamen_job::estimate::{Estimate as Estimated, Need, estimate, size};
use velamen_recipe::{JobError, Overrides, Recipe};

use super::{Common, Runner};
use crate::table::{Side, Table};
use crate::terminal::{grouped, line, plain};

/// Estimate what a recipe's run needs: memory, disk and time
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen estimate recipe.toml
  velamen estimate recipe.toml --set method.name=optimal --json
  velamen estimate recipe.toml --set engine.memory='8 GiB'

Reads the table once and keeps none of it. Exit code 7 if the run does not fit.")]
pub(crate) struct Estimate {
    /// The recipe, a TOML file
    recipe: PathBuf,
    /// The table to release, instead of the recipe's
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// The release folder, instead of the recipe's
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Change one entry of the recipe; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    common: Common,
}

impl Estimate {
    pub(super) fn run(self) -> Result<(), JobError> {
        let overrides = Overrides { input: self.input, output: self.output, seed: None, set: self.set };
        let recipe = Recipe::load(&self.recipe, &overrides)?.resolve(&self.recipe)?;
        let runner = Runner::start(&self.common, false)?;
        // Nothing is drawn.
        let seed = Seed::from_number(0);
        let found = runner.with(&seed, |context| estimate(&recipe, &self.recipe, context))?;
        if self.json {
            let value = serde_json::to_value(&found).unwrap_or_default();
            line(serde_json::to_string_pretty(&value).unwrap_or_default());
        } else {
            print(&found);
        }
        found.refusal().map_or(Ok(()), Err)
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
    let mut table =
        Table::new(&[left("column"), left("role"), right("values"), right("combinations"), right("memory")]);
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
