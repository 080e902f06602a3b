//! The program `velamen`.

use std::process::ExitCode;

/// musl's allocator takes one lock for all threads, and glibc's takes a tenth more time and memory than this one.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(velamen_cli::run(std::env::args_os()))
}
