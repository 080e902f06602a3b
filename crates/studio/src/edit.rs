//! What is clicked is a change to the recipe's text: comments, order and spelling of all else stay.

use serde_json::{Map, Value as Json};
use toml_edit::{
    Array, ArrayOfTables, Decor, DocumentMut, InlineTable, Item, Table, TableLike, Value, value,
};
use velamen_recipe::JobError;

/// One change. A place is a list of keys; the elements of lists have numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// A value at a place, whatever stood there; tables on the way are made.
    Set(Vec<String>, Json),
    /// Nothing at a place.
    Remove(Vec<String>),
    /// One more table at the end of a list of tables, such as `[[privacy]]`.
    Push(Vec<String>, Json),
    /// No line of comment that begins with these words.
    DropComments(&'static str),
    /// No comment right above this header of a section.
    DropCommentAbove(&'static str),
}

/// A place, from words.
#[must_use]
pub fn at<const N: usize>(keys: [&str; N]) -> Vec<String> {
    keys.map(str::to_owned).to_vec()
}

/// The edits that take keys of an attribute out.
pub(crate) fn without(attribute: &str, keys: &[&str]) -> Vec<Edit> {
    keys.iter().map(|key| Edit::Remove(at(["attributes", attribute, key]))).collect()
}

impl Edit {
    /// A value at a place, or nothing where there is none.
    #[must_use]
    pub fn set_or_remove(place: Vec<String>, wanted: Option<Json>) -> Self {
        match wanted {
            Some(wanted) => Self::Set(place, wanted),
            None => Self::Remove(place),
        }
    }

    /// What a `key=value` of `--set` does, values in TOML.
    ///
    /// # Errors
    /// [`JobError::usage`] if it does not read.
    pub(crate) fn of_flag(pair: &str) -> Result<Self, JobError> {
        let wrong = || JobError::usage(format!("--set {pair}: a wrong value")).expected("key=value");
        let (keys, text) = velamen_recipe::places::key_and_value(pair).ok_or_else(wrong)?;
        let parsed: Value = text.trim().parse().unwrap_or_else(|_| Value::from(text));
        Ok(Self::Set(keys, json(&parsed)))
    }

    fn apply(&self, document: &mut DocumentMut) -> Result<(), JobError> {
        match self {
            Self::Set(place, wanted) => {
                let (last, parents) = place.split_last().ok_or_else(nowhere)?;
                set(parent(document.as_item_mut(), parents)?, last, wanted)
            }
            Self::Remove(place) => {
                let (last, parents) = place.split_last().ok_or_else(nowhere)?;
                remove(document.as_item_mut(), parents, last);
                Ok(())
            }
            Self::Push(place, wanted) => {
                let (last, parents) = place.split_last().ok_or_else(nowhere)?;
                push(parent(document.as_item_mut(), parents)?, last, wanted)
            }
            // Comments stand between what the document knows.
            Self::DropComments(_) | Self::DropCommentAbove(_) => Ok(()),
        }
    }
}

/// The text with changes made one after the other.
///
/// # Errors
/// [`JobError::usage`] if the text is no TOML, or a place is in what is no table.
pub(crate) fn edited(text: &str, edits: &[Edit]) -> Result<String, JobError> {
    let mut document: DocumentMut = text.parse().map_err(|_| {
        JobError::usage("the recipe's text is not TOML").mend("correct it by hand, or undo the last change")
    })?;
    let bare = !has_values(&document);
    edits.iter().try_for_each(|edit| edit.apply(&mut document))?;
    if bare && has_values(&document) {
        head_first(&mut document);
    }
    Ok(edits.iter().fold(document.to_string(), without_comments))
}

fn without_comments(text: String, edit: &Edit) -> String {
    match edit {
        Edit::DropComments(words) => {
            text.split_inclusive('\n').filter(|line| !line.starts_with(words)).collect()
        }
        Edit::DropCommentAbove(header) => without_comment_above(&text, header),
        _ => text,
    }
}

fn without_comment_above(text: &str, header: &str) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    if let Some(at) = lines.iter().position(|line| line.trim_end() == header) {
        let comment = lines[..at].iter().rev().take_while(|line| line.starts_with('#')).count();
        lines.drain(at - comment..at);
    }
    lines.concat()
}

/// Whether keys stand above all sections.
fn has_values(document: &DocumentMut) -> bool {
    document.iter().any(|(_, item)| item.is_value())
}

