import type { Client, ConnectedModel, Connection } from './client.ts';
import {
  ID,
  inEachShell,
  inHome,
  MERGE,
  NAME,
  quoteJson,
  quotePowerShell,
  quoteShell,
  toJson,
  toVariableSteps,
} from './snippet-text.ts';

const openCode: Client = {
  id: 'opencode',
  name: 'opencode',
  about: 'Coding agent for the terminal',
  kind: 'coding',
  wire: 'chat-completions',
  steps: [
    {
      type: 'snippet',
      title: 'Add the gateway as a provider',
      file: inHome('.config/opencode/opencode.json'),
      keeps: ['$schema'],
      language: 'json',
      toText: ({ baseUrl, apiKey, model }) =>
        toJson({
          $schema: 'https://opencode.ai/config.json',
          provider: {
            [ID]: {
              npm: '@ai-sdk/openai-compatible',
              name: NAME,
              options: { baseURL: baseUrl, apiKey },
              models: {
                [model.id]: { name: model.id, limit: { context: model.contextTokens, output: model.outputTokens } },
              },
            },
          },
          model: `${ID}/${model.id}`,
        }),
    },
    ...inEachShell('Send a prompt, or run opencode without arguments', {
      bash: ({ model }) => `opencode run -m ${quoteShell(`${ID}/${model.id}`)} 'Hello!'\n`,
      powershell: ({ model }) => `opencode run -m ${quotePowerShell(`${ID}/${model.id}`)} 'Hello!'\n`,
    }),
  ],
  modelNames: `${ID}/ and the name of the model here. It offers only the models listed under "models".`,
  notes: [MERGE, 'A project’s own opencode.json overrides this one; do not commit the key.'],
  docsUrl: 'https://opencode.ai/docs/providers/',
};

const pi: Client = {
  id: 'pi',
  name: 'pi',
  about: 'Small coding agent for the terminal',
  kind: 'coding',
  wire: 'chat-completions',
  steps: [
    {
      type: 'snippet',
      title: 'Add the gateway as a provider',
      file: inHome('.pi/agent/models.json'),
      folderVariable: 'PI_CODING_AGENT_DIR',
      language: 'json',
      toText: ({ baseUrl, apiKey, model }) =>
        toJson({
          providers: {
            [ID]: {
              name: NAME,
              baseUrl,
              api: 'openai-completions',
              apiKey,
              models: [
                {
                  id: model.id,
                  input: model.readsImages ? ['text', 'image'] : ['text'],
                  contextWindow: model.contextTokens,
                  maxTokens: model.outputTokens,
                },
              ],
            },
          },
        }),
    },
    ...inEachShell('Start it with the model', {
      bash: ({ model }) => `pi --provider ${ID} --model ${quoteShell(model.id)}\n`,
      powershell: ({ model }) => `pi --provider ${ID} --model ${quotePowerShell(model.id)}\n`,
    }),
  ],
  modelNames: 'The name of the model here. It offers only the models listed under "models".',
  notes: [
    MERGE,
    'Opening /model reloads the file; Ctrl+S there makes the model the default.',
    'For a model that reasons, add "reasoning": true to its entry.',
  ],
  docsUrl: 'https://github.com/earendil-works/pi/blob/main/packages/coding-agent/docs/models.md',
};

/** The settings of Copilot CLI, all of them variables. */
const toCopilotVariables = ({ baseUrl, apiKey, model }: Connection): readonly (readonly [string, string])[] => {
  const { inputTokens, outputTokens } = splitContext(model);
  return [
    ['COPILOT_PROVIDER_TYPE', 'openai'],
    ['COPILOT_PROVIDER_BASE_URL', baseUrl],
    ['COPILOT_PROVIDER_API_KEY', apiKey],
    ['COPILOT_MODEL', model.id],
    ['COPILOT_PROVIDER_MAX_PROMPT_TOKENS', String(inputTokens)],
    ['COPILOT_PROVIDER_MAX_OUTPUT_TOKENS', String(outputTokens)],
  ];
};

