//! The value behind the `=` of a condition.

use std::{cmp::Ordering, ops::Bound};

use super::{ConditionFault, Number, Scalar, Test, text::Text};
use crate::nearest;

const FUNCTIONS: [&str; 4] = ["prefix", "inside", "longer_than", "matches"];

const VALUE: &str = "write a text, a number, a range, `true`, `false`, a list, or one of `prefix(…)`, `inside(…)`, \
    `longer_than(…)`, `matches(…)`";

/// Reads the test behind an `=`.
pub(super) fn test(text: &mut Text<'_>) -> Result<Test, ConditionFault> {
    let equals = text.at - 1;
    if text.peek() == Some('=') {
        return text.fault(equals, "`==` is no test", "write `=`");
    }
    text.skip_spaces();
    let start = text.at;
    if text.is_quoted() {
        return text.quoted().map(|text| Test::Is(Scalar::Text(text)));
    }
    match text.peek() {
        None | Some(',' | ')') => text.fault(equals, "`=` without a value", VALUE),
        Some('[') => list(text).map(Test::OneOf),
        Some('0'..='9' | '-' | '.') => number_or_range(text),
        _ => match text.word() {
            "true" => Ok(Test::Is(Scalar::Flag(true))),
            "false" => Ok(Test::Is(Scalar::Flag(false))),
            "null" => text.fault(
                start,
                "`null` is not a value",
                "write `not(path)` for what is absent or `null`",
            ),
            "" => {
                let wrong = format!("`{}` is not a value", text.shown());
                text.fault(start, wrong, VALUE)
            }
            word => function(text, start, word),
        },
    }
}

fn function(text: &mut Text<'_>, start: usize, word: &str) -> Result<Test, ConditionFault> {
    if !text.next_is("(") {
        let wrong = format!("`{word}` is not a value");
        return text.fault(start, wrong, format!("write `\"{word}\"`"));
    }
    let near = nearest(word, FUNCTIONS);
    if !FUNCTIONS.contains(&word) {
        let help = match near {
            Some(near) => format!("write `{near}(…)`"),
            None => format!("use one of `{}`", FUNCTIONS.join("`, `")),
        };
        return text.fault(start, format!("unknown test `{word}`"), help);
    }
    text.skip_spaces();
    let test = if word == "longer_than" {
        length(text)?
    } else {
        argument(text, start, word)?
    };
    if !text.next_is(")") {
        let wrong = format!("`{word}(` has no end");
        return text.fault(start, wrong, "add `)` behind its one argument");
    }
    Ok(test)
}

fn argument(text: &mut Text<'_>, start: usize, word: &str) -> Result<Test, ConditionFault> {
    if !text.is_quoted() {
        let wrong = format!("`{word}` takes one text");
        return text.fault(start, wrong, format!("write `{word}(\"…\")`"));
    }
    let argument = text.quoted()?;
    if argument.is_empty() {
        let wrong = format!("`{word}(\"\")` is no test: the text is empty");
        return text.fault(start, wrong, "write a text, or the bare path");
    }
    Ok(match word {
        "prefix" => Test::Prefix(argument),
        "inside" => Test::Inside(argument),
        _ => Test::Matches(argument),
    })
}

fn length(text: &mut Text<'_>) -> Result<Test, ConditionFault> {
    let start = text.at;
    let read = match text.peek() {
        Some('0'..='9' | '-') => number(text)?,
        _ => Number::Fraction(0.5),
    };
    let length = match read {
        Number::Whole(length) => usize::try_from(length).ok(),
        Number::Fraction(_) => None,
    };
    match length {
        Some(length) => Ok(Test::LongerThan(length)),
        None => text.fault(
            start,
            "`longer_than` takes a whole number",
            "write `longer_than(1000)`",
        ),
    }
}

/// Reads `["a", 5, true]`.
fn list(text: &mut Text<'_>) -> Result<Vec<Scalar>, ConditionFault> {
    let start = text.at;
    text.eat("[");
    let mut list = Vec::new();
    loop {
        if text.next_is("]") {
            break;
        }
        list.push(scalar(text)?);
        if !text.next_is(",") && text.peek() != Some(']') {
            return match text.peek() {
                None => text.fault(start, "the list has no end", "add `]`"),
                Some(_) => text.fault(
                    text.at,
                    format!("unexpected `{}`", text.shown()),
                    "write a comma between the values of a list",
                ),
            };
        }
    }
    if list.is_empty() {
        return text.fault(start, "the list is empty", "write the values that match");
    }
    Ok(list)
}

