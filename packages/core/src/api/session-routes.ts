import type { Route } from '../http/route.ts';

/** Signing in with a browser. Loaded when first called. */
export const SESSION_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/admin/v1/session',
    surface: 'admin',
    auth: 'none',
    summary: 'Tell whether the browser is signed in',
    success: { status: 200 },
    operation: async (context) => (await import('./sessions/get-session.ts')).getSession(context),
  },
  {
    method: 'POST',
    path: '/admin/v1/session',
    surface: 'admin',
    auth: 'none',
    summary: 'Sign in with a one-time token or a management key',
    success: { status: 201 },
    operation: async (context) => (await import('./sessions/create-session.ts')).createSession(context),
  },
  {
    method: 'DELETE',
    path: '/admin/v1/session',
    surface: 'admin',
    auth: 'none',
    summary: 'Sign out',
    success: { status: 200 },
    operation: async (context) => (await import('./sessions/delete-session.ts')).deleteSession(context),
  },
];
