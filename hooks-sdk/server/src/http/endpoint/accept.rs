//! The media types that a client accepts, by the ranges of RFC 9110.

use axum::response::IntoResponse;
use http::{HeaderMap, Method, StatusCode, header::ACCEPT};

use super::Refused;

/// The media types of an answer.
const JSON: (&str, &str) = ("application", "json");
const EVENTS: (&str, &str) = ("text", "event-stream");

/// Checks whether a client accepts the answers to this method: JSON and events for a `POST`, events for a `GET`.
///
/// # Errors
///
/// Returns the response if it does not.
pub(super) fn check(headers: &HeaderMap, method: &Method) -> Result<(), Refused> {
    let (needed, named) = match *method {
        Method::POST => (
            &[JSON, EVENTS][..],
            "both application/json and text/event-stream",
        ),
        _ => (&[EVENTS][..], "text/event-stream"),
    };
    if needed.iter().all(|kind| fits(headers, *kind)) {
        return Ok(());
    }
    let sentence = format!("Not Acceptable: Client must accept {named}");
    Err(Box::new(
        (StatusCode::NOT_ACCEPTABLE, sentence).into_response(),
    ))
}

/// Returns whether a client accepts a media type. Without `Accept` it accepts every one. The most specific range counts, and
/// `q=0` excludes what is in it. Parameters of a media type are not compared.
fn fits(headers: &HeaderMap, (kind, subtype): (&str, &str)) -> bool {
    if !headers.contains_key(ACCEPT) {
        return true;
    }
    let values = headers.get_all(ACCEPT).iter();
    let values = values.filter_map(|value| value.to_str().ok());
    let ranges = values.flat_map(|value| split(value, ','));
    let fitting = ranges.filter_map(|range| {
        let mut parts = split(range, ';');
        let (of_kind, of_subtype) = parts.next()?.trim().split_once('/')?;
        let specific = match (of_kind, of_subtype) {
            ("*", "*") => 0,
            (_, "*") if of_kind.eq_ignore_ascii_case(kind) => 1,
            _ if of_kind.eq_ignore_ascii_case(kind) && of_subtype.eq_ignore_ascii_case(subtype) => {
                2
            }
            _ => return None,
        };
        Some((specific, !parts.any(excludes)))
    });
    // Of two ranges that are as specific, the one that accepts counts.
    fitting.max().is_some_and(|(_, accepts)| accepts)
}

/// Returns whether a parameter is a weight of zero. A weight of another form excludes nothing.
fn excludes(parameter: &str) -> bool {
    let Some((name, weight)) = parameter.split_once('=') else {
        return false;
    };
    let weight = weight.trim();
    let (whole, fraction) = weight.split_once('.').unwrap_or((weight, ""));
    let is_zero =
        whole == "0" && fraction.len() <= 3 && fraction.bytes().all(|digit| digit == b'0');
    name.trim().eq_ignore_ascii_case("q") && is_zero
}

/// Splits a list. A text in quotes may have the separator.
fn split(list: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    list.split(move |character| {
        let was_escaped = std::mem::take(&mut escaped);
        match character {
            '\\' => escaped = quoted && !was_escaped,
            '"' if !was_escaped => quoted = !quoted,
            _ => {}
        }
        character == separator && !quoted
    })
}
