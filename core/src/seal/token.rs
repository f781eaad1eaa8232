//! Tokens: claims sealed into one text, and back.
//!
//! Owns the formats `me1` and `ms1` and the checks of what a token says. A text is decoded only
//! when it is short enough, opened only by a key of the ring, and its claims can be had only by
//! saying what they must be for. See `core/docs/state-token.md`, "Tokens".
//! Protocol: basic/patterns/mrtr, server requirements 4 and 5.

use std::fmt;

use base64_simd::URL_SAFE_NO_PAD;
use hmac::Mac;
use xaes_256_gcm::aead::{AeadInOut, inout::InOutBuf};
use zeroize::{Zeroize, Zeroizing};

use super::claims::{Claims, Entry, KIND_REQUEST_STATE};
use super::digest::RequestDigest;
use super::keyring::{Keyring, RingKey};
use super::principal::PrincipalTag;
use super::refusal::Refusal;
use crate::env::Rng;
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::Principal;

const KEY_ID: usize = 4;
const NONCE: usize = 24;
const TAG: usize = 16;
const MAC: usize = 32;

/// How a state is sealed. Every engine opens both, so that a fleet can change from one to the
/// other without a failed call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StateFormat {
    /// `me1`: encrypted. The client can read nothing of it.
    #[default]
    Encrypted,
    /// `ms1`: signed. Whoever holds it can read all of it: answers, links, application data, and
    /// the results of steps, which must be marked readable. The principal cannot be read.
    Signed,
}

impl StateFormat {
    /// What its tokens begin with, a dot included.
    const fn prefix(self) -> &'static str {
        match self {
            Self::Encrypted => "me1.",
            Self::Signed => "ms1.",
        }
    }

    /// How many bytes it adds to the claims.
    const fn overhead(self) -> usize {
        match self {
            Self::Encrypted => KEY_ID + NONCE + TAG,
            Self::Signed => KEY_ID + MAC,
        }
    }

    /// The format of a token, and the text after the prefix.
    fn of(token: &str) -> Option<(Self, &str)> {
        [Self::Encrypted, Self::Signed]
            .into_iter()
            .find_map(|format| Some((format, token.strip_prefix(format.prefix())?)))
    }

    /// Authenticated beside the claims: format, kind and key, so that no token of one kind or
    /// format opens as another.
    fn associated_data(self, id: [u8; KEY_ID]) -> [u8; 9] {
        let mut data = [0; 9];
        data[..4].copy_from_slice(self.prefix().as_bytes());
        data[4] = KIND_REQUEST_STATE;
        data[5..].copy_from_slice(&id);
        data
    }
}

/// What a state must have been sealed for, to count now.
pub(crate) struct Expected<'a> {
    /// The time, in milliseconds since 1970.
    pub(crate) now_ms: u64,
    /// How far ahead of ours the clock that issued it may have been, in milliseconds.
    pub(crate) clock_skew_ms: u64,
    /// The most rounds with new questions that a flow may have.
    pub(crate) question_rounds: u16,
    /// Our own name.
    pub(crate) audience: &'a str,
    /// Who presents it.
    pub(crate) principal: &'a Principal,
    /// The request that it came with.
    pub(crate) request: RequestDigest,
}

/// A state that one of our keys has sealed. Whether it counts here and now is not yet known:
/// [`Opened::verify`] gives the claims.
pub(crate) struct Opened<'r> {
    claims: Claims,
    tag: PrincipalTag,
    key: &'r RingKey,
}

