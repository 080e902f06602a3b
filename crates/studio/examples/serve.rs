//! The studio without the command line, for tests in a browser: `serve [DIR]` prints the link and ends with its input.
#![allow(clippy::print_stdout, reason = "it prints the link")]

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use velamen_studio::{Options, StudioError, serve};

fn main() -> Result<(), StudioError> {
    let folder = std::env::args_os().nth(1).map(Into::into);
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cancel);
    std::thread::spawn(move || {
        let mut input = Vec::new();
        let _ended = std::io::stdin().read_to_end(&mut input);
        flag.store(true, Ordering::Relaxed);
    });
    serve(&Options { folder, threads: 2 }, &cancel, |link| println!("{link}"))
}
