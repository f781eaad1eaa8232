/*
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 *
 * mcp-elicit 0.1.0: the human half of the Model Context Protocol, revision 2026-07-28.
 * Generated from ffi/src by scripts/header.sh; not to be edited.
 *
 * A server that exists already hands over the JSON of a request and gets back the JSON of a reply:
 *
 *     engine   configured once, shared by threads     mcp_elicit_engine_new
 *     caller   who sends a request and how it came    mcp_elicit_caller_new_user, ...
 *     call     one request on its way through         mcp_elicit_engine_open
 *     outcome  what became of a question              mcp_elicit_call_elicit_form, _elicit_url
 *     reply    what goes back                         mcp_elicit_call_suspend, _complete, _fail
 *     store    where claims are kept                  mcp_elicit_store_new_memory, ...
 *
 * Statuses and errors. A function that can fail returns mcp_elicit_status and takes
 * `mcp_elicit_error **err` last. `err` may be NULL. Otherwise `*err` is written each time: an error
 * that is yours, to be freed with mcp_elicit_error_free, or NULL where there is none; it need not
 * hold anything before, and what it held is not freed. Results of a function that failed are NULL
 * or 0. NULL where a value is needed is MCP_ELICIT_INVALID_ARGUMENT, and its message names the
 * parameter. Functions that cannot fail return their value, and NULL, 0 or false for a NULL handle.
 *
 * Handles. All types are opaque but enums, callbacks and the functions of a store of your own. What
 * a function makes is yours and has one function that frees it, which takes NULL; what a function
 * lends says whose it is and lives until that is freed. Parts keep alive what they need: free an
 * engine while its calls go on, a caller after opening, a configuration after making an engine. A
 * handle that was freed must not be used.
 *
 * Texts. Texts and JSON are UTF-8. Those that you give are a pointer and a length in bytes;
 * MCP_ELICIT_NUL as length means that the text is NUL-terminated. They are copied before the
 * function returns. NULL with length 0 is the empty text. Texts that you get are NUL-terminated,
 * and their length does not count the NUL; a message can hold a NUL of the peer's inside.
 *
 * Threads. The library starts none and keeps no state outside its handles. Each type says how it
 * may be shared.
 *
 * Callbacks must return: no longjmp, no C++ exception. A defect of the library that makes it panic
 * does not unwind into your code either: the function gives MCP_ELICIT_INTERNAL, or NULL, 0 or the
 * like. Where memory runs out the process ends, as with every library written in Rust.
 *
 * Names of sections ("mrtr", "basic", "elicitation", ...) are those of the protocol's pages.
 */


#ifndef MCP_ELICIT_H
#define MCP_ELICIT_H


#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The version of this header. mcp_elicit_version gives that of the library that runs. */
#define MCP_ELICIT_VERSION "0.1.0"
#define MCP_ELICIT_VERSION_MAJOR 0
#define MCP_ELICIT_VERSION_MINOR 1
#define MCP_ELICIT_VERSION_PATCH 0

/** The version as one number that grows. */
#define MCP_ELICIT_VERSION_NUMBER \
    (MCP_ELICIT_VERSION_MAJOR * 1000000 + MCP_ELICIT_VERSION_MINOR * 1000 + \
     MCP_ELICIT_VERSION_PATCH)

/** As length of a text: it is NUL-terminated. */
#define MCP_ELICIT_NUL ((size_t)-1)

/** A result that is lost when nobody looks at it. Define it empty to have no warnings. */
#ifndef MCP_ELICIT_MUST_USE
#if (defined(__cplusplus) && __cplusplus >= 201703L) || \
    (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L)
#define MCP_ELICIT_MUST_USE [[nodiscard]]
#elif defined(__GNUC__)
#define MCP_ELICIT_MUST_USE __attribute__((warn_unused_result))
#else
#define MCP_ELICIT_MUST_USE
#endif
#endif

/**
 * Room that mcp_elicit_keygen needs, in bytes, the NUL included.
 */
#define MCP_ELICIT_KEY_SIZE 65

/**
 * What a function returns: MCP_ELICIT_OK, or why it did not do what was asked.
 *
 * Compare these, never messages. A number is never used for anything else in a later version,
 * and later versions can add numbers: treat one that you do not know as MCP_ELICIT_INTERNAL.
 */
enum mcp_elicit_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * It was done.
     */
    MCP_ELICIT_OK = 0,
    /**
     * The question is open: there is no outcome to read before the client sends an answer. No
     * error; suspend the call.
     */
    MCP_ELICIT_PENDING = 1,
    /**
     * The body is not JSON.
     */
    MCP_ELICIT_PARSE_ERROR = 10,
    /**
     * The body is JSON but no JSON-RPC request, or one that two readers could see differently.
     */
    MCP_ELICIT_INVALID_REQUEST = 11,
    /**
     * The method cannot carry input: only tools/call, prompts/get and resources/read can. For
     * whoever routed the request; there is no reply to it.
     */
    MCP_ELICIT_NOT_A_CALL = 12,
    /**
     * A parameter is missing or malformed.
     */
    MCP_ELICIT_INVALID_PARAMS = 13,
    /**
     * A required `_meta` field is missing or malformed (basic, "Per-request protocol fields").
     */
    MCP_ELICIT_INVALID_META = 14,
    /**
     * The `requestState` was refused. The log hook hears why; the peer does not.
     */
    MCP_ELICIT_INVALID_STATE = 15,
    /**
     * HTTP headers and body differ (streamable-http, "Server Validation").
     */
    MCP_ELICIT_HEADER_MISMATCH = 16,
    /**
     * The client lacks a capability that the questions need. What mcp_elicit_reply_error says of
     * the reply.
     */
    MCP_ELICIT_MISSING_CAPABILITY = 17,
    /**
     * The protocol version is not one that this library speaks.
     */
    MCP_ELICIT_UNSUPPORTED_VERSION = 18,
    /**
     * A form cannot be asked: its schema is not of the grammar, or contradicts itself.
     */
    MCP_ELICIT_SCHEMA = 20,
    /**
     * A question cannot be asked: its key, message or link is at fault.
     */
    MCP_ELICIT_INVALID_ASK = 21,
    /**
     * The key stands for another question in the same round.
     */
    MCP_ELICIT_CONFLICT = 22,
    /**
     * The call cannot be completed while a question is open.
     */
    MCP_ELICIT_QUESTION_OPEN = 23,
    /**
     * There is neither a question nor a state to send.
     */
    MCP_ELICIT_NOTHING_ASKED = 24,
    /**
     * The call was finished before.
     */
    MCP_ELICIT_FINISHED = 25,
    /**
     * What was given as a result or an error cannot be sent.
     */
    MCP_ELICIT_INVALID_RESULT = 26,
    /**
     * What a server replied to a host breaks the protocol.
     */
    MCP_ELICIT_INVALID_REPLY = 27,
    /**
     * A limit of the engine was met while a reply was being built.
     */
    MCP_ELICIT_LIMIT = 30,
    /**
     * The store did not answer, or not in time, or takes no more. The same request may succeed a
     * little later: the effect was not run, nothing was claimed twice.
     */
    MCP_ELICIT_STORE = 31,
    /**
     * The engine cannot be built like this: keys, audience, limits.
     */
    MCP_ELICIT_CONFIG = 40,
    /**
     * An argument is not of its form, or NULL where a value is needed. The message names the
     * parameter.
     */
    MCP_ELICIT_INVALID_ARGUMENT = 41,
    /**
     * The system gave no randomness, or a defect of this library.
     */
    MCP_ELICIT_INTERNAL = 50,
    /**
     * The application's own error.
     */
    MCP_ELICIT_APPLICATION = 60,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum mcp_elicit_status mcp_elicit_status;
#else
typedef uint32_t mcp_elicit_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How much an event matters. Later versions can add levels.
 */
enum mcp_elicit_level
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * No event: what is returned for NULL.
     */
    MCP_ELICIT_LEVEL_NONE = 0,
    /**
     * Worth knowing.
     */
    MCP_ELICIT_LEVEL_INFO = 1,
    /**
     * Something was refused, or the application did what it probably did not mean.
     */
    MCP_ELICIT_LEVEL_WARNING = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum mcp_elicit_level mcp_elicit_level;
#else
typedef uint32_t mcp_elicit_level;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What a store answers to an operation. Later versions can add answers.
 */
enum mcp_elicit_store_result
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * None: what is returned where there is no answer.
     */
    MCP_ELICIT_STORE_NONE = 0,
    /**
     * There is a value, which is in the answer.
     */
    MCP_ELICIT_STORE_FOUND = 1,
    /**
     * There is none.
     */
    MCP_ELICIT_STORE_ABSENT = 2,
    /**
     * It was done.
     */
    MCP_ELICIT_STORE_DONE = 3,
    /**
     * It was not done: something else is there, or nothing.
     */
    MCP_ELICIT_STORE_CONFLICT = 4,
    /**
     * Only from a store of your own: it is down, or could not be reached.
     */
    MCP_ELICIT_STORE_UNAVAILABLE = 10,
    /**
     * Only from a store of your own: it did not answer in time.
     */
    MCP_ELICIT_STORE_TIMED_OUT = 11,
    /**
     * Only from a store of your own: it takes no more.
     */
    MCP_ELICIT_STORE_FULL = 12,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum mcp_elicit_store_result mcp_elicit_store_result;
#else
typedef uint32_t mcp_elicit_store_result;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What became of a claim. Later versions can add to these.
 */
enum mcp_elicit_claim
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * None: what stands where claiming failed.
     */
    MCP_ELICIT_CLAIM_NONE = 0,
    /**
     * This call is the first: do it now.
     */
    MCP_ELICIT_CLAIM_WON = 1,
    /**
     * It was done by an earlier call, which left no result.
     */
    MCP_ELICIT_CLAIM_ALREADY = 2,
    /**
     * It was done by an earlier call, whose result is given: complete with it.
     */
    MCP_ELICIT_CLAIM_RECORDED = 3,
    /**
     * Another call is at it. Come back later (mcp_elicit_call_retry_later), or say so.
     */
    MCP_ELICIT_CLAIM_IN_PROGRESS = 4,
    /**
     * Another call was at it and did not come to an end: whether it was done is not known. Find
     * out, for example from the provider by the idempotency key, or say so.
     */
    MCP_ELICIT_CLAIM_UNKNOWN = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum mcp_elicit_claim mcp_elicit_claim;
#else
typedef uint32_t mcp_elicit_claim;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What became of a question (elicitation, "Response Actions"; the last three are ours). Later
 * versions can add actions: treat one that you do not know as no consent.
 */
enum mcp_elicit_action
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * There is none yet.
     */
    MCP_ELICIT_ACTION_NONE = 0,
    /**
     * The person said yes; a form has its content.
     */
    MCP_ELICIT_ACTION_ACCEPT = 1,
    /**
     * The person said no.
     */
    MCP_ELICIT_ACTION_DECLINE = 2,
    /**
     * The person closed the dialog without choosing.
     */
    MCP_ELICIT_ACTION_CANCEL = 3,
    /**
     * What came back was still wrong after the last time of asking; the faults say how.
     */
    MCP_ELICIT_ACTION_INVALID = 4,
    /**
     * Nobody can be asked: given where the ask says MCP_ELICIT_POLICY_OUTCOME.
     */
    MCP_ELICIT_ACTION_UNAVAILABLE = 5,
    /**
     * What came back for a model's turn or for the roots; these know no yes and no.
     */
    MCP_ELICIT_ACTION_ANSWER = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum mcp_elicit_action mcp_elicit_action;
#else
typedef uint32_t mcp_elicit_action;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Where an accepted answer came from. Later versions can add sources.
 */
enum mcp_elicit_source
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Nothing was accepted.
     */
    MCP_ELICIT_SOURCE_NONE = 0,
    /**
     * The person, through the client.
     */
    MCP_ELICIT_SOURCE_USER = 1,
    /**
     * An argument of the request.
     */
    MCP_ELICIT_SOURCE_ARGUMENT = 2,
    /**
     * The schema's defaults.
     */
    MCP_ELICIT_SOURCE_DEFAULT = 3,
    /**
     * An earlier visit: nobody was asked this time.
     */
    MCP_ELICIT_SOURCE_GRANT = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum mcp_elicit_source mcp_elicit_source;
#else
typedef uint32_t mcp_elicit_source;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What a reply is. Later versions can add kinds.
 */
enum mcp_elicit_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * No reply: what is returned for NULL.
     */
    MCP_ELICIT_REPLY_NONE = 0,
    /**
     * The result; the flow is over.
     */
    MCP_ELICIT_REPLY_COMPLETE = 1,
    /**
     * Questions for the client, or state to come back with (mrtr, "InputRequiredResult").
     */
    MCP_ELICIT_REPLY_INPUT_REQUIRED = 2,
    /**
     * An error.
     */
    MCP_ELICIT_REPLY_ERROR = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum mcp_elicit_kind mcp_elicit_kind;
#else
typedef uint32_t mcp_elicit_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What kind of answer a field takes. Later versions can add to these.
 */
enum mcp_elicit_field_type
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * None: what a field that is NULL takes.
     */
    MCP_ELICIT_FIELD_NONE = 0,
    /**
     * A text.
     */
    MCP_ELICIT_FIELD_STRING = 1,
    /**
     * A whole number.
     */
    MCP_ELICIT_FIELD_INTEGER = 2,
    /**
     * A number.
     */
    MCP_ELICIT_FIELD_NUMBER = 3,
    /**
     * True or false.
     */
    MCP_ELICIT_FIELD_BOOLEAN = 4,
    /**
     * One of some options.
     */
    MCP_ELICIT_FIELD_CHOICE = 5,
    /**
     * Any of some options.
     */
    MCP_ELICIT_FIELD_CHOICES = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum mcp_elicit_field_type mcp_elicit_field_type;
#else
typedef uint32_t mcp_elicit_field_type;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How a question reaches the person (elicitation, "Elicitation Requests").
 */
