/*
 * The vectors that every language runs (tests/vectors, formats in its README.md): requests,
 * capabilities, forms and tokens. Whole flows are in test_flows.c.
 *
 *     test_vectors FOLDER
 */
#include "check.h"
#include "world.h"

#include <stdlib.h>

#include <cjson/cJSON.h>

static const char *folder;

/* --- reading a vector ---------------------------------------------------------------------- */

static cJSON *vectors(const char *name)
{
    char *text = read_file(folder, name);
    cJSON *json = cJSON_Parse(text);
    free(text);
    if (!json) {
        fprintf(stderr, "%s is not JSON\n", name);
        exit(1);
    }
    return json;
}

static const char *member(const cJSON *json, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, name));
}

/* What is allocated for so many bytes: twice as much each time, since some texts are long. */
static size_t room(size_t len)
{
    size_t room = 64;
    while (room < len)
        room *= 2;
    return room;
}

static void append(char **bytes, size_t *len, const void *more, size_t more_len)
{
    if (!*bytes || room(*len + 1) != room(*len + more_len + 1))
        *bytes = realloc(*bytes, room(*len + more_len + 1));
    if (more_len)
        memcpy(*bytes + *len, more, more_len);
    *len += more_len;
    (*bytes)[*len] = '\0';
}

static void append_part(char **bytes, size_t *len, const cJSON *part)
{
    const char *repeat = member(part, "repeat"), *hex = member(part, "hex");
    if (cJSON_IsString(part)) {
        append(bytes, len, part->valuestring, strlen(part->valuestring));
    } else if (repeat) {
        double times = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(part, "times"));
        for (long at = 0; at < (long)times; at++)
            append(bytes, len, repeat, strlen(repeat));
    } else if (hex) {
        for (; hex[0] && hex[1]; hex += 2) {
            char byte = (char)strtoul((char[]){hex[0], hex[1], 0}, NULL, 16);
            append(bytes, len, &byte, 1);
        }
    } else {
        CHECK(!"a part that this runner understands");
    }
}

/* The bytes of a text, or of its parts, to be freed. */
static char *bytes_of(const cJSON *text, size_t *len)
{
    char *bytes = NULL;
    const cJSON *part;
    *len = 0;
    append(&bytes, len, "", 0);
    if (cJSON_IsArray(text)) {
        cJSON_ArrayForEach(part, text) append_part(&bytes, len, part);
    } else {
        append_part(&bytes, len, text);
    }
    return bytes;
}

/* The caller that a case describes; its principal is none unless it says another. */
static mcp_elicit_caller *caller_of(const cJSON *principal, const cJSON *headers, const cJSON *param_headers)
{
    mcp_elicit_caller *caller = NULL;
    const cJSON *each, *key;
    if (cJSON_IsArray(principal)) {
        const char *parts[3];
        for (int at = 0; at < 3; at++)
            parts[at] = cJSON_GetStringValue(cJSON_GetArrayItem(principal, at));
        CHECK(!mcp_elicit_caller_new_user(parts[0], NUL, parts[1], NUL, parts[2], NUL, &caller, NULL));
    } else if (cJSON_IsString(principal) && strcmp(principal->valuestring, "single_user") == 0) {
        caller = mcp_elicit_caller_new_single_user();
    } else {
        caller = mcp_elicit_caller_new_none();
    }
    if (cJSON_IsArray(headers))
        CHECK(!mcp_elicit_caller_set_http(caller, NULL));
    cJSON_ArrayForEach(each, headers)
    {
        size_t name_len, value_len;
        char *name = bytes_of(cJSON_GetArrayItem(each, 0), &name_len);
        char *value = bytes_of(cJSON_GetArrayItem(each, 1), &value_len);
        CHECK(!mcp_elicit_caller_add_header(caller, name, name_len, value, value_len, NULL));
        free(name);
        free(value);
    }
    cJSON_ArrayForEach(each, param_headers)
    {
        char *pointer = NULL;
        size_t len = 0;
        cJSON_ArrayForEach(key, each)
        {
            append(&pointer, &len, "/", 1);
            for (const char *c = key->valuestring; *c; c++)
                append(&pointer, &len, *c == '~' ? "~0" : *c == '/' ? "~1" : c, *c == '~' || *c == '/' ? 2 : 1);
        }
        CHECK(!mcp_elicit_caller_add_param_header(caller, each->string, NUL, pointer, len, NULL));
        free(pointer);
    }
    return caller;
}

