/*
 * Forms: the vectors of tests/vectors/schema-*.json, which every language runs.
 *
 *     test_forms FOLDER
 */
#include "check.h"
#include "vectors.h"
#include "world.h"

#include <stdlib.h>

/* The text of a value under `name`, or under `name` and "Text"; NULL where there is neither. */
static char *text_of(const cJSON *json, const char *name)
{
    char longer[64];
    snprintf(longer, sizeof longer, "%sText", name);
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, name);
    if (value)
        return exact(value);
    return member(json, longer) ? strdup(member(json, longer)) : NULL;
}

typedef const mcp_elicit_fault *(*fault_at)(const void *owner, size_t index);

static const mcp_elicit_fault *error_fault(const void *owner, size_t index)
{
    return mcp_elicit_error_fault(owner, index);
}

static const mcp_elicit_fault *form_warning(const void *owner, size_t index)
{
    return mcp_elicit_form_warning(owner, index);
}

static const mcp_elicit_fault *outcome_fault(const void *owner, size_t index)
{
    return mcp_elicit_outcome_fault(owner, index);
}

/* All faults, in their order, each with a message. */
static void check_faults(const cJSON *expected, const void *owner, fault_at at)
{
    const cJSON *each;
    size_t index = 0;
    cJSON_ArrayForEach(each, expected)
    {
        const mcp_elicit_fault *fault = at(owner, index++);
        CHECK_TEXT(mcp_elicit_fault_path(fault, NULL), member(each, "path"));
        CHECK_TEXT(mcp_elicit_fault_rule(fault), member(each, "rule"));
        CHECK(fault && *mcp_elicit_fault_message(fault, NULL));
    }
    CHECK(at(owner, index) == NULL);
}

static mcp_elicit_engine *engine_for_forms(const cJSON *limits)
{
    mcp_elicit_engine *engine = NULL;
    mcp_elicit_engine_config *config = mcp_elicit_engine_config_new();
    const cJSON *properties = cJSON_GetObjectItemCaseSensitive(limits, "properties");
    const cJSON *choices = cJSON_GetObjectItemCaseSensitive(limits, "options");
    CHECK(!mcp_elicit_engine_config_set_keys(config, KEY, NUL, NULL));
    CHECK(!mcp_elicit_engine_config_set_audience(config, "vectors", NUL, NULL));
    CHECK(!mcp_elicit_engine_config_set_reasks(config, 0, NULL));
    if (properties)
        CHECK(!mcp_elicit_engine_config_set_schema_properties(config, (uint64_t)properties->valuedouble, NULL));
    if (choices)
        CHECK(!mcp_elicit_engine_config_set_schema_options(config, (uint64_t)choices->valuedouble, NULL));
    CHECK(!mcp_elicit_engine_new(config, &engine, NULL));
    mcp_elicit_engine_config_free(config);
    return engine;
}

/* The form of a case under its limits and options; NULL where it is refused as the case says.
   Normalized, and then with a report, where there is a place for one. */
static mcp_elicit_form *form_of(const cJSON *test, mcp_elicit_engine *engine, mcp_elicit_text **report)
{
    mcp_elicit_form *form = NULL;
    mcp_elicit_error *err = NULL;
    mcp_elicit_status status;
    mcp_elicit_ask_options *options = mcp_elicit_ask_options_new();
    const char *reason = member(test, "allowSensitiveName");
    const cJSON *faults = cJSON_GetObjectItemCaseSensitive(test, "faults");
    char *schema = text_of(test, "schema");
    if (reason)
        CHECK(!mcp_elicit_ask_options_set_allow_sensitive_name(options, reason, NUL, NULL));
    if (report)
        status = mcp_elicit_form_normalize(engine, schema, NUL, options, &form, report, &err);
    else
        status = mcp_elicit_form_new(engine, schema, NUL, options, &form, &err);
    CHECK_NUMBER(status, faults ? MCP_ELICIT_SCHEMA : MCP_ELICIT_OK);
    if (faults)
        check_faults(faults, err, error_fault);
    else if (err)
        fprintf(stderr, "  %s\n", mcp_elicit_error_message(err, NULL));
    mcp_elicit_error_free(err);
    mcp_elicit_ask_options_free(options);
    free(schema);
    return form;
}

