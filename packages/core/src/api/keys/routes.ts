import type { Route } from '../../http/route.ts';
import type { KeyParts } from './key-parts.ts';

/** The keys of callers. */
export const KEY_ROUTES: readonly Route<KeyParts>[] = [
  {
    method: 'GET',
    path: '/api/v1/key',
    surface: 'api',
    auth: 'any',
    summary: 'Show the key of the caller',
    load: async () => (await import('./get-current-key.ts')).getCurrentKey,
  },
  {
    method: 'GET',
    path: '/api/v1/keys',
    surface: 'api',
    auth: 'management',
    wrongKey: 401,
    summary: 'List keys',
    load: async () => (await import('./list-keys.ts')).listKeys,
  },
  {
    method: 'POST',
    path: '/api/v1/keys',
    surface: 'api',
    auth: 'management',
    summary: 'Create a key; it is shown once',
    load: async () => (await import('./create-key.ts')).createKey,
  },
  {
    method: 'GET',
    path: '/api/v1/keys/{hash}',
    surface: 'api',
    auth: 'management',
    wrongKey: 401,
    summary: 'Get a key by its hash',
    load: async () => (await import('./get-key.ts')).getKey,
  },
  {
    method: 'PATCH',
    path: '/api/v1/keys/{hash}',
    surface: 'api',
    auth: 'management',
    wrongKey: 401,
    summary: 'Change a key',
    load: async () => (await import('./update-key.ts')).updateKey,
  },
  {
    method: 'DELETE',
    path: '/api/v1/keys/{hash}',
    surface: 'api',
    auth: 'management',
    wrongKey: 401,
    summary: 'Revoke a key',
    load: async () => (await import('./delete-key.ts')).deleteKey,
  },
];
