import { isCompressed } from '../../calls/call-kind.ts';
import type { Platform } from '../../foundation/platform.ts';
import { compressionOf, hasPlugin, isOnline } from '../plugins.ts';
import { createFilesStage, type FileParts } from './files/files-stage.ts';
import { healingStage } from './healing/healing-stage.ts';
import { promptCompressionStage } from './prompt-compression/prompt-compression-stage.ts';
import { CACHE_HEADERS } from './response-cache/cache-headers.ts';
import { createCacheKeys } from './response-cache/cache-key.ts';
import { createResponseCacheStage } from './response-cache/response-cache-stage.ts';
import type { ResponseCache } from './response-cache/response-cache.ts';
import { serverToolsStage } from './server-tools/server-tools-stage.ts';
import type { ListedStage } from './stage.ts';
import { createWebSearchStage } from './web-search/web-search-stage.ts';

export interface ChatStageParts extends FileParts {
  readonly platform: Platform;
  readonly responseCache: ResponseCache;
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
  ];
}
