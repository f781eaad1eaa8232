/*
 * A server that pays at most once: it asks twice, claims, and then pays. libmicrohttpd and cJSON.
 *
 *     cargo build --release -p mcp-elicit-capi --features redis
 *     cc pay_server.c http.c serve.c \
 *         $(pkg-config --cflags --libs mcp_elicit libmicrohttpd libcjson) -o pay_server
 *     STORE=redis://127.0.0.1:6379/0 LEDGER=payments.jsonl PORT=8000 MCP_ELICIT_KEYS=... ./pay_server
 *
 * A call of `pay` takes three rounds: how much and to whom, whether to, and then the payment. Any
 * process with the same keys and the same store can serve the next round, and a request that is
 * sent twice pays once: the second gets the first one's result. STORE is a redis:// or rediss://
 * URL, or else the path of a SQLite file that the processes of one machine share. The payment is a
 * stand-in: a line in the file LEDGER. The servers in Python and Node read the same states.
 */
#define _DEFAULT_SOURCE

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "http.h"

#define NUL MCP_ELICIT_NUL

/* --- the tool ------------------------------------------------------------------------------ */

static const char ORDER[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"payee\":{\"type\":\"string\",\"title\":\"To whom\",\"minLength\":1,\"maxLength\":80},"
    "\"cents\":{\"type\":\"integer\",\"title\":\"Cents\",\"minimum\":1,\"maximum\":100000}},"
    "\"required\":[\"payee\",\"cents\"]}";
static const char SURE[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"sure\":{\"type\":\"boolean\",\"title\":\"Yes, pay\"}},\"required\":[\"sure\"]}";

/* A stand-in for the provider: one line in one write, on the disk before it counts. */
static bool transfer(const char *key, const char *payee, int cents)
{
    const char *ledger = getenv("LEDGER");
    cJSON *payment = cJSON_CreateObject();
    cJSON_AddStringToObject(payment, "key", key);
    cJSON_AddStringToObject(payment, "payee", payee);
    cJSON_AddNumberToObject(payment, "cents", cents);
    cJSON_AddNumberToObject(payment, "pid", getpid());
    char *json = cJSON_PrintUnformatted(payment);
    cJSON_Delete(payment);
    size_t len = json ? strlen(json) : 0;
    char *line = json ? realloc(json, len + 2) : NULL;
    if (!line) {
        free(json);
        return false;
    }
    memcpy(line + len, "\n", 2);
    int file = open(ledger ? ledger : "payments.jsonl", O_WRONLY | O_CREAT | O_APPEND, 0600);
    bool paid = file >= 0 && write(file, line, len + 1) == (ssize_t)(len + 1) && fsync(file) == 0;
    if (file >= 0)
        close(file);
    free(line);
    return paid;
}

/* Asks a question and gives what was said: NULL where the user did not accept. */
static mcp_elicit_status ask(mcp_elicit_call *call, const char *key, const char *message,
                             const char *schema, const mcp_elicit_ask_options *options,
                             cJSON **content, mcp_elicit_error **err)
{
    const mcp_elicit_outcome *outcome = NULL;
    mcp_elicit_action action;
    const char *json = NULL;
    *content = NULL;
    mcp_elicit_status status = mcp_elicit_call_elicit_form(call, key, NUL, message, NUL, schema,
                                                           NUL, options, &outcome, err);
    if (status == MCP_ELICIT_OK)
        status = mcp_elicit_outcome_action(outcome, &action, err); /* MCP_ELICIT_PENDING: not yet */
    if (status != MCP_ELICIT_OK || action != MCP_ELICIT_ACTION_ACCEPT)
        return status;
    status = mcp_elicit_outcome_content(outcome, &json, NULL, err);
    if (status == MCP_ELICIT_OK)
        *content = cJSON_Parse(json); /* checked against the form: what is required is there */
    return status;
}

/* Claims, and pays where nobody has. The result of the payment is kept for whoever lost it. */
static mcp_elicit_status pay_once(mcp_elicit_call *call, const char *payee, int cents,
                                  mcp_elicit_reply **reply, mcp_elicit_error **err)
{
    const struct timespec moment = {0, 50000000};
    char words[512];
    mcp_elicit_claim claimed = MCP_ELICIT_CLAIM_NONE;
    const char *result = NULL;
    mcp_elicit_claim_options *options = mcp_elicit_claim_options_new();
    mcp_elicit_status status = mcp_elicit_claim_options_set_remember(options, 1, err);
    if (status == MCP_ELICIT_OK)
        status = mcp_elicit_call_claim(call, options, &claimed, &result, NULL, err);
    mcp_elicit_claim_options_free(options);
    if (status != MCP_ELICIT_OK)
        return status;

    /* The client may send this round twice, and to two processes. The first claim wins. */
    const char *key = mcp_elicit_call_idempotency_key(call);
    switch (claimed) {
    case MCP_ELICIT_CLAIM_WON:
        if (!transfer(key, payee, cents))
            return mcp_elicit_call_fail(call, -32603, "The payment was not written", NUL, NULL, 0,
                                        reply, err);
        snprintf(words, sizeof words, "Paid %d cents to %s.", cents, payee);
        return say(call, words, reply, err);
    case MCP_ELICIT_CLAIM_RECORDED:
        return mcp_elicit_call_complete(call, result, NUL, reply, err);
    case MCP_ELICIT_CLAIM_IN_PROGRESS:
        nanosleep(&moment, NULL);
        return mcp_elicit_call_retry_later(call, reply, err); /* the client comes back by itself */
    default:
        /* The process that paid, or was about to, has died. A real server would ask its provider
         * for the payment of this key. */
        snprintf(words, sizeof words, "Whether this was paid is not known. Its key is %s.", key);
        return say_error(call, words, reply, err);
    }
}

/* Runs again on every round; answered questions have their outcome at once. */
static mcp_elicit_status pay(mcp_elicit_call *call, mcp_elicit_reply **reply,
                             mcp_elicit_error **err)
{
    cJSON *order = NULL, *sure = NULL;
    mcp_elicit_ask_options *options = NULL;
    char words[512];
    mcp_elicit_status status =
        ask(call, "order", "How much do you want to pay, and to whom?", ORDER, NULL, &order, err);
    if (status != MCP_ELICIT_OK)
        return status;
    const char *payee = cJSON_GetStringValue(cJSON_GetObjectItem(order, "payee"));
    int cents = (int)cJSON_GetNumberValue(cJSON_GetObjectItem(order, "cents"));
    if (payee) {
        snprintf(words, sizeof words, "Pay %d cents to %s?", cents, payee);
        options = mcp_elicit_ask_options_new();
        status = mcp_elicit_ask_options_set_human_only(options, 1, err);
        if (status == MCP_ELICIT_OK)
            status = ask(call, "sure", words, SURE, options, &sure, err);
        mcp_elicit_ask_options_free(options);
    }
    if (status == MCP_ELICIT_OK)
        status = payee && cJSON_IsTrue(cJSON_GetObjectItem(sure, "sure"))
                     ? pay_once(call, payee, cents, reply, err)
                     : say(call, "Nothing was paid.", reply, err);
    cJSON_Delete(sure);
    cJSON_Delete(order);
    return status;
}

/* Runs the tool that the call is for. */
static mcp_elicit_status run(void *context, mcp_elicit_call *call, mcp_elicit_reply **reply,
                             mcp_elicit_error **err)
{
    (void)context;
    if (strcmp(mcp_elicit_call_target(call, NULL), "pay") == 0)
        return pay(call, reply, err);
    return mcp_elicit_call_fail(call, -32602, "Unknown tool", NUL, NULL, 0, reply, err);
}

static const char TOOLS[] =
    "[{\"name\":\"pay\",\"description\":"
    "\"Pays somebody, when the user has said whom and how much, and confirmed.\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{}}}]";

/* --- the server ---------------------------------------------------------------------------- */

/* Where claims are kept: shared by all processes of the service. Ends the process without. */
static mcp_elicit_store *open_store(void)
{
    const char *place = getenv("STORE"), *limit = getenv("STORE_TIME_LIMIT_MS");
    uint64_t limit_ms = limit ? strtoull(limit, NULL, 10) : 0;
    mcp_elicit_store *store = NULL;
    mcp_elicit_error *err = NULL;
    if (!place)
        place = "claims.db";
    bool redis = strncmp(place, "redis://", 8) == 0 || strncmp(place, "rediss://", 9) == 0;
    if (redis ? mcp_elicit_store_new_redis(place, NUL, limit_ms, &store, &err)
              : mcp_elicit_store_new_sqlite(place, NUL, limit_ms, &store, &err)) {
        fprintf(stderr, "%s\n", mcp_elicit_error_message(err, NULL));
        exit(1);
    }
    return store;
}

int main(void)
{
    mcp_elicit_store *store = open_store();
    mcp_elicit_engine *engine = make_engine("payments", store);
    struct server server = {"payments", engine, run, TOOLS};
    int status = serve_http(&server, NULL, true); /* a claim waits for the store */
    mcp_elicit_engine_free(engine);
    mcp_elicit_store_free(store);
    return status;
}
