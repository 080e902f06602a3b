//! The switch of languages in the header of every page.

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use serde_json::json;
use velamen_report::language::{Language, spoken};

use super::{address, change, recipe};
use crate::App;
use crate::form::Form;
use crate::worker::locked;

pub(super) fn routes() -> Router<App> {
    change(Router::new(), "/language", choose)
}

/// A button for each language that is not spoken, in its own words.
pub(super) fn switch(vals: &str) -> Markup {
    html! {
        @for other in Language::ALL.into_iter().filter(|other| *other != spoken()) {
            button id={ "language-" (other.code()) } type="button" lang=(other.code()) hx-post="language" hx-swap="none"
                hx-vals=(with_language(vals, other)) { (other.own_name()) }
        }
    }
}

/// What is posted by every page, and the language.
fn with_language(vals: &str, language: Language) -> String {
    let mut all: serde_json::Value = serde_json::from_str(vals).unwrap_or_default();
    all["language"] = json!(language);
    all.to_string()
}

/// Takes the language and sends the browser to the same page anew: its head is in the language, too.
async fn choose(State(app): State<App>, form: Form) -> Response {
    let Some(language) = Language::of_code(form.text("language")) else {
        return (StatusCode::BAD_REQUEST, "There is no such language.\n").into_response();
    };
    *locked(&app.language) = Some(language);
    let path = address(recipe::page_of(&form), &form);
    (StatusCode::NO_CONTENT, [(HeaderName::from_static("hx-redirect"), path)]).into_response()
}

#[cfg(test)]
mod tests {
    use velamen_report::language::{speaking, texts};

    use super::*;
    use crate::opened::Open;
    use crate::page::PAGES;

    const RECIPE: &str = "[input]\npath = \"t.csv\"\n[attributes.age]\nrole = \"quasi-identifier\"\n\
        hierarchy = { interval = [10, 50], min = 0, max = 99 }\n[attributes.sex]\nrole = \"quasi-identifier\"\n\
        [attributes.diagnosis]\nrole = \"sensitive\"\n[[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n\
        [method]\nname = \"optimal\"\n[output]\npath = \"out\"\n";

    fn studio() -> Open {
        let row =
            |n: usize| format!("{},{},{}\n", 20 + n % 40, ["f", "m"][n % 2], ["flu", "cough"][n % 3 % 2]);
        let table = format!("age,sex,diagnosis\n{}", (0..200).map(row).collect::<String>());
        Open::new(&[("t.csv", &table), ("recipe.toml", RECIPE)])
    }

    /// What begins small can be part of a longer text from below, which stays English.
    fn is_sentence(text: &str) -> bool {
        text.starts_with(char::is_uppercase) && text.matches(' ').count() >= 3 && !text.contains(['{', '"'])
    }