static mcp_elicit_call *call_of(const mcp_elicit_engine *engine, const char *request)
{
    mcp_elicit_call *call = NULL;
    mcp_elicit_caller *caller = mcp_elicit_caller_new_single_user();
    CHECK_NUMBER(mcp_elicit_engine_open(engine, request, NUL, caller, &call, NULL), MCP_ELICIT_OK);
    mcp_elicit_caller_free(caller);
    return call;
}

static const mcp_elicit_outcome *ask_form(mcp_elicit_call *call, const mcp_elicit_form *form)
{
    const mcp_elicit_outcome *outcome = NULL;
    CHECK_NUMBER(mcp_elicit_call_elicit_compiled_form(call, "k", NUL, "m", NUL, form, NULL, &outcome, NULL),
                 MCP_ELICIT_OK);
    return outcome;
}

static mcp_elicit_reply *suspend(mcp_elicit_call *call)
{
    mcp_elicit_reply *reply = NULL;
    CHECK_NUMBER(mcp_elicit_call_suspend(call, &reply, NULL), MCP_ELICIT_OK);
    mcp_elicit_call_free(call);
    return reply;
}

static void schema_parse(void)
{
    cJSON *json = vectors("schema-parse.json");
    const cJSON *test, *cases = cJSON_GetObjectItemCaseSensitive(json, "cases");
    CHECK(cJSON_GetArraySize(cases) > 10);
    cJSON_ArrayForEach(test, cases)
    {
        about = member(test, "name");
        mcp_elicit_engine *engine = engine_for_forms(cJSON_GetObjectItemCaseSensitive(test, "limits"));
        mcp_elicit_form *form = form_of(test, engine, NULL);
        if (form) {
            check_faults(cJSON_GetObjectItemCaseSensitive(test, "warnings"), form, form_warning);
            /* The wire text is seen on the wire. */
            mcp_elicit_call *call = call_of(engine, REQUEST("1", BOTH, ""));
            ask_form(call, form);
            mcp_elicit_reply *reply = suspend(call);
            size_t len = 0;
            const char *wire = raw(mcp_elicit_reply_body(reply, NULL), &len,
                                   "/result/inputRequests/k/params/requestedSchema");
            char *expected = text_of(test, "schema");
            const char *other = member(test, "wire");
            CHECK(wire && len == strlen(other ? other : expected) &&
                  strncmp(wire, other ? other : expected, len) == 0);
            free(expected);
            mcp_elicit_reply_free(reply);
        }
        mcp_elicit_form_free(form);
        mcp_elicit_engine_free(engine);
    }
    vectors_done();
}

