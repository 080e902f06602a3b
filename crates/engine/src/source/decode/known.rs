//! By encoding_rs.

use std::io::{Error, ErrorKind, Read};

use encoding_rs::{Decoder, DecoderResult, UTF_16BE, UTF_16LE, WINDOWS_1252};
use velamen_core::error::Problem;

pub use encoding_rs::Encoding;

/// Bytes that are decoded at once.
const CHUNK: usize = 1 << 16;

/// An encoding by one of its labels, such as `windows-1252`, `latin1`, `shift_jis` or `utf-16le`.
///
/// # Errors
/// With what was expected.
pub fn encoding(label: &str) -> Result<&'static Encoding, Problem> {
    Encoding::for_label_no_replacement(label.as_bytes()).ok_or_else(|| {
        Problem::new(format!("`{label}` is no encoding that is known")).expected(
            "for example \"windows-1252\", \"iso-8859-2\", \"euc-kr\", \"shift_jis\", \"gb18030\" or \
                \"utf-16le\"",
        )
    })
}

/// A text of that encoding as UTF-8, without a byte order mark. Bytes that it does not have are an error.
pub(crate) fn decoded(text: Box<dyn Read + Send>, encoding: &'static Encoding) -> Box<dyn Read + Send> {
    // A byte order mark tells more than a label.
    let decoder = encoding.new_decoder();
    let (name, bytes, ready) = (encoding.name(), Vec::new(), Vec::new());
    Box::new(Decoded { text, decoder, name, bytes, ready, given: 0, ended: false })
}

struct Decoded {
    text: Box<dyn Read + Send>,
    decoder: Decoder,
    name: &'static str,
    bytes: Vec<u8>,
    ready: Vec<u8>,
    /// How much of what is ready was given.
    given: usize,
    ended: bool,
}

impl Decoded {
    fn more(&mut self) -> std::io::Result<()> {
        self.bytes.clear();
        let read = self.text.by_ref().take(CHUNK as u64).read_to_end(&mut self.bytes)?;
        self.ended = read == 0;
        let most = self.decoder.max_utf8_buffer_length_without_replacement(read);
        self.ready.resize(most.unwrap_or(4 * CHUNK), 0);
        let (result, _, written) =
            self.decoder.decode_to_utf8_without_replacement(&self.bytes, &mut self.ready, self.ended);
        if !matches!(result, DecoderResult::InputEmpty) {
            let problem = Problem::new(format!("the text is not {}, as `encoding` says", self.name))
                .mend("correct it, or leave it out if the text is UTF-8");
            return Err(Error::new(ErrorKind::InvalidData, problem));
        }
        self.ready.truncate(written);
        self.given = 0;
        Ok(())
    }
}

impl Read for Decoded {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.given == self.ready.len() && !self.ended {
            self.more()?;
        }
        let read = (&self.ready[self.given..]).read(buffer)?;
        self.given += read;
        Ok(read)
    }
}

/// The encoding of text that is not UTF-8: what its mark says, or that of Western Europe where no character of several bytes is
/// UTF-8. Text that is UTF-8 but for some bytes is damaged, and read as another encoding all of it would be.
pub(crate) fn told_encoding(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        [0xff, 0xfe, ..] => Some(UTF_16LE),
        [0xfe, 0xff, ..] => Some(UTF_16BE),
        _ if is_utf8(head) => None,
        _ => (!head.utf8_chunks().any(|chunk| !chunk.valid().is_ascii())).then_some(WINDOWS_1252),
    }
}

/// The beginning of a text as UTF-8; what the encoding does not have is replaced.
pub(crate) fn beginning(head: &[u8], encoding: &'static Encoding) -> String {
    encoding.decode(head).0.into_owned()
}

/// Whether the text is UTF-8, but for a character that the end cuts.
fn is_utf8(text: &[u8]) -> bool {
    std::str::from_utf8(text).err().is_none_or(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: Vec<u8>, label: &str) -> std::io::Result<String> {
        let mut text = String::new();
        decoded(Box::new(std::io::Cursor::new(bytes)), encoding(label).unwrap()).read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn texts_are_decoded_across_chunks() {
        let umlauts = "M\u{fc}ller,\u{20ac}\n".repeat(20_000);
        let western: Vec<u8> = umlauts
            .chars()
            .map(|c| match c {
                '\u{20ac}' => 0x80,
                c => u8::try_from(u32::from(c)).unwrap(),
            })
            .collect();
        assert_eq!(read(western, "windows-1252").unwrap(), umlauts);
        let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        let smile = "a\u{1f600}\u{fc}".repeat(30_000);
        assert_eq!(read([vec![0xff, 0xfe], wide(&smile)].concat(), "utf-16le").unwrap(), smile);
        assert_eq!(read(Vec::new(), "latin1").unwrap(), "");
    }

    #[test]
    fn bytes_that_an_encoding_lacks_are_refused() {
        let said = read(vec![b'a', 0x81], "shift_jis").unwrap_err().to_string();
        assert!(said.contains("not Shift_JIS"), "{said}");
        assert!(encoding("klingon").unwrap_err().to_string().contains("windows-1252"));
    }
}
