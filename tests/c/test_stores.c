/*
 * Stores: the suite of core/tests/stores against each that C has, what can be wrong when one is made
 * or answers, and a SQLite file that two processes share.
 */
#include "check.h"
#include "own_store.h"

#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HOUR 3600000u
#define SHORT 2000u /* longer than the operations that must come before it is over, valgrind's too */

static const mcp_elicit_store *tested;
static struct own_store *own; /* whose clock can be set, if it is that one */

static void pass(unsigned ms)
{
    if (own) {
        own->now_ms += ms;
        return;
    }
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

enum operation { GET, PUT, SET, DELETE };

static mcp_elicit_status operate(enum operation operation, const char *key, const char *expected,
                                 size_t expected_len, const char *value, size_t value_len,
                                 uint64_t ttl_ms, mcp_elicit_store_answer **answer,
                                 mcp_elicit_error **err)
{
    const uint8_t *old = (const uint8_t *)expected, *new = (const uint8_t *)value;
    switch (operation) {
    case GET:
        return mcp_elicit_store_get(tested, key, NUL, answer, err);
    case PUT:
        return mcp_elicit_store_put_if_absent(tested, key, NUL, new, value_len, ttl_ms, answer, err);
    case SET:
        return mcp_elicit_store_compare_and_set(tested, key, NUL, old, expected_len, new, value_len,
                                                ttl_ms, answer, err);
    case DELETE:
        return mcp_elicit_store_compare_and_delete(tested, key, NUL, old, expected_len, answer, err);
    }
    return MCP_ELICIT_INTERNAL;
}

/* One operation whose answer is `result`, and `found` where that is a value. */
static void is(int line, enum operation operation, const char *key, const char *expected,
               size_t expected_len, const char *value, size_t value_len, uint64_t ttl_ms,
               mcp_elicit_store_result result, const char *found, size_t found_len)
{
    mcp_elicit_store_answer *answer = NULL;
    mcp_elicit_error *err = NULL;
    size_t len = 1;
    mcp_elicit_status status = operate(operation, key, expected, expected_len, value, value_len,
                                       ttl_ms, &answer, &err);
    same_number(status, MCP_ELICIT_OK, __FILE__, line, "the status");
    if (err)
        fprintf(stderr, "  %s\n", mcp_elicit_error_message(err, NULL));
    mcp_elicit_error_free(err);
    same_number(mcp_elicit_store_answer_result(answer), result, __FILE__, line, "the answer");
    const uint8_t *seen = mcp_elicit_store_answer_value(answer, &len);
    checked(found ? seen && len == found_len && memcmp(seen, found, len) == 0 : !seen && len == 0,
            __FILE__, line, "the value");
    mcp_elicit_store_answer_free(answer);
}

#define DONE MCP_ELICIT_STORE_DONE, NULL, 0
#define ABSENT MCP_ELICIT_STORE_ABSENT, NULL, 0
#define CONFLICT MCP_ELICIT_STORE_CONFLICT, NULL, 0
#define FOUND(value) MCP_ELICIT_STORE_FOUND, value, sizeof value - 1
#define IS_GET(key, ...) is(__LINE__, GET, key, NULL, 0, NULL, 0, 0, __VA_ARGS__)
#define IS_PUT(key, value, ttl, ...) \
    is(__LINE__, PUT, key, NULL, 0, value, sizeof value - 1, ttl, __VA_ARGS__)
#define IS_SET(key, expected, value, ttl, ...) \
    is(__LINE__, SET, key, expected, sizeof expected - 1, value, sizeof value - 1, ttl, __VA_ARGS__)
#define IS_DELETE(key, expected, ...) \
    is(__LINE__, DELETE, key, expected, sizeof expected - 1, NULL, 0, 0, __VA_ARGS__)

static atomic_int won;

static void *race(void *key)
{
    mcp_elicit_store_answer *answer = NULL;
    if (mcp_elicit_store_put_if_absent(tested, key, NUL, (const uint8_t *)"x", 1, HOUR, &answer, NULL) == MCP_ELICIT_OK)
        atomic_fetch_add(&won, mcp_elicit_store_answer_result(answer) == MCP_ELICIT_STORE_DONE);
    mcp_elicit_store_answer_free(answer);
    return NULL;
}

/* Of many at once, one puts. */
static void one_puts(void)
{
    for (int round = 0; round < 10; round++) {
        pthread_t threads[4];
        char key[20];
        snprintf(key, sizeof key, "race-%d", round);
        atomic_store(&won, 0);
        for (int at = 0; at < 4; at++)
            CHECK_NUMBER(pthread_create(&threads[at], NULL, race, key), 0);
        for (int at = 0; at < 4; at++)
            pthread_join(threads[at], NULL);
        CHECK_NUMBER(atomic_load(&won), 1);
    }
}

static void suite(const char *name, const mcp_elicit_store *store, struct own_store *clock)
{
    static char large[100001];
    about = name, tested = store, own = clock;
    memset(large, 7, sizeof large - 1);

    IS_GET("a", ABSENT);
    IS_PUT("a", "one", HOUR, DONE);
    IS_GET("a", FOUND("one"));
    IS_PUT("a", "two", HOUR, FOUND("one"));
    IS_GET("b", ABSENT);

    IS_SET("a", "two", "three", HOUR, CONFLICT);
    IS_SET("b", "", "three", HOUR, CONFLICT);
    IS_SET("a", "one", "", HOUR, DONE);
    IS_GET("a", FOUND(""));
    IS_SET("a", "", "\0\xff\r\n", HOUR, DONE);
    IS_GET("a", FOUND("\0\xff\r\n"));

    IS_DELETE("a", "other", CONFLICT);
    IS_DELETE("a", "\0\xff\r\n", DONE);
    IS_DELETE("a", "\0\xff\r\n", CONFLICT);
    IS_GET("a", ABSENT);

    IS_PUT("short", "x", SHORT, DONE);
    IS_PUT("longer", "x", SHORT, DONE);
    IS_SET("longer", "x", "y", HOUR, DONE);
    pass(SHORT + 100);
    IS_GET("short", ABSENT);
    IS_SET("short", "x", "y", HOUR, CONFLICT);
    IS_DELETE("short", "x", CONFLICT);
    IS_PUT("short", "again", HOUR, DONE);
    IS_GET("short", FOUND("again"));
    IS_GET("longer", FOUND("y"));

    IS_PUT("large", large, HOUR, DONE);
    IS_GET("large", FOUND(large));
    IS_PUT("for-ever", "x", UINT64_MAX, DONE);
    IS_GET("for-ever", FOUND("x"));
    one_puts();
    about = "";
}

/* A folder of the test's own, and a file in it. */
static char folder[64], file[80];

static void remove_folder(void)
{
    static const char *const names[] = {"/store.db", "/store.db-wal", "/store.db-shm", "/text"};
    for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
        char path[100];
        snprintf(path, sizeof path, "%s%s", folder, names[at]);
        unlink(path);
    }
    rmdir(folder);
}

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/mcp-elicit-c-XXXXXX");
    if (!mkdtemp(folder))
        abort();
    snprintf(file, sizeof file, "%s/store.db", folder);
}