fn scalar(text: &mut Text<'_>) -> Result<Scalar, ConditionFault> {
    let start = text.at;
    if text.is_quoted() {
        return text.quoted().map(Scalar::Text);
    }
    if matches!(text.peek(), Some('0'..='9' | '-')) {
        return number(text).map(Scalar::Number);
    }
    match text.word() {
        "true" => Ok(Scalar::Flag(true)),
        "false" => Ok(Scalar::Flag(false)),
        "" => {
            let wrong = match text.shown() {
                "" => "the list has no end".to_owned(),
                shown => format!("`{shown}` is not a value of a list"),
            };
            text.fault(
                start,
                wrong,
                "write texts, numbers, `true` or `false`, and `]` at the end",
            )
        }
        word => text.fault(
            start,
            format!("`{word}` is not a value of a list"),
            format!("write `\"{word}\"`, or `any(…)` around several conditions"),
        ),
    }
}

/// Reads `5`, `5..`, `5..10`, `5..=10`, `..10` or `..=10`.
fn number_or_range(text: &mut Text<'_>) -> Result<Test, ConditionFault> {
    let start = text.at;
    let from = if text.peek() == Some('.') {
        None
    } else {
        Some(number(text)?)
    };
    if !text.eat("..") {
        return match from {
            Some(number) => Ok(Test::Is(Scalar::Number(number))),
            None => text.fault(
                start,
                "`.` is not a value",
                "write a number with its digits: `0.5`",
            ),
        };
    }
    let closed = text.eat("=");
    let to = match text.peek() {
        Some('0'..='9' | '-') => Some(number(text)?),
        _ => None,
    };
    if let (Some(from), Some(to)) = (from, to) {
        let order = from.partial_cmp(&to);
        if order == Some(Ordering::Greater) {
            let wrong = "the range ends before it starts";
            return text.fault(start, wrong, "swap its ends");
        }
        if order == Some(Ordering::Equal) && !closed {
            let wrong = "the range is empty: `..` excludes its end";
            return text.fault(start, wrong, "write `..=`, which includes its end");
        }
    }
    match (from, to) {
        (None, None) => text.fault(
            start,
            "the range has no ends",
            "write one of them, as in `10..`, or the bare path",
        ),
        (_, None) if closed => text.fault(start, "`..=` without an end", "write the end, or `..`"),
        (from, to) => Ok(Test::Range(
            from.map_or(Bound::Unbounded, Bound::Included),
            match to {
                None => Bound::Unbounded,
                Some(to) if closed => Bound::Included(to),
                Some(to) => Bound::Excluded(to),
            },
        )),
    }
}

fn number(text: &mut Text<'_>) -> Result<Number, ConditionFault> {
    let start = text.at;
    let negative = text.eat("-");
    text.skip_spaces();
    let rest = text.rest();
    let digits = |from: usize| {
        rest[from..]
            .find(|letter: char| !letter.is_ascii_digit() && letter != '_')
            .map_or(rest.len(), |length| from + length)
    };
    let mut end = digits(0);
    let mut whole = true;
    if rest[end..].starts_with('.')
        && rest[end + 1..].starts_with(|next: char| next.is_ascii_digit())
    {
        end = digits(end + 1);
        whole = false;
    }
    if let Some(exponent) = rest[end..].strip_prefix(['e', 'E']) {
        let sign = usize::from(exponent.starts_with(['+', '-']));
        end = digits(end + 1 + sign);
        whole = false;
    }
    let suffix = rest[end..].find(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let written = &rest[..end + suffix.unwrap_or(rest.len() - end)];
    let plain: String = written.chars().filter(|letter| *letter != '_').collect();
    let signed = if negative { format!("-{plain}") } else { plain };
    let read = if whole {
        signed.parse().ok().map(Number::Whole)
    } else {
        signed.parse().ok().and_then(Number::fraction)
    };
    match read {
        Some(read) => {
            text.at += end;
            Ok(read)
        }
        None => text.fault(
            start,
            format!(
                "`{}{written}` is not a number",
                if negative { "-" } else { "" }
            ),
            "write decimal digits, as in `1_000` or `0.5`",
        ),
    }
}
