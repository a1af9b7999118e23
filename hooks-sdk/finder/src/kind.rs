//! The findings of the finder, and their kinds.

use std::fmt;

use serde::Deserialize;

macro_rules! kinds {
    ($($(#[$doc:meta])+ $kind:ident = $word:literal;)+) => {
        /// The kind of a finding.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        #[non_exhaustive]
        pub enum FindingKind {
            $($(#[$doc])+ #[serde(rename = $word)] $kind,)+
        }

        impl FindingKind {
            /// Every kind.
            pub const ALL: &[FindingKind] = &[$(FindingKind::$kind),+];

            /// Returns the word of the kind in configurations and metadata, in snake_case.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(FindingKind::$kind => $word,)+
                }
            }
        }
    };
}

kinds! {
    /// A private key in PEM, from its first line to its last.
    PrivateKey = "private_key";
    /// A JSON Web Token.
    Jwt = "jwt";
    /// A key of a provider of models, payments, packages, mail.
    ApiKey = "api_key";
    /// The id of an access key of AWS.
    AwsAccessKeyId = "aws_access_key_id";
    /// A token of GitHub.
    GithubToken = "github_token";
    /// A token or a webhook of Slack.
    SlackToken = "slack_token";
    /// An IBAN whose checksum is right.
    Iban = "iban";
    /// A payment card number whose check digit is right.
    CreditCard = "credit_card";
    /// A social security number of the United States, with its hyphens or spaces.
    UsSsn = "us_ssn";
    /// An e-mail address.
    EmailAddress = "email_address";
    /// A phone number in international form.
    PhoneNumber = "phone_number";
    /// A value that the text itself calls a password or a PIN, in English or German.
    Password = "password";
}

impl FindingKind {
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
