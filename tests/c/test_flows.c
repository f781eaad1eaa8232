/*
 * Whole flows, the same that every language runs (tests/vectors/flows.json, format in README.md
 * there): a handler played from the top on every round, and every byte that comes out.
 *
 *     test_flows FOLDER
 */
#include "check.h"
#include "world.h"

#include <stdlib.h>

#include <cjson/cJSON.h>

#define MOST 32 /* questions and steps of a handler */

static char *file; /* the text of flows.json: what must keep its digits is taken from here */

static const char *member(const cJSON *json, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, name));
}

/* What stands at a place of the file, without white space, to be freed; NULL if nothing does. */
static char *text_at(const char *place, const char *more)
{
    char path[256];
    size_t len = 0;
    snprintf(path, sizeof path, "%s%s", place, more);
    const char *text = raw(file, &len, path);
    return text ? compact(text, len) : NULL;
}

/* The text with each `what` replaced, in place of the old one, which is freed. */
static char *replaced(char *text, const char *what, const char *with)
{
    size_t what_len = strlen(what), with_len = strlen(with);
    for (char *at = text; (at = strstr(at, what));) {
        size_t before = (size_t)(at - text), after = strlen(at + what_len);
        char *grown = malloc(before + with_len + after + 1);
        memcpy(grown, text, before);
        memcpy(grown + before, with, with_len);
        memcpy(grown + before + with_len, at + what_len, after + 1);
        free(text);
        text = grown;
        at = text + before + with_len;
    }
    return text;
}

static void add(char **text, const char *more)
{
    size_t len = *text ? strlen(*text) : 0;
    *text = realloc(*text, len + strlen(more) + 1);
    strcpy(*text + len, more);
}

static void add_quoted(char **text, const char *more)
{
    cJSON *string = cJSON_CreateString(more);
    char *quoted = cJSON_PrintUnformatted(string);
    add(text, quoted);
    cJSON_free(quoted);
    cJSON_Delete(string);
}

/* --- a handler ----------------------------------------------------------------------------- */

/* What a handler holds, and what it came to. */
struct run {
    mcp_elicit_call *call;
    const char *keys[MOST];
    const mcp_elicit_outcome *outcomes[MOST]; /* NULL for a step */
    char *steps[MOST];
    int count;
    char *result;
    mcp_elicit_reply *reply; /* the handler finished the call itself */
    mcp_elicit_error *failure;
};

static const char *action_name(mcp_elicit_action action)
{
    static const char *const names[] = {"none", "accept", "decline", "cancel", "invalid", "unavailable", "answer"};
    return action < sizeof names / sizeof *names ? names[action] : "unknown";
}

static const char *source_name(mcp_elicit_source source)
{
    static const char *const names[] = {"none", "user", "argument", "default", "grant"};
    return source < sizeof names / sizeof *names ? names[source] : "unknown";
}

static uint32_t policy_of(const char *name)
{
    return strcmp(name, "error") == 0        ? MCP_ELICIT_POLICY_ERROR
           : strcmp(name, "tool_error") == 0 ? MCP_ELICIT_POLICY_TOOL_ERROR
           : strcmp(name, "defaults") == 0   ? MCP_ELICIT_POLICY_DEFAULTS
           : strcmp(name, "outcome") == 0    ? MCP_ELICIT_POLICY_OUTCOME
                                             : 0;
}

