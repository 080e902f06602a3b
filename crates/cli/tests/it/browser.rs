//! The report in a browser: nothing is loaded, nothing overflows, text does not overlap, and it prints.
//!
//! Needs Chromium; where there is none the tests say so and end. `CHROMIUM` names another program.

use crate::common;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Folder, H_CEILING, OPTIMAL};

/// Measures the page and writes what is wrong into it.
const MEASURE: &str = r#"<script>
addEventListener("load", () => {
  const wrong = [], width = document.documentElement.clientWidth;
  const name = e => e.tagName + "." + (e.getAttribute("class") || "") + " " + e.textContent.trim().slice(0, 40);
  if (document.documentElement.scrollWidth > width) wrong.push("the page scrolls sideways");
  for (const e of document.querySelectorAll("body *")) {
    if (e.parentElement.closest(".scroll")) continue;
    const box = e.getBoundingClientRect();
    if (box.width && (box.right > width + 1 || box.left < -1)) wrong.push("overflows: " + name(e));
  }
  for (const svg of document.querySelectorAll("figure svg")) {
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].map(t => [t.textContent.trim(), t.getBoundingClientRect()])
      .filter(([words]) => words);
    texts.forEach(([words, box], i) => {
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 ||
          box.bottom > frame.bottom + 1) wrong.push("leaves its picture: " + words);
      for (const [other, b] of texts.slice(i + 1)) {
        const across = Math.min(box.right, b.right) - Math.max(box.left, b.left);
        const down = Math.min(box.bottom, b.bottom) - Math.max(box.top, b.top);
        if (across > 2 && down > 4) wrong.push("overlap: " + words + " and " + other);
      }
    });
    if (!svg.querySelector("title") || !svg.querySelector("desc")) wrong.push("a picture is not described");
  }
  if (width >= 1000 && document.querySelectorAll(".glance dt").length !== 8) wrong.push("the first figures are not all there");
  for (const e of document.querySelectorAll(".glance > div")) {
    if (width >= 1000 && e.getBoundingClientRect().bottom > innerHeight) wrong.push("below the first screen: " + name(e));
  }
  for (const a of document.querySelectorAll("a")) {
    if (!document.querySelector(a.getAttribute("href"))) wrong.push("leads nowhere: " + name(a));
  }
  document.body.setAttribute("data-measured", "measured " + width + ": " + wrong.join("; "));
});
</script>"#;

/// The browser, if the machine has one.
fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let folders: Vec<PathBuf> =
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let browser = named.into_iter().chain(found).find(|path| path.is_file());
    if browser.is_none() {
        common::left_out("Chromium");
    }
    browser
}

