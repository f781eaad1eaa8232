//! Keys: secrets in, one set of derived keys for each of them, in the order of the ring.
//!
//! Owns how a secret is written, which secrets are refused, and the derivation. What is kept are
//! derived keys only, ready for use, so that sealing and opening cost no derivation; they are
//! wiped when the last clone of the ring is dropped. See `core/docs/state-token.md`, "Keys".

use std::fmt;
use std::sync::Arc;

use hkdf::Hkdf;
use hmac::{Hmac, KeyInit};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use xaes_256_gcm::Xaes256Gcm;
use zeroize::Zeroizing;

use super::value::Purpose;
use crate::env::{Rng, SystemRng};
use crate::error::{Error, ErrorKind, Result};

/// The shortest secret, in bytes.
const SECRET_MIN: usize = 32;

/// From this many characters on, a text of hex digits alone is hex.
const HEX_MIN: usize = 64;

/// The variable that [`Keyring::from_env`] reads.
const VARIABLE: &str = "MCP_ELICIT_KEYS";

const ADVICE: &str = "make one with keygen(), or with `openssl rand -hex 32`";

/// Salt of the extraction; sets our keys apart from any other use of the same secret.
const SALT: &[u8] = b"mcp-elicit/1";

/// One label for each kind of token and use. The whole list, with those that later kinds have
/// taken, stands in `core/docs/state-token.md`; a label never changes its meaning.
mod label {
    pub(super) const KEY_ID: &[u8] = b"key-id";
    pub(super) const ENCRYPTED_STATE: &[u8] = b"request-state/encrypted";
    pub(super) const SIGNED_STATE: &[u8] = b"request-state/signed";
    pub(super) const PRINCIPAL_TAG: &[u8] = b"principal-tag";
    pub(super) const RECORDED_RESULT: &[u8] = b"recorded-result";
}

/// The keys of a fleet: the first seals, every key opens.
///
/// Rotate without a failed call by rolling out `[old, new]`, then `[new, old]`, then `[new]`,
/// each to all instances before the next. Clones share the keys, which are wiped when the last
/// is dropped. `Send` and `Sync`; printing it shows no key.
#[derive(Clone)]
pub struct Keyring {
    /// Never empty.
    keys: Arc<[RingKey]>,
    ephemeral: bool,
}

/// What is derived from one secret.
#[cfg_attr(test, derive(Clone))]
pub(super) struct RingKey {
    /// Fingerprint that a token names its key by.
    pub(super) id: [u8; 4],
    /// Encrypts request states.
    pub(super) encrypted: Xaes256Gcm,
    /// Signs request states.
    pub(super) signed: Hmac<Sha256>,
    /// Hashes principals.
    pub(super) principal_tag: Hmac<Sha256>,
    /// Seals the records of claims.
    recorded_result: Xaes256Gcm,
}

impl Keyring {
    /// A ring of secrets as bytes, the sealing one first.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] where there is no secret, or one is shorter than 32 bytes, the same
    /// byte all over, or in the ring twice.
    pub fn new(secrets: &[impl AsRef<[u8]>]) -> Result<Self> {
        if secrets.is_empty() {
            return Err(Error::new(ErrorKind::Config, format!("the keyring is empty: {ADVICE}")));
        }
        let mut keys = Vec::with_capacity(secrets.len());
        for (at, secret) in secrets.iter().enumerate() {
            let secret = secret.as_ref();
            check_strength(secret).map_err(|fault| weak(at, &fault))?;
            let same = |other: &_| bool::from(AsRef::<[u8]>::as_ref(other).ct_eq(secret));
            if let Some(first) = secrets[..at].iter().position(same) {
                return Err(weak(at, &format!("it is the same as key {}", first + 1)));
            }
            keys.push(RingKey::derive(secret)?);
        }
        Ok(Self { keys: keys.into(), ephemeral: false })
    }

