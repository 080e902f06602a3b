//! Guards that the pages are whole in every language: what the sources show is in the catalogue, and nothing else is.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use velamen_contract::linked::not_covered;
use velamen_contract::manifest::Preset;
use velamen_measure::profile::identifier::Identifier;
use velamen_measure::profile::patterns::PATTERNS;
use velamen_report::language::{Language, messages, texts};
use velamen_search::{method, metric};

use super::circles::{root, sources};

/// The crates whose pages are translated.
const CRATES: [&str; 4] = ["job", "patients", "report", "studio"];

/// What a text is looked up by, or marked with to be looked up later.
const CALLS: [&str; 4] = ["t(", "mark(", "say!(", "text!("];

/// The texts of a file, without its tests.
fn keys_of(source: &str) -> BTreeSet<String> {
    let source = source.split("\nmod tests {").next().unwrap_or_default();
    let calls = CALLS.iter().flat_map(|call| source.match_indices(call));
    let is_whole = |place: usize| {
        let before = source[..place].chars().next_back();
        before.is_none_or(|before| !before.is_alphanumeric() && !matches!(before, '_' | '.'))
    };
    calls
        .filter(|(place, _)| is_whole(*place))
        .filter_map(|(place, call)| literal(source[place + call.len()..].trim_start()))
        .collect()
}

/// The text of a literal that stands first.
fn literal(source: &str) -> Option<String> {
    let mut rest = source.strip_prefix('"')?.chars().peekable();
    let mut text = String::new();
    while let Some(next) = rest.next() {
        match (next, rest.peek()) {
            ('"', _) => return Some(text),
            ('\\', Some('\n')) => while rest.next_if(|space| space.is_whitespace()).is_some() {},
            ('\\', _) => text.extend(rest.next()),
            _ => text.push(next),
        }
    }
    None
}

/// The texts of all pages, each with a file that has it.
fn keys() -> BTreeMap<String, String> {
    let files = CRATES.iter().flat_map(|name| sources(&root().join("crates").join(name).join("src"), "rs"));
    let pages = files.filter(|(file, _)| !file.starts_with("language/"));
    pages.flat_map(|(file, text)| keys_of(&text).into_iter().map(move |key| (key, file.clone()))).collect()
}

/// Texts of the crates below that pages show as they are: each has a line.
fn from_below() -> BTreeSet<String> {
    let models = velamen_contract::model::REGISTRY.iter();
    let models = models.flat_map(|terms| {
        [velamen_report::meaning(terms.name, &json!({})), terms.limits.to_owned(), terms.summary.to_owned()]
    });
    let summaries = method::REGISTRY.iter().map(|entry| entry.summary.to_owned());
    let metrics = metric::REGISTRY.iter().flat_map(|metric| [metric.range, metric.words]).map(str::to_owned);
    let linked = not_covered::ALWAYS.iter().chain(&not_covered::OF_A_SHIFT).map(|text| (*text).to_owned());
    let of_rules = models.chain(presets()).chain(identifiers()).chain(linked);
    of_rules.chain(summaries).chain(metrics).chain(method_words()).collect()
}

/// What published rules set, and what they leave to people.
fn presets() -> Vec<String> {
    let all =
        [Preset::HipaaSafeHarbor, Preset::Ema0070, Preset::HealthCanadaPrci, Preset::Cms11, Preset::Omop5];
    all.into_iter()
        .map(Preset::entry)
        .flat_map(|entry| entry.sets.into_iter().chain(entry.cannot_judge))
        .collect()
}

/// The eighteen identifiers with what to do about each, and the shapes of cells.
fn identifiers() -> Vec<String> {
    let rule = Identifier::ALL.into_iter().flat_map(|identifier| [identifier.title(), identifier.advice()]);
    rule.chain(PATTERNS.iter().map(|pattern| pattern.title)).map(str::to_owned).collect()
}

