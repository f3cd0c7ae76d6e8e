import type { Surface } from './route.ts';
import { GatewayError } from '../foundation/errors.ts';
import { type Route, ROUTES } from '../api/routes.ts';

export interface RouteMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

const NO_PARAMS: RouteMatch['params'] = {};
/** By path: what nearly every request needs, found in one step. */
const STATIC_ROUTES = new Map<string, RouteMatch[]>();
const VARIABLE_ROUTES: { readonly pattern: RegExp; readonly route: Route }[] = [];
for (const route of ROUTES) {
  if (route.path.includes('{')) VARIABLE_ROUTES.push({ pattern: toPattern(route.path), route });
  else STATIC_ROUTES.set(route.path, [...(STATIC_ROUTES.get(route.path) ?? []), { route, params: NO_PARAMS }]);
}

function toPattern(path: string): RegExp {
  const source = path
    .replaceAll('.', '\\.')
    .replace(/\{(\w+)(\+?)\}/g, (_, name, many) => `(?<${name}>${many ? '.+' : '[^/]+'})`);
  return new RegExp(`^${source}$`);
}

/** Methods answered by the routes of a path; empty when the path is none of ours. HEAD goes with GET. */
export function methodsOf(path: string): readonly string[] {
  const methods = findAll(path).map(({ route }) => route.method as string);
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
}

/**
 * Finds the route of a request. The raw path is compared, so `/x/../api` or an encoded slash is no path of ours.
 * Throws `not_found`, `method_not_allowed`, or `invalid_request` for a parameter that cannot be decoded.
 */
export function matchRoute(method: string, path: string): RouteMatch {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const candidates = findAll(path);
  const found = candidates.find(({ route }) => route.method === wanted);
  if (found !== undefined) return found.params === NO_PARAMS ? found : decodeParams(found);
  if (candidates.length === 0) throw new GatewayError('not_found', 'There is nothing at this path');
  throw new GatewayError('method_not_allowed', `This path answers ${methodsOf(path).join(', ')} only`);
}

/** Whether one of these surfaces has a route for the method and path. */
export function hasRoute(method: string, path: string, surfaces: readonly Surface[]): boolean {
  const wanted = method === 'HEAD' ? 'GET' : method;
  return findAll(path).some(({ route }) => route.method === wanted && surfaces.includes(route.surface));
}

/** Parameters are not decoded yet. */
function findAll(path: string): readonly RouteMatch[] {
  const exact = STATIC_ROUTES.get(path);
  if (exact !== undefined) return exact;
  return VARIABLE_ROUTES.flatMap(({ pattern, route }) => {
    const match = pattern.exec(path);
    return match === null ? [] : [{ route, params: { ...match.groups } }];
  });
}

function decodeParams({ route, params }: RouteMatch): RouteMatch {
  try {
    const decoded = Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)] as const);
    return { route, params: Object.fromEntries(decoded) };
  } catch (cause) {
    throw new GatewayError('invalid_request', 'The path is not properly encoded', { cause });
  }
}
