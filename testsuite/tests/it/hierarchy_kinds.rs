//! Guards that a kind of hierarchies is its own files and a line in the lists of all: who else names one, by a key, a type or a
//! variant, has a reason.

mod meant;

use std::collections::BTreeSet;

use super::circles::of_crates;
use super::circles::tokens::tokens_and_texts;
use super::method_names::words::{hold, texts, words};
use meant::{LISTS, MEANT};

/// A kind of hierarchies, as code can name it.
struct Kind {
    /// Its key in recipes.
    name: &'static str,
    /// Its types, and the variants that hold it.
    types: &'static [&'static str],
    /// Whether its word means nothing else.
    is_distinct: bool,
    /// The files that are its own, by the ends of their paths.
    own: &'static [&'static str],
}

const fn kind(
    name: &'static str,
    types: &'static [&'static str],
    is_distinct: bool,
    own: &'static [&'static str],
) -> Kind {
    Kind { name, types, is_distinct, own }
}

/// The forms that are of no registered kind, and kinds whose word or types say more than their name.
const KNOWN: [Kind; 14] = [
    kind(
        "icd-10",
        &["Icd10", "Edition"],
        true,
        &["kind/icd10.rs", "kind/icd10_blocks.rs", "kind_check/icd10.rs"],
    ),
    kind("atc", &["Atc", "AtcCodes"], true, &["kind/atc.rs", "kind_check/atc.rs"]),
    kind("us-zip", &["UsZip", "ZipPopulations"], true, &["kind/us_zip.rs", "kind_check/us_zip.rs"]),
    kind(
        "uk-postcode",
        &["UkPostcode", "Postcodes"],
        true,
        &["kind/uk_postcode.rs", "kind_check/uk_postcode.rs"],
    ),
    kind("prefix", &["Prefix"], false, &["kind/prefix.rs", "kind_check/prefix.rs"]),
    kind("date", &["Dates", "DateLevel"], false, &["kind/date.rs", "kind_check/date.rs"]),
    kind("interval", &["IntervalRule", "Interval"], false, &["hierarchy/interval.rs"]),
    kind("cuts", &["Cuts"], false, &["hierarchy/interval.rs"]),
    kind("mask", &["MaskRule", "Mask"], false, &["hierarchy/mask.rs"]),
    kind("rows", &["TableRule", "Table"], false, &["hierarchy/table.rs"]),
    kind("age", &["Ages"], false, &["hierarchy/ages.rs"]),
    kind("ordered", &["Ordered", "Grouping"], false, &["hierarchy/ordered.rs"]),
    kind("equal-width", &["Bins"], true, &["hierarchy/bins.rs"]),
    kind("equal-frequency", &["Bins"], true, &["hierarchy/bins.rs"]),
];

/// All of them: a kind of the registry has files of its name, and a word that means nothing else, unless [`KNOWN`] says more.
fn kinds() -> Vec<Kind> {
    let names = velamen_core::hierarchy::KINDS.names();
    let other = names.filter(|name| KNOWN.iter().all(|known| known.name != *name));
    KNOWN.into_iter().chain(other.map(|name| kind(name, &[], true, &[]))).collect()
}

/// Enumerations whose variants are kinds.
const ENUMERATIONS: [&str; 4] = ["Definition", "Rule", "CodedRule", "Made"];

/// Signs that a file speaks of hierarchies; elsewhere the common words mean something else.
const OF_HIERARCHIES: [&str; 6] =
    ["Definition", "HierarchySection", "IntervalRule", "MaskRule", "DateLevel", "KINDS"];

/// Calls that look for a key.
const LOOKS: [&str; 5] = ["get", "get_mut", "contains_key", "remove", "eq"];

/// A file's code.
struct Code {
    tokens: Vec<String>,
    /// Whether it speaks of hierarchies.
    speaks: bool,
    /// What it imports from a module of hierarchies.
    imported: BTreeSet<String>,
}

