import {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type GatewayResponse,
  type Principal,
  type Store,
} from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';

import { createVirtualPlatform, type VirtualPlatform } from '../async/virtual-platform.ts';
import { bodyOf } from '../gateways/body-of.ts';
import { createScriptedVideos, type ScriptedVideos, type VideoScript } from './scripted-videos.ts';

/** A gateway in a time of its own over a store that may be another's, too, as after a restart or beside it. */
export interface VideoProcess extends ScriptedVideos {
  readonly gateway: Gateway;
  readonly platform: VirtualPlatform;
  /** Submits a video of four seconds at a tenth of a dollar each; resolves with the job's id. */
  submit(body?: object, caller?: Principal): Promise<string>;
  call(method: string, path: string, body?: object, caller?: Principal): Promise<GatewayResponse>;
}

export const createSharedStore = (): Store => ({ ...createMemoryStore(), isShared: true });

let processes = 0;

/** Creates one; it looks after jobs once `gateway.start()` has been called. */
export function createVideoProcess(
  store: Store,
  script: VideoScript = {},
  options: Partial<GatewayOptions> = {},
): VideoProcess {
  const videos = createScriptedVideos(script);
  const platform = createVirtualPlatform();
  // Its randomness is a counter, and two processes must not make the same ids.
  processes += 1;
  platform.randomBytes(100 * processes);
  const gateway = createGateway({
    providers: [videos.provider],
    models: [
      {
        id: 'acme/film',
        architecture: { input_modalities: ['text'], output_modalities: ['video'] },
        endpoints: [{ provider: 'film', providerModel: 'film-1', pricing: { video_second: '0.1' } }],
      },
    ],
    store,
    platform,
    ...options,
  });
  const defaultCaller = { kind: 'api', id: 'caller', name: 'caller', limitUsd: 0.65 } as const;
  const boss = { kind: 'management', id: 'boss', name: 'boss' } as const;
  const call: VideoProcess['call'] = (method, path, body, caller = defaultCaller) => {
    const [pathname = '', query = ''] = path.split('?');
    return gateway.handle({
      method,
      path: pathname,
      query,
      headers: { 'content-type': 'application/json' },
      json: body,
      ...bodyOf(),
      signal: new AbortController().signal,
      baseUrl: 'https://gateway.example',
      principal: path.startsWith('/admin') ? boss : caller,
    });
  };
  return {
    ...videos,
    gateway,
    platform,
    call,
    async submit(body = {}, caller) {
      const request = { model: 'acme/film', prompt: 'a fox', duration: 4, ...body };
      const response = await call('POST', '/api/v1/videos', request, caller);
      const text = response.body as string;
      if (response.status !== 202) throw new Error(`${response.status} ${text}`);
      return (JSON.parse(text) as { id: string }).id;
    },
  };
}
