//! `FormBuilder`: a form made field by field, each described by keyword arguments.

use mcp_elicit::schema::{self, Numeral};
use mcp_elicit::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};

use crate::boundary::boundary;
use crate::error::raise;
use crate::field::Choice;
use crate::form::Form;
use crate::guarded::Guarded;
use crate::json::type_error;
use crate::text::{of_str, text, text_or_none, texts};

/// Builds a `Form`. Fields stand in the order of the calls.
#[pyclass(frozen, module = "mcp_elicit")]
pub(crate) struct FormBuilder(Guarded<schema::FormBuilder>);

impl FormBuilder {
    pub(crate) fn new(builder: schema::FormBuilder) -> Self {
        Self(Guarded::new(builder, "two threads cannot use one builder of a form at once"))
    }
}

/// Sets what was given of `(name, value)` on a field.
macro_rules! describe {
    ($field:ident, $($name:ident),*) => {{
        let mut field = $field;
        $(if let Some(value) = $name {
            field = field.$name(value);
        })*
        field
    }};
}

/// Adds a field to the builder, which core moves along.
fn add<'py>(
    slf: &Bound<'py, FormBuilder>,
    add: impl FnOnce(schema::FormBuilder) -> schema::FormBuilder,
) -> PyResult<Bound<'py, FormBuilder>> {
    let py = slf.py();
    boundary(py, || {
        let mut builder = slf.get().0.enter(py)?;
        *builder = add(std::mem::take(&mut *builder));
        Ok(())
    })?;
    Ok(slf.clone())
}

/// What every field is described with.
type Words<'t> = (&'t str, Option<&'t str>, Option<&'t str>);

fn words<'t>(
    name: &'t Bound<'_, PyAny>,
    title: Option<&'t Bound<'_, PyAny>>,
    description: Option<&'t Bound<'_, PyAny>>,
) -> PyResult<Words<'t>> {
    let name = text(name, "name")?;
    Ok((name, text_or_none(title, "title")?, text_or_none(description, "description")?))
}

/// A number of characters or options.
struct Count(u64);

impl<'py> FromPyObject<'_, 'py> for Count {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if !value.is_instance_of::<PyInt>() || value.is_instance_of::<PyBool>() {
            return Err(type_error(&value, "a number of characters or options is an int"));
        }
        value.extract().map(Self).map_err(|_| {
            let message = "a number of characters or options is from 0 to 2**64 - 1";
            raise(value.py(), Error::new(ErrorKind::InvalidArgument, message))
        })
    }
}

impl From<Count> for u64 {
    fn from(count: Count) -> Self {
        count.0
    }
}

/// A number of a schema.
struct Number(Numeral);

impl<'py> FromPyObject<'_, 'py> for Number {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if value.is_instance_of::<PyBool>() {
            return Err(type_error(&value, "a bound is an int or a float"));
        }
        if let Ok(number) = value.cast::<PyFloat>() {
            return Ok(Self(number.value().into()));
        }
        if !value.is_instance_of::<PyInt>() {
            return Err(type_error(&value, "a bound is an int or a float"));
        }
        let number = value.extract::<i64>().map(Numeral::from);
        number.or_else(|_| value.extract::<u64>().map(Numeral::from)).map(Self).map_err(|_| {
            let message = "an int of a form is from -2**63 to 2**64 - 1; give a float";
            raise(value.py(), Error::new(ErrorKind::InvalidArgument, message))
        })
    }
}

impl From<Number> for Numeral {
    fn from(number: Number) -> Self {
        number.0
    }
}

/// The options of a choice: texts, and `Choice`s.
fn options(given: &Bound<'_, PyAny>) -> PyResult<Vec<schema::Choice>> {
    let wanted = "options are several str or Choice";
    if given.is_instance_of::<PyString>() {
        return Err(type_error(given, wanted));
    }
    given
        .try_iter()?
        .map(|option| {
            let option = option?;
            if let Ok(choice) = option.cast::<Choice>() {
                return Ok(choice.get().0.clone());
            }
            match option.cast::<PyString>() {
                Ok(text) => Ok(schema::Choice::from(of_str(text, "an option")?)),
                Err(_) => Err(type_error(&option, wanted)),
            }
        })
        .collect()
}

