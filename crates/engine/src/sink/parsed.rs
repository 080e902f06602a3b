//! Texts as values of a column's type.
//!
//! Arrow's own `cast` does this for any two types, and a program carries the code of all of them: it was a part of each page of the browser.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::timezone::Tz;
use arrow_array::types::{
    ArrowTimestampType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DecimalType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, IntervalDayTimeArray, IntervalMonthDayNanoArray, IntervalYearMonthArray,
    LargeStringArray, PrimitiveArray, StringArray,
};
use arrow_cast::parse::{
    Parser, parse_decimal, parse_interval_day_time, parse_interval_month_day_nano, parse_interval_year_month,
    string_to_datetime,
};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};

/// Texts as values of a type, or of a dictionary's values; `None` if some text is no such value, or no text of that type is known.
pub(super) fn parsed(text: &ArrayRef, kind: &DataType) -> Option<ArrayRef> {
    let texts = text.as_string::<i32>();
    let values = match kind {
        DataType::Dictionary(_, value) => return parsed(text, value),
        DataType::RunEndEncoded(_, value) => return parsed(text, value.data_type()),
        DataType::Utf8 => Arc::clone(text),
        DataType::LargeUtf8 => Arc::new(texts.iter().collect::<LargeStringArray>()),
        DataType::Boolean => {
            Arc::new(texts.iter().map(|text| text?.parse::<bool>().ok()).collect::<BooleanArray>())
        }
        DataType::Interval(unit) => intervals(texts, *unit),
        DataType::Timestamp(unit, zone) => timestamps(texts, *unit, zone.as_ref())?,
        kind if kind.is_decimal() => decimals(texts, kind)?,
        kind => numbers(texts, kind)?,
    };
    (values.logical_null_count() == text.null_count()).then_some(values)
}

/// Numbers, days and times of day.
fn numbers(texts: &StringArray, kind: &DataType) -> Option<ArrayRef> {
    Some(match kind {
        DataType::Int8 => each::<Int8Type>(texts),
        DataType::Int16 => each::<Int16Type>(texts),
        DataType::Int32 => each::<Int32Type>(texts),
        DataType::Int64 => each::<Int64Type>(texts),
        DataType::UInt8 => each::<UInt8Type>(texts),
        DataType::UInt16 => each::<UInt16Type>(texts),
        DataType::UInt32 => each::<UInt32Type>(texts),
        DataType::UInt64 => each::<UInt64Type>(texts),
        DataType::Float16 => each::<Float16Type>(texts),
        DataType::Float32 => each::<Float32Type>(texts),
        DataType::Float64 => each::<Float64Type>(texts),
        DataType::Date32 => each::<Date32Type>(texts),
        DataType::Date64 => each::<Date64Type>(texts),
        DataType::Time32(TimeUnit::Second) => each::<Time32SecondType>(texts),
        DataType::Time32(TimeUnit::Millisecond) => each::<Time32MillisecondType>(texts),
        DataType::Time64(TimeUnit::Microsecond) => each::<Time64MicrosecondType>(texts),
        DataType::Time64(TimeUnit::Nanosecond) => each::<Time64NanosecondType>(texts),
        _ => return None,
    })
}

fn each<T: Parser>(texts: &StringArray) -> ArrayRef {
    Arc::new(texts.iter().map(|text| T::parse(text?)).collect::<PrimitiveArray<T>>())
}

/// The texts are in UTC; a zone only says how to show them.
fn timestamps(texts: &StringArray, unit: TimeUnit, zone: Option<&Arc<str>>) -> Option<ArrayRef> {
    match unit {
        TimeUnit::Second => instants::<TimestampSecondType>(texts, zone),
        TimeUnit::Millisecond => instants::<TimestampMillisecondType>(texts, zone),
        TimeUnit::Microsecond => instants::<TimestampMicrosecondType>(texts, zone),
        TimeUnit::Nanosecond => instants::<TimestampNanosecondType>(texts, zone),
    }
}

fn instants<T: ArrowTimestampType>(texts: &StringArray, zone: Option<&Arc<str>>) -> Option<ArrayRef> {
    let utc: Tz = "+00:00".parse().ok()?;
    let instant = |text: &str| {
        let at = string_to_datetime(&utc, text).ok()?.naive_utc();
        T::from_naive_datetime(at, None)
    };
    let instants: PrimitiveArray<T> = texts.iter().map(|text| instant(text?)).collect();
    Some(Arc::new(instants.with_timezone_opt(zone.cloned())))
}

fn intervals(texts: &StringArray, unit: IntervalUnit) -> ArrayRef {
    let texts = texts.iter();
    match unit {
        IntervalUnit::YearMonth => {
            let parsed = texts.map(|text| parse_interval_year_month(text?).ok());
            Arc::new(parsed.collect::<IntervalYearMonthArray>())
        }
        IntervalUnit::DayTime => {
            let parsed = texts.map(|text| parse_interval_day_time(text?).ok());
            Arc::new(parsed.collect::<IntervalDayTimeArray>())
        }
        IntervalUnit::MonthDayNano => {
            let parsed = texts.map(|text| parse_interval_month_day_nano(text?).ok());
            Arc::new(parsed.collect::<IntervalMonthDayNanoArray>())
        }
    }
}

