//! What the page of the studio calls by its name.

/// Does what `/exchange/call.json` says, and writes the answer beside it; 0 where that was possible.
// A name that the page knows is an attribute that no other function of the program may have: it has this one.
#[expect(unsafe_code, reason = "a function of that name is in no library below")]
#[unsafe(no_mangle)]
extern "C" fn velamen_studio_call() -> i32 {
    i32::from(!crate::studio::call())
}
