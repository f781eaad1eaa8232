/*
 * What the test programs share: fixed time and randomness, a log that is kept, engines, requests.
 */
#ifndef TESTS_WORLD_H
#define TESTS_WORLD_H

#include <mcp_elicit.h>

#define NUL MCP_ELICIT_NUL
#define KEY "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

#define META(capabilities)                                           \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":" capabilities "}"
#define BOTH "{\"elicitation\":{\"form\":{},\"url\":{}}}"

/* A tools/call of `deploy` with more parameters, such as ",\"arguments\":{}". */
#define REQUEST(id, capabilities, more)                                              \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"deploy\"," \
    META(capabilities) more "}}"

#define SCHEMA                                                                             \
    "{\"type\":\"object\",\"properties\":{\"environment\":{\"type\":\"string\",\"title\":\"Where\"," \
    "\"enum\":[\"dev\",\"staging\",\"prod\"]}},\"required\":[\"environment\"]}"

/* Time and randomness that a test decides, and what was logged. */
struct world {
    uint64_t now_ms;
    uint8_t next;     /* successive bytes 0, 1, 2, ... 255, 0, ... */
    bool no_random;   /* the random source gives nothing */
    int events;       /* so many were logged */
    char log[4096];   /* "name/reason " each */
    int destroyed;    /* so many contexts were given back */
};

uint64_t world_clock(void *world);
int world_random(void *world, uint8_t *out, size_t len);
void world_log(void *world, const mcp_elicit_event *event);
void world_destroy(void *world);

/* A configuration with KEY, audience "deployer" and the world's hooks. */
mcp_elicit_engine_config *world_config(struct world *world);

/* An engine of that configuration; NULL after a failed check. */
mcp_elicit_engine *world_engine(struct world *world);

/* Alice at a client of hers. */
mcp_elicit_caller *alice(void);

/* The whole file as text, to be freed; ends the process where it cannot be read. */
char *read_file(const char *folder, const char *name);

/* A copy of JSON without white space between its tokens, to be freed. */
char *compact(const char *json, size_t len);

/*
 * The value that a path of member names and positions leads to, as it stands in `json`, such as
 * raw(json, &len, "flows", 3, "name") written as raw(json, &len, "/flows/3/name"). NULL if there is
 * none. Keys on the way must hold no escapes. cJSON keeps no digits beyond a double's; this does.
 */
const char *raw(const char *json, size_t *len, const char *path);

#endif
