//! Laws of the sealed state, on generated inputs.

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;

use super::digest::{canonical_into, utf16_order};
use super::principal::PrincipalTag;
use super::tests::{Counter, MAX, alice, ring};
use super::*;
use crate::elicit::Source;
use crate::json::{Json, quote_into};

// Digest

/// A JSON value without its spelling.
#[derive(Clone, Debug, PartialEq)]
enum Tree {
    Word(&'static str),
    Number(Decimal),
    Text(String),
    Array(Vec<Tree>),
    Object(std::collections::BTreeMap<String, Tree>),
}

/// A number as its canonical form has it.
#[derive(Clone, Debug, PartialEq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i32,
}

/// Choices of a speller, read from the front; zeros when there are no more.
struct Choices<'c>(&'c [u8]);

impl Choices<'_> {
    fn below(&mut self, bound: u8) -> u8 {
        match self.0 {
            [] => 0,
            [first, rest @ ..] => {
                self.0 = rest;
                first % bound
            }
        }
    }

    fn space(&mut self, out: &mut String) {
        out.push_str(["", "", "", " ", "\n", "\t \r"][usize::from(self.below(6))]);
    }
}

/// Writes a value in one of its many spellings.
fn spell(tree: &Tree, choices: &mut Choices<'_>, out: &mut String) {
    choices.space(out);
    match tree {
        Tree::Word(word) => out.push_str(word),
        Tree::Number(number) => spell_number(number, choices, out),
        Tree::Text(text) => spell_text(text, choices, out),
        Tree::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                spell(item, choices, out);
            }
            choices.space(out);
            out.push(']');
        }
        Tree::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            let turn = usize::from(choices.below(8)) % members.len().max(1);
            members.rotate_left(turn);
            if choices.below(2) == 1 {
                members.reverse();
            }
            out.push('{');
            for (at, (key, value)) in members.into_iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                choices.space(out);
                spell_text(key, choices, out);
                choices.space(out);
                out.push(':');
                spell(value, choices, out);
            }
            choices.space(out);
            out.push('}');
        }
    }
    choices.space(out);
}

fn spell_text(text: &str, choices: &mut Choices<'_>, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        if choices.below(3) == 0 {
            for unit in c.encode_utf16(&mut [0; 2]) {
                match choices.below(2) {
                    0 => out.push_str(&format!("\\u{unit:04x}")),
                    _ => out.push_str(&format!("\\u{unit:04X}")),
                }
            }
        } else if c == '/' && choices.below(2) == 0 {
            out.push_str("\\/");
        } else {
            let mut quoted = String::new();
            quote_into(&mut quoted, c.encode_utf8(&mut [0; 4]));
            out.push_str(&quoted[1..quoted.len() - 1]);
        }
    }
    out.push('"');
}

fn spell_number(number: &Decimal, choices: &mut Choices<'_>, out: &mut String) {
    // Zeros at both ends, the point anywhere, the exponent to match.
    let digits = if number.digits.is_empty() { "0" } else { &number.digits };
    let zeros = usize::from(choices.below(3));
    let all = format!("{digits}{}", "0".repeat(zeros));
    let mut exponent = number.exponent - zeros as i32;
    if number.negative || (number.digits.is_empty() && choices.below(2) == 1) {
        out.push('-');
    }
    let point = usize::from(choices.below(8)) % (all.len() + 1);
    exponent += (all.len() - point) as i32;
    match point {
        0 => out.push_str(&format!("0.{all}")),
        at if at == all.len() => out.push_str(&all),
        at => out.push_str(&format!("{}.{}", &all[..at], &all[at..])),
    }
    if number.digits.is_empty() {
        // A zero is a zero at any power; `00.` is no number.
        let whole = out.rfind(|c: char| !matches!(c, '0' | '.')).map_or(0, |at| at + 1);
        out.truncate(whole);
        out.push_str(["0", "0.0", "0e9", "0.00E-12345678901"][usize::from(choices.below(4))]);
    } else if exponent != 0 || choices.below(2) == 1 {
        let sign = if exponent >= 0 { ["", "+"][usize::from(choices.below(2))] } else { "-" };
        let letter = ["e", "E"][usize::from(choices.below(2))];
        let zeros = ["", "00"][usize::from(choices.below(2))];
        out.push_str(&format!("{letter}{sign}{zeros}{}", exponent.unsigned_abs()));
    }
}

