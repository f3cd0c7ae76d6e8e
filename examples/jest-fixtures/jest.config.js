module.exports = {
  // Starts one gateway for the run, which replays the cases in `fixtures/`, and ends it.
  globalSetup: '@model-gateway/fixtures/jest',
  globalTeardown: '@model-gateway/fixtures/jest-teardown',
};
