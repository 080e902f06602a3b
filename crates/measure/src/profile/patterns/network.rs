//! Addresses of the net, and names of files.

use std::net::{Ipv4Addr, Ipv6Addr};

pub(super) fn is_email(text: &str) -> bool {
    let Some((user, host)) = text.rsplit_once('@') else { return false };
    let allowed = |c: char| c.is_alphanumeric() || "._%+-'&".contains(c);
    !user.is_empty() && user.len() <= 64 && user.chars().all(allowed) && is_host(host)
}

/// `example.org`: labels with dots between, the last of letters.
fn is_host(text: &str) -> bool {
    let labels: Vec<&str> = text.split('.').collect();
    let label = |label: &&str| {
        let allowed = label.chars().all(|c| c.is_alphanumeric() || c == '-');
        !label.is_empty() && allowed && !label.starts_with('-') && !label.ends_with('-')
    };
    let top =
        labels.last().is_some_and(|top| top.chars().count() > 1 && top.chars().all(char::is_alphabetic));
    labels.len() > 1 && labels.iter().all(label) && top
}

pub(super) fn is_url(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let rest = ["http://", "https://", "ftp://", "www."].iter().find_map(|start| lower.strip_prefix(start));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#', ':']).next());
    host.is_some_and(|host| is_host(host) || host.parse::<Ipv4Addr>().is_ok())
        && !text.contains(char::is_whitespace)
}

/// Four numbers, but none that begins with 0, as numbers of versions and sections do.
pub(super) fn is_ipv4(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok_and(|address| address.octets()[0] != 0)
}

pub(super) fn is_ipv6(text: &str) -> bool {
    text.len() > 3 && text.matches(':').count() > 1 && text.parse::<Ipv6Addr>().is_ok()
}

pub(super) fn is_mac(text: &str) -> bool {
    [':', '-'].into_iter().any(|separator| {
        let parts: Vec<&str> = text.split(separator).collect();
        let pair = |part: &&str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        parts.len() == 6 && parts.iter().all(pair)
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
        assert!(is_ipv4("192.168.0.1") && !is_ipv4("0.1.2.3") && !is_ipv4("1.2.3") && !is_ipv4("256.1.1.1"));
        assert!(is_ipv6("2001:db8::1") && !is_ipv6("10:20:30") && !is_ipv6("::"));
        assert!(is_mac("00:1B:44:11:3a:b7") && !is_mac("00:1B:44:11:3a"));
        assert!(is_uuid("123e4567-e89b-12d3-a456-426614174000") && !is_uuid("123e4567-e89b-12d3-a456"));
        assert!(is_picture("p/0001.JPG") && !is_picture(".jpg") && !is_picture("jpg"));
        assert!(is_recording("voice_1.wav") && !is_recording("note.txt"));
    }
}
