const VERSION_AT = 14;
const DEFAULT_VERSION = '8';

/**
 * The id of the guardrail that applies to everything in a workspace (wire.md 16.2): the workspace's own, with the
 * version of the UUID changed. Random ids are of version 4, so it is unique.
 */
export function defaultGuardrailIdOf(workspaceId: string): string {
  return withVersion(workspaceId, DEFAULT_VERSION);
}

/** The workspace that a guardrail is the default of; undefined when it is none's. */
export function workspaceIdOfDefault(guardrailId: string): string | undefined {
  return guardrailId[VERSION_AT] === DEFAULT_VERSION ? withVersion(guardrailId, '4') : undefined;
}

/** The name of a default guardrail, which cannot be changed. */
export function defaultGuardrailName(workspaceId: string): string {
  return `Workspace ${workspaceId} Default`;
}

function withVersion(uuid: string, version: string): string {
  return uuid.slice(0, VERSION_AT) + version + uuid.slice(VERSION_AT + 1);
}
