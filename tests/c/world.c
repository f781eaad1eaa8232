/*
 * See world.h.
 */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t world_clock(void *world)
{
    return ((struct world *)world)->now_ms;
}

int world_random(void *context, uint8_t *out, size_t len)
{
    struct world *world = context;
    if (world->no_random)
        return -1;
    for (size_t at = 0; at < len; at++)
        out[at] = world->next++;
    return 0;
}

void world_log(void *context, const mcp_elicit_event *event)
{
    struct world *world = context;
    size_t used = strlen(world->log);
    world->events++;
    snprintf(world->log + used, sizeof world->log - used, "%s/%s ", mcp_elicit_event_name(event),
             mcp_elicit_event_reason(event));
}

void world_destroy(void *world)
{
    ((struct world *)world)->destroyed++;
}

static void must(mcp_elicit_status status, mcp_elicit_error *err)
{
    if (status == MCP_ELICIT_OK)
        return;
    fprintf(stderr, "cannot go on: %s: %s\n", mcp_elicit_status_name(status),
            err ? mcp_elicit_error_message(err, NULL) : "");
    exit(1);
}

mcp_elicit_engine_config *world_config(struct world *world)
{
    mcp_elicit_error *err = NULL;
    mcp_elicit_engine_config *config = mcp_elicit_engine_config_new();
    must(mcp_elicit_engine_config_set_keys(config, KEY, NUL, &err), err);
    must(mcp_elicit_engine_config_set_audience(config, "deployer", NUL, &err), err);
    must(mcp_elicit_engine_config_set_log(config, world_log, world, world_destroy, &err), err);
    must(mcp_elicit_engine_config_set_clock(config, world_clock, world, world_destroy, &err), err);
    must(mcp_elicit_engine_config_set_random(config, world_random, world, world_destroy, &err), err);
    return config;
}

mcp_elicit_engine *world_engine(struct world *world)
{
    mcp_elicit_error *err = NULL;
    mcp_elicit_engine *engine = NULL;
    mcp_elicit_engine_config *config = world_config(world);
    must(mcp_elicit_engine_new(config, &engine, &err), err);
    mcp_elicit_engine_config_free(config);
    return engine;
}

mcp_elicit_caller *alice(void)
{
    mcp_elicit_error *err = NULL;
    mcp_elicit_caller *caller = NULL;
    must(mcp_elicit_caller_new_user("https://login.example", NUL, "alice", NUL, "client-1", NUL,
                                    &caller, &err),
         err);
    return caller;
}

char *read_file(const char *folder, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    char *text = size < 0 ? NULL : malloc((size_t)size + 1);
    if (!text || fseek(file, 0, SEEK_SET) != 0 || fread(text, 1, (size_t)size, file) != (size_t)size) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    text[size] = '\0';
    return text;
}

char *compact(const char *json, size_t len)
{
    char *out = malloc(len + 1), *at = out;
    bool inside = false;
    if (!out)
        abort();
    for (size_t from = 0; from < len; from++) {
        char c = json[from];
        if (!inside && (c == ' ' || c == '\t' || c == '\n' || c == '\r'))
            continue;
        if (c == '"')
            inside = !inside;
        *at++ = c;
        if (inside && c == '\\' && from + 1 < len)
            *at++ = json[++from];
    }
    *at = '\0';
    return out;
}

static const char *skip_space(const char *at)
{
    return at + strspn(at, " \t\n\r");
}

static const char *skip_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1])
            at++;
    return *at ? at + 1 : at;
}

/* The end of the value that begins at `at`. */
static const char *skip_value(const char *at)
{
    int depth = 0;
    do {
        if (*at == '"') {
            at = skip_string(at);
            continue;
        }
        if (*at == '{' || *at == '[')
            depth++;
        if (*at == '}' || *at == ']')
            depth--;
        at++;
        if (depth == 0 && !strchr("}]\"", at[-1]))
            at += strcspn(at, ",]} \t\n\r");
    } while (*at && depth > 0);
    return at;
}

const char *raw(const char *json, size_t *len, const char *path)
{
    const char *at = skip_space(json);
    while (*path == '/') {
        size_t step = strcspn(++path, "/");
        bool object = *at == '{', found = false;
        if (!object && *at != '[')
            return NULL;
        unsigned long wanted = object ? 0 : strtoul(path, NULL, 10), position = 0;
        for (at = skip_space(at + 1); *at && !strchr("}]", *at); position++) {
            if (object) {
                found = strncmp(at + 1, path, step) == 0 && at[1 + step] == '"';
                at = skip_space(skip_space(skip_string(at)) + 1);
            } else {
                found = position == wanted;
            }
            if (found)
                break;
            at = skip_space(skip_value(at));
            if (*at == ',')
                at = skip_space(at + 1);
        }
        if (!found)
            return NULL;
        path += step;
    }
    *len = (size_t)(skip_value(at) - at);
    return at;
}
