//! The rules: the one table of ids that faults and warnings of a form can carry.
//!
//! Ids are stable: programs compare them, messages may change. A schema breaks rules in
//! `snake_case`; an answer breaks the keyword of JSON Schema that refuses it.

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The schema cannot be asked. The author mends it.
    Schema,
    /// The schema can be asked, but a person or a host may stumble. Never blocks.
    Warning,
    /// The answer does not fit. The person mends it.
    Answer,
}

/// One rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The id that a [`Fault`](crate::Fault) carries.
    pub id: &'static str,
    /// What it is about.
    pub scope: Scope,
    /// What it demands.
    pub demands: &'static str,
}

macro_rules! rules {
    ($($name:ident = $id:literal, $scope:ident, $demands:literal;)*) => {
        $(pub(crate) const $name: &str = $id;)*

        /// Every rule of forms, those of schemas first.
        pub const RULES: &[Rule] =
            &[$(Rule { id: $id, scope: Scope::$scope, demands: $demands },)*];
    };
}

rules! {
    JSON = "json", Schema, "The schema is JSON that no two readers see differently.";
    NOT_AN_OBJECT = "not_an_object", Schema, "The schema is a JSON object.";
    TOO_MANY_PROPERTIES = "too_many_properties", Schema, "A form has no more fields than the limit.";
    TOO_MANY_OPTIONS = "too_many_options", Schema, "A form has no more options, all fields together, than the limit.";
    UNSUPPORTED_DIALECT = "unsupported_dialect", Schema, "`$schema`, where given, names JSON Schema 2020-12 or draft-07.";
    ROOT_TYPE = "root_type", Schema, "The root has `type: \"object\"`.";
    PROPERTIES = "properties", Schema, "The root has `properties`, an object.";
    REQUIRED_LIST = "required_list", Schema, "`required` is a list of texts.";
    REQUIRED_UNKNOWN = "required_unknown", Schema, "`required` names fields of the form only.";
    REQUIRED_REPEATED = "required_repeated", Schema, "`required` names each field once.";
    UNKNOWN_KEYWORD = "unknown_keyword", Schema, "Only keywords of the grammar stand where they have a meaning.";
    REFERENCE = "reference", Schema, "A form holds no `$ref`.";
    FIELD_NAME = "field_name", Schema, "A field has a name.";
    FIELD_SCHEMA = "field_schema", Schema, "A field is an object.";
    FIELD_TYPE = "field_type", Schema, "A field has one type: string, integer, number, boolean or array.";
    KEYWORD_TYPE = "keyword_type", Schema, "The value of a keyword is of the type that the grammar gives it.";
    UNSUPPORTED_FORMAT = "unsupported_format", Schema, "`format` is email, uri, date or date-time.";
    UNSUPPORTED_PATTERN = "unsupported_pattern", Schema, "A pattern can be decided in linear time.";
    LENGTH_BOUNDS = "length_bounds", Schema, "Some text fits the lengths and the format.";
    NUMBER_BOUNDS = "number_bounds", Schema, "Some number, for an integer some whole number, fits the bounds.";
    NUMBER_RANGE = "number_range", Schema, "A bound is within what a double can hold.";
    COUNT_BOUNDS = "count_bounds", Schema, "Some number of different options fits minItems and maxItems.";
    NO_OPTIONS = "no_options", Schema, "A choice has at least one option.";
    OPTION = "option", Schema, "An option is a text, or a `const` and a `title` that are texts.";
    REPEATED_OPTION = "repeated_option", Schema, "The options of a choice differ.";
    OPTION_LISTS = "option_lists", Schema, "A choice lists its options once.";
    OPTION_NAMES = "option_names", Schema, "`enumNames` goes with `enum` and has as many texts.";
    NOT_A_CHOICE = "not_a_choice", Schema, "An array is a choice among options.";
    DEFAULT = "default", Schema, "A default would be a good answer.";
    SENSITIVE_FIELD = "sensitive_field", Schema, "A form asks for no secret.";
    NOT_FLAT = "not_flat", Schema, "A field holds no fields of its own.";
    SEVERAL_TYPES = "several_types", Schema, "A field is of one type, or of one type and null.";
    NOT_CARRIED = "not_carried", Schema, "A form can carry what the keyword demands.";
    CONFLICT = "conflict", Schema, "Schemas that are joined say the same, or can be said together.";
    DOWNGRADE = "downgrade", Schema, "The older revision can carry the field.";

    UNTITLED_FIELD = "untitled_field", Warning, "A field has a title to show.";
    MANY_FIELDS = "many_fields", Warning, "A form has at most 7 fields.";
    EMPTY_FORM = "empty_form", Warning, "A form has a field.";
    LINK_IN_TEXT = "link_in_text", Warning, "Texts of a form hold no link.";
    REPEATED_TITLE = "repeated_title", Warning, "What a person sees tells options, and fields, apart.";
    SENSITIVE_ALLOWED = "sensitive_allowed", Warning, "A field that looks like a secret was allowed, with a reason.";

    TYPE = "type", Answer, "The value is of the field's JSON type. Nothing is converted.";
    REQUIRED = "required", Answer, "A required field is there.";
    ADDITIONAL = "additionalProperties", Answer, "Only fields of the form are there, where others are not dropped.";
    MIN_LENGTH = "minLength", Answer, "A text has that many characters (code points) or more.";
    MAX_LENGTH = "maxLength", Answer, "A text has that many characters (code points) or fewer.";
    FORMAT = "format", Answer, "A text is of the format.";
    PATTERN = "pattern", Answer, "A text matches the pattern.";
    MINIMUM = "minimum", Answer, "A number is that or more.";
    MAXIMUM = "maximum", Answer, "A number is that or less.";
    EXCLUSIVE_MINIMUM = "exclusiveMinimum", Answer, "A number is more than that.";
    EXCLUSIVE_MAXIMUM = "exclusiveMaximum", Answer, "A number is less than that.";
    MULTIPLE_OF = "multipleOf", Answer, "A number is a whole multiple of that.";
    RANGE = "range", Answer, "A number is within what a double can hold.";
    ENUM = "enum", Answer, "A choice is one of the options.";
    MIN_ITEMS = "minItems", Answer, "At least that many options are chosen.";
    MAX_ITEMS = "maxItems", Answer, "At most that many options are chosen.";
    UNIQUE_ITEMS = "uniqueItems", Answer, "No option is chosen twice.";
    CHECK = "check", Answer, "The type behind the form, or another check of the application's own, takes the answer.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_id_stands_twice() {
        for (at, rule) in RULES.iter().enumerate() {
            assert!(RULES[..at].iter().all(|other| other.id != rule.id), "{}", rule.id);
        }
    }
}
