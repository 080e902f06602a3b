//! Seeds and the streams drawn from them.

use std::fmt;
use std::str::FromStr;

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

/// 256 bits from which every random choice of a run follows.
///
/// `Debug` never shows the bits: whoever knows the seed of a release can recompute its counterfeits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seed([u8; 32]);

/// Why a text is no seed, or why none could be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeedError {
    /// Neither a whole number below 2⁶⁴ nor 64 hexadecimal digits.
    Malformed,
    /// The operating system's generator gave nothing.
    NoEntropy,
}

impl fmt::Display for SeedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => {
                write!(f, "a seed is a whole number from 0 to 2^64 - 1, or 64 hexadecimal digits")
            }
            Self::NoEntropy => write!(f, "the operating system's random number generator gave no seed"),
        }
    }
}

impl std::error::Error for SeedError {}

impl Seed {
    /// A fresh seed from the operating system.
    ///
    /// # Errors
    /// [`SeedError::NoEntropy`] if the operating system has none to give.
    pub fn fresh() -> Result<Self, SeedError> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|_| SeedError::NoEntropy)?;
        Ok(Self(bytes))
    }

    /// The seed that a number stands for: its little-endian bytes, padded with zeros.
    #[must_use]
    pub fn from_number(number: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        Self(bytes)
    }

    /// The 64 hexadecimal digits that [`Seed::from_str`] reads back; for the custodian's folder only.
    #[must_use]
    pub fn to_hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The seed of the run `number` of many: the first 256 bits of its stream.
    #[must_use]
    pub fn derived(&self, number: u64) -> Self {
        let mut stream = self.stream(number);
        let mut bytes = [0; 32];
        bytes.chunks_exact_mut(8).for_each(|word| word.copy_from_slice(&stream.word().to_le_bytes()));
        Self(bytes)
    }

    /// The independent stream `number` of this seed.
    #[must_use]
    pub fn stream(&self, number: u64) -> Stream {
        let mut rng = ChaCha20Rng::from_seed(self.0);
        rng.set_stream(number);
        Stream(rng)
    }
}

impl FromStr for Seed {
    type Err = SeedError;

    fn from_str(text: &str) -> Result<Self, SeedError> {
        if let Ok(number) = text.parse() {
            return Ok(Self::from_number(number));
        }
        if text.len() != 64 || !text.is_ascii() {
            return Err(SeedError::Malformed);
        }
        let mut bytes = [0; 32];
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).map_err(|_| SeedError::Malformed)?;
        }
        Ok(Self(bytes))
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(…)")
    }
}

/// One stream of uniformly random 64-bit words.
#[derive(Clone)]
pub struct Stream(ChaCha20Rng);

impl Stream {
    /// The next uniformly random word.
    pub fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Which word of which stream comes next.
    pub(crate) fn place(&self) -> Place {
        Place { seed: Seed(self.0.get_seed()), stream: self.0.get_stream(), word: self.0.get_word_pos() }
    }
}

/// A word of a stream.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) seed: Seed,
    pub(crate) stream: u64,
    pub(crate) word: u128,
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stream(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_form_reads_back() {
        let seed = Seed::fresh().unwrap();
        assert_eq!(seed.to_hex().parse::<Seed>().unwrap(), seed);
        assert_eq!("42".parse::<Seed>().unwrap(), Seed::from_number(42));
        assert_eq!("forty-two".parse::<Seed>(), Err(SeedError::Malformed));
    }

    #[test]
    fn a_seed_in_hexadecimal_has_64_digits() {
        let digits = "ab".repeat(32);
        assert_eq!(digits.parse::<Seed>().unwrap().to_hex(), digits);
        // Too few, too many, 64 bytes of which some are no digits, and 64 characters that are longer in bytes.
        for text in [&digits[1..], &format!("{digits}a"), &"é".repeat(32), &"é".repeat(64), &"g".repeat(64)]
        {
            assert_eq!(text.parse::<Seed>(), Err(SeedError::Malformed), "{text}");
        }
    }

    #[test]
    fn an_error_says_what_a_seed_is() {
        let text = SeedError::Malformed.to_string();
        assert_eq!(text, "a seed is a whole number from 0 to 2^64 - 1, or 64 hexadecimal digits");
        let text = SeedError::NoEntropy.to_string();
        assert_eq!(text, "the operating system's random number generator gave no seed");
    }

    #[test]
    fn streams_differ_and_repeat() {
        let seed = Seed::from_number(7);
        let first: Vec<u64> = (0..4).map(|n| seed.stream(n).word()).collect();
        let again: Vec<u64> = (0..4).map(|n| seed.stream(n).word()).collect();
        assert_eq!(first, again);
        assert!(first.iter().all(|w| first.iter().filter(|v| *v == w).count() == 1));
    }

    #[test]
    fn runs_have_seeds_of_their_own() {
        let seed = Seed::from_number(7);
        let words: Vec<u64> = (0..4).map(|run| seed.derived(run).stream(run).word()).collect();
        assert!(words.iter().all(|w| words.iter().filter(|v| *v == w).count() == 1));
        assert_eq!(seed.derived(3), Seed::from_number(7).derived(3));
        assert_ne!(seed.derived(3), Seed::from_number(8).derived(3));
    }

    #[test]
    fn debug_hides_the_bits() {
        assert_eq!(format!("{:?}", Seed::from_number(42)), "Seed(…)");
        assert_eq!(format!("{:?}", Seed::from_number(42).stream(0)), "Stream(…)");
    }
}
