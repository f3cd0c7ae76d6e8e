import { isMarkedForCaches } from '../../account/workspaces.ts';
import { isCompressed } from '../../calls/call-kind.ts';
import { type Awaitable, whenAllKnown } from '../../foundation/awaitable.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { SessionPasts } from '../../generations/cache-doctor/plan-marks.ts';
import { beginCompletion, findReader } from '../begin-completion.ts';
import { compressionOf, hasPlugin, isOnline } from '../chat-kind.ts';
import type { ChatRun } from '../chat-run.ts';
import { createCacheMarksStage } from './cache-marks.ts';
import { createFilesStage, type FileParts } from './files.ts';
import { healingStage } from './healing.ts';
import { promptCompressionStage } from './prompt-compression.ts';
import { CACHE_HEADERS, createCacheKeys, createResponseCacheStage, type ResponseCache } from './response-cache.ts';
import { serverToolsStage } from './server-tools/server-tools-stage.ts';
import type { Begin, FitRequest, ListedStage, PlannedStage } from './stage.ts';
import { createWebSearchStage } from './web-search.ts';

interface ComposedStages {
  readonly begin: Begin;
  /** Upstream is not called: an earlier completion is repeated. */
  readonly isReplay: boolean;
  /** No stage has a part in the call. */
  readonly isPlain: boolean;
}

/** Composes the stages that a call needs, the first outermost. Without any, endpoints are called directly. */
export function composeStages(stages: readonly ListedStage[], run: ChatRun): Awaitable<ComposedStages> {
  const planned: Awaitable<PlannedStage | null>[] = [];
  const names: string[] = [];
  for (const { name, stage, isNeeded } of stages) {
    if (!isNeeded(run)) continue;
    planned.push(stage.plan(run));
    names.push(name);
  }
  return whenAllKnown(planned, (...all) => compose(all, names, run));
}

function compose(planned: readonly (PlannedStage | null)[], names: readonly string[], run: ChatRun): ComposedStages {
  let fit: FitRequest | null = null;
  const isStaged = planned.some((stage) => stage?.begin !== undefined);
  const readBy = findReader(run, isStaged);
  let begin: Begin = (turn) => beginCompletion(run, turn, { fit, readBy });
  let isReplay = false;
  for (let at = planned.length - 1; at >= 0; at -= 1) {
    const stage = planned[at] ?? null;
    if (stage === null) continue;
    if (stage.fit !== undefined) fit = fitBoth(stage.fit, fit);
    if (stage.begin !== undefined) begin = noteTime(names[at] ?? '', stage.begin, begin, run);
    if (stage.isReplay === true) isReplay = true;
  }
  return { begin, isReplay, isPlain: planned.every((stage) => stage === null) };
}

/**
 * Notes how long a stage took until it went on to what is further in, or did without it. Work after that is part of the
 * completion.
 */
function noteTime(
  name: string,
  wrap: NonNullable<PlannedStage['begin']>,
  next: Begin,
  { observer, parts: { platform } }: ChatRun,
): Begin {
  let goOn = (): void => undefined;
  const inner = wrap((turn) => {
    goOn();
    return next(turn);
  });
  return (turn) => {
    const startedAt = platform.monotonicNow();
    let isNoted = false;
    const note = (leastMs: number, hasFailed: boolean): void => {
      const endedAt = platform.monotonicNow();
      if (!isNoted && endedAt - startedAt >= leastMs) {
        observer.noteStep({ kind: 'stage', name, startedAt, endedAt, hasFailed });
      }
      isNoted = true;
    };
    // A stage that only looks at the completion is no step before it.
    goOn = () => note(1, false);
    return inner(turn).then(
      (completion) => {
        note(0, false);
        return completion;
      },
      (error: unknown) => {
        note(0, true);
        throw error;
      },
    );
  };
}

function fitBoth(outer: FitRequest, inner: FitRequest | null): FitRequest {
  return inner === null ? outer : (request, endpoint) => inner(outer(request, endpoint), endpoint);
}

interface ChatStageParts extends FileParts {
  readonly platform: Platform;
  readonly responseCache: ResponseCache;
  readonly sessionPasts: SessionPasts;
}

/** Everything optional on the way of a chat call, the outermost first, with the calls that need it. */
export function createChatStages(parts: ChatStageParts): readonly ListedStage[] {
  return [
    {
      name: 'response-cache',
      stage: createResponseCacheStage({ cache: parts.responseCache, keyOf: createCacheKeys(parts.platform) }),
      isNeeded: ({ client }) => CACHE_HEADERS.some((name) => client.headers[name] !== undefined),
    },
    {
      name: 'response-healing',
      stage: healingStage,
      isNeeded: ({ call }) => hasPlugin(call.request.plugins, 'response-healing'),
    },
    {
      name: 'files',
      stage: createFilesStage(parts),
      isNeeded: ({ call }) => call.request.messages.some(({ content }) => Array.isArray(content)),
    },
    {
      name: 'web-search',
      stage: createWebSearchStage(parts.web),
      isNeeded: ({ call }) => hasPlugin(call.request.plugins, 'web') || isOnline(call.request),
    },
    { name: 'server-tools', stage: serverToolsStage, isNeeded: ({ toolSet }) => toolSet !== null },
    {
      name: 'context-compression',
      stage: promptCompressionStage,
      isNeeded: ({ call, plan }) => {
        const compression = compressionOf(call.request);
        return plan.endpoints.some(({ contextLength }) => isCompressed(contextLength, compression));
      },
    },
    {
      name: 'cache-marks',
      stage: createCacheMarksStage(parts.sessionPasts),
      isNeeded: ({ caller, parts: { account } }) => isMarkedForCaches(account, caller.workspace),
    },
  ];
}
