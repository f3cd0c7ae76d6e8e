export default { testMatch: '*.spec.mjs', reporter: 'list', outputDir: 'test-results' };
