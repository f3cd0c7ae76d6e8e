import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Place, type Program, RUN } from '../place.ts';

/** With a model that it does not know. */
export const codex: Program = {
  name: 'Codex',
  slug: 'codex',
  command: 'codex',
  job: () => [
    ['exec_command', { cmd: 'cat sum.mjs' }],
    ['exec_command', { cmd: "sed -i 's/40 - 2/40 + 2/' sum.mjs" }],
    ['exec_command', { cmd: RUN }],
  ],
  prepare: (place) => ({
    args: ['exec', '--skip-git-repo-check', '--json', place.prompt],
    env: writeSettings(place),
  }),
};

const PATCH = [
  '*** Begin Patch',
  '*** Update File: sum.mjs',
  '@@',
  '-console.log(40 - 2);',
  '+console.log(40 + 2);',
  '*** End Patch',
  '',
].join('\n');

/** It gives a model that it knows other tools, as here one whose input is raw text. */
export const codexWithPatches: Program = {
  ...codex,
  name: 'Codex with a model that patches',
  slug: 'codex-patches',
  model: 'openai/gpt-5.5',
  job: () => [
    ['exec_command', { cmd: 'cat sum.mjs' }],
    ['apply_patch', PATCH],
    ['exec_command', { cmd: RUN }],
  ],
};

/** Its newest models call tools from JavaScript, and are told of them in the input. */
export const codexWithCode: Program = {
  ...codex,
  name: 'Codex with a model that writes code',
  slug: 'codex-code',
  model: 'openai/gpt-6.1-sol',
  job: () => [
    ['exec', "const r = await tools.exec_command({ cmd: 'cat sum.mjs' }); text(r);"],
    ['exec', `const r = await tools.apply_patch(${JSON.stringify(PATCH)}); text(r);`],
    ['exec', `const r = await tools.exec_command({ cmd: '${RUN}' }); text(r);`],
  ],
};

function writeSettings({ home, gateway, model, key }: Place): Readonly<Record<string, string>> {
  const settings = [
    `model = "${model}"`,
    'model_provider = "gateway"',
    'approval_policy = "never"',
    'sandbox_mode = "workspace-write"',
    'check_for_update_on_startup = false',
    // They are fetched from elsewhere.
    '[features]',
    'apps = false',
    'plugins = false',
    '[analytics]',
    'enabled = false',
    '[model_providers.gateway]',
    'name = "gateway"',
    `base_url = "${gateway}/api/v1"`,
    'env_key = "GATEWAY_KEY"',
    'wire_api = "responses"',
  ];
  mkdirSync(join(home, '.codex'), { recursive: true });
  writeFileSync(join(home, '.codex/config.toml'), settings.join('\n'));
  return { CODEX_HOME: join(home, '.codex'), GATEWAY_KEY: key };
}
