//! The code in a release's README, run as a recipient would: pandas, polars and DuckDB by Python, R where it is installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::pycanon::velamen;
use crate::{Outcome, output};

/// Runs a block of Python that has the README's code in it.
const PYTHON: &str = r#"
import re, sys
text = open("README.md", encoding="utf-8").read()
blocks = re.findall(r"^(\w+):\n\n```(\w+)\n(?!print\(|SELECT |from |catalog|CREATE TABLE catalog)(.*?)```", text, re.S | re.M)
corrected = dict(re.findall(r"^(\w+):\n\n```\w+\n((?:from |catalog|CREATE TABLE catalog).*?)```", text, re.S | re.M))
records, genuine = int(sys.argv[1]), int(sys.argv[2])
done = []

def weighed(weights):
    assert abs(float(weights.sum()) - genuine) < 1e-6, (float(weights.sum()), genuine)

def means(data):
    names = sorted(name for name in data.columns if name.endswith(("_low", "_mid", "_high")))
    assert names and len(names) % 3 == 0, names
    return " ".join(f"{name} {float(data[name].mean()):.6f}" for name in names)

for program, language, code in blocks:
    names = {}
    if language == "python":
        exec(code, names)
        data = names["data"]
        assert len(data) == records, (program, len(data))
        done.append((program, means(data)))
        by_group = {"pandas": "groupby", "polars": "group_by"}[program]
        for code in re.findall(rf"```python\n(print\(data[^\n]*{by_group}\(.*?)```", text, re.S):
            exec(code, names)
        if program in corrected:
            exec(corrected[program], names)
            weighed(names["shown"]["weight"])
    if language == "sql":
        import duckdb
        base = duckdb.connect()
        rows = base.execute(code).fetchdf()
        for by_group in re.findall(r"```sql\n(SELECT .*?)```", text, re.S):
            assert len(base.execute(by_group).fetchdf()) > 0
        assert len(rows) == records, (program, len(rows))
        if program in corrected:
            base.execute(corrected[program])
            weighed(base.execute("SELECT weight FROM shown").fetchdf()["weight"])
        done.append((program, means(rows)))
assert len(done) >= 2 and len({found for _, found in done}) == 1, done
print(", ".join(program for program, _ in done), done[0][1])
"#;

/// The same of R's block.
const R: &str = r#"
text <- paste(readLines("README.md"), collapse = "\n")
blocks <- regmatches(text, gregexpr("(?s)```r\n.*?\n```", text, perl = TRUE))[[1]]
for (block in blocks) eval(parse(text = gsub("```(r\n)?", "", block)))
stopifnot(nrow(data) == as.integer(commandArgs(TRUE)[1]))
if (exists("catalog")) stopifnot(abs(sum(shown$weight) - as.numeric(commandArgs(TRUE)[2])) < 1e-6)
names <- sort(grep("_(low|mid|high)$", names(data), value = TRUE))
stopifnot(length(names) > 0)
cat("R", sapply(names, function(name) paste(name, round(mean(data[[name]], na.rm = TRUE), 6))), "\n")
"#;

pub(crate) fn run() -> Outcome {
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    if !has(&python, &["-c", "import pandas, polars, duckdb, pyarrow"]) {
        println!(
            "recipients: {} cannot import pandas, polars, duckdb and pyarrow (see PYTHON); skipped",
            python.display()
        );
        return Ok(());
    }
    let binary = velamen()?;
    let work = std::env::temp_dir().join(format!("velamen-recipients-{}", std::process::id()));
    std::fs::create_dir_all(&work).map_err(|error| format!("{}: {error}", work.display()))?;
    let checked = ["csv", "tsv", "parquet", "ndjson", "arrow"].iter().try_for_each(|format| {
        let folder = release(&binary, &work, format)?;
        let manifest =
            std::fs::read_to_string(folder.join("release.json")).map_err(|error| error.to_string())?;
        let manifest: serde_json::Value =
            serde_json::from_str(&manifest).map_err(|error| error.to_string())?;
        let number = |key: &str| manifest[key].as_u64().unwrap_or(0);
        let genuine = number("records") - number("suppressed") - number("counterfeits");
        let (records, genuine) = (number("records").to_string(), genuine.to_string());
        let mut command = Command::new(&python);
        print!(
            "{format}: {}",
            String::from_utf8_lossy(&output(
                command.args(["-c", PYTHON, &records, &genuine]).current_dir(&folder)
            )?)
        );
        if ["csv", "tsv"].contains(format) && has("Rscript".as_ref(), &["--version"]) {
            let mut command = Command::new("Rscript");
            print!(
                "{format}: {}",
                String::from_utf8_lossy(&output(
                    command.args(["-e", R, &records, &genuine]).current_dir(&folder)
                )?)
            );
        }
        metadata(&python, &folder, format)
    });
    let removed = std::fs::remove_dir_all(&work).map_err(|error| format!("{}: {error}", work.display()));
    checked.and(removed)
}

fn has(program: &std::ffi::OsStr, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Counterfeits, however well they are told in so small a sample.
const COUNTERFEITS: &str = "method={name=\"h-ceiling\",adversary-limit=1,seed=1}";

/// A release of the sample in a format.
fn release(binary: &Path, work: &Path, format: &str) -> Result<PathBuf, String> {
    let at = |name: &str| work.join(name).display().to_string();
    if !work.join("recipe.toml").exists() {
        let (table, recipe) = (at("patients.csv"), at("recipe.toml"));
        let arguments =
            ["synth", "nps", "--rows", "5000", "--output", &table, "--recipe", &recipe, "--quiet"];
        output(Command::new(binary).args(arguments))?;
    }
    let (recipe, set, out) = (at("recipe.toml"), format!("output.format={format}"), at(format));
    // One of them with a catalog, whose lines of the README are run, too.
    let method = if format == "csv" { COUNTERFEITS } else { "method.seed=1" };
    let arguments = ["anonymize", &recipe, "--quiet", "--output", &out, "--set", &set, "--set", method];
    output(Command::new(binary).args(arguments))?;
    Ok(work.join(format))
}

/// The metadata by the reader of another project, where Python has it.
fn metadata(python: &std::ffi::OsStr, folder: &Path, format: &str) -> Outcome {
    if !["csv", "tsv"].contains(&format) {
        return Ok(());
    }
    let code = "
try:
    import csvw
except ImportError:
    print('csvw cannot be imported; metadata not read')
else:
    import glob
    table = csvw.CSVW(glob.glob('*-metadata.json')[0], validate=True)
    assert table.is_valid, table.warnings
    print('csvw: valid')
";
    let mut command = Command::new(python);
    print!("{format}: {}", String::from_utf8_lossy(&output(command.args(["-c", code]).current_dir(folder))?));
    Ok(())
}