/* An engine with default limits, but for a log that is kept. */
static mcp_elicit_engine *plain_engine(struct world *world)
{
    mcp_elicit_engine *engine = NULL;
    mcp_elicit_engine_config *config = mcp_elicit_engine_config_new();
    CHECK(!mcp_elicit_engine_config_set_ephemeral(config, NULL));
    CHECK(!mcp_elicit_engine_config_set_audience(config, "vectors", NUL, NULL));
    CHECK(!mcp_elicit_engine_config_set_log(config, world_log, world, NULL, NULL));
    CHECK(!mcp_elicit_engine_new(config, &engine, NULL));
    mcp_elicit_engine_config_free(config);
    return engine;
}

/* --- requests.json ------------------------------------------------------------------------- */

/* The error that a case expects; frees it. */
static void check_error(const cJSON *expected, mcp_elicit_error *err, bool bare)
{
    CHECK_TEXT(mcp_elicit_error_kind(err), member(expected, "kind"));
    CHECK_NUMBER(mcp_elicit_error_code(err),
                 cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(expected, "code")));
    CHECK_NUMBER(mcp_elicit_error_http_status(err),
                 cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(expected, "http_status")));

    cJSON *data = cJSON_Parse(mcp_elicit_error_data(err, NULL) ? mcp_elicit_error_data(err, NULL) : "null");
    if (cJSON_GetObjectItemCaseSensitive(data, "path"))
        CHECK(member(data, "message") && *member(data, "message"));
    cJSON_DeleteItemFromObjectCaseSensitive(data, "message");
    CHECK(cJSON_Compare(data, cJSON_GetObjectItemCaseSensitive(expected, "data"), true));
    cJSON_Delete(data);

    mcp_elicit_reply *reply = mcp_elicit_error_reply(err);
    if (strcmp(member(expected, "kind"), "not_a_call") == 0) {
        CHECK(reply == NULL);
    } else {
        const cJSON *id = cJSON_GetObjectItemCaseSensitive(expected, "id");
        char *begins = NULL;
        size_t len = 0, id_len;
        if (!bare)
            append(&begins, &len, "{\"jsonrpc\":\"2.0\",", 17);
        if (!cJSON_IsNull(id)) {
            char *text = bytes_of(id, &id_len);
            append(&begins, &len, "\"id\":", 5);
            append(&begins, &len, text, id_len);
            append(&begins, &len, ",", 1);
            free(text);
        }
        append(&begins, &len, bare ? "{\"code\":" : "\"error\":{\"code\":", bare ? 8 : 16);
        CHECK(strncmp(mcp_elicit_reply_body(reply, NULL), begins, len) == 0);
        CHECK_NUMBER(mcp_elicit_reply_http_status(reply), mcp_elicit_error_http_status(err));
        CHECK_NUMBER(mcp_elicit_reply_error(reply), mcp_elicit_error_status(err));
        free(begins);
    }
    mcp_elicit_reply_free(reply);
    mcp_elicit_error_free(err);
}

/* A text of JSON, which may have white space, against the text without it; NULL is "null". */
static void check_json(const char *seen, size_t len, const char *expected, const char *what)
{
    char *text = seen ? compact(seen, len) : NULL;
    if (!checked(text && expected ? strcmp(text, expected) == 0 : !text == !expected, __FILE__, __LINE__, what))
        fprintf(stderr, "  expected %s\n  came out %s\n", expected ? expected : "null", text ? text : "null");
    free(text);
}

static void check_call(const cJSON *seen, const mcp_elicit_call *call)
{
    size_t len;
    CHECK_TEXT(mcp_elicit_call_method(call), member(seen, "method"));
    size_t target_len;
    char *target = bytes_of(cJSON_GetObjectItemCaseSensitive(seen, "target"), &target_len);
    const char *name = mcp_elicit_call_target(call, &len);
    CHECK(len == target_len && memcmp(name, target, len) == 0);
    free(target);
    const char *text = mcp_elicit_call_arguments(call, &len);
    size_t arguments_len;
    char *arguments = bytes_of(cJSON_GetObjectItemCaseSensitive(seen, "arguments"), &arguments_len);
    check_json(text, len, arguments, "arguments");
    free(arguments);
    text = mcp_elicit_call_client_info(call, &len);
    check_json(text, len, member(seen, "clientInfo"), "clientInfo");
    CHECK(mcp_elicit_call_can_elicit(call, MCP_ELICIT_MODE_FORM) ==
          cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(seen, "canElicitForm")));
    CHECK(mcp_elicit_call_can_elicit(call, MCP_ELICIT_MODE_URL) ==
          cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(seen, "canElicitUrl")));
}

