//! Velamen in the browser: one file that opens by a double-click, with the program inside.
//!
//! The program is compiled for `wasm32-wasip1` and runs unchanged, in a worker of the page. Its files are in the memory of the
//! page: [browser_wasi_shim](https://github.com/bjorn3/browser_wasi_shim), which the page carries, is its system. Nothing is sent:
//! the page's policy forbids every connection, so that the browser itself refuses one.
//!
//! There are two programs: [`verification`] is what the page of recipients asks, and `studio.rs` the studio without a server. `cargo
//! xtask web` compiles them and makes the pages around them, from the files in `static`.

// Without what the page of the studio calls, the studio is left out of the program that verifies: it has two thirds of the size.
#[cfg(velamen_called)]
mod exports;
pub mod studio;
mod unpacked;
pub mod verification;
