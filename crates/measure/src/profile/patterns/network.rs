//! Addresses of the net, and names of files.

use std::net::{Ipv4Addr, Ipv6Addr};

pub(super) fn is_email(text: &str) -> bool {
    let Some((user, host)) = text.rsplit_once('@') else { return false };
    !user.is_empty() && user.len() <= 64 && user.chars().all(in_mailbox) && is_host(host)
}

fn in_mailbox(c: char) -> bool {
    c.is_alphanumeric() || "._%+-'&".contains(c)
}

/// An address within a text, as far as its characters go on both sides of the sign.
pub(super) fn holds_email(text: &str) -> bool {
    let user = |c: char| c.is_alphanumeric() || "._%+-'&".contains(c);
    text.match_indices('@').any(|(at, _)| {
        let before = text[..at].rsplit(|c| !user(c)).next().unwrap_or("");
        let after = text[at + 1..].split(|c| !in_host(c)).next().unwrap_or("").trim_end_matches(['.', '-']);
        !before.is_empty() && before.len() <= 64 && is_host(after)
    })
}

fn in_host(c: char) -> bool {
    c.is_alphanumeric() || "-.".contains(c)
}

/// `example.org`: labels with dots between, the last of letters.
fn is_host(text: &str) -> bool {
    let labels: Vec<&str> = text.split('.').collect();
    let top =
        labels.last().is_some_and(|top| top.chars().count() > 1 && top.chars().all(char::is_alphabetic));
    labels.len() > 1 && labels.iter().all(is_label) && top
}

fn is_label(label: &&str) -> bool {
    let allowed = label.chars().all(|c| c.is_alphanumeric() || c == '-');
    !label.is_empty() && allowed && !label.starts_with('-') && !label.ends_with('-')
}

pub(super) fn is_url(text: &str) -> bool {
    if !text.contains("://") && !text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www.")) {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    let rest = ["http://", "https://", "ftp://", "www."].iter().find_map(|start| lower.strip_prefix(start));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#', ':']).next());
    let host = host.map(|host| host.rsplit_once('@').map_or(host, |(_, host)| host));
    host.is_some_and(|host| is_host(host) || host.parse::<Ipv4Addr>().is_ok())
        && !text.contains(char::is_whitespace)
}