static void requests(void)
{
    struct world world = {.now_ms = 0};
    mcp_elicit_engine *engine = plain_engine(&world);
    cJSON *json = vectors("requests.json");
    const cJSON *test;
    static const char *const lists[] = {"open", "open_params", "check"};
    for (int list = 0; list < 3; list++) {
        const cJSON *cases = cJSON_GetObjectItemCaseSensitive(json, lists[list]);
        CHECK(cJSON_GetArraySize(cases) > 10);
        cJSON_ArrayForEach(test, cases)
        {
            mcp_elicit_call *call = NULL;
            mcp_elicit_envelope *envelope = NULL;
            mcp_elicit_error *err = NULL;
            mcp_elicit_status status;
            size_t len;
            about = member(test, "name");
            mcp_elicit_caller *caller =
                caller_of(NULL, cJSON_GetObjectItemCaseSensitive(test, "headers"),
                          cJSON_GetObjectItemCaseSensitive(test, "param_headers"));
            char *text = bytes_of(cJSON_GetObjectItemCaseSensitive(test, list == 1 ? "params" : "request"), &len);
            if (list == 0)
                status = mcp_elicit_engine_open(engine, text, len, caller, &call, &err);
            else if (list == 1)
                status = mcp_elicit_engine_open_params(engine, member(test, "method"), NUL, text, len, caller,
                                                       &call, &err);
            else
                status = mcp_elicit_engine_check(engine, text, len, caller, &envelope, &err);
            free(text);
            mcp_elicit_caller_free(caller);

            const cJSON *seen = cJSON_GetObjectItemCaseSensitive(test, "seen");
            const cJSON *error = cJSON_GetObjectItemCaseSensitive(test, "error");
            CHECK((seen != NULL) != (error != NULL));
            if (error) {
                CHECK(status != MCP_ELICIT_OK && call == NULL && envelope == NULL);
                check_error(error, err, list == 1);
            } else if (!CHECK_NUMBER(status, MCP_ELICIT_OK)) {
                fprintf(stderr, "  %s\n", mcp_elicit_error_message(err, NULL));
                mcp_elicit_error_free(err);
            } else if (list < 2) {
                check_call(seen, call);
            } else {
                CHECK_TEXT(mcp_elicit_envelope_method(envelope, NULL), member(seen, "method"));
                CHECK_TEXT(mcp_elicit_envelope_id(envelope, NULL), member(seen, "id"));
                const char *info = mcp_elicit_envelope_client_info(envelope, &len);
                check_json(info, len, member(seen, "clientInfo"), "clientInfo");
                CHECK(mcp_elicit_envelope_can_elicit(envelope, MCP_ELICIT_MODE_FORM) ==
                      cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(seen, "canElicitForm")));
                CHECK(mcp_elicit_envelope_can_elicit(envelope, MCP_ELICIT_MODE_URL) ==
                      cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(seen, "canElicitUrl")));
            }
            mcp_elicit_call_free(call);
            mcp_elicit_envelope_free(envelope);
        }
    }
    cJSON_Delete(json);
    mcp_elicit_engine_free(engine);
}

/* --- capabilities.json --------------------------------------------------------------------- */

