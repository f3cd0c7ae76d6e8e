import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Place, type Program, RUN } from '../place.ts';

type Environment = (place: Place) => Readonly<Record<string, string>>;

const through = (authType: string, title: string, slug: string, toEnvironment: Environment): Program => ({
  name: `Qwen Code${title}`,
  slug,
  command: 'qwen',
  stopsAtBreak: true,
  job: (folder) => [
    ['read_file', { file_path: join(folder, 'sum.mjs') }],
    ['edit', { file_path: join(folder, 'sum.mjs'), old_string: '40 - 2', new_string: '40 + 2' }],
    ['run_shell_command', { command: RUN, description: 'Runs the program', is_background: false }],
  ],
  prepare(place) {
    const settings = {
      general: { disableAutoUpdate: true, enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    };
    mkdirSync(join(place.home, '.qwen'), { recursive: true });
    writeFileSync(join(place.home, '.qwen/settings.json'), JSON.stringify(settings));
    const words = ['--approval-mode', 'auto-edit', '--allowed-tools', 'run_shell_command(node)'];
    return {
      args: ['-p', place.prompt, '--model', place.model, '--auth-type', authType, ...words],
      env: toEnvironment(place),
    };
  },
});

const toOpenAi: Environment = ({ key, gateway, model }) => ({
  OPENAI_API_KEY: key,
  OPENAI_BASE_URL: `${gateway}/api/v1`,
  OPENAI_MODEL: model,
});

const toAnthropic: Environment = ({ key, gateway, model }) => ({
  ANTHROPIC_API_KEY: key,
  ANTHROPIC_BASE_URL: `${gateway}/api`,
  ANTHROPIC_MODEL: model,
});

export const qwenCode = through('openai', '', 'qwen', toOpenAi);
export const qwenCodeElsewise: readonly Program[] = [
  through('anthropic', ' through /messages', 'qwen-messages', toAnthropic),
  through('openai-responses', ' through /responses', 'qwen-responses', toOpenAi),
];