enum mcp_elicit_mode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The client shows a form and sends the answers.
     */
    MCP_ELICIT_MODE_FORM = 1,
    /**
     * The client shows a link; what happens there does not pass through it.
     */
    MCP_ELICIT_MODE_URL = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum mcp_elicit_mode mcp_elicit_mode;
#else
typedef uint32_t mcp_elicit_mode;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What to do where nobody can be asked, for mcp_elicit_ask_options_set_unavailable and
 * mcp_elicit_ask_options_set_on_cancel.
 */
enum mcp_elicit_policy
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Reply -32021 and name the capability that the client lacks. The usual way.
     */
    MCP_ELICIT_POLICY_ERROR = 1,
    /**
     * Complete the tool call with isError and a text that names the argument to give, for a model
     * to read. Only in tools/call, and only for an ask that takes arguments.
     */
    MCP_ELICIT_POLICY_TOOL_ERROR = 2,
    /**
     * Take the defaults of the schema, where they make a valid answer.
     */
    MCP_ELICIT_POLICY_DEFAULTS = 3,
    /**
     * Give the outcome MCP_ELICIT_ACTION_UNAVAILABLE.
     */
    MCP_ELICIT_POLICY_OUTCOME = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum mcp_elicit_policy mcp_elicit_policy;
#else
typedef uint32_t mcp_elicit_policy;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How state is sealed. Every engine opens both, if its keys do.
 */
enum mcp_elicit_state_format
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Encrypted ("me1"): the client can read none of it. The usual way.
     */
    MCP_ELICIT_STATE_ENCRYPTED = 1,
    /**
     * Signed ("ms1"): the client can read all of it and change none.
     */
    MCP_ELICIT_STATE_SIGNED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum mcp_elicit_state_format mcp_elicit_state_format;
#else
typedef uint32_t mcp_elicit_state_format;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What a form makes of an answer: its content, or everything that is wrong with it.
 *
 * Free it with mcp_elicit_answer_free. It may hold what a person answered.
 *
 * Thread-safety: immutable; any number of threads may use it at once.
 */
typedef struct mcp_elicit_answer mcp_elicit_answer;

/**
 * How an answer is checked or read, where the usual way will not do. Functions that take these
 * options take NULL for the usual way.
 *
 * Make them with mcp_elicit_answer_options_new, free them with mcp_elicit_answer_options_free.
 *
 * Thread-safety: any number of threads may use them at once while none changes them.
 */
typedef struct mcp_elicit_answer_options mcp_elicit_answer_options;

/**
 * How a question is asked, where the usual way will not do. Functions that take options take NULL
 * for the usual way. Options that contradict each other, or the question, are
 * MCP_ELICIT_INVALID_ASK when the question is asked.
 *
 * Make them with mcp_elicit_ask_options_new, free them with mcp_elicit_ask_options_free; they may
 * serve any number of questions.
 *
 * Thread-safety: any number of threads may ask with them at once while none changes them.
 */
typedef struct mcp_elicit_ask_options mcp_elicit_ask_options;

/**
 * One client request passing through the engine: one round of a flow.
 *
 * A handler runs again on every round. It asks its questions, each under a key that is the same
 * every time; those that were answered have their outcome at once, the others are open. Ask all
 * that can go out together, then look at mcp_elicit_call_is_pending. While a question is open,
 * finish with mcp_elicit_call_suspend: the client comes back with the answers, and the handler
 * runs again. Otherwise finish with mcp_elicit_call_complete, or with mcp_elicit_call_fail. A call
 * is finished once.
 *
 * Made by mcp_elicit_engine_open or mcp_elicit_engine_open_params; free it with
 * mcp_elicit_call_free.
 *
 * Thread-safety: one thread at a time; it may change hands between functions.
 */
typedef struct mcp_elicit_call mcp_elicit_call;

/**
 * Who sends a request, in the words of the server, and how it came.
 *
 * The principal is taken from credentials that the server has verified, never from the request.
 * There is no default: make a caller with mcp_elicit_caller_new_user,
 * mcp_elicit_caller_new_single_user or mcp_elicit_caller_new_none. It came without headers, as
 * over stdio, unless mcp_elicit_caller_set_http or mcp_elicit_caller_add_header says otherwise.
 * Free it with mcp_elicit_caller_free; it may serve any number of requests that came alike.
 *
 * Thread-safety: any number of threads may open calls with it at once while none changes it.
 */
typedef struct mcp_elicit_caller mcp_elicit_caller;

/**
 * How a claim is taken, where the usual way will not do. mcp_elicit_call_claim takes NULL for the
 * usual way: a winner that dies leaves an outcome that is unknown.
 *
 * Make them with mcp_elicit_claim_options_new, free them with mcp_elicit_claim_options_free; they
 * may serve any number of claims.
 *
 * Thread-safety: any number of threads may claim with them at once while none changes them.
 */
typedef struct mcp_elicit_claim_options mcp_elicit_claim_options;

/**
 * Configured once; opens a call for each request. Owns no socket, no thread and no event loop.
 *
 * Make it with mcp_elicit_engine_new, free it with mcp_elicit_engine_free.
 *
 * Thread-safety: immutable; any number of threads may use it at once.
 */
typedef struct mcp_elicit_engine mcp_elicit_engine;

/**
 * What an engine is made of. Needed are keys (or the word that they may be ephemeral) and an
 * audience; everything else has its usual value.
 *
 * Make it with mcp_elicit_engine_config_new, set what you want, give it to
 * mcp_elicit_engine_new, free it with mcp_elicit_engine_config_free. One configuration can make
 * several engines.
 *
 * Thread-safety: one thread at a time.
 */
typedef struct mcp_elicit_engine_config mcp_elicit_engine_config;

/**
 * What is needed to answer a request that cannot carry input, or to see that it is a notification.
 *
 * Made by mcp_elicit_engine_check; free it with mcp_elicit_envelope_free.
 *
 * Thread-safety: immutable; any number of threads may read it at once.
 */
typedef struct mcp_elicit_envelope mcp_elicit_envelope;

/**
 * Why a function did not do what was asked.
 *
 * Made by functions that take `mcp_elicit_error **err`; free it with mcp_elicit_error_free. What
 * it says is safe to show to whoever may see the server's log: never a secret, never what a
 * person answered.
 *
 * Thread-safety: immutable; any number of threads may read it at once.
 */
typedef struct mcp_elicit_error mcp_elicit_error;

/**
 * Something that the operator should know and the peer must not, such as why a `requestState` was
 * refused. Holds no secret and nothing that a person answered.
 *
 * Lent to the log callback: neither the event nor what is read from it lives longer than the call
 * of the callback.
 */
typedef struct mcp_elicit_event mcp_elicit_event;

/**
 * One thing that is wrong: where, against which rule, and what to do instead.
 *
 * Owned by the error or outcome that it was read from, and lives as long. Any number of threads
 * may read it at once.
 */
typedef struct mcp_elicit_fault mcp_elicit_fault;

/**
 * One field of a form.
 *
 * Owned by the form that it was read from, and lives as long. Any number of threads may read it at
 * once.
 */
typedef struct mcp_elicit_field mcp_elicit_field;

/**
 * A requestedSchema that was read and found sound, to be asked as often as you like without being
 * read again.
 *
 * Make it with mcp_elicit_form_new or mcp_elicit_form_normalize, free it with mcp_elicit_form_free.
 *
 * Thread-safety: immutable; any number of threads may use it at once.
 */
typedef struct mcp_elicit_form mcp_elicit_form;

/**
 * Builds a form field by field: mcp_elicit_form_builder_add_string and the like add a field, the
 * setters then say more about the field that was added last. A setter called again replaces what
 * was said. Nothing is judged before mcp_elicit_form_builder_build, which then names every fault.
 *
 * Make it with mcp_elicit_form_builder_new, free it with mcp_elicit_form_builder_free.
 *
 * Thread-safety: one thread at a time.
 */
typedef struct mcp_elicit_form_builder mcp_elicit_form_builder;

/**
 * A question that was asked in this round, and what became of it.
 *
 * Owned by its call and lives as long. While the question is open its accessors return
 * MCP_ELICIT_PENDING and leave results at NULL or 0: suspend the call then. It never changes
 * within a round.
 *
 * Thread-safety: that of its call.
 */
typedef struct mcp_elicit_outcome mcp_elicit_outcome;

/**
 * What goes back to the peer: a body, and for HTTP a status and headers.
 *
 * Free it with mcp_elicit_reply_free.
 *
 * Thread-safety: immutable; any number of threads may read it at once.
 */
typedef struct mcp_elicit_reply mcp_elicit_reply;

/**
 * A key-value place with expiry, for what cannot be stateless: claims.
 *
 * All instances of a service share one. What is put there is sealed: a store is trusted to keep
 * time and to compare, and with nothing else. Made by the functions below; give it to
 * mcp_elicit_engine_config_set_store; free it with mcp_elicit_store_free.
 *
 * An operation blocks the thread that calls the engine, up to the time limit of the store. A store
 * that is down, slow or full is MCP_ELICIT_STORE, which mcp_elicit_error_is_retryable.
 *
 * Thread-safety: any number of threads may use it at once. After a fork the child opens a SQLite
 * store of its own: the parent's refuses to work there.
 */
typedef struct mcp_elicit_store mcp_elicit_store;

/**
 * The answer of a store: a result, and the value where one was found.
 *
 * What an operation of a store gives is yours: free it with mcp_elicit_store_answer_free. What a
 * function of mcp_elicit_store_functions gets is lent: fill it, and do not keep or free it.
 *
 * Thread-safety: one thread at a time.
 */
typedef struct mcp_elicit_store_answer mcp_elicit_store_answer;

/**
 * A text of the caller's own.
 *
 * Free it with mcp_elicit_text_free.
 *
 * Thread-safety: immutable; any number of threads may read it at once.
 */
typedef struct mcp_elicit_text mcp_elicit_text;

/**
 * Receives an event. `context` is what was given along with the function.
 *
 * Called by any thread that uses the engine, by several at once too, in the middle of that
 * thread's call into the library: return soon, do not unwind, and do not call into this library
 * but for the accessors of the event.
 */
typedef void (*mcp_elicit_log_fn)(void *context, const mcp_elicit_event *event);

/**
 * Frees the context of a callback.
 *
 * Called exactly once, by whichever thread gives up the last thing that can still use the
 * callback: the configuration, its engines, their calls. Must not unwind.
 */
typedef void (*mcp_elicit_destroy_fn)(void *context);

/**
 * Tells the time: milliseconds since 1970-01-01T00:00:00Z.
 *
 * Called by any thread that uses the engine, by several at once too. Must not unwind and must not
 * call into this library.
 */
typedef uint64_t (*mcp_elicit_clock_fn)(void *context);

/**
 * Writes `len` unpredictable bytes to `out` and returns 0; returns anything else where it cannot,
 * and the function that needed them gives MCP_ELICIT_INTERNAL.
 *
 * The bytes become nonces and ids: a source that repeats gives sealed state away. Called by any
 * thread that uses the engine, by several at once too. Must not unwind and must not call into
 * this library.
 */
typedef int (*mcp_elicit_random_fn)(void *context, uint8_t *out, size_t len);

/**
 * The functions of a store of your own, which this library copies. Set `size` to
 * sizeof(mcp_elicit_store_functions): later versions add members at the end.
 *
 * Each operation is about one key, a NUL-terminated text of 1 to 128 bytes of `a-z A-Z 0-9 : - _`,
 * and must be atomic among all that share the store. Keys and values are lent for the call. A
 * function returns one of mcp_elicit_store_result: what its comment names, or
 * MCP_ELICIT_STORE_UNAVAILABLE, MCP_ELICIT_STORE_TIMED_OUT or MCP_ELICIT_STORE_FULL where it
 * failed. Any other number is a store that failed. Values are compared byte for byte; one whose
 * time is over is not there.
 *
 * Thread-safety: the functions are called by the threads that call the engine, by several at a
 * time, in the middle of that thread's call into the library, which waits for them: return within
 * a time limit of your own, two seconds are usual. They must not unwind (no longjmp, no C++
 * exception) and must not call into this library but for mcp_elicit_store_answer_set_value,
 * mcp_elicit_store_answer_set_message and the functions of errors.
 */
typedef struct {
    /**
     * sizeof(mcp_elicit_store_functions).
     */
    size_t size;
    /**
     * Goes to each function.
     */
    void *context;
    /**
     * MCP_ELICIT_STORE_FOUND with the value, or MCP_ELICIT_STORE_ABSENT.
     */
    uint32_t (*get)(void *context, const char *key, mcp_elicit_store_answer *answer);
    /**
     * Puts a value where there is none, for `ttl_ms` milliseconds (up to UINT64_MAX, which is as
     * good as for ever): MCP_ELICIT_STORE_DONE. Where there is one: MCP_ELICIT_STORE_FOUND with
     * it.
     */
    uint32_t (*put_if_absent)(void *context,
                              const char *key,
                              const uint8_t *value,
                              size_t value_len,
                              uint64_t ttl_ms,
                              mcp_elicit_store_answer *answer);
    /**
     * Puts a value in place of `expected`, for `ttl_ms` milliseconds from now:
     * MCP_ELICIT_STORE_DONE. Where another is there, or none: MCP_ELICIT_STORE_CONFLICT.
     */
    uint32_t (*compare_and_set)(void *context,
                                const char *key,
                                const uint8_t *expected,
                                size_t expected_len,
                                const uint8_t *value,
                                size_t value_len,
                                uint64_t ttl_ms,
                                mcp_elicit_store_answer *answer);
    /**
     * Deletes a value where it is `expected`: MCP_ELICIT_STORE_DONE. Where another is there, or
     * none: MCP_ELICIT_STORE_CONFLICT.
     */
    uint32_t (*compare_and_delete)(void *context,
                                   const char *key,
                                   const uint8_t *expected,
                                   size_t expected_len,
                                   mcp_elicit_store_answer *answer);
    /**
     * Frees the context (may be NULL): called once, by whichever thread gives up the last thing
     * that can still use the store.
     */
    mcp_elicit_destroy_fn destroy;
} mcp_elicit_store_functions;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The name of a status in lower case, such as "invalid_state": what the other languages call it.
 *
 * "ok" and "pending" for the two that are no errors, "unknown" for a number that this version
 * does not have. Never NULL; the text is static.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_status_name(uint32_t status);

