//! What the fuzz targets see of the sealed state. There only under `--cfg fuzzing`, which cargo-fuzz
//! sets: a feature would show it to everybody, and a public module would make it an interface.
//!
//! Each function panics where a law is broken.
#![allow(clippy::expect_used, clippy::panic, reason = "a panic is how a fuzz target fails")]

use super::claims::Claims;
use super::digest::canonical_into;
use super::{Keyring, RequestDigest, StateFormat};
use crate::env::Rng;
use crate::error::{ErrorKind, Result};
use crate::json::{DEFAULT_DEPTH, Json};
use crate::protocol::Principal;

const MAX: usize = 64 << 10;

/// A nonce that is always the same.
pub(crate) struct Zeros;

impl Rng for Zeros {
    fn fill(&self, out: &mut [u8]) -> Result<()> {
        out.fill(0);
        Ok(())
    }
}

fn ring() -> Keyring {
    Keyring::from_text(&"0123456789abcdef".repeat(4)).expect("a sound key")
}

/// No text opens that was not sealed, and none does harm.
pub fn token(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let ring = ring();
    for presented in [&*text, &format!("me1.{text}"), &format!("ms1.{text}")] {
        assert!(ring.open_state(presented, MAX).is_err(), "opened {presented}");
    }
    // A token with the bytes written over some of its characters: three a place.
    let Some((claims, _)) = Claims::decode(&[&[1, 1][..], &[0; 103]].concat()) else {
        panic!("these are claims");
    };
    for format in [StateFormat::Encrypted, StateFormat::Signed] {
        let sealed = ring.seal_state(&claims, &Principal::none(), format, MAX, &Zeros);
        let sealed = sealed.expect("sealed");
        let mut changed = sealed.clone().into_bytes();
        for change in bytes.chunks_exact(3) {
            let at = usize::from(u16::from_be_bytes([change[0], change[1]])) % changed.len();
            changed[at] = change[2];
        }
        if let Ok(changed) = String::from_utf8(changed) {
            let opens = ring.open_state(&changed, MAX).is_ok();
            assert_eq!(opens, changed == sealed, "{changed}");
        }
    }
}

/// Decoding is total, and what it accepts is the one encoding of what it gives.
pub fn claims(bytes: &[u8]) {
    // The fixed fields are of no interest: the bytes are what follows them, and all.
    let framed = [&[1, 1][..], &[0; 94], bytes].concat();
    for bytes in [bytes, &framed] {
        if let Some((claims, tag)) = Claims::decode(bytes) {
            let mut again = Vec::new();
            claims.encode(tag, &mut again).expect("lengths that fit");
            assert_eq!(again, bytes);
            assert_eq!(claims.encoded_len(), bytes.len());
        }
    }
}

/// The canonical form is JSON, its own canonical form, and the same for the text without white
/// space; a number is all that can be without one.
pub fn digest(bytes: &[u8]) {
    let Ok(json) = Json::parse_bytes(bytes, DEFAULT_DEPTH) else { return };
    let mut canonical = String::new();
    let digest = RequestDigest::of("tools/call", "", Some(json.root()));
    if canonical_into(json.root(), &mut canonical).is_err() {
        let error = digest.err().expect("no digest without a canonical form");
        assert_eq!(error.kind(), ErrorKind::InvalidParams);
        return;
    }
    let digest = digest.expect("a digest");
    for text in [canonical.clone(), json.compact()] {
        let same = Json::parse(text).expect("JSON");
        let mut again = String::new();
        canonical_into(same.root(), &mut again).expect("a canonical form");
        assert_eq!(again, canonical);
        let again = RequestDigest::of("tools/call", "", Some(same.root()));
        assert!(again.expect("a digest") == digest);
    }
}
