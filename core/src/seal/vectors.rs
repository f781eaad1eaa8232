//! The shared vectors: `tests/vectors/tokens.json` and `digest.json`, made by the implementation in
//! `tests/independent`; XAES-256-GCM as C2SP publishes it; RFC 8785's own data.

use std::path::PathBuf;

use serde_json::{Map, Value as Serde};

use super::digest::canonical_into;
use super::*;
use crate::elicit::Source;
use crate::error::{ErrorKind, Result};
use crate::json::Json;
use crate::protocol::Principal;

fn vectors(name: &str) -> Serde {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    serde_json::from_str(&text).unwrap()
}

fn list(value: &Serde) -> &[Serde] {
    value.as_array().unwrap()
}

fn text(value: &Serde) -> &str {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}"))
}

/// A text, or its parts joined.
fn joined(value: &Serde) -> String {
    let Some(parts) = value.as_array() else { return text(value).to_owned() };
    let part = |part: &Serde| match part.as_str() {
        Some(text) => text.to_owned(),
        None => text(&part["repeat"]).repeat(number(&part["times"])),
    };
    parts.iter().map(part).collect()
}

fn optional(value: &Serde) -> Option<String> {
    (!value.is_null()).then(|| text(value).to_owned())
}

fn number<N: TryFrom<u64>>(value: &Serde) -> N {
    let number = value.as_u64().unwrap_or_else(|| panic!("not a number: {value}"));
    N::try_from(number).unwrap_or_else(|_| panic!("too large: {number}"))
}

