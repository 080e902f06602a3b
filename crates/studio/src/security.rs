//! Nobody else gets in: everything that keeps others out of the studio stands in this file.
//!
//! The server listens on loopback only. Others on the machine, and pages of other origins in the same browser, can
//! still send it requests. [`guard`] stands before every route and lets a request pass only if
//!
//! 1. its `Host` is the loopback address and port that the server listens on, as a literal: a name that an attacker
//!    lets resolve to loopback (DNS rebinding) is another host;
//! 2. no browser says that another site made it (`Sec-Fetch-Site`, `Origin`);
//! 3. it carries the session's cookie, or trades the printed token for it;
//! 4. and, if it changes anything, its origin is known to be ours and it has a header of ours, which forms and
//!    dropped files of other pages cannot send without asking.
//!
//! Cookies do not know ports: whatever listens on another port of the same address gets those of the whole address.
//! So the cookie is bound to a path that is as random as the session, and all pages lie below it.

use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::Response;
use subtle::ConstantTimeEq;

use crate::StudioError;
use crate::connections::Known;

/// The header that every change carries.
pub(crate) const OURS: &str = "x-velamen-studio";

/// What a page may load: its own scripts, styles and pictures, and nothing from elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 8] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::CACHE_CONTROL, "no-store"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
];

/// 256 random bits, in hexadecimal digits.
struct Secret(String);

impl Secret {
    fn fresh() -> Result<Self, StudioError> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| StudioError::Randomness(error.to_string()))?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// In a time that does not depend on where the texts differ.
    fn is(&self, other: &str) -> bool {
        self.0.as_bytes().ct_eq(other.as_bytes()).into()
    }
}

/// Who may use the studio: whoever has the printed token, once, and the cookie from then on.
pub(crate) struct Gate {
    port: u16,
    token: Secret,
    /// Whether the token was traded already.
    used: AtomicBool,
    cookie: Secret,
    /// The first half of a secret: where the pages lie.
    path: String,
    /// The page that is shown first.
    landing: &'static str,
}

impl Gate {
    /// A gate for a server on that port of the loopback address, that leads to the page `landing`.
    ///
    /// # Errors
    /// [`StudioError::Randomness`] if the system gives none.
    pub(crate) fn new(port: u16, landing: &'static str) -> Result<Self, StudioError> {
        let path = format!("/{}", &Secret::fresh()?.0[..32]);
        let (token, cookie) = (Secret::fresh()?, Secret::fresh()?);
        Ok(Self { port, token, used: AtomicBool::new(false), cookie, path, landing })
    }

    /// The path that all pages lie below: `/` and 32 digits.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The link to print, with the token.
    pub(crate) fn link(&self) -> String {
        format!("http://{}/?token={}", self.host(), self.token.0)
    }

    fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn cookie_name(&self) -> String {
        format!("velamen-studio-{}", self.port)
    }

