/*
 * A billing server that asks its user: libmicrohttpd, cJSON and mcp_elicit, no MCP SDK.
 *
 *     cc billing_server.c http.c serve.c signin.c \
 *         $(pkg-config --cflags --libs mcp_elicit libmicrohttpd libcjson) -o billing_server
 *     PORT=8000 MCP_ELICIT_KEYS=... ./billing_server
 *
 * Two tools over Streamable HTTP, revision 2026-07-28. `deploy` asks with a form. `list_invoices`
 * sends the user to a page of ours to connect the billing account, and goes on when that is done.
 * Any instance with the same key can serve the next round: the rounds of a call live in the sealed
 * `requestState`. What this process keeps is what a real one keeps elsewhere (signin.c).
 */
#include <stdio.h>
#include <string.h>

#include "http.h"
#include "signin.h"

#define NUL MCP_ELICIT_NUL

/* --- the tools ----------------------------------------------------------------------------- */

/* Sends the user to connect the billing account, then reads the invoices. */
static mcp_elicit_status list_invoices(const char *user, mcp_elicit_call *call,
                                       mcp_elicit_reply **reply, mcp_elicit_error **err)
{
    const mcp_elicit_outcome *login = NULL;
    mcp_elicit_action action;
    char url[160];

    /* The link says which flow it is for. Whoever opens it must prove to be the same user. */
    bool done = has_connected(user);
    if (!done)
        remember_flow(mcp_elicit_call_flow_id(call), user);
    snprintf(url, sizeof url, "%s/connect?flow=%s", http_base(), mcp_elicit_call_flow_id(call));

    /* Accepted and not yet done asks again, with the same link. */
    mcp_elicit_status status = mcp_elicit_call_elicit_url(
        call, "login", NUL, "Sign in to the billing account to read your invoices.", NUL, url, NUL,
        done, NULL, &login, err);
    if (status == MCP_ELICIT_OK)
        status = mcp_elicit_outcome_action(login, &action, err); /* MCP_ELICIT_PENDING: not yet */
    if (status != MCP_ELICIT_OK)
        return status;
    if (action != MCP_ELICIT_ACTION_ACCEPT)
        return say(call, "The billing account isn't connected, so no invoices were read.", reply,
                   err);
    return say(call, "2 open invoices.", reply, err);
}

/* Runs the tool that the call is for. `context` is the user's name. */
static mcp_elicit_status run(void *context, mcp_elicit_call *call, mcp_elicit_reply **reply,
                             mcp_elicit_error **err)
{
    const char *name = mcp_elicit_call_target(call, NULL);
    if (strcmp(name, "deploy") == 0)
        return deploy(call, reply, err);
    if (strcmp(name, "list_invoices") == 0)
        return list_invoices(context, call, reply, err);
    return mcp_elicit_call_fail(call, -32602, "Unknown tool", NUL, NULL, 0, reply, err);
}

static const char TOOLS[] =
    "[" DEPLOY_TOOL ",{\"name\":\"list_invoices\","
    "\"description\":\"Lists the open invoices of the user's billing account.\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"account\":{\"type\":\"string\"}}}}]";

/* --- the pages ----------------------------------------------------------------------------- */

static enum MHD_Result send_page(struct MHD_Connection *connection, struct page page)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        strlen(page.html), page.html, MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, "Content-Type", "text/html; charset=utf-8");
    MHD_add_response_header(response, "Content-Security-Policy",
                            "default-src 'none'; form-action 'self'; frame-ancestors 'none'");
    if (page.location[0])
        MHD_add_response_header(response, "Location", page.location);
    if (page.cookie[0])
        MHD_add_response_header(response, "Set-Cookie", page.cookie);
    enum MHD_Result queued = MHD_queue_response(connection, page.status, response);
    MHD_destroy_response(response);
    return queued;
}

static enum MHD_Result page(struct MHD_Connection *connection, const char *url, const char *method,
                            const struct fields *fields)
{
    bool get = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    bool post = strcmp(method, "POST") == 0;
    const char *session = MHD_lookup_connection_value(connection, MHD_COOKIE_KIND, "session");
    if (strcmp(url, "/connect") == 0 && get)
        return send_page(connection, show_connect(MHD_lookup_connection_value(
                                         connection, MHD_GET_ARGUMENT_KIND, "flow"), session));
    if (strcmp(url, "/connect") == 0 && post)
        return send_page(connection, post_connect(fields->flow, session));
    if (strcmp(url, "/login") == 0 && post)
        return send_page(connection, post_login(fields->flow, fields->user));
    return send_body(connection, 404, NULL, NULL, NULL);
}

int main(void)
{
    mcp_elicit_engine *engine = make_engine("billing", NULL);
    struct server server = {"billing", engine, run, TOOLS};
    int status = serve_http(&server, page, false);
    mcp_elicit_engine_free(engine);
    return status;
}
