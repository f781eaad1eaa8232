/*
 * HTTP for the example servers: libmicrohttpd. See http.h.
 */
#define _DEFAULT_SOURCE

#include "http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUL MCP_ELICIT_NUL
#define MAX_BODY (4u << 20)

static char base[64];

const char *http_base(void)
{
    return base;
}

bool is_name(const char *text)
{
    size_t len = text ? strlen(text) : 0;
    return len > 0 && len < NAME_SIZE &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == len;
}

/* --- the MCP endpoint ---------------------------------------------------------------------- */

enum MHD_Result send_body(struct MHD_Connection *connection, unsigned status, char *body,
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

/* --- the transport ------------------------------------------------------------------------- */

/* What on_request serves. */
struct service {
    const struct server *server;
    pages others;
};

/* A request while its body arrives. */
struct upload {
    struct MHD_PostProcessor *form; /* takes the body of a form */
    struct fields fields;
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
        field = upload->fields.flow;
    else if (strcmp(key, "user") == 0)
        field = upload->fields.user;
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

    const struct service *service = context;
    if (!is_local(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin")))
        return send_body(connection, 403, NULL, NULL, NULL);
    if (upload->too_large)
        return send_body(connection, 413, NULL, NULL, NULL);
    if (strcmp(url, "/mcp") == 0)
        return strcmp(method, "POST") == 0
                   ? mcp(service->server, connection, upload->body, upload->len)
                   : send_body(connection, 405, NULL, "Allow", "POST");
    return service->others ? service->others(connection, url, method, &upload->fields)
                           : send_body(connection, 404, NULL, NULL, NULL);
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

int serve_http(const struct server *server, pages others, bool blocking)
{
    const char *port = getenv("PORT");
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)(port ? atoi(port) : 0)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct service service = {server, others};

    /* The daemon's one thread must not be the one that takes the signal. */
    sigset_t stop;
    int caught;
    sigemptyset(&stop);
    sigaddset(&stop, SIGINT);
    sigaddset(&stop, SIGTERM);
    sigprocmask(SIG_BLOCK, &stop, NULL);

    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | (blocking ? MHD_USE_THREAD_PER_CONNECTION : 0), 0, NULL,
        NULL, on_request, &service,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
        MHD_OPTION_NOTIFY_COMPLETED, on_end, NULL,
        MHD_OPTION_CONNECTION_LIMIT, blocking ? 400u : 100u, MHD_OPTION_CONNECTION_TIMEOUT, 30u, MHD_OPTION_END);
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
    return 0;
}
