import { createCoreGateway } from '../gateways/core-gateway.ts';
import { createScriptedTransport } from '../upstreams/scripted-transport.ts';

// A gateway loads the code of a chat with its first one, which takes real time. Tests that stop time count turns of the
// event loop instead of waiting, so none of them may make the first.
await createCoreGateway(createScriptedTransport()).chat({ messages: 'none' });
