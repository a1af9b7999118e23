//! The trace that a request belongs to, as the W3C writes it.

/// The longest `traceparent` that is read, in bytes. Version 00 has 55; later versions may append to it.
const MAX_PARENT: usize = 128;

/// The longest `tracestate` that is read, in bytes.
const MAX_STATE: usize = 512;

/// The trace that a request belongs to, in the words of the W3C's Trace Context.
///
/// ```
/// use hooks_sdk::core::observe::TraceContext;
///
/// let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
/// let context = TraceContext::new(parent, Some("vendor=1")).expect("a trace");
/// assert_eq!(context.parent(), parent);
/// assert_eq!(TraceContext::new("00-0-0-01", None), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceContext {
    parent: Box<str>,
    state: Option<Box<str>>,
}

impl TraceContext {
    /// Makes a context of a `traceparent` and a `tracestate`. Returns `None` if the first is none. A `tracestate` with
    /// more than 512 bytes or with a control character is left out.
    pub fn new(parent: &str, state: Option<&str>) -> Option<TraceContext> {
        is_parent(parent).then(|| TraceContext {
            parent: parent.into(),
            state: state.filter(|state| is_state(state)).map(Box::from),
        })
    }

    /// Returns the `traceparent`.
    pub fn parent(&self) -> &str {
        &self.parent
    }

    /// Returns the `tracestate`.
    pub fn state(&self) -> Option<&str> {
        self.state.as_deref()
    }
}

/// Whether this is `version-trace-span-flags` in lower-case hexadecimal, with ids that are not zero.
fn is_parent(parent: &str) -> bool {
    if parent.len() > MAX_PARENT {
        return false;
    }
    let is_hex = |part: &str, length: usize| {
        let mut bytes = part.bytes();
        part.len() == length && bytes.all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let is_id = |part: &str, length| is_hex(part, length) && part.bytes().any(|byte| byte != b'0');
    let mut parts = parent.split('-');
    let [version, trace, span, flags] = [(); 4].map(|()| parts.next().unwrap_or_default());
    let has_more = parts.next().is_some();
    is_hex(version, 2)
        && version != "ff"
        && is_id(trace, 32)
        && is_id(span, 16)
        && is_hex(flags, 2)
        && !(version == "00" && has_more)
}

fn is_state(state: &str) -> bool {
    let mut bytes = state.bytes();
    (1..=MAX_STATE).contains(&state.len()) && bytes.all(|byte| matches!(byte, b' '..=b'~'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    #[test]
    fn a_parent_is_read_as_the_w3c_writes_it() {
        let good = [
            format!("00-{TRACE}-00f067aa0ba902b7-01"),
            format!("00-{TRACE}-00f067aa0ba902b7-00"),
            format!("cc-{TRACE}-00f067aa0ba902b7-01-later"),
        ];
        for parent in good {
            assert!(TraceContext::new(&parent, None).is_some(), "{parent}");
        }
        let bad = [
            String::new(),
            "-".repeat(3),
            format!("ff-{TRACE}-00f067aa0ba902b7-01"),
            format!("00-{TRACE}-00f067aa0ba902b7-01-later"),
            format!("00-{TRACE}-0000000000000000-01"),
            format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)),
            format!("00-{}-00f067aa0ba902b7-01", TRACE.to_uppercase()),
            format!("00-{TRACE}-00f067aa0ba902b7-01\r\nx: y"),
            format!("cc-{TRACE}-00f067aa0ba902b7-01-{}", "x".repeat(128)),
        ];
        for parent in bad {
            assert_eq!(TraceContext::new(&parent, None), None, "{parent}");
        }
    }

    #[test]
    fn a_bad_state_is_left_out_and_the_trace_goes_on() {
        let parent = format!("00-{TRACE}-00f067aa0ba902b7-01");
        let state = |state| {
            let context = TraceContext::new(&parent, Some(state)).unwrap();
            context.state().map(str::to_owned)
        };
        assert_eq!(state("a=1,b=2").as_deref(), Some("a=1,b=2"));
        for bad in ["", "a=\n", "a=ü", &"x".repeat(513)] {
            assert_eq!(state(bad), None, "{bad}");
        }
    }
}
