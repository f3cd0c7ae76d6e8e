import { toAnthropicUrl, toGoogleUrl } from './address.ts';
import type { Client, Connection } from './client.ts';
import {
  ID,
  inHome,
  KEY_VARIABLE,
  MERGE,
  NAME,
  quoteToml,
  toJson,
  toKeySteps,
  toVariableSteps,
} from './snippet-text.ts';

const claudeCode: Client = {
  id: 'claude-code',
  name: 'Claude Code',
  about: 'Anthropic’s coding agent for the terminal',
  kind: 'coding',
  wire: 'messages',
  steps: [
    {
      type: 'snippet',
      title: 'Set address, key and model in its settings',
      file: inHome('.claude/settings.json'),
      folderVariable: 'CLAUDE_CONFIG_DIR',
      language: 'json',
      toText: ({ baseUrl, apiKey, model }) =>
        toJson({
          env: {
            ANTHROPIC_BASE_URL: toAnthropicUrl(baseUrl),
            ANTHROPIC_AUTH_TOKEN: apiKey,
            ANTHROPIC_MODEL: model.id,
            ANTHROPIC_DEFAULT_OPUS_MODEL: model.id,
            ANTHROPIC_DEFAULT_SONNET_MODEL: model.id,
            ANTHROPIC_DEFAULT_HAIKU_MODEL: model.id,
          },
        }),
    },
  ],
  modelNames:
    'The gateway’s model ID. The last three entries set the models for “opus”, “sonnet” and “haiku”, which sub-agents and background tasks use; each can be a different model.',
  notes: [
    MERGE,
    'Use the address ending in /api, without /v1. The tool adds /v1 itself.',
    'Set the key as the auth token. As an API key, the tool would ask you to confirm it.',
    'Then restart it with claude. For unknown models it assumes a large context window and shows a notice.',
  ],
  docsUrl: 'https://code.claude.com/docs/en/llm-gateway',
};

const codex: Client = {
  id: 'codex',
  name: 'Codex',
  about: 'OpenAI’s coding agent for the terminal',
  kind: 'coding',
  wire: 'responses',
  steps: [
    {
      type: 'snippet',
      title: 'Add the gateway as a provider and select it',
      file: inHome('.codex/config.toml'),
      folderVariable: 'CODEX_HOME',
      language: 'toml',
      toText: ({ baseUrl, model }) =>
        [
          `model = ${quoteToml(model.id)}`,
          `model_provider = ${quoteToml(ID)}`,
          '',
          `[model_providers.${ID}]`,
          `name = ${quoteToml(NAME)}`,
          `base_url = ${quoteToml(baseUrl)}`,
          `env_key = ${quoteToml(KEY_VARIABLE)}`,
          'wire_api = "responses"',
          '',
        ].join('\n'),
    },
    ...toKeySteps(
      KEY_VARIABLE,
      'Set the key in its environment variable, and start it from the same terminal with codex',
      'Set the key in its environment variable, and start it from the same PowerShell with codex',
    ),
  ],
  modelNames: 'The name of the model here.',
  notes: [
    'If the file already exists, put the first two lines above its first [table], and the rest at its end.',
    'The file contains no key. To set the variable in every terminal, add that line to your shell profile.',
    'It warns about unknown models; you can ignore the warning.',
  ],
  docsUrl: 'https://developers.openai.com/codex/config-advanced',
};

const toQwenSettings = ({ baseUrl, apiKey, model }: Connection): object => ({
  modelProviders: { openai: [{ id: model.id, name: `${model.id} (${NAME})`, baseUrl, envKey: KEY_VARIABLE }] },
  env: { [KEY_VARIABLE]: apiKey },
  security: { auth: { selectedType: 'openai' } },
  model: { name: model.id },
});

const qwenCode: Client = {
  id: 'qwen-code',
  name: 'Qwen Code',
  about: 'Alibaba’s coding agent for the terminal',
  kind: 'coding',
  wire: 'chat-completions',
  steps: [
    {
      type: 'snippet',
      title: 'Add the model and select it',
      file: inHome('.qwen/settings.json'),
      language: 'json',
      toText: (connection) => toJson(toQwenSettings(connection)),
    },
  ],
  modelNames: 'The name of the model here, one entry for each model; two entries cannot have the same id.',
  notes: [MERGE, 'A variable of the terminal overrides the one under "env".'],
  docsUrl: 'https://qwenlm.github.io/qwen-code-docs/en/users/configuration/model-providers/',
};

const geminiCli: Client = {
  id: 'gemini-cli',
  name: 'Gemini CLI',
  about: 'Google’s coding agent for the terminal',
  kind: 'coding',
  wire: 'gemini',
  steps: [
    {
      type: 'snippet',
      title: 'Choose the model, and the key as the way to sign in',
      file: inHome('.gemini/settings.json'),
      language: 'json',
      toText: ({ model }) =>
        toJson({ security: { auth: { selectedType: 'gemini-api-key' } }, model: { name: model.id } }),
    },
    ...toVariableSteps(
      ({ baseUrl, apiKey }) => [
        ['GOOGLE_GEMINI_BASE_URL', toGoogleUrl(baseUrl)],
        ['GEMINI_API_KEY', apiKey],
      ],
      'Set address and key in these variables, and start it from the same terminal with gemini',
      'Set address and key in these variables, and start it from the same PowerShell with gemini',
    ),
  ],
  modelNames: 'The name of the model here. Models of Google’s are also found without google/ before their names.',
  notes: [
    MERGE,
    'Use the address without a path. The tool adds /v1beta itself.',
    'It reads address and key from variables only. To set them in every terminal, add the lines to your shell profile, or write them into ~/.gemini/.env.',
    'For small tasks of its own it asks for models of Google’s by their names, such as gemini-2.5-flash-lite; without them it does without those tasks.',
  ],
  docsUrl: 'https://geminicli.com/docs/reference/configuration/',
};

/** Agents of the makers of models, which speak the form of their maker's API. */
export const AGENT_CLIENTS: readonly Client[] = [claudeCode, codex, qwenCode, geminiCli];
