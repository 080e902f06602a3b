//! No class that a release shows is too small, that of the suppressed records included: random tables by every method.
//!
//! The oracle reads the released file as text. It shares no code with methods, checker or reports, and counts people where it
//! knows them: by the pseudonyms in the file, or by a column that says which record is which.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use velamen_dp::{Seed, Stream, below};
use velamen_job::{RunOptions, anonymize};
use velamen_recipe::{Overrides, Recipe};
use velamen_search::method::{Counterfeits, Entry, Facts, REGISTRY};
use velamen_testsuite::with_context;

/// Releases by each method and each way to suppress: a thousand in all in `cargo xtask nightly`, else a share.
fn each() -> u64 {
    if std::env::var_os("VELAMEN_NIGHTLY").is_some() { 42 } else { 5 }
}

/// How the people of a table are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    /// Each record is of another person.
    Records,
    /// `role = "person"`.
    Person,
    /// A pseudonym that records share.
    Pseudonym,
}

/// What is asked of a release.
#[derive(Debug, Clone, Copy)]
struct Asked {
    k: usize,
    /// Distinct values of a class.
    l: usize,
    who: Who,
}

/// A table: its text, and by the mark of a record whose it is.
struct Table {
    text: String,
    whose: BTreeMap<String, String>,
}

fn table(stream: &mut Stream, who: Who) -> Table {
    let people = 30 + below(stream, 70);
    let (mut text, mut whose) = (String::from("patient,mark,age,sex,region,diagnosis\n"), BTreeMap::new());
    for person in 0..people {
        let records = if who == Who::Records { 1 } else { 1 + below(stream, 3) * below(stream, 3) };
        // A few people stand out.
        let age = if below(stream, 15) == 0 { 97 } else { 20 + below(stream, 7) * below(stream, 7) };
        let (sex, region) = (below(stream, 2), below(stream, 4) * below(stream, 3) / 2);
        for _ in 0..records {
            let mark = format!("m{}", whose.len());
            let diagnosis = ["B20", "F32", "I63", "J18"][(below(stream, 4) * below(stream, 5) / 4) as usize];
            let age = age + if who == Who::Records { 0 } else { below(stream, 2) };
            let _ =
                writeln!(text, "P{person},{mark},{age},{},n{region},{diagnosis}", ["F", "M"][sex as usize]);
            whose.insert(mark, format!("P{person}"));
        }
    }
    Table { text, whose }
}

/// The recipe's sections of columns.
fn columns(who: Who, facts: &Facts) -> String {
    let patient = match who {
        Who::Records => "role = \"identifier\"\nrows = \"independent\"",
        Who::Person => "role = \"person\"",
        Who::Pseudonym => "role = \"identifier\"\npseudonym = \"hmac-sha256\"",
    };
    let regions: Vec<String> = (0..7).map(|n| format!("[\"n{n}\", \"g{}\", \"*\"]", n / 3)).collect();
    // Beside counterfeits, and where noise is all there is, no column of its own is released.
    let mark = if is_marked(facts) { "insensitive" } else { "identifier" };
    format!(
        "[attributes.patient]\n{patient}\n[attributes.mark]\nrole = \"{mark}\"\nidentifier-like = \"intended\"\n\
         [attributes.age]\nrole = \"quasi-identifier\"\nhierarchy = {{ interval = [5, 20], min = 0, max = 119 }}\n\
         [attributes.sex]\nrole = \"quasi-identifier\"\nhierarchy = {{ rows = [[\"F\", \"*\"], [\"M\", \"*\"]] }}\n\
         [attributes.region]\nrole = \"quasi-identifier\"\nhierarchy = {{ rows = [{}] }}\n\
         [attributes.diagnosis]\nrole = \"sensitive\"\ndomain = [\"B20\", \"F32\", \"I63\", \"J18\"]\n",
        regions.join(", ")
    )
}

fn is_marked(facts: &Facts) -> bool {
    facts.counterfeits == Counterfeits::None && !facts.private && !facts.is_noisy()
}

/// The promises that a method may take, the first that it takes is asked: with how many values of a class.
fn promises(k: usize, diverse: bool) -> Vec<(usize, String)> {
    let of_size = format!("[[privacy]]\nmodel = \"k-anonymity\"\nk = {k}\n");
    let with = |l, more: &str| (l, format!("{of_size}[[privacy]]\n{more}\n"));
    let diversity = with(2, "model = \"distinct-l-diversity\"\nl = 2");
    let mut all = vec![
        (1, of_size.clone()),
        with(1, "model = \"entropy-l-diversity\"\nl = 1.3"),
        with(1, "model = \"t-closeness\"\nt = 0.6\ndistance = \"equal\""),
    ];
    if diverse {
        all.insert(0, diversity);
    }
    all
}

