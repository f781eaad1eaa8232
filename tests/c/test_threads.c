/*
 * What the header says of threads: an engine, a caller, a form and options are used by all at once,
 * a reply and an error read by all at once, and a call changes hands between functions.
 */
#include "rounds.h"

#include <pthread.h>
#include <stdatomic.h>

#define THREADS 8
#define FLOWS 40

/* What all threads share. Checks are counted by atomics: check.h is for one thread. */
static const mcp_elicit_engine *engine;
static const mcp_elicit_caller *caller;
static const mcp_elicit_form *form;
static const mcp_elicit_ask_options *options;
static atomic_int good, events, bytes;

static void count_event(void *context, const mcp_elicit_event *event)
{
    (void)context;
    atomic_fetch_add(&events, strcmp(mcp_elicit_event_name(event), "state_refused") == 0);
}

static uint64_t one_time(void *context)
{
    return *(uint64_t *)context;
}

/* Different bytes for every thread and call. */
static int counted(void *context, uint8_t *out, size_t len)
{
    (void)context;
    for (size_t at = 0; at < len; at++)
        out[at] = (uint8_t)(atomic_fetch_add(&bytes, 1) * 2654435761u >> 13);
    return 0;
}

static bool flow(void)
{
    mcp_elicit_call *call = NULL;
    mcp_elicit_reply *reply = NULL;
    mcp_elicit_error *err = NULL;
    const mcp_elicit_outcome *target = NULL;
    mcp_elicit_action action;
    size_t len = 0;
#define ASK mcp_elicit_call_elicit_compiled_form(call, "target", NUL, "Where?", NUL, form, options, &target, NULL)
    if (mcp_elicit_engine_open(engine, REQUEST("1", BOTH, ""), NUL, caller, &call, NULL) || ASK ||
        mcp_elicit_call_suspend(call, &reply, NULL))
        return false;
    mcp_elicit_call_free(call);
    const char *state = raw(mcp_elicit_reply_body(reply, NULL), &len, "/result/requestState");
    char *request = malloc(len + 1000);
    sprintf(request,
            REQUEST("2", BOTH, ",\"requestState\":%.*s,\"inputResponses\":{\"target\":{\"action\":\"accept\","
                               "\"content\":{\"environment\":\"dev\"}}}"),
            (int)len, state);
    mcp_elicit_reply_free(reply);
    bool done = !mcp_elicit_engine_open(engine, request, NUL, caller, &call, NULL) && !ASK &&
                !mcp_elicit_outcome_action(target, &action, NULL) && action == MCP_ELICIT_ACTION_ACCEPT &&
                !mcp_elicit_call_complete(call, "{\"content\":[]}", NUL, &reply, NULL);
    mcp_elicit_call_free(call);
    mcp_elicit_reply_free(done ? reply : NULL);

    /* A refusal, so that the log hook is called by all threads. */
    char *changed = strstr(request, "me1.") + 20;
    *changed = *changed == 'A' ? 'B' : 'A';
    done &= mcp_elicit_engine_open(engine, request, NUL, caller, &call, &err) == MCP_ELICIT_INVALID_STATE;
    mcp_elicit_error_free(err);
    free(request);
    return done;
}

static void *flows(void *context)
{
    (void)context;
    for (int at = 0; at < FLOWS; at++)
        atomic_fetch_add(&good, flow());
    return NULL;
}

static void run_in_all(void *(*work)(void *), void *context)
{
    pthread_t threads[THREADS];
    for (int at = 0; at < THREADS; at++)
        CHECK(pthread_create(&threads[at], NULL, work, context) == 0);
    for (int at = 0; at < THREADS; at++)
        pthread_join(threads[at], NULL);
}

