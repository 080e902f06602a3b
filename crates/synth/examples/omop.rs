//! Writes a folder of made-up patients: `cargo run --release --example omop -- FOLDER PERSONS [SEED]`
#![allow(clippy::print_stdout)]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use velamen_dp::Seed;
use velamen_synth::patients::{Omop, TABLES};

fn main() -> std::io::Result<()> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, usual: u64| given.get(at).and_then(|text| text.parse().ok()).unwrap_or(usual);
    let folder = PathBuf::from(given.first().map_or("omop", String::as_str));
    let omop = Omop::new(number(1, 1000), &Seed::from_number(number(2, 1)));
    std::fs::create_dir_all(&folder)?;
    let mut files = Vec::new();
    for table in TABLES {
        let mut file = BufWriter::new(File::create(folder.join(table.file()))?);
        writeln!(file, "{}", table.header())?;
        file.write_all(&omop.once(table))?;
        files.push((table, file));
    }
    for index in 0..omop.blocks() {
        let rows = omop.block(index);
        for (table, file) in &mut files {
            file.write_all(rows.of(*table))?;
        }
    }
    files.iter_mut().try_for_each(|(_, file)| file.flush())?;
    println!("{} persons in {}", omop.persons(), folder.display());
    Ok(())
}