/// A released file as a recipient reads it: by its labels, the rows.
fn classes(data: &str) -> BTreeMap<Vec<String>, Vec<BTreeMap<String, String>>> {
    let mut lines = data.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let mut classes: BTreeMap<Vec<String>, Vec<BTreeMap<String, String>>> = BTreeMap::new();
    for line in lines {
        let named = header.iter().map(|name| (*name).to_owned());
        let row: BTreeMap<String, String> = named.zip(line.split(',').map(str::to_owned)).collect();
        let labels = ["age", "sex", "region"].map(|name| row[name].clone());
        classes.entry(labels.to_vec()).or_default().push(row);
    }
    classes
}

/// Whose a released row is, as far as that is known.
fn person(row: &BTreeMap<String, String>, at: usize, who: Who, whose: &BTreeMap<String, String>) -> String {
    let of_mark = || row.get("mark").and_then(|mark| whose.get(mark)).cloned();
    let own = || format!("row {at}");
    match who {
        Who::Records => own(),
        Who::Person => of_mark().unwrap_or_else(own),
        Who::Pseudonym => row["patient"].clone(),
    }
}

/// The first class that shows values of too few.
fn too_small(data: &str, asked: &Asked, whose: &BTreeMap<String, String>) -> Option<String> {
    for (labels, rows) in classes(data) {
        // What shows nothing at all is nobody's.
        let shows = |row: &&BTreeMap<String, String>| {
            ["diagnosis", "mark"].iter().any(|n| row.get(*n).is_some_and(|cell| cell != "*"))
        };
        let shown: Vec<_> = rows.iter().filter(shows).collect();
        if shown.is_empty() {
            continue;
        }
        let mut values: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for (at, row) in shown.iter().enumerate() {
            values.entry(person(row, at, asked.who, whose)).or_default().insert(&row["diagnosis"]);
        }
        if values.len() < asked.k {
            return Some(format!("{labels:?} shows {} of at least {}", values.len(), asked.k));
        }
        // Two values of two people: somebody has one that somebody else lacks, or two have two each.
        let all: BTreeSet<&str> = values.values().flatten().copied().collect();
        let differ = |a: &BTreeSet<&str>, b: &BTreeSet<&str>| {
            a.iter().any(|value| b.iter().any(|other| other != value))
        };
        let sets: Vec<&BTreeSet<&str>> = values.values().collect();
        let any_two = (1..sets.len()).any(|b| (0..b).any(|a| differ(sets[a], sets[b])));
        if asked.l > 1 && (all.len() < asked.l || !any_two) {
            return Some(format!("{labels:?} has one value for all"));
        }
    }
    None
}

/// What a case came to.
enum Outcome {
    /// Nothing keeps the promise, or the method takes no such recipe.
    None,
    /// A release, with this many suppressed records.
    Made { suppressed: usize },
}

/// One random release, judged.
fn case(entry: &Entry, number: u64, whole: bool) -> Outcome {
    let (mut stream, facts) = (Seed::from_number(number).stream(0), (entry.facts)(&serde_json::Map::new()));
    let stream = &mut stream;
    let (k, diverse) = (2 + below(stream, 4) as usize, below(stream, 2) == 0);
    let who = match below(stream, 3) {
        1 if facts.persons => Who::Person,
        2 if facts.persons && facts.counterfeits == Counterfeits::None => Who::Pseudonym,
        _ => Who::Records,
    };
    let table = table(stream, who);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("table.csv"), &table.text).unwrap();
    std::fs::write(folder.path().join("key"), "0123456789abcdef0123456789abcdef").unwrap();
    let keys = (entry.keys)();
    let has = |key: &str| keys.iter().any(|own| own == key);
    let mut method = format!("[method]\nname = \"{}\"\nseed = {}\n", entry.name, below(stream, 1 << 40));
    if has("suppression-limit") {
        method += "suppression-limit = 0.3\n";
    }
    for (key, value) in
        [("budget-steps", "40"), ("adversary-limit", "1"), ("counterfeit-limit", "1"), ("h", "0.6")]
    {
        // Where fake records are an option, its keys go with it.
        if has(key) && !(has("pad-to") && key.ends_with("limit")) {
            let _ = writeln!(method, "{key} = {value}");
        }
    }
    let key = if who == Who::Pseudonym { "[key]\nfile = \"key\"\n" } else { "" };
    let way = if whole { "suppress = \"record\"\n" } else { "suppress = \"quasi-identifiers\"\n" };
    // Some methods share the key, and suppress nothing.
    let ways: &[&str] = if has("suppress") { &[way, ""] } else { &[""] };
    let asked = ways.iter().flat_map(|way| promises(k, diverse).into_iter().map(move |asked| (way, asked)));
    for (way, (l, promises)) in asked {
        let recipe = format!(
            "[input]\npath = \"table.csv\"\n{key}{}{promises}{method}{way}[output]\npath = \"release\"\n",
            columns(who, &facts)
        );
        let asked = Asked { k, l, who };
        match released(folder.path(), &recipe) {
            Err(error) if error.exit_code() == 5 => {}
            Err(error) if error.exit_code() == 3 => return Outcome::None,
            Err(error) => panic!("{error}\n{recipe}"),
            Ok(data) => {
                let found = too_small(&data, &asked, &table.whose);
                assert_eq!(found, None, "{} number {number}, {asked:?}:\n{recipe}\n{data}", entry.name);
                let suppressed =
                    data.lines().filter(|line| line.starts_with(',') || line.starts_with("*,")).count();
                return Outcome::Made { suppressed };
            }
        }
    }
    Outcome::None
}

