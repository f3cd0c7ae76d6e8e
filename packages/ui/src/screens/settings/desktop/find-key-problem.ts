const ADDRESS_NAME = /_(HOST|URL|URI|ENDPOINT|ADDRESS|PORT|API_BASE)$/;
const ADDRESS = /^(https?:\/\/|[\w.-]+:\d{2,5}(\/|$))/i;

/** Why a variable cannot be kept as the key of a provider, and what to do instead; undefined where nothing is wrong. */
export function findKeyProblem(name: string, key: string): string | undefined {
  if (!ADDRESS_NAME.test(name) && !ADDRESS.test(key.trim())) return undefined;
  return (
    `This is an address, not a key, and would have no effect here. A server of your own (Ollama, LM Studio, llama.cpp, ` +
    `vLLM) is named in config.json in the app’s folder, e.g. ` +
    `{ "providers": [{ "slug": "ollama", "preset": "ollama", "baseUrl": "http://127.0.0.1:11434/v1", "discoverModels": true }] }; ` +
    `then start the app again.`
  );
}
