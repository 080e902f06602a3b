//! Formulas such as `stay ~ age + sex`.

/// What stands left of `~`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// An attribute.
    Attribute(String),
    /// `Surv(time, event)`.
    Survival {
        /// How long.
        time: String,
        /// Whether the event came.
        event: String,
    },
}

/// What stands right of `~`, between `+`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The attribute.
    pub attribute: String,
    /// Whether each of its values has a column, by `factor(…)`; without it text has.
    pub factor: bool,
}

/// A formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula {
    /// The left side.
    pub outcome: Outcome,
    /// The right side; none for `~ 1`.
    pub terms: Vec<Term>,
}

/// Why a text is no formula.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {problem}")]
pub struct FormulaError {
    /// The character, from 1.
    pub column: usize,
    /// What is wrong there.
    pub problem: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Name(String),
    Sign(char),
}

struct Reader {
    tokens: Vec<(usize, Token)>,
    at: usize,
    end: usize,
}

impl std::str::FromStr for Formula {
    type Err = FormulaError;

    fn from_str(text: &str) -> Result<Self, FormulaError> {
        let mut reader = Reader { tokens: tokens(text)?, at: 0, end: text.chars().count() + 1 };
        let outcome = reader.outcome()?;
        reader.sign('~', "`~` is missing between outcome and terms")?;
        let terms = reader.terms()?;
        match reader.peek() {
            None => Ok(Self { outcome, terms }),
            Some(_) => Err(reader.error("`+` or the end was expected")),
        }
    }
}

impl Reader {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(_, token)| token)
    }

    fn error(&self, problem: &'static str) -> FormulaError {
        let column = self.tokens.get(self.at).map_or(self.end, |(column, _)| *column);
        FormulaError { column, problem }
    }

    fn takes(&mut self, sign: char) -> bool {
        let found = self.peek() == Some(&Token::Sign(sign));
        self.at += usize::from(found);
        found
    }

    fn sign(&mut self, sign: char, problem: &'static str) -> Result<(), FormulaError> {
        if self.takes(sign) { Ok(()) } else { Err(self.error(problem)) }
    }

    fn name(&mut self) -> Result<String, FormulaError> {
        match self.peek() {
            Some(Token::Name(name)) => {
                let name = name.clone();
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.error("the name of an attribute was expected")),
        }
    }

    fn outcome(&mut self) -> Result<Outcome, FormulaError> {
        let name = self.name()?;
        if !self.takes('(') {
            return Ok(Outcome::Attribute(name));
        }
        if name != "Surv" {
            self.at -= 2;
            return Err(self.error("the only function of an outcome is `Surv(time, event)`; a name with blanks or signs stands in backticks"));
        }
        let time = self.name()?;
        self.sign(',', "`Surv` needs a time and an event")?;
        let event = self.name()?;
        self.sign(')', "`)` was expected")?;
        Ok(Outcome::Survival { time, event })
    }

    fn terms(&mut self) -> Result<Vec<Term>, FormulaError> {
        if self.peek() == Some(&Token::Name("1".into())) {
            self.at += 1;
            return Ok(Vec::new());
        }
        let mut terms: Vec<Term> = Vec::new();
        loop {
            let term = self.term()?;
            if terms.iter().any(|known| known.attribute == term.attribute) {
                self.at -= 1;
                return Err(self.error("an attribute stands twice among the terms"));
            }
            terms.push(term);
            if !self.takes('+') {
                return Ok(terms);
            }
        }
    }

    fn term(&mut self) -> Result<Term, FormulaError> {
        let name = self.name()?;
        if !self.takes('(') {
            return Ok(Term { attribute: name, factor: false });
        }
        if name != "factor" {
            self.at -= 2;
            return Err(self.error(
                "the only function of a term is `factor(…)`; a name with blanks or signs stands in backticks",
            ));
        }
        let attribute = self.name()?;
        self.sign(')', "`)` was expected")?;
        Ok(Term { attribute, factor: true })
    }
}

/// Names are letters, digits, `_`, `-` and `.`; others stand between backticks.
fn tokens(text: &str) -> Result<Vec<(usize, Token)>, FormulaError> {
    let characters: Vec<char> = text.chars().collect();
    let (mut at, mut tokens) = (0, Vec::new());
    while at < characters.len() {
        let (column, character) = (at + 1, characters[at]);
        if character.is_whitespace() {
            at += 1;
        } else if character == '`' {
            let length = characters[at + 1..].iter().position(|next| *next == '`');
            let length = length.ok_or(FormulaError { column, problem: "a closing backtick is missing" })?;
            tokens.push((column, Token::Name(characters[at + 1..=at + length].iter().collect())));
            at += length + 2;
        } else if plain(character) {
            let length = characters[at..].iter().take_while(|next| plain(**next)).count();
            tokens.push((column, Token::Name(characters[at..at + length].iter().collect())));
            at += length;
        } else if "~+(),".contains(character) {
            tokens.push((column, Token::Sign(character)));
            at += 1;
        } else {
            let problem = "this sign has no meaning here; formulas have `~`, `+`, `factor(…)`, `Surv(…, …)` and names in backticks";
            return Err(FormulaError { column, problem });
        }
    }
    Ok(tokens)
}

fn plain(character: char) -> bool {
    character.is_alphanumeric() || "_-.".contains(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(attribute: &str, factor: bool) -> Term {
        Term { attribute: attribute.into(), factor }
    }

    #[test]
    fn formulas_are_read() {
        let formula: Formula = "stay ~ age + factor(ward) + `blood pressure`".parse().unwrap();
        assert_eq!(formula.outcome, Outcome::Attribute("stay".into()));
        assert_eq!(formula.terms, [term("age", false), term("ward", true), term("blood pressure", false)]);
        let formula: Formula = "Surv(days,died) ~ 1".parse().unwrap();
        assert_eq!(formula.outcome, Outcome::Survival { time: "days".into(), event: "died".into() });
        assert_eq!(formula.terms, []);
    }

    #[test]
    fn mistakes_have_their_place() {
        let column = |text: &str| text.parse::<Formula>().unwrap_err().column;
        let wrong = [
            "stay age",
            "stay ~",
            "stay ~ age * sex",
            "log(stay) ~ age",
            "stay ~ age + age",
            "a ~ `b",
            "a ~ b c",
        ];
        assert_eq!(wrong.map(column), [6, 7, 12, 1, 14, 5, 7]);
    }
}