/**
 * The version of the library that runs, such as "0.1.0".
 *
 * MCP_ELICIT_VERSION is the version of the header that was compiled against. The text is static.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_version(void);

/**
 * The version of the library that runs as one number that grows: 1000000 * major, 1000 * minor and
 * patch together. Compare with MCP_ELICIT_VERSION_NUMBER.
 */
MCP_ELICIT_MUST_USE uint32_t mcp_elicit_version_number(void);

/**
 * The protocol revision that this library speaks, such as "2026-07-28": what belongs into
 * `supportedVersions` of server/discover. The text is static.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_protocol_version(void);

/**
 * The bytes of a text: UTF-8, NUL-terminated. NULL if `text` is NULL.
 *
 * Owned by the text; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_text_data(const mcp_elicit_text *text, size_t *len);

/**
 * Frees a text. NULL is allowed.
 */
void mcp_elicit_text_free(mcp_elicit_text *text);

/**
 * Where the fault is, as JSON pointer; "" is the whole. NULL if `fault` is NULL.
 *
 * Owned by the fault, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_fault_path(const mcp_elicit_fault *fault, size_t *len);

/**
 * The rule that is broken, such as "minLength": stable, for programs. NULL if `fault` is NULL.
 *
 * Owned by the fault, NUL-terminated.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_fault_rule(const mcp_elicit_fault *fault);

/**
 * A sentence for a person: what is wrong and what to do instead. NULL if `fault` is NULL.
 *
 * Owned by the fault, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE
const char *mcp_elicit_fault_message(const mcp_elicit_fault *fault,
                                     size_t *len);

/**
 * Frees an error and everything that was read from it. NULL is allowed.
 */
void mcp_elicit_error_free(mcp_elicit_error *error);

/**
 * The status that the function returned with this error. MCP_ELICIT_OK if `error` is NULL.
 */
MCP_ELICIT_MUST_USE mcp_elicit_status mcp_elicit_error_status(const mcp_elicit_error *error);

/**
 * The name of the kind of error, such as "invalid_state": the same in every language, and that of
 * the status. NULL if `error` is NULL. The text is static.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_error_kind(const mcp_elicit_error *error);

/**
 * The JSON-RPC code of this error on the wire, such as -32602 (basic, "Error Codes"). 0 if
 * `error` is NULL.
 */
MCP_ELICIT_MUST_USE int32_t mcp_elicit_error_code(const mcp_elicit_error *error);

/**
 * The HTTP status of a reply with this error. 0 if `error` is NULL.
 */
MCP_ELICIT_MUST_USE uint16_t mcp_elicit_error_http_status(const mcp_elicit_error *error);

/**
 * Whether the peer is at fault, or must be told. Where false, something of the server's own must
 * be mended: look into its message, since the peer is told no more than "Internal error". False if
 * `error` is NULL.
 */
MCP_ELICIT_MUST_USE bool mcp_elicit_error_is_for_peer(const mcp_elicit_error *error);

/**
 * Whether the same request may succeed a little later. False if `error` is NULL.
 */
MCP_ELICIT_MUST_USE bool mcp_elicit_error_is_retryable(const mcp_elicit_error *error);

/**
 * What is at fault, as a sentence for whoever runs the server. NULL if `error` is NULL.
 *
 * Owned by the error, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE
const char *mcp_elicit_error_message(const mcp_elicit_error *error,
                                     size_t *len);

/**
 * The `data` member of this error on the wire, as JSON. NULL if it has none, or `error` is NULL.
 *
 * Owned by the error, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_error_data(const mcp_elicit_error *error, size_t *len);

/**
 * How many places are at fault, where the error is about places, such as those of a schema. 0 if
 * `error` is NULL.
 */
MCP_ELICIT_MUST_USE size_t mcp_elicit_error_fault_count(const mcp_elicit_error *error);

/**
 * The fault at `index`, counted from 0. NULL if there is none, or `error` is NULL.
 *
 * Owned by the error.
 */
MCP_ELICIT_MUST_USE
const mcp_elicit_fault *mcp_elicit_error_fault(const mcp_elicit_error *error,
                                               size_t index);

/**
 * All faults as a JSON array of {"path", "rule", "message"}. NULL if `error` is NULL.
 *
 * Owned by the error, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_error_faults(const mcp_elicit_error *error, size_t *len);

/**
 * The reply that tells the peer of this error: a JSON-RPC error response under the request's
 * `id`, or the error object alone where the call was opened from parameters.
 *
 * An error that is the server's own fault says no more than "Internal error" in it. NULL for
 * MCP_ELICIT_NOT_A_CALL, which is for whoever routed the request, and if `error` is NULL.
 *
 * The reply is yours: free it with mcp_elicit_reply_free. It does not need the error any more.
 */
MCP_ELICIT_MUST_USE mcp_elicit_reply *mcp_elicit_error_reply(const mcp_elicit_error *error);

/**
 * How much an event matters. MCP_ELICIT_LEVEL_NONE if `event` is NULL.
 */
MCP_ELICIT_MUST_USE mcp_elicit_level mcp_elicit_event_level(const mcp_elicit_event *event);

/**
 * The name of an event, stable, for programs: "state_refused", "ephemeral_keys", "form_warning"
 * and others. NULL if `event` is NULL.
 *
 * Owned by the event, NUL-terminated.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_event_name(const mcp_elicit_event *event);

/**
 * The cause, where there are several, stable, for programs, such as "forged"; "" otherwise. NULL
 * if `event` is NULL.
 *
 * Owned by the event, NUL-terminated.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_event_reason(const mcp_elicit_event *event);

/**
 * A sentence for a person. NULL if `event` is NULL.
 *
 * Owned by the event, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE
const char *mcp_elicit_event_message(const mcp_elicit_event *event,
                                     size_t *len);

/**
 * The flow that the event is about; "" where there is none. NULL if `event` is NULL.
 *
 * Owned by the event, NUL-terminated.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_event_flow_id(const mcp_elicit_event *event);

/**
 * Begins a configuration.
 *
 * It is yours: free it with mcp_elicit_engine_config_free. NULL only after a defect of this
 * library.
 */
MCP_ELICIT_MUST_USE mcp_elicit_engine_config *mcp_elicit_engine_config_new(void);

/**
 * Frees a configuration. NULL is allowed. Engines made from it go on.
 */
void mcp_elicit_engine_config_free(mcp_elicit_engine_config *config);

/**
 * Adds a key: at least 32 bytes of secret from a random source. The first that is added seals,
 * all open. The bytes are copied, and wiped with the last engine and configuration that hold them.
 *
 * To rotate without downtime roll out [old, new], then [new, old], then [new], each to all
 * instances before the next.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_CONFIG: the
 * key is weak or there already, or keys come from another source.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_add_key(mcp_elicit_engine_config *config,
                                                   const uint8_t *secret,
                                                   size_t secret_len,
                                                   mcp_elicit_error **err);

/**
 * Takes the keys from a text: one or more, separated by commas, the sealing one first. 64 or more
 * characters that are all hex digits are hex, anything else is base64url. mcp_elicit_keygen makes
 * one.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_CONFIG: a key
 * is weak or malformed (the message names its position, never its text), or keys come from
 * another source.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_keys(mcp_elicit_engine_config *config,
                                                    const char *keys,
                                                    size_t keys_len,
                                                    mcp_elicit_error **err);

/**
 * Takes the keys from the environment variable MCP_ELICIT_KEYS, written as in
 * mcp_elicit_engine_config_set_keys.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_CONFIG: the
 * variable is not set, a key is weak or malformed, or keys come from another source.
 *
 * Thread-safety: no thread may change the environment meanwhile.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_keys_from_env(mcp_elicit_engine_config *config,
                                                             mcp_elicit_error **err);

/**
 * Lets the engine run on a key of its own that is never written down. For trying things out and
 * for servers of one process: no state survives a restart, or opens in another instance. The
 * engine says so once through the log hook ("ephemeral_keys").
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_CONFIG: keys
 * come from another source.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_ephemeral(mcp_elicit_engine_config *config,
                                                         mcp_elicit_error **err);

/**
 * Names the service: 1 to 256 bytes. State sealed for one audience does not open for another, so
 * all instances of a service have the same, and two services that share keys have different ones.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_audience(mcp_elicit_engine_config *config,
                                                        const char *audience,
                                                        size_t audience_len,
                                                        mcp_elicit_error **err);

/**
 * Name and version of the server, which every result then carries in its `_meta` (basic,
 * "Per-response protocol fields").
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_server_info(mcp_elicit_engine_config *config,
                                                           const char *name,
                                                           size_t name_len,
                                                           const char *version,
                                                           size_t version_len,
                                                           mcp_elicit_error **err);

/**
 * As mcp_elicit_engine_config_set_server_info, from the JSON of an `Implementation` object with
 * title, icons and all.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. A missing name or version
 * is MCP_ELICIT_CONFIG when the engine is made.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_server_info_json(mcp_elicit_engine_config *config,
                                                                const char *json,
                                                                size_t json_len,
                                                                mcp_elicit_error **err);

/**
 * How state is sealed: `format` is one of mcp_elicit_state_format.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_state_format(mcp_elicit_engine_config *config,
                                                            uint32_t format,
                                                            mcp_elicit_error **err);

/**
 * Where to say what the operator should know. `log` NULL: nowhere, as when nothing is set.
 *
 * `context` goes to each call of `log` and, when nothing can call it any more, once to `destroy`
 * (may be NULL). Unless this returns MCP_ELICIT_OK the context stays yours.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_log(mcp_elicit_engine_config *config,
                                                   mcp_elicit_log_fn log,
                                                   void *context,
                                                   mcp_elicit_destroy_fn destroy,
                                                   mcp_elicit_error **err);

/**
 * A clock other than the system's. `clock` NULL: the system's.
 *
 * `context` and `destroy` as in mcp_elicit_engine_config_set_log.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_clock(mcp_elicit_engine_config *config,
                                                     mcp_elicit_clock_fn clock,
                                                     void *context,
                                                     mcp_elicit_destroy_fn destroy,
                                                     mcp_elicit_error **err);

/**
 * A random source other than the system's, for tests: with a source that can be foreseen, or
 * repeats, nothing sealed is secret. `random` NULL: the system's.
 *
 * `context` and `destroy` as in mcp_elicit_engine_config_set_log.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_random(mcp_elicit_engine_config *config,
                                                      mcp_elicit_random_fn random,
                                                      void *context,
                                                      mcp_elicit_destroy_fn destroy,
                                                      mcp_elicit_error **err);

/**
 * Longest request, in bytes. Usual: 4 MiB.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. This and the other limits
 * are checked when the engine is made, which gives MCP_ELICIT_CONFIG for one that is out of range.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_request_bytes(mcp_elicit_engine_config *config,
                                                             uint64_t bytes,
                                                             mcp_elicit_error **err);

/**
 * Longest `requestState`, in bytes, coming in or going out. Usual: 64 KiB.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_token_bytes(mcp_elicit_engine_config *config,
                                                           uint64_t bytes,
                                                           mcp_elicit_error **err);

/**
 * How deep arrays and objects may nest in any JSON. Usual: 64.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_depth(mcp_elicit_engine_config *config,
                                                     uint64_t depth,
                                                     mcp_elicit_error **err);

/**
 * How many properties a form may have. Usual: 64.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_schema_properties(mcp_elicit_engine_config *config,
                                                                 uint64_t count,
                                                                 mcp_elicit_error **err);

/**
 * How many choices a form may have, all its fields together. Usual: 1000.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_schema_options(mcp_elicit_engine_config *config,
                                                              uint64_t count,
                                                              mcp_elicit_error **err);

/**
 * How many rounds of a flow may bring a new question. Usual: 16.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_question_rounds(mcp_elicit_engine_config *config,
                                                               uint64_t count,
                                                               mcp_elicit_error **err);

/**
 * How often a question is asked again after an invalid answer. Usual: 3; 0 is allowed.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_reasks(mcp_elicit_engine_config *config,
                                                      uint64_t count,
                                                      mcp_elicit_error **err);

/**
 * How long a person may take over one round, in milliseconds. Usual: 10 minutes.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_round_ttl_ms(mcp_elicit_engine_config *config,
                                                            uint64_t milliseconds,
                                                            mcp_elicit_error **err);

/**
 * How long a flow may take, all its rounds together, in milliseconds. Usual: 1 hour.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_flow_ttl_ms(mcp_elicit_engine_config *config,
                                                           uint64_t milliseconds,
                                                           mcp_elicit_error **err);

/**
 * How long the winner of a claim may be at work before its outcome counts as unknown, in
 * milliseconds. Usual: 1 minute. Must be below the time of a flow.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_claim_wait_ms(mcp_elicit_engine_config *config,
                                                             uint64_t milliseconds,
                                                             mcp_elicit_error **err);

/**
 * How far the clocks of a fleet may stand apart, in milliseconds. Usual: 1 minute; 0 is allowed.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_clock_skew_ms(mcp_elicit_engine_config *config,
                                                             uint64_t milliseconds,
                                                             mcp_elicit_error **err);

/**
 * A store in this process, gone with it: for one instance of a service, and for tests.
 *
 * `capacity` is about how many bytes it holds at most, keys and values counted; 0 means the usual
 * 64 MiB. A value can be as large as a sixteenth of it. What has expired makes room; where nothing
 * has, it is full. Never waits for anything but other threads.
 *
 * On success `*store` is yours: free it with mcp_elicit_store_free.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 *
 * Thread-safety: any thread.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_store_new_memory(size_t capacity,
                                              mcp_elicit_store **store,
                                              mcp_elicit_error **err);

/**
 * A store in a SQLite file, which the processes of one machine share: what was claimed stays
 * claimed when a process is killed. The file is made where there is none, with two others beside
 * it ("-wal", "-shm"). It must not lie on a network drive.
 *
 * `path` is UTF-8; `path_len` is in bytes, MCP_ELICIT_NUL means NUL-terminated. `time_limit_ms` is
 * how long a write waits for other processes, in milliseconds; 0 means the usual two seconds, an
 * hour is the most.
 *
 * On success `*store` is yours: free it with mcp_elicit_store_free.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_STORE: the
 * file cannot be opened, or is no SQLite file. MCP_ELICIT_CONFIG: the library was built without
 * its feature "sqlite".
 *
 * Thread-safety: any thread.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_store_new_sqlite(const char *path,
                                              size_t path_len,
                                              uint64_t time_limit_ms,
                                              mcp_elicit_store **store,
                                              mcp_elicit_error **err);

/**
 * A store in Redis 2.8 or later, or what speaks its protocol: shared by a fleet. Does not connect
 * yet; connects again by itself. Evicting servers (`maxmemory-policy` other than `noeviction`) can
 * lose claims.
 *
 * `url` is such as "redis://127.0.0.1:6379/0" or "rediss://user:password@host:6380/0"; `url_len`
 * is in bytes, MCP_ELICIT_NUL means NUL-terminated. No message repeats it. `time_limit_ms` is the
 * time of a whole operation, connecting included, in milliseconds; 0 means the usual two seconds,
 * an hour is the most. Looking up the name of a host is the system's, with the system's time.
 *
 * On success `*store` is yours: free it with mcp_elicit_store_free.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 * MCP_ELICIT_INVALID_ARGUMENT: `url` is no such URL. MCP_ELICIT_CONFIG: the library was built
 * without its feature "redis" (cargo build --features redis).
 *
 * Thread-safety: any thread.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_store_new_redis(const char *url,
                                             size_t url_len,
                                             uint64_t time_limit_ms,
                                             mcp_elicit_store **store,
                                             mcp_elicit_error **err);

/**
 * Frees a store. NULL is allowed. Configurations and engines that have it go on.
 */
