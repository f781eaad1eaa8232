//! What the fuzz target of stored values sees. There only under `--cfg fuzzing`, as
//! `seal::fuzzing`. Panics where a law is broken.
#![allow(clippy::expect_used, clippy::panic, reason = "a panic is how a fuzz target fails")]

use super::record::Record;
use crate::seal::{Keyring, Purpose, fuzzing::Zeros};

const PLACE: &str = "mcp-elicit:claim:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// No bytes of a store open that were not sealed for their place; what was sealed is read without
/// harm, and reads the same once it is written again.
pub fn value(bytes: &[u8]) {
    let purpose = Purpose::RecordedResult;
    let ring = |key: &str| Keyring::from_text(&key.repeat(4)).expect("a sound key");
    // A key that seals nothing here: libFuzzer sees what is compared, and learns what `ring` seals.
    let idle = ring("fedcba9876543210");
    assert!(idle.open_value(purpose, PLACE, bytes).is_none(), "opened what nobody sealed");
    let ring = ring("0123456789abcdef");
    let sealed = ring.seal_value(purpose, PLACE, bytes, &Zeros).expect("sealed");
    let opened = ring.open_value(purpose, PLACE, &sealed).expect("opens in its place");
    assert_eq!(opened.as_slice(), bytes);
    let elsewhere = String::from_utf8_lossy(bytes);
    if elsewhere != PLACE {
        assert!(ring.open_value(purpose, &elsewhere, &sealed).is_none(), "opened elsewhere");
    }
    // The bytes written over some of the value: three a place.
    let mut changed = sealed.clone();
    for change in bytes.chunks_exact(3) {
        let at = usize::from(u16::from_be_bytes([change[0], change[1]])) % changed.len();
        changed[at] = change[2];
    }
    let opens = ring.open_value(purpose, PLACE, &changed).is_some();
    assert_eq!(opens, changed == sealed);
    assert!(ring.open_value(purpose, PLACE, &sealed[..sealed.len() - 1]).is_none());

    let recorded = [&[1, 0, 0, 0, 0, 0, 0, 0, 0, 3][..], bytes].concat();
    for plain in [bytes, &recorded] {
        if let Some(record) = Record::decode(plain) {
            let written = record.encode();
            let again = Record::decode(&written).expect("reads what it wrote");
            assert_eq!(again.encode(), written);
        }
    }
}
