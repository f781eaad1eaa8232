/*
 * Claims: an effect happens at most once a flow (mrtr, server requirement 5, warning: "Servers for
 * which a given `requestState` must be consumed at most once MUST enforce that invariant
 * server-side").
 */
#include "own_store.h"
#include "rounds.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static mcp_elicit_caller *caller;

static mcp_elicit_engine *engine_with(struct world *world, mcp_elicit_store *store)
{
    mcp_elicit_engine *engine = NULL;
    mcp_elicit_engine_config *config = world_config(world);
    CHECK_NUMBER(mcp_elicit_engine_config_set_store(config, store, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_engine_new(config, &engine, NULL), MCP_ELICIT_OK);
    mcp_elicit_engine_config_free(config);
    return engine;
}

static mcp_elicit_store *memory_store(void)
{
    mcp_elicit_store *store = NULL;
    CHECK_NUMBER(mcp_elicit_store_new_memory(0, &store, NULL), MCP_ELICIT_OK);
    return store;
}

/* An engine that alone has a memory store. */
static mcp_elicit_engine *engine_of(struct world *world)
{
    mcp_elicit_store *store = memory_store();
    mcp_elicit_engine *engine = engine_with(world, store);
    mcp_elicit_store_free(store);
    return engine;
}

/* The request of the second round of a new flow, in which the person has answered; to be freed. */
static char *begin(const mcp_elicit_engine *engine)
{
    mcp_elicit_call *call = opened(engine, REQUEST("1", BOTH, ""), caller);
    asked(call, "target", SCHEMA);
    char *state = suspended(call);
    char *request =
        retry(state, "{\"target\":{\"action\":\"accept\",\"content\":{\"environment\":\"dev\"}}}");
    free(state);
    return request;
}

static mcp_elicit_call *answered(const mcp_elicit_engine *engine, const char *request)
{
    mcp_elicit_call *call = opened(engine, request, caller);
    CHECK_NUMBER(action_of(asked(call, "target", SCHEMA)), MCP_ELICIT_ACTION_ACCEPT);
    return call;
}

static mcp_elicit_claim claimed(mcp_elicit_call *call, const mcp_elicit_claim_options *options)
{
    mcp_elicit_claim claim = MCP_ELICIT_CLAIM_NONE;
    mcp_elicit_error *err = NULL;
    CHECK_NUMBER(mcp_elicit_call_claim(call, options, &claim, NULL, NULL, &err), MCP_ELICIT_OK);
    if (err)
        fprintf(stderr, "  %s\n", mcp_elicit_error_message(err, NULL));
    mcp_elicit_error_free(err);
    return claim;
}

/* What another call of the flow finds. */
static mcp_elicit_claim claimed_by_another(const mcp_elicit_engine *engine, const char *request,
                                           const mcp_elicit_claim_options *options)
{
    mcp_elicit_call *call = answered(engine, request);
    mcp_elicit_claim claim = claimed(call, options);
    mcp_elicit_call_free(call);
    return claim;
}

static void complete(mcp_elicit_call *call)
{
    mcp_elicit_reply *reply = NULL;
    CHECK_NUMBER(mcp_elicit_call_complete(call, TEXT_RESULT, NUL, &reply, NULL), MCP_ELICIT_OK);
    CHECK(strstr(mcp_elicit_reply_body(reply, NULL), "Deployed."));
    mcp_elicit_reply_free(reply);
}

static void the_first_wins_and_a_later_one_finds_it_done(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *engine = engine_of(&world);
    char *request = begin(engine), *another = begin(engine);
    mcp_elicit_call *winner = answered(engine, request);
    CHECK(!mcp_elicit_call_has_claim(winner));
    CHECK_NUMBER(claimed(winner, NULL), MCP_ELICIT_CLAIM_WON);
    CHECK(mcp_elicit_call_has_claim(winner));
    CHECK_NUMBER(claimed(winner, NULL), MCP_ELICIT_CLAIM_WON); /* the same answer in the same call */
    CHECK_NUMBER(claimed_by_another(engine, request, NULL), MCP_ELICIT_CLAIM_IN_PROGRESS);
    complete(winner);
    CHECK_NUMBER(claimed_by_another(engine, request, NULL), MCP_ELICIT_CLAIM_ALREADY);
    CHECK_NUMBER(claimed_by_another(engine, another, NULL), MCP_ELICIT_CLAIM_WON); /* another flow */

    /* The name of the effect is the flow's. */
    mcp_elicit_call *same = answered(engine, request), *other = answered(engine, another);
    const char *key = mcp_elicit_call_idempotency_key(winner);
    CHECK_NUMBER(strlen(key), 43);
    CHECK_TEXT(mcp_elicit_call_idempotency_key(same), key);
    CHECK(strcmp(mcp_elicit_call_idempotency_key(other), key) != 0);
    CHECK(!strstr(key, mcp_elicit_call_flow_id(same)));
    mcp_elicit_call_free(same);
    mcp_elicit_call_free(other);
    mcp_elicit_call_free(winner);
    free(request);
    free(another);
    mcp_elicit_engine_free(engine);
}

static void a_remembered_result_is_given_again(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *engine = engine_of(&world);
    mcp_elicit_claim_options *options = mcp_elicit_claim_options_new();
    CHECK_NUMBER(mcp_elicit_claim_options_set_remember(options, 1, NULL), MCP_ELICIT_OK);
    for (int way = 0; way < 3; way++) {
        char *request = begin(engine);
        mcp_elicit_call *winner = answered(engine, request), *later = answered(engine, request);
        mcp_elicit_reply *first = NULL, *again = NULL;
        CHECK_NUMBER(claimed(winner, way == 0 ? NULL : options), MCP_ELICIT_CLAIM_WON);
        if (way == 0)
            CHECK_NUMBER(mcp_elicit_call_complete_and_remember(winner, TEXT_RESULT, NUL, &first, NULL), MCP_ELICIT_OK);
        else if (way == 1)
            CHECK_NUMBER(mcp_elicit_call_complete(winner, TEXT_RESULT, NUL, &first, NULL), MCP_ELICIT_OK);
        else
            CHECK_NUMBER(mcp_elicit_call_settle(winner, MCP_ELICIT_OK, TEXT_RESULT, NUL, NULL, &first, NULL), MCP_ELICIT_OK);

        mcp_elicit_claim claim;
        const char *result = NULL, *twice = NULL;
        size_t len = 0;
        CHECK_NUMBER(mcp_elicit_call_claim(later, NULL, &claim, &result, &len, NULL), MCP_ELICIT_OK);
        CHECK_NUMBER(claim, MCP_ELICIT_CLAIM_RECORDED);
        CHECK_TEXT(result, TEXT_RESULT);
        CHECK_NUMBER(len, strlen(TEXT_RESULT));
        CHECK_NUMBER(mcp_elicit_call_claim(later, NULL, &claim, &twice, NULL, NULL), MCP_ELICIT_OK);
        CHECK(twice == result);
        CHECK_NUMBER(mcp_elicit_call_complete(later, result, len, &again, NULL), MCP_ELICIT_OK);
        CHECK_TEXT(mcp_elicit_reply_body(again, NULL), mcp_elicit_reply_body(first, NULL));
        mcp_elicit_reply_free(first);
        mcp_elicit_reply_free(again);
        mcp_elicit_call_free(winner);
        mcp_elicit_call_free(later);
        free(request);
    }
    mcp_elicit_claim_options_free(options);
    mcp_elicit_engine_free(engine);
}

static void a_lease_frees_and_a_wait_does_not(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *engine = engine_of(&world);
    char *request = begin(engine), *leased = begin(engine);
    mcp_elicit_claim_options *wait = mcp_elicit_claim_options_new(), *lease = mcp_elicit_claim_options_new();
    CHECK_NUMBER(mcp_elicit_claim_options_set_wait_ms(wait, 5000, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_claim_options_set_lease_ms(lease, 5000, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(claimed_by_another(engine, request, wait), MCP_ELICIT_CLAIM_WON); /* and dies */
    mcp_elicit_call *late = answered(engine, leased);
    CHECK_NUMBER(claimed(late, lease), MCP_ELICIT_CLAIM_WON);
    world.now_ms += 4999;
    CHECK_NUMBER(claimed_by_another(engine, request, wait), MCP_ELICIT_CLAIM_IN_PROGRESS);
    CHECK_NUMBER(claimed_by_another(engine, leased, lease), MCP_ELICIT_CLAIM_IN_PROGRESS);
    world.now_ms += 1;
    CHECK_NUMBER(claimed_by_another(engine, request, wait), MCP_ELICIT_CLAIM_UNKNOWN);
    CHECK_NUMBER(claimed_by_another(engine, request, wait), MCP_ELICIT_CLAIM_UNKNOWN); /* for ever */
    mcp_elicit_call *second = answered(engine, leased);
    CHECK_NUMBER(claimed(second, lease), MCP_ELICIT_CLAIM_WON);
    /* The first one comes to its end after all: its result goes out, the record is not its own. */
    complete(late);
    CHECK(strstr(world.log, "claim_not_finished"));
    CHECK_NUMBER(claimed_by_another(engine, leased, lease), MCP_ELICIT_CLAIM_IN_PROGRESS);
    complete(second);
    CHECK_NUMBER(claimed_by_another(engine, leased, lease), MCP_ELICIT_CLAIM_ALREADY);
    mcp_elicit_call_free(late);
    mcp_elicit_call_free(second);
    free(request);
    free(leased);
    mcp_elicit_claim_options_free(wait);
    mcp_elicit_claim_options_free(lease);
    mcp_elicit_engine_free(engine);
}

static void a_claim_given_back_can_be_won_again(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *engine = engine_of(&world);
    char *request = begin(engine);
    mcp_elicit_call *winner = answered(engine, request);
    CHECK_NUMBER(claimed(winner, NULL), MCP_ELICIT_CLAIM_WON);
    CHECK_NUMBER(mcp_elicit_call_release_claim(winner, NULL), MCP_ELICIT_OK);
    CHECK(!mcp_elicit_call_has_claim(winner));
    CHECK_NUMBER(mcp_elicit_call_release_claim(winner, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(claimed_by_another(engine, request, NULL), MCP_ELICIT_CLAIM_WON);
    mcp_elicit_call_free(winner);
    free(request);
    mcp_elicit_engine_free(engine);
}

/* Threads that claim one flow at once: check.h is for one thread, so these only count. */
static const mcp_elicit_engine *shared;
static const char *contested;
static atomic_int won, in_progress, strange;

static void *contend(void *unused)
{
    mcp_elicit_call *call = NULL;
    const mcp_elicit_outcome *outcome;
    mcp_elicit_claim claim = MCP_ELICIT_CLAIM_NONE;
    if (mcp_elicit_engine_open(shared, contested, NUL, caller, &call, NULL) ||
        mcp_elicit_call_elicit_form(call, "target", NUL, "Which environment?", NUL, SCHEMA, NUL, NULL, &outcome, NULL) ||
        mcp_elicit_call_claim(call, NULL, &claim, NULL, NULL, NULL))
        claim = MCP_ELICIT_CLAIM_NONE;
    atomic_fetch_add(claim == MCP_ELICIT_CLAIM_WON           ? &won
                     : claim == MCP_ELICIT_CLAIM_IN_PROGRESS ? &in_progress
                                                             : &strange,
                     1);
    mcp_elicit_call_free(call);
    return unused;
}

static void of_many_at_once_one_wins(mcp_elicit_store *store, int rounds)
{
    /* The system's clock and randomness: the world's are for one thread. */
    mcp_elicit_engine_config *config = mcp_elicit_engine_config_new();
    mcp_elicit_engine *engine = NULL;
    CHECK_NUMBER(mcp_elicit_engine_config_set_keys(config, KEY, NUL, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_engine_config_set_audience(config, "deployer", NUL, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_engine_config_set_store(config, store, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_engine_new(config, &engine, NULL), MCP_ELICIT_OK);
    mcp_elicit_engine_config_free(config);
    mcp_elicit_store_free(store);
    for (int round = 0; round < rounds; round++) {
        pthread_t threads[8];
        char *request = begin(engine);
        shared = engine, contested = request;
        atomic_store(&won, 0), atomic_store(&in_progress, 0), atomic_store(&strange, 0);
        for (int at = 0; at < 8; at++)
            CHECK_NUMBER(pthread_create(&threads[at], NULL, contend, NULL), 0);
        for (int at = 0; at < 8; at++)
            pthread_join(threads[at], NULL);
        CHECK_NUMBER(atomic_load(&won), 1);
        CHECK_NUMBER(atomic_load(&in_progress), 7);
        CHECK_NUMBER(atomic_load(&strange), 0);
        free(request);
    }
    mcp_elicit_engine_free(engine);
}

static void threads(void)
{
    struct own_store state = OWN_STORE;
    mcp_elicit_store_functions functions = own_functions(&state);
    mcp_elicit_store *store = NULL;
    of_many_at_once_one_wins(memory_store(), 25);
    CHECK_NUMBER(mcp_elicit_store_new_custom(&functions, &store, NULL), MCP_ELICIT_OK);
    of_many_at_once_one_wins(store, 25);
    CHECK_NUMBER(state.destroyed, 1);
}

/* Another process: wins the claim, says so, and never comes to an end. */
static void win_and_hang(const char *file, const char *request, int says, uint64_t now_ms)
{
    struct world world = {.now_ms = now_ms, .next = 77};
    mcp_elicit_store *store = NULL;
    if (mcp_elicit_store_new_sqlite(file, NUL, 30000, &store, NULL))
        _exit(1);
    mcp_elicit_call *call = answered(engine_with(&world, store), request);
    char claim = (char)claimed(call, NULL);
    if (write(says, &claim, 1) != 1)
        _exit(1);
    for (;;)
        pause();
}

/* A process that is killed in the middle of its effect: nobody runs it again. */
static void a_winner_that_was_killed_leaves_an_unknown_outcome(void)
{
    struct world world = {.now_ms = 1800000000000};
    char folder[] = "/tmp/mcp-elicit-c-XXXXXX", file[64], path[80], claim = 0;
    int says[2], status = 0;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(file, sizeof file, "%s/store.db", folder);
    mcp_elicit_engine *begins = engine_of(&world);
    char *request = begin(begins);
    CHECK_NUMBER(pipe(says), 0);
    pid_t child = fork();
    if (child == 0)
        win_and_hang(file, request, says[1], world.now_ms);
    CHECK(child > 0);
    CHECK_NUMBER(read(says[0], &claim, 1), 1);
    CHECK_NUMBER(claim, MCP_ELICIT_CLAIM_WON);

    mcp_elicit_store *store = NULL;
    CHECK_NUMBER(mcp_elicit_store_new_sqlite(file, NUL, 30000, &store, NULL), MCP_ELICIT_OK);
    mcp_elicit_engine *engine = engine_with(&world, store);
    mcp_elicit_store_free(store);
    CHECK_NUMBER(claimed_by_another(engine, request, NULL), MCP_ELICIT_CLAIM_IN_PROGRESS);
    CHECK_NUMBER(kill(child, SIGKILL), 0);
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
    CHECK_NUMBER(claimed_by_another(engine, request, NULL), MCP_ELICIT_CLAIM_IN_PROGRESS);
    world.now_ms += 60000; /* the usual wait of a claim */
    CHECK_NUMBER(claimed_by_another(engine, request, NULL), MCP_ELICIT_CLAIM_UNKNOWN);
    mcp_elicit_engine_free(engine);
    mcp_elicit_engine_free(begins);
    free(request);
    close(says[0]);
    close(says[1]);
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    for (int at = 0; at < 3; at++) {
        snprintf(path, sizeof path, "%s%s", file, suffixes[at]);
        unlink(path);
    }
    CHECK_NUMBER(rmdir(folder), 0);
}

/* A store that fails is a retryable error; the effect is not run and nothing is claimed twice. */
static void a_store_that_fails(void)
{
    struct world world = {.now_ms = 1800000000000};
    struct own_store state = OWN_STORE;
    mcp_elicit_store_functions functions = own_functions(&state);
    mcp_elicit_store *store = NULL;
    CHECK_NUMBER(mcp_elicit_store_new_custom(&functions, &store, NULL), MCP_ELICIT_OK);
    mcp_elicit_engine *engine = engine_with(&world, store);
    mcp_elicit_store_free(store);
    char *request = begin(engine);
    mcp_elicit_call *call = answered(engine, request);
    static const struct {
        enum fault fault;
        uint32_t number;
        const char *logs;
    } cases[] = {
        {SAYS_WHY, 0, "store_failed/unavailable "},
        {RETURNS, MCP_ELICIT_STORE_TIMED_OUT, "store_failed/timed_out "},
        {RETURNS, MCP_ELICIT_STORE_FULL, "store_failed/full "},
        {RETURNS, 4294967295u, "store_failed/unavailable "},
        {TOO_LONG, 0, "store_failed/unavailable "},
        {RUBBISH, 0, "store_value_refused/ "},
        {DONE_AND_FAILS, 0, "store_failed/timed_out "},
    };
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
        mcp_elicit_claim claim = MCP_ELICIT_CLAIM_WON;
        mcp_elicit_error *err = NULL;
        about = cases[at].logs;
        state.fault = cases[at].fault, state.number = cases[at].number;
        world.log[0] = '\0';
        CHECK_NUMBER(mcp_elicit_call_claim(call, NULL, &claim, NULL, NULL, &err), MCP_ELICIT_STORE);
        CHECK_NUMBER(claim, MCP_ELICIT_CLAIM_NONE);
        CHECK(!mcp_elicit_call_has_claim(call));
        CHECK(mcp_elicit_error_is_retryable(err));
        CHECK_TEXT(world.log, cases[at].logs);
        mcp_elicit_reply *reply = mcp_elicit_error_reply(err);
        CHECK_NUMBER(mcp_elicit_reply_http_status(reply), 200);
        CHECK(strstr(mcp_elicit_reply_body(reply, NULL), "-32603"));
        mcp_elicit_reply_free(reply);
        mcp_elicit_error_free(err);
    }
    about = "";
    /* The last one got through: its own call finds it, and no other wins. */
    state.fault = NO_FAULT;
    CHECK_NUMBER(claimed_by_another(engine, request, NULL), MCP_ELICIT_CLAIM_IN_PROGRESS);
    CHECK_NUMBER(claimed(call, NULL), MCP_ELICIT_CLAIM_WON);

    /* What could not be given back is still this call's. */
    state.fault = SAYS_WHY;
    CHECK_NUMBER(mcp_elicit_call_release_claim(call, NULL), MCP_ELICIT_STORE);
    CHECK(mcp_elicit_call_has_claim(call));
    /* After the effect a store that fails does not hold the result back. */
    world.log[0] = '\0';
    complete(call);
    CHECK_TEXT(world.log, "store_failed/unavailable claim_not_finished/ ");
    state.fault = NO_FAULT;
    CHECK_NUMBER(claimed_by_another(engine, request, NULL), MCP_ELICIT_CLAIM_IN_PROGRESS);
    mcp_elicit_call_free(call);
    free(request);
    mcp_elicit_engine_free(engine);
    CHECK_NUMBER(state.destroyed, 1);
}

static void what_cannot_be_claimed(void)
{
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine *bare = world_engine(&world), *engine = engine_of(&world);
    mcp_elicit_claim claim = MCP_ELICIT_CLAIM_WON;
    mcp_elicit_error *err = NULL;
    mcp_elicit_reply *reply = NULL;
    char *request = begin(engine);
    mcp_elicit_call *call = answered(bare, request);
    CHECK_NUMBER(mcp_elicit_call_claim(call, NULL, &claim, NULL, NULL, &err), MCP_ELICIT_CONFIG);
    CHECK(!mcp_elicit_error_is_retryable(err));
    mcp_elicit_error_free(err);
    mcp_elicit_call_free(call);

    call = answered(engine, request);
    mcp_elicit_claim_options *options = mcp_elicit_claim_options_new();
    CHECK_NUMBER(mcp_elicit_claim_options_set_wait_ms(options, 3600000, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_call_claim(call, options, &claim, NULL, NULL, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_call_claim(call, NULL, NULL, NULL, NULL, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_call_claim(NULL, NULL, &claim, NULL, NULL, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(claim, MCP_ELICIT_CLAIM_NONE);
    world.now_ms += 3600000;
    CHECK_NUMBER(mcp_elicit_call_claim(call, NULL, &claim, NULL, NULL, NULL), MCP_ELICIT_LIMIT);
    complete(call);
    CHECK_NUMBER(mcp_elicit_call_claim(call, NULL, &claim, NULL, NULL, NULL), MCP_ELICIT_FINISHED);
    CHECK_NUMBER(mcp_elicit_call_complete_and_remember(call, "[", NUL, &reply, NULL), MCP_ELICIT_INVALID_RESULT);
    mcp_elicit_call_free(call);
    free(request);

    CHECK_NUMBER(mcp_elicit_claim_options_set_wait_ms(NULL, 1, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_claim_options_set_lease_ms(NULL, 1, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_claim_options_set_remember(NULL, 1, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_call_release_claim(NULL, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_engine_config_set_store(NULL, NULL, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK(mcp_elicit_call_idempotency_key(NULL) == NULL);
    CHECK(!mcp_elicit_call_has_claim(NULL));
    mcp_elicit_claim_options_free(NULL);
    mcp_elicit_claim_options_free(options);
    mcp_elicit_engine_free(bare);
    mcp_elicit_engine_free(engine);
}

int main(void)
{
    caller = alice();
    RUN(a_winner_that_was_killed_leaves_an_unknown_outcome);
    RUN(the_first_wins_and_a_later_one_finds_it_done);
    RUN(a_remembered_result_is_given_again);
    RUN(a_lease_frees_and_a_wait_does_not);
    RUN(a_claim_given_back_can_be_won_again);
    RUN(threads);
    RUN(a_store_that_fails);
    RUN(what_cannot_be_claimed);
    mcp_elicit_caller_free(caller);
    return finished("claims");
}
