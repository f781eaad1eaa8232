//! The JSON reader: what it takes, what it refuses and where, and that it keeps every byte.

// Clippy lets only functions marked as tests panic; their helpers do it for them.
#![allow(clippy::unwrap_used, clippy::panic)]

mod json_oracle;

use mcp_elicit::json::{
    DEFAULT_DEPTH, Decimal, Json, JsonError, JsonFault, JsonType, push_pointer, quote_into,
};
use proptest::prelude::*;

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

fn refused(text: &str) -> JsonError {
    Json::parse(text).err().unwrap_or_else(|| panic!("accepted: {text}"))
}

/// RFC 8259, grammar.
#[test]
fn what_is_not_json_is_a_syntax_fault_at_its_byte() {
    let cases = [
        ("", 0),
        (" ", 1),
        ("nul", 0),
        ("True", 0),
        ("NaN", 0),
        ("-Infinity", 1),
        ("'a'", 0),
        ("01", 1),
        ("-", 1),
        ("+1", 0),
        (".5", 0),
        ("1.", 2),
        ("1.e5", 2),
        ("1e", 2),
        ("1e+", 3),
        ("0x10", 1),
        ("1 2", 2),
        ("[", 1),
        ("[1", 2),
        ("[1,", 3),
        ("[1,]", 3),
        ("[,1]", 1),
        ("[1 2]", 3),
        ("[}", 1),
        ("{]", 1),
        ("]", 0),
        ("{,}", 1),
        ("{\"a\"}", 4),
        ("{\"a\":}", 5),
        ("{\"a\":1,}", 7),
        ("{\"a\" 1}", 5),
        ("{a:1}", 1),
        ("{\"a\":1 \"b\":2}", 7),
        ("{1:2}", 1),
        ("{}{}", 2),
        ("\"a", 2),
        ("\"a\nb\"", 2),
        ("\"a\u{0}b\"", 2),
        ("\"\u{1f}\"", 1),
        ("\"\\x41\"", 2),
        ("\"\\u12g4\"", 2),
        ("\"\\u123\"", 2),
        ("\"\\u+123\"", 2),
        ("\"\\\"", 3),
        ("\u{feff}1", 0),
        ("1\u{a0}", 1),
        ("1 // no", 2),
    ];
    for (text, offset) in cases {
        let error = refused(text);
        assert_eq!(error.fault(), JsonFault::Syntax, "{text}");
        assert_eq!(error.offset(), offset, "{text}");
        assert_eq!(error.pointer(), None, "{text}");
    }
}

/// Strings are scanned in words and blocks: each byte, at each place in them.
#[test]
fn control_characters_are_found_wherever_they_stand() {
    for byte in 0..0x80u8 {
        for place in 0..72 {
            let mut text = vec![b'x'; 72];
            text[place] = byte;
            let quoted = [b"\"", text.as_slice(), b"\""].concat();
            let read = Json::parse_bytes(&quoted, 0);
            match byte {
                0..0x20 => {
                    let error = read.err().unwrap();
                    assert_eq!((error.fault(), error.offset()), (JsonFault::Syntax, place + 1));
                }
                // `"` ends the string early; `\` makes an escape that is none, or takes the
                // closing quote for itself.
                b'"' => assert!(read.is_err()),
                b'\\' if place == 71 => assert_eq!(read.err().unwrap().offset(), quoted.len()),
                b'\\' => assert_eq!(read.err().unwrap().offset(), place + 2),
                _ => assert_eq!(read.unwrap().root().as_str().unwrap().as_bytes(), text),
            }
        }
    }
}

#[test]
fn bytes_must_be_utf8_without_a_mark() {
    for (bytes, offset) in [
        (b"\"a\xff\"".as_slice(), 2),
        (b"\"\xc0\xaf\"", 1),
        (b"\"\xed\xa0\x80\"", 1),
        (b"\"\xf4\x90\x80\x80\"", 1),
        (b"\"\xe4\xb8\"", 1),
    ] {
        let error = Json::parse_bytes(bytes, DEFAULT_DEPTH).err().unwrap();
        assert_eq!((error.fault(), error.offset()), (JsonFault::Utf8, offset));
    }
    let mark = Json::parse_bytes(b"\xef\xbb\xbf{}", DEFAULT_DEPTH).err().unwrap();
    assert_eq!(mark.fault(), JsonFault::Syntax);
}