/* The options that a vector gives; NULL where it gives none. */
static mcp_elicit_ask_options *options_of(const cJSON *given)
{
    if (!given)
        return NULL;
    mcp_elicit_ask_options *options = mcp_elicit_ask_options_new();
    const cJSON *each, *name;
    cJSON_ArrayForEach(each, given)
    {
        bool flag = cJSON_IsTrue(each);
        mcp_elicit_status status = MCP_ELICIT_OK;
        if (strcmp(each->string, "allow_insecure_http") == 0) {
            status = mcp_elicit_ask_options_set_allow_insecure_http(options, flag, NULL);
        } else if (strcmp(each->string, "accept_unasked") == 0) {
            status = mcp_elicit_ask_options_set_accept_unasked(options, flag, NULL);
        } else if (strcmp(each->string, "human_only") == 0) {
            status = mcp_elicit_ask_options_set_human_only(options, flag, NULL);
        } else if (strcmp(each->string, "reask_invalid_only") == 0) {
            status = mcp_elicit_ask_options_set_reask_invalid_only(options, flag, NULL);
        } else if (strcmp(each->string, "unavailable") == 0) {
            status = mcp_elicit_ask_options_set_unavailable(options, policy_of(each->valuestring), NULL);
        } else if (strcmp(each->string, "on_cancel") == 0) {
            status = mcp_elicit_ask_options_set_on_cancel(options, policy_of(each->valuestring), NULL);
        } else if (strcmp(each->string, "arguments") == 0) {
            cJSON_ArrayForEach(name, each)
                status |= mcp_elicit_ask_options_add_argument(options, name->valuestring, NUL, NULL);
        } else if (strcmp(each->string, "messages") == 0) {
            char *messages = cJSON_PrintUnformatted(each);
            status = mcp_elicit_ask_options_set_messages(options, messages, NUL, NULL);
            cJSON_free(messages);
        } else {
            CHECK(!"an option that this runner understands");
        }
        CHECK_NUMBER(status, MCP_ELICIT_OK);
    }
    return options;
}

/* Asks what `given` says; `place` is where it stands in the file. */
static mcp_elicit_status ask(struct run *run, const char *op, const cJSON *given, const char *place)
{
    const mcp_elicit_outcome *outcome = NULL;
    mcp_elicit_status status;
    const char *key = member(given, "key"), *message = member(given, "message");
    mcp_elicit_ask_options *options = options_of(cJSON_GetObjectItemCaseSensitive(given, "options"));
    if (strcmp(op, "form") == 0) {
        char *schema = text_at(place, "/form/schema");
        status = mcp_elicit_call_elicit_form(run->call, key, NUL, message, NUL, schema, NUL, options, &outcome,
                                             &run->failure);
        free(schema);
    } else if (strcmp(op, "url") == 0) {
        char *url = replaced(strdup(member(given, "url")), "{flow_id}", mcp_elicit_call_flow_id(run->call));
        bool done = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(given, "done"));
        status = mcp_elicit_call_elicit_url(run->call, key, NUL, message, NUL, url, NUL, done, options, &outcome,
                                            &run->failure);
        free(url);
    } else if (strcmp(op, "sampling") == 0) {
        char *params = text_at(place, "/sampling/params");
        status = mcp_elicit_call_create_message(run->call, key, NUL, params, NUL, options, &outcome, &run->failure);
        free(params);
    } else {
        status = mcp_elicit_call_list_roots(run->call, key, NUL, options, &outcome, &run->failure);
    }
    mcp_elicit_ask_options_free(options);
    run->keys[run->count] = key;
    run->outcomes[run->count++] = outcome;
    return status;
}

static mcp_elicit_status step(struct run *run, const cJSON *given, const char *place)
{
    char round[16];
    const char *known = NULL, *key = member(given, "key");
    snprintf(round, sizeof round, "%u", (unsigned)mcp_elicit_call_round(run->call));
    mcp_elicit_status status = mcp_elicit_call_step_result(run->call, key, NUL, &known, NULL, &run->failure);
    if (status != MCP_ELICIT_OK)
        return status;
    char *result = known ? strdup(known) : replaced(text_at(place, "/step/result"), "\"$ROUND\"", round);
    if (!known)
        status = mcp_elicit_call_record_step(run->call, key, NUL, result, NUL, &run->failure);
    run->keys[run->count] = key;
    run->steps[run->count++] = result;
    return status;
}

/* The outcome under `key`. */
static int find(const struct run *run, const char *key)
{
    for (int at = run->count - 1; at >= 0; at--)
        if (strcmp(run->keys[at], key) == 0)
            return at;
    CHECK(!"a key that was asked");
    return 0;
}

