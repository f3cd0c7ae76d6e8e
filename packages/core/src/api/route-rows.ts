import type { ChatParts } from '../chat/complete-chat.ts';
import type { Operation, PublicOperation } from '../http/operation.ts';
import type { RouteRow, Surface } from '../http/route.ts';
import type { ScimParts } from '../scim/resources.ts';
import { scimErrors } from '../scim/scim-error.ts';
import type { AuditAction } from '../wire/audit.ts';
import type { AccountParts } from './account.ts';
import type { AlarmParts } from './alarms.ts';
import type { AnalyticsParts } from './analytics.ts';
import type { AuditParts } from './audit.ts';
import type { AuthKeyParts } from './auth-keys.ts';
import type { BatchParts } from './batches.ts';
import type { BudgetRaiseParts } from './budget-raises.ts';
import type { ByokParts } from './byok.ts';
import type { CallLimitParts } from './call-limits.ts';
import type { CatalogUpdateParts } from './catalog-updates.ts';
import type { DatasetParts } from './datasets.ts';
import type { DestinationParts } from './destinations.ts';
import type { ExplainParts } from './explain.ts';
import type { FileParts } from './files.ts';
import type { GeminiCallParts } from './gemini.ts';
import type { GenerationParts } from './generations.ts';
import type { GroupMappingParts } from './group-mappings.ts';
import type { GuardrailTrialParts } from './guardrail-trials.ts';
import type { GuardrailParts } from './guardrails.ts';
import type { CancelResponseParts } from './kept-responses.ts';
import type { AnyKeyParts } from './keys.ts';
import type { MailParts } from './mail.ts';
import type { FixtureParts } from './make-fixture.ts';
import type { MemberParts } from './members.ts';
import type { ModelParts } from './models.ts';
import type { OllamaCallParts } from './ollama.ts';
import type { PresetParts } from './presets.ts';
import type { PromptParts } from './prompts.ts';
import type { SetupParts } from './provider-setups.ts';
import type { ProviderParts } from './providers.ts';
import type { RerunParts } from './reruns.ts';
import type { ResendParts } from './resend.ts';
import type { ResponsesParts } from './responses.ts';
import type { RetentionParts } from './retention.ts';
import type { SampleDataParts } from './sample-data.ts';
import type { SessionParts } from './sessions.ts';
import type { SignInParts } from './sign-in.ts';
import type { SystemParts } from './system.ts';
import type { CreateVideoParts, VideoParts } from './videos.ts';
import type { ViewParts } from './views.ts';
import type { WebhookParts } from './webhooks.ts';
import type { WholeKindParts } from './whole-call.ts';
import type { WorkspaceMemberParts } from './workspace-members.ts';
import type { WorkspaceParts } from './workspaces.ts';

/** The parts that all operations together use; each receives only those that its resource names. */
export type ApiParts = ChatParts &
  AlarmParts &
  MailParts &
  AuditParts &
  ExplainParts &
  WholeKindParts &
  ModelParts &
  OllamaCallParts &
  GeminiCallParts &
  VideoParts &
  CreateVideoParts &
  GenerationParts &
  AnyKeyParts &
  AuthKeyParts &
  GuardrailParts &
  GuardrailTrialParts &
  MemberParts &
  ScimParts &
  GroupMappingParts &
  AccountParts &
  AnalyticsParts &
  BudgetRaiseParts &
  ByokParts &
  CallLimitParts &
  ResendParts &
  ResponsesParts &
  CancelResponseParts &
  RetentionParts &
  ProviderParts &
  SetupParts &
  CatalogUpdateParts &
  WorkspaceParts &
  WorkspaceMemberParts &
  DestinationParts &
  ViewParts &
  PromptParts &
  PresetParts &
  RerunParts &
  FileParts &
  BatchParts &
  WebhookParts &
  FixtureParts &
  SampleDataParts &
  DatasetParts &
  SessionParts &
  SignInParts &
  SystemParts;

/** An operation with its name, under which the file of its resource exports it and generated clients call it. */
interface Named<Loaded> {
  readonly operationId: string;
  readonly load: () => Promise<Loaded>;
}

/** Makes rows of a resource: its file is loaded with the first call to one of its operations. */
export function late<Resource>(loadResource: () => Promise<Resource>) {
  return <Name extends string & keyof Resource>(operationId: Name): Named<Resource[Name]> => ({
    operationId,
    load: async () => (await loadResource())[operationId],
  });
}

/** Makes rows of operations for callers with such a key. */
function forKeys<const Auth extends 'api' | 'any' | 'management'>(surface: Surface, auth: Auth) {
  return (
    operation: Named<Operation<ApiParts>>,
    summary: string,
    more: Pick<RouteRow, 'errors' | 'wrongKey'> & { readonly audit?: AuditAction | null } = {},
  ) => ({ surface, auth, summary, ...operation, ...more });
}

export const apiKey = forKeys('api', 'api');
export const anyKey = forKeys('api', 'any');
export const management = forKeys('api', 'management');
export const admin = forKeys('admin', 'management');
/** For the token of SCIM, which `authenticate` knows by the path. */
const forScim = forKeys('admin', 'management');
export const scim = (operation: Parameters<typeof forScim>[0], summary: string, audit: AuditAction | null = null) =>
  forScim(operation, summary, { audit, errors: scimErrors });
export const ollamaApiKey = forKeys('ollama', 'api');
export const ollamaAnyKey = forKeys('ollama', 'any');
export const geminiApiKey = forKeys('gemini', 'api');
export const geminiAnyKey = forKeys('gemini', 'any');

/** Makes the row of an operation that needs no key. */
export const anyone = (
  surface: Surface,
  operation: Named<PublicOperation<ApiParts>>,
  summary: string,
  more: { readonly audit?: AuditAction } = {},
) => ({
  surface,
  auth: 'none' as const,
  summary,
  ...operation,
  ...more,
});

export type Place = `${RouteRow['method']} /${string}`;
export type Row = ReturnType<typeof apiKey | typeof anyKey | typeof management | typeof anyone>;

/** Operations, a line each, by the tag of their resource: method and path, and what makes the row. */
export type RouteTable = Readonly<Record<string, Readonly<Record<Place, Row>>>>;
