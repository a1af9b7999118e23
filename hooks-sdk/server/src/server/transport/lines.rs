//! Reads a stream line by line, up to a maximum length, or messages that are whole already. If the caller drops the future, no
//! half-read line is lost.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
#[cfg(all(feature = "http", feature = "mcpl"))]
use {
    bytes::Bytes,
    futures::{StreamExt, stream::BoxStream},
};

/// The longest line that is read, in bytes with its newline (16 MiB, as rmcp).
pub(crate) const MAX_LINE: usize = 16 * 1024 * 1024;

/// How many bytes are read from the stream at a time at most: what a pipe holds on Linux (64 KiB).
pub(super) const AT_A_TIME: usize = 64 * 1024;

/// How many bytes are kept from the beginning of a message that is too long (4 KiB).
const KEPT: usize = 4096;

/// One read from the stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ReadLine {
    /// A whole line is in [`Lines::line`].
    Whole,
    /// A line longer than the maximum was dropped. [`Lines::beginning`] returns its beginning.
    TooLong,
    /// The peer closed the stream. An unfinished line is not a message.
    End,
}

/// The lines of a stream.
pub(crate) struct Lines {
    from: Source,
    line: Vec<u8>,
    max: usize,
    /// The beginning of a line that is longer than the maximum.
    skipped: Option<Vec<u8>>,
}

enum Source {
    Stream(BufReader<Box<dyn AsyncRead + Send + Unpin>>),
    /// Each is a message, with a bound of its own.
    #[cfg(all(feature = "http", feature = "mcpl"))]
    Messages(BoxStream<'static, Bytes>),
}

fn without_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

pub(crate) fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
}

impl Lines {
    pub(crate) fn new(read: impl AsyncRead + Send + Unpin + 'static, max: usize) -> Lines {
        let read: Box<dyn AsyncRead + Send + Unpin> = Box::new(read);
        Lines::from(
            Source::Stream(BufReader::with_capacity(AT_A_TIME, read)),
            max,
        )
    }

    #[cfg(all(feature = "http", feature = "mcpl"))]
    pub(crate) fn of_messages(messages: BoxStream<'static, Bytes>) -> Lines {
        Lines::from(Source::Messages(messages), MAX_LINE)
    }

    fn from(from: Source, max: usize) -> Lines {
        Lines {
            from,
            line: Vec::new(),
            max,
            skipped: None,
        }
    }

    /// Returns the line read last, without its line end and without a byte order mark.
    pub(crate) fn line(&self) -> &[u8] {
        without_mark(without_line_end(&self.line))
    }

    /// Takes the beginning of the line that was too long. A second call returns nothing.
    pub(crate) fn beginning(&mut self) -> Vec<u8> {
        let first = self.skipped.take().unwrap_or_default();
        without_mark(&first).to_vec()
    }

    /// Clears the line read last.
    pub(crate) fn clear(&mut self) {
        self.line.clear();
    }

    /// Reads until the end of a line.
    ///
    /// The caller may drop the future without loss: `line` keeps the bytes that were taken from the stream, and the
    /// next call continues from there.
    pub(crate) async fn next(&mut self) -> io::Result<ReadLine> {
        let read = match &mut self.from {
            Source::Stream(read) => read,
            #[cfg(all(feature = "http", feature = "mcpl"))]
            Source::Messages(messages) => {
                let message = messages.next().await;
                self.line
                    .extend_from_slice(message.as_deref().unwrap_or_default());
                return Ok(message.map_or(ReadLine::End, |_| ReadLine::Whole));
            }
        };
        loop {
            let available = read.fill_buf().await?;
            if available.is_empty() {
                return Ok(ReadLine::End);
            }
            let newline = memchr::memchr(b'\n', available);
            let take = newline.map_or(available.len(), |at| at + 1);
            let ended = newline.is_some();
            let bytes = &available[..take];
            match &self.skipped {
                Some(_) => {}
                None if self.line.len() + take > self.max => {
                    let mut first = std::mem::take(&mut self.line);
                    first.extend_from_slice(&bytes[..take.min(KEPT)]);
                    first.truncate(KEPT);
                    self.skipped = Some(first);
                }
                None => self.line.extend_from_slice(bytes),
            }
            read.consume(take);
            if ended {
                return Ok(match self.skipped {
                    Some(_) => ReadLine::TooLong,
                    None => ReadLine::Whole,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(input: &'static [u8], max: usize) -> Vec<String> {
        let mut lines = Lines::new(input, max);
        let mut seen = Vec::new();
        loop {
            match lines.next().await.unwrap() {
                ReadLine::Whole => seen.push(String::from_utf8_lossy(lines.line()).into_owned()),
                ReadLine::TooLong => {
                    lines.beginning();
                    seen.push("too long".to_owned());
                }
                ReadLine::End => return seen,
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
        let long = [vec![b'x'; 100_000], b"\nok\n".to_vec()].concat().leak();
        assert_eq!(read(long, 50_000).await, ["too long", "ok"]);
        assert_eq!(read(long, 200_000).await[1], "ok");
    }

    #[tokio::test]
    async fn the_beginning_of_a_long_line_is_kept() {
        for length in [100, 5000, 50_000] {
            let line = format!("\u{feff}<{}>\r\n", "x".repeat(length));
            let mut lines = Lines::new(std::io::Cursor::new(line), 50);
            assert_eq!(lines.next().await.unwrap(), ReadLine::TooLong);
            let first = lines.beginning();
            assert!(first.starts_with(b"<x") && first.len() <= KEPT);
            assert_eq!(lines.next().await.unwrap(), ReadLine::End);
        }
    }
}
