// Forms: from a schema, a type of Zod, Valibot or ArkType, or field by field; and the answers to them.
//
//   import { Form } from 'mcp-elicit';
//   import { z } from 'zod';
//
//   const Target = z.object({
//     environment: z.enum(['dev', 'staging', 'prod']).meta({ title: 'Environment' }),
//     replicas: z.int().min(1).max(20).default(1),
//     contact: z.email().optional(),
//   }).refine(it => it.environment !== 'prod' || it.contact, { path: ['contact'], message: 'needed for prod' });
//
//   const target = call.elicitForm('target', 'Where to?', Target);
//   if (target.action === 'accept') deploy(target.content);   // z.output<typeof Target>
//
// Protocol: client/elicitation, "Requested Schema" and "Form Mode Security".
import type { Fault } from '../index.js';

/**
 * A checked `requestedSchema`. Make it once, use it on every call. Immutable.
 *
 * Numbers are as JavaScript has them; where one has more digits, they all stand in the texts
 * (`wire`, `source`, `contentText`, and what was made of content that was given as text).
 */
export interface Form<T = FormContent> {
  /** The schema as it goes out, as JSON on one line. */
  readonly wire: string;
  /** The whole schema as JSON: also the rules that are enforced off the wire. */
  readonly source: string;
  /** What is allowed, and what a person or a host may stumble over. */
  readonly warnings: readonly Fault[];
  /** What became of each keyword when the form was normalized; empty for a form that was not. */
  readonly report: readonly Note[];
  /** The fields, in the order of the schema. */
  readonly fields: readonly Field[];
  /** The field of this name. */
  field(name: string): Field | undefined;
  /**
   * Checks an answer, or its JSON, as the engine does: nothing is converted and nothing filled in,
   * and an absent required field is a fault even where it has a default. What the form accepts is
   * then judged by the type behind it, whose output is the content.
   * @throws ElicitError `invalid_argument` for what is no JSON, and for a type that judges
   * asynchronously (see `Form.of`); what the type throws.
   */
  validate(content: string | object, options?: ValidateOptions): Validation<T>;
  /**
   * Reads texts as a person types them, each under the name of a field: for hosts and terminals;
   * what comes over the wire is never converted. Never a prefix of a text. Fields without a text,
   * or with an empty one that is no answer, are absent; names that are no field are faults. The
   * type behind the form is not asked.
   */
  coerce(texts: Readonly<Record<string, string | undefined>>, options?: WordingOptions): Validation;
  /** The defaults of all fields that have one, also where it is 0, false or empty. */
  defaults(): FormContent;
  /** Content with the default of each field that is absent from it and has one. JSON gives JSON. */
  withDefaults(content: string): string;
  withDefaults(content: object): FormContent;
  /**
   * Content as the type behind the form reads it: with null under each absent field that the type
   * requires and lets be null. JSON gives JSON.
   */
  forType(content: string): string;
  forType(content: object): Record<string, FieldValue | null>;
  /**
   * The schema, as JSON, to ask the form again with after `answer` had faults: what was answered
   * well is the default. Truth values and what may be a secret are left without one.
   */
  wireWithDefaults(answer: string | object): string;
  /** The same of the fields `only`. */
  wireAgain(answer: string | object, only: readonly string[]): string;
  /**
   * The form as hosts of an older revision can be asked it. Answers are checked as before.
   * @throws ElicitError `schema` with each field that the revision cannot carry.
   */
  downgrade(revision: '2025-11-25' | '2025-06-18'): {
    readonly form: Form<T>;
    /** What hosts are no longer shown; paths are those of `wire`. */
    readonly lost: readonly Note[];
  };
}

/** How faults are worded. */
export interface WordingOptions {
  /** Texts by key, in place of those of `Form.messages()`. */
  messages?: Readonly<Record<string, string>>;
  /** Whether texts repeat what was given. Usually not: they travel to logs and models. */
  showValues?: boolean;
}

export interface ValidateOptions extends WordingOptions {
  /** What happens to members that the form does not have. Usually they are dropped. */
  unknown?: 'drop' | 'refuse';
}

/** What a form makes of an answer; `dropped` names members that the form does not have. */
export type Validation<T = FormContent> =
  | { readonly valid: true; readonly content: T; readonly contentText: string; readonly dropped: readonly string[]; readonly faults?: undefined }
  | { readonly valid: false; readonly faults: readonly Fault[] };

