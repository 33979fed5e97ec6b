// Numbers and names that pages repeat from the code: each row lists the words that a page must
// have, built from the constant itself. Pages that are generated from tables are tested beside the
// tables.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import * as providers from '../../engine/ai/providers/limits.ts'
import { DUMP_VERSION } from '../../engine/backup/dumps/layout.ts'
import * as store from '../../engine/backup/objstore/limits.ts'
import * as follow from '../../engine/followers/following/limits.ts'
import * as publish from '../../engine/followers/publishing/limits.ts'
import * as filter from '../../engine/read/filter-syntax/limits.ts'
import * as search from '../../engine/read/jobs/limits.ts'
import * as query from '../../engine/read/query-graph/limits.ts'
import { DELAYED_DOCUMENTS_MIN } from '../../engine/read/rank/delayed-proximity.ts'
import * as rules from '../../engine/read/search-rules/limits.ts'
import { MERGED_HERE_BYTES_MAX } from '../../engine/read/service/limits.ts'
import * as suggest from '../../engine/read/suggest/limits.ts'
import * as embedders from '../../engine/settings/embedders/fields.table.ts'
import { SETTINGS } from '../../engine/settings/index.ts'
import { SYNONYM_WORDS_MAX } from '../../engine/settings/schema/limits.ts'
import { INFIX_LENGTH_MIN, SEARCH_CUTOFF_MS_DEFAULT } from '../../engine/settings/values/index.ts'
import * as names from '../../engine/store/catalog/names.ts'
import { PROFILES } from '../../engine/store/layers/index.ts'
import { FREE_BYTES_MIN } from '../../engine/store/storage/limits.ts'
import * as text from '../../engine/text/limits.ts'
import { DISTANCE_MS, HIGH_SHARE, LOW_SHARE } from '../../engine/write/batching/grouping.ts'
import { INLINE_BYTES_MAX } from '../../engine/write/indexer/segment-sink.ts'
import * as tasks from '../../engine/write/task-data/limits.ts'
import { TAKE_OVER } from '../../engine/write/tiers/index.ts'
import { GiB, KiB, MiB } from '../../format/bytes/index.ts'
import * as documents from '../../format/documents/limits.ts'
import { FRAME_PAGE_BYTES } from '../../format/frame/index.ts'
import * as chats from '../../server/chat/limits.ts'
import { FAILURE_MODES } from '../../server/config/foreign-variables.ts'
import { OPTION_NAMES, OPTIONS, type Option } from '../../server/config/index.ts'
import { flagName, variableName } from '../../server/config/option.ts'
import * as http from '../../server/http/messages/limits.ts'
import { METRIC_NAMES, PREFIX } from '../../server/metrics/metrics.table.ts'
import * as network from '../../server/network/calls/limits.ts'
import * as bodies from '../../server/parse/schema/limits.ts'
import * as unpack from '../../server/unpack/limits.ts'
import * as webhooks from '../../server/webhooks/limits.ts'
import { withoutBlocks } from './blocks.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SECOND = 1000

/** `1,000,000` */
const n = (value: number): string => value.toLocaleString('en')
/** `64 MiB` */
function size(bytes: number): string {
  if (bytes >= GiB) return `${bytes / GiB} GiB`
  return bytes >= MiB ? `${bytes / MiB} MiB` : `${bytes / KiB} KiB`
}
/** `30 s` */
const s = (ms: number): string => `${ms / SECOND} s`
const { TIMEOUTS } = http
const typos = SETTINGS.typoTolerance.default.minWordSizeForTypos