const copilotCli: Client = {
  id: 'copilot-cli',
  name: 'GitHub Copilot CLI',
  about: 'GitHub’s coding agent for the terminal',
  kind: 'coding',
  wire: 'chat-completions',
  steps: [
    ...toVariableSteps(toCopilotVariables, 'Set these variables, and start it from the same terminal with copilot'),
  ],
  modelNames: 'The name of the model here. The model has to call tools.',
  notes: [
    'It reads these settings from variables only. To set them in every terminal, add the lines to your shell profile.',
    'It needs no GitHub account then. Unset COPILOT_PROVIDER_BASE_URL to use GitHub’s models again.',
    'With COPILOT_OFFLINE=true it contacts nothing but the gateway.',
  ],
  docsUrl: 'https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/use-byok-models',
};

const cursor: Client = {
  id: 'cursor',
  name: 'Cursor',
  about: 'Code editor with an agent',
  kind: 'coding',
  wire: 'chat-completions',
  callsFrom: 'cloud',
  steps: [
    {
      type: 'fields',
      title: 'Turn on both switches and add the model',
      menu: ['Cursor Settings', 'Models', 'API Keys'],
      toFields: ({ baseUrl, apiKey, model }) => [
        ['OpenAI API Key', apiKey],
        ['Override OpenAI Base URL', baseUrl],
        ['Add custom model', model.id],
      ],
    },
  ],
  modelNames: 'The name of the model here, added as a custom model.',
  notes: [
    'While the override is on, all models that Cursor treats as OpenAI models go through the gateway.',
    'Tab completions still use Cursor’s own models.',
    'For some models Cursor sends a different format than this address expects; those calls are refused with 400. Ask mode works more often than Agent mode.',
    'Cursor’s free plans cannot select a model by name.',
  ],
  docsUrl: 'https://cursor.com/help/models-and-usage/api-keys',
};

const cline: Client = {
  id: 'cline',
  name: 'Cline',
  about: 'Coding agent for VS Code and JetBrains',
  kind: 'coding',
  wire: 'chat-completions',
  steps: [
    {
      type: 'fields',
      title: 'Choose the provider and fill in',
      menu: ['Cline', 'Settings (the gear)', 'API Configuration'],
      toFields: ({ baseUrl, apiKey, model }) => [
        ['API Provider', 'OpenAI Compatible'],
        ['Base URL', baseUrl],
        ['API Key', apiKey],
        ['Model ID', model.id],
      ],
    },
  ],
  modelNames: 'The name of the model here.',
  notes: [
    'Cline cannot query the context window and the price; set them under “Model Configuration”. The gateway counts the cost itself.',
  ],
  docsUrl: 'https://docs.cline.bot/provider-config/openai-compatible',
};

const continueDev: Client = {
  id: 'continue',
  name: 'Continue',
  about: 'Assistant for VS Code and JetBrains',
  kind: 'coding',
  wire: 'chat-completions',
  steps: [
    {
      type: 'snippet',
      title: 'Add the model to the configuration',
      file: inHome('.continue/config.yaml'),
      keeps: ['name', 'version', 'schema'],
      language: 'yaml',
      toText: ({ baseUrl, apiKey, model }) =>
        [
          `name: ${NAME}`,
          'version: 1.0.0',
          'schema: v1',
          'models:',
          `  - name: ${quoteJson(model.id)}`,
          '    provider: openai',
          `    model: ${quoteJson(model.id)}`,
          `    apiBase: ${quoteJson(baseUrl)}`,
          `    apiKey: ${quoteJson(apiKey)}`,
          '    roles:',
          '      - chat',
          '      - edit',
          '      - apply',
          '',
        ].join('\n'),
    },
  ],
  modelNames: 'The name of the model here, one entry for each model.',
  notes: [MERGE, 'The file is reloaded when you save it.'],
  docsUrl: 'https://docs.continue.dev/customize/model-providers/top-level/openai',
};

const aider: Client = {
  id: 'aider',
  name: 'aider',
  about: 'Pair programming in the terminal',
  kind: 'coding',
  wire: 'chat-completions',
  steps: [
    {
      type: 'snippet',
      title: 'Set address, key and model',
      file: inHome('.aider.conf.yml'),
      language: 'yaml',
      toText: ({ baseUrl, apiKey, model }) =>
        [
          `openai-api-base: ${quoteJson(baseUrl)}`,
          `openai-api-key: ${quoteJson(apiKey)}`,
          `model: ${quoteJson(`openai/${model.id}`)}`,
          '',
        ].join('\n'),
    },
  ],
  modelNames: 'openai/ and the name of the model here. aider needs the prefix and does not send it.',
  notes: [
    'Then run aider in a project folder.',
    'It warns about unknown models; you can ignore the warning.',
    'A .aider.conf.yml in the project overrides this one; do not commit the key.',
  ],
  docsUrl: 'https://aider.chat/docs/llms/openai-compat.html',
};

