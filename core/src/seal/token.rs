//! Tokens: claims sealed into one text, and back.
//!
//! Owns the format `me1` and the checks of what a token says. A text is decoded only when it is
//! short enough, opened only by a key of the ring, and its claims can be had only by saying what
//! they must be for. See `core/docs/state-token.md`, "Tokens".
//! Protocol: basic/patterns/mrtr, server requirements 4 and 5.

use std::fmt;

use base64_simd::URL_SAFE_NO_PAD;
use xaes_256_gcm::Nonce;
use xaes_256_gcm::aead::{AeadInOut, inout::InOutBuf};
use zeroize::Zeroizing;

use super::claims::{Claims, KIND_REQUEST_STATE};
use super::digest::RequestDigest;
use super::keyring::{Keyring, RingKey};
use super::principal::PrincipalTag;
use super::refusal::Refusal;
use crate::env::Rng;
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::Principal;

/// What an encrypted token begins with.
const ENCRYPTED: &str = "me1.";

const KEY_ID: usize = 4;
const NONCE: usize = 24;
const TAG: usize = 16;

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
    /// Seals claims for a principal, with the first key. Draws 24 bytes from `rng`.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] where the token would be longer than `max_len` bytes;
    /// [`ErrorKind::Internal`] where `rng` has nothing to give.
    pub(crate) fn seal_state(
        &self,
        claims: &Claims,
        principal: &Principal,
        max_len: usize,
        rng: &dyn Rng,
    ) -> Result<String> {
        let key = self.sealing();
        let plain_len = claims.encoded_len();
        let sealed_len = KEY_ID + NONCE + plain_len + TAG;
        let text_len = ENCRYPTED.len() + URL_SAFE_NO_PAD.encoded_length(sealed_len);
        if text_len > max_len {
            let message = format!("the state takes {text_len} bytes, the limit is {max_len}");
            return Err(Error::new(ErrorKind::Limit, message));
        }
        // Made to measure: a buffer that grows would leave copies of the plaintext behind.
        let mut sealed = Zeroizing::new(Vec::with_capacity(sealed_len));
        sealed.extend_from_slice(&key.id);
        sealed.resize(KEY_ID + NONCE, 0);
        rng.fill(&mut sealed[KEY_ID..])?;
        let tag = PrincipalTag::of(key, principal);
        claims.encode(tag, &mut sealed).ok_or_else(unsealable)?;
        let (head, plain) = sealed.split_at_mut(KEY_ID + NONCE);
        let nonce = Nonce::try_from(&head[KEY_ID..]).map_err(|_| unsealable())?;
        let tag = key
            .request_state
            .encrypt_inout_detached(&nonce, &associated_data(key.id), InOutBuf::from(plain))
            .map_err(|_| unsealable())?;
        // From here on there is nothing in it to wipe.
        let mut sealed = std::mem::take(&mut *sealed);
        sealed.extend_from_slice(&tag);
        let mut text = String::with_capacity(text_len);
        text.push_str(ENCRYPTED);
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
        let text = token.strip_prefix(ENCRYPTED).ok_or(Refusal::Malformed)?;
        // Refuses padding, other alphabets, and bits that the last character has to spare.
        let sealed = URL_SAFE_NO_PAD.decode_to_vec(text).map_err(|_| Refusal::Malformed)?;
        let (id, rest) = sealed.split_first_chunk::<KEY_ID>().ok_or(Refusal::Malformed)?;
        let (nonce, rest) = rest.split_first_chunk::<NONCE>().ok_or(Refusal::Malformed)?;
        let (body, tag) = rest.split_last_chunk::<TAG>().ok_or(Refusal::Malformed)?;
        let mut refusal = Refusal::UnknownKey;
        for key in self.with_id(*id) {
            let mut plain = Zeroizing::new(body.to_vec());
            let opened = key.request_state.decrypt_inout_detached(
                nonce.into(),
                &associated_data(*id),
                InOutBuf::from(plain.as_mut_slice()),
                tag.into(),
            );
            if opened.is_ok() {
                let (claims, tag) = Claims::decode(&plain).ok_or(Refusal::Malformed)?;
                return Ok(Opened { claims, tag, key });
            }
            refusal = Refusal::Forged;
        }
        Err(refusal)
    }
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

/// Authenticated beside the claims: format, kind and key, so that no token of one kind opens as
/// another.
fn associated_data(id: [u8; KEY_ID]) -> [u8; 9] {
    let [a, b, c, d] = id;
    [b'm', b'e', b'1', b'.', KIND_REQUEST_STATE, a, b, c, d]
}

fn unsealable() -> Error {
    Error::new(ErrorKind::Internal, "the state was not sealed")
}