/* Adds {action, source?, content?, reason?, faults?}. */
static mcp_elicit_status describe(const mcp_elicit_outcome *outcome, char **report)
{
    mcp_elicit_action action;
    mcp_elicit_source source;
    const char *content, *reason = mcp_elicit_outcome_reason(outcome);
    size_t count;
    mcp_elicit_status status = mcp_elicit_outcome_action(outcome, &action, NULL);
    if (status != MCP_ELICIT_OK)
        return status;
    CHECK(!mcp_elicit_outcome_source(outcome, &source, NULL));
    CHECK(!mcp_elicit_outcome_content(outcome, &content, NULL, NULL));
    CHECK(!mcp_elicit_outcome_fault_count(outcome, &count, NULL));
    add(report, "{\"action\":");
    add_quoted(report, action_name(action));
    if (source != MCP_ELICIT_SOURCE_NONE) {
        add(report, ",\"source\":");
        add_quoted(report, source_name(source));
    }
    if (content) {
        add(report, ",\"content\":");
        add(report, content);
    }
    if (reason) {
        add(report, ",\"reason\":");
        add_quoted(report, reason);
    }
    for (size_t at = 0; at < count; at++) {
        const mcp_elicit_fault *fault = mcp_elicit_outcome_fault(outcome, at);
        add(report, at ? ",[" : ",\"faults\":[[");
        add_quoted(report, mcp_elicit_fault_path(fault, NULL));
        add(report, ",");
        add_quoted(report, mcp_elicit_fault_rule(fault));
        add(report, "]");
    }
    add(report, count ? "]}" : "}");
    return MCP_ELICIT_OK;
}

static mcp_elicit_status report(struct run *run, const cJSON *keys)
{
    const cJSON *key;
    const char *comma = "";
    add(&run->result, "{\"content\":[],\"structuredContent\":{");
    cJSON_ArrayForEach(key, keys)
    {
        add(&run->result, comma);
        add_quoted(&run->result, key->valuestring);
        add(&run->result, ":");
        comma = ",";
        if (strcmp(key->valuestring, "$DATA") == 0) {
            size_t len = 0;
            const uint8_t *data = mcp_elicit_call_app_data(run->call, &len);
            char *text = data ? strndup((const char *)data, len) : NULL;
            if (text)
                add_quoted(&run->result, text);
            else
                add(&run->result, "null");
            free(text);
            continue;
        }
        int at = find(run, key->valuestring);
        if (run->steps[at]) {
            add(&run->result, run->steps[at]);
        } else {
            mcp_elicit_status status = describe(run->outcomes[at], &run->result);
            if (status != MCP_ELICIT_OK)
                return status;
        }
    }
    add(&run->result, "}}");
    return MCP_ELICIT_OK;
}