/// What reports say of each method, with the keys that change what it is.
fn method_words() -> Vec<String> {
    let sections = [
        json!({}),
        json!({ "local-recoding": true }),
        json!({ "proven": false }),
        json!({ "assume-monotone": true }),
        json!({ "recoding": "nodes" }),
        json!({ "informative": "each" }),
    ];
    let of = |section: &Value| {
        let keys = section.as_object().cloned().unwrap_or_default();
        method::REGISTRY.iter().map(|entry| (entry.words)(&keys).to_owned()).collect::<Vec<_>>()
    };
    sections.iter().flat_map(of).collect()
}

/// What the recipe's schema says of keys: forms show it, and it may have a line.
fn descriptions(schema: &Value) -> Vec<String> {
    let own = schema["description"].as_str().map(str::to_owned);
    let inside: Vec<&Value> = match schema {
        Value::Object(fields) => fields.values().collect(),
        Value::Array(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    own.into_iter().chain(inside.into_iter().flat_map(descriptions)).collect()
}

/// The places of a text by their numbers: `{}` is the next one, `{1}` the second.
fn places(text: &str) -> BTreeSet<usize> {
    let inside = text.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    inside.enumerate().map(|(next, number)| number.parse().unwrap_or(next)).collect()
}

#[test]
fn every_text_has_a_line_and_every_line_a_use() {
    let mut keys = keys();
    keys.extend(from_below().into_iter().map(|text| (text, "the crates below".to_owned())));
    let described: BTreeSet<String> = descriptions(&velamen_recipe::Recipe::schema()).into_iter().collect();
    assert!(keys.len() > 900, "the sources are not read: {} texts", keys.len());
    for language in Language::ALL.into_iter().filter(|language| !language.is_usual()) {
        let lines: BTreeSet<&str> = texts(language).map(|(english, _)| english).collect();
        let missing: Vec<_> = keys.iter().filter(|(key, _)| !lines.contains(key.as_str())).collect();
        assert!(missing.is_empty(), "{} has no line for: {missing:#?}", language.code());
        let unsaid: Vec<&String> = described.iter().filter(|key| !lines.contains(key.as_str())).collect();
        assert!(unsaid.is_empty(), "{} says nothing of keys of the recipe: {unsaid:#?}", language.code());
        let idle: Vec<&&str> =
            lines.iter().filter(|line| !keys.contains_key(**line) && !described.contains(**line)).collect();
        assert!(idle.is_empty(), "{} has lines that no page shows: {idle:#?}", language.code());
    }
}

/// Texts as the compiler has them: without the ends of lines that a literal runs over, and without marks before quotes.
fn compiled(source: &str) -> String {
    let mut lines = source.lines();
    let mut text = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        match text.strip_suffix('\\') {
            Some(before) => text = before.to_owned() + line.trim_start(),
            None => text = text + "\n" + line,
        }
    }
    text.replace("\\\"", "\"").replace("{{", "{").replace("}}", "}")
}

/// The words of a message between its places, four and four: some stand apart in the source, where it depends on a number.
fn words_of(english: &str) -> Vec<String> {
    let pieces = english.split("{}").map(|piece| piece.split_whitespace().collect::<Vec<_>>());
    let of = |piece: Vec<&str>| {
        piece.windows(piece.len().clamp(1, 4)).map(|four| four.join(" ")).collect::<Vec<_>>()
    };
    pieces.filter(|piece| piece.len() > 2).flat_map(of).collect()
}

/// What the system says, and what is put together of single words.
const OF_OTHERS: [&str; 6] = [
    "table `{}`: a row without a parent is left out",
    "missing field `{}`",
    "cannot open: No such file or directory (os error 2)",
    "cannot read the hierarchy: No such file or directory (os error 2)",
    "cannot read: Is a directory (os error 21)",
    "string values must be quoted",
];

/// The heading of the lines whose English the parser of TOML has: `mistakes_of_toml_are_said_in_every_language` looks at them.
const OF_THE_PARSER: &str = "# Of the parser of TOML";

/// The English of the lines below that heading.
fn of_the_parser(language: Language) -> BTreeSet<String> {
    let file = root().join(format!("crates/report/src/language/{}-messages.toml", language.code()));
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let lines = text.lines().skip_while(|line| *line != OF_THE_PARSER).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('#')).filter_map(|line| line.split_once("\" = "));
    lines.map(|(english, _)| english.trim_start_matches('"').to_owned()).collect()
}

