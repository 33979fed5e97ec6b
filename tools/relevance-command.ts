// `svc-tools relevance`: measures a running server against judged queries.
import {
  answer,
  type CommandContext,
  countOf,
  KEY_VARIABLE,
  limit,
  textOf,
  URL_OPTION,
} from './command-parts.ts'
import type { Variant } from './relevance/index.ts'
import { type Parsed, type Parser, ToolError } from './terminal/index.ts'

const GAINS = ['linear', 'exponential'] as const
/** A search returns at most this many hits unless the index has another `maxTotalHits`. */
const HITS_MAX = 1000

const USAGE =
  '$0 relevance JUDGED [--index INDEX] [--search JSON]\n' +
  '$0 relevance JUDGED [--index INDEX] [--search JSON] --against JSON\n' +
  '$0 relevance JUDGED [--index INDEX] [--search JSON] --against-index INDEX\n\n' +
  'Sends each query of JUDGED to a running server, and compares the hits with the documents\n' +
  'that people judged relevant. It computes nDCG, recall and the reciprocal rank of the first\n' +
  'relevant hit (MRR). With --against, --against-index or both, it sends each query in two\n' +
  'variants, A and B, and lists the queries for which B is better or worse.\n\n' +
  'JUDGED is {"queries": [{"q": "red lamp", "relevant": {"17": 2, "4": 1}}]}. `relevant` has\n' +
  'the identifiers and grades of documents; a document without a grade, or with 0, is not\n' +
  'relevant. A query may also have an `id`, and `search`: members for this query only, such as\n' +
  'a filter. Files of BEIR and TREC work too: queries as .jsonl or .tsv, and --qrels.\n\n' +
  `Changes nothing. If the server needs a key, set the variable ${KEY_VARIABLE} to a key with the\n` +
  'action `search` and, without --id, also `indexes.get`.'

export const relevanceOptions = (parser: Parser): Parser =>
  parser
    .usage(USAGE)
    .positional('judged', { describe: 'A file with judged queries', type: 'string' })
    .option('index', {
      describe: 'The index; default: the member `index` of JUDGED',
      type: 'string',
      requiresArg: true,
    })
    .option('search', {
      describe: 'Members of each search, as a JSON object',
      type: 'string',
      default: '{}',
      requiresArg: true,
    })
    .option('against', {
      describe: 'Members of each search of B, instead of --search',
      type: 'string',
      requiresArg: true,
    })
    .option('against-index', {
      describe: 'The index of B, for example one with other settings',
      type: 'string',
      requiresArg: true,
    })
    .option('qrels', {
      describe: 'Judgements: query, document, grade (BEIR), or query, 0, document, grade (TREC)',
      type: 'string',
      requiresArg: true,
    })
    .option('k', limit(10, 'Hits that count for nDCG and MRR'))
    .option('recall', limit(100, 'Hits that count for recall'))
    .option('gain', {
      describe: 'The gain of a grade: linear is the grade, exponential is 2^grade - 1',
      type: 'string',
      default: 'linear',
      choices: GAINS,
    })
    .option('id', {
      describe: 'The attribute with the identifiers of JUDGED; default: the primary key',
      type: 'string',
      requiresArg: true,
    })
    .option('shown', limit(10, 'Queries in each list of the output'))
    .option('url', URL_OPTION)
    .example('$0 relevance judged.json --index shop', 'how good is it?')
    .example(
      `$0 relevance judged.json --index shop --against '{"matchingStrategy": "frequency"}'`,
      'another way to search',
    )
    .example(
      '$0 relevance judged.json --index shop --against-index shop-new --json',
      'other settings, for programs',
    )
    .example(
      '$0 relevance queries.jsonl --qrels qrels/test.tsv --index scifact',
      'a collection of BEIR',
    )

export async function runRelevance(context: CommandContext, parsed: Parsed): Promise<void> {
  const { measureRelevance, readJudged, relevanceText } = await import('./relevance/index.ts')
  const { instanceOf } = await import('./remote/index.ts')
  const judged = readJudged(String(parsed['judged']), textOf(parsed, 'qrels'))
  const options = {
    k: hitCount(parsed, 'k'),
    depth: hitCount(parsed, 'recall'),
    gain: GAINS.find((name) => name === parsed['gain'])!,
    variants: variantsOf(parsed, judged.index),
    idAttribute: textOf(parsed, 'id'),
  }
  const shown = countOf(parsed, 'shown')
  const result = await measureRelevance(instanceOf(parsed), judged, options, context.terminal)
  answer(context, parsed, { result, text: (all) => relevanceText(all, shown), problems: 0 })
}

/** `ownIndex`: that of the judged set, or null. @throws ToolError */
function variantsOf(parsed: Parsed, ownIndex: string | null): readonly Variant[] {
  const index = textOf(parsed, 'index') ?? ownIndex
  if (index === null) throw new ToolError('name the index with --index INDEX')
  const a = { index, search: searchOf(parsed, 'search') }
  const [against, otherIndex] = [textOf(parsed, 'against'), textOf(parsed, 'againstIndex')]
  if (against === null && otherIndex === null) return [a]
  const search = against === null ? a.search : searchOf(parsed, 'against')
  return [a, { index: otherIndex ?? index, search }]
}

/** @throws ToolError */
function searchOf(parsed: Parsed, name: string): Variant['search'] {
  try {
    const value: unknown = JSON.parse(String(parsed[name]))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Variant['search']
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new ToolError(`--${name} is not JSON: ${error.message}`)
  }
  throw new ToolError(`--${name} must be an object, for example {"filter": "year > 1990"}`)
}

/** @throws ToolError */
function hitCount(parsed: Parsed, name: string): number {
  const count = countOf(parsed, name)
  if (count >= 1 && count <= HITS_MAX) return count
  throw new ToolError(`--${name} must be from 1 to ${HITS_MAX}`)
}
