//! Tests of the page.

use super::bins::{log_bins, sentence};
use super::distribution::rows;
use super::verdict::{Tone, verdict};
use super::*;
use crate::language::Language;

const EVIL: &str = "<script>alert('x')</script>\u{1}\u{202e}&\"";

fn promise(name: &str, holds: bool) -> Promise {
    in_state(name, if holds { State::Held } else { State::Broken })
}

fn in_state(name: &str, state: State) -> Promise {
    let text = |text: &str| text.to_owned();
    Promise {
        name: text(name),
        asked: text("k = 5"),
        reached: text("k = 7"),
        state,
        meaning: text("It means this."),
    }
}

fn metric(name: &str, value: f64) -> Metric {
    Metric { name: name.to_owned(), value, range: name.to_owned(), meaning: name.to_owned() }
}

fn distribution(count: usize) -> Distribution {
    Distribution {
        attribute: "diagnosis".to_owned(),
        labels: (0..count).map(|index| format!("d{index}")).collect(),
        before_name: "before".to_owned(),
        before: (0..count).map(|index| (index % 7) as f64 / 100.0).collect(),
        after_name: "after".to_owned(),
        after: vec![0.01; count],
    }
}

fn small() -> Report {
    Report {
        about: vec![("Institution".into(), "A hospital".into())],
        confidential: false,
        reading: vec![("pandas".into(), "import pandas as pd".into())],
        title: "A release".to_owned(),
        audience_note: "This page may be published with the release.".to_owned(),
        summary: vec![("Records".to_owned(), "48842".to_owned())],
        promises: vec![promise("k-anonymity", true)],
        checks: vec![promise("class-ids", true)],
        in_short: vec!["Whoever looks finds at least 5 records.".to_owned()],
        asked: vec![("Method".to_owned(), "optimal".to_owned())],
        budget: vec![["release".to_owned(), "1/2".to_owned(), "0".to_owned()]],
        spent_on: vec![("Counts of age".to_owned(), 0.4)],
        risk: Some(Risk { after: vec![(5, 2)], ..Risk::default() }),
        attributes: vec![Attribute {
            name: "age".to_owned(),
            role: "quasi-identifier".to_owned(),
            what: "level 1 of 2".to_owned(),
            loss: Some(0.5),
            examples: vec!["[40, 50)".to_owned()],
        }],
        fates: vec!["No record is suppressed.".to_owned()],
        loss: vec![("age".to_owned(), 0.5)],
        error_bars: vec![("age with sex".to_owned(), 0.03)],
        utility: vec![metric("average-class-size", 1234.5)],
        telling: vec![metric("auc", 0.625)],
        limits: vec!["Nothing else is promised.".to_owned()],
        how_to_check: vec!["Run `check`:".to_owned(), "$ velamen check release".to_owned()],
        notes: vec!["A lone ` stays.".to_owned()],
        ..Report::default()
    }
}

/// A report in which every text is `text`.
fn of_text(text: &str) -> Report {
    let words = || text.to_owned();
    let attribute = Attribute {
        name: words(),
        role: words(),
        what: words(),
        loss: Some(f64::NAN),
        examples: vec![words(), words()],
    };
    let [before_name, after_name] = [words(), words()];
    let shown = Distribution { attribute: words(), before_name, after_name, ..distribution(2) };
    Report {
        language: Language::default(),
        about: vec![(words(), words())],
        confidential: true,
        reading: vec![(words(), words())],
        warning: None,
        untold: Vec::new(),
        objections: vec![words()],
        threshold: Some(words()),
        title: words(),
        audience_note: words(),
        summary: vec![(words(), words())],
        glance: Some(Glance {
            method: words(),
            private: None,
            sensitive: vec![words()],
            models: vec![words()],
            bare: vec![words()],
            ..Glance::default()
        }),
        promises: vec![Promise {
            name: words(),
            asked: words(),
            reached: words(),
            state: State::Broken,
            meaning: words(),
        }],
        checks: vec![promise(text, false)],
        distributions_note: words(),
        in_short: vec![words()],
        asked: vec![(words(), words())],
        budget: vec![[words(), words(), words()]],
        spent_on: vec![(words(), 0.4)],
        risk: Some(Risk { after: vec![(5, 2)], notes: vec![words()], ..Risk::default() }),
        attributes: vec![attribute],
        fates: vec![words()],
        originals: vec![words()],
        counts_people: false,
        class_sizes: vec![(5, 2)],
        class_sizes_before: vec![(1, 2)],
        loss: vec![(words(), f64::INFINITY)],
        error_bars: vec![(text.to_owned(), f64::NAN)],
        utility: vec![metric(text, f64::NAN)],
        telling: vec![metric(text, f64::NAN)],
        limits: vec![words()],
        distributions: vec![Distribution { labels: vec![words(), words()], ..shown }],
        how_to_check: vec![words(), format!("$ {text}"), format!("`{text}`")],
        notes: vec![words()],
    }
}

