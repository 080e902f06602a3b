//! UUIDs as numbers: another spelling than in small letters is another text.

/// Where a UUID has its dashes.
const DASHES: [usize; 4] = [8, 13, 18, 23];

/// A UUID as it is written in small letters: any other spelling is another key.
pub(crate) fn uuid(text: &str) -> Option<u128> {
    let bytes: &[u8; 36] = text.as_bytes().try_into().ok()?;
    if DASHES.iter().any(|&place| bytes[place] != b'-') {
        return None;
    }
    let mut uuid = 0;
    for part in [0..8, 9..13, 14..18, 19..23, 24..36] {
        for byte in &bytes[part] {
            let digit = match byte {
                b'0'..=b'9' => byte - b'0',
                b'a'..=b'f' => byte - b'a' + 10,
                _ => return None,
            };
            uuid = (uuid << 4) | u128::from(digit);
        }
    }
    Some(uuid)
}

/// The text of a UUID.
pub(crate) fn shown(uuid: u128) -> String {
    let digits = format!("{uuid:032x}");
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
    parts.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_has_one_spelling() {
        let one = "ffffffff-0f2a-4b6c-8000-0123456789ab";
        assert_eq!(uuid(one).map(shown).as_deref(), Some(one));
        assert_eq!([uuid(&one.to_uppercase()), uuid(&one[1..]), uuid("")], [None; 3]);
    }
}