static void schema_validate(void)
{
    cJSON *json = vectors("schema-validate.json");
    const cJSON *test, *answer, *cases = cJSON_GetObjectItemCaseSensitive(json, "cases");
    mcp_elicit_engine *engine = engine_for_forms(NULL);
    CHECK(cJSON_GetArraySize(cases) > 5);
    cJSON_ArrayForEach(test, cases)
    {
        about = member(test, "name");
        mcp_elicit_form *form = form_of(test, engine, NULL);
        cJSON_ArrayForEach(answer, cJSON_GetObjectItemCaseSensitive(test, "answers"))
        {
            const char *unknown = member(answer, "unknown");
            char *content = text_of(answer, "content"), *kept = text_of(answer, "kept");
            /* In a call what nobody asked for is dropped, and content that is no object refused when
               the call is opened: these cases are for languages that validate without a call. */
            if (!form || (unknown && strcmp(unknown, "drop") != 0) || *content != '{') {
                free(content);
                free(kept);
                continue;
            }
            mcp_elicit_call *call = call_of(engine, REQUEST("1", BOTH, ""));
            ask_form(call, form);
            mcp_elicit_reply *reply = suspend(call);
            size_t len = 0;
            const char *state = raw(mcp_elicit_reply_body(reply, NULL), &len, "/result/requestState");
            char *request = malloc(len + strlen(content) + 600);
            sprintf(request, REQUEST("2", BOTH, ",\"requestState\":%.*s,\"inputResponses\":{\"k\":"
                                                "{\"action\":\"accept\",\"content\":%s}}"),
                    (int)len, state, content);
            mcp_elicit_reply_free(reply);
            call = call_of(engine, request);
            const mcp_elicit_outcome *outcome = ask_form(call, form);
            const cJSON *faults = cJSON_GetObjectItemCaseSensitive(answer, "faults");
            mcp_elicit_action action = MCP_ELICIT_ACTION_NONE;
            CHECK_NUMBER(mcp_elicit_outcome_action(outcome, &action, NULL), MCP_ELICIT_OK);
            CHECK_NUMBER(action, faults ? MCP_ELICIT_ACTION_INVALID : MCP_ELICIT_ACTION_ACCEPT);
            check_faults(faults, outcome, outcome_fault);
            const char *text = NULL;
            CHECK_NUMBER(mcp_elicit_outcome_content(outcome, &text, &len, NULL), MCP_ELICIT_OK);
            check_json(text, len, kept, "kept");
            mcp_elicit_call_free(call);
            free(request);
            free(content);
            free(kept);
        }
        mcp_elicit_form_free(form);
    }
    mcp_elicit_engine_free(engine);
    vectors_done();
}

static const mcp_elicit_fault *answer_fault(const void *owner, size_t index)
{
    return mcp_elicit_answer_fault(owner, index);
}

/* Whether JSON is, to the letter, what a vector has under `name`. */
static void check_value(const char *seen, const cJSON *test, const char *name)
{
    char *expected = text_of(test, name);
    CHECK_TEXT(seen, expected);
    free(expected);
}

/* The strings of a list as one text, sorted or as they stand. */
static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static char *joined(const char **texts, size_t count, bool sorted)
{
    size_t len = 1;
    if (sorted && count)
        qsort(texts, count, sizeof *texts, by_text);
    for (size_t at = 0; at < count; at++)
        len += strlen(texts[at]) + 1;
    char *all = calloc(len, 1);
    for (size_t at = 0; at < count; at++)
        strcat(strcat(all, texts[at]), "\n");
    return all;
}

/* The paths of the notes of one fate (of any where it is NULL) are those that a vector lists. */
static void check_notes(const mcp_elicit_text *report, const char *fate, const cJSON *expected)
{
    const char *seen[512], *wanted[512];
    size_t seen_count = 0, wanted_count = 0;
    cJSON *notes = cJSON_Parse(mcp_elicit_text_data(report, NULL));
    const cJSON *each;
    CHECK(cJSON_IsArray(notes));
    cJSON_ArrayForEach(each, notes)
    {
        const char *path = member(each, "path");
        CHECK(path && (!*path || *path == '/') && member(each, "fate") && member(each, "message"));
        if ((!fate || strcmp(member(each, "fate"), fate) == 0) && seen_count < 512)
            seen[seen_count++] = path;
    }
    cJSON_ArrayForEach(each, expected)
    {
        if (wanted_count < 512)
            wanted[wanted_count++] = cJSON_IsString(each) ? each->valuestring : member(each, "path");
    }
    char *left = joined(seen, seen_count, fate != NULL), *right = joined(wanted, wanted_count, fate != NULL);
    CHECK_TEXT(left, right);
    free(left);
    free(right);
    cJSON_Delete(notes);
}

