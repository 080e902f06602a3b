//! Guards that functions and pages are as the definitions of the operations have them; `INSTA_UPDATE=always` writes them.

use std::path::Path;

use velamen_testsuite::fronts::fronts;

#[test]
fn functions_and_pages_follow_the_operations() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for front in fronts() {
        let (path, text) = (root.join(&front.path), front.text);
        if std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always") {
            std::fs::write(&path, &text).unwrap_or_else(|error| panic!("{}: {error}", front.path));
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            written == text,
            "{} is not as the operations have it: INSTA_UPDATE=always cargo nextest run -p velamen-testsuite fronts",
            front.path
        );
    }
}
