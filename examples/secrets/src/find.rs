//! What is found in a text, and where.
//!
//! Every pattern is searched for in one pass: the `regex` crate does not backtrack, and nothing here looks further than
//! its match. What begins and ends far apart is paired, not matched.

use std::{fmt, sync::LazyLock};

use regex::Regex;

use crate::{address, check, iban, label, phrase};

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A private key in PEM, from its first line to its last.
    PrivateKey,
    /// A JSON Web Token.
    Jwt,
    /// A key of a provider of models, payments, packages, mail.
    ApiKey,
    /// The id of an access key of AWS.
    AwsAccessKeyId,
    /// A token of GitHub.
    GithubToken,
    /// A token or a webhook of Slack.
    SlackToken,
    /// An IBAN whose checksum is right.
    Iban,
    /// A payment card number whose check digit is right.
    CreditCard,
    /// A social security number of the United States, with its hyphens or spaces.
    UsSsn,
    /// An e-mail address.
    EmailAddress,
    /// A phone number in international form.
    PhoneNumber,
    /// A value that the text itself calls a password or a PIN, in one of several languages.
    Password,
    /// The seed phrase of a wallet.
    SeedPhrase,
}

impl Kind {
    /// The word in the metadata of an answer.
    pub const fn as_str(self) -> &'static str {
        match self {
            Kind::PrivateKey => "private_key",
            Kind::Jwt => "jwt",
            Kind::ApiKey => "api_key",
            Kind::AwsAccessKeyId => "aws_access_key_id",
            Kind::GithubToken => "github_token",
            Kind::SlackToken => "slack_token",
            Kind::Iban => "iban",
            Kind::CreditCard => "credit_card",
            Kind::UsSsn => "us_ssn",
            Kind::EmailAddress => "email_address",
            Kind::PhoneNumber => "phone_number",
            Kind::Password => "password",
            Kind::SeedPhrase => "seed_phrase",
        }
    }

    /// Whether it gives access to something or pays for it; addresses and phone numbers do not.
    pub const fn is_secret(self) -> bool {
        !matches!(self, Kind::EmailAddress | Kind::PhoneNumber)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A part of a text, in bytes, that is not to be shown or kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Span {
    /// What it is; of several that overlap the one that begins first, and of those the longest.
    pub kind: Kind,
    /// Where it begins.
    pub start: usize,
    /// Where it ends, exclusively.
    pub end: usize,
}

/// A pattern, and what else has to hold of its match.
struct Pattern {
    kind: Kind,
    regex: &'static str,
    holds: fn(&str) -> bool,
}

const ANY: fn(&str) -> bool = |_| true;

/// Words are ASCII's: a letter of another alphabet beside a key does not hide it.
const PATTERNS: &[Pattern] = &[
    Pattern {
        kind: Kind::Jwt,
        regex: r"(?-u:\b)eyJ[A-Za-z0-9_-]{5,}\.eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*",
        holds: ANY,
    },
    // OpenAI, Anthropic, OpenRouter, DeepSeek and others.
    Pattern {
        kind: Kind::ApiKey,
        regex: r"(?-u:\b)sk-[A-Za-z0-9_-]{16,}",
        holds: check::has_digit,
    },
    Pattern {
        kind: Kind::ApiKey,
        regex: concat!(
            r"(?-u:\b)(?:",
            // Stripe, Google, Hugging Face, SendGrid, npm.
            r"(?:sk|rk|pk|whsec)_(?:live_|test_)?[A-Za-z0-9]{24,}|AIza[A-Za-z0-9_-]{35}|hf_[A-Za-z0-9]{30,}|",
            r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|npm_[A-Za-z0-9]{36}|",
            // PyPI, GitLab, xAI, Groq, Twilio, DigitalOcean.
            r"pypi-[A-Za-z0-9_-]{50,}|glpat-[A-Za-z0-9_-]{20,}|xai-[A-Za-z0-9]{40,}|gsk_[A-Za-z0-9]{40,}|",
            r"SK[0-9a-f]{32}|do[opr]_v1_[0-9a-f]{64})",
        ),
        holds: ANY,
    },
    Pattern {
        kind: Kind::AwsAccessKeyId,
        regex: r"(?-u:\b)(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?-u:\b)",
        holds: ANY,
    },
    Pattern {
        kind: Kind::GithubToken,
        regex: r"(?-u:\b)(?:gh[oprsu]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})",
        holds: ANY,
    },
    Pattern {
        kind: Kind::SlackToken,
        regex: concat!(
            r"(?-u:\b)(?:(?:xox[abceoprs](?:\.xox[bp])?|xapp)-[A-Za-z0-9-]{10,}|",
            r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9_/-]{10,})",
        ),
        holds: ANY,
    },
    Pattern {
        kind: Kind::UsSsn,
        regex: r"(?-u:\b)[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}(?-u:\b)",
        holds: check::is_ssn,
    },
    Pattern {
        kind: Kind::EmailAddress,
        regex: r"[A-Za-z0-9!#$%&'*+/=?^_{|}~.-]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z][A-Za-z0-9-]+",
        holds: ANY,
    },
    Pattern {
        kind: Kind::PhoneNumber,
        regex: r"\+[1-9](?:[ ./()-]{0,3}[0-9]){7,14}(?-u:\b)",
        holds: ANY,
    },
];

