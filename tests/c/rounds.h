/*
 * Rounds in a few words, each step checked: open, ask, suspend, come back.
 */
#ifndef TESTS_ROUNDS_H
#define TESTS_ROUNDS_H

#include "check.h"
#include "world.h"

#include <stdlib.h>

#define TEXT_RESULT "{\"content\":[{\"type\":\"text\",\"text\":\"Deployed.\"}]}"

static inline mcp_elicit_call *opened(const mcp_elicit_engine *engine, const char *request,
                               const mcp_elicit_caller *caller)
{
    mcp_elicit_call *call = NULL;
    mcp_elicit_error *err = NULL;
    CHECK_NUMBER(mcp_elicit_engine_open(engine, request, NUL, caller, &call, &err), MCP_ELICIT_OK);
    if (err)
        fprintf(stderr, "  %s\n", mcp_elicit_error_message(err, NULL));
    mcp_elicit_error_free(err);
    return call;
}

static inline const mcp_elicit_outcome *asked(mcp_elicit_call *call, const char *key, const char *schema)
{
    const mcp_elicit_outcome *outcome = NULL;
    CHECK_NUMBER(mcp_elicit_call_elicit_form(call, key, NUL, "Which environment?", NUL, schema, NUL,
                                             NULL, &outcome, NULL),
                 MCP_ELICIT_OK);
    return outcome;
}

/* The requestState of a reply that asks, to be freed. */
static inline char *state_of(const mcp_elicit_reply *reply)
{
    size_t len = 0;
    const char *state = raw(mcp_elicit_reply_body(reply, NULL), &len, "/result/requestState");
    CHECK(state != NULL);
    char *copied = malloc(len - 1);
    memcpy(copied, state + 1, len - 2);
    copied[len - 2] = '\0';
    return copied;
}

/* A retry: REQUEST with a state and answers, to be freed. */
static inline char *retry(const char *state, const char *responses)
{
    char *request = malloc(strlen(state) + strlen(responses) + 600);
    sprintf(request, REQUEST("2", BOTH, ",\"requestState\":\"%s\",\"inputResponses\":%s"), state, responses);
    return request;
}

static inline char *suspended(mcp_elicit_call *call)
{
    mcp_elicit_reply *reply = NULL;
    CHECK_NUMBER(mcp_elicit_call_suspend(call, &reply, NULL), MCP_ELICIT_OK);
    CHECK_NUMBER(mcp_elicit_reply_kind(reply), MCP_ELICIT_REPLY_INPUT_REQUIRED);
    char *state = state_of(reply);
    mcp_elicit_reply_free(reply);
    mcp_elicit_call_free(call);
    return state;
}

static inline mcp_elicit_action action_of(const mcp_elicit_outcome *outcome)
{
    mcp_elicit_action action = MCP_ELICIT_ACTION_NONE;
    CHECK_NUMBER(mcp_elicit_outcome_action(outcome, &action, NULL), MCP_ELICIT_OK);
    return action;
}

#endif
