/*
 * Reading the vectors that every language runs (tests/vectors, formats in its README.md).
 */
#ifndef TESTS_VECTORS_H
#define TESTS_VECTORS_H

#include "check.h"
#include "world.h"

#include <stdlib.h>

#include <cjson/cJSON.h>

static const char *folder;

/* The file that was read last: cJSON keeps numbers as doubles, and some vectors need every digit. */
static char *vectors_text;
static cJSON *vectors_json;

static inline cJSON *vectors(const char *name)
{
    free(vectors_text);
    vectors_text = read_file(folder, name);
    vectors_json = cJSON_Parse(vectors_text);
    if (!vectors_json) {
        fprintf(stderr, "%s is not JSON\n", name);
        exit(1);
    }
    return vectors_json;
}

static inline void vectors_done(void)
{
    cJSON_Delete(vectors_json);
    free(vectors_text);
    vectors_json = NULL;
    vectors_text = NULL;
}

/* Writes the pointer from `from` to `to` behind `pointer`; whether `to` is in there. */
static inline bool pointer_to(const cJSON *from, const cJSON *to, char *pointer, size_t room)
{
    const cJSON *each;
    size_t index = 0;
    if (from == to)
        return true;
    cJSON_ArrayForEach(each, from)
    {
        int len = each->string ? snprintf(pointer, room, "/%s", each->string)
                               : snprintf(pointer, room, "/%zu", index);
        if (len > 0 && (size_t)len < room && pointer_to(each, to, pointer + len, room - (size_t)len))
            return true;
        index++;
    }
    *pointer = '\0';
    return false;
}

/* A value of the file that was read last, as JSON without white space, with every digit; to be
   freed. */
static inline char *exact(const cJSON *value)
{
    char pointer[256] = "";
    size_t len = 0;
    const char *text =
        pointer_to(vectors_json, value, pointer, sizeof pointer) ? raw(vectors_text, &len, pointer) : NULL;
    return text ? compact(text, len) : NULL;
}

static inline const char *member(const cJSON *json, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, name));
}

/* Compares JSON with a text of it without white space; NULL is none. */
static inline void check_json(const char *seen, size_t len, const char *expected, const char *what)
{
    char *text = seen ? compact(seen, len) : NULL;
    if (!checked(text && expected ? strcmp(text, expected) == 0 : !text == !expected, __FILE__, __LINE__, what))
        fprintf(stderr, "  expected %s\n  came out %s\n", expected ? expected : "null", text ? text : "null");
    free(text);
}

#endif
