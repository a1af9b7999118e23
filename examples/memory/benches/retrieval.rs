//! Retrieval among 100,000 memories, as a host sees it: the median answer to `context/beforeInference`.
//!
//! ```sh
//! cargo bench -p memory-server --bench retrieval
//! ```
//!
//! `HOOKS_MEMORIES` sets another number of memories.

use std::{
    fmt::Write as _,
    io::{Cursor, Write as _},
    time::{Duration, Instant},
};

use hooks_sdk::testing::{McplHost, mcpl::Turn};
use memory_server::{
    Memory,
    store::{Options, Store},
};

/// How many memories there are, unless set otherwise.
const MEMORIES: usize = 100_000;
/// How many different words they are made of, the frequencies of which follow Zipf's law.
const WORDS: usize = 20_000;
/// How many different questions of each length are asked.
const QUESTIONS: usize = 41;

/// What joins words in English.
const FILLERS: [&str; 12] = [
    "the", "and", "is", "of", "to", "in", "for", "with", "that", "because", "when", "not",
];

/// The same numbers in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    /// A word, each rank about as often as Zipf's law says.
    fn word(&mut self) -> String {
        let even = self.below(1 << 30) as f64 / f64::from(1 << 30);
        let rank = (WORDS as f64).powf(even) as usize;
        named(rank)
    }

    fn sentence(&mut self, length: usize) -> String {
        let mut text = String::new();
        for _ in 0..length {
            let filler = self.below(5) < 2;
            let word = if filler {
                FILLERS[self.below(FILLERS.len())].to_owned()
            } else {
                self.word()
            };
            let _ = write!(text, "{word} ");
        }
        text
    }
}

/// A word of two to four syllables.
fn named(rank: usize) -> String {
    const SYLLABLES: [&str; 16] = [
        "ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "wo", "xa",
        "zu",
    ];
    let mut rest = rank + 256;
    let mut word = String::new();
    while rest > 0 {
        word.push_str(SYLLABLES[rest % 16]);
        rest /= 16;
    }
    word.push('k');
    word
}

fn memories(numbers: &mut Numbers, count: usize) -> Cursor<Vec<u8>> {
    let mut lines = String::new();
    for at in 0..count {
        let length = 20 + numbers.below(30);
        let text = numbers.sentence(length);
        let project = at % 20;
        let _ = writeln!(
            lines,
            r#"{{"id":"m{at}","text":"{text}","metadata":{{"project":"p{project}"}}}}"#
        );
    }
    Cursor::new(lines.into_bytes())
}

async fn median(host: &McplHost, questions: &[String]) -> (Duration, Duration, usize) {
    let mut times = Vec::new();
    let mut answered = 0;
    for question in questions {
        let turn = Turn::new("bench").user(question.as_str());
        let began = Instant::now();
        let given = host.before_inference(&turn).await;
        times.push(began.elapsed());
        answered += usize::from(!given.injections.is_empty());
    }
    times.sort_unstable();
    (times[times.len() / 2], times[times.len() - 1], answered)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let store = Store::open(folder.path().join("memory.db"), Options::default())?;
    let count = match std::env::var("HOOKS_MEMORIES") {
        Ok(count) => count.parse()?,
        Err(_) => MEMORIES,
    };
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    store.import(None, memories(&mut numbers, count)).await?;
    let host = McplHost::connect(Memory::new(store).hooked()?).await?;
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{count} memories; median and slowest of {QUESTIONS} questions"
    )?;
    for length in [5, 15, 40, 200] {
        let questions: Vec<String> = (0..QUESTIONS).map(|_| numbers.sentence(length)).collect();
        median(&host, &questions[..5]).await;
        let (median, slowest, answered) = median(&host, &questions).await;
        writeln!(
            out,
            "{length:>4} words: {median:>9.2?} {slowest:>9.2?}, {answered} with memories"
        )?;
    }
    Ok(())
}
