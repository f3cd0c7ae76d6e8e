import type { Guardrail } from '@model-gateway/core/wire';

/** Whether it is the one of a workspace, which holds for all calls in it without being assigned. */
export const isDefault = ({ name, workspace_id: workspace }: Pick<Guardrail, 'name' | 'workspace_id'>): boolean =>
  workspace !== null && name === `Workspace ${workspace} Default`;
