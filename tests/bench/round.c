/*
 * The middle round of core/benches/round.rs through the C ABI.
 *
 *     round REQUEST SCHEMA     prints `c_round NANOSECONDS`
 */
#define _POSIX_C_SOURCE 200809L

#include <mcp_elicit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KEY "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define CONFIRM "{\"type\":\"object\",\"properties\":{\"sure\":{\"type\":\"boolean\",\"title\":\"Are you sure?\"}},\"required\":[\"sure\"]}"

enum { BATCH = 200, BATCHES = 301, ROOM = 65536 };

static char request[ROOM], schema[ROOM];
static size_t request_len, schema_len;

static size_t read_file(const char *path, char *into)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    size_t len = fread(into, 1, ROOM - 1, file);
    fclose(file);
    while (len && (into[len - 1] == '\n' || into[len - 1] == '\r'))
        len--;
    into[len] = 0;
    return len;
}

static void need(mcp_elicit_status status, mcp_elicit_error *err)
{
    if (status) {
        fprintf(stderr, "%s\n", err ? mcp_elicit_error_message(err, NULL) : mcp_elicit_status_name(status));
        exit(1);
    }
}

/* Read once, as the other languages read theirs. */
static mcp_elicit_form *target_form, *confirm_form;

static mcp_elicit_reply *round_trip(const mcp_elicit_engine *engine, const mcp_elicit_caller *caller)
{
    mcp_elicit_call *call = NULL;
    const mcp_elicit_outcome *target = NULL, *confirm = NULL;
    mcp_elicit_reply *reply = NULL;
    mcp_elicit_error *err = NULL;
    mcp_elicit_action action;
    need(mcp_elicit_engine_open(engine, request, request_len, caller, &call, &err), err);
    need(mcp_elicit_call_elicit_compiled_form(call, "target", 6, "Where shall it go?", 18, target_form,
                                              NULL, &target, &err), err);
    need(mcp_elicit_outcome_action(target, &action, &err), err);
    if (action != MCP_ELICIT_ACTION_ACCEPT) {
        fprintf(stderr, "not the middle round\n");
        exit(1);
    }
    need(mcp_elicit_call_elicit_compiled_form(call, "confirm", 7, "Deploy now?", 11, confirm_form,
                                              NULL, &confirm, &err), err);
    need(mcp_elicit_call_suspend(call, &reply, &err), err);
    mcp_elicit_call_free(call);
    return reply;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
    static double times[BATCHES];
    mcp_elicit_error *err = NULL;
    mcp_elicit_engine *engine = NULL;
    mcp_elicit_engine_config *config = mcp_elicit_engine_config_new();
    mcp_elicit_caller *caller = mcp_elicit_caller_new_single_user();

    if (argc != 3)
        return 2;
    request_len = read_file(argv[1], request);
    schema_len = read_file(argv[2], schema);
    need(mcp_elicit_engine_config_set_keys(config, KEY, MCP_ELICIT_NUL, &err), err);
    need(mcp_elicit_engine_config_set_audience(config, "bench", MCP_ELICIT_NUL, &err), err);
    need(mcp_elicit_engine_new(config, &engine, &err), err);
    need(mcp_elicit_form_new(engine, schema, schema_len, NULL, &target_form, &err), err);
    need(mcp_elicit_form_new(engine, CONFIRM, sizeof CONFIRM - 1, NULL, &confirm_form, &err), err);

    for (int batch = 0; batch < BATCHES; batch++) {
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        for (int n = 0; n < BATCH; n++)
            mcp_elicit_reply_free(round_trip(engine, caller));
        clock_gettime(CLOCK_MONOTONIC, &end);
        times[batch] = ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) / BATCH;
    }
    qsort(times, BATCHES, sizeof *times, compare);
    printf("c_round %.0f\n", times[BATCHES / 2]);
    mcp_elicit_form_free(target_form);
    mcp_elicit_form_free(confirm_form);
    mcp_elicit_engine_config_free(config);
    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_free(engine);
    return 0;
}