    /// A ring of secrets as text, separated by commas, the sealing one first. White space around
    /// a secret does not count.
    ///
    /// 64 or more characters that are all hex digits are hex; anything else is base64url without
    /// padding.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] as [`Keyring::new`], and where an item is empty or neither hex nor
    /// base64url. The message names the position, never the text.
    pub fn from_text(text: &str) -> Result<Self> {
        let secrets = text
            .split(',')
            .enumerate()
            .map(|(at, item)| read_secret(item.trim()).map_err(|fault| weak(at, fault)))
            .collect::<Result<Vec<_>>>()?;
        Self::new(&secrets)
    }

    /// The ring in the environment variable `MCP_ELICIT_KEYS`, as [`Keyring::from_text`].
    ///
    /// # Errors
    /// [`ErrorKind::Config`] where the variable is absent, and as [`Keyring::from_text`].
    pub fn from_env() -> Result<Self> {
        match std::env::var(VARIABLE) {
            Ok(text) => Self::from_text(&Zeroizing::new(text)),
            Err(std::env::VarError::NotPresent) => {
                Err(Error::new(ErrorKind::Config, format!("{VARIABLE} is not set: {ADVICE}")))
            }
            Err(std::env::VarError::NotUnicode(_)) => {
                Err(Error::new(ErrorKind::Config, format!("{VARIABLE} is not text")))
            }
        }
    }

    /// A ring of one fresh key that nobody else has: what it seals opens neither after a restart
    /// nor on another instance.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] where `rng` gives nothing; [`ErrorKind::Config`] where what it
    /// gives is no key.
    pub fn ephemeral(rng: &dyn Rng) -> Result<Self> {
        let mut secret = Zeroizing::new([0; SECRET_MIN]);
        rng.fill(&mut *secret)?;
        Ok(Self { ephemeral: true, ..Self::new(&[&*secret])? })
    }

    /// Whether [`Keyring::ephemeral`] made this ring.
    pub(crate) fn is_ephemeral(&self) -> bool {
        self.ephemeral
    }

    /// The keys of these rings under one id: two secrets whose fingerprints are equal are not to
    /// be had.
    #[cfg(test)]
    pub(super) fn with_equal_ids(rings: &[&Self]) -> Self {
        let keys = rings.iter().flat_map(|ring| ring.keys.iter());
        let keys = keys.map(|key| RingKey { id: [7; 4], ..key.clone() }).collect();
        Self { keys, ephemeral: false }
    }

    /// The key that seals.
    pub(super) fn sealing(&self) -> &RingKey {
        &self.keys[0]
    }

    /// The keys with this id, in the order of the ring. Two secrets can share a fingerprint.
    pub(super) fn with_id(&self, id: [u8; 4]) -> impl Iterator<Item = &RingKey> {
        self.keys.iter().filter(move |key| key.id == id)
    }
}

impl RingKey {
    fn derive(secret: &[u8]) -> Result<Self> {
        let hkdf = Hkdf::<Sha256>::new(Some(SALT), secret);
        let mut id = [0; 4];
        expand(&hkdf, label::KEY_ID, &mut id)?;
        let mut key = Zeroizing::new([0; 32]);
        expand(&hkdf, label::ENCRYPTED_STATE, &mut *key)?;
        let encrypted = Xaes256Gcm::new((&*key).into());
        expand(&hkdf, label::SIGNED_STATE, &mut *key)?;
        let signed = mac(&*key)?;
        expand(&hkdf, label::PRINCIPAL_TAG, &mut *key)?;
        let principal_tag = mac(&*key)?;
        expand(&hkdf, label::RECORDED_RESULT, &mut *key)?;
        let recorded_result = Xaes256Gcm::new((&*key).into());
        Ok(Self { id, encrypted, signed, principal_tag, recorded_result })
    }
}

impl RingKey {
    /// What seals stored values of this purpose.
    pub(super) fn value(&self, purpose: Purpose) -> &Xaes256Gcm {
        match purpose {
            Purpose::RecordedResult => &self.recorded_result,
        }
    }
}

