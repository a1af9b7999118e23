//! Standard input: what a client writes about one event.

use std::{
    io::{self, ErrorKind, Read},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use crate::clients::MAX_INPUT;

/// Reads one JSON value from standard input, which a client may keep open. The time begins at `began`.
///
/// # Errors
///
/// Standard input cannot be read, or no whole value arrives in time. A thread then still reads.
pub(super) fn one_value(began: Instant, patience: Duration) -> io::Result<Vec<u8>> {
    one_value_of(io::stdin(), began, patience)
}

fn one_value_of(
    input: impl Read + Send + 'static,
    began: Instant,
    patience: Duration,
) -> io::Result<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    let read = move || _ = send.send(read_value(input));
    thread::Builder::new().spawn(read)?;
    let left = patience.saturating_sub(began.elapsed());
    receive.recv_timeout(left).unwrap_or_else(|_| {
        let late = format!(
            "standard input did not arrive in time: no whole JSON value within {} ms",
            patience.as_millis()
        );
        Err(io::Error::new(ErrorKind::TimedOut, late))
    })
}

/// Reads to the end of the first value, at most one byte more than the limit.
fn read_value(input: impl Read) -> io::Result<Vec<u8>> {
    let mut input = input.take(MAX_INPUT as u64 + 1);
    let (mut read, mut chunk) = (Vec::new(), vec![0; 64 * 1024]);
    let mut scan = Scan::default();
    loop {
        let length = match input.read(&mut chunk) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            length => length?,
        };
        let chunk = &chunk[..length];
        let end = chunk.iter().position(|byte| scan.ends_with(*byte));
        // Whatever comes behind the value is not part of it.
        read.extend_from_slice(end.map_or(chunk, |end| &chunk[..=end]));
        if length == 0 || end.is_some() {
            return Ok(read);
        }
    }
}

/// Finds the end of a JSON value, and leaves it to the parser whether it is one.
#[derive(Default)]
struct Scan {
    depth: usize,
    in_text: bool,
    is_escaped: bool,
}

impl Scan {
    /// Returns whether the value ends with this byte. A value that is no object, array or text ends with its first byte,
    /// because no hook takes it.
    fn ends_with(&mut self, byte: u8) -> bool {
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.in_text => self.is_escaped = true,
            b'"' => self.in_text = !self.in_text,
            _ if self.in_text => {}
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            // White space, and the bytes of a byte order mark.
            b' ' | b'\t' | b'\r' | b'\n' | 0xef | 0xbb | 0xbf => return false,
            _ => {}
        }
        self.depth == 0 && !self.in_text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Standard input whose client writes these pieces with pauses, and ends it or keeps it open.
    struct Pieces(std::vec::IntoIter<Vec<u8>>, bool);

    impl Read for Pieces {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            thread::sleep(Duration::from_millis(2));
            let Some(piece) = self.0.next() else {
                if self.1 {
                    thread::sleep(Duration::MAX);
                }
                return Ok(0);
            };
            into[..piece.len()].copy_from_slice(&piece);
            Ok(piece.len())
        }
    }

    /// Reads pieces of this length within a minute, or within 200 ms if they are `late`.
    fn read(input: &[u8], piece: usize, is_open: bool, late: bool) -> io::Result<Vec<u8>> {
        let pieces: Vec<_> = input.chunks(piece).map(<[u8]>::to_vec).collect();
        let input = Pieces(pieces.into_iter(), is_open);
        let patience = Duration::from_millis(if late { 200 } else { 60_000 });
        one_value_of(input, Instant::now(), patience)
    }

    #[test]
    fn a_value_is_read_when_it_is_whole() {
        let deep = "[".repeat(1_000) + &"]".repeat(1_000);
        for value in [
            "{}",
            r#"{"a":"}\\\"}","b":[{"c":"\\"},"\ud83d"]}"#,
            "\u{feff} \n{\"a\": 1}",
            "{\"a\":\"\u{feff}é\"}",
            "\"a\"",
            &deep,
            // Not JSON, which the parser says.
            "{\"a\":}",
            "h",
        ] {
            for behind in ["", "\n", " \n\t", "{\"b\":2}", "]", "\0"] {
                for (piece, is_open) in [(1, true), (7, true), (9_000, true), (9_000, false)] {
                    if value.len() / piece > 100 {
                        continue;
                    }
                    let input = format!("{value}{behind}");
                    let found = read(input.as_bytes(), piece, is_open, false).unwrap();
                    assert_eq!(found, value.as_bytes(), "{input}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_whole_value_ends_with_the_input_or_with_the_time() {
        for half in ["", " ", "\u{feff}", "{", "{\"a\":\"}", "[{}", "\"\\\""] {
            let late = read(half.as_bytes(), 2, true, true).unwrap_err();
            assert!(late.to_string().contains("did not arrive in time"));
            let ended = read(half.as_bytes(), 2, false, false).unwrap();
            assert_eq!(ended, half.as_bytes());
        }
    }

    #[test]
    fn a_long_input_is_read_to_the_limit() {
        let long = io::Cursor::new(b"{").chain(io::repeat(b' '));
        assert_eq!(read_value(long).unwrap().len(), MAX_INPUT + 1);
    }
}
