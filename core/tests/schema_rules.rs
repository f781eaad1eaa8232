//! The table of rules, as `core/docs/schema-rules.md` shows it, is the table in the code.

use mcp_elicit::schema::{RULES, Scope};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/schema-rules.md");

fn table(scope: Scope) -> String {
    let mut table = String::from("| rule | demands |\n|---|---|\n");
    for rule in RULES.iter().filter(|rule| rule.scope == scope) {
        table.push_str(&format!("| `{}` | {} |\n", rule.id, rule.demands));
    }
    table
}

/// Every rule is in the document, under the heading of its scope, in the words of the code.
#[test]
fn the_document_has_every_rule() {
    let found = std::fs::read_to_string(FILE).unwrap_or_default();
    for scope in [Scope::Schema, Scope::Warning, Scope::Answer] {
        let table = table(scope);
        assert!(found.contains(&table), "{FILE} lacks this table:\n{table}");
    }
}
