import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Program, RUN } from '../place.ts';

export const geminiCli: Program = {
  name: 'Gemini CLI',
  slug: 'gemini',
  command: 'gemini',
  job: (folder) => [
    ['read_file', { file_path: join(folder, 'sum.mjs') }],
    [
      'replace',
      {
        file_path: join(folder, 'sum.mjs'),
        instruction: 'Add instead of subtracting.',
        old_string: '40 - 2',
        new_string: '40 + 2',
      },
    ],
    ['run_shell_command', { command: RUN, description: 'Runs the program' }],
  ],
  prepare({ home, key, gateway, model, prompt }) {
    const settings = {
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    };
    mkdirSync(join(home, '.gemini'), { recursive: true });
    writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify(settings));
    return {
      args: ['--prompt', prompt, '--model', model, '--approval-mode', 'yolo', '--skip-trust'],
      env: { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: gateway },
    };
  },
};
