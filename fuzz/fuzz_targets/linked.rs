#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| velamen_testsuite::fuzz::linked(bytes));
