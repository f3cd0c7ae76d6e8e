import type { Route } from '../../http/route.ts';
import { ADMIN } from '../route-groups.ts';
import type { SystemParts } from '../system.ts';

/** How the process does, and this description of its operations. */
export const SYSTEM_ROUTES: readonly Route<SystemParts>[] = [
  {
    method: 'GET',
    path: '/health',
    surface: 'health',
    auth: 'none',
    operationId: 'getHealth',
    summary: 'Whether the process answers',
    load: async () => (await import('../system.ts')).getHealth,
  },
  {
    method: 'GET',
    path: '/ready',
    surface: 'health',
    auth: 'none',
    operationId: 'getReady',
    summary: 'Whether new calls are taken',
    load: async () => (await import('../system.ts')).getReady,
  },
  {
    ...ADMIN,
    method: 'GET',
    path: '/admin/v1/instance',
    operationId: 'getInstance',
    summary: 'Show which process responds, how it is and what it keeps things in',
    load: async () => (await import('../system.ts')).getInstance,
  },
  {
    method: 'GET',
    path: '/metrics',
    surface: 'metrics',
    auth: 'none',
    operationId: 'getMetrics',
    summary: 'Figures in the Prometheus text format',
    load: async () => (await import('../metrics.ts')).getMetrics,
  },
  {
    method: 'GET',
    path: '/openapi.json',
    surface: 'openapi',
    auth: 'none',
    operationId: 'getOpenApi',
    summary: 'This document',
    load: async () => (await import('../system.ts')).getOpenApi,
  },
];
