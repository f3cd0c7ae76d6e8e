import { admin, anyKey, anyone, apiKey, late, management, scim, type RouteTable } from './route-rows.ts';

const caches = late(() => import('./cache-reports.ts'));
const generations = late(() => import('./generations.ts'));
const resend = late(() => import('./resend.ts'));
const charts = late(() => import('./generation-charts.ts'));
const liveCalls = late(() => import('./live-calls.ts'));
const keys = late(() => import('./keys.ts'));
const authKeys = late(() => import('./auth-keys.ts'));
const guardrails = late(() => import('./guardrails.ts'));
const assignments = late(() => import('./guardrail-assignments.ts'));
const trials = late(() => import('./guardrail-trials.ts'));
const members = late(() => import('./members.ts'));
const directory = late(() => import('./scim.ts'));
const groupMappings = late(() => import('./group-mappings.ts'));
const account = late(() => import('./account.ts'));
const alarms = late(() => import('./alarms.ts'));
const budgetRaises = late(() => import('./budget-raises.ts'));
const mail = late(() => import('./mail.ts'));
const sessionLimits = late(() => import('./session-limits.ts'));
const analytics = late(() => import('./analytics.ts'));
const callLimits = late(() => import('./call-limits.ts'));
const retention = late(() => import('./retention.ts'));
const providers = late(() => import('./providers.ts'));
const providerHistory = late(() => import('./provider-history.ts'));
const providerSetups = late(() => import('./provider-setups.ts'));
const modelSetups = late(() => import('./model-setups.ts'));
const catalogUpdates = late(() => import('./catalog-updates.ts'));
const byok = late(() => import('./byok.ts'));
const workspaces = late(() => import('./workspaces.ts'));
const workspaceMembers = late(() => import('./workspace-members.ts'));
const destinations = late(() => import('./destinations.ts'));
const views = late(() => import('./views.ts'));
const prompts = late(() => import('./prompts.ts'));
const reruns = late(() => import('./reruns.ts'));
const batches = late(() => import('./batches.ts'));
const files = late(() => import('./files.ts'));
const webhooks = late(() => import('./webhooks.ts'));
const fixtures = late(() => import('./fixtures.ts'));
const fixtureExport = late(() => import('./fixture-export.ts'));
const sampleData = late(() => import('./sample-data.ts'));
const sessions = late(() => import('./sessions.ts'));
const signIn = late(() => import('./sign-in.ts'));
const system = late(() => import('./system.ts'));
const metrics = late(() => import('./metrics.ts'));
const datasets = late(() => import('./datasets.ts'));
const audit = late(() => import('./audit.ts'));

/**
 * Everything beside the calls of models: what is recorded, set up and stored, and the process itself. A line has who may
 * call an operation, its name in the file of the resource, and its summary. Earlier rows take precedence.
 */
