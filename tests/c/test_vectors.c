/*
 * The vectors that every language runs (tests/vectors, formats in its README.md): requests,
 * capabilities and tokens. Forms are in test_forms.c, whole flows in test_flows.c.
 *
 *     test_vectors FOLDER
 */
#include "check.h"
#include "vectors.h"
#include "world.h"

#include <stdlib.h>

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
    vectors_done();
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
    vectors_done();
    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_free(engine);
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
    vectors_done();
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
    RUN(tokens);
    return finished("vectors");
}
