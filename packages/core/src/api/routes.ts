import type { ChatParts } from '../chat/complete-chat.ts';
import type { TaggedRoutes } from '../http/openapi.ts';
import type { Route } from '../http/route.ts';
import type { AccountParts } from './account.ts';
import { ACCOUNT_ROUTES } from './account/routes.ts';
import type { ExplainParts } from './chat/explain-call.ts';
import { CHAT_ROUTES } from './chat/routes.ts';
import { COMPLETION_ROUTES } from './completions/routes.ts';
import type { DestinationParts } from './destinations.ts';
import { DESTINATION_ROUTES } from './destinations/routes.ts';
import type { EmbeddingsParts } from './embeddings/embeddings-parts.ts';
import { EMBEDDINGS_ROUTES } from './embeddings/routes.ts';
import type { FixtureParts } from './fixtures.ts';
import { FIXTURE_ROUTES } from './fixtures/routes.ts';
import type { GenerationParts } from './generations.ts';
import { GENERATION_ROUTES } from './generations/routes.ts';
import type { GuardrailTrialParts, GuardrailParts } from './guardrails.ts';
import { GUARDRAIL_ROUTES } from './guardrails/routes.ts';
import type { AnyKeyParts } from './keys.ts';
import { KEY_ROUTES } from './keys/routes.ts';
import type { MemberParts } from './members.ts';
import { MEMBER_ROUTES } from './members/routes.ts';
import { MESSAGE_ROUTES } from './messages/routes.ts';
import type { ModelParts } from './models.ts';
import { MODEL_ROUTES } from './models/routes.ts';
import type { SetupParts } from './provider-setups.ts';
import type { ProviderParts } from './providers.ts';
import { PROVIDER_ROUTES } from './providers/routes.ts';
import { RESPONSE_ROUTES } from './responses/routes.ts';
import type { SessionParts } from './sessions.ts';
import { SESSION_ROUTES } from './sessions/routes.ts';
import { SETUP_ROUTES } from './setup/routes.ts';
import type { SystemParts } from './system.ts';
import { SYSTEM_ROUTES } from './system/routes.ts';
import { VIDEO_ROUTES } from './videos/routes.ts';
import type { CreateVideoParts, VideoParts } from './videos/video-parts.ts';
import type { WebhookParts } from './webhooks.ts';
import { WEBHOOK_ROUTES } from './webhooks/routes.ts';
import type { WorkspaceParts } from './workspaces.ts';
import { WORKSPACE_ROUTES } from './workspaces/routes.ts';

/** The parts that all operations together use; each receives only those that its resource names. */
export type ApiParts = ChatParts &
  ExplainParts &
  EmbeddingsParts &
  ModelParts &
  VideoParts &
  CreateVideoParts &
  GenerationParts &
  AnyKeyParts &
  GuardrailParts &
  GuardrailTrialParts &
  MemberParts &
  AccountParts &
  ProviderParts &
  SetupParts &
  WorkspaceParts &
  DestinationParts &
  WebhookParts &
  FixtureParts &
  SessionParts &
  SystemParts;

/** Every operation, in a light row each, by the tag of its resource. */
export const ROUTES_BY_TAG: TaggedRoutes<ApiParts> = {
  Chat: CHAT_ROUTES,
  Messages: MESSAGE_ROUTES,
  Responses: RESPONSE_ROUTES,
  Completions: COMPLETION_ROUTES,
  Embeddings: EMBEDDINGS_ROUTES,
  Models: MODEL_ROUTES,
  Videos: VIDEO_ROUTES,
  Generations: GENERATION_ROUTES,
  Keys: KEY_ROUTES,
  Guardrails: GUARDRAIL_ROUTES,
  Members: MEMBER_ROUTES,
  Account: ACCOUNT_ROUTES,
  Providers: PROVIDER_ROUTES,
  Setup: SETUP_ROUTES,
  Workspaces: WORKSPACE_ROUTES,
  Destinations: DESTINATION_ROUTES,
  Webhooks: WEBHOOK_ROUTES,
  Fixtures: FIXTURE_ROUTES,
  Sessions: SESSION_ROUTES,
  System: SYSTEM_ROUTES,
};

/** The rows of all resources; earlier rows take precedence. */
export const ROUTES: readonly Route<ApiParts>[] = Object.values(ROUTES_BY_TAG).flat();
