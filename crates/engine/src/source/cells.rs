//! Columns of Arrow batches to dictionary codes.
//!
//! A value becomes the text that a CSV file would hold. Each worker remembers, per column, which
//! code a value got, so that a text is made once per distinct value and not once per record.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float16Type, Float32Type, Float64Type};
use arrow_array::{
    AnyDictionaryArray, Array, ArrayRef, Float32Array, GenericStringArray, OffsetSizeTrait, StringViewArray,
    make_array,
};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, DataType};

use super::memo::{Bits, Memo, UNKNOWN};
use crate::dictionary::{BROKEN, BadCell, Dictionary};
use crate::fault::{Fault, FaultKind};
use crate::short::LONGEST;
use crate::worker::Worker;

/// The longest text that stands in its view, in Arrow's format.
const IN_VIEW: usize = 12;

/// Whether a column of this type has a text for each cell.
pub(crate) fn is_plain(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, value) => is_plain(value),
        kind => !kind.is_nested() && !kind.is_binary() && !matches!(kind, DataType::FixedSizeBinary(_)),
    }
}

/// Whether each cell of a column of this type is a list of cells that have a text.
pub(crate) fn is_list(kind: &DataType) -> bool {
    match kind {
        DataType::List(items) | DataType::LargeList(items) | DataType::FixedSizeList(items, _) => {
            is_plain(items.data_type())
        }
        _ => false,
    }
}

/// The type of a column's values, whether or not they are in a dictionary.
pub(crate) fn value_type(kind: &DataType) -> DataType {
    match kind {
        DataType::Dictionary(_, value) => value_type(value),
        kind => kind.clone(),
    }
}

/// A cell that has no code.
struct Refused {
    row: usize,
    cell: BadCell,
    value: Vec<u8>,
}

/// Why a column could not be encoded.
enum Stop {
    Refused(Refused),
    /// The batch is damaged, or holds what arrow cannot print.
    Unreadable,
}

impl Stop {
    fn refused(row: usize, cell: BadCell, value: &[u8]) -> Self {
        Self::Refused(Refused { row, cell, value: value.to_vec() })
    }
}

impl From<ArrowError> for Stop {
    /// Arrow's own message might quote a value.
    fn from(_: ArrowError) -> Self {
        Self::Unreadable
    }
}

/// Encodes a batch; `requests[c]` is what its column `c` answers.
///
/// The fault that is reported is the first by record, then by column.
pub(crate) fn encode(
    batch: &[ArrayRef],
    requests: &[usize],
    worker: &mut Worker,
    memos: &mut Vec<Memo>,
) -> Result<(), Fault> {
    memos.resize_with(requests.len(), Memo::default);
    let mut first: Option<(usize, Refused)> = None;
    for ((array, &request), memo) in batch.iter().zip(requests).zip(memos) {
        let (dictionary, codes) = (&mut worker.dictionaries[request], &mut worker.codes[request]);
        match column(array, dictionary, codes, memo) {
            Ok(()) => {}
            Err(Stop::Refused(refused)) => {
                if first.as_ref().is_none_or(|(_, earlier)| refused.row < earlier.row) {
                    first = Some((request, refused));
                }
            }
            Err(Stop::Unreadable) => return Err(damaged()),
        }
    }
    match first {
        None => Ok(()),
        Some((request, Refused { row, cell, value })) => {
            Err(Fault { record: row as u64 + 1, line: None, kind: FaultKind::Cell { request, cell, value } })
        }
    }
}

/// The part at hand cannot be read.
pub(crate) fn damaged() -> Fault {
    let kind = FaultKind::Malformed("the file is cut off or damaged from about here on".into());
    Fault { record: 1, line: None, kind }
}

