type Container = Record<string, unknown> | unknown[];

/** One step of a path: `.name`, `[0]`, `['name']` or `["name"]`. */
const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/**
 * Writes one piece of streamed arguments: `{ jsonPath: "$.a[0]", stringValue: "x" }`, or `numberValue`, `boolValue`,
 * `nullValue`. Texts at one path add up; other values replace. A piece whose path cannot be followed is dropped.
 */
export function addPartialArgument(root: Record<string, unknown>, piece: unknown): void {
  if (typeof piece !== 'object' || piece === null) return;
  const { jsonPath, stringValue, numberValue, boolValue } = piece as Readonly<Record<string, unknown>>;
  const path = typeof jsonPath === 'string' ? parsePath(jsonPath) : undefined;
  const last = path?.pop();
  if (path === undefined || last === undefined) return;
  const target = follow(root, path, last);
  if (target === undefined || (Array.isArray(target) && typeof last !== 'number')) return;
  if (typeof stringValue === 'string') {
    const before = get(target, last);
    set(target, last, typeof before === 'string' ? before + stringValue : stringValue);
  } else if (typeof numberValue === 'number') set(target, last, numberValue);
  else if (typeof boolValue === 'boolean') set(target, last, boolValue);
  else if ('nullValue' in piece) set(target, last, null);
}

/** The container that holds the last step, made on the way where it is missing. */
function follow(root: Container, path: readonly (string | number)[], last: string | number): Container | undefined {
  let target = root;
  for (const [depth, key] of path.entries()) {
    if (Array.isArray(target) && typeof key !== 'number') return undefined;
    let next = get(target, key);
    if (typeof next !== 'object' || next === null) {
      next = typeof (path[depth + 1] ?? last) === 'number' ? [] : {};
      set(target, key, next);
    }
    target = next as Container;
  }
  return target;
}

const get = (target: Container, key: string | number): unknown => (target as Record<string | number, unknown>)[key];

function set(target: Container, key: string | number, value: unknown): void {
  if (!Array.isArray(target)) target[key] = value;
  // Items arrive in order; an index far beyond the end would only make a sparse list.
  else target[Math.min(Number(key), target.length)] = value;
}

function parsePath(text: string): (string | number)[] | undefined {
  const path: (string | number)[] = [];
  STEP.lastIndex = text.startsWith('$') ? 1 : 0;
  while (STEP.lastIndex < text.length) {
    const step = STEP.exec(text);
    if (step === null) return undefined;
    const [, name, index, single, double] = step;
    const key = index === undefined ? (name ?? unescape(single ?? double ?? '')) : Number(index);
    // All other inherited members are functions, which `follow` replaces by a container.
    if (key === '__proto__') return undefined;
    path.push(key);
  }
  return path;
}

const unescape = (text: string): string => text.replaceAll(/\\(.)/g, '$1');
