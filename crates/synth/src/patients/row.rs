//! A row of CSV, field by field.

use super::calendar::date;

/// A row that is being written. Every method but [`Row::end`] adds fields.
pub(super) struct Row<'a> {
    out: &'a mut Vec<u8>,
    begun: bool,
}

impl<'a> Row<'a> {
    pub(super) fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, begun: false }
    }

    fn separate(&mut self) {
        if self.begun {
            self.out.push(b',');
        }
        self.begun = true;
    }

    /// A whole number.
    pub(super) fn number(mut self, number: impl Into<u64>) -> Self {
        self.separate();
        digits(number.into(), 1, self.out);
        self
    }

    /// Several whole numbers.
    pub(super) fn numbers<const N: usize>(self, numbers: [u32; N]) -> Self {
        numbers.into_iter().fold(self, Row::number)
    }

    /// A number of tenths, with one decimal.
    pub(super) fn tenths(mut self, tenths: u32) -> Self {
        self.separate();
        digits(u64::from(tenths / 10), 1, self.out);
        self.out.push(b'.');
        digits(u64::from(tenths % 10), 1, self.out);
        self
    }

    /// Text, in quotes where CSV needs them.
    pub(super) fn text(mut self, text: &str) -> Self {
        self.separate();
        if text.contains([',', '"', '\n']) {
            self.out.push(b'"');
            self.out.extend(text.replace('"', "\"\"").bytes());
            self.out.push(b'"');
        } else {
            self.out.extend_from_slice(text.as_bytes());
        }
        self
    }

    /// Fields without a value.
    pub(super) fn empty(mut self, fields: usize) -> Self {
        (0..fields).for_each(|_| self.separate());
        self
    }

    /// A day.
    pub(super) fn day(mut self, day: i32) -> Self {
        self.separate();
        write_day(day, self.out);
        self
    }

    /// A day, and a time on it, as two fields.
    pub(super) fn moment(self, day: i32, minute: u32) -> Self {
        self.day(day).time(day, minute)
    }

    /// A time on a day as one field.
    pub(super) fn time(mut self, day: i32, minute: u32) -> Self {
        self.separate();
        write_day(day, self.out);
        self.out.push(b' ');
        digits(u64::from(minute / 60), 2, self.out);
        self.out.push(b':');
        digits(u64::from(minute % 60), 2, self.out);
        self.out.extend(b":00");
        self
    }

    /// The row is whole.
    pub(super) fn end(self) {
        self.out.push(b'\n');
    }
}

fn write_day(day: i32, out: &mut Vec<u8>) {
    let (year, month, day) = date(day);
    digits(year as u64, 4, out);
    out.push(b'-');
    digits(u64::from(month), 2, out);
    out.push(b'-');
    digits(u64::from(day), 2, out);
}

/// A whole number with at least so many digits.
fn digits(number: u64, least: usize, out: &mut Vec<u8>) {
    let mut text = [b'0'; 20];
    let (mut at, mut rest) = (text.len(), number);
    while rest > 0 || text.len() - at < least {
        at -= 1;
        text[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    out.extend_from_slice(&text[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_separated_and_quoted() {
        let mut out = Vec::new();
        Row::new(&mut out)
            .empty(1)
            .number(10_u32)
            .numbers([0, 7])
            .tenths(1234)
            .text("a \"b\", c")
            .moment(0, 65)
            .empty(2)
            .end();
        assert_eq!(
            String::from_utf8_lossy(&out),
            ",10,0,7,123.4,\"a \"\"b\"\", c\",1970-01-01,1970-01-01 01:05:00,,\n"
        );
    }
}
