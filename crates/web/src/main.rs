//! The program within the page: a request in JSON as its only argument, an answer in JSON on standard output.

use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let request = std::env::args().nth(1).unwrap_or_default();
    let answer = velamen_web::verification::answer(&request);
    match std::io::stdout().write_all(answer.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