fn bytes(hex: &Serde) -> Vec<u8> {
    let digits = text(hex).as_bytes().chunks(2);
    digits.map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn array<const N: usize>(hex: &Serde) -> [u8; N] {
    bytes(hex).try_into().unwrap()
}

/// Gives the fixed bytes once, and must be asked for exactly those.
struct Fixed(std::sync::Mutex<Vec<u8>>);

impl crate::Rng for Fixed {
    fn fill(&self, out: &mut [u8]) -> Result<()> {
        let mut left = self.0.lock().unwrap();
        assert_eq!(out.len(), left.len());
        out.copy_from_slice(&left);
        left.clear();
        Ok(())
    }
}

/// Where a token is presented: the file's context with what the vector changes.
struct Context {
    keyring: Keyring,
    principal: Principal,
    request: RequestDigest,
    fields: Map<String, Serde>,
}

impl Context {
    fn of(file: &Serde, vector: &Serde) -> Self {
        let mut fields = file["context"].as_object().unwrap().clone();
        for (name, value) in vector["with"].as_object().unwrap() {
            assert!(fields.insert(name.clone(), value.clone()).is_some(), "{name}");
        }
        let secrets: Vec<_> =
            list(&fields["keys"]).iter().map(|name| bytes(&file["keys"][text(name)])).collect();
        let principal = match &fields["principal"] {
            Serde::Array(parts) => {
                Principal::new(text(&parts[0]), text(&parts[1]), text(&parts[2])).unwrap()
            }
            kind if kind == "none" => Principal::none(),
            kind if kind == "single_user" => Principal::single_user(),
            other => panic!("{other}"),
        };
        let request = digest(
            text(&fields["request"]["method"]),
            text(&fields["request"]["target"]),
            &fields["request"]["arguments"],
        )
        .unwrap();
        Self { keyring: Keyring::new(&secrets).unwrap(), principal, request, fields }
    }

    fn max_len(&self) -> usize {
        number(&self.fields["max_len"])
    }

    fn present(&self, token: &str) -> Result<Claims, Refusal> {
        let opened = self.keyring.open_state(token, self.max_len())?;
        opened.verify(&Expected {
            now_ms: number(&self.fields["now_ms"]),
            clock_skew_ms: number(&self.fields["clock_skew_ms"]),
            question_rounds: number(&self.fields["question_rounds"]),
            audience: text(&self.fields["audience"]),
            principal: &self.principal,
            request: self.request,
        })
    }
}

fn digest(method: &str, target: &str, arguments: &Serde) -> Result<RequestDigest> {
    let arguments = optional(arguments).map(Json::parse).transpose()?;
    RequestDigest::of(method, target, arguments.as_ref().map(Json::root))
}

fn claims(vector: &Serde) -> Claims {
    Claims {
        flow_id: array(&vector["flow_id"]),
        round: number(&vector["round"]),
        question_rounds: number(&vector["question_rounds"]),
        issued_ms: number(&vector["issued_ms"]),
        expires_ms: number(&vector["expires_ms"]),
        deadline_ms: number(&vector["deadline_ms"]),
        audience: text(&vector["audience"]).to_owned(),
        digest: RequestDigest(array(&vector["request_digest"])),
        app_data: (!vector["app_data"].is_null()).then(|| bytes(&vector["app_data"])),
        entries: list(&vector["entries"]).iter().map(entry).collect(),
    }
}

fn entry(vector: &Serde) -> Entry {
    if let Some(key) = vector.get("step") {
        return Entry::Step(StepEntry {
            key: text(key).to_owned(),
            readable: vector["readable"].as_bool().unwrap(),
            result: text(&vector["result"]).to_owned(),
        });
    }
    Entry::Ask(AskEntry {
        key: text(&vector["ask"]).to_owned(),
        kind: kind(text(&vector["kind"])),
        digest: AskDigest(array(&vector["digest"])),
        state: match text(&vector["state"]) {
            "open" => AskState::Open,
            "accept" => AskState::Accept {
                content: optional(&vector["content"]),
                source: match text(&vector["source"]) {
                    "user" => Source::User,
                    "argument" => Source::Argument,
                    "default" => Source::Default,
                    "grant" => Source::Grant,
                    other => panic!("{other}"),
                },
            },
            "decline" => AskState::Decline,
            "cancel" => AskState::Cancel,
            "invalid" => AskState::Invalid,
            "received" => AskState::Received { response: text(&vector["response"]).to_owned() },
            "answer" => AskState::Answer { content: text(&vector["content"]).to_owned() },
            other => panic!("{other}"),
        },
        reasks: number(&vector["reasks"]),
        kept: optional(&vector["kept"]),
        link: optional(&vector["link"]),
    })
}

fn kind(name: &str) -> AskKind {
    match name {
        "form" => AskKind::Form,
        "url" => AskKind::Url,
        "sampling" => AskKind::Sampling,
        "roots" => AskKind::Roots,
        other => panic!("{other}"),
    }
}

/// Every token opens to its claims, and its claims seal to the very text.
#[test]
fn tokens_open_and_are_sealed_again() {
    let file = vectors("tokens.json");
    assert!(list(&file["opens"]).len() > 10);
    for vector in list(&file["opens"]) {
        let name = &vector["name"];
        let (context, token) = (Context::of(&file, vector), text(&vector["token"]));
        let wanted = claims(&vector["claims"]);
        match context.present(token) {
            Ok(claims) => assert!(claims == wanted, "{name}: other claims"),
            Err(refusal) => panic!("{name}: {}", refusal.name()),
        }
        let nonce = if vector["nonce"].is_null() { Vec::new() } else { bytes(&vector["nonce"]) };
        // Tokens of older keys are sealed by a ring that begins with theirs.
        let keys: Vec<_> = file["keys"].as_object().unwrap().values().map(bytes).collect();
        let sealed = keys.iter().map(|secret| {
            let rng = Fixed(nonce.clone().into());
            let ring = Keyring::new(&[secret]).unwrap();
            let format = match &token[..4] {
                "me1." => StateFormat::Encrypted,
                "ms1." => StateFormat::Signed,
                other => panic!("{other}"),
            };
            let (principal, max_len) = (&context.principal, context.max_len());
            ring.seal_state(&wanted, principal, format, max_len, &rng).unwrap()
        });
        assert_eq!(sealed.filter(|sealed| sealed == token).count(), 1, "{name}");
    }
}

/// What each minor version has sealed opens in all later ones; this version's is kept already.
#[test]
fn tokens_of_every_version_open() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors");
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    let kept: Vec<_> = names.filter(|name| name.starts_with("tokens-")).collect();
    let minor = env!("CARGO_PKG_VERSION").rsplit_once('.').unwrap().0;
    assert!(kept.contains(&format!("tokens-{minor}.json")), "freeze this version's vectors");
    for name in kept {
        let file = vectors(&name);
        assert!(list(&file["opens"]).len() > 10);
        for vector in list(&file["opens"]) {
            match Context::of(&file, vector).present(text(&vector["token"])) {
                Ok(opened) => assert!(opened == claims(&vector["claims"]), "{}", vector["name"]),
                Err(refusal) => panic!("{name}: {}: {}", vector["name"], refusal.name()),
            }
        }
    }
}

