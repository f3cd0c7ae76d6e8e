import { fits } from './filter.ts';
import { type AttributeChange, toFields, toLowerFields } from './patch.ts';
import { refuseScim } from './scim-error.ts';

const MAX_ROLES = 100;
const MAX_TEXT = 400;

/** The roles of a user with one change made: values, each once. */
export function changeRoles(roles: readonly string[], change: AttributeChange): readonly string[] {
  const { op, filter, sub, value } = change;
  // What a role is called beside its value is not kept.
  if (sub !== undefined && sub !== 'value') return roles;
  const isChosen = (role: string): boolean => filter === undefined || fits(filter, readRole(role));
  if (op === 'remove' || value === null || value === undefined) {
    // Microsoft's directory names those that are to go as values.
    const gone = filter === undefined && value != null ? new Set(readRoles(value)) : undefined;
    return roles.filter((role) => (gone === undefined ? !isChosen(role) : !gone.has(role)));
  }
  // A value for one role that is told by a filter takes its place, whether it is added or replaced.
  const isInPlace = op === 'replace' || (filter !== undefined && sub === 'value');
  const kept = isInPlace ? roles.filter((role) => !isChosen(role)) : roles;
  const all = [...new Set([...kept, ...readRoles(value)])];
  if (all.length <= MAX_ROLES) return all;
  throw refuseScim('invalidValue', `roles: must be at most ${MAX_ROLES}`);
}

/** Every role counts as the primary one: directories that have one alone ask for it so. */
const readRole =
  (role: string) =>
  (path: string): readonly (string | boolean)[] | undefined => {
    if (path === 'value') return [role];
    return path === 'primary' ? [true, 'true'] : undefined;
  };

/** Values of texts, of `{ value }`, or of lists of these. */
const readRoles = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((each: unknown) => {
    const text = toFields(each) === undefined ? each : toLowerFields(each)['value'];
    if (typeof text !== 'string') throw refuseScim('invalidValue', 'roles: must have a text as value each');
    if (text.length > MAX_TEXT) {
      throw refuseScim('invalidValue', `roles: must have at most ${MAX_TEXT} characters each`);
    }
    const role = unwrap(text.trim());
    return role === '' ? [] : [role];
  });

/** Microsoft's directory may write a role as the text of an object. */
function unwrap(text: string): string {
  if (!text.startsWith('{')) return text;
  try {
    const { value } = toLowerFields(JSON.parse(text));
    return typeof value === 'string' ? value.trim() : text;
  } catch {
    return text;
  }
}