/** Page → texts that it must have. */
const TRUTHS: { readonly [page: string]: readonly string[] } = {
  'docs/operations.md': [
    `| open at once | ${n(http.CONNECTIONS_MAX)},`,
    `− ${http.DESCRIPTORS_RESERVED} − ${http.DESCRIPTORS_PER_PROCESSOR} for each processor), but at least ${http.CONNECTIONS_MIN}.`,
    `| headers of a request | ${size(http.HEADER_BYTES_MAX)}, complete within ${s(TIMEOUTS.headersMs)} |`,
    `a pause of more than ${s(TIMEOUTS.idleMs)}, or ${s(TIMEOUTS.silentMs)} while others wait`,
    `| body of JSON other than documents | arrives within ${s(TIMEOUTS.bodyMs)} |`,
    `| pause between two requests | ${s(TIMEOUTS.keepAliveMs)} |`,
    `(pipelining) | ${http.PIPELINED_MAX};`,
    `| ${http.RESETS_MAX} at once, ${http.RESETS_PER_SECOND_MAX} a second |`,
    `unread answers above ${size(http.TRACKED_ANSWER_BYTES_MIN)}, all`,
    `all together | ${size(http.ANSWERS_BYTES_MAX)}; beyond it the oldest`,
    `${size(http.BODY_ACCOUNT_BYTES)}, or the size of the largest allowed body`,
    `the first ${size(http.BODY_FREE_BYTES)} of a JSON body do not count`,
    `the request waits for ${s(TIMEOUTS.roomMs)}, then 503`,
    `lets running requests finish (${s(TIMEOUTS.stopMs)} at most)`,
    `| ${unpack.UNPACK_RATIO_MAX} times its compressed size, checked above ${size(unpack.UNPACK_RATIO_FROM_BYTES)} |`,
    `${n(filter.CONDITIONS_MAX)} conditions, ${n(filter.LISTED_VALUES_MAX)} \`IN\` values, ${n(filter.PLACES_MAX)} geo conditions`,
    `geo conditions, ${n(filter.VALUE_UNITS_MAX)} characters in one value`,
    `| stored tasks | ${n(tasks.TASK_COUNT_MAX)} |`,
    `| bytes of stored tasks | ${size(tasks.QUEUE_BYTES_MAX)} |`,
    `\`searchCutoffMs\` (${SEARCH_CUTOFF_MS_DEFAULT} ms)`,
    `(${search.WHOLE_MS_MIN} ms at least)`,
    `less than ${size(FREE_BYTES_MIN)} of free space`,
    `--http-payload-size-limit\` (${OPTIONS.httpPayloadSizeLimit.absentWords})`,
    `--http-json-payload-size-limit\` (${OPTIONS.httpJsonPayloadSizeLimit.absentWords}, never`,
    `--experimental-nb-searches-per-core\` (${OPTIONS.experimentalNbSearchesPerCore.absent} per core)`,
    `--experimental-search-queue-size\` (${OPTIONS.experimentalSearchQueueSize.absent})`,
    `--experimental-drop-search-after\` (${OPTIONS.experimentalDropSearchAfter.absent} s)`,
    `--max-indexing-memory\` (${OPTIONS.maxIndexingMemory.absentWords})`,
    `\`--max-search-memory\` (${OPTIONS.maxSearchMemory.absentWords})`,
    `--max-indexing-threads\` (${OPTIONS.maxIndexingThreads.absentWords})`,
    `A delivery has a timeout of ${s(webhooks.DELIVERY_TIMEOUT_MS)}`,
  ],
  'docs/suggestions.md': [
    `more than ${suggest.TYPED_UNITS_MAX} UTF-16 units`,
    `${bodies.SUGGESTIONS_DEFAULT} if left out, ${bodies.SUGGESTIONS_MAX} at most`,
    `first ${suggest.TITLES_READ_MAX} hits`,
    `at most ${suggest.TITLE_UNITS_MAX} UTF-16 units`,
    `the ${n(suggest.WORDS_COUNTED_MAX)} that most documents have`,
    `(${suggest.CORRECTION_HITS_MAX} of the page)`,
  ],
  'docs/guides/joins.md': [
    `The first ${n(search.FOREIGN_HITS_MAX)} ids of an answer`,
    `may match ${n(filter.FOREIGN_DOCUMENTS_MAX)} documents of the other index`,
  ],
  'docs/concepts-documents.md': [`a text of up to ${documents.EXTERNAL_ID_BYTES_MAX} bytes`],
  'docs/concepts-tasks.md': [
    `until there are ${n(tasks.TASK_COUNT_MAX)}`,
    `The queue may use ${size(tasks.QUEUE_BYTES_MAX)}`,
    `up to ${size(tasks.SMALL_BATCH_BYTES_MAX)} and ${n(tasks.SMALL_BATCH_DOCUMENTS_MAX)} documents`,
  ],
  'docs/concepts-ranking.md': [
    `A word of ${typos.oneTypo} letters or more may have one typo, of ${typos.twoTypos} or more two`,
  ],
  'docs/searching.md': [
    `first ${n(SETTINGS.pagination.default.maxTotalHits)} hits`,
    `up to ${SETTINGS.faceting.default.maxValuesPerFacet} values of each field`,
  ],
  'docs/reference/search-parameters.md': [
    `the first ${query.QUERY_TERMS_MAX} words and phrases are read, or ${query.ANY_TERMS_MAX} with`,
  ],
  'docs/search-semantics.md': [
    `and two from \`twoTypos\` on (${typos.oneTypo} and ${typos.twoTypos})`,
    `more than ${text.TERM_BYTES_MAX} bytes`,
    `of \`minLength\` characters or more (${INFIX_LENGTH_MIN})`,
    `more than ${text.FACET_BYTES_MAX} bytes, the first ${text.FACET_HEAD_BYTES} bytes count`,
    `at most ${bodies.FACET_OBJECTS_MAX} of them`,
    `names attributes, at most ${bodies.FACET_OBJECTS_MAX},`,
    `At most ${bodies.FACET_RANGES_MAX} ranges`,
    `more than ${n(search.FACET_BUCKETS_MAX)} have documents`,
    `behind position ${n(text.POSITIONS_MAX - 1)}`,
    `and ${n(query.QUERY_TOKENS_MAX)} tokens are read`,
    `at most ${query.SPLIT_RARE_DOCUMENTS_MAX} documents have`,
    `(${query.SPLIT_WORD_PARTS_MAX} parts, ${query.SPLIT_CHARS_MAX} characters`,
    `${query.SPLIT_LIST_MAX} of them, found in ${query.SPLIT_DOCUMENTS_MAX} documents`,
    `(${query.SPLIT_RUN_PARTS_MAX} parts`,
    `at most ${SYNONYM_WORDS_MAX} words, where text without a space`,
    `\`pagination.maxTotalHits\` (${n(SETTINGS.pagination.default.maxTotalHits)})`,
    `\`faceting.maxValuesPerFacet\` (${SETTINGS.faceting.default.maxValuesPerFacet})`,
    `(${n(rules.ACTIVE_RULES_MAX)} rules)`,
    `(${rules.PINS_MAX} pins)`,
    `(${rules.SCALES_MAX} actions, and ${rules.SCALE_GROUPS_MAX} different products)`,
    `condition is true (${n(filter.FOREIGN_DOCUMENTS_MAX)} documents)`,
    `drawn with ${filter.RESOLUTION_DEFAULT} corners`,
    `after \`searchCutoffMs\` (${n(SEARCH_CUTOFF_MS_DEFAULT)} ms)`,
    `at least ${search.WHOLE_MS_MIN} ms`,
  ],
  'docs/tuning.md': [
    `characters (${INFIX_LENGTH_MIN} at least, which is the default)`,
    `one typo from ${typos.oneTypo} letters on and two from ${typos.twoTypos} on`,
    `\`searchCutoffMs\` (${n(SEARCH_CUTOFF_MS_DEFAULT)} by default)`,
    `| \`--max-search-memory\` | ${OPTIONS.maxSearchMemory.absentWords} |`,
    `| \`--max-indexing-memory\` | ${OPTIONS.maxIndexingMemory.absentWords} |`,
    `| \`--experimental-nb-searches-per-core\` | ${OPTIONS.experimentalNbSearchesPerCore.absent} |`,
    `| \`--experimental-search-queue-size\` | ${OPTIONS.experimentalSearchQueueSize.absent} |`,
  ],
  'docs/embedders.md': [
    `up to ${embedders.EMBEDDERS_MAX} `,
    `at most ${embedders.FRAGMENTS_MAX} fragments of a kind`,
    `(\`searchCutoffMs\`, ${SEARCH_CUTOFF_MS_DEFAULT} ms)`,
  ],
  'docs/chat.md': [
    `| conversations at once | ${chats.CHATS_MAX};`,
    `in one request | ${chats.ROUNDS_MAX} |`,
    `| searches at once | ${chats.CALLS_MAX} |`,
    `| all messages of a conversation | ${size(chats.CONVERSATION_BYTES_MAX)} |`,
    `${chats.ANSWER_MS_MAX / 60_000} minutes, ${size(chats.ANSWER_BYTES_MAX)}`,
  ],
  'docs/network.md': [
    `| ${size(network.ANSWER_BYTES_MAX)} |`,
    `| ${size(network.ANSWERS_BYTES_MAX)} |`,
    `${size(network.BACKLOG_LOG_BYTES_MAX)} of it in the log`,
    `${n(network.BACKLOG_TASKS_MAX)} tasks`,
    `| ${s(network.FIRST_MS)} |`,
    `| ${s(network.FIRST_COLD_MS)} |`,
  ],
  'docs/followers.md': [
    `waits for up to ${s(follow.WAIT_MS_MAX)}`,
    `pauses of up to ${s(follow.PAUSE_MS_MAX)}`,
    `The newest ${['no', 'one', 'two', 'three'][publish.KEPT_MIN]} states stay`,
    `up to ${n(store.DELETED_OBJECTS_MAX)} of them at a time`,
  ],
  'docs/scaling.md': [`leases of ${n(store.LEASES_MAX)} followers`],
  'docs/snapshots.md': [`more than ${n(store.PARTS_MAX)} parts`],
  'docs/dumps.md': [`Dumps of version ${DUMP_VERSION.slice(1)}`],
  'docs/internals.md': [
    `up to ${size(tasks.INLINE_BODY_BYTES_MAX)} go into the record`,
    `Segments of up to ${size(INLINE_BYTES_MAX)} lie inside the edit`,
    `up to ${DISTANCE_MS} ms`,
  ],
  'docs/formats.md': [
    `Each page of ${size(FRAME_PAGE_BYTES)} of a segment`,
    ...[names.CURRENT, names.VERSION, names.LOCK, names.CLOSED].map((name) => `| \`${name}\` |`),
    ...PROFILES.map(({ extension }) => `| \`${names.SEGMENTS}/NNNNNN.${extension}\` |`),
  ],
  'format/FORMATS.md': PROFILES.map(
    ({ extension, kind }) =>
      `| \`${names.SEGMENTS}/NNNNNN.${extension}\` | \`SVCF\` | \`${kind}\` |`,
  ),
  'ARCHITECTURE.md': [
    `up to ${size(INLINE_BYTES_MAX)}`,
    `grows to ${DISTANCE_MS} ms`,
    `From ${n(DELAYED_DOCUMENTS_MIN)} documents on`,
    `Each page of ${size(FRAME_PAGE_BYTES)}`,
    ...PROFILES.map(({ extension }) => `| \`.${extension}\` |`),
  ],
  'engine/store/catalog/FOLDER.md': [
    names.LOCK,
    names.VERSION,
    names.CURRENT,
    names.CLOSED,
    names.IDENTITY,
    names.PUBLISHER,
    names.IMPORTING,
    ...[names.STAGING, names.PUBLISHING, names.FOLLOWING, names.IMPORT_FOLDER].map(
      (folder) => `${folder}/`,
    ),
    ...PROFILES.map(({ extension }) => `.${extension}`),
  ],
  'engine/write/merging/MERGING.md': [
    `grows to ${DISTANCE_MS} ms`,
    `more than ${100 * LOW_SHARE} % of their time`,
    `at ${100 * HIGH_SHARE} %`,
    `if there are ${['no', 'one', 'two', 'three', 'four', 'five', 'six'][TAKE_OVER.countMin]}`,
    `up to ${size(INLINE_BYTES_MAX)}`,
    `with ${size(tasks.LONG_BATCH_BYTES_MIN)} of bodies or ${n(tasks.LONG_BATCH_DOCUMENTS_MIN)} documents`,
    `else after ${tasks.LONG_BATCH_MS_MIN} ms`,
    `up to ${size(tasks.SMALL_BATCH_BYTES_MAX)} and ${n(tasks.SMALL_BATCH_DOCUMENTS_MAX)} documents`,
  ],
  'engine/network/NETWORK.md': [
    `An answer may have ${size(network.ANSWER_BYTES_MAX)}, its head ${size(search.INSTANCE_HEAD_BYTES_MAX)}`,
    `${['', '', '', '', '', 'five'][network.REPLANS_MAX]} times`,
    `up to ${size(MERGED_HERE_BYTES_MAX)} on the main`,
  ],
}

