//! A studio that runs, and requests written out by hand.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use velamen_studio::{Options, serve};

/// A studio on a thread of its own; it ends when it is dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) link: String,
    cancel: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    pub(crate) fn on(folder: Option<&Path>) -> Self {
        let cancel = Arc::new(AtomicBool::new(false));
        let (sender, links) = mpsc::channel();
        let options = Options { folder: folder.map(Path::to_owned), threads: 2 };
        let flag = Arc::clone(&cancel);
        let thread = std::thread::spawn(move || {
            serve(&options, &flag, |link| sender.send(link.to_owned()).unwrap()).unwrap();
        });
        let link = links.recv_timeout(Duration::from_secs(60)).unwrap();
        let address = link.strip_prefix("http://").unwrap().split('/').next().unwrap().parse().unwrap();
        Self { address, link, cancel, thread: Some(thread) }
    }

    /// The path and query of the link.
    pub(crate) fn token(&self) -> &str {
        &self.link[self.link.find("/?").unwrap()..]
    }

    /// Sends a request as it is written, and gives the whole answer.
    pub(crate) fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request).unwrap();
        let mut answer = Vec::new();
        // A server that refuses a body may close before all of it is taken.
        let _ended = stream.read_to_end(&mut answer);
        Answer(String::from_utf8_lossy(&answer).into_owned())
    }

    /// A request with these headers besides `Connection`, and a body.
    pub(crate) fn ask(&self, first: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut request = format!("{first} HTTP/1.1\r\nConnection: close\r\n");
        headers.iter().for_each(|(name, value)| request += &format!("{name}: {value}\r\n"));
        if !body.is_empty() {
            request += &format!("Content-Length: {}\r\n", body.len());
        }
        self.raw(format!("{request}\r\n{body}").as_bytes())
    }

    /// Trades the token for the cookie.
    pub(crate) fn entered(&self) -> Client<'_> {
        let host = self.address.to_string();
        let answer = self.ask(&format!("GET {}", self.token()), &[("Host", &host)], "");
        assert_eq!(answer.status(), 303, "{}", answer.0);
        let cookie = answer.header("set-cookie").unwrap().to_owned();
        let location = answer.header("location").unwrap();
        let base = location.rsplit_once('/').unwrap().0.to_owned();
        Client {
            studio: self,
            host,
            set_cookie: cookie.clone(),
            cookie: cookie.split(';').next().unwrap().into(),
            base,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}

/// A browser that has the cookie.
pub(crate) struct Client<'s> {
    pub(crate) studio: &'s Running,
    pub(crate) host: String,
    pub(crate) set_cookie: String,
    pub(crate) cookie: String,
    /// The path that all pages lie below.
    pub(crate) base: String,
}

impl Client<'_> {
    pub(crate) fn get(&self, page: &str) -> Answer {
        let first = format!("GET {}/{page}", self.base);
        self.studio.ask(&first, &[("Host", &self.host), ("Cookie", &self.cookie)], "")
    }

    pub(crate) fn post(&self, page: &str, body: &str) -> Answer {
        let (first, origin) = (format!("POST {}/{page}", self.base), format!("http://{}", self.host));
        let headers = [
            ("Host", &*self.host),
            ("Cookie", &self.cookie),
            ("Origin", &origin),
            ("X-Velamen-Studio", "1"),
            ("Content-Type", "application/x-www-form-urlencoded"),
        ];
        self.studio.ask(&first, &headers, body)
    }

    /// The page once it holds a text.
    pub(crate) fn until(&self, page: &str, text: &str) -> Answer {
        let began = Instant::now();
        loop {
            let answer = self.get(page);
            if answer.0.contains(text) {
                return answer;
            }
            assert!(began.elapsed() < Duration::from_secs(120), "{page} never has {text}: {}", answer.0);
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// A whole answer, head and body.
pub(crate) struct Answer(pub(crate) String);

impl Answer {
    pub(crate) fn status(&self) -> u16 {
        self.0.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let head = self.0.split("\r\n\r\n").next()?;
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The recipe's text, as the page shows it.
    pub(crate) fn recipe(&self) -> String {
        let (_, rest) = self.0.split_once("name=\"text\"").unwrap();
        let (_, rest) = rest.split_once('>').unwrap();
        let text = rest.split("</textarea>").next().unwrap();
        text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    }
}
