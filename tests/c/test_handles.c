/*
 * The ABI itself: versions, NULL, texts, configuration, callbacks. What it does with calls is in
 * test_calls.c.
 */
#include "check.h"
#include "world.h"

#include <stdlib.h>

/* The header says its version, and the library the same. */
static void versions_agree(void)
{
    char text[32];
    CHECK_TEXT(mcp_elicit_version(), MCP_ELICIT_VERSION);
    CHECK_NUMBER(mcp_elicit_version_number(), MCP_ELICIT_VERSION_NUMBER);
    snprintf(text, sizeof text, "%d.%d.%d", MCP_ELICIT_VERSION_MAJOR, MCP_ELICIT_VERSION_MINOR,
             MCP_ELICIT_VERSION_PATCH);
    CHECK_TEXT(MCP_ELICIT_VERSION, text);
    CHECK_TEXT(mcp_elicit_protocol_version(), "2026-07-28");
}

static void statuses_have_names(void)
{
    CHECK_TEXT(mcp_elicit_status_name(MCP_ELICIT_OK), "ok");
    CHECK_TEXT(mcp_elicit_status_name(MCP_ELICIT_PENDING), "pending");
    CHECK_TEXT(mcp_elicit_status_name(MCP_ELICIT_INVALID_STATE), "invalid_state");
    CHECK_TEXT(mcp_elicit_status_name(MCP_ELICIT_APPLICATION), "application");
    CHECK_TEXT(mcp_elicit_status_name(9999), "unknown");
}

/* "every free tolerates NULL" */
static void nothing_can_be_freed(void)
{
    mcp_elicit_error_free(NULL);
    mcp_elicit_engine_config_free(NULL);
    mcp_elicit_engine_free(NULL);
    mcp_elicit_caller_free(NULL);
    mcp_elicit_envelope_free(NULL);
    mcp_elicit_call_free(NULL);
    mcp_elicit_ask_options_free(NULL);
    mcp_elicit_reply_free(NULL);
    mcp_elicit_form_free(NULL);
    mcp_elicit_form_builder_free(NULL);
    CHECK(true);
}