const zed: Client = {
  id: 'zed',
  name: 'Zed',
  about: 'Code editor with an agent',
  kind: 'coding',
  wire: 'chat-completions',
  steps: [
    {
      type: 'snippet',
      title: 'Add the gateway as a provider',
      file: {
        linux: '~/.config/zed/settings.json',
        macos: '~/.config/zed/settings.json',
        windows: '%APPDATA%\\Zed\\settings.json',
      },
      language: 'json',
      toText: ({ baseUrl, model }) =>
        toJson({
          language_models: {
            openai_compatible: {
              [ID]: {
                api_url: baseUrl,
                available_models: [
                  {
                    name: model.id,
                    display_name: model.id,
                    max_tokens: model.contextTokens,
                    max_output_tokens: model.outputTokens,
                    capabilities: { tools: model.callsTools, images: model.readsImages },
                  },
                ],
              },
            },
          },
        }),
    },
    {
      type: 'fields',
      title: 'Enter the key (not in that file)',
      menu: ['Settings', 'AI', 'LLM Providers', ID],
      toFields: ({ apiKey }) => [['API key', apiKey]],
    },
  ],
  modelNames: 'The name of the model here. It offers only the models listed under "available_models".',
  notes: [
    MERGE,
    'The system stores the key. Alternatively, start Zed with the variable MODEL_GATEWAY_API_KEY.',
    'max_tokens is the context window of the model.',
  ],
  docsUrl: 'https://zed.dev/docs/ai/use-api-access',
};

const vsCode: Client = {
  id: 'vscode',
  name: 'VS Code',
  about: 'Chat and agents in the editor, with your own models',
  kind: 'coding',
  wire: 'chat-completions',
  steps: [
    {
      type: 'snippet',
      title: 'Run “Chat: Open Language Models (JSON)” from the Command Palette, and add the gateway to the list',
      language: 'json',
      toText: (connection) => toJson([toVsCodeProvider(connection)]),
    },
  ],
  modelNames: 'The name of the model here, as its "id".',
  notes: [
    'This opens chatLanguageModels.json. If the list already has entries, add this one to them. “Chat: Manage Language Models”, “Add Models”, “Custom Endpoint” also opens it and asks for the key, which VS Code then stores outside the file.',
    'Models that cannot call tools are not offered to agents.',
    'If the model does not appear, restart VS Code. Inline completions are not affected.',
    'It needs VS Code 1.122 or newer.',
  ],
  docsUrl: 'https://code.visualstudio.com/docs/agent-customization/language-models',
};

const toVsCodeProvider = ({ baseUrl, apiKey, model }: Connection): object => ({
  name: NAME,
  vendor: 'customendpoint',
  apiKey,
  apiType: 'chat-completions',
  models: [{ id: model.id, name: model.id, url: `${baseUrl}/chat/completions`, ...toVsCodeLimits(model) }],
});

const toVsCodeLimits = (model: ConnectedModel): object => {
  const { inputTokens, outputTokens } = splitContext(model);
  return {
    toolCalling: model.callsTools,
    vision: model.readsImages,
    maxInputTokens: inputTokens,
    maxOutputTokens: outputTokens,
  };
};

/** For tools that count a prompt and its completion apart: together they are never more than the context window. */
const splitContext = ({ contextTokens, outputTokens }: ConnectedModel) => ({
  inputTokens: Math.max(contextTokens - outputTokens, Math.ceil(contextTokens / 2)),
  outputTokens: Math.min(outputTokens, Math.floor(contextTokens / 2)),
});

/** Editors and agents that write programs. */
export const CODING_CLIENTS: readonly Client[] = [
  openCode,
  pi,
  copilotCli,
  cursor,
  cline,
  continueDev,
  aider,
  zed,
  vsCode,
];