static void capabilities(void)
{
    struct world world = {.now_ms = 0};
    mcp_elicit_engine *engine = plain_engine(&world);
    mcp_elicit_caller *caller = mcp_elicit_caller_new_none();
    cJSON *json = vectors("capabilities.json");
    const cJSON *test, *cases = cJSON_GetObjectItemCaseSensitive(json, "cases");
    const char *request = member(json, "request"), *at = strchr(request, '@');
    CHECK(cJSON_GetArraySize(cases) > 10);
    cJSON_ArrayForEach(test, cases)
    {
        mcp_elicit_call *call = NULL;
        mcp_elicit_error *err = NULL;
        char *text = NULL;
        size_t len = 0;
        about = member(test, "name");
        append(&text, &len, request, (size_t)(at - request));
        append(&text, &len, member(test, "capabilities"), strlen(member(test, "capabilities")));
        append(&text, &len, at + 1, strlen(at + 1));
        mcp_elicit_status status = mcp_elicit_engine_open(engine, text, len, caller, &call, &err);
        const cJSON *seen = cJSON_GetObjectItemCaseSensitive(test, "seen");
        if (!seen) {
            check_error(cJSON_GetObjectItemCaseSensitive(test, "error"), err, false);
        } else if (CHECK_NUMBER(status, MCP_ELICIT_OK)) {
            CHECK(mcp_elicit_call_can_elicit(call, MCP_ELICIT_MODE_FORM) ==
                  cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(seen, "form")));
            CHECK(mcp_elicit_call_can_elicit(call, MCP_ELICIT_MODE_URL) ==
                  cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(seen, "url")));
        }
        mcp_elicit_call_free(call);
        free(text);
    }
    cJSON_Delete(json);
    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_free(engine);
}

/* --- schema-parse.json, schema-validate.json ------------------------------------------------ */

/* The text of a value under `name`, or under `name` and "Text"; NULL where there is neither. */
static char *text_of(const cJSON *json, const char *name)
{
    char longer[64];
    snprintf(longer, sizeof longer, "%sText", name);
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, name);
    if (value)
        return cJSON_PrintUnformatted(value);
    return member(json, longer) ? strdup(member(json, longer)) : NULL;
}

typedef const mcp_elicit_fault *(*fault_at)(const void *owner, size_t index);

static const mcp_elicit_fault *error_fault(const void *owner, size_t index)
{
    return mcp_elicit_error_fault(owner, index);
}

static const mcp_elicit_fault *form_warning(const void *owner, size_t index)
{
    return mcp_elicit_form_warning(owner, index);
}

static const mcp_elicit_fault *outcome_fault(const void *owner, size_t index)
{
    return mcp_elicit_outcome_fault(owner, index);
}

/* All faults, in their order, each with a message. */
static void check_faults(const cJSON *expected, const void *owner, fault_at at)
{
    const cJSON *each;
    size_t index = 0;
    cJSON_ArrayForEach(each, expected)
    {
        const mcp_elicit_fault *fault = at(owner, index++);
        CHECK_TEXT(mcp_elicit_fault_path(fault, NULL), member(each, "path"));
        CHECK_TEXT(mcp_elicit_fault_rule(fault), member(each, "rule"));
        CHECK(fault && *mcp_elicit_fault_message(fault, NULL));
    }
    CHECK(at(owner, index) == NULL);
}

static mcp_elicit_engine *engine_for_forms(const cJSON *limits)
{
    mcp_elicit_engine *engine = NULL;
    mcp_elicit_engine_config *config = mcp_elicit_engine_config_new();
    const cJSON *properties = cJSON_GetObjectItemCaseSensitive(limits, "properties");
    const cJSON *choices = cJSON_GetObjectItemCaseSensitive(limits, "options");
    CHECK(!mcp_elicit_engine_config_set_keys(config, KEY, NUL, NULL));
    CHECK(!mcp_elicit_engine_config_set_audience(config, "vectors", NUL, NULL));
    CHECK(!mcp_elicit_engine_config_set_reasks(config, 0, NULL));
    if (properties)
        CHECK(!mcp_elicit_engine_config_set_schema_properties(config, (uint64_t)properties->valuedouble, NULL));
    if (choices)
        CHECK(!mcp_elicit_engine_config_set_schema_options(config, (uint64_t)choices->valuedouble, NULL));
    CHECK(!mcp_elicit_engine_new(config, &engine, NULL));
    mcp_elicit_engine_config_free(config);
    return engine;
}

/* The form of a case under its limits and options; NULL where it is refused as the case says. */
static mcp_elicit_form *form_of(const cJSON *test, mcp_elicit_engine *engine)
{
    mcp_elicit_form *form = NULL;
    mcp_elicit_error *err = NULL;
    mcp_elicit_ask_options *options = mcp_elicit_ask_options_new();
    const char *reason = member(test, "allowSensitiveName");
    const cJSON *faults = cJSON_GetObjectItemCaseSensitive(test, "faults");
    char *schema = text_of(test, "schema");
    if (reason)
        CHECK(!mcp_elicit_ask_options_set_allow_sensitive_name(options, reason, NUL, NULL));
    mcp_elicit_status status = mcp_elicit_form_new(engine, schema, NUL, options, &form, &err);
    CHECK_NUMBER(status, faults ? MCP_ELICIT_SCHEMA : MCP_ELICIT_OK);
    if (faults)
        check_faults(faults, err, error_fault);
    else if (err)
        fprintf(stderr, "  %s\n", mcp_elicit_error_message(err, NULL));
    mcp_elicit_error_free(err);
    mcp_elicit_ask_options_free(options);
    free(schema);
    return form;
}

