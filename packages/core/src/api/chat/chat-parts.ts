import type { LiveAccount } from '../../account/account.ts';
import type { HookParts } from '../../calls/model-call.ts';
import type { ChatRunParts } from '../../chat/chat-run.ts';
import type { Moderator } from '../../chat/moderate-call.ts';
import type { ToolParts } from '../../chat/stages/server-tools/tool-set.ts';
import type { ListedStage } from '../../chat/stages/stage.ts';
import type { CallerParts } from '../../dispatch/prepare-call.ts';
import type { UsableParts } from '../../dispatch/usable-endpoints.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { GenerationLogging } from '../../generations/observer.ts';
import type { RateLimits } from '../../limits/rate-limits.ts';
import type { RoutingParts } from '../../routing/plan-call.ts';
import type { RegionOf } from '../../routing/regions.ts';

export interface ChatParts extends ChatRunParts, HookParts, ToolParts, UsableParts {
  readonly account: LiveAccount;
  readonly platform: Platform;
  readonly callers: CallerParts;
  readonly routing: RoutingParts;
  readonly stages: readonly ListedStage[];
  readonly moderator: Moderator | undefined;
  readonly regionOf: RegionOf;
  /** Null without any. */
  readonly rateLimits: RateLimits | null;
  readonly logging: GenerationLogging;
}

/** `POST /chat/completions` */