/// Checks that every element that is opened is closed, in order.
fn check_balance(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page.strip_prefix("<!DOCTYPE html>").expect("a page begins with its type");
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("a tag ends");
        let tag = &rest[start + 1..end];
        let name = tag.trim_start_matches('/').split([' ', '/', '\n']).next().expect("a tag has a name");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') && name != "meta" {
            open.push(name);
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty());
}

#[test]
fn a_small_page_stays_as_it_is() {
    let page = html(&small()).replace(include_str!("style.css"), "…");
    let page = page.replace("><", ">\n<");
    insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!("page", page);
    });
}

#[test]
fn untrusted_text_cannot_become_markup() {
    let page = html(&of_text(EVIL));
    check_balance(&page);
    assert!(!page.contains("<script") && page.contains("&lt;script&gt;"));
    assert!(!page.chars().any(|character| character != '\n' && crate::chart::text::is_forbidden(character)));
}

#[test]
fn pages_are_well_formed() {
    let full =
        Report { distributions: vec![distribution(0), distribution(1), distribution(80)], ..of_text("word") };
    for report in [Report::default(), small(), full, of_text(""), of_text(&"long ".repeat(500))] {
        check_balance(&html(&report));
    }
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    assert_eq!(html(&of_text("a")), html(&of_text("a")));
}

#[test]
fn the_page_loads_and_runs_nothing() {
    let page = html(&of_text("word"));
    for forbidden in ["<script", "src=", "url(", "@import", " onload"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    let links = page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap_or_default());
    for link in links {
        let place = link.strip_prefix('#').expect("links stay on the page");
        assert!(page.contains(&format!(" id=\"{place}\"")), "{place}");
    }
    assert_eq!(
        page.matches("http").count(),
        page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count() + 1
    );
    assert!(page.contains("default-src 'none'") && page.contains("<html lang=\"en\">"));
}

#[test]
fn empty_lists_leave_their_section_out() {
    let page = html(&Report::default());
    assert!(page.contains("No promise was made.") && !page.contains("<section"));
}