void mcp_elicit_store_free(mcp_elicit_store *store);

/**
 * Where the engines of this configuration keep their claims. Only handlers that claim need one:
 * mcp_elicit_call_claim. NULL: nowhere, as when nothing is set.
 *
 * `store` is shared, not taken: free it when you need it no more.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_config_set_store(mcp_elicit_engine_config *config,
                                                     const mcp_elicit_store *store,
                                                     mcp_elicit_error **err);

/**
 * Looks up a value. For tests of a store, and for bindings on this ABI: engines do this by
 * themselves.
 *
 * `key` is a text of 1 to 128 bytes of `a-z A-Z 0-9 : - _`; `key_len` is in bytes, MCP_ELICIT_NUL
 * means NUL-terminated. On success `*answer` is yours: free it with mcp_elicit_store_answer_free.
 * Its result is MCP_ELICIT_STORE_FOUND or MCP_ELICIT_STORE_ABSENT.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_STORE: the
 * store did not answer, or not in time.
 *
 * Thread-safety: any thread. Blocks up to the time limit of the store.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_store_get(const mcp_elicit_store *store,
                                       const char *key,
                                       size_t key_len,
                                       mcp_elicit_store_answer **answer,
                                       mcp_elicit_error **err);

/**
 * Puts a value where there is none, for `ttl_ms` milliseconds: MCP_ELICIT_STORE_DONE. Where there
 * is one it stays: MCP_ELICIT_STORE_FOUND, with it. Of several at once one is done.
 *
 * `value` is any bytes, `value_len` of them, at most 16 MiB. They are copied. The rest as
 * mcp_elicit_store_get. MCP_ELICIT_STORE: the store did not answer, or not in time, or is full;
 * whether it was done is then not known.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_store_put_if_absent(const mcp_elicit_store *store,
                                                 const char *key,
                                                 size_t key_len,
                                                 const uint8_t *value,
                                                 size_t value_len,
                                                 uint64_t ttl_ms,
                                                 mcp_elicit_store_answer **answer,
                                                 mcp_elicit_error **err);

/**
 * Puts a value in place of `expected`, for `ttl_ms` milliseconds from now: MCP_ELICIT_STORE_DONE.
 * Where another is there, or none: MCP_ELICIT_STORE_CONFLICT. Of several at once one is done.
 *
 * As mcp_elicit_store_put_if_absent; `expected` is given like `value`.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_store_compare_and_set(const mcp_elicit_store *store,
                                                   const char *key,
                                                   size_t key_len,
                                                   const uint8_t *expected,
                                                   size_t expected_len,
                                                   const uint8_t *value,
                                                   size_t value_len,
                                                   uint64_t ttl_ms,
                                                   mcp_elicit_store_answer **answer,
                                                   mcp_elicit_error **err);

/**
 * Deletes a value where it is `expected`: MCP_ELICIT_STORE_DONE. Where another is there, or none:
 * MCP_ELICIT_STORE_CONFLICT.
 *
 * As mcp_elicit_store_compare_and_set.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_store_compare_and_delete(const mcp_elicit_store *store,
                                                      const char *key,
                                                      size_t key_len,
                                                      const uint8_t *expected,
                                                      size_t expected_len,
                                                      mcp_elicit_store_answer **answer,
                                                      mcp_elicit_error **err);

/**
 * Frees an answer and the value in it. NULL is allowed.
 */
void mcp_elicit_store_answer_free(mcp_elicit_store_answer *answer);

/**
 * What was answered. MCP_ELICIT_STORE_NONE if `answer` is NULL, or one that is yet to be filled.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_store_result mcp_elicit_store_answer_result(const mcp_elicit_store_answer *answer);

/**
 * The value that was found. NULL if none was, or `answer` is NULL.
 *
 * Owned by the answer. Any bytes, not NUL-terminated; `len` (may be NULL) receives how many.
 */
MCP_ELICIT_MUST_USE
const uint8_t *mcp_elicit_store_answer_value(const mcp_elicit_store_answer *answer,
                                             size_t *len);

/**
 * In a function of mcp_elicit_store_functions: the value that was found, any bytes, `value_len` of
 * them, at most 16 MiB. They are copied. The function then returns MCP_ELICIT_STORE_FOUND.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 * MCP_ELICIT_INVALID_ARGUMENT: it is longer, which no value of this library is.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_store_answer_set_value(mcp_elicit_store_answer *answer,
                                                    const uint8_t *value,
                                                    size_t value_len,
                                                    mcp_elicit_error **err);

/**
 * In a function of mcp_elicit_store_functions: why the store is not available, for the log hook
 * and the error, such as "connection refused". No address, no password, no value. The function
 * then returns MCP_ELICIT_STORE_UNAVAILABLE.
 *
 * `message_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated. It is copied; what is longer
 * than 1000 characters is cut.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_store_answer_set_message(mcp_elicit_store_answer *answer,
                                                      const char *message,
                                                      size_t message_len,
                                                      mcp_elicit_error **err);

/**
 * A store of your own.
 *
 * `functions` is copied. On success `*store` is yours: free it with mcp_elicit_store_free. The
 * context is freed with `destroy` when store, configurations, engines and calls that have it are
 * gone; unless this returns MCP_ELICIT_OK it stays yours.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 * MCP_ELICIT_INVALID_ARGUMENT: `size` is not that of the struct, or an operation is NULL.
 *
 * Thread-safety: any thread.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_store_new_custom(const mcp_elicit_store_functions *functions,
                                              mcp_elicit_store **store,
                                              mcp_elicit_error **err);

/**
 * Makes an engine. `config` is only read: change it, make more engines of it, or free it.
 *
 * On success `*engine` is yours: free it with mcp_elicit_engine_free.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains; free it with
 * mcp_elicit_error_free. MCP_ELICIT_CONFIG: keys or audience are missing, or a limit is out of
 * range.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_new(const mcp_elicit_engine_config *config,
                                        mcp_elicit_engine **engine,
                                        mcp_elicit_error **err);

/**
 * Frees an engine. NULL is allowed. Calls that it opened go on.
 */
void mcp_elicit_engine_free(mcp_elicit_engine *engine);

/**
 * Opens a call from a JSON-RPC request: one round of a flow.
 *
 * `request` is the body as it came, `request_len` its length in bytes (MCP_ELICIT_NUL: it is
 * NUL-terminated). It is copied. Everything that can be wrong with it is found here: its JSON, its
 * `_meta`, its headers against its body, the shape of its answers, its `requestState` (basic,
 * "`_meta`"; streamable-http, "Server Validation"; mrtr, "Server Requirements"). `caller` says who
 * sends it and how it came; it is only read.
 *
 * On success `*call` is yours: free it with mcp_elicit_call_free.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains; free it with
 * mcp_elicit_error_free. MCP_ELICIT_NOT_A_CALL: the method is none of tools/call, prompts/get and
 * resources/read; see mcp_elicit_engine_check. For every other status mcp_elicit_error_reply gives
 * what the peer must be told.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_open(const mcp_elicit_engine *engine,
                                         const char *request,
                                         size_t request_len,
                                         const mcp_elicit_caller *caller,
                                         mcp_elicit_call **call,
                                         mcp_elicit_error **err);

/**
 * Opens a call from parameters, for whoever has read the JSON-RPC message already. Its replies
 * are the result object or the error object alone.
 *
 * `method` is the method's name, `params` the JSON of the request's `params`, `_meta` included;
 * lengths are in bytes, MCP_ELICIT_NUL means NUL-terminated. Headers that `caller` holds are
 * checked as in mcp_elicit_engine_open.
 *
 * On success `*call` is yours: free it with mcp_elicit_call_free.
 *
 * Returns as mcp_elicit_engine_open.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_open_params(const mcp_elicit_engine *engine,
                                                const char *method,
                                                size_t method_len,
                                                const char *params,
                                                size_t params_len,
                                                const mcp_elicit_caller *caller,
                                                mcp_elicit_call **call,
                                                mcp_elicit_error **err);

/**
 * Checks the envelope of any request as mcp_elicit_engine_open does: JSON, JSON-RPC, `_meta`,
 * version, headers. For the methods that a server answers by itself, such as server/discover and
 * tools/list, and for notifications.
 *
 * `request` and `caller` as in mcp_elicit_engine_open.
 *
 * On success `*envelope` is yours: free it with mcp_elicit_envelope_free.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains; free it with
 * mcp_elicit_error_free. mcp_elicit_error_reply gives what the peer must be told.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_engine_check(const mcp_elicit_engine *engine,
                                          const char *request,
                                          size_t request_len,
                                          const mcp_elicit_caller *caller,
                                          mcp_elicit_envelope **envelope,
                                          mcp_elicit_error **err);

/**
 * A user at an OAuth client: `issuer` and `subject` say who it is (the `iss` and `sub` of a
 * verified token), `client` which client acts (`client_id` or `azp`). Where credentials know no
 * issuer or no client, give a constant of your own. State is bound to all three: what one user
 * began at one client, no other can go on with (mrtr, server requirement 5).
 *
 * Lengths are in bytes; MCP_ELICIT_NUL means NUL-terminated. On success `*caller` is yours: free
 * it with mcp_elicit_caller_free.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 * MCP_ELICIT_INVALID_ARGUMENT: one of the three is empty, which is nearly always a claim that was
 * not read and would make many users one.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_caller_new_user(const char *issuer,
                                             size_t issuer_len,
                                             const char *subject,
                                             size_t subject_len,
                                             const char *client,
                                             size_t client_len,
                                             mcp_elicit_caller **caller,
                                             mcp_elicit_error **err);

/**
 * The one person whom the server is for, as over stdio.
 *
 * It is yours: free it with mcp_elicit_caller_free. NULL only after a defect of this library.
 */
MCP_ELICIT_MUST_USE mcp_elicit_caller *mcp_elicit_caller_new_single_user(void);

/**
 * Nobody in particular. State is then bound to no one: whoever holds it can go on with it.
 *
 * It is yours: free it with mcp_elicit_caller_free. NULL only after a defect of this library.
 */
MCP_ELICIT_MUST_USE mcp_elicit_caller *mcp_elicit_caller_new_none(void);

/**
 * Frees a caller. NULL is allowed. Calls that were opened with it go on.
 */
void mcp_elicit_caller_free(mcp_elicit_caller *caller);

/**
 * Says that the request came over HTTP, though it may have no headers: those that the protocol
 * requires must then be there and fit the body (streamable-http, "Server Validation").
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_caller_set_http(mcp_elicit_caller *caller,
                                             mcp_elicit_error **err);

/**
 * Adds a header of the HTTP request, which says mcp_elicit_caller_set_http too. Add them all, in
 * any order and any case, repeated ones repeated; those that the protocol does not name are passed
 * over. `value` may be any bytes.
 *
 * Lengths are in bytes; MCP_ELICIT_NUL means NUL-terminated. Both are copied.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_caller_add_header(mcp_elicit_caller *caller,
                                               const char *name,
                                               size_t name_len,
                                               const char *value,
                                               size_t value_len,
                                               mcp_elicit_error **err);

/**
 * Declares that the called tool mirrors an argument in the header `Mcp-Param-{name}`: its schema
 * has `x-mcp-header` there (tools, "x-mcp-header"). `pointer` is the JSON pointer to the argument,
 * seen from `arguments`, such as "/placement/region".
 *
 * Holds for tools/call over HTTP and is passed over elsewhere. Headers of this kind that nobody
 * declared are ignored.
 *
 * Lengths are in bytes; MCP_ELICIT_NUL means NUL-terminated. Both are copied.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 * MCP_ELICIT_INVALID_ARGUMENT: `pointer` is no JSON pointer to a member. A name that is no header
 * name, or stands twice, is found when a call is opened.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_caller_add_param_header(mcp_elicit_caller *caller,
                                                     const char *name,
                                                     size_t name_len,
                                                     const char *pointer,
                                                     size_t pointer_len,
                                                     mcp_elicit_error **err);

/**
 * Frees an envelope and everything that was read from it. NULL is allowed.
 */
void mcp_elicit_envelope_free(mcp_elicit_envelope *envelope);

