/*
 * A test in C: checks that say file, line and what came out instead, and a count at the end.
 */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int checks, failures;
static const char *about = ""; /* the case that is being run */

/* Counts a check; says where and what, if it failed. */
static inline bool checked(bool passed, const char *file, int line, const char *what)
{
    checks++;
    if (!passed) {
        failures++;
        fprintf(stderr, "%s:%d: %s%s%s\n", file, line, about, *about ? ": " : "", what);
    }
    return passed;
}

static inline bool same_text(const char *seen, const char *expected, const char *file, int line,
                             const char *what)
{
    bool same = seen && expected ? strcmp(seen, expected) == 0 : seen == expected;
    if (!checked(same, file, line, what))
        fprintf(stderr, "  expected %s\n  came out %s\n", expected ? expected : "NULL",
                seen ? seen : "NULL");
    return same;
}

static inline bool same_number(long long seen, long long expected, const char *file, int line,
                               const char *what)
{
    bool same = seen == expected;
    if (!checked(same, file, line, what))
        fprintf(stderr, "  expected %lld\n  came out %lld\n", expected, seen);
    return same;
}

#define CHECK(condition) checked((condition), __FILE__, __LINE__, #condition)
#define CHECK_TEXT(seen, expected) same_text((seen), (expected), __FILE__, __LINE__, #seen)
#define CHECK_NUMBER(seen, expected) \
    same_number((long long)(seen), (long long)(expected), __FILE__, __LINE__, #seen)

/* Runs a test function and names it where one of its checks fails. */
#define RUN(test)                                        \
    do {                                                 \
        int before = failures;                           \
        about = "";                                      \
        test();                                          \
        if (failures != before)                          \
            fprintf(stderr, "FAILED %s\n", #test);       \
    } while (0)

/* The end of a test program: its last line, and its status. */
static inline int finished(const char *name)
{
    printf("%s: %d checks, %d failed\n", name, checks, failures);
    return failures ? 1 : 0;
}

#endif
