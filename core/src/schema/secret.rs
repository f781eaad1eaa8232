//! Names of secrets: which fields a form must not have.
//!
//! Owns the words. Protocol: elicitation, "Form Mode Security" (servers must not request passwords,
//! API keys, access tokens, payment credentials in form mode).

use super::field::{Field, FieldKind};

/// Whether the field asks for a secret by its name or title. A word for something about a secret
/// (`token_count`, `password_policy`), a yes or no and a choice among options are none.
pub(crate) fn looks_secret(field: &Field) -> bool {
    let numeric = match field.kind() {
        FieldKind::String => false,
        FieldKind::Integer | FieldKind::Number => true,
        FieldKind::Boolean | FieldKind::Choice | FieldKind::Choices => return false,
    };
    let texts = [Some(&*field.name), field.title.as_deref()];
    let mut texts = texts.into_iter().flatten().filter(|text| may_name_secret(text));
    texts.any(|text| names_secret(&words(text), numeric))
}

/// A quick no for most names: every word and pair below in plain letters has one of these in it.
fn may_name_secret(text: &str) -> bool {
    const STEMS: &[&[u8]] = &[
        b"pass",
        b"pwd",
        b"pin",
        b"secret",
        b"senha",
        b"token",
        b"key",
        b"card",
        b"cvv",
        b"cvc",
        b"otp",
        b"credential",
        b"code",
        b"bearer",
        b"jwt",
        b"phrase",
        b"contras",
        b"kennwort",
        b"motde",
    ];
    let bytes = text.as_bytes();
    !text.is_ascii()
        || (0..bytes.len()).any(|at| {
            matches!(bytes[at] | 0x20, b'p' | b's' | b't' | b'k' | b'c' | b'o' | b'b' | b'j' | b'm')
                && STEMS.iter().any(|stem| {
                    let part = bytes.get(at..at + stem.len());
                    part.is_some_and(|part| part.eq_ignore_ascii_case(stem))
                })
        })
}

/// Words that name a secret by themselves, in texts.
const SECRETS: &[&str] = &[
    "password",
    "passwords",
    "passwd",
    "pwd",
    "passphrase",
    "passwort",
    "kennwort",
    "contraseña",
    "contrasena",
    "senha",
    "motdepasse",
    "пароль",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
    "secret",
    "secrets",
    "credential",
    "credentials",
    "bearer",
    "jwt",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "sshkey",
    "accesstoken",
    "authtoken",
    "apitoken",
    "bearertoken",
    "refreshtoken",
    "sessiontoken",
    "clientsecret",
];

/// Words that name a secret in texts and numbers.
const CODES: &[&str] =
    &["passcode", "pincode", "cvv", "cvc", "otp", "totp", "cardnumber", "creditcard", "debitcard"];

/// Pairs of words that name a secret in texts.
const SECRET_PAIRS: &[(&str, &str)] = &[
    ("api", "key"),
    ("access", "key"),
    ("private", "key"),
    ("secret", "key"),
    ("signing", "key"),
    ("encryption", "key"),
    ("ssh", "key"),
    ("auth", "key"),
    ("master", "key"),
    ("api", "keys"),
    ("pass", "word"),
    ("pass", "phrase"),
    ("seed", "phrase"),
    ("recovery", "phrase"),
    ("access", "tokens"),
    ("api", "tokens"),
    ("auth", "tokens"),
    ("client", "secret"),
];

/// Pairs of words that name a secret in texts and numbers.
const CODE_PAIRS: &[(&str, &str)] = &[
    ("card", "number"),
    ("card", "no"),
    ("card", "num"),
    ("credit", "card"),
    ("debit", "card"),
    ("security", "code"),
    ("verification", "code"),
    ("recovery", "code"),
    ("backup", "code"),
    ("auth", "code"),
    ("mfa", "code"),
    ("2fa", "code"),
    ("pin", "code"),
    ("pin", "number"),
    ("pass", "code"),
    ("card", "pin"),
    ("security", "pin"),
    ("account", "pin"),
    ("your", "pin"),
    ("new", "pin"),
    ("old", "pin"),
    ("current", "pin"),
    ("user", "pin"),
    ("login", "pin"),
];

