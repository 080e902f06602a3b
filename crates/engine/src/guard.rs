//! Calls of libraries that panic on damaged input.
//!
//! What can be checked before is checked before, above all sizes: an allocation that fails ends the process, and nothing
//! catches that. A guard is for the rest. The libraries' state is dropped with the file that it was made for.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// What `work` comes to; `None` if it panicked. Its message is not printed, since it might hold a cell.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                before(panic);
            }
        }));
    });
    let outer = QUIET.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    QUIET.set(outer);
    done.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_none_and_later_ones_are_told() {
        assert_eq!(guarded(|| 7), Some(7));
        assert_eq!(guarded(|| Vec::<u8>::new()[1]), None);
        assert!(!QUIET.get());
        assert_eq!(guarded(|| guarded(|| Vec::<u8>::new()[1]).is_none() && QUIET.get()), Some(true));
    }
}