/** One field of a form. Immutable. What the schema does not say is undefined. */
export interface Field {
  /** The key in the answer. */
  readonly name: string;
  readonly kind: 'string' | 'integer' | 'number' | 'boolean' | 'choice' | 'choices';
  readonly title: string | undefined;
  /** What a person sees: the title, or the name. */
  readonly label: string;
  readonly description: string | undefined;
  /** Whether an answer without it is incomplete. */
  readonly isRequired: boolean;
  /** Whether it looks like a secret and was allowed all the same. */
  readonly isSensitive: boolean;
  readonly defaultValue: FieldValue | undefined;
  /** The options of a choice in their order; empty for any other field. */
  readonly choices: readonly Choice[];
  /** Lengths are in characters (code points). */
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  /** The format of a text, such as `email`. */
  readonly format: string | undefined;
  /** Regular expressions that are checked when the answer comes back. */
  readonly patterns: readonly string[];
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  /** The fewest options to choose. */
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  /**
   * Reads a text as a person types it: a number without white space around, one of true, t, yes, y,
   * on, 1, false, f, no, n, off, 0 in any case, a choice by its value or title, several with commas
   * between them or as a JSON array.
   */
  coerce(text: string, options?: WordingOptions): Coerced;
  /** The text that `coerce` reads as this value; undefined where it is of another type. */
  print(value: FieldValue): string | undefined;
}

/** An option of a choice. */
export interface Choice {
  /** What an answer holds. */
  readonly value: string;
  readonly title?: string;
  /** What a person sees: the title, or the value. */
  readonly label: string;
}

/** What a field makes of a text; absent: it is no answer, as if nothing had been typed. */
export type Coerced =
  | { readonly valid: true; readonly isAbsent: false; readonly value: FieldValue; readonly valueText: string; readonly fault?: undefined }
  | { readonly valid: true; readonly isAbsent: true; readonly value: undefined; readonly valueText: undefined; readonly fault?: undefined }
  | { readonly valid: false; readonly isAbsent: false; readonly fault: Fault };

/** What became of one keyword of a schema. */
export interface Note {
  /** JSON pointer to the keyword, into the schema as it was given. */
  readonly path: string;
  /**
   * wire: hosts are shown it. enforced: they are not, and answers that break it are refused.
   * dropped: it says nothing about answers, or what it says holds anyway. refused: a form cannot
   * carry it.
   */
  readonly fate: 'wire' | 'enforced' | 'dropped' | 'refused';
  /** How, in a sentence for the author; empty where it was kept as it was. */
  readonly message: string;
}

/** A schema that was normalized: the form, or everything for which there is none. */
export interface Normalized {
  readonly form: Form | undefined;
  readonly faults: readonly Fault[];
  /** What became of each keyword, those that were refused last. */
  readonly notes: readonly Note[];
}

export interface FormOptions {
  /** Why a field whose name looks like a secret is none. The protocol forbids a form to ask for one. */
  allowSensitiveName?: string;
  /** How much a form may hold. Usually 64 properties, and 1000 options of all of them together. */
  limits?: { properties?: number; options?: number };
}

