//! Passwords, keys and PINs as people write them in several languages, and the sentences that only speak of them.

use super::{FindingKind, find, looks_secret, redact};

/// The text without its secrets.
fn shown(text: &str) -> String {
    redact(text, &find(text))
}

/// Each line, with its secret between `[` and `]`.
fn all_found(lines: &[&str]) {
    for line in lines {
        let (before, rest) = line.split_once('[').expect("a secret");
        let (secret, after) = rest.split_once(']').expect("its end");
        let text = format!("{before}{secret}{after}");
        assert_eq!(shown(&text), format!("{before}[REDACTED]{after}"), "{text}");
        assert!(looks_secret(&text), "{text}");
    }
}

fn none_found(lines: &[&str]) {
    for line in lines {
        assert_eq!(shown(line), *line);
        assert!(!looks_secret(line), "{line}");
    }
}

#[test]
fn english() {
    all_found(&[
        "password: [hunter2]",
        "The password is [hunter2].",
        "The password for the Wi-Fi is [sunflower]",
        "My password's [hunter2]",
        "the admin password of the shop database: [Tr0ub4dor&3]",
        "pw [hunter2]",
        "pw [sunflower]",
        "pwd=[hunter2]",
        "DB_PASSWORD=[hunter2]",
        "{\"password\": \"[correct horse battery staple]\"}",
        "**Password:** [hunter2]",
        "I changed the password to [hunter2]",
        "user kim, password [hunter2]",
        "the API key for maps is [abcd1234efgh]",
        "API_KEY=[abc]",
        "the token is [abc]",
        "my PIN: [1234]",
        "The PIN of the card is [4711].",
        "CVV [123]",
        "SSN: [078051120]",
        "Authorization: Bearer [abc12345]",
        "passphrase: \"[correct horse battery staple]\"",
        "client_secret: [s3cr3tvalue]",
        "postgres://kim:[hunter2]@db/shop",
    ]);
    none_found(&[
        "The password is wrong.",
        "The password is required, and the token is valid.",
        "the password field is masked",
        "Your password is stored in the vault",
        "Passwords are hashed with argon2id",
        "password policy: at least 12 characters",
        "Password: required",
        "Please reset my pw later",
        "tokens expire after an hour",
        "The token limit is 4096",
        "max_tokens=4096 and top_p=1",
        "The secret is patience",
        "fn login(user: &str, password: &str) -> Token",
        "let token = generate_token(user);",
        "password = os.environ[\"DB_PASSWORD\"]",
        "if password == other { return Token::new(); }",
        "export TOKEN=$GITHUB_TOKEN",
        "{\"password\": {\"type\": \"string\"}}",
        "{\"password\": \"string\"}",
        "password: <your password>",
        "The key is to listen",
        "pin: blue, and the GPIO pin is high",
        "I pinned version 1.2.3 of the package",
        "The private key is kept in the safe",
        "bearer of bad news",
        "the password is rotated monthly",
        "The password of the shop is known to Kim",
        "authorization: needed for every call",
    ]);
}

#[test]
fn german() {
    all_found(&[
        "Passwort: [sommer12]",
        "Passwort: [Sonnenblume]",
        "Das Passwort lautet [hunter2].",
        "Das WLAN-Passwort ist [Sommer2024!]",
        "Das Passwort für den Server im Keller ist [hunter2]",
        "Mein Kennwort heißt „[geheime Katze]“",
        "Adminpasswort = [hunter2]",
        "Das Passwort auf [hunter2] geändert",
        "PIN: [4711], bitte merken",
        "Die Geheimzahl lautet [0815].",
        "API-Schlüssel: [abcd1234efgh]",
    ]);
    none_found(&[
        "Das Passwort ist falsch.",
        "Das Passwort wurde geändert",
        "Das Passwort ist abgelaufen, bitte setze es neu",
        "Passwort vergessen?",
        "Kennwörter sind verschlüsselt",
        "Das Passwort liegt im Tresor",
        "Der Schlüssel ist Geduld",
        "Die Tokens sind eine Stunde gültig",
    ]);
}

#[test]
fn french() {
    all_found(&[
        "Mot de passe : [soleil12]",
        "mot de passe: [tournesol]",
        "Le mot de passe du wifi est [soleil12]",
        "mdp [soleil12]",
        "Mon mot de passe est «[ soleil d'été ]»",
        "clé d'API : [abcd1234efgh]",
        "Le code secret est [4711].",
        "la clé secrète est [abcd1234efgh]",
    ]);
    none_found(&[
        "Le mot de passe est incorrect.",
        "Le mot de passe est expiré",
        "Mot de passe oublié ?",
        "La clé est la patience",
        "Les jetons expirent au bout d'une heure",
        "Le mot de passe est obligatoire",
    ]);
}

#[test]
fn spanish_and_portuguese() {
    all_found(&[
        "Contraseña: [girasol12]",
        "CONTRASEÑA: [girasol]",
        "La contraseña del wifi es [girasol12]",
        "la contraseña es [girasol]",
        "clave: [abcd1234]",
        "La clave de acceso es [abcd1234]",
        "A senha é [girassol12]",
        "Senha do servidor: [girassol]",
        "código pin: [4711]",
    ]);
    none_found(&[
        "La contraseña es incorrecta.",
        "La contraseña está caducada",
        "La clave es paciencia",
        "¿Olvidaste tu contraseña?",
        "A senha é obrigatória",
        "A senha expirou ontem",
    ]);
}

#[test]
fn italian() {
    all_found(&[
        "Password: [girasole12]",
        "La password del wifi è [girasole12]",
        "la password è [girasole]",
        "parola d'ordine: [girasole]",
        "chiave API: [abcd1234efgh]",
        "Il codice segreto è [4711]",
    ]);
    none_found(&[
        "La password è errata.",
        "La password è scaduta",
        "La chiave è la pazienza",
        "Password dimenticata?",
    ]);
}

#[test]
fn dutch_and_polish() {
    all_found(&[
        "Wachtwoord: [zonnebloem12]",
        "Het wachtwoord is [zonnebloem]",
        "Hasło: [slonecznik12]",
        "hasło to [slonecznik12]",
        "Hasło do serwera: [slonecznik]",
        "Пароль: [hunter22]",
        "密码：[hunter22]",
    ]);
    none_found(&[
        "Het wachtwoord is onjuist.",
        "Het wachtwoord is verlopen",
        "Hasło jest nieprawidłowe.",
        "Hasło jest wymagane",
    ]);
}

#[test]
fn numbers_and_phrases() {
    all_found(&[
        "My card: [4111 1111 1111 1111], valid until May",
        "IBAN [DE89 3704 0044 0532 0130 00]",
        "SSN [123-45-6789]",
        "[legal winner thank year wave sausage worth useful legal winner thank yellow]",
        "My words: [legal winner thank year wave sausage worth useful legal winner thank yellow].",
    ]);
    none_found(&[
        "The order number is 4111 1111 1111 1112",
        "It was 2026-11-22, and the till closed at 18:00",
        "You can ask about that any day when there is someone who will answer with just one word",
    ]);
}

#[test]
fn addresses_are_found_and_are_no_secrets() {
    let text = "Kim: kim@example.org, +49 30 123456";
    let kinds: Vec<FindingKind> = find(text).iter().map(|span| span.kind).collect();
    assert_eq!(kinds, [FindingKind::EmailAddress, FindingKind::PhoneNumber]);
    assert!(!looks_secret(text));
}
