//! Numbers as texts hold them: digits in groups, with the word before them.

/// The most groups of a number.
const MOST_GROUPS: usize = 8;

/// Digits and the separators between them, as they stand in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run<'a> {
    /// The text before it.
    pub(super) before: &'a str,
    /// From the first digit, `+` or bracket to the last digit.
    pub(super) digits: &'a str,
}

impl<'a> Run<'a> {
    /// The words before it, the last one first, in lower case and without punctuation.
    pub(super) fn words_before(self) -> impl Iterator<Item = String> + use<'a> {
        let words = self.before.rsplit(|c: char| !c.is_alphabetic() && c != '-');
        words.filter(|word| !word.is_empty()).map(str::to_lowercase)
    }

    /// Whether a span of whole groups, which spaces part, is the one wanted.
    pub(super) fn any_span(self, fits: impl Fn(Run<'a>) -> bool) -> bool {
        let bytes = self.digits.as_bytes();
        let starts = (0..bytes.len()).filter(|&at| bytes[at] != b' ' && (at == 0 || bytes[at - 1] == b' '));
        starts.take(MOST_GROUPS).any(|start| {
            let ends = (start + 1..=bytes.len())
                .filter(|&end| bytes[end - 1] != b' ' && bytes.get(end).is_none_or(|next| *next == b' '));
            ends.take(MOST_GROUPS).any(|end| {
                let before = if start == 0 { self.before } else { "" };
                let digits = self.digits[start..end].trim_end_matches(|c: char| !c.is_ascii_digit());
                fits(Run { before, digits })
            })
        })
    }

    /// How many digits it has.
    pub(super) fn count(self) -> usize {
        self.digits.bytes().filter(u8::is_ascii_digit).count()
    }
}

fn joins(byte: u8) -> bool {
    matches!(byte, b' ' | b'(' | b')' | b'-' | b'.' | b'/')
}

/// The fewest digits of a number that is anybody's.
const LEAST: usize = 6;

/// The numbers of a text with six digits and more, none of them part of a word.
pub(super) fn runs(text: &str) -> Vec<Run<'_>> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let opens = bytes[at].is_ascii_digit()
            || matches!(bytes[at], b'+' | b'(')
                && bytes.get(at + 1).is_some_and(|next| next.is_ascii_digit() || *next == b'+');
        if !opens {
            at += 1;
            continue;
        }
        let end = end_of(bytes, at);
        let starts_word = at > 0 && in_word(bytes.get(at - 1));
        if !starts_word && !in_word(bytes.get(end)) {
            let run = Run { before: &text[..at], digits: &text[at..end] };
            found.extend((run.count() >= LEAST).then_some(run));
        }
        at = end;
    }
    found
}

fn in_word(byte: Option<&u8>) -> bool {
    byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b >= 0x80)
}

/// After the last digit of the number that begins at `start`: no more than three separators stand in a row.
fn end_of(bytes: &[u8], start: usize) -> usize {
    let (mut end, mut at) = (start + 1, start + 1);
    while at < bytes.len() && at - end <= 3 {
        match bytes[at] {
            byte if byte.is_ascii_digit() => end = at + 1,
            b'+' if at == start + 1 => {}
            byte if joins(byte) => {}
            _ => break,
        }
        at += 1;
    }
    end
}

/// The digits of a number.
pub(super) fn digits_of(text: &str) -> Vec<u32> {
    text.chars().filter_map(|c| c.to_digit(10)).collect()
}

/// How long its groups of digits are.
pub(super) fn groups_of(text: &str) -> Vec<usize> {
    text.split(|c: char| !c.is_ascii_digit()).map(str::len).filter(|length| *length > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_texts_are_found_whole() {
        let of = |text| runs(text).into_iter().map(|run| run.digits.to_owned()).collect::<Vec<_>>();
        assert_eq!(of("Tel. 0171 / 5554433, Sturz am 3.4."), ["0171 / 5554433"]);
        assert_eq!(of("+49 (0)30 1234-56; A1234567 1234567mg 555555"), ["+49 (0)30 1234-56", "555555"]);
        assert_eq!(of("no number"), Vec::<String>::new());
        let run = runs("mobil: (0171) 55")[0];
        assert_eq!((run.digits, run.words_before().next().as_deref()), ("(0171) 55", Some("mobil")));
    }

    #[test]
    fn spans_are_of_whole_groups() {
        let spans = std::cell::RefCell::new(Vec::new());
        runs("12 345 6")[0].any_span(|run| {
            spans.borrow_mut().push(run.digits);
            false
        });
        assert_eq!(spans.into_inner(), ["12", "12 345", "12 345 6", "345", "345 6", "6"]);
    }
}