/// Mistakes that a person makes in TOML, as the parser of recipes says them.
#[test]
fn mistakes_of_toml_are_said_in_every_language() {
    let broken = [
        "[input",
        "[[privacy]",
        "a = [1, 2",
        "a = {b = 1",
        "a = ",
        "a",
        "a = \"text",
        "a = 'text",
        "= 1",
        "a = 1 b = 2",
        "a == 1",
        "a = [1 2]",
        "a = [1,, 2]",
        "a = truth",
        "a = 01",
        "a = 1_",
        "a = +-1",
        "a = \"\\q\"",
        "a = \"\"\"text",
        "a b = 1",
        "a = 1\na = 2",
        "a = {b = 1, , c = 2}",
        "a = {b = 1 c = 2}",
        "a.b = 1\na.b.c = 2",
    ];
    let (root, none) = (std::path::Path::new("recipe.toml"), velamen_recipe::Overrides::default());
    for text in broken {
        let refused = velamen_recipe::Recipe::parse(text, root, root, &none).unwrap_err();
        let said = refused.problem().to_owned();
        for language in Language::ALL.into_iter().filter(|language| !language.is_usual()) {
            let other = velamen_report::language::speaking(language, || messages::message(&said));
            assert!(
                other.as_ref().is_some_and(|other| *other != said),
                "{}: {text}: {said}: {other:?}",
                language.code()
            );
        }
    }
}

/// The program's messages are made in English, far from the pages: a line whose words no source has any more is of no use.
#[test]
fn every_message_has_words_of_the_sources() {
    let crates = root().join("crates");
    let forms = sources(&crates.join("assess/src/evidence/forms"), "toml");
    let all: String =
        sources(&crates, "rs").into_iter().chain(forms).map(|(_, text)| compiled(&text)).collect();
    for language in Language::ALL {
        let (of_parser, [_, said, parts]) = (of_the_parser(language), messages::lines(language));
        let lines = said.into_iter().chain(parts).map(|(english, _)| english);
        let is_gone = |english: &&str| {
            let words = words_of(english);
            let found = words.iter().filter(|four| all.contains(four.as_str())).count();
            5 * found < words.len() && !OF_OTHERS.contains(english) && !of_parser.contains(*english)
        };
        let gone: Vec<&str> = lines.filter(is_gone).collect();
        assert!(gone.is_empty(), "{} has messages that nobody says: {gone:#?}", language.code());
    }
}

#[test]
fn places_agree() {
    for language in Language::ALL {
        let said = messages::lines(language).into_iter().flatten();
        for (english, other) in texts(language).chain(said.filter(|(english, _)| english.contains('{'))) {
            assert_eq!(places(english), places(other), "{}: {english}", language.code());
            let holes = |text: &str| text.matches('{').count();
            assert_eq!(holes(english), holes(other), "{}: {english}", language.code());
        }
    }
}

#[test]
fn texts_are_read_as_the_compiler_reads_them() {
    let source = "t(\"one\") sort(\"no\") x.t(\"no\") (say!(\n    \"a \\\"b\\\" \\\n     c\", t(\"two\"))\nmod tests { t(\"no\") }";
    assert_eq!(keys_of(source).into_iter().collect::<Vec<_>>(), ["a \"b\" c", "one", "two"]);
    assert_eq!(places("{} and {0} and {2}"), BTreeSet::from([0, 2]));
    assert_eq!(compiled("a \\\n    b \\\"{{c}}\\\""), "a b \"{c}\"");
}