/// Every other text is refused for the cause that stands beside it.
#[test]
fn tokens_are_refused_for_their_cause() {
    let file = vectors("tokens.json");
    let mut seen = Vec::new();
    for vector in list(&file["refused"]) {
        let refusal = Context::of(&file, vector).present(&joined(&vector["token"])).err();
        assert_eq!(refusal.map(Refusal::name), vector["refusal"].as_str(), "{}", vector["name"]);
        seen.extend(refusal);
    }
    for refusal in Refusal::ALL {
        assert!(seen.contains(refusal), "no vector for {}", refusal.name());
    }
}

/// Requests in one group are one request; those in different groups differ.
#[test]
fn requests_are_told_apart() {
    let file = vectors("digest.json");
    let mut seen = Vec::new();
    for group in list(&file["requests"]) {
        let (method, target) = (text(&group["method"]), text(&group["target"]));
        let wanted: [u8; 32] = array(&group["digest"]);
        for arguments in list(&group["arguments"]) {
            let digest = digest(method, target, arguments).unwrap();
            assert!(digest.0 == wanted, "{method} {target} {arguments}");
        }
        assert!(!seen.contains(&wanted), "{method} {target}");
        seen.push(wanted);
    }
    assert!(seen.len() > 40);
}

/// What two readers could see differently, or no reader exactly, has no digest.
#[test]
fn requests_at_fault_have_no_digest() {
    for fault in list(&vectors("digest.json")["faults"]) {
        let (arguments, rule) = (joined(&fault["arguments"]), text(&fault["rule"]));
        match Json::parse(&*arguments) {
            Err(error) => assert_eq!(error.fault().name(), rule, "{arguments:.60}"),
            Ok(json) => {
                let digest = RequestDigest::of("tools/call", "deploy", Some(json.root()));
                let error = digest.err().unwrap_or_else(|| panic!("{arguments:.60}"));
                assert_eq!(error.kind(), ErrorKind::InvalidParams);
                assert_eq!(error.faults()[0].rule, rule, "{arguments:.60}");
                assert_eq!(error.faults()[0].path, text(&fault["path"]), "{arguments:.60}");
            }
        }
    }
}

/// An answer counts for the question as it was worded.
#[test]
fn questions_are_told_apart() {
    for ask in list(&vectors("digest.json")["asks"]) {
        let (message, body) = (text(&ask["message"]), text(&ask["body"]).as_bytes());
        let digest = AskDigest::of(kind(text(&ask["kind"])), message, body);
        assert!(digest.0 == array(&ask["digest"]), "{ask}");
    }
}

