//! What people read, as it stands: help, summaries, findings, messages.

use crate::common::{Folder, H_CEILING, Run};

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

/// The commands that a page of help lists.
fn listed(help: &str) -> Vec<String> {
    let lines =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // A description goes on further to the right.
    let named = lines.filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let names = named.filter_map(|line| line.split_whitespace().next()).map(str::to_owned);
    names.filter(|name| name != "help").collect()
}

/// The help of a command and of all under it, as the command line itself lists them.
fn walk(path: &[String]) -> usize {
    let arguments: Vec<&str> = path.iter().map(String::as_str).chain(["--help"]).collect();
    let page = help(&arguments);
    let name: Vec<&str> = ["help"].into_iter().chain(path.iter().map(String::as_str)).collect();
    insta::assert_snapshot!(name.join("-"), page);
    let under = listed(&page).into_iter().map(|command| walk(&[path, &[command]].concat()));
    1 + under.sum::<usize>()
}

#[test]
fn help_of_every_command() {
    let pages = walk(&[]);
    let kept = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/snapshots")).unwrap();
    let of_help = |name: &str| name.starts_with("it__snapshots__help") && name.ends_with(".snap");
    let kept = kept.filter(|file| of_help(file.as_ref().unwrap().file_name().to_str().unwrap())).count();
    assert_eq!(kept, pages, "a page of help for each snapshot");
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
