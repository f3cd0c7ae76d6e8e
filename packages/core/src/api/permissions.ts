import { GatewayError } from '../foundation/errors.ts';
import type { OrganizationRole, Principal } from '../http/request.ts';

/**
 * What of an operation a role may do: with everything, or with what is their own alone. What is own counts for the
 * member: their calls, keys, jobs and what those have cost.
 */
export type Scope = 'all' | 'own' | 'none';

/** Who may perform an operation. The roles of workspaces widen that of the organization, and count for developers and billing. */
export type Permission = Readonly<Record<OrganizationRole, Scope>> & {
  /** Whether administrators of a workspace may do it with all that is in their workspace. */
  readonly workspaceAdministrator: boolean;
};

const allow = (roles: Partial<Permission> = {}): Permission => ({
  owner: 'all',
  administrator: 'all',
  billing: 'none',
  developer: 'none',
  viewer: 'none',
  workspaceAdministrator: false,
  ...roles,
});

const administrators = allow();
/** What says nothing about anybody. */
const everyone = allow({ billing: 'all', developer: 'all', viewer: 'all' });
/** Money without contents. */
const billing = allow({ billing: 'all' });
/** The calls of a member, with their contents. */
const ownCalls = allow({ developer: 'own', viewer: 'own', workspaceAdministrator: true });
/** Changes of what is one's own. */
const ownChanges = allow({ developer: 'own', workspaceAdministrator: true });
/** Sums and limits: money of all for billing, one's own for the others. */
const spending = allow({ billing: 'all', developer: 'own', viewer: 'own', workspaceAdministrator: true });
const workspaces = allow({ workspaceAdministrator: true });
const workspacesAndBilling = allow({ billing: 'all', workspaceAdministrator: true });

/**
 * Who may perform each operation that a member who has signed in can reach: those that administer, and those for any
 * caller. The way of a request, `docs/roles.md`, the session of a browser and the tests read this table alone.
 */
