/*
 * A billing server that asks its user: libmicrohttpd, cJSON and mcp_elicit, no MCP SDK.
 *
 *     cc billing_server.c serve.c signin.c \
 *         $(pkg-config --cflags --libs mcp_elicit libmicrohttpd libcjson) -o billing_server
 *     PORT=8000 MCP_ELICIT_KEYS=... ./billing_server
 *
 * Two tools over Streamable HTTP, revision 2026-07-28. `deploy` asks with a form. `list_invoices`
 * sends the user to a page of ours to connect the billing account, and goes on when that is done.
 * Any instance with the same key can serve the next round: the rounds of a call live in the sealed
 * `requestState`. What this process keeps is what a real one keeps elsewhere (signin.c).
 */
#define _DEFAULT_SOURCE

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <microhttpd.h>

#include "serve.h"
#include "signin.h"

#define NUL MCP_ELICIT_NUL
#define ISSUER "https://login.example" /* whoever vouches for the users */
#define MAX_BODY (4u << 20)

static char base[64]; /* where the pages are; known when the port is */

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
    snprintf(url, sizeof url, "%s/connect?flow=%s", base, mcp_elicit_call_flow_id(call));

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

/* --- the MCP endpoint ---------------------------------------------------------------------- */

/* Sends a body, which the daemon frees, or none. */
static enum MHD_Result send_body(struct MHD_Connection *connection, unsigned status, char *body,
                                 const char *header, const char *value)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        body ? strlen(body) : 0, body, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        free(body);
        return MHD_NO;
    }
    if (header)
        MHD_add_response_header(response, header, value);
    enum MHD_Result queued = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return queued;
}

struct headers {
    mcp_elicit_caller *caller;
    bool refused;
};

static enum MHD_Result add_header(void *context, enum MHD_ValueKind kind, const char *name,
                                  const char *value)
{
    (void)kind;
    struct headers *headers = context;
    if (mcp_elicit_caller_add_header(headers->caller, name, NUL, value, value ? NUL : 0, NULL))
        headers->refused = true; /* a name that is no text */
    return MHD_YES;
}

/* POST /mcp: one JSON-RPC message in, one out. */
static enum MHD_Result mcp(const struct server *server, struct MHD_Connection *connection,
                           const char *body, size_t len)
{
    /* Who it is comes from verified credentials, never from the message. Here: a demo's token. */
    static const char PREFIX[] = "Bearer demo-";
    const char *token = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
    bool known = token && strncmp(token, PREFIX, sizeof PREFIX - 1) == 0;
    const char *user = known ? token + sizeof PREFIX - 1 : NULL;
    if (!is_name(user))
        return send_body(connection, 401, NULL, "WWW-Authenticate", "Bearer");

    struct headers headers = {NULL, false};
    mcp_elicit_error *err = NULL;
    if (mcp_elicit_caller_new_user(ISSUER, NUL, user, NUL, "demo-client", NUL, &headers.caller,
                                   &err)) {
        mcp_elicit_error_free(err);
        return send_body(connection, 401, NULL, "WWW-Authenticate", "Bearer");
    }
    MHD_get_connection_values(connection, MHD_HEADER_KIND, add_header, &headers);
    struct answer answer = {400, NULL};
    if (!headers.refused)
        answer = serve(server, body, len, headers.caller, (void *)user);
    mcp_elicit_caller_free(headers.caller);
    return send_body(connection, answer.status, answer.body,
                     answer.body ? "Content-Type" : NULL, "application/json");
}

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

/* --- the transport ------------------------------------------------------------------------- */

/* A request while its body arrives. */
struct upload {
    struct MHD_PostProcessor *form; /* takes the body of a form */
    char flow[NAME_SIZE], user[NAME_SIZE];
    char *body;
    size_t len;
    bool too_large;
};

/* A field of a form arrives, possibly in pieces. One that is too long is none of ours. */
static enum MHD_Result on_field(void *context, enum MHD_ValueKind kind, const char *key,
                                const char *file, const char *type, const char *encoding,
                                const char *data, uint64_t offset, size_t size)
{
    (void)kind, (void)file, (void)type, (void)encoding;
    struct upload *upload = context;
    char *field = NULL;
    if (strcmp(key, "flow") == 0)
        field = upload->flow;
    else if (strcmp(key, "user") == 0)
        field = upload->user;
    if (!field || offset + size >= NAME_SIZE)
        return MHD_YES;
    if (offset == 0)
        memset(field, 0, NAME_SIZE); /* of two with one name the last counts */
    memcpy(field + offset, data, size);
    return MHD_YES;
}

