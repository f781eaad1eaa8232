/*
 * Forms built field by field, and fields looked at: what was said is what is seen, and what a
 * schema of the same words says (elicitation, "Requested Schema").
 */
#include "rounds.h"

static mcp_elicit_caller *caller;
static mcp_elicit_engine *engine;

#define OK(call) CHECK_NUMBER((call), MCP_ELICIT_OK)
#define ADD(kind, name, required) OK(mcp_elicit_form_builder_add_##kind(b, name, NUL, required, NULL))
#define SET(what, text) OK(mcp_elicit_form_builder_set_##what(b, text, NUL, NULL))
#define COUNT(what, number) OK(mcp_elicit_form_builder_set_##what(b, number, NULL))
#define OPTION(value, title) OK(mcp_elicit_form_builder_add_option(b, value, NUL, title, title ? NUL : 0, NULL))

static mcp_elicit_form *built(const mcp_elicit_form_builder *b)
{
    mcp_elicit_form *form = NULL;
    mcp_elicit_error *err = NULL;
    OK(mcp_elicit_form_builder_build(b, NULL, NULL, &form, &err));
    CHECK_TEXT(mcp_elicit_error_faults(err, NULL), NULL);
    mcp_elicit_error_free(err);
    return form;
}

/* What a field should be. What is not named is absent; counts are -1 where absent. */
struct expected {
    const char *name, *title, *description;
    mcp_elicit_field_type kind;
    bool required, sensitive;
    const char *value; /* the default */
    long long min_length, max_length;
    const char *format, *pattern, *minimum, *maximum;
    long long min_items, max_items;
    const char *values[4], *titles[4];
};

#define NO_LENGTH .min_length = -1, .max_length = -1
#define NO_ITEMS .min_items = -1, .max_items = -1

static void text_is(const char *seen, size_t len, const char *expected)
{
    CHECK_TEXT(seen, expected);
    CHECK_NUMBER(len, expected ? strlen(expected) : 0);
}

/* A number that is there, or 0 where there is none. */
static void number_is(bool there, uint64_t seen, long long expected)
{
    CHECK_NUMBER(there, expected >= 0);
    CHECK_NUMBER(seen, expected >= 0 ? expected : 0);
}