export const Form: {
  readonly prototype: Form;
  /**
   * Checks a schema, strictly: what the protocol's grammar does not have is a fault. The type of the
   * content follows from it. A schema that is JSON text, or not known to the compiler, gives
   * `FormContent`, or the type that you name.
   * @throws ElicitError `schema` with everything that is wrong in `faults`.
   */
  new <const S extends FormSchema>(schema: S, options?: FormOptions): Form<ContentOf<S>>;
  new <T = FormContent>(schema: string | NoType, options?: FormOptions): Form<T>;
  /**
   * Brings JSON Schema, as type libraries print it, into the grammar: local references are written
   * in place, null makes a field optional, what hosts do not know is enforced off the wire.
   * `report` tells what became of each keyword; nothing that restricts answers is dropped silently.
   * @throws ElicitError `schema` with what a form cannot carry, by its place in the schema.
   */
  normalize<T = FormContent>(schema: string | object, options?: FormOptions): Form<T>;
  /** Tells what becomes of each keyword, also where there is no form in the end. */
  explain(schema: string | object, options?: FormOptions): Normalized;
  /**
   * The form that asks for a type of a library that speaks Standard Schema: its JSON Schema,
   * normalized. Answers that the form accepts are judged by the type's own `validate`, so that its
   * refinements hold; what it refuses is a fault of the rule `check` and is asked again like any
   * other. Its output is the content, so that its transforms count.
   *
   * A field that a form cannot carry is refused by its place; a check that cannot be printed is the
   * type's to make when the answer comes. The texts of its faults are the library's (half a
   * surrogate pair becomes U+FFFD), and may repeat what was answered (ArkType's do). What the type
   * fills in for an absent field (Zod's `default`) is its own doing: `contentText` has what the
   * person sent.
   *
   * Zod 4.2 or later and ArkType 2.1.28 or later print by themselves; a Valibot type by
   * `toStandardJsonSchema` of `@valibot/to-json-schema`. For others give `jsonSchema`: what the
   * library prints of the type's input, or a function that prints it.
   *
   * An ask is answered at once: a type that judges asynchronously (an `async` refinement or
   * transform) cannot be asked with. One that always does so is refused here (it is shown
   * `undefined` to find out), one that does for some answers when the first such comes. Give it
   * synchronous checks, and do what must wait in a step, once the answer is there. What a check
   * throws goes on as it was thrown; a check that runs for a call cannot use that call.
   * @throws ElicitError `schema` with what a form cannot carry; `invalid_argument` for a type that
   * does not print, or is asynchronous.
   */
  of<S extends PrintingType>(type: S, options?: FormOptions): Form<OutputOf<S>>;
  of<S extends StandardType>(
    type: S,
    options: FormOptions & { jsonSchema: string | object | ((type: S) => string | object) },
  ): Form<OutputOf<S>>;
  /** Builds a form field by field. */
  builder(options?: FormOptions): FormBuilder;
  /** The texts that faults of answers are worded with, by key; see `messages` of an ask. */
  messages(): Record<string, string>;
  /** What a person may stumble over in the message that a form is asked with: a link. */
  messageWarning(message: string): Fault | undefined;
};

// ---- Types of other libraries

/** A type of a library that speaks Standard Schema, version 1. */
export interface StandardType<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** One that also prints JSON Schema, by Standard JSON Schema. */
export interface PrintingType<Output = unknown> {
  readonly '~standard': StandardType<Output>['~standard'] & {
    readonly jsonSchema: {
      readonly input: (options: {
        readonly target: 'draft-2020-12';
        readonly libraryOptions?: Record<string, unknown>;
      }) => Record<string, unknown>;
    };
  };
}

/** What a type makes of an answer. */
export type OutputOf<S extends StandardType> = NonNullable<S['~standard']['types']>['output'];

/** An object that is no type of another library: JSON Schema, which the compiler need not know. */
export type NoType = object & { readonly '~standard'?: never };

// ---- Builder

/**
 * Builds a form. Fields stand in the order of the calls, and the type of the content follows from
 * them. Every method throws ElicitError `invalid_argument` for a member of the wrong type.
 */
export interface FormBuilder<T = {}> {
  /** A field for a text. */
  string<const N extends string, const F extends StringField>(name: N, field?: F): FormBuilder<T & Asked<N, string, F>>;
  /** A field for a whole number. */
  integer<const N extends string, const F extends NumberField>(name: N, field?: F): FormBuilder<T & Asked<N, number, F>>;
  /** A field for a number. */
  number<const N extends string, const F extends NumberField>(name: N, field?: F): FormBuilder<T & Asked<N, number, F>>;
  /** A field for true or false. */
  boolean<const N extends string, const F extends BooleanField>(name: N, field?: F): FormBuilder<T & Asked<N, boolean, F>>;
  /** A field for one of some options. Where one has a title, those without are titled by their value. */
  choice<const N extends string, const O extends Options, const F extends ChoiceField>(
    name: N, options: O, field?: F): FormBuilder<T & Asked<N, OptionOf<O>, F>>;
  /** A field for any of some options. */
  choices<const N extends string, const O extends Options, const F extends ChoicesField>(
    name: N, options: O, field?: F): FormBuilder<T & Asked<N, OptionOf<O>[], F>>;
  /**
   * Reads what was built.
   * @throws ElicitError `schema` with every fault. Two fields of one name are one.
   */
  build(): Form<Flat<T>>;
}

