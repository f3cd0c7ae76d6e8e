/** What a made-up caller asks, and what it gets. */
export interface SampleExchange {
  readonly prompt: string;
  readonly completion: string;
}

/** A tool that an agent calls on the way, with what the tool returns. */
export interface SampleStep {
  readonly says: string;
  readonly tool: 'read_file' | 'search' | 'run_tests' | 'edit_file';
  readonly args: Readonly<Record<string, string>>;
  readonly result: string;
}

/** A task of a coding agent: a session with a request for each step, and one for the end. */
export interface SampleTask {
  readonly ask: string;
  readonly steps: readonly SampleStep[];
  readonly end: string;
}

export const SUPPORT_SYSTEM =
  'You answer customers of a shop for outdoor gear. Be brief and friendly. Look orders up before you promise anything.';

export const SUPPORT: readonly SampleExchange[] = [
  {
    prompt: 'My order 48213 has not arrived, what can I do?',
    completion:
      'I’m sorry about the wait. Order 48213 left our warehouse on Tuesday and is with the carrier. ' +
      'If it has not arrived by Friday, reply here and we’ll send a replacement at no cost.',
  },
  {
    prompt: 'Can I exchange the Ridge 45 backpack for a larger size?',
    completion:
      'Yes. You have 60 days to exchange it, as long as the tags are on. I can email you a prepaid label: ' +
      'the Ridge 55 costs $20 more, and we charge that when the return arrives.',
  },
  {
    prompt: 'Summarize this ticket for the night shift.',
    completion:
      '**Summary**\n\n- Tent arrived with a bent pole (photo attached).\n- The customer leaves for a trip on Saturday.\n' +
      '- Replacement pole offered, express shipping approved.\n\n**Next step:** confirm the address, then ship before 9:00.',
  },
  {
    prompt: 'Which of your stoves work at altitude?',
    completion:
      'Above 3,000 m we recommend the **Alpin Duo**: it has a pressure regulator and works down to −15 °C. ' +
      'The Camp One loses about a third of its power there.',
  },
  {
    prompt: 'Translate the reply to the customer into Portuguese.',
    completion:
      'Olá! Lamentamos a demora. O seu pedido já foi enviado e deve chegar até sexta-feira. ' +
      'Se não chegar, responda a esta mensagem e enviaremos um novo sem custos.',
  },
  {
    prompt: 'The zip on my jacket broke after three weeks.',
    completion:
      'That should not happen. The jacket has a lifetime repair warranty. Use the repair form and we’ll send a label ' +
      'today; repairs take about a week.',
  },
];

export const WEBSITE_SYSTEM = 'You write for the shop’s website. Plain words, short sentences, no superlatives.';

export const WEBSITE: readonly SampleExchange[] = [
  {
    prompt: 'Write alt texts for the three pictures of the spring catalogue.',
    completion:
      '1. Two hikers cross a wooden bridge below a waterfall.\n2. A green tent on a meadow at sunrise, mist in the valley.\n' +
      '3. A close-up of hands tying a blue climbing rope into a figure-eight knot.',
  },
  {
    prompt: 'Turn these release notes into three sentences.',
    completion:
      'You can now filter the gear list by weight. Wish lists can be shared by link. Checkout remembers your last address.',
  },
  {
    prompt: 'Suggest a title for a post about caring for down jackets.',
    completion: 'Wash it, dry it, wear it: ten years with one down jacket',
  },
  {
    prompt: 'Describe the Ridge 45 backpack in JSON with name, litres, weight in grams and three bullets.',
    completion:
      '{"name":"Ridge 45","litres":45,"weight":1380,"bullets":["Frame that fits backs of 42 to 52 cm",' +
      '"Opens from the front","Rain cover in the base"]}',
  },
  {
    prompt: 'Which size chart fits a person of 1.72 m and 68 kg for the Alpin trousers?',
    completion: 'Size M, regular length. Between two sizes, the larger one is right if you wear a base layer.',
  },
];

export const CODING_SYSTEM =
  'You are a coding agent. Use the tools to look before you change anything. Run the tests last.';

const read = (path: string, says: string, result: string): SampleStep => ({
  says,
  tool: 'read_file',
  args: { path },
  result,
});
const search = (query: string, says: string, result: string): SampleStep => ({
  says,
  tool: 'search',
  args: { query },
  result,
});
const edit = (path: string, change: string, says: string): SampleStep => ({
  says,
  tool: 'edit_file',
  args: { path, change },
  result: 'ok',
});
const runTests = (says: string, result: string): SampleStep => ({ says, tool: 'run_tests', args: {}, result });

