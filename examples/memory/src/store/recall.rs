//! The memories that belong to what somebody says, where nobody has asked for any: few, or none.
//!
//! A search lists whatever has a word of its query. Here a memory has to clear a bar that does not depend on the other
//! memories: one rare word of what was said, or two that say something. Only the rarest words are looked for, and of
//! each only a few hundred memories, so that the time does not grow with the number of memories.

use std::collections::{HashMap, HashSet};

use rusqlite::ToSql;

use super::{
    Store, check,
    database::Db,
    error::Error,
    everyday::{Says, says},
    newest::{Sought, newest},
    record::{COLUMNS, Record},
    words::words,
};

/// The most words whose frequency is looked up.
const LOOKED_UP: usize = 24;
/// The most words that are looked for: the rarest.
const LOOKED_FOR: usize = 8;
/// The most frequent words among them.
const FREQUENT: usize = 4;
/// The most memories that are read of one word; a word of more is a frequent one.
const PER_WORD: i64 = 256;
/// The most memories that are looked at, of those that clear the bar.
const LOOKED_AT: usize = 200;
/// In so many memories a word may be, and be rare; where there are many, in one of 500.
const RARE: f64 = 20.0;
/// The share of the best memory's weight that the others have, at least.
const LEAST: f64 = 0.5;

impl Store {
    /// The memories of all projects, and of the conversation, that what was said is about; the best first.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn recall(
        &self,
        conversation: Option<&str>,
        said: &str,
        most: usize,
    ) -> Result<Vec<Record>, Error> {
        let conversation = conversation.map(check::conversation).transpose()?;
        self.recall_of(Of::All { conversation }, said, most).await
    }

    /// The memories of one project that the agent's own words are about; the best first. One that begins with these
    /// very words tells the agent nothing, and is left out.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn recall_in(
        &self,
        project: &str,
        words: &str,
        most: usize,
    ) -> Result<Vec<Record>, Error> {
        let of = Of::Project {
            name: check::project(project)?,
            words: words.to_owned(),
        };
        self.recall_of(of, words, most).await
    }

    async fn recall_of(&self, of: Of, said: &str, most: usize) -> Result<Vec<Record>, Error> {
        let said = Said::of(said);
        if said.words.is_empty() {
            return Ok(Vec::new());
        }
        self.run(move |db| recall(db, &of, &said, most)).await
    }
}

/// Whose memories may be found.
enum Of {
    /// Those of all projects, and of one conversation.
    All { conversation: Option<String> },
    /// Those of a project that say more than these words.
    Project { name: String, words: String },
}

/// What was said, as far as it says anything.
#[derive(Debug)]
struct Said {
    /// The words to look up, those that say most first.
    words: Vec<(Says, String)>,
    /// How many words said something.
    count: usize,
}

impl Said {
    fn of(text: &str) -> Said {
        let mut seen = HashSet::new();
        let mut telling: Vec<(Says, String)> = words(text)
            .map(|word| (says(&word), word))
            .filter(|(says, word)| *says > Says::Nothing && seen.insert(word.clone()))
            .collect();
        let count = telling.len();
        // Long words are rarer than short ones.
        telling.sort_by_key(|(says, word)| std::cmp::Reverse((*says, word.len())));
        telling.truncate(LOOKED_UP);
        Said {
            words: telling,
            count,
        }
    }

    /// How many points a memory needs: in a long text words meet by chance.
    fn bar(&self) -> u32 {
        match self.count {
            ..=12 => 2,
            13..=40 => 3,
            _ => 4,
        }
    }
}

/// A word, and the newest memories that have it.
struct Term<'s> {
    word: &'s str,
    says: Says,
    rows: Vec<i64>,
    /// In how many memories it is, about.
    frequency: f64,
}

impl Term<'_> {
    fn is_frequent(&self) -> bool {
        self.rows.len() as i64 == PER_WORD
    }

    /// Whether it is another form of a word that counts already.
    fn is_form_of(&self, other: &Term<'_>) -> bool {
        let begins = |word: &str| word.chars().take(3).collect::<String>();
        self.rows == other.rows && begins(self.word) == begins(other.word)
    }
}

fn recall(db: Db<'_>, of: &Of, said: &Said, most: usize) -> Result<Vec<Record>, Error> {
    let all = db.number("SELECT coalesce(max(seq), 0) FROM memory", &[])?;
    let all = all as f64;
    let terms = terms(db, said, all)?;
    let mut scores: Vec<(u32, f64)> = Vec::new();
    for term in &terms {
        let rare = term.says == Says::Much && term.frequency <= RARE.max(all / 500.0);
        scores.push((if rare { 2 } else { 1 }, (1.0 + all / term.frequency).ln()));
    }
    let mut ranked: Vec<(f64, i64)> = Vec::new();
    for (row, has) in rows_of(db, &terms)? {
        let had = scores
            .iter()
            .enumerate()
            .filter(|(at, _)| has & (1 << at) != 0);
        let (points, weight) = had.fold((0, 0.0), |sum, (_, score)| {
            (sum.0 + score.0, sum.1 + score.1)
        });
        if points >= said.bar() {
            ranked.push((weight, row));
        }
    }
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
    read(db, of, &ranked, most)
}