type Options = readonly (string | { readonly value: string; readonly title?: string })[];
type OptionOf<O extends Options> = O[number] extends infer E ? E extends { readonly value: infer V } ? V : E : never;
type Asked<N extends string, V, F> = F extends { readonly required: true } ? { [K in N]: V } : { [K in N]?: V };

interface FieldOptions extends FieldWords {
  /** Whether an answer must hold the field. Usually not. */
  readonly required?: boolean;
}

export interface StringField extends FieldOptions {
  readonly default?: string;
  /** Lengths are in characters (code points). */
  readonly minLength?: number;
  readonly maxLength?: number;
  /**
   * `email`, `uri`, `date` or `date-time`; other formats that we can check, such as `uuid`, stay off
   * the wire and are checked when the answer comes back.
   */
  readonly format?: string;
  /** A regular expression without looking around or back. Stays off the wire. */
  readonly pattern?: string;
}

export interface NumberField extends FieldOptions {
  readonly default?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  /** The number must be more than this; less than that; a whole multiple. All stay off the wire. */
  readonly moreThan?: number;
  readonly lessThan?: number;
  readonly multipleOf?: number;
}

export interface BooleanField extends FieldOptions {
  readonly default?: boolean;
}

export interface ChoiceField extends FieldOptions {
  /** The value of an option. */
  readonly default?: string;
}

export interface ChoicesField extends FieldOptions {
  /** The values of options. */
  readonly default?: readonly string[];
  readonly minItems?: number;
  readonly maxItems?: number;
}

// ---- Schemas

/** The content of a form that is not known more closely. */
export type FormContent = Record<string, FieldValue>;
export type FieldValue = string | number | boolean | string[];

/** A schema of the protocol's grammar (client/elicitation, "Requested Schema"). */
export interface FormSchema {
  readonly $schema?: string;
  readonly type: 'object';
  readonly properties: { readonly [name: string]: FieldSchema };
  readonly required?: readonly string[];
}

interface FieldWords {
  readonly title?: string;
  readonly description?: string;
}

/** One of the five kinds of field, with all forms of choices. */
export type FieldSchema = FieldWords & (
  | { readonly type: 'boolean'; readonly default?: boolean }
  | { readonly type: 'number' | 'integer'; readonly minimum?: number; readonly maximum?: number; readonly default?: number }
  | { readonly type: 'string'; readonly minLength?: number; readonly maxLength?: number; readonly format?: 'email' | 'uri' | 'date' | 'date-time'; readonly default?: string }
  | { readonly type: 'string'; readonly enum: readonly string[]; readonly enumNames?: readonly string[]; readonly default?: string }
  | { readonly type: 'string'; readonly oneOf: readonly TitledOption[]; readonly default?: string }
  | {
    readonly type: 'array';
    readonly items: { readonly type?: 'string'; readonly enum: readonly string[] } | { readonly anyOf: readonly TitledOption[] };
    readonly minItems?: number;
    readonly maxItems?: number;
    readonly default?: readonly string[];
  }
);

interface TitledOption {
  readonly const: string;
  readonly title: string;
}

/** The content that a schema describes. */
export type ContentOf<S extends FormSchema> = Flat<
  { -readonly [K in keyof S['properties'] as K extends RequiredOf<S> ? K : never]: ValueOf<S['properties'][K]> } &
  { -readonly [K in keyof S['properties'] as K extends RequiredOf<S> ? never : K]?: ValueOf<S['properties'][K]> }
>;
type Flat<T> = { [K in keyof T]: T[K] };
type RequiredOf<S> = S extends { readonly required: readonly (infer R)[] } ? R : never;
type ValueOf<F> =
  F extends { readonly type: 'boolean' } ? boolean
  : F extends { readonly type: 'number' | 'integer' } ? number
  : F extends { readonly items: { readonly enum: readonly (infer E)[] } } ? E[]
  : F extends { readonly items: { readonly anyOf: readonly { readonly const: infer C }[] } } ? C[]
  : F extends { readonly enum: readonly (infer E)[] } ? E
  : F extends { readonly oneOf: readonly { readonly const: infer C }[] } ? C
  : F extends { readonly type: 'string' } ? string
  : FieldValue;
