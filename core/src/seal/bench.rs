//! What sealing and opening a state costs beside its parts: a measurement, run by `make bench`.

use std::hint::black_box;
use std::time::Instant;

use base64_simd::URL_SAFE_NO_PAD as base64;
use xaes_256_gcm::aead::{AeadInOut, KeyInit, inout::InOutBuf};

use super::tests::{MAX, alice, claims, request, ring};
use super::*;
use crate::SystemRng;

/// Median of the time one run of `work` takes, in nanoseconds.
fn median(mut work: impl FnMut()) -> f64 {
    const BATCH: u32 = 200;
    let mut times: Vec<f64> = (0..301)
        .map(|_| {
            let start = Instant::now();
            (0..BATCH).for_each(|_| work());
            start.elapsed().as_nanos() as f64 / f64::from(BATCH)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Claims with 1 KB of the application's own, sealed, opened and verified; beside random bytes,
/// cipher and base64 over as many bytes, in the same build.
#[test]
#[ignore = "a measurement, for an optimized build"]
fn seal_and_open() {
    let (ring, alice) = (ring(&[1]), alice());
    let mut claims = claims();
    claims.app_data = Some(vec![7; 1024]);
    claims.entries.truncate(1);
    let expected = Expected {
        now_ms: 1_000_000,
        clock_skew_ms: 60_000,
        question_rounds: 16,
        audience: "deployer",
        principal: &alice,
        request: request(),
    };
    for (name, format) in [("me1", StateFormat::Encrypted), ("ms1", StateFormat::Signed)] {
        let ours = median(|| {
            let token = ring.seal_state(black_box(&claims), &alice, format, MAX, &SystemRng);
            let token = token.unwrap();
            let opened = ring.open_state(black_box(&token), MAX).unwrap();
            assert!(black_box(opened.verify(&expected)).is_ok());
        });
        println!("state_{name} {ours:.0}");
    }
    let cipher = xaes_256_gcm::Xaes256Gcm::new(&[7; 32].into());
    let plain = vec![7u8; claims.encoded_len()];
    let raw = median(|| {
        let mut nonce = [0u8; 24];
        getrandom::fill(&mut nonce).unwrap();
        let mut sealed = black_box(&plain).clone();
        let tag = cipher.encrypt_inout_detached(
            &nonce.into(),
            b"",
            InOutBuf::from(sealed.as_mut_slice()),
        );
        sealed.extend_from_slice(&tag.unwrap());
        let text = base64.encode_to_string(&sealed);
        let mut opened = base64.decode_to_vec(black_box(&text)).unwrap();
        let (body, tag) = opened.split_last_chunk_mut::<16>().unwrap();
        let (nonce, tag) = ((&nonce).into(), (&*tag).into());
        cipher.decrypt_inout_detached(nonce, b"", InOutBuf::from(body), tag).unwrap();
        black_box(opened);
    });
    println!("state_raw {raw:.0}");
}