#[test]
fn a_key_may_stand_once_in_an_object_however_it_is_spelled() {
    let many: String = (0..40).map(|n| format!("\"k{n}\":{n},")).collect();
    let cases = [
        ("{\"a\":1,\"a\":1}".to_owned(), "/a", 7),
        ("{\"a\":1,\"\\u0061\":2}".to_owned(), "/a", 7),
        ("{\"\":1,\"b\":0,\"\":2}".to_owned(), "/", 12),
        ("[0,{\"x\":[{\"a/b\":1,\"a\\/b\":2}],\"y\":1}]".to_owned(), "/1/x/0/a~1b", 18),
        ("{\"p\":{\"q\":1},\"o\":{\"é\":1,\"z\":2,\"\\u00e9\":3}}".to_owned(), "/o/é", 31),
        (format!("{{{many}\"k7\":0}}"), "/k7", many.len() + 1),
        (format!("{{{many}\"\\u006b39\":0}}"), "/k39", many.len() + 1),
    ];
    for (text, pointer, offset) in cases {
        let error = refused(&text);
        assert_eq!(error.fault(), JsonFault::RepeatedKey, "{text}");
        assert_eq!(error.pointer(), Some(pointer), "{text}");
        assert_eq!(error.offset(), offset, "{text}");
    }
    for text in [
        "{\"a\":{\"a\":{\"a\":1}}}",
        "[{\"a\":1},{\"a\":1}]",
        "{\"a\":1,\"A\":2}",
        "{\"é\":1,\"e\u{301}\":2}",
    ] {
        assert!(Json::parse(text).is_ok(), "{text}");
    }
    assert!(Json::parse(format!("{{{many}\"k40\":0}}")).is_ok());
}

#[test]
fn half_of_a_surrogate_pair_is_refused_in_values_and_keys() {
    for (text, pointer) in [
        ("\"\\ud800\"", ""),
        ("\"\\udc00\"", ""),
        ("\"\\ud800\\ud800\"", ""),
        ("\"\\ud800\\u0041\"", ""),
        ("\"\\ud800x\"", ""),
        ("\"\\uDBFF\\n\"", ""),
        ("[0,\"\\ude00\\ud800\"]", "/1"),
        ("{\"a\":1,\"b\":[\"\\ud800\"]}", "/b/0"),
        // A key that cannot be named: the place is its object.
        ("{\"a\":{\"b\":1,\"\\ud800\":2}}", "/a"),
        ("[[1],{\"\\udfff\":2}]", "/1"),
    ] {
        let error = refused(text);
        assert_eq!(error.fault(), JsonFault::LoneSurrogate, "{text}");
        assert_eq!(error.pointer(), Some(pointer), "{text}");
    }
    assert_eq!(json("\"\\ud83d\\ude00\\uD83D\\uDE00\"").root().as_str().unwrap(), "😀😀");
}

#[test]
fn nesting_stops_at_the_limit() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(Json::parse(nested(DEFAULT_DEPTH)).is_ok());
    let error = refused(&nested(DEFAULT_DEPTH + 1));
    assert_eq!((error.fault(), error.offset()), (JsonFault::Depth, DEFAULT_DEPTH));
    assert_eq!(error.pointer().unwrap().matches("/0").count(), DEFAULT_DEPTH);

    assert!(Json::parse_with_depth("[{}]", 2).is_ok());
    let error = Json::parse_with_depth("{\"a\":[1,{}]}", 2).err().unwrap();
    assert_eq!(error.pointer(), Some("/a/1"));
    assert!(Json::parse_with_depth("1", 0).is_ok());
    assert!(Json::parse_with_depth("{}", 0).is_err());
    // Unclosed, as deep as a message can be: refused at the limit, not at the end.
    assert_eq!(refused(&"[".repeat(1 << 22)).offset(), DEFAULT_DEPTH);
}