fn column(
    array: &ArrayRef,
    dictionary: &mut Dictionary,
    codes: &mut Vec<u32>,
    memo: &mut Memo,
) -> Result<(), Stop> {
    if let Some(encoded) = array.as_any_dictionary_opt() {
        return dictionary_column(encoded, dictionary, codes, memo);
    }
    codes.reserve(array.len());
    match array.data_type() {
        DataType::Utf8 => text_column(array.as_string::<i32>(), dictionary, codes),
        DataType::LargeUtf8 => text_column(array.as_string::<i64>(), dictionary, codes),
        DataType::Utf8View => view_column(array.as_string_view(), dictionary, codes, memo),
        DataType::List(_) => list_column(array, |row| array.as_list::<i32>().value(row), dictionary, codes),
        DataType::LargeList(_) => {
            list_column(array, |row| array.as_list::<i64>().value(row), dictionary, codes)
        }
        DataType::FixedSizeList(..) => {
            list_column(array, |row| array.as_fixed_size_list().value(row), dictionary, codes)
        }
        _ => typed_column(array, dictionary, codes, memo),
    }
}

fn text_column<O: OffsetSizeTrait>(
    array: &GenericStringArray<O>,
    dictionary: &mut Dictionary,
    codes: &mut Vec<u32>,
) -> Result<(), Stop> {
    let text = array.value_data();
    for (row, ends) in array.value_offsets().windows(2).enumerate() {
        let (start, end) = (ends[0].as_usize(), ends[1].as_usize());
        codes.push(match array.is_null(row) {
            true => dictionary.null(),
            false => dictionary
                .code_within(text, start, end)
                .map_err(|cell| Stop::refused(row, cell, &text[start..end]))?,
        });
    }
    Ok(())
}

/// Short texts stand in their views: neither they nor others are copied.
fn view_column(
    array: &StringViewArray,
    dictionary: &mut Dictionary,
    codes: &mut Vec<u32>,
    memo: &mut Memo,
) -> Result<(), Stop> {
    for (row, &view) in array.views().iter().enumerate() {
        if array.is_null(row) {
            codes.push(dictionary.null());
            continue;
        }
        let length = view as u32 as usize;
        let known = if length <= LONGEST {
            dictionary.code_of_word((view >> 32) as u64, length)
        } else if length <= IN_VIEW {
            memo.wide.get(&view).copied()
        } else {
            None
        };
        codes.push(match known {
            Some(code) => code,
            None => {
                let text = array.value(row).as_bytes();
                let code = dictionary.code(text).map_err(|cell| Stop::refused(row, cell, text))?;
                // Texts outside the domain are not remembered: there is no end of them.
                if (LONGEST + 1..=IN_VIEW).contains(&length) && code < BROKEN {
                    memo.wide.insert(view, code);
                }
                code
            }
        });
    }
    Ok(())
}

/// Lists, each as the text of a JSON array; `list` gives that of a row.
fn list_column(
    array: &ArrayRef,
    list: impl Fn(usize) -> ArrayRef,
    dictionary: &mut Dictionary,
    codes: &mut Vec<u32>,
) -> Result<(), Stop> {
    for row in 0..array.len() {
        if array.is_null(row) {
            codes.push(dictionary.null());
            continue;
        }
        let text = list_text(&texts_of(&list(row))?);
        let code = dictionary.code(text.as_bytes());
        codes.push(code.map_err(|cell| Stop::refused(row, cell, text.as_bytes()))?);
    }
    Ok(())
}

/// The texts of the cells that are there.
fn texts_of(array: &ArrayRef) -> Result<Vec<String>, ArrowError> {
    if let Some(encoded) = array.as_any_dictionary_opt() {
        return texts_of_keys(encoded);
    }
    let texts = Texts::new(array)?;
    (0..array.len()).filter(|&row| !array.is_null(row)).map(|row| texts.text(row)).collect()
}

fn texts_of_keys(encoded: &dyn AnyDictionaryArray) -> Result<Vec<String>, ArrowError> {
    let values = encoded.values();
    if values.is_empty() {
        return Ok(Vec::new());
    }
    let texts = Texts::new(values)?;
    let keys = encoded.normalized_keys().into_iter().enumerate();
    let there = keys.filter(|&(row, key)| encoded.keys().is_valid(row) && values.is_valid(key));
    there.map(|(_, key)| texts.text(key)).collect()
}

/// A list as a cell: the text of a JSON array.
pub(crate) fn list_text(items: &[String]) -> String {
    serde_json::Value::from(items).to_string()
}

