import { join } from 'node:path';

import { type Program, RUN } from '../place.ts';

export const claudeCode: Program = {
  name: 'Claude Code',
  slug: 'claude',
  command: 'claude',
  job: (folder) => [
    ['Read', { file_path: join(folder, 'sum.mjs') }],
    ['Edit', { file_path: join(folder, 'sum.mjs'), old_string: '40 - 2', new_string: '40 + 2' }],
    ['Bash', { command: RUN, description: 'Runs the program' }],
  ],
  prepare: ({ gateway, key, model, home, prompt }) => ({
    args: [
      '-p',
      prompt,
      '--model',
      model,
      '--allowedTools',
      'Read,Edit,Bash(node:*),Task,Agent',
      '--output-format',
      'stream-json',
      '--verbose',
    ],
    env: {
      ANTHROPIC_BASE_URL: `${gateway}/api`,
      ANTHROPIC_AUTH_TOKEN: key,
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
    },
  }),
};