/// The released records of a recipe.
fn released(folder: &Path, recipe: &str) -> Result<String, velamen_recipe::JobError> {
    let path = folder.join("recipe.toml");
    std::fs::write(&path, recipe).unwrap();
    let recipe = Recipe::load(&path, &Overrides::default())?.resolve()?;
    with_context(7, |context| {
        anonymize(&recipe, &RunOptions { overwrite: true, ..RunOptions::default() }, context)
    })?;
    Ok(std::fs::read_to_string(folder.join("release/data.csv")).unwrap())
}

/// Private methods, and the published one that claims to be, show `*` as their noise makes it.
fn is_judged(entry: &Entry) -> bool {
    let facts = (entry.facts)(&serde_json::Map::new());
    facts.models && !facts.private && !facts.is_noisy() && facts.counterfeits != Counterfeits::Untold
}

#[test]
fn no_class_that_is_shown_is_too_small() {
    let mut suppressed = [0, 0];
    for (place, entry) in (0..).zip(REGISTRY.iter().filter(|entry| is_judged(entry))) {
        let ways: &[bool] =
            if (entry.keys)().iter().any(|key| key == "suppress") { &[true, false] } else { &[true] };
        for &whole in ways {
            let mut made = 0;
            for number in 0..each() {
                match case(entry, place * 10_000 + number, whole) {
                    Outcome::Made { suppressed: of } => {
                        made += 1;
                        suppressed[usize::from(whole)] += of;
                    }
                    Outcome::None => {}
                }
            }
            assert!(made > 0, "{}: no release was made", entry.name);
        }
    }
    assert!(suppressed.iter().all(|of| *of > 10), "hardly a record is suppressed: {suppressed:?}");
}

/// The oracle sees what it looks for: one woman of 97 with B20, whose `*` are a class of their own.
#[test]
fn the_oracle_sees_a_suppressed_class_of_one() {
    let class = "1,20,F,n0,F32\n".repeat(3) + &"1,20,F,n0,I63\n".repeat(2);
    let data = |last: &str| format!("ClassID,age,sex,region,diagnosis\n{class}{last}\n");
    let asked = Asked { k: 5, l: 2, who: Who::Records };
    let found = |last: &str| too_small(&data(last), &asked, &BTreeMap::new());
    assert!(found(",*,*,*,B20").is_some());
    assert_eq!(found(",*,*,*,*"), None);
    assert_eq!(found("1,20,F,n0,F32"), None);
    let same = "ClassID,age,sex,region,diagnosis\n".to_owned() + &",*,*,*,B20\n".repeat(5);
    assert!(too_small(&same, &asked, &BTreeMap::new()).is_some(), "five of one value");
    // Five records of two people are two.
    let of_two: BTreeMap<String, String> = (0..5).map(|m| (format!("m{m}"), format!("P{}", m % 2))).collect();
    let rows: String = (0..5).map(|m| format!("1,20,F,n0,F3{m},m{m}\n")).collect();
    let data = format!("ClassID,age,sex,region,diagnosis,mark\n{rows}");
    let persons = Asked { k: 2, l: 2, who: Who::Person };
    assert_eq!(too_small(&data, &persons, &of_two), None);
    assert!(too_small(&data, &Asked { k: 3, ..persons }, &of_two).is_some());
}
