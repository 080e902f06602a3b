//! Names of tables and columns, as they stand: nothing in them is SQL.

use std::str::FromStr;

use velamen_core::error::Problem;

use crate::DatabaseError;

/// A table's name, with its schema if one is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableName {
    pub(crate) schema: Option<String>,
    pub(crate) table: String,
}

impl std::fmt::Display for TableName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(schema) = &self.schema {
            write!(f, "{}.", quoted(schema))?;
        }
        f.write_str(&quoted(&self.table))
    }
}

impl FromStr for TableName {
    type Err = DatabaseError;

    /// `table` or `schema.table`. Each part is taken as it stands, capitals and blanks too; one with a
    /// dot or a quote in it stands in double quotes, and quotes in it are doubled.
    fn from_str(text: &str) -> Result<Self, DatabaseError> {
        let mut parts = Vec::new();
        let mut rest = Some(text);
        while let Some(text) = rest {
            let (part, after) = part(text).ok_or_else(|| refused("quotes do not match"))?;
            parts.push(part);
            rest = after;
        }
        if parts.iter().any(|part| part.is_empty() || part.contains('\0')) {
            return Err(refused("a part is empty or has a NUL character"));
        }
        match <[String; 1]>::try_from(parts) {
            Ok([table]) => Ok(Self { schema: None, table }),
            Err(parts) => match <[String; 2]>::try_from(parts) {
                Ok([schema, table]) => Ok(Self { schema: Some(schema), table }),
                Err(_) => Err(refused("more than two parts")),
            },
        }
    }
}

fn refused(problem: &str) -> DatabaseError {
    DatabaseError::Recipe(Problem::new(problem).expected("table or schema.table"))
}

/// The first part and what follows its dot; `None` if its quotes do not match.
fn part(text: &str) -> Option<(String, Option<&str>)> {
    let Some(inner) = text.strip_prefix('"') else {
        let (part, rest) = text.split_once('.').map_or((text, None), |(part, rest)| (part, Some(rest)));
        return (!part.contains('"')).then(|| (part.to_owned(), rest));
    };
    let mut name = String::new();
    let mut chars = inner.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        match (char, chars.peek()) {
            ('"', Some((_, '"'))) => {
                name.push('"');
                chars.next();
            }
            ('"', None) => return Some((name, None)),
            ('"', Some((_, '.'))) => return Some((name, Some(&inner[at + 2..]))),
            ('"', Some(_)) => return None,
            _ => name.push(char),
        }
    }
    None
}

/// An identifier in SQL: in double quotes, which are doubled inside.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_as_they_stand() {
        for (text, schema, table) in [
            ("release", None, "release"),
            ("public.release", Some("public"), "release"),
            ("Meine Freigabe.2026", Some("Meine Freigabe"), "2026"),
            ("\"a.b\".\"c\"\"d\"", Some("a.b"), "c\"d"),
            ("x; DROP TABLE y", None, "x; DROP TABLE y"),
            ("\".\"", None, "."),
        ] {
            let name: TableName = text.parse().unwrap();
            assert_eq!((name.schema.as_deref(), name.table.as_str()), (schema, table), "{text}");
            assert_eq!(name.to_string().parse::<TableName>().unwrap(), name);
        }
        for wrong in ["", ".", "a.", ".a", "a.b.c", "\"a", "\"a\"b", "a\"b", "a\0b", "\"\""] {
            assert!(wrong.parse::<TableName>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn quotes_cannot_be_left() {
        assert_eq!(quoted("a\"; DROP TABLE b; --"), "\"a\"\"; DROP TABLE b; --\"");
    }
}
