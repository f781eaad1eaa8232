//! Answers that outlive a round: what is kept of those that are refused, and what counts of those
//! that were taken.

use mcp_elicit::{AskOptions, Caller, Engine, Error, Form, Json, Policy, Principal, Reply, Stop};

const FORM: &str = r#"{"type":"object","required":["name"],"properties":{
    "name":{"type":"string","maxLength":10},"note":{"type":"string"}}}"#;

fn engine() -> Engine {
    Engine::builder().ephemeral().audience("answers").build().unwrap()
}

fn request(rest: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"greet",{rest}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{}}}}}}}}}}"#
    )
}

fn round(
    engine: &Engine,
    before: Option<&Reply>,
    rest: &str,
    handler: impl FnOnce(&mut mcp_elicit::Call) -> Result<Json, Stop>,
) -> Reply {
    let state = before.map_or(String::new(), |reply| {
        let body: serde_json::Value = serde_json::from_str(reply.body()).unwrap();
        format!(r#""requestState":{},"#, body["result"]["requestState"])
    });
    let caller = Caller::new(Principal::single_user());
    engine.run(request(&format!("{rest}{state}")), &caller, handler).unwrap()
}

/// client/elicitation, "Form Mode Security" 3: whoever answered too long can mend it, however long
/// it was; what was good of it is filled in.
#[test]
fn an_answer_that_is_too_long_to_keep_is_asked_again() {
    let (engine, form) = (engine(), Form::parse(FORM).unwrap());
    let ask = |call: &mut mcp_elicit::Call| -> Result<Json, Stop> {
        let answer = call.elicit_form("who", "Who?", &form)?;
        Ok(answer
            .outcome()?
            .content()
            .cloned()
            .ok_or_else(|| Error::application(1, "none", None))?)
    };
    let first = round(&engine, None, "", ask);
    for (length, kept) in [(11, 2), (20_000, 1), (3_000_000, 1)] {
        let responses = format!(
            r#""inputResponses":{{"who":{{"action":"accept","content":{{"name":"{}","note":"kind"}}}}}},"#,
            "x".repeat(length)
        );
        let again = round(&engine, Some(&first), &responses, ask);
        assert_eq!(again.kind().name(), "input_required", "{length}");
        assert!(again.body().contains(r#""default":"kind""#), "{length}");
        assert!(again.body().len() < 4_000 || kept == 2, "{length}: {}", again.body().len());
    }
    let much = format!(
        r#""inputResponses":{{"who":{{"action":"accept","content":{{"name":"{}","note":"{}"}}}}}},"#,
        "x".repeat(60_000),
        "y".repeat(60_000)
    );
    let again = round(&engine, Some(&first), &much, ask);
    assert_eq!(again.kind().name(), "input_required");
    assert!(again.body().len() < 4_000, "{}", again.body().len());
}

/// What an argument or a default settled is no answer of the user's: a question that demands one is
/// asked, also where it was settled before.
#[test]
fn human_only_takes_nothing_that_was_settled_without_the_user() {
    let (engine, form) = (engine(), Form::parse(FORM).unwrap());
    let wait = Form::parse(r#"{"type":"object","properties":{}}"#).unwrap();
    let given = AskOptions::new().arguments(["name"]).unavailable(Policy::Error);
    let arguments = r#""arguments":{"name":"Ann"},"#;
    let first = round(&engine, None, arguments, |call| {
        let who = call.elicit_form_with("who", "Who?", &form, &given)?;
        assert!(who.outcome()?.is_accept());
        call.elicit_form("wait", "Go on?", &wait)?.outcome()?;
        Err(Stop::Suspend)
    });
    let human = AskOptions::new().human_only(true);
    let second = round(&engine, Some(&first), arguments, |call| {
        call.elicit_form_with("who", "Who?", &form, &human)?.outcome()?;
        Err(Stop::Suspend)
    });
    assert!(second.body().contains(r#""who":{"method":"elicitation/create""#), "{}", second.body());
    let answer = r#""inputResponses":{"who":{"action":"accept","content":{"name":"Bea"}}},"#;
    round(&engine, Some(&second), &format!("{arguments}{answer}"), |call| {
        let who = call.elicit_form_with("who", "Who?", &form, &human)?;
        assert_eq!(who.outcome()?.source().unwrap().name(), "user");
        Err(Stop::RetryLater)
    });
}
