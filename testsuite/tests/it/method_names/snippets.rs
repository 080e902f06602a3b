//! The shortcuts that the guard has to see, and what it must let pass.

use super::seen::Code;
use super::things;

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
        ("safe-pub", r#"if name == concat!("saf", "e-pub") { return; }"#),
        ("safe-pub", r#"let name = ["safe", "pub"].join("-");"#),
        ("safe-pub", r#"let name = "safe-".to_owned() + "pub";"#),
        ("safe-pub", r#"if method.name().eq("safe-pub") { return; }"#),
        ("safe-pub", r#"if method.name().ne("safe-pub") { return; }"#),
        ("safe-pub", "fn for_safe_pub(name: &str) {}"),
        ("safe-pub", "use elsewhere::SAFE_PUB_NAME;"),
        ("safe-pub", "struct OfSafePub;"),
        ("k-anonymity", r#"let name = format!("k-{}", word);"#),
        ("k-anonymity", r#"let name = format!("k-{}", "anonymity");"#),
        ("k-anonymity", r#"let name = format!("{letter}-anonymity");"#),
        ("k-anonymity", r#"if name.starts_with("k-anon") { return; }"#),
        ("k-anonymity", r#"if name.ends_with("-anonymity") { return; }"#),
        ("k-anonymity", "if is_k_anonymity(promise) { return; }"),
        ("k-anonymity", "let size = promises.k_anonymity_of(release);"),
        ("mondrian", "fn of_mondrian() {}"),
        ("rows-retained", r#"matches!(metric, "rows-retained" | "other")"#),
    ];
    let things = things();
    for (name, snippet) in snippets {
        let thing = things.iter().find(|thing| thing.is_named(name)).expect("it is registered");
        assert!(thing.seen(&Code::of(snippet)).is_some(), "{name} in {snippet}");
    }
}

#[test]
fn what_names_nothing_is_let_pass() {
    let snippets = [
        ("k-anonymity", "/// As \"k-anonymity\", `KAnonymity` and k_anonymity::TERMS have it.\nfn f() {}"),
        ("k-anonymity", "#[cfg(test)]\nmod tests { fn f() { find(\"k-anonymity\"); } }\nfn g() {}"),
        ("k-anonymity", r#"let text = "k-anonymity is kept";"#),
        ("k-anonymity", r#"let name = format!("{}-{}", one, other);"#),
        ("k-anonymity", r#"if text.contains("k") { return; }"#),
        ("k-anonymity", "fn is_alpha_k_anonymity() {}"),
        ("k-anonymity", "mod k_anonymity;"),
        ("optimal", "fn is_optimal() {}"),
        ("height", "let height = hierarchy.height(); self.height = height;"),
        ("loss", "use velamen_dp::{Budget, Loss}; fn f(loss: Loss) {}"),
    ];
    let things = things();
    for (name, snippet) in snippets {
        let thing = things.iter().find(|thing| thing.is_named(name)).expect("it is registered");
        assert_eq!(thing.seen(&Code::of(snippet)), None, "{snippet}");
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
        "if x.name().eq(optimal::NAME) { return; }",
        "if x.name().ne(&USUAL.name) { return; }",
        "if x.name().starts_with(mdav::NAME) { return; }",
        "if mdav::NAME.eq(x.name()) { return; }",
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
        "if x.name().eq(other.name()) { return; }",
    ] {
        assert_eq!(Code::of(snippet).compared_constant(), None, "{snippet}");
    }
}
