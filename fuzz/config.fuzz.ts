// Fuzzes the values of launch options, as text and as TOML values, and command lines: each gives a
// value or a readable problem.
import { assert } from '../format/errors.ts'
import { ValueError } from '../server/config/launch-error.ts'
import type { Option } from '../server/config/option.ts'
import { OPTION_NAMES, OPTIONS } from '../server/config/options.table.ts'
import { readPlainly } from '../server/config/plain-line.ts'
import type { FuzzTarget } from './target.ts'

const TYPES = [...new Set(OPTION_NAMES.map((name) => (OPTIONS[name] as Option<unknown>).type))]
const SEEDS = ['true', '100 MiB', '10.0.0.0/8,fd00::/8', '[::1]:7700', 'https://a.b/c', '86400']

/** The values that TOML could produce from a text. */
const values = (text: string): readonly unknown[] => [
  text,
  [text],
  text.split(','),
  Number(text),
  text === 'true',
  { text },
  BigInt(text.length),
]

const tried = (read: () => unknown): void => {
  try {
    read()
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    assert(error.message !== '', 'a problem has words')
  }
}

export const target: FuzzTarget = {
  name: 'config',
  seeds: () =>
    SEEDS.flatMap((seed) => TYPES.map((_, which) => new Uint8Array([which, ...Buffer.from(seed)]))),
  run: (input) => {
    const text = Buffer.from(input.subarray(1)).toString()
    const type = TYPES[(input[0] ?? 0) % TYPES.length]!
    tried(() => type.fromText(text))
    for (const value of values(text)) tried(() => type.fromToml(value))
    const given = readPlainly(text.split(' '))
    if (given !== null) assert(given.size > 0 || text === '', 'a line that is read says something')
  },
  allows: () => false,
  inputBytesMax: 256,
}
