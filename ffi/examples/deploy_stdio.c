/*
 * The tool `deploy` alone, over stdio: one JSON-RPC message a line, in and out.
 *
 *     cc deploy_stdio.c serve.c $(pkg-config --cflags --libs mcp_elicit libcjson) -o deploy_stdio
 *     MCP_ELICIT_KEYS=... ./deploy_stdio
 *
 * A server that a host starts is for one person: the one who started it.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "serve.h"

static mcp_elicit_status run(void *context, mcp_elicit_call *call, mcp_elicit_reply **reply,
                             mcp_elicit_error **err)
{
    (void)context;
    const char *name = mcp_elicit_call_target(call, NULL);
    if (strcmp(name, "deploy") == 0)
        return deploy(call, reply, err);
    return mcp_elicit_call_fail(call, -32602, "Unknown tool", MCP_ELICIT_NUL, NULL, 0, reply, err);
}

int main(void)
{
    mcp_elicit_engine *engine = make_engine("deploy", NULL);
    mcp_elicit_caller *caller = mcp_elicit_caller_new_single_user();
    struct server server = {"deploy", engine, run, "[" DEPLOY_TOOL "]"};
    char *line = NULL;
    size_t room = 0;
    ssize_t len;

    /* The end of our input is the signal to go (stdio, "Shutdown"). */
    while ((len = getline(&line, &room, stdin)) > 0) {
        if (line[len - 1] == '\n')
            len--;
        struct answer answer = serve(&server, line, (size_t)len, caller, NULL);
        if (answer.body) {
            printf("%s\n", answer.body);
            fflush(stdout);
        }
        free(answer.body);
    }
    free(line);
    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_free(engine);
    return 0;
}