fn expand(hkdf: &Hkdf<Sha256>, label: &[u8], out: &mut [u8]) -> Result<()> {
    hkdf.expand(label, out).map_err(|_| Error::new(ErrorKind::Internal, "a key was not derived"))
}

fn mac(key: &[u8]) -> Result<Hmac<Sha256>> {
    Hmac::new_from_slice(key).map_err(|_| Error::new(ErrorKind::Internal, "a key was not derived"))
}

/// Counts and lengths only: never the ids, never a key.
impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyring")
            .field("keys", &self.keys.len())
            .field("ephemeral", &self.ephemeral)
            .finish()
    }
}

/// A new secret as text, for `MCP_ELICIT_KEYS` or [`Keyring::from_text`]: 64 hex digits of the
/// system's randomness.
///
/// # Errors
/// [`ErrorKind::Internal`] where the system has no randomness.
pub fn keygen() -> Result<String> {
    let mut secret = Zeroizing::new([0; SECRET_MIN]);
    SystemRng.fill(&mut *secret)?;
    let mut text = String::with_capacity(2 * SECRET_MIN);
    for byte in secret.iter() {
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
        }
    }
    Ok(text)
}

fn weak(at: usize, fault: &str) -> Error {
    Error::new(ErrorKind::Config, format!("key {} of the ring: {fault}; {ADVICE}", at + 1))
}

fn check_strength(secret: &[u8]) -> Result<(), String> {
    if secret.len() < SECRET_MIN {
        return Err(format!("{} bytes, at least {SECRET_MIN} are needed", secret.len()));
    }
    if secret.iter().all(|byte| *byte == secret[0]) {
        return Err("the same byte all over".to_owned());
    }
    Ok(())
}

