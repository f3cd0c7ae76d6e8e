import { basename } from 'node:path';

import { type ConfigIssue, toPathText } from './config-errors.ts';

/** A config file in the names of the schema. */
export interface NamedTree {
  readonly tree: unknown;
  /** What is wrong with fields under another name. Their paths are those of the file. */
  readonly issues: ConfigIssue[];
  /** The path that the file has for one of `tree`. */
  toWrittenPath(path: string): string;
  /** An issue by the names that the file has. */
  toWrittenIssue(issue: ConfigIssue): ConfigIssue;
}

type Tree = Record<string, unknown>;

interface Reading {
  readonly root: Tree;
  readonly issues: ConfigIssue[];
  /** Paths in the file, by those in the schema. */
  readonly written: Map<string, string>;
  readonly lineOf: (path: string) => number | undefined;
}

const isObject = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Moves fields that are written under another name (docs/configuration.md#other-names) to where the schema has them, so
 * that everything after it knows one name alone. Changes `value`, which is expected to be just read.
 */
export function readOtherNames(value: unknown, lineOf: Reading['lineOf']): NamedTree {
  const reading: Reading = { root: isObject(value) ? value : {}, issues: [], written: new Map(), lineOf };
  readAuth(reading);
  readFees(reading);
  readFilters(reading);
  inferTypes(reading);
  const { issues, written } = reading;
  return {
    tree: value,
    issues,
    toWrittenPath: (path) => toWrittenPath(path, written),
    toWrittenIssue({ path, message }) {
      // Some messages name the field that another one clashes with.
      const longestFirst = [...written].toSorted(([one], [other]) => other.length - one.length);
      const text = longestFirst.reduce((changed, [place, name]) => changed.replaceAll(place, name), message);
      return { path: toWrittenPath(path, written), message: text };
    },
  };
}

/** The innermost field that was moved counts, as fields within one may come from elsewhere. */
function toWrittenPath(path: string, written: ReadonlyMap<string, string>): string {
  const moved = [...written.keys()].filter((one) => path.startsWith(one) && /^[.[]|^$/.test(path.slice(one.length)));
  const longest = moved.reduce((longer, one) => (one.length > longer.length ? one : longer), '');
  return (written.get(longest) ?? longest) + path.slice(longest.length);
}

/** Takes a field out of its section. Undefined where there is none. */
function take(section: unknown, name: string): unknown {
  if (!isObject(section) || !Object.hasOwn(section, name)) return undefined;
  const value = section[name];
  delete section[name];
  return value;
}

/** The section at a path, which is made if the file has none. Undefined where something else stands: the schema says so. */
function openSection(root: Tree, path: readonly string[]): Tree | undefined {
  return path.reduce<Tree | undefined>((around, name) => {
    if (around === undefined) return undefined;
    if (!Object.hasOwn(around, name)) around[name] = {};
    const section = around[name];
    return isObject(section) ? section : undefined;
  }, root);
}

/** Puts a value where the schema has it, unless the file gives that one, too. */
function put({ root, issues, written, lineOf }: Reading, name: string, path: readonly string[], value: unknown): void {
  const section = openSection(root, path.slice(0, -1));
  const last = path.at(-1) ?? '';
  if (section === undefined) return;
  const place = toPathText(path);
  if (Object.hasOwn(section, last)) {
    const other = toWrittenPath(place, written);
    const line = lineOf(other);
    const where = line === undefined ? '' : ` in line ${line}`;
    issues.push({ path: name, message: `says the same as ${other}${where}; remove one of them` });
    return;
  }
  section[last] = value;
  written.set(place, name);
}

/** `auth.oidc`, `auth.proxyHeader`, and one issuer of `auth.jwt` without a list around it. */
function readAuth(reading: Reading): void {
  const { root, written } = reading;
  const { auth } = root;
  if (!isObject(auth)) return;
  const oidc = take(auth, 'oidc');
  if (oidc !== undefined) {
    const roles = take(oidc, 'roles');
    put(reading, 'auth.oidc', ['signIn', 'oidc'], oidc);
    if (roles !== undefined) readRoles(reading, roles);
  }
  const header = take(auth, 'proxyHeader');
  if (header !== undefined && header !== null) readProxyHeader(reading, header);
  if (isObject(auth['jwt'])) {
    auth['jwt'] = [auth['jwt']];
    written.set('auth.jwt[0]', 'auth.jwt');
  }
}

function readRoles(reading: Reading, roles: unknown): void {
  if (!isObject(roles)) {
    const message = 'must be an object with the role of each group, e.g. { "platform": "administrator" }';
    reading.issues.push({ path: 'auth.oidc.roles', message });
    return;
  }
  for (const [group, role] of Object.entries(roles)) {
    put(reading, `auth.oidc.roles.${group}`, ['signIn', 'groups', group, 'role'], role);
  }
}

/** Whoever may set the header is whoever they like, so it is never taken from everywhere. */
function readProxyHeader(reading: Reading, header: unknown): void {
  const { root, issues, written } = reading;
  const trusted = isObject(root['server']) ? root['server']['trustedProxies'] : undefined;
  if (trusted === undefined || (Array.isArray(trusted) && trusted.length === 0)) {
    const message =
      'needs server.trustedProxies, the addresses of the proxy, e.g. ["10.0.0.5"]: from all others the header is ignored';
    issues.push({ path: 'auth.proxyHeader', message });
    return;
  }
  put(reading, 'auth.proxyHeader', ['signIn', 'proxy'], { header, trustedAddresses: trusted });
  if (written.get('signIn.proxy') !== 'auth.proxyHeader') return;
  written.set('signIn.proxy.header', 'auth.proxyHeader');
  written.set('signIn.proxy.trustedAddresses', 'server.trustedProxies');
}

/** `feePercent` for `account.byok.feeShare`, there or in a section `byok` of its own. */
function readFees(reading: Reading): void {
  const { root, issues } = reading;
  const byok = take(root, 'byok');
  if (isObject(byok)) {
    readFeePercent(reading, 'byok.feePercent', take(byok, 'feePercent'));
    const message = 'is not a known field. Remove it; the only field here is feePercent';
    for (const name of Object.keys(byok)) issues.push({ path: `byok.${name}`, message });
  } else if (byok !== undefined) {
    issues.push({ path: 'byok', message: 'must be an object: { "feePercent": 5 }' });
  }
  const { account } = root;
  if (!isObject(account)) return;
  readFeePercent(reading, 'account.byok.feePercent', take(account['byok'], 'feePercent'));
}

function readFeePercent(reading: Reading, name: string, percent: unknown): void {
  if (percent === undefined) return;
  if (typeof percent !== 'number' || percent < 0 || percent > 100) {
    reading.issues.push({ path: name, message: 'must be a number from 0 to 100' });
    return;
  }
  // As exact as shares are, and without the noise of a division.
  put(reading, name, ['account', 'byok', 'feeShare'], Math.round(percent * 10_000) / 1_000_000);
}

/** `filters` beside the other sections; one without a slug is named after its file. */
function readFilters(reading: Reading): void {
  const filters = take(reading.root, 'filters');
  if (filters === undefined) return;
  const named = Array.isArray(filters) ? filters.map((filter: unknown) => nameFilter(filter)) : filters;
  put(reading, 'filters', ['guardrails', 'filters'], named);
}

function nameFilter(filter: unknown): unknown {
  if (!isObject(filter) || Object.hasOwn(filter, 'slug') || typeof filter['module'] !== 'string') return filter;
  const slug = basename(filter['module'].replaceAll('\\', '/')).replace(/\.[cm]?[jt]s$/, '');
  return { slug, ...filter };
}

/** What only one type of store has says which one it is. Without a type it would be the default, which has none of it. */
function inferTypes({ root: { store, shared } }: Reading): void {
  if (isObject(store) && !Object.hasOwn(store, 'type')) {
    if (Object.hasOwn(store, 'module')) store['type'] = 'module';
    else if (Object.hasOwn(store, 'url')) store['type'] = 'postgres';
  }
  if (isObject(shared) && !Object.hasOwn(shared, 'type') && Object.hasOwn(shared, 'url')) shared['type'] = 'redis';
}