static mcp_elicit_call *call_of(const mcp_elicit_engine *engine, const char *request)
{
    mcp_elicit_call *call = NULL;
    mcp_elicit_caller *caller = mcp_elicit_caller_new_single_user();
    CHECK_NUMBER(mcp_elicit_engine_open(engine, request, NUL, caller, &call, NULL), MCP_ELICIT_OK);
    mcp_elicit_caller_free(caller);
    return call;
}

static const mcp_elicit_outcome *ask_form(mcp_elicit_call *call, const mcp_elicit_form *form)
{
    const mcp_elicit_outcome *outcome = NULL;
    CHECK_NUMBER(mcp_elicit_call_elicit_compiled_form(call, "k", NUL, "m", NUL, form, NULL, &outcome, NULL),
                 MCP_ELICIT_OK);
    return outcome;
}

static mcp_elicit_reply *suspend(mcp_elicit_call *call)
{
    mcp_elicit_reply *reply = NULL;
    CHECK_NUMBER(mcp_elicit_call_suspend(call, &reply, NULL), MCP_ELICIT_OK);
    mcp_elicit_call_free(call);
    return reply;
}

static void schema_parse(void)
{
    cJSON *json = vectors("schema-parse.json");
    const cJSON *test, *cases = cJSON_GetObjectItemCaseSensitive(json, "cases");
    CHECK(cJSON_GetArraySize(cases) > 10);
    cJSON_ArrayForEach(test, cases)
    {
        about = member(test, "name");
        mcp_elicit_engine *engine = engine_for_forms(cJSON_GetObjectItemCaseSensitive(test, "limits"));
        mcp_elicit_form *form = form_of(test, engine);
        if (form) {
            check_faults(cJSON_GetObjectItemCaseSensitive(test, "warnings"), form, form_warning);
            /* The wire text is seen on the wire. */
            mcp_elicit_call *call = call_of(engine, REQUEST("1", BOTH, ""));
            ask_form(call, form);
            mcp_elicit_reply *reply = suspend(call);
            size_t len = 0;
            const char *wire = raw(mcp_elicit_reply_body(reply, NULL), &len,
                                   "/result/inputRequests/k/params/requestedSchema");
            char *expected = text_of(test, "schema");
            const char *other = member(test, "wire");
            CHECK(wire && len == strlen(other ? other : expected) &&
                  strncmp(wire, other ? other : expected, len) == 0);
            free(expected);
            mcp_elicit_reply_free(reply);
        }
        mcp_elicit_form_free(form);
        mcp_elicit_engine_free(engine);
    }
    cJSON_Delete(json);
}

static void schema_validate(void)
{
    cJSON *json = vectors("schema-validate.json");
    const cJSON *test, *answer, *cases = cJSON_GetObjectItemCaseSensitive(json, "cases");
    mcp_elicit_engine *engine = engine_for_forms(NULL);
    CHECK(cJSON_GetArraySize(cases) > 5);
    cJSON_ArrayForEach(test, cases)
    {
        about = member(test, "name");
        mcp_elicit_form *form = form_of(test, engine);
        cJSON_ArrayForEach(answer, cJSON_GetObjectItemCaseSensitive(test, "answers"))
        {
            const char *unknown = member(answer, "unknown");
            char *content = text_of(answer, "content"), *kept = text_of(answer, "kept");
            /* In a call what nobody asked for is dropped, and content that is no object refused when
               the call is opened: these cases are for languages that validate without a call. */
            if (!form || (unknown && strcmp(unknown, "drop") != 0) || *content != '{') {
                free(content);
                free(kept);
                continue;
            }
            mcp_elicit_call *call = call_of(engine, REQUEST("1", BOTH, ""));
            ask_form(call, form);
            mcp_elicit_reply *reply = suspend(call);
            size_t len = 0;
            const char *state = raw(mcp_elicit_reply_body(reply, NULL), &len, "/result/requestState");
            char *request = malloc(len + strlen(content) + 600);
            sprintf(request, REQUEST("2", BOTH, ",\"requestState\":%.*s,\"inputResponses\":{\"k\":"
                                                "{\"action\":\"accept\",\"content\":%s}}"),
                    (int)len, state, content);
            mcp_elicit_reply_free(reply);
            call = call_of(engine, request);
            const mcp_elicit_outcome *outcome = ask_form(call, form);
            const cJSON *faults = cJSON_GetObjectItemCaseSensitive(answer, "faults");
            mcp_elicit_action action = MCP_ELICIT_ACTION_NONE;
            CHECK_NUMBER(mcp_elicit_outcome_action(outcome, &action, NULL), MCP_ELICIT_OK);
            CHECK_NUMBER(action, faults ? MCP_ELICIT_ACTION_INVALID : MCP_ELICIT_ACTION_ACCEPT);
            check_faults(faults, outcome, outcome_fault);
            const char *text = NULL;
            CHECK_NUMBER(mcp_elicit_outcome_content(outcome, &text, &len, NULL), MCP_ELICIT_OK);
            check_json(text, len, kept, "kept");
            mcp_elicit_call_free(call);
            free(request);
            free(content);
            free(kept);
        }
        mcp_elicit_form_free(form);
    }
    mcp_elicit_engine_free(engine);
    cJSON_Delete(json);
}