/* One answer of a case, without a call. */
static void check_answer(const mcp_elicit_form *form, const cJSON *test)
{
    mcp_elicit_answer *answer = NULL;
    mcp_elicit_answer_options *options = mcp_elicit_answer_options_new();
    const char *unknown = member(test, "unknown");
    const cJSON *faults = cJSON_GetObjectItemCaseSensitive(test, "faults");
    const cJSON *dropped = cJSON_GetObjectItemCaseSensitive(test, "dropped");
    char *content = text_of(test, "content");
    bool refuse = unknown && strcmp(unknown, "refuse") == 0;
    CHECK(!mcp_elicit_answer_options_set_refuse_unknown(options, refuse, NULL));
    CHECK_NUMBER(mcp_elicit_form_validate(form, content, NUL, refuse ? options : NULL, &answer, NULL),
                 MCP_ELICIT_OK);
    check_faults(faults, answer, answer_fault);
    CHECK_NUMBER(mcp_elicit_answer_fault_count(answer), cJSON_GetArraySize(faults));
    if (faults) {
        CHECK(mcp_elicit_answer_content(answer, NULL) == NULL);
    } else {
        size_t len = 0;
        const char *kept = mcp_elicit_answer_content(answer, &len);
        CHECK(kept && len == strlen(kept));
        check_value(kept, test, "kept");
        char *names = dropped ? exact(dropped) : strdup("[]");
        CHECK_TEXT(mcp_elicit_answer_dropped(answer, NULL), names);
        free(names);
    }
    mcp_elicit_answer_free(answer);
    mcp_elicit_answer_options_free(options);
    free(content);
}

static void normalized(const char *file)
{
    cJSON *json = vectors(file);
    const cJSON *test, *answer, *cases = cJSON_GetObjectItemCaseSensitive(json, "cases");
    CHECK(cJSON_GetArraySize(cases) > 5);
    cJSON_ArrayForEach(test, cases)
    {
        about = member(test, "name");
        mcp_elicit_engine *engine = engine_for_forms(cJSON_GetObjectItemCaseSensitive(test, "limits"));
        mcp_elicit_text *report = NULL, *typed = NULL;
        mcp_elicit_form *form = form_of(test, engine, &report), *again = NULL;
        const cJSON *faults = cJSON_GetObjectItemCaseSensitive(test, "faults");
        const cJSON *nulls = cJSON_GetObjectItemCaseSensitive(test, "nulls");
        if (form) {
            check_value(mcp_elicit_form_wire(form, NULL), test, "wire");
            static const char *const fates[] = {"enforced", "dropped"};
            for (int at = 0; at < 2; at++) {
                const cJSON *paths = cJSON_GetObjectItemCaseSensitive(test, fates[at]);
                if (paths)
                    check_notes(report, fates[at], paths);
            }
            /* What was normalized is normal. */
            CHECK(!mcp_elicit_form_normalize(engine, mcp_elicit_form_source(form, NULL), NUL, NULL, &again, NULL, NULL) ||
                  member(test, "allowSensitiveName"));
            if (again)
                CHECK_TEXT(mcp_elicit_form_source(again, NULL), mcp_elicit_form_source(form, NULL));
            cJSON_ArrayForEach(answer, cJSON_GetObjectItemCaseSensitive(test, "answers"))
                check_answer(form, answer);
        } else {
            check_notes(report, "refused", faults);
        }
        if (form && nulls) {
            char *content = text_of(nulls, "content");
            CHECK_NUMBER(mcp_elicit_form_for_type(form, content, NUL, &typed, NULL), MCP_ELICIT_OK);
            check_value(mcp_elicit_text_data(typed, NULL), nulls, "forType");
            free(content);
        }
        mcp_elicit_text_free(typed);
        mcp_elicit_text_free(report);
        mcp_elicit_form_free(again);
        mcp_elicit_form_free(form);
        mcp_elicit_engine_free(engine);
    }
    vectors_done();
}

static void schema_normalize(void)
{
    normalized("schema-normalize.json");
}

static void schema_printed(void)
{
    normalized("schema-printed.json");
}

