//! A second reader of JSON to hold ours against: `serde_json`, made to tell repeated keys.
//!
//! Used by the property test and by the fuzz target.

use std::fmt;

use mcp_elicit::json::{Decimal, Json, JsonFault, JsonType, Value};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// How `serde_json` hands on a number when it keeps every digit.
const NUMBER: &str = "$serde_json::private::Number";

/// Our limit here; the other reader's is 127.
pub(crate) const DEPTH: usize = 100;

/// What the other reader saw; members keep their order and their repetitions.
enum Tree {
    Null,
    Boolean(bool),
    Number(String),
    String(String),
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

/// Panics where the two readers disagree beyond what ours refuses on purpose.
pub(crate) fn compare(bytes: &[u8]) {
    // The other reader takes an object with this key for a number.
    if bytes.windows(13).any(|window| window == b"$serde_json::") {
        return;
    }
    let theirs = serde_json::from_slice::<Tree>(bytes);
    match (Json::parse_bytes(bytes, DEPTH), theirs) {
        (Ok(ours), Ok(theirs)) => {
            assert!(theirs.depth() <= DEPTH && !theirs.repeats_a_key());
            assert!(theirs.is(ours.root()), "the readers saw different values");
            let compact = Json::parse_with_depth(ours.compact(), DEPTH);
            assert!(compact.is_ok_and(|compact| theirs.is(compact.root())));
            assert!(!ours.compact().contains(['\n', '\r']));
            for value in ours.root().items().chain(ours.root().entries().map(|e| e.value)) {
                assert_eq!(value.to_json().text(), value.compact());
            }
        }
        (Ok(_), Err(error)) => panic!("only ours accepts: {error}"),
        (Err(ours), Ok(theirs)) => match ours.fault() {
            JsonFault::RepeatedKey => assert!(theirs.repeats_a_key()),
            JsonFault::Depth => assert!(theirs.depth() > DEPTH),
            _ => panic!("only ours refuses: {ours}"),
        },
        (Err(ours), Err(_)) => assert!(ours.offset() <= bytes.len()),
    }
}

impl Tree {
    fn depth(&self) -> usize {
        match self {
            Self::Array(items) => 1 + items.iter().map(Self::depth).max().unwrap_or(0),
            Self::Object(members) => 1 + members.iter().map(|m| m.1.depth()).max().unwrap_or(0),
            _ => 0,
        }
    }

    fn repeats_a_key(&self) -> bool {
        match self {
            Self::Array(items) => items.iter().any(Self::repeats_a_key),
            Self::Object(members) => {
                let mut keys: Vec<_> = members.iter().map(|member| &member.0).collect();
                keys.sort();
                keys.windows(2).any(|pair| pair[0] == pair[1])
                    || members.iter().any(|member| member.1.repeats_a_key())
            }
            _ => false,
        }
    }

    fn is(&self, ours: Value<'_>) -> bool {
        match self {
            Self::Null => ours.is_null(),
            Self::Boolean(truth) => ours.as_bool() == Some(*truth),
            Self::Number(text) => {
                ours.json_type() == JsonType::Number && ours.as_decimal() == Decimal::parse(text)
            }
            Self::String(text) => ours.as_str().as_deref() == Some(text),
            Self::Array(items) => {
                ours.is_array()
                    && items.len() == ours.items().count()
                    && items.iter().zip(ours.items()).all(|(item, ours)| item.is(ours))
            }
            Self::Object(members) => {
                ours.is_object()
                    && members.len() == ours.entries().count()
                    && members.iter().zip(ours.entries()).all(|((key, value), ours)| {
                        ours.key() == *key && ours.key_is(key) && value.is(ours.value)
                    })
                    && members.iter().all(|(key, value)| ours.get(key).is_some_and(|v| value.is(v)))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E: Error>(self, truth: bool) -> Result<Tree, E> {
        Ok(Tree::Boolean(truth))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Tree, E> {
        Ok(Tree::Number(number.to_string()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Tree, E> {
        Ok(Tree::Number(number.to_string()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element()? {
            all.push(item);
        }
        Ok(Tree::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Tree, A::Error> {
        let mut all = Vec::new();
        while let Some(key) = members.next_key::<String>()? {
            if key == NUMBER {
                return members.next_value().map(Tree::Number);
            }
            all.push((key, members.next_value()?));
        }
        Ok(Tree::Object(all))
    }
}
