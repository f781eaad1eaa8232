/*
 * What the example servers share: how a message becomes an answer, whatever brings it, and the tool
 * `deploy`. Only the standard library, cJSON and mcp_elicit.
 */
#ifndef EXAMPLES_SERVE_H
#define EXAMPLES_SERVE_H

#include <mcp_elicit.h>

/* What goes back. */
struct answer {
    unsigned status; /* of HTTP */
    char *body;      /* to be freed; NULL: nothing to say */
};

/*
 * Runs the tool that a call is for and finishes the call. Returns the status of whatever did not go
 * well, MCP_ELICIT_PENDING among them: reading the outcome of an open question ends the run.
 */
typedef mcp_elicit_status (*handler)(void *context, mcp_elicit_call *call, mcp_elicit_reply **reply,
                                     mcp_elicit_error **err);

/* A server: its name, its engine, its tools, and how they look in tools/list (a JSON array). */
struct server {
    const char *name;
    const mcp_elicit_engine *engine;
    handler run;
    const char *tools;
};

/* Answers one JSON-RPC message. `context` goes to the handler. */
struct answer serve(const struct server *server, const char *message, size_t len,
                    const mcp_elicit_caller *caller, void *context);

/*
 * An engine with the keys in MCP_ELICIT_KEYS; ends the process where there is none. The name serves
 * as audience too: servers that can go on with each other's calls have the same. `store` is where
 * claims are kept; NULL where no tool claims.
 */
mcp_elicit_engine *make_engine(const char *name, const mcp_elicit_store *store);

/* Completes a call of a tool with one text. */
mcp_elicit_status say(mcp_elicit_call *call, const char *words, mcp_elicit_reply **reply,
                      mcp_elicit_error **err);

/* The same, for a tool that failed: the model sees it as an error. */
mcp_elicit_status say_error(mcp_elicit_call *call, const char *words, mcp_elicit_reply **reply,
                            mcp_elicit_error **err);

/* The tool `deploy`: asks which environment. */
mcp_elicit_status deploy(mcp_elicit_call *call, mcp_elicit_reply **reply, mcp_elicit_error **err);

#define DEPLOY_TOOL                                                                  \
    "{\"name\":\"deploy\","                                                          \
    "\"description\":\"Deploys an app to an environment that the user chooses.\","  \
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"app\":{\"type\":\"string\"}}}}"

#endif