impl Keyring {
    /// Seals claims for a principal, with the first key. Encrypting draws 24 bytes from `rng`,
    /// signing none.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] where the token would be longer than `max_len` bytes;
    /// [`ErrorKind::Internal`] where `rng` has nothing to give; [`ErrorKind::InvalidArgument`]
    /// where a step's result is not readable and the format lets the client read it.
    pub(crate) fn seal_state(
        &self,
        claims: &Claims,
        principal: &Principal,
        format: StateFormat,
        max_len: usize,
        rng: &dyn Rng,
    ) -> Result<String> {
        let key = self.sealing();
        let sealed_len = claims.encoded_len() + format.overhead();
        let text_len = format.prefix().len() + URL_SAFE_NO_PAD.encoded_length(sealed_len);
        if text_len > max_len {
            let message = format!("the state takes {text_len} bytes, the limit is {max_len}");
            return Err(Error::new(ErrorKind::Limit, message));
        }
        let tag = PrincipalTag::of(key, principal);
        // Made to measure: a buffer that grows would leave copies of the plaintext behind.
        let mut sealed = Zeroizing::new(Vec::with_capacity(sealed_len));
        sealed.extend_from_slice(&key.id);
        match format {
            StateFormat::Encrypted => encrypt(key, claims, tag, &mut sealed, rng)?,
            StateFormat::Signed => sign(key, claims, tag, &mut sealed)?,
        }
        // From here on there is nothing in it to wipe.
        let sealed = std::mem::take(&mut *sealed);
        let mut text = String::with_capacity(text_len);
        text.push_str(format.prefix());
        URL_SAFE_NO_PAD.encode_append(&sealed, &mut text);
        Ok(text)
    }

    /// Opens a token that one of the keys has sealed.
    ///
    /// # Errors
    /// [`Refusal::TooLarge`], before anything else, where it is longer than `max_len` bytes;
    /// [`Refusal::Malformed`], [`Refusal::UnknownKey`] or [`Refusal::Forged`].
    pub(crate) fn open_state(&self, token: &str, max_len: usize) -> Result<Opened<'_>, Refusal> {
        if token.len() > max_len {
            return Err(Refusal::TooLarge);
        }
        let (format, text) = StateFormat::of(token).ok_or(Refusal::Malformed)?;
        // Refuses padding, other alphabets, and bits that the last character has to spare.
        let sealed = URL_SAFE_NO_PAD.decode_to_vec(text).map_err(|_| Refusal::Malformed)?;
        if sealed.len() < format.overhead() {
            return Err(Refusal::Malformed);
        }
        let (id, body) = sealed.split_first_chunk::<KEY_ID>().ok_or(Refusal::Malformed)?;
        let mut refusal = Refusal::UnknownKey;
        for key in self.with_id(*id) {
            let plain = match format {
                StateFormat::Encrypted => decrypt(key, body),
                StateFormat::Signed => check(key, body),
            };
            if let Some(plain) = plain {
                let (claims, tag) = Claims::decode(&plain.0).ok_or(Refusal::Malformed)?;
                return Ok(Opened { claims, tag, key });
            }
            refusal = Refusal::Forged;
        }
        Err(refusal)
    }
}

/// What was sealed; wiped when it is dropped. All at once: `Zeroizing<Vec<u8>>` goes byte by byte,
/// which takes a good part of the time that opening does.
struct Plain(Vec<u8>);

impl Drop for Plain {
    fn drop(&mut self) {
        self.0.as_mut_slice().zeroize();
    }
}

/// Appends nonce, ciphertext and tag.
fn encrypt(
    key: &RingKey,
    claims: &Claims,
    principal: PrincipalTag,
    sealed: &mut Vec<u8>,
    rng: &dyn Rng,
) -> Result<()> {
    let mut nonce = [0; NONCE];
    rng.fill(&mut nonce)?;
    sealed.extend_from_slice(&nonce);
    claims.encode(principal, sealed).ok_or_else(unsealable)?;
    let plain = InOutBuf::from(&mut sealed[KEY_ID + NONCE..]);
    let ad = StateFormat::Encrypted.associated_data(key.id);
    let tag = key.encrypted.encrypt_inout_detached(&nonce.into(), &ad, plain);
    sealed.extend_from_slice(&tag.map_err(|_| unsealable())?);
    Ok(())
}

