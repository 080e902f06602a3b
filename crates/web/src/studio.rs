//! The studio within a page: it is called, reads what is asked from a file in memory and writes its answer into others.
//!
//! | File | Holds |
//! |---|---|
//! | `/exchange/call.json` | what is asked |
//! | `/exchange/body` | the body of a request |
//! | `/exchange/answer.json` | the head of the answer, or why there is none |
//! | `/exchange/content` | its content |
//!
//! So no pointer passes between the page and the program. While a task runs, a line of standard output is the studio's own line of
//! how far it is, as HTML.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::{Value, json};
use velamen_studio::{Local, Question};

/// What the page asks for.
#[derive(Debug, Deserialize)]
#[serde(tag = "call", rename_all = "kebab-case")]
enum Call {
    /// An answer to a request.
    Answer(Question),
    /// What a page began and did not wait for.
    Work,
    /// What waits is left as if the person had stopped it.
    Stop,
}

/// Where files lie below a root: the page's memory has only one.
struct Places<'r> {
    root: &'r Path,
}

impl Places<'_> {
    fn exchange(&self, name: &str) -> PathBuf {
        self.root.join("exchange").join(name)
    }

    /// A studio over the folder that the person sees.
    fn studio(&self) -> Result<Local, String> {
        let own = |name: &str| self.root.join(name);
        tempfile::env::override_temp_dir(&own("tmp")).ok();
        Local::new(&own("files"), &own("own"), said).map_err(|error| error.to_string())
    }

    fn answered(&self, studio: &Local) -> Result<Value, String> {
        let text = std::fs::read(self.exchange("call.json")).map_err(|error| error.to_string())?;
        let call: Call = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
        match call {
            Call::Answer(question) => {
                let answer = self.question(studio, &question).map_err(|error| error.to_string())?;
                return serde_json::to_value(answer).map_err(|error| error.to_string());
            }
            Call::Work => studio.work(),
            Call::Stop => studio.stop(),
        }
        Ok(json!({}))
    }

    fn question(&self, studio: &Local, question: &Question) -> io::Result<velamen_studio::Answer> {
        let body = File::open(self.exchange("body")).ok();
        let mut content = BufWriter::new(File::create(self.exchange("content"))?);
        let answer = studio.answer(question, body, &mut content)?;
        content.flush()?;
        Ok(answer)
    }

    /// Writes what came of a call; whether that could be done.
    fn write(&self, answer: Result<Value, String>) -> bool {
        let answer = answer.unwrap_or_else(|failed| json!({ "failed": failed }));
        std::fs::write(self.exchange("answer.json"), answer.to_string()).is_ok()
    }
}

/// A line for the page.
fn said(line: &str) {
    let mut out = io::stdout().lock();
    // The page is there, or nobody is.
    let _gone = out.write_all(line.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
}

static STUDIO: OnceLock<Result<Local, String>> = OnceLock::new();

/// Does what the file says; `false` if not even the answer could be written.
pub fn call() -> bool {
    let places = Places { root: Path::new("/") };
    let studio = STUDIO.get_or_init(|| places.studio());
    places.write(studio.as_ref().map_err(Clone::clone).and_then(|studio| places.answered(studio)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_carry_questions_and_answers() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["files", "own", "exchange"] {
            std::fs::create_dir(root.path().join(folder)).unwrap();
        }
        let places = Places { root: root.path() };
        let studio = Local::new(&root.path().join("files"), &root.path().join("own"), said).unwrap();
        let ask = |call: &Value| {
            std::fs::write(places.exchange("call.json"), call.to_string()).unwrap();
            assert!(places.write(places.answered(&studio)));
            let answer = std::fs::read(places.exchange("answer.json")).unwrap();
            let content = std::fs::read_to_string(places.exchange("content")).unwrap_or_default();
            (serde_json::from_slice::<Value>(&answer).unwrap(), content)
        };
        let get = |address: &str| json!({ "call": "answer", "method": "GET", "address": address, "headers": [["accept-language", "de"]] });
        let (answer, page) = ask(&get("/open"));
        assert!(answer["status"] == 200 && page.contains("Tabelle öffnen"), "{page}");
        assert_eq!(ask(&json!({ "call": "work" })).0, json!({}));
        assert_eq!(ask(&get("/nowhere")).0["status"], 404);
        assert!(ask(&json!({ "call": "else" })).0["failed"].is_string());
    }
}
