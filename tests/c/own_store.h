/*
 * A store of the application's own, as one is written in C: a list under a lock, with a clock that
 * the test sets, and faults on demand.
 */
#ifndef TESTS_OWN_STORE_H
#define TESTS_OWN_STORE_H

#include "world.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char key[129];
    uint8_t *value;
    size_t len;
    uint64_t until_ms;
    struct entry *next;
};

/* What the store does in place of its work. */
enum fault {
    NO_FAULT,
    RETURNS,         /* `number` */
    FOUND_NOTHING,   /* says that there is a value and gives none */
    SAYS_WHY,        /* not available, with a message */
    NOT_UTF8,        /* not available, with a message that is no text */
    TOO_LONG,        /* a value of more than 16 MiB, by its length */
    NULL_VALUE,      /* no value, of some length */
    RUBBISH,         /* a value that nobody sealed */
    DONE_AND_FAILS   /* does the work, and its answer is lost */
};

struct own_store {
    pthread_mutex_t lock;
    struct entry *first;
    uint64_t now_ms;
    enum fault fault;
    uint32_t number;
    int refused;   /* so many values were refused by the library */
    int destroyed;
};

static inline struct entry *own_find(struct own_store *store, const char *key)
{
    for (struct entry *at = store->first; at; at = at->next)
        if (strcmp(at->key, key) == 0 && at->until_ms > store->now_ms)
            return at;
    return NULL;
}

static inline void own_drop(struct own_store *store, const char *key)
{
    for (struct entry **at = &store->first; *at;) {
        struct entry *entry = *at;
        if (strcmp(entry->key, key) != 0) {
            at = &entry->next;
            continue;
        }
        *at = entry->next;
        free(entry->value);
        free(entry); /* `key` can be its own: it is not read any more */
        return;
    }
}

static inline void own_put(struct own_store *store, const char *key, const uint8_t *value, size_t len,
                           uint64_t ttl_ms)
{
    own_drop(store, key);
    struct entry *entry = calloc(1, sizeof *entry);
    strncpy(entry->key, key, sizeof entry->key - 1);
    entry->value = malloc(len ? len : 1);
    if (len)
        memcpy(entry->value, value, len);
    entry->len = len;
    entry->until_ms = store->now_ms > UINT64_MAX - ttl_ms ? UINT64_MAX : store->now_ms + ttl_ms;
    entry->next = store->first;
    store->first = entry;
}

static inline uint32_t own_found(struct own_store *store, const uint8_t *value, size_t len,
                                 mcp_elicit_store_answer *answer)
{
    if (mcp_elicit_store_answer_set_value(answer, value, len, NULL) != MCP_ELICIT_OK)
        store->refused++;
    return MCP_ELICIT_STORE_FOUND;
}

static inline bool own_is(const struct entry *entry, const uint8_t *expected, size_t len)
{
    return entry && entry->len == len && memcmp(entry->value, expected, len) == 0;
}

/* What is answered in place of the work, or 0. */
static inline uint32_t own_fault(struct own_store *store, mcp_elicit_store_answer *answer)
{
    switch (store->fault) {
    case NO_FAULT:
    case DONE_AND_FAILS:
        return 0;
    case RETURNS:
        return store->number;
    case FOUND_NOTHING:
        return MCP_ELICIT_STORE_FOUND;
    case SAYS_WHY:
        if (mcp_elicit_store_answer_set_message(answer, "no route", NUL, NULL) != MCP_ELICIT_OK)
            store->refused++;
        return MCP_ELICIT_STORE_UNAVAILABLE;
    case NOT_UTF8:
        if (mcp_elicit_store_answer_set_message(answer, "\xff", NUL, NULL) != MCP_ELICIT_OK)
            store->refused++;
        return MCP_ELICIT_STORE_UNAVAILABLE;
    case TOO_LONG: /* nothing is read: there are not so many bytes */
        return own_found(store, (const uint8_t *)"x", ((size_t)16 << 20) + 1, answer);
    case NULL_VALUE:
        return own_found(store, NULL, 5, answer);
    case RUBBISH:
        return own_found(store, (const uint8_t *)"rubbish", 7, answer);
    }
    return 0;
}

#define OWN_BEGIN                                       \
    struct own_store *store = context;                  \
    pthread_mutex_lock(&store->lock);                   \
    uint32_t result = own_fault(store, answer);         \
    if (result != 0 || (store->fault == RETURNS)) {     \
        pthread_mutex_unlock(&store->lock);             \
        return result;                                  \
    }                                                   \
    struct entry *found = own_find(store, key)
#define OWN_END                                         \
    if (store->fault == DONE_AND_FAILS)                 \
        result = MCP_ELICIT_STORE_TIMED_OUT;            \
    pthread_mutex_unlock(&store->lock);                 \
    return result

static inline uint32_t own_get(void *context, const char *key, mcp_elicit_store_answer *answer)
{
    OWN_BEGIN;
    result = found ? own_found(store, found->value, found->len, answer) : MCP_ELICIT_STORE_ABSENT;
    OWN_END;
}

static inline uint32_t own_put_if_absent(void *context, const char *key, const uint8_t *value,
                                         size_t value_len, uint64_t ttl_ms,
                                         mcp_elicit_store_answer *answer)
{
    OWN_BEGIN;
    if (found) {
        result = own_found(store, found->value, found->len, answer);
    } else {
        own_put(store, key, value, value_len, ttl_ms);
        result = MCP_ELICIT_STORE_DONE;
    }
    OWN_END;
}

static inline uint32_t own_compare_and_set(void *context, const char *key, const uint8_t *expected,
                                           size_t expected_len, const uint8_t *value,
                                           size_t value_len, uint64_t ttl_ms,
                                           mcp_elicit_store_answer *answer)
{
    OWN_BEGIN;
    result = MCP_ELICIT_STORE_CONFLICT;
    if (own_is(found, expected, expected_len)) {
        own_put(store, key, value, value_len, ttl_ms);
        result = MCP_ELICIT_STORE_DONE;
    }
    OWN_END;
}

static inline uint32_t own_compare_and_delete(void *context, const char *key, const uint8_t *expected,
                                              size_t expected_len, mcp_elicit_store_answer *answer)
{
    OWN_BEGIN;
    result = MCP_ELICIT_STORE_CONFLICT;
    if (own_is(found, expected, expected_len)) {
        own_drop(store, key);
        result = MCP_ELICIT_STORE_DONE;
    }
    OWN_END;
}

static inline void own_destroy(void *context)
{
    struct own_store *store = context;
    while (store->first)
        own_drop(store, store->first->key);
    store->destroyed++;
}

/* A store that is empty. */
#define OWN_STORE {.lock = PTHREAD_MUTEX_INITIALIZER, .now_ms = 1800000000000}

/* Its functions, for mcp_elicit_store_new_custom. */
static inline mcp_elicit_store_functions own_functions(struct own_store *store)
{
    mcp_elicit_store_functions functions = {
        .size = sizeof functions,
        .context = store,
        .get = own_get,
        .put_if_absent = own_put_if_absent,
        .compare_and_set = own_compare_and_set,
        .compare_and_delete = own_compare_and_delete,
        .destroy = own_destroy,
    };
    return functions;
}

#endif