/// A web address that names a user: `user@`, `/~user`, `/users/…`.
pub(super) fn has_user(text: &str) -> bool {
    const FOLDERS: [&str; 12] = [
        "users", "user", "u", "profile", "profiles", "people", "person", "patient", "patients", "members",
        "member", "in",
    ];
    if !is_url(text) {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    let rest = lower.split_once("://").map_or(&*lower, |(_, rest)| rest);
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let parts: Vec<&str> = path.split('/').collect();
    let named = |pair: &[&str]| FOLDERS.contains(&pair[0]) && pair[1].chars().any(char::is_alphanumeric);
    host.contains('@')
        || parts.iter().any(|part| part.len() > 1 && part.starts_with('~'))
        || parts.windows(2).any(named)
}

/// A name of a social network: `@jane_doe`.
pub(super) fn is_handle(text: &str) -> bool {
    let name = text.strip_prefix('@').unwrap_or("");
    (3..=30).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'))
}

/// 32, 40, 64 or 128 hexadecimal digits, letters among them.
pub(super) fn is_hash(text: &str) -> bool {
    matches!(text.len(), 32 | 40 | 64 | 128)
        && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// An object identifier as studies and images of one person have: many numbers, and long.
pub(super) fn is_instance_uid(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    let number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.len() >= 25 && parts.len() >= 6 && parts.iter().all(number)
}

/// Four numbers that are an address and no version: versions begin with a small number, or have small ones only.
pub(super) fn is_ipv4(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok_and(|address| {
        let octets = address.octets();
        octets[0] == 10 || octets[0] > 10 && octets.iter().any(|octet| *octet >= 100)
    })
}

pub(super) fn is_ipv6(text: &str) -> bool {
    text.len() > 3 && text.matches(':').count() > 1 && text.parse::<Ipv6Addr>().is_ok()
}

/// Six pairs, at least one letter among them: times have none.
pub(super) fn is_mac(text: &str) -> bool {
    [':', '-'].into_iter().any(|separator| {
        let parts: Vec<&str> = text.split(separator).collect();
        let pair = |part: &&str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        let letter = text.bytes().any(|byte| byte.is_ascii_alphabetic());
        parts.len() == 6 && parts.iter().all(pair) && letter
    })
}

pub(super) fn is_uuid(text: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    let parts: Vec<&str> = text.trim_matches(['{', '}']).split('-').collect();
    let hex = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    parts.len() == 5 && parts.iter().zip(lengths).all(|(part, length)| part.len() == length && hex(part))
}

pub(super) fn is_picture(text: &str) -> bool {
    has_extension(text, &["jpg", "jpeg", "png", "gif", "bmp", "tif", "tiff", "heic", "webp", "dcm", "nii"])
}

pub(super) fn is_recording(text: &str) -> bool {
    has_extension(text, &["wav", "mp3", "flac", "m4a", "wsq", "fpt", "mp4", "avi", "mov"])
}

fn has_extension(text: &str, extensions: &[&str]) -> bool {
    let Some((name, extension)) = text.rsplit_once('.') else { return false };
    !name.is_empty() && extensions.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_what_is_like_them() {
        for text in ["jane.doe+x@mail.example.org", "홍길동@example.co.kr"] {
            assert!(is_email(text), "{text}");
        }
        for text in ["@example.org", "jane@host", "jane@.org", "a b@example.org", "5@1.25", "x@example.o"] {
            assert!(!is_email(text), "{text}");
        }
        assert!(
            is_url("https://example.org/a?b") && is_url("www.example.org") && is_url("http://10.0.0.1:80/")
        );
        assert!(!is_url("https://") && !is_url("example.org") && !is_url("http://nowhere"));
        assert!(
            holds_email("mail:jane.doe@example.org.")
                && holds_email("<jane@example.org>;x")
                && !holds_email("at 5 @ home.de")
        );
        for text in [
            "https://jane@example.org/",
            "http://example.org/~jane",
            "https://example.org/users/jane",
            "www.example.org/in/jane-doe",
        ] {
            assert!(has_user(text), "{text}");
        }
        for text in [
            "https://example.org/code/E11",
            "http://loinc.org",
            "https://example.org/~",
            "https://example.org/users/",
        ] {
            assert!(!has_user(text), "{text}");
        }
        assert!(is_handle("@jane_doe") && !is_handle("jane") && !is_handle("@1 mg"));
        assert!(is_hash(&"0a".repeat(16)) && !is_hash(&"01".repeat(16)) && !is_hash("0a"));
        assert!(
            is_instance_uid("1.2.840.113619.2.5.1762583153.215519")
                && !is_instance_uid("2.16.840.1.113883.6.1")
        );
        assert!(!is_ipv4("2.10.1.3") && !is_ipv4("12.4.3.1") && is_ipv4("10.0.3.17"));
        assert!(is_ipv4("192.168.0.1") && !is_ipv4("0.1.2.3") && !is_ipv4("1.2.3") && !is_ipv4("256.1.1.1"));
        assert!(is_ipv6("2001:db8::1") && !is_ipv6("10:20:30") && !is_ipv6("::"));
        assert!(is_mac("00:1B:44:11:3a:b7") && !is_mac("24-01-31-10-20-30") && !is_mac("00:1B:44:11:3a"));
        assert!(is_uuid("123e4567-e89b-12d3-a456-426614174000") && !is_uuid("123e4567-e89b-12d3-a456"));
        assert!(is_picture("p/0001.JPG") && !is_picture(".jpg") && !is_picture("jpg"));
        assert!(is_recording("voice_1.wav") && !is_recording("note.txt"));
    }
}
