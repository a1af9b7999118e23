//! A time as authors write it: a whole number with its unit, as in `500ms`, `10s` and `2min`.

use std::time::Duration;

/// Reads a time; `None` for anything else than digits with one of the three units behind them.
pub fn duration(text: &str) -> Option<Duration> {
    let unit = text.find(|letter: char| !letter.is_ascii_digit())?;
    let (number, unit) = text.split_at(unit);
    let unit = match unit {
        "ms" => 1,
        "s" => 1000,
        "min" => 60_000,
        _ => return None,
    };
    let millis = number.parse::<u64>().ok()?.checked_mul(unit)?;
    Some(Duration::from_millis(millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_number_with_its_unit() {
        for (text, millis) in [
            ("0ms", 0),
            ("500ms", 500),
            ("10s", 10_000),
            ("2min", 120_000),
        ] {
            assert_eq!(
                duration(text),
                Some(Duration::from_millis(millis)),
                "{text}"
            );
        }
        let huge = format!("{}ms", u64::MAX);
        let more = format!("{}0ms", u64::MAX);
        let minutes = format!("{}min", u64::MAX);
        assert!(duration(&huge).is_some());
        for text in [
            "", "ms", "500", "5 s", "5h", "1.5s", "-1s", "1s ", "1S", &more, &minutes,
        ] {
            assert_eq!(duration(text), None, "{text}");
        }
    }
}