const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8')

test.each(Object.entries(TRUTHS))('%s repeats the constants of the code', (page, words) => {
  const text = read(page).replaceAll(/\s+/g, ' ')
  expect(words.filter((one) => !text.includes(one))).toEqual([])
})

test('the page on ranking has the default rules in order', () => {
  const rows = [...read('docs/concepts-ranking.md').matchAll(/^\| `(\w+)` \|/gm)]
  expect(rows.map(([, rule]) => rule)).toEqual(SETTINGS.rankingRules.default)
})

test('the page on embedders has the number of attempts', () => {
  expect(providers.ATTEMPTS_MAX).toBe(11)
  expect(read('docs/embedders.md')).toContain('up to eleven times')
})

test('the page of the manifest has a row for each space', () => {
  const spaces = sourcesIn('engine').flatMap((file) => {
    const text = read(file)
    const named = text.matchAll(/: ValueSpace<[^=]*> =>? ?\(?\{\n\s+name: '([a-z-]+)'/g)
    const made = text.matchAll(/jsonSpace\('([a-z-]+)'/g)
    return [...named, ...made].map(([, name]) => name)
  })
  const page = read('format/manifest/MANIFEST.md')
  const table = page.slice(page.indexOf('| space |'), page.indexOf('A missing space'))
  const rows = [...table.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name)
  expect(rows.sort()).toEqual(spaces.sort())
})

/** Flags of other programs that pages mention. */
const OTHER_FLAGS = [
  '--data',
  '--embedder',
  '--exit',
  '--global',
  '--health-start-period',
  '--help',
  '--ignore-scripts',
  '--input',
  '--max-old-space-size',
  '--peer',
  '--release',
  '--report',
  '--scale',
  '--search-key',
  '--server',
  '--sizes',
  '--tail',
  '--user',
  '--version',
]
/** Variables of the tools and of the build, and names that stand for several variables. */
const OTHER_VARIABLES = [
  FAILURE_MODES,
  'SVC_API_KEY',
  'SVC_BUILD_COMMIT_DATE',
  'SVC_BUILD_COMMIT_SHA',
  'SVC_NATIVES',
  'SVC_OBJSTORE_',
  'SVC_X',
]

test('flags, variables and metrics on pages exist', () => {
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'))
  const flags = new Set([
    ...OPTION_NAMES.map((name) => `--${flagName(name)}`),
    // This page is generated from the declarations of the tools.
    ...(read('docs/tools.md').match(/--[a-z][a-z-]+/g) ?? []),
    ...OTHER_FLAGS,
  ])
  for (const name of OPTION_NAMES) {
    const { alias } = OPTIONS[name] as Option<unknown>
    if (alias !== undefined) flags.add(`--${flagName(alias)}`)
  }
  const variables = new Set([...OPTION_NAMES.map(variableName), ...OTHER_VARIABLES])
  const metrics = METRIC_NAMES.map((name) => `${PREFIX}${name}`)
  const unknown: string[] = []
  for (const page of ['README.md', 'SECURITY.md', ...pages.map((name) => `docs/${name}`)]) {
    const text = read(page)
    for (const [, flag] of withoutBlocks(text).matchAll(/`[^`\n]*?(--[a-z][a-z-]+)/g)) {
      if (!flags.has(flag!)) unknown.push(`${page}: ${flag}`)
    }
    for (const [variable] of text.matchAll(/\bSVC_[A-Z0-9_]+/g)) {
      if (!variables.has(variable)) unknown.push(`${page}: ${variable}`)
    }
    for (const [metric] of text.matchAll(/\bsvc_[a-z]+_[a-z_]+/g)) {
      if (!metrics.some((name) => name.startsWith(metric))) unknown.push(`${page}: ${metric}`)
    }
  }
  expect(unknown).toEqual([])
})

function sourcesIn(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
}