fn tree() -> impl Strategy<Value = Tree> {
    let number = (any::<bool>(), "([1-9]|[1-9][0-9]{0,24}[1-9])?", -30..30i32).prop_map(
        |(negative, digits, exponent)| {
            Tree::Number(if digits.is_empty() {
                Decimal { negative: false, digits, exponent: 0 }
            } else {
                Decimal { negative, digits, exponent }
            })
        },
    );
    let leaf = prop_oneof![
        prop_oneof![Just("null"), Just("true"), Just("false")].prop_map(Tree::Word),
        number,
        words().prop_map(Tree::Text),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Tree::Array),
            btree_map(words(), inner, 0..5).prop_map(Tree::Object),
        ]
    })
}

/// Short texts with everything that is awkward in them.
fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab]{0,2}",
        vec(
            prop_oneof![
                any::<char>(),
                Just('"'),
                Just('\\'),
                Just('/'),
                Just('\u{fb33}'),
                Just('\u{ffff}'),
                Just('😂'),
                proptest::char::range('\0', '\u{20}'),
            ],
            0..4
        )
        .prop_map(|chars| chars.into_iter().collect::<String>()),
    ]
}

fn spelled(tree: &Tree, choices: &[u8]) -> Json {
    let mut text = String::new();
    spell(tree, &mut Choices(choices), &mut text);
    Json::parse(text.clone()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn digest(json: &Json) -> [u8; 32] {
    RequestDigest::of("tools/call", "deploy", Some(json.root())).unwrap().0
}

proptest! {
    /// Key order, white space, escapes and the spelling of numbers do not matter.
    #[test]
    fn the_spelling_does_not_matter(tree in tree(), one: Vec<u8>, two: Vec<u8>) {
        let tree = Tree::Array(vec![tree]);
        prop_assert_eq!(digest(&spelled(&tree, &one)), digest(&spelled(&tree, &two)));
    }

    /// Everything else does: different values have different digests.
    #[test]
    fn the_value_matters(one in tree(), two in tree()) {
        let (one, two) = (Tree::Array(vec![one]), Tree::Array(vec![two]));
        let same = digest(&spelled(&one, &[])) == digest(&spelled(&two, &[]));
        prop_assert_eq!(same, one == two);
    }

    /// The last digit of a number matters, however many there are.
    #[test]
    fn every_digit_matters(digits in "[1-9][0-9]{0,40}", last in 1..9u8) {
        let of = |last: u8| digest(&Json::parse(format!("[{digits}{last}]")).unwrap());
        prop_assert_ne!(of(last), of(last + 1));
    }

    /// The canonical form is JSON, and its own canonical form.
    #[test]
    fn the_canonical_form_is_canonical(tree in tree(), choices: Vec<u8>) {
        let mut once = String::new();
        canonical_into(spelled(&tree, &choices).root(), &mut once).unwrap();
        let mut twice = String::new();
        canonical_into(Json::parse(once.clone()).unwrap().root(), &mut twice).unwrap();
        prop_assert_eq!(once, twice);
    }

    /// RFC 8785 section 3.2.3: keys in the order of their UTF-16.
    #[test]
    fn keys_are_in_the_order_of_utf16(one in words(), two in words()) {
        let wanted = one.encode_utf16().cmp(two.encode_utf16());
        prop_assert_eq!(utf16_order(&one, &two), wanted);
    }
}

// Claims and tokens

fn claims() -> impl Strategy<Value = Claims> {
    let fixed =
        (any::<[u8; 16]>(), any::<u32>(), any::<u16>(), any::<[u64; 3]>(), any::<[u8; 32]>());
    let grown = (".{0,20}", option::of(vec(any::<u8>(), 0..40)), vec(entry(), 0..6));
    (fixed, grown).prop_map(|(fixed, (audience, app_data, entries))| {
        let (flow_id, round, question_rounds, [issued_ms, expires_ms, deadline_ms], digest) = fixed;
        Claims {
            flow_id,
            round,
            question_rounds,
            issued_ms,
            expires_ms,
            deadline_ms,
            audience,
            digest: RequestDigest(digest),
            app_data,
            entries,
        }
    })
}

/// Claims whose steps may all be read, so that either format will do.
fn signable() -> impl Strategy<Value = Claims> {
    claims().prop_map(|mut claims| {
        for entry in &mut claims.entries {
            if let Entry::Step(step) = entry {
                step.readable = true;
            }
        }
        claims
    })
}

fn format() -> impl Strategy<Value = StateFormat> {
    prop_oneof![Just(StateFormat::Encrypted), Just(StateFormat::Signed)]
}

fn entry() -> impl Strategy<Value = Entry> {
    let state = prop_oneof![
        Just(AskState::Open),
        Just(AskState::Decline),
        Just(AskState::Cancel),
        Just(AskState::Invalid),
        ".{0,30}".prop_map(|response| AskState::Received { response }),
        ".{0,30}".prop_map(|content| AskState::Answer { content }),
        (option::of(".{0,30}"), source())
            .prop_map(|(content, source)| AskState::Accept { content, source }),
    ];
    let kind = prop_oneof![
        Just(AskKind::Form),
        Just(AskKind::Url),
        Just(AskKind::Sampling),
        Just(AskKind::Roots)
    ];
    let texts = (".{0,12}", option::of(".{0,12}"), option::of(".{0,12}"));
    prop_oneof![
        (texts, kind, any::<[u8; 16]>(), state, any::<u16>()).prop_map(
            |((key, kept, link), kind, digest, state, reasks)| {
                let digest = AskDigest(digest);
                Entry::Ask(AskEntry { key, kind, digest, state, reasks, kept, link })
            }
        ),
        (".{0,12}", any::<bool>(), ".{0,30}")
            .prop_map(|(key, readable, result)| Entry::Step(StepEntry { key, readable, result })),
    ]
}

fn source() -> impl Strategy<Value = Source> {
    prop_oneof![
        Just(Source::User),
        Just(Source::Argument),
        Just(Source::Default),
        Just(Source::Grant)
    ]
}

fn encoded(claims: &Claims, tag: [u8; 16]) -> Vec<u8> {
    let mut bytes = Vec::new();
    claims.encode(PrincipalTag(tag), &mut bytes).unwrap();
    bytes
}

proptest! {
    /// What was encoded decodes, and its length was known before.
    #[test]
    fn claims_are_encoded_and_decoded(claims in claims(), tag: [u8; 16]) {
        let bytes = encoded(&claims, tag);
        prop_assert_eq!(bytes.len(), claims.encoded_len());
        let (decoded, decoded_tag) = Claims::decode(&bytes).unwrap();
        prop_assert!(decoded == claims && decoded_tag.0 == tag);
    }

    /// Decoding is total, and accepts nothing that encoding does not make.
    #[test]
    fn there_is_one_encoding(claims in claims(), at: prop::sample::Index, byte: u8, cut: bool) {
        let mut bytes = encoded(&claims, [7; 16]);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if cut {
            bytes.truncate(at);
        }
        if let Some((decoded, tag)) = Claims::decode(&bytes) {
            prop_assert_eq!(encoded(&decoded, tag.0), bytes);
        }
    }

    /// Bytes that nobody encoded are read without harm.
    #[test]
    fn any_bytes_are_read(bytes in vec(any::<u8>(), 0..200)) {
        let framed = [&[1, 1][..], &[0; 94], &bytes].concat();
        for bytes in [bytes, framed] {
            if let Some((decoded, tag)) = Claims::decode(&bytes) {
                prop_assert_eq!(encoded(&decoded, tag.0), bytes);
            }
        }
    }

    /// What was sealed opens to the same.
    #[test]
    fn sealed_claims_open(claims in signable(), format in format()) {
        let ring = ring(&[1]);
        let token = ring.seal_state(&claims, &alice(), format, MAX, &Counter::default()).unwrap();
        let (opened, _) = ring.open_state(&token, MAX).unwrap().into_parts();
        prop_assert!(opened == claims);
    }

    /// One bit flipped anywhere in what was sealed: refused.
    #[test]
    fn a_flipped_bit_is_refused(
        claims in signable(),
        format in format(),
        at: prop::sample::Index,
        bit in 0..8u8,
    ) {
        let ring = ring(&[1]);
        let token = ring.seal_state(&claims, &alice(), format, MAX, &Counter::default()).unwrap();
        let (prefix, text) = token.split_at(4);
        let mut bytes = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(text).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        let text = base64_simd::URL_SAFE_NO_PAD.encode_to_string(&bytes);
        let flipped = format!("{prefix}{text}");
        let wanted = if at < 4 { Refusal::UnknownKey } else { Refusal::Forged };
        prop_assert_eq!(ring.open_state(&flipped, MAX).err(), Some(wanted));
    }

    /// Any text at all is refused, and does no harm.
    #[test]
    fn any_text_is_refused(text in ".{0,200}", tail in "m[es]1\\.[A-Za-z0-9_-]{0,200}") {
        let ring = ring(&[1]);
        prop_assert!(ring.open_state(&text, MAX).is_err());
        prop_assert!(ring.open_state(&tail, MAX).is_err());
    }
}
