//! A check of the application's own beside the form: what the type behind a form refuses.
// The helpers below are tests, too.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use mcp_elicit::schema::Messages;
use mcp_elicit::testing::{Flow, Host, accept};
use mcp_elicit::{
    AskOptions, Call, Engine, Error, ErrorKind, Fault, Form, Json, Policy, Result, Stop,
};

const STAY: &str = r#"{"type":"object","properties":{
    "from":{"type":"string","title":"First day","format":"date"},
    "to":{"type":"string","format":"date"},
    "guests":{"type":"integer","default":2}},
    "required":["from","to"]}"#;

/// Refuses a stay that ends before it begins, and one of 13 guests.
fn check(stay: &Json) -> Result<Vec<Fault>> {
    let text = |name| stay.root().get(name).and_then(|value| value.as_str()).unwrap_or_default();
    let mut faults = Vec::new();
    if text("to") < text("from") {
        faults.push(Fault::check("", "The last day is before the first."));
    }
    if stay.root().get("guests").is_some_and(|guests| guests.raw() == "13") {
        faults.push(Fault::check("/guests", "thirteen bring bad luck"));
    }
    Ok(faults)
}

fn engine() -> Engine {
    Engine::builder().ephemeral().audience("inn").build().unwrap()
}

/// What the handler saw, as the text of its result.
fn report(ask: &mcp_elicit::Ask) -> Result<Json, Stop> {
    let outcome = ask.outcome()?;
    let content = outcome.content().map_or("", Json::text);
    let faults: Vec<String> =
        outcome.faults().iter().map(|fault| format!("{} {}", fault.path, fault.rule)).collect();
    let source = outcome.source().map_or("", |source| source.name());
    let words = format!("{} {source} {content} {}", outcome.action().name(), faults.join(","));
    let block = format!(r#"{{"type":"text","text":{}}}"#, Json::string(words.trim()).text());
    Ok(Json::parse(format!(r#"{{"content":[{block}]}}"#))?)
}

fn book(options: AskOptions) -> impl Fn(&mut Call) -> Result<Json, Stop> + Send + Sync + 'static {
    let form = Form::parse(STAY).unwrap();
    move |call| report(&call.elicit_form_checked("stay", "When?", &form, &options, &check)?)
}

fn message(flow: &Flow, at: usize) -> String {
    flow.questions()[at].message().unwrap().to_owned()
}

fn shown(flow: &Flow, at: usize) -> String {
    flow.questions()[at].schema().unwrap().compact()
}

/// client/elicitation, "Form Mode Security": servers should validate received data. What the type
/// refuses is asked again, with the reason, like what the form refuses.
#[test]
fn what_the_check_refuses_is_asked_again_with_its_reason() {
    let engine = engine();
    let flow = Host::new(&engine, book(AskOptions::new()))
        .answer("stay", accept(r#"{"from":"2026-07-02","to":"2026-07-01","guests":13}"#))
        .answer("stay", accept(r#"{"from":"2026-07-02","to":"2026-07-03","guests":13}"#))
        .answer("stay", accept(r#"{"from":"2026-07-02","to":"x"}"#))
        .answer("stay", accept(r#"{"from":"2026-07-02","to":"2026-07-03"}"#))
        .call("book", "{}");
    assert_eq!(flow.text().unwrap(), r#"accept user {"from":"2026-07-02","to":"2026-07-03"}"#);
    assert_eq!(flow.questions().len(), 4);
    assert_eq!(
        message(&flow, 1),
        "When?\n\nPlease correct:\n- The last day is before the first.\n\
         - guests: thirteen bring bad luck"
    );
    // Good values are filled in for review, the refused one is not.
    assert!(
        shown(&flow, 1)
            .contains(r#""to":{"type":"string","format":"date","default":"2026-07-01"}"#)
    );
    assert!(shown(&flow, 1).contains(r#""guests":{"type":"integer","default":2}"#));
    // The check sees nothing that the form refuses.
    assert!(message(&flow, 3).ends_with("such as 2026-07-28."), "{}", message(&flow, 3));
}

/// The message of a question that is asked again because of what a check said.
fn asked_again(said: Vec<Fault>) -> String {
    let form = Form::parse(STAY).unwrap();
    let look = move |_: &Json| Ok(said.clone());
    let handler = move |call: &mut Call| {
        report(&call.elicit_form_checked("stay", "When?", &form, &AskOptions::new(), &look)?)
    };
    let flow = Host::new(&engine(), handler)
        .answer("stay", accept(r#"{"from":"2026-07-02","to":"2026-07-03"}"#))
        .call("book", "{}");
    message(&flow, 1)
}

/// Texts of a check come from libraries and repeat what was answered: a person is shown so much of
/// one as is read, whoever made the fault.
#[test]
fn a_reason_is_shown_up_to_a_length() {
    let shown = format!("When?\n\nPlease correct:\n- {}…", "é".repeat(500));
    let long = "é".repeat(200_000);
    let by_hand = Fault { message: long.clone(), ..Fault::check("", "") };
    for fault in [Fault::check("", long), by_hand] {
        assert_eq!(asked_again(vec![fault]), shown);
    }
    let whole = "é".repeat(500);
    assert!(asked_again(vec![Fault::check("", &whole)]).ends_with(&format!("- {whole}")));
}

#[test]
fn a_reason_holds_no_control_characters_but_newlines() {
    let said = asked_again(vec![Fault::check("", "one\r\n\u{1b}[31mtwo\tthree\0\u{85}\u{7f}four")]);
    assert_eq!(said, "When?\n\nPlease correct:\n- one \n [31mtwo three   four");
}

/// However many reasons there are, together they are no longer than a message may be.
#[test]
fn many_long_reasons_end_with_an_ellipsis() {
    let many = (0..200).map(|_| Fault::check("", "x".repeat(500))).collect();
    let said = asked_again(many);
    assert!(said.ends_with("x\n- …"), "{}", &said[said.len() - 20..]);
    assert!((16_000..17_000).contains(&said.len()), "{}", said.len());
}

#[test]
fn after_the_last_time_the_outcome_is_invalid_and_stays_so() {
    let engine = engine();
    let form = Form::parse(STAY).unwrap();
    let handler = move |call: &mut Call| {
        let options = AskOptions::new();
        let stay = call.elicit_form_checked("stay", "When?", &form, &options, &check)?;
        let (path, rule) = match stay.outcome()?.faults() {
            [fault] => (fault.path.clone(), fault.rule),
            other => panic!("{other:?}"),
        };
        assert_eq!((path.as_str(), rule), ("", "check"));
        let sure = call.elicit_form("sure", "Really?", &Form::parse(STAY)?)?;
        sure.outcome()?;
        report(&stay)
    };
    let flow = Host::new(&engine, handler)
        .answer("stay", accept(r#"{"from":"2026-07-02","to":"2026-07-01"}"#))
        .answer("sure", accept(r#"{"from":"2026-07-02","to":"2026-07-01"}"#))
        .call("book", "{}");
    assert_eq!(flow.text().unwrap(), "invalid    check");
}

/// What was accepted is judged again in each round, since the world that a check looks at moves.
#[test]
fn what_the_check_refuses_later_is_asked_again() {
    let engine = engine();
    let form = Form::parse(STAY).unwrap();
    let full = Arc::new(AtomicBool::new(false));
    let checks = Arc::new(AtomicU32::new(0));
    let (is_full, counted) = (full.clone(), checks.clone());
    let handler = move |call: &mut Call| {
        let look = |_: &Json| {
            counted.fetch_add(1, Ordering::Relaxed);
            let refuse = is_full.swap(false, Ordering::Relaxed);
            Ok(refuse.then(|| Fault::check("/from", "no room is free")).into_iter().collect())
        };
        let options = AskOptions::new();
        let stay = call.elicit_form_checked("stay", "When?", &form, &options, &look)?;
        stay.outcome()?;
        is_full.store(call.round() == 2, Ordering::Relaxed);
        call.elicit_form("sure", "Really?", &form)?.outcome()?;
        report(&stay)
    };
    let stay = r#"{"from":"2026-07-02","to":"2026-07-03"}"#;
    let flow = Host::new(&engine, handler)
        .answer("stay", accept(stay))
        .answer("stay", accept(r#"{"from":"2026-07-02","to":"2026-07-04"}"#))
        .answer("sure", accept(stay))
        .call("book", "{}");
    assert_eq!(flow.text().unwrap(), r#"accept user {"from":"2026-07-02","to":"2026-07-04"}"#);
    let keys: Vec<&str> = flow.questions().iter().map(|question| question.key()).collect();
    assert_eq!(keys, ["stay", "sure", "stay"]);
    assert!(message(&flow, 2).ends_with("- First day: no room is free"), "{}", message(&flow, 2));
    assert!(checks.load(Ordering::Relaxed) >= 3);
}

/// What the model gave and the check refuses is not what the person can be held to.
#[test]
fn arguments_that_the_check_refuses_count_as_not_given() {
    let engine = engine();
    let arguments = || AskOptions::new().arguments(["from", "to"]);
    let wrong = r#"{"from":"2026-07-02","to":"2026-07-01"}"#;
    let good = r#"{"from":"2026-07-02","to":"2026-07-03"}"#;
    let mut host = Host::new(&engine, book(arguments())).answer("stay", accept(good));

    let taken = host.call("book", good);
    assert_eq!(taken.text().unwrap(), format!("accept argument {good}"));
    let asked = host.call("book", wrong);
    assert_eq!(asked.text().unwrap(), format!("accept user {good}"));
    assert!(shown(&asked, 0).contains("\"from\""), "{}", shown(&asked, 0));

    // One that is good alone and wrong with the person's is open to the person after that.
    let mut host = Host::new(&engine, book(arguments()))
        .answer("stay", accept(r#"{"to":"2026-07-01"}"#))
        .answer("stay", accept(good));
    let flow = host.call("book", r#"{"from":"2026-07-20"}"#);
    assert!(!shown(&flow, 0).contains("\"from\""), "{}", shown(&flow, 0));
    assert!(shown(&flow, 1).contains(r#""default":"2026-07-20""#), "{}", shown(&flow, 1));
    assert_eq!(flow.text().unwrap(), format!("accept user {good}"));
}

#[test]
fn a_re_ask_of_the_invalid_alone_shows_all_where_the_whole_is_refused() {
    let engine = engine();
    let flow = Host::new(&engine, book(AskOptions::new().reask_invalid_only(true)))
        .answer("stay", accept(r#"{"from":"2026-07-02","to":"2026-07-03","guests":13}"#))
        .answer("stay", accept(r#"{"guests":1}"#))
        .call("book", "{}");
    assert_eq!(
        shown(&flow, 1),
        r#"{"type":"object","properties":{"guests":{"type":"integer","default":2}},"required":[]}"#
    );
    assert!(flow.text().unwrap().contains("\"guests\":1"), "{}", flow.text().unwrap());

    let flow = Host::new(&engine, book(AskOptions::new().reask_invalid_only(true)))
        .answer("stay", accept(r#"{"from":"2026-07-02","to":"2026-07-01"}"#))
        .answer("stay", accept(r#"{"from":"2026-07-02","to":"2026-07-03"}"#))
        .call("book", "{}");
    assert!(shown(&flow, 1).contains("\"from\"") && shown(&flow, 1).contains("\"to\""));
    assert!(flow.is_complete());
}

#[test]
fn defaults_that_the_check_refuses_are_no_answer() {
    let engine = engine();
    let form =
        Form::parse(r#"{"type":"object","properties":{"guests":{"type":"integer","default":13}}}"#)
            .unwrap();
    let ask = |check: fn(&Json) -> Result<Vec<Fault>>| {
        let form = form.clone();
        let handler = move |call: &mut Call| {
            let options = AskOptions::new().unavailable(Policy::Defaults);
            report(&call.elicit_form_checked("stay", "?", &form, &options, &check)?)
        };
        Host::new(&engine, handler).capabilities("{}").call("book", "{}")
    };
    assert_eq!(ask(|_| Ok(Vec::new())).text().unwrap(), r#"accept default {"guests":13}"#);
    assert_eq!(ask(check).error().map(|error| error.code()), Some(-32021));
}

#[test]
fn an_error_of_the_check_ends_the_ask_and_records_nothing() {
    let engine = engine();
    let form = Form::parse(STAY).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kinds = seen.clone();
    let handler = move |call: &mut Call| {
        let options = AskOptions::new();
        let broken = |_: &Json| Err(Error::new(ErrorKind::Internal, "the table is gone"));
        if let Err(error) = call.elicit_form_checked("stay", "When?", &form, &options, &broken) {
            kinds.lock().unwrap().push(error.kind());
        }
        // The answer is there yet, and judged by another check.
        report(&call.elicit_form_checked("stay", "When?", &form, &options, &check)?)
    };
    let flow = Host::new(&engine, handler)
        .answer("stay", accept(r#"{"from":"2026-07-02","to":"2026-07-03"}"#))
        .call("book", "{}");
    assert!(flow.text().unwrap().starts_with("accept user"));
    assert_eq!(*seen.lock().unwrap(), [ErrorKind::Internal]);
}

/// The words are the catalogue's, and the check sees the answer as the type behind the form does.
#[test]
fn the_check_sees_what_the_type_reads_and_is_worded_by_the_catalogue() {
    let form = Form::normalize(
        r#"{"type":"object","properties":{
            "nick":{"anyOf":[{"type":"string"},{"type":"null"}],"title":"Nick"}},
            "required":["nick"]}"#,
    )
    .unwrap();
    let said = |path: &'static str, messages: Messages| {
        let options = mcp_elicit::schema::ValidateOptions::new().messages(messages);
        let check = |content: &Json| {
            assert_eq!(content.text(), r#"{"nick":null}"#);
            Ok(vec![Fault::check(path, "it {field} is taken")])
        };
        let empty = Json::parse("{}").unwrap();
        let faults = form.validate_checked(empty.root(), &options, &check).unwrap().unwrap_err();
        (faults[0].path.clone(), faults[0].message.clone())
    };
    assert_eq!(said("/nick/0", Messages::new()).1, "Nick: it {field} is taken");
    assert_eq!(said("", Messages::new()), (String::new(), "it {field} is taken".to_owned()));
    assert_eq!(said("/other", Messages::new()).1, "it {field} is taken");
    let own = Messages::new().replace("check.field", "{field} ({limit})").unwrap();
    assert_eq!(said("/nick", own).1, "Nick (it {field} is taken)");
}
