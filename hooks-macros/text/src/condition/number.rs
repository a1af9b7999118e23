//! Numbers of conditions and documents, compared exactly: 2^53 + 1 is not 2^53.

use std::cmp::Ordering;

/// A number. Whole numbers and fractions with the same value are equal.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every reader has to decide about every form"
)]
pub enum Number {
    /// A whole number; those of JSON have 64 bits.
    Whole(i128),
    /// A number that was written as a fraction. It is finite.
    Fraction(f64),
}

impl Number {
    /// A fraction; `None` if it is not finite.
    pub fn fraction(value: f64) -> Option<Number> {
        value.is_finite().then_some(Number::Fraction(value))
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        match (*self, *other) {
            (Number::Whole(a), Number::Whole(b)) => Some(a.cmp(&b)),
            (Number::Fraction(a), Number::Fraction(b)) => a.partial_cmp(&b),
            (Number::Whole(a), Number::Fraction(b)) => whole_to_fraction(a, b),
            (Number::Fraction(a), Number::Whole(b)) => {
                whole_to_fraction(b, a).map(Ordering::reverse)
            }
        }
    }
}

/// Compares without rounding: first the whole parts, then what is behind the point.
fn whole_to_fraction(whole: i128, fraction: f64) -> Option<Ordering> {
    if fraction.is_nan() {
        return None;
    }
    let floor = fraction.floor();
    // A cast saturates, and no number of JSON is as large as the bounds of 128 bits.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a whole number by `floor`, and the cast saturates"
    )]
    let order = whole.cmp(&(floor as i128));
    Some(order.then(if fraction > floor {
        Ordering::Less
    } else {
        Ordering::Equal
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_by_their_exact_values() {
        const EDGE: i128 = 1 << 53;
        let whole = Number::Whole;
        let fraction = |value| Number::fraction(value).unwrap();
        for (a, b, expected) in [
            (whole(5), whole(5), Ordering::Equal),
            (whole(5), fraction(5.0), Ordering::Equal),
            (whole(5), fraction(5.5), Ordering::Less),
            (whole(-5), fraction(-5.5), Ordering::Greater),
            (
                whole(EDGE + 1),
                fraction(9_007_199_254_740_992.0),
                Ordering::Greater,
            ),
            (
                whole(EDGE),
                fraction(9_007_199_254_740_992.0),
                Ordering::Equal,
            ),
            (whole(i128::from(u64::MAX)), fraction(1e300), Ordering::Less),
            (
                whole(i128::from(i64::MIN)),
                fraction(-1e300),
                Ordering::Greater,
            ),
            (fraction(0.1), fraction(0.2), Ordering::Less),
            (whole(0), fraction(-0.0), Ordering::Equal),
        ] {
            assert_eq!(a.partial_cmp(&b), Some(expected), "{a:?} {b:?}");
            assert_eq!(b.partial_cmp(&a), Some(expected.reverse()), "{b:?} {a:?}");
        }
        assert!(Number::fraction(f64::INFINITY).is_none());
    }
}
