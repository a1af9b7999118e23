//! What the finder finds.

use std::fmt;

use serde::Deserialize;

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FindingKind {
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
}

impl FindingKind {
    /// Every kind.
    pub const ALL: &[FindingKind] = &[
        FindingKind::PrivateKey,
        FindingKind::Jwt,
        FindingKind::ApiKey,
        FindingKind::AwsAccessKeyId,
        FindingKind::GithubToken,
        FindingKind::SlackToken,
        FindingKind::Iban,
        FindingKind::CreditCard,
        FindingKind::UsSsn,
        FindingKind::EmailAddress,
        FindingKind::PhoneNumber,
        FindingKind::Password,
    ];

    /// Returns the word of the kind in configurations and metadata, in snake_case.
    pub const fn as_str(self) -> &'static str {
        match self {
            FindingKind::PrivateKey => "private_key",
            FindingKind::Jwt => "jwt",
            FindingKind::ApiKey => "api_key",
            FindingKind::AwsAccessKeyId => "aws_access_key_id",
            FindingKind::GithubToken => "github_token",
            FindingKind::SlackToken => "slack_token",
            FindingKind::Iban => "iban",
            FindingKind::CreditCard => "credit_card",
            FindingKind::UsSsn => "us_ssn",
            FindingKind::EmailAddress => "email_address",
            FindingKind::PhoneNumber => "phone_number",
            FindingKind::Password => "password",
        }
    }

    /// Whether it gives access to something or pays for it; addresses and phone numbers do not.
    pub const fn is_secret(self) -> bool {
        !matches!(self, FindingKind::EmailAddress | FindingKind::PhoneNumber)
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A part of a text, in bytes, that is not to be shown or kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What it is. Findings that overlap are one, of the kind of the one that begins first, and of those of the longest.
    pub kind: FindingKind,
    /// The id of the rule that found it: gitleaks' id where gitleaks has the rule, as in `github-pat`.
    pub rule: &'static str,
    /// Where it begins.
    pub start: usize,
    /// Where it ends, exclusively.
    pub end: usize,
}
