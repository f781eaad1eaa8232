/*
 * What the ABI does with calls: rounds, outcomes, replies, errors, the log. That the protocol is
 * kept is for the vectors; here it is what C sees of it. The ways to ask are in test_asks.c.
 */
#include "rounds.h"

/* "While the question is open its accessors return MCP_ELICIT_PENDING": no error, no results. */
static void open_questions_are_pending(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *engine = world_engine(&world);
    mcp_elicit_caller *caller = alice();
    mcp_elicit_call *call = opened(engine, REQUEST("1", BOTH, ",\"arguments\":{ \"app\" : 1 }"), caller);
    mcp_elicit_caller_free(caller); /* "a caller after opening" */
    mcp_elicit_engine_free(engine); /* "free an engine while its calls go on" */

    size_t len = 0;
    CHECK_TEXT(mcp_elicit_call_method(call), "tools/call");
    CHECK_TEXT(mcp_elicit_call_target(call, &len), "deploy");
    CHECK_NUMBER(len, 6);
    const char *sent = mcp_elicit_call_arguments(call, &len);
    char *arguments = compact(sent, len);
    CHECK_TEXT(arguments, "{\"app\":1}");
    free(arguments);
    CHECK_NUMBER(strlen(mcp_elicit_call_flow_id(call)), 22);
    CHECK_NUMBER(mcp_elicit_call_round(call), 1);
    CHECK(mcp_elicit_call_client_info(call, &len) == NULL);
    CHECK_TEXT(mcp_elicit_call_client_capabilities(call, &len), BOTH);
    CHECK(mcp_elicit_call_can_elicit(call, MCP_ELICIT_MODE_FORM));
    CHECK(mcp_elicit_call_can_elicit(call, MCP_ELICIT_MODE_URL));
    CHECK(!mcp_elicit_call_can_elicit(call, 0));
    CHECK(!mcp_elicit_call_can_elicit(call, 3));
    CHECK(!mcp_elicit_call_is_pending(call));

    const mcp_elicit_outcome *target = asked(call, "target", SCHEMA);
    CHECK(mcp_elicit_call_is_pending(call));
    CHECK(mcp_elicit_outcome_is_pending(target));
    mcp_elicit_error *err = (mcp_elicit_error *)&err;
    mcp_elicit_action action = MCP_ELICIT_ACTION_ACCEPT;
    mcp_elicit_source source = MCP_ELICIT_SOURCE_USER;
    const char *text = "untouched";
    size_t count = 7;
    len = 7;
    CHECK_NUMBER(mcp_elicit_outcome_action(target, &action, &err), MCP_ELICIT_PENDING);
    CHECK(err == NULL);
    CHECK_NUMBER(action, MCP_ELICIT_ACTION_NONE);
    CHECK_NUMBER(mcp_elicit_outcome_source(target, &source, NULL), MCP_ELICIT_PENDING);
    CHECK_NUMBER(source, MCP_ELICIT_SOURCE_NONE);
    CHECK_NUMBER(mcp_elicit_outcome_content(target, &text, &len, NULL), MCP_ELICIT_PENDING);
    CHECK(text == NULL && len == 0);
    text = "untouched", len = 7;
    CHECK_NUMBER(mcp_elicit_outcome_faults(target, &text, &len, NULL), MCP_ELICIT_PENDING);
    CHECK(text == NULL && len == 0);
    CHECK_NUMBER(mcp_elicit_outcome_fault_count(target, &count, NULL), MCP_ELICIT_PENDING);
    CHECK_NUMBER(count, 0);
    CHECK(mcp_elicit_outcome_fault(target, 0) == NULL);

    /* It cannot finish by accident. */
    mcp_elicit_reply *reply = (mcp_elicit_reply *)&reply;
    CHECK_NUMBER(mcp_elicit_call_complete(call, TEXT_RESULT, NUL, &reply, &err), MCP_ELICIT_QUESTION_OPEN);
    CHECK(reply == NULL);
    mcp_elicit_error_free(err);

    CHECK_NUMBER(mcp_elicit_call_suspend(call, &reply, &err), MCP_ELICIT_OK);
    const char *body = mcp_elicit_reply_body(reply, &len);
    CHECK_NUMBER(strlen(body), len);
    CHECK(strchr(body, '\n') == NULL);
    CHECK_NUMBER(mcp_elicit_reply_http_status(reply), 200);
    CHECK_NUMBER(mcp_elicit_reply_kind(reply), MCP_ELICIT_REPLY_INPUT_REQUIRED);
    CHECK(mcp_elicit_reply_header_count(reply) >= 1);
    bool json = false;
    for (size_t at = 0; at < mcp_elicit_reply_header_count(reply); at++)
        json |= strcmp(mcp_elicit_reply_header_name(reply, at), "content-type") == 0 &&
                strcmp(mcp_elicit_reply_header_value(reply, at), "application/json") == 0;
    CHECK(json);
    CHECK(mcp_elicit_reply_header_name(reply, 99) == NULL);
    CHECK(mcp_elicit_reply_header_value(reply, 99) == NULL);

    /* "A call is finished once." */
    mcp_elicit_reply *second = NULL;
    CHECK_NUMBER(mcp_elicit_call_suspend(call, &second, NULL), MCP_ELICIT_FINISHED);
    CHECK_NUMBER(mcp_elicit_call_fail(call, 1, "m", NUL, NULL, 0, &second, NULL), MCP_ELICIT_FINISHED);
    CHECK(second == NULL);
    mcp_elicit_call_free(call);
    CHECK(mcp_elicit_reply_body(reply, NULL) == body); /* a reply outlives its call */
    mcp_elicit_reply_free(reply);
    CHECK_NUMBER(world.destroyed, 3);
}

