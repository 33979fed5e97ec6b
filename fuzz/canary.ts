// Targets with planted faults, one of each kind that the harness must find. They are not in the
// registry; the smoke test runs them by name and fails if nothing is found.
import { assert, CorruptionError, refuse } from '../format/errors.ts'
import type { FuzzTarget } from './target.ts'

const allows = (error: unknown): boolean => error instanceof CorruptionError
const seeds = (): readonly Uint8Array[] => [new Uint8Array(12)]

/**
 * Four nested comparisons: random input would need 2^24 tries, input guided by coverage needs some
 * thousands.
 */
function runDeep(input: Uint8Array): void {
  if (input.length < 8) refuse('canary', 0, 'bad_length', 8, input.length)
  if (input[3]! % 64 !== 35) return
  if (input[1]! % 64 !== 26) return
  if (input[6]! % 64 !== 17) return
  if (input[0]! % 64 !== 44) return
  assert(false, 'the canary sings')
}

/** Never returns for an input that begins with 0xff. */
function runLong(input: Uint8Array): void {
  for (let turns = 0; input[0] === 0xff; turns++) if (turns < 0) return
}

/** Allocates a gigabyte that an input of a few bytes requests. */
function runGreedy(input: Uint8Array): void {
  if ((input[0] ?? 0) > 0xc0) new Uint8Array(1 << 30).fill(1, 0, 4096)
}

/** Fills the heap, so the worker dies without reporting an error. */
function runFatal(input: Uint8Array): void {
  const kept: number[][] = []
  while ((input[0] ?? 0) > 0xe0) kept.push(new Array(10_000).fill(0.5))
}

export const canaries: readonly FuzzTarget[] = [
  { name: 'canary-deep', seeds, run: runDeep, allows, inputBytesMax: 64 },
  { name: 'canary-long', seeds, run: runLong, allows, inputBytesMax: 64 },
  { name: 'canary-greedy', seeds, run: runGreedy, allows, inputBytesMax: 64 },
  { name: 'canary-fatal', seeds, run: runFatal, allows, inputBytesMax: 64 },
]
