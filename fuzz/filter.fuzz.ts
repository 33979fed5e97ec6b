// Filters: any text and any nested arrays give a tree, which prints to text that parses to the same
// tree, or a fault of the client.

import { EngineFault } from '../engine/model/index.ts'
import { parseFilter } from '../engine/read/filter/index.ts'
import type { FilterInput } from '../engine/read/filter/input.ts'
import { filterWording, rewrite } from '../engine/read/filter-syntax/index.ts'
import { assert } from '../format/errors.ts'
import { asIndexUid } from '../format/ids.ts'
import type { FuzzTarget } from './target.ts'

const SEEDS = [
  'a = 1',
  'genres IN [Short, "Drama", \'x\\u0041\'] AND NOT (year >= 1918 OR n 1 TO 2)',
  'a IS NOT NULL OR b.c IS EMPTY OR c NOT EXISTS',
  's CONTAINS "\\x41\\u{1F353}" AND s NOT STARTS WITH \'\\101\'',
  '_geoRadius(48.85, 2.35, 1e3, 7) OR _geoBoundingBox([1,2],[-3,4.5])',
  '_geoPolygon([0,0],[0,1],[1,1],)',
  '_vectors.dark.fragments."x" EXISTS OR _vectors NOT EXISTS',
  '_foreign(author, age > 40) AND _shard != s1',
  '["a = 1", ["b = 2", "c = 3"]]',
  '[[["a"]]]',
]

const INPUT: FilterInput = {
  wording: filterWording('search', 'parsing', asIndexUid('x')),
  features: { containsFilter: true, foreignKeys: true, multimodal: true, network: true },
  takesForeign: true,
}

/** Text that is JSON is parsed, as in the query string of a search. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

const TOO_DEEP = 'The filter exceeded the maximum depth limit.'

/** Printing adds parentheses, so a deep filter may become too deep. */
function reparsed(text: string): string {
  try {
    const tree = parseFilter(text, INPUT)
    return tree === null ? '' : rewrite(tree, null).text
  } catch (error) {
    if (error instanceof EngineFault && error.message.startsWith(TOO_DEEP)) return text
    throw new Error(`a printed tree does not parse: ${text}`, { cause: error })
  }
}

function run(input: Uint8Array): void {
  const tree = parseFilter(jsonOf(new TextDecoder().decode(input)), INPUT)
  if (tree === null) return
  const { text } = rewrite(tree, null)
  assert(reparsed(text) === text, 'a printed tree parses to the same tree')
}

export const target: FuzzTarget = {
  name: 'filter',
  seeds: () => SEEDS.map((seed) => new TextEncoder().encode(seed)),
  run,
  allows: (error) => error instanceof EngineFault,
  inputBytesMax: 64 * 1024,
}
