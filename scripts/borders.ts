import { isBuiltin } from 'node:module';
import path from 'node:path';

import { findCircles, type Import, readImports } from './import-graph.ts';

/** Imports that a folder of core may have from outside of itself. */
interface Folder {
  readonly imports: readonly string[];
  /** Folders of which it may import types alone. */
  readonly types?: readonly string[];
  /** Packages from outside that it may import; `zod` is open to all. */
  readonly packages?: readonly string[];
}

const BASE = ['foundation', 'wire', 'http'];
const CALLS = [...BASE, 'providers', 'catalog', 'stores', 'calls', 'auth', 'account'];
const UP_TO_DISPATCH = [...CALLS, 'routing', 'guardrails', 'limits', 'generations', 'dispatch'];
/** Kinds of calls that are one request upstream and one result. */
const WHOLE_KINDS = ['embeddings', 'rerank', 'speech', 'transcriptions', 'images', 'moderations'];
const KINDS = [...WHOLE_KINDS, 'videos', 'chat', 'formats'];
const BELOW_API = [
  ...UP_TO_DISPATCH,
  'scim',
  'setup',
  'webhooks',
  'broadcast',
  'alarms',
  'audit',
  ...KINDS,
  'trials',
  'reruns',
  'files',
  'batches',
];

/**
 * The folders of `packages/core/src`, the lowest first, and what each may import. This table is the plan of the core:
 * `test/contract/borders.test.ts` checks the sources against it (docs/decisions/0023).
 */
export const CORE_FOLDERS: Readonly<Record<string, Folder>> = {
  foundation: { imports: [] },
  wire: { imports: ['foundation'] },
  http: { imports: ['foundation'] },
  providers: { imports: ['foundation', 'wire'], packages: ['aws4fetch', 'eventsource-parser'] },
  webhooks: { imports: ['foundation', 'wire'] },
  catalog: { imports: ['foundation', 'wire', 'providers'] },
  stores: { imports: ['foundation', 'wire'], types: ['providers'] },
  calls: { imports: [...BASE, 'providers', 'catalog'] },
  auth: { imports: [...BASE, 'stores'], packages: ['jose'] },
  account: { imports: [...BASE, 'stores', 'auth'] },
  scim: { imports: [...BASE, 'stores', 'auth', 'account'] },
  setup: { imports: ['foundation', 'wire', 'providers', 'catalog', 'stores'] },
  files: { imports: [...BASE, 'stores'] },
  audit: { imports: [...BASE, 'stores', 'auth'], types: ['setup'] },
  routing: { imports: [...BASE, 'catalog', 'calls', 'auth', 'account'] },
  guardrails: { imports: [...BASE, 'catalog', 'stores', 'calls', 'auth', 'account'], packages: ['re2js'] },
  limits: { imports: [...BASE, 'catalog', 'stores', 'calls', 'auth', 'account', 'guardrails'] },
  generations: { imports: [...BASE, 'catalog', 'stores', 'calls', 'auth', 'account'] },
  dispatch: { imports: UP_TO_DISPATCH.filter((folder) => folder !== 'dispatch') },
  broadcast: {
    imports: [...BASE, 'catalog', 'stores', 'calls', 'auth', 'account', 'guardrails', 'generations', 'webhooks'],
  },
  alarms: { imports: [...UP_TO_DISPATCH, 'webhooks'] },
  ...Object.fromEntries(WHOLE_KINDS.map((kind) => [kind, { imports: UP_TO_DISPATCH }])),
  videos: { imports: [...UP_TO_DISPATCH, 'webhooks'] },
  chat: { imports: [...UP_TO_DISPATCH, 'files'] },
  formats: { imports: ['foundation', 'wire', 'http', 'calls', 'chat'] },
  trials: { imports: [...UP_TO_DISPATCH, 'chat'] },
  reruns: { imports: [...UP_TO_DISPATCH, 'chat'] },
  batches: { imports: [...UP_TO_DISPATCH, 'files'] },
  api: { imports: BELOW_API },
};

