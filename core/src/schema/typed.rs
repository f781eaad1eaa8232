//! Forms from Rust types, and answers as these types: features `schemars` and `serde`.

use serde::de::DeserializeOwned;

#[cfg(feature = "schemars")]
use super::FormOptions;
use super::{Answer, Form};
#[cfg(feature = "schemars")]
use crate::{error::Result, json::Json};

#[cfg(feature = "schemars")]
impl Form {
    /// The form that asks for a `T`: its JSON Schema, as `schemars` prints it, normalized.
    ///
    /// ```
    /// # use mcp_elicit::{Form, Json};
    /// #[derive(schemars::JsonSchema, serde::Deserialize)]
    /// struct Target {
    ///     /// Where it goes
    ///     environment: Environment,
    ///     notify: Option<bool>,
    /// }
    ///
    /// #[derive(schemars::JsonSchema, serde::Deserialize, Debug, PartialEq)]
    /// #[serde(rename_all = "lowercase")]
    /// enum Environment { Dev, Prod }
    ///
    /// let form = Form::of::<Target>()?;
    /// let content = Json::parse(r#"{"environment":"dev"}"#)?;
    /// let answer = form.validate(content.root()).map_err(|_| "not valid").unwrap();
    /// let target: Target = form.read(&answer).unwrap();
    /// assert_eq!(target.environment, Environment::Dev);
    /// # Ok::<(), mcp_elicit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Schema`](crate::ErrorKind::Schema), as [`Form::normalize`]: the type has what a
    /// form cannot carry.
    pub fn of<T: schemars::JsonSchema>() -> Result<Self> {
        Self::of_with::<T>(&FormOptions::default())
    }

    /// The form that asks for a `T`, read as `options` say.
    ///
    /// # Errors
    /// As [`Form::of`].
    pub fn of_with<T: schemars::JsonSchema>(options: &FormOptions) -> Result<Self> {
        let schema = schemars::SchemaGenerator::default().into_root_schema_for::<T>();
        Self::normalize_value(Json::from_serialize(&schema)?.root(), options)
    }
}

impl Form {
    /// Reads an answer to this form into the type that it asked for. Fields that the type requires
    /// and lets be null are null where they were left out.
    ///
    /// # Errors
    /// What `serde_json` says of it: the type refuses more than its schema. The message can repeat
    /// parts of the answer.
    pub fn read<T: DeserializeOwned>(&self, answer: &Answer) -> serde_json::Result<T> {
        self.for_type(answer.content.root()).deserialize()
    }
}