/* One text, typed into the field; what it gave is printed and typed again. */
static void check_typed(const mcp_elicit_form *form, const cJSON *test)
{
    mcp_elicit_answer *answer = NULL, *again = NULL;
    mcp_elicit_text *printed = NULL;
    const char *rule = member(test, "rule"), *path = member(test, "path");
    char *text_as_json = text_of(test, "text");
    bool cut_short = strstr(text_as_json, "\\u0000") != NULL; /* where cJSON ends it; see nonsense */
    free(text_as_json);
    if (cut_short)
        return;
    CHECK_NUMBER(mcp_elicit_form_coerce(form, "f", NUL, member(test, "text"), NUL, NULL, &answer, NULL),
                 MCP_ELICIT_OK);
    const char *value = mcp_elicit_answer_content(answer, NULL);
    CHECK_NUMBER(mcp_elicit_answer_fault_count(answer), rule ? 1 : 0);
    if (rule) {
        const mcp_elicit_fault *fault = mcp_elicit_answer_fault(answer, 0);
        CHECK_TEXT(mcp_elicit_fault_rule(fault), rule);
        CHECK_TEXT(mcp_elicit_fault_path(fault, NULL), path ? path : "/f");
        CHECK(fault && *mcp_elicit_fault_message(fault, NULL));
    } else if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(test, "absent"))) {
        CHECK(value == NULL);
    } else {
        check_value(value, test, "value");
        CHECK_NUMBER(mcp_elicit_form_print(form, "f", NUL, value, NUL, &printed, NULL), MCP_ELICIT_OK);
        const char *text = mcp_elicit_text_data(printed, NULL);
        CHECK_NUMBER(mcp_elicit_form_coerce(form, "f", NUL, text, NUL, NULL, &again, NULL), MCP_ELICIT_OK);
        CHECK_TEXT(mcp_elicit_answer_content(again, NULL), value);
    }
    mcp_elicit_text_free(printed);
    mcp_elicit_answer_free(again);
    mcp_elicit_answer_free(answer);
}

static void schema_coerce(void)
{
    cJSON *json = vectors("schema-coerce.json");
    const cJSON *test, *typed, *cases = cJSON_GetObjectItemCaseSensitive(json, "cases");
    CHECK(cJSON_GetArraySize(cases) > 5);
    cJSON_ArrayForEach(test, cases)
    {
        about = member(test, "name");
        mcp_elicit_form *form = NULL;
        char *field = text_of(test, "field");
        char *schema = malloc(strlen(field) + 64);
        sprintf(schema, "{\"type\":\"object\",\"properties\":{\"f\":%s}}", field);
        CHECK_NUMBER(mcp_elicit_form_new(NULL, schema, NUL, NULL, &form, NULL), MCP_ELICIT_OK);
        cJSON_ArrayForEach(typed, cJSON_GetObjectItemCaseSensitive(test, "texts"))
            check_typed(form, typed);
        mcp_elicit_form_free(form);
        free(schema);
        free(field);
    }
    vectors_done();
}

static void schema_defaults(void)
{
    cJSON *json = vectors("schema-defaults.json");
    const cJSON *test, *each, *cases = cJSON_GetObjectItemCaseSensitive(json, "cases");
    mcp_elicit_engine *engine = engine_for_forms(NULL);
    CHECK(cJSON_GetArraySize(cases) > 3);
    cJSON_ArrayForEach(test, cases)
    {
        about = member(test, "name");
        mcp_elicit_form *form = form_of(test, engine, NULL);
        cJSON_ArrayForEach(each, cJSON_GetObjectItemCaseSensitive(test, "filled"))
        {
            mcp_elicit_text *filled = NULL;
            char *content = text_of(each, "content");
            CHECK_NUMBER(mcp_elicit_form_with_defaults(form, content, NUL, &filled, NULL), MCP_ELICIT_OK);
            check_value(mcp_elicit_text_data(filled, NULL), each, "result");
            mcp_elicit_text_free(filled);
            free(content);
        }
        cJSON_ArrayForEach(each, cJSON_GetObjectItemCaseSensitive(test, "again"))
        {
            mcp_elicit_text *wire = NULL;
            char *answer = text_of(each, "answer"), *only = text_of(each, "only");
            CHECK_NUMBER(mcp_elicit_form_wire_again(form, answer, NUL, only, only ? NUL : 0, &wire, NULL),
                         MCP_ELICIT_OK);
            check_value(mcp_elicit_text_data(wire, NULL), each, "wire");
            mcp_elicit_text_free(wire);
            free(answer);
            free(only);
        }
        mcp_elicit_form_free(form);
    }
    mcp_elicit_engine_free(engine);
    vectors_done();
}