/// Lets the comment at the head of the text, such as the line that names the schema, stay above the first key: it belonged to
/// the first section.
fn head_first(document: &mut DocumentMut) {
    let sections = document.as_table_mut().iter_mut().filter_map(|(_, item)| item.as_table_mut());
    let Some(section) = sections.min_by_key(|section| section.position().unwrap_or(isize::MAX)) else {
        return;
    };
    let before = section.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default().to_owned();
    let (head, rest) = before.split_once("\n\n").unwrap_or((&before, ""));
    if head.trim().is_empty() {
        return;
    }
    section.decor_mut().set_prefix(format!("\n{rest}"));
    let head = format!("{}\n", head.trim_end());
    let first = document.as_table().iter().find(|(_, item)| item.is_value()).map(|(key, _)| key.to_owned());
    if let Some(mut key) = first.and_then(|first| document.as_table_mut().key_mut(&first)) {
        key.leaf_decor_mut().set_prefix(head);
    }
}

fn nowhere() -> JobError {
    JobError::usage("a change of the recipe needs a key")
}

fn no_table(key: &str) -> JobError {
    JobError::usage(format!("the recipe's `{key}` is not a table")).mend("correct the text by hand")
}

/// What keys lead to; tables that are missing are made, without headers of their own.
fn parent<'d>(item: &'d mut Item, keys: &[String]) -> Result<&'d mut Item, JobError> {
    let Some((key, rest)) = keys.split_first() else { return Ok(item) };
    if let Ok(index) = key.parse::<usize>()
        && matches!(item, Item::ArrayOfTables(_) | Item::Value(Value::Array(_)))
    {
        return parent(item.get_mut(index).ok_or_else(|| no_table(key))?, rest);
    }
    let is_inline = item.is_inline_table();
    let table = item.as_table_like_mut().ok_or_else(|| no_table(key))?;
    if table.get(key).is_none_or(Item::is_none) {
        let made = match is_inline {
            true => value(InlineTable::new()),
            // The header of the table below says it all.
            false => Item::Table({
                let mut made = Table::new();
                made.set_implicit(true);
                made
            }),
        };
        table.insert(key, made);
    }
    parent(table.get_mut(key).ok_or_else(|| no_table(key))?, rest)
}

fn set(item: &mut Item, key: &str, wanted: &Json) -> Result<(), JobError> {
    if let (Ok(index), Some(list)) = (key.parse::<usize>(), item.as_array_mut()) {
        if index >= list.len() {
            return Err(no_table(key));
        }
        list.replace(index, toml(wanted));
        return Ok(());
    }
    if let Some(table) = item.as_table_mut() {
        table.set_implicit(false);
    }
    let table = item.as_table_like_mut().ok_or_else(|| no_table(key))?;
    let mut new = toml(wanted);
    match table.get_mut(key) {
        Some(Item::Value(old)) => {
            // What was said of the hierarchy that stood here is not true of another one.
            let stale = key == "hierarchy" && old.to_string() != new.to_string();
            *new.decor_mut() = if stale { Decor::new(" ", "") } else { old.decor().clone() };
            *old = new;
            if stale && let Some(mut key) = table.key_mut(key) {
                key.leaf_decor_mut().set_prefix("");
            }
        }
        Some(other) => *other = value(new),
        None => {
            table.insert(key, value(new));
        }
    }
    Ok(())
}

fn remove(item: &mut Item, parents: &[String], last: &str) {
    let Some((key, rest)) = parents.split_first() else {
        match (last.parse::<usize>(), &mut *item) {
            (Ok(index), Item::ArrayOfTables(tables)) if index < tables.len() => {
                tables.remove(index);
            }
            (Ok(index), Item::Value(Value::Array(list))) if index < list.len() => {
                list.remove(index);
            }
            _ => {
                item.as_table_like_mut().and_then(|table| table.remove(last));
            }
        }
        return;
    };
    let next = match key.parse::<usize>() {
        Ok(index) if !item.is_table_like() => item.get_mut(index),
        _ => item.as_table_like_mut().and_then(|table| table.get_mut(key)),
    };
    if let Some(next) = next {
        remove(next, rest, last);
    }
}

fn push(item: &mut Item, key: &str, wanted: &Json) -> Result<(), JobError> {
    let table = item.as_table_like_mut().ok_or_else(|| no_table(key))?;
    if table.get(key).is_none_or(Item::is_none) {
        table.insert(key, Item::ArrayOfTables(ArrayOfTables::new()));
    }
    match table.get_mut(key) {
        Some(Item::ArrayOfTables(tables)) => tables.push(header_table(wanted)),
        Some(Item::Value(Value::Array(list))) => list.push(toml(wanted)),
        _ => return Err(no_table(key)),
    }
    Ok(())
}

