import { toContainerUrl } from './address.ts';
import type { Client } from './client.ts';
import { inEachShell, quotePowerShell, quoteShell } from './snippet-text.ts';

const openWebUi: Client = {
  id: 'open-webui',
  name: 'Open WebUI',
  about: 'Chat in the browser, for teams',
  kind: 'chat',
  wire: 'chat-completions',
  callsFrom: 'container',
  steps: [
    {
      type: 'fields',
      title: 'Add a connection',
      menu: ['Admin Settings', 'Connections', 'OpenAI', 'Manage', 'Add New Connection'],
      toFields: ({ baseUrl, apiKey }) => [
        ['URL', toContainerUrl(baseUrl)],
        ['API Key', apiKey],
      ],
    },
  ],
  modelNames: 'It reads the gateway’s models and offers all that the key may use.',
  notes: [
    'All its users share this key and its limit.',
    'Direct connections, which each user sets for their own browser, need the address of Open WebUI in server.allowedOrigins of the gateway.',
  ],
  docsUrl: 'https://docs.openwebui.com/getting-started/quick-start/connect-a-provider/starting-with-openai-compatible',
};

const toHello = (model: string): string => JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] });

const curl: Client = {
  id: 'curl',
  name: 'curl',
  about: 'One request from the terminal',
  kind: 'terminal',
  wire: 'chat-completions',
  steps: [
    ...inEachShell(
      'Paste this into a terminal',
      {
        bash: ({ baseUrl, apiKey, model }) =>
          [
            `curl -sS ${quoteShell(`${baseUrl}/chat/completions`)} \\`,
            `  -H ${quoteShell(`Authorization: Bearer ${apiKey}`)} \\`,
            "  -H 'Content-Type: application/json' \\",
            `  -d ${quoteShell(toHello(model.id))}`,
            '',
          ].join('\n'),
        powershell: ({ baseUrl, apiKey, model }) =>
          [
            `$body = ${quotePowerShell(toHello(model.id))}`,
            `$headers = @{ Authorization = ${quotePowerShell(`Bearer ${apiKey}`)} }`,
            `$uri = ${quotePowerShell(`${baseUrl}/chat/completions`)}`,
            "(Invoke-RestMethod -Method Post -Uri $uri -Headers $headers -ContentType 'application/json' -Body $body).choices[0].message.content",
            '',
          ].join('\n'),
      },
      'Paste this into PowerShell, which has its own command',
    ),
  ],
  modelNames: 'The name of the model here.',
  notes: ['The terminal stores this command, including the key, in its history.'],
  docsUrl: 'https://curl.se/docs/manpage.html',
};

export const OTHER_CLIENTS: readonly Client[] = [openWebUi, curl];