/**
 * The method. NULL if `envelope` is NULL.
 *
 * Owned by the envelope, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE
const char *mcp_elicit_envelope_method(const mcp_elicit_envelope *envelope,
                                       size_t *len);

/**
 * The `id` as JSON, to be written into the response as it is. NULL for a notification, which gets
 * no response (basic, "Notifications"), and if `envelope` is NULL.
 *
 * Owned by the envelope, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE
const char *mcp_elicit_envelope_id(const mcp_elicit_envelope *envelope,
                                   size_t *len);

/**
 * What the client says of itself, as JSON; not verified (basic, "Per-request protocol fields").
 * NULL if it says nothing, or `envelope` is NULL.
 *
 * Owned by the envelope, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE
const char *mcp_elicit_envelope_client_info(const mcp_elicit_envelope *envelope,
                                            size_t *len);

/**
 * Whether the client declared that it can show this kind of question: `mode` is one of
 * mcp_elicit_mode. False for any other number, and if `envelope` is NULL.
 */
MCP_ELICIT_MUST_USE
bool mcp_elicit_envelope_can_elicit(const mcp_elicit_envelope *envelope,
                                    uint32_t mode);

/**
 * Frees a call, its outcomes and everything that was read from them. NULL is allowed, and so is a
 * call that was not finished.
 */
void mcp_elicit_call_free(mcp_elicit_call *call);

/**
 * The method: "tools/call", "prompts/get" or "resources/read". NULL if `call` is NULL. The text is
 * static.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_call_method(const mcp_elicit_call *call);

/**
 * The name of the tool or prompt, or the URI of the resource. NULL if `call` is NULL.
 *
 * Owned by the call, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_call_target(const mcp_elicit_call *call, size_t *len);

/**
 * The arguments as a JSON object, as the engine read them: bind and run these, not what another
 * reader made of the body. "{}" where there are none. NULL if `call` is NULL.
 *
 * Owned by the call, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_call_arguments(const mcp_elicit_call *call, size_t *len);

/**
 * The name of the flow: the same in all its rounds, unguessable, no secret. 22 characters of the
 * base64url alphabet. NULL if `call` is NULL.
 *
 * Owned by the call, NUL-terminated.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_call_flow_id(const mcp_elicit_call *call);

/**
 * Which round of the flow this is; the first is 1. 0 if `call` is NULL.
 */
MCP_ELICIT_MUST_USE uint32_t mcp_elicit_call_round(const mcp_elicit_call *call);

/**
 * What the client says of itself, as JSON; not verified (basic, "Per-request protocol fields").
 * NULL if it says nothing, or `call` is NULL.
 *
 * Owned by the call, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE
const char *mcp_elicit_call_client_info(const mcp_elicit_call *call,
                                        size_t *len);

/**
 * The capabilities that the client declared on this request, as a JSON object. NULL if `call` is
 * NULL.
 *
 * Owned by the call, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE
const char *mcp_elicit_call_client_capabilities(const mcp_elicit_call *call,
                                                size_t *len);

/**
 * Whether the client declared that it can show this kind of question: `mode` is one of
 * mcp_elicit_mode. False for any other number, and if `call` is NULL.
 *
 * Asking all the same is an error for the client, which mcp_elicit_call_suspend replies.
 */
MCP_ELICIT_MUST_USE bool mcp_elicit_call_can_elicit(const mcp_elicit_call *call, uint32_t mode);

/**
 * Whether the call has given its reply. False if `call` is NULL.
 */
MCP_ELICIT_MUST_USE bool mcp_elicit_call_is_finished(const mcp_elicit_call *call);

/**
 * Whether a question of this round is open: the call can then only be suspended or failed. False
 * if `call` is NULL.
 */
MCP_ELICIT_MUST_USE bool mcp_elicit_call_is_pending(const mcp_elicit_call *call);

/**
 * Finishes a round: the reply sends the open questions and the sealed state to the client, which
 * comes back with the answers (mrtr, "InputRequiredResult").
 *
 * Where the client lacks a capability for one of them, the reply is that error (-32021) with
 * everything that it lacks; where an ask says MCP_ELICIT_POLICY_TOOL_ERROR, a result with isError.
 *
 * On success `*reply` is yours: free it with mcp_elicit_reply_free.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains; free it with
 * mcp_elicit_error_free, and tell the peer what mcp_elicit_error_reply gives.
 * MCP_ELICIT_NOTHING_ASKED: no question is open. MCP_ELICIT_LIMIT: too many rounds, or the state
 * is too long. MCP_ELICIT_FINISHED: the call was finished before.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_call_suspend(mcp_elicit_call *call,
                                          mcp_elicit_reply **reply,
                                          mcp_elicit_error **err);

/**
 * Finishes a round for work that goes on elsewhere: the reply sends the sealed state alone, the
 * client comes back by itself, and the handler runs again. Clients may come back at once, so wait
 * a little before. Questions that are open go out with it.
 *
 * On success `*reply` is yours: free it with mcp_elicit_reply_free.
 *
 * Returns as mcp_elicit_call_suspend, without MCP_ELICIT_NOTHING_ASKED.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_call_retry_later(mcp_elicit_call *call,
                                              mcp_elicit_reply **reply,
                                              mcp_elicit_error **err);

/**
 * Finishes the flow with a result: a JSON object as the method wants it, with "content" for a
 * tool, "messages" for a prompt, "contents" for a resource. The reply adds resultType "complete"
 * and, where the engine knows it, who the server is; for a resource ttlMs 0 and cacheScope
 * "private" where the result says nothing else.
 *
 * On success `*reply` is yours: free it with mcp_elicit_reply_free.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains; free it with
 * mcp_elicit_error_free. MCP_ELICIT_QUESTION_OPEN: a question is open; suspend instead.
 * MCP_ELICIT_INVALID_RESULT: `result` is no JSON object, or not of the shape of the method.
 * MCP_ELICIT_FINISHED: the call was finished before.
 *
 * A claim that the call has won is finished with it, through the store: later calls of the flow
 * find MCP_ELICIT_CLAIM_ALREADY, or the result, as the claim options say. Where the store fails
 * now the reply is given all the same, and the log hook hears it ("claim_not_finished").
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_call_complete(mcp_elicit_call *call,
                                           const char *result,
                                           size_t result_len,
                                           mcp_elicit_reply **reply,
                                           mcp_elicit_error **err);

/**
 * Finishes the flow with an error of the application's own: a JSON-RPC code, a message for the
 * peer, and `data` as JSON (may be NULL). An error that the model should read is no such error,
 * but a result with isError (tools, "Error Handling").
 *
 * On success `*reply` is yours: free it with mcp_elicit_reply_free.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains; free it with
 * mcp_elicit_error_free. MCP_ELICIT_INVALID_RESULT: the protocol reserves the code (basic, "Error
 * Codes"), or `data` is not JSON. MCP_ELICIT_FINISHED: the call was finished before.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_call_fail(mcp_elicit_call *call,
                                       int32_t code,
                                       const char *message,
                                       size_t message_len,
                                       const char *data,
                                       size_t data_len,
                                       mcp_elicit_reply **reply,
                                       mcp_elicit_error **err);

/**
 * Finishes a call by the way its handler ended, as `run` does in the other languages: for whoever
 * builds a `run`, or a binding, on this ABI. It cannot finish by accident while a question is
 * open.
 *
 * `ended` is what the handler came to:
 * MCP_ELICIT_OK: a result, `result` as in mcp_elicit_call_complete; while a question is open the
 * reply asks it all the same, and the log hook hears that ("question_left_open").
 * MCP_ELICIT_PENDING: it read an outcome that is pending.
 * Any other: `failure` is the error of this library that it stopped at, or NULL for an exception
 * of the application's own. Where it read a pending outcome before, the reply asks, and the log
 * hook hears that ("suspension_swallowed").
 *
 * `failure` is only read. On success `*reply` is yours: free it with mcp_elicit_reply_free. It is
 * NULL where an exception of the application's own should go on its way.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains: something of the server's
 * own must be mended. What the peer must be told is a reply.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_call_settle(mcp_elicit_call *call,
                                         uint32_t ended,
                                         const char *result,
                                         size_t result_len,
                                         const mcp_elicit_error *failure,
                                         mcp_elicit_reply **reply,
                                         mcp_elicit_error **err);

/**
 * Asks a form question, or gives its outcome when it was answered in an earlier round.
 *
 * `key` names the question; use the same key on every round. `message` says why it is asked.
 * `schema` is a requestedSchema as JSON (see mcp_elicit_schema_check). Lengths are in bytes;
 * MCP_ELICIT_NUL means the text is NUL-terminated. `options` may be NULL.
 *
 * On success `*outcome` is owned by the call and lives as long as it.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains; free it with
 * mcp_elicit_error_free. MCP_ELICIT_SCHEMA: the form cannot be asked. MCP_ELICIT_INVALID_ASK: the
 * key or message cannot be used. MCP_ELICIT_CONFLICT: the key was used for another question in
 * this round.
 *
 * Thread-safety: a call belongs to one thread at a time; an engine to any number.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_call_elicit_form(mcp_elicit_call *call,
                                              const char *key,
                                              size_t key_len,
                                              const char *message,
                                              size_t message_len,
                                              const char *schema,
                                              size_t schema_len,
                                              const mcp_elicit_ask_options *options,
                                              const mcp_elicit_outcome **outcome,
                                              mcp_elicit_error **err);

/**
 * Asks a form question as mcp_elicit_call_elicit_form, with a form that was read before.
 *
 * `form` is only read. The rest, ownership of `*outcome` included, as there.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_call_elicit_compiled_form(mcp_elicit_call *call,
                                                       const char *key,
                                                       size_t key_len,
                                                       const char *message,
                                                       size_t message_len,
                                                       const mcp_elicit_form *form,
                                                       const mcp_elicit_ask_options *options,
                                                       const mcp_elicit_outcome **outcome,
                                                       mcp_elicit_error **err);

/**
 * Asks the person to visit a link, or gives the outcome when the visit was made.
 *
 * `key`, `message` and `options` as in mcp_elicit_call_elicit_form. `url` is an absolute https URL
 * (http for this machine); it counts on the first round alone, and later rounds show the same.
 *
 * `done` is your word whether the visit is done (not 0), from your own records: a client's accept
 * only means that the person agreed to go. Accepted and not done asks again with the very link
 * that was given first. Done without having been asked is accepted with source
 * MCP_ELICIT_SOURCE_GRANT, and needs no capability.
 *
 * On success `*outcome` is owned by the call and lives as long as it.
 *
 * Returns as mcp_elicit_call_elicit_form; MCP_ELICIT_INVALID_ASK also for a link that may not be
 * asked (elicitation, "Safe URL Handling").
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_call_elicit_url(mcp_elicit_call *call,
                                             const char *key,
                                             size_t key_len,
                                             const char *message,
                                             size_t message_len,
                                             const char *url,
                                             size_t url_len,
                                             int done,
                                             const mcp_elicit_ask_options *options,
                                             const mcp_elicit_outcome **outcome,
                                             mcp_elicit_error **err);

/**
 * Asks a question that is given as JSON: an `elicitation/create` request or its `params`, of
 * either mode. `done` counts for a link alone.
 *
 * The rest as in mcp_elicit_call_elicit_form and mcp_elicit_call_elicit_url.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_call_elicit(mcp_elicit_call *call,
                                         const char *key,
                                         size_t key_len,
                                         const char *request,
                                         size_t request_len,
                                         int done,
                                         const mcp_elicit_ask_options *options,
                                         const mcp_elicit_outcome **outcome,
                                         mcp_elicit_error **err);

/**
 * Asks the client's model for a turn, or gives what it said: the action is
 * MCP_ELICIT_ACTION_ANSWER, the content a CreateMessageResult.
 *
 * `params` are the parameters of `sampling/createMessage` as JSON, passed through when they are
 * sound (sampling, "Message Content Constraints"). Parameters with tools need a client that
 * declares `sampling.tools`. Deprecated by the revision, which advises to talk to a model provider
 * directly.
 *
 * `key`, `options` and `*outcome` as in mcp_elicit_call_elicit_form.
 *
 * Returns as mcp_elicit_call_elicit_form. MCP_ELICIT_INVALID_ASK: the parameters cannot be sent;
 * see mcp_elicit_error_fault.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_call_create_message(mcp_elicit_call *call,
                                                 const char *key,
                                                 size_t key_len,
                                                 const char *params,
                                                 size_t params_len,
                                                 const mcp_elicit_ask_options *options,
                                                 const mcp_elicit_outcome **outcome,
                                                 mcp_elicit_error **err);

/**
 * Asks the client for the folders that it works in, or gives them: the action is
 * MCP_ELICIT_ACTION_ANSWER, the content a ListRootsResult. Each `uri` is a file:// URI; do not
 * trust it further. Deprecated by the revision, which advises arguments or configuration.
 *
 * `key`, `options` and `*outcome` as in mcp_elicit_call_elicit_form.
 *
 * Returns as mcp_elicit_call_elicit_form.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_call_list_roots(mcp_elicit_call *call,
                                             const char *key,
                                             size_t key_len,
                                             const mcp_elicit_ask_options *options,
                                             const mcp_elicit_outcome **outcome,
                                             mcp_elicit_error **err);

/**
 * The result that an earlier round, or this one, recorded under `key`; NULL in `*result` if there
 * is none: do the work then, and record what comes out with mcp_elicit_call_record_step.
 *
 * A step is a memo, so that an honest client's later rounds need not repeat the work. It is no
 * promise that the work happens once: a client that presents an older state repeats it.
 *
 * `key_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated. On success `*result` is JSON owned
 * by the call, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_INVALID_ASK:
 * the key cannot be used. MCP_ELICIT_FINISHED: the call was finished before.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_call_step_result(mcp_elicit_call *call,
                                              const char *key,
                                              size_t key_len,
                                              const char **result,
                                              size_t *len,
                                              mcp_elicit_error **err);

/**
 * Records the result of a step, as JSON. What was recorded first under a key stays.
 *
 * Lengths are in bytes; MCP_ELICIT_NUL means NUL-terminated. Both are copied.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 * MCP_ELICIT_INVALID_RESULT: `result` is not JSON. The rest as mcp_elicit_call_step_result.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_call_record_step(mcp_elicit_call *call,
                                              const char *key,
                                              size_t key_len,
                                              const char *result,
                                              size_t result_len,
                                              mcp_elicit_error **err);

/**
 * Data that the application put into the state in an earlier round, or in this one. NULL if there
 * is none, or `call` is NULL.
 *
 * Owned by the call, until mcp_elicit_call_set_app_data changes it. Any bytes, not NUL-terminated;
 * `len` (may be NULL) receives how many.
 */