    /// What becomes of a request: it passes, is sent to the pages, or is refused.
    fn judge(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Verdict {
        if !self.is_own_host(uri, headers) {
            return Verdict::Refused(StatusCode::FORBIDDEN, "The Host header is not this studio's address.");
        }
        let own_origin = self.is_own_origin(headers);
        let enters = method == Method::GET && uri.path() == "/";
        // Whoever has the token may come from anywhere: the file that opens the studio in the browser is another site.
        if enters && self.trade(uri.query().unwrap_or_default()) {
            return if own_origin { Verdict::Entered } else { Verdict::EnteredFromElsewhere };
        }
        if !own_origin {
            return Verdict::Refused(StatusCode::FORBIDDEN, "The request comes from another site.");
        }
        let has_cookie = self.has_cookie(headers);
        if enters && has_cookie {
            return Verdict::Entered;
        }
        if !has_cookie {
            return Verdict::Refused(StatusCode::FORBIDDEN, NO_COOKIE);
        }
        match *method {
            Method::GET => Verdict::Passes,
            Method::POST if self.is_ours(headers) => Verdict::Passes,
            Method::POST => Verdict::Refused(
                StatusCode::FORBIDDEN,
                "The request does not come from a page of this studio.",
            ),
            _ => Verdict::Refused(StatusCode::METHOD_NOT_ALLOWED, "Only GET and POST are known here."),
        }
    }

    /// One `Host`, and it is the address as a literal; so is a target that names its host.
    fn is_own_host(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let own = self.host();
        let named = uri.authority().is_none_or(|authority| authority.as_str() == own);
        named && only(headers, &header::HOST).is_some_and(|host| host == own)
    }

    /// Nothing in the request says that another origin made it. A person who follows a link or types it has none.
    fn is_own_origin(&self, headers: &HeaderMap) -> bool {
        let site = |site: &str| matches!(site, "same-origin" | "none");
        absent_or(headers, &SITE, site)
            && absent_or(headers, &header::ORIGIN, |origin| origin == self.origin())
    }

    /// Something in the request says that a page of ours made it, and it has our header.
    fn is_ours(&self, headers: &HeaderMap) -> bool {
        let site = only(headers, &SITE).is_some_and(|site| site == "same-origin");
        let origin = only(headers, &header::ORIGIN).is_some_and(|origin| origin == self.origin());
        (site || origin) && headers.contains_key(OURS)
    }

    fn origin(&self) -> String {
        format!("http://{}", self.host())
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let name = self.cookie_name();
        let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.filter(|(key, _)| *key == name).any(|(_, value)| self.cookie.is(value))
    }

    /// Takes the token, the first time only.
    fn trade(&self, query: &str) -> bool {
        let token = query.split('&').find_map(|pair| pair.strip_prefix("token="));
        token.is_some_and(|token| self.token.is(token)) && !self.used.swap(true, Ordering::SeqCst)
    }

    /// To the pages by a page: a browser that was sent here by another site would not show the cookie there.
    fn entered_from_elsewhere(&self) -> Response {
        let mut response = self.entered();
        let place = format!("{}/{}", self.path, self.landing);
        let icon = format!("{}/static/icon.svg", self.path);
        *response.status_mut() = StatusCode::OK;
        response.headers_mut().remove(header::LOCATION);
        let html = HeaderValue::from_static("text/html; charset=utf-8");
        response.headers_mut().insert(header::CONTENT_TYPE, html);
        *response.body_mut() = Body::from(crate::browser::forwarding(&place, &icon));
        response
    }

    /// To the pages, with the cookie.
    fn entered(&self) -> Response {
        let cookie = format!(
            "{}={}; Path={}; HttpOnly; SameSite=Strict",
            self.cookie_name(),
            self.cookie.0,
            self.path
        );
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SEE_OTHER;
        for (name, value) in
            [(header::SET_COOKIE, cookie), (header::LOCATION, format!("{}/{}", self.path, self.landing))]
        {
            // Hexadecimal digits and fixed words.
            response.headers_mut().extend(HeaderValue::from_str(&value).ok().map(|value| (name, value)));
        }
        response
    }
}

const NO_COOKIE: &str = "This studio belongs to one browser. If it is yours, start `velamen studio` again and paste the \
                         link that it prints into the address bar.";

const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// A header that stands once.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(first)
}

fn absent_or(headers: &HeaderMap, name: &HeaderName, holds: impl Fn(&str) -> bool) -> bool {
    !headers.contains_key(name) || only(headers, name).is_some_and(holds)
}

#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Passes,
    /// The token was given, or the cookie stands: on to the pages.
    Entered,
    /// The same, for whom another site sent.
    EnteredFromElsewhere,
    Refused(StatusCode, &'static str),
}