#[test]
fn a_text_is_kept_as_it_was_given() {
    let text = " { \"a\" : [ 1.0 , 1e2 , -0 ] ,\n\t\"\\u0062\" : \"x\\/y\" } ";
    let read = json(text);
    assert_eq!(read.text(), text);
    assert_eq!(read.compact(), "{\"a\":[1.0,1e2,-0],\"\\u0062\":\"x\\/y\"}");
    assert_eq!(read.root().raw(), text.trim());
    assert_eq!(read.root().get("a").unwrap().raw(), "[ 1.0 , 1e2 , -0 ]");
    assert_eq!(read.root().get("a").unwrap().compact(), "[1.0,1e2,-0]");
    assert_eq!(read.root().get("b").unwrap().as_str().unwrap(), "x/y");
    let keys: Vec<_> = read.root().entries().map(|entry| entry.raw_key()).collect();
    assert_eq!(keys, ["\"a\"", "\"\\u0062\""]);
}

#[test]
fn white_space_inside_strings_stays() {
    let text = "[ \" a \\\" b \" , \"\\\\\" , \" \" ]";
    assert_eq!(json(text).compact(), "[\" a \\\" b \",\"\\\\\",\" \"]");
}

#[test]
fn a_part_becomes_a_text_of_its_own() {
    for text in [
        "{\"a\":{\"b\":[1,{\"c\":\"\\n\"},[]],\"d\":null},\"e\":1}",
        "{ \"a\" : { \"b\" : [ 1 , { \"c\" : \"\\n\" } , [] ] , \"d\" : null } , \"e\" : 1 }",
    ] {
        let part = json(text).root().get("a").unwrap().to_json();
        assert_eq!(part.text(), "{\"b\":[1,{\"c\":\"\\n\"},[]],\"d\":null}");
        let items: Vec<_> = part.root().get("b").unwrap().items().map(|v| v.raw()).collect();
        assert_eq!(items, ["1", "{\"c\":\"\\n\"}", "[]"]);
        assert!(part.root().get("d").unwrap().is_null());
        assert!(part.root().get_present("d").is_none());
        assert!(part.root().get("e").is_none());
    }
}

#[test]
fn values_that_are_no_container_have_no_members() {
    for text in ["1", "\"a\"", "null", "true"] {
        let read = json(text);
        assert_eq!(read.root().entries().count() + read.root().items().count(), 0);
        assert!(read.root().get("a").is_none());
    }
    assert_eq!(json("[1,2]").root().entries().count(), 0);
    assert_eq!(json("{\"a\":1}").root().items().count(), 0);
}

#[test]
fn escapes_are_resolved() {
    let text = r#""\"\\\/\b\f\n\r\t\u0000\u00e9\u20ac\ud834\udd1e""#;
    assert_eq!(json(text).root().as_str().unwrap(), "\"\\/\u{8}\u{c}\n\r\t\0é€\u{1d11e}");
    assert!(matches!(json("\"plain\"").root().as_str(), Some(std::borrow::Cow::Borrowed("plain"))));
}

/// Nothing that a person typed gets into a log by way of `{:?}`.
#[test]
fn debug_says_kind_and_length_only() {
    let read = json("{\"secret\":\"hunter2\"}");
    for shown in [format!("{read:?}"), format!("{:?}", read.root().get("secret").unwrap())] {
        assert!(!shown.contains("hunter2") && !shown.contains("secret"), "{shown}");
    }
}

#[test]
fn a_built_string_is_the_same_as_a_read_one() {
    for text in ["", "plain", "a\"b\\c\n\u{0}\u{7f}é😀"] {
        let built = Json::string(text);
        assert_eq!(built.root().as_str().unwrap(), text);
        assert_eq!(json(built.text()), built);
    }
}

