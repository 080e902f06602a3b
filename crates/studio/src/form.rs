//! What a request says: the fields of its query or of a small form.

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};

/// The most bytes of a form: a recipe that is written by hand, or many roles at once.
const MOST_BYTES: usize = 1 << 20;

/// Names and values, in order.
#[derive(Debug, Clone, Default)]
pub struct Form(Vec<(String, String)>);

impl Form {
    fn parse(encoded: &[u8]) -> Self {
        Self(url::form_urlencoded::parse(encoded).into_owned().collect())
    }

    /// A form with these fields.
    pub(crate) fn with(fields: &[(&str, &str)]) -> Self {
        Self(fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    /// One more field.
    pub(crate) fn add(&mut self, name: &str, value: &str) {
        self.0.push((name.to_owned(), value.to_owned()));
    }

    /// A form as it is sent.
    #[cfg(test)]
    pub(crate) fn of(encoded: &str) -> Self {
        Self::parse(encoded.as_bytes())
    }

    /// The first value of that name; empty where there is none.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// All values of that name.
    pub fn all<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// All names and values.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }
}

impl<S: Sync> FromRequest<S> for Form {
    type Rejection = Response;

    async fn from_request(request: Request<Body>, _: &S) -> Result<Self, Response> {
        if request.method() == Method::GET {
            return Ok(Self::parse(request.uri().query().unwrap_or_default().as_bytes()));
        }
        let body = to_bytes(request.into_body(), MOST_BYTES).await;
        let too_large =
            |_| (StatusCode::PAYLOAD_TOO_LARGE, "The form is larger than 1 MiB.\n").into_response();
        body.map(|body| Self::parse(&body)).map_err(too_large)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_decoded_and_may_repeat() {
        let form = Form::parse(b"name=a+b&name=%C3%A4&role=sensitive");
        assert_eq!(form.all("name").collect::<Vec<_>>(), ["a b", "ä"]);
        assert_eq!((form.text("role"), form.text("none")), ("sensitive", ""));
        assert_eq!(form.fields().count(), 3);
    }
}
