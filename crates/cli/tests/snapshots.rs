//! What people read, as it stands: help, summaries, findings, messages.

#![allow(clippy::unwrap_used, reason = "tests fail by panics")]

mod common;

use common::{Folder, H_CEILING, Run};

/// The text with what differs from run to run taken out.
fn plain(folder: &Folder, text: &str) -> String {
    let root = folder.root().display().to_string();
    text.replace(&root, "FOLDER").replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

fn help(arguments: &[&str]) -> String {
    let folder = Folder::new();
    let Run { out, .. } = folder.ok(arguments);
    plain(&folder, &out)
}

const COMMANDS: [&str; 15] = [
    "profile",
    "anonymize",
    "estimate",
    "attack",
    "verify",
    "measure",
    "compare",
    "audit",
    "leak",
    "risk",
    "truthful",
    "synth",
    "demo",
    "schema",
    "reproduce",
];

#[test]
fn help_of_every_command() {
    insta::assert_snapshot!("help", help(&["--help"]));
    for command in COMMANDS {
        insta::assert_snapshot!(format!("help-{command}"), help(&[command, "--help"]));
    }
    insta::assert_snapshot!("help-synth-nps", help(&["synth", "nps", "--help"]));
}

#[test]
fn version() {
    insta::assert_snapshot!(help(&["--version"]), @"velamen VERSION");
}

#[test]
fn summary_of_a_release() {
    let folder = Folder::with(H_CEILING);
    let run = folder.ok(&["anonymize", "recipe.toml", "--set", "privacy.0.k=25", "--set", "method.h=0.3"]);
    insta::assert_snapshot!(
        "anonymize",
        plain(&folder, &format!("{}--- standard error\n{}", run.out, run.err))
    );
    insta::assert_snapshot!("verify", folder.ok(&["verify", "release"]).out);
    let run = folder.ok(&["truthful", "release", "--output", "truthful.csv"]);
    insta::assert_snapshot!("truthful", run.out);
    let data = folder.read("release/data.csv");
    folder.write("release/data.csv", data.replacen(",F,", ",M,", 1));
    let run = folder.run(&["verify", "release"]);
    insta::assert_snapshot!("verify-broken", format!("{}--- standard error\n{}", run.out, run.err));
}

#[test]
fn figures_of_a_release() {
    let folder = Folder::with("name = \"optimal\"\nsuppression-limit = 0.1");
    folder.ok(&["anonymize", "recipe.toml", "--set", "privacy.0.k=12"]);
    insta::assert_snapshot!("compare", folder.ok(&["compare", "patients.csv", "release"]).out);
    insta::assert_snapshot!("measure-release", folder.ok(&["measure", "release"]).out);
}

#[test]
fn measures() {
    let folder = Folder::with(H_CEILING);
    let run = folder.ok(&["measure", "patients.csv", "--qi", "age,sex", "--sensitive", "diagnosis"]);
    insta::assert_snapshot!("measure", run.out);
}

#[test]
fn messages() {
    let folder = Folder::with(H_CEILING);
    let mut messages = String::new();
    let mut refuse = |arguments: &[&str]| {
        let run = folder.run(arguments);
        messages += &format!(
            "$ velamen {}\n{}exit code {}\n\n",
            arguments.join(" "),
            plain(&folder, &run.err),
            run.code
        );
    };
    let run = ["anonymize", "recipe.toml"];
    folder.write("july.csv", "age,sex,diagnosis\n31,F,I63\n310,F,I63\n");
    folder.write("august.csv", "age,sex,diagnosis\n31,F,I63\n41,F,I63\n51,M,I63\n61,M,I63\n71,M,J18\n");
    refuse(&[&run[..], &["--input", "june.csv"]].concat());
    refuse(&[&run[..], &["--input", "july.csv"]].concat());
    refuse(&[&run[..], &["--input", "august.csv", "--set", "method.h=0"]].concat());
    refuse(&[&run[..], &["--set", "method.hh=0.3"]].concat());
    refuse(&[&run[..], &["--set", "method.h=3"]].concat());
    refuse(&[&run[..], &["--set", "privacy.0.k=1000"]].concat());
    refuse(&[&run[..], &["--set", "method.h=0", "--set", "privacy.0.k=100"]].concat());
    refuse(&run);
    folder.write("recipe.toml", folder.read("recipe.toml").replace("k-anonymity", "k-anonimity"));
    refuse(&run);
    folder.write("recipe.toml", folder.read("recipe.toml").replace("role", "rôle"));
    refuse(&run);
    insta::assert_snapshot!("messages", messages);
}