/**
 * The files above all folders: the entry point and what a gateway is made of. They may import every folder; no folder
 * imports them.
 */
export const CORE_TOP = ['index.ts', 'gateway.ts', 'runtime.ts', 'options.ts'];

/**
 * Imports from other packages that each package may have: `core` is the main entry alone, `core/*` includes its other
 * public paths.
 */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  core: [],
  node: ['core/*'],
  express: ['core/*', 'node/*'],
  postgres: ['core'],
  redis: ['core'],
  'ai-sdk': ['core/*'],
  fixtures: ['core/*', 'node/*'],
  clients: [],
  ui: ['clients'],
  server: ['core/*', 'node/*', 'express', 'postgres', 'redis', 'ai-sdk/*', 'fixtures', 'clients', 'ui/*'],
  desktop: ['core/*', 'node/*', 'fixtures', 'server/*', 'ui/*'],
};

/** The public paths of which a package may import types alone. */
export const TYPE_ENTRIES: Readonly<Record<string, readonly string[]>> = {
  ui: ['core/wire'],
};

/** The public paths that are for tests, here and elsewhere: the product imports none of them. */
const TEST_ENTRIES: readonly string[] = ['@model-gateway/core/testing'];

/**
 * The files of the UI that are no part of its bundle, because they need zod: the contract between the page and the
 * desktop app, which runs in the app. The other files of the UI may import types alone from them, and from zod.
 */
export const OUTSIDE_OF_BUNDLE = ['packages/ui/src/desktop-bridge.ts'];

/**
 * The files of the bundle that may have zod, in a chunk that is loaded when a user opens a file: what somebody else has
 * written is checked field by field.
 */
const ZOD_LOADED_LATE = ['packages/ui/src/screens/playground/experiments/experiment-schema.ts'];

/**
 * The folders of `packages/ui/src`, the lowest first: each may import those before it. Screens do not import one another:
 * what two of them show is a feature. Files beside the folders start the page, or are public paths that import nothing.
 */
export const UI_FLOORS: readonly string[] = [
  'messages',
  'format',
  'api',
  'app',
  'parts',
  'features',
  'panel',
  'screens',
  'shell',
];

/** What starts the page. */
const UI_START = ['main.tsx', 'router.tsx'];

/**
 * The folders of `packages/server/src`, the lowest first: each may import those before it. `commands` has a file a
 * command, which reads its arguments and loads late what it does. Files beside the folders start the command, are the
 * public path, or are known by their place in the package, and import nothing then.
 */
export const SERVER_FLOORS: readonly string[] = [
  'process',
  'ui',
  'open',
  'sample',
  'checks',
  'setup',
  'engine',
  'serve',
  'workers',
  'doctor',
  'moving',
  'connect',
  'terminal',
  'foreign',
  'reruns',
  'commands',
];

/** The command, and the public path of the package. */
const SERVER_START = ['main.ts', 'embed.ts'];

const UI = 'packages/ui/src/';
const SERVER = 'packages/server/src/';
const CORE = 'packages/core/src/';
/** The contracts of stores and providers as cases: no source imports them, and they import the core's public paths. */
const TESTING = 'packages/core/testing/';
const NEUTRAL = ['zod'];

/** An import that the plan does not allow, and why. */
export interface Breach {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/** Everything in the sources below `root` that does not follow the plan. */
export interface Findings {
  readonly breaches: readonly Breach[];
  /** Files that import one another in a circle, types included. */
  readonly circles: readonly (readonly string[])[];
  /** Packages that import one another in a circle. */
  readonly packageCircles: readonly (readonly string[])[];
  /** Files of the core in no folder of the table, and of the UI and the server in a folder that is on no floor. */
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
      imports.flatMap(({ from, specifier }) => {
        const named = packageNamedBy(specifier);
        return named === undefined ? [] : [[packageOf(from), named] as const];
      }),
    ),
    homeless: files.filter(isHomeless),
  };
}

