/** A member of a foreign file: any of its fields may be absent, or of another type than its documentation says. */
export type Tree = Readonly<Record<string, unknown>>;

export const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Empty for anything else. */
export const treeOf = (value: unknown): Tree => (isTree(value) ? value : {});

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const treesOf = (value: unknown): readonly Tree[] => listOf(value).filter(isTree);

/** Undefined for anything else, and for empty text. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

export const textsOf = (value: unknown): readonly string[] => listOf(value).flatMap((each) => textOf(each) ?? []);

/** Numbers as text count: YAML files have them in quotes. Undefined for anything else, and for what is below 0. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
}

/** The positive whole number, rounded down; undefined without one. */
export function wholeOf(value: unknown): number | undefined {
  const whole = Math.floor(numberOf(value) ?? 0);
  return whole >= 1 ? whole : undefined;
}

/** A moment as ISO 8601 in UTC; times without a zone are UTC. Null without one. */
export function momentOf(value: unknown): string | null {
  const text = textOf(value);
  if (text === undefined) return null;
  const zoned = /(Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text.replace(' ', 'T')}Z`;
  const moment = new Date(zoned);
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}

/** What a table of ours has for a name of theirs: nothing for `constructor`, which every object has. */
export const lookUp = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** Names of fields, written with spaces between them. */
export const fieldsOf = (names: string): readonly string[] => names.split(' ');

/** The fields that have a value and are not among those that were looked at. */
export const otherFields = (tree: Tree, known: readonly string[]): readonly string[] =>
  Object.entries(tree)
    .filter(([name, value]) => !known.includes(name) && !isEmpty(value))
    .map(([name]) => name);

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === false ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isTree(value) && Object.keys(value).length === 0);

/**
 * The rows of a response or a dump: a list, one under `data` or another name, or several of those in one object. A row is
 * an object in one of those lists, or one that stands alone.
 */
export function rowsOf(tree: unknown): readonly unknown[] {
  if (Array.isArray(tree)) return tree.flatMap((each: unknown) => (hasLists(each) ? rowsOf(each) : [each]));
  if (!isTree(tree)) return [];
  if (!hasLists(tree)) return isTree(tree['data']) ? rowsOf(tree['data']) : [tree];
  return Object.values(tree).flatMap((value) => (Array.isArray(value) || isTree(value) ? rowsOf(value) : []));
}

/** Names of lists of rows in answers and dumps, as opposed to lists within a row. */
const LISTS =
  /^(data|keys|teams|users|budgets|workspaces|guardrails|presets|byok|configs|virtual_keys|api_keys|LiteLLM_\w+)$/;

const hasLists = (tree: unknown): boolean =>
  isTree(tree) &&
  Object.entries(tree).some(
    ([name, value]) => LISTS.test(name) && (isTree(value) ? hasLists(value) : listOf(value).length > 0),
  ) &&
  !ROW_MARKS.some((mark) => mark in tree);

/** What rows have and answers do not: a team of LiteLLM has its keys within it. */
const ROW_MARKS = ['team_id', 'token', 'id', 'hash', 'user_id', 'budget_id'];