/// Stands before every route, and puts our headers on every answer.
pub(crate) async fn guard(
    State(gate): State<std::sync::Arc<Gate>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match gate.judge(request.method(), request.uri(), request.headers()) {
        Verdict::Passes => {
            note(&request);
            next.run(request).await
        }
        Verdict::Entered => {
            note(&request);
            gate.entered()
        }
        Verdict::EnteredFromElsewhere => {
            note(&request);
            gate.entered_from_elsewhere()
        }
        Verdict::Refused(status, why) => {
            let mut response = Response::new(Body::from(format!("{why}\n")));
            *response.status_mut() = status;
            response
                .headers_mut()
                .insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
            response
        }
    };
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// From here on the connection is the owner's.
fn note(request: &Request) {
    if let Some(known) = request.extensions().get::<Known>() {
        known.note();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORT: u16 = 4711;

    fn gate() -> Gate {
        Gate::new(PORT, "open").unwrap()
    }

    /// The verdict on a request with these headers; `@` stands for the cookie's value.
    fn verdict(gate: &Gate, method: Method, uri: &str, headers: &[(&str, &str)]) -> Verdict {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let value = value.replace('@', &gate.cookie.0);
            map.append(HeaderName::try_from(*name).unwrap(), value.parse().unwrap());
        }
        gate.judge(&method, &uri.parse().unwrap(), &map)
    }

    const HOST: (&str, &str) = ("host", "127.0.0.1:4711");
    const COOKIE: (&str, &str) = ("cookie", "velamen-studio-4711=@");
    const ORIGIN: (&str, &str) = ("origin", "http://127.0.0.1:4711");
    const HEADER: (&str, &str) = ("x-velamen-studio", "1");

    fn is_refused(verdict: &Verdict) -> bool {
        matches!(verdict, Verdict::Refused(..))
    }

    #[test]
    fn the_host_is_the_loopback_literal_and_stands_once() {
        let gate = gate();
        assert_eq!(verdict(&gate, Method::GET, "/x/open", &[HOST, COOKIE]), Verdict::Passes);
        for host in [
            "evil.test",
            "evil.test:4711",
            "localhost:4711",
            "127.0.0.1",
            "127.0.0.1:4712",
            "127.0.0.1.evil.test:4711",
        ] {
            let refused = verdict(&gate, Method::GET, "/x/open", &[("host", host), COOKIE]);
            assert!(is_refused(&refused), "{host}");
        }
        assert!(is_refused(&verdict(&gate, Method::GET, "/x/open", &[COOKIE])));
        assert!(is_refused(&verdict(&gate, Method::GET, "/x/open", &[HOST, HOST, COOKIE])));
        assert!(is_refused(&verdict(&gate, Method::GET, "http://evil.test/x/open", &[HOST, COOKIE])));
    }

    #[test]
    fn without_the_cookie_nothing_passes() {
        let gate = gate();
        let other = "0".repeat(64);
        for cookie in
            [&*format!("velamen-studio-4711={other}"), "velamen-studio-4712=@", "velamen-studio-4711=", "x=@"]
        {
            assert!(
                is_refused(&verdict(&gate, Method::GET, "/x/open", &[HOST, ("cookie", cookie)])),
                "{cookie}"
            );
        }
        assert!(is_refused(&verdict(&gate, Method::GET, "/x/open", &[HOST])));
        let among = ("cookie", "a=b; velamen-studio-4711=@; c=d");
        assert_eq!(verdict(&gate, Method::GET, "/x/open", &[HOST, among]), Verdict::Passes);
    }

    #[test]
    fn the_token_is_taken_once() {
        let gate = gate();
        let link = gate.link();
        let link = link.strip_prefix("http://127.0.0.1:4711").unwrap();
        assert_eq!(link.len(), "/?token=".len() + 64);
        for wrong in ["/", "/?token=", "/?token=0", &link[..link.len() - 1], &*format!("{link}0")] {
            assert!(is_refused(&verdict(&gate, Method::GET, wrong, &[HOST])), "{wrong}");
        }
        let rebound = verdict(&gate, Method::GET, link, &[("host", "evil.test:4711")]);
        assert!(is_refused(&rebound));
        assert_eq!(verdict(&gate, Method::GET, link, &[HOST]), Verdict::Entered);
        assert!(is_refused(&verdict(&gate, Method::GET, link, &[HOST])));
        assert_eq!(verdict(&gate, Method::GET, link, &[HOST, COOKIE]), Verdict::Entered);
    }

    #[test]
    fn a_file_leads_in_with_the_token_alone() {
        let (gate, elsewhere) = (gate(), ("sec-fetch-site", "cross-site"));
        let link = gate.link();
        let link = link.strip_prefix("http://127.0.0.1:4711").unwrap();
        assert!(is_refused(&verdict(&gate, Method::GET, "/?token=0", &[HOST, elsewhere])));
        assert!(is_refused(&verdict(&gate, Method::GET, "/", &[HOST, COOKIE, elsewhere])));
        assert!(is_refused(&verdict(&gate, Method::POST, link, &[HOST, elsewhere])));
        assert!(is_refused(&verdict(&gate, Method::GET, link, &[("host", "evil.test:4711"), elsewhere])));
        assert_eq!(verdict(&gate, Method::GET, link, &[HOST, elsewhere]), Verdict::EnteredFromElsewhere);
        assert!(is_refused(&verdict(&gate, Method::GET, link, &[HOST, elsewhere])));
    }

    #[test]
    fn changes_need_an_origin_and_a_header_of_ours() {
        let gate = gate();
        let site = ("sec-fetch-site", "same-origin");
        let post = |headers: &[(&str, &str)]| {
            verdict(&gate, Method::POST, "/x/undo", &[&[HOST, COOKIE], headers].concat())
        };
        assert_eq!(post(&[ORIGIN, HEADER]), Verdict::Passes);
        assert_eq!(post(&[site, HEADER]), Verdict::Passes);
        assert_eq!(post(&[ORIGIN, site, HEADER]), Verdict::Passes);
        for headers in [
            &[HEADER][..],
            &[ORIGIN],
            &[site],
            &[("origin", "null"), HEADER],
            &[("origin", "http://evil.test"), HEADER],
            &[("origin", "http://127.0.0.1:4712"), HEADER],
            &[("origin", "http://localhost:4711"), HEADER],
            &[("origin", "http://evil.test"), site, HEADER],
            &[ORIGIN, ("sec-fetch-site", "cross-site"), HEADER],
            &[("sec-fetch-site", "same-site"), HEADER],
            &[("sec-fetch-site", "none"), HEADER],
            &[ORIGIN, ORIGIN, HEADER],
        ] {
            assert!(is_refused(&post(headers)), "{headers:?}");
        }
    }

    #[test]
    fn pages_of_other_sites_read_nothing() {
        let gate = gate();
        for site in ["cross-site", "same-site", "sideways"] {
            let got = verdict(&gate, Method::GET, "/x/open", &[HOST, COOKIE, ("sec-fetch-site", site)]);
            assert!(is_refused(&got), "{site}");
        }
        for site in ["none", "same-origin"] {
            let got = verdict(&gate, Method::GET, "/x/open", &[HOST, COOKIE, ("sec-fetch-site", site)]);
            assert_eq!(got, Verdict::Passes, "{site}");
        }
    }

    #[test]
    fn other_verbs_are_unknown() {
        let gate = gate();
        for method in
            [Method::PUT, Method::DELETE, Method::OPTIONS, Method::PATCH, Method::HEAD, Method::TRACE]
        {
            let got = verdict(&gate, method.clone(), "/x/open", &[HOST, COOKIE, ORIGIN, HEADER]);
            assert!(matches!(got, Verdict::Refused(StatusCode::METHOD_NOT_ALLOWED, _)), "{method}");
        }
    }

    #[test]
    fn secrets_are_fresh_and_long() {
        let (one, other) = (gate(), gate());
        assert_ne!(one.link(), other.link());
        assert_ne!(one.path(), other.path());
        assert_eq!((one.cookie.0.len(), one.path().len()), (64, 33));
        assert_ne!(one.cookie.0, one.token.0);
    }
}