static mcp_elicit_store *sqlite_store(void)
{
    mcp_elicit_store *store = NULL;
    mcp_elicit_error *err = NULL;
    CHECK_NUMBER(mcp_elicit_store_new_sqlite(file, NUL, 30000, &store, &err), MCP_ELICIT_OK);
    if (err)
        fprintf(stderr, "  %s\n", mcp_elicit_error_message(err, NULL));
    mcp_elicit_error_free(err);
    return store;
}

static void memory(void)
{
    mcp_elicit_store *store = NULL;
    mcp_elicit_error *err = NULL;
    mcp_elicit_store_answer *answer = NULL;
    static const uint8_t value[2000];
    CHECK_NUMBER(mcp_elicit_store_new_memory(0, &store, NULL), MCP_ELICIT_OK);
    suite("memory", store, NULL);
    mcp_elicit_store_free(store);

    /* Bounded: what does not fit is full, which may pass. */
    CHECK_NUMBER(mcp_elicit_store_new_memory(16 * 1000, &store, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_store_put_if_absent(store, "huge", NUL, value, 2000, HOUR, &answer, &err),
                 MCP_ELICIT_STORE);
    CHECK(answer == NULL);
    CHECK(mcp_elicit_error_is_retryable(err));
    CHECK_TEXT(mcp_elicit_error_kind(err), "store");
    CHECK_TEXT(mcp_elicit_error_message(err, NULL), "the store is full");
    mcp_elicit_error_free(err);
    CHECK_NUMBER(mcp_elicit_store_put_if_absent(store, "small", NUL, value, 500, HOUR, &answer, NULL),
                 MCP_ELICIT_OK);
    mcp_elicit_store_answer_free(answer);
    mcp_elicit_store_free(store);
}

static void sqlite(void)
{
    mcp_elicit_store *store = sqlite_store();
    suite("sqlite", store, NULL);
    mcp_elicit_store_free(store);

    /* It outlives those that have it open. */
    tested = store = sqlite_store();
    IS_GET("longer", FOUND("y"));
    mcp_elicit_store_free(store);
}

static void sqlite_faults(void)
{
    mcp_elicit_store *store = (mcp_elicit_store *)&store;
    mcp_elicit_error *err = NULL;
    char path[100];
    snprintf(path, sizeof path, "%s/no/such/folder/file", folder);
    CHECK_NUMBER(mcp_elicit_store_new_sqlite(path, NUL, 0, &store, &err), MCP_ELICIT_STORE);
    CHECK(store == NULL);
    CHECK(!strstr(mcp_elicit_error_message(err, NULL), folder));
    mcp_elicit_error_free(err);

    snprintf(path, sizeof path, "%s/text", folder);
    FILE *text = fopen(path, "w");
    CHECK(text && fputs("no database at all, but long enough", text) >= 0 && fclose(text) == 0);
    CHECK_NUMBER(mcp_elicit_store_new_sqlite(path, NUL, 0, &store, NULL), MCP_ELICIT_STORE);

    CHECK_NUMBER(mcp_elicit_store_new_sqlite("", 0, 0, &store, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_store_new_sqlite(NULL, 3, 0, &store, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_store_new_sqlite("a\0b", 3, 0, &store, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_store_new_sqlite("\xff", 1, 0, &store, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_store_new_sqlite(":memory:", NUL, 0, &store, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_store_new_sqlite(file, NUL, HOUR + 1, &store, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_store_new_sqlite(file, NUL, 0, NULL, NULL), MCP_ELICIT_INVALID_ARGUMENT);
}

/* In another process: puts under a key, and says by its exit status whether it was first. */
static int elsewhere(const char *key, int go)
{
    char byte;
    mcp_elicit_store *store = NULL;
    mcp_elicit_store_answer *answer = NULL;
    mcp_elicit_error *err = NULL;
    if (read(go, &byte, 1) != 0 || mcp_elicit_store_new_sqlite(file, NUL, 30000, &store, &err) ||
        mcp_elicit_store_put_if_absent(store, key, NUL, (const uint8_t *)"x", 1, HOUR, &answer, &err)) {
        fprintf(stderr, "  a process: %s\n", err ? mcp_elicit_error_message(err, NULL) : "nobody said go");
        return 9;
    }
    int first = mcp_elicit_store_answer_result(answer) == MCP_ELICIT_STORE_DONE;
    mcp_elicit_store_answer_free(answer);
    mcp_elicit_store_free(store);
    return first;
}

/* Of several processes that share a file, one puts. */
static void processes(void)
{
    for (int round = 0; round < 3; round++) {
        pid_t children[3];
        int go[2], first = 0, status;
        char key[20];
        snprintf(key, sizeof key, "process-%d", round);
        CHECK_NUMBER(pipe(go), 0);
        for (int at = 0; at < 3; at++) {
            children[at] = fork();
            if (children[at] == 0) {
                close(go[1]); /* until the parent has closed it too, they wait */
                _exit(elsewhere(key, go[0]));
            }
            CHECK(children[at] > 0);
        }
        close(go[0]);
        close(go[1]);
        for (int at = 0; at < 3; at++) {
            CHECK(waitpid(children[at], &status, 0) == children[at]);
            CHECK(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
            first += WIFEXITED(status) ? WEXITSTATUS(status) : 0;
        }
        CHECK_NUMBER(first, 1);
    }
}

/* A store that was opened before a fork does not work after it, and says so. */
static void forked(void)
{
    int status = 0;
    mcp_elicit_store *store = sqlite_store();
    pid_t child = fork();
    if (child == 0) {
        mcp_elicit_store_answer *answer = NULL;
        _exit(mcp_elicit_store_get(store, "a", NUL, &answer, NULL) == MCP_ELICIT_STORE ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    CHECK_NUMBER(WEXITSTATUS(status), 0);
    mcp_elicit_store_free(store);
}

/* Redis is a feature: there it is, or the error says so. No server is needed to see which. */
static void redis(void)
{
    mcp_elicit_store *store = (mcp_elicit_store *)&store;
    mcp_elicit_error *err = NULL;
    mcp_elicit_store_answer *answer = NULL;
    mcp_elicit_status status =
        mcp_elicit_store_new_redis("redis://127.0.0.1:1/0", NUL, 500, &store, &err);
    if (status == MCP_ELICIT_CONFIG) {
        CHECK(store == NULL);
        CHECK(strstr(mcp_elicit_error_message(err, NULL), "redis"));
        mcp_elicit_error_free(err);
        return;
    }
    CHECK_NUMBER(status, MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_store_get(store, "a", NUL, &answer, &err), MCP_ELICIT_STORE);
    CHECK(mcp_elicit_error_is_retryable(err));
    mcp_elicit_error_free(err);
    mcp_elicit_store_free(store);
    CHECK_NUMBER(mcp_elicit_store_new_redis("https://secret@host", NUL, 0, &store, &err),
                 MCP_ELICIT_INVALID_ARGUMENT);
    CHECK(!strstr(mcp_elicit_error_message(err, NULL), "secret"));
    mcp_elicit_error_free(err);

    const char *url = getenv("MCP_ELICIT_TEST_REDIS"); /* a server that is the test's alone */
    if (url) {
        CHECK_NUMBER(mcp_elicit_store_new_redis(url, NUL, 30000, &store, NULL), MCP_ELICIT_OK);
        suite("redis", store, NULL);
        mcp_elicit_store_free(store);
    }
}

static void of_ones_own(void)
{
    struct own_store state = OWN_STORE;
    mcp_elicit_store_functions functions = own_functions(&state);
    mcp_elicit_store *store = NULL;
    CHECK_NUMBER(mcp_elicit_store_new_custom(&functions, &store, NULL), MCP_ELICIT_OK);
    memset(&functions, 0, sizeof functions); /* it was copied */
    suite("of one's own", store, &state);
    CHECK_NUMBER(state.destroyed, 0);
    mcp_elicit_store_free(store);
    CHECK_NUMBER(state.destroyed, 1);
}

static void functions_that_are_none(void)
{
    struct own_store state = OWN_STORE;
    mcp_elicit_store_functions functions;
    mcp_elicit_store *store = (mcp_elicit_store *)&store;
    static const size_t sizes[] = {0, 1, sizeof functions - 1, 4097, (size_t)-1};
    for (size_t at = 0; at < sizeof sizes / sizeof *sizes; at++) {
        functions = own_functions(&state);
        functions.size = sizes[at];
        CHECK_NUMBER(mcp_elicit_store_new_custom(&functions, &store, NULL), MCP_ELICIT_INVALID_ARGUMENT);
        CHECK(store == NULL);
    }
#define WITHOUT(member)                                                                       \
    do {                                                                                      \
        mcp_elicit_error *err = NULL;                                                         \
        functions = own_functions(&state);                                                    \
        functions.member = NULL;                                                              \
        CHECK_NUMBER(mcp_elicit_store_new_custom(&functions, &store, &err), MCP_ELICIT_INVALID_ARGUMENT); \
        CHECK(strstr(mcp_elicit_error_message(err, NULL), #member));                          \
        mcp_elicit_error_free(err);                                                           \
    } while (0)
    WITHOUT(get);
    WITHOUT(put_if_absent);
    WITHOUT(compare_and_set);
    WITHOUT(compare_and_delete);
    CHECK_NUMBER(mcp_elicit_store_new_custom(NULL, &store, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(state.destroyed, 0); /* the context stayed ours */

    /* A struct of a later version: what is behind the last member that is known does not matter. */
    struct {
        mcp_elicit_store_functions known;
        void *later[4];
    } later = {.known = own_functions(&state)};
    later.known.size = sizeof later;
    CHECK_NUMBER(mcp_elicit_store_new_custom(&later.known, &store, NULL), MCP_ELICIT_OK);
    mcp_elicit_store_free(store);
    later.known.destroy = NULL; /* may be NULL */
    CHECK_NUMBER(mcp_elicit_store_new_custom(&later.known, &store, NULL), MCP_ELICIT_OK);
    mcp_elicit_store_free(store);
    CHECK_NUMBER(state.destroyed, 1);
}

/* Whatever a store answers that is no answer to the operation: it failed, and the error says how. */
static void answers_that_are_none(void)
{
    struct own_store state = OWN_STORE;
    mcp_elicit_store_functions functions = own_functions(&state);
    mcp_elicit_store *store = NULL;
    CHECK_NUMBER(mcp_elicit_store_new_custom(&functions, &store, NULL), MCP_ELICIT_OK);
    tested = store;
    static const struct {
        enum operation operation;
        enum fault fault;
        uint32_t number;
        const char *says;
    } cases[] = {
        {GET, RETURNS, MCP_ELICIT_STORE_NONE, "no answer"},
        {GET, RETURNS, MCP_ELICIT_STORE_DONE, "no answer"},
        {GET, RETURNS, MCP_ELICIT_STORE_CONFLICT, "no answer"},
        {PUT, RETURNS, MCP_ELICIT_STORE_ABSENT, "no answer"},
        {PUT, RETURNS, MCP_ELICIT_STORE_CONFLICT, "no answer"},
        {SET, RETURNS, MCP_ELICIT_STORE_FOUND, "no answer"},
        {SET, RETURNS, MCP_ELICIT_STORE_ABSENT, "no answer"},
        {DELETE, RETURNS, MCP_ELICIT_STORE_FOUND, "no answer"},
        {DELETE, RETURNS, 5, "no answer"},
        {DELETE, RETURNS, 4294967295u, "no answer"},
        {GET, FOUND_NOTHING, 0, "gives none"},
        {PUT, FOUND_NOTHING, 0, "gives none"},
        {GET, TOO_LONG, 0, "gives none"},
        {PUT, TOO_LONG, 0, "gives none"},
        {GET, NULL_VALUE, 0, "gives none"},
        {SET, SAYS_WHY, 0, "not available: no route"},
        {SET, NOT_UTF8, 0, "does not say why"},
        {SET, RETURNS, MCP_ELICIT_STORE_UNAVAILABLE, "does not say why"},
        {PUT, RETURNS, MCP_ELICIT_STORE_TIMED_OUT, "in time"},
        {PUT, RETURNS, MCP_ELICIT_STORE_FULL, "full"},
    };
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
        mcp_elicit_store_answer *answer = (mcp_elicit_store_answer *)&answer;
        mcp_elicit_error *err = NULL;
        state.fault = cases[at].fault, state.number = cases[at].number;
        about = cases[at].says;
        CHECK_NUMBER(operate(cases[at].operation, "a", "x", 1, "y", 1, HOUR, &answer, &err), MCP_ELICIT_STORE);
        CHECK(answer == NULL);
        CHECK(mcp_elicit_error_is_retryable(err));
        CHECK(strstr(mcp_elicit_error_message(err, NULL), cases[at].says));
        mcp_elicit_error_free(err);
    }
    about = "";
    CHECK_NUMBER(state.refused, 4); /* too long twice, NULL, not UTF-8 */
    mcp_elicit_store_free(store);
}

static void operations_that_are_none(void)
{
    mcp_elicit_store *store = NULL;
    mcp_elicit_store_answer *answer = (mcp_elicit_store_answer *)&answer;
    char key[130];
    memset(key, 'k', 129);
    key[129] = '\0';
    CHECK_NUMBER(mcp_elicit_store_new_memory(0, &store, NULL), MCP_ELICIT_OK);
    static const char *const keys[] = {"", "with space", "\xc3\xa4", "a/b"};
    for (size_t at = 0; at < sizeof keys / sizeof *keys; at++)
        CHECK_NUMBER(mcp_elicit_store_get(store, keys[at], NUL, &answer, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK(answer == NULL);
    CHECK_NUMBER(mcp_elicit_store_get(store, key, NUL, &answer, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_store_get(store, key, 128, &answer, NULL), MCP_ELICIT_OK);
    mcp_elicit_store_answer_free(answer);
    CHECK_NUMBER(mcp_elicit_store_get(store, NULL, 1, &answer, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_store_get(store, "a", NUL, NULL, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_store_get(NULL, "a", NUL, &answer, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_store_put_if_absent(store, "a", NUL, NULL, 3, HOUR, &answer, NULL),
                 MCP_ELICIT_INVALID_ARGUMENT);
    uint8_t *large = calloc(1, ((size_t)16 << 20) + 1);
    CHECK_NUMBER(mcp_elicit_store_put_if_absent(store, "a", NUL, large, ((size_t)16 << 20) + 1, HOUR, &answer, NULL),
                 MCP_ELICIT_INVALID_ARGUMENT);
    free(large);
    mcp_elicit_store_free(store);

    CHECK_NUMBER(mcp_elicit_store_answer_result(NULL), MCP_ELICIT_STORE_NONE);
    size_t len = 1;
    CHECK(mcp_elicit_store_answer_value(NULL, &len) == NULL && len == 0);
    CHECK_NUMBER(mcp_elicit_store_answer_set_value(NULL, NULL, 0, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_store_answer_set_message(NULL, "a", NUL, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    mcp_elicit_store_answer_free(NULL);
    mcp_elicit_store_free(NULL);
}

int main(void)
{
    make_folder();
    RUN(processes);
    RUN(forked);
    RUN(memory);
    RUN(sqlite);
    RUN(sqlite_faults);
    RUN(redis);
    RUN(of_ones_own);
    RUN(functions_that_are_none);
    RUN(answers_that_are_none);
    RUN(operations_that_are_none);
    remove_folder();
    return finished("stores");
}