static void schema_downgrade(void)
{
    cJSON *json = vectors("schema-downgrade.json");
    const cJSON *test, *answer, *cases = cJSON_GetObjectItemCaseSensitive(json, "cases");
    CHECK(cJSON_GetArraySize(cases) > 3);
    cJSON_ArrayForEach(test, cases)
    {
        about = member(test, "name");
        mcp_elicit_form *form = NULL, *older = NULL;
        mcp_elicit_text *lost = NULL;
        mcp_elicit_error *err = NULL;
        const cJSON *faults = cJSON_GetObjectItemCaseSensitive(test, "faults");
        char *schema = text_of(test, "schema");
        if (cJSON_GetObjectItemCaseSensitive(test, "normalize"))
            CHECK(!mcp_elicit_form_normalize(NULL, schema, NUL, NULL, &form, NULL, NULL));
        else
            CHECK(!mcp_elicit_form_new(NULL, schema, NUL, NULL, &form, NULL));
        CHECK_NUMBER(mcp_elicit_form_downgrade(form, member(test, "revision"), NUL, &older, &lost, &err),
                     faults ? MCP_ELICIT_SCHEMA : MCP_ELICIT_OK);
        if (faults) {
            check_faults(faults, err, error_fault);
            CHECK(older == NULL && lost == NULL);
        } else {
            check_value(mcp_elicit_form_wire(older, NULL), test, "wire");
            check_notes(lost, NULL, cJSON_GetObjectItemCaseSensitive(test, "lost"));
            cJSON_ArrayForEach(answer, cJSON_GetObjectItemCaseSensitive(test, "answers"))
                check_answer(older, answer);
        }
        mcp_elicit_error_free(err);
        mcp_elicit_text_free(lost);
        mcp_elicit_form_free(older);
        mcp_elicit_form_free(form);
        free(schema);
    }
    vectors_done();
}

/* Every answer of schema-validate.json again, without a call: also what no call can be given. */
static void schema_validate_alone(void)
{
    cJSON *json = vectors("schema-validate.json");
    const cJSON *test, *answer, *cases = cJSON_GetObjectItemCaseSensitive(json, "cases");
    mcp_elicit_engine *engine = engine_for_forms(NULL);
    cJSON_ArrayForEach(test, cases)
    {
        about = member(test, "name");
        mcp_elicit_form *form = form_of(test, engine, NULL);
        cJSON_ArrayForEach(answer, cJSON_GetObjectItemCaseSensitive(test, "answers"))
            check_answer(form, answer);
        mcp_elicit_form_free(form);
    }
    mcp_elicit_engine_free(engine);
    vectors_done();
}

/* --- what no vector says ------------------------------------------------------------------- */

#define AGE "{\"type\":\"object\",\"properties\":{\"age\":{\"type\":\"integer\",\"title\":\"Age\",\"minimum\":18}}}"

