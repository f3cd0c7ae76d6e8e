import type { TaggedRoutes } from '../http/openapi.ts';
import type { Route, RouteRow } from '../http/route.ts';
import { ADMINISTRATION_ROUTES } from './administration-routes.ts';
import { CALL_ROUTES } from './call-routes.ts';
import type { ApiParts, Place, Row, RouteTable } from './route-rows.ts';

/** Every operation, by the tag of its resource, in the order in which `/openapi.json` shows them. */
const TABLE: RouteTable = { ...CALL_ROUTES, ...ADMINISTRATION_ROUTES };

const toRoutes = (rows: Readonly<Record<Place, Row>>): Route<ApiParts>[] =>
  Object.entries(rows).map(([place, row]) => {
    const [method = '', path = ''] = place.split(' ');
    return { method: method as RouteRow['method'], path, ...row };
  });

/** The rows by the tag of their resource. */
export const ROUTES_BY_TAG: TaggedRoutes<ApiParts> = Object.fromEntries(
  Object.entries(TABLE).map(([tag, rows]) => [tag, toRoutes(rows)]),
);

/** The rows of all resources; earlier rows take precedence. */
export const ROUTES: readonly Route<ApiParts>[] = Object.values(ROUTES_BY_TAG).flat();
