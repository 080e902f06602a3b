//! The small part of SQL that counting queries are written in.
//!
//! ```text
//! query     = SELECT COUNT ( * ) [ FROM name ] [ WHERE condition { AND condition } ]
//!             [ GROUP BY name { , name } ] [ ; ]
//! condition = name ( = | <> | != | < | <= | > | >= ) value
//!           | name [ NOT ] BETWEEN value AND value
//!           | name [ NOT ] IN ( value { , value } )
//! ```
//! Keywords in any case. A name of letters, digits, `_`, `-` and `.` stands by itself, every other one in
//! double quotes; text in single quotes; a quote inside is doubled.
use velamen_core::error::Problem;

/// Where and why a query does not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrong {
    /// Counted from 1, in characters.
    pub(super) column: usize,
    pub(super) problem: Problem,
}

/// A value in a condition.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Literal {
    pub(super) text: String,
    pub(super) number: Option<f64>,
    pub(super) column: usize,
}

/// What a condition asks of one attribute.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Test {
    Between(Literal, Literal),
    In(Vec<Literal>),
    /// From the value on, itself included.
    AtLeast(Literal),
    /// Up to the value, itself included.
    AtMost(Literal),
}

/// A condition: a test, or that it fails.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Condition {
    pub(super) attribute: Name,
    pub(super) test: Test,
    pub(super) negated: bool,
}

/// An attribute's name and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) column: usize,
}

/// A query.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parsed {
    pub(super) conditions: Vec<Condition>,
    pub(super) group_by: Vec<Name>,
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    /// In double quotes.
    Name(String),
    /// In single quotes.
    Text(String),
    Number(String),
    Sign(&'static str),
}

const SIGNS: [&str; 12] = ["<>", "!=", "<=", ">=", "<", ">", "=", "(", ")", ",", "*", ";"];

/// Reads a query.
pub(super) fn parse(line: &str) -> Result<Parsed, Wrong> {
    let mut parser = Parser { tokens: tokens(line)?, at: 0, end: line.chars().count() + 1 };
    let parsed = parser.query()?;
    parser.skip(";");
    match parser.peek() {
        None => Ok(parsed),
        Some(_) => Err(parser.wrong("the end of the query; one query stands on one line")),
    }
}

/// A name as a query has to write it.
pub(super) fn quoted_name(name: &str) -> String {
    let plain = name.starts_with(char::is_alphabetic) && name.chars().all(in_word) && !is_keyword(name);
    if plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// Text as a query has to write it.
pub(super) fn quoted_text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn in_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '.')
}

fn is_keyword(word: &str) -> bool {
    let keywords = ["select", "count", "from", "where", "and", "not", "between", "in", "group", "by"];
    keywords.contains(&word.to_lowercase().as_str())
}

fn tokens(line: &str) -> Result<Vec<(Token, usize)>, Wrong> {
    let characters: Vec<char> = line.chars().collect();
    let (mut tokens, mut at) = (Vec::new(), 0);
    while let Some(&character) = characters.get(at) {
        if character.is_whitespace() {
            at += 1;
            continue;
        }
        let (token, next) = token(&characters, at)?;
        tokens.push((token, at + 1));
        at = next;
    }
    Ok(tokens)
}

/// The token that begins at a place, and the place after it.
fn token(characters: &[char], at: usize) -> Result<(Token, usize), Wrong> {
    let rest = &characters[at..];
    let digit = |place: usize| rest.get(place).is_some_and(char::is_ascii_digit);
    let point = |place: usize| rest.get(place) == Some(&'.') && digit(place + 1);
    let signed = matches!(rest[0], '-' | '+') && (digit(1) || point(1));
    match rest[0] {
        quote @ ('\'' | '"') => {
            let (text, length) = quoted(rest, quote).ok_or_else(|| Wrong {
                column: at + 1,
                problem: format!("the quote {quote} is never closed").into(),
            })?;
            Ok((if quote == '"' { Token::Name(text) } else { Token::Text(text) }, at + length))
        }
        _ if digit(0) || point(0) || signed => {
            let length = 1 + rest[1..].iter().take_while(|c| in_word(**c)).count();
            let text: String = rest[..length].iter().collect();
            match text.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok((Token::Number(text), at + length)),
                _ => Err(Wrong {
                    column: at + 1,
                    problem: Problem::new("not a number").mend("put text in single quotes"),
                }),
            }
        }
        first if first.is_alphabetic() || first == '_' => {
            let length = rest.iter().take_while(|c| in_word(**c)).count();
            Ok((Token::Word(rest[..length].iter().collect()), at + length))
        }
        _ => {
            let begins =
                |sign: &&&str| sign.chars().zip(rest).all(|(a, b)| a == *b) && sign.len() <= rest.len();
            let sign = SIGNS.iter().find(begins).ok_or_else(|| Wrong {
                column: at + 1,
                problem: "a character that no query has outside quotes".into(),
            })?;
            Ok((Token::Sign(sign), at + sign.len()))
        }
    }
}

