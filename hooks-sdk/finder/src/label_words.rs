//! The words by which people call a secret, in English and German: data alone.

use std::{collections::HashMap, sync::LazyLock};

/// What kind of value a label announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announces {
    /// A password; any word may be one.
    Password,
    /// A password, by a short form that stands directly before it, as in `pw hunter2`.
    Short,
    /// A key or a token.
    Key,
    /// A key or a password, by a word that has other meanings: only a value that could be nothing else counts.
    Perhaps,
    /// Four to twelve digits.
    Pin,
    /// Three or four digits.
    CardCode,
    /// The nine digits of a social security number.
    SocialSecurity,
    /// A user's name, and behind it a password: `login kim / hunter2`.
    Login,
    /// The scheme of an `Authorization`, and behind it what it carries.
    Scheme,
}

use Announces::{CardCode, Key, Login, Password, Perhaps, Pin, Scheme, Short, SocialSecurity};

/// Labels in lower case, parted by commas, and their words by one blank.
pub const LABELS: &[(Announces, &str)] = &[
    (
        Password,
        "password, passwords, pass word, passwd, passphrase, passphrases, pass phrase, passcode, passwort, \
    passwörter, passwoerter, kennwort, kennwörter, kennwoerter, losungswort, zugangscode",
    ),
    (Short, "pw, pwd"),
    (
        Key,
        "api key, api keys, apikey, apikeys, api token, access key, access token, accesstoken, access key id, secret \
    key, secret access key, private key, client secret, auth token, authtoken, refresh token, session token, \
    bearer token, token, authorization, authorization header, auth header, credential, credentials, webhook secret, \
    signing secret, signing key, encryption key, master key, account key, shared access key, shared key, license key, \
    connection string, jwt, api schlüssel, zugriffstoken, zugangstoken, zugriffsschlüssel, geheimer schlüssel, \
    privater schlüssel",
    ),
    (
        Perhaps,
        "pass, secret, secrets, zugangsdaten, cookie, set cookie",
    ),
    (
        Pin,
        "pin, pins, pin code, pincode, pin nummer, pin number, puk, otp, geheimzahl",
    ),
    (
        CardCode,
        "cvv, cvc, cvv2, cvc2, security code, kartenprüfnummer",
    ),
    (
        SocialSecurity,
        "ssn, social security number, social security no, social security",
    ),
    (
        Login,
        "login, logins, log in, creds, account, user, username, user name, benutzer, benutzername, konto, anmeldung, \
    zugang",
    ),
    (Scheme, "basic, bearer"),
];

/// How words end that are labels of passwords and keys, as in `dbPassword` and `Adminpasswort`.
pub(super) const ENDS: &[(&str, Announces)] = &[
    ("password", Password),
    ("passwords", Password),
    ("passwort", Password),
    ("kennwort", Password),
    ("passwd", Password),
    ("passcode", Password),
    ("passphrase", Password),
    ("apikey", Key),
    ("apikeys", Key),
    ("secretkey", Key),
    ("accesskey", Key),
    ("accesskeyid", Key),
    ("accountkey", Key),
    ("signingkey", Key),
    ("encryptionkey", Key),
    ("masterkey", Key),
    ("sharedkey", Key),
    ("privatekey", Key),
    ("connectionstring", Key),
    ("secret", Key),
    ("token", Key),
];

/// The words before `token` that make it a position in a list and no secret.
pub(super) const PLACES: &[&str] = &[
    "page",
    "next",
    "previous",
    "continuation",
    "cursor",
    "sync",
    "progress",
    "resume",
    "max",
    "total",
];

/// What joins a label to its value, as a verb.
const VERBS: &str = "is are was were s ist sind lautet lauten heißt heisst war";

/// After these the value itself may follow, as in `changed the password to hunter2`.
const ONTO: &str = "to auf";

/// What follows a label in documentation and in code, in lower case.
const ORDINARY: &str = "absent again always arbitrary bad blank broken case complex correct different easy empty encrypted enough \
    everywhere expired false fine gone good hashed here hidden important incorrect invalid known later long lost \
    mandatory masked missing needed never new nil no none not now null okay old only optional out outdated \
    personal please private protected public random redacted required reset right rotated safe same secret \
    secure sensitive set shared short shown simple soon stale stolen stored strong temporary there today \
    tomorrow too true unique unknown unset unused valid weak wrong yes yours tbd undefined any bool boolean box \
    bytes char check change dialog enter entry field file form generator hash hashing input int integer length \
    list login management manager number object page policies policy prompt protection recovery rules screen \
    string str text type update usage value varchar vault example placeholder changeme password passwd token key \
    user username email name self this auth basic bearer digest argon2 argon2id aes128 aes256 base32 base64 \
    bcrypt ed25519 es256 hs256 md5 oauth1 oauth2 pbkdf2 rs256 scrypt sha1 sha2 sha3 sha256 sha384 sha512 totp \
    utf8 x509";

/// What a word is beside a label; a word may be several.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Role {
    pub(super) verb: bool,
    pub(super) onto: bool,
    pub(super) ordinary: bool,
}

impl Role {
    /// The role of a word in lower case.
    pub(super) fn of(word: &str) -> Role {
        ROLES.get(word).copied().unwrap_or_default()
    }
}

/// Gives a word a role.
type Mark = fn(&mut Role);

static ROLES: LazyLock<HashMap<&str, Role>> = LazyLock::new(|| {
    let mut roles = HashMap::<&str, Role>::new();
    let lists: [(&str, Mark); 3] = [
        (VERBS, |role| role.verb = true),
        (ONTO, |role| role.onto = true),
        (ORDINARY, |role| role.ordinary = true),
    ];
    for (words, mark) in lists {
        words
            .split(' ')
            .for_each(|word| mark(roles.entry(word).or_default()));
    }
    roles
});