impl Code {
    fn of(text: &str) -> Self {
        let tokens = tokens_and_texts(text);
        let distinct =
            kinds().into_iter().filter(|kind| kind.is_distinct).map(|kind| format!("\"{}\"", kind.name));
        let distinct: Vec<String> = distinct.collect();
        let of_hierarchies = |token: &String| {
            OF_HIERARCHIES.contains(&token.as_str())
                || distinct.contains(token)
                || words(token).iter().any(|word| word.starts_with("hierarch"))
        };
        Self { speaks: tokens.iter().any(of_hierarchies), imported: imported(&tokens), tokens }
    }

    fn at(&self, place: usize) -> &str {
        self.tokens.get(place).map_or("", String::as_str)
    }

    /// Whether a type or a variant of the kind stands there.
    fn is_type(&self, at: usize, kind: &Kind) -> bool {
        let is_variant = at > 1 && self.at(at - 1) == "::" && ENUMERATIONS.contains(&self.at(at - 2));
        let is_path = at > 1 && self.at(at - 1) == "::" && self.at(at - 2) == "hierarchy";
        let is_distinct = kind.is_distinct && self.at(at) != "Bins";
        let is_meant = is_distinct || is_variant || is_path || self.imported.contains(self.at(at));
        kind.types.contains(&self.at(at)) && is_meant
    }

    /// Whether a text there is a key: `["rows"]`, `.get("rows")`, `== "rows"`, `= "rows"`, `("rows", …)`, `"rows" => …`.
    fn is_key(&self, at: usize) -> bool {
        let before = [self.at(at.saturating_sub(2)), self.at(at.saturating_sub(1))];
        before[1] == "["
            || before[1] == "(" && LOOKS.contains(&before[0])
            || before[1] == "="
            || before[1] == "(" && ["[", ",", "(", "="].contains(&before[0]) && self.at(at + 1) == ","
            || ["=", "|", "if", ":"].contains(&self.at(at + 1))
    }
}

/// What a file imports from a module of hierarchies.
fn imported(tokens: &[String]) -> BTreeSet<String> {
    let uses = tokens.split(|token| token == ";").filter_map(|statement| {
        let start = statement.iter().position(|token| token == "use")?;
        statement[start..].iter().any(|token| token == "hierarchy").then(|| &statement[start..])
    });
    uses.flatten().cloned().collect()
}

impl Kind {
    /// How a file's code names it, if it does.
    fn seen(&self, code: &Code) -> Option<String> {
        let found =
            (0..code.tokens.len()).find(|at| self.is_seen(code, *at)).map(|at| code.tokens[at].clone());
        let composed = || self.is_distinct && texts(&code.tokens).contains(self.name);
        found.or_else(|| composed().then(|| self.name.to_owned()))
    }

    fn is_seen(&self, code: &Code, at: usize) -> bool {
        let token = &code.tokens[at];
        if token.strip_prefix('"').and_then(|text| text.strip_suffix('"')) == Some(self.name) {
            return self.is_distinct || code.speaks && code.is_key(at);
        }
        let own = words(&self.name.replace('-', "_"));
        let is_identifier = self.is_distinct && !token.starts_with('"') && hold(&words(token), &own, &[]);
        is_identifier || code.is_type(at, self)
    }

    fn is_own(&self, file: &str) -> bool {
        let own = format!("{}.rs", self.name.replace('-', "_"));
        let has_name = ["core/src/hierarchy/kind/", "checker/src/kind_check/"]
            .iter()
            .any(|folder| file.strip_prefix(folder) == Some(&own));
        has_name || self.own.iter().any(|end| file.ends_with(end))
    }
}

/// Every production file of every crate, below `crates`, with its code.
fn files() -> Vec<(String, Code)> {
    of_crates().into_iter().map(|(file, text)| (file, Code::of(&text))).collect()
}

fn is_listed(file: &str) -> bool {
    LISTS.iter().any(|(place, _)| file.starts_with(place))
}

fn is_meant(file: &str, kind: &str) -> bool {
    MEANT.iter().any(|(kinds, place, _)| *place == file && kinds.contains(&kind))
}

