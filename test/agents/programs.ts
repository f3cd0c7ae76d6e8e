import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ToolCall } from './scripted-coder.ts';

/** The file that the job is about, before and after. */
export const BROKEN = 'console.log(40 - 2);\n';
export const MENDED = 'console.log(40 + 2);\n';
export const PROMPT = 'Read sum.mjs, mend it so that it adds, run it with node, and say what it prints.';

/** Where an agent works, and where its gateway is. */
export interface Place {
  readonly home: string;
  readonly folder: string;
  /** `http://127.0.0.1:41234` */
  readonly gateway: string;
  readonly key: string;
  readonly model: string;
}

/** A coding agent as people install it. */
export interface Program {
  readonly name: string;
  /** Its command in `node_modules/.bin`. */
  readonly command: string;
  /** Addresses that it asks for whatever is set; it does without them. */
  readonly asksFor?: readonly string[];
  /** Once a word of a response has been seen it does not ask again. */
  readonly stopsAtBreak?: true;
  /** The job in its own tools: read, edit, run. */
  readonly job: (folder: string) => readonly ToolCall[];
  /** Writes its configuration; returns its arguments and what it needs in its environment. */
  readonly prepare: (place: Place) => {
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
}

const RUN = 'node sum.mjs';

const claude: Program = {
  name: 'Claude Code',
  command: 'claude',
  job: (folder) => [
    ['Read', { file_path: join(folder, 'sum.mjs') }],
    ['Edit', { file_path: join(folder, 'sum.mjs'), old_string: '40 - 2', new_string: '40 + 2' }],
    ['Bash', { command: RUN, description: 'Runs the program' }],
  ],
  prepare: ({ gateway, key, model, home }) => ({
    args: [
      '-p',
      PROMPT,
      '--model',
      model,
      '--allowedTools',
      'Read,Edit,Bash(node:*)',
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

const codex: Program = {
  name: 'Codex',
  command: 'codex',
  job: () => [
    ['exec_command', { cmd: 'cat sum.mjs' }],
    ['exec_command', { cmd: "sed -i 's/40 - 2/40 + 2/' sum.mjs" }],
    ['exec_command', { cmd: RUN }],
  ],
  prepare({ home, gateway, model, key }) {
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
    return {
      args: ['exec', '--skip-git-repo-check', '--json', PROMPT],
      env: { CODEX_HOME: join(home, '.codex'), GATEWAY_KEY: key },
    };
  },
};

const opencode: Program = {
  name: 'OpenCode',
  command: 'opencode',
  // For the types of plugins, which it puts into its folder of settings.
  asksFor: ['registry.npmjs.org:443'],
  job: (folder) => [
    ['read', { filePath: join(folder, 'sum.mjs') }],
    ['edit', { filePath: join(folder, 'sum.mjs'), oldString: '40 - 2', newString: '40 + 2' }],
    ['bash', { command: RUN, description: 'Runs the program' }],
  ],
  prepare({ home, gateway, model, key }) {
    const settings = {
      autoupdate: false,
      share: 'disabled',
      permission: { '*': 'deny', read: 'allow', edit: 'allow', bash: { 'node *': 'allow' } },
      provider: {
        gateway: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: `${gateway}/api/v1`, apiKey: key },
          models: { [model]: {} },
        },
      },
    };
    mkdirSync(join(home, '.config/opencode'), { recursive: true });
    writeFileSync(join(home, '.config/opencode/opencode.json'), JSON.stringify(settings));
    return {
      args: ['run', '--pure', '--format', 'json', '--model', `gateway/${model}`, PROMPT],
      env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' },
    };
  },
};

const qwen: Program = {
  name: 'Qwen Code',
  command: 'qwen',
  stopsAtBreak: true,
  job: (folder) => [
    ['read_file', { file_path: join(folder, 'sum.mjs') }],
    ['edit', { file_path: join(folder, 'sum.mjs'), old_string: '40 - 2', new_string: '40 + 2' }],
    ['run_shell_command', { command: RUN, description: 'Runs the program', is_background: false }],
  ],
  prepare({ home, gateway, model, key }) {
    const settings = {
      general: { disableAutoUpdate: true, enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    };
    mkdirSync(join(home, '.qwen'), { recursive: true });
    writeFileSync(join(home, '.qwen/settings.json'), JSON.stringify(settings));
    const words = [
      '--auth-type',
      'openai',
      '--approval-mode',
      'auto-edit',
      '--allowed-tools',
      'run_shell_command(node)',
    ];
    return {
      args: ['-p', PROMPT, '--model', model, ...words],
      env: { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${gateway}/api/v1`, OPENAI_MODEL: model },
    };
  },
};

export const PROGRAMS: readonly Program[] = [claude, codex, opencode, qwen];