/// Cells that are no text, each printed once per distinct value.
fn typed_column(
    array: &ArrayRef,
    dictionary: &mut Dictionary,
    codes: &mut Vec<u32>,
    memo: &mut Memo,
) -> Result<(), Stop> {
    let texts = Texts::new(array)?;
    let array = texts.array.as_ref();
    let bits = Bits::of(array);
    let near = matches!(&bits, Bits::Words(words) if memo.near.cover(words));
    let mut buffer = String::new();
    for row in 0..array.len() {
        if array.is_null(row) {
            codes.push(dictionary.null());
            continue;
        }
        let mut unknown = UNKNOWN;
        let code = match &bits {
            Bits::Words(words) if near => memo.near.of(words[row]),
            Bits::Words(words) => memo.words.entry(words[row]).or_insert(UNKNOWN),
            Bits::Wide(wide) => memo.wide.entry(wide[row] as u128).or_insert(UNKNOWN),
            Bits::None => &mut unknown,
        };
        if *code == UNKNOWN {
            *code = texts.code(row, dictionary, &mut buffer)?;
        }
        codes.push(*code);
    }
    Ok(())
}

/// Only values that a record has get a code: a dictionary may hold others.
fn dictionary_column(
    array: &dyn AnyDictionaryArray,
    dictionary: &mut Dictionary,
    codes: &mut Vec<u32>,
    memo: &mut Memo,
) -> Result<(), Stop> {
    let values = array.values();
    let known = memo.dictionary.take().filter(|(known, _)| known.to_data().ptr_eq(&values.to_data()));
    let (values, mut known) = known.unwrap_or_else(|| (values.clone(), vec![UNKNOWN; values.len()]));
    if values.is_empty() {
        codes.extend((0..array.len()).map(|_| dictionary.null()));
        return Ok(());
    }
    let texts = Texts::new(&values)?;
    let mut buffer = String::new();
    for (row, key) in array.normalized_keys().into_iter().enumerate() {
        if array.keys().is_null(row) {
            codes.push(dictionary.null());
            continue;
        }
        if known[key] == UNKNOWN {
            let code = texts.code(key, dictionary, &mut buffer);
            known[key] = code.map_err(|stop| match stop {
                Stop::Refused(refused) => Stop::Refused(Refused { row, ..refused }),
                Stop::Unreadable => Stop::Unreadable,
            })?;
        }
        codes.push(known[key]);
    }
    drop(texts);
    memo.dictionary = Some((values, known));
    Ok(())
}

/// Where the cells' texts come from.
struct Texts<'a> {
    /// The array whose rows they are: the given one, or one that prints the same values.
    array: Cow<'a, ArrayRef>,
}

impl<'a> Texts<'a> {
    fn new(array: &'a ArrayRef) -> Result<Self, ArrowError> {
        let array = match array.data_type() {
            DataType::Float16 => {
                let wide: Float32Array = array.as_primitive::<Float16Type>().unary(|number| number.to_f32());
                Cow::Owned(Arc::new(wide) as ArrayRef)
            }
            // Names of time zones need a database to print; the instant in UTC needs none.
            DataType::Timestamp(unit, Some(_)) => {
                let utc = DataType::Timestamp(*unit, Some("+00:00".into()));
                Cow::Owned(make_array(array.to_data().into_builder().data_type(utc).build()?))
            }
            _ => Cow::Borrowed(array),
        };
        Ok(Self { array })
    }

    /// The text that a cell holds.
    fn held(&self, row: usize) -> Option<&str> {
        let array = self.array.as_ref();
        match array.data_type() {
            DataType::Utf8 => Some(array.as_string::<i32>().value(row)),
            DataType::LargeUtf8 => Some(array.as_string::<i64>().value(row)),
            DataType::Utf8View => Some(array.as_string_view().value(row)),
            _ => None,
        }
    }

    /// A cell's text, which it holds or is printed as.
    fn text(&self, row: usize) -> Result<String, ArrowError> {
        if let Some(text) = self.held(row) {
            return Ok(text.to_owned());
        }
        let mut text = String::new();
        print(self.array.as_ref(), row, &mut text).map(|()| text)
    }