export const PERMISSIONS: Readonly<Record<string, Permission>> = {
  // Calls
  getGeneration: ownCalls,
  getGenerationContent: ownCalls,
  submitGenerationFeedback: ownChanges,
  listGenerations: ownCalls,
  getGenerationHistogram: spending,
  listGenerationSessions: ownCalls,
  getSessionCache: ownCalls,
  listCacheCauses: ownCalls,
  dryRunCacheMarks: ownCalls,
  exportGenerations: ownCalls,
  // Its events are numbered, and the numbers tell of the calls of others.
  followGenerations: administrators,
  listRunningCalls: ownCalls,
  cancelGeneration: ownChanges,
  // It is a call by the key of another, with all that such a call reads.
  resendGeneration: administrators,
  getGenerationTimeline: ownCalls,
  getCallTimeline: ownCalls,
  getGenerationCourse: ownCalls,
  getGenerationRequest: ownCalls,
  getGenerationCache: ownCalls,
  reviewGeneration: ownChanges,
  deleteGenerationContent: ownChanges,
  listViews: administrators,
  putView: administrators,
  deleteView: administrators,
  explainCall: ownCalls,
  getResponse: ownCalls,
  deleteResponse: ownChanges,
  cancelResponse: ownChanges,
  listInputItems: ownCalls,
  getVideo: ownCalls,
  getVideoContent: ownCalls,
  listVideos: ownCalls,
  getVideoDetail: ownCalls,
  getVideoInputs: ownCalls,

  // Prompts and presets
  listPrompts: administrators,
  createPrompt: administrators,
  getPrompt: administrators,
  updatePrompt: administrators,
  createPromptVersion: administrators,
  deletePrompt: administrators,
  listPresets: ownCalls,
  getPreset: ownCalls,
  listPresetVersions: ownCalls,
  getPresetVersion: ownCalls,
  createPresetFromChat: administrators,
  createPresetFromMessages: administrators,
  createPresetFromResponses: administrators,
  updatePreset: administrators,
  deletePreset: administrators,

  // Keys
  getCurrentKey: everyone,
  listKeys: spending,
  createKey: ownChanges,
  getKey: spending,
  // Billing changes limits alone; a developer lowers them.
  updateKey: allow({ billing: 'all', developer: 'own', workspaceAdministrator: true }),
  deleteKey: ownChanges,
  createAuthCode: ownChanges,
  listRefusals: administrators,
  listAllKeys: spending,
  getKeyDetail: spending,
  listByokKeys: workspaces,
  createByokKey: administrators,
  getByokKey: workspaces,
  updateByokKey: administrators,
  deleteByokKey: administrators,

  // Guardrails
  listGuardrails: workspaces,
  createGuardrail: workspaces,
  listKeyAssignments: workspaces,
  listMemberAssignments: administrators,
  getGuardrail: workspaces,
  updateGuardrail: workspaces,
  deleteGuardrail: workspaces,
  listGuardrailKeys: workspaces,
  assignKeys: workspaces,
  unassignKeys: workspaces,
  // A guardrail of a member holds in all workspaces.
  listGuardrailMembers: administrators,
  assignMembers: administrators,
  unassignMembers: administrators,
  testGuardrail: administrators,
  listGuardrailHits: administrators,
  dryRunGuardrail: administrators,

  // Members and workspaces
  listMembers: billing,
  createMember: administrators,
  updateMember: administrators,
  deleteMember: administrators,
  listWorkspaces: spending,
  createWorkspace: administrators,
  getWorkspace: spending,
  updateWorkspace: workspaces,
  deleteWorkspace: administrators,
  listWorkspaceBudgets: workspacesAndBilling,
  getWorkspaceBudget: workspacesAndBilling,
  putWorkspaceBudget: workspacesAndBilling,
  deleteWorkspaceBudget: workspacesAndBilling,
  listWorkspaceMembers: workspaces,
  addWorkspaceMembers: administrators,
  removeWorkspaceMembers: administrators,
  listWorkspaceRoles: workspaces,
  setWorkspaceRole: administrators,
  listGroups: administrators,
  listScimGroups: administrators,
  listScimGroupMappings: administrators,
  createScimGroupMapping: administrators,
  getScimGroupMapping: administrators,
  updateScimGroupMapping: administrators,
  deleteScimGroupMapping: administrators,

  // Money
  getCredits: billing,
  getActivity: spending,
  getAnalyticsMeta: everyone,
  queryAnalytics: spending,
  getForecast: billing,
  listAlarms: billing,
  createAlarm: billing,
  updateAlarm: billing,
  deleteAlarm: billing,
  testAlarm: billing,
  getMail: administrators,
  putMail: administrators,
  deleteMail: administrators,
  testMail: administrators,
  listBudgetRaises: billing,
  putBudgetRaise: billing,
  deleteBudgetRaise: billing,
  getRankingsDaily: spending,
  getAppRankings: spending,
  getSessionCost: spending,
  getBenchmarks: everyone,
  getTaskClassifications: everyone,

  // The account
  getSettings: administrators,
  updateSettings: administrators,
  getSessionLimits: administrators,
  allowSession: administrators,
  trialSessionLimits: administrators,
  listCallLimits: administrators,
  putCallLimits: administrators,
  listRateLimits: billing,
  putRateLimits: administrators,
  getRetention: administrators,
  putRetention: administrators,
  listAudit: administrators,
  exportAudit: administrators,
  getInstance: everyone,
  getMetrics: administrators,

  // Models and providers
  listModels: everyone,
  listUserModels: everyone,
  listEmbeddingModels: everyone,
  countModels: everyone,
  listModelEndpoints: everyone,
  listZdrEndpoints: everyone,
  getModel: everyone,
  retrieveModel: everyone,
  listVideoModels: everyone,
  listImageModels: everyone,
  listImageModelEndpoints: everyone,
  listProviders: everyone,
  listModelProviders: everyone,
  ollamaTags: everyone,
  ollamaShow: everyone,
  ollamaPs: everyone,
  ollamaPull: everyone,
  ollamaPush: everyone,
  ollamaCreate: everyone,
  ollamaCopy: everyone,
  ollamaDelete: everyone,
  ollamaUpload: everyone,
  geminiListModels: everyone,
  geminiGetModel: everyone,
  geminiListModelsV1: everyone,
  geminiGetModelV1: everyone,
  listProviderStates: administrators,
  listProviderHistories: administrators,
  getProviderHistory: administrators,
  enableProviderKey: administrators,
  testProvider: administrators,
  listProviderPresets: administrators,
  findLocalServers: administrators,
  testProviderDraft: administrators,
  listProviderSetups: administrators,
  createProviderSetup: administrators,
  updateProviderSetup: administrators,
  deleteProviderSetup: administrators,
  listModelSetups: administrators,
  createModelSetup: administrators,
  replaceModelSetup: administrators,
  deleteModelSetup: administrators,
  getCatalogState: administrators,
  compareCatalogs: administrators,
  applyCatalogChanges: administrators,

  // What belongs to workspaces or the whole organization
  listDestinations: administrators,
  createDestination: administrators,
  getDestination: administrators,
  updateDestination: administrators,
  deleteDestination: administrators,
  testDestination: administrators,
  listBroadcastDeliveries: administrators,
  resendBroadcast: administrators,
  listReruns: administrators,
  createRerun: administrators,
  estimateRerun: administrators,
  getRerun: administrators,
  deleteRerun: administrators,
  pauseRerun: administrators,
  resumeRerun: administrators,
  cancelRerun: administrators,
  listRerunItems: administrators,
  judgeRerunItem: administrators,
  exportRerun: administrators,
  listFiles: administrators,
  uploadFile: administrators,
  getFile: administrators,
  deleteFile: administrators,
  getFileContent: administrators,
  listAllFiles: administrators,
  deleteAnyFile: administrators,
  listAllBatches: administrators,
  getAnyBatch: administrators,
  cancelAnyBatch: administrators,
  listWebhookDeliveries: administrators,
  resendWebhook: administrators,
  getFixtures: everyone,
  switchFixtureMode: administrators,
  saveFixture: administrators,
  exportFixtures: administrators,
  listFixtureCases: administrators,
  getFixtureCase: administrators,
  listFixtureMisses: administrators,
  getFixtureMiss: administrators,
  acceptFixtureMiss: administrators,
  getSampleData: everyone,
  deleteSampleData: administrators,
};