#[test]
fn a_kind_is_named_in_its_own_files_alone() {
    let mut wrong = Vec::new();
    for (file, code) in files().iter().filter(|(file, _)| !is_listed(file)) {
        let others = kinds().into_iter().filter(|kind| !kind.is_own(file) && !is_meant(file, kind.name));
        wrong
            .extend(others.filter_map(|kind| Some(format!("{file}: {} as {}", kind.name, kind.seen(code)?))));
    }
    assert!(
        wrong.is_empty(),
        "ask the kind's facts or its structure, or give a reason:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn every_reason_is_needed() {
    let files = files();
    for &(named, place, reason) in MEANT {
        let (_, code) = files.iter().find(|(file, _)| file == place).expect(place);
        for name in named {
            let kind = kinds().into_iter().find(|kind| kind.name == *name).expect(name);
            assert!(kind.seen(code).is_some(), "{place} no longer names {name}, strike it: {reason}");
        }
    }
}

#[test]
fn every_list_names_several() {
    let files = files();
    for (place, reason) in LISTS {
        let of_list = || files.iter().filter(|(file, _)| file.starts_with(place));
        let named = kinds().into_iter().filter(|kind| of_list().any(|(_, code)| kind.seen(code).is_some()));
        assert!(named.count() > 1, "{place} is no list of kinds, strike it: {reason}");
    }
}

#[test]
fn every_kind_of_the_registry_is_guarded() {
    let kinds = kinds();
    for name in velamen_core::hierarchy::KINDS.names() {
        let file = format!("core/src/hierarchy/kind/{}.rs", name.replace('-', "_"));
        assert!(
            kinds.iter().any(|kind| kind.name == name && (kind.is_own(&file) || name == "icd-10")),
            "{name}"
        );
    }
}

#[test]
fn every_way_to_name_a_kind_would_be_seen() {
    let snippets = [
        ("icd-10", r#"if kind.name() == "icd-10" { return; }"#),
        ("icd-10", "fn is_icd_10(of: &OfKind) {}"),
        ("icd-10", r#"if name == concat!("icd", "-10") { return; }"#),
        ("atc", "let codes = definition.form::<Atc>();"),
        ("us-zip", r#"let zip = fields.get("us-zip");"#),
        ("us-zip", "let ZipPopulations { us_zip, .. } = made;"),
        ("date", "use velamen_core::hierarchy::{DateLevel, Dates};"),
        ("date", r#"fn of(hierarchy: &Json) { hierarchy["date"].as_array(); }"#),
        ("prefix", r#"fn of(hierarchy: &Json) { hierarchy.get("prefix"); }"#),
        ("interval", "matches!(definition, Definition::Interval { .. })"),
        ("interval", r#"match key { "interval" => 1, _ => hierarchy(key) }"#),
        ("rows", r#"const ROWS: &str = "rows"; fn hierarchy() {}"#),
        ("cuts", r#"const ALL: [(&str, u8); 1] = [("cuts", 1)]; fn hierarchy() {}"#),
        ("date", r#"let hierarchy = json!({ "date": ["month"] });"#),
        ("mask", "if let Rule::Mask(mask) = rule { return; }"),
        ("age", "HierarchySection::Made(Made::Ages(ages)) => ages.definition(),"),
        ("equal-width", r#"let has = fields.contains_key("equal-width");"#),
    ];
    for (name, snippet) in snippets {
        let kind = kinds().into_iter().find(|kind| kind.name == name).expect("a kind");
        assert!(kind.seen(&Code::of(snippet)).is_some(), "{name} in {snippet}");
    }
    for (name, snippet) in [
        ("date", r#"let day = row["date"].as_str();"#),
        ("rows", "let rows = hierarchy.rows();"),
        ("rows", r#"fn f(hierarchy: &Json) { said("rows"); }"#),
        ("ordered", "use velamen_contract::model::Ordered; fn of(hierarchy: Ordered) {}"),
        ("interval", "let level = Interval::new(low, high); hierarchy(level);"),
        ("atc", "fn batch() {}"),
        ("mask", "/// `Rule::Mask` masks.\nfn hierarchy() {}"),
    ] {
        let kind = kinds().into_iter().find(|kind| kind.name == name).expect("a kind");
        assert_eq!(kind.seen(&Code::of(snippet)), None, "{name} in {snippet}");
    }
}