/* Plays the handler that stands at `place`; the status that it ended with. */
static mcp_elicit_status play(struct run *run, const cJSON *handler, const char *place)
{
    const cJSON *operation;
    int at = 0;
    cJSON_ArrayForEach(operation, handler)
    {
        const cJSON *given = operation->child;
        const char *op = given->string;
        mcp_elicit_status status = MCP_ELICIT_OK;
        mcp_elicit_action action;
        char here[128];
        snprintf(here, sizeof here, "%s/%d", place, at++);
        if (strcmp(op, "form") == 0 || strcmp(op, "url") == 0 || strcmp(op, "sampling") == 0 ||
            strcmp(op, "roots") == 0) {
            status = ask(run, op, given, here);
        } else if (strcmp(op, "step") == 0) {
            status = step(run, given, here);
        } else if (strcmp(op, "data") == 0) {
            char round[16];
            snprintf(round, sizeof round, "%u", (unsigned)mcp_elicit_call_round(run->call));
            char *data = replaced(strdup(given->valuestring), "$ROUND", round);
            status = mcp_elicit_call_set_app_data(run->call, (const uint8_t *)data, strlen(data), &run->failure);
            free(data);
        } else if (strcmp(op, "later_until") == 0) {
            if (mcp_elicit_call_round(run->call) < given->valuedouble)
                return mcp_elicit_call_retry_later(run->call, &run->reply, &run->failure);
        } else if (strcmp(op, "read") == 0) {
            status = mcp_elicit_outcome_action(run->outcomes[find(run, given->valuestring)], &action, NULL);
        } else if (strcmp(op, "swallow") == 0) {
            CHECK_NUMBER(mcp_elicit_outcome_action(run->outcomes[find(run, given->valuestring)], &action, NULL),
                         MCP_ELICIT_PENDING);
        } else if (strcmp(op, "report") == 0) {
            return report(run, given);
        } else if (strcmp(op, "complete") == 0) {
            run->result = text_at(here, "/complete");
            return MCP_ELICIT_OK;
        } else if (strcmp(op, "fail") == 0) {
            char *data = text_at(here, "/fail/data");
            int32_t code = (int32_t)cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(given, "code"));
            status = mcp_elicit_call_fail(run->call, code, member(given, "message"), NUL, data, NUL, &run->reply,
                                          &run->failure);
            free(data);
            return status;
        } else {
            CHECK(!"an operation that this runner understands");
        }
        if (status != MCP_ELICIT_OK)
            return status;
    }
    CHECK(!"a handler ends with a result");
    return MCP_ELICIT_INTERNAL;
}

/* --- a round ------------------------------------------------------------------------------- */

/* Runs a request: a reply, or the error that it raises. Frees neither. */
static void run_request(const mcp_elicit_engine *engine, bool params_only, const char *request,
                        const mcp_elicit_caller *caller, const cJSON *handler, const char *place,
                        mcp_elicit_reply **reply, mcp_elicit_error **raised)
{
    struct run run = {.call = NULL};
    mcp_elicit_error *err = NULL;
    mcp_elicit_status status;
    if (params_only) {
        size_t method_len = 0, params_len = 0;
        const char *method = raw(request, &method_len, "/method"), *params = raw(request, &params_len, "/params");
        status = mcp_elicit_engine_open_params(engine, method + 1, method_len - 2, params, params_len, caller,
                                               &run.call, &err);
    } else {
        status = mcp_elicit_engine_open(engine, request, NUL, caller, &run.call, &err);
    }
    if (status == MCP_ELICIT_OK) {
        mcp_elicit_status ended = play(&run, handler, place);
        if (run.reply || mcp_elicit_call_is_finished(run.call))
            *reply = run.reply;
        else
            status = mcp_elicit_call_settle(run.call, ended, run.result, NUL, run.failure, reply, &err);
    }
    if (status != MCP_ELICIT_OK) {
        if (mcp_elicit_error_is_for_peer(err))
            *reply = mcp_elicit_error_reply(err);
        else
            *raised = err, err = NULL;
    }
    for (int at = 0; at < run.count; at++)
        free(run.steps[at]);
    free(run.result);
    mcp_elicit_error_free(run.failure);
    mcp_elicit_error_free(err);
    mcp_elicit_call_free(run.call);
}