MCP_ELICIT_MUST_USE
const uint8_t *mcp_elicit_call_app_data(const mcp_elicit_call *call,
                                        size_t *len);

/**
 * Puts data of the application's own into the state, in place of what was there; `data` NULL takes
 * it out. It is sealed like everything else: the client carries every byte and can read none.
 *
 * `len` is in bytes; they are copied.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_LIMIT: it
 * alone is longer than a state may be. MCP_ELICIT_FINISHED: the call was finished before.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_call_set_app_data(mcp_elicit_call *call,
                                               const uint8_t *data,
                                               size_t len,
                                               mcp_elicit_error **err);

/**
 * Options of the usual way, to be changed.
 *
 * They are yours: free them with mcp_elicit_claim_options_free. NULL only after a defect of this
 * library.
 */
MCP_ELICIT_MUST_USE mcp_elicit_claim_options *mcp_elicit_claim_options_new(void);

/**
 * Frees options. NULL is allowed.
 */
void mcp_elicit_claim_options_free(mcp_elicit_claim_options *options);

/**
 * How long another call may be at work before its outcome counts as unknown, in milliseconds.
 * Usually that of mcp_elicit_engine_config_set_claim_wait_ms. Must be below the life of a flow,
 * which mcp_elicit_call_claim checks.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_claim_options_set_wait_ms(mcp_elicit_claim_options *options,
                                                       uint64_t wait_ms,
                                                       mcp_elicit_error **err);

/**
 * Frees the claim of a winner that has not finished after so many milliseconds, so that the next
 * call wins. The effect can then happen more than once (at least once): only for effects that bear
 * it, or whose provider honours the idempotency key. At least 1, which mcp_elicit_call_claim checks.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_claim_options_set_lease_ms(mcp_elicit_claim_options *options,
                                                        uint64_t lease_ms,
                                                        mcp_elicit_error **err);

/**
 * Records the result when the call is completed (`remember` not 0), so that a client that lost the
 * reply gets it again.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_claim_options_set_remember(mcp_elicit_claim_options *options,
                                                        int remember,
                                                        mcp_elicit_error **err);

/**
 * Claims the effect of this flow: the first claim wins, across threads, processes and languages
 * that share a store. Call it just before the effect (mrtr, server requirement 5, warning).
 *
 * `options` may be NULL. `*claimed` is what became of it. Where it is MCP_ELICIT_CLAIM_RECORDED
 * `*result` is the recorded result as JSON, owned by the call, NUL-terminated, for
 * mcp_elicit_call_complete; otherwise NULL. `result` and `result_len`, which receives its length
 * in bytes, may be NULL.
 *
 * Only the state ties the calls of a flow together: a request without one begins a flow of its own
 * each time that it is sent. Claim in a round that came back.
 *
 * Asked again in the same call it gives the same answer, but for MCP_ELICIT_CLAIM_IN_PROGRESS;
 * after an error of the store it asks the store again, and finds what this call may have put
 * there. What has won is finished by mcp_elicit_call_complete,
 * mcp_elicit_call_complete_and_remember or mcp_elicit_call_settle.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_STORE: the
 * store did not answer, or its record does not open; the effect must not be run, and nothing is
 * claimed twice. MCP_ELICIT_CONFIG: the engine has no store. MCP_ELICIT_LIMIT: the flow has passed
 * its deadline. MCP_ELICIT_INVALID_ARGUMENT: the wait of `options` is not below the life of a
 * flow, or the lease is 0. MCP_ELICIT_QUESTION_OPEN: a question is open. MCP_ELICIT_FINISHED: the
 * call was finished before.
 *
 * Thread-safety: one thread a call; different calls of one flow may claim at once. Blocks for one
 * or two operations of the store, each up to its time limit.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_call_claim(mcp_elicit_call *call,
                                        const mcp_elicit_claim_options *options,
                                        mcp_elicit_claim *claimed,
                                        const char **result,
                                        size_t *result_len,
                                        mcp_elicit_error **err);

/**
 * Whether the call has won a claim that is not finished. False if `call` is NULL.
 */
MCP_ELICIT_MUST_USE bool mcp_elicit_call_has_claim(const mcp_elicit_call *call);

/**
 * A name for the effect of this flow: the same in every call of the flow, whoever wins the claim,
 * and of no other flow. For the provider behind it ("idempotency key"). 43 characters of the
 * base64url alphabet; no secret, and does not tell the flow id. NULL if `call` is NULL.
 *
 * Owned by the call, NUL-terminated.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_call_idempotency_key(const mcp_elicit_call *call);

/**
 * Gives the claim back where the effect certainly did not happen, so that a later call can win it.
 * Nothing where this call has none.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_STORE: the
 * store did not answer; the claim stays this call's.
 *
 * Thread-safety: one thread a call. Blocks for one operation of the store, up to its time limit.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_call_release_claim(mcp_elicit_call *call,
                                                mcp_elicit_error **err);

/**
 * As mcp_elicit_call_complete, and records the result of a claimed effect, so that a client that
 * lost this reply gets it again: a later call of the flow finds MCP_ELICIT_CLAIM_RECORDED. The
 * same as mcp_elicit_call_complete where nothing was claimed. A result of more than 16 MiB is not
 * recorded, and the log hook hears it ("result_not_recorded").
 *
 * Returns as mcp_elicit_call_complete.
 *
 * Thread-safety: one thread a call. Blocks for one operation of the store, up to its time limit.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_call_complete_and_remember(mcp_elicit_call *call,
                                                        const char *result,
                                                        size_t result_len,
                                                        mcp_elicit_reply **reply,
                                                        mcp_elicit_error **err);

/**
 * Options of the usual way, to be changed.
 *
 * They are yours: free them with mcp_elicit_ask_options_free. NULL only after a defect of this
 * library.
 */
MCP_ELICIT_MUST_USE mcp_elicit_ask_options *mcp_elicit_ask_options_new(void);

/**
 * Frees options. NULL is allowed.
 */
void mcp_elicit_ask_options_free(mcp_elicit_ask_options *options);

/**
 * Lets a link be `http` to a host other than this machine (`allow` not 0). For development: the
 * protocol wants https (elicitation, "Safe URL Handling").
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_ask_options_set_allow_insecure_http(mcp_elicit_ask_options *options,
                                                                 int allow,
                                                                 mcp_elicit_error **err);

/**
 * Takes an answer that came with the first request, before the question was ever asked (`accept`
 * not 0). Counts only where the request carries no `requestState`. The person may have answered
 * other words than these.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_ask_options_set_accept_unasked(mcp_elicit_ask_options *options,
                                                            int accept,
                                                            mcp_elicit_error **err);

/**
 * What to do where the client cannot be asked this kind of question: `policy` is one of
 * mcp_elicit_policy.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_ask_options_set_unavailable(mcp_elicit_ask_options *options,
                                                         uint32_t policy,
                                                         mcp_elicit_error **err);

/**
 * What to do where the answer is cancel, for hosts without a person that declare elicitation and
 * cancel everything: `policy` is one of mcp_elicit_policy but MCP_ELICIT_POLICY_ERROR. Usually a
 * cancel is a cancel. Defaults that make no valid answer leave the cancel.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_ask_options_set_on_cancel(mcp_elicit_ask_options *options,
                                                       uint32_t policy,
                                                       mcp_elicit_error **err);

/**
 * Names a field of a form that the model may give as argument of the call, under the same name;
 * call it for each. What the model gives and the form accepts is not asked again; what the form
 * does not accept counts as not given.
 *
 * `field_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated. It is copied.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_ask_options_add_argument(mcp_elicit_ask_options *options,
                                                      const char *field,
                                                      size_t field_len,
                                                      mcp_elicit_error **err);

/**
 * Takes nothing but the person's own answer to this question (`only` not 0): no argument, no
 * default, no earlier visit, no answer that was not asked for. The way to guard anything
 * dangerous.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_ask_options_set_human_only(mcp_elicit_ask_options *options,
                                                        int only,
                                                        mcp_elicit_error **err);

/**
 * After an invalid answer asks for the wrong fields alone and keeps the others (`only` not 0).
 * Usually the whole form goes out again, so that it is reviewed together.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_ask_options_set_reask_invalid_only(mcp_elicit_ask_options *options,
                                                                int only,
                                                                mcp_elicit_error **err);

/**
 * The texts that tell a person what was wrong with an answer, for example in their own language:
 * `messages` is a JSON object of keys and texts. Those that it does not name stay English.
 *
 * `messages_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 * MCP_ELICIT_INVALID_ARGUMENT: it is no such object, or names a key that there is not.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_ask_options_set_messages(mcp_elicit_ask_options *options,
                                                      const char *messages,
                                                      size_t messages_len,
                                                      mcp_elicit_error **err);

/**
 * Lets fields of a form look like secrets, such as one called "token_count", for `reason`, which
 * becomes a warning of the form. The protocol forbids a form to ask for a secret (elicitation,
 * "Form Mode Security"): this is for names that only look so. Counts where a schema is read.
 *
 * `reason_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated. It is copied.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_ask_options_set_allow_sensitive_name(mcp_elicit_ask_options *options,
                                                                  const char *reason,
                                                                  size_t reason_len,
                                                                  mcp_elicit_error **err);

/**
 * Whether there is no outcome yet. False if `outcome` is NULL.
 */
MCP_ELICIT_MUST_USE bool mcp_elicit_outcome_is_pending(const mcp_elicit_outcome *outcome);

/**
 * What happened: tells outcomes apart.
 *
 * Returns MCP_ELICIT_OK; MCP_ELICIT_PENDING while the question is open (`*action` is then
 * MCP_ELICIT_ACTION_NONE, `*err` NULL); or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_outcome_action(const mcp_elicit_outcome *outcome,
                                            mcp_elicit_action *action,
                                            mcp_elicit_error **err);

/**
 * The answer of an accepted form, as a JSON object that the form's schema accepts; for a model's
 * turn the CreateMessageResult, for roots the ListRootsResult.
 *
 * `*content` is NULL for a link and for every other action. It is owned by the call and
 * NUL-terminated; `len` (may be NULL) receives its length in bytes.
 *
 * Returns MCP_ELICIT_OK; MCP_ELICIT_PENDING while the question is open; or a status that `*err`
 * (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_outcome_content(const mcp_elicit_outcome *outcome,
                                             const char **content,
                                             size_t *len,
                                             mcp_elicit_error **err);

/**
 * Where the answer came from; MCP_ELICIT_SOURCE_NONE unless it was accepted.
 *
 * Returns MCP_ELICIT_OK; MCP_ELICIT_PENDING while the question is open; or a status that `*err`
 * (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_outcome_source(const mcp_elicit_outcome *outcome,
                                            mcp_elicit_source *source,
                                            mcp_elicit_error **err);

/**
 * Why nobody can be asked: "capability" (the client declared none for this) or "cancelled". NULL
 * unless the action is MCP_ELICIT_ACTION_UNAVAILABLE, and if `outcome` is NULL or pending.
 *
 * Owned by the call, NUL-terminated.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_outcome_reason(const mcp_elicit_outcome *outcome);

/**
 * How many things were wrong with the last answer; 0 unless the action is
 * MCP_ELICIT_ACTION_INVALID.
 *
 * Returns MCP_ELICIT_OK; MCP_ELICIT_PENDING while the question is open; or a status that `*err`
 * (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_outcome_fault_count(const mcp_elicit_outcome *outcome,
                                                 size_t *count,
                                                 mcp_elicit_error **err);

/**
 * The fault at `index`, counted from 0. NULL if there is none, or `outcome` is NULL or pending.
 *
 * Owned by the call.
 */
MCP_ELICIT_MUST_USE
const mcp_elicit_fault *mcp_elicit_outcome_fault(const mcp_elicit_outcome *outcome,
                                                 size_t index);

/**
 * All faults of the last answer as a JSON array of {"path", "rule", "message"}; "[]" unless the
 * action is MCP_ELICIT_ACTION_INVALID.
 *
 * `*faults` is owned by the call and NUL-terminated; `len` (may be NULL) receives its length in
 * bytes.
 *
 * Returns MCP_ELICIT_OK; MCP_ELICIT_PENDING while the question is open; or a status that `*err`
 * (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_outcome_faults(const mcp_elicit_outcome *outcome,
                                            const char **faults,
                                            size_t *len,
                                            mcp_elicit_error **err);

/**
 * Frees a reply and everything that was read from it. NULL is allowed.
 */
void mcp_elicit_reply_free(mcp_elicit_reply *reply);

/**
 * What the reply is. MCP_ELICIT_REPLY_NONE if `reply` is NULL.
 */
MCP_ELICIT_MUST_USE mcp_elicit_kind mcp_elicit_reply_kind(const mcp_elicit_reply *reply);

/**
 * What error the reply tells the peer of, as the status of that error; MCP_ELICIT_OK if it is
 * none, or `reply` is NULL.
 */
MCP_ELICIT_MUST_USE mcp_elicit_status mcp_elicit_reply_error(const mcp_elicit_reply *reply);

/**
 * The body: JSON on one line, without a newline in it or behind it. Over stdio send it and a
 * newline. A whole JSON-RPC response, or the result or error object alone where the call was
 * opened from parameters. NULL if `reply` is NULL.
 *
 * Owned by the reply, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_reply_body(const mcp_elicit_reply *reply, size_t *len);

/**
 * The HTTP status. 0 if `reply` is NULL.
 */
MCP_ELICIT_MUST_USE uint16_t mcp_elicit_reply_http_status(const mcp_elicit_reply *reply);

/**
 * How many HTTP headers belong to the reply. 0 if `reply` is NULL.
 */
MCP_ELICIT_MUST_USE size_t mcp_elicit_reply_header_count(const mcp_elicit_reply *reply);

