//! Bags of words: the deterministic stand-in for an embedding.

use std::collections::BTreeMap;

/// As many dimensions as the small sentence embedders have.
const DIMENSIONS: usize = 384;

/// The words of a text: runs of letters and digits, in lower case.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// A text as a vector of hashed words, of length one.
#[derive(Debug)]
pub(super) struct Bag {
    vector: Vec<f64>,
    fingerprint: u64,
    words: BTreeMap<String, u32>,
}

impl Bag {
    pub(super) fn of(text: &str) -> Self {
        let mut counts = BTreeMap::<String, u32>::new();
        for word in words(text) {
            *counts.entry(word).or_default() += 1;
        }
        if counts.is_empty() {
            // Nothing but marks, such as an emoji: compared as a whole.
            counts.insert(text.trim().to_owned(), 1);
        }
        let mut vector = vec![0.0; DIMENSIONS];
        let mut fingerprint = 0_u64;
        for (word, count) in &counts {
            let hash = fnv(word.as_bytes());
            let place = usize::try_from(hash % DIMENSIONS as u64).unwrap_or_default();
            // The sign keeps unrelated words that share a place from adding up to a likeness.
            let sign = if hash >> 63 == 0 { 1.0 } else { -1.0 };
            vector[place] += sign * f64::from(*count).sqrt();
            fingerprint = fingerprint
                .wrapping_add(hash.rotate_left(17).wrapping_mul(u64::from(*count) * 2 + 1));
        }
        let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            vector.iter_mut().for_each(|x| *x /= length);
        }
        Self {
            vector,
            fingerprint,
            words: counts,
        }
    }

    /// The cosine of two bags, 1 for the same words in any order.
    pub(super) fn likeness(&self, other: &Self) -> f64 {
        if self.words == other.words {
            return 1.0;
        }
        self.vector
            .iter()
            .zip(&other.vector)
            .map(|(a, b)| a * b)
            .sum()
    }

    /// The share of another bag's words that this one has too, however often.
    pub(super) fn covers(&self, other: &Self) -> f64 {
        let shared = other
            .words
            .keys()
            .filter(|&word| self.words.contains_key(word));
        shared.count() as f64 / other.words.len().max(1) as f64
    }

    /// The same number for the same words, as SQLite stores it.
    pub(super) fn fingerprint(&self) -> i64 {
        self.fingerprint.cast_signed()
    }

    /// The longest different words, which are the rarer ones.
    pub(super) fn telling(&self, most: usize) -> Vec<&str> {
        let mut words: Vec<&str> = self.words.keys().map(String::as_str).collect();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        words.truncate(most);
        words
    }
}

/// FNV-1a with a final mix: stable over versions and platforms, which std's hasher does not promise.
fn fnv(bytes: &[u8]) -> u64 {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(a: &str, b: &str) -> f64 {
        Bag::of(a).likeness(&Bag::of(b))
    }

    #[test]
    fn same_words_in_another_order_are_the_same() {
        assert_eq!(likeness("Retry, twice!", "twice retry"), 1.0);
        assert_eq!(
            Bag::of("Retry, twice!").fingerprint(),
            Bag::of("twice retry").fingerprint()
        );
    }

    #[test]
    fn unrelated_texts_are_far_apart_even_when_long() {
        let a: String = (0..400).map(|n| format!("alpha{n} ")).collect();
        let b: String = (0..400).map(|n| format!("beta{n} ")).collect();
        assert!(likeness(&a, &b).abs() < 0.3, "{}", likeness(&a, &b));
    }

    #[test]
    fn a_bag_covers_the_words_it_has() {
        let covers = |a: &str, b: &str| Bag::of(a).covers(&Bag::of(b));
        assert_eq!(covers("Retries stop after three", "three retries"), 1.0);
        assert_eq!(covers("three retries", "Retries stop after three"), 0.5);
        assert_eq!(covers("🦀", "three retries"), 0.0);
    }

    #[test]
    fn texts_without_words_are_compared_whole() {
        assert_eq!(likeness("🦀", "🦀"), 1.0);
        assert!(likeness("🦀", "!!!") < 0.8);
    }
}
