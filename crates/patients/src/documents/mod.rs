//! What lies beside the released tables: manifest, page, README, codebook and labels.

mod page;
mod words;

use indexmap::IndexMap;
use velamen_contract::linked::{
    Ages, Column, Dates, FORMAT, LABELS, LinkedManifest, Persons, ThinStatement, not_covered,
};
use velamen_contract::manifest::Preset;

pub(crate) use page::html;
pub use page::plain;
pub use words::{check_meaning, check_title, summary};
pub(crate) use words::{counts_of, dates_of, listed, promise_knowing, readme};

use crate::keep::events::Events;
use crate::recipe::LinkedRecipe;
use crate::release::{Making, Released};

/// The version that makes releases.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The files beside the tables, without the manifest and the list of checksums.
pub(crate) const DOCUMENTS: [&str; 4] = ["README.md", "codebook.csv", LABELS, PAGE];

/// The page.
pub(crate) const PAGE: &str = "report.html";

/// What a release says of itself.
pub(crate) fn manifest(making: &Making<'_>, released: &[Released], recipe: &LinkedRecipe) -> LinkedManifest {
    let plan = making.plan;
    let names = not_covered::ALWAYS.iter();
    let of_shift = not_covered::OF_A_SHIFT.iter().filter(|_| matches!(plan.dates, Dates::Shift(_)));
    LinkedManifest {
        linked: FORMAT,
        velamen: VERSION.into(),
        about: recipe.report.about(),
        preset: recipe.preset.map(Preset::entry),
        shape: plan.shape,
        tier: plan.tier,
        method: ThinStatement {
            name: recipe.method.name.clone(),
            demographics: recipe.method.demographics.clone(),
        },
        persons: Persons {
            table: plan.tables[0].name.clone(),
            records: released[0].order.len() as u64,
            suppressed: making.demographics.suppressed as u64,
        },
        dates: plan.dates,
        window: plan.window_text.clone(),
        public_events: public_events(making),
        units: recipe.persons.units.clone(),
        privacy: plan.privacy.clone(),
        code_floor: plan.k() as u64,
        counts: plan.counts,
        ages: ages(making),
        not_covered: names.chain(of_shift).map(|sentence| (*sentence).to_owned()).collect(),
        generalized_codes: generalized(making),
        documents: DOCUMENTS.map(str::to_owned).to_vec(),
        tables: released.iter().map(|table| (table.name.clone(), table.entry())).collect(),
    }
}

/// The released columns in which no code is that of a public event.
fn public_events(making: &Making<'_>) -> Vec<String> {
    let mut names = Vec::new();
    for (planned, rows) in making.plan.tables.iter().zip(making.tables) {
        for (place, column) in planned.columns.iter().enumerate() {
            if Events::of(making.plan, planned, place, &rows.columns[place]).is_some() {
                names.push(format!("{}.{}", planned.name, column.name));
            }
        }
    }
    names
}

/// What is said of the oldest.
fn ages(making: &Making<'_>) -> Option<Ages> {
    let (attribute, oldest) = making.demographics.oldest()?;
    let until = making.demographics.until;
    Some(Ages { column: attribute.name.clone(), top: making.plan.top_age, until, oldest: oldest.to_owned() })
}

/// How many codes of each column stand at an ancestor.
fn generalized(making: &Making<'_>) -> IndexMap<String, u64> {
    let items = &making.kept.items;
    let mut counts = IndexMap::new();
    for of in &items.columns {
        let table = &making.plan.tables[of.table];
        let texts = crate::keep::texts(&making.tables[of.table].columns[of.column]);
        let climbed = (1..texts.len() as u32).filter(|&code| items.node(of, code) != of.first + code).count();
        if climbed > 0 {
            counts.insert(format!("{}.{}", table.name, table.columns[of.column].name), climbed as u64);
        }
    }
    counts
}

/// `labels.csv`: what released values stand for.
pub(crate) fn labels(manifest: &LinkedManifest) -> Vec<[String; 4]> {
    let mut rows = vec![["table", "column", "value", "label"].map(str::to_owned)];
    for (name, table) in &manifest.tables {
        for (column, of) in &table.columns {
            if let Column::QuasiIdentifier { labels, .. } = of {
                let row = |(value, label): (&String, &String)| [name, column, value, label].map(Clone::clone);
                rows.extend(labels.iter().map(row));
            }
        }
    }
    rows
}

/// `codebook.csv`: each column and what became of it.
pub(crate) fn codebook(manifest: &LinkedManifest) -> Vec<[String; 5]> {
    let mut rows = vec![["table", "column", "role", "file", "what"].map(str::to_owned)];
    for (name, table) in &manifest.tables {
        for (column, of) in &table.columns {
            let (role, what) = words::column((table, column, of), manifest);
            rows.push([name.clone(), column.clone(), role.to_owned(), table.file.clone(), what]);
        }
    }
    rows
}

/// Rows as CSV.
pub(crate) fn csv<const N: usize>(rows: &[[String; N]]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.write_record(row).expect("memory takes every row");
    }
    writer.into_inner().expect("memory takes every row")
}