static void field_is(const mcp_elicit_field *field, const struct expected *expected)
{
    size_t len;
    uint64_t number;
    about = expected->name;
#define TEXT_IS(accessor, wanted)                                      \
    do {                                                               \
        len = 77;                                                      \
        const char *seen = mcp_elicit_field_##accessor(field, &len);   \
        text_is(seen, len, wanted);                                    \
        CHECK(mcp_elicit_field_##accessor(field, NULL) == seen);       \
    } while (0)
#define NUMBER_IS(accessor, wanted)                                    \
    do {                                                               \
        number = 77;                                                   \
        bool there = mcp_elicit_field_##accessor(field, &number);      \
        number_is(there, number, wanted);                              \
        CHECK_NUMBER(mcp_elicit_field_##accessor(field, NULL), there); \
    } while (0)
    TEXT_IS(name, expected->name);
    TEXT_IS(title, expected->title);
    TEXT_IS(label, expected->title ? expected->title : expected->name);
    TEXT_IS(description, expected->description);
    CHECK_NUMBER(mcp_elicit_field_kind(field), expected->kind);
    CHECK_NUMBER(mcp_elicit_field_is_required(field), expected->required);
    CHECK_NUMBER(mcp_elicit_field_is_sensitive(field), expected->sensitive);
    TEXT_IS(default, expected->value);
    NUMBER_IS(min_length, expected->min_length);
    NUMBER_IS(max_length, expected->max_length);
    TEXT_IS(format, expected->format);
    TEXT_IS(minimum, expected->minimum);
    TEXT_IS(maximum, expected->maximum);
    NUMBER_IS(min_items, expected->min_items);
    NUMBER_IS(max_items, expected->max_items);

    CHECK_NUMBER(mcp_elicit_field_pattern_count(field), expected->pattern ? 1 : 0);
    const char *pattern = mcp_elicit_field_pattern(field, 0, &len);
    text_is(pattern, len, expected->pattern);
    pattern = mcp_elicit_field_pattern(field, 1, &len);
    text_is(pattern, len, NULL);

    size_t choices = 0;
    while (choices < 4 && expected->values[choices])
        choices++;
    CHECK_NUMBER(mcp_elicit_field_choice_count(field), choices);
    for (size_t at = 0; at <= choices; at++) { /* past the last there is none */
        const char *value = at < choices ? expected->values[at] : NULL;
        const char *title = at < choices ? expected->titles[at] : NULL;
        const char *seen = mcp_elicit_field_choice_value(field, at, &len);
        text_is(seen, len, value);
        seen = mcp_elicit_field_choice_title(field, at, &len);
        text_is(seen, len, title);
    }
    about = "";
}

static const struct expected all[] = {
    {.name = "note", .title = "Note", .description = "Say \"why\" \xe2\x80\x93 or not", .kind = MCP_ELICIT_FIELD_STRING,
     .required = true, .value = "\"gr\xc3\xbc\xc3\x9f" "e\"", .min_length = 2, .max_length = 40, NO_ITEMS},
    {.name = "mail", .title = "Mail", .kind = MCP_ELICIT_FIELD_STRING, .format = "email", NO_LENGTH, NO_ITEMS},
    {.name = "age", .title = "Age", .kind = MCP_ELICIT_FIELD_INTEGER, .value = "40", .minimum = "0",
     .maximum = "9007199254740993", NO_LENGTH, NO_ITEMS},
    {.name = "rate", .kind = MCP_ELICIT_FIELD_NUMBER, .required = true, .value = "-0.50",
     .minimum = "-1.50", .maximum = "1e2", NO_LENGTH, NO_ITEMS},
    {.name = "news", .title = "News", .kind = MCP_ELICIT_FIELD_BOOLEAN, .value = "false", NO_LENGTH, NO_ITEMS},
    {.name = "env", .title = "Where", .kind = MCP_ELICIT_FIELD_CHOICE, .required = true, .value = "\"dev\"",
     NO_LENGTH, NO_ITEMS, .values = {"dev", "prod"}},
    {.name = "color", .title = "Color", .kind = MCP_ELICIT_FIELD_CHOICE, NO_LENGTH, NO_ITEMS,
     .values = {"#f00", "#0f0"}, .titles = {"Red", "Green"}},
    {.name = "tags", .title = "Tags", .kind = MCP_ELICIT_FIELD_CHOICES, .value = "[\"a\",\"c\"]", NO_LENGTH,
     .min_items = 1, .max_items = 2, .values = {"a", "b", "c"}},
    {.name = "rights", .title = "Rights", .kind = MCP_ELICIT_FIELD_CHOICES, NO_LENGTH, NO_ITEMS,
     .values = {"r", "w"}, .titles = {"Read", "Write"}},
};
#define ALL (sizeof all / sizeof *all)

static void fields_are(const mcp_elicit_form *form)
{
    CHECK_NUMBER(mcp_elicit_form_field_count(form), ALL);
    for (size_t at = 0; at < ALL; at++) {
        const mcp_elicit_field *field = mcp_elicit_form_field(form, at);
        field_is(field, &all[at]);
        CHECK(mcp_elicit_form_field_named(form, all[at].name, NUL) == field);
    }
    CHECK(mcp_elicit_form_field(form, ALL) == NULL);
}

/* The schema as a client sees it, to be freed. */
static char *wire_of(const mcp_elicit_form *form)
{
    mcp_elicit_call *call = opened(engine, REQUEST("1", BOTH, ""), caller);
    mcp_elicit_reply *reply = NULL;
    const mcp_elicit_outcome *outcome = NULL;
    OK(mcp_elicit_call_elicit_compiled_form(call, "k", NUL, "m", NUL, form, NULL, &outcome, NULL));
    OK(mcp_elicit_call_suspend(call, &reply, NULL));
    size_t len = 0;
    const char *wire = raw(mcp_elicit_reply_body(reply, NULL), &len,
                           "/result/inputRequests/k/params/requestedSchema");
    CHECK(wire != NULL);
    char *copied = wire ? compact(wire, len) : NULL;
    mcp_elicit_reply_free(reply);
    mcp_elicit_call_free(call);
    return copied;
}

static mcp_elicit_form_builder *every_kind(void)
{
    mcp_elicit_form_builder *b = mcp_elicit_form_builder_new();
    ADD(string, "note", 1);
    SET(title, "Note");
    SET(description, all[0].description);
    COUNT(min_length, 2);
    COUNT(max_length, 40);
    SET(default, all[0].value);
    ADD(string, "mail", 0);
    SET(title, "Mail");
    SET(format, "email");
    ADD(integer, "age", 0);
    SET(title, "Age");
    SET(minimum, "0");
    SET(maximum, "9007199254740993");
    SET(default, "40");
    ADD(number, "rate", 1);
    SET(minimum, "-1.50");
    SET(maximum, "1e2");
    SET(default, "-0.50");
    ADD(boolean, "news", 0);
    SET(title, "News");
    SET(default, " false ");
    ADD(choice, "env", 1);
    SET(title, "Where");
    OPTION("dev", NULL);
    OPTION("prod", NULL);
    SET(default, "\"dev\"");
    ADD(choice, "color", 0);
    SET(title, "Color");
    OPTION("#f00", "Red");
    OPTION("#0f0", "Green");
    ADD(choices, "tags", 0);
    SET(title, "Tags");
    OPTION("a", NULL);
    OPTION("b", NULL);
    OPTION("c", NULL);
    COUNT(min_items, 1);
    COUNT(max_items, 2);
    SET(default, "[\"a\", \"c\"]");
    ADD(choices, "rights", 0);
    SET(title, "wrong"); /* "A setter called again replaces what was said." */
    SET(title, "Rights");
    OPTION("r", "Read");
    OPTION("w", "Write");
    return b;
}

static const char written[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"note\":{\"type\":\"string\",\"title\":\"Note\",\"description\":\"Say \\\"why\\\" \xe2\x80\x93 or not\","
    "\"minLength\":2,\"maxLength\":40,\"default\":\"gr\xc3\xbc\xc3\x9f" "e\"},"
    "\"mail\":{\"type\":\"string\",\"title\":\"Mail\",\"format\":\"email\"},"
    "\"age\":{\"type\":\"integer\",\"title\":\"Age\",\"minimum\":0,\"maximum\":9007199254740993,\"default\":40},"
    "\"rate\":{\"type\":\"number\",\"minimum\":-1.50,\"maximum\":1e2,\"default\":-0.50},"
    "\"news\":{\"type\":\"boolean\",\"title\":\"News\",\"default\":false},"
    "\"env\":{\"type\":\"string\",\"enum\":[\"dev\",\"prod\"],\"title\":\"Where\",\"default\":\"dev\"},"
    "\"color\":{\"type\":\"string\",\"oneOf\":[{\"const\":\"#f00\",\"title\":\"Red\"},"
    "{\"const\":\"#0f0\",\"title\":\"Green\"}],\"title\":\"Color\"},"
    "\"tags\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"a\",\"b\",\"c\"]},\"title\":\"Tags\","
    "\"minItems\":1,\"maxItems\":2,\"default\":[\"a\",\"c\"]},"
    "\"rights\":{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"r\",\"title\":\"Read\"},"
    "{\"const\":\"w\",\"title\":\"Write\"}]},\"title\":\"Rights\"}},"
    "\"required\":[\"note\",\"rate\",\"env\"]}";

/* The builder writes what a person would write, and the same fields come out of both. */
static void every_kind_is_what_was_said(void)
{
    mcp_elicit_form_builder *b = every_kind();
    mcp_elicit_form *form = built(b), *parsed = NULL;
    OK(mcp_elicit_form_new(NULL, written, NUL, NULL, &parsed, NULL));
    fields_are(form);
    fields_are(parsed);
    char *one = wire_of(form), *other = wire_of(parsed);
    CHECK_TEXT(one, written);
    CHECK_TEXT(other, written);
    free(one);
    free(other);

    /* "The builder stays as it is, for more fields and other forms." Forms live on without it. */
    mcp_elicit_form *again = built(b), *more;
    ADD(boolean, "more", 0);
    more = built(b);
    mcp_elicit_form_builder_free(b);
    mcp_elicit_form_free(form);
    fields_are(again);
    CHECK_NUMBER(mcp_elicit_form_field_count(more), ALL + 1);
    CHECK_TEXT(mcp_elicit_field_label(mcp_elicit_form_field(more, ALL), NULL), "more");
    mcp_elicit_form_free(again);
    mcp_elicit_form_free(more);
    mcp_elicit_form_free(parsed);
}

/* Names are looked up by bytes and length, also where there are many fields. */
static void fields_are_found_by_name(void)
{
    mcp_elicit_form_builder *b = mcp_elicit_form_builder_new();
    char name[16];
    for (int at = 0; at < 40; at++) {
        snprintf(name, sizeof name, "f%d", 39 - at);
        ADD(boolean, name, 0);
    }
    OK(mcp_elicit_form_builder_add_boolean(b, "a\0b", 3, 0, NULL));
    mcp_elicit_form *form = built(b);
    for (int at = 0; at < 40; at++) {
        snprintf(name, sizeof name, "f%d", 39 - at);
        CHECK(mcp_elicit_form_field_named(form, name, NUL) == mcp_elicit_form_field(form, at));
    }
    const mcp_elicit_field *odd = mcp_elicit_form_field(form, 40);
    size_t len = 0;
    CHECK(memcmp(mcp_elicit_field_name(odd, &len), "a\0b", 4) == 0);
    CHECK_NUMBER(len, 3);
    CHECK(mcp_elicit_form_field_named(form, "a\0b", 3) == odd);
    CHECK(mcp_elicit_form_field_named(form, "f12 and more", 3) == mcp_elicit_form_field(form, 27));
    CHECK(mcp_elicit_form_field_named(form, "a", NUL) == NULL);
    CHECK(mcp_elicit_form_field_named(form, "f40", NUL) == NULL);
    CHECK(mcp_elicit_form_field_named(form, NULL, 0) == NULL);
    CHECK(mcp_elicit_form_field_named(form, NULL, NUL) == NULL);
    CHECK(mcp_elicit_form_field_named(form, "\xff", NUL) == NULL);
    CHECK(mcp_elicit_form_field_named(form, "f1", (size_t)-2) == NULL);
    mcp_elicit_form_builder_free(b);
    mcp_elicit_form_free(form);
}

/* Whether an answer with this content is taken, or asked again. */
static bool takes(const mcp_elicit_form *form, const char *content)
{
    char responses[256];
    const mcp_elicit_outcome *outcome = NULL;
    mcp_elicit_call *call = opened(engine, REQUEST("1", BOTH, ""), caller);
    OK(mcp_elicit_call_elicit_compiled_form(call, "k", NUL, "m", NUL, form, NULL, &outcome, NULL));
    char *state = suspended(call);
    snprintf(responses, sizeof responses, "{\"k\":{\"action\":\"accept\",\"content\":%s}}", content);
    char *request = retry(state, responses);
    call = opened(engine, request, caller);
    mcp_elicit_status status =
        mcp_elicit_call_elicit_compiled_form(call, "k", NUL, "m", NUL, form, NULL, &outcome, NULL);
    CHECK_NUMBER(status, MCP_ELICIT_OK);
    bool pending = mcp_elicit_outcome_is_pending(outcome);
    if (!pending)
        CHECK_NUMBER(action_of(outcome), MCP_ELICIT_ACTION_ACCEPT);
    mcp_elicit_call_free(call);
    free(request);
    free(state);
    return !pending;
}

/* "Stays off the wire and is checked when the answer comes back." */
static void what_hosts_are_not_shown_is_checked(void)
{
    mcp_elicit_form_builder *b = mcp_elicit_form_builder_new();
    ADD(string, "code", 0);
    SET(pattern, "^[a-z]{2}$");
    ADD(string, "id", 0);
    SET(format, "uuid");
    ADD(number, "n", 0);
    SET(more_than, "0.5");
    SET(less_than, "10");
    SET(multiple_of, "0.25");
    mcp_elicit_form *form = built(b);
    CHECK_NUMBER(mcp_elicit_field_pattern_count(mcp_elicit_form_field(form, 0)), 1);
    CHECK_TEXT(mcp_elicit_field_pattern(mcp_elicit_form_field(form, 0), 0, NULL), "^[a-z]{2}$");
    CHECK_TEXT(mcp_elicit_field_format(mcp_elicit_form_field(form, 1), NULL), "uuid");
    CHECK_TEXT(mcp_elicit_field_minimum(mcp_elicit_form_field(form, 2), NULL), NULL);
    char *wire = wire_of(form);
    CHECK_TEXT(wire, "{\"type\":\"object\",\"properties\":{\"code\":{\"type\":\"string\"},"
                     "\"id\":{\"type\":\"string\"},\"n\":{\"type\":\"number\"}}}");
    free(wire);
    CHECK(takes(form, "{\"code\":\"ab\",\"n\":9.75,\"id\":\"123e4567-e89b-12d3-a456-426614174000\"}"));
    CHECK(!takes(form, "{\"code\":\"a1\"}"));
    CHECK(!takes(form, "{\"id\":\"no\"}"));
    CHECK(!takes(form, "{\"n\":0.5}"));
    CHECK(!takes(form, "{\"n\":10}"));
    CHECK(!takes(form, "{\"n\":0.7}"));
    mcp_elicit_form_free(form);
    mcp_elicit_form_builder_free(b);
}

static void fault_is(const mcp_elicit_error *err, size_t index, const char *path)
{
    CHECK_TEXT(mcp_elicit_fault_path(mcp_elicit_error_fault(err, index), NULL), path);
}

/* Nothing is judged before the form is built, "which then names every fault". */
static void all_faults_at_once(void)
{
    mcp_elicit_form_builder *b = mcp_elicit_form_builder_new();
    mcp_elicit_form *form = (mcp_elicit_form *)&form;
    mcp_elicit_error *err = NULL;
    ADD(integer, "a", 0);
    COUNT(min_length, 1);
    ADD(string, "b", 0);
    OPTION("x", NULL); /* of a text that is no choice */
    ADD(choice, "c", 0);
    ADD(number, "d", 0);
    SET(minimum, "2");
    SET(maximum, "1");
    ADD(boolean, "e", 0);
    SET(default, "\"yes\"");
    CHECK_NUMBER(mcp_elicit_form_builder_build(b, NULL, NULL, &form, &err), MCP_ELICIT_SCHEMA);
    CHECK(form == NULL);
    CHECK_NUMBER(mcp_elicit_error_fault_count(err), 5);
    fault_is(err, 0, "/properties/a/minLength");
    fault_is(err, 1, "/properties/b/items");
    fault_is(err, 2, "/properties/c/enum");
    fault_is(err, 3, "/properties/d/minimum");
    fault_is(err, 4, "/properties/e/default");
    mcp_elicit_error_free(err);
    mcp_elicit_form_builder_free(b);

    b = mcp_elicit_form_builder_new();
    ADD(boolean, "twice", 0);
    ADD(string, "twice", 0);
    CHECK_NUMBER(mcp_elicit_form_builder_build(b, NULL, NULL, &form, &err), MCP_ELICIT_SCHEMA);
    fault_is(err, 0, "/properties/twice");
    mcp_elicit_error_free(err);
    mcp_elicit_form_builder_free(b);
}

/* What is no text, no JSON or no number is refused where it is said, and changes nothing. */
static void what_cannot_be_said(void)
{
    mcp_elicit_form_builder *b = mcp_elicit_form_builder_new();
    mcp_elicit_error *err = NULL;
    CHECK_NUMBER(mcp_elicit_form_builder_set_title(b, "T", NUL, &err), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_TEXT(mcp_elicit_error_message(err, NULL), "builder has no field yet");
    mcp_elicit_error_free(err);
    ADD(number, "n", 0);
    SET(title, "N");
    SET(minimum, "1");
    SET(default, "2");
    static const char *const numbers[] = {"", "one", "1,\"x\":2", "01", " 1", "NaN", "1}", "\xff"};
    for (size_t at = 0; at < sizeof numbers / sizeof *numbers; at++) {
        about = numbers[at];
        CHECK_NUMBER(mcp_elicit_form_builder_set_minimum(b, numbers[at], NUL, NULL),
                     MCP_ELICIT_INVALID_ARGUMENT);
    }
    about = "";
    CHECK_NUMBER(mcp_elicit_form_builder_set_default(b, "1,\"x\":2", NUL, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_form_builder_set_default(b, "", NUL, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_form_builder_set_title(b, "\xff", NUL, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    CHECK_NUMBER(mcp_elicit_form_builder_add_string(b, "\xff", NUL, 0, NULL), MCP_ELICIT_INVALID_ARGUMENT);
    mcp_elicit_form *form = built(b);
    const struct expected same = {.name = "n", .title = "N", .kind = MCP_ELICIT_FIELD_NUMBER, .value = "2",
                                  .minimum = "1", NO_LENGTH, NO_ITEMS};
    CHECK_NUMBER(mcp_elicit_form_field_count(form), 1);
    field_is(mcp_elicit_form_field(form, 0), &same);
    mcp_elicit_form_free(form);
    mcp_elicit_form_builder_free(b);
}

/* The limits of an engine and the options of an ask count where a form is built. */
static void limits_and_options_count(void)
{
    mcp_elicit_engine *small = NULL;
    mcp_elicit_form *form = NULL;
    mcp_elicit_error *err = NULL;
    mcp_elicit_ask_options *options = mcp_elicit_ask_options_new();
    struct world world = {.now_ms = 1800000000000};
    mcp_elicit_engine_config *config = world_config(&world);
    OK(mcp_elicit_engine_config_set_schema_properties(config, 1, NULL));
    OK(mcp_elicit_engine_new(config, &small, NULL));
    mcp_elicit_engine_config_free(config);
    OK(mcp_elicit_ask_options_set_allow_sensitive_name(options, "a word of the game", NUL, NULL));

    mcp_elicit_form_builder *b = mcp_elicit_form_builder_new();
    OK(mcp_elicit_form_builder_build(b, NULL, NULL, &form, NULL)); /* a form without fields */
    CHECK_NUMBER(mcp_elicit_form_field_count(form), 0);
    CHECK(mcp_elicit_form_field(form, 0) == NULL);
    mcp_elicit_form_free(form);
    ADD(string, "password", 0);
    CHECK_NUMBER(mcp_elicit_form_builder_build(b, NULL, NULL, &form, &err), MCP_ELICIT_SCHEMA);
    fault_is(err, 0, "/properties/password");
    mcp_elicit_error_free(err);
    OK(mcp_elicit_form_builder_build(b, small, options, &form, NULL));
    CHECK(mcp_elicit_field_is_sensitive(mcp_elicit_form_field(form, 0)));
    CHECK(mcp_elicit_form_warning_count(form) > 0);
    mcp_elicit_form_free(form);
    ADD(boolean, "more", 0);
    CHECK_NUMBER(mcp_elicit_form_builder_build(b, small, options, &form, NULL), MCP_ELICIT_SCHEMA);
    CHECK(form == NULL);
    OK(mcp_elicit_form_builder_build(b, NULL, options, &form, NULL));
    CHECK(!mcp_elicit_field_is_sensitive(mcp_elicit_form_field(form, 1)));
    mcp_elicit_form_free(form);
    mcp_elicit_form_builder_free(b);

    mcp_elicit_call *call = opened(small, REQUEST("1", BOTH, ""), caller);
    const mcp_elicit_outcome *outcome = NULL;
    static const char two[] =
        "{\"message\":\"Which?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":"
        "{\"a\":{\"type\":\"boolean\"},\"b\":{\"type\":\"boolean\"}}}}";
    CHECK_NUMBER(mcp_elicit_call_elicit(call, "k", NUL, two, NUL, 0, NULL, &outcome, &err), MCP_ELICIT_SCHEMA);
    fault_is(err, 0, "/properties");
    mcp_elicit_error_free(err);
    mcp_elicit_call_free(call);

    mcp_elicit_ask_options_free(options);
    mcp_elicit_engine_free(small);
}

int main(void)
{
    struct world world = {.now_ms = 1800000000000};
    engine = world_engine(&world);
    caller = alice();
    RUN(every_kind_is_what_was_said);
    RUN(fields_are_found_by_name);
    RUN(what_hosts_are_not_shown_is_checked);
    RUN(all_faults_at_once);
    RUN(what_cannot_be_said);
    RUN(limits_and_options_count);
    mcp_elicit_caller_free(caller);
    mcp_elicit_engine_free(engine);
    return finished("fields");
}