#[test]
fn pointers_are_escaped() {
    let mut pointer = String::new();
    push_pointer(&mut pointer, "a/b~c");
    push_pointer(&mut pointer, "");
    assert_eq!(pointer, "/a~1b~0c/");
}

#[test]
fn numbers_compare_as_what_they_are() {
    let same = [
        ("1", "1.0"),
        ("1", "10e-1"),
        ("1", "0.1e1"),
        ("100", "1E+2"),
        ("0", "-0"),
        ("0", "0.000e99"),
        ("-1.50", "-15e-1"),
        ("0.001", "1e-3"),
        ("12300", "1.23e4"),
        ("100.5", "1005e-1"),
        ("0.050", "5e-2"),
        ("1e9999999999999999999", "10e9999999999999999999"),
    ];
    for (a, b) in same {
        assert_eq!(Decimal::parse(a).unwrap(), Decimal::parse(b).unwrap(), "{a} {b}");
    }
    let rising = [
        "-1e400",
        "-10",
        "-9.99",
        "-1",
        "-0.1",
        "-1e-400",
        "0",
        "1e-400",
        "0.09",
        "0.1",
        "0.11",
        "1",
        "9007199254740992",
        "9007199254740993",
        "1e16",
        "1e400",
    ];
    for pair in rising.windows(2) {
        assert!(Decimal::parse(pair[0]).unwrap() < Decimal::parse(pair[1]).unwrap(), "{pair:?}");
    }
    for text in ["", "-", "+1", "01", "1.", ".1", "1e", "1e+", " 1", "1 ", "1_0", "0x1", "１"] {
        assert!(Decimal::parse(text).is_none(), "{text}");
    }
}

#[test]
fn numbers_say_whether_they_are_integers_and_fit() {
    for (text, integer, fits) in [
        ("5", true, Some(5)),
        ("5.0", true, Some(5)),
        ("50e-1", true, Some(5)),
        ("5.5", false, None),
        ("1e-1", false, None),
        ("-0.0", true, Some(0)),
        ("9223372036854775807", true, Some(i64::MAX)),
        ("-9223372036854775808", true, Some(i64::MIN)),
        ("9223372036854775808", true, None),
        ("1e18", true, Some(1_000_000_000_000_000_000)),
        ("1e400", true, None),
    ] {
        let number = Decimal::parse(text).unwrap();
        assert_eq!((number.is_integer(), number.to_i64()), (integer, fits), "{text}");
    }
    assert!(!Decimal::parse("1e309").unwrap().fits_f64());
    assert!(Decimal::parse("1.7976931348623157e308").unwrap().fits_f64());
    assert!(Decimal::parse("1e-99999").unwrap().fits_f64());
}

#[cfg(feature = "serde")]
#[test]
fn serde_goes_in_and_out() {
    #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
    struct Pair {
        name: String,
        count: u64,
    }
    let pair = Pair { name: "a\"b".to_owned(), count: u64::MAX };
    let text = Json::from_serialize(&pair).unwrap();
    assert_eq!(text.text(), "{\"name\":\"a\\\"b\",\"count\":18446744073709551615}");
    assert_eq!(text.deserialize::<Pair>().unwrap(), pair);
    let keyed = std::collections::BTreeMap::from([(vec![1], 1)]);
    assert_eq!(Json::from_serialize(&keyed).err().unwrap().fault(), JsonFault::Unprintable);
}