static void one_engine_for_all(void)
{
    uint64_t now = 1800000000000;
    mcp_elicit_engine *made = NULL;
    mcp_elicit_form *read = NULL;
    mcp_elicit_caller *who = alice();
    mcp_elicit_ask_options *how = mcp_elicit_ask_options_new();
    mcp_elicit_engine_config *config = mcp_elicit_engine_config_new();
    CHECK(!mcp_elicit_engine_config_set_keys(config, KEY, NUL, NULL));
    CHECK(!mcp_elicit_engine_config_set_audience(config, "deployer", NUL, NULL));
    CHECK(!mcp_elicit_engine_config_set_log(config, count_event, NULL, NULL, NULL));
    CHECK(!mcp_elicit_engine_config_set_clock(config, one_time, &now, NULL, NULL));
    CHECK(!mcp_elicit_engine_config_set_random(config, counted, NULL, NULL, NULL));
    CHECK(!mcp_elicit_engine_new(config, &made, NULL));
    CHECK(!mcp_elicit_form_new(made, SCHEMA, NUL, NULL, &read, NULL));
    mcp_elicit_engine_config_free(config);
    engine = made, caller = who, form = read, options = how;
    run_in_all(flows, NULL);
    CHECK_NUMBER(good, THREADS * FLOWS);
    CHECK_NUMBER(events, THREADS * FLOWS);
    mcp_elicit_ask_options_free(how);
    mcp_elicit_caller_free(who);
    mcp_elicit_form_free(read);
    mcp_elicit_engine_free(made);
}

/* Texts that are made when they are first read: all threads get the same. */
static const char *first_message;
static mcp_elicit_error *shared_error;
static mcp_elicit_reply *shared_reply;
static atomic_int same;

static void *read_all(void *context)
{
    (void)context;
    for (int at = 0; at < FLOWS; at++) {
        const char *name = mcp_elicit_reply_header_name(shared_reply, 0);
        bool ok = name && strlen(name) > 0;
        ok &= strcmp(mcp_elicit_error_message(shared_error, NULL), first_message) == 0;
        ok &= strlen(mcp_elicit_error_faults(shared_error, NULL)) > 2;
        ok &= mcp_elicit_error_fault(shared_error, 0) == mcp_elicit_error_fault(shared_error, 0);
        atomic_fetch_add(&same, ok);
    }
    return NULL;
}

static void errors_and_replies_are_read_by_all(void)
{
    mcp_elicit_error *twin = NULL;
    CHECK_NUMBER(mcp_elicit_schema_check("{\"type\":1}", NUL, &shared_error), MCP_ELICIT_SCHEMA);
    CHECK_NUMBER(mcp_elicit_schema_check("{\"type\":1}", NUL, &twin), MCP_ELICIT_SCHEMA);
    first_message = mcp_elicit_error_message(twin, NULL);
    shared_reply = mcp_elicit_error_reply(twin);
    run_in_all(read_all, NULL);
    CHECK_NUMBER(same, THREADS * FLOWS);
    mcp_elicit_reply_free(shared_reply);
    mcp_elicit_error_free(shared_error);
    mcp_elicit_error_free(twin);
}

/* "one thread at a time; it may change hands between functions" */
static void *ask_elsewhere(void *call)
{
    const mcp_elicit_outcome *target = NULL;
    return mcp_elicit_call_elicit_form(call, "target", NUL, "Where?", NUL, SCHEMA, NUL, NULL, &target, NULL)
               ? NULL
               : (void *)(uintptr_t)target;
}

static void a_call_changes_hands(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *own = world_engine(&world);
    mcp_elicit_caller *who = alice();
    mcp_elicit_call *call = opened(own, REQUEST("1", BOTH, ""), who);
    pthread_t thread;
    void *target = NULL;
    CHECK(pthread_create(&thread, NULL, ask_elsewhere, call) == 0);
    pthread_join(thread, &target);
    CHECK(mcp_elicit_outcome_is_pending(target));
    free(suspended(call));
    mcp_elicit_caller_free(who);
    mcp_elicit_engine_free(own);
}

int main(void)
{
    RUN(one_engine_for_all);
    RUN(errors_and_replies_are_read_by_all);
    RUN(a_call_changes_hands);
    return finished("threads");
}
