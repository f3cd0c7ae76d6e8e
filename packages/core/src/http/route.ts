import { type Awaitable, whenKnown } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Operation, PublicOperation } from './operation.ts';
import type { ErrorForm } from './response.ts';

/** The properties of an operation that are known before it is loaded. */
export interface RouteRow {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `{name}` matches one segment, `{name+}` one or more. Earlier routes win. */
  readonly path: string;
  readonly surface: Surface;
  /**
   * The status for a key of the other kind, 403 when absent: some operations of the public wire declare no 403 and
   * respond with 401 (wire.md 3).
   */
  readonly wrongKey?: 401;
  /** The name of the operation, by which generated clients call it. */
  readonly operationId: string;
  readonly summary: string;
  /** The form of its errors, those before it runs included. Absent: the gateway's own. */
  readonly errors?: ErrorForm;
  /** What the audit log calls it, as `key.create`. Null for one that changes nothing though its method says so. */
  readonly audit?: string | null;
}

/**
 * A row of the table of operations, small, so that a gateway starts before any schema is made. `auth`: who may call it;
 * for `none` there is no principal. `load` returns the operation; callers that need it often keep it.
 */
export type Route<Parts> = RouteRow &
  (
    | { readonly auth: 'api' | 'management' | 'any'; readonly load: () => Awaitable<Operation<Parts>> }
    | { readonly auth: 'none'; readonly load: () => Awaitable<PublicOperation<Parts>> }
  );

/**
 * Groups of routes that a host may offer or leave out. Those of `ollama` and `gemini` are outside of `/api/v1`, where
 * applications have routes of their own.
 */
export type Surface = 'api' | 'ollama' | 'gemini' | 'admin' | 'metrics' | 'openapi' | 'health';

export interface RouteMatch<Parts> {
  /** The operation of the route is loaded once; after that `load` returns it without a promise. */
  readonly route: Route<Parts>;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the routes of a table. */
export interface Router<Parts> {
  /**
   * Finds the route of a request. The raw path is compared, so `/x/../api` or an encoded slash matches no route. Throws
   * `not_found`, `method_not_allowed`, or `invalid_request` for a parameter that cannot be decoded.
   */
  match(method: string, path: string): RouteMatch<Parts>;
  /** The methods that the routes of a path serve; empty when no route has this path. HEAD is included where GET is. */
  methodsOf(path: string): readonly string[];
  /** The form of the errors of a path; where no route has it, that which all its neighbours share. Absent: the gateway's own. */
  errorsOf(path: string): ErrorForm | undefined;
  /** Who may call this method and path; undefined when there is no such route. */
  authOf(method: string, path: string): Route<Parts>['auth'] | undefined;
  /** Whether one of these surfaces has a route for the method and path. */
  has(method: string, path: string, surfaces: readonly Surface[]): boolean;
}

interface VariableRoute<Parts> {
  /** What its path has before the first parameter: most paths are told apart by that. */
  readonly start: string;
  readonly pattern: RegExp;
  readonly route: Route<Parts>;
}

/** Folders of a path that are searched for neighbours: no route has more. */
const MOST_FOLDERS = 5;
const NO_PARAMS: RouteMatch<unknown>['params'] = {};

/** Creates a router for a table of routes, in which earlier routes win. */
export function createRouter<Parts>(routes: readonly Route<Parts>[]): Router<Parts> {
  /** The routes without parameters, by path: nearly every request needs one of these and finds it in one step. */
  const staticRoutes = new Map<string, RouteMatch<Parts>[]>();
  const variableRoutes: VariableRoute<Parts>[] = [];
  for (const route of routes.map(loadingOnce)) {
    const start = route.path.indexOf('{');
    if (start !== -1) variableRoutes.push({ start: route.path.slice(0, start), pattern: toPattern(route.path), route });
    else staticRoutes.set(route.path, [...(staticRoutes.get(route.path) ?? []), { route, params: NO_PARAMS }]);
  }

  /** The parameters of the matches are not decoded yet. */
  const findAll = (path: string): readonly RouteMatch<Parts>[] => {
    const known = staticRoutes.get(path);
    if (known !== undefined) return known;
    const matches: RouteMatch<Parts>[] = [];
    for (const { start, pattern, route } of variableRoutes) {
      const match = path.startsWith(start) ? pattern.exec(path) : null;
      if (match !== null) matches.push({ route, params: { ...match.groups } });
    }
    return matches;
  };
  const find = (method: string, path: string): RouteMatch<Parts> | undefined => {
    const wanted = method === 'HEAD' ? 'GET' : method;
    return findAll(path).find(({ route }) => route.method === wanted);
  };
  const methodsOf = (path: string): readonly string[] => {
    const methods = findAll(path).map(({ route }) => route.method as string);
    return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  };

  const errorsOf = (path: string): ErrorForm | undefined => {
    const [known] = findAll(path);
    if (known !== undefined) return known.route.errors;
    const names = path.split('/', MOST_FOLDERS + 1).slice(0, -1);
    for (let count = names.length; count > 1; count -= 1) {
      const folder = `${names.slice(0, count).join('/')}/`;
      const forms = new Set(routes.filter((route) => route.path.startsWith(folder)).map(({ errors }) => errors));
      if (forms.size > 0) return forms.size === 1 ? forms.values().next().value : undefined;
    }
    return undefined;
  };

  return {
    methodsOf,
    errorsOf,
    match(method, path) {
      const found = find(method, path);
      if (found !== undefined) return found.params === NO_PARAMS ? found : decodeParams(found);
      const methods = methodsOf(path);
      if (methods.length === 0) throw new GatewayError('not_found', 'There is nothing at this path');
      throw new GatewayError('method_not_allowed', `This path supports ${methods.join(', ')} only`);
    },
    authOf: (method, path) => find(method, path)?.route.auth,
    has(method, path, surfaces) {
      const found = find(method, path);
      return found !== undefined && surfaces.includes(found.route.surface);
    },
  };
}

function toPattern(path: string): RegExp {
  const source = path
    .replaceAll('.', '\\.')
    .replace(/\{(\w+)(\+?)\}/g, (_, name, many) => `(?<${name}>${many ? '.+' : '[^/]+'})`);
  return new RegExp(`^${source}$`);
}

function loadingOnce<Parts>(route: Route<Parts>): Route<Parts> {
  return route.auth === 'none' ? { ...route, load: once(route.load) } : { ...route, load: once(route.load) };
}

/** Keeps the loaded value; after a failed load the next call tries again. */
function once<Loaded>(load: () => Awaitable<Loaded>): () => Awaitable<Loaded> {
  let kept: Loaded | undefined;
  return () => kept ?? whenKnown(load(), (loaded) => (kept = loaded));
}

function decodeParams<Parts>({ route, params }: RouteMatch<Parts>): RouteMatch<Parts> {
  try {
    const decoded = Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)] as const);
    return { route, params: Object.fromEntries(decoded) };
  } catch (cause) {
    throw new GatewayError('invalid_request', 'The path is not properly encoded', { cause });
  }
}