/// A table with a header, for a list of tables.
fn header_table(wanted: &Json) -> Table {
    let mut table = Table::new();
    table.decor_mut().set_prefix("\n");
    for (key, wanted) in wanted.as_object().into_iter().flatten() {
        table.insert(key, value(toml(wanted)));
    }
    table
}

/// A JSON value as TOML writes it in one line; what is null is left out.
fn toml(json: &Json) -> Value {
    match json {
        Json::Null => Value::from(""),
        Json::Bool(truth) => Value::from(*truth),
        Json::Number(number) => {
            number.as_i64().map_or_else(|| Value::from(number.as_f64().unwrap_or_default()), Value::from)
        }
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::Array(match items.len() > 1 && items.iter().all(Json::is_array) {
            true => by_line(items),
            false => items.iter().map(toml).collect(),
        }),
        Json::Object(fields) => {
            let fields = fields.iter().filter(|(_, field)| !field.is_null());
            Value::InlineTable(fields.map(|(key, field)| (key.as_str(), toml(field))).collect())
        }
    }
}

/// A list of lists with one of them a line: the rows of a hierarchy.
fn by_line(items: &[Json]) -> Array {
    let mut lines: Array = items.iter().map(toml).collect();
    lines.iter_mut().for_each(|line| line.decor_mut().set_prefix("\n  "));
    lines.set_trailing("\n");
    lines.set_trailing_comma(true);
    lines
}

/// A value as recipes write it.
pub(crate) fn written(json: &Json) -> String {
    toml(json).to_string()
}

/// The keys of a section as they are written, those with values; of a list of tables the keys of each.
pub(crate) fn sections(text: &str, key: &str) -> Vec<Map<String, Json>> {
    let Ok(document) = text.parse::<DocumentMut>() else { return Vec::new() };
    match document.get(key) {
        Some(Item::ArrayOfTables(tables)) => tables.iter().map(|table| keys(table)).collect(),
        Some(Item::Value(Value::Array(list))) => {
            list.iter().filter_map(|one| Some(keys(one.as_inline_table()?))).collect()
        }
        Some(item) => item.as_table_like().map(keys).into_iter().collect(),
        None => Vec::new(),
    }
}

fn keys(table: &dyn TableLike) -> Map<String, Json> {
    table.iter().filter_map(|(key, item)| Some((key.to_owned(), json(item.as_value()?)))).collect()
}

/// A value that is written as recipes write it.
pub(crate) fn read_value(text: &str) -> Option<Json> {
    text.parse().ok().map(|value| json(&value))
}

