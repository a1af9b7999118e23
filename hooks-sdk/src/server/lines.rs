//! Reading a stream line by line, with a cap, and never losing a half-read line to cancellation.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// The longest line that is read, in bytes with its newline (16 MiB, as rmcp).
pub(super) const MAX_LINE: usize = 16 * 1024 * 1024;

/// One read from the stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A whole line is in [`Lines::line`].
    Whole,
    /// A line longer than the cap was dropped; its end is skipped by later reads.
    TooLong,
    /// The peer closed the stream; an unfinished line is no message.
    End,
}

/// The lines of a stream.
#[derive(Debug)]
pub(super) struct Lines<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    max: usize,
    skipping: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(read: R, max: usize) -> Lines<R> {
        Lines {
            read: BufReader::new(read),
            line: Vec::new(),
            max,
            skipping: false,
        }
    }

    /// The line read last, without its line end and without a byte order mark.
    pub(super) fn line(&self) -> &[u8] {
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
    }

    /// Forgets the line read last.
    pub(super) fn clear(&mut self) {
        self.line.clear();
    }

    /// Reads until the end of a line.
    ///
    /// Dropping the future loses nothing: between the two awaits of a round, what was taken from the
    /// stream stands in `line`, and the next call goes on from there.
    pub(super) async fn next(&mut self) -> io::Result<Line> {
        loop {
            let available = self.read.fill_buf().await?;
            if available.is_empty() {
                return Ok(Line::End);
            }
            let newline = memchr::memchr(b'\n', available);
            let take = newline.map_or(available.len(), |at| at + 1);
            let ended = newline.is_some();
            let too_long = !self.skipping && self.line.len() + take > self.max;
            if !self.skipping && !too_long {
                self.line.extend_from_slice(&available[..take]);
            }
            self.read.consume(take);
            if too_long {
                self.line = Vec::new();
                self.skipping = !ended;
                return Ok(Line::TooLong);
            }
            if ended && !std::mem::take(&mut self.skipping) {
                return Ok(Line::Whole);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(input: &[u8], max: usize) -> Vec<String> {
        let mut lines = Lines::new(input, max);
        let mut seen = Vec::new();
        loop {
            match lines.next().await.unwrap() {
                Line::Whole => seen.push(String::from_utf8_lossy(lines.line()).into_owned()),
                Line::TooLong => seen.push("too long".to_owned()),
                Line::End => return seen,
            }
            lines.clear();
        }
    }

    #[tokio::test]
    async fn line_ends_and_marks_are_cut_off() {
        assert_eq!(read(b"\xEF\xBB\xBFa\r\nb\n\nc", 100).await, ["a", "b", ""]);
    }

    #[tokio::test]
    async fn a_long_line_is_dropped_and_the_next_one_read() {
        assert_eq!(read(b"abcdef\nab\n", 4).await, ["too long", "ab"]);
        let long = [vec![b'x'; 100_000], b"\nok\n".to_vec()].concat();
        assert_eq!(read(&long, 50_000).await, ["too long", "ok"]);
        assert_eq!(read(&long, 200_000).await[1], "ok");
    }
}