/// The bytes of one secret, or what is wrong with its text.
fn read_secret(text: &str) -> Result<Zeroizing<Vec<u8>>, &'static str> {
    if text.is_empty() {
        return Err("empty");
    }
    if text.len() >= HEX_MIN && text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        if !text.len().is_multiple_of(2) {
            return Err("an odd number of hex digits");
        }
        let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0) as u8;
        let bytes =
            text.as_bytes().chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1]));
        let mut secret = Zeroizing::new(Vec::with_capacity(text.len() / 2));
        secret.extend(bytes);
        return Ok(secret);
    }
    base64_simd::URL_SAFE_NO_PAD.decode_to_vec(text).map(Zeroizing::new).map_err(|_| {
        if text.contains('=') {
            "base64url with padding; leave out the `=`"
        } else if text.contains(['+', '/']) {
            "base64 in another alphabet; write `-` for `+` and `_` for `/`"
        } else {
            "neither hex of 64 digits or more nor base64url"
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    const BASE64: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

    fn refusal(result: Result<Keyring>) -> String {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        error.message().to_owned()
    }

    fn ids(ring: &Keyring) -> Vec<[u8; 4]> {
        ring.keys.iter().map(|key| key.id).collect()
    }

    /// A secret is the same key in every spelling.
    #[test]
    fn a_secret_is_hex_or_base64url_or_bytes() {
        let bytes: Vec<u8> = (0..32).collect();
        let id = ids(&Keyring::new(&[&bytes]).unwrap());
        for text in [HEX, &HEX.to_uppercase(), BASE64, &format!(" \t{HEX}\n")] {
            assert_eq!(ids(&Keyring::from_text(text).unwrap()), id, "{text}");
        }
    }

    /// The order of the text is the order of the ring.
    #[test]
    fn keys_are_separated_by_commas() {
        let other = "f".repeat(63) + "0";
        let ring = Keyring::from_text(&format!("{HEX} , {other}")).unwrap();
        let backwards = Keyring::from_text(&format!("{other},{HEX}")).unwrap();
        assert_eq!(ids(&ring).len(), 2);
        assert_eq!(ids(&ring), ids(&backwards).into_iter().rev().collect::<Vec<_>>());
        assert_eq!(ring.sealing().id, ids(&Keyring::from_text(HEX).unwrap())[0]);
    }

    /// Fewer hex digits are base64url, 64 and more are hex, an odd number is a slip of the hand.
    #[test]
    fn sixty_four_hex_digits_are_hex() {
        let id = |text: &str| ids(&Keyring::from_text(text).unwrap());
        let short = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789ab";
        let bytes = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(short).unwrap();
        assert_eq!(id(short), ids(&Keyring::new(&[bytes]).unwrap()));
        assert!(refusal(Keyring::from_text(&format!("{HEX}0"))).contains("odd number"));
    }

    /// Weak keys are refused with a message that says which, why, and how to make one.
    #[test]
    fn weak_keys_are_refused() {
        let none: [&[u8]; 0] = [];
        assert!(refusal(Keyring::new(&none)).contains("keygen"));
        let good: &[u8] = &(0..32).collect::<Vec<u8>>();
        let cases: [(&[&[u8]], &str); 5] = [
            (&[b""], "key 1 of the ring: 0 bytes"),
            (&[good, &good[..31]], "key 2 of the ring: 31 bytes"),
            (&[&[7; 32]], "key 1 of the ring: the same byte all over"),
            (&[&[0; 64]], "key 1 of the ring: the same byte all over"),
            (&[good, &[good, good].concat(), good], "key 3 of the ring: it is the same as key 1"),
        ];
        for (secrets, wanted) in cases {
            let message = refusal(Keyring::new(secrets));
            assert!(message.contains(wanted) && message.contains("keygen"), "{message}");
        }
    }

    /// What is refused is named by its place and never repeated.
    #[test]
    fn a_refused_text_is_not_shown() {
        let secret = "c2VjcmV0";
        for (text, wanted) in [
            (String::new(), "key 1 of the ring: empty"),
            (format!("{HEX},"), "key 2 of the ring: empty"),
            (format!("{HEX}, ,{BASE64}"), "key 2 of the ring: empty"),
            (format!("{HEX},{BASE64}"), "key 2 of the ring: it is the same as key 1"),
            (format!("{BASE64}="), "padding"),
            (format!("{}+/", &BASE64[..42]), "alphabet"),
            (format!("{secret} {secret}"), "neither hex"),
            // The last character of 43 has two bits to spare, which must be 0.
            (format!("{}9", &BASE64[..42]), "neither hex"),
            (secret.to_owned(), "6 bytes"),
        ] {
            let message = refusal(Keyring::from_text(&text));
            assert!(message.contains(wanted), "{message}");
            assert!(!message.contains(secret) && !message.contains(&BASE64[..16]), "{message}");
        }
    }

    /// A new key is one that is taken, and another one every time.
    #[test]
    fn keygen_makes_keys() {
        let (one, two) = (keygen().unwrap(), keygen().unwrap());
        assert_eq!(one.len(), 64);
        assert_ne!(one, two);
        assert_eq!(ids(&Keyring::from_text(&format!("{one},{two}")).unwrap()).len(), 2);
    }

    /// A fresh ring draws 32 bytes and knows that nobody else has it.
    #[test]
    fn an_ephemeral_ring_says_so() {
        let ring = Keyring::ephemeral(&SystemRng).unwrap();
        assert!(ring.is_ephemeral() && ring.clone().is_ephemeral());
        assert_ne!(ids(&ring), ids(&Keyring::ephemeral(&SystemRng).unwrap()));
        assert!(!Keyring::from_text(HEX).unwrap().is_ephemeral());
    }

    /// A source that gives zeros gives no key.
    #[test]
    fn an_ephemeral_key_must_be_strong_too() {
        struct Zeros;
        impl Rng for Zeros {
            fn fill(&self, _: &mut [u8]) -> Result<()> {
                Ok(())
            }
        }
        assert!(refusal(Keyring::ephemeral(&Zeros)).contains("the same byte"));
    }

    /// Printing a ring shows neither a key nor its id.
    #[test]
    fn printing_shows_no_key() {
        let ring = Keyring::from_text(HEX).unwrap();
        assert_eq!(format!("{ring:?}"), "Keyring { keys: 1, ephemeral: false }");
    }
}