static void messages_and_values(void)
{
    mcp_elicit_form *form = NULL;
    mcp_elicit_answer *answer = NULL;
    mcp_elicit_answer_options *options = mcp_elicit_answer_options_new();
    CHECK(!mcp_elicit_form_new(NULL, AGE, NUL, NULL, &form, NULL));
    CHECK(!mcp_elicit_form_validate(form, "{\"age\":7}", NUL, NULL, &answer, NULL));
    CHECK(strchr(mcp_elicit_fault_message(mcp_elicit_answer_fault(answer, 0), NULL), '7') == NULL);
    mcp_elicit_answer_free(answer);
    CHECK(!mcp_elicit_answer_options_set_messages(options, "{\"minimum\":\"{field}: ab {limit}.\"}", NUL, true, NULL));
    CHECK(!mcp_elicit_form_validate(form, "{\"age\":7}", NUL, options, &answer, NULL));
    CHECK_TEXT(mcp_elicit_fault_message(mcp_elicit_answer_fault(answer, 0), NULL), "Age: ab 18. Given: 7.");
    mcp_elicit_answer_free(answer);
    CHECK(!mcp_elicit_form_coerce(form, "age", NUL, "7", NUL, options, &answer, NULL));
    CHECK_TEXT(mcp_elicit_fault_message(mcp_elicit_answer_fault(answer, 0), NULL), "Age: ab 18. Given: 7.");
    mcp_elicit_answer_free(answer);
    CHECK_NUMBER(mcp_elicit_answer_options_set_messages(options, "{\"none\":\"x\"}", NUL, false, NULL),
                 MCP_ELICIT_INVALID_ARGUMENT);
    mcp_elicit_answer_options_free(options);
    mcp_elicit_form_free(form);
}

static void nonsense(void)
{
    mcp_elicit_form *form = NULL, *other = (mcp_elicit_form *)1;
    mcp_elicit_answer *answer = (mcp_elicit_answer *)1;
    mcp_elicit_text *text = (mcp_elicit_text *)1;
    CHECK(!mcp_elicit_form_new(NULL, AGE, NUL, NULL, &form, NULL));
    CHECK_NUMBER(mcp_elicit_form_validate(form, "{", NUL, NULL, &answer, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK(answer == NULL);
    CHECK_NUMBER(mcp_elicit_form_coerce(form, "none", NUL, "7", NUL, NULL, &answer, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_form_print(form, "none", NUL, "7", NUL, &text, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK(text == NULL);
    CHECK(!mcp_elicit_form_print(form, "age", NUL, "\"7\"", NUL, &text, NULL));
    CHECK(text == NULL); /* of another type */
    CHECK_NUMBER(mcp_elicit_form_with_defaults(form, "[]", NUL, &text, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_form_for_type(form, "", 0, &text, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_form_wire_again(form, "{}", NUL, "[1]", NUL, &text, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_form_wire_again(form, "{}", NUL, "{}", NUL, &text, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_form_downgrade(form, "2024-11-05", NUL, &other, &text, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK(other == NULL && text == NULL);
    text = (mcp_elicit_text *)1;
    CHECK_NUMBER(mcp_elicit_form_normalize(NULL, "{", NUL, NULL, &other, &text, NULL), MCP_ELICIT_SCHEMA);
    CHECK(other == NULL);
    CHECK_TEXT(mcp_elicit_text_data(text, NULL), "[]");
    mcp_elicit_text_free(text);
    mcp_elicit_form_free(form);

    /* A text may hold a NUL where its length is given. */
    CHECK(!mcp_elicit_form_new(NULL, "{\"type\":\"object\",\"properties\":{\"f\":{\"type\":\"string\"}}}", NUL, NULL, &form, NULL));
    CHECK(!mcp_elicit_form_coerce(form, "f", NUL, "a\0b", 3, NULL, &answer, NULL));
    CHECK_TEXT(mcp_elicit_answer_content(answer, NULL), "\"a\\u0000b\"");
    mcp_elicit_answer_free(answer);
    mcp_elicit_form_free(form);
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: test_forms FOLDER\n");
        return 2;
    }
    folder = arguments[1];
    RUN(schema_parse);
    RUN(schema_validate);
    RUN(schema_validate_alone);
    RUN(schema_normalize);
    RUN(schema_printed);
    RUN(schema_coerce);
    RUN(schema_defaults);
    RUN(schema_downgrade);
    RUN(messages_and_values);
    RUN(nonsense);
    return finished("forms");
}
