//! What the workspace's own tests share. The tests are in `tests/`; nothing depends on this crate.

pub mod fuzz;