/**
 * The name of the header at `index`, counted from 0. NULL if there is none, or `reply` is NULL.
 *
 * Owned by the reply, NUL-terminated.
 */
MCP_ELICIT_MUST_USE
const char *mcp_elicit_reply_header_name(const mcp_elicit_reply *reply,
                                         size_t index);

/**
 * The value of the header at `index`, counted from 0. NULL if there is none, or `reply` is NULL.
 *
 * Owned by the reply, NUL-terminated.
 */
MCP_ELICIT_MUST_USE
const char *mcp_elicit_reply_header_value(const mcp_elicit_reply *reply,
                                          size_t index);

/**
 * Checks that a requestedSchema can be asked (elicitation, "Requested Schema"), all of it: the
 * error lists every fault. For tests and for the start of a server; asking checks again.
 *
 * `schema` is JSON, `schema_len` its length in bytes; MCP_ELICIT_NUL means NUL-terminated. Checks
 * with the usual limits and options: mcp_elicit_form_new takes others.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains; free it with
 * mcp_elicit_error_free. MCP_ELICIT_SCHEMA: it cannot be asked; see mcp_elicit_error_fault.
 *
 * Thread-safety: any thread.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_schema_check(const char *schema,
                                          size_t schema_len,
                                          mcp_elicit_error **err);

/**
 * Reads a requestedSchema, for mcp_elicit_call_elicit_compiled_form.
 *
 * `schema` is JSON, `schema_len` its length in bytes; MCP_ELICIT_NUL means NUL-terminated. It is
 * read under the limits of `engine`, or under the usual ones where that is NULL. `options` may be
 * NULL.
 *
 * On success `*form` is yours: free it with mcp_elicit_form_free.
 *
 * Returns as mcp_elicit_schema_check.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_new(const mcp_elicit_engine *engine,
                                      const char *schema,
                                      size_t schema_len,
                                      const mcp_elicit_ask_options *options,
                                      mcp_elicit_form **form,
                                      mcp_elicit_error **err);

/**
 * The schema as hosts are shown it, as JSON without white space between tokens. NULL if `form` is
 * NULL.
 *
 * Owned by the form, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_form_wire(const mcp_elicit_form *form, size_t *len);

/**
 * The schema with the rules that are enforced off the wire, as JSON without white space between
 * tokens. NULL if `form` is NULL.
 *
 * Owned by the form, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_form_source(const mcp_elicit_form *form, size_t *len);

/**
 * Frees a form and everything that was read from it. NULL is allowed. Questions that were asked
 * with it go on.
 */
void mcp_elicit_form_free(mcp_elicit_form *form);

/**
 * How many things about the form are legal and probably not meant. 0 if `form` is NULL.
 */
MCP_ELICIT_MUST_USE size_t mcp_elicit_form_warning_count(const mcp_elicit_form *form);

/**
 * The warning at `index`, counted from 0. NULL if there is none, or `form` is NULL.
 *
 * Owned by the form.
 */
MCP_ELICIT_MUST_USE
const mcp_elicit_fault *mcp_elicit_form_warning(const mcp_elicit_form *form,
                                                size_t index);

/**
 * How many fields the form has. 0 if `form` is NULL.
 */
MCP_ELICIT_MUST_USE size_t mcp_elicit_form_field_count(const mcp_elicit_form *form);

/**
 * The field at `index`, counted from 0, in the order of the schema. NULL if there is none, or
 * `form` is NULL.
 *
 * Owned by the form.
 */
MCP_ELICIT_MUST_USE
const mcp_elicit_field *mcp_elicit_form_field(const mcp_elicit_form *form,
                                              size_t index);

/**
 * The field called `name`. NULL if there is none, `form` is NULL, or `name` is no text: NULL of a
 * length, or not UTF-8.
 *
 * `name_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated. The field is owned by the form.
 */
MCP_ELICIT_MUST_USE
const mcp_elicit_field *mcp_elicit_form_field_named(const mcp_elicit_form *form,
                                                    const char *name,
                                                    size_t name_len);

/**
 * The name: the key in the answer. NULL if `field` is NULL.
 *
 * Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_field_name(const mcp_elicit_field *field, size_t *len);

/**
 * The title. NULL where the schema gives none, or `field` is NULL.
 *
 * Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_field_title(const mcp_elicit_field *field, size_t *len);

/**
 * What a person sees: the title, or the name. NULL if `field` is NULL.
 *
 * Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_field_label(const mcp_elicit_field *field, size_t *len);

/**
 * A sentence that helps to answer. NULL where the schema gives none, or `field` is NULL.
 *
 * Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE
const char *mcp_elicit_field_description(const mcp_elicit_field *field,
                                         size_t *len);

/**
 * What kind of answer the field takes. MCP_ELICIT_FIELD_NONE if `field` is NULL.
 */
MCP_ELICIT_MUST_USE mcp_elicit_field_type mcp_elicit_field_kind(const mcp_elicit_field *field);

/**
 * Whether an answer without the field is incomplete. False if `field` is NULL.
 */
MCP_ELICIT_MUST_USE bool mcp_elicit_field_is_required(const mcp_elicit_field *field);

/**
 * Whether the field looks like a secret and was allowed all the same: see
 * mcp_elicit_ask_options_set_allow_sensitive_name. False if `field` is NULL.
 */
MCP_ELICIT_MUST_USE bool mcp_elicit_field_is_sensitive(const mcp_elicit_field *field);

/**
 * The answer that hosts fill in before a person does, as JSON on one line. NULL where the schema
 * gives none, or `field` is NULL.
 *
 * Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE
const char *mcp_elicit_field_default(const mcp_elicit_field *field,
                                     size_t *len);

/**
 * The fewest characters (code points) of a text. False where the schema does not say, the field is
 * for something else, or `field` is NULL.
 *
 * `characters` (may be NULL) receives the number, or 0 where this returns false.
 */
MCP_ELICIT_MUST_USE
bool mcp_elicit_field_min_length(const mcp_elicit_field *field,
                                 uint64_t *characters);

/**
 * The most characters (code points) of a text. False where the schema does not say, the field is
 * for something else, or `field` is NULL.
 *
 * `characters` (may be NULL) receives the number, or 0 where this returns false.
 */
MCP_ELICIT_MUST_USE
bool mcp_elicit_field_max_length(const mcp_elicit_field *field,
                                 uint64_t *characters);

/**
 * The format of a text, such as "email". NULL where the schema does not say, or `field` is NULL.
 *
 * Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE const char *mcp_elicit_field_format(const mcp_elicit_field *field, size_t *len);

/**
 * How many regular expressions a text must match, all of them. 0 if `field` is NULL.
 */
MCP_ELICIT_MUST_USE size_t mcp_elicit_field_pattern_count(const mcp_elicit_field *field);

/**
 * The regular expression (ECMA-262) at `index`, counted from 0; it stays off the wire and is
 * checked when the answer comes back. NULL if there is none, or `field` is NULL.
 *
 * Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE
const char *mcp_elicit_field_pattern(const mcp_elicit_field *field,
                                     size_t index,
                                     size_t *len);

/**
 * The smallest number, as the schema writes it: JSON, with all its digits. NULL where the schema
 * does not say, or `field` is NULL.
 *
 * Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE
const char *mcp_elicit_field_minimum(const mcp_elicit_field *field,
                                     size_t *len);

/**
 * The greatest number, as the schema writes it: JSON, with all its digits. NULL where the schema
 * does not say, or `field` is NULL.
 *
 * Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE
const char *mcp_elicit_field_maximum(const mcp_elicit_field *field,
                                     size_t *len);

/**
 * The fewest options to choose. False where the schema does not say, the field is for something
 * else, or `field` is NULL.
 *
 * `options` (may be NULL) receives the number, or 0 where this returns false.
 */
MCP_ELICIT_MUST_USE
bool mcp_elicit_field_min_items(const mcp_elicit_field *field,
                                uint64_t *options);

/**
 * The most options to choose. False where the schema does not say, the field is for something
 * else, or `field` is NULL.
 *
 * `options` (may be NULL) receives the number, or 0 where this returns false.
 */
MCP_ELICIT_MUST_USE
bool mcp_elicit_field_max_items(const mcp_elicit_field *field,
                                uint64_t *options);

/**
 * How many options there are to choose from. 0 for a field that is no choice, or if `field` is
 * NULL.
 */
MCP_ELICIT_MUST_USE size_t mcp_elicit_field_choice_count(const mcp_elicit_field *field);

/**
 * The value of the option at `index`, counted from 0: what an answer holds. NULL if there is none,
 * or `field` is NULL.
 *
 * Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE
const char *mcp_elicit_field_choice_value(const mcp_elicit_field *field,
                                          size_t index,
                                          size_t *len);

/**
 * The title of the option at `index`, counted from 0: what a person sees. NULL where the schema
 * gives none and the value is shown, if there is no such option, or `field` is NULL.
 *
 * Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE
const char *mcp_elicit_field_choice_title(const mcp_elicit_field *field,
                                          size_t index,
                                          size_t *len);

/**
 * A builder of a form without fields.
 *
 * It is yours: free it with mcp_elicit_form_builder_free. NULL only after a defect of this
 * library.
 */
MCP_ELICIT_MUST_USE mcp_elicit_form_builder *mcp_elicit_form_builder_new(void);

/**
 * Frees a builder. NULL is allowed. Forms that it built live on.
 */
void mcp_elicit_form_builder_free(mcp_elicit_form_builder *builder);