/* --- tokens.json --------------------------------------------------------------------------- */

/* What a case changes of the context. */
static const cJSON *setting(const cJSON *json, const cJSON *test, const char *name)
{
    const cJSON *own =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(test, "with"), name);
    return own ? own
               : cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(json, "context"), name);
}

static mcp_elicit_engine *engine_for_tokens(const cJSON *json, const cJSON *test, struct world *world)
{
    mcp_elicit_engine *engine = NULL;
    mcp_elicit_engine_config *config = mcp_elicit_engine_config_new();
    const cJSON *name;
    char keys[1024] = "";
    cJSON_ArrayForEach(name, setting(json, test, "keys"))
    {
        strcat(keys, *keys ? "," : "");
        strcat(keys, member(cJSON_GetObjectItemCaseSensitive(json, "keys"), name->valuestring));
    }
    world->now_ms = (uint64_t)setting(json, test, "now_ms")->valuedouble;
    world->log[0] = '\0';
    CHECK(!mcp_elicit_engine_config_set_keys(config, keys, NUL, NULL));
    CHECK(!mcp_elicit_engine_config_set_audience(config, setting(json, test, "audience")->valuestring, NUL, NULL));
    CHECK(!mcp_elicit_engine_config_set_log(config, world_log, world, NULL, NULL));
    CHECK(!mcp_elicit_engine_config_set_clock(config, world_clock, world, NULL, NULL));
    CHECK(!mcp_elicit_engine_config_set_request_bytes(config, 16 << 20, NULL));
#define NUMBER(name) (uint64_t)setting(json, test, name)->valuedouble
    CHECK(!mcp_elicit_engine_config_set_token_bytes(config, NUMBER("max_len"), NULL));
    CHECK(!mcp_elicit_engine_config_set_clock_skew_ms(config, NUMBER("clock_skew_ms"), NULL));
    CHECK(!mcp_elicit_engine_config_set_question_rounds(config, NUMBER("question_rounds"), NULL));
#undef NUMBER
    CHECK_NUMBER(mcp_elicit_engine_new(config, &engine, NULL), MCP_ELICIT_OK);
    mcp_elicit_engine_config_free(config);
    return engine;
}

/* base64url of 16 bytes of hex. */
static void flow_id_of(const char *hex, char out[23])
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    unsigned bits = 0, held = 0;
    size_t used = 0;
    for (; hex[0] && hex[1]; hex += 2) {
        bits = bits << 8 | (unsigned)strtoul((char[]){hex[0], hex[1], 0}, NULL, 16);
        for (held += 8; held >= 6; held -= 6)
            out[used++] = alphabet[bits >> (held - 6) & 63];
    }
    out[used++] = alphabet[bits << (6 - held) & 63];
    out[used] = '\0';
}

