//! Tests of the sealed state as `call` uses it. Vectors and laws stand in files of their own.

use super::*;
use crate::elicit::Source;
use crate::error::{ErrorKind, Result};
use crate::json::Json;
use crate::protocol::Principal;
use crate::{Rng, SystemRng};

pub(super) const MAX: usize = 64 << 10;

/// Successive bytes 0, 1, 2, ... over the life of the source.
#[derive(Default)]
pub(super) struct Counter(std::sync::atomic::AtomicU8);

impl Rng for Counter {
    fn fill(&self, out: &mut [u8]) -> Result<()> {
        for byte in out {
            *byte = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
        Ok(())
    }
}

pub(super) fn ring(firsts: &[u8]) -> Keyring {
    let secrets: Vec<[u8; 32]> =
        firsts.iter().map(|first| std::array::from_fn(|i| first.wrapping_add(i as u8))).collect();
    Keyring::new(&secrets).unwrap()
}

pub(super) fn alice() -> Principal {
    Principal::new("https://login.example", "alice", "demo-client").unwrap()
}

fn arguments() -> Json {
    Json::parse(r#"{"app":"shop","n":1}"#).unwrap()
}

pub(super) fn request() -> RequestDigest {
    RequestDigest::of("tools/call", "deploy", Some(arguments().root())).unwrap()
}

/// Claims with one of everything.
pub(super) fn claims() -> Claims {
    let ask = |key: &str, kind, state| AskEntry {
        state,
        ..AskEntry::open(key, AskDigest::of(kind, "Which?", b"{}"), kind)
    };
    Claims {
        flow_id: *b"0123456789abcdef",
        round: 3,
        question_rounds: 2,
        issued_ms: 1_000_000,
        expires_ms: 1_600_000,
        deadline_ms: 4_600_000,
        audience: "deployer".to_owned(),
        digest: request(),
        app_data: Some(vec![0, 255]),
        entries: vec![
            Entry::Ask(AskEntry {
                reasks: 1,
                kept: Some(r#"{"env":"x"}"#.to_owned()),
                ..ask("target", AskKind::Form, AskState::Open)
            }),
            Entry::Step(StepEntry {
                key: "price".to_owned(),
                readable: true,
                result: "12.50".to_owned(),
            }),
            Entry::Ask(AskEntry {
                link: Some("https://example.com/connect?flow=1".to_owned()),
                ..ask("login", AskKind::Url, AskState::Open)
            }),
            Entry::Ask(ask(
                "a",
                AskKind::Form,
                AskState::Accept { content: Some(r#"{"ä":1}"#.to_owned()), source: Source::User },
            )),
            Entry::Ask(ask(
                "b",
                AskKind::Url,
                AskState::Accept { content: None, source: Source::Grant },
            )),
            Entry::Ask(ask("c", AskKind::Sampling, AskState::Decline)),
            Entry::Ask(ask("d", AskKind::Roots, AskState::Cancel)),
            Entry::Ask(ask("e", AskKind::Form, AskState::Invalid)),
            Entry::Ask(ask(
                "f",
                AskKind::Form,
                AskState::Received { response: r#"{"action":"accept"}"#.to_owned() },
            )),
        ],
    }
}

pub(super) const FORMATS: [StateFormat; 2] = [StateFormat::Encrypted, StateFormat::Signed];

/// A token of the claims, encrypted.
fn seal(ring: &Keyring) -> String {
    seal_as(ring, StateFormat::Encrypted)
}

fn seal_as(ring: &Keyring, format: StateFormat) -> String {
    ring.seal_state(&claims(), &alice(), format, MAX, &SystemRng).unwrap()
}

fn decoded(token: &str) -> Vec<u8> {
    base64_simd::URL_SAFE_NO_PAD.decode_to_vec(&token[4..]).unwrap()
}

fn expected(principal: &Principal) -> Expected<'_> {
    Expected {
        now_ms: 1_000_000,
        clock_skew_ms: 60_000,
        question_rounds: 16,
        audience: "deployer",
        principal,
        request: request(),
    }
}

fn verify(change: impl FnOnce(&mut Expected<'_>)) -> Result<Claims, Refusal> {
    let (ring, alice) = (ring(&[1]), alice());
    let mut expected = expected(&alice);
    change(&mut expected);
    let [encrypted, signed] = FORMATS
        .map(|format| ring.open_state(&seal_as(&ring, format), MAX).unwrap().verify(&expected));
    assert_eq!(encrypted.as_ref().err(), signed.as_ref().err());
    encrypted
}

/// mrtr, server requirement 4: state that we sealed comes back as it was.
#[test]
fn what_was_sealed_opens() {
    assert!(verify(|_| {}).unwrap() == claims());
    let ring = ring(&[1]);
    for format in FORMATS {
        let token = seal_as(&ring, format);
        let opened = ring.open_state(&token, MAX).unwrap();
        assert!(opened.verify(&expected(&alice())).unwrap() == claims());
    }
}

/// The flow can be named in the log although its claims cannot be had.
#[test]
fn an_opened_state_names_its_flow() {
    let ring = ring(&[1]);
    let token = seal(&ring);
    assert_eq!(ring.open_state(&token, MAX).unwrap().flow_id(), b"0123456789abcdef");
}

/// mrtr, server requirement 5: principal, expiry, originating request, each verified on receipt.
#[test]
fn a_state_counts_only_for_what_it_was_sealed_for() {
    let refusal = |change: fn(&mut Expected<'_>)| verify(change).err();
    assert_eq!(refusal(|e| e.audience = "other"), Some(Refusal::OtherAudience));
    let other = RequestDigest::of("tools/call", "deploy", None).unwrap();
    assert_eq!(verify(|e| e.request = other).err(), Some(Refusal::OtherRequest));
    assert_eq!(refusal(|e| e.now_ms = 1_599_999), None);
    assert_eq!(refusal(|e| e.now_ms = 1_600_000), Some(Refusal::Expired));
    assert_eq!(refusal(|e| e.now_ms = 4_599_999), Some(Refusal::Expired));
    assert_eq!(refusal(|e| e.now_ms = 4_600_000), Some(Refusal::DeadlinePassed));
    assert_eq!(refusal(|e| e.now_ms = u64::MAX), Some(Refusal::DeadlinePassed));
    assert_eq!(refusal(|e| e.now_ms = 940_000), None);
    assert_eq!(refusal(|e| e.now_ms = 939_999), Some(Refusal::NotYetValid));
    assert_eq!(refusal(|e| e.question_rounds = 2), None);
    assert_eq!(refusal(|e| e.question_rounds = 1), Some(Refusal::TooManyRounds));
}

/// Two users of one client differ, one user's two clients too; none, the single user and a user
/// never match.
#[test]
fn a_state_counts_only_for_its_principal() {
    let user = |issuer, subject, client| Principal::new(issuer, subject, client).unwrap();
    let all = [
        Principal::none(),
        Principal::single_user(),
        user("i", "s", "c"),
        user("i", "s2", "c"),
        user("i", "s", "c2"),
        user("i2", "s", "c"),
        // The same letters, cut elsewhere.
        user("is", "c", "x"),
        user("i", "sc", "x"),
        user("i", "s", "cx"),
    ];
    let ring = ring(&[1]);
    for sealed_for in &all {
        for format in FORMATS {
            let token = ring.seal_state(&claims(), sealed_for, format, MAX, &SystemRng).unwrap();
            for presented_by in &all {
                let result = ring.open_state(&token, MAX).unwrap().verify(&expected(presented_by));
                let wanted = (sealed_for != presented_by).then_some(Refusal::OtherPrincipal);
                assert_eq!(result.err(), wanted, "{sealed_for:?} {presented_by:?}");
            }
        }
    }
}

/// Rotation: what any key of the ring has sealed opens and verifies, whatever its place.
#[test]
fn every_key_of_the_ring_opens() {
    let (one, two, alice) = (ring(&[1]), ring(&[2]), alice());
    for format in FORMATS {
        let token = seal_as(&one, format);
        for ring in [ring(&[1, 2]), ring(&[2, 1]), ring(&[3, 2, 1])] {
            let opened = ring.open_state(&token, MAX).unwrap();
            assert!(opened.verify(&expected(&alice)).unwrap() == claims());
        }
        assert_eq!(two.open_state(&token, MAX).err(), Some(Refusal::UnknownKey));
        // The first key seals.
        assert!(one.open_state(&seal_as(&ring(&[1, 2]), format), MAX).is_ok());
        assert!(two.open_state(&seal_as(&ring(&[2, 1]), format), MAX).is_ok());
    }
}

/// A token names its key; naming another key of the ring does not open it.
#[test]
fn the_key_id_is_authenticated() {
    let (both, second) = (ring(&[1, 2]), ring(&[2]));
    for format in FORMATS {
        let (token, other) = (seal_as(&both, format), seal_as(&second, format));
        let mut bytes = decoded(&token);
        bytes[..4].copy_from_slice(&decoded(&other)[..4]);
        let text = base64_simd::URL_SAFE_NO_PAD.encode_to_string(&bytes);
        let swapped = format!("{}{text}", &token[..4]);
        assert_eq!(both.open_state(&swapped, MAX).err(), Some(Refusal::Forged));
    }
}

/// Any change of one character, to any other of the alphabet or outside of it, is refused.
#[test]
fn any_changed_character_is_refused() {
    let ring = ring(&[1]);
    let mut claims = claims();
    claims.entries.truncate(1);
    for format in FORMATS {
        let token = ring.seal_state(&claims, &alice(), format, MAX, &SystemRng).unwrap();
        for at in 0..token.len() {
            let alphabet = (b'0'..=b'9').chain(b'A'..=b'Z').chain(b'a'..=b'z');
            let alphabet = alphabet.chain(*b"-_+/=. \n\0~");
            for other in alphabet.filter(|other| *other != token.as_bytes()[at]) {
                let mut changed = token.clone().into_bytes();
                changed[at] = other;
                let changed = String::from_utf8(changed).unwrap();
                assert!(ring.open_state(&changed, MAX).is_err(), "{at} {other}");
            }
        }
    }
}

/// Anything added, taken away or put around is refused.
#[test]
fn there_is_one_text_of_a_token() {
    let ring = ring(&[1]);
    for format in FORMATS {
        let token = seal_as(&ring, format);
        let (prefix, text) = token.split_at(4);
        let refused = |text: &str| assert!(ring.open_state(text, MAX).is_err(), "{text:?}");
        for cut in 0..token.len() {
            refused(&token[..cut]);
            refused(&token[cut + 1..]);
        }
        for added in ["A", "AA", "AAA", "AAAA", "=", "==", " ", "\n", "\0", ".", "é"] {
            refused(&format!("{token}{added}"));
            refused(&format!("{added}{token}"));
            refused(&format!("{prefix}{added}{text}"));
        }
        // What one format has sealed under the name of the other.
        refused(&format!("me1.ms1.{text}"));
        refused(&token.replace("me1.", "ms2.").replace("ms1.", "me1.").replace("ms2.", "ms1."));
    }
}

/// Length is checked first, in both directions with the same measure.
#[test]
fn a_token_over_the_limit_is_neither_made_nor_decoded() {
    let ring = ring(&[1]);
    let token = seal(&ring);
    assert!(ring.open_state(&token, token.len()).is_ok());
    assert_eq!(ring.open_state(&token, token.len() - 1).err(), Some(Refusal::TooLarge));
    let encrypted = StateFormat::Encrypted;
    let made = |limit| ring.seal_state(&claims(), &alice(), encrypted, limit, &SystemRng);
    assert_eq!(made(token.len()).unwrap().len(), token.len());
    assert_eq!(made(token.len() - 1).unwrap_err().kind(), ErrorKind::Limit);
    // Not a token at all, and still too large rather than malformed.
    assert_eq!(ring.open_state(&"!".repeat(5 << 20), MAX).err(), Some(Refusal::TooLarge));
}

/// With a fixed source of randomness a token is the same text every time, and 24 bytes are drawn.
#[test]
fn sealing_draws_the_nonce_and_nothing_else() {
    for (format, drawn) in [(StateFormat::Encrypted, 24), (StateFormat::Signed, 0)] {
        let (ring, rng) = (ring(&[1]), Counter::default());
        let seal = |rng| ring.seal_state(&claims(), &alice(), format, MAX, rng).unwrap();
        assert_eq!(seal(&rng), seal(&Counter::default()));
        let mut next = [0];
        rng.fill(&mut next).unwrap();
        assert_eq!(next, [drawn]);
    }
}

/// Without randomness nothing is sealed.
#[test]
fn a_source_without_randomness_is_an_error() {
    struct Dry;
    impl Rng for Dry {
        fn fill(&self, _: &mut [u8]) -> Result<()> {
            Err(crate::Error::new(ErrorKind::Internal, "dry"))
        }
    }
    let sealed = ring(&[1]).seal_state(&claims(), &alice(), StateFormat::Encrypted, MAX, &Dry);
    assert_eq!(sealed.unwrap_err().kind(), ErrorKind::Internal);
    assert_eq!(Keyring::ephemeral(&Dry).unwrap_err().kind(), ErrorKind::Internal);
}

/// Neither flow id, user nor content can be read from an encrypted token.
#[test]
fn an_encrypted_token_shows_nothing() {
    let shows = |token: &str, secret: &[u8]| {
        decoded(token).windows(secret.len()).any(|window| window == secret)
    };
    let [encrypted, signed] = FORMATS.map(|format| seal_as(&ring(&[1]), format));
    for secret in [&b"0123456789abcdef"[..], b"deployer", b"target", b"12.50"] {
        assert!(!shows(&encrypted, secret));
        assert!(shows(&signed, secret));
    }
    // Who it was sealed for cannot be read from either.
    for name in [&b"alice"[..], b"login.example/", b"demo-client"] {
        assert!(!shows(&encrypted, name) && !shows(&signed, name));
    }
}

/// What a step computed may hold what the client must not see.
#[test]
fn a_step_that_is_not_readable_is_not_signed() {
    let mut claims = claims();
    for entry in &mut claims.entries {
        if let Entry::Step(step) = entry {
            step.readable = false;
        }
    }
    let seal = |format| ring(&[1]).seal_state(&claims, &alice(), format, MAX, &SystemRng);
    let error = seal(StateFormat::Signed).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.message().contains("price") && !error.message().contains("12.50"));
    assert!(seal(StateFormat::Encrypted).is_ok());
}

/// Two keys with one fingerprint are both tried, whichever comes first.
#[test]
fn keys_with_one_id_are_both_tried() {
    let (one, two) = (ring(&[1]), ring(&[2]));
    let both = Keyring::with_equal_ids(&[&one, &two]);
    let backwards = Keyring::with_equal_ids(&[&two, &one]);
    let (by_one, by_two) = (seal(&both), seal(&backwards));
    for ring in [&both, &backwards] {
        for token in [&by_one, &by_two] {
            assert!(ring.open_state(token, MAX).unwrap().verify(&expected(&alice())).is_ok());
        }
    }
}
