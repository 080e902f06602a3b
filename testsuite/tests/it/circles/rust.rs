//! What the files of a crate name of each other.

use std::collections::{BTreeMap, BTreeSet};

use super::Uses;
use super::tokens::{item, tokens};

/// The path of a module in its crate, or of a name.
type Names = Vec<String>;

/// Re-exports that are followed for one name, before it counts as defined where the last one stands.
const MOST_STEPS: usize = 16;

/// Per file below `src` what it uses of the others.
pub(crate) fn uses(files: &BTreeMap<String, String>) -> Uses {
    Tree(files.iter().map(|(path, text)| (module(path), Source::of(path, text))).collect()).uses()
}

/// The module of a file: `a/b.rs` and `a/b/mod.rs` are `a::b`.
pub(super) fn module(path: &str) -> Vec<String> {
    let mut names: Names = path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if names.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        names.pop();
    }
    names
}

/// A source file, as far as names go.
#[derive(Default)]
struct Source {
    path: String,
    /// What is imported, under the name that it has here.
    imported: BTreeMap<String, Names>,
    /// What is named by a path.
    named: BTreeSet<Names>,
}

impl Source {
    fn of(path: &str, text: &str) -> Self {
        let tokens = tokens(text);
        let mut source = Self { path: path.to_owned(), ..Self::default() };
        let mut at = 0;
        while at < tokens.len() {
            if tokens[at] == "use" {
                let end = at + item(&tokens[at..]);
                source.import(&[], &tokens[at + 1..end]);
                at = end;
            } else {
                at += source.path_at(&tokens[at..]);
            }
        }
        source
    }

    /// Takes the path that stands here; gives the number of its tokens, at least one.
    fn path_at(&mut self, tokens: &[String]) -> usize {
        let mut names = vec![tokens[0].clone()];
        while tokens.get(2 * names.len() - 1).is_some_and(|t| t == "::") {
            match tokens.get(2 * names.len()) {
                Some(next) if is_name(next) => names.push(next.clone()),
                _ => break,
            }
        }
        let length = 2 * names.len() - 1;
        if length > 1 && is_name(&tokens[0]) {
            self.named.insert(names);
        }
        length
    }

    /// Takes one tree of imports, which stands behind what was read before it.
    fn import(&mut self, before: &[String], tree: &[String]) {
        let mut path = before.to_vec();
        let mut rest = tree;
        while let Some((first, after)) = rest.split_first() {
            match first.as_str() {
                "{" => return branches(after).iter().for_each(|branch| self.import(&path, branch)),
                "as" => {
                    let name = after.first().cloned().unwrap_or_default();
                    self.imported.insert(name, path);
                    return;
                }
                "*" => return,
                "self" if !path.is_empty() => {}
                name if is_name(name) => path.push(first.clone()),
                _ => {}
            }
            rest = after;
        }
        if let Some(name) = path.last().cloned() {
            self.imported.insert(name, path);
        }
    }
}

/// The parts of a group of imports, between its commas.
fn branches(tokens: &[String]) -> Vec<Names> {
    let mut parts = vec![Vec::new()];
    let mut depth = 0_usize;
    for token in tokens {
        match (token.as_str(), depth) {
            ("}", 0) => break,
            (",", 0) => {
                parts.push(Vec::new());
                continue;
            }
            ("{", _) => depth += 1,
            ("}", _) => depth -= 1,
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(token.clone());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The modules of a crate.
struct Tree(BTreeMap<Names, Source>);

impl Tree {
    /// A path as the crate has it, from the module that writes it; `None` for what is of another crate.
    fn absolute(&self, module: &[String], path: &[String], steps: usize) -> Option<Names> {
        let (first, rest) = path.split_first()?;
        let beside = [module, std::slice::from_ref(first)].concat();
        let imported = self.0.get(module).and_then(|source| source.imported.get(first));
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([module, rest].concat()),
            "super" => match module.split_last() {
                Some((_, above)) if rest.first().is_some_and(|next| next == "super") => {
                    self.absolute(above, rest, steps)
                }
                above => above.map(|(_, above)| [above, rest].concat()),
            },
            _ if !rest.is_empty() && self.0.contains_key(&beside) => Some([module, path].concat()),
            _ => match imported {
                Some(target) if steps < MOST_STEPS && target != path => {
                    self.absolute(module, &[target, rest].concat(), steps + 1)
                }
                _ => None,
            },
        }
    }

    /// The module that defines what an absolute path names; `None` for a module itself.
    fn home(&self, path: &[String], steps: usize) -> Option<&Names> {
        let depth = (0..=path.len()).rev().find(|depth| self.0.contains_key(&path[..*depth]))?;
        // A module and a function may share a name; the function is then re-exported beside the module.
        let depth = if depth == path.len() { depth.checked_sub(1)? } else { depth };
        let (module, source) = self.0.get_key_value(&path[..depth])?;
        let name = &path[depth];
        let further = source.imported.get(name).filter(|_| steps < MOST_STEPS);
        let target = further.and_then(|target| {
            let target = [target.as_slice(), &path[depth + 1..]].concat();
            self.absolute(module, &target, 0).filter(|target| target != path)
        });
        match target {
            Some(target) => self.home(&target, steps + 1),
            None if self.0.contains_key(path) => None,
            None => Some(module),
        }
    }

    fn uses(&self) -> Uses {
        let mut uses = Uses::new();
        for (module, source) in &self.0 {
            let used = uses.entry(source.path.clone()).or_default();
            for path in source.imported.values().chain(&source.named) {
                let home = self.absolute(module, path, 0).and_then(|path| self.home(&path, 0));
                if let (Some(home), Some(name)) = (home.filter(|home| *home != module), path.last()) {
                    used.entry(self.0[home].path.clone()).or_default().insert(name.clone());
                }
            }
        }
        uses
    }
}