/**
 * Adds a field for a text.
 *
 * `name` is the key in the answer, `name_len` its length in bytes; MCP_ELICIT_NUL means
 * NUL-terminated. It is copied. An answer must hold the field where `required` is not 0. Two
 * fields of one name are MCP_ELICIT_SCHEMA when the form is built.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains; free it with
 * mcp_elicit_error_free.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_add_string(mcp_elicit_form_builder *builder,
                                                     const char *name,
                                                     size_t name_len,
                                                     int required,
                                                     mcp_elicit_error **err);

/**
 * Adds a field for a whole number.
 *
 * Name and `required` are as in mcp_elicit_form_builder_add_string.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_add_integer(mcp_elicit_form_builder *builder,
                                                      const char *name,
                                                      size_t name_len,
                                                      int required,
                                                      mcp_elicit_error **err);

/**
 * Adds a field for a number.
 *
 * Name and `required` are as in mcp_elicit_form_builder_add_string.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_add_number(mcp_elicit_form_builder *builder,
                                                     const char *name,
                                                     size_t name_len,
                                                     int required,
                                                     mcp_elicit_error **err);

/**
 * Adds a field for true or false.
 *
 * Name and `required` are as in mcp_elicit_form_builder_add_string.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_add_boolean(mcp_elicit_form_builder *builder,
                                                      const char *name,
                                                      size_t name_len,
                                                      int required,
                                                      mcp_elicit_error **err);

/**
 * Adds a field for one of some options: see mcp_elicit_form_builder_add_option.
 *
 * Name and `required` are as in mcp_elicit_form_builder_add_string.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_add_choice(mcp_elicit_form_builder *builder,
                                                     const char *name,
                                                     size_t name_len,
                                                     int required,
                                                     mcp_elicit_error **err);

/**
 * Adds a field for any of some options: see mcp_elicit_form_builder_add_option.
 *
 * Name and `required` are as in mcp_elicit_form_builder_add_string.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_add_choices(mcp_elicit_form_builder *builder,
                                                      const char *name,
                                                      size_t name_len,
                                                      int required,
                                                      mcp_elicit_error **err);

/**
 * What a person sees in place of the name of the field that was added last. Without any field
 * this, like every setter, is MCP_ELICIT_INVALID_ARGUMENT.
 *
 * `title_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated. It is copied.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_set_title(mcp_elicit_form_builder *builder,
                                                    const char *title,
                                                    size_t title_len,
                                                    mcp_elicit_error **err);

/**
 * A sentence that helps to answer the field that was added last.
 *
 * `description_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated. It is copied.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_set_description(mcp_elicit_form_builder *builder,
                                                          const char *description,
                                                          size_t description_len,
                                                          mcp_elicit_error **err);

/**
 * The answer that hosts fill in before a person does, for the field that was added last: JSON, a
 * text, a number, true or false, or a list of texts, as the field takes it.
 *
 * `json_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated. It is copied.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 * MCP_ELICIT_INVALID_ARGUMENT: it is no JSON.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_set_default(mcp_elicit_form_builder *builder,
                                                      const char *json,
                                                      size_t json_len,
                                                      mcp_elicit_error **err);

/**
 * The fewest characters (code points) of the text that was added last.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_set_min_length(mcp_elicit_form_builder *builder,
                                                         uint64_t characters,
                                                         mcp_elicit_error **err);

/**
 * The most characters (code points) of the text that was added last.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_set_max_length(mcp_elicit_form_builder *builder,
                                                         uint64_t characters,
                                                         mcp_elicit_error **err);

/**
 * The format of the text that was added last: "email", "uri", "date" or "date-time". Other formats
 * that can be checked, such as "uuid", stay off the wire and are checked when the answer comes
 * back.
 *
 * `format_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated. It is copied.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_set_format(mcp_elicit_form_builder *builder,
                                                     const char *format,
                                                     size_t format_len,
                                                     mcp_elicit_error **err);

/**
 * What the text that was added last must match: a regular expression of ECMA-262, without looking
 * around or back. Stays off the wire and is checked when the answer comes back.
 *
 * `pattern_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated. It is copied.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_set_pattern(mcp_elicit_form_builder *builder,
                                                      const char *pattern,
                                                      size_t pattern_len,
                                                      mcp_elicit_error **err);

/**
 * The smallest number that the number that was added last may be.
 *
 * `number` is written as in JSON and keeps its digits, `number_len` its length in bytes;
 * MCP_ELICIT_NUL means NUL-terminated.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 * MCP_ELICIT_INVALID_ARGUMENT: it is no number.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_set_minimum(mcp_elicit_form_builder *builder,
                                                      const char *number,
                                                      size_t number_len,
                                                      mcp_elicit_error **err);

/**
 * The greatest number that the number that was added last may be.
 *
 * `number` is written as in JSON and keeps its digits, `number_len` its length in bytes;
 * MCP_ELICIT_NUL means NUL-terminated.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 * MCP_ELICIT_INVALID_ARGUMENT: it is no number.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_set_maximum(mcp_elicit_form_builder *builder,
                                                      const char *number,
                                                      size_t number_len,
                                                      mcp_elicit_error **err);

/**
 * What the number that was added last must be more than. Stays off the wire and is checked when
 * the answer comes back.
 *
 * `number` is written as in JSON and keeps its digits, `number_len` its length in bytes;
 * MCP_ELICIT_NUL means NUL-terminated.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 * MCP_ELICIT_INVALID_ARGUMENT: it is no number.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_set_more_than(mcp_elicit_form_builder *builder,
                                                        const char *number,
                                                        size_t number_len,
                                                        mcp_elicit_error **err);

/**
 * What the number that was added last must be less than. Stays off the wire and is checked when
 * the answer comes back.
 *
 * `number` is written as in JSON and keeps its digits, `number_len` its length in bytes;
 * MCP_ELICIT_NUL means NUL-terminated.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 * MCP_ELICIT_INVALID_ARGUMENT: it is no number.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_set_less_than(mcp_elicit_form_builder *builder,
                                                        const char *number,
                                                        size_t number_len,
                                                        mcp_elicit_error **err);

/**
 * What the number that was added last must be a whole multiple of. Stays off the wire and is
 * checked when the answer comes back.
 *
 * `number` is written as in JSON and keeps its digits, `number_len` its length in bytes;
 * MCP_ELICIT_NUL means NUL-terminated.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 * MCP_ELICIT_INVALID_ARGUMENT: it is no number.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_set_multiple_of(mcp_elicit_form_builder *builder,
                                                          const char *number,
                                                          size_t number_len,
                                                          mcp_elicit_error **err);

/**
 * One more option of the choice that was added last, in the order of the calls.
 *
 * `value` is what an answer holds, `title` what a person sees in its place; `title` may be NULL.
 * Their lengths are in bytes; MCP_ELICIT_NUL means NUL-terminated. They are copied.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_add_option(mcp_elicit_form_builder *builder,
                                                     const char *value,
                                                     size_t value_len,
                                                     const char *title,
                                                     size_t title_len,
                                                     mcp_elicit_error **err);

/**
 * The fewest options to choose of the choices that were added last.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_set_min_items(mcp_elicit_form_builder *builder,
                                                        uint64_t options,
                                                        mcp_elicit_error **err);

/**
 * The most options to choose of the choices that were added last.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_set_max_items(mcp_elicit_form_builder *builder,
                                                        uint64_t options,
                                                        mcp_elicit_error **err);

/**
 * Reads what was built, under the limits of `engine`, or under the usual ones where that is NULL.
 * `options` may be NULL. The builder stays as it is, for more fields and other forms.
 *
 * On success `*form` is yours: free it with mcp_elicit_form_free.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains; free it with
 * mcp_elicit_error_free. MCP_ELICIT_SCHEMA: it cannot be asked, and the error lists every fault;
 * see mcp_elicit_error_fault. A keyword that does not go with its field is one.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_builder_build(const mcp_elicit_form_builder *builder,
                                                const mcp_elicit_engine *engine,
                                                const mcp_elicit_ask_options *options,
                                                mcp_elicit_form **form,
                                                mcp_elicit_error **err);

/**
 * Reads JSON Schema as type libraries print it (Pydantic, Zod, schemars and others) and brings it
 * into the grammar of a form (elicitation, "Requested Schema"). What hosts do not know but can be
 * enforced when the answer comes back is left off the wire; what a form cannot carry is refused.
 *
 * `schema` is JSON, `schema_len` its length in bytes; MCP_ELICIT_NUL means NUL-terminated. It is
 * read under the limits of `engine`, or under the usual ones where that is NULL. `options` may be
 * NULL.
 *
 * On success `*form` is yours: free it with mcp_elicit_form_free. `*report` (if `report` is not
 * NULL) is yours too, also where the schema is refused: a JSON array that says for each keyword
 * `{"path","fate","message"}`, where fate is "wire", "enforced", "dropped" or "refused". Free it
 * with mcp_elicit_text_free.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_SCHEMA: it
 * cannot be asked; see mcp_elicit_error_fault, whose paths are those of `schema`.
 *
 * Thread-safety: any thread.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_normalize(const mcp_elicit_engine *engine,
                                            const char *schema,
                                            size_t schema_len,
                                            const mcp_elicit_ask_options *options,
                                            mcp_elicit_form **form,
                                            mcp_elicit_text **report,
                                            mcp_elicit_error **err);

/**
 * A form as hosts of an older revision of the protocol can be asked it.
 *
 * `revision` is "2025-11-25" or "2025-06-18"; `revision_len` is in bytes, and MCP_ELICIT_NUL means
 * NUL-terminated.
 *
 * On success `*older` is yours: free it with mcp_elicit_form_free. Its wire text is the older
 * revision's; answers are checked as before. `*lost` (if `lost` is not NULL) is yours too, a JSON
 * array as the report of mcp_elicit_form_normalize: what hosts are no longer shown. Free it with
 * mcp_elicit_text_free.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_SCHEMA: the
 * revision cannot carry the form; see mcp_elicit_error_fault. MCP_ELICIT_INVALID_ARGUMENT: NULL, or
 * no such revision.
 *
 * Thread-safety: any thread.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_downgrade(const mcp_elicit_form *form,
                                            const char *revision,
                                            size_t revision_len,
                                            mcp_elicit_form **older,
                                            mcp_elicit_text **lost,
                                            mcp_elicit_error **err);

/**
 * Options of the usual way, to be changed: members that the form does not have are dropped, the
 * messages are English and do not repeat what was answered.
 *
 * They are yours: free them with mcp_elicit_answer_options_free. NULL only after a defect of this
 * library.
 */
MCP_ELICIT_MUST_USE mcp_elicit_answer_options *mcp_elicit_answer_options_new(void);

/**
 * Frees options. NULL is allowed.
 */
void mcp_elicit_answer_options_free(mcp_elicit_answer_options *options);

/**
 * Refuses members that the form does not have (`refuse` true), each a fault of rule
 * "additionalProperties"; usually they are dropped and named by mcp_elicit_answer_dropped.
 *
 * Returns MCP_ELICIT_OK, or MCP_ELICIT_INVALID_ARGUMENT for NULL, which `*err` (if not NULL)
 * explains.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_answer_options_set_refuse_unknown(mcp_elicit_answer_options *options,
                                                               bool refuse,
                                                               mcp_elicit_error **err);

/**
 * Replaces the texts that tell a person what is wrong: `messages` is a JSON object of keys and
 * texts, `messages_len` its length in bytes; MCP_ELICIT_NUL means NUL-terminated. Those that it
 * does not name stay English. `show_values` true adds to each what was answered, which then stands
 * wherever the message goes.
 *
 * Returns MCP_ELICIT_OK, or MCP_ELICIT_INVALID_ARGUMENT, which `*err` (if not NULL) explains: it
 * is no such object, or names an unknown key.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_answer_options_set_messages(mcp_elicit_answer_options *options,
                                                         const char *messages,
                                                         size_t messages_len,
                                                         bool show_values,
                                                         mcp_elicit_error **err);

/**
 * Checks an answer by every rule of its form, those that are enforced off the wire included
 * (elicitation, "Form Mode Security": servers validate what comes back). Nothing is converted and
 * nothing filled in: an absent required field is a fault also where it has a default.
 *
 * `content` is a JSON object, `content_len` its length in bytes; MCP_ELICIT_NUL means
 * NUL-terminated. `options` may be NULL.
 *
 * On success `*answer` is yours, also where there are faults: free it with mcp_elicit_answer_free.
 *
 * Returns MCP_ELICIT_OK, or MCP_ELICIT_INVALID_ARGUMENT, which `*err` (if not NULL) explains:
 * NULL, or no JSON.
 *
 * Thread-safety: any thread.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_validate(const mcp_elicit_form *form,
                                           const char *content,
                                           size_t content_len,
                                           const mcp_elicit_answer_options *options,
                                           mcp_elicit_answer **answer,
                                           mcp_elicit_error **err);

/**
 * Reads a text as a person types it into one field: a number, one of the usual words for yes and
 * no, a choice by its value or title, several choices with commas between. Never a prefix of a
 * number, never an infinity. For hosts and terminals; an answer of a client is never converted.
 *
 * `name` is the field's; lengths are in bytes, and MCP_ELICIT_NUL means NUL-terminated. `options`
 * may be NULL.
 *
 * On success `*answer` is yours: free it with mcp_elicit_answer_free. Its content is the value as
 * JSON; without content and without faults the text was empty and the field is absent.
 *
 * Returns MCP_ELICIT_OK, or MCP_ELICIT_INVALID_ARGUMENT, which `*err` (if not NULL) explains:
 * NULL, or the form has no such field.
 *
 * Thread-safety: any thread.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_coerce(const mcp_elicit_form *form,
                                         const char *name,
                                         size_t name_len,
                                         const char *typed,
                                         size_t typed_len,
                                         const mcp_elicit_answer_options *options,
                                         mcp_elicit_answer **answer,
                                         mcp_elicit_error **err);

/**
 * The text that mcp_elicit_form_coerce reads as `value` for a field: to show a default, for
 * example. `value` is JSON; lengths are in bytes, and MCP_ELICIT_NUL means NUL-terminated.
 *
 * On success `*printed` is yours, NULL where the value is of another type than the field's: free
 * it with mcp_elicit_text_free.
 *
 * Returns as mcp_elicit_form_coerce; also MCP_ELICIT_INVALID_ARGUMENT where `value` is no JSON.
 *
 * Thread-safety: any thread.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_print(const mcp_elicit_form *form,
                                        const char *name,
                                        size_t name_len,
                                        const char *value,
                                        size_t value_len,
                                        mcp_elicit_text **printed,
                                        mcp_elicit_error **err);

/**
 * An answer with the form's defaults where it has nothing: on the side of a host, never of a
 * server, since an empty accept is no consent. Nothing is invented, and nothing checked.
 *
 * `content` is a JSON object or null, `content_len` its length in bytes; MCP_ELICIT_NUL means
 * NUL-terminated.
 *
 * On success `*filled` is yours, JSON: free it with mcp_elicit_text_free.
 *
 * Returns MCP_ELICIT_OK, or MCP_ELICIT_INVALID_ARGUMENT, which `*err` (if not NULL) explains.
 *
 * Thread-safety: any thread.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_with_defaults(const mcp_elicit_form *form,
                                                const char *content,
                                                size_t content_len,
                                                mcp_elicit_text **filled,
                                                mcp_elicit_error **err);

/**
 * An answer as the type behind a normalized form reads it: with null under each absent field that
 * the type requires and lets be null. The form itself has no null.
 *
 * Takes and returns as mcp_elicit_form_with_defaults.
 *
 * Thread-safety: any thread.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_for_type(const mcp_elicit_form *form,
                                           const char *content,
                                           size_t content_len,
                                           mcp_elicit_text **typed,
                                           mcp_elicit_error **err);

/**
 * The wire text to ask a form again after an answer had faults: what was answered well becomes the
 * default, so that a person reviews all of it together. A truth value, and what may be a secret,
 * is left without. A call does this by itself; this is for those who ask without one.
 *
 * `answer` is a JSON object, or null where there was none. `fields` is a JSON array of the names of those to ask, or NULL for
 * all. Lengths are in bytes; MCP_ELICIT_NUL means NUL-terminated.
 *
 * On success `*wire` is yours: free it with mcp_elicit_text_free.
 *
 * Returns MCP_ELICIT_OK, or MCP_ELICIT_INVALID_ARGUMENT, which `*err` (if not NULL) explains.
 *
 * Thread-safety: any thread.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_form_wire_again(const mcp_elicit_form *form,
                                             const char *answer,
                                             size_t answer_len,
                                             const char *fields,
                                             size_t fields_len,
                                             mcp_elicit_text **wire,
                                             mcp_elicit_error **err);

/**
 * The content that counts, as JSON without white space between tokens. NULL where there are
 * faults, where the field is absent, or `answer` is NULL.
 *
 * Owned by the answer, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE
const char *mcp_elicit_answer_content(const mcp_elicit_answer *answer,
                                      size_t *len);

/**
 * The names of members that the form does not have and that were dropped, as a JSON array; no more
 * than 200. NULL if `answer` is NULL.
 *
 * Owned by the answer, NUL-terminated; `len` (may be NULL) receives its length in bytes.
 */
MCP_ELICIT_MUST_USE
const char *mcp_elicit_answer_dropped(const mcp_elicit_answer *answer,
                                      size_t *len);

/**
 * How many faults the answer has; it counts where there are none. 0 if `answer` is NULL.
 */
MCP_ELICIT_MUST_USE size_t mcp_elicit_answer_fault_count(const mcp_elicit_answer *answer);

/**
 * The fault at `index`, counted from 0. NULL if there is none, or `answer` is NULL.
 *
 * Owned by the answer.
 */
MCP_ELICIT_MUST_USE
const mcp_elicit_fault *mcp_elicit_answer_fault(const mcp_elicit_answer *answer,
                                                size_t index);

/**
 * Frees an answer and everything that was read from it. NULL is allowed.
 */
void mcp_elicit_answer_free(mcp_elicit_answer *answer);

/**
 * Makes a key from the system's randomness, as text for MCP_ELICIT_KEYS or
 * mcp_elicit_engine_config_set_keys: 64 hex digits.
 *
 * Writes the text and a NUL to `out`, which has room for `out_size` bytes, MCP_ELICIT_KEY_SIZE or
 * more. What was written is a secret: wipe it when you are done.
 *
 * Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
 * MCP_ELICIT_INVALID_ARGUMENT: there is less room. MCP_ELICIT_INTERNAL: the system gave no
 * randomness.
 *
 * Thread-safety: any thread.
 */
MCP_ELICIT_MUST_USE
mcp_elicit_status mcp_elicit_keygen(char *out,
                                    size_t out_size,
                                    mcp_elicit_error **err);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MCP_ELICIT_H */
