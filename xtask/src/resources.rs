//! Released resources of FHIR, read by the models of another project: `fhir.resources` of the Python Package Index.
//!
//! It has the elements, types, choices and required elements of R4B, which for the released kinds are those of R4. It looks up no
//! codes.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::pycanon::velamen;
use crate::{Outcome, output};

/// Reads each resource of a folder, and fails on what a model refuses.
const PYTHON: &str = r#"
import importlib, pathlib, sys
number, refused = 0, []
for file in sorted(pathlib.Path(sys.argv[1]).glob("*.ndjson")):
    model = getattr(importlib.import_module("fhir.resources.R4B." + file.stem.lower()), file.stem)
    for line, text in enumerate(file.open(encoding="utf-8"), 1):
        number += 1
        try:
            model.model_validate_json(text)
        except Exception as error:
            refused.append(f"{file.name}: line {line}: {error}")
assert number > 1000, number
assert not refused, "\n".join(refused[:5])
print(number, "resources, none refused")
"#;

/// What is asked of a release, by name.
const RECIPES: [(&str, &str); 3] = [
    ("years", "dates = \"year\""),
    (
        "bands",
        "dates = { relative = \"month\" }\n[tables.Observation.attributes.\"valueQuantity.value\"]\nrole = \"value\"\nbands = [0, 50, 100, 200, 1000]",
    ),
    (
        "agreement",
        "tier = \"agreement\"\ndates = { shift = 30 }\nwindow = [\"2000-01-01\", \"2029-12-31\"]\n[key]\nfile = \"secret.key\"",
    ),
];

pub(crate) fn run() -> Outcome {
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let mut command = Command::new(&python);
    command.args(["-c", "import fhir.resources.R4B"]).stdout(Stdio::null()).stderr(Stdio::null());
    if !command.status().is_ok_and(|status| status.success()) {
        println!("resources: {} cannot import fhir.resources (see PYTHON); skipped", python.display());
        return Ok(());
    }
    let binary = velamen()?;
    let work = std::env::temp_dir().join(format!("velamen-resources-{}", std::process::id()));
    std::fs::create_dir_all(&work).map_err(|error| format!("{}: {error}", work.display()))?;
    let synth = ["synth", "patients", "--as", "fhir", "--persons", "1000", "--output", "export", "--quiet"];
    std::fs::write(work.join("secret.key"), "of sixteen bytes and more")
        .map_err(|error| error.to_string())?;
    let made = output(Command::new(&binary).args(synth).current_dir(&work));
    let checked = made.and_then(|_| {
        RECIPES.iter().try_for_each(|(name, persons)| {
            release(&binary, &work, name, persons)?;
            let data = work.join(name).join("data");
            let read = output(Command::new(&python).args(["-c", PYTHON]).arg(data))?;
            print!("{name}: {}", String::from_utf8_lossy(&read));
            Ok(())
        })
    });
    let removed = std::fs::remove_dir_all(&work).map_err(|error| format!("{}: {error}", work.display()));
    checked.and(removed)
}

/// A release of the export, by a recipe of that name.
fn release(binary: &Path, work: &Path, name: &str, persons: &str) -> Outcome {
    let recipe = format!(
        "[input]\nfolder = \"export\"\nshape = \"fhir\"\n[persons]\n{persons}\n[[privacy]]\nmodel = \"k-km-anonymity\"\n\
         k = 5\nm = 1\n[output]\npath = \"{name}\"\n"
    );
    let file = work.join(name).with_extension("toml");
    std::fs::write(&file, recipe).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut command = Command::new(binary);
    output(command.arg("anonymize").arg(&file).arg("--quiet").current_dir(work)).map(drop)
}