    fn code(&self, row: usize, dictionary: &mut Dictionary, buffer: &mut String) -> Result<u32, Stop> {
        let array = self.array.as_ref();
        if array.is_null(row) || *array.data_type() == DataType::Null {
            return Ok(dictionary.null());
        }
        let text = match self.held(row) {
            Some(text) => text,
            None => {
                buffer.clear();
                match print(array, row, buffer) {
                    Ok(()) => buffer,
                    Err(_) if dictionary.is_apart() => return Ok(BROKEN),
                    Err(error) => return Err(error.into()),
                }
            }
        };
        dictionary.code(text.as_bytes()).map_err(|cell| Stop::refused(row, cell, text.as_bytes()))
    }
}

/// Numbers as short as they read back, whole ones without a point; the rest in ISO 8601.
fn print(array: &ArrayRef, row: usize, text: &mut String) -> Result<(), ArrowError> {
    let plain = |n: f64| n == 0.0 || !n.is_finite() || (1e-5..1e16).contains(&n.abs());
    let printed = match array.data_type() {
        DataType::Float32 => match array.as_primitive::<Float32Type>().value(row) {
            number if plain(number.into()) => write!(text, "{number}"),
            number => write!(text, "{number:e}"),
        },
        DataType::Float64 => match array.as_primitive::<Float64Type>().value(row) {
            number if plain(number) => write!(text, "{number}"),
            number => write!(text, "{number:e}"),
        },
        _ => {
            let options = FormatOptions::new().with_display_error(false);
            let formatter = ArrayFormatter::try_new(array.as_ref(), &options)?;
            write!(text, "{}", formatter.value(row))
        }
    };
    printed.map_err(|_| ArrowError::CastError(String::new()))
}

#[cfg(test)]
mod tests {
    use arrow_array::types::{Int8Type, TimestampSecondType};
    use arrow_array::{DictionaryArray, Float32Array, Float64Array, Int8Array, PrimitiveArray, StringArray};
    use velamen_core::frequency::Role;
    use velamen_core::hierarchy::Rule;

    use super::*;

    /// The texts of a column, and the dictionary's.
    fn texts(array: ArrayRef) -> (Vec<String>, Vec<String>) {
        let mut dictionary = Dictionary::new(Arc::new(Rule::Flat), Role::Insensitive, Arc::default());
        let (mut codes, mut memo) = (Vec::new(), Memo::default());
        let (head, tail) = (array.slice(0, 1), array.slice(1, array.len() - 1));
        for part in [&head, &tail] {
            assert!(column(part, &mut dictionary, &mut codes, &mut memo).is_ok());
        }
        let values: Vec<String> = dictionary.values().map(str::to_owned).collect();
        (codes.iter().map(|&code| values[code as usize].clone()).collect(), values)
    }

    #[test]
    fn numbers_are_printed_as_short_as_they_read_back() {
        let floats = [Some(35.0), None, Some(0.1), Some(1e20), Some(-2.5e-7), Some(35.0)];
        let (found, values) = texts(Arc::new(Float64Array::from(floats.to_vec())));
        assert_eq!(found, ["35", "", "0.1", "1e20", "-2.5e-7", "35"]);
        assert_eq!(values.len(), 5);
        let (found, _) = texts(Arc::new(Float32Array::from(vec![0.1, 1e20])));
        assert_eq!(found, ["0.1", "1e20"]);
    }

    #[test]
    fn instants_are_printed_in_utc() {
        let instants = PrimitiveArray::<TimestampSecondType>::from(vec![0, 86_400]);
        let (found, _) = texts(Arc::new(instants.with_timezone("Europe/Berlin")));
        assert_eq!(found, ["1970-01-01T00:00:00Z", "1970-01-02T00:00:00Z"]);
    }

    #[test]
    fn values_of_a_dictionary_count_only_where_they_occur() {
        let keys = Int8Array::from(vec![Some(0), None, Some(2), Some(3), Some(0)]);
        let values = StringArray::from(vec![Some("a"), Some("unused"), Some("b"), None]);
        let (found, seen) = texts(Arc::new(DictionaryArray::<Int8Type>::new(keys, Arc::new(values))));
        assert_eq!(found, ["a", "", "b", "", "a"]);
        assert_eq!(seen, ["a", "", "b"]);
    }
}