#[test]
fn headings_are_in_order() {
    let page = html(&of_text("word"));
    let levels: Vec<u8> =
        page.match_indices("<h").filter_map(|(at, _)| page[at + 2..].bytes().next()).collect();
    let levels: Vec<u8> = levels.into_iter().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
    assert_eq!(levels.iter().filter(|level| **level == 1).count(), 1);
    assert!(levels[0] == 1 && levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
}

#[test]
fn every_model_metric_and_method_is_explained() {
    for entry in velamen_search::model::REGISTRY.iter() {
        assert!(
            words::promise(entry.terms.name, &serde_json::json!({ "t": 0.1 })).len() > 20,
            "{}",
            entry.terms.name
        );
    }
    for entry in velamen_search::metric::REGISTRY.iter() {
        assert!(!words::metric(entry.name).0.is_empty(), "{} has no range", entry.name);
    }
    for entry in velamen_search::method::REGISTRY.iter() {
        assert!(!(entry.words)(&serde_json::Map::new()).is_empty(), "{}", entry.name);
    }
}

#[test]
fn the_verdict_follows_the_promises() {
    let of = |states: &[State], objections: &[&str]| {
        let names = ["k-anonymity", "k-map", "t-closeness"];
        let promises = names.iter().zip(states).map(|(name, &state)| in_state(name, state)).collect();
        let objections = objections.iter().map(|text| (*text).to_owned()).collect();
        verdict(&Report { promises, objections, ..Report::default() })
    };
    let (held, broken, open) = (State::Held, State::Broken, State::NotChecked);
    let kept = of(&[held, held, State::Stated], &[]);
    assert_eq!((kept.tone, &*kept.headline), (Tone::Kept, "The promises are kept."));
    let checked = "Checked in the released file and kept: k-anonymity and k-map.";
    let stated = "Stated by the custodian, since no release can show it: t-closeness.";
    assert_eq!(kept.rest, [checked, stated]);
    let but = of(&[held], &["Nine records are recognisably real."]);
    assert_eq!(
        (but.tone, &*but.headline),
        (Tone::KeptBut, "The promises are kept, but read below what they leave open.")
    );
    assert_eq!(but.rest[0], "Nine records are recognisably real.");
    let unchecked = of(&[held, open], &["Nine."]);
    assert_eq!(
        (unchecked.tone, &*unchecked.headline),
        (Tone::NotAllChecked, "Not all is checked: k-map is open.")
    );
    assert_eq!(unchecked.rest[1], "Nine.");
    let two = of(&[broken, open, broken], &[]);
    assert_eq!(two.headline, "Broken: k-anonymity and t-closeness are not kept.");
    assert_eq!(of(&[], &[]).tone, Tone::Silent);
    let checks = vec![promise("class-ids", true), promise("records", false)];
    let report = Report { promises: vec![promise("k-anonymity", true)], checks, ..Report::default() };
    assert_eq!(verdict(&report).headline, "Broken: records is not kept.");
    let warned = Report { warning: Some("It does not.".to_owned()), ..small() };
    assert_eq!((verdict(&warned).tone, &*verdict(&warned).rest[0]), (Tone::Broken, "It does not."));
}

#[test]
fn class_sizes_fall_into_bins() {
    let bins = log_bins(&[(5, 3), (9, 1), (10, 2), (60, 4), (0, 9), (7, 0)]);
    let expected = [("5–9", 4), ("10–19", 2), ("20–49", 0), ("50–60", 4)];
    assert_eq!(bins, expected.map(|(label, count)| (label.to_owned(), count)));
    assert_eq!(log_bins(&[(1, 1)]), [("1".to_owned(), 1)]);
    assert_eq!(log_bins(&[]), []);
    let huge = log_bins(&[(u64::MAX, u64::MAX), (u64::MAX - 1, 5)]);
    assert_eq!(huge.len(), 1);
    assert!(huge[0].0.ends_with(" or more"));
    assert_eq!(log_bins(&[(2, 5)]), [("2".to_owned(), 5)]);
}

#[test]
fn the_sentence_on_class_sizes_gives_least_middle_and_greatest() {
    let text = sentence(&[(30, 1), (5, 2), (8, 3)], false, None);
    assert!(
        text.starts_with("The smallest group holds 5 records, the largest 30; half of the groups hold 8")
    );
    assert_eq!(sentence(&[(1, 4)], false, None), "Every group holds 1 record.");
    assert_eq!(sentence(&[], false, None), "There is no group.");
}

#[test]
fn closeness_says_how_close() {
    let meaning = |asked| words::promise("t-closeness", &asked);
    let half = meaning(serde_json::json!({ "t": 0.5 }));
    assert!(half.contains("by more than 50.0\u{202f}%. Someone"), "{half}");
    let ordered = meaning(serde_json::json!({ "t": 0.2, "distance": "ordered" }));
    assert!(ordered.contains("at most 20.0\u{202f}% of the maximum distance"), "{ordered}");
    assert!(!half.contains("almost") && !ordered.contains("almost"));
}

#[test]
fn attributes_that_lost_as_much_are_named_together() {
    let loss = |of: &[(&str, f64)]| {
        let loss = of.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        html(&Report { loss, ..small() })
    };
    let page = loss(&[("age", 1.0), ("sex", 0.0), ("admission", 1.0)]);
    assert!(
        page.contains(
            "The greatest loss is 100.0\u{202f}% (age and admission), the least 0.0\u{202f}% (sex)."
        ),
        "{page}"
    );
    assert!(loss(&[("age", 0.500_01), ("sex", 0.5)]).contains("All have the same loss, 50.0\u{202f}%."));
}

#[test]
fn twenty_four_values_are_shown_and_more_are_pooled() {
    assert_eq!(rows(&distribution(24)).len(), 24);
    let all = distribution(40);
    let pooled = rows(&all);
    assert_eq!(pooled.len(), 24);
    let (label, before, after) = pooled.last().expect("there are rows");
    assert_eq!(label, "all others (17)");
    let total = |side: fn(&(String, f64, f64)) -> f64| pooled.iter().map(side).sum::<f64>();
    assert!((total(|row| row.1) - all.before.iter().sum::<f64>()).abs() < 1e-12);
    assert!((total(|row| row.2) - 0.4).abs() < 1e-12 && (after - 0.17).abs() < 1e-12);
    let least = pooled[..23].iter().map(|row| row.1).fold(1.0, f64::min);
    assert!(least >= 0.02 && *before < 0.3);
    let place = |row: &(String, f64, f64)| row.0[1..].parse::<usize>().expect("d and a number");
    assert!(pooled[..23].is_sorted_by_key(place), "the order of the caller is kept");
}

#[test]
fn many_numbers_are_shown_as_ranges() {
    let labels = (17..91).map(|age| age.to_string()).chain(["(missing)".to_owned()]).collect();
    let ages = Distribution { labels, after: vec![0.01; 75], before: Vec::new(), ..Distribution::default() };
    let rows = rows(&ages);
    let names: Vec<&str> = rows.iter().map(|row| row.0.as_str()).collect();
    assert_eq!((names[0], names[1], names[15]), ("15–19", "20–24", "90–94"));
    assert_eq!((rows.len(), names[16]), (17, "(missing)"));
    assert!((rows[0].2 - 0.03).abs() < 1e-12 && (rows[1].2 - 0.05).abs() < 1e-12);
    let shares: Vec<f64> = (0..50).map(|index| f64::from(index) / 7.0).collect();
    let labels = shares.iter().map(f64::to_string).collect();
    let fractions = Distribution { labels, after: vec![0.02; 50], ..Distribution::default() };
    assert_eq!(super::distribution::rows(&fractions)[1].0, "0.5 to below 1");
}

#[test]
fn missing_shares_stay_missing_when_pooled() {
    let missing = Distribution { after: vec![], before: vec![f64::NAN; 30], ..distribution(30) };
    let pooled = rows(&missing);
    assert!(pooled.iter().all(|row| row.1.is_nan() && row.2.is_nan()));
}

/// Sentences of the catalogue without values: shorter texts can be data, or words of both languages.
fn sentences() -> impl Iterator<Item = &'static str> {
    let is_sentence = |text: &&str| text.matches(' ').count() >= 3 && !text.contains('{');
    crate::language::texts(Language::German).map(|(english, _)| english).filter(is_sentence)
}

#[test]
fn a_page_in_german_has_no_english_sentence() {
    let page = |language: Language| html(&Report { language, fates: Vec::new(), ..small() });
    let (english, german) = (page(Language::English), page(Language::German));
    assert!(german.contains("<html lang=\"de\">") && german.contains("Bericht zur Freigabe"));
    check_balance(&german);
    let escaped = |text: &str| maud::html! { (text) }.into_string();
    let left: Vec<&str> = sentences().filter(|text| german.contains(&escaped(text))).collect();
    assert_eq!(left, Vec::<&str>::new());
    assert!(sentences().filter(|text| english.contains(&escaped(text))).count() > 10);
}
