/* What stands around the C example of README.md: one request in, one reply out. */
#include <mcp_elicit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char FORM[4096];

/* The result of the tool. A real server reads the answer with its JSON library. */
static const char *deployed(const mcp_elicit_outcome *target)
{
    static char result[256];
    char where[64];
    const char *content = NULL;
    if (mcp_elicit_outcome_content(target, &content, NULL, NULL) || !content)
        return "{\"content\":[{\"type\":\"text\",\"text\":\"Nothing was deployed.\"}]}";
    sscanf(content, "{\"environment\":\"%63[a-z]", where);
    snprintf(result, sizeof result,
             "{\"content\":[{\"type\":\"text\",\"text\":\"Deployed to %s.\"}]}", where);
    return result;
}

// README

static int fail(mcp_elicit_error *err)
{
    fprintf(stderr, "%s\n", err ? mcp_elicit_error_message(err, NULL) : "no error");
    return 1;
}

int main(void)
{
    static char body[65536];
    FILE *form = fopen("form.json", "rb");
    if (!form || !fread(FORM, 1, sizeof FORM - 1, form))
        return 1;
    fclose(form);
    size_t len = fread(body, 1, sizeof body, stdin);
    mcp_elicit_error *err = NULL;
    mcp_elicit_engine_config *config = mcp_elicit_engine_config_new();
    mcp_elicit_engine *engine = NULL;
    mcp_elicit_caller *caller = NULL;
    mcp_elicit_call *call = NULL;
    mcp_elicit_reply *reply = NULL;
    if (mcp_elicit_engine_config_set_keys_from_env(config, &err)
        || mcp_elicit_engine_config_set_audience(config, "deployer", MCP_ELICIT_NUL, &err)
        || mcp_elicit_engine_new(config, &engine, &err)
        || mcp_elicit_caller_new_user("https://login.example", MCP_ELICIT_NUL, "ada", MCP_ELICIT_NUL,
                                      "desktop", MCP_ELICIT_NUL, &caller, &err)
        || mcp_elicit_engine_open(engine, body, len, caller, &call, &err)
        || deploy(call, &reply, &err))
        return fail(err);
    printf("{\"status\":%d,\"body\":%s}", mcp_elicit_reply_http_status(reply),
           mcp_elicit_reply_body(reply, NULL));
    mcp_elicit_reply_free(reply);
    mcp_elicit_call_free(call);
    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_free(engine);
    mcp_elicit_engine_config_free(config);
    return 0;
}
