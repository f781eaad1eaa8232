/*
 * Tables and pages of the stand-in sign-in. See signin.h.
 */
#define _DEFAULT_SOURCE

#include "signin.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* --- what is remembered -------------------------------------------------------------------- */

/* The last so many: what a client can fill must have an end. */
#define ROWS 1000

struct row {
    char key[NAME_SIZE], value[NAME_SIZE];
};

struct table {
    struct row rows[ROWS];
    size_t next;
};

static struct table flows;     /* flow id: the user whose call asked */
static struct table sessions;  /* cookie: the user who signed in here */
static struct table connected; /* the users who connected their account */

static struct row *find(struct table *table, const char *key)
{
    for (size_t at = 0; key && *key && at < ROWS; at++)
        if (strcmp(table->rows[at].key, key) == 0)
            return &table->rows[at];
    return NULL;
}

static const char *look_up(struct table *table, const char *key)
{
    struct row *row = find(table, key);
    return row ? row->value : NULL;
}

/* Keeps a value under a key, both of which fit. */
static void keep(struct table *table, const char *key, const char *value)
{
    struct row *row = find(table, key);
    if (!row)
        row = &table->rows[table->next++ % ROWS];
    snprintf(row->key, sizeof row->key, "%s", key);
    snprintf(row->value, sizeof row->value, "%s", value);
}

void remember_flow(const char *flow, const char *user)
{
    keep(&flows, flow, user);
}

bool has_connected(const char *user)
{
    return look_up(&connected, user) != NULL;
}

/* --- pages --------------------------------------------------------------------------------- */

static struct page page(unsigned status, const char *body)
{
    struct page page = {.status = status};
    snprintf(page.html, sizeof page.html,
             "<!doctype html><meta charset=\"utf-8\"><title>Billing</title>%s", body);
    return page;
}

static struct page unknown_link(void)
{
    return page(404, "This link is not known, or no longer valid.");
}

/* Flow ids and names need no escapes: a flow is shown only where it is one of ours. */
struct page show_connect(const char *flow, const char *session)
{
    char body[640];
    const char *user = look_up(&sessions, session);
    if (!look_up(&flows, flow))
        return unknown_link();
    if (user)
        snprintf(body, sizeof body,
                 "<p>Signed in as %s.</p><form method=\"post\" action=\"/connect\">"
                 "<input type=\"hidden\" name=\"flow\" value=\"%s\">"
                 "<button>Connect</button></form>",
                 user, flow);
    else
        snprintf(body, sizeof body,
                 "<form method=\"post\" action=\"/login\">"
                 "<input type=\"hidden\" name=\"flow\" value=\"%s\">"
                 "<label>User <input name=\"user\" required></label> "
                 "<button>Sign in</button></form>",
                 flow);
    return page(200, body);
}

/* A stand-in for a real sign-in: it believes any name. */
struct page post_login(const char *flow, const char *user)
{
    unsigned char random[32];
    char session[2 * sizeof random + 1];
    if (!look_up(&flows, flow))
        return unknown_link();
    if (!is_name(user))
        return page(400, "A user's name is lower-case letters, digits and hyphens.");
    if (getentropy(random, sizeof random) != 0)
        return page(500, "There is no randomness to sign in with.");
    for (size_t at = 0; at < sizeof random; at++)
        snprintf(session + 2 * at, 3, "%02x", random[at]);
    keep(&sessions, session, user);

    struct page answer = page(303, "");
    snprintf(answer.location, sizeof answer.location, "/connect?flow=%s", flow);
    snprintf(answer.cookie, sizeof answer.cookie, "session=%s; HttpOnly; SameSite=Lax; Path=/",
             session);
    return answer;
}

/* Connects, if the one who signed in here is the one whose call asked. */
struct page post_connect(const char *flow, const char *session)
{
    const char *asked = look_up(&flows, flow);
    const char *user = look_up(&sessions, session);
    if (!asked)
        return unknown_link();
    /* The link may have been sent on to somebody else (elicitation, "Phishing"). */
    if (!user || strcmp(user, asked) != 0)
        return page(403, "This link was made for somebody else.");
    keep(&connected, asked, "");
    return page(200, "Connected. You can close this page.");
}
