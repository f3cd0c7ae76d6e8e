import type { Route } from '../../http/route.ts';
import type { SessionParts } from '../sessions.ts';

/** Signing in with a browser. */
export const SESSION_ROUTES: readonly Route<SessionParts>[] = [
  {
    method: 'GET',
    path: '/admin/v1/session',
    surface: 'admin',
    auth: 'none',
    operationId: 'getSession',
    summary: 'Tell whether the browser is signed in',
    load: async () => (await import('../sessions.ts')).getSession,
  },
  {
    method: 'POST',
    path: '/admin/v1/session',
    surface: 'admin',
    auth: 'none',
    operationId: 'createSession',
    summary: 'Sign in with a one-time token or a management key',
    load: async () => (await import('../sessions.ts')).createSession,
  },
  {
    method: 'DELETE',
    path: '/admin/v1/session',
    surface: 'admin',
    auth: 'none',
    operationId: 'deleteSession',
    summary: 'Sign out',
    load: async () => (await import('../sessions.ts')).deleteSession,
  },
];
