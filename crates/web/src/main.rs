//! The program within the page: a request in JSON as its only argument, an answer in JSON on standard output.

use std::io::Write as _;
use std::process::ExitCode;

/// A folder beside that of the release; names of files cannot hold a slash, and so lead to no other.
const TEMPORARY: &str = ".velamen-temporary";

fn main() -> ExitCode {
    let request = std::env::args().nth(1).unwrap_or_default();
    // The page's memory has no place for temporary files but one that is made. Without it what needs one says so.
    let _made = std::fs::create_dir(TEMPORARY).map(|()| tempfile::env::override_temp_dir(TEMPORARY.as_ref()));
    let answer = velamen_web::verification::answer(&request);
    match std::io::stdout().write_all(answer.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
