//! The random numbers of the sample data.

/// The random number generator [SplitMix64](https://prng.di.unimi.it/splitmix64.c). A library may
/// change its generators in any release, which would change the sample data.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, end: u32) -> i64 {
        (self.next() % u64::from(end)).cast_signed()
    }

    pub(super) fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[usize::try_from(self.next() % all.len() as u64).unwrap_or(0)]
    }
}
