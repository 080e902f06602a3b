//! The language of the pages: the one that the browser asks for, until the person chooses another.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::App;
use crate::worker::locked;
use velamen_report::language::{Language, speaking};

/// Makes every page in the language of the studio: there is one person before it.
pub(crate) async fn speak(State(app): State<App>, request: Request, next: Next) -> Response {
    let language = *locked(&app.language).get_or_insert_with(|| wanted(request.headers()));
    Spoken { language, work: Box::pin(next.run(request)) }.await
}

/// The language that the browser prefers among ours; English if it knows none of them.
fn wanted(headers: &HeaderMap) -> Language {
    let asked =
        headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut known: Vec<(f64, Language)> = asked.split(',').filter_map(preference).collect();
    // Stable: of two that are wanted as much, the first stays first.
    known.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    known.first().map(|(_, language)| *language).unwrap_or_default()
}

/// An entry of the header, such as `de-AT;q=0.8`, if it is a language of ours.
fn preference(entry: &str) -> Option<(f64, Language)> {
    let (code, weight) = entry.split_once(";q=").unwrap_or((entry, "1"));
    let weight = weight.trim().parse::<f64>().ok().filter(|weight| *weight > 0.0)?;
    Some((weight, Language::of_code(code.trim())?))
}

/// Work that speaks a language whenever it goes on: between two steps of it, the thread is others'.
struct Spoken<F> {
    language: Language,
    work: Pin<Box<F>>,
}

impl<F: Future> Future for Spoken<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let language = self.language;
        speaking(language, || self.work.as_mut().poll(context))
    }
}

#[cfg(test)]
mod tests {
    use velamen_report::language::spoken;

    use super::*;

    #[test]
    fn the_browsers_wish_is_heard() {
        let wanted = |asked: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_LANGUAGE, asked.parse().unwrap());
            wanted(&headers)
        };
        for german in
            ["de", "de-AT,en;q=0.9", "fr, de;q=0.8, en;q=0.7", "en;q=0.3,de;q=0.4", "en;q=0,de;q=0.1"]
        {
            assert_eq!(wanted(german), Language::German, "{german}");
        }
        for english in ["", "*", "fr", "en-GB,de;q=0.9", "de;q=0", "de;q=x", "den"] {
            assert_eq!(wanted(english), Language::English, "{english}");
        }
        assert_eq!(super::wanted(&HeaderMap::new()), Language::English);
    }

    #[test]
    fn work_speaks_its_language_in_every_step() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let heard = runtime.block_on(async {
            let work = Spoken {
                language: Language::German,
                work: Box::pin(async {
                    let before = spoken();
                    tokio::task::yield_now().await;
                    (before, spoken())
                }),
            };
            let other = async { spoken() };
            tokio::join!(work, other)
        });
        assert_eq!(heard, ((Language::German, Language::German), Language::English));
    }
}
