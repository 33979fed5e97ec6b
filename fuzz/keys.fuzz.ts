// Any bytes decode to a key record or are refused with a typed error; a decoded record survives a
// round trip. Page: format/keys/KEYS.md

import { assert, CorruptionError, VersionError } from '../format/errors.ts'
import { decodeKey, encodeKey } from '../format/keys/index.ts'
import type { KeyRecord } from '../format/keys/keys-v1.ts'
import type { FuzzTarget } from './target.ts'

const PLAIN: KeyRecord = {
  name: null,
  description: 'd',
  actions: ['search', 'documents.*'],
  indexes: ['shop', 'sh*'],
  expiresAt: { seconds: 7_258_111_199, nanos: 5, offsetMinutes: -90 },
  createdAt: 1_700_000_000_000_000,
  updatedAt: 1_700_000_000_000_001,
}

export const target: FuzzTarget = {
  name: 'keys',
  seeds: () => [encodeKey(PLAIN), encodeKey({ ...PLAIN, name: 'n', expiresAt: null, actions: [] })],
  run,
  allows: (error) => error instanceof CorruptionError || error instanceof VersionError,
  inputBytesMax: 1024,
}

function run(input: Uint8Array): void {
  const bytes = encodeKey(decodeKey(input))
  const again = encodeKey(decodeKey(bytes))
  assert(Buffer.compare(bytes, again) === 0, 'a record has one encoding')
}