static COMPILED: LazyLock<Vec<(&'static Pattern, Regex)>> = LazyLock::new(|| {
    PATTERNS
        .iter()
        .map(|pattern| (pattern, compiled(pattern.regex)))
        .collect()
});

static BEGIN: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"));
static END: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"));

/// Digits, with at most one space or hyphen between two.
static DIGITS: LazyLock<Regex> = LazyLock::new(|| compiled(r"[0-9](?:[ -]?[0-9]){12,}"));

fn compiled(regex: &str) -> Regex {
    Regex::new(regex).expect("a test compiles every pattern")
}

/// Everything in the text that is not to be shown, in order; what overlaps is one.
pub fn find(text: &str) -> Vec<Span> {
    let mut spans = private_keys(text);
    for (pattern, regex) in COMPILED.iter() {
        let matches = regex.find_iter(text);
        let found = matches.filter(|found| (pattern.holds)(found.as_str()));
        spans.extend(found.map(|found| span(pattern.kind, found.start(), found.end())));
    }
    for run in DIGITS.find_iter(text) {
        let cards = check::cards(run.as_str()).into_iter();
        spans
            .extend(cards.map(|(start, end)| {
                span(Kind::CreditCard, run.start() + start, run.start() + end)
            }));
    }
    let ibans = iban::find(text);
    spans.extend(ibans.map(|(start, end)| span(Kind::Iban, start, end)));
    let passwords = address::passwords(text);
    spans.extend(passwords.map(|(start, end)| span(Kind::Password, start, end)));
    let phrases = phrase::find(text).into_iter();
    spans.extend(phrases.map(|(start, end)| span(Kind::SeedPhrase, start, end)));
    spans.extend(label::find(text));
    merged(spans)
}

pub(crate) fn span(kind: Kind, start: usize, end: usize) -> Span {
    Span { kind, start, end }
}

/// From each first line to the next last one; without one, as far as there is anything that a key is made of.
fn private_keys(text: &str) -> Vec<Span> {
    let mut ends = END.find_iter(text).peekable();
    let mut spans: Vec<Span> = Vec::new();
    for begin in BEGIN.find_iter(text) {
        if spans.last().is_some_and(|last| last.end > begin.start()) {
            continue;
        }
        while ends.next_if(|end| end.start() < begin.end()).is_some() {}
        let end = match ends.peek() {
            Some(end) => end.end(),
            None => check::end_of_key(text, begin.end()),
        };
        spans.push(span(Kind::PrivateKey, begin.start(), end));
    }
    spans
}

fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by_key(|span| (span.start, usize::MAX - span.end, span.kind));
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}
