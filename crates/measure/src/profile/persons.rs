//! Whether cells look like names of persons.

use super::Cells;

/// Frequent given names of the United States, a few of which stand in any column of full names.
const GIVEN: &str = "james|john|robert|michael|william|david|richard|joseph|thomas|charles|daniel|matthew|\
    anthony|mark|paul|steven|andrew|kevin|brian|george|mary|patricia|jennifer|linda|\
    elizabeth|barbara|susan|jessica|sarah|karen|lisa|nancy|betty|sandra|ashley|emily|donna|\
    michelle|carol|amanda|anna|maria|laura|emma|olivia|sophia|noah|liam|lucas|peter|jane|\
    alice|martin|hans|jean|jose|juan|carlos|ali|mohammed|fatima";

/// The most frequent Korean family names, which four of five persons have.
const FAMILY: &str = "김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하";

/// The least share of distinct values: categories recur, names do so less.
const DISTINCT: f64 = 0.3;

/// The least number of distinct values.
const LEAST: usize = 10;

/// Whether most cells have the shape of a person's name, and enough of them a frequent part.
pub(super) fn look_like_names(cells: Cells<'_>) -> bool {
    let varied = cells.distinct() >= LEAST && cells.distinction() >= DISTINCT;
    let latin = || cells.share(is_latin) >= 0.9 && cells.share(has_given_name) >= 0.1;
    let korean = || cells.share(is_korean) >= 0.9 && cells.share(has_family_name) >= 0.6;
    varied && (latin() || korean())
}

/// Two to four words of letters that begin with a capital: `Doe, Jane`, `Jean-Luc O'Neill`.
fn is_latin(text: &str) -> bool {
    let words: Vec<&str> = text.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let word = |word: &&str| {
        let letters = word.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '.'));
        letters && word.chars().next().is_some_and(char::is_uppercase)
    };
    (2..=4).contains(&words.len()) && words.iter().all(word)
}

fn has_given_name(text: &str) -> bool {
    text.split([' ', ',']).any(|word| GIVEN.split('|').any(|name| name.eq_ignore_ascii_case(word)))
}

/// Three syllables, or two or four of them.
fn is_korean(text: &str) -> bool {
    let length = text.chars().count();
    (2..=4).contains(&length) && text.chars().all(|c| ('가'..='힣').contains(&c))
}

fn has_family_name(text: &str) -> bool {
    text.chars().count() == 3 && text.chars().next().is_some_and(|first| FAMILY.contains(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(values: &[&str]) -> bool {
        let cells: Vec<(&str, u64)> = values.iter().map(|value| (*value, 1)).collect();
        look_like_names(Cells(&cells))
    }

    #[test]
    fn names_are_told_from_categories() {
        assert!(look(&[
            "Jane Doe",
            "John Smith",
            "Mary Ann Lee",
            "Ola Nordmann",
            "Max Muster",
            "Eve O'Neill",
            "Bob Roe",
            "Ann Poe",
            "Tim Moe",
            "Jean-Luc Picard"
        ]));
        assert!(look(&[
            "김민준",
            "이서연",
            "박지후",
            "최서윤",
            "정도윤",
            "강하은",
            "조시우",
            "윤지우",
            "장예준",
            "임수아"
        ]));
        assert!(!look(&[
            "New York",
            "Los Angeles",
            "San Diego",
            "San Jose",
            "Fort Worth",
            "El Paso",
            "Las Vegas",
            "Long Beach",
            "Santa Ana",
            "St Louis",
            "Baton Rouge"
        ]));
        assert!(!look(&["서울", "부산", "대구", "인천", "광주", "대전", "울산", "세종", "경기", "강원"]));
        assert!(!look(&["Jane Doe", "John Smith"]));
    }
}