/// What stands between quotes, and how many characters it takes with them.
fn quoted(rest: &[char], quote: char) -> Option<(String, usize)> {
    let (mut text, mut at) = (String::new(), 1);
    loop {
        let character = *rest.get(at)?;
        if character != quote {
            text.push(character);
            at += 1;
        } else if rest.get(at + 1) == Some(&quote) {
            text.push(quote);
            at += 2;
        } else {
            return Some((text, at + 1));
        }
    }
}

struct Parser {
    tokens: Vec<(Token, usize)>,
    at: usize,
    /// The column after the last character.
    end: usize,
}

impl Parser {
    fn query(&mut self) -> Result<Parsed, Wrong> {
        self.keyword("SELECT")?;
        self.keyword("COUNT")?;
        for sign in ["(", "*", ")"] {
            self.sign(sign)?;
        }
        if self.skip_keyword("FROM") {
            self.name()?;
        }
        let mut conditions = Vec::new();
        if self.skip_keyword("WHERE") {
            conditions.push(self.condition()?);
            while self.skip_keyword("AND") {
                conditions.push(self.condition()?);
            }
        }
        let mut group_by = Vec::new();
        if self.skip_keyword("GROUP") {
            self.keyword("BY")?;
            group_by.push(self.name()?);
            while self.skip(",") {
                group_by.push(self.name()?);
            }
        }
        Ok(Parsed { conditions, group_by })
    }

    fn condition(&mut self) -> Result<Condition, Wrong> {
        let attribute = self.name()?;
        let condition = |test, negated| Condition { attribute: attribute.clone(), test, negated };
        if let Some((Token::Sign(sign), _)) = self.peek() {
            let sign = *sign;
            if matches!(sign, "=" | "<>" | "!=" | "<" | "<=" | ">" | ">=") {
                self.at += 1;
                let value = self.value()?;
                return Ok(match sign {
                    "=" => condition(Test::In(vec![value]), false),
                    "<" => condition(Test::AtLeast(value), true),
                    "<=" => condition(Test::AtMost(value), false),
                    ">" => condition(Test::AtMost(value), true),
                    ">=" => condition(Test::AtLeast(value), false),
                    _ => condition(Test::In(vec![value]), true),
                });
            }
        }
        let negated = self.skip_keyword("NOT");
        if self.skip_keyword("BETWEEN") {
            let low = self.value()?;
            self.keyword("AND")?;
            return Ok(condition(Test::Between(low, self.value()?), negated));
        }
        if !self.skip_keyword("IN") {
            return Err(self.wrong("=, <>, <, <=, >, >=, BETWEEN or IN"));
        }
        self.sign("(")?;
        let mut values = vec![self.value()?];
        while self.skip(",") {
            values.push(self.value()?);
        }
        self.sign(")")?;
        Ok(condition(Test::In(values), negated))
    }

    fn name(&mut self) -> Result<Name, Wrong> {
        let (text, column) = match self.peek() {
            Some((Token::Name(text), column)) => (text.clone(), *column),
            Some((Token::Word(text), column)) if !is_keyword(text) => (text.clone(), *column),
            _ => {
                return Err(self.wrong("a name; one with other signs or a keyword's stands in double quotes"));
            }
        };
        self.at += 1;
        Ok(Name { text, column })
    }

    fn value(&mut self) -> Result<Literal, Wrong> {
        let (text, column) = match self.peek() {
            Some((Token::Text(text) | Token::Number(text), column)) => (text.clone(), *column),
            _ => return Err(self.wrong("a number, or text in single quotes")),
        };
        self.at += 1;
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        Ok(Literal { text, number, column })
    }

