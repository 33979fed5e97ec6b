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
  'Searches for each query of JUDGED on a running server, and scores the hits by the\n' +
  'documents that people judged relevant: nDCG, recall and the reciprocal rank of the first\n' +
  'relevant hit. With --against, --against-index or both, it searches in two ways, A and B,\n' +
  'and names the queries that B wins and loses.\n\n' +
  'JUDGED is {"queries": [{"q": "red lamp", "relevant": {"17": 2, "4": 1}}]}: identifiers of\n' +
  'documents with grades, 0 or absent for documents that are not relevant. A query may also\n' +
  'have an `id`, and `search`: members for this query only, such as a filter. The files of\n' +
  'BEIR and TREC are read too: queries as .jsonl or .tsv, and --qrels.\n\n' +
  `Changes nothing. If the server needs a key, set ${KEY_VARIABLE} in the environment to one\n` +
  'with the actions `search` and, unless --id is given, `indexes.get`.'

export const relevanceOptions = (parser: Parser): Parser =>
  parser
    .usage(USAGE)
    .positional('judged', { describe: 'Queries, with their judged documents', type: 'string' })
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
      describe: 'Members of the search of B, instead of those of --search',
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
      describe: 'The worth of a grade: the grade, or two to its power less one',
      type: 'string',
      default: 'linear',
      choices: GAINS,
    })
    .option('id', {
      describe: 'The attribute with the identifiers of JUDGED; default: the primary key',
      type: 'string',
      requiresArg: true,
    })
    .option('shown', limit(10, 'Queries in each list of the text'))
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
