import type { Client, Connection } from './client.ts';
import { quoteJson, toKeySteps } from './snippet-text.ts';

/** The variable that the programs below read the key from. */
const VARIABLE = 'GATEWAY_API_KEY';
const KEEP_OUT = 'The key is in a variable, so that it does not end up in the program’s repository.';

interface Library extends Pick<Client, 'id' | 'name' | 'about' | 'notes' | 'docsUrl'> {
  readonly install: string;
  readonly language: 'python' | 'javascript';
  /** A program that asks once. */
  readonly toText: (connection: Connection) => string;
}

const toClient = ({ install, language, toText, notes, ...about }: Library): Client => ({
  ...about,
  kind: 'library',
  wire: 'chat-completions',
  steps: [
    { type: 'snippet', title: 'Install the package', language: 'bash', toText: () => `${install}\n` },
    ...toKeySteps(VARIABLE, 'Set the key in an environment variable'),
    { type: 'snippet', title: `Run this as hello.${language === 'python' ? 'py' : 'mjs'}`, language, toText },
  ],
  modelNames: 'The name of the model here.',
  notes: [KEEP_OUT, ...notes],
});

const openAiPython = toClient({
  id: 'openai-python',
  name: 'OpenAI SDK, Python',
  about: 'The openai package',
  install: 'pip install openai',
  language: 'python',
  toText: ({ baseUrl, model }) => `import os
from openai import OpenAI

client = OpenAI(base_url=${quoteJson(baseUrl)}, api_key=os.environ["${VARIABLE}"])
completion = client.chat.completions.create(
    model=${quoteJson(model.id)},
    messages=[{"role": "user", "content": "Hello!"}],
)
print(completion.choices[0].message.content)
`,
  notes: ['client.responses uses another API format; use client.chat.completions.'],
  docsUrl: 'https://github.com/openai/openai-python',
});

const openAiJavaScript = toClient({
  id: 'openai-js',
  name: 'OpenAI SDK, JavaScript',
  about: 'The openai package',
  install: 'npm install openai',
  language: 'javascript',
  toText: ({ baseUrl, model }) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${quoteJson(baseUrl)}, apiKey: process.env.${VARIABLE} });
const completion = await client.chat.completions.create({
  model: ${quoteJson(model.id)},
  messages: [{ role: 'user', content: 'Hello!' }],
});
console.log(completion.choices[0].message.content);
`,
  notes: ['client.responses uses another API format; use client.chat.completions.'],
  docsUrl: 'https://github.com/openai/openai-node',
});

const openRouterSdk = toClient({
  id: 'openrouter-sdk',
  name: 'OpenRouter SDK',
  about: 'The @openrouter/sdk package, JavaScript',
  install: 'npm install @openrouter/sdk',
  language: 'javascript',
  toText: ({ baseUrl, model }) => `import { OpenRouter } from '@openrouter/sdk';

const client = new OpenRouter({ serverURL: ${quoteJson(baseUrl)}, apiKey: process.env.${VARIABLE} });
const completion = await client.chat.send({
  chatRequest: { model: ${quoteJson(model.id)}, messages: [{ role: 'user', content: 'Hello!' }], stream: false },
});
console.log(completion.choices[0].message.content);
`,
  notes: ['usage.cost of a completion is the gateway’s count.'],
  docsUrl: 'https://openrouter.ai/docs/client-sdks/typescript/overview',
});

const aiSdk = toClient({
  id: 'ai-sdk',
  name: 'Vercel AI SDK',
  about: 'The ai package, JavaScript',
  install: 'npm install ai @openrouter/ai-sdk-provider',
  language: 'javascript',
  toText: ({ baseUrl, model }) => `import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { generateText } from 'ai';

const gateway = createOpenRouter({ baseURL: ${quoteJson(baseUrl)}, apiKey: process.env.${VARIABLE} });
const { text } = await generateText({ model: gateway(${quoteJson(model.id)}), prompt: 'Hello!' });
console.log(text);
`,
  notes: ['OpenRouter’s provider passes on cost and reasoning; @ai-sdk/openai-compatible works as well.'],
  docsUrl: 'https://ai-sdk.dev/providers/community-providers/openrouter',
});

const langChainPython = toClient({
  id: 'langchain-python',
  name: 'LangChain, Python',
  about: 'The langchain-openai package',
  install: 'pip install langchain-openai',
  language: 'python',
  toText: ({ baseUrl, model }) => `import os
from langchain_openai import ChatOpenAI

chat = ChatOpenAI(
    model=${quoteJson(model.id)},
    base_url=${quoteJson(baseUrl)},
    api_key=os.environ["${VARIABLE}"],
)
print(chat.invoke("Hello!").content)
`,
  notes: [],
  docsUrl: 'https://docs.langchain.com/oss/python/integrations/chat/openai',
});

const langChainJavaScript = toClient({
  id: 'langchain-js',
  name: 'LangChain, JavaScript',
  about: 'The @langchain/openai package',
  install: 'npm install @langchain/openai @langchain/core',
  language: 'javascript',
  toText: ({ baseUrl, model }) => `import { ChatOpenAI } from '@langchain/openai';

const chat = new ChatOpenAI({
  model: ${quoteJson(model.id)},
  apiKey: process.env.${VARIABLE},
  configuration: { baseURL: ${quoteJson(baseUrl)} },
});
const { content } = await chat.invoke('Hello!');
console.log(content);
`,
  notes: [],
  docsUrl: 'https://docs.langchain.com/oss/javascript/integrations/chat/openai',
});

/** What programs call models with. */
export const LIBRARY_CLIENTS: readonly Client[] = [
  openAiPython,
  openAiJavaScript,
  openRouterSdk,
  aiSdk,
  langChainPython,
  langChainJavaScript,
];
