/*
 * From a message to its answer: open a call, run the tool, finish the call. See serve.h.
 *
 * MCP_ELICIT_KEYS holds the keys; STATE_TTL_MS, if set, shortens the life of a round, CLAIM_WAIT_MS
 * the time after which what became of a claim counts as unknown.
 */
#define _POSIX_C_SOURCE 200809L

#include "serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#define NUL MCP_ELICIT_NUL
#define VERSION "1.0.0" /* of the examples */

static char *copy(const char *text)
{
    char *copied = text ? strdup(text) : NULL;
    if (text && !copied)
        abort();
    return copied;
}

/* Takes the text of `json` and frees it. */
static char *print(cJSON *json)
{
    char *text = cJSON_PrintUnformatted(json);
    cJSON_Delete(json);
    if (!text)
        abort();
    return text;
}

/* --- the log: a JSON line each ------------------------------------------------------------- */

static void log_line(const char *level, const char *name, const char *reason, const char *message,
                     const char *flow_id)
{
    cJSON *line = cJSON_CreateObject();
    cJSON_AddStringToObject(line, "level", level);
    cJSON_AddStringToObject(line, "name", name);
    cJSON_AddStringToObject(line, "reason", reason);
    cJSON_AddStringToObject(line, "message", message);
    cJSON_AddStringToObject(line, "flowId", flow_id);
    char *text = print(line);
    fprintf(stderr, "%s\n", text);
    free(text);
}

/* What the operator should know and the client must not, such as why a state was refused. */
static void log_event(void *context, const mcp_elicit_event *event)
{
    (void)context;
    bool warning = mcp_elicit_event_level(event) == MCP_ELICIT_LEVEL_WARNING;
    log_line(warning ? "warning" : "info", mcp_elicit_event_name(event),
             mcp_elicit_event_reason(event), mcp_elicit_event_message(event, NULL),
             mcp_elicit_event_flow_id(event));
}

/* --- the engine ---------------------------------------------------------------------------- */

mcp_elicit_engine *make_engine(const char *name, const mcp_elicit_store *store)
{
    mcp_elicit_engine *engine = NULL;
    mcp_elicit_error *err = NULL;
    mcp_elicit_engine_config *config = mcp_elicit_engine_config_new();
    const char *ttl = getenv("STATE_TTL_MS"), *wait = getenv("CLAIM_WAIT_MS");

    if (mcp_elicit_engine_config_set_keys_from_env(config, &err) ||
        mcp_elicit_engine_config_set_audience(config, name, NUL, &err) ||
        mcp_elicit_engine_config_set_server_info(config, name, NUL, VERSION, NUL, &err) ||
        mcp_elicit_engine_config_set_log(config, log_event, NULL, NULL, &err) ||
        (ttl && mcp_elicit_engine_config_set_round_ttl_ms(config, strtoull(ttl, NULL, 10), &err)) ||
        (wait &&
         mcp_elicit_engine_config_set_claim_wait_ms(config, strtoull(wait, NULL, 10), &err)) ||
        mcp_elicit_engine_config_set_store(config, store, &err) ||
        mcp_elicit_engine_new(config, &engine, &err)) {
        fprintf(stderr, "%s\n", mcp_elicit_error_message(err, NULL));
        exit(1);
    }
    mcp_elicit_engine_config_free(config);
    return engine;
}

/* --- a message and its answer -------------------------------------------------------------- */

/* The reply as answer; frees it. */
static struct answer from_reply(mcp_elicit_reply *reply)
{
    struct answer answer = {mcp_elicit_reply_http_status(reply),
                            copy(mcp_elicit_reply_body(reply, NULL))};
    mcp_elicit_reply_free(reply);
    return answer;
}

/* What the peer must be told of an error; frees it. What the server must mend goes to the log. */
static struct answer from_error(mcp_elicit_error *err)
{
    if (!mcp_elicit_error_is_for_peer(err))
        log_line("error", mcp_elicit_error_kind(err), "", mcp_elicit_error_message(err, NULL), "");
    struct answer answer = from_reply(mcp_elicit_error_reply(err));
    mcp_elicit_error_free(err);
    return answer;
}

