import { createFilesStage, type FileParts } from './files/parse-files.ts';
import { healingStage } from './healing/healing-stage.ts';
import { promptCompressionStage } from './prompt-compression/prompt-compression-stage.ts';
import { createResponseCacheStage } from './response-cache/response-cache-stage.ts';
import type { ResponseCache } from './response-cache/response-cache.ts';
import { serverToolsStage } from './server-tools/server-tools-stage.ts';
import type { Stage } from './stage.ts';
import { createWebSearchStage } from './web-search/search-first.ts';
import type { Platform } from '../../foundation/platform.ts';

export interface ChatStageParts extends FileParts {
  readonly platform: Platform;
  readonly responseCache: ResponseCache;
}

/** Everything optional on the way of a chat call, the outermost first. */
export function createChatStages(parts: ChatStageParts): readonly Stage[] {
  return [
    createResponseCacheStage({ cache: parts.responseCache, platform: parts.platform }),
    healingStage,
    createFilesStage(parts),
    createWebSearchStage(parts.web),
    serverToolsStage,
    promptCompressionStage,
  ];
}