/** What a member sees and changes in an operation: everything, or what is own and what is in some workspaces. */
export type Reach = 'all' | { readonly own: boolean; readonly workspaceIds: ReadonlySet<string> };

/** The reach of a caller in an operation; null where they may not perform it. Callers that are no members reach all. */
export function reachOf({ member }: Pick<Principal, 'member'>, operationId: string): Reach | null {
  if (member === undefined) return 'all';
  // An operation without a row is the owners' alone, until it has one.
  const permission = PERMISSIONS[operationId] ?? allow({ administrator: 'none' });
  const scope = permission[member.role];
  if (scope === 'all') return 'all';
  const isWidened = permission.workspaceAdministrator && (member.role === 'developer' || member.role === 'billing');
  const administered = isWidened ? [...member.workspaces].filter(([, role]) => role === 'administrator') : [];
  if (scope === 'none' && administered.length === 0) return null;
  return { own: scope === 'own', workspaceIds: new Set(administered.map(([id]) => id)) };
}

/** The names of the operations that a member may perform, at least with what is theirs. */
export const permittedOperations = (principal: Pick<Principal, 'member'>): string[] =>
  Object.keys(PERMISSIONS).filter((operationId) => reachOf(principal, operationId) !== null);

const ROLES = ['owner', 'administrator', 'billing', 'developer', 'viewer'] as const satisfies OrganizationRole[];

/** What a member is told whose role does not permit an operation. */
export function refuseRole(principal: Pick<Principal, 'member'>, operationId: string): GatewayError {
  const permission = PERMISSIONS[operationId] ?? allow({ administrator: 'none' });
  const allowed = [
    ...ROLES.filter((role) => permission[role] !== 'none'),
    ...(permission.workspaceAdministrator ? ['administrator of a workspace'] : []),
  ];
  const needed = allowed.length === 1 ? allowed[0] : `${allowed.slice(0, -1).join(', ')} or ${allowed.at(-1)}`;
  return new GatewayError(
    'permission_denied',
    `This needs the role ${needed}; yours is ${principal.member?.role ?? 'none'}. Ask an administrator of the organization`,
  );
}