/// The rarest words, the rarest first; those that nearly every memory has are none of them.
fn terms<'s>(db: Db<'_>, said: &'s Said, all: f64) -> Result<Vec<Term<'s>>, Error> {
    let sought = said.words.iter().map(|(_, word)| Sought::Word(word));
    let found = newest(db, &sought.collect::<Vec<_>>(), PER_WORD)?;
    let mut terms: Vec<Term<'s>> = Vec::new();
    for ((says, word), rows) in said.words.iter().zip(found) {
        let Some(oldest) = rows.last() else {
            continue;
        };
        let frequency = if (rows.len() as i64) < PER_WORD {
            rows.len() as f64
        } else {
            // As often before as among the newest.
            PER_WORD as f64 * all / (all - *oldest as f64 + 1.0)
        };
        if frequency > RARE.max(all / 10.0) {
            continue;
        }
        let term = Term {
            word,
            says: *says,
            rows,
            frequency,
        };
        if !terms.iter().any(|other| term.is_form_of(other)) {
            terms.push(term);
        }
    }
    terms.sort_by(|a, b| a.frequency.total_cmp(&b.frequency));
    terms.truncate(LOOKED_FOR);
    // Frequent words count in pairs, of which there are not to be many.
    let complete = terms.partition_point(|term| !term.is_frequent());
    terms.truncate(complete + FREQUENT);
    Ok(terms)
}

/// Which of the words each memory has, a bit for each word.
///
/// A frequent word counts where there is another one: its newest memories need not be those.
fn rows_of(db: Db<'_>, terms: &[Term<'_>]) -> Result<HashMap<i64, u32>, Error> {
    let (frequent, complete): (Vec<_>, Vec<_>) = terms
        .iter()
        .enumerate()
        .map(|(at, term)| (1 << at, term))
        .partition(|(_, term)| term.is_frequent());
    let mut has = HashMap::<i64, u32>::new();
    let mut add = |rows: &[i64], bits: u32| {
        for row in rows {
            *has.entry(*row).or_default() |= bits;
        }
    };
    for (bit, term) in &complete {
        add(&term.rows, *bit);
    }
    let rarer: Vec<&str> = complete.iter().map(|(_, term)| term.word).collect();
    let words: Vec<&str> = frequent.iter().map(|(_, term)| term.word).collect();
    let mut bits: Vec<u32> = Vec::new();
    let mut sought = Vec::new();
    for (at, (bit, term)) in frequent.iter().enumerate() {
        if !rarer.is_empty() {
            bits.push(*bit);
            sought.push(Sought::With(term.word, &rarer));
        }
        for other in 0..at {
            bits.push(bit | frequent[other].0);
            sought.push(Sought::With(term.word, &words[other..=other]));
        }
    }
    for (bits, rows) in bits.into_iter().zip(newest(db, &sought, PER_WORD)?) {
        add(&rows, bits);
    }
    Ok(has)
}

/// The best that are current, and may be found.
fn read(db: Db<'_>, of: &Of, ranked: &[(f64, i64)], most: usize) -> Result<Vec<Record>, Error> {
    let (conversation, project, words) = match of {
        Of::All { conversation } => (conversation.as_deref(), None, None),
        Of::Project { name, words } => (None, Some(name.as_str()), Some(words.as_str())),
    };
    let ranked = &ranked[..ranked.len().min(LOOKED_AT)];
    let sql = format!(
        "SELECT {COLUMNS} FROM memory m
         WHERE m.seq = ?1 AND m.superseded_by IS NULL
         AND (m.conversation IS NULL OR m.conversation = ?2)
         AND (?3 IS NULL OR m.project = ?3)
         AND (?4 IS NULL OR substr(m.content, 1, length(?4)) <> ?4)"
    );
    let mut found = Vec::new();
    let mut least = 0.0;
    for (weight, row) in ranked {
        if found.len() == most || *weight < least {
            break;
        }
        let values: [&dyn ToSql; 4] = [row, &conversation, &project, &words];
        if let Some(record) = db.first(&sql, &values, Record::read)? {
            found.push(record);
            if found.len() == 1 {
                least = *weight * LEAST;
            }
        }
    }
    Ok(found)
}
