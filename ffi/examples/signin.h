/*
 * The stand-in sign-in of the billing server: who asked, who is signed in, who has connected, and
 * the pages. The tokens and the sign-in are a demo's: they believe any name.
 *
 * Used by one thread: that of the HTTP daemon.
 */
#ifndef EXAMPLES_SIGNIN_H
#define EXAMPLES_SIGNIN_H

#include <stdbool.h>

#include "http.h"

/* Keeps that the call of `user` asked for a sign-in under this flow. */
void remember_flow(const char *flow, const char *user);

/* Whether `user` has connected the billing account. */
bool has_connected(const char *user);

/* A page, and where to go or what to keep. */
struct page {
    unsigned status;
    char html[1024];
    char location[128]; /* "" or where to go */
    char cookie[160];   /* "" or a cookie to set */
};

/* GET /connect, POST /login and POST /connect. `session` is the cookie's value; any may be NULL. */
struct page show_connect(const char *flow, const char *session);
struct page post_login(const char *flow, const char *user);
struct page post_connect(const char *flow, const char *session);

#endif
