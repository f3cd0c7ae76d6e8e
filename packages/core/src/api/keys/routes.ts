import type { Route } from '../../http/route.ts';
import type { AnyKeyParts } from '../keys.ts';
import { ADMIN, ANY_KEY, MANAGEMENT } from '../route-groups.ts';

/** The keys of callers. */
export const KEY_ROUTES: readonly Route<AnyKeyParts>[] = [
  {
    ...ANY_KEY,
    method: 'GET',
    path: '/api/v1/key',
    operationId: 'getCurrentKey',
    summary: 'Show the key of the caller',
    load: async () => (await import('../keys.ts')).getCurrentKey,
  },
  {
    ...MANAGEMENT,
    method: 'GET',
    path: '/api/v1/keys',
    wrongKey: 401,
    operationId: 'listKeys',
    summary: 'List keys',
    load: async () => (await import('../keys.ts')).listKeys,
  },
  {
    ...MANAGEMENT,
    method: 'POST',
    path: '/api/v1/keys',
    operationId: 'createKey',
    summary: 'Create a key; it is shown once',
    load: async () => (await import('../keys.ts')).createKey,
  },
  {
    ...MANAGEMENT,
    method: 'GET',
    path: '/api/v1/keys/{hash}',
    wrongKey: 401,
    operationId: 'getKey',
    summary: 'Get a key by its hash',
    load: async () => (await import('../keys.ts')).getKey,
  },
  {
    ...MANAGEMENT,
    method: 'PATCH',
    path: '/api/v1/keys/{hash}',
    wrongKey: 401,
    operationId: 'updateKey',
    summary: 'Change a key',
    load: async () => (await import('../keys.ts')).updateKey,
  },
  {
    ...MANAGEMENT,
    method: 'DELETE',
    path: '/api/v1/keys/{hash}',
    wrongKey: 401,
    operationId: 'deleteKey',
    summary: 'Revoke a key',
    load: async () => (await import('../keys.ts')).deleteKey,
  },
  {
    ...ADMIN,
    method: 'GET',
    path: '/admin/v1/refusals',
    operationId: 'listRefusals',
    summary: 'List the latest requests of tools that were refused',
    load: async () => (await import('../keys.ts')).listRefusals,
  },
  {
    ...ADMIN,
    method: 'GET',
    path: '/admin/v1/keys',
    operationId: 'listAllKeys',
    summary: 'List all keys, those of the configuration included',
    load: async () => (await import('../keys.ts')).listAllKeys,
  },
  {
    ...ADMIN,
    method: 'GET',
    path: '/admin/v1/keys/{hash}',
    operationId: 'getKeyDetail',
    summary: 'Get any key with what holds for it',
    load: async () => (await import('../keys.ts')).getKeyDetail,
  },
];