/** Returns undefined for an import that the plan allows. */
export function toBreach({ from, specifier, to, isType }: Import): Breach | undefined {
  const reason =
    findPackageProblem({ from, specifier, isType }) ??
    findBridgeProblem(from, specifier) ??
    (to === undefined
      ? findOutsideProblem({ from, specifier, isType })
      : (findBundleProblem({ from, to, isType }) ??
        findFloorProblem(from, to) ??
        findServerFloorProblem(from, to) ??
        findFolderProblem({ from, to, isType })));
  return reason === undefined ? undefined : { from, to: to ?? specifier, reason };
}

/** Another package is imported by its public paths alone, and only by the packages that the table names. */
function findPackageProblem({ from, specifier, isType }: Omit<Import, 'to'>): string | undefined {
  const ours = packageOf(from);
  if (specifier.startsWith('.')) {
    const isOwn = path.posix.join(path.posix.dirname(from), specifier).startsWith(sourcesOf(from));
    return isOwn ? undefined : `${ours} may import by a relative path only files below ${sourcesOf(from)}`;
  }
  const theirs = packageNamedBy(specifier);
  if (theirs === undefined || theirs === ours) return undefined;
  if (TEST_ENTRIES.includes(specifier)) return `the product may not import ${specifier}, which is for tests`;
  const isEntry = specifier.split('/').length === (specifier.startsWith('@') ? 2 : 1);
  const allowed = PACKAGES[ours] ?? [];
  if (allowed.includes(`${theirs}/*`) || (isEntry && allowed.includes(theirs))) return undefined;
  if (TYPE_ENTRIES[ours]?.some((entry) => specifier === `@model-gateway/${entry}`) !== true) {
    return `${ours} may not import ${specifier}`;
  }
  return isType ? undefined : `${ours} may import types alone of ${specifier}`;
}

/** The core imports `zod`, what its folder names, and data beside the file; the UI's bundle has no `zod`. */
function findOutsideProblem({ from, specifier, isType }: Omit<Import, 'to'>): string | undefined {
  if (packageOf(from) === 'ui') {
    if (isBuiltin(specifier)) return 'the UI runs in browsers, without the modules of Node';
    if (specifier !== 'zod' && !specifier.startsWith('zod/')) return undefined;
    const mayHave = [...OUTSIDE_OF_BUNDLE, ...ZOD_LOADED_LATE].includes(from);
    return isType || mayHave ? undefined : 'the bundle of the UI must not contain zod';
  }
  if (from.startsWith(TESTING)) return packageNamedBy(specifier) === 'core' ? undefined : 'it is for any test runner';
  if (!from.startsWith(CORE)) return undefined;
  const folder = folderOf(from);
  if (specifier.endsWith('.json')) {
    return specifier.startsWith('./') ? undefined : `${folder} may import data only from beside it`;
  }
  const allowed = [...NEUTRAL, ...(CORE_FOLDERS[folder ?? '']?.packages ?? [])];
  if (allowed.some((name) => specifier === name || specifier.startsWith(`${name}/`))) return undefined;
  return `${folder ?? 'the top of core'} may import only ${allowed.join(', ')} from outside`;
}

function findBridgeProblem(from: string, specifier: string): string | undefined {
  if (!OUTSIDE_OF_BUNDLE.includes(from) || NEUTRAL.includes(specifier)) return undefined;
  return `it runs in the page and in the desktop app, so it may import only ${NEUTRAL.join(', ')}`;
}

function findBundleProblem({ from, to, isType }: Omit<Import, 'specifier'> & { to: string }): string | undefined {
  if (packageOf(from) !== 'ui' || isType || OUTSIDE_OF_BUNDLE.includes(from)) return undefined;
  return OUTSIDE_OF_BUNDLE.includes(to) ? `the bundle may import types alone of ${to}` : undefined;
}

