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
        texts(Language::German).map(|(english, _)| english).filter(|text| is_sentence(text))
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
