/** A fact that an implementation must meet. A `Subject` is what `run` needs for its tests, such as a function that makes a store. */
export interface ContractCase<Subject> {
  /** A sentence, unique in its list. */
  readonly title: string;
  /** Rejects with an error that says what was expected and what was found instead. */
  run(subject: Subject): Promise<void>;
}

/** Throws unless both are alike. A field that is undefined counts as absent. */
export function expectEqual(actual: unknown, expected: unknown): void {
  report(findDifference(actual, expected, false));
}

/** Like `expectEqual`, but objects may have further fields, at any depth. */
export function expectMatch(actual: unknown, shape: unknown): void {
  report(findDifference(actual, shape, true));
}

/** Throws unless `isTrue`; `fact` says what should be so. */
export function expectThat(isTrue: boolean, fact: string): asserts isTrue {
  if (!isTrue) throw new Error(`Expected that ${fact}`);
}

/** Throws unless the promise rejects; with `message`, by an error of such a message. Resolves with the error. */
export async function expectRejection(promise: PromiseLike<unknown>, message?: RegExp): Promise<Error> {
  const expected = message === undefined ? 'a rejection' : `a rejection with a message like ${message}`;
  const error = await Promise.resolve(promise).then(() => undefined, toError);
  if (error === undefined) throw new Error(`Expected ${expected}, but it resolved`);
  if (message === undefined || message.test(error.message)) return error;
  throw new Error(`Expected ${expected}, but it was: ${error.message}`, { cause: error });
}

interface Difference {
  readonly path: string;
  readonly actual: unknown;
  readonly expected: unknown;
}

function report(difference: Difference | undefined): void {
  if (difference === undefined) return;
  const { path, actual, expected } = difference;
  throw new Error(`Expected ${show(expected)}${path === '' ? '' : ` at ${path}`}, but found ${show(actual)}`);
}

/** The first difference, with the path to it. */
function findDifference(actual: unknown, expected: unknown, isPartial: boolean, path = ''): Difference | undefined {
  const difference = { path, actual, expected };
  if (!isObject(actual) || !isObject(expected)) return Object.is(actual, expected) ? undefined : difference;
  if (Array.isArray(actual) !== Array.isArray(expected)) return difference;
  if (Array.isArray(actual) && Array.isArray(expected) && actual.length !== expected.length) return difference;
  const keys = new Set([...Object.keys(expected), ...(isPartial ? [] : Object.keys(actual))]);
  for (const key of keys) {
    const place = Array.isArray(expected) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    const [ours, theirs] = [actual, expected].map((value) => (Object.hasOwn(value, key) ? value[key] : undefined));
    const found = findDifference(ours, theirs, isPartial, place);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** As JSON, in as many characters as a line of a report takes. */
function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
