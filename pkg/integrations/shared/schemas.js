// What a tool's parameters look like to a model: a schema of any kind as JSON Schema, to be counted.

const TARGET = { target: "draft-2020-12" };

/**
 * JSON Schema of what an SDK takes as a schema: JSON Schema itself, what `jsonSchema` of `ai` makes, a Standard Schema that can say
 * it, or one with a `toJSONSchema` of its own. `{}` where it does not say: only its library could.
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
    return {}; // a schema that JSON Schema cannot say
  }
}
