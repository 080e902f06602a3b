//! The person's own browser, which the studio opens at its start.
//!
//! A link given to a program can be read by everybody on the machine in the list of processes, and the token in it is worth the
//! table. So the browser is given a file that nobody else can read, which leads to the link.

use std::io::Write;

use maud::{DOCTYPE, html};
use tempfile::{NamedTempFile, TempPath};

/// Whether there is a desktop that could open a browser: none is where only a terminal is reached over the network.
#[must_use]
pub fn has_desktop() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if set("SSH_CONNECTION") {
        return false;
    }
    cfg!(any(windows, target_os = "macos")) || set("DISPLAY") || set("WAYLAND_DISPLAY")
}

/// Opens a link in the browser, without waiting for it. The file that leads to it is gone with what is returned.
///
/// # Errors
/// If the file cannot be written, or the system knows no browser.
pub fn open(link: &str) -> std::io::Result<TempPath> {
    // Only its owner may read it.
    let mut file: NamedTempFile =
        tempfile::Builder::new().prefix("velamen-studio-").suffix(".html").tempfile()?;
    file.write_all(forwarding(link, "data:,").as_bytes())?;
    let path = file.into_temp_path();
    open::that_detached(&path)?;
    Ok(path)
}

/// A page that leads to another one. Without a picture of its own the browser would ask for one where none is.
pub(crate) fn forwarding(link: &str, icon: &str) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="referrer" content="no-referrer";
                link rel="icon" href=(icon);
                meta http-equiv="refresh" content={ "0; url=" (link) };
                title { "Velamen studio" }
            }
            body { p { a href=(link) { "Open the studio" } } }
        }
    }
    .into_string()
}