/* Round by round to the end; outcomes stay where they are while more is asked. */
static void answers_arrive(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *engine = world_engine(&world);
    mcp_elicit_caller *caller = alice();
    mcp_elicit_call *call = opened(engine, REQUEST("1", BOTH, ""), caller);
    char *flow = strdup(mcp_elicit_call_flow_id(call));
    const mcp_elicit_outcome *outcomes[40];
    char key[8];
    for (int at = 0; at < 40; at++) {
        snprintf(key, sizeof key, "q%d", at);
        outcomes[at] = asked(call, key, SCHEMA);
    }
    CHECK(asked(call, "q0", SCHEMA) != outcomes[0] || true);
    for (int at = 0; at < 40; at++)
        CHECK(mcp_elicit_outcome_is_pending(outcomes[at]));
    char *state = suspended(call);
    char *request = retry(state, "{\"q0\":{\"action\":\"accept\",\"content\":{\"environment\":\"prod\"}},"
                                 "\"q1\":{\"action\":\"decline\"},\"q2\":{\"action\":\"cancel\"}}");
    call = opened(engine, request, caller);
    CHECK_NUMBER(mcp_elicit_call_round(call), 2);
    CHECK_TEXT(mcp_elicit_call_flow_id(call), flow);
    for (int at = 0; at < 40; at++) {
        snprintf(key, sizeof key, "q%d", at);
        outcomes[at] = asked(call, key, SCHEMA);
    }
    CHECK_NUMBER(action_of(outcomes[0]), MCP_ELICIT_ACTION_ACCEPT);
    CHECK_NUMBER(action_of(outcomes[1]), MCP_ELICIT_ACTION_DECLINE);
    CHECK_NUMBER(action_of(outcomes[2]), MCP_ELICIT_ACTION_CANCEL);
    CHECK(mcp_elicit_outcome_is_pending(outcomes[3]));
    const char *content = NULL;
    size_t len = 0;
    mcp_elicit_source source = MCP_ELICIT_SOURCE_NONE;
    CHECK_NUMBER(mcp_elicit_outcome_content(outcomes[0], &content, &len, NULL), MCP_ELICIT_OK);
    CHECK_TEXT(content, "{\"environment\":\"prod\"}");
    CHECK_NUMBER(len, strlen("{\"environment\":\"prod\"}"));
    CHECK_NUMBER(mcp_elicit_outcome_source(outcomes[0], &source, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(source, MCP_ELICIT_SOURCE_USER);
    CHECK_NUMBER(mcp_elicit_outcome_content(outcomes[1], &content, &len, NULL), MCP_ELICIT_OK);
    CHECK(content == NULL && len == 0);
    CHECK_NUMBER(mcp_elicit_outcome_source(outcomes[1], &source, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(source, MCP_ELICIT_SOURCE_NONE);
    mcp_elicit_call_free(call); /* a call need not be finished */
    free(request);
    free(state);
    free(flow);

    /* A flow of one question, to its end. */
    call = opened(engine, REQUEST("1", BOTH, ""), caller);
    asked(call, "target", SCHEMA);
    state = suspended(call);
    request = retry(state, "{\"target\":{\"action\":\"accept\",\"content\":{\"environment\":\"dev\"}}}");
    call = opened(engine, request, caller);
    CHECK_NUMBER(action_of(asked(call, "target", SCHEMA)), MCP_ELICIT_ACTION_ACCEPT);
    mcp_elicit_reply *reply = NULL;
    CHECK_NUMBER(mcp_elicit_call_complete(call, "[]", NUL, &reply, NULL), MCP_ELICIT_INVALID_RESULT);
    CHECK_NUMBER(mcp_elicit_call_complete(call, "{\"a\":1,\"a\":2}", NUL, &reply, NULL),
                 MCP_ELICIT_INVALID_RESULT);
    CHECK_NUMBER(mcp_elicit_call_complete(call, TEXT_RESULT, NUL, &reply, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_reply_kind(reply), MCP_ELICIT_REPLY_COMPLETE);
    CHECK_NUMBER(mcp_elicit_reply_error(reply), MCP_ELICIT_OK);
    CHECK_TEXT(mcp_elicit_reply_body(reply, NULL),
               "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"complete\","
               "\"content\":[{\"type\":\"text\",\"text\":\"Deployed.\"}]}}");
    mcp_elicit_reply_free(reply);
    mcp_elicit_call_free(call);

    /* The same state by somebody else: one text for the peer, the cause for the log. */
    mcp_elicit_caller *nobody = mcp_elicit_caller_new_none();
    mcp_elicit_error *err = NULL;
    world.log[0] = '\0';
    CHECK_NUMBER(mcp_elicit_engine_open(engine, request, NUL, nobody, &call, &err), MCP_ELICIT_INVALID_STATE);
    CHECK(call == NULL);
    CHECK_TEXT(mcp_elicit_error_data(err, &len), "{\"reason\":\"invalid_request_state\"}");
    CHECK_NUMBER(len, strlen("{\"reason\":\"invalid_request_state\"}"));
    CHECK_NUMBER(mcp_elicit_error_code(err), -32602);
    CHECK(mcp_elicit_error_is_for_peer(err));
    reply = mcp_elicit_error_reply(err);
    mcp_elicit_error_free(err);
    CHECK_NUMBER(mcp_elicit_reply_kind(reply), MCP_ELICIT_REPLY_ERROR);
    CHECK_TEXT(mcp_elicit_reply_body(reply, NULL),
               "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32602,\"message\":"
               "\"Invalid or expired requestState\",\"data\":{\"reason\":\"invalid_request_state\"}}}");
    mcp_elicit_reply_free(reply);
    CHECK_TEXT(world.log, "state_refused/other_principal ");
    mcp_elicit_caller_free(nobody);

    free(request);
    free(state);
    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_free(engine);
}

/* The last invalid answer: the faults say what was wrong. */
static void invalid_answers_have_faults(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *engine = NULL;
    mcp_elicit_engine_config *config = world_config(&world);
    CHECK(!mcp_elicit_engine_config_set_reasks(config, 0, NULL));
    CHECK(!mcp_elicit_engine_new(config, &engine, NULL));
    mcp_elicit_engine_config_free(config);
    mcp_elicit_caller *caller = alice();
    mcp_elicit_call *call = opened(engine, REQUEST("1", BOTH, ""), caller);
    asked(call, "target", SCHEMA);
    char *state = suspended(call);
    char *request = retry(state, "{\"target\":{\"action\":\"accept\",\"content\":{\"environment\":\"moon\"}}}");
    call = opened(engine, request, caller);
    const mcp_elicit_outcome *target = asked(call, "target", SCHEMA);
    CHECK_NUMBER(action_of(target), MCP_ELICIT_ACTION_INVALID);
    size_t count = 0, len = 0;
    const char *faults = NULL;
    CHECK_NUMBER(mcp_elicit_outcome_fault_count(target, &count, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(count, 1);
    const mcp_elicit_fault *fault = mcp_elicit_outcome_fault(target, 0);
    CHECK_TEXT(mcp_elicit_fault_path(fault, &len), "/environment");
    CHECK_TEXT(mcp_elicit_fault_rule(fault), "enum");
    CHECK(mcp_elicit_outcome_fault(target, 1) == NULL);
    CHECK_NUMBER(mcp_elicit_outcome_faults(target, &faults, &len, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(strlen(faults), len);
    CHECK(strncmp(faults, "[{\"path\":\"/environment\",\"rule\":\"enum\",\"message\":\"", 48) == 0);
    mcp_elicit_call_free(call);
    free(request);
    free(state);
    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_free(engine);
}

/* State that its holder may read. */
static void signed_state(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *engine = NULL;
    mcp_elicit_engine_config *config = world_config(&world);
    mcp_elicit_caller *caller = alice();
    CHECK_NUMBER(mcp_elicit_engine_config_set_state_format(config, 3, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_engine_config_set_state_format(config, MCP_ELICIT_STATE_SIGNED, NULL), MCP_ELICIT_OK);
    CHECK(!mcp_elicit_engine_new(config, &engine, NULL));
    mcp_elicit_call *call = opened(engine, REQUEST("1", BOTH, ""), caller);
    asked(call, "target", SCHEMA);
    char *state = suspended(call);
    CHECK(strncmp(state, "ms1.", 4) == 0);
    mcp_elicit_engine_free(engine);

    CHECK_NUMBER(mcp_elicit_engine_config_set_state_format(config, MCP_ELICIT_STATE_ENCRYPTED, NULL), MCP_ELICIT_OK);
    CHECK(!mcp_elicit_engine_new(config, &engine, NULL));
    char *request = retry(state, "{}");
    call = opened(engine, request, caller); /* "Every engine opens both, if its keys do." */
    CHECK_NUMBER(mcp_elicit_call_round(call), 2);
    mcp_elicit_call_free(call);
    free(request);
    free(state);
    mcp_elicit_engine_config_free(config);
    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_free(engine);
}

/* Steps and application data: in this round, and in the next. */
static void kept_in_the_state(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *engine = world_engine(&world);
    mcp_elicit_caller *caller = alice();
    mcp_elicit_call *call = opened(engine, REQUEST("1", BOTH, ""), caller);
    const char *result = "untouched", *again = NULL;
    size_t len = 7;
    static const uint8_t data[] = {0, 255, 0};

    CHECK_NUMBER(mcp_elicit_call_step_result(call, "plan", NUL, &result, &len, NULL), MCP_ELICIT_OK);
    CHECK(result == NULL && len == 0);
    CHECK_NUMBER(mcp_elicit_call_record_step(call, "plan", NUL, "nonsense", NUL, NULL), MCP_ELICIT_INVALID_RESULT);
    CHECK_NUMBER(mcp_elicit_call_record_step(call, "plan", NUL, "{\"size\": 9007199254740993}", NUL, NULL),
                 MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_call_step_result(call, "plan", NUL, &result, &len, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_call_step_result(call, "plan", NUL, &again, NULL, NULL), MCP_ELICIT_OK);
    CHECK_TEXT(result, "{\"size\":9007199254740993}"); /* the first text is still there */
    CHECK_TEXT(again, result);
    CHECK_NUMBER(len, strlen(result));
    CHECK(mcp_elicit_call_app_data(call, &len) == NULL && len == 0);
    CHECK_NUMBER(mcp_elicit_call_set_app_data(call, data, sizeof data, NULL), MCP_ELICIT_OK);
    asked(call, "target", SCHEMA);
    char *state = suspended(call), *request = retry(state, "{}");

    call = opened(engine, request, caller);
    CHECK_NUMBER(mcp_elicit_call_step_result(call, "plan", NUL, &result, &len, NULL), MCP_ELICIT_OK);
    CHECK_TEXT(result, "{\"size\":9007199254740993}");
    const uint8_t *kept = mcp_elicit_call_app_data(call, &len);
    CHECK(kept && len == sizeof data && memcmp(kept, data, len) == 0);
    CHECK_NUMBER(mcp_elicit_call_set_app_data(call, NULL, 0, NULL), MCP_ELICIT_OK);
    CHECK(mcp_elicit_call_app_data(call, &len) == NULL && len == 0);
    mcp_elicit_call_free(call);
    free(request);
    free(state);
    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_free(engine);
}

/* Ends that are no result: an error of the application's own, and codes that it may not use. */
static void failing(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *engine = world_engine(&world);
    mcp_elicit_caller *caller = alice();
    mcp_elicit_call *call = opened(engine, REQUEST("\"a\"", BOTH, ""), caller);
    mcp_elicit_reply *reply = NULL;
    CHECK_NUMBER(mcp_elicit_call_suspend(call, &reply, NULL), MCP_ELICIT_NOTHING_ASKED);
    CHECK_NUMBER(mcp_elicit_call_fail(call, -32042, "m", NUL, NULL, 0, &reply, NULL), MCP_ELICIT_INVALID_RESULT);
    CHECK_NUMBER(mcp_elicit_call_fail(call, 1, "m", NUL, "{", NUL, &reply, NULL), MCP_ELICIT_INVALID_RESULT);
    CHECK_NUMBER(mcp_elicit_call_fail(call, 1, "No such app.", NUL, "{\"app\": 1}", NUL, &reply, NULL),
                 MCP_ELICIT_OK);
    CHECK_TEXT(mcp_elicit_reply_body(reply, NULL),
               "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":1,\"message\":\"No such app.\","
               "\"data\":{\"app\":1}}}");
    CHECK_NUMBER(mcp_elicit_reply_kind(reply), MCP_ELICIT_REPLY_ERROR);
    mcp_elicit_reply_free(reply);
    mcp_elicit_call_free(call);
    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_free(engine);
}

/* The ways in which a handler can end, for those who build a `run`. */
static void settled(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *engine = world_engine(&world);
    mcp_elicit_caller *caller = alice();
    mcp_elicit_call *call = NULL;
    mcp_elicit_reply *reply = NULL;
    mcp_elicit_error *err = NULL;
    const mcp_elicit_outcome *target = NULL;
    mcp_elicit_action action;
#define SETTLE(ended, result, failure) \
    CHECK_NUMBER(mcp_elicit_call_settle(call, ended, result, NUL, failure, &reply, NULL), MCP_ELICIT_OK)
#define OVER(expected)                                              \
    CHECK_NUMBER(mcp_elicit_reply_kind(reply), expected);           \
    mcp_elicit_reply_free(reply);                                   \
    mcp_elicit_call_free(call);                                     \
    call = opened(engine, REQUEST("1", BOTH, ""), caller)

    call = opened(engine, REQUEST("1", BOTH, ""), caller);
    world.log[0] = '\0';
    SETTLE(MCP_ELICIT_OK, TEXT_RESULT, NULL);
    OVER(MCP_ELICIT_REPLY_COMPLETE);
    asked(call, "target", SCHEMA);
    SETTLE(MCP_ELICIT_PENDING, NULL, NULL);
    OVER(MCP_ELICIT_REPLY_INPUT_REQUIRED);
    CHECK_TEXT(world.log, "");
    asked(call, "target", SCHEMA);
    SETTLE(MCP_ELICIT_OK, TEXT_RESULT, NULL);
    OVER(MCP_ELICIT_REPLY_INPUT_REQUIRED);
    CHECK_TEXT(world.log, "question_left_open/result ");
    world.log[0] = '\0';
    target = asked(call, "target", SCHEMA);
    CHECK_NUMBER(mcp_elicit_outcome_action(target, &action, NULL), MCP_ELICIT_PENDING);
    SETTLE(MCP_ELICIT_INTERNAL, NULL, NULL);
    OVER(MCP_ELICIT_REPLY_INPUT_REQUIRED);
    CHECK_TEXT(world.log, "suspension_swallowed/exception ");
    SETTLE(MCP_ELICIT_INTERNAL, NULL, NULL); /* the application's own exception goes on */
    CHECK(reply == NULL);
    OVER(MCP_ELICIT_REPLY_NONE);
    CHECK_NUMBER(mcp_elicit_call_elicit_form(call, "k", NUL, "m", NUL, "{}", NUL, NULL, &target, &err),
                 MCP_ELICIT_SCHEMA);
    CHECK_NUMBER(mcp_elicit_call_settle(call, MCP_ELICIT_SCHEMA, NULL, 0, err, &reply, NULL), MCP_ELICIT_SCHEMA);
    CHECK(reply == NULL);
    mcp_elicit_error_free(err);
    mcp_elicit_call_free(call);
    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_free(engine);
}

/* What is no call: an error without a reply, and an envelope. */
static void no_calls(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *engine = world_engine(&world);
    mcp_elicit_caller *caller = mcp_elicit_caller_new_single_user();
    mcp_elicit_call *call = NULL;
    mcp_elicit_error *err = NULL;
    mcp_elicit_envelope *envelope = NULL;
    size_t len = 0;
    static const char list[] = "{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"method\":\"tools/list\","
                               "\"params\":{" META(BOTH) "}}";
    CHECK_NUMBER(mcp_elicit_engine_open(engine, list, NUL, caller, &call, &err), MCP_ELICIT_NOT_A_CALL);
    CHECK(call == NULL);
    CHECK_TEXT(mcp_elicit_error_kind(err), "not_a_call");
    CHECK(mcp_elicit_error_reply(err) == NULL);
    mcp_elicit_error_free(err);
    CHECK_NUMBER(mcp_elicit_engine_check(engine, list, NUL, caller, &envelope, &err), MCP_ELICIT_OK);
    CHECK_TEXT(mcp_elicit_envelope_method(envelope, &len), "tools/list");
    CHECK_NUMBER(len, 10);
    CHECK_TEXT(mcp_elicit_envelope_id(envelope, NULL), "9007199254740993");
    CHECK(mcp_elicit_envelope_can_elicit(envelope, MCP_ELICIT_MODE_URL));
    CHECK(!mcp_elicit_envelope_can_elicit(envelope, 99));
    CHECK(mcp_elicit_envelope_client_info(envelope, NULL) == NULL);
    mcp_elicit_envelope_free(envelope);

    static const char cancelled[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}";
    CHECK_NUMBER(mcp_elicit_engine_open(engine, cancelled, NUL, caller, &call, NULL), MCP_ELICIT_NOT_A_CALL);
    CHECK_NUMBER(mcp_elicit_engine_check(engine, cancelled, NUL, caller, &envelope, &err), MCP_ELICIT_OK);
    CHECK(mcp_elicit_envelope_id(envelope, &len) == NULL && len == 0);
    mcp_elicit_envelope_free(envelope);

    CHECK_NUMBER(mcp_elicit_engine_check(engine, "{", NUL, caller, &envelope, &err), MCP_ELICIT_PARSE_ERROR);
    CHECK(envelope == NULL);
    mcp_elicit_reply *reply = mcp_elicit_error_reply(err);
    CHECK_NUMBER(mcp_elicit_reply_http_status(reply), 400);
    mcp_elicit_reply_free(reply);
    mcp_elicit_error_free(err);

    /* "Its replies are the result object or the error object alone." */
    static const char params[] = "{\"name\":\"deploy\"," META(BOTH) "}";
    CHECK_NUMBER(mcp_elicit_engine_open_params(engine, "tools/call", NUL, params, NUL, caller, &call, &err),
                 MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_call_complete(call, TEXT_RESULT, NUL, &reply, NULL), MCP_ELICIT_OK);
    CHECK(strncmp(mcp_elicit_reply_body(reply, NULL), "{\"resultType\":\"complete\",", 25) == 0);
    mcp_elicit_reply_free(reply);
    mcp_elicit_call_free(call);
    CHECK_NUMBER(mcp_elicit_engine_open_params(engine, "tools/call", NUL, "{}", NUL, caller, &call, &err),
                 MCP_ELICIT_INVALID_META);
    reply = mcp_elicit_error_reply(err);
    CHECK(strncmp(mcp_elicit_reply_body(reply, NULL), "{\"code\":-32602,", 15) == 0);
    mcp_elicit_reply_free(reply);
    mcp_elicit_error_free(err);
    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_free(engine);
}

/* HTTP without headers is another thing than no HTTP. */
static void headers_count(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *engine = world_engine(&world);
    mcp_elicit_caller *caller = alice();
    mcp_elicit_call *call = NULL;
    static const char request[] = REQUEST("1", BOTH, ",\"arguments\":{\"a/b\":\"x\"}");
    CHECK(!mcp_elicit_caller_set_http(caller, NULL));
    CHECK_NUMBER(mcp_elicit_engine_open(engine, request, NUL, caller, &call, NULL), MCP_ELICIT_HEADER_MISMATCH);
    CHECK(!mcp_elicit_caller_add_header(caller, "Mcp-Protocol-Version", NUL, "2026-07-28", NUL, NULL));
    CHECK(!mcp_elicit_caller_add_header(caller, "MCP-METHOD", NUL, "tools/call", NUL, NULL));
    CHECK(!mcp_elicit_caller_add_header(caller, "mcp-name", NUL, "deploy and more", 6, NULL));
    CHECK(!mcp_elicit_caller_add_header(caller, "X-Other", NUL, "\xff\0", 2, NULL)); /* any bytes */
    mcp_elicit_call_free(opened(engine, request, caller));
    CHECK(!mcp_elicit_caller_add_param_header(caller, "Region", NUL, "/a~1b", NUL, NULL));
    CHECK_NUMBER(mcp_elicit_engine_open(engine, request, NUL, caller, &call, NULL), MCP_ELICIT_HEADER_MISMATCH);
    CHECK(!mcp_elicit_caller_add_header(caller, "Mcp-Param-Region", NUL, "x", NUL, NULL));
    mcp_elicit_call_free(opened(engine, request, caller));
    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_free(engine);
}

/* A random source that has nothing; a key that nobody else has. */
static void sources_of_randomness(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *engine = world_engine(&world);
    mcp_elicit_caller *caller = alice();
    mcp_elicit_call *call = NULL;
    mcp_elicit_error *err = NULL;
    mcp_elicit_reply *reply = NULL;
    call = opened(engine, REQUEST("1", BOTH, ""), caller);
    CHECK_TEXT(mcp_elicit_call_flow_id(call), "AAECAwQFBgcICQoLDA0ODw"); /* the bytes 0 to 15 */
    asked(call, "target", SCHEMA);
    world.no_random = true;
    CHECK_NUMBER(mcp_elicit_call_suspend(call, &reply, &err), MCP_ELICIT_INTERNAL);
    CHECK(!mcp_elicit_error_is_for_peer(err));
    mcp_elicit_error_free(err);
    mcp_elicit_call_free(call);
    CHECK_NUMBER(mcp_elicit_engine_open(engine, REQUEST("1", BOTH, ""), NUL, caller, &call, NULL),
                 MCP_ELICIT_INTERNAL);
    mcp_elicit_engine_free(engine);

    mcp_elicit_engine_config *config = mcp_elicit_engine_config_new();
    world.log[0] = '\0';
    CHECK(!mcp_elicit_engine_config_set_ephemeral(config, NULL));
    CHECK(!mcp_elicit_engine_config_set_audience(config, "deployer", NUL, NULL));
    CHECK(!mcp_elicit_engine_config_set_log(config, world_log, &world, NULL, NULL));
    CHECK(!mcp_elicit_engine_new(config, &engine, NULL));
    CHECK_TEXT(world.log, "ephemeral_keys/ ");
    mcp_elicit_engine_config_free(config);
    mcp_elicit_engine_free(engine);
    mcp_elicit_caller_free(caller);
}

int main(void)
{
    RUN(open_questions_are_pending);
    RUN(answers_arrive);
    RUN(invalid_answers_have_faults);
    RUN(signed_state);
    RUN(kept_in_the_state);
    RUN(failing);
    RUN(settled);
    RUN(no_calls);
    RUN(headers_count);
    RUN(sources_of_randomness);
    return finished("calls");
}
