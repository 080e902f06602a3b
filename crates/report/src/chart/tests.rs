//! Tests of the pictures.

use super::*;
use velamen_core::number::{count, fixed, grouped_text, number, percent};

const EVIL: &str = "<script>alert('x')</script>\u{1}\u{0}\u{202e}]]>&\"";

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn series(name: &str, values: &[f64]) -> Series {
    Series { name: name.to_owned(), values: values.to_vec() }
}

/// Every picture that `label` can get into, as title, label, category and name.
fn all(label: &str, values: &[f64]) -> Vec<String> {
    let categories: Vec<String> = (0..values.len()).map(|index| format!("{label}{index}")).collect();
    let two = [series(label, values), series("second", &values[..values.len() / 2])];
    let bins: Vec<(String, u64)> = categories.iter().map(|name| (name.clone(), 3)).collect();
    vec![
        bars(label, label, label, &categories, &two),
        horizontal_bars(label, label, &categories, &two),
        lines(label, label, label, &categories[..], &two),
        lines(label, label, label, values, &two),
        histogram_log(WIDE, label, label, label, &bins),
    ]
}

/// Checks that `xml` is one `<svg>` element whose tags are balanced and that numbers are finite.
fn check_svg(xml: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = xml;
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("a tag ends");
        let tag = &rest[start + 1..end];
        let name = tag.trim_start_matches('/').split([' ', '/', '\n']).next().expect("a tag has a name");
        assert!(
            ["svg", "title", "desc", "rect", "line", "polyline", "polygon", "text"].contains(&name),
            "unexpected element {name}"
        );
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty() && rest.trim().is_empty());
    assert!(!xml.contains("NaN") && !xml.contains("=\"inf") && !xml.contains("=\"-inf"));
    assert!(!xml.contains("width=\"-") && !xml.contains("height=\"-"), "negative size");
    assert!(xml.chars().all(|character| character == '\n' || !text::is_forbidden(character)));
}

#[test]
fn a_small_picture_stays_as_it_is() {
    let picture = bars(
        "Sex",
        "Sex",
        "Share of records, %",
        &words(&["female", "male"]),
        &[series("before", &[60.0, 40.0]), series("after", &[12.0, f64::NAN])],
    );
    insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!("bars", picture);
    });
}

#[test]
fn untrusted_labels_cannot_become_markup() {
    for picture in all(EVIL, &[1.0, 2.0, 3.0]) {
        check_svg(&picture);
        assert!(!picture.contains("<script") && picture.contains("&lt;script&gt;"));
    }
}

#[test]
fn pictures_are_well_formed_whatever_the_values() {
    let extremes = [f64::MAX, f64::MIN, f64::INFINITY, f64::NAN, 1e-300, -0.0];
    let many: Vec<f64> = (0..2000).map(f64::from).collect();
    let cases: [&[f64]; 9] =
        [&[], &[0.0], &[1.0], &[0.0; 5], &[0.7; 40], &[f64::NAN; 3], &extremes, &[-3.0, -2.0], &many];
    for values in cases {
        all("label of a category", values).iter().for_each(|picture| check_svg(picture));
    }
}

#[test]
fn the_same_arguments_give_the_same_bytes() {
    assert_eq!(all("a", &[0.3, 0.1]), all("a", &[0.3, 0.1]));
}

#[test]
fn pictures_scale_and_speak() {
    for picture in all("A title", &[0.3, 0.1]) {
        assert!(picture.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 "));
        assert!(picture.contains("role=\"img\" aria-label=\"A title. "));
        assert!(picture.contains("<title>A title</title>\n<desc>"));
    }
}

#[test]
fn long_labels_are_shortened() {
    let long = "x".repeat(5_000);
    for picture in all(&long, &[1.0, 2.0]) {
        check_svg(&picture);
        assert!(picture.contains('…') && !picture.contains(&"x".repeat(450)));
    }
}

#[test]
fn many_labels_are_thinned_out_and_further_series_counted() {
    let categories: Vec<String> = (0..200).map(|index| format!("category {index}")).collect();
    let six: Vec<Series> = (0..6).map(|index| series(&format!("s{index}"), &vec![1.0; 200])).collect();
    let picture = bars("Many", "", "", &categories, &six);
    let labels = picture.matches(">category ").count();
    assert!((20..100).contains(&labels), "{labels} labels");
    assert!(picture.contains("2 more not shown") && !picture.contains(">s4<"));
}

#[test]
fn a_missing_value_is_told_apart_from_zero() {
    let picture = bars("M", "", "", &words(&["a", "b"]), &[series("s", &[0.0, f64::NAN])]);
    assert!(picture.contains(">no value<") && picture.contains(">0<"));
}

#[test]
fn counts_have_whole_ticks() {
    let picture = histogram_log(WIDE, "H", "", "", &[("1".to_owned(), 1)]);
    assert!(!picture.contains(">0.5<") && !picture.contains(">0.2<"));
}

#[test]
fn wrapping_breaks_at_spaces_only() {
    assert_eq!(text::wrap("1\u{202f}000–1\u{202f}999", 12.0, 10_000.0, 3), ["1\u{202f}000–1\u{202f}999"]);
    assert_eq!(text::wrap("one two", 10.0, 30.0, 3), ["one", "two"]);
    assert_eq!(text::shorten("abcdef", 4), "abc…");
}

#[test]
fn numbers_are_grouped_and_rounded() {
    assert_eq!(count(1_234_567), "1,234,567");
    assert_eq!(count(999), "999");
    let cases = [
        (0.0, "0"),
        (-0.0, "0"),
        (0.5, "0.5"),
        (0.123_456, "0.123"),
        (12.345, "12.3"),
        (100.0, "100"),
        (1234.5, "1,234"),
        (-5.25, "−5.25"),
        (0.000_012_3, "1.2\u{202f}×\u{202f}10⁻⁵"),
        (0.000_5, "0.0005"),
        (f64::NAN, "not available"),
        (f64::NEG_INFINITY, "−∞"),
    ];
    for (value, text) in cases {
        assert_eq!(number(value), text);
    }
    assert_eq!(fixed(-0.001, 1), "0.0");
    assert_eq!(percent(0.1234), "12.3\u{202f}%");
    assert_eq!(percent(0.000_1), "0.01\u{202f}%");
}

#[test]
fn only_plain_numbers_in_text_are_grouped() {
    assert_eq!(grouped_text("4884"), "4,884");
    assert_eq!(grouped_text("48842 of 50000"), "48,842 of 50,000");
    for same in ["in 2016", "007000", "k = 5", "2016-01-01", "", "12345678901234567890"] {
        assert_eq!(grouped_text(same), same);
    }
}
