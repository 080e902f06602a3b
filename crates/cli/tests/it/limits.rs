//! The limits of h-ceiling through the command line: what is refused, what the refusal advises, what the checker counts.

use crate::common::{Folder, patients, recipe};

const RUN: [&str; 4] = ["anonymize", "recipe.toml", "--seed", "7"];

fn folder(method: &str) -> Folder {
    let folder = Folder::new();
    folder.write("patients.csv", patients());
    folder.write("recipe.toml", recipe(method).replace("k = 5", "k = 25"));
    folder
}

/// What stands behind `key = ` in a message.
fn advised(message: &str, key: &str) -> Option<f64> {
    let (_, advice) = message.split_once("would do: ")?;
    let (_, value) = advice.split_once(&format!("{key} = "))?;
    value.split([',', '\n']).next()?.trim().parse().ok()
}

#[test]
fn what_a_refusal_advises_would_do() {
    let folder = folder("name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.1");
    let refused = folder.run(&RUN);
    assert_eq!(refused.code, 3, "{}", refused.err);
    let mut followed = 0;
    for key in ["counterfeit-limit", "suppression-limit", "h"] {
        let Some(value) = advised(&refused.err, key) else { continue };
        let set = format!("method.{key}={value}");
        folder.ok(&[&RUN[..], &["--set", &set, "--overwrite"]].concat());
        followed += 1;
        // It is the least of the nodes looked at: a little less is refused.
        let less = format!("method.{key}={}", value - 0.002);
        assert_eq!(folder.run(&[&RUN[..], &["--set", &less, "--overwrite"]].concat()).code, 3, "{less}");
    }
    assert!(followed >= 2, "{}", refused.err);
}

#[test]
fn the_checker_counts_the_catalog_against_its_limit() {
    let folder = folder("name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.1\ncounterfeit-limit = 0.5");
    folder.ok(&RUN);
    folder.ok(&["verify", "release"]);
    let text = folder.read("release/release.json");
    let forged = text.replace("\"counterfeit-limit\": 0.5", "\"counterfeit-limit\": 0.05");
    assert_ne!(text, forged);
    folder.write("release/release.json", forged);
    let refused = folder.run(&["verify", "release"]);
    assert_eq!(refused.code, 3, "{}", refused.err);
    assert!(refused.out.contains("BROKEN       counterfeit-limit"), "{}", refused.out);
}