    fn peek(&self) -> Option<&(Token, usize)> {
        self.tokens.get(self.at)
    }

    fn skip(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Some((Token::Sign(own), _)) if *own == sign);
        self.at += usize::from(found);
        found
    }

    fn skip_keyword(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some((Token::Word(own), _)) if own.eq_ignore_ascii_case(word));
        self.at += usize::from(found);
        found
    }

    fn sign(&mut self, sign: &str) -> Result<(), Wrong> {
        if self.skip(sign) { Ok(()) } else { Err(self.wrong(sign)) }
    }

    fn keyword(&mut self, word: &str) -> Result<(), Wrong> {
        if self.skip_keyword(word) { Ok(()) } else { Err(self.wrong(word)) }
    }

    fn wrong(&self, expected: &str) -> Wrong {
        let column = self.peek().map_or(self.end, |(_, column)| *column);
        Wrong { column, problem: Problem::new("cannot be read from here on").expected(expected) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_reads() {
        let text = "select count(*) from t where age >= 60 AND \"a b\" not in ('x', 'it''s') \
                    and marital-status = 'S' and x < -1.5 and y between 2 and .5e1 group by age, sex;";
        let parsed = parse(text).unwrap();
        let names: Vec<&str> = parsed.conditions.iter().map(|c| c.attribute.text.as_str()).collect();
        assert_eq!(names, ["age", "a b", "marital-status", "x", "y"]);
        let Test::In(values) = &parsed.conditions[1].test else { panic!() };
        assert_eq!((values[1].text.as_str(), parsed.conditions[1].negated), ("it's", true));
        let Test::AtLeast(bound) = &parsed.conditions[3].test else { panic!() };
        assert_eq!((bound.number, parsed.conditions[3].negated), (Some(-1.5), true));
        assert_eq!(parsed.group_by.len(), 2);
        assert!(parse("SELECT COUNT(*)").unwrap().conditions.is_empty());
    }

    #[test]
    fn mistakes_have_a_column() {
        for (text, column, says) in [
            ("", 1, "SELECT"),
            ("SELECT SUM(x)", 8, "COUNT"),
            ("SELECT COUNT(*) WHERE age", 26, "BETWEEN"),
            ("SELECT COUNT(*) WHERE age > F", 29, "single quotes"),
            ("SELECT COUNT(*) WHERE é = 'x", 27, "never closed"),
            ("SELECT COUNT(*) WHERE a = 1 OR b = 2", 29, "end of the query"),
            ("SELECT COUNT(*) WHERE a = 3x", 27, "not a number"),
            ("SELECT COUNT(*) WHERE a IN (1 2)", 31, "expected )"),
            ("SELECT COUNT(*) WHERE a ? 1", 25, "outside quotes"),
            ("SELECT COUNT(*) GROUP age", 23, "BY"),
        ] {
            let wrong = parse(text).unwrap_err();
            assert_eq!(wrong.column, column, "{text}: {wrong:?}");
            assert!(wrong.problem.to_string().contains(says), "{text}: {wrong:?}");
        }
    }

    #[test]
    fn what_is_quoted_reads_back() {
        for text in ["plain", "two words", "a\"b", "group", "1st", "é"] {
            let line = format!("SELECT COUNT(*) WHERE {} = {}", quoted_name(text), quoted_text(text));
            let parsed = parse(&line).unwrap();
            assert_eq!(parsed.conditions[0].attribute.text, text);
            let Test::In(values) = &parsed.conditions[0].test else { panic!() };
            assert_eq!(values[0].text, text);
        }
    }

    #[test]
    fn a_mistake_anywhere_is_told_inside_the_line() {
        let text = "SELECT COUNT(*) FROM t WHERE a BETWEEN -1 AND 2.5 AND \"b\" NOT IN ('x') GROUP BY c";
        let characters: Vec<char> = text.chars().collect();
        for at in 0..=characters.len() {
            for other in ['\'', '"', '(', ',', '*', '<', '-', '.', '9', 'é', '\0', ' '] {
                let mut line = characters.clone();
                line.insert(at, other);
                for line in [&line[..], &line[..=at]] {
                    if let Err(wrong) = parse(&line.iter().collect::<String>()) {
                        assert!((1..=line.len() + 1).contains(&wrong.column), "{line:?}: {wrong:?}");
                    }
                }
            }
        }
    }
}
