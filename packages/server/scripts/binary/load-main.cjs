// The first code of the single executable: runs the bundle with what was compiled of it when it was built.
const { getRawAsset } = require('node:sea');
const { Script } = require('node:vm');

const readAsset = (name) => Buffer.from(getRawAsset(name));
// The bundle is ASCII, of which V8 keeps one byte a character.
const script = new Script(readAsset('main.cjs').toString('latin1'), {
  filename: 'model-gateway.cjs',
  cachedData: readAsset('main.cache'),
});
script.runInThisContext()(exports, require, module);