export const TASKS: readonly SampleTask[] = [
  {
    ask: 'Why does the retry test fail only on Windows?',
    steps: [
      read('test/retry.test.ts', 'I’ll start with the test.', 'test("waits 50 ms before the second attempt", …)'),
      search('setTimeout', 'It measures time. I’ll look at who waits.', 'src/retry.ts:12: await delay(50)'),
      read(
        'src/retry.ts',
        'The timer is the suspect.',
        'export async function retry(run, attempts) { … await delay(50) … }',
      ),
      edit(
        'src/retry.ts',
        'take the clock as a parameter',
        'Timers on Windows tick every 15.6 ms. I’ll inject the clock.',
      ),
      runTests('Now the tests.', '212 passed, 0 failed'),
    ],
    end:
      'The test compared real times, and timers on Windows tick every **15.6 ms**, so 50 ms could end after 46.\n\n' +
      '`retry` now takes its clock as a parameter and the test brings its own. All 212 tests pass.',
  },
  {
    ask: 'Rename the option maxTries to attempts everywhere and update the docs.',
    steps: [
      search(
        'maxTries',
        'I’ll find every use.',
        'src/retry.ts:3\nsrc/options.ts:18\ndocs/retry.md:7\ntest/retry.test.ts:21',
      ),
      edit('src/options.ts', 'rename maxTries to attempts, read the old name too', 'Old callers keep working.'),
      edit('docs/retry.md', 'rename, note the old name', 'The docs follow.'),
      runTests('Tests last.', '214 passed, 0 failed'),
    ],
    end: 'Renamed in four files. `maxTries` is still read and logs a note, so nobody’s code breaks. 214 tests pass.',
  },
  {
    ask: 'Review this diff for races.',
    steps: [
      read(
        'src/cache.ts',
        'The cache is shared, so it comes first.',
        'if (!cache.has(id)) cache.set(id, await load(id))',
      ),
      search('cache.set', 'Is it written elsewhere?', 'src/cache.ts:9\nsrc/warm.ts:14'),
    ],
    end:
      'One race: between `has` and `set` there is an `await`, so two requests load the same id. ' +
      'Store the promise instead of the value:\n\n```ts\ncache.set(id, cache.get(id) ?? load(id));\n```',
  },
  {
    ask: 'Write a migration that adds an index on orders(customer_id) without a lock.',
    steps: [
      read('migrations/0041.sql', 'How are migrations written here?', 'begin; … commit;'),
      edit('migrations/0042.sql', 'create index concurrently …', '`concurrently` cannot run in a transaction.'),
      runTests('A dry run.', 'migration 0042 applied in 3.2 s'),
    ],
    end: 'Added `migrations/0042.sql` with `create index concurrently`. It runs outside of a transaction and blocks no writes.',
  },
  {
    ask: 'The export of large lists runs out of memory. Find out why and mend it.',
    steps: [
      search('toCsv', 'Where is the export?', 'src/export.ts:31'),
      read('src/export.ts', 'I’ll read it.', 'const rows = await db.all(query); return rows.map(toCsv).join("\\n")'),
      edit('src/export.ts', 'stream rows from a cursor', 'All rows are in memory at once. A cursor fixes that.'),
      runTests('The tests.', '1 failed: export.test.ts: expected a header line'),
      edit('src/export.ts', 'write the header first', 'The header was lost. One line.'),
      runTests('Again.', '216 passed, 0 failed'),
    ],
    end: 'The export read all rows before it wrote one. It streams from a cursor now: 2 million rows take 41 MB instead of 3.1 GB.',
  },
];

export const FILMS: readonly string[] = [
  'A tent at dawn, mist moving through the valley, slow camera pan',
  'Close-up of rain running off a jacket sleeve',
  'A red kayak passes below a stone bridge, seen from above',
  'Boots on wet granite, shallow focus',
  'A campfire at night, sparks rising, stars behind',
];

/** What customers ask, for the kinds of calls around the chats of the support bot. */
export const QUESTIONS: readonly [string, ...string[]] = [
  'Where is my parcel?',
  'How long may I return a jacket that I have worn?',
  'Does the tent stand a storm?',
  'Which sleeping bag is warm enough for 5 degrees below zero?',
  'Can I pay in instalments?',
];

/** Pages of help that are embedded, and put in order for a question. */
export const DOCUMENTS: readonly [string, ...string[]] = [
  'Parcels take two to four days. The link in the e-mail shows where yours is.',
  'Everything can be returned within 30 days, worn or not, with the label in the box.',
  'Our tents are tested at 110 km/h. Pitch the low side into the wind and use all pegs.',
  'The comfort temperature of a sleeping bag is printed on its label; below it, wear a layer more.',
  'We take cards, bank transfers and, from 100 euros on, three instalments.',
];

export const PICTURES: readonly [string, ...string[]] = [
  'A quiet valley at dawn, flat colours, for the head of a newsletter',
  'Rolling hills in late autumn, poster style',
  'A northern lake in summer, seen from a hill',
];

export const SENTENCES: readonly [string, ...string[]] = [
  'Thank you for calling. All of us are out on the trail; please leave a message.',
  'Your order has left our warehouse and will be with you on Thursday.',
];

interface SampleSegment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Messages on the answering machine, in seconds. */
export const TRANSCRIPTS: readonly [readonly SampleSegment[], ...(readonly SampleSegment[])[]] = [
  [
    { start: 0, end: 3.4, text: 'Hello, I ordered two pairs of boots last week.' },
    { start: 3.4, end: 7.9, text: 'One of them is too small. Could you send me a label to return it?' },
    { start: 7.9, end: 9.6, text: 'Thank you, goodbye.' },
  ],
  [
    { start: 0, end: 4.1, text: 'Good morning, the zip of my tent is broken after one night.' },
    { start: 4.1, end: 6.8, text: 'Is that covered by the warranty?' },
  ],
];
