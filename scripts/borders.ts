import { findCircles, type Import, readImports } from './import-graph.ts';

/** What a room of the core may import beside itself. */
interface Room {
  readonly imports: readonly string[];
  /** Rooms of which it may import types alone. */
  readonly types?: readonly string[];
  /** Packages from outside that it may import; `zod` is open to all. */
  readonly packages?: readonly string[];
}

const BASE = ['foundation', 'wire', 'http'];
const CALLS = [...BASE, 'providers', 'catalog', 'stores', 'calls', 'auth'];
const UP_TO_DISPATCH = [...CALLS, 'routing', 'guardrails', 'rate-limits', 'budgets', 'generations', 'dispatch'];

/**
 * The rooms of `packages/core/src`, the lowest first, and what each may import. This table is the plan of the core:
 * `test/contract/borders.test.ts` holds the sources to it, and the borders of the lint file are made from it.
 */
export const CORE_ROOMS: Readonly<Record<string, Room>> = {
  foundation: { imports: [], packages: ['eventsource-parser'] },
  wire: { imports: ['foundation'] },
  http: { imports: ['foundation'] },
  providers: { imports: ['foundation', 'wire'] },
  webhooks: { imports: ['foundation', 'wire'] },
  catalog: { imports: ['foundation', 'wire', 'providers'] },
  stores: { imports: ['foundation', 'wire'], types: ['providers'] },
  calls: { imports: [...BASE, 'providers', 'catalog'] },
  auth: { imports: [...BASE, 'stores'] },
  routing: { imports: [...BASE, 'catalog', 'calls', 'auth'] },
  guardrails: { imports: [...BASE, 'catalog', 'stores', 'calls', 'auth'], packages: ['re2js'] },
  'rate-limits': { imports: ['foundation', 'http', 'calls'] },
  budgets: { imports: [...BASE, 'catalog', 'stores', 'calls', 'auth', 'guardrails'] },
  generations: { imports: [...BASE, 'catalog', 'stores', 'calls', 'auth'] },
  dispatch: { imports: UP_TO_DISPATCH.filter((room) => room !== 'dispatch') },
  jobs: { imports: ['foundation', 'stores'] },
  broadcast: {
    imports: [...BASE, 'catalog', 'stores', 'calls', 'auth', 'guardrails', 'generations', 'webhooks'],
  },
  kinds: { imports: UP_TO_DISPATCH },
  videos: { imports: [...UP_TO_DISPATCH, 'webhooks', 'jobs'] },
  chat: { imports: UP_TO_DISPATCH },
  dialects: { imports: ['foundation', 'wire', 'calls', 'chat'] },
  api: { imports: [...UP_TO_DISPATCH, 'webhooks', 'jobs', 'broadcast', 'kinds', 'videos', 'chat', 'dialects'] },
};

/** The files above all rooms: the door and what a gateway is made of. They may import every room; no room imports them. */
export const CORE_TOP = ['index.ts', 'gateway.ts', 'create-runtime.ts', 'runtime.ts', 'options.ts'];

/** What each package may import of the others. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  core: [],
  node: ['core'],
  express: ['core', 'node'],
  fixtures: ['core', 'node'],
  ui: [],
  server: ['core', 'node', 'express', 'fixtures', 'ui'],
  desktop: ['core', 'node', 'fixtures', 'server', 'ui'],
};

const CORE = 'packages/core/src/';
const NEUTRAL = ['zod'];

/** An import that the plan does not allow, and why. */
export interface Breach {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/** Everything in the sources below `root` that is not as the plan says. */
export interface Findings {
  readonly breaches: readonly Breach[];
  /** Files that import one another in a circle, types included. */
  readonly circles: readonly (readonly string[])[];
  /** Packages that import one another in a circle. */
  readonly packageCircles: readonly (readonly string[])[];
  /** Files of the core in no room of the table. */
  readonly homeless: readonly string[];
}

/** Compares every import of the product's sources with the plan. Reads the sources; takes about a second. */
export function findBreaches(root: string): Findings {
  const { files, imports } = readImports(root);
  const inside = imports.filter((one): one is Import & { to: string } => one.to !== undefined);
  return {
    breaches: imports.flatMap((one) => toBreach(one) ?? []),
    circles: findCircles(inside.map(({ from, to }) => [from, to])),
    packageCircles: findCircles(
      inside.flatMap(({ from, to }) =>
        packageOf(from) === packageOf(to) ? [] : [[packageOf(from), packageOf(to)] as const],
      ),
    ),
    homeless: files.filter((file) => file.startsWith(CORE) && roomOf(file) === undefined),
  };
}

function toBreach({ from, specifier, to }: Import): Breach | undefined {
  const reason = to === undefined ? objectToOutside(from, specifier) : objectToInside(from, to);
  return reason === undefined ? undefined : { from, to: to ?? specifier, reason };
}

/** The core imports `zod` and what its room names, and nothing else from outside. */
function objectToOutside(from: string, specifier: string): string | undefined {
  if (!from.startsWith(CORE)) return undefined;
  const room = roomOf(from);
  const allowed = [...NEUTRAL, ...(CORE_ROOMS[room ?? '']?.packages ?? [])];
  if (allowed.some((name) => specifier === name || specifier.startsWith(`${name}/`))) return undefined;
  return `${room ?? 'the top of core'} may import only ${allowed.join(', ')} from outside`;
}

function objectToInside(from: string, to: string): string | undefined {
  const [ours, theirs] = [packageOf(from), packageOf(to)];
  if (ours !== theirs) {
    return PACKAGES[ours]?.includes(theirs) === true ? undefined : `${ours} may not import ${theirs}`;
  }
  if (ours !== 'core') return undefined;
  const [room, other] = [roomOf(from), roomOf(to)];
  if (room === TOP || room === other) return undefined;
  if (other === TOP) return `no room imports the files above all rooms`;
  const { imports = [], types = [] } = CORE_ROOMS[room ?? ''] ?? {};
  return [...imports, ...types].includes(other ?? '') ? undefined : `${room} may not import ${other}`;
}

const TOP = 'top';

/** The room of a file of the core; `top` above all rooms, undefined in none. */
export function roomOf(file: string): string | undefined {
  const inside = file.slice(CORE.length);
  if (!inside.includes('/')) return CORE_TOP.includes(inside) ? TOP : undefined;
  const room = inside.slice(0, inside.indexOf('/'));
  return room in CORE_ROOMS ? room : undefined;
}

/** `packages/core/src/…` is of `core`, `desktop/src/…` of `desktop`. */
function packageOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  return first === 'packages' ? second : first;
}
