/*
 * The ways to ask: a form, a link, a request, a model, the roots; and the options of an ask.
 */
#include "rounds.h"

/* A link: not done asks again, done is accepted without asking. */
static void visits(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *engine = world_engine(&world);
    mcp_elicit_caller *caller = alice();
    mcp_elicit_ask_options *options = mcp_elicit_ask_options_new();
    mcp_elicit_call *call = opened(engine, REQUEST("1", BOTH, ""), caller);
    mcp_elicit_error *err = NULL;
    const mcp_elicit_outcome *login = NULL;
    mcp_elicit_source source = MCP_ELICIT_SOURCE_NONE;
#define VISIT(url, done, options) \
    mcp_elicit_call_elicit_url(call, "login", NUL, "Sign in.", NUL, url, NUL, done, options, &login, &err)

    CHECK_NUMBER(VISIT("javascript:alert(1)", 0, NULL), MCP_ELICIT_INVALID_ASK);
    CHECK(login == NULL);
    mcp_elicit_error_free(err);
    CHECK_NUMBER(VISIT("http://example.com/", 0, NULL), MCP_ELICIT_INVALID_ASK);
    mcp_elicit_error_free(err);
    CHECK(!mcp_elicit_ask_options_set_allow_insecure_http(options, 1, NULL));
    CHECK_NUMBER(VISIT("http://example.com/", 0, options), MCP_ELICIT_OK);
    CHECK(mcp_elicit_outcome_is_pending(login));
    CHECK_NUMBER(mcp_elicit_call_elicit_form(call, "login", NUL, "m", NUL, SCHEMA, NUL, NULL, &login, NULL),
                 MCP_ELICIT_CONFLICT);
    mcp_elicit_call_free(call);

    call = opened(engine, REQUEST("1", "{}", ""), caller);
    CHECK(!mcp_elicit_call_can_elicit(call, MCP_ELICIT_MODE_URL));
    CHECK_NUMBER(VISIT("https://example.com/", 2, NULL), MCP_ELICIT_OK); /* anything but 0 is done */
    CHECK_NUMBER(action_of(login), MCP_ELICIT_ACTION_ACCEPT);
    CHECK_NUMBER(mcp_elicit_outcome_source(login, &source, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(source, MCP_ELICIT_SOURCE_GRANT);
    mcp_elicit_call_free(call);

    /* Nobody can be asked: the peer is told all that is missing. */
    call = opened(engine, REQUEST("1", "{}", ""), caller);
    CHECK_NUMBER(VISIT("https://example.com/", 0, NULL), MCP_ELICIT_OK);
    asked(call, "target", SCHEMA);
    mcp_elicit_reply *reply = NULL;
    CHECK(!mcp_elicit_call_is_finished(call));
    CHECK_NUMBER(mcp_elicit_call_suspend(call, &reply, &err), MCP_ELICIT_OK);
    CHECK(mcp_elicit_call_is_finished(call));
    CHECK_NUMBER(mcp_elicit_reply_kind(reply), MCP_ELICIT_REPLY_ERROR);
    CHECK_NUMBER(mcp_elicit_reply_error(reply), MCP_ELICIT_MISSING_CAPABILITY);
    CHECK_NUMBER(mcp_elicit_reply_http_status(reply), 400);
    size_t len = 0;
    const char *data = raw(mcp_elicit_reply_body(reply, NULL), &len, "/error/data");
    static const char missing[] = "{\"requiredCapabilities\":{\"elicitation\":{\"form\":{},\"url\":{}}}}";
    CHECK(data && len == strlen(missing) && strncmp(data, missing, len) == 0);
    mcp_elicit_reply_free(reply);
    mcp_elicit_call_free(call);

    mcp_elicit_ask_options_free(options);
    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_free(engine);
}

/* The same question as text, as a form read before, and as a request: one question. */
static void three_ways_to_ask(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *engine = world_engine(&world);
    mcp_elicit_caller *caller = alice();
    mcp_elicit_form *form = NULL;
    mcp_elicit_call *call = opened(engine, REQUEST("1", BOTH, ""), caller);
    const mcp_elicit_outcome *outcome = NULL;
    CHECK(!mcp_elicit_form_new(engine, SCHEMA, NUL, NULL, &form, NULL));
    asked(call, "target", SCHEMA);
    CHECK_NUMBER(mcp_elicit_call_elicit_compiled_form(call, "target", NUL, "Which environment?", NUL, form,
                                                      NULL, &outcome, NULL),
                 MCP_ELICIT_OK);
    static const char request[] = "{\"method\":\"elicitation/create\",\"params\":{\"message\":"
                                  "\"Which environment?\",\"requestedSchema\":" SCHEMA "}}";
    CHECK_NUMBER(mcp_elicit_call_elicit(call, "target", NUL, request, NUL, 0, NULL, &outcome, NULL),
                 MCP_ELICIT_OK);
    CHECK(mcp_elicit_outcome_is_pending(outcome));
    CHECK_NUMBER(mcp_elicit_call_elicit(call, "other", NUL, "{\"mode\":\"fax\"}", NUL, 0, NULL, &outcome, NULL),
                 MCP_ELICIT_INVALID_ASK);
    CHECK_NUMBER(mcp_elicit_call_elicit(call, "other", NUL, "{", NUL, 0, NULL, &outcome, NULL),
                 MCP_ELICIT_INVALID_ARGUMENT);
    CHECK(outcome == NULL);
    mcp_elicit_form_free(form); /* "Questions that were asked with it go on." */

    mcp_elicit_reply *reply = NULL;
    size_t len = 0;
    CHECK_NUMBER(mcp_elicit_call_suspend(call, &reply, NULL), MCP_ELICIT_OK);
    const char *requests = raw(mcp_elicit_reply_body(reply, NULL), &len, "/result/inputRequests");
    CHECK(requests && strncmp(requests, "{\"target\":{", 11) == 0);
    mcp_elicit_reply_free(reply);
    mcp_elicit_call_free(call);
    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_free(engine);
}

/* The limits of the engine hold for schemas that are asked with it. */
static void limits_hold(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *engine = NULL;
    mcp_elicit_engine_config *config = world_config(&world);
    mcp_elicit_caller *caller = alice();
    mcp_elicit_call *call = NULL;
    mcp_elicit_form *form = NULL;
    const mcp_elicit_outcome *outcome = NULL;
    static const char request[] = REQUEST("1", BOTH, "");
    CHECK(!mcp_elicit_engine_config_set_schema_options(config, 2, NULL));
    CHECK(!mcp_elicit_engine_config_set_request_bytes(config, sizeof request - 1, NULL));
    CHECK(!mcp_elicit_engine_new(config, &engine, NULL));
    mcp_elicit_engine_config_free(config);
    call = opened(engine, request, caller);
    CHECK_NUMBER(mcp_elicit_call_elicit_form(call, "k", NUL, "m", NUL, SCHEMA, NUL, NULL, &outcome, NULL),
                 MCP_ELICIT_SCHEMA);
    CHECK_NUMBER(mcp_elicit_form_new(engine, SCHEMA, NUL, NULL, &form, NULL), MCP_ELICIT_SCHEMA);
    mcp_elicit_call_free(call);
    CHECK_NUMBER(mcp_elicit_engine_open(engine, REQUEST("1", BOTH, " "), NUL, caller, &call, NULL),
                 MCP_ELICIT_INVALID_REQUEST);
    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_free(engine);
}

/* The options of an ask reach the core: each changes what comes out. */
static void options_of_an_ask(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *engine = world_engine(&world);
    mcp_elicit_caller *caller = alice();
    mcp_elicit_ask_options *options = NULL;
    mcp_elicit_call *call = NULL;
    mcp_elicit_reply *reply = NULL;
    mcp_elicit_error *err = NULL;
    const mcp_elicit_outcome *outcome = NULL;
    mcp_elicit_source source = MCP_ELICIT_SOURCE_NONE;
    static const char defaults[] = "{\"type\":\"object\",\"properties\":{\"notify\":"
                                   "{\"type\":\"boolean\",\"default\":true}}}";
#define ASK(schema) \
    mcp_elicit_call_elicit_form(call, "k", NUL, "m", NUL, schema, NUL, options, &outcome, NULL)
#define SET(setter) CHECK_NUMBER(mcp_elicit_ask_options_##setter, MCP_ELICIT_OK)

    options = mcp_elicit_ask_options_new();
    SET(set_unavailable(options, MCP_ELICIT_POLICY_OUTCOME, NULL));
    call = opened(engine, REQUEST("1", "{}", ""), caller);
    CHECK_NUMBER(ASK(SCHEMA), MCP_ELICIT_OK);
    CHECK_NUMBER(action_of(outcome), MCP_ELICIT_ACTION_UNAVAILABLE);
    CHECK_TEXT(mcp_elicit_outcome_reason(outcome), "capability");
    mcp_elicit_call_free(call);

    SET(set_unavailable(options, MCP_ELICIT_POLICY_DEFAULTS, NULL));
    call = opened(engine, REQUEST("1", "{}", ""), caller);
    CHECK_NUMBER(ASK(defaults), MCP_ELICIT_OK);
    CHECK_NUMBER(action_of(outcome), MCP_ELICIT_ACTION_ACCEPT);
    CHECK(mcp_elicit_outcome_reason(outcome) == NULL);
    CHECK_NUMBER(mcp_elicit_outcome_source(outcome, &source, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(source, MCP_ELICIT_SOURCE_DEFAULT);
    mcp_elicit_call_free(call);

    /* What the model gives is not asked again; what it does not give, it is told to. */
    SET(set_unavailable(options, MCP_ELICIT_POLICY_TOOL_ERROR, NULL));
    SET(add_argument(options, "environment", NUL, NULL));
    call = opened(engine, REQUEST("1", BOTH, ",\"arguments\":{\"environment\":\"dev\"}"), caller);
    CHECK_NUMBER(ASK(SCHEMA), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_outcome_source(outcome, &source, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(source, MCP_ELICIT_SOURCE_ARGUMENT);
    mcp_elicit_call_free(call);
    call = opened(engine, REQUEST("1", "{}", ""), caller);
    CHECK_NUMBER(ASK(SCHEMA), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_call_suspend(call, &reply, NULL), MCP_ELICIT_OK);
    CHECK(strstr(mcp_elicit_reply_body(reply, NULL), "\"isError\":true") != NULL);
    mcp_elicit_reply_free(reply);
    mcp_elicit_call_free(call);

    /* Options that contradict each other are refused when the question is asked. */
    SET(set_human_only(options, 1, NULL));
    call = opened(engine, REQUEST("1", BOTH, ""), caller);
    CHECK_NUMBER(ASK(SCHEMA), MCP_ELICIT_INVALID_ASK);
    mcp_elicit_call_free(call);
    CHECK_NUMBER(mcp_elicit_ask_options_set_unavailable(options, 0, &err), MCP_ELICIT_INVALID_ARGUMENT);
    mcp_elicit_error_free(err);
    CHECK_NUMBER(mcp_elicit_ask_options_set_on_cancel(options, 5, &err), MCP_ELICIT_INVALID_ARGUMENT);
    mcp_elicit_error_free(err);
    mcp_elicit_ask_options_free(options);

    /* An answer that nobody asked for counts only where the ask says so. */
    static const char unasked[] =
        REQUEST("1", BOTH, ",\"inputResponses\":{\"k\":{\"action\":\"cancel\"}}");
    options = mcp_elicit_ask_options_new();
    call = opened(engine, unasked, caller);
    CHECK_NUMBER(ASK(SCHEMA), MCP_ELICIT_OK);
    CHECK(mcp_elicit_outcome_is_pending(outcome));
    mcp_elicit_call_free(call);
    SET(set_accept_unasked(options, 1, NULL));
    call = opened(engine, unasked, caller);
    CHECK_NUMBER(ASK(SCHEMA), MCP_ELICIT_OK);
    CHECK_NUMBER(action_of(outcome), MCP_ELICIT_ACTION_CANCEL);
    mcp_elicit_call_free(call);
    SET(set_on_cancel(options, MCP_ELICIT_POLICY_OUTCOME, NULL));
    call = opened(engine, unasked, caller);
    CHECK_NUMBER(ASK(SCHEMA), MCP_ELICIT_OK);
    CHECK_TEXT(mcp_elicit_outcome_reason(outcome), "cancelled");
    mcp_elicit_call_free(call);
    mcp_elicit_ask_options_free(options);

    /* After an invalid answer: own words, and only what was wrong. */
    static const char two[] = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"boolean\"},"
                              "\"b\":{\"type\":\"boolean\"}},\"required\":[\"a\",\"b\"]}";
    options = mcp_elicit_ask_options_new();
    SET(set_reask_invalid_only(options, 1, NULL));
    SET(set_messages(options, "{\"required\":\"das fehlt\"}", NUL, NULL));
    CHECK_NUMBER(mcp_elicit_ask_options_set_messages(options, "{\"no such rule\":\"\"}", NUL, NULL),
                 MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_ask_options_set_messages(options, "[", NUL, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    call = opened(engine, REQUEST("1", BOTH, ""), caller);
    CHECK_NUMBER(ASK(two), MCP_ELICIT_OK);
    char *state = suspended(call);
    char *request = retry(state, "{\"k\":{\"action\":\"accept\",\"content\":{\"a\":true}}}");
    call = opened(engine, request, caller);
    CHECK_NUMBER(ASK(two), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_call_suspend(call, &reply, NULL), MCP_ELICIT_OK);
    CHECK(strstr(mcp_elicit_reply_body(reply, NULL), "das fehlt") != NULL);
    size_t len = 0;
    const char *properties = raw(mcp_elicit_reply_body(reply, NULL), &len,
                                 "/result/inputRequests/k/params/requestedSchema/properties");
    CHECK(properties && strncmp(properties, "{\"b\":", 5) == 0);
    mcp_elicit_reply_free(reply);
    mcp_elicit_call_free(call);
    free(request);
    free(state);
    mcp_elicit_ask_options_free(options);
    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_free(engine);
}

/* Models and roots are asked alike; they know no yes and no. */
static void models_and_roots(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *engine = world_engine(&world);
    mcp_elicit_caller *caller = alice();
    mcp_elicit_call *call = NULL;
    mcp_elicit_reply *reply = NULL;
    mcp_elicit_error *err = NULL;
    const mcp_elicit_outcome *joke = NULL, *roots = NULL;
    static const char params[] = "{\"maxTokens\":9,\"messages\":[{\"role\":\"user\",\"content\":"
                                 "{\"type\":\"text\",\"text\":\"A joke.\"}}]}";
#define MODEL "{\"sampling\":{},\"roots\":{}}"
    call = opened(engine, REQUEST("1", MODEL, ""), caller);
    CHECK_NUMBER(mcp_elicit_call_create_message(call, "joke", NUL, "{}", NUL, NULL, &joke, &err),
                 MCP_ELICIT_INVALID_ASK);
    CHECK(joke == NULL);
    CHECK(mcp_elicit_error_fault_count(err) > 1);
    mcp_elicit_error_free(err);
    CHECK_NUMBER(mcp_elicit_call_create_message(call, "joke", NUL, params, NUL, NULL, &joke, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_call_list_roots(call, "roots", NUL, NULL, &roots, NULL), MCP_ELICIT_OK);
    CHECK(mcp_elicit_outcome_is_pending(joke) && mcp_elicit_outcome_is_pending(roots));
    CHECK_NUMBER(mcp_elicit_call_suspend(call, &reply, NULL), MCP_ELICIT_OK);
    char *state = state_of(reply), *request = malloc(strlen(state) + 1000);
    mcp_elicit_reply_free(reply);
    mcp_elicit_call_free(call);
    sprintf(request,
            REQUEST("2", MODEL,
                    ",\"requestState\":\"%s\",\"inputResponses\":{\"roots\":{\"roots\":[]},"
                    "\"joke\":{\"role\":\"assistant\",\"model\":\"m\",\"content\":"
                    "{\"type\":\"text\",\"text\":\"Ha.\"}}}"),
            state);
    call = opened(engine, request, caller);
    CHECK_NUMBER(mcp_elicit_call_create_message(call, "joke", NUL, params, NUL, NULL, &joke, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_call_list_roots(call, "roots", NUL, NULL, &roots, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(action_of(joke), MCP_ELICIT_ACTION_ANSWER);
    CHECK_NUMBER(action_of(roots), MCP_ELICIT_ACTION_ANSWER);
    const char *content = NULL;
    CHECK_NUMBER(mcp_elicit_outcome_content(roots, &content, NULL, NULL), MCP_ELICIT_OK);
    CHECK_TEXT(content, "{\"roots\":[]}");
    CHECK_NUMBER(mcp_elicit_call_retry_later(call, &reply, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_reply_kind(reply), MCP_ELICIT_REPLY_INPUT_REQUIRED);
    mcp_elicit_reply_free(reply);
    mcp_elicit_call_free(call);
    free(request);
    free(state);
    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_free(engine);
}

int main(void)
{
    RUN(visits);
    RUN(three_ways_to_ask);
    RUN(limits_hold);
    RUN(options_of_an_ask);
    RUN(models_and_roots);
    return finished("asks");
}