#[pymethods]
impl FormBuilder {
    /// A field for a text.
    #[pyo3(signature = (
        name, *, title=None, description=None, required=false, default=None, min_length=None,
        max_length=None, format=None, pattern=None
    ))]
    #[allow(clippy::too_many_arguments)]
    fn string<'py>(
        slf: &Bound<'py, Self>,
        name: &Bound<'py, PyAny>,
        title: Option<&Bound<'py, PyAny>>,
        description: Option<&Bound<'py, PyAny>>,
        required: bool,
        default: Option<&Bound<'py, PyAny>>,
        min_length: Option<Count>,
        max_length: Option<Count>,
        format: Option<&Bound<'py, PyAny>>,
        pattern: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        let (name, title, description) = words(name, title, description)?;
        let default = text_or_none(default, "default")?;
        let format = text_or_none(format, "format")?;
        let pattern = text_or_none(pattern, "pattern")?;
        let (min_length, max_length) = (min_length.map(u64::from), max_length.map(u64::from));
        add(slf, |builder| {
            builder.string(name, |field| {
                let field = if required { field.required() } else { field };
                describe!(
                    field,
                    title,
                    description,
                    default,
                    min_length,
                    max_length,
                    format,
                    pattern
                )
            })
        })
    }

    /// A field for a whole number.
    #[pyo3(signature = (
        name, *, title=None, description=None, required=false, default=None, minimum=None,
        maximum=None, more_than=None, less_than=None, multiple_of=None
    ))]
    #[allow(clippy::too_many_arguments)]
    fn integer<'py>(
        slf: &Bound<'py, Self>,
        name: &Bound<'py, PyAny>,
        title: Option<&Bound<'py, PyAny>>,
        description: Option<&Bound<'py, PyAny>>,
        required: bool,
        default: Option<Number>,
        minimum: Option<Number>,
        maximum: Option<Number>,
        more_than: Option<Number>,
        less_than: Option<Number>,
        multiple_of: Option<Number>,
    ) -> PyResult<Bound<'py, Self>> {
        let (name, title, description) = words(name, title, description)?;
        add(slf, |builder| {
            builder.integer(name, |field| {
                let field = if required { field.required() } else { field };
                describe!(
                    field,
                    title,
                    description,
                    default,
                    minimum,
                    maximum,
                    more_than,
                    less_than,
                    multiple_of
                )
            })
        })
    }

    /// A field for a number.
    #[pyo3(signature = (
        name, *, title=None, description=None, required=false, default=None, minimum=None,
        maximum=None, more_than=None, less_than=None, multiple_of=None
    ))]
    #[allow(clippy::too_many_arguments)]
    fn number<'py>(
        slf: &Bound<'py, Self>,
        name: &Bound<'py, PyAny>,
        title: Option<&Bound<'py, PyAny>>,
        description: Option<&Bound<'py, PyAny>>,
        required: bool,
        default: Option<Number>,
        minimum: Option<Number>,
        maximum: Option<Number>,
        more_than: Option<Number>,
        less_than: Option<Number>,
        multiple_of: Option<Number>,
    ) -> PyResult<Bound<'py, Self>> {
        let (name, title, description) = words(name, title, description)?;
        add(slf, |builder| {
            builder.number(name, |field| {
                let field = if required { field.required() } else { field };
                describe!(
                    field,
                    title,
                    description,
                    default,
                    minimum,
                    maximum,
                    more_than,
                    less_than,
                    multiple_of
                )
            })
        })
    }

    /// A field for true or false.
    #[pyo3(signature = (name, *, title=None, description=None, required=false, default=None))]
    fn boolean<'py>(
        slf: &Bound<'py, Self>,
        name: &Bound<'py, PyAny>,
        title: Option<&Bound<'py, PyAny>>,
        description: Option<&Bound<'py, PyAny>>,
        required: bool,
        default: Option<bool>,
    ) -> PyResult<Bound<'py, Self>> {
        let (name, title, description) = words(name, title, description)?;
        add(slf, |builder| {
            builder.boolean(name, |field| {
                let field = if required { field.required() } else { field };
                describe!(field, title, description, default)
            })
        })
    }

    /// A field for one of some options.
    #[pyo3(signature = (name, options, *, title=None, description=None, required=false, default=None))]
    fn choice<'py>(
        slf: &Bound<'py, Self>,
        name: &Bound<'py, PyAny>,
        options: &Bound<'py, PyAny>,
        title: Option<&Bound<'py, PyAny>>,
        description: Option<&Bound<'py, PyAny>>,
        required: bool,
        default: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        let (name, title, description) = words(name, title, description)?;
        let default = text_or_none(default, "default")?;
        let options = self::options(options)?;
        add(slf, |builder| {
            builder.choice(name, options, |field| {
                let field = if required { field.required() } else { field };
                describe!(field, title, description, default)
            })
        })
    }

    /// A field for any of some options.
    #[pyo3(signature = (
        name, options, *, title=None, description=None, required=false, default=None,
        min_items=None, max_items=None
    ))]
    #[allow(clippy::too_many_arguments)]
    fn choices<'py>(
        slf: &Bound<'py, Self>,
        name: &Bound<'py, PyAny>,
        options: &Bound<'py, PyAny>,
        title: Option<&Bound<'py, PyAny>>,
        description: Option<&Bound<'py, PyAny>>,
        required: bool,
        default: Option<&Bound<'py, PyAny>>,
        min_items: Option<Count>,
        max_items: Option<Count>,
    ) -> PyResult<Bound<'py, Self>> {
        let (name, title, description) = words(name, title, description)?;
        let default = default.map(|values| texts(values, "default")).transpose()?;
        let options = self::options(options)?;
        let (min_items, max_items) = (min_items.map(u64::from), max_items.map(u64::from));
        add(slf, |builder| {
            builder.choices(name, options, |field| {
                let field = if required { field.required() } else { field };
                let default = default.as_ref().map(|values| values.iter().map(String::as_str));
                describe!(field, title, description, default, min_items, max_items)
            })
        })
    }

    /// Reads what was built.
    fn build(&self, py: Python<'_>) -> PyResult<Form> {
        boundary(py, || {
            let builder = self.0.enter(py)?.clone();
            builder.build().map(Form::from).map_err(|error| raise(py, error))
        })
    }

    fn __repr__(&self) -> &'static str {
        "<FormBuilder>"
    }
}
