//! The words by which people call a secret, and those that stand around it, in the languages of Europe.

use std::{collections::HashMap, sync::LazyLock};

/// What kind of value a label announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Announces {
    /// A password; any word may be one.
    Password,
    /// A password, by a short form that stands directly before it, as in `pw hunter2`.
    Short,
    /// A key or a token.
    Key,
    /// A key, by a word that has other meanings: only a value that could be nothing else counts.
    Perhaps,
    /// Four to twelve digits.
    Pin,
    /// Three or four digits.
    CardCode,
    /// The nine digits of a social security number.
    SocialSecurity,
}

use Announces::{CardCode, Key, Password, Perhaps, Pin, Short, SocialSecurity};

/// Labels in lower case, parted by commas, and their words by one blank.
pub(super) const LABELS: &[(Announces, &str)] = &[
    (
        Password,
        "password, passwords, pass word, passwd, passphrase, passphrases, pass phrase, passcode, passwort, \
    passwörter, passwoerter, kennwort, kennwörter, kennwoerter, zugangscode, wachtwoord, wachtwoorden, \
    wachtwoordzin, mot de passe, mots de passe, motdepasse, phrase secrète, phrase de passe, contraseña, \
    contraseñas, contrasena, senha, senhas, palavra passe, parola d ordine, hasło, hasła, haslo, heslo, \
    lösenord, passord, adgangskode, salasana, şifre, пароль, 密码, 密碼, パスワード, 비밀번호",
    ),
    (Short, "pw, pwd, mdp"),
    (
        Key,
        "api key, api keys, apikey, apikeys, api token, access key, access token, accesstoken, access key id, secret \
    key, secret access key, private key, client secret, auth token, authtoken, refresh token, session token, \
    bearer token, token, authorization, credential, credentials, webhook secret, signing secret, api schlüssel, \
    zugriffstoken, zugangstoken, zugriffsschlüssel, geheimer schlüssel, privater schlüssel, clé api, clé d api, \
    clé secrète, clé privée, clé d accès, jeton d accès, clave api, clave de api, clave secreta, clave privada, \
    clave de acceso, chiave api, chiave segreta, chiave privata, chiave di accesso, chave api, chave de api, \
    chave secreta, chave privada, chave de acesso, api sleutel, geheime sleutel, toegangssleutel, toegangstoken, \
    klucz api, klucz prywatny, tajny klucz",
    ),
    (
        Perhaps,
        "secret, secrets, clave, jeton, credenciales, zugangsdaten, identifiants",
    ),
    (
        Pin,
        "pin, pins, pin code, pincode, pin nummer, pin number, puk, otp, geheimzahl, code pin, code secret, codice \
    pin, codice segreto, código pin, código secreto, kod pin",
    ),
    (
        CardCode,
        "cvv, cvc, cvv2, cvc2, security code, kartenprüfnummer, código de seguridad",
    ),
    (
        SocialSecurity,
        "ssn, social security number, social security no, social security",
    ),
];

/// How words end that are labels of passwords and keys, as in `dbPassword` and `Adminpasswort`.
pub(super) const ENDS: &[(&str, Announces)] = &[
    ("password", Password),
    ("passwort", Password),
    ("kennwort", Password),
    ("passwd", Password),
    ("wachtwoord", Password),
    ("passphrase", Password),
    ("contraseña", Password),
    ("apikey", Key),
    ("secretkey", Key),
    ("accesskey", Key),
    ("accesstoken", Key),
    ("authtoken", Key),
    ("privatekey", Key),
    ("clientsecret", Key),
];

/// What joins a label to its value, as a verb.
const VERBS: &str = "is are was were s ist sind lautet lauten heißt heisst war est sont était es son era è sono é são zijn luidt \
    jest są brzmi är er je olan";

/// What may stand between such a verb and the value.
const ADVERBS: &str = "now still currently just simply always jetzt nun noch immer aktuell einfach maintenant toujours ahora \
    siempre ora sempre agora nu nog teraz";

/// What leads from a label to what it is for: `the password of the shop is …`.
const CONNECTORS: &str = "for of to on at from in für fürs fuer vom von des der zum zur im am beim auf meines meiner du de d pour del \
    para al della di dell per do da dla od voor van op na";

/// After these the value itself may follow, as in `changed the password to hunter2` and `hasło to hunter2`.
const ONTO: &str = "to auf na in";

/// What follows a label in sentences that give nothing away, in lower case.
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
    utf8 x509 abgelaufen anders bekannt da dort erforderlich falsch fehlt geheim gleich gut hier kaputt korrekt \
    kurz lang leer neu nicht nötig optional pflicht richtig schwach sicher stark unbekannt ungültig unsicher \
    unverändert veraltet weg wichtig fout goed juist leeg nieuw niet onbekend onjuist veilig verlopen verplicht \
    zwak bon correcte court faible faux fort incorrecte inconnu invalide ici obligatoire perdu requis sûr valide \
    vide non oui aquí buena correcta correta corretta corta débil debole desconocida errata errada errónea forte \
    fraca fuerte incorreta incorrecta inválida larga longa lunga mala necesaria nova nueva nuova obligatoria \
    obbligatoria obrigatória qui sbagliata segura sicura scaduta vacía vazia vuota sí não błędne nieprawidłowe \
    nowe poprawne puste słabe silne wymagane złe";

/// How adjectives and participles end, in the same languages.
pub(super) const ORDINARY_ENDS: &str = "ed ing able ible ful less ous ive ary ory al ant ly ert elt ellt etzt ig lich bar los é ée és ées ado ada \
    ido ida ato ata uto uta bile ável ível ne ny";

/// What a word is beside a label; a word may be several.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Role {
    pub(super) verb: bool,
    pub(super) adverb: bool,
    pub(super) connector: bool,
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
    let lists: [(&str, Mark); 5] = [
        (VERBS, |role| role.verb = true),
        (ADVERBS, |role| role.adverb = true),
        (CONNECTORS, |role| role.connector = true),
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