fn decimals(texts: &StringArray, kind: &DataType) -> Option<ArrayRef> {
    match *kind {
        DataType::Decimal32(precision, scale) => decimal::<Decimal32Type>(texts, precision, scale),
        DataType::Decimal64(precision, scale) => decimal::<Decimal64Type>(texts, precision, scale),
        DataType::Decimal128(precision, scale) => decimal::<Decimal128Type>(texts, precision, scale),
        DataType::Decimal256(precision, scale) => decimal::<Decimal256Type>(texts, precision, scale),
        _ => None,
    }
}

fn decimal<T: DecimalType>(texts: &StringArray, precision: u8, scale: i8) -> Option<ArrayRef> {
    let digits = usize::try_from(scale).ok()?;
    // Arrow's parser would cut off what the scale has no place for.
    let fits = |text: &&str| text.split_once('.').is_none_or(|(_, after)| after.len() <= digits);
    let number = |text: &str| parse_decimal::<T>(text, precision, scale).ok();
    let numbers = texts.iter().map(|text| text.filter(fits).and_then(number));
    let numbers: PrimitiveArray<T> = numbers.collect();
    Some(Arc::new(numbers.with_precision_and_scale(precision, scale).ok()?))
}

#[cfg(test)]
mod tests {
    use arrow_cast::cast;

    use super::*;

    fn text(cells: &[Option<&str>]) -> ArrayRef {
        Arc::new(StringArray::from(cells.to_vec()))
    }

    /// Columns of each type, with the texts of their values as released tables have them.
    fn columns() -> Vec<(DataType, Vec<Option<&'static str>>)> {
        use DataType::{
            Boolean, Date32, Date64, Decimal32, Decimal64, Decimal128, Decimal256, Dictionary, Float16,
            Float32, Float64, Int8, Int16, Int32, Int64, Interval, LargeUtf8, Time32, Time64, Timestamp,
            UInt8, UInt16, UInt32, UInt64, Utf8,
        };
        let whole = vec![Some("7"), None, Some("0"), Some("101")];
        let real = vec![Some("0.1"), Some("1e20"), None, Some("-2.5e-7"), Some("35"), Some("NaN")];
        let day = vec![Some("2024-02-29"), None, Some("1969-12-31")];
        let time = vec![Some("23:59:59"), None, Some("00:00:01")];
        let instant = vec![Some("2024-02-29T12:30:00"), None, Some("1969-12-31T23:59:59")];
        let zoned = vec![Some("2024-02-29T12:30:00Z"), None, Some("1969-12-31T23:59:59Z")];
        let money = vec![Some("12.30"), None, Some("-0.05"), Some("7")];
        let zone: Arc<str> = "+00:00".into();
        let mut columns = vec![
            (Boolean, vec![Some("true"), Some("false"), None]),
            (Utf8, vec![Some("a"), None, Some("")]),
            (LargeUtf8, vec![Some("a"), None, Some("")]),
            (Float16, vec![Some("0.5"), None, Some("-2")]),
            (Dictionary(Box::new(Int8), Box::new(Int16)), whole.clone()),
            (Interval(IntervalUnit::YearMonth), vec![Some("1 years 2 mons"), None]),
            (Interval(IntervalUnit::DayTime), vec![Some("1 days 2 mins"), None]),
            (Interval(IntervalUnit::MonthDayNano), vec![Some("1 mons 2 days 3 mins"), None]),
        ];
        let integers = [Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64];
        columns.extend(integers.map(|kind| (kind, whole.clone())));
        columns.extend([Float32, Float64].map(|kind| (kind, real.clone())));
        columns.extend([Date32, Date64].map(|kind| (kind, day.clone())));
        columns.extend([TimeUnit::Second, TimeUnit::Millisecond].map(|unit| (Time32(unit), time.clone())));
        columns
            .extend([TimeUnit::Microsecond, TimeUnit::Nanosecond].map(|unit| (Time64(unit), time.clone())));
        for unit in [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond] {
            columns.push((Timestamp(unit, None), instant.clone()));
            columns.push((Timestamp(unit, Some(Arc::clone(&zone))), zoned.clone()));
        }
        let decimals = [Decimal32(9, 2), Decimal64(18, 2), Decimal128(38, 2), Decimal256(76, 2)];
        columns.extend(decimals.map(|kind| (kind, money.clone())));
        columns
    }

    #[test]
    fn every_type_is_parsed_as_arrows_cast_does() {
        for (kind, cells) in columns() {
            let value = crate::source::cells::value_type(&kind);
            let expected = cast(&text(&cells), &value).unwrap_or_else(|error| panic!("{kind}: {error}"));
            let found = parsed(&text(&cells), &kind).unwrap_or_else(|| panic!("{kind} is not parsed"));
            assert_eq!(&found, &expected, "{kind}");
        }
    }

    #[test]
    fn a_text_that_is_no_value_leaves_the_column_as_text() {
        for (kind, mut cells) in columns() {
            if matches!(kind, DataType::Utf8 | DataType::LargeUtf8) {
                continue;
            }
            cells.push(Some("[20, 30)"));
            assert!(parsed(&text(&cells), &kind).is_none(), "{kind}");
        }
        for kind in
            [DataType::Null, DataType::Utf8View, DataType::Duration(TimeUnit::Second), DataType::Binary]
        {
            assert!(parsed(&text(&[Some("7")]), &kind).is_none(), "{kind}");
        }
    }

    #[test]
    fn a_decimal_is_not_rounded_to_its_column() {
        assert!(parsed(&text(&[Some("12.345")]), &DataType::Decimal128(38, 2)).is_none());
        assert!(parsed(&text(&[Some("12")]), &DataType::Decimal128(38, -2)).is_none());
    }
}