static mcp_elicit_engine *engine_of(const cJSON *json, const cJSON *flow, const char *audience,
                                    struct world *world, struct world *random)
{
    const cJSON *shared = cJSON_GetObjectItemCaseSensitive(json, "engine"), *each;
    const cJSON *info = cJSON_GetObjectItemCaseSensitive(flow, "server_info");
    mcp_elicit_engine *engine = NULL;
    mcp_elicit_engine_config *config = mcp_elicit_engine_config_new();
    char keys[512] = "";
    cJSON_ArrayForEach(each, cJSON_GetObjectItemCaseSensitive(shared, "keys"))
    {
        strcat(keys, *keys ? "," : "");
        strcat(keys, each->valuestring);
    }
    CHECK(!mcp_elicit_engine_config_set_keys(config, keys, NUL, NULL));
    CHECK(!mcp_elicit_engine_config_set_audience(config, audience ? audience : member(shared, "audience"), NUL, NULL));
    CHECK(!mcp_elicit_engine_config_set_clock(config, world_clock, world, NULL, NULL));
    CHECK(!mcp_elicit_engine_config_set_random(config, world_random, random, NULL, NULL));
    CHECK(!mcp_elicit_engine_config_set_log(config, world_log, world, NULL, NULL));
    if (info)
        CHECK(!mcp_elicit_engine_config_set_server_info(config, member(info, "name"), NUL, member(info, "version"),
                                                        NUL, NULL));
    cJSON_ArrayForEach(each, cJSON_GetObjectItemCaseSensitive(flow, "limits"))
    {
        uint64_t value = (uint64_t)each->valuedouble;
        if (strcmp(each->string, "question_rounds") == 0)
            CHECK(!mcp_elicit_engine_config_set_question_rounds(config, value, NULL));
        else if (strcmp(each->string, "token_bytes") == 0)
            CHECK(!mcp_elicit_engine_config_set_token_bytes(config, value, NULL));
        else
            CHECK(!"a limit that this runner understands");
    }
    CHECK(!mcp_elicit_engine_new(config, &engine, NULL));
    mcp_elicit_engine_config_free(config);
    return engine;
}

static mcp_elicit_caller *caller_of(const cJSON *principal)
{
    mcp_elicit_caller *caller = NULL;
    if (cJSON_IsString(principal))
        return strcmp(principal->valuestring, "none") == 0 ? mcp_elicit_caller_new_none()
                                                            : mcp_elicit_caller_new_single_user();
    const char *parts[3];
    for (int at = 0; at < 3; at++)
        parts[at] = cJSON_GetStringValue(cJSON_GetArrayItem(principal, at));
    CHECK(!mcp_elicit_caller_new_user(parts[0], NUL, parts[1], NUL, parts[2], NUL, &caller, NULL));
    return caller;
}

/* The request of a round, with the last state in its place, to be freed. */
static char *request_of(const cJSON *round, const char *place, const char *state)
{
    const cJSON *request = cJSON_GetObjectItemCaseSensitive(round, "request");
    char *text = cJSON_IsString(request) ? strdup(request->valuestring) : text_at(place, "/request");
    if (!state)
        return text;
    size_t len = strlen(state);
    char *flipped = strdup(state), *appended = malloc(len + 2), *cut = strndup(state, len - 1);
    flipped[len / 2] = flipped[len / 2] == 'A' ? 'B' : 'A';
    sprintf(appended, "%sA", state);
    text = replaced(text, "$STATE_FLIPPED", flipped);
    text = replaced(text, "$STATE_APPENDED", appended);
    text = replaced(text, "$STATE_CUT", cut);
    text = replaced(text, "$STATE", state);
    free(flipped);
    free(appended);
    free(cut);
    return text;
}

/* Two texts of JSON are the same: to the byte, or but for escapes. */
static bool same_json(const char *seen, const char *expected)
{
    if (strcmp(seen, expected) == 0)
        return true;
    cJSON *one = cJSON_Parse(seen), *other = cJSON_Parse(expected);
    bool same = cJSON_Compare(one, other, true);
    cJSON_Delete(one);
    cJSON_Delete(other);
    return same;
}

