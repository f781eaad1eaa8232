/*
 * What the example servers over HTTP share: the endpoint /mcp on libmicrohttpd, who makes a request,
 * and the way to pages of their own. Uses serve.h for what a message comes to.
 */
#ifndef EXAMPLES_HTTP_H
#define EXAMPLES_HTTP_H

#include <stdbool.h>

#include <microhttpd.h>

#include "serve.h"

#define NAME_SIZE 65 /* of a user's name, the NUL included */
#define ISSUER "https://login.example" /* whoever vouches for the users */

/* A user's name: 1 to 64 lower-case letters, digits and hyphens. */
bool is_name(const char *text);

/* The fields of a form that the pages know, "" where they were not sent. */
struct fields {
    char flow[NAME_SIZE], user[NAME_SIZE];
};

/* Answers a request for another path than /mcp. */
typedef enum MHD_Result (*pages)(struct MHD_Connection *connection, const char *url,
                                 const char *method, const struct fields *fields);

/* Sends a body, which the daemon frees, or none. A header may be NULL. */
enum MHD_Result send_body(struct MHD_Connection *connection, unsigned status, char *body,
                          const char *header, const char *value);

/* Where the server is, such as "http://127.0.0.1:8000"; "" before it listens. */
const char *http_base(void);

/*
 * Serves on port PORT of 127.0.0.1 (a free one where it is not set) until SIGINT or SIGTERM; gives
 * the exit status. The handler's context is the user's name. `others` may be NULL.
 *
 * One thread serves everything, or, where handlers wait (for a store), each connection has its own
 * (`blocking`).
 */
int serve_http(const struct server *server, pages others, bool blocking);

#endif
