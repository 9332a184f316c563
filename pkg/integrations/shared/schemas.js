// Converts a tool's parameters to JSON Schema, as the model sees them, so that they can be counted.

const TARGET = { target: "draft-2020-12" };

/**
 * Converts to JSON Schema: JSON Schema itself, a schema made by `jsonSchema` of `ai`, a Standard Schema that supports it, or a schema
 * with a `toJSONSchema` method. `{}` for others, because only their library could convert them.
 */
export function jsonSchemaOf(given) {
  if (!given || (typeof given !== "object" && typeof given !== "function")) return {};
  if (!said.has(given)) said.set(given, saidBy(given));
  return said.get(given);
}

const said = new WeakMap();

async function saidBy(given) {
  try {
    const schema = typeof given === "function" && !given["~standard"] ? given() : given;
    if (!schema) return {};
    const json = (await schema.jsonSchema) ?? schema["~standard"]?.jsonSchema?.input?.(TARGET) ?? schema.toJSONSchema?.();
    if (json) return json;
    return schema["~standard"] || typeof schema.parse === "function" ? {} : schema;
  } catch {
    return {}; // the schema cannot be expressed in JSON Schema
  }
}