/// Standard output and error of a run without a window and without a network.
fn run(browser: &Path, folder: &Folder, arguments: &[&str], page: &Path) -> (String, String) {
    let profile = tempfile::tempdir_in(folder.root()).unwrap();
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
        ])
        .args(["--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(arguments)
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

/// Measures one page in a window.
fn measure(browser: &Path, folder: &Folder, name: &str, size: &str, width: &str) {
    let policy = "http-equiv=\"Content-Security-Policy\"";
    let html = folder.read(name).replace(policy, "name=\"policy\"");
    folder.write("measured.html", html.replace("</body>", &format!("{MEASURE}</body>")));
    let (dom, _) = run(browser, folder, &["--dump-dom", size], &folder.path("measured.html"));
    let measured = dom.split("data-measured=\"").nth(1).and_then(|rest| rest.split('"').next());
    let measured = measured.unwrap_or("the page was not measured");
    assert!(measured.starts_with(&format!("measured {width}: ")), "{name}: {measured}");
    assert_eq!(measured.split_once(": ").unwrap().1, "", "{name} at {width}");
}

/// Looks at one page: as it is, measured on a desk and on a phone, and printed.
fn look_at(browser: &Path, folder: &Folder, name: &str) {
    let page = folder.path(name);
    let html = folder.read(name);
    let outside = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!outside.contains("://"), "{name} names an address");
    let (_, console) = run(browser, folder, &["--dump-dom", "--window-size=1000,800"], &page);
    assert!(!console.contains(":CONSOLE"), "{name}: {console}");
    let policy = "http-equiv=\"Content-Security-Policy\"";
    assert!(html.contains(policy));
    for (size, width) in [("--window-size=1000,800", "1000"), ("--window-size=520,900", "520")] {
        measure(browser, folder, name, size, width);
    }
    let pdf = folder.path("page.pdf");
    run(browser, folder, &[&format!("--print-to-pdf={}", pdf.display())], &page);
    let pdf = std::fs::read(pdf).unwrap();
    assert!(pdf.starts_with(b"%PDF"));
    let pages = pdf.windows(11).filter(|bytes| *bytes == b"/Type /Page").count()
        - pdf.windows(12).filter(|bytes| *bytes == b"/Type /Pages").count();
    assert!((3..60).contains(&pages), "{name}: {pages} pages");
}

/// Risk, size of groups, what protects the sensitive columns, loss, suppressed records and thresholds are seen without scrolling,
/// whatever the method.
#[test]
fn the_first_figures_are_on_the_first_screen() {
    let Some(browser) = browser() else { return };
    for method in [
        "optimal",
        "best-first",
        "iterated-local-search",
        "mondrian",
        "mdav",
        "k-member",
        "ce-mi-clustering",
        "iab",
    ] {
        let folder = Folder::with(OPTIMAL);
        folder.ok(&["anonymize", "recipe.toml", "--set", &format!("method.name={method}")]);
        measure(&browser, &folder, "release/report.html", "--window-size=1280,800", "1280");
    }
}

#[test]
fn both_reports_can_be_read_on_desk_and_phone_and_printed() {
    let Some(browser) = browser() else { return };
    let folder = Folder::with(H_CEILING);
    folder.ok(&["anonymize", "recipe.toml"]);
    look_at(&browser, &folder, "release/report.html");
    look_at(&browser, &folder, "release.custodian/custodian-report.html");
}

#[test]
fn twenty_attributes_with_hostile_names_do_not_break_the_page() {
    let Some(browser) = browser() else { return };
    let folder = Folder::new();
    let (table, recipe) = wide();
    folder.write("wide.csv", table);
    folder.write("recipe.toml", recipe);
    folder.ok(&["anonymize", "recipe.toml"]);
    look_at(&browser, &folder, "release/report.html");
}

/// Twenty columns whose names and values are long, or markup, or both.
fn wide() -> (String, String) {
    let hostile = ["<script>alert(1)</script>", "</style><b>", "a & b 'c'", "https", "x\u{202e}y"];
    let mut names: Vec<String> = hostile.iter().map(|name| (*name).to_owned()).collect();
    names.push("a_very_long_name_without_any_space_that_no_table_can_break_at_a_good_place".to_owned());
    names
        .push("many words that stand in a row so that a name is longer than any line of the page".to_owned());
    names.extend((names.len()..20).map(|index| format!("column {index}")));
    let mut table = names.join(",") + "\n";
    for row in 0..400usize {
        let cell = |column: usize| match column {
            0 => format!("<img src=x onerror=alert({})>", row % 2),
            5 => format!("{}{}", "long".repeat(30), row % 3),
            other => format!("v{}", row / (other + 1) % 2),
        };
        table += &((0..20).map(cell).collect::<Vec<_>>().join(",") + "\n");
    }
    let mut recipe = "[input]\npath = \"wide.csv\"\n".to_owned();
    let intended = "identifier-like = \"intended\"";
    for (index, name) in names.iter().enumerate() {
        let role = if index < 8 { "quasi-identifier" } else { "sensitive" };
        recipe += &format!("[attributes.{}]\nrole = \"{role}\"\n{intended}\n", toml_key(name));
    }
    recipe += "[[privacy]]\nmodel = \"k-anonymity\"\nk = 3\n[method]\nname = \"optimal\"\nsuppression-limit = 0.1\n";
    (table, recipe + "[output]\npath = \"release\"\n")
}

/// A quoted key: JSON's escapes are TOML's.
fn toml_key(name: &str) -> String {
    serde_json::to_string(name).unwrap()
}
