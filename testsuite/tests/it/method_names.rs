//! Guards that a method, a model or a metric is its own files and a line: no other production code names one, as a text, a
//! path, a type or a constant, and none compares the name of one.

mod seen;

use std::path::{Path, PathBuf};

use seen::{Code, Thing};
use velamen_search::method::REGISTRY;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The Rust files below a folder that are no tests.
fn production(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if path.is_dir() && name != "tests" {
            production(&path, found);
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// Every production file of every crate, below `crates`, with its code.
fn sources() -> Vec<(String, Code)> {
    let crates = root().join("crates");
    let mut files = Vec::new();
    for crate_folder in std::fs::read_dir(&crates).expect("the crates") {
        production(&crate_folder.expect("a crate").path().join("src"), &mut files);
    }
    assert!(files.len() > 300, "{} files were found", files.len());
    let read = |path: PathBuf| {
        let code = Code::of(&std::fs::read_to_string(&path).expect("a source file"));
        let below = path.strip_prefix(&crates).expect("it is below it");
        (below.to_string_lossy().replace('\\', "/"), code)
    };
    files.into_iter().map(read).collect()
}

/// The files that list all: each has a line for each.
const REGISTRIES: [&str; 5] = [
    "search/src/method/mod.rs",
    "search/src/model/mod.rs",
    "search/src/metric/mod.rs",
    "contract/src/model/mod.rs",
    "checker/src/model_check/mod.rs",
];

/// Words of paths to an entry that are no name of a method.
const ROOMS: [&str; 4] = ["entry", "rows", "private", "published"];

/// All methods, models and metrics: by their names, and by the modules that registries take their entries from.
fn things() -> Vec<Thing> {
    let models = velamen_contract::model::REGISTRY.iter().map(|terms| terms.name);
    let metrics = velamen_search::metric::REGISTRY.names();
    let mut things: Vec<Thing> =
        REGISTRY.iter().map(|entry| entry.name).chain(models).chain(metrics).map(Thing::named).collect();
    for registry in REGISTRIES {
        let text = std::fs::read_to_string(root().join("crates").join(registry)).expect("a registry");
        let code = Code::of(&text);
        let modules = ["ENTRY", "TERMS"].into_iter().flat_map(|constant| code.paths_to(constant));
        let modules = modules.filter(|word| !ROOMS.contains(&word.as_str()));
        things.extend(modules.map(|word| Thing::module(&word)));
    }
    things.sort();
    things.dedup();
    things
}

/// Whether a file is one of a thing's own: a part of its path is the thing's word, or the word begins with it.
fn is_own(file: &str, word: &str) -> bool {
    let parts = file.trim_end_matches(".rs").split('/');
    let begins =
        |part: &str| part == word || word.strip_prefix(part).is_some_and(|rest| rest.starts_with('_'));
    // The crates and their rooms are none of them.
    parts.skip(2).any(begins) || file.starts_with("checker/src/model_check/")
}

/// What writes recipes names methods: papers that are repeated, the sample's own recipe, those that are tried for a
/// recipe to begin with, those that answers lead to, and the one that stands for a broken section while the other sections are checked.
const WRITES_RECIPES: [&str; 5] = [
    "reproduce/",
    "synth/",
    "assess/src/profile/trial.rs",
    "assess/src/guide/releases.rs",
    "recipe/src/mistakes.rs",
];

/// Who else may name what, and why: a word, the places, the reason.
const MEANT: [(&str, &str, &str); 57] = [
    ("mst", "checker/src/measured/prescribed.rs", "the steps that it prescribes are recomputed"),
    ("aim", "checker/src/measured/prescribed.rs", "the same of its rounds"),
    // Families that build on each other: see families.rs.
    ("best_first", "one_level/iterated_local_search/", "it ends with the bounds of the other"),
    (
        "iterated_local_search",
        "one_level/optimal.rs",
        "it takes its place where a lattice is too large for a proof",
    ),
    ("optimal", "one_level/relocation.rs", "it is the same search, and moves outliers"),
    ("optimal", "one_level/suppression.rs", "it is the same search, and suppresses outliers"),
    ("mondrian", "h_ceiling/local", "its classes can be parts of a space that Mondrian cuts"),
    ("mondrian", "one_level/local_recoding/parting.rs", "it parts classes with Mondrian's cuts"),
    ("clustering", "h_ceiling/local.rs", "a value of its key `parts`"),
    ("clustering", "local/mondrian/mod.rs", "the lowest common values of a class are those of a block"),
    ("iab", "search/src/method/rows/", "the searches that count rows are one search with three strategies"),
    (
        "h_ceiling",
        "search/src/method/rows/iab/fakes.rs",
        "fake records after the search are its counterfeits",
    ),
    ("rce", "search/src/method/rows/iab/fakes.rs", "a key that goes with them"),
    ("greedy", "search/src/method/rows/iab/", "a strategy of that search"),
    ("exhaustive", "search/src/method/rows/", "a strategy of that search"),
    ("safe_pub", "search/src/noisy/threshold.rs", "it takes the same exponential, exactly"),
    // A method or a check that is about one model.
    ("catalog_risk", "search/src/method/h_ceiling/", "the one method with a catalog keeps the model"),
    ("catalog_risk", "report/src/of_release.rs", "the page says which risk the catalog leaves"),
    ("differential_privacy", "checker/src/cells.rs", "its check for noisy counts"),
    ("differential_privacy", "job/src/session/certified.rs", "a large δ of it is warned of"),
    ("differential_privacy", "assess/src/audit/mod.rs", "the loss that it claims is what is audited"),
    ("differential_privacy", "recipe/src/budget.rs", "its loss is what a ledger adds up"),
    (
        "differential_privacy",
        "job/src/verify/parameters.rs",
        "k of a sample follows from what its check reached",
    ),
    (
        "differential_privacy",
        "method/kit/declared.rs",
        "private methods take their budget from its parameters",
    ),
    // Linked tables have a recipe of their own.
    (
        "k_anonymity",
        "contract/src/linked/promise.rs",
        "the same promise over linked tables, with a parameter of its own",
    ),
    (
        "optimal",
        "patients/src/recipe/mod.rs",
        "how levels of person columns are chosen: the least of all nodes",
    ),
    (
        "datafly",
        "patients/src/",
        "the levels of persons are chosen by it, of tables that hang on one another",
    ),
    ("mondrian", "patients/src/", "the persons of linked tables are cut by it"),
    ("k_anonymity", "patients/src/persons/mondrian.rs", "what each of its classes keeps"),
    // Figures that are more than one metric's.
    ("ambiguity", "metric/kl_divergence.rs", "both sum over the same areas"),
    ("non_uniform_entropy", "metric/conditional_entropy.rs", "both take the same bits by level"),
    ("average_class_size", "metric/released.rs", "the same figure from released records"),
    ("discernibility", "metric/released.rs", "the same figure from released records"),
    ("height", "metric/released.rs", "the same figure from released records"),
    ("rows_retained", "metric/released.rs", "the same figure from released records"),
    ("rce", "metric/released.rs", "the same figure from released records"),
    ("rce", "search/src/method/h_ceiling/", "the method minimizes it, in a reading of its own"),
    ("rce", "one_level/relocation.rs", "of records that moved only the custodian can compute it"),
    ("rce", "contract/src/reconstruction.rs", "a method's section says how it is read"),
    ("rce", "job/src/", "it is published as a recipient can expect it, which needs the catalog"),
    ("rce", "assess/src/compare/metrics.rs", "the same figure over the original"),
    ("lm", "contract/src/metric.rs", "its name stands where those who read manifests can have it"),
    // The word means something else.
    ("aim", "search/src/method/local/clustering/", "what blocks are to hold, and the key of that"),
    ("conditional_entropy", "assess/src/information.rs", "the measure of information"),
    ("conditional_entropy", "cli/src/command/measure.rs", "the measure of information"),
    ("conditional_entropy", "local/clustering/blocks.rs", "the measure of information"),
    ("h_ceiling", "core/src/release/mod.rs", "the promise of that name in release.json"),
    ("height", "measure/src/profile/finding/kinds.rs", "a column of an example"),
    ("height", "local/clustering/front.rs", "how high the common value of two stands"),
    ("loss", "command/advise.rs", "the head of the column that shows it"),
    ("loss", "h_ceiling/entry.rs", "what is minimized: a value of the key `objective`"),
    ("loss", "local/mondrian/parting.rs", "what a part loses, a part of Mondrian's"),
    ("loss", "private/ipa/published/mod.rs", "the paper's loss"),
    ("ncp", "private/ipa/published/entry.rs", "a part of the paper's loss"),
    ("suppression", "checker/src/cells.rs", "a step of a privacy budget"),
    ("suppression", "job/src/verify/stated.rs", "a step of a privacy budget"),
    ("suppression", "search/src/method/private/ipa/", "a step of a privacy budget"),
];

/// Whether a file may name a thing, by a line of [`MEANT`].
fn is_meant(file: &str, word: &str) -> bool {
    MEANT.iter().any(|(meant, place, _)| *meant == word && file.contains(place))
}

fn may_name(file: &str, word: &str) -> bool {
    REGISTRIES.contains(&file)
        || WRITES_RECIPES.iter().any(|place| file.starts_with(place))
        || is_own(file, word)
}

#[test]
fn a_name_stands_in_its_own_files_alone() {
    let (files, mut wrong) = (sources(), Vec::new());
    for thing in things() {
        let others =
            files.iter().filter(|(file, _)| !may_name(file, &thing.word) && !is_meant(file, &thing.word));
        wrong.extend(others.filter_map(|(file, code)| Some(format!("{} in {file}", thing.seen(code)?))));
    }
    assert!(wrong.is_empty(), "read facts instead, or give a reason in MEANT:\n{}", wrong.join("\n"));
}

#[test]
fn what_is_meant_is_still_named() {
    let files = sources();
    for (word, place, reason) in MEANT {
        let things: Vec<Thing> = things().into_iter().filter(|thing| thing.word == word).collect();
        let mut named = files.iter().filter(|(file, _)| file.contains(place));
        let is_used = named.any(|(_, code)| things.iter().any(|thing| thing.seen(code).is_some()));
        assert!(is_used, "{place} no longer names {word}, strike it: {reason}");
    }
}

#[test]
fn no_constant_of_a_name_is_compared() {
    let compared = sources()
        .into_iter()
        .filter_map(|(file, code)| Some(format!("{file}: {}", code.compared_constant()?)));
    let compared: Vec<String> =
        compared.filter(|found| !COMPARED.iter().any(|(file, _)| found.starts_with(file))).collect();
    assert!(compared.is_empty(), "read facts instead:\n{}", compared.join("\n"));
}

/// Who compares a name with a constant, and why.
const COMPARED: [(&str, &str); 3] = [
    ("core/src/hierarchy/kind/mod.rs", "a kind of hierarchies asks for the fields of its own name"),
    ("recipe/src/method.rs", "every method but the usual one has to be named"),
    ("studio/src/page/explore/solutions.rs", "a release can stand beside a front of the figure that it has"),
];

#[test]
fn who_may_compare_still_does() {
    let compared: Vec<String> = sources()
        .into_iter()
        .filter(|(_, code)| code.compared_constant().is_some())
        .map(|(file, _)| file)
        .collect();
    for (file, reason) in COMPARED {
        assert!(compared.iter().any(|found| found == file), "{file} compares no more, strike it: {reason}");
    }
}

/// A newcomer's shortcuts, one for each way to name what is not one's own.
#[test]
fn every_way_to_name_would_be_seen() {
    let snippets = [
        ("k-anonymity", r#"fn f(name: &str) -> bool { name == "k-anonymity" }"#),
        ("k-anonymity", r#"let asked = manifest.find(r"k-anonymity");"#),
        ("k-anonymity", r##"match name { r#"k-anonymity"# => 1, _ => 2 }"##),
        ("k-anonymity", "use velamen_contract::model::k_anonymity; fn f() {}"),
        ("k-anonymity", "use velamen_contract::model::{k_anonymity as size, find};"),
        ("k-anonymity", "if promise.terms() == Some(&k_anonymity::TERMS) { panic!() }"),
        ("k-anonymity", "let KAnonymityParams { k } = read(asked);"),
        ("k-anonymity", "impl KAnonymity { fn k(&self) -> u64 { 2 } }"),
        ("k-anonymity", "if code == Code::K_ANONYMITY { return; }"),
        ("mondrian", "if method.name() == mondrian::NAME { return; }"),
        ("mondrian", "match parts { Parts::Mondrian => 1, _ => 2 }"),
        ("mondrian", "let cutter = crate::method::mondrian::Cutter::new();"),
        ("mondrian", "let quote = '\"'; let other = find(\"mondrian\");"),
        ("optimal", "if x.name() == optimal::STRATEGY.name { return; }"),
        ("safe-pub", "fn f(method: &SafePub) {}"),
        ("lm", r#"let lost = manifest.utility["lm"]["value"].as_f64();"#),
        ("lm", "figures.insert(lm::LM.name, 1.0);"),
        ("average-class-size", r#"figures.get("average-class-size")"#),
        ("average-class-size", "let metric: AverageClassSize = bound();"),
        ("rows-retained", r#"matches!(metric, "rows-retained" | "other")"#),
    ];
    let things = things();
    for (name, snippet) in snippets {
        let thing = Thing::named(name);
        assert!(things.contains(&thing), "{name} is registered");
        assert!(thing.seen(&Code::of(snippet)).is_some(), "{name} in {snippet}");
    }
}

#[test]
fn what_names_nothing_is_let_pass() {
    let snippets = [
        ("k-anonymity", "/// As \"k-anonymity\", `KAnonymity` and k_anonymity::TERMS have it.\nfn f() {}"),
        ("k-anonymity", "#[cfg(test)]\nmod tests { fn f() { find(\"k-anonymity\"); } }\nfn g() {}"),
        ("k-anonymity", r#"let text = "k-anonymity is kept";"#),
        ("height", "let height = hierarchy.height(); self.height = height;"),
        ("loss", "use velamen_dp::{Budget, Loss}; fn f(loss: Loss) {}"),
    ];
    for (name, snippet) in snippets {
        assert_eq!(Thing::named(name).seen(&Code::of(snippet)), None, "{snippet}");
    }
}

#[test]
fn a_constant_of_a_name_would_be_seen() {
    for snippet in [
        "if x.name() == optimal::NAME { return; }",
        "if optimal::NAME == x.name() { return; }",
        "if x.name != *optimal::STRATEGY.name { return; }",
        "if entry.name == crate::method::USUAL.name { return; }",
        "if TERMS.name == promise.model { return; }",
        "match name { NAME => 1, _ => 2 }",
        "const MINE: &str = method::USUAL.name;\nfn f(name: &str) -> bool { name == MINE }",
        "const MINE: &'static str = mdav::NAME;\nfn f(name: &str) -> bool { MINE != name }",
    ] {
        assert!(Code::of(snippet).compared_constant().is_some(), "{snippet}");
    }
    for snippet in [
        "if entry.name == other.name { return; }",
        "const NAME: &str = \"x\";\nconst ENTRY: Entry = Entry { name: NAME };",
        "let at = x.name() <= y; let z = NAME;",
        "if size >= MOST { return; }",
    ] {
        assert_eq!(Code::of(snippet).compared_constant(), None, "{snippet}");
    }
}

/// Advice in messages names methods as words, for people. Each is one that a recipe can name.
#[test]
fn advice_names_methods_that_are_there() {
    const ADVICE: &str = "name = \\\"";
    let mut files = Vec::new();
    for crate_folder in ["search", "recipe", "job", "assess"] {
        production(&root().join("crates").join(crate_folder).join("src"), &mut files);
    }
    let mut named = 0;
    for path in &files {
        let text = code(path);
        for line in text.lines().filter(|line| line.contains("choose ")) {
            let words = line.split(ADVICE).skip(1).filter_map(|rest| rest.split('\\').next());
            let is_name = |word: &&str| !word.is_empty() && !word.contains('{');
            for word in words.filter(is_name) {
                named += 1;
                assert!(REGISTRY.find(word).is_some(), "{path:?} advises `{word}`");
            }
        }
    }
    assert!(named > 5, "{named} were found");
}

/// The text of a file before its tests, without comments.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("a source file");
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}