function isHomeless(file: string): boolean {
  for (const [sources, floors] of [[UI, UI_FLOORS] as const, [SERVER, SERVER_FLOORS] as const]) {
    const [folder, ...inside] = file.slice(sources.length).split('/');
    if (file.startsWith(sources)) return inside.length > 0 && !floors.includes(folder ?? '');
  }
  return file.startsWith(CORE) && folderOf(file) === undefined;
}

function findFloorProblem(from: string, to: string): string | undefined {
  if (!from.startsWith(UI) || !to.startsWith(UI)) return undefined;
  const [folder, screen] = from.slice(UI.length).split('/');
  const [other, otherScreen] = to.slice(UI.length).split('/');
  const [floor, otherFloor] = [UI_FLOORS.indexOf(folder ?? ''), UI_FLOORS.indexOf(other ?? '')];
  if (UI_START.includes(other ?? '') && from !== `${UI}main.tsx`) return `only main.tsx imports ${other}`;
  // Files beside the folders.
  if (floor === -1 || otherFloor === -1) return undefined;
  if (otherFloor > floor) return `${folder} may not import ${other}, which is above it`;
  return folder === 'screens' && other === 'screens' && screen !== otherScreen
    ? `the screens of ${screen} may not import those of ${otherScreen}`
    : undefined;
}

function findServerFloorProblem(from: string, to: string): string | undefined {
  if (!from.startsWith(SERVER) || !to.startsWith(SERVER)) return undefined;
  const [[folder = ''], [other = '']] = [from.slice(SERVER.length).split('/'), to.slice(SERVER.length).split('/')];
  if (SERVER_START.includes(other)) return `no file imports ${other}`;
  const [floor, otherFloor] = [SERVER_FLOORS.indexOf(folder), SERVER_FLOORS.indexOf(other)];
  if (floor === -1) return SERVER_START.includes(folder) ? undefined : `${folder} is known by its place alone`;
  return otherFloor > floor ? `${folder} may not import ${other}, which is above it` : undefined;
}

function findFolderProblem({ from, to, isType }: Omit<Import, 'specifier'> & { to: string }): string | undefined {
  if (to.startsWith(TESTING) !== from.startsWith(TESTING)) {
    return to.startsWith(TESTING) ? 'the product may not import testing, which is for tests' : undefined;
  }
  if (!from.startsWith(CORE) || !to.startsWith(CORE)) return undefined;
  const [folder, other] = [folderOf(from), folderOf(to)];
  if (folder === other) return undefined;
  if (folder === TOP) return undefined;
  if (other === TOP) return `no folder imports the files above all folders`;
  const { imports, types = [] } = CORE_FOLDERS[folder ?? ''] ?? { imports: [] };
  if (imports.includes(other ?? '')) return undefined;
  if (!types.includes(other ?? '')) return `${folder} may not import ${other}`;
  return isType ? undefined : `${folder} may import types alone of ${other}`;
}

const TOP = 'top';

/** The folder of a file of the core; `top` above all folders, undefined in none. */
export function folderOf(file: string): string | undefined {
  const inside = file.slice(CORE.length);
  if (!inside.includes('/')) return CORE_TOP.includes(inside) ? TOP : undefined;
  const folder = inside.slice(0, inside.indexOf('/'));
  return folder in CORE_FOLDERS ? folder : undefined;
}

/** Returns `core` for `packages/core/src/…`, and `desktop` for `desktop/src/…`. */
function packageOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  return first === 'packages' ? second : first;
}

/** Returns `packages/core/src/` for a source of the core: the folder that its relative paths may not leave. */
const sourcesOf = (file: string): string =>
  file.startsWith(TESTING) ? TESTING : file.slice(0, file.indexOf('/src/') + '/src/'.length);

/** Returns `core` for `@model-gateway/core/wire`, and `server` for a path of the command's package. */
function packageNamedBy(specifier: string): string | undefined {
  const [first = '', second] = specifier.split('/');
  return first === '@model-gateway' ? second : first === 'model-gateway' ? 'server' : undefined;
}