static void take(struct upload *upload, const char *data, size_t size)
{
    if (upload->form) {
        MHD_post_process(upload->form, data, size);
        return;
    }
    char *grown = size > MAX_BODY - upload->len ? NULL : realloc(upload->body, upload->len + size);
    upload->too_large |= !grown;
    if (grown) {
        memcpy(grown + upload->len, data, size);
        upload->body = grown;
        upload->len += size;
    }
}

/* Whether a page of this machine, or no page at all, sends it (streamable-http, "Security"). */
static bool is_local(const char *origin)
{
    static const char *const PLACES[] = {
        "http://127.0.0.1",  "http://localhost",  "http://[::1]",
        "https://127.0.0.1", "https://localhost", "https://[::1]",
    };
    if (!origin)
        return true;
    for (size_t at = 0; at < sizeof PLACES / sizeof *PLACES; at++) {
        size_t len = strlen(PLACES[at]);
        if (strncmp(origin, PLACES[at], len) != 0)
            continue;
        const char *port = origin + len;
        if (*port == '\0' ||
            (port[0] == ':' && port[1] && strspn(port + 1, "0123456789") == strlen(port + 1)))
            return true;
    }
    return false;
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *size, void **state)
{
    (void)version;
    struct upload *upload = *state;
    if (!upload) { /* the headers are here, the body is not */
        upload = *state = calloc(1, sizeof *upload);
        if (!upload)
            return MHD_NO;
        if (strcmp(url, "/mcp") != 0) /* NULL where the body is no form */
            upload->form = MHD_create_post_processor(connection, 1024, on_field, upload);
        return MHD_YES;
    }
    if (*size) {
        take(upload, data, *size);
        *size = 0;
        return MHD_YES;
    }

    bool get = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    bool post = strcmp(method, "POST") == 0;
    const char *session = MHD_lookup_connection_value(connection, MHD_COOKIE_KIND, "session");
    if (!is_local(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin")))
        return send_body(connection, 403, NULL, NULL, NULL);
    if (upload->too_large)
        return send_body(connection, 413, NULL, NULL, NULL);
    if (strcmp(url, "/mcp") == 0)
        return post ? mcp(context, connection, upload->body, upload->len)
                    : send_body(connection, 405, NULL, "Allow", "POST");
    if (strcmp(url, "/connect") == 0 && get)
        return send_page(connection, show_connect(MHD_lookup_connection_value(
                                         connection, MHD_GET_ARGUMENT_KIND, "flow"), session));
    if (strcmp(url, "/connect") == 0 && post)
        return send_page(connection, post_connect(upload->flow, session));
    if (strcmp(url, "/login") == 0 && post)
        return send_page(connection, post_login(upload->flow, upload->user));
    return send_body(connection, 404, NULL, NULL, NULL);
}

static void on_end(void *context, struct MHD_Connection *connection, void **state,
                   enum MHD_RequestTerminationCode code)
{
    (void)context, (void)connection, (void)code;
    struct upload *upload = *state;
    if (!upload)
        return;
    if (upload->form)
        MHD_destroy_post_processor(upload->form);
    free(upload->body);
    free(upload);
}

int main(void)
{
    const char *port = getenv("PORT");
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)(port ? atoi(port) : 0)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    mcp_elicit_engine *engine = make_engine("billing");
    struct server server = {"billing", engine, run, TOOLS};

    /* The daemon's one thread must not be the one that takes the signal. */
    sigset_t stop;
    int caught;
    sigemptyset(&stop);
    sigaddset(&stop, SIGINT);
    sigaddset(&stop, SIGTERM);
    sigprocmask(SIG_BLOCK, &stop, NULL);

    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, on_request, &server,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
        MHD_OPTION_NOTIFY_COMPLETED, on_end, NULL,
        MHD_OPTION_CONNECTION_LIMIT, 100u, MHD_OPTION_CONNECTION_TIMEOUT, 30u, MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        daemon ? MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!info) {
        fprintf(stderr, "cannot listen on port %s of 127.0.0.1\n", port ? port : "0");
        return 1;
    }
    snprintf(base, sizeof base, "http://127.0.0.1:%u", info->port);
    printf("listening on %s/mcp\n", base);
    fflush(stdout);

    sigwait(&stop, &caught);
    MHD_stop_daemon(daemon);
    mcp_elicit_engine_free(engine);
    return 0;
}