fn json(value: &Value) -> Json {
    match value {
        Value::String(text) => Json::from(text.value().as_str()),
        Value::Integer(number) => Json::from(*number.value()),
        Value::Float(number) => Json::from(*number.value()),
        Value::Boolean(truth) => Json::from(*truth.value()),
        Value::Datetime(date) => Json::from(date.value().to_string()),
        Value::Array(items) => items.iter().map(json).collect(),
        Value::InlineTable(table) => table.iter().map(|(key, value)| (key.to_owned(), json(value))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TEXT: &str = "# A recipe.\n[input]\npath = \"t.csv\" # the table\n\n# Years.\n[attributes.age]\nrole = \"quasi-identifier\"\n\n\
                        [[privacy]]\nmodel = \"k-anonymity\"\nk = 5 # five\n\n[output]\npath = \"out\"\n";

    fn of(edit: Edit) -> String {
        edited(TEXT, &[edit]).unwrap()
    }

    #[test]
    fn a_change_leaves_all_else_as_it_is() {
        let text = of(Edit::Set(at(["privacy", "0", "k"]), json!(10)));
        assert_eq!(text, TEXT.replace("k = 5 # five", "k = 10 # five"));
        let text = of(Edit::Set(at(["attributes", "age", "role"]), json!("sensitive")));
        assert_eq!(text, TEXT.replace("quasi-identifier", "sensitive"));
        let text = of(Edit::Remove(at(["attributes", "age", "role"])));
        assert_eq!(text, TEXT.replace("role = \"quasi-identifier\"\n", ""));
        assert_eq!(of(Edit::Remove(at(["method", "h"]))), TEXT);
    }

    #[test]
    fn what_is_missing_is_made() {
        let text = of(Edit::Set(at(["attributes", "zip code", "role"]), json!("identifier")));
        assert!(text.contains("[attributes.\"zip code\"]\nrole = \"identifier\"\n"), "{text}");
        assert!(!text.contains("[attributes]\n"));
        let text = of(Edit::Set(
            at(["attributes", "age", "hierarchy"]),
            json!({"interval": [5, 10], "min": 0, "max": 99}),
        ));
        assert!(text.contains("hierarchy = { interval = [5, 10], min = 0, max = 99 }\n"), "{text}");
        let text = of(Edit::Push(at(["privacy"]), json!({"model": "t-closeness", "t": 0.2})));
        assert!(text.contains("k = 5 # five\n\n[[privacy]]\nmodel = \"t-closeness\"\nt = 0.2\n"), "{text}");
        let text = of(Edit::Remove(at(["privacy", "0"])));
        assert!(!text.contains("privacy"), "{text}");
        let text = of(Edit::Set(at(["method", "name"]), json!("optimal")));
        assert!(text.ends_with("[method]\nname = \"optimal\"\n"), "{text}");
    }

    #[test]
    fn the_line_of_the_schema_stays_first() {
        let text = format!("#:schema ./recipe.schema.json\n# Editors know it.\n\n{TEXT}");
        let edit = Edit::Set(at(["preset"]), json!("contract"));
        let made = edited(&text, std::slice::from_ref(&edit)).unwrap();
        let start = "#:schema ./recipe.schema.json\n# Editors know it.\npreset = \"contract\"\n\n# A recipe.\n[input]\n";
        assert!(made.starts_with(start), "{made}");
        assert_eq!(edited(&made, &[edit]).unwrap(), made);
        assert_eq!(
            edited("k = 1\n# x\n[a]\n", &[Edit::Set(at(["b"]), json!(2))]).unwrap(),
            "k = 1\nb = 2\n# x\n[a]\n"
        );
    }

    #[test]
    fn a_comment_of_a_hierarchy_goes_with_it() {
        let text = "[attributes.age]\nrole = \"quasi-identifier\"\n# Five years.\nhierarchy = { interval = [5] } # five\n";
        let place = at(["attributes", "age", "hierarchy"]);
        let made = edited(text, &[Edit::Set(place, json!({"interval": [10]}))]).unwrap();
        assert_eq!(made, "[attributes.age]\nrole = \"quasi-identifier\"\nhierarchy = { interval = [10] }\n");
    }

    #[test]
    fn comments_that_say_what_no_longer_holds_go() {
        let text = "# A = 1\n[attributes.age]\n# B\nrole = \"sensitive\"\n# A = 2\n\n[output]\n";
        let made = edited(text, &[Edit::DropComments("# A = ")]).unwrap();
        assert_eq!(made, "[attributes.age]\n# B\nrole = \"sensitive\"\n\n[output]\n");
        let text = "# A\n\n# B\n# C\n[output]\n# D\n";
        assert_eq!(edited(text, &[Edit::DropCommentAbove("[output]")]).unwrap(), "# A\n\n[output]\n# D\n");
    }

    #[test]
    fn tables_in_one_line_are_changed_too() {
        let text = "attributes = { age = { role = \"sensitive\" } }\nprivacy = [{ model = \"k-anonymity\", k = 2 }]\n";
        let edits = [
            Edit::Set(at(["attributes", "age", "weight"]), json!(2)),
            Edit::Set(at(["attributes", "sex", "role"]), json!("identifier")),
            Edit::Set(at(["privacy", "0", "k"]), json!(3)),
            Edit::Push(at(["privacy"]), json!({"model": "x"})),
        ];
        let text = edited(text, &edits).unwrap();
        assert_eq!(
            text,
            "attributes = { age = { role = \"sensitive\" , weight = 2 } , sex = { role = \"identifier\" } }\n\
             privacy = [{ model = \"k-anonymity\", k = 3 }, { model = \"x\" }]\n"
        );
    }

    #[test]
    fn rows_stand_one_a_line() {
        let rows = json!({"rows": [["a", "x", "*"], ["b", "x", "*"]]});
        let text = of(Edit::Set(at(["attributes", "age", "hierarchy"]), rows.clone()));
        let lines = "hierarchy = { rows = [\n  [\"a\", \"x\", \"*\"],\n  [\"b\", \"x\", \"*\"],\n] }\n";
        assert!(text.contains(lines), "{text}");
        assert_eq!(read_value(&written(&rows)), Some(rows));
    }

    #[test]
    fn flags_are_edits() {
        let edit = Edit::of_flag("attributes.\"a b\".level=2").unwrap();
        assert_eq!(edit, Edit::Set(at(["attributes", "a b", "level"]), json!(2)));
        assert!(Edit::of_flag("nothing").is_err());
    }

    #[test]
    fn what_is_no_table_is_refused() {
        assert!(edited("input = 3\n", &[Edit::Set(at(["input", "path"]), json!("x"))]).is_err());
        assert!(edited("[[", &[]).is_err());
    }
}
