import type { Route } from '../../http/route.ts';
import { MANAGEMENT } from '../route-groups.ts';
import type { WorkspaceParts } from './workspace-parts.ts';

/** Workspaces with their budgets. */
export const WORKSPACE_ROUTES: readonly Route<WorkspaceParts>[] = [
  {
    ...MANAGEMENT,
    method: 'GET',
    path: '/api/v1/workspaces',
    wrongKey: 401,
    summary: 'List workspaces',
    load: async () => (await import('./list-workspaces.ts')).listWorkspaces,
  },
  {
    ...MANAGEMENT,
    method: 'POST',
    path: '/api/v1/workspaces',
    summary: 'Create a workspace',
    load: async () => (await import('./create-workspace.ts')).createWorkspace,
  },
  {
    ...MANAGEMENT,
    method: 'GET',
    path: '/api/v1/workspaces/{id}',
    wrongKey: 401,
    summary: 'Get a workspace by id or slug',
    load: async () => (await import('./get-workspace.ts')).getWorkspace,
  },
  {
    ...MANAGEMENT,
    method: 'PATCH',
    path: '/api/v1/workspaces/{id}',
    summary: 'Change a workspace',
    load: async () => (await import('./update-workspace.ts')).updateWorkspace,
  },
  {
    ...MANAGEMENT,
    method: 'DELETE',
    path: '/api/v1/workspaces/{id}',
    summary: 'Delete a workspace that has no keys',
    load: async () => (await import('./delete-workspace.ts')).deleteWorkspace,
  },
  {
    ...MANAGEMENT,
    method: 'GET',
    path: '/api/v1/workspaces/{id}/budgets',
    wrongKey: 401,
    summary: 'List the budgets of a workspace',
    load: async () => (await import('./list-workspace-budgets.ts')).listWorkspaceBudgets,
  },
  {
    ...MANAGEMENT,
    method: 'GET',
    path: '/api/v1/workspaces/{id}/budgets/{interval}',
    wrongKey: 401,
    summary: 'Get a budget of a workspace',
    load: async () => (await import('./get-workspace-budget.ts')).getWorkspaceBudget,
  },
  {
    ...MANAGEMENT,
    method: 'PUT',
    path: '/api/v1/workspaces/{id}/budgets/{interval}',
    wrongKey: 401,
    summary: 'Set a budget of a workspace',
    load: async () => (await import('./put-workspace-budget.ts')).putWorkspaceBudget,
  },
  {
    ...MANAGEMENT,
    method: 'DELETE',
    path: '/api/v1/workspaces/{id}/budgets/{interval}',
    wrongKey: 401,
    summary: 'Lift a budget of a workspace',
    load: async () => (await import('./delete-workspace-budget.ts')).deleteWorkspaceBudget,
  },
];
