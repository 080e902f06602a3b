//! The papers' experiments, one file each.

mod arca2021;
mod counterfeits;
mod dp_tables;
mod lee2017;
mod lee2020;
mod methods;
mod yoo2012;

use std::path::Path;

use clap::{Args, Subcommand};
use velamen_recipe::JobError;
use velamen_reproduce::{Trend, ended};

use super::entry::{Command, Run};
use crate::terminal::line;

pub(super) const COMMAND: Command = Command::of::<Reproduce>();

/// Repeat a paper's experiments: tables and pictures, published beside measured
#[derive(Debug, Args)]
pub(crate) struct Reproduce {
    #[command(subcommand)]
    paper: Paper,
}

#[derive(Debug, Subcommand)]
enum Paper {
    Lee2017(lee2017::Lee2017Args),
    Yoo2012(yoo2012::Yoo2012Args),
    Lee2020(lee2020::Lee2020Args),
    Arca2021(arca2021::Arca2021Args),
    Methods(methods::MethodsArgs),
    Counterfeits(counterfeits::CounterfeitsArgs),
    DpTables(dp_tables::DpTablesArgs),
}

impl Run for Reproduce {
    const NAME: &'static str = "reproduce";

    fn run(self) -> Result<(), JobError> {
        match self.paper {
            Paper::Lee2017(args) => args.run(),
            Paper::Yoo2012(args) => args.run(),
            Paper::Lee2020(args) => args.run(),
            Paper::Arca2021(args) => args.run(),
            Paper::Methods(args) => args.run(),
            Paper::Counterfeits(args) => args.run(),
            Paper::DpTables(args) => args.run(),
        }
    }
}

/// One line per trend, then where the tables are.
fn show(trends: &[Trend], output: &Path) {
    for trend in trends {
        let mark = if trend.met { "met    " } else { "NOT MET" };
        line(format_args!(
            "{mark}  {}: published {}; measured {}",
            trend.figure, trend.published, trend.measured
        ));
    }
    line(format_args!("{}", ended(trends)));
    line(format_args!("tables and pictures in {}", output.display()));
}
