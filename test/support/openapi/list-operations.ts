type Json = Readonly<Record<string, unknown>>;

interface Document {
  readonly paths: Readonly<Record<string, Json>>;
  readonly components?: unknown;
}

/** What an operation takes and returns, by names. */
export interface NamedOperation {
  /** Method and path, whose variable parts have no name: `GET /keys/{}`. */
  readonly operation: string;
  readonly statuses: readonly string[];
  readonly query: readonly string[];
  /** Fields of the body. */
  readonly body: readonly string[];
  /** Fields of the response, those of `data` and of its rows included. */
  readonly response: readonly string[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** The operations of an OpenAPI document. Every form of a body or a response counts. */
export function listOperations(document: Document): NamedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    METHODS.filter((method) => methods[method] !== undefined).map((method) => ({
      operation: `${method.toUpperCase()} ${path.replaceAll(/\{[^}]*\}/g, '{}')}`,
      ...namesOf(methods[method] as Json, document),
    })),
  );
}

function namesOf(operation: Json, document: Document): Omit<NamedOperation, 'operation'> {
  const parameters = ((operation['parameters'] ?? []) as unknown[]).map((one) => resolve(one, document));
  const responses = operation['responses'] as Json;
  const [success] = Object.keys(responses).filter((status) => status.startsWith('2'));
  return {
    statuses: Object.keys(responses)
      .filter((status) => status !== 'default')
      .toSorted(),
    query: toNames(parameters.flatMap((one) => (one['in'] === 'query' ? [String(one['name'])] : []))),
    body: toNames(fieldsOf(schemaOf(operation['requestBody'], document), document, '')),
    response: toNames(fieldsOf(schemaOf(responses[success ?? ''], document), document, '')),
  };
}

const toNames = (names: readonly string[]): string[] => [...new Set(names)].toSorted();

/** The schema of the first kind of content. */
function schemaOf(holder: unknown, document: Document): unknown {
  const content = (resolve(holder, document)['content'] ?? {}) as Json;
  const first = content['application/json'] ?? Object.values(content)[0];
  return (first as Json | undefined)?.['schema'];
}

function fieldsOf(schema: unknown, document: Document, prefix: string): string[] {
  const { properties, items, ...rest } = resolve(schema, document);
  const forms = ['allOf', 'anyOf', 'oneOf'].flatMap((word) => (rest[word] ?? []) as unknown[]);
  const own = Object.entries((properties ?? {}) as Json).flatMap(([name, value]) => [
    prefix + name,
    // Most responses have their rows there.
    ...(name === 'data' && prefix === '' ? fieldsOf(value, document, 'data.') : []),
  ]);
  const rows = items === undefined || prefix === '' ? [] : fieldsOf(items, document, prefix);
  return [...own, ...rows, ...forms.flatMap((form) => fieldsOf(form, document, prefix))];
}

/** Follows a reference; an empty object for nothing. */
function resolve(value: unknown, document: Document): Json {
  const found = (value ?? {}) as Json;
  const reference = found['$ref'];
  if (typeof reference !== 'string') return found;
  const target = reference
    .slice(2)
    .split('/')
    .reduce<unknown>((place, key) => (place as Json)[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
  return resolve(target, document);
}
