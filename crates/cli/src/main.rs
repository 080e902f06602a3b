//! The program `velamen`.

use std::process::ExitCode;

/// The allocator of musl is slow where several threads work.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(velamen_cli::run(std::env::args_os()))
}
