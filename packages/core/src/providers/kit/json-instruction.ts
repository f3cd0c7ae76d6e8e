/** Asks in words for an answer that is a JSON object, where the wire cannot bind it to that. */
export const JSON_OBJECT_INSTRUCTION = 'Answer with one JSON object and nothing else: no explanation, no code fence.';

/** Asks in words for an answer that is valid against a JSON Schema. */
export const toSchemaInstruction = (schema: object): string =>
  'Answer with one JSON document and nothing else: no explanation, no code fence. ' +
  `It must be valid against this JSON Schema:\n${JSON.stringify(schema)}`;