/// The plaintext of nonce, ciphertext and tag; none where this key did not seal it.
fn decrypt(key: &RingKey, body: &[u8]) -> Option<Plain> {
    let (nonce, body) = body.split_first_chunk::<NONCE>()?;
    let (body, tag) = body.split_last_chunk::<TAG>()?;
    let mut plain = Plain(body.to_vec());
    let buffer = InOutBuf::from(plain.0.as_mut_slice());
    let ad = StateFormat::Encrypted.associated_data(key.id);
    key.encrypted.decrypt_inout_detached(nonce.into(), &ad, buffer, tag.into()).ok()?;
    Some(plain)
}

/// Appends claims and signature.
fn sign(
    key: &RingKey,
    claims: &Claims,
    principal: PrincipalTag,
    sealed: &mut Vec<u8>,
) -> Result<()> {
    for entry in &claims.entries {
        if let Entry::Step(step) = entry
            && !step.readable
        {
            let message = format!(
                "the step {:?} is not marked readable, and the client can read a signed state",
                step.key
            );
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
    }
    claims.encode(principal, sealed).ok_or_else(unsealable)?;
    let mut mac = key.signed.clone();
    mac.update(&StateFormat::Signed.associated_data(key.id));
    mac.update(&sealed[KEY_ID..]);
    sealed.extend_from_slice(&mac.finalize().into_bytes());
    Ok(())
}

/// The claims of claims and signature; none where this key did not sign them.
fn check(key: &RingKey, body: &[u8]) -> Option<Plain> {
    let (body, signature) = body.split_last_chunk::<MAC>()?;
    let mut mac = key.signed.clone();
    mac.update(&StateFormat::Signed.associated_data(key.id));
    mac.update(body);
    // Compares in constant time.
    mac.verify_slice(signature).ok()?;
    Some(Plain(body.to_vec()))
}

impl Opened<'_> {
    /// The flow that the state belongs to, for the log.
    pub(crate) fn flow_id(&self) -> &[u8; 16] {
        &self.claims.flow_id
    }

    /// The claims without asking whether they hold, and the tag.
    #[cfg(test)]
    pub(super) fn into_parts(self) -> (Claims, PrincipalTag) {
        (self.claims, self.tag)
    }

    /// The claims, where they hold here and now.
    ///
    /// # Errors
    /// The first of these that is so: [`Refusal::OtherAudience`], [`Refusal::OtherPrincipal`],
    /// [`Refusal::OtherRequest`], [`Refusal::NotYetValid`], [`Refusal::DeadlinePassed`],
    /// [`Refusal::Expired`], [`Refusal::TooManyRounds`].
    pub(crate) fn verify(self, expected: &Expected<'_>) -> Result<Claims, Refusal> {
        let claims = self.claims;
        let now = expected.now_ms;
        // Whose it is before how old it is: the operator must hear of a state in wrong hands.
        if claims.audience != expected.audience {
            Err(Refusal::OtherAudience)
        } else if !self.tag.is(&PrincipalTag::of(self.key, expected.principal)) {
            Err(Refusal::OtherPrincipal)
        } else if claims.digest != expected.request {
            Err(Refusal::OtherRequest)
        } else if claims.issued_ms > now.saturating_add(expected.clock_skew_ms) {
            Err(Refusal::NotYetValid)
        } else if now >= claims.deadline_ms {
            Err(Refusal::DeadlinePassed)
        } else if now >= claims.expires_ms {
            Err(Refusal::Expired)
        } else if claims.question_rounds > expected.question_rounds {
            Err(Refusal::TooManyRounds)
        } else {
            Ok(claims)
        }
    }
}

impl fmt::Debug for Opened<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened").field("claims", &self.claims).finish_non_exhaustive()
    }
}

fn unsealable() -> Error {
    Error::new(ErrorKind::Internal, "the state was not sealed")
}
