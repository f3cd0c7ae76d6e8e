import { type Filter, parseFilter, withoutCoreUrn } from './filter.ts';
import { refuseScim } from './scim-error.ts';

/** One change of one attribute, as it is applied. */
export interface AttributeChange {
  readonly op: 'add' | 'replace' | 'remove';
  /** In lower case. */
  readonly attribute: string;
  /** Which of several values: `emails[type eq "work"]`. */
  readonly filter: Filter | undefined;
  /** In lower case: `value` of `emails[type eq "work"].value`. */
  readonly sub: string | undefined;
  readonly value: unknown;
}

const PATH = /^([a-z$][\w$-]*)(?:\[([^[\]]*)\])?(?:\.([a-z$][\w$-]*))?$/i;
/** Attributes of an extension: none is kept here. */
const EXTENSION = /^urn:[\w:.-]+$/i;
const MAX_OPERATIONS = 1000;
const MAX_PATH = 500;

/**
 * Reads the body of a PATCH: the changes in their order, of which each is for one attribute. Names of operations in any
 * case, a value without a path as one change for each of its fields, and such fields that are paths themselves, as
 * directories send them. Changes of extensions are left out. Throws `invalid_request` with the name of the problem.
 */
export function parsePatch(body: unknown): readonly AttributeChange[] {
  const fields = toFields(body);
  const operations = fields?.['Operations'] ?? fields?.['operations'];
  if (!Array.isArray(operations) || operations.length === 0) {
    throw refuseScim('invalidSyntax', 'Operations: must be a list of one or more');
  }
  if (operations.length > MAX_OPERATIONS) {
    throw refuseScim('invalidSyntax', `Operations: must be at most ${MAX_OPERATIONS}; send several requests`);
  }
  return operations.flatMap((operation: unknown, index) => parseOperation(operation, `Operations.${index}`));
}

function parseOperation(operation: unknown, where: string): readonly AttributeChange[] {
  const { op: given, path, value } = toFields(operation) ?? {};
  const op = typeof given === 'string' ? given.toLowerCase() : '';
  if (op !== 'add' && op !== 'replace' && op !== 'remove') {
    throw refuseScim('invalidSyntax', `${where}.op: must be add, replace or remove`);
  }
  if (path !== undefined && path !== null && typeof path !== 'string') {
    throw refuseScim('invalidPath', `${where}.path: must be a text`);
  }
  if (typeof path === 'string' && path !== '') {
    if (op !== 'remove' && value === undefined) throw refuseScim('invalidValue', `${where}.value: is missing`);
    return parsePath(path, `${where}.path`, { op, value });
  }
  if (op === 'remove') throw refuseScim('noTarget', `${where}.path: is needed by remove`);
  const values = toFields(value);
  if (values === undefined) {
    throw refuseScim('invalidValue', `${where}.value: must be an object where there is no path`);
  }
  return Object.entries(values)
    .filter(([name]) => !UNCHANGED.has(name.toLowerCase()))
    .flatMap(([name, each]) => parsePath(name, `${where}.value`, { op, value: each }));
}

/** Sent along with a whole resource. */
const UNCHANGED: ReadonlySet<string> = new Set(['id', 'schemas', 'meta', 'groups']);

function parsePath(
  path: string,
  where: string,
  change: Pick<AttributeChange, 'op' | 'value'>,
): readonly AttributeChange[] {
  const refuse = () => refuseScim('invalidPath', `${where}: ${JSON.stringify(path.slice(0, 100))} is no path`);
  if (path.length > MAX_PATH) throw refuse();
  const plain = withoutCoreUrn(path.trim());
  if (EXTENSION.test(plain)) return [];
  const [, attribute, filter, sub] = PATH.exec(plain) ?? [];
  if (attribute === undefined) throw refuse();
  if (UNCHANGED.has(attribute.toLowerCase())) {
    throw refuseScim('mutability', `${where}: ${attribute} cannot be changed`);
  }
  return [
    {
      ...change,
      attribute: attribute.toLowerCase(),
      filter: filter === undefined ? undefined : parseFilter(filter),
      sub: sub?.toLowerCase(),
    },
  ];
}

/** The fields of an object; undefined for anything else. */
export function toFields(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** The fields of an object by their names in lower case, as SCIM compares names. */
export function toLowerFields(value: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(toFields(value) ?? {}).map(([name, each]) => [name.toLowerCase(), each]));
}