/* Answers what is no call. The engine checks the message; what it says is up to us. */
static struct answer serve_other(const struct server *server, const char *message, size_t len,
                                 const mcp_elicit_caller *caller)
{
    mcp_elicit_envelope *envelope = NULL;
    mcp_elicit_error *err = NULL;
    if (mcp_elicit_engine_check(server->engine, message, len, caller, &envelope, &err))
        return from_error(err);

    struct answer answer = {202, NULL}; /* a notification: nothing to do, nothing to say */
    const char *id = mcp_elicit_envelope_id(envelope, NULL);
    const char *method = mcp_elicit_envelope_method(envelope, NULL);
    if (id) {
        cJSON *response = cJSON_CreateObject(), *result = NULL;
        cJSON_AddStringToObject(response, "jsonrpc", "2.0");
        cJSON_AddRawToObject(response, "id", id); /* as it came: cJSON would round a long number */
        if (strcmp(method, "server/discover") == 0) {
            result = cJSON_AddObjectToObject(response, "result");
            cJSON *versions = cJSON_AddArrayToObject(result, "supportedVersions");
            cJSON_AddItemToArray(versions, cJSON_CreateString(mcp_elicit_protocol_version()));
            cJSON_AddRawToObject(result, "capabilities", "{\"tools\":{}}");
        } else if (strcmp(method, "tools/list") == 0) {
            result = cJSON_AddObjectToObject(response, "result");
            cJSON_AddRawToObject(result, "tools", server->tools);
        }
        if (result) {
            answer.status = 200;
            cJSON_AddStringToObject(result, "resultType", "complete");
            cJSON_AddNumberToObject(result, "ttlMs", 300000);
            cJSON_AddStringToObject(result, "cacheScope", "public");
            cJSON *meta = cJSON_AddObjectToObject(result, "_meta");
            cJSON *info = cJSON_AddObjectToObject(meta, "io.modelcontextprotocol/serverInfo");
            cJSON_AddStringToObject(info, "name", server->name);
            cJSON_AddStringToObject(info, "version", VERSION);
        } else {
            answer.status = 404;
            cJSON *error = cJSON_AddObjectToObject(response, "error");
            cJSON_AddNumberToObject(error, "code", -32601);
            cJSON_AddStringToObject(error, "message", "Method not found");
        }
        answer.body = print(response);
    }
    mcp_elicit_envelope_free(envelope);
    return answer;
}

struct answer serve(const struct server *server, const char *message, size_t len,
                    const mcp_elicit_caller *caller, void *context)
{
    mcp_elicit_call *call = NULL;
    mcp_elicit_reply *reply = NULL;
    mcp_elicit_error *err = NULL;

    mcp_elicit_status status =
        mcp_elicit_engine_open(server->engine, message, len, caller, &call, &err);
    /* There are only tools here: prompts and resources could be calls, and are not known. */
    if (status == MCP_ELICIT_NOT_A_CALL ||
        (call && strcmp(mcp_elicit_call_method(call), "tools/call") != 0)) {
        mcp_elicit_error_free(err);
        mcp_elicit_call_free(call);
        return serve_other(server, message, len, caller);
    }
    if (status == MCP_ELICIT_OK)
        status = server->run(context, call, &reply, &err);
    if (status == MCP_ELICIT_PENDING)
        status = mcp_elicit_call_suspend(call, &reply, &err);
    mcp_elicit_call_free(call);
    return status == MCP_ELICIT_OK ? from_reply(reply) : from_error(err);
}

/* --- tools --------------------------------------------------------------------------------- */

static mcp_elicit_status say_text(mcp_elicit_call *call, const char *words, bool failed,
                                  mcp_elicit_reply **reply, mcp_elicit_error **err)
{
    cJSON *result = cJSON_CreateObject(), *text = cJSON_CreateObject();
    cJSON_AddStringToObject(text, "type", "text");
    cJSON_AddStringToObject(text, "text", words);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(result, "content"), text);
    if (failed)
        cJSON_AddTrueToObject(result, "isError");
    char *json = print(result);
    mcp_elicit_status status = mcp_elicit_call_complete(call, json, NUL, reply, err);
    free(json);
    return status;
}

mcp_elicit_status say(mcp_elicit_call *call, const char *words, mcp_elicit_reply **reply,
                      mcp_elicit_error **err)
{
    return say_text(call, words, false, reply, err);
}

mcp_elicit_status say_error(mcp_elicit_call *call, const char *words, mcp_elicit_reply **reply,
                            mcp_elicit_error **err)
{
    return say_text(call, words, true, reply, err);
}

static const char TARGET[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"environment\":{\"type\":\"string\",\"title\":\"Environment\","
    "\"enum\":[\"dev\",\"staging\",\"prod\"]},"
    "\"notify\":{\"type\":\"boolean\",\"title\":\"Notify the team\",\"default\":false}},"
    "\"required\":[\"environment\"]}";

/* Runs again on every round; answered questions have their outcome at once. */
mcp_elicit_status deploy(mcp_elicit_call *call, mcp_elicit_reply **reply, mcp_elicit_error **err)
{
    const mcp_elicit_outcome *target = NULL;
    mcp_elicit_action action;
    const char *content = NULL;

    mcp_elicit_status status = mcp_elicit_call_elicit_form(
        call, "target", NUL, "Which environment?", NUL, TARGET, NUL, NULL, &target, err);
    if (status == MCP_ELICIT_OK)
        status = mcp_elicit_outcome_action(target, &action, err); /* MCP_ELICIT_PENDING: not yet */
    if (status == MCP_ELICIT_OK)
        status = mcp_elicit_outcome_content(target, &content, NULL, err);
    if (status != MCP_ELICIT_OK)
        return status;
    if (action != MCP_ELICIT_ACTION_ACCEPT)
        return say(call, "Nothing was deployed.", reply, err);

    char words[128];
    cJSON *answers = cJSON_Parse(content); /* checked against the form: what is required is there */
    const char *environment = cJSON_GetStringValue(cJSON_GetObjectItem(answers, "environment"));
    bool notify = cJSON_IsTrue(cJSON_GetObjectItem(answers, "notify"));
    snprintf(words, sizeof words, "Deployed to %s%s.", environment ? environment : "",
             notify ? " and notified the team" : "");
    cJSON_Delete(answers);
    return say(call, words, reply, err);
}