/* A text as JSON string, to be freed; it may hold a NUL, which cJSON cannot. */
static char *quoted(const char *text, size_t len)
{
    char *out = NULL, escape[8];
    size_t used = 0;
    append(&out, &used, "\"", 1);
    for (size_t at = 0; at < len; at++) {
        bool plain = (unsigned char)text[at] >= 0x20 && text[at] != '"' && text[at] != '\\';
        snprintf(escape, sizeof escape, "\\u%04x", (unsigned char)text[at]);
        append(&out, &used, plain ? text + at : escape, plain ? 1 : 6);
    }
    append(&out, &used, "\"", 1);
    return out;
}

/* The token of a case as JSON string, to be freed. A plain text is taken as it stands in the file:
 * cJSON ends it at a NUL. */
static char *state_of_case(const char *file, const char *list, int at, const cJSON *test)
{
    const cJSON *token = cJSON_GetObjectItemCaseSensitive(test, "token");
    char path[64];
    size_t len = 0;
    if (cJSON_IsString(token)) {
        snprintf(path, sizeof path, "/%s/%d/token", list, at);
        const char *text = raw(file, &len, path);
        CHECK(text != NULL);
        return text ? strndup(text, len) : strdup("null");
    }
    char *bytes = bytes_of(token, &len), *text = quoted(bytes, len);
    free(bytes);
    return text;
}

static void tokens(void)
{
    cJSON *json = vectors("tokens.json");
    char *text_of_file = read_file(folder, "tokens.json");
    const cJSON *test;
    for (int refused = 0; refused < 2; refused++) {
        int at = 0;
        const cJSON *cases = cJSON_GetObjectItemCaseSensitive(json, refused ? "refused" : "opens");
        CHECK(cJSON_GetArraySize(cases) > 10);
        cJSON_ArrayForEach(test, cases)
        {
            struct world world = {.now_ms = 0};
            mcp_elicit_call *call = NULL;
            mcp_elicit_error *err = NULL;
            size_t len = 0;
            about = member(test, "name");
            mcp_elicit_engine *engine = engine_for_tokens(json, test, &world);
            mcp_elicit_caller *caller = caller_of(setting(json, test, "principal"), NULL, NULL);
            const cJSON *request = setting(json, test, "request");
            const char *method = member(request, "method"), *arguments = member(request, "arguments");
            char *state_text = state_of_case(text_of_file, refused ? "refused" : "opens", at++, test);
            char *target_text = quoted(member(request, "target"), strlen(member(request, "target")));
            char *text = malloc(strlen(state_text) + strlen(target_text) + (arguments ? strlen(arguments) : 0) + 600);
            sprintf(text,
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{" META(BOTH) ",\"%s\":%s%s%s,"
                    "\"requestState\":%s}}",
                    method, strcmp(method, "resources/read") == 0 ? "uri" : "name", target_text,
                    arguments ? ",\"arguments\":" : "", arguments ? arguments : "", state_text);
            mcp_elicit_status status = mcp_elicit_engine_open(engine, text, NUL, caller, &call, &err);
            if (refused) {
                char expected[64];
                snprintf(expected, sizeof expected, "state_refused/%s ", member(test, "refusal"));
                CHECK_NUMBER(status, MCP_ELICIT_INVALID_STATE);
                CHECK_TEXT(world.log, expected);
                CHECK_TEXT(mcp_elicit_error_message(err, NULL), "Invalid or expired requestState");
                CHECK_TEXT(mcp_elicit_error_data(err, &len), "{\"reason\":\"invalid_request_state\"}");
            } else if (CHECK_NUMBER(status, MCP_ELICIT_OK)) {
                char flow_id[32];
                const cJSON *claims = cJSON_GetObjectItemCaseSensitive(test, "claims");
                double round = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(claims, "round"));
                flow_id_of(member(claims, "flow_id"), flow_id);
                CHECK_TEXT(mcp_elicit_call_flow_id(call), flow_id);
                CHECK_NUMBER(mcp_elicit_call_round(call), round < UINT32_MAX ? round + 1 : round);
                CHECK_TEXT(world.log, "");
            }
            mcp_elicit_error_free(err);
            mcp_elicit_call_free(call);
            mcp_elicit_caller_free(caller);
            mcp_elicit_engine_free(engine);
            free(text);
            free(state_text);
            free(target_text);
        }
    }
    free(text_of_file);
    cJSON_Delete(json);
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: test_vectors FOLDER\n");
        return 2;
    }
    folder = arguments[1];
    RUN(requests);
    RUN(capabilities);
    RUN(schema_parse);
    RUN(schema_validate);
    RUN(tokens);
    return finished("vectors");
}
