//! Values in a store: sealed for one purpose and one place.
//!
//! Owns the bytes of a sealed value. A value that is copied under another key, or put where another
//! purpose looks, does not open. Knows no store. See `core/docs/state-token.md`, "Values in a
//! store".

use xaes_256_gcm::aead::{AeadInOut, inout::InOutBuf};
use zeroize::Zeroizing;

use super::keyring::Keyring;
use crate::env::Rng;
use crate::error::{Error, ErrorKind, Result};

const KEY_ID: usize = 4;
const NONCE: usize = 24;
const TAG: usize = 16;

/// By how much a sealed value is longer than what is in it.
pub(crate) const SEAL_BYTES: usize = KEY_ID + NONCE + TAG;

/// What a stored value is for. The kind is authenticated, and each has a derived key of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The record of a claim, and the result it may hold.
    RecordedResult,
}

impl Purpose {
    const fn kind(self) -> u8 {
        match self {
            Self::RecordedResult => 6,
        }
    }

    /// Format, kind, key id and place.
    fn associated_data(self, id: [u8; KEY_ID], store_key: &str) -> Vec<u8> {
        let mut data = Vec::with_capacity(17 + store_key.len());
        data.extend_from_slice(b"me1.");
        data.push(self.kind());
        data.extend_from_slice(&id);
        data.extend_from_slice(&(store_key.len() as u64).to_be_bytes());
        data.extend_from_slice(store_key.as_bytes());
        data
    }
}

impl Keyring {
    /// Seals a value for the place `store_key`, with the first key. Draws 24 bytes from `rng`.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] where `rng` has nothing to give.
    pub(crate) fn seal_value(
        &self,
        purpose: Purpose,
        store_key: &str,
        plain: &[u8],
        rng: &dyn Rng,
    ) -> Result<Vec<u8>> {
        let unsealable = || Error::new(ErrorKind::Internal, "the value was not sealed");
        let key = self.sealing();
        let mut nonce = [0; NONCE];
        rng.fill(&mut nonce)?;
        // Made to measure: a buffer that grows would leave copies of the plaintext behind.
        let mut sealed = Zeroizing::new(Vec::with_capacity(plain.len() + SEAL_BYTES));
        sealed.extend_from_slice(&key.id);
        sealed.extend_from_slice(&nonce);
        sealed.extend_from_slice(plain);
        let body = InOutBuf::from(&mut sealed[KEY_ID + NONCE..]);
        let ad = purpose.associated_data(key.id, store_key);
        let tag = key.value(purpose).encrypt_inout_detached(&nonce.into(), &ad, body);
        sealed.extend_from_slice(&tag.map_err(|_| unsealable())?);
        Ok(std::mem::take(&mut *sealed))
    }

    /// Opens a value that was sealed for this purpose and place; none where it was not, by none
    /// of our keys.
    pub(crate) fn open_value(
        &self,
        purpose: Purpose,
        store_key: &str,
        sealed: &[u8],
    ) -> Option<Zeroizing<Vec<u8>>> {
        let (id, body) = sealed.split_first_chunk::<KEY_ID>()?;
        let (nonce, body) = body.split_first_chunk::<NONCE>()?;
        let (body, tag) = body.split_last_chunk::<TAG>()?;
        let ad = purpose.associated_data(*id, store_key);
        self.with_id(*id).find_map(|key| {
            let mut plain = Zeroizing::new(body.to_vec());
            let buffer = InOutBuf::from(plain.as_mut_slice());
            let cipher = key.value(purpose);
            cipher.decrypt_inout_detached(nonce.into(), &ad, buffer, tag.into()).ok()?;
            Some(plain)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::ring;
    use super::*;
    use crate::SystemRng;

    const PURPOSE: Purpose = Purpose::RecordedResult;

    fn seal(ring: &Keyring, place: &str) -> Vec<u8> {
        ring.seal_value(PURPOSE, place, b"paid", &SystemRng).unwrap()
    }

    #[test]
    fn a_value_opens_in_its_place_alone() {
        let ring = ring(&[1]);
        let sealed = seal(&ring, "place");
        assert_eq!(ring.open_value(PURPOSE, "place", &sealed).unwrap().as_slice(), b"paid");
        for other in ["", "plac", "place2", "PLACE"] {
            assert!(ring.open_value(PURPOSE, other, &sealed).is_none(), "{other}");
        }
    }

    #[test]
    fn every_key_of_the_ring_opens_and_no_other() {
        let sealed = seal(&ring(&[1]), "place");
        assert!(ring(&[2, 1]).open_value(PURPOSE, "place", &sealed).is_some());
        assert!(ring(&[2]).open_value(PURPOSE, "place", &sealed).is_none());
    }

    #[test]
    fn any_bit_flipped_and_any_length_is_refused() {
        let ring = ring(&[1]);
        let sealed = seal(&ring, "place");
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(ring.open_value(PURPOSE, "place", &changed).is_none(), "byte {at}");
            assert!(ring.open_value(PURPOSE, "place", &sealed[..at]).is_none(), "cut at {at}");
        }
    }

    /// A state is no stored value, and a stored value no state, though one secret sealed both.
    #[test]
    fn kinds_do_not_open_as_one_another() {
        let ring = ring(&[1]);
        let sealed = seal(&ring, "place");
        let token = format!("me1.{}", base64_simd::URL_SAFE_NO_PAD.encode_to_string(&sealed));
        assert!(ring.open_state(&token, 1 << 16).is_err());
    }
}
