/** Requires a JSON object in words, where the wire cannot bind the completion to it. */
export const JSON_OBJECT_INSTRUCTION = 'Answer with one JSON object and nothing else: no explanation, no code fence.';

/** Requires JSON that is valid against a JSON Schema, in words. */
export const toSchemaInstruction = (schema: object): string =>
  'Answer with one JSON document and nothing else: no explanation, no code fence. ' +
  `It must be valid against this JSON Schema:\n${JSON.stringify(schema)}`;