/// A text of JSON, with white space and escapes where they may stand.
fn any_text() -> impl Strategy<Value = String> {
    let space = prop_oneof![8 => Just(""), 1 => Just(" "), 1 => Just("\n\t\r ")];
    let piece = prop_oneof![
        4 => any::<char>().prop_map(|c| {
            let mut quoted = String::new();
            quote_into(&mut quoted, c.encode_utf8(&mut [0; 4]));
            quoted[1..quoted.len() - 1].to_owned()
        }),
        2 => "[a-z ]{1,12}",
        1 => any::<u16>().prop_map(|unit| format!("\\u{unit:04x}")),
        1 => Just("\\ud83d\\ude00".to_owned()),
        1 => Just("\\/".to_owned()),
    ];
    let string = prop::collection::vec(piece, 0..4).prop_map(|all| format!("\"{}\"", all.concat()));
    let key = prop_oneof![3 => string.clone(), 1 => Just("\"a\"".to_owned()), 1 => Just("\"\\u0061\"".to_owned())];
    let number = prop_oneof![
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,5})?",
        any::<f64>().prop_filter("no number", |f| f.is_finite()).prop_map(|f| f.to_string()),
    ];
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("false".to_owned()),
        number,
        string,
    ];
    leaf.prop_recursive(6, 64, 20, move |inner| {
        let item = (space.clone(), inner, space.clone()).prop_map(|(a, v, b)| format!("{a}{v}{b}"));
        let member = (space.clone(), key.clone(), space.clone(), item.clone())
            .prop_map(|(a, key, b, value)| format!("{a}{key}{b}:{value}"));
        prop_oneof![
            prop::collection::vec(item, 0..16).prop_map(|all| format!("[{}]", all.join(","))),
            prop::collection::vec(member, 0..16).prop_map(|all| format!("{{{}}}", all.join(","))),
        ]
    })
}

proptest! {
    #[test]
    fn reads_what_another_reader_reads(text in any_text()) {
        json_oracle::compare(text.as_bytes());
    }

    /// One byte changed, taken out or put in.
    #[test]
    fn refuses_what_another_reader_refuses(
        text in any_text(),
        place in any::<prop::sample::Index>(),
        byte in prop_oneof![any::<u8>(), prop::sample::select(b"{}[]\",:\\0-+.eEu \n".to_vec())],
        change in 0..3u8,
    ) {
        let mut bytes = text.into_bytes();
        let at = place.index(bytes.len());
        match change {
            0 => bytes[at] = byte,
            1 => bytes.insert(at, byte),
            _ => { bytes.remove(at); }
        }
        json_oracle::compare(&bytes);
    }

    #[test]
    fn what_is_quoted_is_read_back(text in any::<String>()) {
        let mut quoted = String::new();
        quote_into(&mut quoted, &text);
        let read = json(&quoted);
        prop_assert_eq!(read.root().as_str().unwrap(), text.as_str());
        prop_assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), text);
    }

    /// Long runs of plain text, and what ends them, at every place in a word.
    #[test]
    fn strings_end_where_they_end(before in "[ -!#-~é]{0,40}", stop in "[\"\\\\\u{0}-\u{1f}]", after in ".{0,20}") {
        json_oracle::compare(format!("\"{before}{stop}{after}\"").as_bytes());
        json_oracle::compare(format!("[\"{before}\\u00e9\",\"{after}\"]").as_bytes());
    }

    /// Exact decimals order doubles as doubles do.
    #[test]
    fn decimals_order_as_numbers_do(a in any::<f64>(), b in any::<f64>()) {
        prop_assume!(a.is_finite() && b.is_finite());
        let (x, y) = (format!("{a:e}"), b.to_string());
        let (x, y) = (Decimal::parse(&x).unwrap(), Decimal::parse(&y).unwrap());
        prop_assert_eq!(Some(x.cmp(&y)), a.partial_cmp(&b));
        prop_assert_eq!(x.to_f64(), a);
    }

    #[test]
    fn decimals_hold_every_integer(n in any::<i64>(), zeros in 0..5usize) {
        let (whole, text) = (n.to_string(), format!("{n}.{}", "0".repeat(zeros + 1)));
        prop_assert_eq!(Decimal::parse(&text).unwrap().to_i64(), Some(n));
        prop_assert_eq!(Decimal::parse(&whole).unwrap(), Decimal::parse(&text).unwrap());
    }
}

#[test]
fn types_have_the_names_of_json_schema() {
    let read = json("[null,true,1,\"\",[],{}]");
    let names: Vec<_> = read.root().items().map(|value| value.json_type().name()).collect();
    assert_eq!(names, ["null", "boolean", "number", "string", "array", "object"]);
    assert_eq!(read.root().json_type(), JsonType::Array);
}
