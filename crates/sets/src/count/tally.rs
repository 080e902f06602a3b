//! Counters that stop at their largest value.

/// A counter that is exact up to its largest value, and stays there.
pub(crate) trait Tally: Copy + Default + Ord + Send + Sync {
    /// One more.
    fn increment(&mut self);
    /// The least that is enough for k.
    fn enough(k: u32) -> Self;
}

macro_rules! tally {
    ($($number:ty),*) => {$(
        impl Tally for $number {
            fn increment(&mut self) {
                *self = self.saturating_add(1);
            }

            fn enough(k: u32) -> Self {
                Self::try_from(k).unwrap_or(Self::MAX)
            }
        }
    )*};
}

tally!(u8, u16, u32);