/// C2SP XAES-256-GCM, "Test vectors".
#[test]
fn xaes_is_the_cipher_that_c2sp_specifies() {
    use xaes_256_gcm::aead::{Aead, KeyInit, Payload};
    for (key, aad, wanted) in [
        (1, "", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"),
        (3, "c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"),
    ] {
        let cipher = xaes_256_gcm::Xaes256Gcm::new(&[key; 32].into());
        let payload = Payload { msg: b"XAES-256-GCM", aad: aad.as_bytes() };
        let sealed = cipher.encrypt(b"ABCDEFGHIJKLMNOPQRSTUVWX".into(), payload).unwrap();
        assert_eq!(sealed, bytes(&wanted.into()));
    }
}

/// C2SP XAES-256-GCM, "Accumulated randomized tests": 10,000 messages drawn from one SHAKE-128,
/// their ciphertexts hashed by another.
#[test]
fn xaes_agrees_on_ten_thousand_random_messages() {
    use shake::digest::{ExtendableOutput, Update, XofReader};
    use xaes_256_gcm::aead::{Aead, KeyInit, Payload};

    let mut drawn = shake::Shake128::default().finalize_xof();
    let mut draw = |len: usize| {
        let mut bytes = vec![0; len];
        drawn.read(&mut bytes);
        bytes
    };
    let mut hash = shake::Shake128::default();
    for _ in 0..10_000 {
        let (key, nonce) = (draw(32), draw(24));
        let [msg, aad] = [(); 2].map(|()| {
            let len = draw(1)[0];
            draw(usize::from(len))
        });
        let cipher = xaes_256_gcm::Xaes256Gcm::new_from_slice(&key).unwrap();
        let nonce = nonce.as_slice().try_into().unwrap();
        hash.update(&cipher.encrypt(&nonce, Payload { msg: &msg, aad: &aad }).unwrap());
    }
    let mut accumulated = [0; 32];
    hash.finalize_xof().read(&mut accumulated);
    let wanted = "e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939";
    assert_eq!(accumulated[..], bytes(&wanted.into()));
}

/// RFC 8785's own data: the canonical form is its output, but for the spelling of numbers.
///
/// The data is not ours to carry: runs where `MCP_ELICIT_OUTSIDE_VECTORS` names its folder.
#[test]
fn the_canonical_form_is_that_of_rfc_8785() {
    let Some(folder) = std::env::var_os("MCP_ELICIT_OUTSIDE_VECTORS") else {
        eprintln!("not run: MCP_ELICIT_OUTSIDE_VECTORS is not set");
        return;
    };
    let folder = PathBuf::from(folder).join("vectors/jcs");
    let read = |part: &str, name: &std::ffi::OsStr| {
        Json::parse(std::fs::read_to_string(folder.join(part).join(name)).unwrap()).unwrap()
    };
    let mut seen = 0;
    for file in std::fs::read_dir(folder.join("input")).unwrap() {
        let name = file.unwrap().file_name();
        let (input, output) = (read("input", &name), read("output", &name));
        let mut canonical = String::new();
        canonical_into(input.root(), &mut canonical).unwrap();
        // RFC 8785 rounds numbers to doubles and spells them as ECMAScript does. Ours keep every
        // digit: token by token, the rest must be the same.
        let numbers = same_but_for_numbers(&canonical, output.text().trim_end());
        for (ours, theirs) in numbers {
            let (ours, theirs): (f64, f64) = (ours.parse().unwrap(), theirs.parse().unwrap());
            assert_eq!(ours.to_bits(), theirs.to_bits(), "{name:?}");
        }
        seen += 1;
    }
    assert!(seen >= 6, "{seen} files in {folder:?}");
}

/// The numbers that two canonical texts have in the same places; panics where they differ in
/// anything else.
fn same_but_for_numbers<'t>(ours: &'t str, theirs: &'t str) -> Vec<(&'t str, &'t str)> {
    let (ours, theirs) = (tokens(ours), tokens(theirs));
    assert_eq!(ours.len(), theirs.len());
    let is_number =
        |token: &str| token.starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    ours.into_iter()
        .zip(theirs)
        .filter(|(ours, theirs)| {
            let both = is_number(ours) && is_number(theirs);
            assert!(both || ours == theirs, "{ours} {theirs}");
            both
        })
        .collect()
}

/// Strings, numbers and words whole, everything else character by character.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = match first {
            '"' => {
                let mut escaped = false;
                let end = rest[1..].find(|c| {
                    let ends = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                });
                end.unwrap() + 2
            }
            '[' | ']' | '{' | '}' | ',' | ':' => 1,
            other => {
                assert!(!other.is_whitespace());
                rest.find([',', ']', '}', ':']).unwrap_or(rest.len())
            }
        };
        let (token, after) = rest.split_at(len);
        tokens.push(token);
        rest = after;
    }
    tokens
}