    /// Sentences of the catalogue: shorter texts can be data, or words of both languages.
    fn sentences() -> impl Iterator<Item = &'static str> {
        let differ = texts(Language::German).filter(|(english, german)| english != german);
        differ.map(|(english, _)| english).filter(|text| is_sentence(text))
    }

    #[test]
    fn no_page_in_german_has_an_english_sentence() {
        let studio = studio();
        for page in PAGES.iter() {
            // Once what it begins is there, and before.
            for _ in 0..2 {
                let shown = speaking(Language::German, || studio.shown(page));
                assert!(shown.contains("<html lang=\"de\">"), "{shown}");
                for english in sentences() {
                    let escaped = html! { (english) }.into_string();
                    assert!(!shown.contains(&escaped), "{english}");
                }
                studio.settle();
            }
        }
        let english = studio.shown(&crate::page::open::PAGE);
        assert!(sentences().any(|sentence| english.contains(sentence)), "the test finds nothing");
    }

    /// Words that no German sentence has. Names of the recipe have hyphens, and stand as one word.
    const ENGLISH: [&str; 36] = [
        "the",
        "of",
        "which",
        "records",
        "record",
        "suppressed",
        "counterfeits",
        "with",
        "without",
        "value",
        "values",
        "column",
        "columns",
        "rows",
        "are",
        "is",
        "by",
        "from",
        "that",
        "this",
        "than",
        "each",
        "and",
        "or",
        "where",
        "people",
        "classes",
        "level",
        "levels",
        "left",
        "out",
        "every",
        "their",
        "has",
        "have",
        "must",
    ];

    /// Elements whose words are code, data, or meant to be English.
    fn is_skipped(tag: &str) -> bool {
        let name = tag.split([' ', '/']).next().unwrap_or_default();
        ["script", "style", "code", "pre", "textarea"].contains(&name) || tag.contains("lang=\"en\"")
    }

    /// The word of the recipe that an option begins with.
    fn word_of(tag: &str) -> &str {
        let value = tag.strip_prefix("option value=\"").and_then(|rest| rest.split('"').next());
        value.filter(|value| !value.is_empty()).unwrap_or("\n")
    }

    /// The words of a page that a person reads, in its order.
    fn read(page: &str) -> Vec<String> {
        let (mut texts, mut within) = (Vec::new(), None::<(String, usize)>);
        for part in page.split('<').skip(1) {
            let (tag, text) = part.split_once('>').unwrap_or((part, ""));
            let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default().to_owned();
            within = match within.take() {
                None if is_skipped(tag) => Some((name, 1)),
                Some((own, depth)) if own == name && tag.starts_with('/') => {
                    (depth > 1).then_some((own, depth - 1))
                }
                Some((own, depth)) => Some((own.clone(), depth + usize::from(own == name))),
                None => None,
            };
            if within.is_none() {
                texts.push(text.trim().trim_start_matches(word_of(tag)).to_owned());
            }
        }
        texts.retain(|text| !text.is_empty());
        texts
    }

    fn english_of(page: &str) -> Vec<String> {
        let is_english = |word: &str| ENGLISH.contains(&&*word.to_lowercase());
        let words = |text: &str| {
            text.split(|sign: char| !(sign.is_alphanumeric() || "-_'’".contains(sign))).any(is_english)
        };
        read(page).into_iter().filter(|text| words(text)).collect()
    }

    #[test]
    fn english_is_found_where_it_is_read() {
        let page = "<main><p>Der <code>level of</code> Wert</p><p lang=\"en\">the <b>value</b></p><i>quasi-of records-at-risk</i>\
            <b>all the <i>Records</i></b></main>";
        assert_eq!(english_of(page), ["all the", "Records"]);
    }

    /// Every page in German, before and after what it begins is there, and the messages on it.
    #[test]
    fn nothing_english_is_read_on_a_german_page() {
        let row =
            |n: usize| format!("{},{},{}\n", 20 + n % 40, ["w", "m"][n % 2], ["I10", "J45", "C50"][n % 3]);
        let table = format!("Alter,Geschlecht,Diagnose\n{}", (0..200).map(row).collect::<String>());
        let recipe = RECIPE
            .replace("attributes.age", "attributes.Alter")
            .replace("attributes.sex", "attributes.Geschlecht");
        let recipe = recipe.replace("attributes.diagnosis", "attributes.Diagnose");
        let private = recipe.replace(
            "model = \"k-anonymity\"\nk = 5",
            "model = \"differential-privacy\"\nepsilon = 1\ndelta = 1e-9",
        );
        let private = private.replace("\"optimal\"", "\"safe-pub\"");
        let broken = recipe.replace("k = 5", "k = 500");
        let counted = format!(
            "Nr,Alter,Geschlecht,Diagnose\n{}",
            (0..200).map(|n| format!("{},{}", 7000 + n / 2 * 3, row(n / 2))).collect::<String>()
        );
        let of_people =
            recipe.replace("[attributes.Alter]", "[attributes.Nr]\nrole = \"person\"\n[attributes.Alter]");
        for (table, recipe) in
            [(&table, &recipe), (&table, &private), (&table, &broken), (&counted, &of_people)]
        {
            let studio = Open::new(&[("t.csv", table), ("rezept.toml", recipe)]);
            for page in PAGES.iter() {
                for _ in 0..3 {
                    let shown = speaking(Language::German, || studio.shown(page));
                    let english = english_of(&shown);
                    assert!(english.is_empty(), "{}: {english:#?}", page.title);
                    studio.settle();
                }
            }
        }
    }

    #[test]
    fn names_of_the_recipe_stay_as_they_are() {
        let studio = studio();
        let page = speaking(Language::German, || studio.shown(&crate::page::attributes::PAGE));
        assert!(
            page.contains(">quasi-identifier</option>") && page.contains("value=\"sensitive\""),
            "{page}"
        );
        assert!(page.contains("<h1>Merkmale</h1>"), "{page}");
    }

    #[test]
    fn the_switch_names_the_other_languages_and_comes_back_to_the_page() {
        let studio = studio();
        let page = studio.shown(&crate::page::risk::PAGE);
        assert!(
            page.contains("lang=\"de\"") && page.contains("Deutsch") && !page.contains("id=\"language-en\"")
        );
        studio.post(choose, &[("page", "risk"), ("language", "de")]);
        assert_eq!(*locked(&studio.app.language), Some(Language::German));
        let refused = studio.post(choose, &[("page", "risk"), ("language", "xx")]);
        assert!(refused.contains("no such language"), "{refused}");
        assert_eq!(*locked(&studio.app.language), Some(Language::German));
    }
}
