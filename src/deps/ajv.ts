/** JSON Schema validation by ajv; loaded only for `--output-schema`. */
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";

/** One line that names what does not fit, or undefined. */
export type SchemaCheck = (value: unknown) => string | undefined;

/** Compiles a schema (draft 7, or 2020-12 when it says so). @throws when the schema is invalid. */
export function createSchemaCheck(schema: object): SchemaCheck {
  const draft = "$schema" in schema ? String(schema.$schema) : "";
  const options = { allErrors: true, strict: false, validateFormats: false };
  const ajv = /20(19-09|20-12)/.test(draft) ? new Ajv2020(options) : new Ajv(options);
  const validate = ajv.compile(schema);
  return (value) => {
    if (validate(value)) return undefined;
    return (validate.errors ?? []).slice(0, 5).map((error) =>
      `${error.instancePath || "the answer"} ${error.message}`
    ).join("; ");
  };
}
