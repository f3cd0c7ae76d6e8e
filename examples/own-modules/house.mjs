// A provider that says what it was told. A real one would call a model here, or a server by `transport`.
export function createProvider({ greeting }, { slug, GatewayError }) {
  return {
    slug,
    name: 'The house',
    dataPolicy: { training: false, retainsPrompts: false },
    async *chat({ request, stream, signal }) {
      const { content } = request.messages.at(-1);
      if (typeof content !== 'string') throw new GatewayError('invalid_request', 'The house reads texts alone');
      const end = { finish_reason: 'stop', native_finish_reason: 'stop' };
      const words = `${greeting}: ${content}`.split(/(?<= )/);
      if (!stream) return yield [{ choices: [{ index: 0, delta: { content: words.join('') }, ...end }] }];
      for (const word of words) {
        signal.throwIfAborted();
        yield [{ choices: [{ index: 0, delta: { content: word }, finish_reason: null, native_finish_reason: null }] }];
      }
      yield [{ choices: [{ index: 0, delta: {}, ...end }] }];
    },
  };
}