// oxfmt-ignore
export const ADMINISTRATION_ROUTES: RouteTable = {
  Generations: {
    'GET /api/v1/generation': anyKey(generations('getGeneration'), 'Get the record of a generation'),
    'GET /api/v1/generation/content': anyKey(generations('getGenerationContent'), 'Get the stored prompt and completion of a generation', { audit: 'generation.read' }),
    'POST /api/v1/generation/feedback': anyKey(generations('submitGenerationFeedback'), 'Submit feedback on a generation'),
    'GET /admin/v1/generations': admin(generations('listGenerations'), 'List generations, newest first'),
    'GET /admin/v1/generations/histogram': admin(charts('getGenerationHistogram'), 'Count generations by time'),
    'GET /admin/v1/generations/sessions': admin(charts('listGenerationSessions'), 'List sessions: generations that belong together'),
    'GET /admin/v1/generations/sessions/cache': admin(caches('getSessionCache'), 'Show why the calls of a session missed the caches of providers, or did not'),
    'GET /admin/v1/generations/cache-causes': admin(caches('listCacheCauses'), 'Sum up what was missed in the caches of providers, by cause and app'),
    'GET /admin/v1/generations/cache-marks': admin(caches('dryRunCacheMarks'), 'Show what automatic cache marks would have cost in past calls'),
    'GET /admin/v1/generations/export': admin(generations('exportGenerations'), 'Export generations as NDJSON or CSV', { audit: 'generation.export' }),
    'GET /admin/v1/generations/feed': admin(liveCalls('followGenerations'), 'Follow generations and video jobs as they end, as server-sent events'),
    'GET /admin/v1/generations/running': admin(liveCalls('listRunningCalls'), 'List running calls, the longest-running first'),
    'POST /admin/v1/generations/{id}/cancel': admin(liveCalls('cancelGeneration'), 'Cancel a running call', { audit: 'generation.cancel' }),
    'POST /admin/v1/generations/{id}/resend': admin(resend('resendGeneration'), 'Send the stored request of a chat again, as a new call', { audit: 'generation.resend' }),
    'GET /admin/v1/generations/{id}/timeline': admin(generations('getGenerationTimeline'), 'Get the timeline of a stream: when each piece of its text was sent'),
    'GET /admin/v1/generations/{id}/call-timeline': admin(generations('getCallTimeline'), 'Get the timeline of a call: how long each step took, and how it was routed'),
    'GET /admin/v1/generations/{id}/course': admin(generations('getGenerationCourse'), 'Former path of call-timeline; use that one'),
    'GET /admin/v1/generations/{id}/request': admin(generations('getGenerationRequest'), 'Get the whole request of a call, as it came in and as it was sent upstream', { audit: 'generation.read' }),
    'GET /admin/v1/generations/{id}/cache': admin(caches('getGenerationCache'), 'Show why a call missed the cache of its provider, or did not'),
    'PUT /admin/v1/generations/{id}/review': admin(generations('reviewGeneration'), 'Rate a response and note something about it', { audit: 'generation.review' }),
    'DELETE /admin/v1/generations/{id}': admin(generations('deleteGenerationContent'), 'Delete the prompt and the completion; the record stays', { audit: 'generation.delete_content' }),
    'GET /admin/v1/views': admin(views('listViews'), 'List the saved views of the list of generations'),
    'PUT /admin/v1/views/{name}': admin(views('putView'), 'Save a view, in place of one of the same name', { audit: 'view.save' }),
    'DELETE /admin/v1/views/{name}': admin(views('deleteView'), 'Delete a saved view', { audit: 'view.delete' }),
  },
  Prompts: {
    'GET /admin/v1/prompts': admin(prompts('listPrompts'), 'List prompts, the last changed first'),
    'POST /admin/v1/prompts': admin(prompts('createPrompt'), 'Create a prompt with its first version', { audit: 'prompt.create' }),
    'GET /admin/v1/prompts/{id}': admin(prompts('getPrompt'), 'Get a prompt with all its versions'),
    'PATCH /admin/v1/prompts/{id}': admin(prompts('updatePrompt'), 'Rename a prompt, or make another version current', { audit: 'prompt.update' }),
    'POST /admin/v1/prompts/{id}/versions': admin(prompts('createPromptVersion'), 'Add a version to a prompt', { audit: 'prompt.add_version' }),
    'DELETE /admin/v1/prompts/{id}': admin(prompts('deletePrompt'), 'Delete a prompt and its versions', { audit: 'prompt.delete' }),
  },
  Keys: {
    'GET /api/v1/key': anyKey(keys('getCurrentKey'), 'Show the key of the caller'),
    'GET /api/v1/keys': management(keys('listKeys'), 'List keys', { wrongKey: 401 }),
    'POST /api/v1/keys': management(keys('createKey'), 'Create a key; it is shown once', { audit: 'key.create' }),
    'GET /api/v1/keys/{hash}': management(keys('getKey'), 'Get a key by its hash', { wrongKey: 401 }),
    'PATCH /api/v1/keys/{hash}': management(keys('updateKey'), 'Change a key', { wrongKey: 401, audit: 'key.update' }),
    'DELETE /api/v1/keys/{hash}': management(keys('deleteKey'), 'Revoke a key', { wrongKey: 401, audit: 'key.delete' }),
    'POST /api/v1/auth/keys': anyone('api', authKeys('exchangeAuthCode'), 'Exchange a code that a user has agreed to for a key', { audit: 'key.create' }),
    'POST /api/v1/auth/keys/code': management(authKeys('createAuthCode'), 'Agree that an app gets a key, by a code', { audit: 'key.authorize' }),
    'GET /admin/v1/refusals': admin(keys('listRefusals'), 'List the latest requests from tools that were refused'),
    'GET /admin/v1/keys': admin(keys('listAllKeys'), 'List all keys, including keys from the configuration'),
    'GET /admin/v1/keys/{hash}': admin(keys('getKeyDetail'), 'Get any key with the rules that apply to it'),
  },
  'Provider keys': {
    'GET /api/v1/byok': management(byok('listByokKeys'), 'List the provider keys of a workspace', { wrongKey: 401 }),
    'POST /api/v1/byok': management(byok('createByokKey'), 'Store a provider key of a workspace', { audit: 'byok.create' }),
    'GET /api/v1/byok/{id}': management(byok('getByokKey'), 'Get a provider key, without the key itself', { wrongKey: 401 }),
    'PATCH /api/v1/byok/{id}': management(byok('updateByokKey'), 'Change or rotate a provider key', { wrongKey: 401, audit: 'byok.update' }),
    'DELETE /api/v1/byok/{id}': management(byok('deleteByokKey'), 'Delete a provider key', { wrongKey: 401, audit: 'byok.delete' }),
  },
  Guardrails: {
    'GET /api/v1/guardrails': management(guardrails('listGuardrails'), 'List the guardrails of a workspace', { wrongKey: 401 }),
    'POST /api/v1/guardrails': management(guardrails('createGuardrail'), 'Create a guardrail', { audit: 'guardrail.create' }),
    'GET /api/v1/guardrails/assignments/keys': management(assignments('listKeyAssignments'), 'List all assignments to keys', { wrongKey: 401 }),
    'GET /api/v1/guardrails/assignments/members': management(assignments('listMemberAssignments'), 'List all assignments to members', { wrongKey: 401 }),
    'GET /api/v1/guardrails/{id}': management(guardrails('getGuardrail'), 'Get a guardrail', { wrongKey: 401 }),
    'PATCH /api/v1/guardrails/{id}': management(guardrails('updateGuardrail'), 'Change a guardrail', { audit: 'guardrail.update' }),
    'DELETE /api/v1/guardrails/{id}': management(guardrails('deleteGuardrail'), 'Delete a guardrail and its assignments', { wrongKey: 401, audit: 'guardrail.delete' }),
    'GET /api/v1/guardrails/{id}/assignments/keys': management(assignments('listGuardrailKeys'), 'List the keys of a guardrail', { wrongKey: 401 }),
    'POST /api/v1/guardrails/{id}/assignments/keys': management(assignments('assignKeys'), 'Assign a guardrail to keys', { audit: 'guardrail.assign' }),
    'POST /api/v1/guardrails/{id}/assignments/keys/remove': management(assignments('unassignKeys'), 'Unassign a guardrail from keys', { wrongKey: 401, audit: 'guardrail.unassign' }),
    'GET /api/v1/guardrails/{id}/assignments/members': management(assignments('listGuardrailMembers'), 'List the members of a guardrail', { wrongKey: 401 }),
    'POST /api/v1/guardrails/{id}/assignments/members': management(assignments('assignMembers'), 'Assign a guardrail to members', { wrongKey: 401, audit: 'guardrail.assign' }),
    'POST /api/v1/guardrails/{id}/assignments/members/remove': management(assignments('unassignMembers'), 'Unassign a guardrail from members', { wrongKey: 401, audit: 'guardrail.unassign' }),
    'POST /admin/v1/guardrails/{id}/test': admin(trials('testGuardrail'), 'Test a guardrail on a request and on the latest generations', { audit: null }),
    'GET /admin/v1/guardrails/hits': admin(guardrails('listGuardrailHits'), 'Count the effects of guardrails on calls over time'),
    'POST /admin/v1/guardrails/dry-runs': admin(trials('dryRunGuardrail'), 'Dry-run a guardrail, saved or not, on the calls of a time span', { audit: null }),
  },
  Members: {
    'GET /api/v1/organization/members': management(members('listMembers'), 'List members', { wrongKey: 401 }),
    'POST /admin/v1/members': admin(members('createMember'), 'Add a member', { audit: 'member.create' }),
    'PATCH /admin/v1/members/{id}': admin(members('updateMember'), 'Change a member', { audit: 'member.update' }),
    'DELETE /admin/v1/members/{id}': admin(members('deleteMember'), 'Remove a member and disable their keys', { audit: 'member.delete' }),
  },
  SCIM: {
    'GET /api/v1/scim/groups': management(groupMappings('listScimGroups'), 'List the groups that the directory has sent', { wrongKey: 401 }),
    'GET /api/v1/scim/group-mappings': management(groupMappings('listScimGroupMappings'), 'List the mappings of groups to workspaces', { wrongKey: 401 }),
    'POST /api/v1/scim/group-mappings': management(groupMappings('createScimGroupMapping'), 'Put the members of a group into a workspace', { wrongKey: 401, audit: 'group_mapping.create' }),
    'GET /api/v1/scim/group-mappings/{id}': management(groupMappings('getScimGroupMapping'), 'Get a mapping', { wrongKey: 401 }),
    'PATCH /api/v1/scim/group-mappings/{id}': management(groupMappings('updateScimGroupMapping'), 'Change the role of a mapping', { wrongKey: 401, audit: 'group_mapping.update' }),
    'DELETE /api/v1/scim/group-mappings/{id}': management(groupMappings('deleteScimGroupMapping'), 'Delete a mapping', { wrongKey: 401, audit: 'group_mapping.delete' }),
    'GET /admin/v1/groups': admin(groupMappings('listGroups'), 'List groups with their members, and what each gives'),
    'GET /scim/v2/Users': scim(directory('listScimUsers'), 'List users'),
    'POST /scim/v2/Users': scim(directory('createScimUser'), 'Add a user', 'member.create'),
    'GET /scim/v2/Users/{id}': scim(directory('getScimUser'), 'Get a user'),
    'PUT /scim/v2/Users/{id}': scim(directory('replaceScimUser'), 'Replace a user', 'member.update'),
    'PATCH /scim/v2/Users/{id}': scim(directory('patchScimUser'), 'Change a user', 'member.update'),
    'DELETE /scim/v2/Users/{id}': scim(directory('deleteScimUser'), 'Remove a user', 'member.delete'),
    'GET /scim/v2/Groups': scim(directory('listScimV2Groups'), 'List groups'),
    'POST /scim/v2/Groups': scim(directory('createScimGroup'), 'Add a group', 'group.create'),
    'GET /scim/v2/Groups/{id}': scim(directory('getScimGroup'), 'Get a group'),
    'PUT /scim/v2/Groups/{id}': scim(directory('replaceScimGroup'), 'Replace a group', 'group.update'),
    'PATCH /scim/v2/Groups/{id}': scim(directory('patchScimGroup'), 'Change a group', 'group.update'),
    'DELETE /scim/v2/Groups/{id}': scim(directory('deleteScimGroup'), 'Remove a group', 'group.delete'),
    'GET /scim/v2/ServiceProviderConfig': scim(directory('getScimProviderConfig'), 'Show what of SCIM is served'),
    'GET /scim/v2/ResourceTypes': scim(directory('listScimResourceTypes'), 'List the kinds of resources'),
    'GET /scim/v2/ResourceTypes/{name}': scim(directory('getScimResourceType'), 'Get a kind of resources'),
    'GET /scim/v2/Schemas': scim(directory('listScimSchemas'), 'List the schemas of resources'),
    'GET /scim/v2/Schemas/{name}': scim(directory('getScimSchema'), 'Get a schema'),
  },
  Account: {
    'GET /admin/v1/settings': admin(account('getSettings'), 'Show the settings of the account'),
    'PATCH /admin/v1/settings': admin(account('updateSettings'), 'Change the settings of the account', { audit: 'settings.update' }),
    'GET /admin/v1/session-limits': admin(sessionLimits('getSessionLimits'), 'Get the limits of sessions, and the sessions that have reached one'),
    'POST /admin/v1/session-limits/allow': admin(sessionLimits('allowSession'), 'Let a stopped session continue', { audit: 'settings.allow_session' }),
    'POST /admin/v1/session-limits/trial': admin(sessionLimits('trialSessionLimits'), 'Show what limits would have done to past sessions', { audit: null }),
    'GET /admin/v1/alarms': admin(alarms('listAlarms'), 'List alarms, with the last time that each fired'),
    'POST /admin/v1/alarms': admin(alarms('createAlarm'), 'Create an alarm', { audit: 'alarm.create' }),
    'PATCH /admin/v1/alarms/{id}': admin(alarms('updateAlarm'), 'Change, silence or acknowledge an alarm', { audit: 'alarm.update' }),
    'DELETE /admin/v1/alarms/{id}': admin(alarms('deleteAlarm'), 'Delete an alarm', { audit: 'alarm.delete' }),
    'POST /admin/v1/alarms/{id}/test': admin(alarms('testAlarm'), 'Send a test to the receivers of an alarm', { audit: 'alarm.test' }),
    'GET /admin/v1/mail': admin(mail('getMail'), 'Show by which server mail is sent'),
    'PUT /admin/v1/mail': admin(mail('putMail'), 'Store the server that sends mail, with its password sealed', { audit: 'settings.set_mail' }),
    'DELETE /admin/v1/mail': admin(mail('deleteMail'), 'Remove the stored mail server', { audit: 'settings.delete_mail' }),
    'POST /admin/v1/mail/test': admin(mail('testMail'), 'Send a test by mail', { audit: 'settings.test_mail' }),
    'GET /admin/v1/forecast': admin(alarms('getForecast'), 'Expect what a day, week or month will have cost at its end'),
    'GET /admin/v1/budget-raises': admin(budgetRaises('listBudgetRaises'), 'List budgets that are raised for a time'),
    'PUT /admin/v1/budget-raises/{of}': admin(budgetRaises('putBudgetRaise'), 'Raise the budgets of a key, a member or a workspace until a time', { audit: 'budget.raise' }),
    'DELETE /admin/v1/budget-raises/{of}': admin(budgetRaises('deleteBudgetRaise'), 'End the raise of a budget', { audit: 'budget.end_raise' }),
    'GET /admin/v1/rate-limits': admin(account('listRateLimits'), 'List the rate limits'),
    'GET /admin/v1/call-limits': admin(callLimits('listCallLimits'), 'List the limits on calls under way, and what holds their places'),
    'PUT /admin/v1/call-limits': admin(callLimits('putCallLimits'), 'Replace the limits on calls under way that are not of the configuration', { audit: 'call_limits.set' }),
    'PUT /admin/v1/rate-limits': admin(account('putRateLimits'), 'Replace the rate limits that are not of the configuration', { audit: 'rate_limits.set' }),
    'GET /admin/v1/retention': admin(retention('getRetention'), 'Show how long is kept, and what would be deleted'),
    'PUT /admin/v1/retention': admin(retention('putRetention'), 'Change how long records and contents are kept', { audit: 'retention.set' }),
    'GET /api/v1/credits': management(account('getCredits'), 'Show the credits and the usage of the account'),
    'GET /api/v1/activity': management(account('getActivity'), 'Get the usage of the last days by day, model and endpoint'),
    'GET /api/v1/analytics/meta': management(analytics('getAnalyticsMeta'), 'List the metrics and dimensions of analytics'),
    'POST /api/v1/analytics/query': management(analytics('queryAnalytics'), 'Add usage up by time and dimensions', { audit: null }),
  },
  Providers: {
    'GET /api/v1/providers': anyKey(providers('listProviders'), 'List providers'),
    'GET /admin/v1/providers': admin(providers('listProviderStates'), 'List providers with their connection and health'),
    'GET /admin/v1/models': admin(providers('listModelProviders'), 'List models with the providers that serve them'),
    'GET /admin/v1/providers/history': admin(providerHistory('listProviderHistories'), 'List providers with the results of calls to them over time'),
    'GET /admin/v1/providers/{slug}/history': admin(providerHistory('getProviderHistory'), 'Get the results of calls to a provider, over time and by endpoint'),
    'POST /admin/v1/providers/{slug}/keys/{name}/enable': admin(providers('enableProviderKey'), 'Use a key of a provider again that was refused', { audit: 'provider.enable_key' }),
    'POST /admin/v1/providers/{slug}/test': admin(providers('testProvider'), 'Test the connection to a provider, layer by layer', { audit: null }),
  },
  Setup: {
    'GET /admin/v1/setup/presets': admin(providerSetups('listProviderPresets'), 'List the well-known providers'),
    'GET /admin/v1/setup/local-servers': admin(providerSetups('findLocalServers'), 'Find the model servers that run on this machine'),
    'POST /admin/v1/setup/provider-tests': admin(providerSetups('testProviderDraft'), 'Test a provider before it is saved, and list its models', { audit: null }),
    'GET /admin/v1/setup/providers': admin(providerSetups('listProviderSetups'), 'List providers from the configuration and providers that were set up'),
    'POST /admin/v1/setup/providers': admin(providerSetups('createProviderSetup'), 'Set up a provider', { audit: 'provider.create' }),
    'PATCH /admin/v1/setup/providers/{slug}': admin(providerSetups('updateProviderSetup'), 'Change a provider that was set up', { audit: 'provider.update' }),
    'DELETE /admin/v1/setup/providers/{slug}': admin(providerSetups('deleteProviderSetup'), 'Delete a provider that was set up', { audit: 'provider.delete' }),
    'GET /admin/v1/setup/models': admin(modelSetups('listModelSetups'), 'List models from the configuration and models that were set up'),
    'POST /admin/v1/setup/models': admin(modelSetups('createModelSetup'), 'Set up a model', { audit: 'model.create' }),
    'PUT /admin/v1/setup/models/{id+}': admin(modelSetups('replaceModelSetup'), 'Replace the definition of a model that was set up', { audit: 'model.update' }),
    'DELETE /admin/v1/setup/models/{id+}': admin(modelSetups('deleteModelSetup'), 'Delete a model that was set up', { audit: 'model.delete' }),
    'GET /admin/v1/setup/catalog': admin(catalogUpdates('getCatalogState'), 'Get what the scheduled comparison with lists of models has found'),
    'POST /admin/v1/setup/catalog/comparisons': admin(catalogUpdates('compareCatalogs'), 'Compare prices, limits and abilities of models with lists of models', { audit: null }),
    'POST /admin/v1/setup/catalog/changes': admin(catalogUpdates('applyCatalogChanges'), 'Apply differences that a comparison has found', { audit: 'catalog.apply' }),
  },
  Workspaces: {
    'GET /api/v1/workspaces': management(workspaces('listWorkspaces'), 'List workspaces', { wrongKey: 401 }),
    'POST /api/v1/workspaces': management(workspaces('createWorkspace'), 'Create a workspace', { audit: 'workspace.create' }),
    'GET /api/v1/workspaces/{id}': management(workspaces('getWorkspace'), 'Get a workspace by id or slug', { wrongKey: 401 }),
    'PATCH /api/v1/workspaces/{id}': management(workspaces('updateWorkspace'), 'Change a workspace', { audit: 'workspace.update' }),
    'DELETE /api/v1/workspaces/{id}': management(workspaces('deleteWorkspace'), 'Delete a workspace that has no keys', { audit: 'workspace.delete' }),
    'GET /api/v1/workspaces/{id}/budgets': management(workspaces('listWorkspaceBudgets'), 'List the budgets of a workspace', { wrongKey: 401 }),
    'GET /api/v1/workspaces/{id}/budgets/{interval}': management(workspaces('getWorkspaceBudget'), 'Get a budget of a workspace', { wrongKey: 401 }),
    'PUT /api/v1/workspaces/{id}/budgets/{interval}': management(workspaces('putWorkspaceBudget'), 'Set a budget of a workspace', { wrongKey: 401, audit: 'budget.set' }),
    'DELETE /api/v1/workspaces/{id}/budgets/{interval}': management(workspaces('deleteWorkspaceBudget'), 'Remove a budget of a workspace', { wrongKey: 401, audit: 'budget.delete' }),
    'GET /api/v1/workspaces/{id}/members': management(workspaceMembers('listWorkspaceMembers'), 'List the members of a workspace'),
    'POST /api/v1/workspaces/{id}/members/add': management(workspaceMembers('addWorkspaceMembers'), 'Add members to a workspace', { audit: 'workspace.add_members' }),
    'POST /api/v1/workspaces/{id}/members/remove': management(workspaceMembers('removeWorkspaceMembers'), 'Remove members without keys from a workspace', { audit: 'workspace.remove_members' }),
    'GET /admin/v1/workspaces/{id}/roles': admin(workspaceMembers('listWorkspaceRoles'), 'List the roles of the members of a workspace'),
    'PUT /admin/v1/workspaces/{id}/roles/{user_id}': admin(workspaceMembers('setWorkspaceRole'), 'Set the role of a member in a workspace', { audit: 'workspace.set_role' }),
  },
  Destinations: {
    'GET /api/v1/observability/destinations': management(destinations('listDestinations'), 'List the destinations of a workspace', { wrongKey: 401 }),
    'POST /api/v1/observability/destinations': management(destinations('createDestination'), 'Create a destination', { audit: 'destination.create' }),
    'GET /api/v1/observability/destinations/{id}': management(destinations('getDestination'), 'Get a destination', { wrongKey: 401 }),
    'PATCH /api/v1/observability/destinations/{id}': management(destinations('updateDestination'), 'Change a destination', { audit: 'destination.update' }),
    'DELETE /api/v1/observability/destinations/{id}': management(destinations('deleteDestination'), 'Delete a destination', { wrongKey: 401, audit: 'destination.delete' }),
    'POST /admin/v1/observability/destinations/{id}/test': admin(destinations('testDestination'), 'Send a test request without content to a destination', { audit: null }),
    'GET /admin/v1/destinations/deliveries': admin(destinations('listBroadcastDeliveries'), 'List deliveries that have not arrived, newest first'),
    'POST /admin/v1/destinations/deliveries/{id}/resend': admin(destinations('resendBroadcast'), 'Resend a delivery', { audit: 'delivery.resend' }),
  },
  Reruns: {
    'GET /admin/v1/reruns': admin(reruns('listReruns'), 'List reruns, newest first'),
    'POST /admin/v1/reruns': admin(reruns('createRerun'), 'Run past calls again against other models', { audit: 'rerun.create' }),
    'POST /admin/v1/reruns/estimate': admin(reruns('estimateRerun'), 'Estimate what a rerun would cost', { audit: null }),
    'GET /admin/v1/reruns/{id}': admin(reruns('getRerun'), 'Get a rerun with its results'),
    'DELETE /admin/v1/reruns/{id}': admin(reruns('deleteRerun'), 'Delete a rerun; the generations of its calls stay', { audit: 'rerun.delete' }),
    'POST /admin/v1/reruns/{id}/pause': admin(reruns('pauseRerun'), 'Pause a rerun', { audit: 'rerun.pause' }),
    'POST /admin/v1/reruns/{id}/resume': admin(reruns('resumeRerun'), 'Start or resume a rerun', { audit: 'rerun.resume' }),
    'POST /admin/v1/reruns/{id}/cancel': admin(reruns('cancelRerun'), 'Cancel a rerun', { audit: 'rerun.cancel' }),
    'GET /admin/v1/reruns/{id}/items': admin(reruns('listRerunItems'), 'List the pairs of completions of a rerun', { audit: 'rerun.read' }),
    'PUT /admin/v1/reruns/{id}/items/{item}': admin(reruns('judgeRerunItem'), 'Judge a pair of completions as a person', { audit: 'rerun.judge' }),
    'GET /admin/v1/reruns/{id}/export': admin(reruns('exportRerun'), 'Export the pairs of completions of a rerun', { audit: 'rerun.export' }),
  },
  Files: {
    'GET /api/v1/files': anyKey(files('listFiles'), 'List the files of a workspace'),
    'POST /api/v1/files': anyKey(files('uploadFile'), 'Upload a file as a form'),
    'GET /api/v1/files/{file_id}': anyKey(files('getFile'), 'Get what is known of a file'),
    'DELETE /api/v1/files/{file_id}': anyKey(files('deleteFile'), 'Delete a file', { audit: 'file.delete' }),
    'GET /api/v1/files/{file_id}/content': anyKey(files('getFileContent'), 'Download a file that the gateway made', { audit: 'file.read' }),
    'GET /admin/v1/files': admin(files('listAllFiles'), 'List the files of all workspaces, newest first'),
    'DELETE /admin/v1/files/{file_id}': admin(files('deleteAnyFile'), 'Delete a file of any workspace', { audit: 'file.delete' }),
  },
  Batches: {
    'GET /api/v1/batches': apiKey(batches('listStoredBatches'), 'List the batches of a workspace, newest first'),
    'POST /api/v1/batches': apiKey(batches('createBatch'), 'Make the calls of a file, within a day'),
    'GET /api/v1/batches/{batch_id}': apiKey(batches('getBatch'), 'Get a batch'),
    'POST /api/v1/batches/{batch_id}/cancel': apiKey(batches('cancelBatch'), 'Cancel a batch'),
    'POST /api/beta/batches': apiKey(batches('createInlineBatch'), 'Make many calls within a day'),
    'GET /api/beta/batches/{batch_id}': apiKey(batches('getInlineBatch'), 'Get a batch with its results'),
    'GET /admin/v1/batches': admin(batches('listAllBatches'), 'List the batches of all workspaces, newest first'),
    'GET /admin/v1/batches/{batch_id}': admin(batches('getAnyBatch'), 'Get a batch of any workspace'),
    'POST /admin/v1/batches/{batch_id}/cancel': admin(batches('cancelAnyBatch'), 'Cancel a batch of any workspace', { audit: 'batch.cancel' }),
  },
  Audit: {
    'GET /admin/v1/audit': admin(audit('listAudit'), 'Search the audit log, newest first'),
    'GET /admin/v1/audit/export': admin(audit('exportAudit'), 'Export the audit log as JSON lines or CSV', { audit: 'audit.export' }),
  },
  Webhooks: {
    'GET /admin/v1/webhooks/deliveries': admin(webhooks('listWebhookDeliveries'), 'List the webhooks of video jobs, newest first'),
    'POST /admin/v1/webhooks/deliveries/{jobId}/resend': admin(webhooks('resendWebhook'), 'Resend a webhook', { audit: 'webhook.resend' }),
  },
  Fixtures: {
    'GET /admin/v1/fixtures': admin(fixtures('getFixtures'), 'Show the mode of fixtures and how many there are'),
    'PATCH /admin/v1/fixtures': admin(fixtures('switchFixtureMode'), 'Switch between calling providers, recording and replaying', { audit: 'fixture.switch_mode' }),
    'POST /admin/v1/fixtures': admin(fixtures('saveFixture'), 'Save a stored generation as a fixture', { audit: 'fixture.create' }),
    'GET /admin/v1/fixtures/export': admin(fixtureExport('exportFixtures'), 'Export fixtures of many generations, and a suite that runs them, as ZIP', { audit: 'fixture.export' }),
    'GET /admin/v1/fixtures/cases': admin(fixtures('listFixtureCases'), 'List fixtures with how often each was replayed'),
    'GET /admin/v1/fixtures/case': admin(fixtures('getFixtureCase'), 'Show a fixture with its request and its responses'),
    'GET /admin/v1/fixtures/misses': admin(fixtures('listFixtureMisses'), 'List the latest requests without a matching fixture, newest first'),
    'GET /admin/v1/fixtures/misses/{id}': admin(fixtures('getFixtureMiss'), 'Show a request without a matching fixture, and how it differs from the nearest one'),
    'POST /admin/v1/fixtures/misses/{id}/accept': admin(fixtures('acceptFixtureMiss'), 'Make the nearest fixture match a request that had none', { audit: 'fixture.accept' }),
  },
  Datasets: {
    'GET /api/v1/datasets/rankings-daily': anyKey(datasets('getRankingsDaily'), 'Rank models by the tokens of their calls, by day, week or month'),
    'GET /api/v1/datasets/app-rankings': anyKey(datasets('getAppRankings'), 'Rank apps by the tokens of their calls'),
    'GET /api/v1/datasets/session-cost': anyKey(datasets('getSessionCost'), 'Show what sessions have cost, by app, model and number of calls'),
    'GET /api/v1/benchmarks': anyKey(datasets('getBenchmarks'), 'Refused: no benchmarks are collected here'),
    'GET /api/v1/classifications/task': anyKey(datasets('getTaskClassifications'), 'Refused: calls are not classified here'),
    'POST /api/v1/credits/coinbase': anyone('api', datasets('createCoinbaseCharge'), 'Refused: credits are not bought here'),
  },
  'Sample data': {
    'GET /admin/v1/sample-data': admin(sampleData('getSampleData'), 'Show how many made-up records the demo has'),
    'DELETE /admin/v1/sample-data': admin(sampleData('deleteSampleData'), 'Delete the made-up records of the demo', { audit: 'sample_data.delete' }),
  },
  Sessions: {
    'GET /admin/v1/session': anyone('admin', sessions('getSession'), 'Show whether the browser is signed in'),
    'POST /admin/v1/session': anyone('admin', sessions('createSession'), 'Sign in with a one-time token or a management key', { audit: 'session.create' }),
    'DELETE /admin/v1/session': anyone('admin', sessions('deleteSession'), 'Sign out', { audit: 'session.delete' }),
    'GET /admin/v1/sign-in': anyone('admin', signIn('getSignInWays'), 'Show the ways to sign in beside links and keys'),
    'GET /admin/v1/sign-in/oidc': anyone('admin', signIn('beginSignIn'), 'Go to the provider of identity to sign in'),
    'GET /admin/v1/sign-in/oidc/callback': anyone('admin', signIn('finishSignIn'), 'Come back from the provider of identity, signed in', { audit: 'session.create' }),
    'POST /admin/v1/sign-in/oidc/back-channel-logout': anyone('admin', signIn('endByProvider'), 'End the sessions of a user, for the provider of identity', { audit: 'session.delete' }),
    'POST /admin/v1/sign-in/proxy': anyone('admin', signIn('signInByProxy'), 'Sign in as the user whom a trusted proxy names', { audit: 'session.create' }),
  },
  System: {
    'GET /health': anyone('health', system('getHealth'), 'Whether the process is running'),
    'GET /ready': anyone('health', system('getReady'), 'Whether new calls are accepted'),
    'GET /admin/v1/instance': admin(system('getInstance'), 'Show which process responds, its health and its storage'),
    'GET /metrics': anyone('metrics', metrics('getMetrics'), 'Metrics in the Prometheus text format'),
    'GET /openapi.json': anyone('openapi', system('getOpenApi'), 'This document'),
  },
};
