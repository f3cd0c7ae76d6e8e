import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Place, type Program, RUN } from '../place.ts';

/** Its way to the gateway is a package of the AI SDK. */
const through = (npm: string, title: string, slug: string): Program => ({
  name: `OpenCode${title}`,
  slug,
  command: 'opencode',
  // For the types of plugins, which it puts into its folder of settings.
  asksFor: ['registry.npmjs.org:443'],
  job: (folder) => [
    ['read', { filePath: join(folder, 'sum.mjs') }],
    ['edit', { filePath: join(folder, 'sum.mjs'), oldString: '40 - 2', newString: '40 + 2' }],
    ['bash', { command: RUN, description: 'Runs the program' }],
  ],
  prepare(place) {
    writeSettings(place, npm);
    return {
      args: ['run', '--pure', '--format', 'json', '--model', `gateway/${place.model}`, place.prompt],
      env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' },
    };
  },
});

function writeSettings({ home, gateway, model, key }: Place, npm: string): void {
  const settings = {
    autoupdate: false,
    share: 'disabled',
    permission: { '*': 'deny', read: 'allow', edit: 'allow', bash: { 'node *': 'allow' } },
    provider: {
      gateway: { npm, options: { baseURL: `${gateway}/api/v1`, apiKey: key }, models: { [model]: {} } },
    },
  };
  mkdirSync(join(home, '.config/opencode'), { recursive: true });
  writeFileSync(join(home, '.config/opencode/opencode.json'), JSON.stringify(settings));
}

export const opencode = through('@ai-sdk/openai-compatible', '', 'opencode');
/** The packages that it brings along. */
export const opencodeElsewise: readonly Program[] = [
  through('@ai-sdk/anthropic', ' through /messages', 'opencode-messages'),
  through('@ai-sdk/openai', ' through /responses', 'opencode-responses'),
  through('@openrouter/ai-sdk-provider', ' through the package of OpenRouter', 'opencode-openrouter'),
];