/* "Functions that cannot fail return their value, and NULL, 0 or false for a NULL handle." */
static void accessors_of_nothing(void)
{
    size_t len = 7;
    uint64_t number = 7;
#define NOTHING(accessor)                     \
    do {                                      \
        len = 7;                              \
        CHECK((accessor) == NULL);            \
        CHECK_NUMBER(len, 0);                 \
    } while (0)
    NOTHING(mcp_elicit_error_message(NULL, &len));
    NOTHING(mcp_elicit_error_data(NULL, &len));
    NOTHING(mcp_elicit_error_faults(NULL, &len));
    NOTHING(mcp_elicit_fault_path(NULL, &len));
    NOTHING(mcp_elicit_fault_message(NULL, &len));
    NOTHING(mcp_elicit_event_message(NULL, &len));
    NOTHING(mcp_elicit_envelope_method(NULL, &len));
    NOTHING(mcp_elicit_envelope_id(NULL, &len));
    NOTHING(mcp_elicit_envelope_client_info(NULL, &len));
    NOTHING(mcp_elicit_call_target(NULL, &len));
    NOTHING(mcp_elicit_call_arguments(NULL, &len));
    NOTHING(mcp_elicit_call_client_info(NULL, &len));
    NOTHING(mcp_elicit_call_client_capabilities(NULL, &len));
    NOTHING(mcp_elicit_call_app_data(NULL, &len));
    NOTHING(mcp_elicit_reply_body(NULL, &len));
    NOTHING(mcp_elicit_field_name(NULL, &len));
    NOTHING(mcp_elicit_field_title(NULL, &len));
    NOTHING(mcp_elicit_field_label(NULL, &len));
    NOTHING(mcp_elicit_field_description(NULL, &len));
    NOTHING(mcp_elicit_field_default(NULL, &len));
    NOTHING(mcp_elicit_field_format(NULL, &len));
    NOTHING(mcp_elicit_field_minimum(NULL, &len));
    NOTHING(mcp_elicit_field_maximum(NULL, &len));
    NOTHING(mcp_elicit_field_pattern(NULL, 0, &len));
    NOTHING(mcp_elicit_field_choice_value(NULL, 0, &len));
    NOTHING(mcp_elicit_field_choice_title(NULL, 0, &len));
#undef NOTHING
    CHECK(mcp_elicit_error_kind(NULL) == NULL);
    CHECK(mcp_elicit_error_fault(NULL, 0) == NULL);
    CHECK(mcp_elicit_error_reply(NULL) == NULL);
    CHECK(mcp_elicit_fault_rule(NULL) == NULL);
    CHECK(mcp_elicit_event_name(NULL) == NULL);
    CHECK(mcp_elicit_event_reason(NULL) == NULL);
    CHECK(mcp_elicit_event_flow_id(NULL) == NULL);
    CHECK(mcp_elicit_call_method(NULL) == NULL);
    CHECK(mcp_elicit_call_flow_id(NULL) == NULL);
    CHECK(mcp_elicit_outcome_fault(NULL, 0) == NULL);
    CHECK(mcp_elicit_reply_header_name(NULL, 0) == NULL);
    CHECK(mcp_elicit_reply_header_value(NULL, 0) == NULL);
    CHECK(mcp_elicit_form_warning(NULL, 0) == NULL);
    CHECK(mcp_elicit_form_wire(NULL, NULL) == NULL);
    CHECK(mcp_elicit_form_source(NULL, NULL) == NULL);
    CHECK(mcp_elicit_text_data(NULL, NULL) == NULL);
    CHECK(mcp_elicit_answer_content(NULL, NULL) == NULL);
    CHECK(mcp_elicit_answer_dropped(NULL, NULL) == NULL);
    CHECK(mcp_elicit_answer_fault(NULL, 0) == NULL);
    CHECK_NUMBER(mcp_elicit_answer_fault_count(NULL), 0);
    mcp_elicit_text_free(NULL);
    mcp_elicit_answer_free(NULL);
    mcp_elicit_answer_options_free(NULL);
    CHECK(mcp_elicit_form_field(NULL, 0) == NULL);
    CHECK(mcp_elicit_form_field_named(NULL, "f", NUL) == NULL);
    CHECK_NUMBER(mcp_elicit_error_status(NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_error_code(NULL), 0);
    CHECK_NUMBER(mcp_elicit_error_http_status(NULL), 0);
    CHECK_NUMBER(mcp_elicit_error_fault_count(NULL), 0);
    CHECK_NUMBER(mcp_elicit_event_level(NULL), MCP_ELICIT_LEVEL_NONE);
    CHECK_NUMBER(mcp_elicit_call_round(NULL), 0);
    CHECK_NUMBER(mcp_elicit_reply_kind(NULL), MCP_ELICIT_REPLY_NONE);
    CHECK_NUMBER(mcp_elicit_reply_http_status(NULL), 0);
    CHECK_NUMBER(mcp_elicit_reply_header_count(NULL), 0);
    CHECK_NUMBER(mcp_elicit_form_warning_count(NULL), 0);
    CHECK_NUMBER(mcp_elicit_form_field_count(NULL), 0);
    CHECK_NUMBER(mcp_elicit_field_kind(NULL), MCP_ELICIT_FIELD_NONE);
    CHECK_NUMBER(mcp_elicit_field_pattern_count(NULL), 0);
    CHECK_NUMBER(mcp_elicit_field_choice_count(NULL), 0);
    CHECK(!mcp_elicit_field_is_required(NULL));
    CHECK(!mcp_elicit_field_is_sensitive(NULL));
    CHECK(!mcp_elicit_field_min_length(NULL, &number) && number == 0);
    number = 7;
    CHECK(!mcp_elicit_field_max_length(NULL, &number) && number == 0);
    number = 7;
    CHECK(!mcp_elicit_field_min_items(NULL, &number) && number == 0);
    number = 7;
    CHECK(!mcp_elicit_field_max_items(NULL, &number) && number == 0);
    number = 7;
    CHECK(!mcp_elicit_error_is_for_peer(NULL));
    CHECK(!mcp_elicit_error_is_retryable(NULL));
    CHECK(!mcp_elicit_call_can_elicit(NULL, MCP_ELICIT_MODE_FORM));
    CHECK(!mcp_elicit_envelope_can_elicit(NULL, MCP_ELICIT_MODE_FORM));
    CHECK(!mcp_elicit_call_is_pending(NULL));
    CHECK(!mcp_elicit_call_is_finished(NULL));
    CHECK(mcp_elicit_outcome_reason(NULL) == NULL);
    CHECK_NUMBER(mcp_elicit_reply_error(NULL), MCP_ELICIT_OK);
    CHECK(!mcp_elicit_outcome_is_pending(NULL));
}

/* The error of a function that failed names the parameter; frees it. */
static bool names(mcp_elicit_status status, mcp_elicit_error **err, const char *parameter)
{
    const char *message = mcp_elicit_error_message(*err, NULL);
    size_t len = strlen(parameter);
    bool named = status == MCP_ELICIT_INVALID_ARGUMENT && message &&
                 strncmp(message, parameter, len) == 0 && message[len] == ' ';
    if (!named)
        fprintf(stderr, "  status %u, message %s\n", (unsigned)status, message ? message : "NULL");
    mcp_elicit_error_free(*err);
    *err = NULL;
    return named;
}

/* "NULL where a value is needed is MCP_ELICIT_INVALID_ARGUMENT, and its message names the parameter" */
static void null_is_named(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_error *err = NULL;
    mcp_elicit_engine *engine = world_engine(&world), *no_engine;
    mcp_elicit_engine_config *config = world_config(&world);
    mcp_elicit_caller *caller = alice(), *no_caller;
    mcp_elicit_ask_options *options = mcp_elicit_ask_options_new();
    mcp_elicit_form *form = NULL, *no_form;
    mcp_elicit_envelope *envelope;
    mcp_elicit_call *call = NULL, *no_call;
    mcp_elicit_reply *reply;
    const mcp_elicit_outcome *outcome = NULL, *ask;
    static const char request[] = REQUEST("1", BOTH, "");
    char key[MCP_ELICIT_KEY_SIZE];
    CHECK(!mcp_elicit_form_new(engine, SCHEMA, NUL, options, &form, &err));
    CHECK(!mcp_elicit_engine_open(engine, request, NUL, caller, &call, &err));
    CHECK(!mcp_elicit_call_elicit_form(call, "k", NUL, "m", NUL, SCHEMA, NUL, NULL, &outcome, &err));

#define NAMES(parameter, function) CHECK(names((function), &err, parameter))
#define CONFIG(setter) NAMES("config", mcp_elicit_engine_config_##setter)
    CONFIG(add_key(NULL, (const uint8_t *)KEY, 64, &err));
    CONFIG(set_keys(NULL, KEY, NUL, &err));
    CONFIG(set_keys_from_env(NULL, &err));
    CONFIG(set_ephemeral(NULL, &err));
    CONFIG(set_audience(NULL, "a", NUL, &err));
    CONFIG(set_server_info(NULL, "a", NUL, "1", NUL, &err));
    CONFIG(set_server_info_json(NULL, "{}", NUL, &err));
    CONFIG(set_log(NULL, world_log, &world, world_destroy, &err));
    CONFIG(set_clock(NULL, world_clock, &world, world_destroy, &err));
    CONFIG(set_random(NULL, world_random, &world, world_destroy, &err));
    CONFIG(set_state_format(NULL, MCP_ELICIT_STATE_SIGNED, &err));
    CONFIG(set_request_bytes(NULL, 1, &err));
    CONFIG(set_token_bytes(NULL, 1, &err));
    CONFIG(set_depth(NULL, 1, &err));
    CONFIG(set_schema_properties(NULL, 1, &err));
    CONFIG(set_schema_options(NULL, 1, &err));
    CONFIG(set_question_rounds(NULL, 1, &err));
    CONFIG(set_reasks(NULL, 1, &err));
    CONFIG(set_round_ttl_ms(NULL, 1, &err));
    CONFIG(set_flow_ttl_ms(NULL, 1, &err));
    CONFIG(set_claim_wait_ms(NULL, 1, &err));
    CONFIG(set_clock_skew_ms(NULL, 1, &err));
    CHECK_NUMBER(world.destroyed, 0); /* "Unless this returns MCP_ELICIT_OK the context stays yours." */
    NAMES("secret", mcp_elicit_engine_config_add_key(config, NULL, 32, &err));
    NAMES("keys", mcp_elicit_engine_config_set_keys(config, NULL, NUL, &err));
    NAMES("audience", mcp_elicit_engine_config_set_audience(config, NULL, NUL, &err));
    NAMES("name", mcp_elicit_engine_config_set_server_info(config, NULL, NUL, "1", NUL, &err));
    NAMES("version", mcp_elicit_engine_config_set_server_info(config, "a", NUL, NULL, NUL, &err));
    NAMES("json", mcp_elicit_engine_config_set_server_info_json(config, NULL, NUL, &err));

    NAMES("config", mcp_elicit_engine_new(NULL, &no_engine, &err));
    CHECK(no_engine == NULL);
    NAMES("engine", mcp_elicit_engine_new(config, NULL, &err));
    NAMES("engine", mcp_elicit_engine_open(NULL, request, NUL, caller, &no_call, &err));
    CHECK(no_call == NULL);
    NAMES("request", mcp_elicit_engine_open(engine, NULL, NUL, caller, &no_call, &err));
    NAMES("caller", mcp_elicit_engine_open(engine, request, NUL, NULL, &no_call, &err));
    NAMES("call", mcp_elicit_engine_open(engine, request, NUL, caller, NULL, &err));
    NAMES("engine", mcp_elicit_engine_open_params(NULL, "m", NUL, "{}", NUL, caller, &no_call, &err));
    NAMES("method", mcp_elicit_engine_open_params(engine, NULL, 1, "{}", NUL, caller, &no_call, &err));
    NAMES("params", mcp_elicit_engine_open_params(engine, "m", NUL, NULL, 1, caller, &no_call, &err));
    NAMES("caller", mcp_elicit_engine_open_params(engine, "m", NUL, "{}", NUL, NULL, &no_call, &err));
    NAMES("call", mcp_elicit_engine_open_params(engine, "m", NUL, "{}", NUL, caller, NULL, &err));
    NAMES("engine", mcp_elicit_engine_check(NULL, request, NUL, caller, &envelope, &err));
    CHECK(envelope == NULL);
    NAMES("request", mcp_elicit_engine_check(engine, NULL, 1, caller, &envelope, &err));
    NAMES("caller", mcp_elicit_engine_check(engine, request, NUL, NULL, &envelope, &err));
    NAMES("envelope", mcp_elicit_engine_check(engine, request, NUL, caller, NULL, &err));

    NAMES("issuer", mcp_elicit_caller_new_user(NULL, NUL, "s", NUL, "c", NUL, &no_caller, &err));
    CHECK(no_caller == NULL);
    NAMES("subject", mcp_elicit_caller_new_user("i", NUL, NULL, NUL, "c", NUL, &no_caller, &err));
    NAMES("client", mcp_elicit_caller_new_user("i", NUL, "s", NUL, NULL, NUL, &no_caller, &err));
    NAMES("caller", mcp_elicit_caller_new_user("i", NUL, "s", NUL, "c", NUL, NULL, &err));
    NAMES("caller", mcp_elicit_caller_set_http(NULL, &err));
    NAMES("caller", mcp_elicit_caller_add_header(NULL, "n", NUL, "v", NUL, &err));
    NAMES("name", mcp_elicit_caller_add_header(caller, NULL, NUL, "v", NUL, &err));
    NAMES("value", mcp_elicit_caller_add_header(caller, "n", NUL, NULL, NUL, &err));
    NAMES("caller", mcp_elicit_caller_add_param_header(NULL, "n", NUL, "/p", NUL, &err));
    NAMES("name", mcp_elicit_caller_add_param_header(caller, NULL, NUL, "/p", NUL, &err));
    NAMES("pointer", mcp_elicit_caller_add_param_header(caller, "n", NUL, NULL, NUL, &err));
    NAMES("pointer", mcp_elicit_caller_add_param_header(caller, "n", NUL, "p", NUL, &err));

    NAMES("options", mcp_elicit_ask_options_set_allow_insecure_http(NULL, 1, &err));
    NAMES("options", mcp_elicit_ask_options_set_accept_unasked(NULL, 1, &err));
    NAMES("options", mcp_elicit_ask_options_set_unavailable(NULL, 1, &err));
    NAMES("policy", mcp_elicit_ask_options_set_unavailable(options, 0, &err));
    NAMES("options", mcp_elicit_ask_options_set_on_cancel(NULL, 2, &err));
    NAMES("policy", mcp_elicit_ask_options_set_on_cancel(options, 9, &err));
    NAMES("options", mcp_elicit_ask_options_set_human_only(NULL, 1, &err));
    NAMES("options", mcp_elicit_ask_options_set_reask_invalid_only(NULL, 1, &err));
    NAMES("options", mcp_elicit_ask_options_add_argument(NULL, "f", NUL, &err));
    NAMES("field", mcp_elicit_ask_options_add_argument(options, NULL, NUL, &err));
    NAMES("options", mcp_elicit_ask_options_set_messages(NULL, "{}", NUL, &err));
    NAMES("messages", mcp_elicit_ask_options_set_messages(options, NULL, NUL, &err));
    NAMES("options", mcp_elicit_ask_options_set_allow_sensitive_name(NULL, "r", NUL, &err));
    NAMES("reason", mcp_elicit_ask_options_set_allow_sensitive_name(options, NULL, NUL, &err));
    NAMES("schema", mcp_elicit_schema_check(NULL, NUL, &err));
    NAMES("schema", mcp_elicit_form_new(NULL, NULL, NUL, NULL, &no_form, &err));
    CHECK(no_form == NULL);
    NAMES("form", mcp_elicit_form_new(NULL, SCHEMA, NUL, NULL, NULL, &err));
    mcp_elicit_answer *no_answer = NULL;
    mcp_elicit_text *no_text = NULL;
    mcp_elicit_answer_options *how = mcp_elicit_answer_options_new();
    NAMES("schema", mcp_elicit_form_normalize(NULL, NULL, NUL, NULL, &no_form, &no_text, &err));
    NAMES("form", mcp_elicit_form_normalize(NULL, SCHEMA, NUL, NULL, NULL, NULL, &err));
    NAMES("form", mcp_elicit_form_downgrade(NULL, "2025-06-18", NUL, &no_form, NULL, &err));
    NAMES("form", mcp_elicit_form_validate(NULL, "{}", NUL, NULL, &no_answer, &err));
    NAMES("form", mcp_elicit_form_coerce(NULL, "f", NUL, "x", NUL, NULL, &no_answer, &err));
    NAMES("form", mcp_elicit_form_print(NULL, "f", NUL, "1", NUL, &no_text, &err));
    NAMES("form", mcp_elicit_form_with_defaults(NULL, "{}", NUL, &no_text, &err));
    NAMES("form", mcp_elicit_form_for_type(NULL, "{}", NUL, &no_text, &err));
    NAMES("form", mcp_elicit_form_wire_again(NULL, "{}", NUL, NULL, 0, &no_text, &err));
    NAMES("options", mcp_elicit_answer_options_set_refuse_unknown(NULL, true, &err));
    NAMES("options", mcp_elicit_answer_options_set_messages(NULL, "{}", NUL, false, &err));
    NAMES("messages", mcp_elicit_answer_options_set_messages(how, NULL, NUL, false, &err));
    CHECK(no_answer == NULL && no_text == NULL);
    mcp_elicit_answer_options_free(how);
    NAMES("out", mcp_elicit_keygen(NULL, sizeof key, &err));
    NAMES("out_size", mcp_elicit_keygen(key, sizeof key - 1, &err));

#define FORM mcp_elicit_call_elicit_form
    NAMES("call", FORM(NULL, "k", NUL, "m", NUL, SCHEMA, NUL, NULL, &ask, &err));
    CHECK(ask == NULL);
    NAMES("key", FORM(call, NULL, NUL, "m", NUL, SCHEMA, NUL, NULL, &ask, &err));
    NAMES("message", FORM(call, "k", NUL, NULL, NUL, SCHEMA, NUL, NULL, &ask, &err));
    NAMES("schema", FORM(call, "k", NUL, "m", NUL, NULL, NUL, NULL, &ask, &err));
    NAMES("outcome", FORM(call, "k", NUL, "m", NUL, SCHEMA, NUL, NULL, NULL, &err));
#define COMPILED mcp_elicit_call_elicit_compiled_form
    NAMES("call", COMPILED(NULL, "k", NUL, "m", NUL, form, NULL, &ask, &err));
    NAMES("key", COMPILED(call, NULL, NUL, "m", NUL, form, NULL, &ask, &err));
    NAMES("message", COMPILED(call, "k", NUL, NULL, NUL, form, NULL, &ask, &err));
    NAMES("form", COMPILED(call, "k", NUL, "m", NUL, NULL, NULL, &ask, &err));
    NAMES("outcome", COMPILED(call, "k", NUL, "m", NUL, form, NULL, NULL, &err));
#define URL mcp_elicit_call_elicit_url
    NAMES("call", URL(NULL, "k", NUL, "m", NUL, "u", NUL, 0, NULL, &ask, &err));
    NAMES("key", URL(call, NULL, NUL, "m", NUL, "u", NUL, 0, NULL, &ask, &err));
    NAMES("message", URL(call, "k", NUL, NULL, NUL, "u", NUL, 0, NULL, &ask, &err));
    NAMES("url", URL(call, "k", NUL, "m", NUL, NULL, NUL, 0, NULL, &ask, &err));
    NAMES("outcome", URL(call, "k", NUL, "m", NUL, "u", NUL, 0, NULL, NULL, &err));
    NAMES("call", mcp_elicit_call_elicit(NULL, "k", NUL, "{}", NUL, 0, NULL, &ask, &err));
    NAMES("key", mcp_elicit_call_elicit(call, NULL, NUL, "{}", NUL, 0, NULL, &ask, &err));
    NAMES("request", mcp_elicit_call_elicit(call, "k", NUL, NULL, NUL, 0, NULL, &ask, &err));
    NAMES("outcome", mcp_elicit_call_elicit(call, "k", NUL, "{}", NUL, 0, NULL, NULL, &err));
    NAMES("call", mcp_elicit_call_create_message(NULL, "k", NUL, "{}", NUL, NULL, &ask, &err));
    NAMES("key", mcp_elicit_call_create_message(call, NULL, NUL, "{}", NUL, NULL, &ask, &err));
    NAMES("params", mcp_elicit_call_create_message(call, "k", NUL, NULL, NUL, NULL, &ask, &err));
    NAMES("outcome", mcp_elicit_call_create_message(call, "k", NUL, "{}", NUL, NULL, NULL, &err));
    NAMES("call", mcp_elicit_call_list_roots(NULL, "k", NUL, NULL, &ask, &err));
    NAMES("key", mcp_elicit_call_list_roots(call, NULL, NUL, NULL, &ask, &err));
    NAMES("outcome", mcp_elicit_call_list_roots(call, "k", NUL, NULL, NULL, &err));
    NAMES("call", mcp_elicit_call_retry_later(NULL, &reply, &err));
    NAMES("reply", mcp_elicit_call_retry_later(call, NULL, &err));
    NAMES("call", mcp_elicit_call_settle(NULL, 0, "{}", NUL, NULL, &reply, &err));
    NAMES("result", mcp_elicit_call_settle(call, 0, NULL, NUL, NULL, &reply, &err));
    NAMES("reply", mcp_elicit_call_settle(call, 0, "{}", NUL, NULL, NULL, &err));
    const char *step;
    NAMES("call", mcp_elicit_call_step_result(NULL, "k", NUL, &step, NULL, &err));
    NAMES("key", mcp_elicit_call_step_result(call, NULL, NUL, &step, NULL, &err));
    NAMES("result", mcp_elicit_call_step_result(call, "k", NUL, NULL, NULL, &err));
    NAMES("call", mcp_elicit_call_record_step(NULL, "k", NUL, "1", NUL, &err));
    NAMES("key", mcp_elicit_call_record_step(call, NULL, NUL, "1", NUL, &err));
    NAMES("result", mcp_elicit_call_record_step(call, "k", NUL, NULL, NUL, &err));
    NAMES("call", mcp_elicit_call_set_app_data(NULL, (const uint8_t *)"", 0, &err));
    NAMES("call", mcp_elicit_call_suspend(NULL, &reply, &err));
    CHECK(reply == NULL);
    NAMES("reply", mcp_elicit_call_suspend(call, NULL, &err));
    NAMES("call", mcp_elicit_call_complete(NULL, "{}", NUL, &reply, &err));
    NAMES("result", mcp_elicit_call_complete(call, NULL, NUL, &reply, &err));
    NAMES("reply", mcp_elicit_call_complete(call, "{}", NUL, NULL, &err));
    NAMES("call", mcp_elicit_call_fail(NULL, 1, "m", NUL, NULL, 0, &reply, &err));
    NAMES("message", mcp_elicit_call_fail(call, 1, NULL, NUL, NULL, 0, &reply, &err));
    NAMES("reply", mcp_elicit_call_fail(call, 1, "m", NUL, NULL, 0, NULL, &err));

    mcp_elicit_action action;
    mcp_elicit_source source;
    const char *text;
    size_t count;
    NAMES("outcome", mcp_elicit_outcome_action(NULL, &action, &err));
    NAMES("action", mcp_elicit_outcome_action(outcome, NULL, &err));
    NAMES("outcome", mcp_elicit_outcome_source(NULL, &source, &err));
    NAMES("source", mcp_elicit_outcome_source(outcome, NULL, &err));
    NAMES("outcome", mcp_elicit_outcome_content(NULL, &text, NULL, &err));
    NAMES("content", mcp_elicit_outcome_content(outcome, NULL, NULL, &err));
    NAMES("outcome", mcp_elicit_outcome_faults(NULL, &text, NULL, &err));
    NAMES("faults", mcp_elicit_outcome_faults(outcome, NULL, NULL, &err));
    NAMES("outcome", mcp_elicit_outcome_fault_count(NULL, &count, &err));
    NAMES("count", mcp_elicit_outcome_fault_count(outcome, NULL, &err));

    /* An error that nobody wants to see is still a status. */
    CHECK_NUMBER(mcp_elicit_call_suspend(NULL, &reply, NULL), MCP_ELICIT_INVALID_ARGUMENT);

    mcp_elicit_call_free(call);
    mcp_elicit_form_free(form);
    mcp_elicit_ask_options_free(options);
    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_config_free(config);
    mcp_elicit_engine_free(engine);
    CHECK_NUMBER(world.destroyed, 6);
}

/* The same for what builds forms; "builder" is also named where it has no field to describe. */
static void null_is_named_by_builders(void)
{
    mcp_elicit_error *err = NULL;
    mcp_elicit_form *form = (mcp_elicit_form *)&form;
    mcp_elicit_form_builder *builder = mcp_elicit_form_builder_new();
#define BUILDER(parameter, function) CHECK(names(mcp_elicit_form_builder_##function, &err, parameter))
    BUILDER("builder", add_string(NULL, "f", NUL, 0, &err));
    BUILDER("name", add_string(builder, NULL, NUL, 0, &err));
    BUILDER("builder", add_integer(NULL, "f", NUL, 0, &err));
    BUILDER("name", add_integer(builder, NULL, NUL, 0, &err));
    BUILDER("builder", add_number(NULL, "f", NUL, 0, &err));
    BUILDER("name", add_number(builder, NULL, NUL, 0, &err));
    BUILDER("builder", add_boolean(NULL, "f", NUL, 0, &err));
    BUILDER("name", add_boolean(builder, NULL, NUL, 0, &err));
    BUILDER("builder", add_choice(NULL, "f", NUL, 0, &err));
    BUILDER("name", add_choice(builder, NULL, NUL, 0, &err));
    BUILDER("builder", add_choices(NULL, "f", NUL, 0, &err));
    BUILDER("name", add_choices(builder, NULL, NUL, 0, &err));
    BUILDER("builder", set_title(builder, "1", NUL, &err));
    BUILDER("builder", set_description(builder, "1", NUL, &err));
    BUILDER("builder", set_format(builder, "1", NUL, &err));
    BUILDER("builder", set_pattern(builder, "1", NUL, &err));
    BUILDER("builder", set_default(builder, "1", NUL, &err));
    BUILDER("builder", set_minimum(builder, "1", NUL, &err));
    BUILDER("builder", set_maximum(builder, "1", NUL, &err));
    BUILDER("builder", set_more_than(builder, "1", NUL, &err));
    BUILDER("builder", set_less_than(builder, "1", NUL, &err));
    BUILDER("builder", set_multiple_of(builder, "1", NUL, &err));
    BUILDER("builder", set_min_length(builder, 1, &err));
    BUILDER("builder", set_max_length(builder, 1, &err));
    BUILDER("builder", set_min_items(builder, 1, &err));
    BUILDER("builder", set_max_items(builder, 1, &err));
    BUILDER("builder", add_option(builder, "v", NUL, NULL, 0, &err));
    CHECK(!mcp_elicit_form_builder_add_string(builder, "f", NUL, 0, &err));
    BUILDER("builder", set_title(NULL, "1", NUL, &err));
    BUILDER("title", set_title(builder, NULL, NUL, &err));
    BUILDER("builder", set_description(NULL, "1", NUL, &err));
    BUILDER("description", set_description(builder, NULL, NUL, &err));
    BUILDER("builder", set_format(NULL, "1", NUL, &err));
    BUILDER("format", set_format(builder, NULL, NUL, &err));
    BUILDER("builder", set_pattern(NULL, "1", NUL, &err));
    BUILDER("pattern", set_pattern(builder, NULL, NUL, &err));
    BUILDER("builder", set_default(NULL, "1", NUL, &err));
    BUILDER("json", set_default(builder, NULL, NUL, &err));
    BUILDER("builder", set_minimum(NULL, "1", NUL, &err));
    BUILDER("number", set_minimum(builder, NULL, NUL, &err));
    BUILDER("builder", set_maximum(NULL, "1", NUL, &err));
    BUILDER("number", set_maximum(builder, NULL, NUL, &err));
    BUILDER("builder", set_more_than(NULL, "1", NUL, &err));
    BUILDER("number", set_more_than(builder, NULL, NUL, &err));
    BUILDER("builder", set_less_than(NULL, "1", NUL, &err));
    BUILDER("number", set_less_than(builder, NULL, NUL, &err));
    BUILDER("builder", set_multiple_of(NULL, "1", NUL, &err));
    BUILDER("number", set_multiple_of(builder, NULL, NUL, &err));
    BUILDER("builder", set_min_length(NULL, 1, &err));
    BUILDER("builder", set_max_length(NULL, 1, &err));
    BUILDER("builder", set_min_items(NULL, 1, &err));
    BUILDER("builder", set_max_items(NULL, 1, &err));
    BUILDER("builder", add_option(NULL, "v", NUL, NULL, 0, &err));
    BUILDER("value", add_option(builder, NULL, NUL, NULL, 0, &err));
    BUILDER("title", add_option(builder, "v", NUL, "\xff", NUL, &err));
    BUILDER("builder", build(NULL, NULL, NULL, &form, &err));
    CHECK(form == NULL);
    BUILDER("form", build(builder, NULL, NULL, NULL, &err));
#undef BUILDER
    CHECK(!mcp_elicit_form_builder_build(builder, NULL, NULL, &form, &err)); /* what was refused changed nothing */
    CHECK_NUMBER(mcp_elicit_form_field_count(form), 1);
    mcp_elicit_form_free(form);
    mcp_elicit_form_builder_free(builder);
}

/* Texts in: a length or a NUL; not UTF-8 is refused; NULL with length 0 is the empty text. */
static void texts_have_lengths(void)
{
    mcp_elicit_error *err = NULL;
    mcp_elicit_caller *caller = NULL;
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *engine = world_engine(&world);
    mcp_elicit_call *call = NULL;
    size_t len = 0;

    CHECK(!mcp_elicit_caller_new_user("issuer, and more", 6, "s\0t", 3, "c", 1, &caller, &err));
    mcp_elicit_caller_free(caller);
    CHECK(names(mcp_elicit_caller_new_user("\xff", NUL, "s", NUL, "c", NUL, &caller, &err), &err, "issuer"));
    CHECK(names(mcp_elicit_caller_new_user("i", NUL, "s", (size_t)-2, "c", NUL, &caller, &err), &err,
                "subject"));

    caller = alice();
    static const char request[] = REQUEST("1", BOTH, "") "garbage";
    CHECK(!mcp_elicit_engine_open(engine, request, strlen(request) - 7, caller, &call, &err));
    CHECK_TEXT(mcp_elicit_call_target(call, &len), "deploy");
    CHECK_NUMBER(len, 6);
    mcp_elicit_call_free(call);

    /* An empty body is the peer's mistake, whatever the pointer to it. */
    CHECK_NUMBER(mcp_elicit_engine_open(engine, NULL, 0, caller, &call, &err), MCP_ELICIT_PARSE_ERROR);
    mcp_elicit_error_free(err);
    CHECK_NUMBER(mcp_elicit_engine_open(engine, "", NUL, caller, &call, &err), MCP_ELICIT_PARSE_ERROR);
    mcp_elicit_error_free(err);
    CHECK_NUMBER(mcp_elicit_engine_open(engine, "\xff", 1, caller, &call, &err), MCP_ELICIT_PARSE_ERROR);
    mcp_elicit_error_free(err);

    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_free(engine);
}

/* A status that `*err` explains; NULL when all went well, whatever it held. */
static void errors_are_written_each_time(void)
{
    mcp_elicit_error *err = (mcp_elicit_error *)&err;
    CHECK_NUMBER(mcp_elicit_schema_check(SCHEMA, NUL, &err), MCP_ELICIT_OK);
    CHECK(err == NULL);

    static const char faulty[] = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"object\"},"
                                 "\"b\":{\"type\":\"string\",\"minLength\":-1}},\"required\":[\"c\"]}";
    CHECK_NUMBER(mcp_elicit_schema_check(faulty, NUL, &err), MCP_ELICIT_SCHEMA);
    CHECK_NUMBER(mcp_elicit_error_status(err), MCP_ELICIT_SCHEMA);
    CHECK_TEXT(mcp_elicit_error_kind(err), "schema");
    CHECK_NUMBER(mcp_elicit_error_code(err), -32603);
    CHECK_NUMBER(mcp_elicit_error_http_status(err), 500);
    CHECK(!mcp_elicit_error_is_for_peer(err));
    CHECK(!mcp_elicit_error_is_retryable(err));
    CHECK_NUMBER(mcp_elicit_error_fault_count(err), 3);
    size_t len = 0;
    const char *message = mcp_elicit_error_message(err, &len);
    CHECK(message == mcp_elicit_error_message(err, NULL)); /* the same text each time */
    CHECK_NUMBER(strlen(message), len);
    for (size_t at = 0; at < 3; at++) {
        const mcp_elicit_fault *fault = mcp_elicit_error_fault(err, at);
        CHECK(*mcp_elicit_fault_rule(fault));
        const char *path = mcp_elicit_fault_path(fault, &len);
        CHECK_NUMBER(strlen(path), len);
        const char *sentence = mcp_elicit_fault_message(fault, &len);
        CHECK_NUMBER(strlen(sentence), len);
    }
    CHECK(mcp_elicit_error_fault(err, 3) == NULL);
    const char *faults = mcp_elicit_error_faults(err, &len);
    CHECK_NUMBER(strlen(faults), len);
    CHECK(strncmp(faults, "[{\"path\":\"/", 11) == 0);
    /* The peer is told no more than that something is wrong here. */
    mcp_elicit_reply *reply = mcp_elicit_error_reply(err);
    CHECK(strstr(mcp_elicit_reply_body(reply, NULL), "\"message\":\"Internal error\"") != NULL);
    mcp_elicit_reply_free(reply);
    mcp_elicit_error_free(err);
}

static mcp_elicit_status built(mcp_elicit_engine_config *config)
{
    mcp_elicit_engine *engine = NULL;
    mcp_elicit_status status = mcp_elicit_engine_new(config, &engine, NULL);
    CHECK((engine != NULL) == (status == MCP_ELICIT_OK));
    mcp_elicit_engine_free(engine);
    return status;
}

/* Keys from one source; an audience; limits within their range. */
static void configurations(void)
{
    static const uint8_t old_key[32] = {1, 2, 3}, new_key[32] = {4, 5, 6}, weak[32] = {0};
    char text[MCP_ELICIT_KEY_SIZE] = "";
    mcp_elicit_engine_config *config = mcp_elicit_engine_config_new();

    CHECK_NUMBER(built(config), MCP_ELICIT_CONFIG); /* neither keys nor audience */
    CHECK_NUMBER(mcp_elicit_engine_config_add_key(config, old_key, 31, NULL), MCP_ELICIT_CONFIG);
    CHECK_NUMBER(mcp_elicit_engine_config_add_key(config, weak, 32, NULL), MCP_ELICIT_CONFIG);
    CHECK_NUMBER(mcp_elicit_engine_config_add_key(config, old_key, 32, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_engine_config_add_key(config, old_key, 32, NULL), MCP_ELICIT_CONFIG);
    CHECK_NUMBER(mcp_elicit_engine_config_add_key(config, new_key, 32, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_engine_config_set_keys(config, KEY, NUL, NULL), MCP_ELICIT_CONFIG);
    CHECK_NUMBER(mcp_elicit_engine_config_set_ephemeral(config, NULL), MCP_ELICIT_CONFIG);
    CHECK_NUMBER(built(config), MCP_ELICIT_CONFIG); /* no audience */
    CHECK_NUMBER(mcp_elicit_engine_config_set_audience(config, "", NUL, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(built(config), MCP_ELICIT_CONFIG);
    CHECK_NUMBER(mcp_elicit_engine_config_set_audience(config, "deployer", NUL, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(built(config), MCP_ELICIT_OK);
    CHECK_NUMBER(built(config), MCP_ELICIT_OK); /* "One configuration can make several engines." */

    /* Values that the core's types do not hold, and values that it does not allow. */
    CHECK_NUMBER(mcp_elicit_engine_config_set_reasks(config, 65536, NULL), MCP_ELICIT_CONFIG);
    CHECK_NUMBER(mcp_elicit_engine_config_set_question_rounds(config, UINT64_MAX, NULL), MCP_ELICIT_CONFIG);
    CHECK_NUMBER(built(config), MCP_ELICIT_OK); /* what was refused changed nothing */
#define RANGE(setter, good, bad)                                                                   \
    do {                                                                                           \
        CHECK_NUMBER(mcp_elicit_engine_config_##setter(config, (bad), NULL), MCP_ELICIT_OK);       \
        CHECK_NUMBER(built(config), MCP_ELICIT_CONFIG);                                            \
        CHECK_NUMBER(mcp_elicit_engine_config_##setter(config, (good), NULL), MCP_ELICIT_OK);      \
        CHECK_NUMBER(built(config), MCP_ELICIT_OK);                                                \
    } while (0)
    RANGE(set_request_bytes, 1000, 0);
    RANGE(set_token_bytes, 1000, 0);
    RANGE(set_depth, 10, 0);
    RANGE(set_schema_properties, 3, 0);
    RANGE(set_schema_options, 3, 0);
    RANGE(set_question_rounds, 1, 0);
    RANGE(set_round_ttl_ms, 1, 0);
    mcp_elicit_store *store = NULL; /* the wait of a claim counts where there can be claims */
    CHECK_NUMBER(mcp_elicit_store_new_memory(0, &store, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_engine_config_set_store(config, store, NULL), MCP_ELICIT_OK);
    mcp_elicit_store_free(store);
    RANGE(set_claim_wait_ms, 1, UINT64_MAX);
    RANGE(set_flow_ttl_ms, 2, 0);
    RANGE(set_clock_skew_ms, 0, UINT64_MAX);
    CHECK_NUMBER(mcp_elicit_engine_config_set_reasks(config, 0, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_engine_config_set_server_info(config, "s", NUL, "1", NUL, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_engine_config_set_server_info_json(config, "{", NUL, NULL),
                 MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_engine_config_set_server_info_json(config, "{\"name\":\"s\"}", NUL, NULL),
                 MCP_ELICIT_OK);
    CHECK_NUMBER(built(config), MCP_ELICIT_CONFIG); /* no version */
    mcp_elicit_engine_config_free(config);

    /* A fresh key is a key: as text, and from the environment. */
    CHECK_NUMBER(mcp_elicit_keygen(text, sizeof text, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(strlen(text), MCP_ELICIT_KEY_SIZE - 1);
    config = mcp_elicit_engine_config_new();
    unsetenv("MCP_ELICIT_KEYS");
    CHECK_NUMBER(mcp_elicit_engine_config_set_keys_from_env(config, NULL), MCP_ELICIT_CONFIG);
    CHECK_NUMBER(mcp_elicit_engine_config_set_keys(config, "short", NUL, NULL), MCP_ELICIT_CONFIG);
    CHECK_NUMBER(mcp_elicit_engine_config_set_keys(config, text, NUL, NULL), MCP_ELICIT_OK);
    mcp_elicit_engine_config_free(config);
    config = mcp_elicit_engine_config_new();
    setenv("MCP_ELICIT_KEYS", text, 1);
    CHECK_NUMBER(mcp_elicit_engine_config_set_keys_from_env(config, NULL), MCP_ELICIT_OK);
    unsetenv("MCP_ELICIT_KEYS");
    CHECK_NUMBER(mcp_elicit_engine_config_set_keys_from_env(config, NULL), MCP_ELICIT_CONFIG);
    mcp_elicit_engine_config_free(config);
}

/* "... and, when nothing can call it any more, once to `destroy`" */
static void contexts_are_given_back_once(void)
{
    struct world first = {.now_ms = 1800000000000}, second = first;
    mcp_elicit_error *err = NULL;
    mcp_elicit_engine *one = NULL, *two = NULL;
    mcp_elicit_call *call = NULL;
    mcp_elicit_caller *caller = alice();
    mcp_elicit_engine_config *config = world_config(&first);

    CHECK(!mcp_elicit_engine_new(config, &one, &err));
    CHECK(!mcp_elicit_engine_config_set_log(config, world_log, &second, world_destroy, &err));
    CHECK_NUMBER(first.destroyed, 0); /* engine `one` still uses it */
    CHECK(!mcp_elicit_engine_new(config, &two, &err));
    mcp_elicit_engine_config_free(config);
    CHECK_NUMBER(first.destroyed, 0);

    /* "Parts keep alive what they need": the call is the last that holds engine `one`. */
    CHECK(!mcp_elicit_engine_open(one, REQUEST("1", BOTH, ""), NUL, caller, &call, &err));
    mcp_elicit_engine_free(one);
    CHECK_NUMBER(first.destroyed, 0);
    mcp_elicit_call_free(call);
    CHECK_NUMBER(first.destroyed, 1); /* its log hook; `two` shares clock and random source */
    mcp_elicit_engine_free(two);
    CHECK_NUMBER(first.destroyed, 3);
    CHECK_NUMBER(second.destroyed, 1);

    /* Replaced before anything used it; given back at once. No function: no hook. */
    config = world_config(&first);
    CHECK(!mcp_elicit_engine_config_set_log(config, NULL, &second, world_destroy, &err));
    CHECK_NUMBER(first.destroyed, 4);
    CHECK_NUMBER(second.destroyed, 2);
    CHECK(!mcp_elicit_engine_config_set_clock(config, NULL, NULL, NULL, &err));
    CHECK(!mcp_elicit_engine_config_set_random(config, NULL, NULL, NULL, &err));
    CHECK_NUMBER(first.destroyed, 6);
    CHECK_NUMBER(built(config), MCP_ELICIT_OK);
    mcp_elicit_engine_config_free(config);
    mcp_elicit_caller_free(caller);
}

/* A forms' warnings, and the option that lets a name look like a secret. */
static void forms_have_warnings(void)
{
    static const char sensitive[] = "{\"type\":\"object\",\"properties\":{\"password\":"
                                    "{\"type\":\"string\",\"title\":\"Password\"}}}";
    mcp_elicit_error *err = NULL;
    mcp_elicit_form *form = NULL;
    mcp_elicit_ask_options *options = mcp_elicit_ask_options_new();

    CHECK_NUMBER(mcp_elicit_form_new(NULL, sensitive, NUL, options, &form, &err), MCP_ELICIT_SCHEMA);
    CHECK(form == NULL);
    mcp_elicit_error_free(err);
    CHECK(!mcp_elicit_ask_options_set_allow_sensitive_name(options, "a word of the game", NUL, &err));
    CHECK(!mcp_elicit_form_new(NULL, sensitive, NUL, options, &form, &err));
    CHECK(mcp_elicit_form_warning_count(form) > 0);
    const mcp_elicit_fault *warning = mcp_elicit_form_warning(form, 0);
    CHECK_TEXT(mcp_elicit_fault_path(warning, NULL), "/properties/password");
    CHECK(*mcp_elicit_fault_message(warning, NULL));
    CHECK(mcp_elicit_form_warning(form, mcp_elicit_form_warning_count(form)) == NULL);
    mcp_elicit_form_free(form);
    mcp_elicit_ask_options_free(options);
}

int main(void)
{
    RUN(versions_agree);
    RUN(statuses_have_names);
    RUN(nothing_can_be_freed);
    RUN(accessors_of_nothing);
    RUN(null_is_named);
    RUN(null_is_named_by_builders);
    RUN(texts_have_lengths);
    RUN(errors_are_written_each_time);
    RUN(configurations);
    RUN(contexts_are_given_back_once);
    RUN(forms_have_warnings);
    return finished("handles");
}
