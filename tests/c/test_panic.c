/*
 * No panic crosses the boundary: in a build that panics on purpose every export is called once, and
 * gives MCP_ELICIT_INTERNAL, or NULL, 0 or the like. `--list` prints the exports that are covered;
 * scripts/test_c.sh compares them with the symbols of the library.
 */
#include "own_store.h"
#include "rounds.h"

/* Only in a build with the feature `panic-test`, and in no header. */
void mcp_elicit_panic_test_arm(int inside);
bool mcp_elicit_panic_test_is_armed(void);

static const char *covered[512];
static int count;

static void arm(const char *name)
{
    if (strncmp(name, "mcp_elicit_", 11) != 0)
        CHECK(!"the name of an export");
    covered[count++] = name;
    about = name;
    mcp_elicit_panic_test_arm(0);
}

static void disarmed(void)
{
    CHECK(!mcp_elicit_panic_test_is_armed());
}

static mcp_elicit_error *err;

/* A function that returns a status: the error says no more than that there is a defect. */
#define STATUS(name, arguments)                                                          \
    do {                                                                                 \
        err = NULL;                                                                      \
        arm(#name);                                                                      \
        CHECK_NUMBER(name arguments, MCP_ELICIT_INTERNAL);                               \
        disarmed();                                                                      \
        CHECK_NUMBER(mcp_elicit_error_status(err), MCP_ELICIT_INTERNAL);                 \
        CHECK(!strstr(mcp_elicit_error_message(err, NULL), "on purpose"));               \
        mcp_elicit_error_free(err);                                                      \
    } while (0)

/* A function that returns a value: the neutral one. */
#define VALUE(name, arguments, neutral)        \
    do {                                       \
        arm(#name);                            \
        CHECK(name arguments == neutral);      \
        disarmed();                            \
    } while (0)

/* A function that frees: the handle is freed all the same, or a leak is reported. */
#define FREES(name, handle) \
    do {                    \
        arm(#name);         \
        name(handle);       \
        disarmed();         \
    } while (0)

static void hear(void *context, const mcp_elicit_event *event)
{
    bool *heard = context;
    if (*heard)
        return;
    *heard = true;
    VALUE(mcp_elicit_event_level, (event), MCP_ELICIT_LEVEL_NONE);
    VALUE(mcp_elicit_event_name, (event), NULL);
    VALUE(mcp_elicit_event_reason, (event), NULL);
    VALUE(mcp_elicit_event_message, (event, NULL), NULL);
    VALUE(mcp_elicit_event_flow_id, (event), NULL);
}

static void texts(void)
{
    CHECK_TEXT((arm("mcp_elicit_version"), mcp_elicit_version()), "");
    disarmed();
    CHECK_TEXT((arm("mcp_elicit_protocol_version"), mcp_elicit_protocol_version()), "");
    disarmed();
    CHECK_TEXT((arm("mcp_elicit_status_name"), mcp_elicit_status_name(0)), "unknown");
    disarmed();
    VALUE(mcp_elicit_version_number, (), 0);
}

static void configurations(void)
{
    bool heard = false;
    char key[MCP_ELICIT_KEY_SIZE];
    mcp_elicit_engine *engine = (mcp_elicit_engine *)&engine;
    VALUE(mcp_elicit_engine_config_new, (), NULL);
    mcp_elicit_engine_config *config = mcp_elicit_engine_config_new();
    STATUS(mcp_elicit_engine_config_add_key, (config, (const uint8_t *)KEY, 64, &err));
    STATUS(mcp_elicit_engine_config_set_keys, (config, KEY, NUL, &err));
    STATUS(mcp_elicit_engine_config_set_keys_from_env, (config, &err));
    STATUS(mcp_elicit_engine_config_set_ephemeral, (config, &err));
    STATUS(mcp_elicit_engine_config_set_audience, (config, "a", NUL, &err));
    STATUS(mcp_elicit_engine_config_set_server_info, (config, "n", NUL, "1", NUL, &err));
    STATUS(mcp_elicit_engine_config_set_server_info_json, (config, "{}", NUL, &err));
    STATUS(mcp_elicit_engine_config_set_state_format, (config, 1, &err));
    STATUS(mcp_elicit_engine_config_set_log, (config, hear, &heard, NULL, &err));
    STATUS(mcp_elicit_engine_config_set_clock, (config, NULL, NULL, NULL, &err));
    STATUS(mcp_elicit_engine_config_set_random, (config, NULL, NULL, NULL, &err));
    STATUS(mcp_elicit_engine_config_set_request_bytes, (config, 1, &err));
    STATUS(mcp_elicit_engine_config_set_token_bytes, (config, 1, &err));
    STATUS(mcp_elicit_engine_config_set_depth, (config, 1, &err));
    STATUS(mcp_elicit_engine_config_set_schema_properties, (config, 1, &err));
    STATUS(mcp_elicit_engine_config_set_schema_options, (config, 1, &err));
    STATUS(mcp_elicit_engine_config_set_question_rounds, (config, 1, &err));
    STATUS(mcp_elicit_engine_config_set_reasks, (config, 1, &err));
    STATUS(mcp_elicit_engine_config_set_round_ttl_ms, (config, 1, &err));
    STATUS(mcp_elicit_engine_config_set_flow_ttl_ms, (config, 1, &err));
    STATUS(mcp_elicit_engine_config_set_claim_wait_ms, (config, 1, &err));
    STATUS(mcp_elicit_engine_config_set_clock_skew_ms, (config, 1, &err));
    STATUS(mcp_elicit_engine_config_set_store, (config, NULL, &err));
    CHECK(!mcp_elicit_engine_config_set_ephemeral(config, NULL));
    CHECK(!mcp_elicit_engine_config_set_audience(config, "a", NUL, NULL));
    CHECK(!mcp_elicit_engine_config_set_log(config, hear, &heard, NULL, NULL));
    STATUS(mcp_elicit_engine_new, (config, &engine, &err));
    CHECK(!mcp_elicit_engine_new(config, &engine, NULL)); /* says that its key is ephemeral */
    CHECK(heard);
    FREES(mcp_elicit_engine_config_free, config);
    FREES(mcp_elicit_engine_free, engine);
    STATUS(mcp_elicit_keygen, (key, sizeof key, &err));
}

static uint32_t filled(void *context, const char *key, mcp_elicit_store_answer *answer)
{
    (void)context, (void)key;
    STATUS(mcp_elicit_store_answer_set_value, (answer, (const uint8_t *)"v", 1, &err));
    STATUS(mcp_elicit_store_answer_set_message, (answer, "m", NUL, &err));
    CHECK(!mcp_elicit_store_answer_set_value(answer, (const uint8_t *)"v", 1, NULL));
    return MCP_ELICIT_STORE_FOUND;
}

static void stores(void)
{
    struct own_store state = OWN_STORE;
    mcp_elicit_store_functions functions = own_functions(&state);
    functions.get = filled;
    mcp_elicit_store *store = NULL;
    mcp_elicit_store_answer *answer = NULL;
    STATUS(mcp_elicit_store_new_memory, (0, &store, &err));
    STATUS(mcp_elicit_store_new_sqlite, ("/no/such/file", NUL, 0, &store, &err));
    STATUS(mcp_elicit_store_new_redis, ("redis://127.0.0.1:1", NUL, 0, &store, &err));
    STATUS(mcp_elicit_store_new_custom, (&functions, &store, &err));
    CHECK(!mcp_elicit_store_new_custom(&functions, &store, NULL));
    STATUS(mcp_elicit_store_get, (store, "k", NUL, &answer, &err));
    STATUS(mcp_elicit_store_put_if_absent, (store, "k", NUL, NULL, 0, 1, &answer, &err));
    STATUS(mcp_elicit_store_compare_and_set, (store, "k", NUL, NULL, 0, NULL, 0, 1, &answer, &err));
    STATUS(mcp_elicit_store_compare_and_delete, (store, "k", NUL, NULL, 0, &answer, &err));
    CHECK(!mcp_elicit_store_get(store, "k", NUL, &answer, NULL));
    VALUE(mcp_elicit_store_answer_result, (answer), MCP_ELICIT_STORE_NONE);
    VALUE(mcp_elicit_store_answer_value, (answer, NULL), NULL);
    FREES(mcp_elicit_store_answer_free, answer);
    FREES(mcp_elicit_store_free, store);
    CHECK_NUMBER(state.destroyed, 1);
    VALUE(mcp_elicit_claim_options_new, (), NULL);
    mcp_elicit_claim_options *options = mcp_elicit_claim_options_new();
    STATUS(mcp_elicit_claim_options_set_wait_ms, (options, 1, &err));
    STATUS(mcp_elicit_claim_options_set_lease_ms, (options, 1, &err));
    STATUS(mcp_elicit_claim_options_set_remember, (options, 1, &err));
    FREES(mcp_elicit_claim_options_free, options);
}

static void forms_without_calls(const mcp_elicit_form *form)
{
    mcp_elicit_form *other = NULL;
    mcp_elicit_text *text = NULL;
    mcp_elicit_answer *answer = NULL;
    mcp_elicit_answer_options *options = NULL;
    STATUS(mcp_elicit_form_normalize, (NULL, SCHEMA, NUL, NULL, &other, &text, &err));
    STATUS(mcp_elicit_form_downgrade, (form, "2025-06-18", NUL, &other, &text, &err));
    STATUS(mcp_elicit_form_validate, (form, "{}", NUL, NULL, &answer, &err));
    STATUS(mcp_elicit_form_coerce, (form, "environment", NUL, "dev", NUL, NULL, &answer, &err));
    STATUS(mcp_elicit_form_print, (form, "environment", NUL, "\"dev\"", NUL, &text, &err));
    STATUS(mcp_elicit_form_with_defaults, (form, "{}", NUL, &text, &err));
    STATUS(mcp_elicit_form_for_type, (form, "{}", NUL, &text, &err));
    STATUS(mcp_elicit_form_wire_again, (form, "{}", NUL, NULL, 0, &text, &err));
    CHECK(!mcp_elicit_form_with_defaults(form, "{}", NUL, &text, NULL));
    VALUE(mcp_elicit_text_data, (text, NULL), NULL);
    FREES(mcp_elicit_text_free, text);
    CHECK(!mcp_elicit_form_validate(form, "{\"environment\":7}", NUL, NULL, &answer, NULL));
    VALUE(mcp_elicit_answer_content, (answer, NULL), NULL);
    VALUE(mcp_elicit_answer_dropped, (answer, NULL), NULL);
    VALUE(mcp_elicit_answer_fault_count, (answer), 0);
    VALUE(mcp_elicit_answer_fault, (answer, 0), NULL);
    FREES(mcp_elicit_answer_free, answer);
    VALUE(mcp_elicit_answer_options_new, (), NULL);
    options = mcp_elicit_answer_options_new();
    STATUS(mcp_elicit_answer_options_set_refuse_unknown, (options, true, &err));
    STATUS(mcp_elicit_answer_options_set_messages, (options, "{}", NUL, true, &err));
    FREES(mcp_elicit_answer_options_free, options);
}

static void errors(void)
{
    mcp_elicit_error *error = NULL;
    mcp_elicit_form *form = NULL;
    STATUS(mcp_elicit_schema_check, (SCHEMA, NUL, &err));
    CHECK_NUMBER(mcp_elicit_schema_check("{}", NUL, &error), MCP_ELICIT_SCHEMA);
    const mcp_elicit_fault *fault = mcp_elicit_error_fault(error, 0);
    VALUE(mcp_elicit_fault_path, (fault, NULL), NULL);
    VALUE(mcp_elicit_fault_rule, (fault), NULL);
    VALUE(mcp_elicit_fault_message, (fault, NULL), NULL);
    VALUE(mcp_elicit_error_status, (error), MCP_ELICIT_INTERNAL);
    VALUE(mcp_elicit_error_kind, (error), NULL);
    VALUE(mcp_elicit_error_code, (error), 0);
    VALUE(mcp_elicit_error_http_status, (error), 0);
    VALUE(mcp_elicit_error_is_for_peer, (error), false);
    VALUE(mcp_elicit_error_is_retryable, (error), false);
    VALUE(mcp_elicit_error_message, (error, NULL), NULL);
    VALUE(mcp_elicit_error_data, (error, NULL), NULL);
    VALUE(mcp_elicit_error_fault_count, (error), 0);
    VALUE(mcp_elicit_error_fault, (error, 0), NULL);
    VALUE(mcp_elicit_error_faults, (error, NULL), NULL);
    VALUE(mcp_elicit_error_reply, (error), NULL);
    FREES(mcp_elicit_error_free, error);
    STATUS(mcp_elicit_form_new, (NULL, SCHEMA, NUL, NULL, &form, &err));
    CHECK(!mcp_elicit_form_new(NULL, SCHEMA, NUL, NULL, &form, NULL));
    VALUE(mcp_elicit_form_warning_count, (form), 0);
    VALUE(mcp_elicit_form_warning, (form, 0), NULL);
    VALUE(mcp_elicit_form_wire, (form, NULL), NULL);
    VALUE(mcp_elicit_form_source, (form, NULL), NULL);
    forms_without_calls(form);
    FREES(mcp_elicit_form_free, form);
}

static void fields(void)
{
    mcp_elicit_form *form = NULL;
    uint64_t number;
    VALUE(mcp_elicit_form_builder_new, (), NULL);
    mcp_elicit_form_builder *builder = mcp_elicit_form_builder_new();
    STATUS(mcp_elicit_form_builder_add_string, (builder, "f", NUL, 1, &err));
    STATUS(mcp_elicit_form_builder_add_integer, (builder, "f", NUL, 1, &err));
    STATUS(mcp_elicit_form_builder_add_number, (builder, "f", NUL, 1, &err));
    STATUS(mcp_elicit_form_builder_add_boolean, (builder, "f", NUL, 1, &err));
    STATUS(mcp_elicit_form_builder_add_choice, (builder, "f", NUL, 1, &err));
    STATUS(mcp_elicit_form_builder_add_choices, (builder, "f", NUL, 1, &err));
    CHECK(!mcp_elicit_form_builder_add_choice(builder, "f", NUL, 1, NULL));
    STATUS(mcp_elicit_form_builder_set_title, (builder, "t", NUL, &err));
    STATUS(mcp_elicit_form_builder_set_description, (builder, "t", NUL, &err));
    STATUS(mcp_elicit_form_builder_set_format, (builder, "t", NUL, &err));
    STATUS(mcp_elicit_form_builder_set_pattern, (builder, "t", NUL, &err));
    STATUS(mcp_elicit_form_builder_set_default, (builder, "1", NUL, &err));
    STATUS(mcp_elicit_form_builder_set_minimum, (builder, "1", NUL, &err));
    STATUS(mcp_elicit_form_builder_set_maximum, (builder, "1", NUL, &err));
    STATUS(mcp_elicit_form_builder_set_more_than, (builder, "1", NUL, &err));
    STATUS(mcp_elicit_form_builder_set_less_than, (builder, "1", NUL, &err));
    STATUS(mcp_elicit_form_builder_set_multiple_of, (builder, "1", NUL, &err));
    STATUS(mcp_elicit_form_builder_set_min_length, (builder, 1, &err));
    STATUS(mcp_elicit_form_builder_set_max_length, (builder, 1, &err));
    STATUS(mcp_elicit_form_builder_set_min_items, (builder, 1, &err));
    STATUS(mcp_elicit_form_builder_set_max_items, (builder, 1, &err));
    STATUS(mcp_elicit_form_builder_add_option, (builder, "v", NUL, "t", NUL, &err));
    CHECK(!mcp_elicit_form_builder_add_option(builder, "v", NUL, "t", NUL, NULL));
    STATUS(mcp_elicit_form_builder_build, (builder, NULL, NULL, &form, &err));
    CHECK(form == NULL);
    CHECK(!mcp_elicit_form_builder_build(builder, NULL, NULL, &form, NULL));
    FREES(mcp_elicit_form_builder_free, builder);
    VALUE(mcp_elicit_form_field_count, (form), 0);
    VALUE(mcp_elicit_form_field, (form, 0), NULL);
    VALUE(mcp_elicit_form_field_named, (form, "f", NUL), NULL);
    const mcp_elicit_field *field = mcp_elicit_form_field(form, 0);
    CHECK_NUMBER(mcp_elicit_field_choice_count(field), 1); /* a panic before the work adds nothing */
    VALUE(mcp_elicit_field_name, (field, NULL), NULL);
    VALUE(mcp_elicit_field_title, (field, NULL), NULL);
    VALUE(mcp_elicit_field_label, (field, NULL), NULL);
    VALUE(mcp_elicit_field_description, (field, NULL), NULL);
    VALUE(mcp_elicit_field_default, (field, NULL), NULL);
    VALUE(mcp_elicit_field_format, (field, NULL), NULL);
    VALUE(mcp_elicit_field_minimum, (field, NULL), NULL);
    VALUE(mcp_elicit_field_maximum, (field, NULL), NULL);
    VALUE(mcp_elicit_field_kind, (field), MCP_ELICIT_FIELD_NONE);
    VALUE(mcp_elicit_field_is_required, (field), false);
    VALUE(mcp_elicit_field_is_sensitive, (field), false);
    VALUE(mcp_elicit_field_min_length, (field, &number), false);
    VALUE(mcp_elicit_field_max_length, (field, &number), false);
    VALUE(mcp_elicit_field_min_items, (field, &number), false);
    VALUE(mcp_elicit_field_max_items, (field, &number), false);
    VALUE(mcp_elicit_field_pattern_count, (field), 0);
    VALUE(mcp_elicit_field_choice_count, (field), 0);
    VALUE(mcp_elicit_field_pattern, (field, 0, NULL), NULL);
    VALUE(mcp_elicit_field_choice_value, (field, 0, NULL), NULL);
    VALUE(mcp_elicit_field_choice_title, (field, 0, NULL), NULL);
    mcp_elicit_form_free(form);
}

static void callers_and_options(void)
{
    mcp_elicit_caller *caller = NULL;
    STATUS(mcp_elicit_caller_new_user, ("i", NUL, "s", NUL, "c", NUL, &caller, &err));
    CHECK(caller == NULL);
    VALUE(mcp_elicit_caller_new_single_user, (), NULL);
    VALUE(mcp_elicit_caller_new_none, (), NULL);
    caller = alice();
    STATUS(mcp_elicit_caller_set_http, (caller, &err));
    STATUS(mcp_elicit_caller_add_header, (caller, "n", NUL, "v", NUL, &err));
    STATUS(mcp_elicit_caller_add_param_header, (caller, "n", NUL, "/p", NUL, &err));
    FREES(mcp_elicit_caller_free, caller);
    VALUE(mcp_elicit_ask_options_new, (), NULL);
    mcp_elicit_ask_options *options = mcp_elicit_ask_options_new();
    STATUS(mcp_elicit_ask_options_set_allow_insecure_http, (options, 1, &err));
    STATUS(mcp_elicit_ask_options_set_accept_unasked, (options, 1, &err));
    STATUS(mcp_elicit_ask_options_set_allow_sensitive_name, (options, "r", NUL, &err));
    STATUS(mcp_elicit_ask_options_set_unavailable, (options, 1, &err));
    STATUS(mcp_elicit_ask_options_set_on_cancel, (options, 2, &err));
    STATUS(mcp_elicit_ask_options_set_human_only, (options, 1, &err));
    STATUS(mcp_elicit_ask_options_set_reask_invalid_only, (options, 1, &err));
    STATUS(mcp_elicit_ask_options_set_messages, (options, "{}", NUL, &err));
    STATUS(mcp_elicit_ask_options_add_argument, (options, "f", NUL, &err));
    FREES(mcp_elicit_ask_options_free, options);
}

static void calls(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *engine = world_engine(&world);
    mcp_elicit_caller *caller = alice();
    mcp_elicit_form *form = NULL;
    mcp_elicit_call *call = NULL, *none = NULL;
    mcp_elicit_envelope *envelope = NULL;
    mcp_elicit_reply *reply = NULL;
    const mcp_elicit_outcome *outcome = NULL;
    const char *text;
    static const char request[] = REQUEST("1", BOTH, "");
    CHECK(!mcp_elicit_form_new(engine, SCHEMA, NUL, NULL, &form, NULL));

    STATUS(mcp_elicit_engine_open, (engine, request, NUL, caller, &none, &err));
    STATUS(mcp_elicit_engine_open_params, (engine, "m", NUL, "{}", NUL, caller, &none, &err));
    STATUS(mcp_elicit_engine_check, (engine, request, NUL, caller, &envelope, &err));
    CHECK(!mcp_elicit_engine_check(engine, request, NUL, caller, &envelope, NULL));
    VALUE(mcp_elicit_envelope_method, (envelope, NULL), NULL);
    VALUE(mcp_elicit_envelope_id, (envelope, NULL), NULL);
    VALUE(mcp_elicit_envelope_client_info, (envelope, NULL), NULL);
    VALUE(mcp_elicit_envelope_can_elicit, (envelope, 1), false);
    FREES(mcp_elicit_envelope_free, envelope);

    call = opened(engine, request, caller);
    VALUE(mcp_elicit_call_method, (call), NULL);
    VALUE(mcp_elicit_call_target, (call, NULL), NULL);
    VALUE(mcp_elicit_call_arguments, (call, NULL), NULL);
    VALUE(mcp_elicit_call_flow_id, (call), NULL);
    VALUE(mcp_elicit_call_round, (call), 0);
    VALUE(mcp_elicit_call_client_info, (call, NULL), NULL);
    VALUE(mcp_elicit_call_client_capabilities, (call, NULL), NULL);
    VALUE(mcp_elicit_call_can_elicit, (call, 1), false);
    VALUE(mcp_elicit_call_is_finished, (call), false);
    VALUE(mcp_elicit_call_is_pending, (call), true); /* the side on which nothing is finished */
    VALUE(mcp_elicit_call_app_data, (call, NULL), NULL);
    VALUE(mcp_elicit_call_has_claim, (call), false);
    VALUE(mcp_elicit_call_idempotency_key, (call), NULL);
    mcp_elicit_claim claim;
    STATUS(mcp_elicit_call_claim, (call, NULL, &claim, NULL, NULL, &err));
    STATUS(mcp_elicit_call_release_claim, (call, &err));
    STATUS(mcp_elicit_call_complete_and_remember, (call, "{}", NUL, &reply, &err));
    STATUS(mcp_elicit_call_elicit_form, (call, "k", NUL, "m", NUL, SCHEMA, NUL, NULL, &outcome, &err));
    STATUS(mcp_elicit_call_elicit_compiled_form, (call, "k", NUL, "m", NUL, form, NULL, &outcome, &err));
    STATUS(mcp_elicit_call_elicit_url, (call, "k", NUL, "m", NUL, "https://a/", NUL, 0, NULL, &outcome, &err));
    STATUS(mcp_elicit_call_elicit, (call, "k", NUL, "{}", NUL, 0, NULL, &outcome, &err));
    STATUS(mcp_elicit_call_create_message, (call, "k", NUL, "{}", NUL, NULL, &outcome, &err));
    STATUS(mcp_elicit_call_list_roots, (call, "k", NUL, NULL, &outcome, &err));
    STATUS(mcp_elicit_call_step_result, (call, "k", NUL, &text, NULL, &err));
    STATUS(mcp_elicit_call_record_step, (call, "k", NUL, "1", NUL, &err));
    STATUS(mcp_elicit_call_set_app_data, (call, NULL, 0, &err));
    STATUS(mcp_elicit_call_suspend, (call, &reply, &err));
    STATUS(mcp_elicit_call_retry_later, (call, &reply, &err));
    STATUS(mcp_elicit_call_complete, (call, "{}", NUL, &reply, &err));
    STATUS(mcp_elicit_call_fail, (call, 1, "m", NUL, NULL, 0, &reply, &err));
    STATUS(mcp_elicit_call_settle, (call, 1, NULL, 0, NULL, &reply, &err));

    /* A panic before the work leaves the call as it was. */
    outcome = asked(call, "k", SCHEMA);
    mcp_elicit_action action;
    mcp_elicit_source source;
    size_t number;
    STATUS(mcp_elicit_outcome_action, (outcome, &action, &err));
    STATUS(mcp_elicit_outcome_content, (outcome, &text, NULL, &err));
    STATUS(mcp_elicit_outcome_source, (outcome, &source, &err));
    STATUS(mcp_elicit_outcome_fault_count, (outcome, &number, &err));
    STATUS(mcp_elicit_outcome_faults, (outcome, &text, NULL, &err));
    VALUE(mcp_elicit_outcome_fault, (outcome, 0), NULL);
    VALUE(mcp_elicit_outcome_reason, (outcome), NULL);
    VALUE(mcp_elicit_outcome_is_pending, (outcome), true);
    CHECK(!mcp_elicit_call_suspend(call, &reply, NULL));
    VALUE(mcp_elicit_reply_kind, (reply), MCP_ELICIT_REPLY_NONE);
    VALUE(mcp_elicit_reply_error, (reply), MCP_ELICIT_INTERNAL);
    VALUE(mcp_elicit_reply_body, (reply, NULL), NULL);
    VALUE(mcp_elicit_reply_http_status, (reply), 0);
    VALUE(mcp_elicit_reply_header_count, (reply), 0);
    VALUE(mcp_elicit_reply_header_name, (reply, 0), NULL);
    VALUE(mcp_elicit_reply_header_value, (reply, 0), NULL);
    FREES(mcp_elicit_reply_free, reply);
    FREES(mcp_elicit_call_free, call);

    /* A panic in the middle of a change: the call is done with, and says so each time. */
    about = "a change that breaks off";
    call = opened(engine, request, caller);
    mcp_elicit_panic_test_arm(1);
    CHECK_NUMBER(mcp_elicit_call_elicit_form(call, "k", NUL, "m", NUL, SCHEMA, NUL, NULL, &outcome, NULL),
                 MCP_ELICIT_INTERNAL);
    disarmed();
    CHECK(outcome == NULL);
    CHECK_NUMBER(mcp_elicit_call_complete(call, "{\"content\":[]}", NUL, &reply, NULL), MCP_ELICIT_INTERNAL);
    CHECK_NUMBER(mcp_elicit_call_suspend(call, &reply, &err), MCP_ELICIT_INTERNAL);
    CHECK(reply == NULL);
    reply = mcp_elicit_error_reply(err); /* the peer is told something all the same */
    CHECK_NUMBER(mcp_elicit_reply_kind(reply), MCP_ELICIT_REPLY_ERROR);
    mcp_elicit_reply_free(reply);
    mcp_elicit_error_free(err);
    mcp_elicit_call_free(call);

    mcp_elicit_form_free(form);
    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_free(engine);
}

int main(int arguments, char **argument)
{
    RUN(texts);
    RUN(configurations);
    RUN(stores);
    RUN(errors);
    RUN(fields);
    RUN(callers_and_options);
    RUN(calls);
    if (arguments > 1 && strcmp(argument[1], "--list") == 0) {
        for (int at = 0; at < count; at++)
            printf("%s\n", covered[at]);
        return failures ? 1 : 0;
    }
    return finished("panics");
}
