import { createMessages } from '../../messages/locale.ts';

/**
 * What the table of tools says, in German: by the English sentence, so that one that changes there is missing here. The
 * names of menus and fields are those of the tools, and stay as they are.
 */
const GERMAN: Readonly<Record<string, string>> = {
  // What tools are
  'Anthropic’s coding agent for the terminal': 'Coding-Agent von Anthropic für das Terminal',
  'OpenAI’s coding agent for the terminal': 'Coding-Agent von OpenAI für das Terminal',
  'Alibaba’s coding agent for the terminal': 'Coding-Agent von Alibaba für das Terminal',
  'Google’s coding agent for the terminal': 'Coding-Agent von Google für das Terminal',
  'Coding agent for the terminal': 'Coding-Agent für das Terminal',
  'Small coding agent for the terminal': 'Kleiner Coding-Agent für das Terminal',
  'GitHub’s coding agent for the terminal': 'Coding-Agent von GitHub für das Terminal',
  'Code editor with an agent': 'Code-Editor mit Agent',
  'Coding agent for VS Code and JetBrains': 'Coding-Agent für VS Code und JetBrains',
  'Assistant for VS Code and JetBrains': 'Assistent für VS Code und JetBrains',
  'Pair programming in the terminal': 'Pair Programming im Terminal',
  'Chat and agents in the editor, with your own models': 'Chat und Agenten im Editor, mit eigenen Modellen',
  'The openai package': 'Das Paket openai',
  'The @openrouter/sdk package, JavaScript': 'Das Paket @openrouter/sdk, JavaScript',
  'The ai package, JavaScript': 'Das Paket ai, JavaScript',
  'The langchain-openai package': 'Das Paket langchain-openai',
  'The @langchain/openai package': 'Das Paket @langchain/openai',
  'Chat in the browser, for teams': 'Chat im Browser, für Teams',
  'One request from the terminal': 'Eine Anfrage aus dem Terminal',

  // Steps
  'Set address, key and model in its settings': 'Adresse, Schlüssel und Modell in den Einstellungen eintragen',
  'Set address, key and model': 'Adresse, Schlüssel und Modell eintragen',
  'Add the gateway as a provider and select it': 'Das Gateway als Anbieter hinzufügen und auswählen',
  'Add the gateway as a provider': 'Das Gateway als Anbieter hinzufügen',
  'Add the model and select it': 'Das Modell hinzufügen und auswählen',
  'Add the model to the configuration': 'Das Modell in die Konfiguration eintragen',
  'Set the key in its environment variable, and start it from the same terminal with codex':
    'Den Schlüssel in die Umgebungsvariable setzen, dann im selben Terminal codex starten',
  'Set the key in its environment variable, and start it from the same PowerShell with codex':
    'Den Schlüssel in die Umgebungsvariable setzen, dann in derselben PowerShell codex starten',
  'Choose the model, and the key as the way to sign in': 'Das Modell wählen, und als Anmeldung den Schlüssel',
  'Set address and key in these variables, and start it from the same terminal with gemini':
    'Adresse und Schlüssel in diese Variablen setzen, dann im selben Terminal gemini starten',
  'Set address and key in these variables, and start it from the same PowerShell with gemini':
    'Adresse und Schlüssel in diese Variablen setzen, dann in derselben PowerShell gemini starten',
  'Set the key in an environment variable': 'Den Schlüssel in eine Umgebungsvariable setzen',
  'Send a prompt, or run opencode without arguments': 'Einen Prompt senden oder opencode ohne Argumente starten',
  'Start it with the model': 'Mit dem Modell starten',
  'Set these variables, and start it from the same terminal with copilot':
    'Diese Variablen setzen, dann im selben Terminal copilot starten',
  'Turn on both switches and add the model': 'Beide Schalter einschalten und das Modell hinzufügen',
  'Choose the provider and fill in': 'Den Anbieter wählen und ausfüllen',
  'Enter the key (not in that file)': 'Den Schlüssel eingeben (nicht in dieser Datei)',
  'Run “Chat: Open Language Models (JSON)” from the Command Palette, and add the gateway to the list':
    'Aus der Befehlspalette „Chat: Open Language Models (JSON)“ ausführen und das Gateway in die Liste eintragen',
  'Add a connection': 'Eine Verbindung hinzufügen',
  'Paste this into a terminal': 'In ein Terminal einfügen',
  'Paste this into PowerShell, which has its own command': 'In PowerShell einfügen, die einen eigenen Befehl hat',
  'Install the package': 'Das Paket installieren',
  'Run this as hello.py': 'Als hello.py ausführen',
  'Run this as hello.mjs': 'Als hello.mjs ausführen',
  'Settings (the gear)': 'Settings (Zahnrad)',

  // Names of models
  'The gateway’s model ID. The last three entries set the models for “opus”, “sonnet” and “haiku”, which sub-agents and background tasks use; each can be a different model.':
    'Die Modell-ID des Gateways. Die letzten drei Einträge bestimmen die Modelle für „opus“, „sonnet“ und „haiku“, die Subagenten und Hintergrundaufgaben verwenden; jeder darf ein anderes Modell sein.',
  'The name of the model here. Models of Google’s are also found without google/ before their names.':
    'Der Name, den das Modell hier hat. Modelle von Google werden auch ohne google/ davor gefunden.',
  'The name of the model here.': 'Der Name, den das Modell hier hat.',
  'The name of the model here, one entry for each model; two entries cannot have the same id.':
    'Der Name, den das Modell hier hat, ein Eintrag je Modell; zwei Einträge können nicht dieselbe ID haben.',
  'model-gateway/ and the name of the model here. It offers only the models listed under "models".':
    'model-gateway/ und der Name, den das Modell hier hat. Zur Wahl stehen nur die Modelle unter "models".',
  'The name of the model here, added as a custom model.':
    'Der Name, den das Modell hier hat, als eigenes Modell hinzugefügt.',
  'The name of the model here, one entry for each model.': 'Der Name, den das Modell hier hat, ein Eintrag je Modell.',
  'openai/ and the name of the model here. aider needs the prefix and does not send it.':
    'openai/ und der Name, den das Modell hier hat. aider braucht das Präfix und sendet es nicht.',
  'The name of the model here. It offers only the models listed under "available_models".':
    'Der Name, den das Modell hier hat. Zur Wahl stehen nur die Modelle unter "available_models".',
  'The name of the model here. It offers only the models listed under "models".':
    'Der Name, den das Modell hier hat. Zur Wahl stehen nur die Modelle unter "models".',
  'The name of the model here. The model has to call tools.':
    'Der Name, den das Modell hier hat. Das Modell muss Tools aufrufen können.',
  'The name of the model here, as its "id".': 'Der Name, den das Modell hier hat, als "id".',
  'It reads the gateway’s models and offers all that the key may use.':
    'Open WebUI liest die Modelle des Gateways und bietet alle an, die der Schlüssel verwenden darf.',

  // Good to know
  'If the file already exists, add these entries to it.':
    'Wenn es die Datei schon gibt, diese Einträge darin ergänzen.',
  'Use the address ending in /api, without /v1. The tool adds /v1 itself.':
    'Die Adresse endet mit /api, ohne /v1. Das Tool ergänzt /v1 selbst.',
  'Set the key as the auth token. As an API key, the tool would ask you to confirm it.':
    'Den Schlüssel als Auth-Token eintragen. Als API-Schlüssel müsste er im Tool bestätigt werden.',
  'Then restart it with claude. For unknown models it assumes a large context window and shows a notice.':
    'Danach mit claude neu starten. Bei unbekannten Modellen nimmt das Tool ein großes Kontextfenster an und weist darauf hin.',
  'If the file already exists, put the first two lines above its first [table], and the rest at its end.':
    'Wenn es die Datei schon gibt, die ersten zwei Zeilen über ihre erste [table] setzen und den Rest an ihr Ende.',
  'The file contains no key. To set the variable in every terminal, add that line to your shell profile.':
    'Die Datei enthält keinen Schlüssel. Damit die Variable in jedem Terminal gesetzt ist, die Zeile in das Profil der Shell eintragen.',
  'It warns about unknown models; you can ignore the warning.':
    'Es warnt vor unbekannten Modellen; die Warnung ist unbedenklich.',
  'A variable of the terminal overrides the one under "env".':
    'Eine Variable des Terminals hat Vorrang vor der unter "env".',
  'A project’s own opencode.json overrides this one; do not commit the key.':
    'Die opencode.json eines Projekts hat Vorrang vor dieser; den Schlüssel nicht einchecken.',
  'While the override is on, all models that Cursor treats as OpenAI models go through the gateway.':
    'Solange die Basisadresse überschrieben ist, laufen alle Modelle, die Cursor als OpenAI-Modelle behandelt, über das Gateway.',
  'Tab completions still use Cursor’s own models.':
    'Vervollständigungen mit Tab verwenden weiterhin die Modelle von Cursor.',
  'For some models Cursor sends a different format than this address expects; those calls are refused with 400. Ask mode works more often than Agent mode.':
    'Für manche Modelle sendet Cursor ein anderes Format, als diese Adresse erwartet; solche Anfragen werden mit 400 abgelehnt. Der Modus „Ask“ funktioniert öfter als „Agent“.',
  'Cursor’s free plans cannot select a model by name.':
    'Mit den kostenlosen Tarifen von Cursor lässt sich kein Modell nach Namen wählen.',
  'Cline cannot query the context window and the price; set them under “Model Configuration”. The gateway counts the cost itself.':
    'Cline kann Kontextfenster und Preis nicht abfragen; beides unter „Model Configuration“ eintragen. Das Gateway zählt die Kosten selbst.',
  'Opening /model reloads the file; Ctrl+S there makes the model the default.':
    '/model lädt die Datei neu; Strg+S macht das Modell dort zum Standard.',
  'For a model that reasons, add "reasoning": true to its entry.':
    'Bei einem Modell mit Reasoning dessen Eintrag um "reasoning": true ergänzen.',
  'It reads these settings from variables only. To set them in every terminal, add the lines to your shell profile.':
    'Es liest diese Einstellungen nur aus Variablen. Damit sie in jedem Terminal gesetzt sind, die Zeilen ins Profil der Shell schreiben.',
  'Use the address without a path. The tool adds /v1beta itself.':
    'Die Adresse ohne Pfad verwenden. /v1beta hängt das Tool selbst an.',
  'It reads address and key from variables only. To set them in every terminal, add the lines to your shell profile, or write them into ~/.gemini/.env.':
    'Es liest Adresse und Schlüssel nur aus Variablen. Damit sie in jedem Terminal gesetzt sind, die Zeilen ins Profil der Shell schreiben oder nach ~/.gemini/.env.',
  'For small tasks of its own it asks for models of Google’s by their names, such as gemini-2.5-flash-lite; without them it does without those tasks.':
    'Für kleine Aufgaben zwischendurch fragt es Modelle von Google nach deren Namen an, etwa gemini-2.5-flash-lite; fehlen sie, entfallen diese Aufgaben.',
  'It needs no GitHub account then. Unset COPILOT_PROVIDER_BASE_URL to use GitHub’s models again.':
    'Ein GitHub-Konto ist dann nicht nötig. Ohne COPILOT_PROVIDER_BASE_URL verwendet es wieder die Modelle von GitHub.',
  'With COPILOT_OFFLINE=true it contacts nothing but the gateway.':
    'Mit COPILOT_OFFLINE=true verbindet es sich nur mit dem Gateway.',
  'The file is reloaded when you save it.': 'Die Datei wird beim Speichern neu geladen.',
  'Then run aider in a project folder.': 'Danach aider im Ordner eines Projekts starten.',
  'A .aider.conf.yml in the project overrides this one; do not commit the key.':
    'Eine .aider.conf.yml im Projekt hat Vorrang vor dieser; den Schlüssel nicht einchecken.',
  'The system stores the key. Alternatively, start Zed with the variable MODEL_GATEWAY_API_KEY.':
    'Das System speichert den Schlüssel. Stattdessen lässt sich Zed auch mit der Variablen MODEL_GATEWAY_API_KEY starten.',
  'max_tokens is the context window of the model.': 'max_tokens ist das Kontextfenster des Modells.',
  'This opens chatLanguageModels.json. If the list already has entries, add this one to them. “Chat: Manage Language Models”, “Add Models”, “Custom Endpoint” also opens it and asks for the key, which VS Code then stores outside the file.':
    'Dadurch öffnet sich chatLanguageModels.json. Hat die Liste schon Einträge, diesen ergänzen. Auch „Chat: Manage Language Models“, „Add Models“, „Custom Endpoint“ öffnet die Datei und fragt nach dem Schlüssel, den VS Code dann außerhalb der Datei speichert.',
  'Models that cannot call tools are not offered to agents.':
    'Modelle, die keine Tools aufrufen können, stehen Agenten nicht zur Wahl.',
  'If the model does not appear, restart VS Code. Inline completions are not affected.':
    'Wenn das Modell nicht erscheint, VS Code neu starten. Vervollständigungen in der Zeile ändern sich nicht.',
  'It needs VS Code 1.122 or newer.': 'VS Code 1.122 oder neuer ist nötig.',
  'All its users share this key and its limit.':
    'Alle Benutzer von Open WebUI teilen sich diesen Schlüssel und sein Limit.',
  'Direct connections, which each user sets for their own browser, need the address of Open WebUI in server.allowedOrigins of the gateway.':
    'Direkte Verbindungen, die Benutzer für ihren eigenen Browser einrichten, brauchen die Adresse von Open WebUI in server.allowedOrigins des Gateways.',
  'The terminal stores this command, including the key, in its history.':
    'Das Terminal speichert diesen Befehl samt Schlüssel in seinem Verlauf.',
  'The key is in a variable, so that it does not end up in the program’s repository.':
    'Der Schlüssel steht in einer Variablen, damit er nicht im Repository des Programms landet.',
  'client.responses uses another API format; use client.chat.completions.':
    'client.responses verwendet ein anderes Format der API; stattdessen client.chat.completions verwenden.',
  'usage.cost of a completion is the gateway’s count.':
    'usage.cost einer Antwort sind die Kosten, die das Gateway zählt.',
  'OpenRouter’s provider passes on cost and reasoning; @ai-sdk/openai-compatible works as well.':
    'Der Anbieter von OpenRouter gibt Kosten und Reasoning weiter; @ai-sdk/openai-compatible funktioniert auch.',

  // What stands in the way
  'In a container, localhost means the container itself, so the address below uses host.docker.internal for your machine. While the gateway listens only on this machine, it refuses unknown host names: start it with --host 0.0.0.0 (in the desktop app: Settings, share on the network). On Linux, start the container with --add-host=host.docker.internal:host-gateway. Without a container, use localhost instead.':
    'In einem Container ist localhost der Container selbst, deshalb steht unten host.docker.internal für diesen Rechner. Solange das Gateway nur auf diesem Rechner lauscht, lehnt es unbekannte Hostnamen ab: mit --host 0.0.0.0 starten (in der Desktop-App: Einstellungen, im Netzwerk freigeben). Unter Linux den Container mit --add-host=host.docker.internal:host-gateway starten. Ohne Container stattdessen localhost verwenden.',
  'It calls from its maker’s servers, not from your machine. They cannot reach this address, because it is local to this machine. Put the gateway behind a public https address (a reverse proxy or a tunnel), set that address as server.publicUrl in the configuration, and enter it here.':
    'Die Anfragen kommen von den Servern des Herstellers, nicht von diesem Rechner. Sie erreichen diese Adresse nicht, weil sie nur auf diesem Rechner gilt. Das Gateway hinter eine öffentliche https-Adresse stellen (Reverse Proxy oder Tunnel), diese Adresse als server.publicUrl in die Konfiguration eintragen und hier eingeben.',
  'It calls from its maker’s servers, not from your machine. They cannot reach this address, because it is on a private network. Put the gateway behind a public https address (a reverse proxy or a tunnel), set that address as server.publicUrl in the configuration, and enter it here.':
    'Die Anfragen kommen von den Servern des Herstellers, nicht von diesem Rechner. Sie erreichen diese Adresse nicht, weil sie in einem privaten Netz liegt. Das Gateway hinter eine öffentliche https-Adresse stellen (Reverse Proxy oder Tunnel), diese Adresse als server.publicUrl in die Konfiguration eintragen und hier eingeben.',
  'It calls from its maker’s servers, not from your machine. This address is not encrypted, so the key would be sent over the internet in plain text. Put the gateway behind a public https address (a reverse proxy or a tunnel), set that address as server.publicUrl in the configuration, and enter it here.':
    'Die Anfragen kommen von den Servern des Herstellers, nicht von diesem Rechner. Diese Adresse ist nicht verschlüsselt, der Schlüssel ginge also im Klartext durch das Internet. Das Gateway hinter eine öffentliche https-Adresse stellen (Reverse Proxy oder Tunnel), diese Adresse als server.publicUrl in die Konfiguration eintragen und hier eingeben.',
};

const asWritten = (words: string): string => words;

/** Says in the present language what the table of tools says in English. */
export const inToolWords = createMessages(asWritten, { de: (words) => GERMAN[words] ?? words });
