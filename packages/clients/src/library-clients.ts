import type { Client, Connection, Step } from './client.ts';
import { quoteJson, quotePowerShell, quoteShell } from './snippet-text.ts';

/** The variable that the programs below read the key from. */
const VARIABLE = 'GATEWAY_API_KEY';
const KEEP_OUT = 'The key is in a variable, so that it does not end up in the program’s repository.';

const install = (command: string): Step => ({
  type: 'snippet',
  title: 'Install the package',
  language: 'bash',
  toText: () => `${command}\n`,
});

const SET_KEY: readonly Step[] = [
  {
    type: 'snippet',
    title: 'Set the key in an environment variable',
    language: 'bash',
    systems: ['linux', 'macos'],
    toText: ({ apiKey }) => `export ${VARIABLE}=${quoteShell(apiKey)}\n`,
  },
  {
    type: 'snippet',
    title: 'Set the key in an environment variable',
    language: 'powershell',
    systems: ['windows'],
    toText: ({ apiKey }) => `$env:${VARIABLE} = ${quotePowerShell(apiKey)}\n`,
  },
];

const program = (language: 'python' | 'javascript', toText: (connection: Connection) => string): Step => ({
  type: 'snippet',
  title: language === 'python' ? 'Run this as hello.py' : 'Run this as hello.mjs',
  language,
  toText,
});

const openAiPython: Client = {
  id: 'openai-python',
  name: 'OpenAI SDK, Python',
  about: 'The openai package',
  kind: 'library',
  wire: 'chat-completions',
  steps: [
    install('pip install openai'),
    ...SET_KEY,
    program(
      'python',
      ({ baseUrl, model }) => `import os
from openai import OpenAI

client = OpenAI(base_url=${quoteJson(baseUrl)}, api_key=os.environ["${VARIABLE}"])
completion = client.chat.completions.create(
    model=${quoteJson(model.id)},
    messages=[{"role": "user", "content": "Hello!"}],
)
print(completion.choices[0].message.content)
`,
    ),
  ],
  modelNames: 'The name of the model here.',
  notes: [KEEP_OUT, 'client.responses uses another API format; use client.chat.completions.'],
  docsUrl: 'https://github.com/openai/openai-python',
};

const openAiJavaScript: Client = {
  id: 'openai-js',
  name: 'OpenAI SDK, JavaScript',
  about: 'The openai package',
  kind: 'library',
  wire: 'chat-completions',
  steps: [
    install('npm install openai'),
    ...SET_KEY,
    program(
      'javascript',
      ({ baseUrl, model }) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${quoteJson(baseUrl)}, apiKey: process.env.${VARIABLE} });
const completion = await client.chat.completions.create({
  model: ${quoteJson(model.id)},
  messages: [{ role: 'user', content: 'Hello!' }],
});
console.log(completion.choices[0].message.content);
`,
    ),
  ],
  modelNames: 'The name of the model here.',
  notes: [KEEP_OUT, 'client.responses uses another API format; use client.chat.completions.'],
  docsUrl: 'https://github.com/openai/openai-node',
};

const openRouterSdk: Client = {
  id: 'openrouter-sdk',
  name: 'OpenRouter SDK',
  about: 'The @openrouter/sdk package, JavaScript',
  kind: 'library',
  wire: 'chat-completions',
  steps: [
    install('npm install @openrouter/sdk'),
    ...SET_KEY,
    program(
      'javascript',
      ({ baseUrl, model }) => `import { OpenRouter } from '@openrouter/sdk';

const client = new OpenRouter({ serverURL: ${quoteJson(baseUrl)}, apiKey: process.env.${VARIABLE} });
const completion = await client.chat.send({
  chatRequest: { model: ${quoteJson(model.id)}, messages: [{ role: 'user', content: 'Hello!' }], stream: false },
});
console.log(completion.choices[0].message.content);
`,
    ),
  ],
  modelNames: 'The name of the model here.',
  notes: [KEEP_OUT, 'usage.cost of a completion is the gateway’s count.'],
  docsUrl: 'https://openrouter.ai/docs/client-sdks/typescript/overview',
};

const aiSdk: Client = {
  id: 'ai-sdk',
  name: 'Vercel AI SDK',
  about: 'The ai package, JavaScript',
  kind: 'library',
  wire: 'chat-completions',
  steps: [
    install('npm install ai @openrouter/ai-sdk-provider'),
    ...SET_KEY,
    program(
      'javascript',
      ({ baseUrl, model }) => `import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { generateText } from 'ai';

const gateway = createOpenRouter({ baseURL: ${quoteJson(baseUrl)}, apiKey: process.env.${VARIABLE} });
const { text } = await generateText({ model: gateway(${quoteJson(model.id)}), prompt: 'Hello!' });
console.log(text);
`,
    ),
  ],
  modelNames: 'The name of the model here.',
  notes: [KEEP_OUT, 'OpenRouter’s provider passes on cost and reasoning; @ai-sdk/openai-compatible works as well.'],
  docsUrl: 'https://ai-sdk.dev/providers/community-providers/openrouter',
};

const langChainPython: Client = {
  id: 'langchain-python',
  name: 'LangChain, Python',
  about: 'The langchain-openai package',
  kind: 'library',
  wire: 'chat-completions',
  steps: [
    install('pip install langchain-openai'),
    ...SET_KEY,
    program(
      'python',
      ({ baseUrl, model }) => `import os
from langchain_openai import ChatOpenAI

chat = ChatOpenAI(
    model=${quoteJson(model.id)},
    base_url=${quoteJson(baseUrl)},
    api_key=os.environ["${VARIABLE}"],
)
print(chat.invoke("Hello!").content)
`,
    ),
  ],
  modelNames: 'The name of the model here.',
  notes: [KEEP_OUT],
  docsUrl: 'https://docs.langchain.com/oss/python/integrations/chat/openai',
};

const langChainJavaScript: Client = {
  id: 'langchain-js',
  name: 'LangChain, JavaScript',
  about: 'The @langchain/openai package',
  kind: 'library',
  wire: 'chat-completions',
  steps: [
    install('npm install @langchain/openai @langchain/core'),
    ...SET_KEY,
    program(
      'javascript',
      ({ baseUrl, model }) => `import { ChatOpenAI } from '@langchain/openai';

const chat = new ChatOpenAI({
  model: ${quoteJson(model.id)},
  apiKey: process.env.${VARIABLE},
  configuration: { baseURL: ${quoteJson(baseUrl)} },
});
const { content } = await chat.invoke('Hello!');
console.log(content);
`,
    ),
  ],
  modelNames: 'The name of the model here.',
  notes: [KEEP_OUT],
  docsUrl: 'https://docs.langchain.com/oss/javascript/integrations/chat/openai',
};

/** What programs call models with. */
export const LIBRARY_CLIENTS: readonly Client[] = [
  openAiPython,
  openAiJavaScript,
  openRouterSdk,
  aiSdk,
  langChainPython,
  langChainJavaScript,
];