static void check_round(const cJSON *expected, const char *place, const mcp_elicit_reply *reply,
                        const mcp_elicit_error *raised, const char *log)
{
    const cJSON *status = cJSON_GetObjectItemCaseSensitive(expected, "status"), *event;
    char *expected_log = NULL, *body = text_at(place, "/expect/body");
    add(&expected_log, "");
    cJSON_ArrayForEach(event, cJSON_GetObjectItemCaseSensitive(expected, "log"))
    {
        add(&expected_log, cJSON_GetStringValue(cJSON_GetArrayItem(event, 0)));
        add(&expected_log, "/");
        add(&expected_log, cJSON_GetStringValue(cJSON_GetArrayItem(event, 1)));
        add(&expected_log, " ");
    }
    CHECK_TEXT(log, expected_log);
    CHECK_TEXT(mcp_elicit_error_kind(raised), member(expected, "raises"));
    CHECK((reply != NULL) == (status != NULL));
    if (reply && status) {
        size_t len = 0;
        const char *seen = mcp_elicit_reply_body(reply, &len);
        CHECK(strlen(seen) == len && !strchr(seen, '\n'));
        CHECK_NUMBER(mcp_elicit_reply_http_status(reply), status->valuedouble);
        if (!CHECK(body && same_json(seen, body)))
            fprintf(stderr, "  expected %s\n  came out %s\n", body ? body : "nothing", seen);
    }
    free(expected_log);
    free(body);
}

static void play_flow(const cJSON *json, const cJSON *flow, int number)
{
    const cJSON *round, *shared = cJSON_GetObjectItemCaseSensitive(json, "engine");
    struct world world = {.now_ms = 0}, random = world;
    bool params_only = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(flow, "params_only"));
    char *state = NULL, name[512];
    int at = 0;
    world.now_ms = (uint64_t)cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(shared, "now_ms"));
    mcp_elicit_engine *engine = engine_of(json, flow, NULL, &world, &random);
    cJSON_ArrayForEach(round, cJSON_GetObjectItemCaseSensitive(flow, "rounds"))
    {
        const cJSON *own = cJSON_GetObjectItemCaseSensitive(round, "handler");
        const cJSON *advance = cJSON_GetObjectItemCaseSensitive(round, "advance_ms");
        const char *audience = member(round, "audience");
        struct world other_random = {.now_ms = 0};
        char place[64], handler[96];
        snprintf(place, sizeof place, "/flows/%d/rounds/%d", number, at);
        snprintf(name, sizeof name, "%s (round %d)", member(flow, "name"), ++at);
        about = name;
        if (own)
            snprintf(handler, sizeof handler, "%s/handler", place);
        else
            snprintf(handler, sizeof handler, "/flows/%d/handler", number);

        world.now_ms += advance ? (uint64_t)(int64_t)advance->valuedouble : 0;
        world.log[0] = '\0';
        mcp_elicit_engine *other = audience ? engine_of(json, flow, audience, &world, &other_random) : NULL;
        mcp_elicit_caller *caller = caller_of(cJSON_GetObjectItemCaseSensitive(round, "principal"));
        char *request = request_of(round, place, state);
        mcp_elicit_reply *reply = NULL;
        mcp_elicit_error *raised = NULL;
        run_request(other ? other : engine, params_only, request, caller,
                    own ? own : cJSON_GetObjectItemCaseSensitive(flow, "handler"), handler, &reply, &raised);
        check_round(cJSON_GetObjectItemCaseSensitive(round, "expect"), place, reply, raised, world.log);

        size_t len = 0;
        const char *body = mcp_elicit_reply_body(reply, NULL);
        const char *token = body ? raw(body, &len, params_only ? "/requestState" : "/result/requestState") : NULL;
        if (token) {
            free(state);
            state = strndup(token + 1, len - 2);
        }
        mcp_elicit_reply_free(reply);
        mcp_elicit_error_free(raised);
        mcp_elicit_caller_free(caller);
        mcp_elicit_engine_free(other);
        free(request);
    }
    mcp_elicit_engine_free(engine);
    free(state);
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: test_flows FOLDER\n");
        return 2;
    }
    file = read_file(arguments[1], "flows.json");
    cJSON *json = cJSON_Parse(file);
    const cJSON *flow, *flows = cJSON_GetObjectItemCaseSensitive(json, "flows");
    int number = 0;
    CHECK(cJSON_GetArraySize(flows) > 60);
    cJSON_ArrayForEach(flow, flows) play_flow(json, flow, number++);
    cJSON_Delete(json);
    free(file);
    return finished("flows");
}