/// Words that, after one of those, say that the field is about the secret and not the secret.
const ABOUT: &[&str] = &[
    "name",
    "names",
    "id",
    "ids",
    "type",
    "types",
    "kind",
    "count",
    "counts",
    "limit",
    "limits",
    "length",
    "len",
    "size",
    "policy",
    "policies",
    "expiry",
    "expiration",
    "expires",
    "ttl",
    "lifetime",
    "age",
    "hint",
    "label",
    "symbol",
    "address",
    "budget",
    "format",
    "strategy",
    "rotation",
    "days",
    "hours",
    "minutes",
    "manager",
    "store",
    "vault",
    "provider",
    "strength",
    "rules",
    "status",
    "owner",
    "scope",
    "scopes",
    "version",
    "usage",
    "issuer",
    "network",
];

fn names_secret(words: &[String], numeric: bool) -> bool {
    let about = |next: usize| words.get(next).is_some_and(|word| ABOUT.contains(&word.as_str()));
    let single = words.iter().enumerate().any(|(at, word)| {
        let word = word.as_str();
        let secret = CODES.contains(&word) || (!numeric && SECRETS.contains(&word));
        secret && !about(at + 1)
    });
    let pair = words.windows(2).enumerate().any(|(at, pair)| {
        let pair = (pair[0].as_str(), pair[1].as_str());
        let secret = CODE_PAIRS.contains(&pair) || (!numeric && SECRET_PAIRS.contains(&pair));
        secret && !about(at + 2)
    });
    let last = words.last().map(String::as_str);
    // `token` is a secret as the thing asked for, not as the thing counted or named; a field that
    // is called PIN and nothing else is one.
    single
        || pair
        || (!numeric && last == Some("token"))
        || (words.len() == 1 && last == Some("pin"))
}

/// The words of a name or a title, in small letters: `apiKey`, `api_key` and `API key` read alike.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let next_is_small = chars.peek().is_some_and(|next| next.is_lowercase());
        let boundary = c.is_uppercase()
            && (before.is_lowercase()
                || before.is_numeric()
                || (before.is_uppercase() && next_is_small));
        if (boundary || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    if !word.is_empty() {
        words.push(word);
    }
    // `password2` is one.
    for word in &mut words {
        let kept = word.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        if kept > 0 {
            word.truncate(kept);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_no_is_no_quicker_than_the_words() {
        let pairs = SECRET_PAIRS.iter().chain(CODE_PAIRS).map(|(a, b)| format!("{a} {b}"));
        let words = SECRETS.iter().chain(CODES).map(|word| word.to_string());
        for name in words.chain(pairs).chain(["token".to_owned(), "PIN".to_owned()]) {
            assert!(may_name_secret(&name), "{name}");
        }
        assert!(!may_name_secret("environment") && !may_name_secret("Name"));
    }

    #[test]
    fn secrets_are_told_from_what_is_about_them() {
        for name in [
            "password",
            "userPassword",
            "user_password",
            "Your password",
            "newPassword2",
            "API key",
            "apiKey",
            "APIKey",
            "api-key",
            "OPENAI_API_KEY",
            "accessToken",
            "token",
            "github_token",
            "client_secret",
            "secret",
            "creditCardNumber",
            "card_number",
            "cvv",
            "cvv2",
            "pin",
            "PIN",
            "security code",
            "privateKey",
            "ssh_key",
            "seed phrase",
            "otp",
            "Passwort",
            "Contraseña",
            "пароль",
            "bearer",
        ] {
            assert!(names_secret(&words(name), false), "{name}");
        }
        for name in [
            "name",
            "max_tokens",
            "token_count",
            "tokenLimit",
            "password_policy",
            "passwordHint",
            "secret_name",
            "key",
            "keyboard",
            "primary_key",
            "pin_message",
            "spinner",
            "compass",
            "passenger",
            "author",
            "authority",
            "card",
            "cardinality",
            "username",
            "email",
            "address",
            "secretary",
            "monkey",
            "token_type",
            "Token name",
            "api_key_id",
            "passport_country",
            "credit",
        ] {
            assert!(!names_secret(&words(name), false), "{name}");
        }
        for (name, secret) in
            [("cvv", true), ("card_number", true), ("token", false), ("password", false)]
        {
            assert_eq!(names_secret(&words(name), true), secret, "{name}");
        }
    }
}
